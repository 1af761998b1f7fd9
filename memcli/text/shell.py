"""A line of shell, read roughly: which simple commands are in it, and what each of them is about."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 4_000  # characters of a line that are looked at
_TOGETHER = 5  # characters of short options in one word; -name is one of another kind
# Programs that run the one behind them, with those of their options that have a value in a word of its own.
_WRAPPERS = {
    "env": "-u --unset -C --chdir",
    "sudo": "-u --user -g --group -h --host -p --prompt -C --close-from -D --chdir -R --chroot -r --role -t --type -T -U",
    "doas": "-u -C",
    "time": "-f --format -o --output",
    "nice": "-n --adjustment",
    "ionice": "-c --class -n --classdata",
    "stdbuf": "-i --input -o --output -e --error",
    "timeout": "-k --kill-after -s --signal",
    "exec": "-a",
    "command": "",
    "nohup": "",
    "setsid": "",
}
_BEFORE_A_COMMAND = frozenset("do then else if elif while until ! {".split())  # words of a loop or a condition
_RUN_NOTHING = frozenset("for select case esac done fi }".split())  # and those behind which no command stands
_SETUP = frozenset("cd source . export set pushd popd mkdir echo printf true sleep eval unset alias test [".split())
# Programs that run another one, by the words that stand between: the other one is what the command is about.
_RUNNERS = (
    *(("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run"), ("hatch", "run"), ("rye", "run"), ("pixi", "run")),
    *(("bundle", "exec"), ("npx",), ("bunx",), ("uvx",), ("pnpm", "exec"), ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx")),
    *(
        ("python", "-m"),
        ("python3", "-m"),
        ("py", "-m"),
        ("php",),
        ("mise", "exec"),
        ("asdf", "exec"),
        ("direnv", "exec"),
        ("nix", "run"),
    ),
)
_READ_ONLY = frozenset(
    """ls cat head tail less more grep egrep rg ag find fd tree pwd wc which type stat file du df env printenv date whoami echo
    printf true cd sort uniq cut awk jq diff cmp sed nl bat realpath readlink basename dirname sleep ps""".split()
)
_GIT_READ_ONLY = frozenset("status log diff show branch remote rev-parse blame ls-files describe reflog config fetch".split())
_GIT_SETTING = frozenset("add remove rm rename set-url set unset -d -D -m -u --set-upstream-to --unset --add".split())
_GIT_VALUED = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source")
_GIT_CONFIGURED = frozenset(("-c", "--config-env"))  # may name a program that git then runs
# Programs of which the first word behind their name says what they do.
_WITH_SUBCOMMANDS = frozenset(
    """git npm pnpm yarn bun deno cargo go mix make just task rake docker podman kubectl helm terraform gh uv pip pip3 poetry
    bundle rails dotnet gradle gradlew mvn mvnw swift zig apt apt-get brew conda systemctl dvc alembic flask django-admin
    composer php artisan bazel hatch pdm nox tox pre-commit bd""".split()
)
_PREPARES = frozenset("source . export eval conda nvm pyenv rbenv".split())  # the shell for what comes after
_KINDS_OF_CHECK = {
    "@test": frozenset("test tests pytest tox nox jest vitest mocha rspec phpunit unittest ctest bats".split()),
    "@lint": frozenset("lint ruff flake8 pylint eslint clippy credo rubocop golangci".split()),
    "@types": frozenset("mypy pyright tsc dialyzer typecheck".split()),
}
SUBCOMMANDS = frozenset("install add remove uninstall run build test publish sync lock update upgrade init create delete".split())
FETCHES = frozenset(  # programs that fetch pages
    "curl wget http https lynx w3m links aria2c httpie xh iwr irm invoke-webrequest invoke-restmethod".split()
)
RUNS_INPUT = frozenset(  # programs that run what comes through a pipe
    """sh bash zsh dash ash ksh fish csh tcsh pwsh powershell python python2 python3 perl ruby node nodejs deno bun php lua
    osascript iex invoke-expression""".split()
)
_FOREIGN = ("git+", "git@", "github:", "gitlab:", "bitbucket:", "gist:", "gh:")  # how an address of code begins, besides a URL
_OWN_HOSTS = frozenset("localhost 127.0.0.1 [::1] 0.0.0.0 host.docker.internal".split())
_ADDRESS = "://"
NESTED = str.maketrans(dict.fromkeys("\"'()`", ";"))  # what may begin or end a command within another
_SCRIPTED = frozenset("npm pnpm yarn bun".split())  # run SCRIPT


def simple_commands(line: str) -> list[list[str]]:
    """Returns the simple commands of a line of shell, each as its words, without redirections, variables and wrappers.

    A rough reading: quotes are kept together, everything else that a shell does is not done. `words_by_operator` has all words.
    """
    simple = []
    for words in words_by_operator(line[:LONGEST]):
        words = [word for word in _unwrapped(words) if not word.lstrip("12&").startswith((">", "<"))]
        if words and words[0] not in _RUN_NOTHING:
            simple.append([_base(words[0]) or words[0], *words[1:]])
    return simple


def _unwrapped(words: list[str]) -> list[str]:
    """Returns a command without the programs that only run it, variables before it, and words of the shell around it."""
    while words:
        name = words[0].removeprefix("/usr").removeprefix("/bin/")
        if name == "command" and words[1:2] in (["-v"], ["-V"]):
            return ["which", *words[2:]]
        if name in _WRAPPERS:
            words = _behind_options(words[1:], _WRAPPERS[name].split())
            words = words[1:] if name == "timeout" else words  # how long it may take
        elif words[0] in _BEFORE_A_COMMAND or ("=" in words[0] and words[0].partition("=")[0].isidentifier()):
            words = words[1:]
        else:
            break
    return words


def _behind_options(words: Sequence[str], valued: Sequence[str]) -> list[str]:
    """Returns what stands behind the options at the beginning of some words. `valued`: options with a value in the next word."""
    index = 0
    while index < len(words) and words[index].startswith("-"):
        index += 2 if words[index] in valued else 1
    return list(words[index:])


def words_by_operator(line: str) -> list[list[str]]:
    """Returns all words between the operators of a line; what ends within quotes counts as far as it goes."""
    commands: list[list[str]] = [[]]
    word, quote, is_word = "", "", False
    length, number = len(line), -1
    while (number := number + 1) < length:
        char = line[number]
        if quote:
            is_escape = char == "\\" and quote == '"' and line[number + 1 : number + 2] in ('"', "\\")
            number += is_escape
            if char == quote:
                quote = ""
            else:
                word += line[number] if is_escape else char
        elif char in "'\"":
            quote, is_word = char, True
        elif char == "\\":
            number += 1
            if line[number : number + 1] != "\n":
                word, is_word = word + line[number : number + 1], True
        elif char == "&" and (word.endswith((">", "<")) or line[number + 1 : number + 2] == ">"):
            word, is_word = word + char, True  # 2>&1, &>
        elif char in " \t\r;|&\n":
            if is_word:
                commands[-1].append(word)
            word, is_word = "", False
            if char in ";|&\n" and commands[-1]:
                commands.append([])
        else:
            word, is_word = word + char, True
    if is_word:
        commands[-1].append(word)
    return [words for words in commands if words]


def programs(line: str) -> list[str]:
    """Returns what the simple commands of a line are about, each as its program and what that does: `git push`, `pytest`.

    Without what only prepares: `cd`, `source`.
    """
    return list(dict.fromkeys([program(words) for words in simple_commands(line) if words[0] not in _SETUP]))


def program(words: Sequence[str]) -> str:
    """Returns what a simple command is about; where a program runs another, that one."""
    for runner in _RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            command = list(words[len(runner) :])
            while command and command[0].startswith("-"):
                command = command[1:]
            return program([command[0].rpartition("/")[2] or command[0], *command[1:]]) if command else words[0]
    name = words[0]
    plain = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if name == "git":
        return " ".join([name, *git_subcommand(words)[:1]])
    if name not in _WITH_SUBCOMMANDS and SUBCOMMANDS.isdisjoint(plain[:1]):
        return name
    if name in _SCRIPTED and plain[:1] == ["run"]:
        plain = plain[1:]
    return " ".join([name, *plain[:1]])


def git_subcommand(words: Sequence[str]) -> list[str]:
    """Returns what git is told to do and the words behind it, without options of git itself; empty for another program."""
    return _behind_options(words[1:], _GIT_VALUED) if words[:1] == ["git"] else []


def is_read_only(words: list[str]) -> bool:
    """Tells whether a simple command only looks."""
    if words[0] == "git":
        subcommand = git_subcommand(words)
        names = [word for word in subcommand if not word.startswith("-")]
        sets = not _GIT_SETTING.isdisjoint(subcommand[1:]) or (names[:1] == ["config"] and len(names) > 2)
        is_configured = not _GIT_CONFIGURED.isdisjoint(words[: len(words) - len(subcommand)])
        return not subcommand or (subcommand[0] in _GIT_READ_ONLY and not sets and not is_configured)
    if words[0] == "sed" and any(word.startswith("-i") or word == "--in-place" for word in words):
        return False
    return words[0] in _READ_ONLY or (len(words) == 2 and words[1] in ("--version", "--help", "-h", "-V"))


def changes_something(line: str) -> bool:
    """Tells whether a line of shell does more than look."""
    return any(not is_read_only(words) and words[0] not in _SETUP for words in simple_commands(line))


def prepares(line: str) -> bool:
    """Tells whether a line of shell changes the shell for what comes after: sets a variable, sources a file."""
    return any(words[0] in _PREPARES for words in simple_commands(line))


def kind_of_check(name: str) -> str:
    """Returns what a program checks: @test, @lint, @types; "" for others."""
    words = name.replace(":", " ").replace("-", " ").replace(".", " ").split()
    return next((kind for kind, names in _KINDS_OF_CHECK.items() if not names.isdisjoint(words)), "")


def instead_of(name: str) -> str:
    """Returns the name under which the commands are kept that were run in place of a missing program."""
    return f"instead of {name}"


def canonical(words: Sequence[str]) -> str:
    """Returns a simple command with its options last, in an order of their own, and a space behind each word."""
    plain, options = _parted(words)
    return "".join([f"{word} " for word in (*plain, *options)])


def _parted(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns (the words that are no options, the options in an order of their own)."""
    options = sorted([_sorted_letters(word) for word in words if word.startswith("-")])
    return [word for word in words if not word.startswith("-")], options


