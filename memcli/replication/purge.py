"""What a purge takes out, and why; and where else a copy may be, which no purge reaches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from memcli.errors import InvalidInput, NotFound
from memcli.maintenance import erase
from memcli.memory.items import KINDS
from memcli.memory.projection import fold
from memcli.project import Project, with_user_memory
from memcli.records import Record
from memcli.replication import wire
from memcli.replication.remote import DIRECTORY, POSTGRES
from memcli.replication.transports import NOTHING_READ, Transport
from memcli.replication.transports.lines import lines_of
from memcli.replication.tree import FOLDER
from memcli.repo import history
from memcli.store import erasing, oplog, purging, replication
from memcli.store.oplog import LoggedOperation
from memcli.text import bounded, ids, json
from memcli.text.ids import writer_of
from memcli.text.terminal import oneline
from memcli.validity import writer_names

_SHORTEST = 4  # characters of a text
_SHARABLE = ("M-", "S-", "K-", "N-")
_LARGEST_FILE = 1 << 18  # bytes of a file in the working tree
_PARTS = (("title", "in its title"), ("thread", "in the name of its thread"))
_TITLES = ("title", "reason", "key", "text", "name")  # of a memory, a state, a profile entry, a note, a writer
_REASONS = {"T-": "the name of a thread", "W-": "the name of a writer"}


class Match(Record):
    """Something that is to be purged: its id, its title where it has one here, why, and who of the others wrote it."""

    id: str
    title: str
    reason: str
    by: str = ""


class PurgePlan(Record):
    """What is to be purged, and the operations that only the remote has of it."""

    matches: list[Match]
    operations: list[str]


Select = Callable[[Transport], PurgePlan]


class Copy(Record):
    """A copy that a purge does not reach, and what erases it."""

    place: str
    remedy: str


def by_id(project: Project, reference: str) -> Select:
    """Returns what selects an object, and what goes with it. Raises NotFound, or InvalidInput for one that was never shared."""

    def select(transport: Transport) -> PurgePlan:
        name = erase.find(project, reference)
        if name not in replication.ever_shared(project.db):
            raise InvalidInput(f"{name} was never shared", f"remove it from this machine with: mem forget {name} --erase")
        return _selection(project, {name: "named by its id"}, [])

    return select


def by_text(project: Project, text: str) -> Select:
    """Returns what selects all that has a text, here or at the remote. Raises InvalidInput for a text that is too short."""
    if len(text.strip()) < _SHORTEST:
        raise InvalidInput("a text of fewer than four characters matches too much", "give more of it")
    if text in project.config["sync.author"]:
        raise InvalidInput(
            "sync.author has this text, and would be sent again", "change it first: mem config set sync.author NAME"
        )

    def select(transport: Transport) -> PurgePlan:
        shared = replication.ever_shared(project.db)
        names = [name for name in _having(erasing.texts(project.db, ""), text) if _is_purgeable(name, shared)]
        reasons = {name: _reason(project, name, text) for name in names}
        sent = list(_sent(transport, text))
        private = replication.kept_here(project.db, {op.object for op in sent})  # who sends such a line knows only its id
        is_object = {op.id: op.object.startswith(_SHARABLE) and op.object not in private for op in sent}
        for op in sent:
            if is_object[op.id]:
                reasons.setdefault(op.object, "in what the remote has of it")
        purged = purging.purged(project.db)
        return _selection(project, reasons, [op.id for op in sent if not is_object[op.id] and op.id not in purged])

    return select


def _selection(project: Project, reasons: dict[str, str], operations: list[str]) -> PurgePlan:
    for name in purging.counterparts(project.db, reasons):
        reasons.setdefault(name, "goes with what was stored with it")
    if not reasons and not operations:
        raise NotFound("nothing that could be shared contains this text", "mem doctor --secrets lists secrets that are stored")
    return PurgePlan([_match(project, name, reason) for name, reason in reasons.items()], operations)


def _match(project: Project, name: str, reason: str) -> Match:
    names, first = writer_names(project).shown, fold(oplog.of_object(project.db, name)).first
    writer = writer_of(first.actor) if first else ""
    return Match(name, _title(project, name), reason, names.get(writer) or writer)


def _title(project: Project, name: str) -> str:
    """Returns what an object is called, "" for one that was erased."""
    current = fold(oplog.of_object(project.db, name)).fields
    return oneline(str(next((current[field] for field in _TITLES if current.get(field)), "")))


def _is_purgeable(name: str, shared: set[str]) -> bool:
    return name.startswith(_SHARABLE) or (name.startswith(tuple(_REASONS)) and name in shared)


def _having(texts: Iterable[tuple[str, str, bool]], text: str) -> list[str]:
    """Returns the ids of those of some texts that have a text, each once."""
    written = json.canonical(text)[1:-1]
    return list(dict.fromkeys([name for name, content, is_json in texts if text in content or (is_json and written in content)]))


def _reason(project: Project, name: str, text: str) -> str:
    if name[:2] in _REASONS:
        return _REASONS[name[:2]]
    current = fold(oplog.of_object(project.db, name)).fields
    for field, reason in _PARTS:
        if text in str(current.get(field, "")):
            return reason
    has_now = any(text in value or json.canonical(text)[1:-1] in value for value in map(json.canonical, current.values()))
    return "in its text" if has_now else "in its history"


def _sent(transport: Transport, text: str) -> Iterator[LoggedOperation]:
    """Yields the operations that have a text among all that the remote has, also of what was erased here."""
    written = json.canonical(text)[1:-1]
    for segment in transport.segments(NOTHING_READ):
        for line in lines_of(segment):
            if written in line or text in line:
                try:
                    yield wire.read(line, segment.writer).operation
                except wire.Refused:
                    continue  # nobody takes it in


def copies(project: Project, text: str, names: list[str], address: str) -> list[Copy]:
    """Returns the copies that a purge of some objects, or of what has a text, does not reach, as far as they can be known."""
    places = [*_in_this_store(project, text), *_in_own_memory(project, text), *_in_tree(project, text, names)]
    if text:
        places.append(Copy("what other members have of it and never shared", "each erases it: mem search, mem forget --erase ID"))
    places.append(Copy("backups and exports elsewhere", "delete them"))
    if address.startswith(DIRECTORY):
        return [*places, Copy("what the drive keeps of deleted files", "empty its trash and its snapshots")]
    if address.startswith(POSTGRES):
        return [*places, Copy("backups and dead rows of the database", "VACUUM FULL mem_op, for whoever runs it")]
    remedy = "run git reflog expire --expire=now --all && git gc --prune=now in it if you administer it, else ask its host"
    return [*places, Copy("objects that no ref of the remote leads to", remedy)]


def _in_this_store(project: Project, text: str) -> list[Copy]:
    """Returns the prompts, sessions and chunks that have the text: they never leave, and no purge means them."""
    names = _having(erasing.texts(project.db, ""), text) if text else []
    return [_erasable(name, "") for name in names if name.startswith(("P-", "A-", "C-")) and ids.canonical(name) == name]


def _in_own_memory(project: Project, text: str) -> list[Copy]:
    """Returns what of the person's own memory has the text."""
    if not text or project.is_user:
        return []
    user_db = with_user_memory(project).user_db
    if user_db is None:
        return []
    try:
        names = _having(erasing.texts(user_db, ""), text)
        return [_erasable(name, " --user") for name in names if name[:2] in KINDS and not erasing.is_erased(user_db, name)]
    finally:
        if project.user_db is None:
            user_db.close()


