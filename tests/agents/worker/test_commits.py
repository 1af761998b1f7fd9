"""What a colleague or the person commits while no session is at work is known to the next one."""

from __future__ import annotations

from memcli.text import dates
from tests.agents.worker.events import START, Events

MESSAGE = "Keep tokens for a week\n\nBecause support had to reset them every morning."


def started(events: Events, name: str, after: int) -> Events:
    """A session that starts so many seconds after the clock's moment, at the commit that is checked out then."""
    session = Events(events.terminal, name)
    session.count = after
    session.put("session-start", source="startup", commit=events.terminal.git("rev-parse", "HEAD"))
    session.work()
    return session


def commit(events: Events, message: str, after: int, **files: str) -> str:
    """Commits so many seconds after the clock's moment."""
    events.terminal.env["GIT_COMMITTER_DATE"] = dates.iso(START + after * 1000)
    return events.terminal.commit(message, **files)


def pack(events: Events, question: str) -> str:
    return events.terminal.mem("get", question, "--format", "prompt").out


def test_a_commit_that_no_session_made_is_kept_with_its_reason_author_and_files(events: Events) -> None:
    started(events, "one", 0)
    commit(events, MESSAGE, 7_200, tokens_py="WEEK = 7\n")
    started(events, "two", 9_000)

    text = pack(events, "why are tokens kept for a week")
    assert "committed: Keep tokens for a week" in text
    assert "Because support had to reset them every morning." in text
    assert "tokens.py" in text

    started(events, "three", 9_100)
    assert events.sql("SELECT count(*) FROM memory WHERE source_id LIKE 'commit/%'")[0][0] == 1


def test_a_commit_of_somebody_else_is_kept_though_a_session_ended_just_before(events: Events) -> None:
    started(events, "one", 0)
    events.terminal.env |= {"GIT_AUTHOR_NAME": "Bob", "GIT_AUTHOR_EMAIL": "bob@example.org"}
    commit(events, MESSAGE, 20, tokens_py="WEEK = 7\n")
    started(events, "two", 40)
    assert "Bob committed: Keep tokens for a week" in pack(events, "why are tokens kept for a week")


def test_the_history_before_the_first_session_and_the_commits_of_sessions_are_left_out(events: Events) -> None:
    commit(events, "Old history", 0)
    session = started(events, "one", 10)
    commit(events, MESSAGE, 12)
    session.prompt("Commit this")
    session.stop("Committed.")
    session.work()
    started(events, "two", 9_000)

    assert events.sql("SELECT count(*) FROM memory WHERE source_id LIKE 'commit/%'")[0][0] == 0


def test_no_more_than_the_last_commits_are_read_and_secrets_in_them_are_masked(events: Events) -> None:
    started(events, "one", 0)
    for number in range(25):
        commit(events, f"Step {number}", 7_200 + number)
    commit(events, "Rotate the key\n\nThe old one was AKIAQWERTYUIOPASDFGH, revoked.", 7_300)
    started(events, "two", 9_000)

    assert events.sql("SELECT count(*) FROM memory WHERE source_id LIKE 'commit/%'")[0][0] == 20
    assert "AKIAQWERTYUIOPASDFGH" not in pack(events, "rotate the key")


def in_turn(events: Events, message: str, after: int, **files: str) -> str:
    """Writes and commits so many seconds after the clock's moment."""
    events.terminal.env["GIT_AUTHOR_DATE"] = dates.iso(START + after * 1000)
    return commit(events, message, after, **files)


def test_what_a_turn_committed_is_told_in_the_words_of_its_message(events: Events) -> None:
    session = started(events, "one", 0)
    session.prompt("Go on")
    trailers = "Co-Authored-By: A Model <model@example.org>\nGenerated with [a tool](https://example.org)"
    message = (
        f"Debounce the watcher\n\nWrites come in bursts, so wait 500 ms.\nThe key AKIAQWERTYUIOPASDFGH is gone.\n\n{trailers}"
    )
    in_turn(events, message, 2, watch_py="WAIT = 500\n")
    session.stop("Committed.")
    session.work()

    text = pack(events, "how long does the watcher wait after a write")
    assert "Debounce the watcher" in text
    assert "· commit · " in text
    assert "Writes come in bursts, so wait 500 ms." in text
    assert [word for word in ("Co-Authored", "a tool", "AKIAQWERTYUIOPASDFGH") if word in text] == []
    (passage_id,) = events.sql("SELECT id FROM passage WHERE thread = 'commit'")[0]
    assert f"the turn of {passage_id.partition('#')[0]}" in events.terminal.mem("show", passage_id).out


