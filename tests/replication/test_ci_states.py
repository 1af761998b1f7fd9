"""The state of a CI job stands beside that of the team: it never takes its place, in whatever order the two arrive."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.store import opening, rows
from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

MIGRATION = Path(opening.__file__).parent / "migrations/0036_ci_states.sql"
Team = Callable[..., Machine]
Later = Callable[[str], None]


def checkpoint(member: Machine, task: str, *more: str) -> str:
    """Shares a state of a member, and returns its id."""
    words = ("checkpoint", "--reason", f"for {task}", "--state-json", json.dumps({"task": task}), "--share", "--json", *more)
    return str(member.mem(*words).json["state_id"])


@pytest.fixture
def job(machine: Team, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """A function that has a CI job of a name share a state."""

    def run(name: str, task: str) -> None:
        member = machine(name)
        with monkeypatch.context() as patch:
            patch.setenv("CI", "true")
            member.mem("sync", "pull", "--shallow")
            checkpoint(member, task)
            member.mem("sync")

    return run


def states(member: Machine) -> list[tuple[str, bool]]:
    """Returns the tasks of the states that a member is told, the one that leads first, each with whether it is of a CI job."""
    state = member.mem("state", "--json").json
    return [(it["state"]["task"], it.get("ci", False)) for it in (state, *state.get("beside", []))]


def test_the_state_of_a_job_stands_beside_the_teams_at_every_door(machine: Team, later: Later, job: Callable[..., None]) -> None:
    ada = machine("ada")
    checkpoint(ada, "the login")
    ada.mem("sync")
    later("2026-03-02T12:00:00Z")
    job("build-1", "build 1")
    ada.mem("sync")

    assert states(ada) == [("the login", False), ("build 1", True)]
    shown = ada.mem("state").out
    assert shown.index("the login") < shown.index("saved by a CI job") < shown.index("task: build 1")
    pack = ada.mem("get", "where does the work stand").out
    assert "## State · 2026-03-01\n- task: the login" in pack
    assert "## State · 2026-03-02 · by another writer, “Build-1” · saved by a CI job\n- task: build 1" in pack
    report = ada.mem("get", "where does the work stand", "--json").json
    assert (report["state"], report["state_ci"]) == ({"task": "the login"}, False)
    assert [(it["state"], it["ci"], it["created_at"][:10]) for it in report["states_beside"]] == [
        ({"task": "build 1"}, True, "2026-03-02")
    ]
    start = ada.mem("turn", "prepare", "--session", "a", "--full").json["xml"]
    assert start.index("the login") < start.index(' ci="true"') < start.index("build 1")
    assert ada.mem("status", "--json").json["state"] == "for the login"
    assert "saved by a CI job" in ada.mem("state", "history").out


def test_everybody_tells_the_same_whatever_came_first(machine: Team, later: Later, job: Callable[..., None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    job("build-1", "build 1")
    later("2026-03-02T12:00:00Z")
    checkpoint(ada, "the login")
    later("2026-03-03T12:00:00Z")
    job("build-2", "build 2")
    later("2026-03-04T12:00:00Z")
    job("build-3", "build 3")
    ben.mem("sync")
    assert states(ben) == [("build 3", True)]  # nobody else's is there
    ada.mem("sync")
    ben.mem("sync")
    cy = machine("cy")
    cy.mem("sync")
    assert states(ada) == states(ben) == states(cy) == [("the login", False), ("build 3", True)]


def test_a_state_of_the_team_that_is_newer_stands_alone(machine: Team, later: Later, job: Callable[..., None]) -> None:
    ada = machine("ada")
    job("build-1", "build 1")
    later("2026-03-02T12:00:00Z")
    ada.mem("sync")
    checkpoint(ada, "the login")
    assert states(ada) == [("the login", False)]
    assert "CI job" not in ada.mem("get", "the login").out


def test_what_the_last_checkpoint_changed_is_about_the_teams(machine: Team, later: Later, job: Callable[..., None]) -> None:
    ada = machine("ada")
    for day, task in ((1, "the login"), (2, "the parser")):
        later(f"2026-03-0{day}T12:00:00Z")
        checkpoint(ada, task)
    ada.mem("sync")
    later("2026-03-03T12:00:00Z")
    job("build-1", "build 1")
    ada.mem("sync")
    assert "build 1" not in ada.mem("state", "diff").out
    assert "the parser" in ada.mem("state", "diff").out


def test_in_the_job_the_teams_leads_too(machine: Team, later: Later, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, build = machine("ada"), machine("build")
    checkpoint(ada, "the login")
    ada.mem("sync")
    later("2026-03-02T12:00:00Z")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    build.mem("sync", "pull")
    build.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "build 1"}')
    assert states(build) == [("the login", False), ("build 1", True)]
    monkeypatch.setenv("GITHUB_ACTIONS", "false")
    monkeypatch.setenv("CODESPACES", "true")  # short-lived, too, but a person works there
    checkpoint(build, "the parser")
    assert states(build) == [("the parser", False)]


def test_states_that_were_stored_before_are_told_apart_as_well(machine: Team, later: Later, job: Callable[..., None]) -> None:
    ada = machine("ada")
    checkpoint(ada, "the login")
    ada.mem("sync")
    later("2026-03-02T12:00:00Z")
    job("build-1", "build 1")
    ada.mem("sync")
    db = opening.open_writer(str(ada.store))
    rows(db, "DROP INDEX state_of_people; ALTER TABLE state DROP COLUMN ci")  # as an older schema has it
    rows(db, MIGRATION.read_text(encoding="utf-8"))
    db.close()
    assert states(ada) == [("the login", False), ("build 1", True)]
