"""The log for people: each operation as a verb and what it was about."""

from __future__ import annotations

from memcli.cli.output import ListItem, counted, invalid_note, rows
from memcli.text import dates, json
from memcli.text.ids import anchor_branch, writer_of
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.memory.overtaken import Overtaking
    from memcli.operations.state import Log
    from memcli.operations.undo import Undone
    from memcli.store.oplog import LoggedOperation

    Titles = dict[str, str]

_ID = 12  # characters of an id
_INDENT = 8  # columns before a patch: as wide as a revision
_LISTED = 20  # operations that an undo lists
_NAMED = 3  # operations that the log names of what was taken back
_LONG = 120  # characters of a text that is no title
_OVERTAKEN = {  # by how it came about
    "done": "closed {text}: done, see {by}",
    "replaced": "replaced {text} by {by}",
    "reverted": "marked {text} as reverted: {by}",
    "fixed": "marked {text} as fixed: {by}",
    "removed": "marked {text} as out of date, since {name} is gone",
}
_CREATED = ("title", "summary", "thread", "kind")  # what only the first operation on a memory has together


def log(result: Log) -> str:
    """The operation log, newest first."""
    items = []
    for op in result.operations:
        object_id = _shown_id(op.object)
        reverted = result.reverted.get(op.object, ()) if op.kind == "undo" else ()
        text = _took_back(reverted, result.titles) if reverted else phrase_of(op, result.titles)
        text += ", which another member purged" * (op.kind == "erase" and op.actor == "sync")
        text = _overtaken(result.overtaken[op.id], result.titles) if op.id in result.overtaken else text
        remarks = ("does not hold here",) * (op.object in result.invalid) + _exposure(op) + _orders(op, text, result.orders)
        if lost := result.lost.get(op.id):
            remarks += (f"{_list([it.key for it in lost])} lost to a later change",)
        note = f"{dates.age(op.hlc_ms, result.now)} · {_actor(op, result)}"
        items.append(ListItem(f"{op.revision:>6}  {object_id:<{_ID}}", text, note, remarks))
    lines = rows(items)
    if result.changes is not None:
        from memcli.cli.patches import patch

        def lost_text(op: LoggedOperation) -> list[str]:
            return patch(result.lost.get(op.id, ()), _INDENT)

        lines = [
            line
            for op, row in zip(result.operations, lines)
            for line in (row, *patch(result.changes[op.id], _INDENT), *lost_text(op))
        ]
    invalid = len([op for op in result.operations if op.object in result.invalid])
    empty = "the log is empty" if result.are_all else "nothing was logged then"
    return "\n".join(lines + invalid_note(invalid)) or empty


def _orders(op: LoggedOperation, text: str, orders: set[str]) -> tuple[str, ...]:
    """Returns the remark on what reads like an order to a model, judged by the stored object, or by the operation's words if
    another writer sent them."""
    if not (writer_of(op.actor) or op.object in orders):
        return ()
    from memcli.cli.views import GIVES_ORDERS  # most logs need neither
    from memcli.validity import is_withheld

    return (GIVES_ORDERS,) * (op.object in orders or is_withheld(op.actor, text))


def _shown_id(object_id: str) -> str:
    """Returns an id as a list shows it; none for a thread, whose title is enough."""
    return object_id if object_id[1:2] == "-" and object_id[0] != "T" else ""


def _actor(op: LoggedOperation, result: Log) -> str:
    """Returns who wrote an operation: the program, and the name of another store."""
    writer = writer_of(op.actor)
    return f"{oneline(result.writers.get(writer) or writer)} ({op.actor.partition('@')[0]})" if writer else op.actor


def _exposure(op: LoggedOperation) -> tuple[str, ...]:
    """Returns the remarks about foreign text that the session had read by then."""
    from memcli.validity import exposure_words

    body = json.loads(op.body) if op.kind in ("put", "prompt") else {}
    return exposure_words(op.actor, "\n".join(body.get("tags") or body.get("exposures") or ()))


def undo(result: Undone) -> str:
    """The operations that were reverted."""
    chunks = [f"Brought back {name}  {title}" for name, title in result.titles.items() if name.startswith("C-")]
    if not result.undone:
        return "\n".join(chunks)
    items = []
    for record in result.undone[:_LISTED]:
        items.append(ListItem(f"  {_shown_id(record.o):<{_ID}}", phrase(record.k, record.o, record.b, result.titles)))
    more = len(result.undone) - _LISTED
    remainder = [f"  and {more:,} more operations"] * (more > 0)
    others = [f"The same import in workspace {name} stands: repeat with --workspace {name}" for name in result.stands_in]
    return "\n".join([f"Took back command {result.command}", *rows(items), *remainder, *chunks, *others])


def _took_back(operations: Sequence[LoggedOperation], titles: Titles) -> str:
    main = [op for op in operations if not op.object.startswith("T-")] or operations
    more = len(main) - _NAMED
    phrases = [phrase_of(op, titles) for op in main[:_NAMED]]
    return f"took back: {'; '.join(phrases)}" + (f"; and {more:,} more" if more > 0 else "")