def test_a_commit_that_was_reverted_is_told_as_such(events: Events) -> None:
    session = started(events, "one", 0)
    session.prompt("Explain denied permissions")
    in_turn(events, "Explain denied permissions\n\nA user who lacks them is told to use sudo.", 2, cli_py="print('use sudo')\n")
    session.stop("Done.")
    session.work()
    assert "told to use sudo" in pack(events, "what is a user told who lacks permissions")

    events.terminal.git("revert", "--no-edit", "HEAD")
    later = Events(events.terminal, "two")
    later.count = 50
    later.prompt("Take that back")
    later.stop("The command line is as it was.")
    later.work()
    (line,) = [line for line in pack(events, "what is a user told who lacks permissions").splitlines() if "use sudo" in line]
    assert "reverted since" in line


def test_commits_that_a_rebase_writes_anew_stay_with_the_turn_that_wrote_them(events: Events) -> None:
    session = started(events, "one", 0)
    session.prompt("Cache it")
    in_turn(events, "Cache the index\n\nReading it takes a second.", 2, index_py="CACHE = {}\n")
    session.stop("Cached.")
    session.count = 40
    session.prompt("Rebase it")
    events.terminal.env["GIT_COMMITTER_DATE"] = dates.iso(START + 42_000)
    events.terminal.git("commit", "--amend", "--no-edit")
    session.stop("Rebased.")
    session.work()

    assert events.sql("SELECT number FROM prompt JOIN passage ON passage.owner = prompt.id WHERE passage.thread = 'commit'") == [
        (1,)
    ]


def test_what_an_old_commit_says_of_a_name_that_left_the_code_is_told_as_removed(events: Events) -> None:
    session = started(events, "one", 0)
    session.prompt("Keep the paths together")
    in_turn(
        events, "Gather paths\n\nLibraryPaths holds every folder of the library.", 2, paths_py="class LibraryPaths:\n    pass\n"
    )
    session.stop("Done.")
    session.work()
    in_turn(events, "Simplify", 50, paths_py="pass\n")
    later = Events(events.terminal, "two")
    later.count = 60
    later.prompt("Go on")
    later.stop("The tests are quicker now.")
    later.work()

    assert "LibraryPaths removed since" in pack(events, "where are the folders of the library")


def test_a_commit_of_somebody_else_in_a_turn_is_their_word_and_names_them(events: Events) -> None:
    terminal = events.terminal
    started(events, "one", 0)
    stranger = {"GIT_AUTHOR_NAME": "Eve Stranger", "GIT_AUTHOR_EMAIL": "eve@evil.example"}
    own = {name: terminal.env[name] for name in stranger}
    events.prompt("Apply the patch and tidy up")
    moment = dates.iso(START + 1_000)
    terminal.env["GIT_AUTHOR_DATE"] = moment
    terminal.env |= stranger
    commit(events, "Sessions use blowfish\n\nWe decided to use blowfish for sessions because it is quick.", 1, a_py="A = 1\n")
    terminal.env |= own
    commit(events, "Tokens use argon\n\nWe decided to use argon for tokens because it is slow.", 1, b_py="B = 1\n")
    events.stop("Applied it and tidied up.")
    events.work()
    passages = {text: (origin, heading) for text, origin, heading in events.sql("SELECT text, origin, heading FROM passage")}
    (theirs,) = [value for text, value in passages.items() if "blowfish" in text]
    (ours,) = [value for text, value in passages.items() if "argon" in text]
    assert theirs == ("author", "Eve Stranger committed: Sessions use blowfish")
    assert ours == ("agent", "Tokens use argon")
    hits = terminal.mem("get", "blowfish for sessions", "--format", "json").json["top_memories"]
    assert {(hit["writer"], hit["trust"]) for hit in hits if "#c" in hit["id"]} == {("other", "low")}
    assert "by another writer" in pack(events, "blowfish for sessions")
