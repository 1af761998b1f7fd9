"""What a person sees of sessions, prompts and the queue."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.cli.output import clip, paint, width
from memcli.operations.machine import Queue
from memcli.operations.sessions import SessionDetails, Sessions, Timeline
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt
from memcli.text import dates
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline

_ANSWER = 400  # characters of an answer in a session
_LONG = 120_000  # ms; what waits for less is only on its way


def queue(result: Queue) -> str:
    """The queue: how many events are in which state, the worker, the model, what was parked and why."""
    counts, files, worker, now = result.counts, result.files, result.worker, result.now
    states = ("pending", "processing", "stuck", "failed", "processed")
    lines = [" · ".join([f"{getattr(counts, state)} {state}" for state in states])]
    if files.events:
        lines.append(f"{files.events} in files, because the store could not be written; the next command that can queues them")
    since = [moment for moment in (counts.oldest, files.oldest) if moment is not None]
    if since and now - min(since) >= _LONG:
        lines.append(f"the oldest has waited for {dates.age(min(since), now)}")
    pid, model = worker.pid, worker.compressor
    lines.append("the worker is not running" if pid is None else f"the worker is running{f' (process {pid})' if pid else ''}")
    usage = f"{model.calls} of {model.calls_an_hour} calls this hour, {model.tokens:,} of {model.tokens_a_day:,} tokens today"
    lines.append(
        f"compressor {model.provider}" + ("" if model.provider == "none" else f": {usage}, {model.concurrency} at a time")
    )
    for job in result.parked:
        head = paint(f"{job.n:>8}", "id")
        attempts = f"{job.attempts} {'attempt' if job.attempts == 1 else 'attempts'}"
        lines.append(f"{head}  {oneline(job.harness)} {oneline(job.event)}, {attempts}: {oneline(job.error)[:120]}")
    return "\n".join(lines)


def sessions(result: Sessions) -> str:
    """A line a session: id, what it was about, when, how far it went; or the index of what was observed."""
    if result.index is not None:
        return _index(result.index)
    lines = []
    for session, title in result.sessions:
        ended = session.status if not session.reason else f"{session.status} ({oneline(session.reason)})"
        prompts = "1 prompt" if session.prompts == 1 else f"{session.prompts} prompts"
        details = f"{dates.age(session.last_at, result.now)} · {oneline(session.harness)} · {prompts} · {ended}"
        room = max(20, width() - len(session.id) - len(details) - 4)
        lines.append(f"{paint(session.id, 'id')}  {clip(oneline(title), room):<{min(room, 44)}}  {paint(details, 'dim')}")
    return "\n".join(lines) or ("every session has a summary" if result.needs_summary else "no agent was seen here yet")


def _index(memories: Sequence[Memory]) -> str:
    """A line a memory: id, kind, when (UTC), tokens, title."""
    return "\n".join([_moment_line(row.id, row.kind, row.created_at, f"{row.prompt_tokens:>4}  {row.line}") for row in memories])


def _moment_line(name: str, kind: str, at: int, text: str) -> str:
    moment = dates.iso(at)[:16].replace("T", " ")
    return f"{paint(name, 'id')}  {kind:<9}  {moment}  {clip(text, max(40, width() - 42))}"


def session(result: SessionDetails) -> str:
    """A session: its summary, then turn by turn the prompt, what was observed, the answer; or one turn of it."""
    history, only = result.history, result.turn
    session = history.session
    head = f"{oneline(session.harness)} session {oneline(session.key)}, {session.status}" + (
        f" ({oneline(session.reason)})" if session.reason else ""
    )
    lines = [f"{paint(session.id, 'id')}  {head}, {dates.age(session.last_at, result.now)}"]
    if history.summary and only is None:
        lines += ["", paint(f"Summary {history.summary.id}", "heading")]
        lines += [f"  {oneline(line)}" for line in history.summary.summary.split("\n")]
    turns = {number: [item for item in history.observations if item.prompt == number] for number in range(session.prompts + 1)}
    lines += [_observed(item) for item in turns.get(0, [])] if only is None else []
    for prompt in history.prompts:
        if only in (None, prompt.number):
            lines += ["", *_turn(prompt, turns.get(prompt.number, []))]
            is_cut = only is not None and len(oneline(prompt.reply)) > _ANSWER
            lines += [paint(f"  all of the answer: mem show {prompt.id}{PLACE}a", "dim")] if is_cut else []
    return "\n".join(lines)


def _turn(prompt: Prompt, observations: Sequence[Memory]) -> list[str]:
    text = f"({prompt.skipped})" if prompt.skipped else oneline(prompt.text)
    lines = [f"{paint(prompt.id, 'id')}  {paint(f'{prompt.number}.', 'bold')} {clip(text, 400)}"]
    lines += [_observed(item) for item in observations]
    lines += [f"  read {clip(', '.join(prompt.files.split(chr(10))), 200)}"] if prompt.files else []
    return [*lines, *([f"  > {clip(oneline(prompt.reply), _ANSWER)}"] if prompt.reply else [])]


def _observed(item: Memory) -> str:
    return f"  {paint(item.id, 'id')}  {item.kind:<9}  {oneline(item.title)}"


def timeline(result: Timeline) -> str:
    """What happened around something, which is marked."""
    lines = []
    for entry in result.items:
        kind, text = (entry.kind, entry.title) if isinstance(entry, Memory) else ("prompt", entry.text or f"({entry.skipped})")
        lines.append(_moment_line(entry.id, kind, entry.created_at, f"{'→' if entry.id == result.id else ' '} {oneline(text)}"))
    return "\n".join(lines)