def _overtaken(overtakings: Sequence[Overtaking], titles: Titles) -> str:
    """Returns the lines about statements that no longer hold, each with the reason, and about those that hold again."""
    more = len(overtakings) - _NAMED
    phrases = []
    for it in overtakings[:_NAMED]:
        wording = _OVERTAKEN.get(it.how, "superseded {text} by {by}") if it.by else "reinstated {text}"
        phrases.append(wording.format(text=f"“{_shortened(it.text)}”", by=_title_or_id(it.by, titles), name=it.name))
    return "; ".join(phrases) + (f"; and {more:,} more" if more > 0 else "")


def phrase_of(op: LoggedOperation, titles: Titles) -> str:
    return phrase(op.kind, op.object, json.loads(op.body), titles)


def phrase(kind: str, object_id: str, body: dict[str, Any], titles: Titles) -> str:
    """Returns an operation on an object as a verb with the object's title, taken from `titles`."""
    make = _PHRASES.get(kind)
    return oneline(make(object_id, body, titles) if make else f"{kind} {object_id}")


def _title_or_id(object_id: str, titles: Titles) -> str:
    text = titles.get(object_id, "")
    if not text:
        return object_id
    text = text if object_id.startswith("M-") else _shortened(text)
    return text if object_id[:2] in ("A-", "K-", "T-") else f"“{text}”"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1].rstrip()}…"


def _put(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    title = _title_or_id(object_id, {object_id: body.get("title") or titles.get(object_id, "")})
    if object_id.startswith("T-"):
        return f"started thread {title}"
    if not body:
        return f"wrote {object_id}, which was erased since"
    if "created" in body or all(field in body for field in _CREATED):
        return f"added {body.get('kind') or 'memory'} {title}"
    if body.keys() == {"pinned"}:
        return f"{'pinned' if body['pinned'] else 'unpinned'} {title}"
    if body.keys() == {"anchor"}:
        if branch := anchor_branch(body["anchor"]):
            return f"left {title} with the branch {oneline(branch)}, which is gone"
        return f"moved {title} to commit {body['anchor'][:7]}" if body["anchor"] else f"{title} now holds on every commit"
    return f"changed {_list(list(body))} of {title}"


def _list(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _forget(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    title = _title_or_id(object_id, titles)
    wordings = {"K-": f"deleted {title} from the profile", "T-": f"removed thread {title}", "N-": f"forgot note {title}"}
    why = f": nobody pinned, linked, cited or changed it in {body['days']:,} days" if body.get("days") else ""
    why = ": its source has it no more" if body.get("how") == "gone" else why
    return wordings.get(object_id[:2], f"forgot {title}{why}")


def _supersede(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    old, new = _title_or_id(object_id, titles), _title_or_id(body.get("by", ""), titles)
    if body.get("how") == "reverted":
        return f"marked {old} as reverted: {new}"
    if body.get("how") == "restored":
        return f"reinstated {old}: the work is back"
    new += f" ({body['by']})" if titles.get(body.get("by", "")) else ""  # two may have one title
    return f"superseded {old} by {new}" if body.get("on") else f"reinstated {old} in place of {new}"


def _link(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    verb, to = ("linked", "to") if body.get("on") else ("unlinked", "from")
    return f"{verb} {_title_or_id(object_id, titles)} {to} {_title_or_id(body.get('to', ''), titles)} ({body.get('rel', '')})"


def _share(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    title = _title_or_id(object_id, titles)
    return f"{title} is shared by the rules again" if body.get("rules") else f"shared {title}"


def _writer(name: str) -> str:
    return "took the name of this store back" if name == "?" else f"called this store {name}"


def _session(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    title, status = _title_or_id(object_id, titles), body.get("status")
    if "started" in body:
        return f"opened session {title}"
    if status is not None:
        return f"reopened session {title}" if status == "active" else f"closed session {title} ({body.get('reason') or status})"
    return f"summed up session {title}" if "summary" in body else f"changed {_list(list(body))} of session {title}"


def _prompt(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    title = _title_or_id(object_id, titles)
    if "created" in body:
        return f"kept prompt {title}"
    if "reply" in body:
        return f"kept the answer to {title}"
    if "facts" in body:
        count = len(body["facts"])
        return f"kept {counted(count, 'fact')} of {title}" if count else f"dropped the facts of {title}"
    if body.keys() == {"commits"}:
        return f"kept the commits of {title}"
    return f"noted what {title} read" if "files" in body else f"changed {_list(list(body))} of prompt {title}"


def _note(object_id: str, body: dict[str, Any], titles: Titles) -> str:
    return f"{'noted' if 'created' in body else 'changed note'} {_title_or_id(object_id, titles)}"


_PHRASES: dict[str, Callable[[str, dict[str, Any], Titles], str]] = {
    "put": _put,
    "forget": _forget,
    "restore": lambda object_id, body, titles: f"restored {_title_or_id(object_id, titles)}",
    "supersede": _supersede,
    "link": _link,
    "state": lambda object_id, body, titles: f"saved state {_title_or_id(object_id, titles)}",
    "profile": lambda object_id, body, titles: f"set {_title_or_id(object_id, titles)} to “{str(body.get('value', ''))[:_LONG]}”",
    "note": _note,
    "session": _session,
    "prompt": _prompt,
    "writer": lambda object_id, body, titles: _writer(body.get("name", "")),
    "undo": lambda object_id, body, titles: "took back a command",
    "erase": lambda object_id, body, titles: f"erased {object_id}",
    "share": _share,
    "unshare": lambda object_id, body, titles: f"stopped sharing {_title_or_id(object_id, titles)}",
}
