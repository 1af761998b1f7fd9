"""What `show` says about a passage, a prompt, a session, a state, a note or an entry of the profile."""

from __future__ import annotations

from typing import Any, Literal

from memcli.fields import Result
from memcli.memory.items import PASSAGE, find_item
from memcli.operations.note import DayNote, day_note
from memcli.operations.profile import ProfileValue, profile_value
from memcli.operations.results import Authors, authors_in, shared_in
from memcli.operations.sessions import SessionContents, SessionDetails, TurnRecord, details
from memcli.operations.state import StateRecord, state_record
from memcli.project import Project
from memcli.records import Record, replace
from memcli.store import passages
from memcli.store.passages import PROMPT, Passage
from memcli.text import dates
from memcli.text.ids import anchor_commit
from memcli.validity import anchor_states, origin_values, state_name


class PassageDetails(Result):
    """A part of a prompt, of an answer or of a long memory. `part`: prompt, answer, fact or memory."""

    id: str
    owner: str
    part: Literal["prompt", "answer", "fact", "memory"]
    heading: str
    text: str
    superseded_by: str | None
    anchor_commit: str | None
    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    created_at: str


class ItemPassage(Result):
    """A passage that was asked for by its id."""

    kind: Literal["passage"]
    passage: PassageDetails


class ItemPrompt(Result):
    """A prompt that was asked for by its id, with what was done in its turn."""

    kind: Literal["prompt"]
    prompt: TurnRecord


class ItemSession(Result):
    """A session that was asked for by its id."""

    kind: Literal["session"]
    session: SessionContents


class ItemState(Result):
    """A state that was asked for by its id."""

    kind: Literal["state"]
    state: StateRecord
    shared: str


class ItemNote(Result):
    """A note that was asked for by its id."""

    kind: Literal["note"]
    note: DayNote
    shared: str


class ItemEntry(Result):
    """An entry of the profile that was asked for by its id."""

    kind: Literal["profile"]
    profile: ProfileValue
    shared: str


ANSWERS = ItemPassage | ItemPrompt | ItemSession | ItemState | ItemNote | ItemEntry
_OTHERS: dict[str, Any] = {
    "state": lambda row, author, shared: ItemState("state", state_record(row, author), shared),
    "note": lambda row, author, shared: ItemNote("note", replace(day_note(row), author=author), shared),
    "profile entry": lambda row, author, shared: ItemEntry("profile", replace(profile_value(row), author=author), shared),
}


class ShownItem(Record):
    """What an id of neither a memory nor a chunk means. `item`: its record, for sessions and prompts their SessionDetails.

    `anchor_state`: for a passage, whether HEAD can see the commit that it was said on. Of a state, note or entry its `authors`,
    and whether others get it: `shared`, "" if the memory has no remote.
    """

    kind: str
    item: Any
    anchor_state: str
    now: int
    authors: Authors | None = None
    shared: str = ""

    def answer(self) -> ItemPassage | ItemPrompt | ItemSession | ItemState | ItemNote | ItemEntry:
        """Returns everything about it as a result."""
        if isinstance(self.item, Passage):
            return ItemPassage("passage", _passage_details(self.item, self.anchor_state))
        if isinstance(self.item, SessionDetails):
            record: Any = self.item.answer()
            return ItemPrompt("prompt", record) if self.kind == "prompt" else ItemSession("session", record)
        author = self.authors.wrote if self.authors else ""
        result: ItemState | ItemNote | ItemEntry = _OTHERS[self.kind](self.item, author, self.shared)
        return result


def shown(project: Project, reference: str) -> ShownItem | None:
    """Returns everything about what an id means; None for a memory or a chunk. Raises NotFound or InvalidInput."""
    item = find_item(project, reference)
    if item.kind in ("memory", "chunk"):
        return None
    row: Any = details(project, item.id) if item.kind in ("prompt", "session") else item.row
    if item.kind == PASSAGE:
        (row,) = passages.reopened(project.db, [row])
    anchor = item.row.anchor if item.kind == PASSAGE else None
    state = anchor_states(project, [anchor])[anchor]
    if item.kind not in _OTHERS:
        return ShownItem(item.kind, row, state, project.now)
    return ShownItem(item.kind, row, state, project.now, authors_in(project, item.id), shared_in(project, item.id))


def _passage_details(passage: Passage, state: str) -> PassageDetails:
    return PassageDetails(
        id=passage.id,
        owner=passage.owner,
        part="memory" if passage.kind != PROMPT else passage.thread,  # type: ignore[arg-type]
        heading=passage.heading,
        text=passage.text,
        superseded_by=passage.superseded_by,
        anchor_commit=anchor_commit(passage.anchor),
        anchor_state=state_name(state),  # type: ignore[arg-type]
        **origin_values(passage.origin, passage.tags),
        created_at=dates.iso(passage.created_at),
    )
