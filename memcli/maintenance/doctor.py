"""Is this memory healthy? Every finding is one line with the next step; nothing is changed."""

from __future__ import annotations

import os
import shlex
import stat
import time
from typing import Any, Literal

from memcli import config, registry, store, system
from memcli.agents.capture.event_queue import LOCK
from memcli.agents.setup.checks import check_harnesses
from memcli.errors import MemError, NotFound
from memcli.maintenance import content, shared
from memcli.maintenance.diagnosis import ABSENT, DAMAGED, LARGE, OUT_OF_SYNC, REFUSED, Diagnosis, counted, diagnose, losses
from memcli.project import USER, Location, Where, folder_of, locate, now
from memcli.records import Record, as_dict
from memcli.repo import blocking, head, history, identity, merge_driver
from memcli.store import copies, elsewhere, inbox, opening, queue, reserve
from memcli.store.integrity import sqlite_version
from memcli.text import dates
from memcli.text.files import size

_LOST_SECONDS = 7 * 86_400  # in which it says that events were lost
_LARGE_LOG = 16 * 1024 * 1024  # bytes of a write-ahead log that should have been merged into the store
_LEASE_MS, _OVERDUE_MS = 300_000, 3_600_000
_NETWORK = ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs")  # file systems whose locks SQLite cannot trust


class CheckResult(Record):
    """The result of one check: its severity, what was checked, what was found, and the next step if there is one."""

    level: Literal["ok", "warn", "error"]
    subject: str
    text: str
    hint: str = ""


class HealthReport(Record):
    """All findings, and `facts` for programs, named as `mem doctor --json` prints them."""

    findings: list[CheckResult]
    facts: dict[str, Any]

    @property
    def ok(self) -> bool:
        """True if no finding is an error."""
        return not self._of_level("error")

    def _of_level(self, level: str) -> list[CheckResult]:
        return [finding for finding in self.findings if finding.level == level]

    def as_json(self) -> dict[str, Any]:
        """Returns the report for programs; `error` and `suggestion` are those of the first error, else None."""
        first = (self._of_level("error") or [CheckResult("error", "", "")])[0]
        findings = [as_dict(finding) for finding in self.findings]
        return {"ok": self.ok, **self.facts, "findings": findings, "error": first.text or None, "suggestion": first.hint or None}

    def verdict(self) -> str:
        """Returns the last line of the printed report."""
        errors, warnings = len(self._of_level("error")), len(self._of_level("warn"))
        counts = [counted(errors, "error", "errors")] * bool(errors) + [counted(warnings, "warning", "warnings")] * bool(warnings)
        return ", ".join(counts) or "no problems found"


def examine(where: Where, verbose: bool) -> HealthReport:
    """Checks a memory and everything it depends on; `verbose`: every row of it, however large it is.

    Never raises for a bad store. Raises NotFound or InvalidInput if `where` names a repository or workspace that does not exist.
    """
    findings: list[CheckResult] = []
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
        repository = locate(where)
    except NotFound as error:
        if error.code != "no_repository" or where.repo:
            raise
        repository = None
        findings.append(CheckResult("warn", "repository", error.message, error.hint))
    if repository is not None:
        _examine_repository(repository, where, verbose, findings, facts)
    findings += _of_config(repository)
    if repository is not None and repository.repo_id != USER:
        findings += _of_user()
        findings += _of_harnesses(repository.root)
    return HealthReport(findings, facts)


def _examine_repository(
    repository: Location, where: Where, verbose: bool, findings: list[CheckResult], facts: dict[str, Any]
) -> None:
    """Adds the findings and facts about one memory."""
    checkout = repository.checkout
    name, repo_id, root = repository.name, repository.repo_id, repository.root
    facts["repo"] = {
        "id": repo_id,
        "name": name or None,
        "git_root": head.storable_name(root) or None,
        "has_git": checkout is not None,
    }
    shown = (name, repo_id, head.storable_name(root))
    findings.append(CheckResult("ok", "repository", " · ".join([text for text in shown if text])))
    if checkout is not None:
        findings += _of_git(checkout) + _of_merge_driver(checkout)
    if repo_id is None:
        findings += [_of_absent_store(), *_of_origin(repository)]
        return
    path = os.path.join(folder_of(repo_id, where.workspace), "memory.db")
    diagnosis = diagnose(path, verbose)
    facts["db"] = {"path": path, "exists": os.path.lexists(path), "size_bytes": size(path)}
    _add_facts(diagnosis, facts)
    if diagnosis.condition == REFUSED and (closed := opening.closed_folder(path)):
        findings.append(CheckResult("error", "store", f"permission denied: {closed}", "let yourself read it"))
        return
    if diagnosis.condition == ABSENT:
        findings.append(_of_copies_left(path) or _of_absent_store())
        return
    findings += _of_store(diagnosis, path)
    if diagnosis.schema == store.LATEST and diagnosis.condition not in (DAMAGED, REFUSED) and repo_id != USER:
        findings += [CheckResult(*finding) for finding in (*content.findings(where, facts), *shared.findings(where))]
    findings += [CheckResult(*finding) for finding in losses(diagnosis, path)]
    findings += _of_files(path) + _of_locks(os.path.dirname(path)) + _of_spool(os.path.dirname(path))
    if diagnosis.erasing:
        text = "erased text is still in the file, because a process was reading it"
        hint = "the next command that writes finishes the erasure, or run mem forget --erase ID again"
        findings.append(CheckResult("warn", "erased", text, hint))
    findings += _of_copied_directory(repository, diagnosis.root)
    findings += _of_origin(repository)


