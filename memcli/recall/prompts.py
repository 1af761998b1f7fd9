"""Prompts of sessions among the hits of a search: what was asked is often what is remembered."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.recall.relevance import Scored, rank
from memcli.records import replace
from memcli.store import sessions
from memcli.store.memories import Memory
from memcli.store.search import Hit
from memcli.text.screening import is_suspicious
from memcli.text.terminal import oneline
from memcli.validity import PROMPT_ACTOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.relevance import Ranked
    from memcli.store.search import Filter
    from memcli.store.sessions import Prompt

PROMPT = "prompt"  # their kind, and the table that they are in
_MOST = 200  # prompts that are looked at
_TITLE = 120  # characters


def matching(project: Project, query: ParsedQuery, only: Filter | None, unit: float) -> list[tuple[Memory, Ranked]]:
    """Returns the prompts that match, in the shape of memories, so that whoever shows hits needs to know only one; best first.

    `unit`: bm25 of the best memory. A prompt's score is made as a memory's, on the same scale, and it loses what an observation
    loses.
    """
    matches = candidates.find(project.db, PROMPT, query, project.config)
    best = sorted(matches.scores, key=lambda n: (-matches.scores[n], n))[:_MOST]
    prompts = {prompt.id: prompt for prompt in sessions.prompts_at(project.db, best) if _passes(prompt, only)}
    scored = [Scored(_hit(prompt), False, matches.scores[prompt.n], matches=matches) for prompt in prompts.values()]
    hits = []
    for ranked in rank(scored, query.terms, project.config, project.now):
        text = ranked.text * ranked.unit / max(unit, ranked.unit)
        score = ranked.score - ranked.text + text
        memory = _as_memory(prompts[ranked.hit.id], project.config["capture.thread"])
        hits.append((memory, replace(ranked, text=text, score=score)))
    return hits


def _passes(prompt: Prompt, only: Filter | None) -> bool:
    if prompt.skipped:
        return False
    if only is None:
        return True
    since, until, session = only["since"], only["until"], only["session"]
    return (
        (since is None or prompt.created_at >= int(since))
        and (until is None or prompt.created_at < int(until))
        and session in (None, prompt.session)
    )


def _hit(prompt: Prompt) -> Hit:
    suspicious = int(is_suspicious(prompt.text))
    return Hit(prompt.n, prompt.id, prompt.text[:_TITLE], "", None, prompt.created_at, None, 0, suspicious, PROMPT_ACTOR, PROMPT)


def _as_memory(prompt: Prompt, thread: str) -> Memory:
    title = oneline(prompt.text[: _TITLE * 2])[:_TITLE]
    return Memory(
        prompt.n,
        prompt.id,
        thread,
        PROMPT,
        title,
        prompt.text,
        created_at=prompt.created_at,
        updated_at=prompt.created_at,
        origin=PROMPT_ACTOR,
        session=prompt.session,
        prompt=prompt.number,
    )
