"""The names of CI jobs: each job is a store of its own, and all of them have the name that their environment gives them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


@pytest.fixture
def job(machine: Team, shared: str) -> Callable[[str, str], str]:
    """A function that has a CI job of a number share a state under a name. Returns what it warns of."""

    def run(number: str, name: str) -> str:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("CI", "true")
            environment.setenv("MEMPACK_SYNC_AUTHOR", name)
            member = machine(f"job-{number}")
            member.mem("config", "unset", "sync.author")
            member.mem("checkpoint", "--reason", f"Build {number}", "--state-json", '{"tests": "passed"}', "--share")
            return member.mem("sync").err

    return run


def test_jobs_of_one_name_are_one_to_the_team(machine: Team, job: Callable[[str, str], str]) -> None:
    ada, ben = machine("ada"), machine("ben")
    ben.shared("Deploys need a tag")
    ben.mem("sync")
    for number in ("1", "2"):
        assert "call themselves" not in job(number, "CI")
    assert "call themselves" not in ada.mem("sync").err
    assert "by CI\n" in ada.mem("recent").out
    assert len(ada.mem("recent", "--by", "CI", "--json").json) == 2
    status = ada.mem("sync", "status")
    assert "  2 CI jobs: 8 changes\n" in status.out
    assert "CI (" not in status.out
    writers = ada.mem("sync", "status", "--json").json["writers"]
    assert sorted([(row["name"], row["ci"]) for row in writers]) == [("Ben", False), ("CI", True), ("CI", True)]
    assert "1 other writer and 2 CI jobs" in ada.mem("doctor").out


def test_a_job_without_a_name_is_one_of_the_jobs(machine: Team, job: Callable[[str, str], str]) -> None:
    ada = machine("ada")
    job("1", "")
    ada.mem("sync")
    assert "  1 CI job: 3 changes\n" in ada.mem("sync", "status").out


def test_a_job_with_the_name_of_a_member_is_told_apart(machine: Team, job: Callable[[str, str], str]) -> None:
    ada, ben = machine("ada"), machine("ben")
    ben.shared("Deploys need a tag")
    ben.mem("sync")
    job("1", "Ben")
    assert "2 writers call themselves Ben" in ada.mem("sync").err
