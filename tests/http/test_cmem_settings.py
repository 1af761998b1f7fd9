"""C-Mem's settings over HTTP: by its names, from its own file, and several clients at once."""

from __future__ import annotations

import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.conftest import Terminal
from tests.http.served import Served


def test_settings_go_by_the_workers_names(served: Served, terminal: Terminal) -> None:
    before = served.get("/api/settings")
    assert (before["workerPort"], before["contextObservations"], before["stuckThresholdMs"]) == (37888, 50, 300_000)
    changed = {"contextObservations": 7, "skipTools": ["A", "B"], "logLevel": "DEBUG", "stuckThresholdMs": 120_000}

    assert served.post("/api/settings", changed) == before | changed
    back = served.get("/api/settings")
    assert served.post("/api/settings", back) == back, "what was read can be sent back"
    quiet = {"logLevel": "WARN", "maxRetries": 5}
    assert served.post("/api/settings", quiet) == back | quiet
    assert terminal.mem("config", "get", "queue.attempts").out == "5\n"
    assert terminal.mem("config", "get", "index.observations").out == "7\n"
    assert served.refused("POST", "/api/settings", {"dataDir": "/"}) == (422, "invalid_input")
    assert served.refused("POST", "/api/settings", {"stuckThresholdMs": 61_000}) == (422, "invalid_input")
    assert served.get("/api/settings")["contextObservations"] == 7


def test_what_is_sent_back_as_it_was_read_is_not_written_down(served: Served, terminal: Terminal) -> None:
    served.post("/api/settings", {**served.get("/api/settings"), "contextSessions": 7})

    assert (terminal.data.parent / "config" / "config.toml").read_text() == "[index]\nsummaries = 7\n"


def test_the_settings_file_of_the_worker_is_taken_as_it_is_and_what_is_passed_over_is_listed(served: Served) -> None:
    before = served.get("/api/settings")
    file = {
        "workerPort": "37888",
        "workerHost": "127.0.0.1",
        "dataDir": "~/.c-mem",
        "model": "sonnet",
        "contextObservations": 20,
        "contextSessions": 0,
        "skipTools": {},  # a Set, as JSON.stringify writes it
        "logLevel": "warn",
        "stuckThresholdMs": 61_000,
        "maxRetries": [3],
        "theme": None,
        "env": {"A": "b"},
    }
    after = served.post("/api/settings", file)
    ignored = {row["name"]: row["reason"] for row in after.pop("ignored")}
    assert set(ignored) == {"dataDir", "contextSessions", "skipTools", "stuckThresholdMs", "maxRetries", "env"}
    assert "data directory" in ignored["dataDir"]
    assert "no counterpart" in ignored["env"]
    assert after == before | {"model": "sonnet", "contextObservations": 20, "logLevel": "WARN"} == served.get("/api/settings")

    assert served.post("/api/settings", {"theme": "dark"})["ignored"] == [{"name": "theme", "reason": "it has no counterpart"}]
    assert served.post("/api/settings", {}) == after
    assert served.post("/api/settings", {"stuckThresholdMs": "600000"})["stuckThresholdMs"] == 600_000
    wrong = ({"model": ""}, {"model": "x" * 5_000}, {"model": 5}, {"workerPort": 70_000}, {"logLevel": "LOUD"}, {"skipTools": 1})
    for bad in wrong:
        assert served.refused("POST", "/api/settings", bad) == (422, "invalid_input"), bad
    assert served.ask("POST", "/api/settings", ["model"]).status == 422


def test_settings_that_are_changed_at_the_same_time_all_stay(served: Served, terminal: Terminal) -> None:
    keys = ["budget.total", "budget.state", "budget.memories", "index.summaries", "context.messages", "note.text"]

    def change(number: int) -> int:
        return served.ask("PUT", f"/v2/config/{keys[number % 6]}", {"value": 100 + number}).status

    with ThreadPoolExecutor(12) as clients:
        assert set(clients.map(change, range(48))) == {200}

    told = tomllib.loads((Path(terminal.env["MEMPACK_CONFIG_DIR"]) / "config.toml").read_text())
    assert sorted(f"{section}.{name}" for section, table in told.items() for name in table) == sorted(keys)
