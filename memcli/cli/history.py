"""What a person reads of the log: each operation as a verb and what it was about."""

from __future__ import annotations

from memcli.cli.output import ListItem, paint, rows
from memcli.text import dates, json
from memcli.text.ids import anchor_branch
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
        name = op.object if op.object[1:2] == "-" and op.object[0] != "T" else ""
        reverted = result.reverted.get(op.object, ()) if op.kind == "undo" else ()
        text = _took_back(reverted, result.titles) if reverted else _phrase(op, result.titles)
        text = _overtaken(result.overtaken[op.id], result.titles) if op.id in result.overtaken else text
        remarks = ("does not hold here",) * (op.object in result.invalid) + _exposure(op)
        items.append(
            ListItem(f"{op.revision:>6}  {name:<{_ID}}", text, f"{dates.age(op.hlc_ms, result.now)} · {op.actor}", remarks)
        )
    lines = rows(items)
    if result.changes is not None:
        from memcli.cli.patches import patch

        lines = [line for op, row in zip(result.operations, lines) for line in (row, *patch(result.changes[op.id], _INDENT))]
    invalid = len([op for op in result.operations if op.object in result.invalid])
    note = f"{invalid:,} of these {'does' if invalid == 1 else 'do'} not hold here"
    empty = "the log is empty" if result.are_all else "nothing was logged then"
    return "\n".join(lines + [paint(note, "dim")] * bool(invalid)) or empty


def _exposure(op: LoggedOperation) -> tuple[str, ...]:
    """Returns what is said of what the session was exposed to in which something was written."""
    from memcli.validity import exposure_words

    body = json.loads(op.body) if op.kind in ("put", "prompt") else {}
    return exposure_words(op.actor, "\n".join(body.get("tags") or body.get("exposures") or ()))


def undo(result: Undone) -> str:
    """The operations that were taken back."""
    chunks = [f"Brought back {name}  {title}" for name, title in result.titles.items() if name.startswith("C-")]
    if not result.undone:
        return "\n".join(chunks)
    items = []
    for record in result.undone[:_LISTED]:
        name = record.o if record.o[0] != "T" else ""
        items.append(ListItem(f"  {name:<{_ID}}", words(record.k, record.o, record.b, result.titles)))
    more = len(result.undone) - _LISTED
    remainder = [f"  and {more:,} more operations"] * (more > 0)
    others = [f"The same import in workspace {name} stands: repeat with --workspace {name}" for name in result.stands_in]
    return "\n".join([f"Took back command {result.command}", *rows(items), *remainder, *chunks, *others])


def _took_back(operations: Sequence[LoggedOperation], titles: Titles) -> str:
    main = [op for op in operations if not op.object.startswith("T-")] or operations
    more = len(main) - _NAMED
    return "took back: " + "; ".join([_phrase(op, titles) for op in main[:_NAMED]]) + (f"; and {more:,} more" if more > 0 else "")


def _overtaken(overtakings: Sequence[Overtaking], titles: Titles) -> str:
    """Returns what is said of statements that hold no more, each with the reason, and of those that hold again."""
    more = len(overtakings) - _NAMED
    phrases = []
    for it in overtakings[:_NAMED]:
        wording = _OVERTAKEN.get(it.how, "superseded {text} by {by}") if it.by else "let {text} hold again"
        phrases.append(wording.format(text=f"“{_shortened(it.text)}”", by=_quoted(it.by, titles), name=it.name))
    return "; ".join(phrases) + (f"; and {more:,} more" if more > 0 else "")


def _phrase(op: LoggedOperation, titles: Titles) -> str:
    return words(op.kind, op.object, json.loads(op.body), titles)


def words(kind: str, name: str, body: dict[str, Any], titles: Titles) -> str:
    """Returns an operation on the object `name` as a verb with the object's title, which is one of `titles`."""
    worded = _WORDED.get(kind)
    return oneline(worded(name, body, titles) if worded else f"{kind} {name}")


def _quoted(name: str, titles: Titles) -> str:
    text = titles.get(name, "")
    if not text:
        return name
    text = text if name.startswith("M-") else _shortened(text)
    return text if name[:2] in ("A-", "K-", "T-") else f"“{text}”"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1].rstrip()}…"


