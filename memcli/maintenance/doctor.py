"""Is this memory well? Every finding is one line in plain words with the next step; nothing is changed."""

from __future__ import annotations

import os
import stat

from memcli import config, registry
from memcli.agents.setup import checks
from memcli.errors import MemError, NotFound
from memcli.maintenance import backup, evidence
from memcli.maintenance.diagnosis import ABSENT, DAMAGED, LARGE, OUT_OF_STEP, REFUSED, counted, diagnose
from memcli.project import USER, Place, folder_of, locate, now
from memcli.records import Record, as_dict
from memcli.repo import head, identity
from memcli.store import db as store
from memcli.store import queue, spool
from memcli.store.checks import sqlite_version
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from memcli.maintenance.diagnosis import Diagnosis
    from memcli.project import Where

_LARGE_LOG = 16 * 1024 * 1024  # bytes of a write-ahead log that should have been folded into the store
_LEASE_MS, _OVERDUE_MS = 300_000, 3_600_000
_FAR_AWAY = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs")  # file systems whose locks SQLite cannot trust


class Finding(Record):
    """One thing that was looked at: how it is, what it is about, and the next step where there is one."""

    level: Literal["ok", "warn", "error"]
    subject: str
    text: str
    hint: str = ""


class Report(Record):
    """All findings, and `facts`: what programs want to know, by the names of `mem doctor --json`."""

    findings: list[Finding]
    facts: dict[str, Any]

    @property
    def ok(self) -> bool:
        """True where no finding is an error."""
        return not self._of("error")

    def _of(self, level: str) -> list[Finding]:
        return [finding for finding in self.findings if finding.level == level]

    def as_json(self) -> dict[str, Any]:
        """Returns the report for programs; `error` and `suggestion` are those of the first error, else None."""
        first = (self._of("error") or [Finding("error", "", "")])[0]
        listed = [as_dict(finding) for finding in self.findings]
        return {"ok": self.ok, **self.facts, "findings": listed, "error": first.text or None, "suggestion": first.hint or None}

    def verdict(self) -> str:
        """Returns the closing line."""
        errors, warnings = len(self._of("error")), len(self._of("warn"))
        parts = [
            f"{count} {word}{'' if count == 1 else 's'}" for count, word in ((errors, "error"), (warnings, "warning")) if count
        ]
        return ", ".join(parts) or "all well"


def examine(where: Where, verbose: bool) -> Report:
    """Looks at a memory and all it needs; `verbose`: at every row of it, however large it is.

    Never raises for a bad store. Raises NotFound or InvalidInput where `where` names a repository or workspace that is none.
    """
    found: list[Finding] = []
    facts: dict[str, Any] = {
        "repo": {"id": None, "name": None, "git_root": None, "has_git": False},
        "db": {"path": None, "exists": False, "size_bytes": 0},
        "schema": {"user_version": None, "current_version": store.LATEST, "last_migration_at": None},
        "fts": {"memories": 0, "chunks": 0, "ok": None},
        "state": {"valid": None, "count": 0},
        "evidence": None,
        "sqlite": sqlite_version(),
        "active_repo": registry.active(),
    }
    try:
        place = locate(where)
    except NotFound as problem:
        if problem.code != "no_repository" or where.repo:
            raise
        place = None
        found.append(Finding("warn", "repository", problem.message, problem.hint))
    if place is not None:
        _look_at(place, where, verbose, found, facts)
    found += _of_config(place)
    if place is not None and place.repo_id != USER:
        found += _of_user()
        found += _of_harnesses(place.root)
    return Report(found, facts)


def _look_at(place: Place, where: Where, verbose: bool, found: list[Finding], facts: dict[str, Any]) -> None:
    """Adds what there is to say about one memory."""
    git = place.checkout is not None
    facts["repo"] = {"id": place.repo_id, "name": place.name or None, "git_root": place.root or None, "has_git": git}
    found.append(Finding("ok", "repository", " · ".join([part for part in (place.name, place.repo_id, place.root) if part])))
    nowhere = Finding("ok", "store", "no memory yet", "mem init, or simply mem add")
    if place.repo_id is None:
        found.append(_data_dir() or nowhere)
        return
    path = os.path.join(folder_of(place.repo_id, where.workspace), "memory.db")
    diagnosis = diagnose(path, verbose)
    facts["db"] = {"path": path, "exists": os.path.lexists(path), "size_bytes": _size(path)}
    _add_facts(diagnosis, facts)
    if diagnosis.condition == ABSENT:
        found.append(_data_dir() or nowhere)
        return
    found += _of_store(diagnosis, path)
    if diagnosis.schema == store.LATEST and diagnosis.condition not in (DAMAGED, REFUSED) and place.repo_id != USER:
        facts["evidence"] = evidence.facts(where)
        if facts["evidence"]:
            found.append(Finding("ok", "evidence", *evidence.said(facts["evidence"])))
    found += _of_files(path) + _of_waiting(os.path.dirname(path))
    if diagnosis.erasing:
        text = "what was erased is still in the file: a process was reading it"
        found.append(Finding("warn", "erased", text, "the next writing command, or mem forget --erase ID again, finishes it"))
    found += _of_other_home(place, diagnosis.root)
    found += _of_origin(place)


