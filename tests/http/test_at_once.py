"""Clients that begin the same thing at the same moment: each gets its answer, and nothing is lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tests.http.served import Answer, Served

CLIENTS = 8
ROUNDS = range(4)


def at_once(served: Served, method: str, path: str, body: dict[str, Any]) -> list[Answer]:
    """Sends a request from several clients at once; `{n}` in a text of it is the number of the client."""
    barrier = Barrier(CLIENTS)

    def send(client: int) -> Answer:
        own = {name: value.replace("{n}", str(client)) if isinstance(value, str) else value for name, value in body.items()}
        barrier.wait()
        return served.ask(method, path.replace("{n}", str(client)), own)

    with ThreadPoolExecutor(CLIENTS) as clients:
        return list(clients.map(send, range(CLIENTS)))


@pytest.mark.parametrize(
    ("method", "path", "listed"),
    [("PUT", "/v1/memory/curated", "/v1/memory/curated"), ("POST", "/v1/archival/upsert", "/v1/archival")],
)
def test_an_id_that_several_clients_store_at_once_is_one_entry(served: Served, method: str, path: str, listed: str) -> None:
    served.post("/v1/mode/create", {"modeId": "bot"})
    for number in ROUNDS:
        entry = {"modeId": "bot", "memoryId": f"note {number}", "name": f"Note {number}", "description": "as {n} has it"}
        answers = at_once(served, method, path, entry)
        assert [answer.status for answer in answers] == [200] * CLIENTS, [answer.text for answer in answers]

    page = served.get(listed, modeId="bot")
    assert sorted([item["id"] for item in page["items"]]) == [f"note {number}" for number in ROUNDS]


@pytest.mark.parametrize("ids", [["Bot", "bot", "BOT", "b.ot"], ["Übung 1", "ÜBUNG1", "übung1", "Übung.1"]])
def test_a_mode_that_clients_begin_at_once_in_different_case_is_one(served: Served, ids: list[str]) -> None:
    barrier = Barrier(CLIENTS)

    def put(client: int) -> Answer:
        barrier.wait()
        entry = {"modeId": ids[client % 4], "memoryId": f"note {client}", "name": "Note", "description": "A."}
        return served.ask("PUT", "/v1/memory/curated", entry)

    with ThreadPoolExecutor(CLIENTS) as clients:
        answers = list(clients.map(put, range(CLIENTS)))
    assert [answer.status for answer in answers] == [200] * CLIENTS, [answer.text for answer in answers]
    assert [served.get("/v1/memory/curated", modeId=id)["total"] for id in ids] == [CLIENTS] * 4
    assert len(served.get("/v1/mode/list")["modes"]) == 1


def test_an_entry_without_an_id_that_several_clients_store_at_once_is_one(served: Served) -> None:
    for number in ROUNDS:
        answers = at_once(served, "PUT", "/v1/memory/curated", {"modeId": f"m{number}", "title": "Fridays", "content": "No."})
        assert [answer.status for answer in answers] == [200] * CLIENTS, [answer.text for answer in answers]
        assert len({answer.json["id"] for answer in answers}) == 1
        assert served.get("/v1/memory/curated", modeId=f"m{number}")["total"] == 1


def test_sessions_that_begin_a_project_at_once_are_all_kept(served: Served) -> None:
    for number in ROUNDS:
        begun = {"project": f"project {number}", "userPrompt": "prompt of {n}"}
        answers = at_once(served, "POST", f"/sessions/{number}-{{n}}/init", begun)
        assert [answer.status for answer in answers] == [200] * CLIENTS, [answer.text for answer in answers]

        statuses = [served.get(f"/sessions/{number}-{client}/status") for client in range(CLIENTS)]
        assert [(status["project"], status["pending_count"]) for status in statuses] == [(f"project {number}", 1)] * CLIENTS
    assert len(served.items("/v2/repos")) == len(ROUNDS)


def test_cores_under_several_names_leave_the_one_that_was_put_last(served: Served) -> None:
    for number, detail in enumerate(("Short.", "x" * 3_000)):
        mode = f"riko{number}"
        core = {"modeId": mode, "name": "Core {n}", "description": "Of {n}.", "detail": detail}
        answers = at_once(served, "PUT", "/v1/memory/core", core)
        assert [answer.status for answer in answers] == [200] * CLIENTS, [answer.text for answer in answers]
        page = served.get("/v1/memory/core", modeId=mode)
        assert list(page["values"]) == [page["core"]["name"]]
        assert page["core"]["detail"] == detail
        assert served.get("/v1/memory/curated", modeId=mode)["total"] == 0, "no detail of a core that was replaced is left"
