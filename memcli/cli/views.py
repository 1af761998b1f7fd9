"""Records as aligned lines for people. Nothing stored reaches the screen unescaped."""

from __future__ import annotations

from memcli.cli.output import ListItem, counted, invalid_note, is_wide, not_here, paint, paragraph, rows, table, width
from memcli.text import dates
from memcli.text.ids import PLACE, anchor_branch, writer_of
from memcli.text.terminal import oneline, visible
from memcli.validity import exposure_words, origin_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.maintenance.audit import StaleMemory
    from memcli.memory.context import Difference
    from memcli.operations.lists import Memories, MemoriesOfThread, Threads
    from memcli.operations.recall import SearchResult
    from memcli.operations.results import Authors
    from memcli.operations.show import Shown
    from memcli.operations.state import States
    from memcli.recall.render import Marks
    from memcli.store.context import State
    from memcli.store.graph import Link
    from memcli.store.memories import Memory
    from memcli.store.usage import Usage
    from memcli.validity import Freshness
    from memcli.validity.chunks import ChunkInFile

GIVES_ORDERS = "holds a phrase that gives orders to a model"
_BY_CI = "saved by a CI job"
_INDENT = 14  # columns up to the text behind an id


def marked(marks: Marks) -> tuple[str, ...]:
    """Returns marks in words."""
    from memcli.recall import render

    return tuple([render.mark_text(render.PROMPT, {mark: fields}).removeprefix(" · ") for mark, fields in marks.items()])


def search_hits(result: SearchResult) -> str:
    """The hits of `mem search`."""
    items = []
    for hit in result.hits:
        title = oneline(hit.memory.title)
        tail = " · ".join([dates.age(hit.memory.created_at, result.now), hit.memory.thread] + ["yours"] * hit.ranked.from_user)
        names = origin_marks(hit.memory.origin, hit.memory.tags) + ("suspicious",) * bool(hit.memory.suspicious)
        marks = _named_marks(names, result.authors.get(hit.memory.id, "")) + _contested(result.contests.get(hit.memory.id))
        items.append(ListItem(hit.memory.id, title, tail, marks, hit.snippet if hit.snippet and hit.snippet != title else ""))
    return "\n".join(rows(items)) or "nothing stored matches"


def _named_marks(names: Sequence[str], author: str) -> tuple[str, ...]:
    """Returns marks in words, with the name of another writer if that is known."""
    return (
        marked({f"{it}_named" if author and it == "other" else it: (author,) * (it == "other") for it in names}) if names else ()
    )


def _contested(contest: tuple[str, tuple[str, ...]] | None) -> tuple[str, ...]:
    """Returns the remark on a memory that others contest."""
    return (f"one of {len(contest[1]) + 1} that replace {contest[0]}",) if contest else ()


def memory(memory: Memory, links: Sequence[Link], result: Shown) -> str:
    """Everything about one memory and its `links`."""
    status, now, authors = result.details, result.now, result.authors
    author, editor = authored(authors) if authors else (memory.origin, memory.origin)
    freshness = status.freshness
    drifted = dict.fromkeys(freshness.gone, "gone") | dict.fromkeys(freshness.changed, "changed since")
    facts = [
        ("thread", memory.thread),
        ("kind", memory.kind),
        ("tags", ", ".join(memory.tags.split("\n"))),
        ("entities", ", ".join(memory.entities.split("\n"))),
        ("written", " · ".join([f"{moment(memory.created_at, now)} by {author}", *exposure_words(memory.origin, memory.tags)])),
        (
            "changed",
            f"{moment(memory.updated_at, now)} by {editor}" if editor != author or memory.updated_at > memory.created_at else "",
        ),
        ("commit", anchored(memory.anchor, status.anchor_state)),
        ("source", memory.source_id or ""),
        ("pinned", "yes" if memory.pinned else ""),
        ("superseded", _superseded(memory, result)),
        ("suspicious", GIVES_ORDERS if memory.suspicious else ""),
        *[(link.rel, link.to_id + (f" ({drifted.get(link.to_id, link.hash[:10])})" if link.hash else "")) for link in links],
        ("told", _usage(result.usage, now)),
        ("contested", _contest(result, freshness)),
        ("shared", result.shared),
    ]
    lines = [*heading(memory.id, oneline(memory.title)), "", *stored_text(memory.summary), ""]
    return "\n".join([*lines, *facts_of(facts)])


