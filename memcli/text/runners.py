"""Package managers and task runners: their other names, and when they run only what the repository declares.

What a repository declares (its scripts, its tests, its locked dependencies) is as good as the repository. A package that
a command names, an address, or an image comes from whoever published it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Names of programs, by the words that they stand for.
_PROGRAMS = {
    ("pip3",): ("pip",),
    ("python", "-m", "pip"): ("pip",),
    ("python3", "-m", "pip"): ("pip",),
    ("py", "-m", "pip"): ("pip",),
    ("docker-compose",): ("docker", "compose"),
    ("apt-get",): ("apt",),
    ("npx",): ("npm", "exec"),
    ("pnpx",): ("pnpm", "dlx"),
    ("bunx",): ("bun", "x"),
    ("uvx",): ("uv", "tool", "run"),
    ("pipx", "run"): ("uv", "tool", "run"),
    ("gmake",): ("make",),
    ("nodejs",): ("node",),
    ("python3",): ("python",),
}
# Names of subcommands, by the one that the documentation of the program uses.
_SUBCOMMANDS = {
    "npm": {
        **dict.fromkeys(("i", "in", "ins", "inst", "insta", "instal", "isnt", "isnta", "isntal", "add"), "install"),
        **dict.fromkeys(("rm", "r", "un", "remove", "unlink"), "uninstall"),
        **dict.fromkeys(("up", "upgrade", "udpate"), "update"),
        "t": "test",
        "tst": "test",
        "run-script": "run",
        "rum": "run",
        "x": "exec",
        "clean-install": "ci",
        "ic": "ci",
    },
    "pnpm": {
        "i": "install",
        "rm": "remove",
        "un": "remove",
        "uninstall": "remove",
        "up": "update",
        "upgrade": "update",
        "t": "test",
    },
    "bun": {"i": "install", "a": "add", "rm": "remove"},
    "yarn": {"up": "upgrade"},
    "cargo": {"b": "build", "c": "check", "t": "test", "r": "run", "d": "doc", "rm": "remove"},
    "bundle": {"i": "install"},
    "composer": {"i": "install", "u": "update", "r": "require"},
    "gem": {"i": "install"},
    "brew": {"rm": "uninstall", "remove": "uninstall"},
    "helm": {"del": "uninstall", "delete": "uninstall", "un": "uninstall"},
    "conda": {"uninstall": "remove"},
}
# Options, by the one that is written most.
_OPTIONS = {
    ("git", "push"): {"-f": "--force", "-d": "--delete"},
    ("git", "commit"): {"-n": "--no-verify", "-a": "--all"},
    ("npm", "install"): {"--global": "-g", "-D": "--save-dev"},
    ("rm",): {"-R": "-r", "--recursive": "-r", "--force": "-f"},
}
# What each does with what the repository declares.
_DECLARED = {
    "npm": "run test start stop restart ci prune rebuild dedupe ls list pack version exec",
    "pnpm": "run test start exec prune rebuild ls list build lint dev",
    "yarn": "run test start exec build lint dev workspace workspaces",
    "bun": "run test build",
    "deno": "test check lint fmt task",
    "uv": "run sync lock build venv tree export",
    "poetry": "run lock build check shell",
    "pdm": "run lock build sync",
    "hatch": "run build test fmt shell",
    "pipenv": "run lock sync shell",
    "pip": "list freeze check uninstall",
    "cargo": "build test run check clippy fmt bench doc nextest clean tree",
    "go": "build test vet fmt generate run mod clean list tool env install",
    "docker": "build compose exec logs ps images stop start restart rm rmi inspect kill buildx",
    "podman": "build compose exec logs ps images stop start restart rm rmi inspect kill",
    "dotnet": "build test run restore format publish clean",
    "gh": "run workflow auth secret variable config cache",
    "brew": "list services config doctor",
    "bundle": "exec check",
    "composer": "run run-script test dump-autoload validate",
    "mix": "compile test format credo dialyzer deps.get ecto.migrate phx.server run",
}
_INSTALL = {  # what installs what is declared where no package is named
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "bundle", "composer", "poetry", "pdm", "pipenv", "pip"), "install"),
}
# Programs that do nothing but what a file of the repository says, or what they find in its files.
_OF_REPOSITORY = frozenset(
    """make just task ninja cmake meson bazel gradle gradlew mvn mvnw ant sbt rake tox nox pre-commit ctest
    black isort gofmt goimports rustfmt clang-format shfmt shellcheck golangci-lint staticcheck hadolint yamllint
    gcc g++ cc c++ clang clang++ rustc javac tsc""".split()
)
# Programs that a development machine has: they tell of it, or work on the files that they are given.
_OF_MACHINE = frozenset(
    """git mem bd sed mkdir mv cp rm rmdir touch chmod chown ln tar gzip gunzip bzip2 xz zstd zip unzip dd install mktemp patch
    tee xargs tr rev tac paste join comm fold column fmt split csplit strings od xxd hexdump base64 expr seq yes md5sum shasum
    sha1sum sha256sum cksum export set source kill pkill killall pgrep jobs wait read let local declare shift trap return exit
    ulimit umask history hash clear reset tput stty tty alias unalias nproc free uptime top htop vmstat iostat lsof ss netstat
    uname hostname id groups users who lscpu lsblk mount umount sync getconf sysctl sw_vers locale crontab systemctl launchctl
    ldd nm objdump readelf size otool strip ar ranlib ld gdb lldb strace ltrace valgrind perf hyperfine tmux screen watch
    pbcopy pbpaste xclip xsel open xdg-open code vim vi nvim nano emacs man nvm pyenv rbenv asdf mise rustup fnm volta
    ssh-keygen ssh-add gpg openssl protoc buf sqlc java kotlinc scala scalac ghc cabal stack dune ocaml ocamlfind swiftc elixir
    elixirc iex erlc rebar3 lein luac nasm yasm gfortran nvcc zig nim crystal flutter dart tsx ts-node deno
    ruff mypy pyright flake8 pylint bandit vulture autopep8 autoflake pyupgrade codespell typos coverage eslint prettier biome
    stylelint standard rubocop phpstan psalm phpcs ktlint detekt swiftlint swiftformat checkstyle cppcheck clang-tidy
    markdownlint vale actionlint taplo buildifier tflint ansible-lint alembic flask django-admin rails uvicorn gunicorn
    sqlite3 plutil defaults
    jupyter sphinx-build mkdocs hugo jekyll vite webpack rollup esbuild parcel next nuxt astro babel turbo nx lerna""".split()
)
# What adds a package that is named.
_ADDS_PACKAGE = {
    **dict.fromkeys(("npm", "pip", "pipenv", "gem", "conda", "mamba"), "install"),
    **dict.fromkeys(("pnpm", "yarn", "bun", "uv", "poetry", "pdm", "rye", "pixi", "cargo", "bundle", "deno"), "add"),
    "go": "get",
    "composer": "require",
    "dotnet": "add",
    "nuget": "install",
}
# Programs that run the tasks that are named behind them, and by which word behind their names others do.
_RUN_TASKS = frozenset(
    "make just task mage invoke inv nox tox rake gradle gradlew mvn mvnw poe pnpm yarn ant sbt nx doit".split()
)
_RUN_TASKS_BY = {
    **dict.fromkeys("npm bun uv poetry pdm hatch pipenv rye pixi turbo moon mise lerna composer".split(), ("run",)),
    "cargo": ("xtask", "make"),
    "deno": ("task",),
    "bazel": ("test",),
}
_CHECKS_OF_ALL = frozenset("check checks ci verify validate qa precommit preflight presubmit unit spec specs".split())
_EXTENTS = frozenset("all full local quick fast".split())  # of such a check
_INTERPRETERS = frozenset("python node ruby perl php bash sh zsh lua Rscript julia".split())
_SHELLS = ("sh", "bash", "zsh")
_WRITTEN = frozenset(("-c", "-e", "-r", "-E"))  # options before a program that stands in the line
_REACHING = (  # how a program that stands in a line reaches others, or runs another
    *("://", "urllib", "requests", "httpx", "aiohttp", "http.client", "socket", "fetch(", "axios", "https", "net/http", "LWP"),
    *("subprocess", "os.system", "popen", "exec(", "execSync", "spawn", "child_process", "system(", "`", "curl", "wget"),
)
_FOREIGN = ("git+", "git@", "github:", "gitlab:", "bitbucket:", "gist:", "npm:")
_WITH_PACKAGE = ("--with", "--from", "--package", "-p")  # options of runners that name a package
_WITH_FOLDER = ("--prefix", "--dir", "--cwd", "--directory", "--workspace", "--filter", "--project", "-C", "-w", "-F")
_WITH_FILE = ("-r", "--requirement", "-c", "--constraint", "-e", "--editable")


def normal(words: Sequence[str]) -> list[str]:
    """Returns a simple command by the names that documentation uses: `npm i` as `npm install`, `git push -f` as `… --force`."""
    result = list(words)
    for length in (3, 2, 1):
        if name := _PROGRAMS.get(tuple(result[:length])):
            result[:length] = name
            break
    at = next((number for number, word in enumerate(result[1:], 1) if not word.startswith("-")), 0)  # of the subcommand
    if at:
        result[at] = _SUBCOMMANDS.get(result[0], {}).get(result[at], result[at])
    options = _OPTIONS.get((result[0], result[at]) if at else (), _OPTIONS.get((result[0],), {})) if result else {}
    return [options.get(word, word) for word in result]


def is_common(words: Sequence[str], text: str) -> bool:
    """Tells whether a simple command is of those that a development machine has, or runs what stands in its line, `text`.

    A program that the line itself brings is as good as who wrote the line, unless it reaches out of this machine.
    """
    name = normal(words)[0]
    if name not in _INTERPRETERS or name in _SHELLS:
        return name in _OF_MACHINE or (name in _SHELLS and "-n" in words)
    first = next((word for word in words[1:] if not word.startswith("-")), "")
    is_written = not _WRITTEN.isdisjoint(words) or ("<<" in text and (not first or f"> {first}" in text or f">{first}" in text))
    return is_written and not any(sign in text for sign in _REACHING)


def is_own(command: Sequence[str], is_file: Callable[[str], object]) -> bool:
    """Tells whether a simple command runs only what the repository has or declares. `is_file`: whether it has a path."""
    words = normal(command)
    plain = _plain(words[1:], _WITH_FOLDER)
    if any("://" in word or word.startswith(_FOREIGN) for word in words[1:]):
        return False
    if words[0] in _OF_REPOSITORY:
        return True
    if words[0] in _INTERPRETERS:
        return _runs_file(words[1:], is_file)
    subcommand, targets = plain[0] if plain else "", plain[1:]
    if words[:2] == ["uv", "pip"]:
        return is_own(words[1:], is_file)
    if subcommand == _INSTALL.get(words[0]) or (words[0] == "yarn" and not subcommand):
        return not _packages(words[1:], is_file)
    names_package = any(word.partition("=")[0] in _WITH_PACKAGE for word in words[1:])
    if subcommand not in _DECLARED.get(words[0], "").split() or names_package:
        return False
    if words[0] == "go" and subcommand in ("run", "install"):
        return all(word.startswith(".") or is_file(word) for word in targets[:1])
    return words[:2] != ["npm", "exec"] or "--no-install" in words or bool(targets and is_file(f"node_modules/.bin/{targets[0]}"))


def tasks(command: Sequence[str]) -> list[str]:
    """Returns the tasks that a simple command runs which the repository declares: targets, recipes, scripts; none for others."""
    name, *plain = [word for word in normal(command) if not word.startswith("-")] or [""]
    if name in _RUN_TASKS:
        return plain
    return tasks(plain[1:]) or plain[1:2] if plain and plain[0] in _RUN_TASKS_BY.get(name, ()) else []


def checks_all(command: Sequence[str]) -> bool:
    """Tells whether a simple command runs what a repository has all its checks in: `just check`, `make ci`, `./verify.sh`."""
    names = [task.replace(":", " ").replace("-", " ").split() for task in tasks(command)] or [[command[0].partition(".")[0]]]
    return any(set(words) - _EXTENTS and set(words) <= _CHECKS_OF_ALL | _EXTENTS for words in names)


def added_packages(command: Sequence[str]) -> list[str]:
    """Returns the packages that a simple command adds by their names; none where it installs what is declared."""
    words = normal(command)
    if words[:2] == ["uv", "pip"]:
        words = words[1:]
    subcommand = next((word for word in words[1:] if not word.startswith("-")), "")
    if subcommand != _ADDS_PACKAGE.get(words[0] if words else "") and not (words[:1] == ["pnpm"] and subcommand == "install"):
        return []
    return [word for word in _packages(words[1:], lambda _: False) if "/" not in word[:1]]


def is_package_manager(name: str) -> bool:
    """Tells whether a word is the name of a package manager."""
    return name in _ADDS_PACKAGE


def _runs_file(arguments: Sequence[str], is_file: Callable[[str], object]) -> bool:
    """Tells whether an interpreter runs a file, or a module, of the repository."""
    if arguments[:1] == ["-m"]:
        path = arguments[1].replace(".", "/") if arguments[1:] else ""
        return bool(path) and any(is_file(name) for name in (f"{path}.py", f"{path}/__main__.py", f"src/{path}/__main__.py"))
    first = next((word for word in arguments if not word.startswith("-") or word in ("-c", "-e")), "")
    return bool(first) and not first.startswith("-") and bool(is_file(first))


def _packages(arguments: Sequence[str], is_file: Callable[[str], object]) -> list[str]:
    """Returns the packages that an installation names; a folder and a file of requirements are the repository's."""
    targets = _plain(arguments, (*_WITH_FILE, *_WITH_FOLDER))[1:]
    return [word for word in targets if not (word.startswith(".") or is_file(word))]


def _plain(arguments: Sequence[str], with_value: Sequence[str]) -> list[str]:
    """Returns the words that are neither an option nor the value of one."""
    pairs = zip(("", *arguments), arguments)
    return [word for before, word in pairs if not word.startswith("-") and before not in with_value]