def _put(name: str, body: dict[str, Any], titles: Titles) -> str:
    title = _quoted(name, {name: body.get("title") or titles.get(name, "")})
    if name.startswith("T-"):
        return f"started thread {title}"
    if not body:
        return f"wrote {name}, which was erased since"
    if "created" in body or all(field in body for field in _CREATED):
        return f"added {body.get('kind') or 'memory'} {title}"
    if body.keys() == {"pinned"}:
        return f"{'pinned' if body['pinned'] else 'unpinned'} {title}"
    if body.keys() == {"anchor"}:
        if branch := anchor_branch(body["anchor"]):
            return f"left {title} with the branch {oneline(branch)}, which is gone"
        return f"moved {title} to commit {body['anchor'][:7]}" if body["anchor"] else f"let {title} hold on every commit"
    return f"changed {_list(list(body))} of {title}"


def _list(names: list[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _forget(name: str, body: dict[str, Any], titles: Titles) -> str:
    title = _quoted(name, titles)
    wordings = {"K-": f"deleted {title} from the profile", "T-": f"removed thread {title}", "N-": f"forgot note {title}"}
    why = f": nobody pinned, linked, cited or changed it in {body['days']:,} days" if body.get("days") else ""
    why = ": its source has it no more" if body.get("how") == "gone" else why
    return wordings.get(name[:2], f"forgot {title}{why}")


def _supersede(name: str, body: dict[str, Any], titles: Titles) -> str:
    old, new = _quoted(name, titles), _quoted(body.get("by", ""), titles)
    if body.get("how") == "reverted":
        return f"marked {old} as reverted: {new}"
    if body.get("how") == "restored":
        return f"let {old} hold again: the work is back"
    return f"superseded {old} by {new}" if body.get("on") else f"let {old} hold again, not {new}"


def _link(name: str, body: dict[str, Any], titles: Titles) -> str:
    verb, to = ("linked", "to") if body.get("on") else ("unlinked", "from")
    return f"{verb} {_quoted(name, titles)} {to} {_quoted(body.get('to', ''), titles)} ({body.get('rel', '')})"


def _share(name: str, body: dict[str, Any], titles: Titles) -> str:
    title = _quoted(name, titles)
    return f"left {title} to the rules of sharing" if body.get("rules") else f"shared {title}"


def _session(name: str, body: dict[str, Any], titles: Titles) -> str:
    title, status = _quoted(name, titles), body.get("status")
    if "started" in body:
        return f"opened session {title}"
    if status is not None:
        return f"reopened session {title}" if status == "active" else f"closed session {title} ({body.get('reason') or status})"
    return f"summed up session {title}" if "summary" in body else f"changed {_list(list(body))} of session {title}"


def _prompt(name: str, body: dict[str, Any], titles: Titles) -> str:
    title = _quoted(name, titles)
    if "created" in body:
        return f"kept prompt {title}"
    if "reply" in body:
        return f"kept the answer to {title}"
    if "facts" in body:
        count = len(body["facts"])
        return f"kept {count} {'fact' if count == 1 else 'facts'} of {title}" if count else f"dropped the facts of {title}"
    if body.keys() == {"commits"}:
        return f"kept the commits of {title}"
    return f"noted what {title} read" if "files" in body else f"changed {_list(list(body))} of prompt {title}"


_WORDED: dict[str, Callable[[str, dict[str, Any], Titles], str]] = {
    "put": _put,
    "forget": _forget,
    "restore": lambda name, body, titles: f"restored {_quoted(name, titles)}",
    "supersede": _supersede,
    "link": _link,
    "state": lambda name, body, titles: f"saved state {_quoted(name, titles)}",
    "profile": lambda name, body, titles: f"set {_quoted(name, titles)} to “{str(body.get('value', ''))[:_LONG]}”",
    "note": lambda name, body, titles: f"{'noted' if 'created' in body else 'changed note'} {_quoted(name, titles)}",
    "session": _session,
    "prompt": _prompt,
    "writer": lambda name, body, titles: f"called this store {body.get('name', '')}",
    "undo": lambda name, body, titles: "took back a command",
    "erase": lambda name, body, titles: f"erased {name}",
    "share": _share,
    "unshare": lambda name, body, titles: f"stopped sharing {_quoted(name, titles)}",
}
