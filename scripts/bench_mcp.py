#!/usr/bin/env python3
"""Measures `mem mcp` through the SDK's own client; scripts/bench.py --mcp runs it inside the bench's repository.

bench_mcp.py MEM CALLS    prints one JSON object, times in milliseconds
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import anyio
import httpx2
from _bench_questions import QUESTIONS
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

TOOL = "mempack_get_context"
STARTS = 7
WARM_UPS = 20


def main(mem, calls):
    starts = [first_answer(mem) for _ in range(STARTS)]
    report = {
        "initialize_ms": median([opened for opened, _ in starts]),
        "first_context_ms": median([answered for _, answered in starts]),
        "first_context_min_ms": min([answered for _, answered in starts]),
    }
    for name, mode in (("stdio, 2026-07-28", "auto"), ("stdio, 2025-11-25", "legacy")):
        report[name] = anyio.run(over_stdio, mem, mode, calls)
    report["http, 2026-07-28"] = anyio.run(over_http, mem, calls)
    print(json.dumps(report))


def first_answer(mem):
    """Returns the ms from starting the process to the answer of `initialize`, and to the first context."""
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    ask = {"name": TOOL, "arguments": {"query": QUESTIONS[0]}}
    started = time.perf_counter()
    process = subprocess.Popen([mem, "mcp"], stdin=-1, stdout=-1, stderr=subprocess.DEVNULL)
    times = []
    for message in ({"id": 1, "method": "initialize", "params": about}, {"id": 2, "method": "tools/call", "params": ask}):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        if message["id"] == 1:
            process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        process.stdin.flush()
        process.stdout.readline()
        times.append((time.perf_counter() - started) * 1000)
    process.communicate(timeout=60)
    return times


async def over_stdio(mem, mode, calls):
    server = StdioServerParameters(command=mem, args=["mcp"], env=dict(os.environ))
    with open(os.devnull, "w") as nowhere:
        async with Client(stdio_client(server, errlog=nowhere), mode=mode) as client:
            return await timed(client, calls)


async def over_http(mem, calls):
    process = subprocess.Popen([mem, "mcp", "--http", "--port", "0", "--debug"], stdout=-1, stderr=-1)
    try:
        about = json.loads(process.stderr.readline())
        key = {"Authorization": f"Bearer {Path(about['token']).read_text().strip()}"}
        http = httpx2.AsyncClient(headers=key, timeout=30)
        async with http, Client(streamable_http_client(about["url"], http_client=http)) as client:
            return await timed(client, calls)
    finally:
        process.kill()
        process.communicate()


async def timed(client, calls):
    """Returns what a warm call takes."""
    times = []
    for number in range(WARM_UPS + calls):
        started = time.perf_counter()
        done = await client.call_tool(TOOL, {"query": QUESTIONS[number % len(QUESTIONS)]})
        times.append((time.perf_counter() - started) * 1000)
        assert not done.is_error, done.content
    times = sorted(times[WARM_UPS:])
    return {
        "p50_ms": median(times),
        "p10_ms": times[len(times) // 10],
        "p95_ms": times[len(times) * 95 // 100],
        "min_ms": times[0],
    }


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
