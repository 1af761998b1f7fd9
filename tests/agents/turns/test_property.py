"""Full and deltas together say what a full turn says again, whatever happens in between."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from memcli import store
from memcli.agents.turns import turn
from memcli.errors import MemError
from memcli.maintenance import erase
from memcli.memory import entries, history
from memcli.memory.commit import commit
from memcli.project import Where, open_for_writing, with_user_memory
from memcli.store import oplog
from memcli.store.oplog import Change
from memcli.text import dates, ids
from tests import writing
from tests.agents.turns.reader import Reader
from tests.conftest import CLOCK, PERSON
from tests.properties import examples

SESSIONS, WORKSPACES = ("s1", "s2"), (None, "other")
WORDS = ("session tokens", "Postgres evicts", "login <timeout>", 'the "queue" & more', "zebra")
Step = tuple[Any, ...]
PLACE = st.sampled_from(WORKSPACES)
NUMBER = st.integers(0, 9)
CHANGES = st.one_of(
    st.tuples(st.just("add"), PLACE, NUMBER),
    st.tuples(st.just("pin"), PLACE, NUMBER),
    st.tuples(st.just("forget"), PLACE, NUMBER),
    st.tuples(st.just("restore"), PLACE, NUMBER),
    st.tuples(st.just("supersede"), PLACE, NUMBER),
    st.tuples(st.just("profile"), PLACE, NUMBER),
    st.tuples(st.just("unprofile"), PLACE, NUMBER),
    st.tuples(st.just("own profile"), st.none(), NUMBER),
    st.tuples(st.just("note"), PLACE, NUMBER),
    st.tuples(st.just("state"), PLACE, NUMBER),
    st.tuples(st.just("undo"), PLACE, NUMBER),
    st.tuples(st.just("observe"), PLACE, NUMBER),
    st.tuples(st.just("erase"), PLACE, NUMBER),
    st.tuples(st.just("edit"), st.none(), NUMBER),
    st.tuples(st.just("switch"), st.none(), NUMBER),
    st.tuples(st.just("instruct"), st.none(), NUMBER),
    st.tuples(st.just("sleep"), st.none(), NUMBER),
)
TURNS = st.tuples(
    st.just("turn"),
    PLACE,
    st.sampled_from(SESSIONS),
    st.sampled_from(["success", "failed", "missing", "compacted", "twice"]),
    st.sampled_from(["", *WORDS]),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with two branches and a file."""
    folder = tmp_path_factory.mktemp("turns") / "repo"
    env = {**os.environ, **PERSON, "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(folder), *words], env=env, check=True, capture_output=True)

    folder.mkdir()
    (folder / "a.txt").write_text("0")
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "one"], ["branch", "side"]):
        git(*words)
    git("commit", "-q", "--allow-empty", "-m", "two")
    return folder