def _superseded(memory: Memory, result: Shown) -> str:
    """Returns what replaced a memory, and what holds in its place where that was replaced in turn."""
    if not memory.superseded_by:
        return ""
    if memory.superseded_by in result.details.freshness.rivals:
        return f"by {memory.superseded_by}, which it supersedes in turn"
    if len(result.successors) == 1:
        return f"by {memory.superseded_by}, which does not hold any more: {result.successors[0]} does"
    return f"by {' and '.join(result.successors or (memory.superseded_by,))}"


def _contest(result: Shown, freshness: Freshness) -> str:
    """Returns who contests a memory, or which of several replace it, and the command that settles it."""
    if len(result.successors) > 1 and not freshness.rivals:
        first, second = result.successors[:2]
        return f"settle it with mem supersede {second} --by {first}, or the other way round"
    settled = [f"it holds: mem supersede {rival} --by {result.item.id}" for rival in freshness.rivals[:1]]
    if not settled:
        return ""
    rivals = ", ".join(freshness.rivals)
    what = f"replaces {freshness.replaces}, as does {rivals}"
    if not freshness.replaces.startswith("M-"):
        what = f"it and {rivals} replace {freshness.replaces}"
    return "; ".join([what, *settled])


def heading(name: str, title: str) -> list[str]:
    return paragraph(title, len(name) + 2, "bold", f"{paint(name, 'id')}  ") if title else [paint(name, "id")]


