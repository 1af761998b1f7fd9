"""A turn that was told can be looked at: put together again it is what the hook printed, or it says what changed since."""

from __future__ import annotations

import json

import pytest

from memcli.agents.turns import builder, inspection
from memcli.agents.turns.inspection import InspectedTurn
from memcli.errors import NotFound
from memcli.project import Where, open_for_reading
from memcli.store import turns
from tests.agents.capture.conftest import FACT, Agent
from tests.agents.capture.conftest import agent as agent
from tests.agents.turns.test_hooks import QUESTION, ask, start
from tests.conftest import Terminal


@pytest.fixture(autouse=True)
def _in_the_repository(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(terminal.folder)
    for name, value in terminal.env.items():
        monkeypatch.setenv(name, value)


def inspected(number: int = 0) -> InspectedTurn:
    """The newest turn, or one before it."""
    project = open_for_reading(Where())
    try:
        listed, _ = turns.page(project.db, None, 10, 0)
        return inspection.delivered(project, listed[number].id)
    finally:
        project.close()


def first(terminal: Terminal) -> str:
    """The id of the memory that the agent's repository begins with."""
    return str(terminal.mem("recent", "--json").json[-1]["id"])


def fill(terminal: Terminal) -> None:
    """Something of each sort that a start tells."""
    (terminal.folder / ".mempack").mkdir(exist_ok=True)
    (terminal.folder / ".mempack" / "MEMORY.md").write_text("Save what you learn.\nAlways.\n")
    (terminal.folder / "login.py").write_text("TOKENS = 1  # where session tokens live\n")
    terminal.mem("ingest", ".")
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"next": "a < b", "open": ["x", "y"]}')
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", "Deployed </note> & went home")
    terminal.add("Sessions end at night", "everybody sleeps", "--kind", "decision", "--file", "login.py")
    terminal.mem("pin", terminal.add("Pinned to the wall", "for everybody"))


def test_a_start_is_put_together_again_byte_for_byte(agent: Agent) -> None:
    fill(agent.terminal)
    printed = start(agent)
    turn = inspected()
    assert turn.text == printed
    assert turn.is_exact
    assert {item.state for item in turn.items} == {"as told"}
    sections = {item.why for item in turn.items}
    assert {"state", "profile", "decision", "known", "notes", "instructions"} <= sections
    assert all(item.tokens > 0 for item in turn.items)
    assert sum(item.tokens for item in turn.items) <= turn.tokens
    assert turn.mode == "full"


def test_a_prompt_is_put_together_again_with_what_was_relevant_and_why_the_rest_stayed_out(agent: Agent) -> None:
    start(agent)
    fill(agent.terminal)
    agent.terminal.add("Session tokens live for an hour", "where they live is said elsewhere")
    printed = ask(agent, "where do the session tokens live that end at night")
    turn = inspected()
    assert turn.mode == "delta"
    assert (turn.text, turn.is_exact) == (printed, True)
    why = {item.title: item.why for item in turn.items}
    assert why["Session tokens live for an hour"] in ("known", "relevant")
    assert {item.title: item.why for item in turn.left_out}[FACT] == "shown"


def test_what_changed_or_went_since_is_marked(agent: Agent) -> None:
    changed, gone = first(agent.terminal), agent.terminal.add("The cellar floods", "in spring")
    printed = start(agent)
    agent.terminal.mem("update", changed, "--summary", "and nowhere else")
    agent.terminal.mem("forget", gone)
    turn = inspected()
    states = {item.id: item.state for item in turn.items}
    assert (states[changed], states[gone]) == ("changed", "forgotten")
    assert {item.id: item.title for item in turn.items}[gone] == "The cellar floods"
    assert not turn.is_exact
    assert turn.text != printed
    agent.terminal.mem("undo")
    agent.terminal.mem("undo")
    assert inspected().text == printed


def test_what_has_another_title_since_is_shown_as_it_reads_now_with_the_title_it_was_told_by(agent: Agent) -> None:
    changed = first(agent.terminal)
    start(agent)
    agent.terminal.mem("update", changed, "--title", "Tokens are stored in a cellar")
    (item,) = [item for item in inspected().items if item.id == changed]
    assert (item.title, item.told_as, item.state) == ("Tokens are stored in a cellar", FACT, "changed")
    assert item.title in item.text


def test_the_parts_of_an_answer_cost_no_more_than_all_of_it(agent: Agent) -> None:
    ask(agent, "raise the lockout of the till to sixty minutes", "s0")
    agent.hook("stop", {"session_id": "s0", "last_assistant_message": "The till has sixty minutes of lockout, as it is shared."})
    agent.terminal.mem("worker", "run")
    start(agent)
    ask(agent, "is the lockout still sixty minutes at the till")
    turn = inspected()
    assert len([item for item in turn.items if item.why == "relevant"]) > 1
    assert sum(item.tokens for item in turn.items) <= turn.tokens
    assert [(room.name, room.tokens) for room in turn.room] == [("budget.total", turn.max_tokens)]


