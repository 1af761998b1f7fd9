"""What was taken back, and by whom."""

from __future__ import annotations

from typing import Any

import pytest

from memcli.fields import to_json
from memcli.project import Where, open_for_reading
from memcli.provenance import reverts
from memcli.recall import pictures
from memcli.text import dates
from tests.agents.worker.events import START
from tests.provenance.conftest import CODE, Desk, prompts


@pytest.fixture(autouse=True)
def here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test works in the repository."""
    monkeypatch.chdir(desk.terminal.folder)


def taken_back() -> Any:
    """What the page is told, the latest first."""
    project = open_for_reading(Where())
    try:
        return to_json(reverts.taken_back(project))
    finally:
        project.close()


def test_a_revert_names_its_author_the_session_that_made_it_and_the_commit_that_it_takes_back(desk: Desk) -> None:
    desk.prompt("Add a login, then take it back")
    desk.write("auth.py", CODE)
    first = desk.commit("Add login")
    desk.write("auth.py", "")
    revert = desk.commit('Revert "Add login"')
    desk.stop("Taken back.")
    desk.work()
    desk.terminal.git("revert", "--no-edit", "HEAD")

    again, back = taken_back()
    assert (back["how"], back["title"], back["of"], back["id"]) == ("commit", "Add login", first, revert)
    assert (again["title"], again["of"], again["id"]) == ('Revert "Add login"', revert, desk.head())
    assert back["by"] == desk.terminal.git("log", "-1", "--format=%an")
    assert back["session"].startswith("A-")
    assert again["session"] is None


@pytest.mark.parametrize("subject", ['Revert "Add login"', 'Reapply "x" and more', "Revert the login"])
def test_a_commit_that_only_says_so_names_the_one_of_that_subject_where_there_is_one(desk: Desk, subject: str) -> None:
    first = desk.terminal.commit("Add login", auth_py=CODE)
    desk.terminal.commit(subject, auth_py="")
    expected = [("Add login", first)] if subject == 'Revert "Add login"' else []
    assert [(it["title"], it["of"]) for it in taken_back()] == expected
    desk.terminal.commit("Add login", auth_py=CODE)  # now two have it
    assert [it["of"] for it in taken_back()] == [None] * len(expected)


def test_a_session_that_ran_git_revert_made_the_revert(desk: Desk) -> None:
    desk.terminal.commit("Add login", auth_py=CODE)
    desk.prompt("Take the login back")
    output = desk.terminal.git("revert", "--no-edit", "HEAD")
    desk.shell("git revert --no-edit HEAD", output, commit=desk.head())
    desk.stop("Taken back.")
    desk.work()

    (back,) = taken_back()
    assert (back["title"], back["session"]) == ("Add login", desk.whole()["id"])
    assert 'Committed: Revert "Add login"' in [seen["title"] for seen in desk.seen()]


def test_a_commit_that_was_written_in_a_turn_was_made_by_its_session_also_where_the_call_does_not_tell(desk: Desk) -> None:
    desk.terminal.commit("Add login", auth_py=CODE)
    clock = dict.fromkeys(("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), dates.iso(START + 60_000))
    desk.put("user-prompt", at=50, prompt="Revert the login")
    desk.terminal.env |= clock
    desk.terminal.git("revert", "--no-edit", "HEAD")
    desk.put("post-tool-use", at=70, tool="Bash", input={"command": "make undo"}, result="ok", commit=desk.head())
    desk.put("stop", at=80, reply="Reverted.", commit=desk.head())
    desk.work()

    (back,) = taken_back()
    assert (back["title"], back["session"], back["asked"]) == ("Add login", desk.whole()["id"], "Revert the login")
    (change,) = desk.why(desk.head())["changes"]
    assert [(it["id"], it["how"], prompts(change)) for it in change["sessions"]] == [
        (desk.whole()["id"], "committed", ["Revert the login"])
    ]
    project = open_for_reading(Where())
    try:
        acts = [it.title for it in pictures.acts(project, desk.whole()["id"]) if it.lane == "commit"]
    finally:
        project.close()
    assert acts == [f'{desk.head()[:10]} Revert "Add login"']


def test_what_was_taken_back_leads_to_the_prompt_that_asked_for_it(desk: Desk) -> None:
    desk.prompt("Add a login")
    desk.write("auth.py", CODE)
    first = desk.commit("Add login")
    desk.stop("Added.")
    desk.work()
    made = next(seen["id"] for seen in desk.seen() if seen["title"] == "Committed: Add login")
    other = desk.terminal.add("Logins are old", "by now")
    desk.prompt("Revert the login, nobody wants it")
    output = desk.terminal.git("revert", "--no-edit", "HEAD")
    desk.shell("git revert --no-edit HEAD", output, commit=desk.head())
    desk.stop("Reverted.")
    desk.work()
    project = open_for_reading(Where())
    try:
        causes = {name: [it.asked for it in reverts.of(project, name)] for name in (first, made, other)}
    finally:
        project.close()
    asked = ["Revert the login, nobody wants it"]
    assert causes == {first: asked, made: asked, other: []}


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git revert --no-commit HEAD", ""),
        ("git revert --abort", ""),
        ("git revert HEAD", "CONFLICT (content): Merge conflict in a.py\nerror: could not revert 1a2b3c4... Add login"),
        ("git log --grep revert", "commit 1a2b3c4"),
    ],
)
def test_a_session_that_only_began_to_revert_made_no_commit(desk: Desk, command: str, output: str) -> None:
    desk.terminal.commit("Add login", auth_py=CODE)
    desk.terminal.git("revert", "--no-edit", "HEAD")  # somebody else did
    desk.prompt("Take the login back")
    desk.shell(command, output, commit=desk.head())
    desk.stop("Begun.")
    desk.work()
    assert [it["session"] for it in taken_back() if it["how"] == "commit"] == [None]


def test_an_undo_is_told_with_what_it_took_back(desk: Desk) -> None:
    memory = desk.terminal.add("Sessions live in Postgres")
    desk.terminal.mem("undo")
    (undone,) = taken_back()
    assert (undone["how"], undone["kind"], undone["title"], undone["of"]) == ("undo", "put", "Sessions live in Postgres", memory)
    assert undone["by"] == "cli"


def test_without_a_commit_nothing_was_taken_back(desk: Desk) -> None:
    assert taken_back() == []


def test_a_change_back_is_told_whatever_made_it_and_a_change_on_is_not(desk: Desk) -> None:
    mem = desk.terminal.mem
    memory = desk.terminal.add("Sessions live in Postgres")
    mem("pin", memory)
    mem("update", memory, "--summary", "Redis evicted them")
    assert taken_back() == []
    mem("unpin", memory)
    mem("pin", memory)
    mem("update", memory, "--summary", "because")
    mem("forget", memory)
    mem("restore", memory)
    assert [(it["how"], it["kind"], it["of"]) for it in taken_back()] == [
        ("change", kind, memory) for kind in ("forget", "edit", "unpin", "pin")
    ]
    mem("update", memory, "--summary", "they outlive a restart")
    mem("undo")
    assert [it["how"] for it in taken_back()] == ["undo", *["change"] * 4]


def test_an_agent_that_puts_something_back_is_named_by_its_session(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = desk.terminal.add("Sessions live in Postgres")
    desk.prompt("Forget where sessions live")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", desk.session)
    desk.terminal.mem("forget", memory)
    desk.terminal.mem("restore", memory)
    desk.work()
    (back,) = taken_back()
    assert (back["kind"], back["session"], back["by"]) == ("forget", desk.whole()["id"], "agent")


@pytest.mark.parametrize(
    "words", ["No, revert that.", "Undo the last commit", "Can you roll it back?", "Nein, mach das rückgängig"]
)
def test_a_revert_names_the_prompt_that_asked_for_it(desk: Desk, words: str) -> None:
    desk.terminal.commit("Add login", auth_py=CODE)
    desk.prompt(words)
    output = desk.terminal.git("revert", "--no-edit", "HEAD")
    desk.shell("git revert --no-edit HEAD", output, commit=desk.head())
    desk.stop("Reverted.")
    desk.work()
    (back,) = taken_back()  # the prompt and its commit are one thing
    assert (back["how"], back["title"], back["asked"]) == ("commit", "Add login", words)
    assert [(back["prompt"],)] == desk.sql("SELECT id FROM prompt")


@pytest.mark.parametrize("later", ["", "s-2"])
def test_a_prompt_that_goes_back_is_named_with_the_choice_that_it_takes_back(desk: Desk, later: str) -> None:
    desk.prompt("Keep the sessions in Redis from now on. We use Redis for sessions.")
    desk.stop("Sessions are kept in Redis.")
    chosen = desk.session
    desk.session = later or chosen
    desk.prompt("That is too slow. No, we go back to Postgres for sessions.")
    desk.stop("Back to Postgres.")
    desk.prompt("Should we go back to Redis? Never revert anything without asking.")
    desk.stop("No.")
    desk.work()
    (back,) = taken_back()
    assert (back["how"], back["by"], back["asked"]) == ("prompt", "prompt", "No, we go back to Postgres for sessions.")
    assert "Redis" in back["title"]
    assert back["of"].startswith("P-")
    assert back["session"] == desk.whole()["id"]
    assert (back["prompt"],) == desk.sql("SELECT id FROM prompt WHERE text LIKE 'That is too slow%'")[0]
