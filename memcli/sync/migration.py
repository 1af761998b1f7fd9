"""Importing what another program remembers: counts entries of its source, and says what was not imported and why."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memcli import config, registry
from memcli.errors import InvalidInput
from memcli.memory import modes
from memcli.project import Project, folder_of, is_stored, now
from memcli.records import Record, replace
from memcli.store import memories
from memcli.sync import sources
from memcli.sync.edits import edited
from memcli.sync.intake import Imported, RunningImport
from memcli.sync.sources import Extract, ReadScope
from memcli.sync.sources.look import FILE_TIME
from memcli.sync.sources.shape import LATER, LONG_VALUE, UNDATED, Entry, skip
from memcli.text.terminal import oneline

_EXAMPLES = 3
_LIMITS = ("profile.value", "note.text", "profile.key")
_HOSTS = ("127.0.0.1", "localhost", "::1")
_SAME_MODE = "of another directory for the same mode: import it alone with --workspace NAME"
_RENAMED = "workspaces under another name: a name is of letters, digits, - and _, at most 64"
_FORGOTTEN = "forgotten there"
GONE = "no longer in the source (mem forget takes one out)"
_MENDED = "texts with bytes that are no characters: taken with \ufffd in their place"
_TAKEN = (_RENAMED, LATER, UNDATED, FILE_TIME, LONG_VALUE, _MENDED, GONE)  # reasons of what is in the memory all the same
_OF_ENTRY = re.compile(
    r"the (\w+) has [\d,]+ characters|(not a [\w ]+): .*", re.DOTALL
)  # an error that names what is in one entry
_REASONS = {  # what an import left out -> why
    "written_here": "entries that would change what was written here",
    "pins": "pins, which every session is told (--trust)",
    "profile": "values of the profile, which every session is told (--trust)",
    "dates": LATER,
}


class NotTaken(Record):
    """What was left out or altered for one reason, or is gone: how many, and the first of them."""

    reason: str
    count: int
    examples: tuple[str, ...] = ()

    @property
    def is_taken(self) -> bool:
        """Whether it is in the memory: under another name or date, or still."""
        return self.reason in _TAKEN


class Migrated(Record):
    """What an import from another program did in one memory, or would do.

    `revision`: of its last operation in the log; None where there is nothing to undo.
    """

    counts: Imported
    revision: int | None
    not_taken: tuple[NotTaken, ...]
    settings: dict[str, str]


def scope_of(project: Project, only: str | None) -> ReadScope:
    """Returns the scope for reading sources. `only`: a project of a store that holds several."""
    names = dict.fromkeys([os.path.basename(project.root.rstrip("/")), project.name])
    value, note, key = [int(project.config[name]) for name in _LIMITS]
    return ReadScope(project.root, tuple([name for name in names if name]), only, value, note, project.now, key)


def scope_of_nobody(only: str | None) -> ReadScope:
    """Returns the scope for reading sources outside of any repository, where each entry names its own."""
    own = config.of_person()
    value, note, key = [int(own[name]) for name in _LIMITS]
    return ReadScope("", (), only, value, note, now(), key)


def not_imported(project: Project, systems: Iterable[str]) -> list[str]:
    """Returns the programs that have data in its usual place of which nothing is in this memory."""
    return [
        system for system in sources.at_hand(scope_of(project, None), systems) if not memories.has_imports_of(project.db, system)
    ]


def check_one_place(extracts: Sequence[Extract]) -> None:
    """Raises InvalidInput for several modes that would go into one memory: their profiles and ids would mix."""
    workspaces = {extract.workspace for extract in extracts if extract.project == modes.MODES and extract.workspace}
    several = [name for name in workspaces if not name.endswith(modes.ARCHIVE)]
    if len(several) > 1:
        names = ", ".join(sorted(several)[:_EXAMPLES]) + (" …" if len(several) > _EXAMPLES else "")
        hint = "leave out --user and --workspace: each mode has a memory of its own; or name the directory of one mode"
        raise InvalidInput(f"{len(several)} modes do not go into one memory: {names}", hint)


def by_memory(extracts: Sequence[Extract], workspace: str | None) -> list[Extract]:
    """Returns one extract a memory, so that each is one command of the log. `workspace`: named on the command line, for all.

    Of modes that are called the same only the first comes: the ids of their entries are not each other's.
    """
    joined: dict[tuple[str | None, str], Extract] = {}
    extracts = list(_without_same_modes(map(_of_existing_mode, extracts)))
    for extract in map(_renamed, extracts) if workspace is None else extracts:
        target = workspace or extract.workspace
        key = (extract.project, (target or "").casefold())  # workspaces whose names differ only in case are one
        first = joined.get(key) or replace(extract, entries=(), workspace=target)
        joined[key] = replace(first, entries=[*first.entries, *extract.entries])
    return list(joined.values())


def _of_existing_mode(extract: Extract) -> Extract:
    """Returns an extract for a mode as that is here, where a client began it under an id that mecho takes for the same."""
    repo_id = registry.adopted(modes.MODES) if extract.project == modes.MODES else None
    if not (repo_id and extract.mode) or is_stored(folder_of(repo_id, modes.workspace_of(extract.mode))):
        return extract
    other = modes.similar(folder_of(repo_id, None), extract.mode)
    suffix = modes.ARCHIVE if (extract.workspace or "").endswith(modes.ARCHIVE) else ""
    return replace(extract, mode=other, workspace=modes.workspace_of(other) + suffix) if other else extract


def _renamed(extract: Extract) -> Extract:
    """Returns an extract for a workspace that mem may have: under its own name, else under one that is made of it and listed."""
    name = extract.workspace
    try:
        folder_of(None, name)
    except InvalidInput:
        new = registry.digested(name or "")
        return replace(extract, workspace=new, entries=[*extract.entries, skip(_RENAMED, f"{name}: {new}")])
    return extract


def _without_same_modes(extracts: Iterable[Extract]) -> Iterator[Extract]:
    """Yields extracts; of one for a mode that came before only what says that it is not taken."""
    names: set[str] = set()
    for extract in extracts:
        name = (extract.workspace or "") if extract.project == modes.MODES else ""
        if name in names:
            count = sum(not {"skip", "gone"} & entry.keys() for entry in extract.entries)
            extract = replace(extract, entries=[skip(_SAME_MODE, extract.mode, count)])
        elif name:
            names.add(name)
        yield extract


def take(
    project: Project,
    extract: Extract,
    trust: bool,
    stores: bool = True,
    progress: Callable[[int], None] = lambda count: None,
) -> Migrated:
    """Imports entries, each once by its source id, leaving out what cannot be stored. `stores` False: only counts."""
    edits = edited(project, extract.entries)
    running = RunningImport(project, trust, stores, foreign=True, edited=edits.memories)
    reasons: dict[str, NotTaken] = {}
    settings: dict[str, str] = {}
    cores = [entry for entry in extract.entries if "profile" in entry] if extract.mode else []
    has_own_core = _has_own_core(running, cores)
    if extract.mode and stores:
        _begin_mode(running, extract.mode, cores)
    if stores and project.repo_id and not project.is_user:
        registry.note_former_ids(extract.repositories, project.repo_id)
    with running.accounted():
        _take_entries(running, extract.entries, has_own_core, reasons, settings, progress)
        for title in edits.gone:
            _note(reasons, GONE, title)
        counts = running.finish()
    _note_left_out(reasons, running)
    return Migrated(counts, running.revision, tuple(reasons.values()), settings)


def _take_entries(
    running: RunningImport,
    entries: Iterable[Entry],
    has_own_core: bool,
    reasons: dict[str, NotTaken],
    settings: dict[str, str],
    progress: Callable[[int], None],
) -> None:
    """Adds entries to an import. Notes in `reasons` what is not taken, in `settings` what is set."""
    for entry in entries:
        progress(1)
        if "skip" in entry:
            _note(reasons, entry["skip"], entry["example"], entry["count"])
        elif "gone" in entry:
            if not running.hide(entry["gone"]) and entry["example"] is not None:
                _note(reasons, _FORGOTTEN, entry["example"])
        elif "setting" in entry:
            settings[entry["setting"]] = entry["value"]
        else:
            if entry.get("title") == "":
                _note(reasons, "entries without a text", _name(entry))
                continue
            if has_own_core and ("profile" in entry or str(entry.get("source_id", "")).startswith(modes.SOURCE + modes.CORE)):
                running.left_out["written_here"].append(_name(entry))
                continue
            for reason in [*entry.pop("lost", ()), *_mended(entry)]:
                _note(reasons, reason, _name(entry))
            try:
                running.add(entry)
            except InvalidInput as error:
                _note(reasons, _refusal(error), _name(entry))


def _mended(entry: Entry) -> list[str]:
    """Returns why an entry is altered, if a character in it replaces something unreadable."""
    texts = [str(entry.get(name, "")) for name in ("title", "summary", "value", "note", "prompt")]
    return [_MENDED] if any("\ufffd" in text for text in texts) else []


def _note_left_out(reasons: dict[str, NotTaken], running: RunningImport) -> None:
    """Adds what an import itself recorded as left out or altered."""
    for name, reason in _REASONS.items():
        for example in running.left_out[name]:
            _note(reasons, reason, oneline(example)[:80])
    _note(reasons, "states, which every session is told (--trust)", None, running.states)
    _note(reasons, "prompts, which count as the person's own words (--trust)", None, running.prompts)
    _note(reasons, "links to files that are not in this repository", None, running.missing_files)
    for reason, example in running.lost:
        _note(reasons, reason, oneline(example)[:80])


def _has_own_core(running: RunningImport, cores: Sequence[Entry]) -> bool:
    """Tells whether a mode has a core that was written here under another name, which the one of the source does not replace."""
    former = modes.core_of(running.project)
    return bool(cores and former) and former not in [core["profile"] for core in cores] and running.is_written_here(former)


def _begin_mode(running: RunningImport, mode: str, cores: Sequence[Entry]) -> None:
    """Notes which mode a memory is of. Its one core takes the place of the one that had another name before."""
    modes.mark(running.project, mode)
    if not (cores and running.trust) or _has_own_core(running, cores):
        return
    former = modes.core_of(running.project)
    if former and former not in [core["profile"] for core in cores]:
        running.take_out(former)
        running.hide(modes.SOURCE + modes.CORE + former)
    if not running.is_written_here(cores[0]["profile"]):
        modes.note_core(running.project, cores[0]["profile"], cores[0].get(modes.DESCRIPTION, ""))


def _refusal(error: InvalidInput) -> str:
    """Returns why an entry is refused, in the same words for the same reason."""
    if match := _OF_ENTRY.fullmatch(str(error)):
        return f"{f'the {match[1]} has too many characters' if match[1] else match[2]}: {error.hint}"
    return str(error)


def _note(reasons: dict[str, NotTaken], reason: str, example: str | None, count: int = 1) -> None:
    if count:
        earlier = reasons.get(reason, NotTaken(reason, 0))
        examples = tuple([name for name in dict.fromkeys([*earlier.examples, example]) if name][:_EXAMPLES])
        reasons[reason] = NotTaken(reason, earlier.count + count, examples)


def _name(entry: Entry) -> str:
    words = next((entry[name] for name in ("title", "profile", "note", "prompt", "source_id", "session") if entry.get(name)), "")
    return oneline(str(words))[:80]


def set_settings(settings: dict[str, str], trust: bool, stores: bool = True) -> tuple[dict[str, object], list[NotTaken]]:
    """Sets this person's settings if the source is trusted. Returns (those that changed, those not set and why).

    `stores` False: only says what would change.
    """
    own = config.of_person()
    values: dict[str, int | float | str] = {}
    reasons: dict[str, NotTaken] = {}
    for key, words in settings.items():
        try:
            value = config.from_text(key, words, key)
        except InvalidInput as error:
            _note(reasons, "settings that do not fit", str(error)[:80])
            continue
        if key == "serve.host" and value not in _HOSTS:
            _note(reasons, "settings that do not fit", f"{key}: mem serves this machine only")
        elif own[key] == value:
            continue
        elif trust:
            values[key] = value
        else:
            _note(reasons, "settings (--trust sets them)", f"{key} = {words}"[:80])
    if values and stores:
        config.write_user(values)
    return dict(values), list(reasons.values())
