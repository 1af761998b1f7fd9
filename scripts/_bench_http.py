#!/usr/bin/env python3
"""Measures `mem serve` over a store of observations, through plain clients; scripts/bench.py --http runs it.

_bench_http.py CALLS STORM MANY MEM...    inside the bench's repository; prints one JSON object, times in milliseconds
"""

import http.client
import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from urllib.parse import quote

from _bench_questions import QUESTIONS

# name -> what is asked; {} is a question. The second number: ms that p50 and p95 may have.
ROUTES = {
    "GET /health": ("/health", (3, 10)),
    "GET /api/observations": ("/api/observations?project={project}&limit=20", (3, 10)),
    "GET /api/observation/{id}": ("/api/observation/{observation}?project={project}", (3, 10)),
    "GET /api/sessions": ("/api/sessions?project={project}", (3, 10)),
    "GET /sessions/{id}/status": ("/sessions/bench-0/status", (3, 10)),
    "GET /v2/recent": ("/v2/recent", (3, 10)),
    "GET /api/search": ("/api/search?project={project}&query={query}", (10, 20)),
    "GET /v2/search": ("/v2/search?query={query}", (10, 20)),
    "GET /v2/get": ("/v2/get?query={query}", (20, 50)),
    "GET /api/context/inject": ("/api/context/inject?project={project}", (20, 50)),
    # The last, since the worker then works up what was told.
    "POST /sessions/{id}/observations": ("/sessions/bench-0/observations", (3, 10)),
}
WARM_UPS, CLIENTS = 20, 100
LIMIT = 60.0  # seconds for the last part


def main(mem, calls, crowd, many):
    process = subprocess.Popen([*mem, "serve", "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=sys.stderr)
    try:
        started = time.perf_counter()
        about = json.loads(process.stdout.readline())
        ready = (time.perf_counter() - started) * 1000
        print(json.dumps({"start_ms": ready, **measured(about, calls, crowd, many)}))
    finally:
        process.terminate()
        process.wait(60)


def measured(about, calls, crowd, many):
    token = token_of()
    ask = client(about["port"], token)
    project = quote(about["repo"])
    observation = json.loads(ask("GET", f"/api/observations?project={project}&limit=1")[1])["observations"][0]["id"]
    paths = {
        name: [path.format(project=project, observation=observation, query=quote(question)) for question in QUESTIONS]
        for name, (path, _) in ROUTES.items()
    }
    report = {"routes": {name: timed(ask, name, paths[name], calls, about["pid"]) for name in ROUTES}}
    reads = [path for name in ROUTES for path in paths[name] if name.startswith("GET")]
    report["storm"] = storm(about["port"], token, reads, crowd)
    report["memory"] = growth(ask, about["pid"], reads, many)
    return report


def token_of():
    """Returns the service's token: beside the stores."""
    from memcli import serving

    return serving.token()


def client(port, token):
    """Returns what asks over one connection that stays open."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(method, path, body=None):
        connection.request(method, path, body, headers if body else {"Authorization": headers["Authorization"]})
        answer = connection.getresponse()
        return answer.status, answer.read()

    return ask


def timed(ask, name, paths, calls, pid):
    """Returns what a warm call takes, and what of it the service computes, which other work on the machine hardly changes."""
    method = name.partition(" ")[0]
    times, computed = [], 0.0
    for number in range(WARM_UPS + calls):
        body = None
        computed = cpu_ms(pid) if number == WARM_UPS else computed
        if method == "POST":
            call = {"tool_name": "Read", "tool_input": {"file_path": f"f{number}.py"}, "tool_result": "x" * 2_000}
            body = json.dumps({**call, "correlation_id": f"{time.time_ns()}"})
        started = time.perf_counter()
        status, _ = ask(method, paths[number % len(paths)], body)
        times.append((time.perf_counter() - started) * 1000)
        assert status == 200, (name, status)
    each = (cpu_ms(pid) - computed) / calls
    times = sorted(times[WARM_UPS:])
    return {"p50_ms": median(times), "p95_ms": times[len(times) * 95 // 100], "min_ms": times[0], "cpu_ms": each}


def cpu_ms(pid):
    """Returns the time that a process has computed for so far, 0 where the system does not say it in a file."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def storm(port, token, paths, most):
    """Many clients at once. Returns how many calls a second were answered, and what each status was."""

    def work(number):
        ask = client(port, token)
        return [ask("GET", paths[(number + step) % len(paths)])[0] for step in range(most // CLIENTS or 1)]

    started = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as clients:
        statuses = Counter(status for some in clients.map(work, range(CLIENTS)) for status in some)
    seconds = time.perf_counter() - started
    return {"clients": CLIENTS, "a_second": sum(statuses.values()) / seconds, "statuses": dict(statuses)}


def growth(ask, pid, paths, most):
    """Many calls one after another. Returns the MB that the service has after a tenth of them, and after all."""
    started, sizes, done = time.perf_counter(), [], 0
    while done < most and time.perf_counter() - started < LIMIT:
        ask("GET", paths[done % len(paths)])
        done += 1
        if done == most // 10:
            sizes.append(resident_mb(pid))
    return {"calls": done, "early_mb": sizes[0] if sizes else None, "late_mb": resident_mb(pid)}


def resident_mb(pid):
    """Returns the memory that a process has, None where the system does not say it in a file."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return None
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))


def show(report, observations):
    """Prints a report."""
    print(f"mem serve over {observations:,} observations, through one client, ms\n")
    print(f"{'':36}{'p50':>8}{'p95':>8}{'min':>8}{'cpu':>8}  target")
    for name, route in report["routes"].items():
        p50, p95 = ROUTES[name][1]
        met = "met" if route["p50_ms"] <= p50 and route["p95_ms"] <= p95 else "MISSED"
        times = "".join([f"{route[f'{key}_ms']:8.1f}" for key in ("p50", "p95", "min", "cpu")])
        print(f"{name:36}{times}  {p50}/{p95}  {met}")
    crowd, memory = report["storm"], report["memory"]
    print(f"\n{crowd['clients']} clients at once: {crowd['a_second']:.0f} calls a second, statuses {crowd['statuses']}")
    print(
        f"{memory['calls']:,} calls: {memory['early_mb'] or 0:.0f} MB after a tenth, {memory['late_mb'] or 0:.0f} MB in the end"
    )


if __name__ == "__main__":
    main(sys.argv[4:], *map(int, sys.argv[1:4]))
