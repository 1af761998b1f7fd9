"""Sessions: what they were about, how they are summed up and closed, and how one goes from a line to the whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.worker.letters import EDIT, EDITED, Letters, story


def summary(letters: Letters) -> list[str]:
    return str(letters.whole()["summary_text"]).splitlines()


def test_a_session_is_summed_up_and_closed(letters: Letters) -> None:
    story(letters)
    letters.work()
    whole = letters.whole()
    assert (whole["status"], whole["reason"], whole["prompts"]) == ("completed", "exit", 1)
    assert summary(letters) == [
        "Asked: Fix the login timeout bug",
        "Left: Remaining: write docs.",
        f"Done: {EDITED}; Committed: Fix the login timeout",
        "Learned: The root cause was the clock.; `pytest -q tests` failed: 3 failed, 2 passed in 1.2s",
        "Said last: The root cause was the clock. Remaining: write docs.",
        "Files: auth.py",
    ]
    memory = letters.terminal.mem("show", whole["summary"], "--json").json["memory"]
    assert (memory["kind"], memory["title"], memory["origin"]) == ("summary", "Fix the login timeout", "hook")


@pytest.mark.parametrize(
    ("question", "found"), [("login timeout clock", 2), ("fix the login timeout", 2), ("edited auth.py token.valid", 1)]
)
def test_a_pack_has_a_session_once_and_names_what_its_summary_tells_of(letters: Letters, question: str, found: int) -> None:
    story(letters)
    letters.work()
    own = letters.terminal.add("The login timeout is thirty seconds")  # written on purpose: it stays

    pack = letters.terminal.mem("get", question, "--format", "json").json

    (told,) = [one for one in pack["top_memories"] if one["kind"] == "summary"]
    assert len(told["also"]) == found
    assert [one["id"] for one in pack["top_memories"] if one["id"] not in (told["id"], own)] == []


def test_the_next_session_is_told_a_summary_and_not_each_step_of_it(letters: Letters) -> None:
    story(letters)
    letters.work()

    start = letters.terminal.mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"]

    assert start.count("Committed: Fix the login timeout") == 1
    assert f"- {EDITED}" not in start


def test_a_summary_is_revised_in_place_and_its_history_kept(letters: Letters) -> None:
    letters.prompt("Fix it")
    letters.stop("Half done.")
    letters.work()
    first = letters.whole()["summary"]
    letters.put("user-prompt", at=120, prompt="And the docs")
    letters.put("stop", at=180, reply="All done.")
    letters.work()
    assert letters.whole()["summary"] == first
    assert summary(letters)[0] == "Asked: Fix it (then, 2 prompts in all: And the docs)"
    assert summary(letters)[-1] == "Said last: All done."
    puts = [op for op in letters.terminal.mem("log", first, "--json").json if op["k"] == "put"]
    assert len(puts) == 2


def test_a_long_session_is_summed_up_from_its_first_and_its_last_prompt(letters: Letters) -> None:
    for number in range(1, 61):
        letters.prompt(f"Do step {number}")
    letters.stop("Step sixty is done now.")
    letters.end()
    letters.work()
    assert summary(letters)[0] == "Asked: Do step 1 (then, 60 prompts in all: Do step 60)"
    assert "Said last: Step sixty is done now." in summary(letters)


def test_stops_in_quick_succession_sum_up_once(letters: Letters) -> None:
    letters.prompt("Fix it")
    for number in range(5):
        letters.stop(f"Step {number}.")
    letters.work()
    ops = letters.terminal.mem("log", letters.whole()["summary"], "--json").json
    assert len([op for op in ops if op["k"] == "put"]) == 1
    assert summary(letters)[-1] == "Said last: Step 4."


def test_a_silent_session_is_closed_after_an_hour(letters: Letters, later: Callable[[str], None]) -> None:
    letters.prompt("Fix it")
    letters.tool("Edit", EDIT)
    letters.work()
    assert letters.whole()["status"] == "active"
    assert summary(letters)[0] == "Asked: Fix it"
    later("2026-03-01T12:59:00Z")
    letters.work()
    assert letters.whole()["status"] == "active"
    later("2026-03-01T13:00:03Z")
    letters.work()
    whole = letters.whole()
    assert (whole["status"], whole["reason"], whole["ended_at"]) == ("completed", "idle", "2026-03-01T12:00:02.000Z")


def test_a_session_that_is_resumed_is_open_again(letters: Letters) -> None:
    story(letters)
    letters.put("session-start", source="resume")
    letters.prompt("One thing more")
    letters.work()
    whole = letters.whole()
    assert (whole["status"], whole["reason"], whole["ended_at"], whole["prompts"]) == ("active", "", None, 2)


def test_a_private_prompt_is_counted_and_nothing_else(letters: Letters) -> None:
    letters.put("user-prompt", skipped="private")
    letters.prompt("And this is public")
    letters.work()
    texts = [(one["number"], one["text"], one["skipped"]) for one in letters.whole()["prompt_list"]]
    assert texts == [(1, "", "private"), (2, "And this is public", "")]


def test_an_empty_prompt_is_not_called_private(letters: Letters) -> None:
    letters.prompt(" ")
    letters.put("user-prompt", skipped="context")
    letters.work()
    assert [one["skipped"] for one in letters.whole()["prompt_list"]] == ["empty", "context"]


def test_two_harnesses_may_call_their_sessions_the_same(letters: Letters) -> None:
    letters.prompt("In one")
    other = Letters(letters.terminal, "s1", "codex")
    other.prompt("In the other")
    letters.work()
    assert {one["harness"] for one in letters.terminal.mem("sessions", "--json").json} == {"claude", "codex"}
    assert "could be 2 sessions" in letters.terminal.mem("session", "s1", fails=2).err


def test_what_needs_a_summary_is_listed(letters: Letters) -> None:
    letters.prompt("Fix it")
    letters.work()
    assert letters.terminal.mem("sessions", "--needs-summary", "--json").json == []
    assert letters.terminal.mem("sessions", "--needs-summary").out == "every session has a summary\n"
    assert "1 prompt · active" in letters.terminal.mem("sessions").out


def test_the_index_is_a_line_each_oldest_first(letters: Letters, monkeypatch: pytest.MonkeyPatch) -> None:
    story(letters)
    letters.work()
    lines = letters.terminal.mem("sessions", "--index", "--json").json
    assert [line["kind"] for line in lines] == ["bugfix", "bugfix", "summary"]
    assert all(line["tokens"] > 0 for line in lines)
    assert letters.terminal.mem("sessions", "--index").out.splitlines()[0].split()[:4] == [
        lines[0]["id"],
        "bugfix",
        "2026-03-01",
        "12:00",
    ]
    monkeypatch.setenv("MEMPACK_INDEX_OBSERVATIONS", "1")
    assert len(letters.terminal.mem("sessions", "--index", "--json").json) == 2


def test_one_goes_from_a_line_to_its_surroundings_to_the_whole(letters: Letters) -> None:
    story(letters)
    letters.work()
    mem = letters.terminal.mem
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
        (("timeline", "M-ZZZZ", "--before", "101"), 2, "the before must be 0 to 100"),
        (("search", "x", "--session", "nosuch"), 3, "no session nosuch"),
        (("sessions", "--limit", "0"), 2, "the limit must be"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(letters: Letters, words: tuple[str, ...], code: int, said: str) -> None:
    assert said in letters.terminal.mem(*words, fails=code).err


def test_show_takes_the_id_of_a_session_or_a_prompt(letters: Letters) -> None:
    mem = letters.terminal.mem
    story(letters)
    letters.prompt("And the docs?")
    letters.stop("Written.")
    letters.work()
    whole = letters.whole()
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
    assert "shown by themselves" in mem("show", first["id"], whole["summary"], fails=2).err
    hint = f"see mem timeline {first['id']}; mem forget {first['id']} --erase removes it for good"
    assert mem("forget", first["id"], fails=3).err.splitlines()[1:] == [f"Hint: this is the id of a prompt: {hint}"]
    hint = f"see mem session {whole['id']}; mem forget {whole['id']} --erase removes it for good"
    assert mem("forget", whole["id"], fails=3).err.splitlines()[1:] == [f"Hint: this is the id of a session: {hint}"]
    mem("forget", "--erase", first["id"])
    assert "no prompt" in mem("show", first["id"], fails=3).err


def test_what_a_subagent_is_asked_and_answers_is_part_of_the_turn(letters: Letters) -> None:
    letters.prompt("Fix the login")
    letters.put("user-prompt", prompt="Look for callers", agent="sub-1")
    letters.tool("Edit", EDIT, agent="sub-1")
    letters.put("stop", reply="I found three callers.", agent="sub-1")
    letters.stop("Mended in one place, as asked.")
    letters.work()
    whole = letters.whole()
    assert [(one["text"], one["reply"]) for one in whole["prompt_list"]] == [("Fix the login", "Mended in one place, as asked.")]
    assert [(one["title"], one["prompt"]) for one in letters.seen()] == [(EDITED, 1)]
    assert "three callers" not in whole["summary_text"]


def test_a_memory_that_somebody_wrote_is_from_no_session(letters: Letters) -> None:
    name = letters.terminal.add("By hand")
    assert "is from no session" in letters.terminal.mem("session", name, fails=3).err


def test_search_finds_prompts_and_summaries_and_keeps_to_a_session(letters: Letters) -> None:
    story(letters)
    other = Letters(letters.terminal, "s2")
    other.prompt("Why is the login slow in Safari?")
    letters.work()
    mem = letters.terminal.mem
    kinds = [one["kind"] for one in mem("search", "login", "--json").json]
    assert {"prompt", "summary", "bugfix"} <= set(kinds)
    (only,) = mem("search", "safari", "--kind", "prompt", "--json").json
    assert (only["title"], only["id"][:2]) == ("Why is the login slow in Safari?", "P-")
    titles = [one["title"] for one in mem("search", "login", "--session", "s2", "--json").json]
    assert titles == ["Why is the login slow in Safari?"]
    assert mem("search", "login", "--limit", "1", "--offset", "1", "--json").json == mem("search", "login", "--json").json[1:2]
    assert all(one["kind"] != "prompt" for one in mem("search", "login", "--kind", "summary", "--json").json)


def test_what_somebody_wrote_ranks_above_what_was_observed(letters: Letters) -> None:
    letters.prompt("Cache the sessions")
    letters.tool("Edit", EDIT)
    letters.work()
    (seen,) = letters.seen()
    written = letters.terminal.add(seen["title"], seen["summary"], "--tags", "what-changed")

    def told(name: str) -> tuple[float, float]:
        found = letters.terminal.mem("explain", "cache sessions auth", "--json").json["memories"]
        (one,) = [one for one in found if one["id"] == name]
        return one["features"]["captured"], one["final_score"]

    assert told(written)[0] == 0.0
    assert told(seen["id"])[0] < -0.2
    assert told(written)[1] > told(seen["id"])[1]
    letters.terminal.mem("pin", seen["id"])
    assert told(seen["id"])[0] == 0.0


def test_a_fact_beats_the_summary_of_a_session_in_which_it_was_asked_for(letters: Letters) -> None:
    question = "Where do the session tokens live, and why did Redis evict them under load?"
    fact = letters.terminal.add("Session tokens live in Postgres", "They were lost when memory ran short.")
    letters.prompt(question)
    letters.tool("Edit", EDIT)
    letters.shell("make deploy", "deployed")
    letters.stop("They are in Postgres now, out of Redis.")
    letters.end()
    letters.work()
    found = letters.terminal.mem("get", question, "--format", "json").json["top_memories"]
    assert found[0]["id"] == fact
    assert len(found) > 2


def test_no_title_repeats_what_was_asked(letters: Letters) -> None:
    letters.prompt("Where is the heron fed?")
    letters.tool("Edit", EDIT)
    letters.tool("WebFetch", {"url": "https://example.invalid/birds"}, "Birds eat fish")
    letters.shell("./feed", "fed 3 birds")
    letters.stop("At the pond behind the mill, by hand.")
    letters.end()
    letters.work()
    assert [one["title"] for one in letters.seen()] == [
        EDITED,
        "Looked up url https://example.invalid/birds: Birds eat fish",
        "Ran `./feed`: fed 3 birds",
    ]
    title = letters.terminal.mem("show", letters.whole()["summary"], "--json").json["memory"]["title"]
    assert title == "At the pond behind the mill, by hand."


def test_observations_age_out_unless_somebody_cares(letters: Letters, later: Callable[[str], None]) -> None:
    mem = letters.terminal.mem
    letters.prompt("Fix many things")
    for name in ("plain", "pinned", "linked", "cited", "edited"):
        letters.tool("Edit", EDIT | {"file_path": f"{name}.py"})
    letters.work()
    ids = {one["title"].split()[1].partition(".")[0]: one["id"] for one in letters.seen()}
    mem("pin", ids["pinned"])
    mem("link", letters.terminal.add("Other"), "explains", ids["linked"])
    letters.terminal.add("Says", f"as seen in {ids['cited']} back then")
    mem("update", ids["edited"], "--tags", "kept")
    later("2026-03-31T11:00:00Z")
    letters.work()
    assert len(letters.seen()) == 5
    later("2026-04-01T12:00:00Z")
    letters.work()
    assert {one["id"] for one in letters.seen()} == {name for word, name in ids.items() if word != "plain"}
    assert letters.whole()["summary_text"]
    assert mem("restore", ids["plain"]).code == 0


def test_the_log_tells_of_sessions_and_prompts(letters: Letters) -> None:
    story(letters)
    letters.work()
    whole = letters.whole()
    mem = letters.terminal.mem
    assert [op["k"] for op in mem("log", whole["id"], "--json").json] == ["session"] * 3
    assert [op["k"] for op in mem("log", whole["prompt_list"][0]["id"], "--json").json] == ["prompt"] * 3
    assert "no prompt P-ZZZZ" in mem("log", "P-ZZZZ", fails=3).err


def test_the_doctor_tells_of_events_that_nobody_works_up(letters: Letters, later: Callable[[str], None]) -> None:
    letters.put("stop", raw="{")
    letters.work()
    letters.stop()
    assert "1 event failed" in letters.terminal.mem("doctor").out
    later("2026-03-01T14:00:00Z")
    assert "1 event has been waiting for 119 minutes" in letters.terminal.mem("doctor").out


def test_undo_takes_back_what_a_person_did_not_what_the_worker_did(letters: Letters) -> None:
    mine = letters.terminal.add("Mine")
    story(letters)
    letters.work()
    letters.terminal.mem("undo")
    assert len(letters.seen()) == 2
    assert "is forgotten" in letters.terminal.mem("show", mine, fails=3).err


def test_exports_and_imports_carry_what_was_observed_as_memories(letters: Letters) -> None:
    story(letters)
    letters.work()
    lines = letters.terminal.mem("export").out
    assert len(lines.splitlines()) == 5
    assert "5 unchanged" in letters.terminal.mem("import", "-", stdin=lines).out


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
        "DELETE FROM prompt_fts_data",
    ],
)
def test_sessions_and_prompts_are_mended_as_memories_are(letters: Letters, damage: str) -> None:
    import apsw

    story(letters)
    letters.work()
    before = letters.whole()
    db = apsw.Connection(str(letters.terminal.store))
    db.execute(damage)
    db.close()
    letters.terminal.mem("doctor", "--verbose", fails=1)
    letters.terminal.mem("doctor", "--repair")
    after = letters.whole()
    assert after == {**before, "root": after["root"]}
    assert letters.terminal.mem("search", "login", "--kind", "prompt", "--json").json