def _add_facts(diagnosis: Diagnosis, facts: dict[str, Any]) -> None:
    counts = diagnosis.counts
    if counts:
        facts["fts"] = {"memories": counts.memories, "chunks": counts.chunks, "ok": diagnosis.index_in_sync}
        facts["state"] = {"valid": counts.invalid_states == 0, "count": counts.states}
    if diagnosis.schema:
        time = diagnosis.last_migration_at
        milliseconds = int(time) if time and time.isdecimal() else None
        facts["schema"] = {"user_version": diagnosis.schema, "current_version": store.LATEST, "last_migration_at": milliseconds}


def _of_merge_driver(checkout: head.Checkout) -> list[CheckResult]:
    """Reports a merge driver that an older mem set up, which needs mem to be there."""
    if not merge_driver.is_outdated(checkout):
        return []
    text = "the merge driver for memory files is an older one: without mem, a merge drops the other side's lines"
    return [CheckResult("warn", "git", text, "mem setup git")]


def _of_git(checkout: head.Checkout) -> list[CheckResult]:
    """Reports a git that is missing or too old, or that is blocked in a repository or refuses it."""
    if path := blocking.file_for(checkout.root):
        text = f"{path} is no regular file, so git is not run here, and what holds on this commit is unknown"
        return [CheckResult("warn", "git", text, "remove it")]
    version = history.git_version()
    if version is None:
        text = "git cannot be run: what holds on this commit is unknown, and memories of other branches are shown as well"
        return [CheckResult("warn", "git", text, "install git, or add it to PATH")]
    if version < history.OLDEST_GIT:
        oldest = ".".join(str(number) for number in history.OLDEST_GIT)
        return [
            CheckResult(
                "warn", "git", f"git {'.'.join(str(number) for number in version)} is old", f"update it to {oldest} or newer"
            )
        ]
    if reason := history.refusal(checkout):
        text = f"git answers nothing here, and what holds on this commit is unknown: {reason}"
        return [CheckResult("warn", "git", text, "see what git status says")]
    return []


def _of_copies_left(path: str, subject: str = "store", option: str = "") -> CheckResult | None:
    """Reports a store that is gone while copies of it are still there. None where none is."""
    beside = [copy for copy in copies.of(path) if not copy.startswith(f"{path}.damaged-")]
    left = sorted([*beside, *[copy for _, copy in elsewhere.of(path)]], key=os.path.getmtime)
    if not left:
        return None
    text = f"{path} is gone; {counted(len(left), 'copy of it is', 'copies of it are')} still there"
    return CheckResult("warn", subject, text, f"the newest comes back with: mem backup{option} --restore {shlex.quote(left[-1])}")


def _of_absent_store() -> CheckResult:
    """Reports that there is no store, and what would prevent the first memory from being written."""
    folder = config.data_dir()
    if os.path.lexists(folder) and not os.path.isdir(folder):
        return CheckResult("error", "store", f"{folder} is not a directory", "move it away, or set MEMPACK_DATA_DIR")
    while not os.path.lexists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    if not os.access(folder, os.W_OK):
        text = f"no memory yet, and {folder} is not writable"
        return CheckResult("warn", "store", text, "make it writable, or set MEMPACK_DATA_DIR")
    return CheckResult("ok", "store", "no memory yet", "run mem init, or mem add")


