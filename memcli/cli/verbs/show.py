"""show: prints the objects of ids."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import answer
from memcli.fields import to_json
from memcli.operations.show import Shown
from memcli.store.chunks import Chunk
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.items import ShownItem
    from memcli.operations.show import ShowRequest
    from memcli.store.passages import Passage


def show(request: ShowRequest, common: Common) -> None:
    """Prints everything about the object of each id; as JSON, an object for one id and a list for several."""
    items = answer(common, "show", request)
    if common.json:
        return output.data(to_json(items[0] if len(items) == 1 else items))
    output.show("\n\n".join(map(_item, items)))


def _item(result: Shown | ShownItem) -> str:
    from memcli.cli import views

    if not isinstance(result, Shown):
        return _other(result)
    if isinstance(result.item, Chunk):
        return views.chunk(result.details, result.links)
    own_links = [link for link in result.links if link.from_id == result.item.id]
    return views.memory(result.item, own_links, result)


def _other(result: ShownItem) -> str:
    """Renders what is neither a memory nor a chunk."""
    from memcli.cli import captured, views

    row = result.item
    if result.kind in ("prompt", "session"):
        return captured.session(row)
    if result.kind == "passage":
        return _passage(row, result)
    if result.kind == "state":
        return "\n".join([views.checkpoint(row, result.now), "", *_written(result)])
    head, text, at = (row.day, row.text, row.created_at) if result.kind == "note" else (row.key, row.value, row.updated_at)
    title = f"{oneline(head)}  {dates.age(at, result.now)}"
    return "\n".join([*views.heading(row.id, title), "", *views.stored_text(text), "", *_written(result)])


def _written(result: ShownItem) -> list[str]:
    """Returns who wrote a state, note or profile entry, who changed it last, and whether others get it."""
    from memcli.cli import views

    author, editor = views.authored(result.authors) if result.authors else ("", "")
    changed = f"by {editor}" if editor != author else ""
    return views.facts_of([("written", f"by {author}"), ("changed", changed), ("shared", result.shared)])


_OWNERS = {"M-": "memory", "S-": "state", "K-": "profile entry", "N-": "note"}  # what a passage may be of, beside a prompt


def _passage(passage: Passage, result: ShownItem) -> str:
    from memcli.cli import views
    from memcli.store.passages import COMMIT, FACT, OF_AGENT, PROMPT

    whole = _OWNERS[passage.owner[:2]] if passage.kind != PROMPT else "prompt" if passage.thread == PROMPT else "answer to"
    whole = "turn of" if passage.thread in (COMMIT, FACT) else whole
    facts = [
        ("part of", f"the {whole} {passage.owner}"),
        ("asked", oneline(passage.question) if passage.thread in OF_AGENT else ""),
        ("worded", "by a model" if passage.thread == FACT else ""),
        ("written", views.moment(passage.created_at, result.now)),
        ("commit", views.anchored(passage.anchor, result.anchor_state) if passage.anchor else ""),
        ("superseded", f"by {passage.superseded_by}" if passage.superseded_by else ""),
        ("suspicious", views.GIVES_ORDERS if passage.suspicious else ""),
    ]
    lines = [*views.heading(passage.id, oneline(passage.heading)), "", *views.stored_text(passage.text), ""]
    return "\n".join([*lines, *views.facts_of(facts)])
