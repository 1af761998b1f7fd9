"""Prompts of sessions among the hits of a search: what was asked is often what is remembered."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.recall.excerpt import excerpts
from memcli.recall.rank import Scored, rank
from memcli.recall.search import PROMPT, SearchHit
from memcli.records import replace
from memcli.store import sessions
from memcli.store.memories import Memory
from memcli.store.search import Hit
from memcli.text.injection import is_suspicious
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.store.search import Filter
    from memcli.store.sessions import Prompt

_MOST = 200  # prompts that are looked at
_TITLE = 120  # characters


def among(project: Project, asked: ParsedQuery, only: Filter | None, found: Sequence[SearchHit]) -> list[SearchHit]:
    """Returns memories that were found together with the prompts that match, best first.

    A prompt's score is made as a memory's, on the scale of the best memory, and it loses what an observation loses.
    """
    matches = candidates.find(project.db, PROMPT, asked, project.config)
    best = sorted(matches.scores, key=lambda n: (-matches.scores[n], n))[:_MOST]
    prompts = [one for one in sessions.prompts_at(project.db, best) if _passes(one, only)]
    unit = max([one.ranked.unit for one in found], default=0.0)
    scored = [Scored(_hit(one), False, matches.scores[one.n], found=matches) for one in prompts]
    by_id = {one.id: one for one in prompts}
    ranked = rank(scored, asked.terms, project.config, project.now)
    excerpt = excerpts(project.db, asked)
    added = []
    for one in ranked:
        text = one.text * one.unit / max(unit, one.unit)
        score = one.score - one.text + text
        added.append(
            SearchHit(
                _as_memory(by_id[one.hit.id], project.config["capture.thread"]),
                replace(one, text=text, score=score),
                excerpt(by_id[one.hit.id].text),
            )
        )
    return sorted([*found, *added], key=lambda one: -one.ranked.score)


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
    suspicious = int(is_suspicious(prompt.text, "", "", ""))
    return Hit(prompt.n, prompt.id, prompt.text[:_TITLE], "", None, prompt.created_at, None, 0, suspicious, "hook", PROMPT)


def _as_memory(prompt: Prompt, thread: str) -> Memory:
    """Returns a prompt in the shape of a memory, so that whoever shows hits needs to know only one."""
    title = oneline(prompt.text[: _TITLE * 2])[:_TITLE]
    line = (prompt.n, prompt.id, thread, PROMPT, title, prompt.text, "", "", "", None, prompt.created_at, prompt.created_at)
    return Memory(*line, 0, None, 0, 0, 0, None, "hook", None, None, 0, 0, prompt.session, prompt.number)