def _sorted_letters(option: str) -> str:
    """Returns short options that stand in one word, such as -rf, in the order of their letters."""
    is_short = len(option) <= _TOGETHER and option[1:].isalpha() and not option.startswith("--")
    return "-" + "".join(sorted(option[1:])) if is_short else option


def pattern(text: str) -> str:
    """Returns the glob of the commands that begin with the words of a pattern and have its options anywhere."""
    plain, options = _parted(text.split())
    return "".join([f"{word} " for word in plain]) + "*" + "".join([f"{option} *" for option in options])


def is_bare(line: str, name: str) -> bool:
    """Tells whether a line runs a program by its name alone, with nothing that prepares the shell or another program for it."""
    commands = words_by_operator(line[:LONGEST])
    is_prepared = any(words[0] in _PREPARES or words[0].startswith("PATH=") for words in commands)
    base = name.partition(" ")[0]
    return not is_prepared and any(words[0] == base for words in commands)


def brings_code(line: str) -> bool:
    """Tells whether a line may run what somebody else's host hands out: it fetches from one, or runs what a pipe brings.

    Said of too many lines rather than of too few.
    """
    line = line[:LONGEST]
    receivers = [words for piece in line.replace("||", ";").split("|")[1:] for words in simple_commands(piece)[:1]]
    if any(not is_read_only(words) and not RUNS_INPUT.isdisjoint(map(_base, words)) for words in receivers):
        return True
    return any(_is_foreign(words) for words in (*simple_commands(line), *simple_commands(line.translate(NESTED))))


