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
