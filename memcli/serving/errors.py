"""Any error as one that a client can be shown."""

from __future__ import annotations

from memcli.errors import MemError
from memcli.store import db


def explain(error: Exception, hint: str) -> MemError:
    """Returns the error to show for any exception. Of a bug it names only the type, with `hint`."""
    if isinstance(error, MemError):
        return error
    if isinstance(error, (db.Error, OSError, MemoryError)):
        return db.explain(error)
    if isinstance(error, UnicodeDecodeError):
        return MemError("the store holds text that is not UTF-8", "run mem doctor --repair; it keeps the original", "damaged")
    return MemError(f"internal error: {type(error).__name__}", hint, "internal")
