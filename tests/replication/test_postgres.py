"""A real PostgreSQL between the machines of a team."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from memcli.replication.transports import Deadline, RemotePosition, segment_of, split
from memcli.replication.transports.lines import lines_of
from memcli.replication.transports.postgres import Postgres
from memcli.text import ids, json
from tests.replication.conftest import Machine

Team = Callable[..., Machine]
NOTHING = RemotePosition(set(), {}, "")


def line(writer: str, number: int, target: str = "") -> str:
    """Returns an operation as it travels."""
    body = {"title": f"Fact {number}", "summary": "s", "created": number}
    fields = {
        "v": 1,
        "id": ids.stamp(number),
        "hlc": [number, 0],
        "w": writer,
        "k": "put",
        "o": target or ids.new("M"),
        "b": body,
    }
    return json.canonical({**fields, "actor": "cli"})


def opened(address: str, repository: str = "acme/app") -> Postgres:
    """Returns a transport of its own connection."""
    return Postgres(address, repository, Deadline(60))


def test_a_team_shares_through_a_database(database: str, machine: Team) -> None:
    ada, ben = machine("ada", database), machine("ben", database)
    memory = ada.shared("Use PostgreSQL for the log")
    assert ada.mem("sync").out == "pulled nothing new\npushed 3 changes\n"
    ben.mem("sync")
    assert ben.known() == {"Use PostgreSQL for the log"}
    ben.mem("update", memory, "--title", "Use PostgreSQL for the shared log")
    ben.mem("sync")
    ada.mem("sync")
    assert ada.known() == {"Use PostgreSQL for the shared log"}
    with psycopg.connect(database) as db:
        rows = db.execute(
            "SELECT body->>'title' FROM mem_op WHERE kind = 'put' AND object = %s ORDER BY seq", (memory,)
        ).fetchall()
    assert [title for (title,) in rows] == ["Use PostgreSQL for the log", "Use PostgreSQL for the shared log"]
    ada.mem("sync", "purge", memory)
    ben.mem("sync")
    assert ben.known() == set()
    with psycopg.connect(database) as db:
        assert db.execute("SELECT count(*) FROM mem_op WHERE line LIKE '%PostgreSQL for%'").fetchone() == (0,)


def test_a_reader_that_follows_misses_no_operation_of_ten_writers(database: str) -> None:
    opened(database)
    writers, each = [f"{number:016x}" for number in range(10)], 40

    def write(writer: str) -> None:
        remote = opened(database)
        for number in range(each):
            remote.push([segment_of(writer, [line(writer, number * 3 + part) for part in range(3)])])

    threads = [threading.Thread(target=write, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    reader, cursor, read = opened(database), "", set[str]()
    while any(thread.is_alive() for thread in threads) or cursor != "done":
        is_last = not any(thread.is_alive() for thread in threads)
        for segment in reader.segments(RemotePosition(set(), {}, cursor)):
            cursor = segment.cursor
            read |= set(lines_of(segment))
        if is_last:
            break
    for thread in threads:
        thread.join()
    assert len(read) == len(writers) * each * 3


def test_a_push_whose_answer_was_lost_changes_nothing_when_it_comes_again(database: str) -> None:
    segments = split("a" * 16, [line("a" * 16, number) for number in range(100)])
    for _ in range(3):
        opened(database).push(segments)
    stored = [it for segment in opened(database).segments(NOTHING) for it in lines_of(segment)]
    assert len(stored) == len(set(stored)) == 100


def test_repositories_in_one_database_do_not_meet(database: str) -> None:
    opened(database, "acme/app").push(split("a" * 16, [line("a" * 16, 1)]))
    assert list(opened(database, "acme/other").segments(NOTHING)) == []


def test_the_documented_query_asks_all_repositories_of_a_database(database: str) -> None:
    page = (Path(__file__).parents[2] / "docs/sync.md").read_text()
    query = page[page.index("    SELECT repo, ") : page.index(";\n", page.index("    SELECT repo, "))]
    titles = [
        ("acme/app", "The queue drops a retry"),
        ("acme/site", "Retry the queue twice"),
        ("acme/site", "Tea is in the kitchen"),
    ]
    for number, (repository, title) in enumerate(titles, 1):
        lines = [line("a" * 16, number).replace(f"Fact {number}", title)]
        opened(database, repository).push(split("a" * 16, lines))
    with psycopg.connect(database) as db:
        rows = db.execute(query).fetchall()
    assert [(repository, title) for repository, _, title in rows] == [
        ("acme/site", "Retry the queue twice"),
        ("acme/app", "The queue drops a retry"),
    ]


def test_row_level_security_keeps_teams_apart(database: str) -> None:
    opened(database)
    policies = Path(__file__).parents[2] / "docs/examples/sync-row-level-security.sql"
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("DROP TABLE IF EXISTS mem_team")
        for role in ("red", "blue"):
            db.execute(
                f"DROP OWNED BY {role}"
                if db.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone()
                else "SELECT 1"
            )
            db.execute(f"DROP ROLE IF EXISTS {role}")
            db.execute(f"CREATE ROLE {role} LOGIN")
        db.execute(policies.read_text())
        db.execute("INSERT INTO mem_team(repo, member) VALUES ('acme/red', 'red'), ('acme/blue', 'blue')")
        db.execute("GRANT mem_teams TO red, blue")
    user = database.split("//")[1].split("@")[0]
    red, blue = (database.replace(f"//{user}@", f"//{role}@") for role in ("red", "blue"))
    opened(red, "acme/red").push(split("a" * 16, [line("a" * 16, 1)]))
    assert len(list(opened(red, "acme/red").segments(NOTHING))) == 1
    assert list(opened(blue, "acme/red").segments(NOTHING)) == []
    with pytest.raises(Exception, match="row-level security"):
        opened(blue, "acme/red").push(split("b" * 16, [line("b" * 16, 2)]))


def test_clones_of_different_origins_meet_under_a_name(database: str, machine: Team) -> None:
    ada, ben = machine("ada", None), machine("ben", None)
    ada.git("remote", "set-url", "origin", "git@example.invalid:acme/app.git")
    ben.git("remote", "remove", "origin")
    assert f"{database}, example.invalid/acme/app" in ada.mem("sync", "enable", "--remote", database).out
    assert "give the same in every clone: --name NAME" in ben.mem("sync", "enable", "--remote", database, fails=2).err
    ben.mem("sync", "enable", "--remote", database, "--name", "example.invalid/acme/app")
    ada.shared("By Ada")
    for member in (ada, ben):
        member.mem("sync")
    assert ben.known() == {"By Ada"}


@pytest.mark.parametrize("back", [0, 1])
def test_a_database_that_was_wiped_or_set_back_is_filled_again(database: str, machine: Team, back: int) -> None:
    ada, ben = machine("ada", database), machine("ben", database)
    secret = ada.shared("The word is swordfish")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("sync", "purge", secret)
    ben.shared("By Ben")
    for member in (ben, ada, ben):
        member.mem("sync")
    with psycopg.connect(database, autocommit=True) as db:
        db.execute("DELETE FROM mem_op WHERE seq > (SELECT min(seq) FROM mem_op) OR %s = 0", (back,))
        db.execute("DELETE FROM mem_epoch")
        db.execute("ALTER TABLE mem_op ALTER seq RESTART WITH 2")
    ben.shared("By Ben, later")
    for member in (ben, ada, ben):
        member.mem("sync")
    newcomer = machine("newcomer", database)
    newcomer.mem("sync")
    assert newcomer.known() == ada.known() == {"By Ben", "By Ben, later"}
    with psycopg.connect(database) as db:
        assert db.execute("SELECT purged FROM mem_epoch").fetchone() == ([secret],)
        assert db.execute("SELECT count(*) - count(DISTINCT id) FROM mem_op").fetchone() == (0,)


def test_a_database_that_is_away_is_one_clear_error(machine: Team, tmp_path: Path) -> None:
    ada = machine("ada", None)
    failed = ada.mem("sync", "enable", "--remote", f"postgresql://me@/postgres?host={tmp_path}", fails=1)
    assert failed.err.startswith("Error: the database: ")
    assert "nothing is lost" in failed.err
