"""What earlier sessions left is told to the next one; what later work overtook is not told as if it held."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memcli.text import dates
from tests.agents.worker.events import EDIT, START, Events

STANDING = "Standing instructions (of the person)"


def start(events: Events) -> str:
    """What a new session is told."""
    return str(events.terminal.mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"])


def section(text: str, heading: str) -> list[str]:
    """The lines under a heading, which may name their writer, without their ids."""
    lines = text.partition(f"\n## {heading}")[2].partition("\n")[2].partition("\n\n")[0].splitlines()
    return [line.partition(" [")[0] for line in lines]


def session(events: Events, name: str, prompt: str, reply: str, *tools: tuple[str, dict[str, str]]) -> Events:
    """A session of one prompt."""
    later = Events(events.terminal, name)
    later.count = events.count + 60
    later.prompt(prompt)
    for tool, given in tools:
        later.tool(tool, given)
    later.stop(reply)
    later.end()
    later.work()
    events.count = later.count
    return later


def test_a_new_session_is_told_what_is_open_asked_for_decided_and_dropped(events: Events) -> None:
    reply = """I made the import lazy and reverted it: it saves nothing.

We decided to keep the tokens in Postgres, because Redis evicted them.

The command that works is:

```
pytest -q -m stress tests
```

Still to do: the docs of the login page.
"""
    session(events, "one", "From now on always run the linter before you commit.", reply, ("Edit", EDIT))
    text = start(events)

    assert section(text, "Open") == ["- 2026-03-01 Still to do: the docs of the login page."]
    assert section(text, STANDING) == ["- From now on always run the linter before you commit."]
    assert section(text, "Decisions") == ["- 2026-03-01 We decided to keep the tokens in Postgres, because Redis evicted them."]
    assert section(text, "Tried and dropped") == ["- 2026-03-01 I made the import lazy and reverted it: it saves nothing."]
    assert section(text, "Commands that work here") == ["- 2026-03-01 The command that works is: `pytest -q -m stress tests`"]
    assert "Edited" not in text


def test_a_check_that_passed_again_and_again_is_a_command_that_works(events: Events) -> None:
    for name in ("one", "two"):
        call = ("Bash", {"command": "pytest -q tests"})
        later = Events(events.terminal, name)
        later.count = events.count + 60
        later.prompt("Does the suite pass?")
        later.tool(*call, result="5 passed in 0.2s", code=0)
        later.stop("It does.")
        later.end()
        later.work()
        events.count = later.count

    assert len(section(start(events), "Last sessions")) == 2
    assert section(start(events), "Commands that work here") == ["- `pytest -q tests` (passed 2 times, last 2026-03-01)"]


def test_a_check_that_passed_twice_in_one_turn_works_whatever_its_stack_prints(events: Events) -> None:
    events.prompt("Make the limiter safe")
    for seconds in ("1.204", "1.104"):
        events.tool("Bash", {"command": "go test -race ./..."}, result=f"ok  \tgate/internal\t{seconds}s\n")
    events.stop("It is.")
    events.end()
    events.work()
    assert section(start(events), "Commands that work here") == ["- `go test -race ./...` (passed 2 times, last 2026-03-01)"]


def test_what_the_person_wants_remembered_is_told_as_a_fact_as_long_as_it_is_none_to_do(events: Events) -> None:
    session(events, "one", "#remember The staging server is called bumblebee.", "Noted.")
    session(events, "two", "remember: to ask the vendor for a new key", "Noted.")
    for number in range(6):
        reply = f"The root cause was that worker {number} read the queue before it was filled by the other {number} of them."
        session(events, f"three{number}", f"Why is queue {number} empty?", reply)
    text = start(events)
    assert section(text, "To remember (said by the person)") == ["- The staging server is called bumblebee."]
    assert section(text, "Open") == ["- 2026-03-01 to ask the vendor for a new key"]
    assert STANDING not in text


def test_what_was_left_open_is_not_told_once_it_is_done(events: Events) -> None:
    reply = "`Choice` takes a separator. Still to do: docs in `docs/types.md` and an entry in the changelog."
    session(events, "one", "Let Choice take a separator", reply, ("Edit", EDIT))
    assert "Still to do" in start(events)

    edit = {"file_path": "docs/types.md", "old_string": "a", "new_string": "b"}
    done = "The docs and the changelog entry of the separator are written and committed."
    session(events, "two", "Write the docs and the changelog entry for Choice", done, ("Edit", edit))

    assert "Still to do" not in start(events)
    (line,) = [
        line
        for line in events.terminal.mem(
            "get", "what is still to do for the docs of Choice", "--format", "prompt"
        ).out.splitlines()
        if "Still to do" in line
    ]
    assert "completed since 2026-03-01, no longer open" in line


def test_talk_about_it_closes_nothing(events: Events) -> None:
    reply = "`Choice` takes a separator. Still to do: docs in `docs/types.md` and an entry in the changelog."
    session(events, "one", "Let Choice take a separator", reply, ("Edit", EDIT))
    said = "The docs in docs/types.md and the changelog entry would take an hour."
    session(events, "two", "How long would the docs and the changelog entry take?", said)

    assert "Still to do" in start(events)


def test_a_failed_edit_closes_nothing(events: Events) -> None:
    reply = "`Choice` takes a separator. Still to do: docs in `docs/types.md` and an entry in the changelog."
    session(events, "one", "Let Choice take a separator", reply, ("Edit", EDIT))
    later = Events(events.terminal, "two")
    later.count = events.count + 60
    later.prompt("Write the docs and the changelog entry for Choice")
    later.tool("Edit", {"file_path": "docs/types.md", "old_string": "a", "new_string": "b"}, "no such text", failed=True)
    later.stop("The docs in docs/types.md and the changelog entry could be written only by hand.")
    later.end()
    later.work()

    assert "Still to do" in start(events)


def test_what_was_taken_back_is_told_as_such(events: Events) -> None:
    first = Events(events.terminal, "one")
    first.prompt("Gather the path helpers")
    first.tool("Edit", EDIT)
    first.stop("I consolidated the path helpers into a LibraryPaths dataclass with one factory.")
    first.prompt("That is too much")
    first.tool("Edit", {**EDIT, "old_string": "return token.valid", "new_string": "pass"})
    first.stop("I reverted the LibraryPaths dataclass of the path helpers: it added too much complexity.")
    first.end()
    first.work()

    out = events.terminal.mem("get", "is there a LibraryPaths dataclass for path helpers", "--format", "prompt").out
    lines = [line for line in out.splitlines() if "consolidated" in line]
    assert lines
    assert all("reverted since" in line for line in lines)


def test_what_overtook_something_counts_only_where_its_commit_is(events: Events, tmp_path: Path) -> None:
    terminal = events.terminal
    reply = "`Choice` takes a separator. Still to do: docs in `docs/types.md` and an entry in the changelog."
    session(events, "one", "Let Choice take a separator", reply, ("Edit", EDIT))
    terminal.git("checkout", "-q", "-b", "side")
    terminal.commit("docs")
    edit = {"file_path": "docs/types.md", "old_string": "a", "new_string": "b"}
    done = "The docs and the changelog entry of the separator are written and committed."
    session(events, "two", "Write the docs and the changelog entry for Choice", done, ("Edit", edit))
    assert "Still to do" not in start(events)

    terminal.git("checkout", "-q", "main")
    assert "Still to do" in str(terminal.mem("turn", "prepare", "--session", "third", "--format", "prompt").json)


def test_the_passages_and_their_marks_follow_from_the_log(events: Events) -> None:
    test_what_was_left_open_is_not_told_once_it_is_done(events)
    before = events.sql("SELECT id, superseded_by, role, statement FROM passage ORDER BY id")
    assert any(superseded_by for _, superseded_by, *_ in before)
    report = json.loads(events.terminal.mem("doctor", "--repair", "--json").out)
    assert report
    assert events.sql("SELECT id, superseded_by, role, statement FROM passage ORDER BY id") == before


def test_every_answer_to_one_prompt_is_kept_and_what_was_said_before_them(events: Events) -> None:
    events.prompt("Fix the login timeout")
    events.tool("Edit", EDIT)
    events.stop("The login timeout was one second because the clock of the broker is behind.")
    events.work()
    events.tool("Edit", {**EDIT, "old_string": "x", "new_string": "y"})
    events.stop("The retry of the login uses a jitter of two seconds now.")
    events.work()
    events.stop("The retry of the login uses a jitter of two seconds now.")
    events.work()

    texts = [text for (text,) in events.sql("SELECT text FROM passage WHERE thread = 'answer' ORDER BY n")]
    assert [text for text in texts if "clock of the broker" in text]
    assert len([text for text in texts if "jitter of two seconds" in text]) == 1
    (number,) = events.sql("SELECT max(n) FROM passage")[0]
    assert events.sql("SELECT value FROM meta WHERE key = 'weighed passages'") == [(str(number),)]


def test_the_passages_of_a_replaced_memory_are_not_told(events: Events) -> None:
    terminal = events.terminal
    paragraphs = [
        f"The {name} of the cluster lives on port {port}, with a lifetime of four hours for everybody. " * 3
        for name, port in (("broker", 5672), ("session cache", 6390), ("search index", 9200))
    ]
    old = terminal.add("Infrastructure overview", "\n\n".join(paragraphs))
    assert "6390" in terminal.mem("get", "port of the session cache", "--format", "prompt").out
    terminal.mem("supersede", old, "--title", "Infrastructure was moved", "--summary", "All of the cluster is managed now.")
    out = terminal.mem("get", "port of the session cache", "--format", "prompt").out

    assert "6390" not in out
    assert "Infrastructure was moved" in out


def lines_of(events: Events, question: str, part: str) -> list[str]:
    """The lines of a pack that have a part."""
    out = events.terminal.mem("get", question, "--format", "prompt").out
    return [line for line in out.splitlines() if part in line]


def test_a_name_that_left_the_code_is_told_as_removed_and_no_longer_once_it_is_back(events: Events) -> None:
    terminal = events.terminal
    hooks = "repos:\n- hooks:\n  - id: trailing-whitespace\n  - id: check-yaml\n"
    terminal.commit("Add hooks", hooks_yaml=hooks)
    reply = "Commits fail because the trailing-whitespace hook rewrites files that are staged already."
    session(events, "one", "Why do commits fail?", reply)
    session(events, "two", "Which checks are there?", "Only the check of the YAML files is strict.")
    assert "removed" not in "".join(lines_of(events, "why do commits fail", "rewrites files"))

    terminal.commit("Simplify the hooks", hooks_yaml="repos:\n- hooks:\n  - id: check-yaml\n")
    terminal.commit("Mention trailing-whitespace", CHANGES_md="The trailing-whitespace hook went.")
    session(events, "three", "Go on", "The release notes are complete now, and the tag is set.")
    (line,) = lines_of(events, "why do commits fail", "Commits fail")
    assert "trailing-whitespace removed since 2026-03-01]" in line

    terminal.commit("Put it back", hooks_yaml=hooks)
    session(events, "four", "Go on", "The second release candidate was built by the pipeline.")
    (line,) = lines_of(events, "why do commits fail", "Commits fail")
    assert "removed since" not in line


def explain_denied_permissions(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session, and another that commits something and tells of it."""
    terminal = events.terminal
    terminal.commit("Start")
    session(events, "one", "Set up the release", "The release script of the pipeline tags and builds.")
    monkeypatch.setitem(terminal.env, "GIT_COMMITTER_DATE", dates.iso(START + (events.count + 62) * 1000))
    terminal.commit("Explain denied permissions", cli_py="try: ...\n")
    reply = "I improved the handling of denied permissions: it explains how to grant the permissions."
    session(events, "two", "Handle denied permissions", reply)


