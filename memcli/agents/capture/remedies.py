"""What made a failing command pass, so that a later session with the same error is told right away.

A command that fails is kept with the lines that say why. What the session does next is noted, until a command passes that proves
it: one that runs the same programs over the same tests. Then the remedy is what was done in between, or what was changed in the
command itself. A remedy that runs code from a foreign host is told only to those who ask: it is a memory only. Failures that
are not solved within a while are dropped. Everything happens in the transaction that marks an event as done.
"""

from __future__ import annotations

from memcli.agents.capture import shell_commands, tool_rules
from memcli.agents.capture.findings import FACT, TITLE, Finding, clipped
from memcli.agents.capture.payloads import CapturedEvent
from memcli.project import Project
from memcli.store import failures
from memcli.store.failures import Failure
from memcli.text import json, runners, shell, signatures
from memcli.text.signatures import ErrorLine
from memcli.text.terminal import oneline

Step = tuple[str, str, str]  # (run or edit, the command or the file, what became of the file)

_GONE: Step = ("gone", "", "")  # the error did not come again, whatever came
_CALLS = 40  # tool calls within which a failure is solved, or is not
_OPEN = 6  # failures of a session that wait at a time
_STEPS = 12
_LONGEST = 400  # characters of a command that is kept
_FORM = 200  # characters of a command that is kept as one that works
_FILES = 4  # files from which on their edits were no fix, but the work itself
_LINES = 8  # of a failure that may name a program that is not there
_SHOWN = 2  # steps of a kind that are named
_MANNER = frozenset(
    "-v -vv -q -x -s -m -l -xvs -vx -xv -sv -vs --verbose --quiet --tb --color --stat".split()
)  # change no outcome
_CHECKING = ("--check", "--dry-run", "--diff", "--list", "--no-write")
# What has a program change things whose name says that it checks: `ruff format`, `eslint --fix`, `golangci-lint migrate`.
_CHANGING = frozenset("--fix --write --in-place --unsafe-fixes -w -a -A format fmt fix migrate init install update".split())
_ENVIRONMENT = ("not found", "no module", "permission denied", "not recognized", "failed to spawn", "connection refused")


def note(project: Project, event: CapturedEvent, session: str, prompt: str) -> list[Finding]:
    """Records what a tool call shows: a failure, a step towards its solution, or that something passes now.

    Returns the new fixes that it proves, except edits that make a test pass: such a test was written to fail first.
    """
    if event.interrupted:
        return []
    command = oneline(tool_rules.command_of(event))[:_LONGEST]
    path, change = tool_rules.edit_of(event, project.root)
    waiting = failures.unsolved(project.db, session)
    if path:
        _note_step(project, waiting, ("edit", path, change))
    elif command and shell.changes_something(command):
        lines = _error_lines(event, project.checkout.branch if project.checkout else None)
        if lines:
            _note_failure(project, waiting, lines, Failure(0, session, prompt, command, event.at, "[]", 0))
        elif _passed(event):
            return _note_passing(project, waiting, command, session, event.at)
    elif command and shell.prepares(command) and not event.failed:
        _note_step(project, waiting, ("run", shell.without_output_filters(command), ""))
    else:
        _note_step(project, waiting, None)
    return []


def _error_lines(event: CapturedEvent, branch: str | None) -> list[ErrorLine]:
    """Returns the lines of a command's output that say what went wrong, if anything did."""
    return signatures.of_output(event.result, event.failed, (branch,) if branch else ())


def _passed(event: CapturedEvent) -> bool:
    return not event.failed and shell_commands.check_outcome(event)[0] != "failed"


def _note_failure(project: Project, waiting: list[Failure], lines: list[ErrorLine], failure: Failure) -> None:
    """Stores a failure, replacing an open one with the same error: only what is done from now on can be its remedy."""
    signs = {(line.template, line.names) for line in lines}
    for old in waiting:
        if signs & failures.lines_of(project.db, old.n):
            failures.remove(project.db, old.n)
        elif _proves(project, old, failure.command):  # it fails of something else now
            _note_step(project, [old], _GONE)
    _note_step(project, failures.unsolved(project.db, failure.session), None)
    for old in failures.unsolved(project.db, failure.session)[: -_OPEN + 1]:
        failures.remove(project.db, old.n)  # the oldest make room
    failures.add(project.db, failure, lines)


