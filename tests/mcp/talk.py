"""Real clients for a server that runs as a process of its own."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import servers
from tests.conftest import Terminal
from tests.servers import Server

NEWER, OLDER = "auto", "legacy"  # asks for the stateless revision (2026-07-28); shakes hands, as all before it
COMMAND = [sys.executable, "-m", "memcli", "mcp"]
WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # otherwise each client reads all certificates, for nothing
Asked = Callable[[Any, Any], Awaitable[Any]]


def answering(action: str, heard: list[str]) -> Asked:
    """A person who answers every question with `action`; `heard` gets the questions."""

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        heard.append(params.message)
        return types.ElicitResult(action=action, content={} if action == "accept" else None)  # type: ignore[arg-type]

    return answer


@asynccontextmanager
async def talking(
    terminal: Terminal, *words: str, way: str = "stdio", mode: str = NEWER, asked: Asked | None = None
) -> AsyncIterator[Client]:
    """A client of a server that was started with `words`."""
    if way == "http":
        with serving(terminal, *words) as (url, token):
            async with reached(url, token, mode, asked) as client:
                yield client
        return
    program, *arguments = [*servers.command(terminal.env), "mcp", *words]
    server = StdioServerParameters(command=program, args=arguments, cwd=terminal.folder, env=terminal.env)
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(server, errlog=nowhere), mode=mode, elicitation_callback=asked) as client:  # type: ignore[arg-type]
            yield client


@asynccontextmanager
async def reached(url: str, token: str, mode: str = NEWER, asked: Asked | None = None) -> AsyncIterator[Client]:
    """A client of a server that is running."""
    async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30, verify=WITHOUT_TLS) as http:
        transport = streamable_http_client(url, http_client=http)
        async with Client(transport, mode=mode, elicitation_callback=asked) as client:  # type: ignore[arg-type]
            yield client


@contextmanager
def serving(terminal: Terminal, *words: str) -> Iterator[tuple[str, str]]:
    """A server on a free port: its address and its token."""
    process = Server(["mcp", "--http", "--port", "0", "--debug", *words], terminal.folder, terminal.env)
    try:
        line = process.stderr.readline()
        assert line.startswith(b"{"), line + process.stderr.read()
        about = json.loads(line)
        yield about["url"], Path(about["token"]).read_text().strip()
    finally:
        process.kill()
        process.communicate(timeout=60)


def talk(work: Callable[[Client], Awaitable[Any]], terminal: Terminal, *words: str, **more: Any) -> Any:
    """Does one piece of work with a client. Returns what it returns."""

    async def run() -> Any:
        async with talking(terminal, *words, **more) as client:
            return await work(client)

    return anyio.run(partial(_within, run))


async def _within(run: Callable[[], Awaitable[Any]]) -> Any:
    with anyio.fail_after(60):
        return await run()


async def call(client: Client, name: str, meta: Any = None, **asked: Any) -> Any:
    """Calls a tool that has to succeed. Returns its data, or its text where it has none."""
    done = await client.call_tool(name, asked, meta=meta)
    assert not done.is_error, done.content
    (only,) = done.content
    assert isinstance(only, types.TextContent)
    assert done.structured_content is None or json.loads(only.text) == done.structured_content
    return only.text if done.structured_content is None else done.structured_content


async def refused(client: Client, name: str, **asked: Any) -> tuple[str, str]:
    """Calls a tool that has to fail. Returns the error's code, and its message with the hint."""
    done = await client.call_tool(name, asked)
    assert done.is_error
    (only,) = done.content
    assert isinstance(only, types.TextContent)
    error = json.loads(only.text)["error"]
    assert "Traceback" not in only.text
    assert len(only.text) < 1_500
    return error["code"], f"{error['message']} ({error['hint']})"


def lines(terminal: Terminal, sent: Sequence[Any], *words: str, answers: int) -> list[Any]:
    """Sends lines to a server by hand, waits for so many answers and closes its input.

    Returns what stands on its standard output, each line JSON.
    """
    process = subprocess.Popen(
        [*servers.command(terminal.env), "mcp", *words], cwd=terminal.folder, env=terminal.env, stdin=-1, stdout=-1, stderr=-1
    )
    assert process.stdin
    assert process.stdout
    for one in sent:
        process.stdin.write(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n")
    process.stdin.flush()
    got = [process.stdout.readline() for _ in range(answers)]
    rest, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    return [json.loads(line) for line in [*got, *rest.splitlines()]]