def _of_origin(place: Place) -> list[Finding]:
    """Says where another memory was noted first for the origin that this repository was cloned from."""
    other = registry.of_origin(place.checkout) if place.checkout else None
    if not other or other == place.repo_id:
        return []
    text = f"another memory, {other}, belongs to the same origin: the two are not shared"
    hint = f"join them: mem export --repo {other} all.jsonl, then mem import all.jsonl"
    return [Finding("warn", "origin", text, hint)]


def _add_facts(diagnosis: Diagnosis, facts: dict[str, Any]) -> None:
    counts = diagnosis.counts
    if counts:
        facts["fts"] = {"memories": counts.memories, "chunks": counts.chunks, "ok": diagnosis.in_step}
        facts["state"] = {"valid": counts.invalid_states == 0, "count": counts.states}
    if diagnosis.schema:
        at = diagnosis.last_migration_at
        moment = int(at) if at and at.isdecimal() else None
        facts["schema"] = {"user_version": diagnosis.schema, "current_version": store.LATEST, "last_migration_at": moment}


def _data_dir() -> Finding | None:
    """Returns what keeps a first memory from being written."""
    folder = config.data_dir()
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return Finding("error", "store", f"{folder} is not a directory", "move it away, or set MEMPACK_DATA_DIR")
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK):
        return Finding(
            "warn", "store", f"no memory yet, and {folder} cannot be written", "make it writable, or set MEMPACK_DATA_DIR"
        )
    return None


def _of_store(diagnosis: Diagnosis, path: str) -> list[Finding]:
    """Says how the store is: its size, its text index, its agreement with the log."""
    said: list[Finding] = []
    counts = diagnosis.counts
    if counts and diagnosis.condition not in (DAMAGED, REFUSED):
        held = (
            (counts.memories, "memory", "memories"),
            (counts.chunks, "chunk", "chunks"),
            (counts.threads, "thread", "threads"),
        )
        kept = ", ".join([counted(*one) for one in held])
        said.append(
            Finding("ok", "store", f"{kept}, {_bytes(_size(path))}, SQLite {sqlite_version()}, schema {diagnosis.schema}")
        )
    if diagnosis.condition in (DAMAGED, OUT_OF_STEP, REFUSED):
        subject = "search" if diagnosis.condition == OUT_OF_STEP and diagnosis.in_step is False else "store"
        return said + [Finding("error", subject, problem, diagnosis.hint) for problem in diagnosis.problems]
    if diagnosis.in_step is None and _size(path) > LARGE:
        said.append(
            Finding("ok", "search", "index not compared with the texts", "mem doctor --verbose does; writers wait meanwhile")
        )
    elif diagnosis.in_step is None:
        said.append(
            Finding("warn", "search", "index not checked: the store cannot be written now", "run mem doctor again when it can")
        )
    else:
        said.append(Finding("ok", "search", "index complete"))
    if counts:
        extent = "everything" if diagnosis.all_compared else f"what the newest {diagnosis.compared:,} objects show"
        said.append(Finding("ok", "log", f"{counted(counts.operations, 'operation', 'operations')}; {extent} agrees with them"))
        said.append(Finding("ok", "state", f"{counts.states:,} kept" if counts.states else "none kept yet"))
        said += _of_queue(path)
    return said


def _of_queue(path: str) -> list[Finding]:
    """Returns what is wrong with the events of hooks: parked ones, and ones that nobody works up."""
    db = store.open_reader(path)
    try:
        counts = queue.counts(db, now(), _LEASE_MS)
    finally:
        db.close()
    said = []
    if counts.failed:
        text = f"{counted(counts.failed, 'event', 'events')} could not be worked up"
        said.append(Finding("warn", "queue", text, "mem queue shows them; mem queue retry, or purge"))
    if counts.oldest is not None and now() - counts.oldest > _OVERDUE_MS:
        text = f"{counted(counts.pending + counts.stuck, 'event waits', 'events wait')} for {dates.age(counts.oldest, now())}"
        said.append(Finding("warn", "queue", text, "mem worker start; mem worker run says what is wrong"))
    return said


def _of_waiting(folder: str) -> list[Finding]:
    """Says which events of hooks wait in files: the store could not take them when they came."""
    files = spool.waiting(folder)
    said = []
    if files.events:
        text = f"{counted(files.events, 'event waits', 'events wait')} in files: the store could not take them when they came"
        said.append(Finding("warn", "queue", text, "mem worker start takes them in, once the store can be written"))
    if files.unreadable:
        text = f"{counted(files.unreadable, 'file holds', 'files hold')} no event of a hook"
        said.append(Finding("warn", "queue", text, f"look at {os.path.join(folder, spool.FOLDER)}, and remove what is of no use"))
    return said


