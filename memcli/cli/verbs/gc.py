"""gc: prints what was removed."""

from __future__ import annotations

from memcli.cli import output
from memcli.operations.gc import Collected
from memcli.text.terminal import oneline

_MB = 1_000_000


def gc(result: Collected) -> str:
    """What was removed for good, or would be, and how large everything is now."""
    counts = [
        (result.memories, "forgotten observations"),
        (result.prompts, "old prompts"),
        (result.operations, "operations of the log"),
        (result.edits, "old edits"),
        (result.commits, "notes on commits"),
        (len(result.copies), "old copies of the store"),
    ]
    gone = output.counts(counts) or "nothing"
    if result.dry_run:
        return "\n".join([f"would remove {gone}; {result.bytes_before / _MB:,.1f} MB now", *map(oneline, result.copies)])
    return f"removed {gone}; {result.bytes_before / _MB:,.1f} MB before, {result.bytes_after / _MB:,.1f} MB now"
