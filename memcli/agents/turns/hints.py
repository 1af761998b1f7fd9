"""Hints at the right moment: before an edit, a read or a command, and after a failed command.

One hint a call at most, each subject once a session, nothing below a high floor: the fix of the very same error from an earlier
session, the form of a program that runs here, a decision or a gotcha about the file, an instruction that the call goes against.
Only a rule that the person wrote with `mem rule add --block` forbids anything.
"""

from __future__ import annotations

import os

from memcli import store
from memcli.agents.adapters import adapter
from memcli.agents.turns import prohibitions
from memcli.agents.turns.turn import framed
from memcli.project import DEFAULT_WORKSPACE, project_of
from memcli.records import Record
from memcli.store import failures, hints, turns
from memcli.text import dates, runners, shell, signatures
from memcli.text.terminal import oneline
from memcli.validity import EXPOSURES, PERSON, MemoryStatus, exposure_words, exposures_of_session, origin_of, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from memcli.agents.capture.normalize import HarnessEvent
    from memcli.config import Config
    from memcli.project import Location, Project
    from memcli.store import Connection
    from memcli.store.cache import Cache
    from memcli.store.failures import SolvedError
    from memcli.store.hints import FileNote
    from memcli.text.signatures import ErrorLine

TOKENS = 120  # of one hint, with its frame
_MOST = 16  # hints of a session
_INSTRUCTIONS = 60  # that are looked at, the newest
_NOTES = 40  # about a file that are looked at, the newest
_CANDIDATES = 60  # errors that are compared
_SHORTER = 0.85  # of its length that is left of a piece where a hint is too long
_EDIT = 8_000  # characters of an edit
_COMMAND = 400  # characters of a command
_FILE_FIELDS = ("file_path", "filePath", "notebook_path", "path", "target_file", "absolute_path", "filename")
_BEGINNING = 8  # words
_FAULTS = frozenset("error typo bug conflict mismatch problem issue failure".split())
_PATCHED = ("*** Update File: ", "*** Delete File: ")
_AT_ROOT = ("__init__.py", "index.js", "index.ts", "index.tsx", "mod.rs", "main.py", "main.go", "readme.md", "conftest.py")


class Hint(Record):
    """What a session is told at a call, in our frame. `subjects`: what it is about; `blocks`: the call is forbidden."""

    text: str
    subjects: tuple[str, ...]
    blocks: bool = False


class CallSubject(Record):
    """A call of a tool. `kind`: edit, read, shell, or ""; `file`: relative to the working tree's root, or "".

    `added`: the text that an edit adds, if known.
    """

    kind: str
    command: str
    file: str
    added: str = ""


def of_call(
    location: Location, folder: str, db: Connection, cache: Cache | None, config: Config, event: HarnessEvent
) -> Hint | None:
    """Returns the hint for a call that is about to be made or has failed, or None."""
    call = _call(event, location.root)
    if not call.kind or (not call.command and not call.file):
        return None
    project = project_of(location, DEFAULT_WORKSPACE, folder, db, cache, config)
    store.begin_snapshot(db)
    try:
        earlier = hints.subjects(db, event.harness, _session(event))
        if event.event == "pre-tool-use" and (hint := _of_rules(project, call, earlier)):
            return hint
        if not config["capture.hints"] or len(earlier) >= _MOST:
            return None
        candidates = (
            _before(project, event, call, earlier) if event.event == "pre-tool-use" else _after(project, event, call, earlier)
        )
        return next(candidates, None)
    finally:
        store.end_snapshot(db)


def note(db: Connection, event: HarnessEvent, hint: Hint) -> None:
    """Records that a session was given a hint. A refusal is repeated as often as the call."""
    from memcli.project import now

    if not hint.blocks:
        hints.record(db, event.harness, _session(event), hint.subjects, now())


def _session(event: HarnessEvent) -> str:
    """Returns the session whose context a hint goes into: a subagent has its own."""
    agent = event.body.get("agent", "")
    return f"{event.session}/{agent}" if agent else event.session


