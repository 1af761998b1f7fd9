"""Agent Trace records, as the public schema has them."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

import jsonschema

from tests.provenance.conftest import CODE, Desk
from tests.provenance.test_why import logged_in

# The schema of the specification (github.com/cursor/agent-trace, schemas/trace-record.json), without descriptions.
CONTRIBUTOR = {
    "type": "object",
    "properties": {"type": {"enum": ["human", "ai", "mixed", "unknown"]}, "model_id": {"type": "string", "maxLength": 250}},
    "required": ["type"],
    "additionalProperties": False,
}
RANGE = {
    "type": "object",
    "properties": {
        "start_line": {"type": "integer", "minimum": 1},
        "end_line": {"type": "integer", "minimum": 1},
        "content_hash": {"type": "string"},
        "contributor": CONTRIBUTOR,
    },
    "required": ["start_line", "end_line"],
    "additionalProperties": False,
}
RELATED = {
    "type": "object",
    "properties": {"type": {"type": "string"}, "url": {"type": "string", "format": "uri"}},
    "required": ["type", "url"],
    "additionalProperties": False,
}
CONVERSATION = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "format": "uri"},
        "contributor": CONTRIBUTOR,
        "ranges": {"type": "array", "items": RANGE},
        "related": {"type": "array", "items": RELATED},
    },
    "required": ["ranges"],
    "additionalProperties": False,
}
FILE = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "conversations": {"type": "array", "items": CONVERSATION}},
    "required": ["path", "conversations"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {
        "version": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+$"},
        "id": {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"},
        "timestamp": {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"},
        "vcs": {
            "type": "object",
            "properties": {"type": {"enum": ["git", "jj", "hg", "svn"]}, "revision": {"type": "string"}},
            "required": ["type", "revision"],
            "additionalProperties": False,
        },
        "tool": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "version": {"type": "string"}},
            "required": ["name", "version"],
            "additionalProperties": False,
        },
        "files": {"type": "array", "items": FILE},
        "metadata": {"type": "object"},
    },
    "required": ["version", "id", "timestamp", "files"],
    "additionalProperties": False,
}


def traces(desk: Desk) -> list[Any]:
    """The records, each checked against the schema."""
    records = [json.loads(line) for line in desk.terminal.mem("export", "--agent-trace").out.splitlines()]
    for record in records:
        jsonschema.validate(record, SCHEMA)
    return records


def test_a_commit_of_a_session_is_a_record(desk: Desk) -> None:
    commit = logged_in(desk)
    (record,) = traces(desk)
    (file,) = record["files"]
    (conversation,) = file["conversations"]

    assert record["vcs"] == {"type": "git", "revision": commit}
    assert (file["path"], conversation["contributor"]) == ("auth.py", {"type": "ai"})
    text_hash = sha256(CODE.rstrip("\n").encode()).hexdigest()
    assert conversation["ranges"] == [{"start_line": 1, "end_line": 3, "content_hash": f"sha256:{text_hash}"}]
    assert re.fullmatch(r"mem:R-\w+/A-\w+", conversation["url"])
    assert [item["type"] for item in conversation["related"]] == ["prompt"]


def test_the_same_history_gives_the_same_records(desk: Desk) -> None:
    logged_in(desk)
    assert traces(desk) == traces(desk)


def test_two_sessions_in_one_commit_have_their_own_lines(desk: Desk) -> None:
    desk.prompt("Add a login")
    desk.write("auth.py", CODE)
    desk.work()
    other = Desk(desk.terminal, "s2", "codex")
    other.prompt("Say who logged in")
    other.write("auth.py", "    return token.valid\n\n\ndef who(user):\n    return user.name\n", "    return token.valid\n")
    other.work()
    desk.terminal.git("add", "-A")
    desk.terminal.git("commit", "-q", "-m", "Both")
    (record,) = traces(desk)
    spans = [
        [(it["start_line"], it["end_line"]) for it in conversation["ranges"]]
        for conversation in record["files"][0]["conversations"]
    ]

    assert sorted(spans) == [[(1, 2)], [(3, 7)]]


def test_what_only_a_person_wrote_is_in_no_record(desk: Desk) -> None:
    logged_in(desk)
    desk.terminal.commit("by hand", other_py="x = 1\n")
    desk.terminal.commit("by hand", auth_py=CODE.replace("fetch", "load"))

    assert len(traces(desk)) == 1


def test_a_file_is_written_whole_or_not_at_all(desk: Desk) -> None:
    logged_in(desk)
    desk.terminal.mem("export", "traces.jsonl", "--agent-trace")

    assert len((desk.terminal.folder / "traces.jsonl").read_text().splitlines()) == 1
    assert desk.terminal.mem("export", "no/such/folder/x", "--agent-trace", fails=2).err


def test_nothing_that_a_person_typed_is_in_a_record(desk: Desk) -> None:
    logged_in(desk)
    assert "stale tokens" not in desk.terminal.mem("export", "--agent-trace").out
    assert str(desk.terminal.folder) not in desk.terminal.mem("export", "--agent-trace").out
