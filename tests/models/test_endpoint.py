"""Embeddings from a server: what is sent where, and what is made of every answer."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memcli import models
from tests.conftest import Terminal
from tests.models.servers import Answer, Asked, good, meaning, serving

KEY = "sk-not-to-be-seen-4711"


@pytest.fixture
def ready(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal whose meanings come from a server, with two memories."""
    monkeypatch.setattr(models, "_embedders", {})
    for name, value in {"PROVIDER": "openai", "MODEL": "toy", "TIMEOUT": "5"}.items():
        choose(terminal, monkeypatch, name, value)
    terminal.add("Cats", "They rest by day.")
    terminal.add("Harbour", "It freezes.")
    return terminal


def choose(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """Sets embed.NAME in the environment."""
    monkeypatch.setenv(f"MEMPACK_EMBED_{name}", value)
    terminal.env[f"MEMPACK_EMBED_{name}"] = value


def rows(*vectors: Any) -> bytes:
    return json.dumps({"data": [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]}).encode()


def test_texts_go_to_the_server_and_questions_find_by_meaning(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(good) as (url, seen):
        choose(ready, monkeypatch, "URL", url + "/")
        assert ready.mem("embed", "--json").json["encoded"] == 2
        assert ready.titles("zibblewonk", "--semantic") == ["Cats"]

    assert [asked.path for asked in seen] == ["/v1/embeddings"] * 2
    assert seen[0].body == {"model": "toy", "input": ["Harbour\nIt freezes.", "Cats\nThey rest by day."]}
    assert seen[1].body["input"] == ["zibblewonk"]
    assert "authorization" not in seen[0].headers


BAD: dict[str, Callable[[Asked], Answer]] = {
    "an error": lambda asked: (500, f"it broke: {asked.headers}".encode()),
    "no right": lambda asked: (401, f"wrong key {asked.headers}".encode()),
    "no JSON": lambda asked: (200, b"<html>hello</html>"),
    "no UTF-8": lambda asked: (200, b"\xff\xfe"),
    "nothing": lambda asked: (200, b""),
    "another shape": lambda asked: (200, b'{"data": {}}'),
    "a list": lambda asked: (200, b"[]"),
    "rows of nothing": lambda asked: (200, b'{"data": [1]}'),
    "too few": lambda asked: (200, rows()),
    "too many": lambda asked: (200, rows([1, 2, 3, 4], [1, 2, 3, 4])),
    "no index": lambda asked: (200, b'{"data": [{"embedding": [1, 2, 3, 4]}]}'),
    "words": lambda asked: (200, rows(["a", "b", "c", "d"])),
    "no dimension": lambda asked: (200, rows([])),
    "zeros": lambda asked: (200, rows([0, 0, 0, 0])),
    "another dimension": lambda asked: (200, rows([1, 2, 3])),
    "infinity": lambda asked: (200, b'{"data": [{"index": 0, "embedding": [1e999, 1, 1, 1]}]}'),
    "a short answer": lambda asked: (200, b"{", {"Content-Length": "4000"}),
    "another address": lambda asked: (302, b"", {"Location": "http://127.0.0.1:9/elsewhere"}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_leaves_the_words_to_answer(ready: Terminal, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    broken = False
    monkeypatch.setenv("MEMPACK_EMBED_KEY", KEY)
    with serving(lambda asked: BAD[name](asked) if broken else good(asked)) as (url, seen):
        choose(ready, monkeypatch, "URL", url)
        ready.mem("embed")
        plain = ready.mem("get", "cats by day").out
        broken = True
        said = ready.mem("get", "cats by day", "--semantic")
        ready.add("Another", "to be encoded")
        embedded = ready.mem("embed", fails=1)

    assert said.out == plain
    assert said.err.startswith("By words alone: ")
    assert len(said.err.splitlines()) == 1
    assert [line.partition(": ")[0] for line in embedded.err.splitlines()] == ["Error", "Hint"]
    assert len(seen) == 3  # nothing was sent again, and no redirect followed
    assert KEY not in said.out + said.err + embedded.out + embedded.err


def test_a_server_that_does_not_answer_is_given_up(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    over, slow = threading.Event(), False

    def answer(asked: Asked) -> Answer:
        if slow:
            over.wait(30)
        return good(asked)

    with serving(answer) as (url, _):
        choose(ready, monkeypatch, "URL", url)
        ready.mem("embed")
        choose(ready, monkeypatch, "TIMEOUT", "0.1")
        slow = True
        try:
            said = ready.mem("get", "cats", "--semantic")
        finally:
            over.set()
    assert said.err == f"By words alone: {url[7:-3]} took more than 0.1 s (see embed.timeout)\n"
    assert "Cats" in said.out


def test_a_server_that_is_gone_is_named(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(good) as (url, _):
        choose(ready, monkeypatch, "URL", url)
        ready.mem("embed")
    said = ready.mem("search", "cats", "--semantic")
    assert said.err == f"By words alone: {url[7:-3]} cannot be reached (is it running? see embed.url)\n"
    assert "Cats" in said.out


def test_a_server_that_is_no_web_server_is_given_up(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        choose(ready, monkeypatch, "URL", f"http://127.0.0.1:{listening.getsockname()[1]}/v1")

        def babble() -> None:
            connection, _ = listening.accept()
            connection.recv(1 << 16)
            connection.sendall(b"220 mail ready\r\n")
            connection.close()

        thread = threading.Thread(target=babble)
        thread.start()
        assert "cannot be reached" in ready.mem("embed", fails=1).err
        thread.join()


def test_the_key_goes_to_the_server_and_nowhere_else(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_EMBED_KEY", KEY)
    with serving(good) as (url, seen):
        choose(ready, monkeypatch, "URL", url)
        said = [ready.mem("embed"), ready.mem("embed", "status", "--json"), ready.mem("get", "cats", "--semantic", "--debug")]
        said += [ready.mem("config", "list", "--json"), ready.mem("doctor", "--verbose")]
        assert {asked.headers["authorization"] for asked in seen} == {f"Bearer {KEY}"}

    assert not any(KEY in one.out + one.err for one in said)
    places = [ready.data, ready.folder, *ready.folder.parent.glob("config")]
    assert not any(KEY.encode() in path.read_bytes() for place in places for path in place.rglob("*") if path.is_file())
    assert "no setting" in ready.mem("config", "set", "embed.key", KEY, fails=3).err


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://localhost/v1", "not an address"),
        ("file:///etc/passwd", "not an address"),
        ("localhost:11434", "not an address"),
        ("http://", "not an address"),
        ("http://[::1", "not an address"),
        ("http://localhost:port/v1", "not an address"),
        ("http://localhost/v1?key=1", "not an address"),
        ("http://me:secret@localhost/v1", "contains a user name or password"),
        ("http://example.invalid/v1", "unencrypted"),
    ],
)
def test_an_address_that_texts_should_not_be_sent_to_is_refused(
    ready: Terminal, monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    monkeypatch.setenv("MEMPACK_EMBED_KEY", KEY)
    choose(ready, monkeypatch, "URL", url)
    err = ready.mem("embed", fails=1).err
    assert said in err
    assert "secret" not in err


def test_a_repository_names_no_server_and_no_model(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROVIDER", "MODEL", "URL"):
        monkeypatch.delenv(f"MEMPACK_EMBED_{name}", raising=False)
    (ready.folder / ".mempack").mkdir(exist_ok=True)
    theirs = [
        "[embed]",
        'provider = "openai"',
        'url = "http://127.0.0.1:9/v1"',
        'model = "theirs"',
        "[recall]",
        "semantic = true",
    ]
    (ready.folder / ".mempack" / "config.toml").write_text("\n".join(theirs))
    listed = {one["key"]: one for one in ready.mem("config", "list", "--json").json}

    for key in ("embed.provider", "embed.url", "embed.model", "recall.semantic"):
        assert listed[key]["source"] == "default"
    assert ready.mem("get", "cats").err == ""


def test_what_was_encoded_before_a_kill_is_kept(ready: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    ready.mem("import", "-", stdin="".join(f'{{"title": "Fact {n}", "summary": "cats {n}"}}\n' for n in range(100)))
    started: list[subprocess.Popen[bytes]] = []
    deadly = threading.Event()

    def answer(asked: Asked) -> Answer:
        if deadly.is_set():
            os.kill(started[0].pid, signal.SIGKILL)
        deadly.set()
        return good(asked)

    with serving(answer) as (url, seen):
        choose(ready, monkeypatch, "URL", url)
        started.append(subprocess.Popen([sys.executable, "-m", "memcli", "embed"], cwd=ready.folder, env=ready.env))
        assert started[0].wait(60) == -signal.SIGKILL
        assert [len(asked.body["input"]) for asked in seen] == [64, 38]
        assert ready.mem("embed", "status", "--json").json["kinds"][0] == {
            "kind": "memory",
            "total": 102,
            "current": 64,
            "stale": 0,
        }
        deadly.clear()
        assert ready.mem("embed", "--json").json["encoded"] == 38
    assert seen[1].body == seen[2].body
    assert meaning("cats") != meaning("harbour")