class World:
    """A repository with two workspaces and, in each, sessions that are told about it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.env = monkeypatch
        self.days = 0
        self.readers: dict[tuple[str | None, str], Reader] = {}
        self.made: dict[str | None, list[str]] = {place: [] for place in WORKSPACES}
        self.observed: dict[str, str] = {}  # memory -> whose session it is of

    def open(self, place: str | None, user: bool = False) -> Any:
        self.env.setenv("MEMPACK_CLOCK", dates.iso(dates.parse(CLOCK) + self.days * dates.DAY))
        project = open_for_writing(Where(None if user else str(self.folder), place, user))
        store.rows(project.db, "PRAGMA synchronous = OFF")
        return project

    def do(self, step: Step) -> None:
        """One step of the story."""
        name, place, *rest = step
        project = self.open(place, name == "own profile")
        try:
            if name == "turn":
                self.turn(project, place, *rest)
            else:
                self.change(project, name, place, rest[0])
        except MemError:
            assert name != "turn"  # what was erased cannot be pinned, or come back
        finally:
            project.close()

    def change(self, project: Any, name: str, place: str | None, number: int) -> None:
        made = self.made[place]
        known = made[number % len(made)] if made else ""
        if name == "add":
            files = (str(self.folder / "a.txt"),) if number % 3 == 0 else ()
            text = f"{WORDS[number % len(WORDS)]} {number} " * (1 + 20 * (number == 9))
            made.append(entries.add(project, entries.NewMemory(text, f"because of {len(made)}", files=files), "cli").id)
        elif name in ("pin", "forget", "restore", "supersede", "erase") and known:
            self.about(project, name, known, made)
        elif name in ("profile", "own profile"):
            writing.set_profile(project, f"key {number % 3}", f"value <{number}>", "cli")
        elif name == "unprofile":
            writing.delete_profile(project, f"key {number % 3}", "cli")
        elif name == "note":
            writing.add_note(project, f"note {number}", "cli")
        elif name == "state":
            writing.checkpoint(project, "why", json.dumps({"next": number, "open": ["a", "b & c"]}), None, "cli")
        elif name == "undo" and oplog.last_undoable(project.db):
            history.undo(project, "cli")
        elif name == "observe":
            self.observe(project, SESSIONS[number % 2], number)
        elif name == "edit":
            (self.folder / "a.txt").write_text(str(number) * (number + 1))
        elif name == "switch":
            (self.folder / ".git" / "HEAD").write_text(f"ref: refs/heads/{('main', 'side')[number % 2]}\n")
        elif name == "instruct":
            (self.folder / ".mempack").mkdir(exist_ok=True)
            (self.folder / ".mempack" / "MEMORY.md").write_text(f"Do & save {number}\n" * number)
        elif name == "sleep":
            self.days += number % 4

    def about(self, project: Any, name: str, known: str, made: list[str]) -> None:
        if name == "pin":
            writing.pin(project, known, True, "cli")
        elif name == "supersede":
            made.append(writing.supersede(project, known, entries.Edit(title=f"Newer than {known}"), "cli")[1].id)
        elif name == "erase":
            erase.erase(project, [known], "cli")
        else:
            {"forget": writing.forget, "restore": writing.restore}[name](project, known, "cli")

    def observe(self, project: Any, session: str, number: int) -> None:
        """What a hook observed in a session, as the worker stores it."""
        found = [op.object for op in oplog.latest(project.db, 10_000) if op.kind == "session"]
        by_key = {op_body["key"]: one for one in found for op_body in [self.body(project, one)]}
        session_id = by_key.get(session) or ids.new("A")
        opened = {"harness": "generic", "key": session, "status": "active", "reason": "", "started": project.now}
        memory_id = ids.new("M")
        self.observed[memory_id] = session
        body = {
            "title": f"Edited {WORDS[number % 5]} {memory_id}",
            "summary": "seen",
            "thread": "agent-sessions",
            "kind": "change",
        }
        body |= {"created": project.now, "anchor": None, "session": session_id, "prompt": 1, "tags": [], "entities": []}
        first = [] if session in by_key else [Change("session", session_id, opened | {"ended": None, "summary": None})]
        commit(project, lambda: [*first, Change("put", memory_id, body)], "hook", oplog.NO_COMMAND)

    def body(self, project: Any, object_id: str) -> dict[str, Any]:
        from memcli.memory.projection import fold

        return fold(oplog.of_object(project.db, object_id)).fields

    def turn(self, project: Any, place: str | None, session: str, outcome: str, query: str) -> None:
        """A turn that reaches the session, fails, is never heard of again; and what must hold after it."""
        if outcome == "compacted":
            turn.forget(project.db, "generic", session)
            self.readers.pop((place, session), None)  # its context is gone: a full turn that has nothing to say is none
        reader = self.readers.setdefault((place, session), Reader())
        made = turn.prepare(project, turn.TurnRequest(session, query=query))
        assert (made.mode == turn.NONE) == (made.text == "")
        assert made.mode == turn.FULL or made.from_revision <= made.to_revision
        if outcome in ("failed", "missing"):
            if outcome == "failed":
                turn.ack(project, made.id, "failed")
            again = turn.prepare(project, turn.TurnRequest(session, query=query))
            assert (again.mode, again.text) == (made.mode, made.text)
            return
        for _ in range(2 if outcome == "twice" else 1):
            turn.ack(project, made.id, "success")
        reader.read(made.text)
        assert not {one for one in reader.blocks if self.observed.get(one) == session}
        opened = with_user_memory(project)
        try:
            whole = turn.plan(opened, turn.TurnRequest(session, is_full=True)).text
        finally:
            if opened.user_db is not None and opened.user_db is not project.user_db:
                opened.user_db.close()
        assert reader.lacks(whole) == {}
        nothing = turn.prepare(project, turn.TurnRequest(session, query=query))
        assert (nothing.mode, nothing.text) == (turn.NONE, "")


@pytest.mark.parametrize("budget", ["2500", "1100", "700"])
@settings(
    max_examples=examples(6),
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.tuples(st.lists(CHANGES, max_size=5), TURNS), min_size=2, max_size=10))
def test_full_and_deltas_are_full_again(
    steps: list[tuple[list[Step], Step]], budget: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("data", "config", "repo"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
    shutil.copytree(repository, tmp_path / "repo")
    for name in [one for one in os.environ if one.startswith(("MEMPACK_", "XDG_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMPACK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMPACK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("MEMPACK_BUDGET_TOTAL", budget)
    world = World(tmp_path / "repo", monkeypatch)
    for changes, told in steps:
        for step in (*changes, told):
            world.do(step)
    for place in WORKSPACES:
        for session in SESSIONS:
            world.do(("turn", place, session, "success", ""))
