"""From a line to the prompt and the decision that made it so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.agents.worker.events import Events
from tests.provenance.conftest import CODE, Desk, prompts, reasons

REPLY = "Done. We decided to ask the server for every token because a cached token outlived its user."


def logged_in(desk: Desk) -> str:
    """A session writes a file and commits it. Returns the commit."""
    desk.prompt("Add a login that rejects stale tokens")
    desk.write("auth.py", CODE)
    commit = desk.commit("Add login")
    desk.stop(REPLY)
    desk.work()
    return commit


def test_a_line_leads_to_commit_session_prompt_and_decision(desk: Desk) -> None:
    commit = logged_in(desk)
    (change,) = desk.why("auth.py:2")["changes"]

    assert (change["commit"]["id"], change["commit"]["subject"]) == (commit, "Add login")
    assert (change["lines"], change["text"]) == ([[2, 2]], "    token = fetch(user)")
    assert prompts(change) == ["Add a login that rejects stale tokens"]
    assert change["sessions"][0]["how"] == "committed"
    assert any("a cached token outlived its user" in text for text in reasons(change))


def test_it_is_told_to_a_person_in_a_few_lines(desk: Desk) -> None:
    logged_in(desk)
    text = desk.terminal.mem("why", "auth.py:2").out

    assert "auth.py:2" in text
    assert "Add login" in text
    assert "Add a login that rejects stale tokens" in text
    assert "a cached token outlived its user" in text
    assert len(text.splitlines()) < 15


def test_a_commit_is_explained_by_hash_and_by_name(desk: Desk) -> None:
    commit = logged_in(desk)
    for name in (commit, commit[:9], "HEAD", "main"):
        answer = desk.why(name)
        assert (answer["kind"], answer["commit"]) == ("commit", commit)
        assert prompts(answer["changes"][0]) == ["Add a login that rejects stale tokens"]


def test_the_message_of_a_commit_is_a_reason(desk: Desk) -> None:
    desk.terminal.git("commit", "-q", "--allow-empty", "-m", "Pin the parser\n\nVersion 3 drops comments.")
    assert desk.why("HEAD")["changes"][0]["commit"]["message"] == "Version 3 drops comments."


def test_a_file_is_explained_by_its_last_commits(desk: Desk) -> None:
    logged_in(desk)
    desk.prompt("Rename the function to sign_in")
    desk.write("auth.py", "def sign_in(user):", "def login(user):")
    desk.commit("Rename login")
    desk.work()
    changes = desk.why("auth.py")["changes"]

    assert [change["commit"]["subject"] for change in changes] == ["Rename login", "Add login"]
    assert [prompts(change) for change in changes] == [
        ["Rename the function to sign_in"],
        ["Add a login that rejects stale tokens"],
    ]


def test_the_prompt_counts_that_led_to_the_edit_and_not_the_one_that_says_commit(desk: Desk) -> None:
    desk.prompt("Retry twice since the gateway drops connections")
    desk.write("net.py", "retries = 2\n")
    desk.stop()
    desk.prompt("commit please")
    desk.commit("Retry")
    desk.work()

    assert prompts(desk.why("net.py:1")["changes"][0]) == ["Retry twice since the gateway drops connections"]


def test_of_two_prompts_before_one_commit_each_line_has_its_own(desk: Desk) -> None:
    desk.prompt("Retry twice")
    desk.write("net.py", "retries = 2\n")
    desk.prompt("Wait ten seconds")
    desk.write("net.py", "retries = 2\ntimeout = 10\n", "retries = 2\n")
    desk.write("net.py", "timeout = 11\n", "timeout = 10\n")
    desk.commit("Network settings")
    desk.work()

    assert prompts(desk.why("net.py:2")["changes"][0]) == ["Wait ten seconds"]
    assert "Retry twice" in prompts(desk.why("net.py:1")["changes"][0])


def test_lines_of_several_commits_come_in_groups(desk: Desk) -> None:
    logged_in(desk)
    desk.prompt("Name the exception")
    desk.write("auth.py", "    token = fetch_named(user)\n", "    token = fetch(user)\n")
    desk.commit("Name it")
    desk.work()
    changes = desk.why("auth.py:1-3")["changes"]

    assert [(change["commit"]["subject"], change["lines"]) for change in changes] == [
        ("Add login", [[1, 1], [3, 3]]),
        ("Name it", [[2, 2]]),
    ]


def test_a_commit_of_the_person_belongs_to_the_session_that_edited_before(desk: Desk) -> None:
    desk.prompt("Add a login that rejects stale tokens")
    desk.write("auth.py", CODE)
    desk.stop()
    desk.terminal.commit("unrelated", other_py="x = 1\n")
    desk.terminal.git("add", "-A")
    desk.terminal.git("commit", "-q", "-m", "Add login")
    desk.work()
    (change,) = desk.why("auth.py:1")["changes"]

    assert prompts(change) == ["Add a login that rejects stale tokens"]
    assert change["sessions"][0]["how"] == "edited"


def test_a_commit_nobody_was_seen_at_says_so(desk: Desk) -> None:
    logged_in(desk)
    desk.terminal.commit("by hand", auth_py=CODE.replace("fetch", "load"))
    (change,) = desk.why("auth.py:2")["changes"]

    assert (change["commit"]["subject"], change["sessions"]) == ("by hand", [])
    assert "session   none is known" in desk.terminal.mem("why", "auth.py:2").out


def test_a_line_that_is_not_committed_leads_to_the_session_that_wrote_it(desk: Desk) -> None:
    logged_in(desk)
    desk.prompt("Log every login")
    desk.write("auth.py", "    audit(user, 'login')\n    return token.valid\n", "    return token.valid\n")
    desk.work()
    (change,) = desk.why("auth.py:3")["changes"]

    assert (change["commit"], prompts(change)) == (None, ["Log every login"])
    assert [it["commit"] and it["commit"]["subject"] for it in desk.why("auth.py")["changes"]] == [None, "Add login"]


def test_a_file_that_git_does_not_know_yet(desk: Desk) -> None:
    desk.prompt("Write a draft")
    desk.write("draft.md", "# Draft\n\nText.\n")
    desk.work()
    (change,) = desk.why("draft.md:3")["changes"]

    assert (change["commit"], change["text"], prompts(change)) == (None, "Text.", ["Write a draft"])


def test_a_repository_without_commits(nowhere: Desk) -> None:
    nowhere.git("init", "-q", "-b", "main", ".")
    nowhere.add("Sessions live in Redis")
    desk = Desk(nowhere)
    desk.prompt("Begin")
    desk.write("a.py", "x = 1\n")
    desk.work()

    assert prompts(desk.why("a.py:1")["changes"][0]) == ["Begin"]
    assert prompts(desk.why("a.py")["changes"][0]) == ["Begin"]
    nowhere.mem("why", "HEAD", fails=3)


def test_what_was_tried_and_dropped_is_told(desk: Desk) -> None:
    desk.prompt("Cache the token")
    desk.write("auth.py", CODE)
    desk.commit("Add login")
    desk.stop("We tried to cache the token in memory, but it did not work because workers restart. Dropped it for Redis.")
    desk.work()
    (change,) = desk.why("auth.py:2")["changes"]

    assert any("workers restart" in reason["text"] for reason in change["dropped"])


def test_a_decision_that_was_replaced_comes_as_the_history_of_the_one_that_holds(desk: Desk) -> None:
    logged_in(desk)
    first = desk.terminal.add("Tokens live an hour", "short is safe", "--kind", "decision", "--file", "auth.py")
    second = desk.terminal.mem(
        "supersede", first, "--title", "Tokens live a day", "--summary", "an hour was too short for imports", "--json"
    ).json["id"]
    (change,) = desk.why("auth.py:1")["changes"]
    (reason,) = [reason for reason in change["decisions"] if reason["id"] == second]

    assert (reason["text"], reason["state"]) == ("Tokens live a day", "holds")
    assert [earlier["text"] for earlier in reason["earlier"]] == ["Tokens live an hour"]
    assert first not in [reason["id"] for reason in change["decisions"]]
    assert "before: " in desk.terminal.mem("why", "auth.py:1").out


def test_a_decision_is_a_reason_of_the_changes_from_the_one_that_it_was_made_on(desk: Desk, later: Callable[[str], None]) -> None:
    ids = {}
    for day, name in enumerate(("fixed", "doubled", "capped"), 1):
        desk.terminal.env["GIT_AUTHOR_DATE"] = f"2026-02-0{day}T10:00:00Z"
        desk.terminal.commit(f"The delay is {name}", retry_py=f"delay = '{name}'\n")
        later(f"2026-02-0{day}T12:00:00Z")
        ids[name] = desk.terminal.add(f"Delays are {name}", "since they are", "--kind", "decision", "--file", "retry.py")
    changes = desk.why("retry.py")["changes"]

    told = {change["commit"]["subject"]: {reason["id"] for reason in change["decisions"]} for change in changes}
    assert told["The delay is fixed"] == {ids["fixed"]}
    assert told["The delay is doubled"] == {ids["fixed"], ids["doubled"]}
    assert told["The delay is capped"] == set(ids.values())


def test_a_decision_that_was_replaced_after_the_next_change_is_still_the_reason_of_this_one(
    desk: Desk, later: Callable[[str], None]
) -> None:
    desk.terminal.env["GIT_AUTHOR_DATE"] = "2026-02-01T10:00:00Z"
    desk.terminal.commit("The delay is fixed", retry_py="delay = 1\n")
    later("2026-02-01T12:00:00Z")
    old = desk.terminal.add("Delays are fixed", "simple", "--kind", "decision", "--file", "retry.py")
    desk.terminal.env["GIT_AUTHOR_DATE"] = "2026-02-02T10:00:00Z"
    desk.terminal.commit("The delay doubles", retry_py="delay = 2\n")
    later("2026-02-02T12:00:00Z")
    new = desk.terminal.mem("supersede", old, "--title", "Delays double", "--summary", "bursts", "--json").json["id"]

    latest, first = desk.why("retry.py")["changes"]
    assert [(reason["id"], reason["state"]) for reason in latest["decisions"]] == [(new, "holds")]
    assert [(reason["id"], reason["state"], reason["superseded_by"]) for reason in first["decisions"]] == [
        (old, "superseded", new)
    ]


def test_a_decision_of_another_branch_is_marked(desk: Desk) -> None:
    logged_in(desk)
    desk.terminal.git("switch", "-q", "-c", "side")
    desk.terminal.commit("side", b_py="b\n")
    desk.terminal.add("Tokens are opaque", "the server decides", "--kind", "decision", "--file", "auth.py")
    desk.terminal.git("switch", "-q", "main")

    states = {reason["text"]: reason["state"] for reason in desk.why("auth.py:1")["changes"][0]["decisions"]}
    assert states["Tokens are opaque"] == "other branch"


def test_two_sessions_each_have_their_lines(desk: Desk) -> None:
    logged_in(desk)
    other = Desk(desk.terminal, "s2", "codex")
    other.prompt("Say who logged in")
    other.write("auth.py", CODE + "\n\ndef who(user):\n    return user.name\n", CODE)
    other.commit("Add who")
    other.work()

    assert desk.why("auth.py:1")["changes"][0]["sessions"][0]["harness"] == "claude"
    assert desk.why("auth.py:7")["changes"][0]["sessions"][0]["harness"] == "codex"


def test_a_forgotten_prompt_is_not_told(desk: Desk) -> None:
    logged_in(desk)
    (prompt,) = desk.why("auth.py:1")["changes"][0]["sessions"][0]["prompts"]
    desk.terminal.mem("forget", prompt["id"])

    assert prompts(desk.why("auth.py:1")["changes"][0]) == []


def test_an_erased_session_leaves_nothing(desk: Desk) -> None:
    logged_in(desk)
    (session,) = desk.why("auth.py:1")["changes"][0]["sessions"]
    desk.terminal.mem("forget", session["id"], "--erase")

    assert desk.why("auth.py:1")["changes"][0]["sessions"] == []
    assert Events(desk.terminal).sql("SELECT count(*) FROM authored") == [(0,)]


@pytest.mark.parametrize("message", ["", 'Revert "Round prices up"'])
def test_lines_that_a_revert_made_name_it_and_what_it_took_back(desk: Desk, message: str) -> None:
    terminal = desk.terminal
    terminal.commit("Add rates", rates_py="def price(net):\n    return round(net)\n")
    desk.prompt("Round prices up")
    desk.write("rates.py", "return ceil(net)", "return round(net)")
    taken = desk.commit("Round prices up")
    desk.stop("Prices are rounded up.")
    desk.work()
    terminal.git("revert", "--no-commit" if message else "--no-edit", "HEAD")
    if message:
        terminal.git("commit", "-q", "-m", message)
    for target in ("rates.py:2", "HEAD", "rates.py"):
        change = desk.why(target)["changes"][0]
        assert change["commit"]["subject"] == 'Revert "Round prices up"'
        assert (change["took_back"]["id"], change["took_back"]["subject"]) == (taken, "Round prices up")
    assert desk.why("rates.py:1")["changes"][0]["took_back"] is None
    assert f"took back {taken[:10]} Round prices up" in terminal.mem("why", "rates.py:2").out


def test_a_commit_names_the_one_that_took_it_back(desk: Desk) -> None:
    taken = desk.terminal.commit("Round prices up", rates_py="return ceil(net)\n")
    assert desk.why(taken)["changes"][0]["taken_back_by"] is None
    desk.terminal.git("revert", "--no-edit", "HEAD")
    change = desk.why(taken)["changes"][0]
    assert (change["taken_back_by"]["id"], change["took_back"]) == (desk.head(), None)
    assert f"by {desk.head()[:10]} Revert" in desk.terminal.mem("why", taken).out
    assert desk.why("HEAD")["changes"][0]["taken_back_by"] is None
