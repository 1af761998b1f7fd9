"""What is stored of an agent's words in a turn: its answers, its remarks while it worked, and its unfinished to-do items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcli.agents.capture import payloads
from memcli.agents.capture.normalize import MAX_TEXT
from memcli.memory import entries
from memcli.memory.projection import fold
from memcli.store import oplog, passages
from memcli.store.oplog import Change
from memcli.text import cuts
from memcli.text.terminal import storable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.capture.observations import PromptTurn
    from memcli.agents.capture.payloads import CapturedEvent
    from memcli.project import Project

_SAME = 200  # characters of a beginning by which a longer account of the same is recognised


def reply(project: Project, turn: PromptTurn, event: CapturedEvent, exposed: Sequence[str]) -> Change:
    """Returns the change that stores the answers of a turn. `exposed`: what its session had been exposed to."""
    fields: dict[str, Any] = {
        "reply": cuts.keep_quotations(storable(event.reply), MAX_TEXT, is_answer=True),
        "replied": event.at,
        "anchor": entries.anchor(project),
        **({"exposures": list(exposed)} if exposed else {}),
    }
    return Change("prompt", turn.prompt, fields | _earlier(project, turn, event.reply))


def to_do(project: Project, turn: PromptTurn, points: tuple[str, ...]) -> list[Change]:
    """Returns the changes that store a turn's unfinished to-do items, replacing earlier lists of its session."""
    outdated = [name for name in passages.with_lists(project.db, turn.n) if name != turn.prompt]
    return [*[Change("prompt", name, {"left": []}) for name in outdated], Change("prompt", turn.prompt, {"left": list(points)})]


def _earlier(project: Project, turn: PromptTurn, reply: str) -> dict[str, str]:
    """Returns the earlier answers to a prompt, such as before a remark about a background task; {} if nothing is new."""
    stored = fold(oplog.of_object(project.db, turn.prompt)).fields
    answers, last = stored.get("earlier", ""), stored.get("reply", "").strip()
    if not last or last in answers or reply.strip().startswith(last[:_SAME]):
        return {}
    return {"earlier": payloads.words_of(f"{answers}\n\n{last}".strip(), is_answer=True)}


def narration_so_far(project: Project, turn: PromptTurn, event: CapturedEvent, narration: str) -> str:
    """Returns what the agent said in addition to its answers to a prompt; "" if nothing is new."""
    stored = fold(oplog.of_object(project.db, turn.prompt)).fields
    pieces = [stored.get("narration", ""), narration]
    whole = ""
    for piece in pieces:
        piece = piece.strip()
        is_cut = len(whole) >= MAX_TEXT - _SAME
        if whole and piece.startswith(whole[:_SAME] if is_cut else whole):
            whole = piece  # the transcript from the same prompt on
        elif piece and piece not in whole and piece != event.reply.strip():
            whole = f"{whole}\n\n{piece}".strip()
    return "" if whole == stored.get("narration", "") else whole