def _is_foreign(words: Sequence[str]) -> bool:
    """Tells whether a simple command names an address on somebody else's host, with or, for what fetches, without a scheme."""
    fetches = _base(words[0]).lower() in FETCHES
    addresses = [word for word in words[1:] if _ADDRESS in word or word.startswith(_FOREIGN)]
    addresses = addresses or [word for word in words[1:] if fetches and not word.startswith("-") and ("." in word or "$" in word)]
    return any(_host(word) not in _OWN_HOSTS for word in addresses)


def _base(word: str) -> str:
    return word.rpartition("/")[2]


def _host(address: str) -> str:
    """Returns the host that an address names, with or without its scheme."""
    authority = address.rpartition(_ADDRESS)[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
    return authority.rpartition(":")[0] if authority.rpartition(":")[2].isdigit() else authority


def without_output_filters(line: str) -> str:
    """Returns a line without what only shortens or redirects its output."""
    text = " ".join(line.split())
    while True:
        head, mark, tail = text.rpartition("|")
        if mark and not head.endswith("|") and not set(tail) & set("'\"&;") and tail.split()[:1] and is_read_only(tail.split()):
            text = head.rstrip()
        elif text.endswith(("2>&1", "2>/dev/null", ">/dev/null")):
            text = text.rpartition(" ")[0]
        else:
            return text


def without_message(line: str) -> str:
    """Returns a line with … for what `-m` quotes: a commit's message says nothing of how to commit."""
    head, mark, behind = line.partition(" -m ")
    quote = behind[:1]
    if not mark or quote not in ("'", '"'):
        return line
    end = behind.find(quote, 1)
    is_nested = behind.startswith('"$(')  # "$(cat <<'EOF' … EOF )"
    return f"{head}{mark}{quote}…{quote}{behind[end + 1 :] if end > 0 and not is_nested else ''}"
