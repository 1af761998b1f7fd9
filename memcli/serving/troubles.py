"""Any error as one that a client can be shown."""

from __future__ import annotations

from memcli.errors import MemError


def explained(error: Exception, hint: str) -> MemError:
    """Returns what to tell of any error; of one that is a bug only its name, with `hint`."""
    from memcli.store import db, failures

    if isinstance(error, MemError):
        return error
    if isinstance(error, (db.Error, OSError, MemoryError)):
        return failures.explain(error)
    if isinstance(error, UnicodeDecodeError):
        return MemError("the store holds text that is not UTF-8", "run mem doctor --repair; it keeps the original", "damaged")
    return MemError(f"internal error: {type(error).__name__}", hint, "internal")
