"""backup: copy a memory while it is in use, and restore it from a copy."""

from __future__ import annotations

import shlex

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.cli.verbs.repositories import counted
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.maintenance import snapshots
from memcli.records import as_dict

_MB = 1_000_000
_ACTIONS = ("create", "new", "list", "ls", "now", "run", "restore")  # of other programs: no file is made of such a word


class BackupOptions(Request):
    """Where a copy is, or is to be."""

    path: str | None = fields.text(
        "A new file, or a directory; beside the store by default, where the newest five stay.", default=None, metavar="PATH"
    )
    restore: bool = fields.flag("Replace the memory with the copy at PATH; what is stored now is kept beside it.", default=False)


def backup(request: BackupOptions, common: Common) -> None:
    """Copies a memory, or restores it from a copy."""
    if request.restore:
        return _restore(request.path, common)
    if request.path in _ACTIONS:
        hint = f"a copy is made with mem backup [PATH]; for a file of this name: mem backup ./{request.path}"
        raise InvalidInput(f"backup has no action {request.path!r}", hint)
    snapshot = snapshots.back_up(common.where, request.path)
    if common.json:
        return output.data(as_dict(snapshot))
    output.show(f"Copied {counted(snapshot.memories)} to {snapshot.path} ({snapshot.bytes / _MB:,.1f} MB)")
    for path in snapshot.removed:
        output.show(f"removed {path}")


def _restore(path: str | None, common: Common) -> None:
    if path is None:
        raise InvalidInput("no copy is given", "use mem backup --restore PATH; mem doctor names the copies beside the store")
    restored = snapshots.restore(common.where, path)
    if common.json:
        return output.data(as_dict(restored))
    output.show(f"Restored {counted(restored.memories)}, up to revision {restored.revision}")
    if restored.kept:
        output.show(f"Take it back with: mem backup --restore {shlex.quote(restored.kept)}")
