"""show: how the command line words memories, chunks, sessions and prompts."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import answer, reading
from memcli.errors import InvalidInput
from memcli.fields import to_json
from memcli.store.chunks import Chunk
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.cli.invoke import Common
    from memcli.operations.show import Shown, ShowRequest


def show(request: ShowRequest, common: Common) -> None:
    """Prints everything about memories or chunks, or about sessions and prompts."""
    captured = [reference for reference in request.id if reference.strip()[:2].upper() in ("A-", "P-")]
    if captured and len(captured) == len(request.id):
        return _sessions(request.id, common)
    if captured:
        raise InvalidInput("sessions and prompts are shown by themselves", f"mem show {oneline(captured[0])[:40]}")
    items = answer(common, "show", request)
    if common.json:
        return output.data(to_json(items[0] if len(items) == 1 else items))
    output.show("\n\n".join(map(_item, items)))


def _item(result: Shown) -> str:
    from memcli.cli import views

    if isinstance(result.item, Chunk):
        return views.chunk(result.details, result.links)
    own_links = [link for link in result.links if link.from_id == result.item.id]
    return views.memory(result.item, own_links, result.details, result.usage, result.now)


def _sessions(references: Sequence[str], common: Common) -> None:
    """Prints what `mem session` prints of each session, and of each prompt its turn."""
    from memcli.cli import captured
    from memcli.operations.sessions import details

    items = reading(common, lambda project: [details(project, reference) for reference in references])
    if not common.json:
        return output.show("\n\n".join(map(captured.session, items)))
    kinds = [("session" if item.turn is None else "prompt", to_json(item)) for item in items]
    data = [{"kind": kind, kind: value} for kind, value in kinds]
    output.data(data[0] if len(data) == 1 else data)
