"""What a part of a prompt or of an answer states for later sessions, as text/statements.py reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.records import replace
from memcli.store.passages import PROMPT
from memcli.text import options, statements, transient
from memcli.text.forms import is_fence
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.store.passages import Passage
    from memcli.store.sessions import Prompt
    from memcli.text.passages import Fragment
    from memcli.text.statements import Statement


def with_option(passage: Passage, prompt: Prompt, chosen: str) -> Passage:
    """Returns a passage that picks an option as the decision for that option; without a role if the option is not clear."""
    is_typed = passage.thread == PROMPT
    if is_typed and chosen and chosen in passage.text:
        return replace(passage, role=statements.DECISION, statement=oneline(passage.text))
    if passage.role != statements.DECISION or not options.picks(passage.statement):
        return passage
    option = chosen if is_typed else options.chosen(passage.statement, prompt.reply)
    if option and option.partition(": ")[2] not in passage.statement:
        stated, words = options.with_option(passage.statement, option), f"{passage.words} {option}".strip()
        return replace(passage, statement=stated, words=words)
    return replace(passage, role="", statement="") if options.is_empty(passage.statement) else passage


def of_person(fragment: Fragment, is_of_task: bool) -> Statement:
    """Returns what a person states in a part of a prompt. `is_of_task`: most of the prompt is about the work at hand."""
    return statements.of_person(fragment.text, fragment.heading, is_of_task or bool(fragment.heading))


def of_reply(fragment: Fragment, question: str, is_first: bool) -> Statement | None:
    """Returns what an agent states in its answer; None for a passing condition, which no later session asks about."""
    if transient.is_momentary(fragment.text) or (transient.is_momentary(fragment.heading) and is_fence(fragment.text[:3])):
        return None
    return statements.of_agent(fragment.heading, fragment.text, question, is_first)


def of_remark(fragment: Fragment, _: bool) -> Statement | None:
    """Returns what an agent states while it works; None for what is open at that moment or comes next."""
    is_passing = statements.is_open(fragment.heading, fragment.text) or (
        not fragment.heading and transient.announces(fragment.text)
    )
    return None if is_passing else statements.of_remark(fragment.text)