def _call(event: HarnessEvent, root: str) -> CallSubject:
    fields = event.body.get("input")
    arguments: dict[str, Any] = fields if isinstance(fields, dict) else {"command": fields}
    tool = event.body.get("tool", "")
    kind = adapter(event.harness).kind_of(tool)
    words = next((arguments[name] for name in ("command", "cmd", "script", "input", "patch") if arguments.get(name)), "")
    if isinstance(words, list):
        words = words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join([str(word) for word in words])
    text = words if isinstance(words, str) else ""
    path = next((arguments[name] for name in _FILE_FIELDS if isinstance(arguments.get(name), str)), "")
    if patched := [line for mark in _PATCHED for line in text[:_COMMAND].splitlines() if line.startswith(mark)]:
        kind, text, path = "edit", "", patched[0].partition(": ")[2]
    kind = kind or ("shell" if text and not tool else "")
    file = _inside(path, event.body.get("cwd", ""), root)
    return CallSubject(kind, text[: shell.LONGEST] if kind == "shell" else "", file, _added(arguments, words))


def _added(arguments: dict[str, Any], patch: object) -> str:
    """Returns the lines that an edit adds, if it says what they replace; unknown for a whole file."""
    new, old = arguments.get("new_string"), arguments.get("old_string")
    if isinstance(new, str) and isinstance(old, str):
        before = set(old[:_EDIT].splitlines())
        return "\n".join([line for line in new[:_EDIT].splitlines() if line not in before])
    lines = patch[:_EDIT].splitlines() if isinstance(patch, str) and patch.startswith("*** Begin Patch") else []
    return "\n".join([line[1:] for line in lines if line.startswith("+")])


def _inside(path: str, cwd: str, root: str) -> str:
    """Returns a path relative to the working tree's root, "" for one outside."""
    if not path or not root or "\0" in path:
        return ""
    full = os.path.normpath(os.path.join(cwd or root, path))
    for top in (root, os.path.realpath(root)):
        if full.startswith(top + os.sep):
            return full[len(top) + 1 :].replace(os.sep, "/")
    return ""


def _of_rules(project: Project, call: CallSubject, earlier: frozenset[str]) -> Hint | None:
    """Returns what the person's rules say about a call."""
    if call.kind == "read":
        return None
    commands = [form for words in shell.simple_commands(call.command) for form in (words, runners.normal(words))]
    texts = [shell.canonical(words) for words in commands] or [call.file]
    for rule in hints.matching(project.db, texts):
        reason = f": {oneline(rule.reason)}" if rule.reason else ""
        if rule.blocks:
            return Hint(f"The person forbade `{oneline(rule.pattern)}` here{reason} (rule {rule.id}).", (rule.id,), True)
        if rule.id not in earlier:
            text = _fitted("The person's rule {} about `{}`{}", rule.id, oneline(rule.pattern), reason)
            return Hint(text, (rule.id,))
    return None


def _before(project: Project, event: HarnessEvent, call: CallSubject, earlier: frozenset[str]) -> Iterator[Hint]:
    """Yields what a session should know before a call."""
    delivered = _shown(project.db, event)
    row, _ = turns.session_of(project.db, event.harness, event.session)
    if call.kind in ("shell", "edit"):
        yield from _instructions(project, call, earlier, row)
    if call.kind in ("edit", "read") and call.file:
        subject = f"file {call.file}"
        if subject not in earlier:
            yield from _notes(project, call.file, earlier | {subject}, delivered, row)


def _instructions(project: Project, call: CallSubject, earlier: frozenset[str], row: int) -> Iterator[Hint]:
    branch = (project.checkout.branch if project.checkout else None) or ""
    line = prohibitions.command_line(call.command)
    for record in hints.instructions(project.db, _INSTRUCTIONS, row):
        text = oneline(record.text)
        if call.command:
            clause = prohibitions.against_command(text, line, branch)
        else:
            clause = prohibitions.against_edit(text, call.file, call.added)
        subjects = (f"{record.id} {clause}", f"against {clause}")  # of several things that one sentence forbids each counts
        if clause and earlier.isdisjoint(subjects) and _is_valid(project, record):
            yield Hint(_fitted("Asked for on {}: “{}” [{}]", dates.day(record.created_at), text, record.id), subjects)