def _note_step(project: Project, waiting: list[Failure], step: Step | None) -> None:
    """Records a step after some failures; None: a call that is no step, and is only counted."""
    for failure in waiting:
        if failure.calls >= _CALLS:
            failures.remove(project.db, failure.n)
        else:
            steps = [*_steps(failure), *([step] if step else [])]
            steps = steps if _GONE in steps else steps[-_STEPS:]
            failures.note_steps(project.db, failure.n, json.dumps(steps), failure.calls + 1)


def _steps(failure: Failure) -> list[Step]:
    return [(kind, subject, change) for kind, subject, change in json.loads(failure.steps)]


def _note_passing(project: Project, waiting: list[Failure], command: str, session: str, at: int) -> list[Finding]:
    """Records that a command passed: what it solves, and how its programs are run here. Returns the new fixes."""
    still_waiting, fixes = [], []
    for failure in waiting:
        if not _proves(project, failure, command):
            still_waiting.append(failure)
        elif (remedy := _remedy(failure, command)) is not None:
            fixes += _fix(project, failure, shell.without_output_filters(command), remedy)
            if _brings_code(failure, command):
                failures.remove(project.db, failure.n)  # the memory tells of it where somebody asks
            else:
                failures.solve(project.db, failure.n, shell.without_output_filters(command), remedy, at)
        else:
            failures.remove(project.db, failure.n)  # it passed by itself: nothing is learnt from that
    _note_step(project, still_waiting, ("run", shell.without_output_filters(command), ""))
    if len(command) <= _FORM and not shell.brings_code(command):
        _note_forms(project, shell.without_output_filters(command), session, at)
        for missing in _missing_checks(project, still_waiting):
            if any(_replaces(words, missing) for words in shell.simple_commands(command)):
                failures.note_working(project.db, shell.instead_of(missing), shell.without_output_filters(command), session, at)
    return fixes


def _fix(project: Project, failure: Failure, command: str, remedy: str) -> list[Finding]:
    """Returns the finding for a failure and its remedy; none if the same failure was solved before."""
    templates = [template for template, _ in failures.lines_of(project.db, failure.n)]
    is_edit = bool(remedy) and all(piece.startswith("edited ") for piece in remedy.split("; "))
    is_test = any(shell.kind_of_check(name) == "@test" for name in _acting(failure.command))
    if failures.solved(project.db, templates, 1) or (is_edit and is_test):
        return []
    failed = shell.without_message(failure.command)
    lines = "; ".join(failures.texts_of(project.db, failure.n, _SHOWN))
    by = f"an edit of {remedy.replace('; edited ', ' and ').removeprefix('edited ')}" if is_edit else remedy
    how = f"fixed by {by}" if remedy else f"this passes: `{clipped(shell.without_message(command), 120)}`"
    remark = "fixed by what another host hands out" if _brings_code(failure, command) else how  # titles are told unasked
    title = clipped(f"`{clipped(failed, 60)}` failed: {remark}", TITLE)
    fact = clipped(f"`{clipped(failed, 80)}` failed with “{clipped(lines, 160)}”, {how}", FACT)
    return [Finding(f"fix:{failure.n}", "bugfix", title, "", (fact,), ("problem-solution", "gotcha"))]


def _note_forms(project: Project, command: str, session: str, at: int) -> None:
    for name in shell.programs(command):
        if not shell.is_bare(command, name):
            failures.note_working(project.db, name.partition(" ")[0], command, session, at)
        if purpose := shell.kind_of_check(name):
            failures.note_working(project.db, purpose, command, session, at)


def _missing_checks(project: Project, waiting: list[Failure]) -> set[str]:
    """Returns the test runners, linters and type checkers whose absence made some commands fail."""
    texts = [(failure.command, failures.texts_of(project.db, failure.n, _LINES)) for failure in waiting]
    missing = {signatures.missing_program(command, [ErrorLine(text, "", "") for text in lines]) for command, lines in texts}
    return {name for name in missing if shell.kind_of_check(name)}


