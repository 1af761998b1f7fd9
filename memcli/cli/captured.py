"""Sessions, prompts and the queue, for people."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.cli.output import ListItem, counted, paint, paragraph, rows, table
from memcli.operations.machine import Queue
from memcli.operations.sessions import SessionDetails, Sessions, Timeline
from memcli.operations.stats import Stats
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt
from memcli.text import dates
from memcli.text.ids import PLACE
from memcli.text.terminal import oneline
from memcli.validity import EXPOSURES, exposure_words

_INDENT = 14  # columns up to the text behind an id
_LABEL = 9  # columns of what the numbers of `mem stats` are about
_STYLES = ("id", "", "dim")
_QUOTED, _FILES = 400, 200  # characters that are shown of a prompt or an answer, and of the names of files
_LONG = 120_000  # ms; what waits for less is only on its way


def queue(result: Queue) -> str:
    """The queue: how many events are in each state, the worker, the model, what was parked and why."""
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
    lines += [f"the model does not answer: {oneline(model.problem)}"] if model.problem else []
    lines = [wrapped for line in lines for wrapped in paragraph(line)]
    for job in result.parked:
        attempts = counted(job.attempts, "attempt")
        text = f"{oneline(job.harness)} {oneline(job.event)}, {attempts}: {oneline(job.error)}"
        lines += paragraph(text, 10, "", f"{paint(f'{job.n:>8}', 'id')}  ")
    return "\n".join(lines)


def sessions(result: Sessions) -> str:
    """One line per session: id, subject, time, how far it went; or the index of what was observed."""
    if result.index is not None:
        return _index(result.index)
    items = []
    for session, name in result.sessions:
        ended = session.status if not session.reason else f"{session.status} ({oneline(session.reason)})"
        prompts = "1 prompt" if name.prompts == 1 else f"{name.prompts} prompts"
        details = f"{dates.age(session.last_at, result.now)} · {oneline(session.harness)} · {prompts} · {ended}"
        items.append(ListItem(session.id, oneline(name.title), details, tuple([EXPOSURES[it] for it in name.exposed_to])))
    if items:
        return "\n".join(rows(items))
    if result.is_of_memory:
        return "no session was told this memory"
    return "every session has a summary" if result.needs_summary else "no agent was seen here yet"


def _index(memories: Sequence[Memory]) -> str:
    """One line per memory: id, kind, time, tokens, title."""
    lines = [(row.id, row.kind, dates.local(row.created_at), f"{row.prompt_tokens:>4}", row.line) for row in memories]
    return "\n".join(table(lines, _STYLES)) if lines else ""


def session(result: SessionDetails) -> str:
    """A session: its summary, then for each turn the prompt, what was observed, and the answer; or a single turn."""
    history, only = result.history, result.turn
    session = history.session
    head = f"{oneline(session.harness)} session {oneline(session.key)}, {session.status}" + (
        f" ({oneline(session.reason)})" if session.reason else ""
    )
    head = " · ".join([f"{head}, {dates.ago(session.last_at, result.now)}", *[EXPOSURES[it] for it in history.name.exposed_to]])
    lines = paragraph(head, _INDENT, "", f"{paint(session.id, 'id')}  ")
    if history.summary and only is None:
        lines += ["", paint(f"Summary {history.summary.id}", "heading")]
        lines += [wrapped for line in history.summary.summary.split("\n") for wrapped in paragraph(oneline(line), 2)]
    turns = {number: [item for item in history.observations if item.prompt == number] for number in range(session.prompts + 1)}
    lines += [_observed(item) for item in turns.get(0, [])] if only is None else []
    for prompt in history.prompts:
        if only in (None, prompt.number):
            lines += ["", *_turn(prompt, turns.get(prompt.number, []))]
            is_cut = only is not None and len(oneline(prompt.reply)) > _QUOTED
            lines += [paint(f"  all of the answer: mem show {prompt.id}{PLACE}a", "dim")] if is_cut else []
    return "\n".join(lines)


def _turn(prompt: Prompt, observations: Sequence[Memory]) -> list[str]:
    text = f"({prompt.skipped})" if prompt.skipped else oneline(prompt.text)
    number = f"{prompt.number}."
    head = f"{paint(prompt.id, 'id')}  {paint(number, 'bold')} "
    lines = paragraph(_shortened(text, _QUOTED), _INDENT + len(number) + 1, "", head)
    lines += [_observed(item) for item in observations]
    files = ", ".join(map(oneline, prompt.files.split("\n")))
    lines += paragraph(_shortened(files, _FILES), 7, "", "  read ") if prompt.files else []
    return lines + (paragraph(_shortened(oneline(prompt.reply), _QUOTED), 4, "", "  > ") if prompt.reply else [])


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _observed(item: Memory) -> str:
    head = f"  {paint(item.id, 'id')}  {item.kind:<9}  "
    text = " · ".join([oneline(item.title), *exposure_words(item.origin, item.tags)])
    return "\n".join(paragraph(text, _INDENT + 4 + max(9, len(item.kind)), "", head))


def timeline(result: Timeline) -> str:
    """What happened around an item, which is marked."""
    lines = []
    for entry in result.items:
        kind, text = (entry.kind, entry.title) if isinstance(entry, Memory) else ("prompt", entry.text or f"({entry.skipped})")
        mark = "→ " if entry.id == result.id else ""
        text = oneline(text) if isinstance(entry, Memory) else _shortened(oneline(text), _QUOTED)
        lines.append((entry.id, kind, dates.local(entry.created_at), mark + text))
    return "\n".join(table(lines, _STYLES)) if lines else ""


def _labelled(label: str, text: str) -> list[str]:
    return paragraph(text, _LABEL, "", label.ljust(_LABEL))


def _times(count: int) -> str:
    return "once" if count == 1 else "never" if not count else f"{count:,} times"


def stats(result: Stats) -> str:
    """How much is stored, told to sessions and used; what was told often without a sign of use."""
    stored, usage, now = result.stored, result.stored.usage, result.now
    totals = stored.totals
    sorts = [f"{totals[sort]:,} {sort}" for sort in ("observations", "pinned", "superseded", "forgotten") if totals[sort]]
    memories = _counted(totals["memories"], "memory", "memories") + (f" ({', '.join(sorts)})" if sorts else "")
    counts = [f"{totals[sort]:,} {sort}" for sort in ("sessions", "prompts", "chunks") if totals[sort]]
    lines = _labelled("stored", ", ".join([memories, *counts]))
    if usage.told:
        recipients = f"{_counted(usage.memories, 'memory', 'memories')} to {_counted(usage.sessions, 'session', 'sessions')}"
        shares = f"used {_times(usage.used)} ({100 * usage.used // usage.told}%)"
        lines += _labelled("told", f"{recipients}, {_times(usage.told)}; {shares}")
    lines += _labelled("a day", f"about {usage.tokens_a_day:,} tokens told, in the last {usage.days} days")
    if usage.prompts:
        line = f"{usage.prompts:,} in the last {usage.days} days, of which {usage.empty:,} were told nothing new"
        lines += _labelled("prompts", line)
    if usage.never_used:
        lines += ["", paint("Told often, no sign of use (mem doctor --unused)", "heading")]
    for memory in usage.never_used:
        recipients = f"told to {memory.usage.told:,} sessions (last {_age(memory.usage.last_told, now)})"
        lines += rows([ListItem(memory.id, oneline(memory.title), recipients)])
    return "\n".join(lines)


def _counted(count: int, singular: str, plural: str) -> str:
    return f"{count:,} {singular if count == 1 else plural}"


def _age(moment: str | None, now: int) -> str:
    return dates.ago(dates.parse(moment), now) if moment else ""