def _notes(project: Project, file: str, earlier: frozenset[str], delivered: str, row: int) -> Iterator[Hint]:
    """Yields what was decided or learnt about a file and the session was not told."""
    for record in hints.about_file(project.db, file, _phrase(file), _NOTES, row):
        is_new = record.id not in earlier and f'"{record.id}"' not in delivered
        if is_new and _is_about(record, file) and not _is_of_then(record.text) and _is_valid(project, record):
            mark = "".join([f", {words}" for words in exposure_words(record.origin, record.tags)])
            text = _fitted("About {}, {}: “{}” [{}]", file, dates.day(record.created_at) + mark, oneline(record.text), record.id)
            yield Hint(text, (record.id, f"file {file}"))


def _phrase(file: str) -> str:
    """Returns the words of a file's name as a phrase, with the directory's if many files have that name."""
    name = file if os.path.basename(file).lower() in _AT_ROOT else os.path.basename(file)
    return " ".join("".join([char if char.isalnum() else " " for char in "/".join(name.split("/")[-2:])]).split())


def _is_about(record: FileNote, file: str) -> bool:
    """Tells whether a record is about this very file, not one with the same name elsewhere."""
    if record.is_linked:
        return True
    name = "/".join(file.split("/")[-2:]) if os.path.basename(file).lower() in _AT_ROOT else os.path.basename(file)
    for piece in record.text.split():
        word = piece.strip("`'\"“”()[]{},;:.!?*").partition(":")[0].rstrip(".")
        if word.endswith(name) and f"/{file}".endswith(f"/{word.lstrip('./')}"):
            return True
    return False


def _is_of_then(text: str) -> bool:
    """Tells whether a text says that something is broken: whoever said so has probably fixed it."""
    words = text.lower().replace("’", "'").split()[:_BEGINNING]
    return words[:1] in (["there's"], ["there"]) and any(word.strip("s.,:;") in _FAULTS for word in words)


def _is_valid(project: Project, record: FileNote) -> bool:
    """Tells whether a record holds at HEAD and gives no orders, unless the person wrote it."""
    if record.suspicious and origin_of(record.origin).writer != PERSON:
        return False
    ((anchor, superseded),) = standing(project, project.db, [record])  # type: ignore[list-item]
    return MemoryStatus(anchor, superseded).is_valid


def _shown(db: Connection, event: HarnessEvent) -> str:
    """Returns what a session was told, or is being told: a text with ids in quotation marks."""
    delivery = turns.delivered(db, event.harness, event.session)
    waiting = turns.waiting(db, event.harness, event.session)
    return "".join([f"{record.shown}{record.hits}" for record in (delivery, waiting) if record is not None])


def _after(project: Project, event: HarnessEvent, call: CallSubject, earlier: frozenset[str]) -> Iterator[Hint]:
    """Yields what helps after a failed command: what fixed the same error before, or the form of the program that runs here."""
    if call.kind != "shell":
        return
    output = event.body.get("result", "")
    branch = project.checkout.branch if project.checkout else None
    has_failed = bool(event.body.get("failed")) or bool(signatures.exit_code(output))
    lines = signatures.of_output(output, has_failed, (branch,) if branch else ())
    if not lines:
        return
    _, session = turns.session_of(project.db, event.harness, event.session)
    missing = signatures.missing_program(call.command, lines)
    if shell.changes_something(call.command):
        yield from _fixes(project, call.command, lines, session, earlier, missing)
    if missing:
        yield from _working(project, missing, session, earlier)


def _fixes(
    project: Project, command: str, lines: Sequence[ErrorLine], session: str, earlier: frozenset[str], missing: str
) -> Iterator[Hint]:
    """Yields what fixed the same error in other sessions. `missing`: the program that was not found, or ""."""
    solved = failures.solved(project.db, [line.template for line in lines], _CANDIDATES)
    own = {(error.template, error.names) for error in solved if error.session == session}
    by_line = {(line.template, line.names): line for line in lines if (line.template, line.names) not in own}
    candidates = [
        error for error in solved if error.session != session and f"error {error.template} {error.names}" not in earlier
    ]
    subjects = [*[f"error {template} {names}" for template, names in by_line], *[f"command {missing}"] * bool(missing)]
    for error in _ranked(candidates, command, by_line, _likeness(project.db, candidates, set(by_line))):
        yield Hint(_fix(project, error), tuple(subjects))


