"""What an imported session did counts as what hooks see: its commits, and the files that its subagents changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.agents.transcripts import kept
from tests.agents.transcripts.test_import import here as here
from tests.agents.transcripts.test_import import home, taken
from tests.conftest import Terminal

KEY, MESSAGE = "c-1", "Round amounts half to even\n\nBanks expect it, and the sums of statements agree."


def lines(cwd: Path, start: str, *said: tuple[str, Any], **more: Any) -> list[dict[str, Any]]:
    """Lines of a transcript, each said by somebody."""
    clock = kept.Clock(start)
    place = {"cwd": str(cwd), "sessionId": KEY, "gitBranch": "main", **more}
    return [
        {
            "type": role,
            "message": {"role": role, "content": content},
            "timestamp": clock.iso(),
            "uuid": f"{start}-{number}",
            **place,
        }
        for number, (role, content) in enumerate(said)
    ]


def call(name: str, tool: str, given: Any) -> list[tuple[str, Any]]:
    """A call of a tool and its result."""
    use = [{"type": "tool_use", "id": name, "name": tool, "input": given}]
    return [("assistant", use), ("user", [{"type": "tool_result", "tool_use_id": name, "content": "ok"}])]


@pytest.fixture
def imported(here: Terminal) -> Terminal:
    """A session that committed, and whose subagent changed another file."""
    here.env |= dict.fromkeys(("GIT_COMMITTER_DATE", "GIT_AUTHOR_DATE"), "2026-02-10T09:00:25Z")
    here.commit(MESSAGE, ledger_py="round(amount, 2)\n")
    answer = [{"type": "text", "text": "Amounts are rounded half to even now, and it is committed."}]
    commit = call("t1", "Bash", {"command": f"git commit -am '{MESSAGE}'"})
    said = [("user", "Round the amounts of the ledger"), *commit, ("assistant", answer)]
    folder = home(here) / ".claude/projects/-work"
    kept.written(folder / f"{KEY}.jsonl", lines(here.folder, "2026-02-10T09:00:00Z", *said))
    edit = {"file_path": f"{here.folder}/importer.py", "old_string": "int(amount)", "new_string": "round(amount, 2)"}
    aside = lines(here.folder, "2026-02-10T09:00:05Z", *call("t2", "Edit", edit), isSidechain=True, agentId="a1")
    kept.written(folder / KEY / "subagents" / "agent-a1.jsonl", aside)
    assert taken(here, "claude")["sessions"] == 1
    return here


def test_what_an_imported_session_committed_is_told_in_the_words_of_its_message(imported: Terminal) -> None:
    text = imported.mem("get", "why are amounts rounded half to even", "--format", "prompt").out
    assert "Banks expect it, and the sums of statements agree." in text


def test_the_files_that_a_subagent_changed_are_of_its_session(imported: Terminal) -> None:
    titles = [json.loads(line).get("title", "") for line in imported.mem("export").out.splitlines()]
    assert [title for title in titles if title.startswith("Edited importer.py")] != []
