"""What is kept of the working tree's files, for doctor: how many files and chunks, and when they were last read."""

from __future__ import annotations

from memcli.errors import MemError
from memcli.ingest import listing
from memcli.project import open_for_reading
from memcli.store import db as store
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Where


def facts(where: Where) -> dict[str, Any] | None:
    """Returns {"files", "chunks", "ingested_at"} of the working tree; None where the store cannot be asked. Changes nothing."""
    try:
        project = open_for_reading(where)
    except (MemError, store.Error, OSError):
        return None
    try:
        found = listing.counts(project)
    except store.Error:
        return None
    finally:
        project.close()
    return {
        "files": found.files,
        "chunks": found.chunks,
        "ingested_at": dates.iso(found.ingested_at) if found.ingested_at else None,
    }


def said(found: dict[str, Any]) -> tuple[str, str]:
    """Returns the same in words, and what to do about it."""
    if not found["files"] and not found["ingested_at"]:
        return "no file of this working tree was taken in", "mem ingest . does"
    since = f", last read whole {found['ingested_at'][:16].replace('T', ' ')} UTC" if found["ingested_at"] else ""
    return f"{found['files']:,} files in {found['chunks']:,} chunks{since}", ""