def test_the_answer_about_a_commit_that_was_reverted_is_told_as_such(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = events.terminal
    explain_denied_permissions(events, monkeypatch)
    assert "reverted" not in "".join(lines_of(events, "how are denied permissions handled", "improved"))

    terminal.git("revert", "--no-edit", "HEAD")
    session(events, "three", "Take that back, there was no test", "Done, the command line is as it was before.")
    (line,) = lines_of(events, "how are denied permissions handled", "improved")
    assert "reverted since 2026-03-01" in line


def test_an_edit_that_was_undone_is_not_told(events: Events) -> None:
    terminal = events.terminal
    terminal.commit("Add a login", auth_py="def login():\n    pass\n")
    events.prompt("Check the token at login")
    (terminal.folder / "auth.py").write_text("def login():\n    return token.valid\n")
    events.tool("Edit", EDIT)
    events.stop("The login checks the token, and the suite passes.")
    events.work()
    assert "Edited auth.py" in terminal.mem("search", "token valid auth").out

    events.prompt("No, leave it")
    terminal.git("checkout", "auth.py")
    events.stop("It is as it was.")
    events.end()
    events.work()
    assert "Edited auth.py" not in terminal.mem("get", "what was edited in auth.py", "--format", "prompt").out


def test_what_only_used_a_name_that_went_still_holds(events: Events) -> None:
    terminal = events.terminal
    terminal.commit("Compare", compare_py="import numpy\nprint(numpy.array_equal(a, b))\n")
    session(events, "one", "How does array_equal treat NaN?", "The array_equal of numpy treats two NaN values as unequal.")
    terminal.commit("Do not compare", compare_py="print(a)\n")
    session(events, "two", "Go on", "The plots have a legend now.")
    assert "removed since" not in "".join(lines_of(events, "how are NaN values compared", "array_equal"))


def test_an_edit_that_comes_back_from_the_stash_is_told_again(events: Events) -> None:
    terminal = events.terminal
    terminal.commit("Add a login", auth_py="def login():\n    pass\n")
    events.prompt("Check the token at login")
    (terminal.folder / "auth.py").write_text("def login():\n    return token.valid\n")
    events.tool("Edit", EDIT)
    terminal.git("stash")
    events.stop("The login checks the token, and the change is in the stash.")
    events.work()
    question = "what was edited in auth.py"
    assert "Edited auth.py" not in terminal.mem("get", question, "--format", "prompt").out

    events.prompt("Take it out of the stash")
    terminal.git("stash", "pop")
    events.stop("It is in the working tree again.")
    events.work()
    assert "Edited auth.py" in terminal.mem("get", question, "--format", "prompt").out


def test_an_edit_in_another_worktree_is_judged_there(events: Events, tmp_path: Path) -> None:
    terminal = events.terminal
    terminal.commit("Add a login", auth_py="def login():\n    pass\n")
    terminal.git("worktree", "add", "-q", str(tmp_path / "tree"))
    aside = Events(terminal.at(tmp_path / "tree"), "aside")
    aside.count = events.count + 60
    aside.prompt("Check the token at login")
    (tmp_path / "tree/auth.py").write_text("def login():\n    return token.valid\n")
    aside.tool("Edit", EDIT)
    aside.stop("The login checks the token there.")
    events.count = aside.count
    session(events, "main", "What is the state of things?", "Nothing changed in this working tree.")
    assert events.sql("SELECT superseded_by FROM memory WHERE title LIKE 'Edited auth.py%'") == [(None,)]


def test_a_revert_names_its_commit_and_a_second_one_brings_it_back(events: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = events.terminal
    explain_denied_permissions(events, monkeypatch)
    terminal.git("revert", "--no-edit", "HEAD")
    session(events, "three", "Take that back", "Done, the command line is as it was before.")
    terminal.git("revert", "--no-edit", "HEAD")
    session(events, "four", "No, put it back", "It is there again, with a test beside it.")
    (line,) = lines_of(events, "how are denied permissions handled", "improved")
    assert "since" not in line


def test_a_mark_has_its_day_when_the_answer_that_made_it_is_forgotten(events: Events) -> None:
    terminal = events.terminal
    hooks = "repos:\n- hooks:\n  - id: trailing-whitespace\n  - id: check-yaml\n"
    terminal.commit("Add hooks", hooks_yaml=hooks)
    session(events, "one", "Why do commits fail?", "Commits fail because the trailing-whitespace hook rewrites staged files.")
    terminal.commit("Simplify the hooks", hooks_yaml="repos:\n- hooks:\n  - id: check-yaml\n")
    session(events, "two", "Go on", "The release notes are complete now, and the tag is set.")
    (prompt,) = events.sql("SELECT id FROM prompt WHERE text = 'Go on'")[0]
    terminal.mem("forget", prompt)
    (line,) = lines_of(events, "why do commits fail", "Commits fail")
    assert "trailing-whitespace removed since 2026-03-01]" in line


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("Never push to the staging branch.", "From now on you may always push to the staging branch again."),
        ("Always format the templates with prettier.", "Please never format the templates with prettier, it breaks the slots."),
        ("From now on use tabs in the Makefile rules.", "We no longer use tabs in the Makefile rules."),
    ],
)
def test_an_instruction_takes_the_place_of_the_one_that_it_contradicts(events: Events, first: str, then: str) -> None:
    session(events, "one", first, "Understood.")
    session(events, "two", then, "Understood, I will.")

    assert section(start(events), STANDING) == [f"- {then}"]