def _of_files(path: str) -> list[Finding]:
    """Says what is odd about the files: who may read them, what was left behind, where they are."""
    folder = os.path.dirname(path)
    said = []
    for what, wanted in ((folder, 0o700), (path, 0o600)):
        mode = _mode(what)
        if os.name == "posix" and mode & 0o077:
            said.append(Finding("warn", "files", f"others may look into {what} ({mode:04o})", f"chmod {wanted:o} it"))
    if leftovers := backup.leftovers(path):
        said.append(
            Finding("warn", "files", f"{len(leftovers)} unfinished, of a killed command", "mem doctor --repair removes them")
        )
    if copies := backup.copies(path):
        kept = ", ".join([os.path.basename(copy) for copy in copies[:3]]) + (", …" if len(copies) > 3 else "")
        text = f"{_bytes(sum([_size(copy) for copy in copies]))} of older copies: {kept}"
        said.append(Finding("ok", "files", text, "remove them when all is well"))
    if _size(path + "-wal") > _LARGE_LOG:
        text = f"a write-ahead log of {_bytes(_size(path + '-wal'))}: some process keeps the store open"
        said.append(Finding("warn", "files", text, "end it, and the log is folded in"))
    if (kind := _file_system(folder)) in _FAR_AWAY:
        text = f"the store is on {kind}, where locks cannot be relied on"
        said.append(Finding("warn", "files", text, "set MEMPACK_DATA_DIR to a local directory"))
    return said


def _of_other_home(place: Place, root: str) -> list[Finding]:
    """Warns of a copied directory: two that live and claim the same id without being clones of one origin."""
    if not root or not place.checkout or root == place.root or not os.path.isdir(root):
        return []
    other = head.find(root)
    if other is None or other.root != root or other.common_dir == place.checkout.common_dir:
        return []
    if head.recorded_id(other) != place.repo_id or head.recorded_id(place.checkout) != place.repo_id:
        return []
    if (origin := identity.origin(other)) and origin == identity.origin(place.checkout):
        return []  # clones of one origin share their memory on purpose
    hint = "if one is to have its own memory, remove mempack/repo-id in its git directory"
    return [Finding("warn", "repository", f"shares its memory with its copy {root}", hint)]


def _of_config(place: Place | None) -> list[Finding]:
    try:
        loaded = config.load((place.root if place else "") or None, lambda key: None, lambda key, value: None)
    except MemError as problem:
        return [Finding("error", "config", problem.message, problem.hint)]
    odd = [
        Finding("warn", "config", problem, "correct .mempack/config.toml; it is ignored until then")
        for problem in loaded.problems
    ]
    set_by = sorted({source for _, source in loaded.values.values()})
    return odd or [Finding("ok", "config", f"{len(loaded.values)} set, by {', '.join(set_by)}" if set_by else "defaults")]


def _of_user() -> list[Finding]:
    """Says whether the person's own memory, which every recall reads too, can be read."""
    path = os.path.join(folder_of(USER, None), "memory.db")
    diagnosis = diagnose(path, thorough=False)
    if diagnosis.condition == ABSENT:
        return [Finding("ok", "user", "nothing of your own is kept yet")]
    if diagnosis.problems:
        return [
            Finding(
                "error",
                "user",
                f"your own memory: {diagnosis.problems[0]}",
                diagnosis.hint.replace("mem doctor", "mem doctor --user"),
            )
        ]
    return [
        Finding(
            "ok", "user", f"{counted(diagnosis.counts.memories, 'memory', 'memories')} of your own" if diagnosis.counts else ""
        )
    ]


def _of_harnesses(root: str) -> list[Finding]:
    """Says which harnesses were told of the memory, and what of it does not work."""
    said = [Finding("ok" if one.ok else "warn", one.harness, one.text, one.hint) for one in checks.look(root)]
    return said or [Finding("ok", "harnesses", "none was told of the memory", "mem setup claude, or another")]


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return 0


def _bytes(count: int) -> str:
    """Returns a size for people: `18 MB`."""
    if count < 1_000:
        return f"{count} bytes"
    for unit in ("kB", "MB", "GB"):
        count /= 1_000  # type: ignore[assignment]
        if count < 1_000 or unit == "GB":
            break
    return f"{count:,.0f} {unit}"


def _file_system(folder: str) -> str:
    """Returns the kind of file system a directory is on, "" where the system does not tell."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[1:3] for line in file if len(line.split()) > 2]
    except OSError:
        return ""
    above = [(len(where), kind) for where, kind in mounts if (folder + "/").startswith(where.rstrip("/") + "/")]
    return max(above)[1] if above else ""
