"""Shared memories as files of the working tree: their export and import, and the merge driver for git."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import Common, writing
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.records import as_dict
from memcli.replication import tree
from memcli.text import bounded, files
from memcli.text.terminal import oneline

_LARGEST = 1 << 20


class MergeOptions(Request):
    """The three versions of a file that git hands to a merge driver."""

    base: str = fields.text("The version that both sides began with.", metavar="BASE")
    ours: str = fields.text("The version of this side, which is overwritten by the result.", metavar="OURS")
    theirs: str = fields.text("The version of the other side.", metavar="THEIRS")


def export_tree(common: Common) -> None:
    """Writes each shared memory to a file of the working tree."""
    result = writing(common, tree.export, create=False)
    if common.json:
        return output.data({**as_dict(result), "left": [list(pair) for pair in result.left]})
    removed = f", {result.removed:,} removed" if result.removed else ""
    output.show(f"{result.written:,} written, {result.unchanged:,} unchanged{removed} in {result.folder}")
    for name, reason in result.left:
        output.tell(f"{output.paint('Warning:', 'warn', 2)} left {oneline(name)} as it is: {reason}")


def import_tree(path: str, common: Common) -> None:
    """Imports the memory files of a directory."""
    result = writing(common, lambda project: tree.load(project, path), create=True)
    if common.json:
        return output.data({**as_dict(result), "refused": [list(pair) for pair in result.refused]})
    output.show(f"{result.imported:,} new, {result.updated:,} changed, {result.unchanged:,} unchanged")
    for name, reason in result.refused:
        output.tell(f"{output.paint('Warning:', 'warn', 2)} left out {oneline(name)}: {reason}")


def merge_memory(request: MergeOptions, common: Common) -> int:
    """Merges a memory's file field by field, for git. Returns 1, a conflict for git, if a person must choose."""
    text, is_contested = tree.merged(*[_text(path) for path in (request.base, request.ours, request.theirs)])
    files.write(request.ours, text)
    return int(is_contested)


def _text(path: str) -> str:
    data = bounded.read(path, _LARGEST)
    try:
        if data is not None:
            return data.decode()
    except UnicodeDecodeError:
        pass
    raise InvalidInput(f"{path} cannot be read", "merge it by hand")
