"""An answer is kept whatever a harness tells of it: in its event, beside it in a transcript, or piece by piece."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.text import dates
from tests.agents.worker.events import START, Events

TOKEN = "ghp_" + "1a2B3c4D5e6F" * 3


@pytest.fixture
def copilot(events: Events) -> Events:
    """A session of Copilot, whose hooks are told no answer."""
    events.harness = "copilot"
    return events


def line(kind: str, second: int, content: str, **more: str) -> str:
    moment = dates.iso(START + second * 1000)
    return json.dumps({"type": kind, "data": {"content": content, **more}, "timestamp": moment}) + "\n"


def replies(events: Events) -> list[str]:
    texts: dict[str, str] = {}
    for prompt, body in events.sql("SELECT object, body FROM op WHERE kind = 'prompt' ORDER BY revision"):
        texts[prompt] = json.loads(body).get("reply", texts.get(prompt, ""))
    return list(texts.values())


def test_an_answer_that_only_the_transcript_has_is_kept_with_its_prompt(copilot: Events, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    remark = "I looked at the log first: the timeout comes from the proxy, not from us."
    file.write_text(
        line("user.message", 1, "Why is login slow?")
        + json.dumps({"type": "system.message", "data": {"role": "system", "content": "You are an assistant."}})
        + "\n"
        + line("assistant.message", 2, remark)
        + line("assistant.message", 2, "", toolRequests="[]")
        + line("assistant.message", 2, "Of a subagent, which asks for itself.", parentToolCallId="call-1")
        + line("assistant.message", 2, "The proxy waits <private>for Bob</private> 30 s. We keep it. " + TOKEN)
        + line("user.message", 3, "And the tests?")
        + line("assistant.message", 4, "They pass.")
    )
    copilot.prompt("Why is login slow?")
    copilot.put("stop", at=2, transcript=str(file))
    copilot.put("user-prompt", at=3, prompt="And the tests?")
    copilot.put("stop", at=4, transcript=str(file))
    copilot.work()

    first, second = replies(copilot)
    assert first.startswith("The proxy waits")
    assert "Bob" not in first
    assert TOKEN not in first
    assert second == "They pass."
    assert "comes from the proxy" in json.dumps(copilot.sql("SELECT body FROM op WHERE kind = 'prompt'"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{", b"[1, 2]\n", b'{"type": "assistant.message", "data": 5}\n'])
def test_a_transcript_that_says_nothing_leaves_the_prompt_without_an_answer(
    copilot: Events, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(content)
    copilot.prompt("Why is login slow?")
    copilot.put("stop", transcript=str(file))
    copilot.put("stop", transcript=str(tmp_path / "none.jsonl"))
    copilot.work()
    assert replies(copilot) == [""]


def test_what_a_plugin_tells_of_the_way_to_an_answer_is_kept_beside_it(events: Events) -> None:
    events.harness = "opencode"
    events.prompt("Why is login slow?")
    events.put("stop", reply="The proxy waits 30 s.", narration="The log of the proxy has the timeout in it.")
    events.work()
    assert replies(events) == ["The proxy waits 30 s."]
    assert "The log of the proxy" in json.dumps(events.sql("SELECT body FROM op WHERE kind = 'prompt'"))


def test_an_answer_in_pieces_is_the_last_and_the_empty_end_of_the_turn_takes_nothing(events: Events) -> None:
    events.harness = "cursor"
    events.prompt("Why is login slow?")
    for reply in ("I look at the log of the proxy first.", "The proxy waits 30 s.", ""):
        events.put("stop", reply=reply)
    events.work()
    assert replies(events) == ["The proxy waits 30 s."]


def test_two_turns_that_end_alike_in_a_moment_are_two(events: Events, later: Callable[[str], None]) -> None:
    events.harness = "opencode"

    def hook(event: str, second: int, **payload: Any) -> None:
        known = {"session_id": "s1", "cwd": str(events.terminal.folder)}
        later(dates.iso(START + second * 1000))
        events.terminal.mem("hook", event, "--harness", "opencode", stdin=json.dumps({**known, **payload}))

    for second, prompt in ((1, "first"), (2, "second")):
        hook("user-prompt", second, prompt=prompt)
        hook("stop", second, last_assistant_message="Done.")
        hook("stop", second, last_assistant_message="Done.")
    assert events.sql("SELECT count(*) FROM job WHERE event = 'stop'") == [(2,)]
    events.work()
    assert replies(events) == ["Done.", "Done."]


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("## \U0001f389 **Staging** is set up on Railway now", "Staging is set up on Railway now"),
        ("2. `__init__.py` imports the store lazily now.", "`__init__.py` imports the store lazily now."),
        ("- ✅ $HOME is read once, at the start of a run.", "$HOME is read once, at the start of a run."),
    ],
)
def test_the_title_of_a_session_has_no_marks_of_markdown(events: Events, answer: str, title: str) -> None:
    events.prompt("Go on")
    events.stop(answer)
    events.end()
    events.work()
    assert events.sql("SELECT title FROM memory WHERE kind = 'summary'") == [(title,)]


def test_a_session_is_titled_by_the_sentence_that_says_what_it_is_about(events: Events) -> None:
    events.prompt("Why does the suite hang?")
    events.stop("I found the cause. The hidden prompt opens `/dev/tty`, which no pipe has.")
    events.end()
    events.work()
    assert events.sql("SELECT title FROM memory WHERE kind = 'summary'") == [
        ("The hidden prompt opens `/dev/tty`, which no pipe has.",)
    ]