def stored_text(text: str) -> list[str]:
    """Returns a stored text as lines; wrapped ones keep the indent of their beginning."""
    if is_wide():
        return [visible(text)]
    lines = []
    for line in visible(text).expandtabs(4).split("\n"):
        content = line.lstrip(" ")
        indent = min(len(line) - len(content), width() // 2)
        lines += [line.rstrip() for line in paragraph(content, indent)]
    return lines


def authored(authors: Authors) -> list[str]:
    """Returns who wrote something and who last changed it: another store by name, this one by the program."""
    pairs = ((authors.wrote, authors.actor), (authors.changed, authors.editor))
    return [oneline(name if writer_of(actor) else f"{name} ({actor})" if name else actor) for name, actor in pairs]


def moment(ms: int, now: int) -> str:
    return f"{dates.local(ms)} ({dates.ago(ms, now)})"


def _usage(usage: Usage | None, now: int) -> str:
    """Returns how many sessions were told a memory and how many used it; "" if none was told it."""
    if usage is None or usage.last_told is None:
        return ""
    used = f"{usage.used:,} (last {dates.ago(usage.last_used, now)})" if usage.last_used else "none"
    return f"to {counted(usage.told, 'session')} (last {dates.ago(usage.last_told, now)}), used by {used}"


def anchored(anchor: str | None, state: str) -> str:
    """Returns the anchor of a memory, with its state if that is worth mentioning."""
    if anchor is None:
        return "none: holds everywhere"
    if branch := anchor_branch(anchor):
        commit, moment, _ = anchor.split(" ", 2)
        return f"{commit} ({'no commit yet' if int(moment) else 'deleted without a commit'}: branch {oneline(branch)})"
    from memcli.validity import carried_over  # loaded already where there is a status

    if carried := carried_over(state):
        return f"{anchor} ({carried[0]}: now {carried[1][:7]})"
    return f"{anchor} ({_ANCHOR_STATES[state]})" if state in _ANCHOR_STATES else anchor


def facts_of(facts: Sequence[tuple[str, str]]) -> list[str]:
    listed = [(name, oneline(value)) for name, value in facts if value]
    indent = max([10, *[len(name) for name, _ in listed]]) + 1
    return [line for name, value in listed for line in paragraph(value, indent, "", paint(f"{name:<{indent}}", "dim"))]


_ANCHOR_STATES = {"orphan": "not on this branch", "unknown": "commit unknown here"}
_PROSE = ("", "markdown", "text")
_STATES = {
    "given": "none: given as a text",
    "current": "as it was when it was read",
    "found": "changed since; these lines are still in it",
    "changed": "changed since, and these lines are not in it: mem ingest",
    "gone": "gone: mem ingest",
    "elsewhere": "other here: another working tree has these lines",
}


def chunk(located: ChunkInFile, links: Sequence[Link]) -> str:
    """Everything about one chunk, and what cites it."""
    chunk = located.chunk
    facts = [
        ("file", _STATES[located.state]),
        ("language", located.language),
        ("kind", chunk.kind),
        ("symbol", chunk.symbol),
        ("thread", chunk.thread),
        ("tags", ", ".join(chunk.tags.split("\n"))),
        *[("cited by", f"{link.from_id} ({link.rel})") for link in links],
    ]
    text = "\n".join(stored_text(chunk.text)) if located.language in _PROSE else visible(chunk.text)
    if located.before or located.after:
        first = chunk.first_line - len(located.before)
        lines = [*located.before, *chunk.text.split("\n"), *located.after]
        inside = range(len(located.before), len(lines) - len(located.after))
        numbered = [f"{first + index:>6}  {visible(line)}".rstrip() for index, line in enumerate(lines)]
        text = "\n".join([line if index in inside else paint(line, "dim") for index, line in enumerate(numbered)])
    return "\n".join([*heading(chunk.id, chunk.place), "", text, "", *facts_of(facts)])


def stale(memories: Sequence[StaleMemory], now: int) -> str:
    """Memories whose files have changed since, each with what can be done about it."""
    items = [
        ListItem(stale.memory.id, stale.memory.line, f"{dates.age(stale.memory.created_at, now)} · {stale.memory.thread}")
        for stale in memories
    ]
    lines = []
    for stale, entry in zip(memories, rows(items), strict=True):
        changes = [f"{oneline(path)} changed since" for path in stale.changed] + [
            f"{oneline(path)} is gone" for path in stale.gone
        ]
        steps = [f'mem supersede {stale.memory.id} --summary "..."', f"mem confirm {stale.memory.id}"]
        joined = "   or   ".join(steps)
        lines += [entry, *[line for change in changes for line in paragraph(change, _INDENT, "warn")]]
        lines += [" " * _INDENT + step for step in ([joined] if _INDENT + len(joined) <= width() else steps)]
    return "\n".join(lines) or "no memory that is valid here refers to a file that has changed"


def recent(result: Memories | MemoriesOfThread) -> str:
    """Memories, newest first."""
    items = []
    for memory, (anchor_state, superseded) in zip(result.memories, result.standings):
        remarks = (*filter(None, [_ANCHOR_STATES.get(anchor_state)]), *("superseded",) * bool(superseded))
        remarks += _contested(result.contests.get(memory.id))
        remarks += (*exposure_words(memory.origin, memory.tags), *(GIVES_ORDERS,) * bool(memory.suspicious))
        kind = f"{memory.kind} · " if PLACE in memory.id else ""
        note = f"{dates.age(memory.created_at, result.now)} · {kind}{memory.thread}"
        if authors := result.authors.get(memory.id):
            shares = [("by", authors.wrote), ("changed by", authors.changed)]
            note += " · " + ", ".join([f"{verb} {oneline(name)}" for verb, name in shares if name])
        items.append(ListItem(memory.id, oneline(memory.title), note, remarks))
    lines = rows(items) + _invalid(result.standings)
    if not lines and not getattr(result, "are_all", True):
        return "nothing stored matches"
    return "\n".join(lines) or 'nothing stored yet; start with: mem add "..." --summary "..."'


def _invalid(standings: Sequence[tuple[str, bool]]) -> list[str]:
    """Returns the line about how many of some memories do not hold here."""
    invalid = [superseded for state, superseded in standings if superseded or state == "orphan"]
    return invalid_note(len(invalid), ": superseded" if all(invalid) else "")


def thread(result: MemoriesOfThread) -> str:
    """Memories of a thread, newest first, and how much evidence it has."""
    if not result.thread.chunk_count:
        return recent(result)
    count = counted(result.thread.chunk_count, "chunk")
    evidence = f"{count} of evidence (mem search WORDS --kind chunk --thread {oneline(result.thread.id)})"
    return "\n".join([*([recent(result)] if result.memories else []), *paragraph(evidence, 0, "dim")])


def threads(result: Threads) -> str:
    """Threads with the number of their memories."""
    from memcli.operations.results import thread_record  # no everyday command lists threads

    if not result.threads:
        return "no threads yet"
    digits = max([len(f"{row.memory_count:,}") for row in result.threads] + [6])
    lines = []
    for row in result.threads:
        notes = ["its name gives orders to a model"] if thread_record(row).suspicious else []
        if row.invalid_count:
            notes.append(f"{row.invalid_count:,} {not_here(row.invalid_count)}")
        note = ", ".join(notes + ([counted(row.chunk_count, "chunk")] if row.chunk_count else []))
        lines.append((row.id, f"{row.memory_count:>{digits},}", dates.age(row.created_at, result.now), note))
    return "\n".join(table(lines, ("", "", "dim", "dim")))


def state(result: States) -> str:
    """The state item by item, the history of states, or what the last checkpoint changed."""
    if result.view == "diff":
        return _differences(result.changes)
    if result.view == "history":
        return _states(result.states, result.now)
    shown = [checkpoint(state, result.now, result.authors.get(state.id, "")) for state in result.states]
    return "\n\n".join(shown) or "no checkpoint yet"


def by_writer(author: str) -> str:
    """Returns the remark that another store wrote something, with its name if that is known."""
    return f"by another writer, “{oneline(author)}”" if author else "by another writer"


def checkpoint(state: State, now: int, author: str = "") -> str:
    """One state, item by item. `author`: the name of the other store that wrote it."""
    head = f"{oneline(state.reason)}  {dates.age(state.created_at, now)}"
    lines = paragraph(head, _INDENT, "", f"{paint(state.id, 'id')}  ")
    lines += paragraph(by_writer(author), _INDENT, "dim") if writer_of(state.actor) else []
    remarks = [*[_BY_CI] * state.ci, *[_ANCHOR_STATES["unknown"]] * state.unknown, *[GIVES_ORDERS] * bool(state.suspicious)]
    lines += [line for remark in remarks for line in paragraph(remark, _INDENT, "dim")]
    return "\n".join([*lines, *[line for item in state.items.split("\n") for line in paragraph(item, 2)]])


def _states(states: Sequence[State], now: int) -> str:
    items = [
        ListItem(
            state.id,
            oneline(state.reason),
            dates.age(state.created_at, now),
            (*[_BY_CI] * state.ci, *[GIVES_ORDERS] * bool(state.suspicious)),
        )
        for state in states
    ]
    return "\n".join(rows(items)) or "no checkpoint yet"


def _differences(differences: Sequence[Difference]) -> str:
    lines = []
    for change in differences:
        for sign, value, style in (("-", change.before, "error"), ("+", change.after, "ok")):
            if value is not None:
                lines += paragraph(f"{oneline(change.key)}: {oneline(value)}", 2, style, paint(f"{sign} ", style))
    return "\n".join(lines) or "no difference"
