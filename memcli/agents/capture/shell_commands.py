"""What a shell command was worth: how tests and builds ended, what was committed, which files were only looked at."""

from __future__ import annotations

from memcli.agents.capture import payloads
from memcli.agents.capture.findings import TITLE, Finding, asked_for, clipped, first_line, served, titled
from memcli.records import Record
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.agents.capture.payloads import Event

COMMITTED = "Committed: "  # how the title of a commit begins
_LOOKS = frozenset(
    """ls cat head tail less more grep egrep rg ag find fd tree pwd wc which type stat file du df env printenv date whoami echo
    printf true cd sort uniq cut awk jq diff cmp sed nl bat realpath readlink basename dirname sleep ps""".split()
)
_READS_FILES = frozenset("cat head tail less more bat nl wc sed".split())
_GIT_LOOKS = frozenset("status log diff show branch remote rev-parse blame ls-files describe reflog config fetch".split())
_COMMIT_FLAGS = "aeinopqsvz"  # of git commit, short and without a value: they may stand before the m of a message
_CHECKS = (  # what tests, builds and linters are called; the words stand at the beginning of a command
    *("pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "ctest", "bats", "make", "ninja"),
    *("tsc", "mypy", "ruff", "flake8", "pylint", "eslint", "prettier", "pyright", "gradle", "mvn", "bazel", "swift test"),
    *("go test", "go build", "go vet", "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo nextest"),
    *("npm test", "npm run", "npm t", "yarn test", "yarn build", "yarn lint", "yarn run", "pnpm test", "pnpm run", "pnpm build"),
    *("bun test", "bun run", "deno test", "dotnet test", "dotnet build", "mix test", "rake", "docker build", "cmake --build"),
    *("python -m pytest", "python -m unittest", "python3 -m pytest", "python3 -m unittest", "uv run pytest", "poetry run pytest"),
    *("npx jest", "npx vitest", "npx tsc", "npx eslint", "rails test", "zig test", "zig build", "hatch test", "gradlew", "mvnw"),
)
_PASSED = (" passed", "test result: ok", "all checks passed", "build successful", "build succeeded", "tests passed", "success")
_FAILED = (
    " failed",
    "failures=",
    "errors=",
    "test result: failed",
    "build failed",
    "--- fail",
    "error:",
    "npm err!",
    "not clean",
)
_ENVIRONMENT = ("env", "sudo", "time", "nice", "timeout", "exec", "command", "nohup")


class Patched(Record):
    """One file of a patch: its path, the lines that went and those that came."""

    path: str
    old: str
    new: str


def of_input(given: dict[str, Any]) -> str:
    """Returns the command that a shell tool was called with; Codex gives the words of a command one by one."""
    command = next((given[name] for name in ("command", "cmd", "script") if given.get(name)), "")
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        return words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return command if isinstance(command, str) else ""


def patch_in(text: str) -> list[Patched]:
    """Returns the files that a patch in Codex's form changes, wherever in the text it stands; nothing for other texts."""
    _, mark, body = text.partition("*** Begin Patch")
    if not mark:
        return []
    found: list[Patched] = []
    path, old, new = "", [""], [""]
    for line in [*body.partition("*** End Patch")[0].splitlines()[:5_000], "*** Update File: "]:
        for head in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
            if line.startswith(head):
                if path:
                    found.append(Patched(path, "\n".join(old[1:]), "\n".join(new[1:])))
                path, old, new = line[len(head) :].strip(), [""], [""]
        if line.startswith("*** Move to: "):
            path = line.partition(": ")[2].strip()
        if line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
    return found


def of_command(event: Event, command: str, goal: str, root: str) -> Finding:
    """Returns what a command is worth."""
    parts = simple(command)
    if event.interrupted:
        shown = f"`{clipped(oneline(command), 100)}` was interrupted"
        return Finding("run", "discovery", clipped(shown, TITLE), served(goal), (shown,))
    if parts and all(_only_looks(words) for words in parts) and not event.failed:
        given = [word for words in parts if words[0] in _READS_FILES for word in words[1:] if not word.startswith("-")]
        files = [path for one in given if (path := _file(one, event.cwd, root))]
        return Finding("", "", "", "", read=tuple(dict.fromkeys(files)))
    committed = next((message for words in parts if (message := _commit_message(words))), "")
    if committed and not event.failed:
        kind = asked_for(committed)
        title = clipped(oneline(committed), TITLE)
        return Finding(f"commit:{title}", kind, clipped(f"{COMMITTED}{title}", TITLE), served(goal), (), ("what-changed",))
    check = next((" ".join(words) for words in parts if is_check(words)), "")
    if check:
        return _outcome(event, check, goal)
    shown = f"`{clipped(oneline(command), 100)}`"
    said = first_line(event.result)
    if event.failed:
        fact, tags, title = f"{shown} failed: {said}", ("gotcha",), f"{shown} failed"
        return Finding("run", "discovery", titled(title, said), served(goal), (fact,), tags)
    fact = f"ran {shown}" + (f": {said}" if said else "")
    return Finding("run", "change", titled(f"Ran {shown}", said), served(goal), (fact,), ("what-changed",))


def simple(command: str) -> list[list[str]]:
    """Returns the simple commands of a line of shell, each as its words, without redirections, variables and wrappers.

    A rough reading: quotes are kept together, everything else that a shell does is not done.
    """
    words: list[list[str]] = [[]]
    for token in _tokens(command[:4_000]):
        if token in ("&&", "||", ";", "|", "&", "\n"):
            words.append([])
        else:
            words[-1].append(token)
    found = []
    for part in words:
        while part and (part[0] in _ENVIRONMENT or ("=" in part[0] and part[0].partition("=")[0].isidentifier())):
            part = part[2:] if part[0] == "timeout" else part[1:]
        part = [word for word in part if not word.lstrip("12&").startswith((">", "<"))]
        if part:
            found.append([part[0].rpartition("/")[2] or part[0], *part[1:]])
    return found


def _tokens(line: str) -> list[str]:
    found, word, quote, place = [], "", "", 0
    started = False
    while place < len(line):
        char = line[place]
        pair = line[place : place + 2]
        if quote:
            if char == quote:
                quote = ""
            elif char == "\\" and quote == '"':
                place += 1
                word += line[place : place + 1]
            else:
                word += char
        elif char in "'\"":
            quote, started = char, True
        elif char == "&" and word.endswith(">"):  # 2>&1
            word += char
        elif pair in ("&&", "||") or char in ";|&\n" or char.isspace():
            if word or started:
                found.append(word)
            word, started = "", False
            operator = pair if pair in ("&&", "||") else char if char in ";|&\n" else ""
            found += [operator] if operator else []
            place += len(operator) - 1 if operator else 0
        else:
            word += char
        place += 1
    return [*found, word] if word or started else found


def is_check(words: list[str]) -> bool:
    """Tells whether a command is a test, a build or a linter."""
    line = " ".join(words).lower()
    named = any(line == name or line.startswith(name + " ") for name in _CHECKS)
    script = words[0].rpartition(".")[0] or words[0]
    return named or script in ("test", "tests", "check", "build", "lint", "runtests", "run_tests", "run-tests")


def _only_looks(words: list[str]) -> bool:
    if words[0] == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return not rest or rest[0] in _GIT_LOOKS
    if words[0] == "sed" and any(word.startswith("-i") or word == "--in-place" for word in words):
        return False
    return words[0] in _LOOKS or (len(words) == 2 and words[1] in ("--version", "--help", "-h", "-V"))


def _file(word: str, cwd: str, root: str) -> str | None:
    """Returns a word as a path from the top of the tree where a file is there."""
    import os

    path = payloads.relative(word, cwd, root)
    return path if path and os.path.isfile(os.path.join(root, path)) else None


def _commit_message(words: list[str]) -> str:
    """Returns the first line of the message that a command commits with, empty for every other command."""
    if words[0] != "git" or "commit" not in words:
        return ""
    given = words[words.index("commit") + 1 :]
    for word, after in zip(given, [*given[1:], ""]):
        if word.startswith("--message="):
            return _first(word.partition("=")[2])
        flags, is_message, attached = word[1:].partition("m")
        short = word.startswith("-") and is_message and not flags.strip(_COMMIT_FLAGS)
        if (short and (attached or after)) or (word == "--message" and after):
            return _first(attached if short and attached else after)
    return "committed"


def _first(message: str) -> str:
    """Returns the first line of a message, out of the here-document that it may be in."""
    lines = [line.strip() for line in message.splitlines()]
    return next((line for line in lines if line and not line.startswith(("$(cat", "EOF", ")", "`"))), "committed")


def _outcome(event: Event, check: str, goal: str) -> Finding:
    """Returns how a test or build ended: by its exit code, else by the words of its output."""
    ended, line = ended_how(event)
    shown = f"`{clipped(oneline(check), 80)}`"
    fact = f"{shown} {ended}" + (f": {line}" if line else "")
    tags = ("gotcha",) if ended == "failed" else ("what-changed",)
    title = titled(f"{shown} {ended}", line)
    return Finding("run", "discovery", title, served(goal), (fact,), tags, joins_edit=True)


def ended_how(event: Event) -> tuple[str, str]:
    """Returns (passed, failed or ran; the line of the output that says so)."""
    lines = [oneline(line.strip("= \t")) for line in event.result.splitlines() if line.strip("= -\t")]
    last = lines[::-1]
    bad = next(
        (line for line in last if any(word in f" {line.lower()}" for word in _FAILED) and " 0 failed" not in f" {line.lower()}"),
        "",
    )
    good = next((line for line in last if any(word in f" {line.lower()}" for word in _PASSED)), "")
    if event.failed or (event.code is None and bad):
        return "failed", clipped(bad or (last[0] if last else ""), 200)
    if event.code == 0 or good:
        return "passed", clipped(good or (last[0] if last else ""), 200)
    return "ran", clipped(last[0] if last else "", 200)
