"""What sessions stated is listed and searched by its kind, and single events stand aside."""

from __future__ import annotations

from memcli.store import listing
from memcli.text import statements
from tests.agents.worker.events import EDIT, Events

REPLY = """We decided to keep the tokens in Postgres, because Redis evicted them.

I tried a file per token first, but the backup took hours.

Still to do: the docs of the tokens."""


def test_the_kinds_of_statements_are_the_same_in_the_store_and_in_the_rules() -> None:
    assert set(listing.ROLES) == set(statements.ROLES)


def test_what_is_kept_is_listed_and_searched_by_its_kind(events: Events) -> None:
    events.prompt("Never log the tokens of a session.")
    events.tool("Edit", EDIT)
    events.stop(REPLY)
    events.end()
    events.work()
    mem = events.terminal.mem

    titles = [row["title"] for row in mem("recent", "--json").json]
    assert "Never log the tokens of a session." in titles
    assert not [title for title in titles if title.startswith("Edited")]
    for kind, begin in (
        ("instruction", "Never log"),
        ("decision", "We decided"),
        ("dropped", "I tried"),
        ("open", "Still to do"),
    ):
        for words in (("recent",), ("search", "tokens")):
            rows = [row for row in mem(*words, "--kind", kind, "--json").json if row["id"].startswith("P-")]
            assert [(row["kind"], row["title"].startswith(begin)) for row in rows] == [(kind, True)]
            assert mem("show", rows[0]["id"]).code == 0
    assert "instruction · agent-sessions" in mem("recent", "--kind", "instruction").out
    assert [row for row in mem("recent", "--origin", "hook", "--json").json if row["title"].startswith("Edited")]
    assert mem("recent", "--kind", "lesson").out.strip() == "nothing stored matches"
    assert mem("recent", "--until", "2001-01-01", "--kind", "open", "--json").json == []
    assert len(mem("recent", "--limit", "2", "--json").json) == 2