def _erasable(name: str, option: str) -> Copy:
    owner = "your own memory: " if option else ""
    return Copy(f"{owner}{KINDS[name[:2]]} {name}", f"mem forget --erase {name}{option}")


def _in_tree(project: Project, text: str, names: list[str]) -> list[Copy]:
    """Returns the files of shared memories in the working tree, and the newest commit that has one."""
    if project.checkout is None:
        return []
    folder = Path(project.root) / FOLDER
    paths = [folder / f"{name}.md" for name in names if name.startswith("M-")]
    if text and folder.is_dir():
        paths += [path for path in sorted(folder.glob("M-*.md")) if _has(path, text) and path not in paths]
    places = [Copy(os.path.join(FOLDER, path.name), "delete the file") for path in paths if path.is_file()]
    limits = [f"-S{text}", "--no-ext-diff", "--no-textconv", "--", FOLDER] if text else ["--", *map(str, paths)]
    commits = history.listed(project.checkout, ["--all", "--max-count=1", *limits]) if text or paths else None
    for commit in commits or ():
        place = f"the history of this repository, as in commit {commit[:12]}: {FOLDER}"
        places.append(Copy(place, "rewrite it with git filter-repo, here and at the remote"))
    return places


def _has(path: Path, text: str) -> bool:
    content = (bounded.read(str(path), _LARGEST_FILE) or b"").decode("utf-8", "replace")
    return text in content or json.canonical(text)[1:-1] in content
