"""The condition of a store: sound, damaged, or not for mem to change. The doctor reports it, the repair acts on it."""

from __future__ import annotations

import os
import shlex
import stat
from typing import TYPE_CHECKING, Literal

from memcli import store
from memcli.errors import MemError
from memcli.maintenance import consistency
from memcli.records import Record, replace
from memcli.store import copies, explain, integrity, opening, salvage, trees
from memcli.store.integrity import StoreCounts
from memcli.text import dates

if TYPE_CHECKING:
    from memcli.store import Connection

ABSENT = "absent"
SOUND = "sound"
OUT_OF_SYNC = "out of sync"  # the file is whole, but indexes or tables disagree with the log
DAMAGED = "damaged"
REFUSED = "refused"  # foreign, newer, a link, locked: a repair must not or cannot change it
SMALL = 64 * 1024 * 1024  # bytes up to which the whole file is always checked
_FEW = 4_000  # objects up to which, in such a store, each is compared with the log: 1,000 take about 0.3 s
LARGE = 1 << 30  # bytes above which the text indexes are compared on request only: it blocks writers for seconds
_SAMPLE = 2_000  # objects of a larger store, the newest, that are compared with the log
REPAIR = "run mem doctor --repair; it keeps the original"


class Diagnosis(Record):
    """The condition of a store, what is wrong with it (`problems`), and the next step."""

    condition: str
    problems: tuple[str, ...] = ()
    hint: str = ""
    index_in_sync: bool | None = None  # whether the text indexes match the texts; None: not checked
    counts: StoreCounts | None = None
    compared: int = 0  # objects that were compared with the log
    all_compared: bool = False
    schema: int = 0
    last_migration_at: str | None = None
    root: str = ""  # the directory from which the memory was last written
    erasing: bool = False  # erased text is still in the file
    lost: tuple[int, int] = (0, 0)  # operations that a repair could not save, and when that was
    writer: str = ""  # the name of the store


def diagnose(path: str, thorough: bool) -> Diagnosis:
    """Examines the store at `path`, every row of it if these are few or `thorough` is set. Never raises for a bad store."""
    diagnosis = _without_opening(path)
    if diagnosis is not None:
        return diagnosis
    try:
        size = os.path.getsize(path)
        db = integrity.open_for_checks(path)
        try:
            diagnosis = _of_content(db, thorough or size <= SMALL, thorough)
        finally:
            db.close()
        skips_index = diagnosis.condition == DAMAGED or (size > LARGE and not thorough)
        return diagnosis if skips_index else _with_index(diagnosis, path)
    except MemError as error:
        if error.code == "foreign" and salvage.holds_operations(path, consistency.is_readable):
            return _damaged("the header of the store's file is damaged")
        return Diagnosis(DAMAGED if error.code == "damaged" else REFUSED, (error.message,), error.hint)
    except UnicodeDecodeError:
        return _damaged("a text in the store is not UTF-8")
    except (store.Error, OSError) as error:
        return _of_error(error)


def _damaged(problem: str) -> Diagnosis:
    return Diagnosis(DAMAGED, (problem,), REPAIR)


def _without_opening(path: str) -> Diagnosis | None:
    """Judges what can be judged without opening the file: SQLite would discard the write-ahead log of an empty file."""
    has_log = opening.has_log(path)
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return _damaged("the store's file is missing, but its write-ahead log exists") if has_log else Diagnosis(ABSENT)
    except OSError as error:
        return _of_error(error)
    if stat.S_ISLNK(status.st_mode):
        return Diagnosis(REFUSED, ("the store's file is a symbolic link",), "put the real file there; mem does not follow links")
    if not stat.S_ISREG(status.st_mode):
        return Diagnosis(REFUSED, ("the store's path is not a regular file",), f"move it away: {path}")
    return _damaged("the store's file is empty") if status.st_size == 0 else None


