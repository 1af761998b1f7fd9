"""What a person sees of sessions, prompts and the queue."""

from __future__ import annotations

from memcli.cli.output import clip, paint, width
from memcli.store.memories import Memory
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.capture.worker import WorkerStatus
    from memcli.recall.chronology import SessionHistory
    from memcli.store.inbox import SpooledEvents
    from memcli.store.queue import Job, JobCounts
    from memcli.store.sessions import Prompt, Session


_LONG = 120_000  # ms; what waits for less is only on its way


def queue(counts: JobCounts, files: SpooledEvents, parked: Sequence[Job], worker: WorkerStatus, now: int) -> str:
    """The queue: how many events are in which state, the worker, the model, what was parked and why."""
    states = ("pending", "processing", "stuck", "failed", "processed")
    lines = [" · ".join([f"{getattr(counts, state)} {state}" for state in states])]
    if files.events:
        lines.append(f"{files.events} in files, because the store could not be written; the next command that can takes them in")
    since = [moment for moment in (counts.oldest, files.oldest) if moment is not None]
    if since and now - min(since) >= _LONG:
        lines.append(f"the oldest has waited for {dates.age(min(since), now)}")
    pid, model = worker.pid, worker.compressor
    lines.append(f"the worker runs (process {pid})" if pid else "the worker runs" if pid == 0 else "the worker rests")
    usage = f"{model.calls} of {model.calls_an_hour} calls this hour, {model.tokens:,} of {model.tokens_a_day:,} tokens today"
    lines.append(
        f"compressor {model.provider}" + ("" if model.provider == "none" else f": {usage}, {model.concurrency} at a time")
    )
    for job in parked:
        head = paint(f"{job.n:>8}", "id")
        lines.append(f"{head}  {oneline(job.harness)} {oneline(job.event)}, {job.attempts} attempts: {oneline(job.error)[:120]}")
    return "\n".join(lines)


def sessions(found: Sequence[tuple[Session, str]], now: int, none: str) -> str:
    """A line a session: id, what it was about, when, how far it went; `none` where there is none."""
    lines = []
    for one, title in found:
        ended = one.status if not one.reason else f"{one.status} ({oneline(one.reason)})"
        prompts = "1 prompt" if one.prompts == 1 else f"{one.prompts} prompts"
        said = f"{dates.age(one.last_at, now)} · {oneline(one.harness)} · {prompts} · {ended}"
        room = max(20, width() - len(one.id) - len(said) - 4)
        lines.append(f"{paint(one.id, 'id')}  {clip(oneline(title), room):<{min(room, 44)}}  {paint(said, 'dim')}")
    return "\n".join(lines) or none


def index(found: Sequence[Memory]) -> str:
    """A line a memory: id, kind, when (UTC), tokens, title."""
    return "\n".join([_moment_line(one.id, one.kind, one.created_at, f"{one.prompt_tokens:>4}  {one.line}") for one in found])


def _moment_line(name: str, kind: str, at: int, text: str) -> str:
    moment = dates.iso(at)[:16].replace("T", " ")
    return f"{paint(name, 'id')}  {kind:<9}  {moment}  {clip(text, max(40, width() - 42))}"


def session(whole: SessionHistory, now: int, only: int | None = None) -> str:
    """A session: its summary, then turn by turn the prompt, what was observed, the answer; `only`: of one turn, by its number."""
    one = whole.session
    head = f"{oneline(one.harness)} session {oneline(one.key)}, {one.status}" + (
        f" ({oneline(one.reason)})" if one.reason else ""
    )
    lines = [f"{paint(one.id, 'id')}  {head}, {dates.age(one.last_at, now)}"]
    if whole.summary and only is None:
        lines += ["", paint(f"Summary {whole.summary.id}", "heading")]
        lines += [f"  {oneline(line)}" for line in whole.summary.summary.split("\n")]
    seen = {number: [item for item in whole.observations if item.prompt == number] for number in range(one.prompts + 1)}
    lines += [_observed(item) for item in seen.get(0, [])] if only is None else []
    for prompt in whole.prompts:
        if only in (None, prompt.number):
            lines += ["", *_turn(prompt, seen.get(prompt.number, []))]
    return "\n".join(lines)


def _turn(prompt: Prompt, seen: Sequence[Memory]) -> list[str]:
    text = f"({prompt.skipped})" if prompt.skipped else oneline(prompt.text)
    lines = [f"{paint(prompt.id, 'id')}  {paint(f'{prompt.number}.', 'bold')} {clip(text, 400)}"]
    lines += [_observed(item) for item in seen]
    lines += [f"  read {clip(', '.join(prompt.files.split(chr(10))), 200)}"] if prompt.files else []
    return [*lines, *([f"  > {clip(oneline(prompt.reply), 400)}"] if prompt.reply else [])]


def _observed(item: Memory) -> str:
    return f"  {paint(item.id, 'id')}  {item.kind:<9}  {oneline(item.title)}"


def timeline(meant: str, items: Sequence[Memory | Prompt]) -> str:
    """What happened around something, which is marked."""
    lines = []
    for one in items:
        kind, text = (one.kind, one.title) if isinstance(one, Memory) else ("prompt", one.text or f"({one.skipped})")
        lines.append(_moment_line(one.id, kind, one.created_at, f"{'→' if one.id == meant else ' '} {oneline(text)}"))
    return "\n".join(lines)
