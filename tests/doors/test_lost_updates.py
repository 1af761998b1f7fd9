"""Whoever changes something through any door, on what another one has changed meanwhile through any other, is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memcli import operations
from memcli.memory import entries
from memcli.memory.modes import MODES
from memcli.operations.supersede import SupersedeRequest
from memcli.operations.update import UpdateRequest
from memcli.project import Project, Where, open_for_writing
from tests.conftest import Terminal
from tests.http.served import Served, serving
from tests.mcp import talk

MODE = {"modeId": "riko"}
ADDRESS = "https://example.invalid/x"
REFUSALS = ("changed", "forgotten", "superseded")  # the last two say what the other change was


class Doors:
    """One memory, and every door to it. A basis of None changes whatever is there."""

    def __init__(self, terminal: Terminal, served: Served) -> None:
        self.terminal, self.served = terminal, served

    def cli(self, *words: str, basis: int | None = None) -> bool:
        """Changes something by a command. Returns whether that was done; else the refusal says why."""
        based = () if basis is None else ("--if-revision", str(basis))
        done = self.terminal.mem(*words, *based, fails=None)
        refusals = ("was changed meanwhile, by revision ", " is forgotten\n", " is superseded by ")
        assert done.code == 0 or any(text in done.err for text in refusals), done.err
        return done.code == 0

    def http(self, method: str, path: str, body: Any = None, basis: int | None = None) -> bool:
        """The same over HTTP."""
        answer = self.served.ask(method, path, body, {} if basis is None else {"If-Match": f'"{basis}"'})
        assert answer.status in (200, 201) or answer.json["code"] in REFUSALS, answer.body
        assert (answer.status == 412) == (answer.status > 299 and answer.json["code"] == "changed")
        return answer.status < 300

    def mcp(self, tool: str, basis: int | None = None, **arguments: Any) -> bool:
        """The same by a tool of an agent."""
        if basis is not None:
            arguments["if_revision"] = basis

        async def call(client: Any) -> Any:
            return await client.call_tool(tool, arguments)

        done = talk.talk(call, self.terminal, "--allow-write", "--write-mode", "auto")
        assert not done.is_error or json.loads(done.content[0].text)["error"]["code"] in REFUSALS, done.content
        return not done.is_error

    def history(self, object_id: str) -> str:
        """What the log says of something."""
        return self.terminal.mem("log", object_id, "--json").out


Change = Callable[[Doors, str, str, int | None], bool]
MEMORY: dict[str, Change] = {  # changes of a memory: doors, its id, a text, the revision it is made for
    "update": lambda to, id, text, at: to.cli("update", id, "--summary", text, basis=at),
    "tags": lambda to, id, text, at: to.cli("update", id, "--tags-add", text.split()[0], basis=at),
    "supersede": lambda to, id, text, at: to.cli("supersede", id, "--summary", text, basis=at),
    "forget": lambda to, id, text, at: to.cli("forget", id, basis=at),
    "pin": lambda to, id, text, at: to.cli("pin", id, basis=at),
    "link": lambda to, id, text, at: to.cli("link", id, "cites", ADDRESS, basis=at),
    "PATCH": lambda to, id, text, at: to.http("PATCH", f"/v2/memories/{id}", {"summary": text}, at),
    "POST supersede": lambda to, id, text, at: to.http("POST", f"/v2/memories/{id}/supersede", {"summary": text}, at),
    "DELETE": lambda to, id, text, at: to.http("DELETE", f"/v2/memories/{id}", None, at),
    "mempack_update_memory": lambda to, id, text, at: to.mcp("mempack_update_memory", at, id=id, summary=text),
    "mempack_supersede": lambda to, id, text, at: to.mcp("mempack_supersede", at, id=id, summary=text),
    "mempack_forget": lambda to, id, text, at: to.mcp("mempack_forget", at, id=id),
}
SWITCHES: dict[str, Change] = {  # the same of changes that say nothing new of it, each after a few others
    "confirm": lambda to, id, text, at: to.cli("confirm", id, basis=at),
    "unpin": lambda to, id, text, at: to.cli("unpin", id, basis=at),
    "erase": lambda to, id, text, at: to.cli("forget", id, "--erase", basis=at),
    "POST confirm": lambda to, id, text, at: to.http("POST", f"/v2/memories/{id}/confirm", None, at),
    "POST pin": lambda to, id, text, at: to.http("POST", f"/v2/memories/{id}/pin", None, at),
    "POST unpin": lambda to, id, text, at: to.http("POST", f"/v2/memories/{id}/unpin", None, at),
    "POST links": lambda to, id, text, at: to.http("POST", "/v2/links", {"from_id": id, "rel": "cites", "to_id": ADDRESS}, at),
    "mempack_link": lambda to, id, text, at: to.mcp("mempack_link", at, from_id=id, rel="cites", to_id=ADDRESS),
}
BEFORE_SWITCHES = {name: MEMORY[name] for name in ("update", "PATCH", "mempack_update_memory", "forget")}
RESTORE: dict[str, Change] = {  # of what is forgotten; another one may have brought it back, and forgotten it anew
    "restore": lambda to, id, text, at: to.cli("restore", id, basis=at),
    "POST restore": lambda to, id, text, at: to.http("POST", f"/v2/memories/{id}/restore", None, at),
}
NOTE: dict[str, Change] = {
    "note edit": lambda to, id, text, at: to.cli("note", "edit", id, text, basis=at),
    "PUT": lambda to, id, text, at: to.http("PUT", f"/v2/notes/{id}", {"text": text}, at),
}
PROFILE: dict[str, Change] = {
    "profile set": lambda to, key, text, at: to.cli("profile", "set", key, text, basis=at),
    "profile delete": lambda to, key, text, at: to.cli("profile", "delete", key, basis=at),
    "PUT": lambda to, key, text, at: to.http("PUT", f"/v2/profile/{key}", {"value": text}, at),
    "DELETE": lambda to, key, text, at: to.http("DELETE", f"/v2/profile/{key}", None, at),
    "memory_store": lambda to, key, text, at: to.mcp("memory_store", at, key=key, value=text, scope="repo"),
    "memory_delete": lambda to, key, text, at: to.mcp("memory_delete", at, key=key, scope="repo"),
}
TAKEN_OUT = ("profile delete", "DELETE", "memory_delete")
STATE: dict[str, Change] = {
    "checkpoint": lambda to, _, text, at: to.cli(
        "checkpoint", "--reason", text, "--state-json", json.dumps({"at": text}), basis=at
    ),
    "POST": lambda to, _, text, at: to.http("POST", "/v2/state", {"reason": text, "state": {"at": text}}, at),
    "mempack_checkpoint": lambda to, _, text, at: to.mcp(
        "mempack_checkpoint", at, reason=text, state_json=json.dumps({"at": text})
    ),
}


@pytest.fixture
def doors(terminal: Terminal) -> Iterator[Doors]:
    terminal.mem("init", "--no-agents")
    with serving(terminal) as served:
        yield Doors(terminal, served)


def changed_between(
    doors: Doors,
    changes: dict[str, Change],
    mine: str,
    make: Callable[[], tuple[str, str, int]],
    others: dict[str, Change] | None = None,
) -> None:
    """Makes something for each door of the other one, changes it there, and then here on what it was before."""
    for theirs, change in (others or changes).items():
        if (mine in TAKEN_OUT and theirs in TAKEN_OUT) or (mine == theirs and mine in ("pin", "link")):
            continue  # it is so already, and nothing is changed
        object_id, reference, seen = make()
        assert change(doors, reference, "theirs is kept", None), theirs
        assert not changes[mine](doors, reference, "mine is refused", seen), f"{mine} after {theirs}"
        history = doors.history(object_id) if object_id else doors.terminal.mem("state", "history", "--json").out
        assert "mine is refused" not in history
        if theirs not in ("tags", "forget", "pin", "link", "mempack_forget", *TAKEN_OUT) and "supersede" not in theirs:
            assert "theirs is kept" in history, theirs


@pytest.mark.parametrize("mine", MEMORY)
def test_a_memory_that_another_door_changed_is_not_overwritten(doors: Doors, mine: str) -> None:
    def make() -> tuple[str, str, int]:
        memory_id = doors.terminal.add("Sessions live in Postgres", "Redis evicted them", "--force")
        return memory_id, memory_id, doors.terminal.mem("show", memory_id, "--json").json["memory"]["revision"]

    changed_between(doors, MEMORY, mine, make)


@pytest.mark.parametrize("mine", SWITCHES)
def test_what_another_door_changed_is_not_confirmed_pinned_linked_or_erased_unseen(doors: Doors, mine: str) -> None:
    def make() -> tuple[str, str, int]:
        memory_id = doors.terminal.add("Sessions live in Postgres", "Redis evicted them", "--force")
        if "unpin" in mine:
            doors.terminal.mem("pin", memory_id)
        return memory_id, memory_id, doors.terminal.mem("show", memory_id, "--json").json["memory"]["revision"]

    changed_between(doors, SWITCHES, mine, make, BEFORE_SWITCHES)
    _, unchanged, seen = make()
    assert SWITCHES[mine](doors, unchanged, "", seen)


@pytest.mark.parametrize("mine", RESTORE)
def test_what_another_door_restored_and_forgot_anew_is_not_brought_back_unseen(doors: Doors, mine: str) -> None:
    memory_id = doors.terminal.add("Sessions live in Postgres", "Redis evicted them")
    doors.terminal.mem("forget", memory_id)
    for theirs in RESTORE.values():
        seen = doors.terminal.mem("log", memory_id, "--json").json[0]["revision"]
        assert theirs(doors, memory_id, "", None)
        assert doors.http("DELETE", f"/v2/memories/{memory_id}")
        assert not RESTORE[mine](doors, memory_id, "", seen)
    assert memory_id not in doors.terminal.mem("recent", "--json").out
    assert RESTORE[mine](doors, memory_id, "", doors.terminal.mem("log", memory_id, "--json").json[0]["revision"])


@pytest.mark.parametrize("mine", NOTE)
def test_a_note_that_another_door_changed_is_not_overwritten(doors: Doors, mine: str) -> None:
    def make() -> tuple[str, str, int]:
        note = doors.terminal.mem("note", "add", "Deployed to staging", "--json").json
        assert note["revision"] in [row["revision"] for row in doors.served.items("/v2/notes") if row["id"] == note["id"]]
        return note["id"], note["id"], note["revision"]

    changed_between(doors, NOTE, mine, make)


@pytest.mark.parametrize("mine", PROFILE)
def test_a_value_that_another_door_changed_is_not_overwritten(doors: Doors, mine: str) -> None:
    def make() -> tuple[str, str, int]:
        entry = doors.terminal.mem("profile", "set", "editor", "vim", "--json").json
        assert entry["revision"] == doors.served.items("/v2/profile")[0]["revision"]
        return entry["id"], "editor", entry["revision"]

    changed_between(doors, PROFILE, mine, make)


@pytest.mark.parametrize("mine", STATE)
def test_a_state_that_another_door_stored_is_not_overwritten(doors: Doors, mine: str) -> None:
    def make() -> tuple[str, str, int]:
        doors.terminal.mem("checkpoint", "--reason", "begun", "--state-json", '{"at": "begun"}')
        return "", "", doors.served.get("/v2/stats")["revision"]

    changed_between(doors, STATE, mine, make)


def test_an_agent_is_told_the_revision_that_its_change_can_name(doors: Doors) -> None:
    memory_id = doors.terminal.add("Sessions live in Postgres")

    async def read(client: Any) -> Any:
        return (await client.call_tool("mempack_show", {"ids": [memory_id]})).content[0].text

    shown = talk.talk(read, doors.terminal)
    assert f'"revision":{doors.terminal.mem("show", memory_id, "--json").json["memory"]["revision"]}' in shown


def test_doors_that_name_no_revision_count_as_a_change_for_those_that_do(doors: Doors) -> None:
    put = {**MODE, "id": "own-1", "title": "Sessions", "content": "Redis evicted them"}
    made = doors.served.ask("PUT", "/v1/memory/curated", put).json["item"]["memoryId"]
    place = ("--repo", MODES, "--workspace", "riko")
    seen = doors.terminal.mem("show", made, "--json", *place).json["memory"]["revision"]
    assert doors.served.ask("PUT", "/v1/memory/curated", {**put, "content": "theirs is kept"}).status == 200
    assert not doors.cli("update", made, "--summary", "mine", *place, basis=seen)
    assert "theirs is kept" in doors.terminal.mem("log", made, "--json", *place).out

    entry = doors.served.post("/api/memory", {"content": "The user likes blue.", "keywords": ["taste"]})
    where = ("--user",)
    seen = doors.terminal.mem("show", entry["id"], "--json", *where).json["memory"]["revision"]
    doors.served.post("/api/memory", {"content": "The user likes blue.", "keywords": ["colour"]})
    assert not doors.cli("update", entry["id"], "--tags", "mine", *where, basis=seen)
    assert doors.terminal.mem("show", entry["id"], "--json", *where).json["memory"]["tags"] == ["taste", "colour"]


def test_an_import_and_an_undo_count_as_changes(doors: Doors) -> None:
    source = doors.terminal.folder.parent / "rows.jsonl"
    row = {"source_id": "elsewhere-1", "title": "Sessions", "summary": "first"}
    source.write_text(json.dumps(row) + "\n")
    doors.terminal.mem("import", str(source))
    (memory,) = [row for row in doors.terminal.mem("recent", "--json").json if row["title"] == "Sessions"]
    seen = doors.terminal.mem("show", memory["id"], "--json").json["memory"]["revision"]
    doors.terminal.mem("update", memory["id"], "--summary", "theirs")
    doors.terminal.mem("undo")
    assert not doors.cli("update", memory["id"], "--summary", "mine", basis=seen)
    assert "theirs" in doors.history(memory["id"])


@pytest.fixture
def project(terminal: Terminal) -> Iterator[Project]:
    terminal.mem("init", "--no-agents")
    before = os.getcwd()
    os.chdir(terminal.folder)
    opened = open_for_writing(Where())
    yield opened
    opened.close()
    os.chdir(before)


def test_labels_that_another_writer_adds_between_plan_and_deed_are_kept(terminal: Terminal, project: Project) -> None:
    memory_id = terminal.add("Sessions live in Postgres", "because", "--tags", "db")
    update = operations.load("update")
    assert update.plan
    assert update.apply
    planned = update.plan(project, UpdateRequest(id=memory_id, tags_add=("mine",)))
    terminal.mem("update", memory_id, "--tags-add", "theirs")
    update.apply(project, planned, "test")
    assert terminal.mem("show", memory_id, "--json").json["memory"]["tags"] == ["db", "theirs", "mine"]


def test_what_replaces_a_memory_has_what_another_writer_said_of_it_between_plan_and_deed(
    terminal: Terminal, project: Project
) -> None:
    memory_id = terminal.add("Sessions live in Postgres", "Redis evicted them")
    planned = entries.succession(project, memory_id, SupersedeRequest(id=memory_id, title="Sessions live in MySQL"))
    terminal.mem("update", memory_id, "--summary", "theirs", "--tags", "db")
    _, new = entries.succeed(project, planned, "test")
    assert (new.title, new.summary, new.tags) == ("Sessions live in MySQL", "theirs", "db")


WRITER = """
import json, subprocess, sys
program, number, memory, note, count = json.loads(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
for turn in range(count):
    text = f"w{number}-{turn}"
    for words in (
        ["update", memory, "--tags-add", text],
        ["note", "edit", note, text],
        ["profile", "set", "shared", text],
        ["add", f"Fact {text}", "--summary", text],
        ["checkpoint", "--reason", text, "--state-json", json.dumps({"at": text})],
    ):
        done = subprocess.run([*program, *words], capture_output=True, text=True)
        print(json.dumps([words[0], text, done.returncode, done.stderr]), flush=True)
"""


def test_every_write_of_processes_that_write_at_once_is_in_the_history(terminal: Terminal) -> None:
    memory_id = terminal.add("Sessions live in Postgres")
    note = terminal.mem("note", "add", "begun", "--json").json["id"]
    program = json.dumps(terminal.program(("update",), terminal.env))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, program, str(number), memory_id, note, "4"],
            cwd=terminal.folder,
            env=terminal.env,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    done = [json.loads(line) for writer in writers for line in writer.communicate(timeout=300)[0].splitlines()]
    assert len(done) == 6 * 4 * 5
    assert not [row for row in done if row[2]], done
    texts = {text for _, text, _, _ in done}
    memory = terminal.mem("show", memory_id, "--json").json["memory"]
    assert set(memory["tags"]) == texts
    key = terminal.mem("profile", "get", "shared", "--json").json["id"]
    for object_id in (memory_id, note, key):
        history = terminal.mem("log", object_id, "--limit", "200", "--json").out
        assert not [text for text in texts if text not in history], object_id
    assert {row["summary"] for row in terminal.mem("recent", "--limit", "200", "--json").json} >= texts
    states = terminal.mem("state", "history", "--limit", "200", "--json", fails=None)
    assert not [text for text in texts if text not in states.out], states.err
    assert terminal.mem("doctor", fails=None).code in (0, 1)