def _of_content(db: Connection, thorough: bool, every_row: bool) -> Diagnosis:
    # The file first, then the texts: a damaged page would make every later check fail with a less useful message.
    schema_changes = integrity.schema_problems(db)
    file_problems = integrity.file_problems(db, thorough) or (
        integrity.text_problems(db) if thorough and not schema_changes else []
    )
    if schema_changes or file_problems:
        problems = [f"the store's schema was changed: {change}" for change in schema_changes[:1]]
        problems += [f"the store is damaged: {problem}" for problem in file_problems[:1]]
        return Diagnosis(DAMAGED, tuple(problems), REPAIR)
    counts = integrity.counts(db)
    objects = integrity.everything(db) if thorough else []
    all_compared = every_row or (thorough and len(objects) <= _FEW)
    if not all_compared:
        objects = integrity.newest(db, _SAMPLE)
    differing, unreadable = consistency.disagreements(db, objects)
    if not all_compared:
        differing += consistency.disagreements(db, integrity.strays(db, _SAMPLE))[0]
    if unreadable:
        text = f"{counted(len(unreadable), 'operation', 'operations')} in the log cannot be read"
        return replace(_damaged(text), counts=counts)
    if counts.invalid_states:
        return replace(_damaged("a state is not JSON"), counts=counts)
    problems = []
    if count := len(set(differing)):
        problems.append(f"{counted(count, 'row does not match', 'rows do not match')} the log")
    if lost := trees.count_orphans(db):
        problems.append(f"{counted(lost, 'evidence row belongs', 'evidence rows belong')} to an unknown file")
    return Diagnosis(
        OUT_OF_SYNC if problems else SOUND,
        tuple(problems),
        REPAIR if problems else "",
        counts=counts,
        compared=len(objects),
        all_compared=all_compared,
        schema=store.version(db),
        last_migration_at=store.meta(db, "last_migration_at"),
        root=store.meta(db, "root") or "",
        erasing=store.meta(db, store.UNFINISHED_ERASURE) is not None,
        lost=_lost(store.meta(db, store.LOST_IN_REPAIR) or ""),
        writer=store.meta(db, "writer") or "",
    )


def _lost(noted: str) -> tuple[int, int]:
    numbers = [int(word) for word in noted.split() if word.isdecimal()]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def _with_index(diagnosis: Diagnosis, path: str) -> Diagnosis:
    """Adds whether the text indexes match the texts. Done last, since it takes the write lock."""
    problems = integrity.index_problems(path)
    if problems is None:
        return diagnosis
    if not problems:
        return replace(diagnosis, index_in_sync=True)
    texts = (*diagnosis.problems, "the text index does not match the texts")
    return replace(diagnosis, condition=OUT_OF_SYNC, problems=texts, hint=REPAIR, index_in_sync=False)


def _of_error(error: Exception) -> Diagnosis:
    """Separates damage, which a repair can mend, from a lock, a full disk or a missing permission, which it cannot."""
    problem = explain(error)
    if problem.code in ("corrupt", "notadb", "store"):
        return _damaged(problem.message)
    return Diagnosis(REFUSED, (problem.message,), problem.hint)


def counted(number: int, singular: str, plural: str) -> str:
    """Returns a number with its noun."""
    return f"{number:,} {singular if number == 1 else plural}"


def losses(diagnosis: Diagnosis, path: str) -> list[tuple[Literal["ok", "warn"], str, str, str]]:
    """Returns findings on what a repair could not save, and on a copy that holds more than a store that was begun anew."""
    findings: list[tuple[Literal["ok", "warn"], str, str, str]] = []
    count, at = diagnosis.lost
    fullest = copies.fullest(path) if diagnosis.counts else None
    has = (
        f"the copy of {dates.iso(fullest.made_at)[:10]} has {counted(fullest.memories, 'memory', 'memories')}" if fullest else ""
    )
    restore = f"mem backup --restore {shlex.quote(fullest.path)}" if fullest else ""
    if count:
        text = f"about {counted(count, 'operation is', 'operations are')} missing since the repair of {dates.iso(at)[:10]}"
        if fullest and diagnosis.counts and fullest.operations > diagnosis.counts.operations:
            findings.append(("warn", "log", f"{text}; {has}", restore))
        else:
            findings.append(("ok", "log", text, "a restore of a copy ends this note; the damaged file was kept"))
    elif fullest and diagnosis.counts and fullest.memories > diagnosis.counts.memories and fullest.writer != diagnosis.writer:
        findings.append(("warn", "store", f"this store was begun anew; {has}", f"{restore}; or delete the copy"))
    return findings