def test_two_instructions_about_one_thing_that_go_together_are_both_told(events: Events) -> None:
    first, then = "Always run the linter before you commit.", "From now on always run the tests before you commit."
    session(events, "one", first, "Understood.")
    session(events, "two", then, "Understood, I will.")

    assert section(start(events), STANDING) == [f"- {then}", f"- {first}"]


def test_what_a_person_likes_and_does_alone_is_told_after_what_is_always_to_be_done(events: Events) -> None:
    session(events, "one", "I dislike comments in shell listings, people copy them.", "Removed them.")
    session(events, "two", "Never touch the folder of the designers.", "Understood.")
    session(events, "three", "The diary I commit myself, thanks.", "Understood.")

    assert section(start(events), STANDING) == [
        "- Never touch the folder of the designers.",
        "- The diary I commit myself, thanks.",
        "- I dislike comments in shell listings, people copy them.",
    ]


def test_a_push_that_was_left_to_the_person_stays_open_while_others_work_on(events: Events) -> None:
    left = "The push to origin was refused, so please push `feature/login-form` yourself."
    session(events, "one", "Add the login form", left, ("Edit", EDIT))
    session(
        events, "two", "Review the feature/login-form branch", "Reworked the login form of the feature branch.", ("Edit", EDIT)
    )
    assert section(start(events), "Open") == [f"- 2026-03-01 {left}"]

    session(events, "three", "I pushed feature/login-form, tidy the login form", "Tidied the login form.", ("Edit", EDIT))
    assert section(start(events), "Open") == []