def _replaces(words: list[str], missing: str) -> bool:
    """Tells whether a simple command is a task of the repository that checks what a missing program would check.

    It proves nothing about the failure: another way of running the program itself, if known, is the better hint.
    """
    kind = shell.kind_of_check(missing)
    return runners.checks_all(words) or any(shell.kind_of_check(task) == kind for task in runners.tasks(words))


def _proves(project: Project, failure: Failure, command: str) -> bool:
    """Tells whether a command that passed shows that a failure is solved."""
    failed, passed = _acting(failure.command), _acting(command)
    lines = " ".join([template for template, _ in failures.lines_of(project.db, failure.n)])
    is_environment = any(words in lines for words in _ENVIRONMENT)
    if not set(failed) <= set(passed):
        purposes = {shell.kind_of_check(name) for name in passed} - {""}
        return is_environment and any(shell.kind_of_check(name) in purposes for name in failed)
    is_check = any(shell_commands.is_check(words) for words in shell.simple_commands(failure.command))
    return is_environment or not is_check or set(_arguments(command)) <= set(_arguments(failure.command))


def _acting(line: str) -> list[str]:
    """Returns the programs of a command line that do more than read."""
    looking = {shell.program(words) for words in shell.simple_commands(line) if shell.is_read_only(words)}
    return [name for name in shell.programs(line) if name not in looking] or shell.programs(line)


def _arguments(line: str) -> list[str]:
    """Returns what restricts the checks of a command line: paths, and the values of selecting options."""
    arguments = []
    for words in shell.simple_commands(shell.without_output_filters(line)):
        for before, word in zip(words, words[1:]):
            is_selected = before in ("-k", "-t", "-m", "--filter", "--grep", "-run") and words[0] not in ("python", "python3")
            if is_selected or (not word.startswith("-") and any(char in word for char in "/.:")):
                arguments.append(word)
    return arguments


def _steps_before(failure: Failure) -> list[Step]:
    """Returns the steps until the error did not occur again."""
    steps = _steps(failure)
    return steps[: steps.index(_GONE)] if _GONE in steps[1:] else steps


def _runs(failure: Failure) -> list[str]:
    return list(dict.fromkeys([subject for kind, subject, _ in _steps_before(failure) if kind == "run"]))


def _brings_code(failure: Failure, command: str) -> bool:
    """Tells whether the steps until a command passed, or the command itself, may have run code from a foreign host."""
    return any(shell.brings_code(run) for run in (*_runs(failure), command))


def _remedy(failure: Failure, command: str) -> str | None:
    """Returns the steps before a command passed, "" if the command itself was changed; None if there is no remedy."""
    steps = _steps_before(failure)
    runs = [run for run in _runs(failure) if not _only_checks(run) and run != shell.without_output_filters(command)]
    edits = {subject: change for kind, subject, change in steps if kind == "edit"}
    is_changed = _has_new_form(failure.command, command)
    if len(edits) > _FILES:
        edits = {}
    pieces = [f"`{clipped(run, 120)}`" for run in runs[-_SHOWN:]]
    if not is_changed:
        last = list(edits.items())[-_SHOWN:]
        pieces += [f"edited {path}" + (f" ({clipped(change, 100)})" if change else "") for path, change in last]
    return "; ".join(pieces) if pieces or is_changed else None


def _only_checks(command: str) -> bool:
    """Tells whether a command changes nothing: its programs only check, by themselves or by an option."""
    changing = [words for words in shell.simple_commands(command) if not any(word.startswith(_CHECKING) for word in words)]
    if shell.prepares(command) and not shell.programs(command):
        return False
    if any(not _CHANGING.isdisjoint(words[1:]) for words in changing):
        return False
    names = {shell.program(words) for words in changing}
    return all(shell.kind_of_check(name) for name in _acting(command) if name in names)


def _has_new_form(failed: str, passed: str) -> bool:
    """Tells whether two commands differ in more than their targets: in programs, options or preparation."""
    before, after = _form(failed), _form(passed)
    return bool(after - before)


def _form(line: str) -> set[str]:
    raw = shell.words_by_operator(shell.without_output_filters(line))
    options = {word.partition("=")[0] for words in raw for word in words if _is_option(word)}
    return {words[0] for words in raw} | set(shell.programs(line)) | (options - _MANNER)


def _is_option(word: str) -> bool:
    return word.startswith("-") and len(word) > 1 and " " not in word