def _likeness(db: Connection, errors: Sequence[SolvedError], lines: set[tuple[str, str]]) -> dict[int, float]:
    """Returns, by failure, the Jaccard similarity of its lines and some lines. Different lines have different causes."""
    by_failure: dict[int, set[tuple[str, str]]] = {}
    for number, template, names in failures.lines_of_all(db, {error.failure for error in errors}):
        by_failure.setdefault(number, set()).add((template, names))
    return {number: len(others & lines) / len(others | lines) for number, others in by_failure.items()}


def _manner(error: SolvedError) -> tuple[str, ...]:
    """Returns the programs that solved an error, or that files were edited."""
    steps = [piece.strip("`") for piece in error.remedy.split("; ")]
    return tuple(["edited" if step.startswith("edited ") else " ".join(shell.programs(step)) for step in steps])


def _ranked(
    errors: Sequence[SolvedError], command: str, lines: Mapping[tuple[str, str], ErrorLine], likeness: Mapping[int, float]
) -> list[SolvedError]:
    """Returns the errors that are the same as one of some lines, the surest first: solved without a detour, else alike and
    solved as most were; of those the newest first. `lines`: by template and names. An edit of a file solved the error of that
    file only.
    """
    programs = set(shell.programs(command))
    exact = [error for error in errors if (line := lines.get((error.template, error.names))) and _is_there(error, line)]
    manners = [_manner(error) for error in exact]
    exact.sort(key=lambda error: (error.remedy != "", -likeness[error.failure] * manners.count(_manner(error))))
    templates = [template for template, _ in lines]
    alike = [
        error
        for error in errors
        if error not in exact
        and error.template in templates
        and signatures.ErrorLine("", error.template, "").is_telling
        and programs & set(shell.programs(error.command))
        and "edited " not in error.remedy
    ]
    return [*exact, *alike]


def _is_there(error: SolvedError, line: ErrorLine) -> bool:
    return "edited " not in error.remedy or signatures.place_of(error.line) == signatures.place_of(line.text)


def _fix(project: Project, error: SolvedError) -> str:
    day, remedy = dates.day(error.passed_at), error.remedy.replace(f"cd {project.root} && ", "")
    proof = shell.without_message(error.proof.replace(f"cd {project.root} && ", ""))
    mark = _mark(project.db, error.session)
    if remedy:
        return _fitted(f"On {{}}{mark} “{{}}” ended after: {{}}; then `{{}}` passed.", day, error.line, remedy, proof)
    return _fitted(f"On {{}}{mark} “{{}}” ended; this passed instead: `{{}}`", day, error.line, proof)


def _mark(db: Connection, session: str) -> str:
    """Returns, in brackets, what a session was exposed to, or ""."""
    words = [EXPOSURES[name] for name in exposures_of_session(db, turns.row_of(db, session))]
    return f" ({', '.join(words)})" if words else ""


def _working(project: Project, program: str, session: str, earlier: frozenset[str]) -> Iterator[Hint]:
    """Yields the form in which a missing program ran well, else what ran instead or checked the same."""
    subject = f"command {program}"
    if subject in earlier:
        return
    names = [name for name in (program, shell.instead_of(program), shell.kind_of_check(program)) if name]
    forms = failures.working(project.db, names, session)
    for _, command, last, origin in sorted(forms, key=lambda form: names.index(form[0])):
        if not shell.is_bare(command, program):
            mark = _mark(project.db, origin)
            text = _fitted(f"`{{}}` does not run here; this did, last on {{}}{mark}: `{{}}`", program, dates.day(last), command)
            yield Hint(text, (subject,))


def _fitted(form: str, *pieces: str) -> str:
    """Returns a hint in its frame, with the longest pieces cut until it fits."""
    from memcli.recall.render import counted

    texts = [oneline(piece) for piece in pieces]
    while True:
        text = framed(form.format(*texts) + "\n")
        if counted([text]) <= TOKENS:
            return text
        longest = max(range(len(texts)), key=lambda number: len(texts[number]))
        texts[longest] = texts[longest].rstrip("…")[: int(len(texts[longest]) * _SHORTER)].rstrip() + "…"
