"""Asking a model to condense, where one is configured: within caps, one call at a time, and by the rules where it fails."""

from __future__ import annotations

import os
from collections.abc import Callable

from memcli.agents.capture import compressor_xml
from memcli.agents.capture.findings import Finding
from memcli.agents.capture.observations import PromptTurn
from memcli.agents.capture.payloads import CapturedEvent
from memcli.agents.capture.summaries import SessionSummary
from memcli.config import data_dir
from memcli.errors import MemError
from memcli.models import compressors
from memcli.project import Project
from memcli.records import Record, replace
from memcli.store import memories, queue, sessions
from memcli.store.sessions import Session
from memcli.text import json
from memcli.text.files import try_lock

Note = Callable[[str], None]

_INPUT, _OUTPUT, _GOAL, _REPLY = 6_000, 4_000, 1_000, 4_000  # characters that a model is given
_SEEN = 40  # observations
_ANSWER = 1_000  # tokens of an answer
_CHARS_A_TOKEN = 3  # for the estimate before a call; code has about this many
SLOTS = "compressor"  # files in the data directory: as many workers may ask at once as there are


class CompressorUsage(Record):
    """What the compressor is, and what it has used of its caps."""

    provider: str
    calls: int
    calls_an_hour: int
    tokens: int
    tokens_a_day: int
    concurrency: int


def usage(project: Project) -> CompressorUsage:
    """Returns what was used so far."""
    calls, tokens = queue.spent_calls(project.db, project.now)
    config = project.config
    caps = (config["compressor.calls_an_hour"], config["compressor.tokens_a_day"], config["compressor.concurrency"])
    return CompressorUsage(config["compressor.provider"], calls, caps[0], tokens, caps[1], caps[2])


def refine(project: Project, event: CapturedEvent, finding: Finding, turn: PromptTurn, note: Note) -> Finding:
    """Returns a finding in a model's words, or as it is where no model is configured, allowed, or answers as asked.

    The group and the files stay those of the rules: a model chooses neither what joins what nor a path.
    """
    if project.config["compressor.provider"] == "none":
        return finding
    tool = (event.tool, json.canonical(event.input)[:_INPUT], event.result[:_OUTPUT])
    answer = _call_model(
        project, compressor_xml.observation_prompt(tool, project.name, turn.number, turn.goal[:_GOAL]), "memory", note
    )
    memory = compressor_xml.parse_observation(answer) if answer else None
    if memory is None:
        if answer:
            note("the model's answer holds no memory; the rules decide")
        return finding
    kind, title, narrative, tags, facts = memory
    return replace(
        finding,
        kind=kind or finding.kind,
        title=title,
        narrative=narrative or finding.narrative,
        tags=tuple(tags) or finding.tags,
        facts=tuple(dict.fromkeys([*facts, *finding.facts])),
    )


def summarize(project: Project, session: Session, reply: str, note: Note) -> SessionSummary | None:
    """Returns a session in a model's words, None where no model is configured, allowed, or answers as asked."""
    if project.config["compressor.provider"] == "none":
        return None
    prompts = [prompt for prompt in sessions.ends(project.db, session.n, 200) if prompt.text]
    observations = [(memory.id, memory.kind, memory.title) for memory in memories.of_session(project.db, session.n, _SEEN)]
    reply = reply or next((prompt.reply for prompt in reversed(prompts) if prompt.reply), "")
    if not observations and not (prompts and (reply.strip() or session.summary)):
        return None
    first, last = (prompts[0].text, prompts[-1].text) if prompts else ("", "")
    answer = _call_model(
        project, compressor_xml.summary_prompt(observations, first[:_GOAL], last[:_GOAL], reply[:_REPLY]), "summary", note
    )
    summary = compressor_xml.parse_summary(answer) if answer else None
    if summary is None:
        return None
    request, done, learned, open_items, notes = summary
    return SessionSummary(request, tuple(done), tuple(learned), tuple(open_items), notes)


def _call_model(project: Project, prompt: str, purpose: str, note: Note) -> str:
    """Returns a model's answer; empty where the caps do not allow a call, or it failed, which is noted."""
    slot = _slot(project.config["compressor.concurrency"])
    if slot is None:
        note(f"no {purpose} from the model: others are asking it")
        return ""
    try:
        caps = (project.config["compressor.calls_an_hour"], project.config["compressor.tokens_a_day"])
        estimate = len(prompt) // _CHARS_A_TOKEN + _ANSWER
        call = queue.reserve_call(project.db, project.now, purpose, estimate, caps)
        if call is None:
            note(f"no {purpose} from the model: the caps are reached, or it failed three times")
            return ""
        seconds = min(float(project.config["compressor.timeout"]), project.config["queue.lease_minutes"] * 30.0)
        try:
            ask = compressors.compressor(project.config)
            answer = ask(prompt, _ANSWER, seconds) if ask else compressors.Completion("", 0)
            if not answer.text.strip():
                raise compressors.CompressorError("the answer is empty")
        except MemError as problem:
            queue.settle_call(project.db, call, 0, str(problem)[:200])
            note(f"no {purpose} from the model: {problem}")
            return ""
        except Exception as problem:  # a library that fails in a way of its own must not cost the event
            queue.settle_call(project.db, call, 0, type(problem).__name__)
            note(f"no {purpose} from the model: {type(problem).__name__}")
            return ""
        queue.settle_call(project.db, call, answer.tokens, "")
        return answer.text
    finally:
        os.close(slot)


def _slot(count: int) -> int | None:
    """Returns an open file that holds one of the machine's places for asking a model, None where all are taken."""
    for number in range(min(count, 100)):
        path = os.path.join(data_dir(), f"{SLOTS}-{number}.lock")
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if try_lock(file):
            return file
        os.close(file)
    return None