def _of_store(diagnosis: Diagnosis, path: str) -> list[CheckResult]:
    """Reports the store's size, its text index, and whether it agrees with the log."""
    findings: list[CheckResult] = []
    counts = diagnosis.counts
    if counts and diagnosis.condition not in (DAMAGED, REFUSED):
        sizes = [
            counted(counts.memories, "memory", "memories"),
            counted(counts.chunks, "chunk", "chunks"),
            counted(counts.threads, "thread", "threads"),
            _bytes(size(path)),
        ]
        text = f"{', '.join(sizes)}, SQLite {sqlite_version()}, schema {diagnosis.schema}"
        findings.append(CheckResult("ok", "store", text))
    if diagnosis.condition in (DAMAGED, OUT_OF_SYNC, REFUSED):
        subject = "search" if diagnosis.condition == OUT_OF_SYNC and diagnosis.index_in_sync is False else "store"
        return findings + [CheckResult("error", subject, problem, diagnosis.hint) for problem in diagnosis.problems]
    if diagnosis.index_in_sync is None and size(path) > LARGE:
        hint = "mem doctor --verbose checks it; writers wait meanwhile"
        findings.append(CheckResult("ok", "search", "index not checked, because the store is large", hint))
    elif diagnosis.index_in_sync is None:
        closed = opening.unwritable(path)
        text = f"{closed or 'the store'} is not writable now: nothing can be stored, and the index was not checked"
        hint = "let yourself write it, then run mem doctor again" if closed else "run mem doctor again once it is"
        findings.append(CheckResult("warn", "search", text, hint))
    else:
        findings.append(CheckResult("ok", "search", "index complete"))
    if counts:
        checked = "all objects match" if diagnosis.all_compared else f"the newest {diagnosis.compared:,} objects match"
        findings.append(CheckResult("ok", "log", f"{counted(counts.operations, 'operation', 'operations')}; {checked} the log"))
        text = counted(counts.states, "state", "states") if counts.states else "no state yet"
        findings.append(CheckResult("ok", "state", text))
        findings += _of_queue(path)
    return findings


def _of_queue(path: str) -> list[CheckResult]:
    """Reports queued hook events that failed, or that no worker processes."""
    db = opening.open_reader(path)
    try:
        counts = queue.counts(db, now(), _LEASE_MS)
    finally:
        db.close()
    findings = []
    if counts.failed:
        text = f"{counted(counts.failed, 'event', 'events')} failed"
        findings.append(CheckResult("warn", "queue", text, "mem queue lists them; then mem queue retry, or mem queue purge"))
    if counts.oldest is not None and now() - counts.oldest > _OVERDUE_MS:
        waiting = counted(counts.pending + counts.stuck, "event has", "events have")
        text = f"{waiting} been waiting for {dates.age(counts.oldest, now())}"
        findings.append(CheckResult("warn", "queue", text, "run mem worker start; mem worker run shows errors"))
    return findings


def _of_locks(folder: str) -> list[CheckResult]:
    """Reports a file system that refuses locks: no worker can start there, though none runs."""
    try:
        file = system.open_private(os.path.join(folder, LOCK), os.O_RDONLY)
        try:
            system.try_lock(file)
        finally:
            os.close(file)
    except (FileNotFoundError, PermissionError):  # none yet; or one that may not be read, as the check of the store says
        return []
    except OSError as problem:
        text = f"the file system refuses to lock a file ({problem.strerror}): no worker can run, and events stay in the queue"
        return [CheckResult("warn", "queue", text, "keep the data on a local disk: set MEMPACK_DATA_DIR")]
    return []


def _of_spool(folder: str) -> list[CheckResult]:
    """Reports hook events that were written to files because the store could not be written at the time."""
    files = inbox.spooled(folder)
    findings = []
    waiting, lost, changed_at = reserve.status(folder)
    if waiting:
        text = f"{counted(waiting, 'event is', 'events are')} waiting in the reserve, because the disk was full"
        findings.append(CheckResult("warn", "queue", text, "free some space; the next event or command that writes stores them"))
    if lost and time.time() - changed_at < _LOST_SECONDS:
        text = f"{counted(lost, 'event was', 'events were')} lost, because the disk was full, and the reserve as well"
        findings.append(CheckResult("warn", "queue", text, "free some space; this is said for a week"))
    if files.events:
        text = f"{counted(files.events, 'event is', 'events are')} waiting in files, because the store was not writable"
        findings.append(CheckResult("warn", "queue", text, "mem worker start imports them once the store is writable"))
    if files.unreadable:
        text = f"{counted(files.unreadable, 'file contains', 'files contain')} no hook event"
        hint = f"check {os.path.join(folder, inbox.FOLDER)}, and delete the files you do not need"
        findings.append(CheckResult("warn", "queue", text, hint))
    return findings


