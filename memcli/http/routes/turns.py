"""/v2/turns: what sessions were told, turn by turn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Path, Query
from starlette.responses import Response

from memcli.agents.adapters import HARNESSES, MAX_BYTES, adapters
from memcli.agents.turns import inspection
from memcli.agents.turns.inspection import InspectedTurn, ToldPassage
from memcli.fields import to_json
from memcli.http.calls import OneCall, answer
from memcli.http.lists import Offset, OneWindow, Window, page_type
from memcli.http.models import listed, shape, typed
from memcli.http.routes.reading import Commit, at
from memcli.http.routing import Router
from memcli.memory import find_session, versions
from memcli.operations import stats
from memcli.project import Project
from memcli.records import as_dict
from memcli.store import turns
from memcli.store.turns import ListedTurn
from memcli.text import dates

router = Router(prefix="/v2", tags=["around"])
OfSession = Annotated[str | None, Query(max_length=200, description="Only those of a session: its id or name.")]
PageSize = Annotated[int, Query(ge=1, le=200)]
ToldMemory = shape("ToldMemory", "id title", used_at=str | None)
OlderPrompts = shape("OlderPrompts", prompts=int)
Turn = shape(
    "Turn",
    "id harness key mode status event prepared_at asked",
    session=str | None,
    prompt=str | None,
    number=int | None,
    tokens=int,
    memories=listed(ToldMemory),
    passages=listed(typed(ToldPassage)),
    parts=int,
)
UntoldPrompt = shape("UntoldPrompt", "id session text created_at", number=int)
Harness = shape("Harness", "name title", max_bytes=int, max_tokens=int | None, is_documented=bool)


@router.get("/harnesses", response_model=page_type(Harness))
def harnesses(call: OneCall, window: OneWindow) -> Response:
    """How much context each agent harness accepts from a hook. `is_documented`: it documents the number of bytes."""
    call.where()  # as everywhere, a memory that is none is refused
    return window.cut(
        [
            {
                "name": it.name,
                "title": it.title,
                "max_bytes": it.max_bytes or MAX_BYTES,
                "max_tokens": it.max_tokens,
                "is_documented": bool(it.max_bytes),
            }
            for it in adapters()
        ]
    )


@router.get("/turns", response_model=page_type(Turn))
def turns_page(
    call: OneCall,
    session: OfSession = None,
    limit: PageSize = 20,
    offset: Offset = 0,
) -> Response:
    """What sessions were told, newest turn first: the prompt, the number of tokens, and the memories new to the session.

    `mode`: full at the start of a session, delta for what is new since, none. `memories` has those new to its session, by the
    titles that they had then, `passages` what else was relevant to the prompt; `parts` counts all that was told.
    """

    def work(project: Project) -> dict[str, Any]:
        session_id = None if session is None else find_session(project, session).id
        page_rows, total = turns.page(project.db, session_id, limit, offset)
        return Window(limit, offset).page([_record(project, turn) for turn in page_rows], total)

    return call.reading(work)


@router.get("/untold", response_model=page_type(UntoldPrompt))
def untold(
    call: OneCall,
    session: OfSession = None,
    limit: PageSize = 20,
    offset: Offset = 0,
) -> Response:
    """The prompts of the last week to which hooks told nothing, newest first: nothing was relevant, or all was told before."""

    def work(project: Project) -> dict[str, Any]:
        session_id = None if session is None else find_session(project, session).id
        prompts, total = turns.silent(project.db, project.now - stats.DAYS * dates.DAY, session_id, limit, offset)
        return Window(limit, offset).page([as_dict(it) | {"created_at": dates.iso(it.created_at)} for it in prompts], total)

    return call.reading(work)


@router.get("/untold/older", response_model=OlderPrompts)
def older(call: OneCall, session: OfSession = None) -> Response:
    """How many prompts are from before the last week and have no turn: what they were told, if anything, is no longer known."""

    def work(project: Project) -> dict[str, Any]:
        session_id = None if session is None else find_session(project, session).id
        return {"prompts": turns.prompts_before(project.db, project.now - stats.DAYS * dates.DAY, session_id)}

    return call.reading(work)


@router.get("/untold/{id}", response_model=typed(InspectedTurn))
def unanswered(call: OneCall, id: Annotated[str, Path(max_length=40, description="A prompt's id.")]) -> Response:
    """What was considered for a prompt that was told nothing, as it is judged now, and what of it the session knew already."""
    return answer(call.read(lambda project: to_json(inspection.unanswered(project, id))))


@router.get("/turns/{id}", response_model=typed(InspectedTurn))
def turn(call: OneCall, id: Annotated[str, Path(max_length=40, description="A turn's id.")]) -> Response:
    """A turn as it was told: each part with its tokens and the reason for it, what was left out and why, and the limits.

    The store keeps ids and digests of what was told, not the text: `state` says whether a part is still the same.
    """
    return answer(call.read(lambda project: to_json(inspection.delivered(project, id))))


@router.get("/turn/preview", response_model=typed(InspectedTurn))
def preview(
    call: OneCall,
    engine: Annotated[Literal[tuple(HARNESSES)], Query(description="A harness, whose limits hold.")] = "generic",  # type: ignore[valid-type]
    query: Annotated[str, Query(max_length=4_000, description="What the session begins with; empty: its start.")] = "",
    commit: Commit = None,
) -> Response:
    """What a new session would be told now, with its parts. Nothing is recorded."""
    return answer(call.read(lambda project: to_json(inspection.preview(at(project, commit), engine, query))))


def _record(project: Project, turn: ListedTurn) -> dict[str, Any]:
    told = turns.first_told(project.db, turn.session, turn.prepared_at, turn.uncounted)
    parts, passages = inspection.passages_in(project, turn.told)
    return {
        "id": turn.id,
        "harness": turn.engine,
        "key": turn.key,
        "mode": turn.mode,
        "status": turn.status,
        "event": "user-prompt" if turn.prompt else _event(turn.cause),
        "prepared_at": dates.iso(turn.prepared_at),
        "asked": turn.asked,
        "session": turn.session or None,
        "prompt": turn.prompt or None,
        "number": turn.number or None,
        "tokens": turn.tokens,
        "memories": [
            {"id": name, "title": _title_at(project, name, title, turn.revision, newest), "used_at": used and dates.iso(used)}
            for name, title, used, newest in told
        ],
        "passages": to_json(passages),
        "parts": parts,
    }


def _title_at(project: Project, memory_id: str, title: str, revision: int, newest: int) -> str:
    """Returns the title that a memory had at a revision. `title`, `newest`: its title now, and the revision that it is of."""
    return (versions.title_at(project, memory_id, revision) if newest > revision else "") or title


def _event(cause: str) -> str:
    """Returns the name of the event that a turn answers, "" if somebody asked for it."""
    return next((name for name in ("session-start", "user-prompt") if name in cause), "")
