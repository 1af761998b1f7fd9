"""Sessions: what they were about, how they are summed up and closed, and how one goes from a line to the whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.agents.worker.events import EDIT, EDITED, Events, short_session


def summary(events: Events) -> list[str]:
    return str(events.whole()["summary_text"]).splitlines()


def test_a_session_is_summed_up_and_closed(events: Events) -> None:
    short_session(events)
    events.work()
    whole = events.whole()
    assert (whole["status"], whole["reason"], whole["prompts"]) == ("completed", "exit", 1)
    assert summary(events) == [
        "Asked: Fix the login timeout bug",
        "Left: Remaining: write docs.",
        f"Done: {EDITED}; Committed: Fix the login timeout",
        "Learned: The root cause was the clock.",
        "Said last: The root cause was the clock. Remaining: write docs.",
        "Files: auth.py",
    ]
    memory = events.terminal.mem("show", whole["summary"], "--json").json["memory"]
    assert (memory["kind"], memory["title"], memory["origin"]) == ("summary", "Fix the login timeout", "hook")


@pytest.mark.parametrize("question", ["login timeout clock", "fix the login timeout", "the root cause"])
def test_a_pack_has_the_answer_of_a_session_and_not_its_summary_beside_it(events: Events, question: str) -> None:
    short_session(events)
    events.work()
    events.terminal.add("The login timeout is thirty seconds")  # written on purpose: it stays

    pack = events.terminal.mem("get", question, "--format", "json").json

    kinds = [memory["kind"] for memory in pack["top_memories"]]
    assert "#a" in "".join(memory["id"] for memory in pack["top_memories"])
    assert "summary" not in kinds


def test_the_next_session_is_told_a_summary_and_not_each_step_of_it(events: Events) -> None:
    short_session(events)
    events.work()

    start = events.terminal.mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"]

    assert start.count("Fix the login timeout") == 1
    assert "Committed" not in start
    assert f"- {EDITED}" not in start


def test_a_summary_is_revised_in_place_and_its_history_kept(events: Events) -> None:
    events.prompt("Fix it")
    events.stop("Half done.")
    events.work()
    first = events.whole()["summary"]
    events.put("user-prompt", at=120, prompt="And the docs")
    events.put("stop", at=180, reply="All done.")
    events.work()
    assert events.whole()["summary"] == first
    assert summary(events)[0] == "Asked: Fix it (then, 2 prompts in all: And the docs)"
    assert summary(events)[-1] == "Said last: All done."
    puts = [op for op in events.terminal.mem("log", first, "--json").json if op["k"] == "put"]
    assert len(puts) == 2


def test_a_long_session_is_summed_up_from_its_first_and_its_last_prompt(events: Events) -> None:
    for number in range(1, 61):
        events.prompt(f"Do step {number}")
    events.stop("Step sixty is done now.")
    events.end()
    events.work()
    assert summary(events)[0] == "Asked: Do step 1 (then, 60 prompts in all: Do step 60)"
    assert "Said last: Step sixty is done now." in summary(events)


def test_stops_in_quick_succession_sum_up_once(events: Events) -> None:
    events.prompt("Fix it")
    for number in range(5):
        events.stop(f"Step {number}.")
    events.work()
    ops = events.terminal.mem("log", events.whole()["summary"], "--json").json
    assert len([op for op in ops if op["k"] == "put"]) == 1
    assert summary(events)[-1] == "Said last: Step 4."


def test_a_silent_session_is_closed_after_an_hour(events: Events, later: Callable[[str], None]) -> None:
    events.prompt("Fix it")
    events.tool("Edit", EDIT)
    events.work()
    assert events.whole()["status"] == "active"
    assert summary(events)[0] == "Asked: Fix it"
    later("2026-03-01T12:59:00Z")
    events.work()
    assert events.whole()["status"] == "active"
    later("2026-03-01T13:00:03Z")
    events.work()
    whole = events.whole()
    assert (whole["status"], whole["reason"], whole["ended_at"]) == ("completed", "idle", "2026-03-01T12:00:02.000Z")


def test_a_session_that_is_resumed_is_open_again(events: Events) -> None:
    short_session(events)
    events.put("session-start", source="resume")
    events.prompt("One thing more")
    events.work()
    whole = events.whole()
    assert (whole["status"], whole["reason"], whole["ended_at"], whole["prompts"]) == ("active", "", None, 2)


def test_a_private_prompt_is_counted_and_nothing_else(events: Events) -> None:
    events.put("user-prompt", skipped="private")
    events.prompt("And this is public")
    events.work()
    texts = [(one["number"], one["text"], one["skipped"]) for one in events.whole()["prompt_list"]]
    assert texts == [(1, "", "private"), (2, "And this is public", "")]


def test_an_empty_prompt_is_not_called_private(events: Events) -> None:
    events.prompt(" ")
    events.put("user-prompt", skipped="context")
    events.work()
    assert [one["skipped"] for one in events.whole()["prompt_list"]] == ["empty", "context"]


def test_two_harnesses_may_call_their_sessions_the_same(events: Events) -> None:
    events.prompt("In one")
    other = Events(events.terminal, "s1", "codex")
    other.prompt("In the other")
    events.work()
    assert {one["harness"] for one in events.terminal.mem("sessions", "--json").json} == {"claude", "codex"}
    assert "could be 2 sessions" in events.terminal.mem("session", "s1", fails=2).err


def test_what_needs_a_summary_is_listed(events: Events) -> None:
    events.prompt("Fix it")
    events.work()
    assert events.terminal.mem("sessions", "--needs-summary", "--json").json == []
    assert events.terminal.mem("sessions", "--needs-summary").out == "every session has a summary\n"
    assert "1 prompt · active" in events.terminal.mem("sessions").out


def test_the_index_is_a_line_each_oldest_first(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    short_session(events)
    events.work()
    lines = events.terminal.mem("sessions", "--index", "--json").json
    assert [line["kind"] for line in lines] == ["bugfix", "bugfix", "summary"]
    assert all(line["tokens"] > 0 for line in lines)
    assert events.terminal.mem("sessions", "--index").out.splitlines()[0].split()[:4] == [
        lines[0]["id"],
        "bugfix",
        "2026-03-01",
        "12:00",
    ]
    monkeypatch.setenv("MEMPACK_INDEX_OBSERVATIONS", "1")
    assert len(events.terminal.mem("sessions", "--index", "--json").json) == 2


def test_one_goes_from_a_line_to_its_surroundings_to_the_whole(events: Events) -> None:
    short_session(events)
    events.work()
    mem = events.terminal.mem
    first = mem("sessions", "--index", "--json").json[0]["id"]
    around = mem("timeline", first, "--before", "1", "--after", "1", "--json").json
    assert [one["kind"] for one in around] == ["prompt", "bugfix", "bugfix"]
    assert "→ Edited auth.py" in mem("timeline", first).out
    assert mem("timeline", around[0]["id"], "--before", "0", "--after", "0", "--json").json == [around[0]]
    by_observation = mem("session", first, "--json").json
    assert by_observation == mem("session", around[0]["id"], "--json").json == mem("session", by_observation["id"], "--json").json
    assert "Summary" in mem("session", first).out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("session", "nosuch"), 3, "no session nosuch"),
        (("session", ""), 3, "no session"),
        (("session", "P-ZZZZ"), 3, "no prompt P-ZZZZ"),
        (("timeline", "M-ZZZZ"), 3, "no memory M-ZZZZ"),
        (("timeline", "M-ZZZZ", "--before", "101"), 2, "before must be 0 to 100"),
        (("search", "x", "--session", "nosuch"), 3, "no session nosuch"),
        (("sessions", "--limit", "0"), 2, "limit must be"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(events: Events, words: tuple[str, ...], code: int, said: str) -> None:
    assert said in events.terminal.mem(*words, fails=code).err


def test_show_takes_the_id_of_a_session_or_a_prompt(events: Events) -> None:
    mem = events.terminal.mem
    (events.terminal.folder / "auth.py").write_text("return token.valid\n")
    short_session(events)
    events.prompt("And the docs?")
    events.stop("Written.")
    events.work()
    whole = events.whole()
    first, last = whole["prompt_list"]
    assert mem("show", whole["id"]).out == mem("session", whole["id"]).out
    assert mem("show", whole["id"], "--json").json == {"kind": "session", "session": whole}
    shown = mem("show", first["id"]).out
    assert "1. Fix the login timeout bug" in shown
    assert EDITED in shown
    assert "And the docs?" not in shown
    found = mem("show", last["id"], first["id"], "--json").json
    assert [one["prompt"]["text"] for one in found] == ["And the docs?", "Fix the login timeout bug"]
    assert found[0]["prompt"] == {**last, "session": whole["id"], "observations": []}
    assert [one["kind"] for one in mem("show", first["id"], whole["summary"], "--json").json] == ["prompt", "memory"]
    hint = f"see mem timeline {first['id']}; mem forget {first['id']} --erase removes it for good"
    assert mem("update", first["id"], "--title", "x", fails=3).err.splitlines()[1:] == [
        f"Hint: this is the id of a prompt: {hint}"
    ]
    mem("forget", "--erase", first["id"])
    assert "was erased" in mem("show", first["id"], fails=3).err


def test_what_a_subagent_is_asked_and_answers_is_part_of_the_turn(events: Events) -> None:
    events.prompt("Fix the login")
    events.put("user-prompt", prompt="Look for callers", agent="sub-1")
    events.tool("Edit", EDIT, agent="sub-1")
    events.put("stop", reply="I found three callers.", agent="sub-1")
    events.stop("Mended in one place, as asked.")
    events.work()
    whole = events.whole()
    assert [(one["text"], one["reply"]) for one in whole["prompt_list"]] == [("Fix the login", "Mended in one place, as asked.")]
    assert [(one["title"], one["prompt"]) for one in events.seen()] == [(EDITED, 1)]
    assert "three callers" not in whole["summary_text"]


def test_a_memory_that_somebody_wrote_is_from_no_session(events: Events) -> None:
    name = events.terminal.add("By hand")
    assert "is from no session" in events.terminal.mem("session", name, fails=3).err


def test_search_finds_prompts_and_summaries_and_keeps_to_a_session(events: Events) -> None:
    short_session(events)
    other = Events(events.terminal, "s2")
    other.prompt("Why is the login slow in Safari?")
    events.work()
    mem = events.terminal.mem
    kinds = [one["kind"] for one in mem("search", "login", "--json").json]
    assert {"prompt", "summary", "bugfix"} <= set(kinds)
    (only,) = mem("search", "safari", "--kind", "prompt", "--json").json
    assert (only["title"], only["id"][:2]) == ("Why is the login slow in Safari?", "P-")
    titles = [one["title"] for one in mem("search", "login", "--session", "s2", "--json").json]
    assert titles == ["Why is the login slow in Safari?"]
    assert mem("search", "login", "--limit", "1", "--offset", "1", "--json").json == mem("search", "login", "--json").json[1:2]
    assert all(one["kind"] != "prompt" for one in mem("search", "login", "--kind", "summary", "--json").json)


def test_what_somebody_wrote_ranks_above_what_was_observed(events: Events) -> None:
    events.prompt("Cache the sessions")
    events.tool("Edit", EDIT)
    events.work()
    (seen,) = events.seen()
    written = events.terminal.add(seen["title"], seen["summary"], "--tags", "what-changed")

    def told(name: str) -> tuple[float, float]:
        found = events.terminal.mem("explain", "cache sessions auth", "--json").json["memories"]
        (one,) = [one for one in found if one["id"] == name]
        return one["features"]["captured"], one["final_score"]

    assert told(written)[0] == 0.0
    assert told(seen["id"])[0] < -0.2
    assert told(written)[1] > told(seen["id"])[1]
    events.terminal.mem("pin", seen["id"])
    assert told(seen["id"])[0] == 0.0


def test_a_fact_beats_the_summary_of_a_session_in_which_it_was_asked_for(events: Events) -> None:
    question = "Where do the session tokens live, and why did Redis evict them under load?"
    fact = events.terminal.add("Session tokens live in Postgres", "They were lost when memory ran short.")
    events.prompt(question)
    events.tool("Edit", EDIT)
    events.shell("make deploy", "deployed")
    events.stop("They are in Postgres now, out of Redis.")
    events.end()
    events.work()
    found = events.terminal.mem("get", question, "--format", "json").json["top_memories"]
    kinds = ["fact" if memory["id"] == fact else memory["kind"] for memory in found]
    assert "fact" in kinds
    assert "summary" not in kinds[: kinds.index("fact")]


def test_no_title_repeats_what_was_asked(events: Events) -> None:
    events.prompt("Where is the heron fed?")
    events.tool("Edit", EDIT)
    events.tool("WebFetch", {"url": "https://example.invalid/birds"}, "Birds eat fish")
    events.shell("./feed", "fed 3 birds")
    events.stop("At the pond behind the mill, by hand.")
    events.end()
    events.work()
    assert [one["title"] for one in events.seen()] == [
        EDITED,
        "Looked up url https://example.invalid/birds: “Birds eat fish”",
        "Ran `./feed`: “fed 3 birds”",
    ]
    title = events.terminal.mem("show", events.whole()["summary"], "--json").json["memory"]["title"]
    assert title == "At the pond behind the mill, by hand."


def test_observations_age_out_unless_somebody_cares(events: Events, later: Callable[[str], None]) -> None:
    mem = events.terminal.mem
    events.prompt("Fix many things")
    for name in ("plain", "pinned", "linked", "cited", "edited"):
        events.tool("Edit", EDIT | {"file_path": f"{name}.py"})
    events.work()
    ids = {one["title"].split()[1].partition(".")[0]: one["id"] for one in events.seen()}
    mem("pin", ids["pinned"])
    mem("link", events.terminal.add("Other"), "explains", ids["linked"])
    events.terminal.add("Says", f"as seen in {ids['cited']} back then")
    mem("update", ids["edited"], "--tags", "kept")
    later("2026-03-31T11:00:00Z")
    events.work()
    assert len(events.seen()) == 5
    later("2026-04-01T12:00:00Z")
    events.work()
    assert {one["id"] for one in events.seen()} == {name for word, name in ids.items() if word != "plain"}
    assert events.whole()["summary_text"]
    assert mem("restore", ids["plain"]).code == 0


def test_the_log_tells_of_sessions_and_prompts(events: Events) -> None:
    short_session(events)
    events.work()
    whole = events.whole()
    mem = events.terminal.mem
    assert [op["k"] for op in mem("log", whole["id"], "--json").json] == ["session"] * 3
    assert [op["k"] for op in mem("log", whole["prompt_list"][0]["id"], "--json").json] == ["prompt"] * 3
    assert "no prompt P-ZZZZ" in mem("log", "P-ZZZZ", fails=3).err


def test_the_doctor_tells_of_events_that_nobody_works_up(events: Events, later: Callable[[str], None]) -> None:
    events.put("stop", raw="{")
    events.work()
    events.stop()
    assert "1 event failed" in events.terminal.mem("doctor").out
    later("2026-03-01T14:00:00Z")
    assert "1 event has been waiting for 119 minutes" in events.terminal.mem("doctor").out


def test_undo_takes_back_what_a_person_did_not_what_the_worker_did(events: Events) -> None:
    mine = events.terminal.add("Mine")
    short_session(events)
    events.work()
    events.terminal.mem("undo")
    assert len(events.seen()) == 2
    assert "is forgotten" in events.terminal.mem("show", mine, fails=3).err


def test_exports_and_imports_carry_what_was_observed_as_memories(events: Events) -> None:
    short_session(events)
    events.work()
    lines = events.terminal.mem("export").out
    assert len(lines.splitlines()) == 5
    assert "5 unchanged" in events.terminal.mem("import", "-", stdin=lines).out


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM session",
        "DELETE FROM prompt",
        "UPDATE session SET status = 'odd'",
        "UPDATE prompt SET text = 'other'",
        "UPDATE memory SET session = 0",
        "DELETE FROM op WHERE kind = 'session'",
        "DELETE FROM op WHERE kind = 'prompt'",
        "DELETE FROM op",
        "DELETE FROM passage_fts_data",
        "DELETE FROM passage",
        "UPDATE passage SET text = 'other'",
    ],
)
def test_sessions_and_prompts_are_mended_as_memories_are(events: Events, damage: str) -> None:
    import apsw

    short_session(events)
    events.work()
    before = events.whole()
    db = apsw.Connection(str(events.terminal.store))
    db.execute(damage)
    db.close()
    events.terminal.mem("doctor", "--verbose", fails=1)
    events.terminal.mem("doctor", "--repair")
    after = events.whole()
    assert after == {**before, "root": after["root"]}
    assert events.terminal.mem("search", "login", "--kind", "prompt", "--json").json