def _of_files(path: str) -> list[CheckResult]:
    """Reports loose permissions, leftovers, old copies, a large write-ahead log and a network file system."""
    folder = os.path.dirname(path)
    findings = []
    for name, mode in ((folder, 0o700), (path, 0o600)):
        actual = _mode(name)
        if system.HAS_OWNERS and actual & 0o077:
            findings.append(CheckResult("warn", "files", f"other users can access {name} ({actual:04o})", f"chmod {mode:o} it"))
    if leftovers := copies.leftovers(path):
        text = f"{counted(len(leftovers), 'unfinished file', 'unfinished files')} of a killed command"
        findings.append(CheckResult("warn", "files", text, "mem doctor --repair removes them"))
    if old := copies.of(path):
        names = ", ".join([os.path.basename(copy) for copy in old[:3]]) + (", …" if len(old) > 3 else "")
        text = f"{_bytes(sum([size(copy) for copy in old]))} of older copies: {names}"
        stay = "; those of mem backup stay" * bool(copies.labelled(path, copies.BACKUP))
        findings.append(CheckResult("ok", "files", text, f"mem gc removes those that are older than 30 days{stay}"))
    if size(path + "-wal") > _LARGE_LOG:
        text = f"the write-ahead log has {_bytes(size(path + '-wal'))}, because a process keeps the store open"
        findings.append(CheckResult("warn", "files", text, "end that process; the log is then merged"))
    if (kind := system.file_system(folder)) in _NETWORK:
        text = f"the store is on {kind}, where file locks are unreliable"
        findings.append(CheckResult("warn", "files", text, "set MEMPACK_DATA_DIR to a local directory"))
    return findings


def _of_origin(repository: Location) -> list[CheckResult]:
    """Reports other memories of the origin or the directory of this clone."""
    others = registry.candidates(repository.checkout) if repository.checkout else []
    hint = (
        "to use it here in place of its own: mem use --join {0}; to merge: mem export --repo {0} all.jsonl, mem import all.jsonl"
    )
    return [
        CheckResult("warn", "origin", f"another memory, {other}, belongs to the same origin or directory", hint.format(other))
        for other in others
        if other != repository.repo_id
    ]


def _of_copied_directory(repository: Location, root: str) -> list[CheckResult]:
    """Warns of a copied directory: both exist and claim the same id, but are not clones of one origin."""
    if not root or not repository.checkout or root == repository.root or not os.path.isdir(root):
        return []
    other = head.find(root)
    if other is None or other.root != root or other.common_dir == repository.checkout.common_dir:
        return []
    if head.claimed_id(other) != repository.repo_id or head.claimed_id(repository.checkout) != repository.repo_id:
        return []
    if (origin := identity.origin(other)) and origin == identity.origin(repository.checkout):
        return []  # clones of one origin share their memory on purpose
    hint = "to give one its own memory, remove mempack/repo-id from its git directory"
    return [CheckResult("warn", "repository", f"shares its memory with a copy of this directory: {root}", hint)]


def _of_config(repository: Location | None) -> list[CheckResult]:
    try:
        settings = config.load((repository.root if repository else "") or None, lambda key: None, lambda key, value: None)
    except MemError as error:
        return [CheckResult("error", "config", error.message, error.hint)]
    hint = "correct .mempack/config.toml; the setting is ignored until then"
    warnings = [CheckResult("warn", "config", problem, hint) for problem in settings.problems]
    sources = sorted({source for _, source in settings.values.values()})
    text = f"{counted(len(settings.values), 'setting', 'settings')} from {', '.join(sources)}" if sources else "defaults"
    return warnings or [CheckResult("ok", "config", f"{text} · {settings.foreign}" if settings.foreign else text)]


def _of_user() -> list[CheckResult]:
    """Reports whether the user's own memory, which every recall reads too, is readable."""
    path = os.path.join(folder_of(USER, None), "memory.db")
    diagnosis = diagnose(path, thorough=False)
    if diagnosis.condition == ABSENT:
        return [_of_copies_left(path, "user", " --user") or CheckResult("ok", "user", "no memories of your own yet")]
    if diagnosis.problems:
        hint = diagnosis.hint.replace("mem doctor", "mem doctor --user")
        return [CheckResult("error", "user", f"your own memory: {diagnosis.problems[0]}", hint)]
    text = f"{counted(diagnosis.counts.memories, 'memory', 'memories')} of your own" if diagnosis.counts else ""
    return [CheckResult("ok", "user", text)]


def _of_harnesses(root: str) -> list[CheckResult]:
    """Reports which harnesses are set up, and what does not work there."""
    findings = [
        CheckResult("ok" if check.ok else "warn", check.harness, check.text, check.hint) for check in check_harnesses(root)
    ]
    return findings or [CheckResult("ok", "harnesses", "none is set up", "mem setup claude, or another harness")]


def _mode(path: str) -> int:
    try:
        return stat.S_IMODE(os.lstat(path).st_mode)
    except OSError:
        return 0


def _bytes(count: float) -> str:
    """Returns a size for people: `18 MB`."""
    if count < 1_000:
        return f"{count} bytes"
    for unit in ("kB", "MB", "GB"):
        count /= 1_000
        if count < 1_000 or unit == "GB":
            break
    return f"{count:,.0f} {unit}"
