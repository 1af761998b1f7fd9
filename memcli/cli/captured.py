"""What a person sees of sessions, prompts and the queue."""

from __future__ import annotations

from memcli.cli.output import paint
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.store.queue import Counts, Job


def queue(counts: Counts, parked: Sequence[Job], pid: int | None, now: int) -> str:
    """The queue: how many events are in which state, the worker, what was parked and why."""
    states = ("pending", "processing", "stuck", "failed", "processed")
    lines = [" · ".join([f"{getattr(counts, state)} {state}" for state in states])]
    if counts.oldest is not None:
        lines.append(f"the oldest waits since {dates.age(counts.oldest, now)}")
    lines.append(f"the worker runs (process {pid})" if pid else "the worker runs" if pid == 0 else "the worker does not run")
    for job in parked:
        head = paint(f"{job.n:>8}", "id")
        lines.append(f"{head}  {oneline(job.harness)} {oneline(job.event)}, {job.attempts} attempts: {oneline(job.error)[:120]}")
    return "\n".join(lines)