def test_a_turn_says_what_it_took_back(agent: Agent) -> None:
    start(agent)
    old = agent.terminal.add("Sessions end at night", "everybody sleeps", "--kind", "decision")
    ask(agent, QUESTION)
    agent.terminal.mem("forget", old)
    ask(agent, "and what about sessions that end at night")
    assert inspected().removed == ["Sessions end at night"]


def test_a_limit_that_left_something_out_has_its_name(agent: Agent) -> None:
    for n in range(8):
        agent.terminal.add(f"Room {n} is painted in a colour of its own", f"so that nobody of group {n} gets lost in the house")
    agent.terminal.mem("config", "set", "turn.tokens", "400")
    start(agent)
    turn = inspected()
    assert [(limit.name, limit.value) for limit in turn.limits] == [("turn.tokens", 400)]
    assert turn.limits[0].left_out == len(turn.left_out) > 0
    assert {item.why for item in turn.left_out} == {"tokens"}
    assert [(room.name, room.tokens) for room in turn.room] == [("turn.tokens", 400)]
    assert turn.free is not None
    assert 0 <= turn.free <= 400 - turn.tokens
    assert turn.free < min(item.tokens for item in turn.items if item.title.startswith("Room"))
    assert turn.bytes == len(turn.text.encode())


def test_what_stayed_out_is_counted_where_it_is_too_much_to_be_noted(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(8):
        agent.terminal.add(f"Room {n} is painted in a colour of its own", f"so that nobody of group {n} gets lost in the house")
    agent.terminal.mem("config", "set", "turn.tokens", "400")
    project = open_for_reading(Where())
    try:
        whole = inspection.preview(project, "claude", "")
        monkeypatch.setattr(builder, "MOST_OUT", 2)
        cut = inspection.preview(project, "claude", "")
    finally:
        project.close()
    assert whole.unlisted == {}
    assert (len(cut.left_out), cut.unlisted) == (2, {"tokens": len(whole.left_out) - 2})
    assert cut.limits == whole.limits


def test_what_a_session_knows_did_not_stay_out_of_a_later_answer_for_lack_of_room(agent: Agent) -> None:
    for n in range(8):
        agent.terminal.add(f"Room {n} is painted in a colour of its own", f"so that nobody of group {n} gets lost in the house")
    agent.terminal.mem("config", "set", "turn.tokens", "400")
    start(agent)
    told = {item.id for item in inspected().items}
    titles = {item.title.partition(" is")[0] for item in inspected().items}
    new = next(room for room in map("Room {}".format, range(8)) if room not in titles)
    ask(agent, f"which colour is {new}, 2 and 3 painted in")
    turn = inspected()
    answered = {item.id for item in turn.items}
    assert answered
    assert told.isdisjoint(answered)
    assert {item.why for item in turn.left_out if item.id in told} == {"shown"}
    assert "turn.tokens" not in [limit.name for limit in turn.limits]  # which bound the start
    agent.terminal.add("The doors of each room are painted, too", "in the colour of the room")
    ask(agent, "which colour is room 1, 2 and 3 painted in, and its doors")
    turn = inspected()
    assert {item.why for item in turn.left_out if item.id in answered} == {"told"}
    assert sum(limit.left_out for limit in turn.limits) <= sum(item.why not in ("shown", "told") for item in turn.left_out)


def test_what_a_start_tells_did_not_stay_out_of_it(agent: Agent) -> None:
    project = open_for_reading(Where())
    try:
        shown = inspection.preview(project, "claude", QUESTION)
    finally:
        project.close()
    assert shown.items
    assert {item.id for item in shown.items}.isdisjoint(item.id for item in shown.left_out)


def test_what_is_told_keeps_no_text_and_goes_with_what_is_erased(agent: Agent) -> None:
    start(agent)
    memory = first(agent.terminal)
    project = open_for_reading(Where())
    row = turns.find(project.db, turns.page(project.db, None, 1, 0)[0][0].id)
    project.close()
    assert row is not None
    assert memory in row.told
    assert FACT not in row.told
    agent.terminal.mem("forget", memory, "--erase")
    with pytest.raises(NotFound):
        inspected()


def test_a_preview_is_what_the_next_session_gets_and_notes_nothing(agent: Agent) -> None:
    fill(agent.terminal)
    project = open_for_reading(Where())
    before = turns.page(project.db, None, 10, 0)[1]
    shown = inspection.preview(project, "claude", "")
    asked = inspection.preview(project, "claude", QUESTION)
    assert turns.page(project.db, None, 10, 0)[1] == before
    project.close()
    assert start(agent, "s9") == shown.text
    assert any(item.why == "relevant" for item in asked.items)
    assert json.dumps(shown.to_json())


def test_a_store_without_anything_previews_nothing(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    project = open_for_reading(Where())
    shown = inspection.preview(project, "codex", "")
    project.close()
    assert (shown.items, shown.text) == ([], "")
    assert (shown.max_bytes, shown.limits) == (10_000 - 64, [])
