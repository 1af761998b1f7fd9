"""What is worth storing of a shell command: how tests and builds ended, what was committed, which files were only read."""

from __future__ import annotations

import os
import re
from typing import Any

from memcli.agents.capture import here_documents, payloads
from memcli.agents.capture.findings import (
    EDIT_TITLE,
    TITLE,
    Finding,
    change_kind,
    clipped,
    first_line,
    purpose,
    quoted,
    title_with_output,
)
from memcli.agents.capture.payloads import CapturedEvent
from memcli.records import Record, replace
from memcli.text import runners, shell
from memcli.text.terminal import oneline

COMMITTED = "Committed: "  # how the title of a commit begins
WORK_TITLES = (EDIT_TITLE, COMMITTED)  # how observations of changes begin
_READS_FILES = frozenset("cat head tail less more bat nl wc sed".split())
_COMMIT_FLAGS = "aeinopqsvz"  # of git commit, short and without a value: they may stand before the m of a message
_MAKES_COMMITS = ("revert", "cherry-pick")  # what git is told that makes a commit with the message of another
_NO_COMMIT = frozenset(("-n", "--no-commit", "--abort", "--quit", "--skip"))  # unless it is told so
_COMMIT_REPORT = re.compile(r"^\[[^\]\n]* [0-9a-f]{7,}\] (.+)$", re.MULTILINE)  # how git tells of a commit
_CHECKS = (  # what tests, builds and linters are called; the words stand at the beginning of a command
    *("pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "ctest", "bats", "make", "ninja"),
    *("tsc", "mypy", "ruff", "flake8", "pylint", "eslint", "prettier", "pyright", "gradle", "mvn", "bazel", "swift test"),
    *("go test", "go build", "go vet", "cargo test", "cargo build", "cargo check", "cargo clippy", "cargo nextest"),
    *("npm test", "npm run", "npm t", "yarn test", "yarn build", "yarn lint", "yarn run", "pnpm test", "pnpm run", "pnpm build"),
    *("bun test", "bun run", "deno test", "dotnet test", "dotnet build", "mix test", "rake", "docker build", "cmake --build"),
    *("python -m pytest", "python -m unittest", "python3 -m pytest", "python3 -m unittest", "uv run pytest", "poetry run pytest"),
    *("npx jest", "npx vitest", "npx tsc", "npx eslint", "rails test", "zig test", "zig build", "hatch test", "gradlew", "mvnw"),
)
_PASSED = re.compile(  # how the output of a check says that it passed
    r"\bpassed\b|\btest result: ok\b|success|\bbuild succeeded\b|^ok\s+\S+\s+(\(cached\)|[\d.]+m?s)|^ok( \(.*\))?$|"
    r"^\d+ passing\b|"
    r"\b0 (failures|errors|failed|problems|warnings|offenses)\b|\bno (issues|errors|problems|offenses|warnings)( were)? "
    r"(found|detected)\b|^finished `?(dev|release|test|bench|profile)|\bbuilt in [\d.]+m?s|^# fail 0$|\btests? succeeded\b"
)
_FAILED = re.compile(
    r"(^| )failed|\bfailures=|\berrors=|test result: failed|build failed|--- fail|^fail\b|error:|npm err!|not clean|"
    r"\b[1-9]\d* (failing|failures?|errors?)\b"
)
_SILENT = ("go vet", "go build", "tsc", "npx tsc", "eslint", "npx eslint", "flake8")  # checks that print only what is wrong
_NO_FAILURES = re.compile(r"\b0 (failed|failures?|errors?)\b|\b(failed|failures|errors)[:=] ?0\b|\bno (failures|errors)\b")


class PatchedFile(Record):
    """One file of a patch: its path, the removed and the added lines."""

    path: str
    old: str
    new: str


def command_of(arguments: dict[str, Any]) -> str:
    """Returns the command of a shell tool's call. Codex sends the words of a command as a list."""
    command = next((arguments[name] for name in ("command", "cmd", "script") if arguments.get(name)), "")
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        return words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    return command if isinstance(command, str) else ""


def parse_patch(text: str) -> list[PatchedFile]:
    """Returns the files that a patch in Codex's format changes, anywhere in a text; none for other texts."""
    _, mark, body = text.partition("*** Begin Patch")
    if not mark:
        return []
    files: list[PatchedFile] = []
    path, old, new = "", [""], [""]
    for line in [*body.partition("*** End Patch")[0].splitlines()[:5_000], "*** Update File: "]:
        for head in ("*** Update File: ", "*** Add File: ", "*** Delete File: "):
            if line.startswith(head):
                if path:
                    files.append(PatchedFile(path, "\n".join(old[1:]), "\n".join(new[1:])))
                path, old, new = line[len(head) :].strip(), [""], [""]
        if line.startswith("*** Move to: "):
            path = line.partition(": ")[2].strip()
        if line.startswith("-"):
            old.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
    return files


def of_command(event: CapturedEvent, command: str, goal: str, root: str) -> Finding:
    """Returns the finding of a command."""
    commands = shell.simple_commands(command)
    exposed = _exposures(command, event.cwd, root)
    if event.interrupted:
        label = f"`{clipped(oneline(command), 100)}` was interrupted"
        return Finding("run", "discovery", clipped(label, TITLE), purpose(goal), (label,), exposed)
    if commands and all(shell.is_read_only(words) for words in commands) and not (event.failed or exposed):
        arguments = [word for words in commands if words[0] in _READS_FILES for word in words[1:] if not word.startswith("-")]
        files = [path for word in arguments if (path := _path_in_tree(word, event.cwd, root))]
        return Finding("", "", "", "", read=tuple(dict.fromkeys(files)))
    committed = next((message for words in commands if (message := _commit_subject(words, event.result))), "")
    if committed and not event.failed:
        kind = change_kind(committed)
        title, tags = clipped(oneline(committed), TITLE), ("what-changed", *exposed)
        return Finding(f"commit:{title}", kind, clipped(f"{COMMITTED}{title}", TITLE), purpose(goal), (), tags)
    check = next((" ".join(words) for words in commands if is_check(words)), "")
    if check:
        finding = _check_finding(event, check, goal)
        return replace(finding, tags=(*finding.tags, *exposed))
    label = f"`{clipped(oneline(command), 100)}`"
    output = first_line(event.result)
    if event.failed:
        fact, tags, title = f"{label} failed{quoted(output)}", ("gotcha", *exposed), f"{label} failed"
        return Finding("run", "discovery", title_with_output(title, output), purpose(goal), (fact,), tags)
    fact, tags = f"ran {label}{quoted(output)}", ("what-changed", *exposed)
    return Finding("run", "change", title_with_output(f"Ran {label}", output), purpose(goal), (fact,), tags)


def _exposures(command: str, cwd: str, root: str) -> tuple[str, ...]:
    """Returns the tags for a command that brings in text by strangers: a page, or the output of an unknown program."""
    line = here_documents.without_documents(command)
    commands = [inner for words in shell.simple_commands(line) for inner in _within(words)]
    programs = {words[0] for words in commands}
    scripts = _scripts(line, cwd, root)

    def is_known(words: list[str]) -> bool:
        is_quiet = words[0] in scripts or shell.is_read_only(words) or is_check(words) or runners.is_common(words, command)
        return is_quiet or runners.is_own(words, lambda word: _path_in_tree(word, cwd, root))

    unknown = {words[0] for words in commands if not is_known(words)}
    unknown |= {"git" for words in commands if _brings_commits(words)}
    return (*(["foreign-page"] if programs & shell.FETCHES else []), *(["unknown-program"] if unknown - shell.FETCHES else []))


def _within(words: list[str]) -> list[list[str]]:
    """Returns the commands in the argument of `bash -c "..."`; any other command unchanged."""
    has_line = words[0] in ("sh", "bash", "zsh") and len(words) > 2 and words[1] in ("-c", "-lc", "-ec")
    return (shell.simple_commands(words[2]) if has_line else []) or [words]


def _scripts(line: str, cwd: str, root: str) -> set[str]:
    """Returns the names of the programs of a command line that are files of the repository: `./deploy.sh`, `.venv/bin/app`."""
    paths = [word for words in shell.words_by_operator(line[: shell.LONGEST]) for word in words if "/" in word]
    return {path.rpartition("/")[2] for path in paths if _path_in_tree(path, cwd, root)}


def _brings_commits(words: list[str]) -> bool:
    """Tells whether a command brings in an outsider's work: a clone, a patch, a branch by its address.

    What comes from a named remote, as with `git pull origin`, is by people who work on the repository.
    """
    names = [word for word in shell.git_subcommand(words) if not word.startswith("-")]
    if names[:1] in (["clone"], ["am"], ["apply"]) or names[:2] == ["submodule", "add"]:
        return True
    return names[:1] in (["fetch"], ["pull"]) and any(
        "://" in word or "@" in word or word.startswith("pull/") for word in names[1:]
    )


def is_check(words: list[str]) -> bool:
    """Tells whether a command is a test, a build or a linter."""
    lines = (" ".join(words).lower(), shell.program(words).lower())  # `npx mocha` is about mocha
    is_known = any(line == name or line.startswith(name + " ") for line in lines for name in _CHECKS)
    script = words[0].rpartition(".")[0] or words[0]
    return is_known or script in ("test", "tests", "check", "build", "lint", "runtests", "run_tests", "run-tests")


def _path_in_tree(word: str, cwd: str, root: str) -> str | None:
    """Returns a word as a path relative to the tree's root if there is such a file."""
    path = payloads.relative(word, cwd, root)
    return path if path and os.path.isfile(os.path.join(root, path)) else None


def _commit_subject(words: list[str], output: str) -> str:
    """Returns the subject of the commit that a command made, as typed or else as git printed it; "" for other commands."""
    command, *arguments = shell.git_subcommand(words) or [""]
    typed = ""
    if command == "commit" and "--dry-run" not in arguments:
        typed = _typed_subject(arguments)
    elif command not in _MAKES_COMMITS or not _NO_COMMIT.isdisjoint(arguments):
        return ""
    report = _COMMIT_REPORT.search(output)
    return typed or (oneline(report[1]) if report else "")


def _typed_subject(arguments: list[str]) -> str:
    """Returns the first line of the message in the arguments of `git commit`, or ""."""
    for word, next_word in zip(arguments, [*arguments[1:], ""]):
        if word.startswith("--message="):
            return _first_line(word.partition("=")[2])
        flags, is_message, attached = word[1:].partition("m")
        short = word.startswith("-") and is_message and not flags.strip(_COMMIT_FLAGS)
        if (short and (attached or next_word)) or (word == "--message" and next_word):
            return _first_line(attached if short and attached else next_word)
    return ""


def _first_line(message: str) -> str:
    """Returns the first line of a message, which may be in a here-document; "" if it is not in the command."""
    lines = [line.strip() for line in message.splitlines()]
    return next((line for line in lines if line and not line.startswith(("$(cat", "EOF", ")", "`"))), "")


def _check_finding(event: CapturedEvent, check: str, goal: str) -> Finding:
    """Returns how a test or build ended, by its exit code or else the words of its output."""
    outcome, line = check_outcome(event)
    if outcome == "ran" and not event.result.strip() and check.startswith(_SILENT):
        outcome = "passed"
    label = f"`{clipped(oneline(check), 80)}`"
    fact = f"{label} {outcome}{quoted(line)}"
    tags = ("gotcha",) if outcome == "failed" else ("what-changed",)
    title = title_with_output(f"{label} {outcome}", line)
    return Finding("run", "discovery", title, purpose(goal), (fact,), tags, joins_edit=True)


def check_outcome(event: CapturedEvent) -> tuple[str, str]:
    """Returns (passed, failed or ran; the line of the output that says so)."""
    lines = [oneline(line.strip("= \t")) for line in event.result.splitlines() if line.strip("= -\t")]
    latest = lines[::-1]
    failed = [line for line in latest if _FAILED.search(_NO_FAILURES.sub("", line.lower()))]
    passed = [line for line in latest if _PASSED.search(line.lower())]
    if event.failed or (event.code is None and failed):
        return "failed", clipped(next(iter(failed + latest), ""), 200)
    if event.code == 0 or passed:
        return "passed", clipped(next(iter(passed + latest), ""), 200)
    return "ran", clipped(next(iter(latest), ""), 200)
