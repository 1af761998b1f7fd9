"""Standard input is read line by line, whatever a client sends."""

from __future__ import annotations

import os
import threading

import anyio
import pytest

from memcli.mcp import pipes


def test_a_line_without_an_end_takes_no_more_memory_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "MAX_LINE", 100_000)
    reader, writer = os.pipe()

    def send() -> None:
        with os.fdopen(writer, "wb") as file:
            file.write(b'{"a": "' + b"x" * 3_000_000 + b'"}\n{"id": 1}\n')

    thread = threading.Thread(target=send)
    keep = os.dup(0)
    os.dup2(reader, 0)
    os.close(reader)
    try:
        source = pipes.StandardInput()
    finally:
        os.dup2(keep, 0)
        os.close(keep)
    lines: list[str] = []

    async def read() -> None:
        lines.extend([line async for line in source])

    thread.start()
    anyio.run(read)
    thread.join()
    assert [len(line) < 100_000 for line in lines] == [True, True]
    assert lines[-1] == '{"id": 1}'
