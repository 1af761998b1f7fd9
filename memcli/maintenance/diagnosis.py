"""What a store is like: sound, damaged, or nothing that mem may touch. The doctor tells it, the repair acts on it."""

from __future__ import annotations

import os
import stat

from memcli.errors import MemError
from memcli.maintenance import consistency
from memcli.records import Record, replace
from memcli.store import checks, erasing, salvage, trees
from memcli.store import db as store
from memcli.store.failures import explain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.store.checks import Counts
    from memcli.store.db import Connection

ABSENT = "absent"
SOUND = "sound"
OUT_OF_STEP = "out of step"  # the file is whole; indexes or tables do not say what the log says
DAMAGED = "damaged"
REFUSED = "refused"  # not ours, newer, a link, locked: nothing that a repair may or can change
SMALL = 64 * 1024 * 1024  # bytes up to which a store is always checked row by row
LARGE = 1 << 30  # bytes from which the text indexes are compared on demand only: it keeps writers waiting for seconds
_SOME = 2_000  # objects of a larger store that are compared with the log
REPAIR = "run mem doctor --repair; it keeps the original"


class Diagnosis(Record):
    """The condition of a store, what to say about it, and the next step. `problems` is empty where all is well."""

    condition: str
    problems: tuple[str, ...] = ()
    hint: str = ""
    in_step: bool | None = None  # the text indexes say what the texts say; None: not checked
    counts: Counts | None = None
    compared: int = 0  # objects that were compared with the log
    all_compared: bool = False
    schema: int = 0
    last_migration_at: str | None = None
    root: str = ""  # the directory the memory was last written from
    erasing: bool = False  # text that was erased is still in the file


def diagnose(path: str, thorough: bool) -> Diagnosis:
    """Looks at the store at `path`, at every row of it where it is small or `thorough` is set. Never raises for a bad store."""
    found = _from_outside(path)
    if found is not None:
        return found
    size = os.path.getsize(path)
    try:
        db = checks.opened(path)
        try:
            found = _looked_at(db, thorough or size <= SMALL)
        finally:
            db.close()
        return found if found.condition == DAMAGED or (size > LARGE and not thorough) else _with_index(found, path)
    except MemError as problem:
        if problem.code == "foreign" and salvage.holds_operations(path, consistency.usable):
            return Diagnosis(DAMAGED, ("the head of the store's file is damaged",), REPAIR)
        return Diagnosis(DAMAGED if problem.code == "damaged" else REFUSED, (problem.message,), problem.hint)
    except UnicodeDecodeError:
        return Diagnosis(DAMAGED, ("a text in the store is not UTF-8",), REPAIR)
    except (store.Error, OSError) as error:
        return _failed(error)


def _from_outside(path: str) -> Diagnosis | None:
    """Judges what can be judged without opening the file; SQLite would throw the log of an empty file away."""
    log = os.path.isfile(path + "-wal") and os.path.getsize(path + "-wal") > 0
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        if log:
            return Diagnosis(DAMAGED, ("the store's file is missing, but its write-ahead log is there",), REPAIR)
        return Diagnosis(ABSENT)
    except OSError as error:
        return _failed(error)
    if stat.S_ISLNK(found.st_mode):
        return Diagnosis(REFUSED, ("the store's file is a symbolic link",), "put the real file there; mem does not follow links")
    if not stat.S_ISREG(found.st_mode):
        return Diagnosis(REFUSED, ("something that is no file stands at the store's place",), f"move it away: {path}")
    if found.st_size == 0:
        return Diagnosis(DAMAGED, ("the store's file is empty",), REPAIR)
    return None


def _looked_at(db: Connection, thorough: bool) -> Diagnosis:
    changed = checks.schema_problems(db)
    problems = checks.file_problems(db, thorough) or (checks.text_problems(db) if thorough and not changed else [])
    if changed or problems:
        damage = ([f"somebody changed the store's schema: {changed[0]}"] if changed else []) + [
            f"the store is damaged: {one}" for one in problems[:1]
        ]
        return Diagnosis(DAMAGED, tuple(damage), REPAIR)
    counts = checks.counts(db)
    objects = checks.everything(db) if thorough else checks.newest(db, _SOME)
    differ, unreadable = consistency.disagreements(db, objects)
    if not thorough:
        differ += consistency.disagreements(db, checks.strays(db, _SOME))[0]
    if unreadable or counts.invalid_states:
        count = len(unreadable) or counts.invalid_states
        what = (
            "an operation in the log cannot be understood"
            if count == 1
            else f"{count} operations in the log cannot be understood"
        )
        return Diagnosis(DAMAGED, (what if unreadable else "a state is not JSON",), REPAIR, counts=counts)
    count = len(set(differ))
    said = [f"{count} {'row does' if count == 1 else 'rows do'} not say what the log says"] if count else []
    if lost := trees.lost(db):
        said.append(f"{counted(lost, 'row', 'rows')} of the evidence belong to a file that is not known")
    return Diagnosis(
        OUT_OF_STEP if said else SOUND,
        tuple(said),
        REPAIR if said else "",
        counts=counts,
        compared=len(objects),
        all_compared=thorough,
        schema=store.version(db),
        last_migration_at=store.meta(db, "last_migration_at"),
        root=store.meta(db, "root") or "",
        erasing=store.meta(db, erasing.UNFINISHED) is not None,
    )


def _with_index(found: Diagnosis, path: str) -> Diagnosis:
    """Adds whether the text indexes are in step; asked last, since that takes the write lock."""
    out_of_step = checks.index_problems(path)
    if out_of_step is None:
        return found
    if not out_of_step:
        return replace(found, in_step=True)
    said = (*found.problems, "the text index does not say what the texts say")
    return replace(found, condition=OUT_OF_STEP, problems=said, hint=REPAIR, in_step=False)


def _failed(error: Exception) -> Diagnosis:
    """Tells damage, which a repair can mend, from what it cannot: a lock, a full disk, a missing permission."""
    problem = explain(error)
    if problem.code in ("corrupt", "notadb", "store"):
        return Diagnosis(DAMAGED, (problem.message,), REPAIR)
    return Diagnosis(REFUSED, (problem.message,), problem.hint)


def counted(number: int, one: str, many: str) -> str:
    """Returns a number with its noun."""
    return f"{number:,} {one if number == 1 else many}"
