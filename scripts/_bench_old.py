"""What scripts/bench.py measures of a store of a year of agents' work, and of a month: before and after `mem gc`."""

import json
import resource
import subprocess
import time
from statistics import median

import _bench_hooks
from bench import Setup, Verb, build, environment, line, move_head, rounds, say, table

AGES = {"a month": 30, "a year": 365}
EVENTS = 200  # that the worker processes
QUESTIONS = (
    "retry budget of the importer",
    "why does the queue time out",
    "which header does the parser read",
    "migration of the cache",
)
HOOKS = ("user-prompt 2 KB", "session-start", "post-tool-use 2 KB")
DECISION = "Decision of day"

# Puts events of a session into the queue as hooks do.
PUT = """
import json, sys
from memcli import store
from memcli.project import now
from memcli.store import opening, inbox, transaction
db = opening.open_writer(sys.argv[1])
key, moment = f"bench-{now()}", now()
with transaction(db):
    for number in range(int(sys.argv[2])):
        kind = ("user-prompt", "post-tool-use", "post-tool-use", "post-tool-use", "stop")[number % 5]
        body = {"cwd": sys.argv[3], "root": sys.argv[3], "prompt": f"Look at case {number}", "reply": f"Case {number} is done.",
                "tool": "Edit", "result": "ok", "input": {"file_path": f"a{number}.py", "old_string": "a", "new_string": "b"}}
        inbox.put(db, inbox.QueuedEvent(f"{key}|{number}", "claude", key, kind, json.dumps(body), moment))
db.close()
"""


def measure(folder, python, mem, runs):
    """Returns the figures of each age."""
    figures = {}
    for name, days in AGES.items():
        setup = Setup(python, mem, environment(folder / f"days-{days}"), folder / f"days-{days}")
        say(f"building {days} days of sessions")
        build(setup, "year", days)
        figures[name] = of_store(setup, runs)
        say("mem gc")
        began = time.perf_counter()
        figures[name]["gc"] = {**output(setup, "gc", "--json"), "seconds": time.perf_counter() - began}
        figures[f"{name}, after mem gc"] = of_store(setup, runs)
    return figures


def of_store(setup, runs):
    """Returns the figures of one store."""
    (store,) = [path for path in (setup.folder / "home").rglob("memory.db") if path.parent.parent.name == "repos"]
    quiet = setup._replace(environ={**setup.environ, "MEMPACK_CAPTURE_WORKER": "off"})
    verbs = [Verb("get", 3.0, lambda number: ["get", QUESTIONS[number % len(QUESTIONS)]])]
    verbs += [verb._replace(target=3.5) for verb in _bench_hooks.hook_verbs(setup, "") if verb.name in HOOKS]
    verbs += [Verb("get after HEAD moved", None, verbs[0].words, lambda: move_head(setup))]
    say("measuring")
    timed = rounds(quiet, verbs, runs, 3)
    return {
        "mb": store.stat().st_size / 1e6,
        "lines": [line(verb.name, timed, verb.target) for verb in verbs],
        "cpu": cpu(quiet, verbs, runs),
        "first_get_ms": first_get(quiet, store.parent),
        "worker_ms": worker_ms(quiet, store),
        "start": start(quiet),
    }


def cpu(setup, verbs, runs):
    """Returns how often the CPU time of `pass` each command takes: what other work on the machine changes little."""
    spent = {name: [] for name in ("pass", *[verb.name for verb in verbs])}
    for number in range(runs):
        spent["pass"].append(cpu_ms([*setup.python, "-c", "pass"], setup, b""))
        for verb in verbs:
            if verb.before:
                verb.before()
            stdin = verb.stdin(number) if verb.stdin else b""
            spent[verb.name].append(cpu_ms([*setup.mem, *verb.words(number)], setup, stdin))
    return {name: median(times) / median(spent["pass"]) for name, times in spent.items() if name != "pass"}


def cpu_ms(command, setup, stdin):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=setup.environ, cwd=setup.folder / "repo", input=stdin, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def first_get(setup, folder):
    """Returns the ms of CPU time, git's included, of a question without any cached answer of git."""
    (folder / "cache.db").unlink(missing_ok=True)
    return cpu_ms([*setup.mem, "get", QUESTIONS[0]], setup, b"")


def worker_ms(setup, store):
    """Returns the ms of CPU time that the worker takes for an event."""
    put = [*setup.python, "-c", PUT, str(store), str(EVENTS), str(setup.folder / "repo")]
    environ = {**setup.environ, "MEMPACK_WORKER_IDLE_SECONDS": "0", "MEMPACK_GC_FORGOTTEN_DAYS": "100000"}
    times = []
    for events in (0, 0, EVENTS):  # the first one does what is left to do
        if events:
            subprocess.run(put, env=setup.environ, check=True)
        times.append(cpu_ms([*setup.mem, "worker", "run"], setup._replace(environ=environ), b""))
    return (times[2] - times[1]) / EVENTS


def start(setup):
    """Returns how much a session that starts is told: lines, and decisions among them."""
    payload = json.dumps({"session_id": f"start-{time.monotonic_ns()}", "cwd": str(setup.folder / "repo"), "source": "startup"})
    command = [*setup.mem, "hook", "session-start", "--harness", "generic"]
    done = subprocess.run(
        command, env=setup.environ, cwd=setup.folder / "repo", input=payload, check=True, capture_output=True, text=True
    )
    return {"lines": len(done.stdout.splitlines()), "decisions": done.stdout.count(DECISION)}


def output(setup, *words):
    """Returns what a command prints as JSON."""
    done = subprocess.run([*setup.mem, *words], env=setup.environ, cwd=setup.folder / "repo", check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def show(figures):
    """Prints the figures for people."""
    for name, of_one in figures.items():
        print(f"\n{name}: {of_one['mb']:.0f} MB\n")
        table(of_one["lines"])
        print("CPU time x pass: " + ", ".join([f"{name} {ratio:.2f}" for name, ratio in of_one["cpu"].items()]))
        first, work = f"{of_one['first_get_ms']:.0f} ms", f"{of_one['worker_ms']:.1f} ms"
        print(f"CPU time: first get without a cache {first}, target 300; worker {work} an event, target 10")
        print(f"a session that starts is told {of_one['start']['lines']} lines, {of_one['start']['decisions']} decisions")
        if "gc" in of_one:
            gone = {key: value for key, value in of_one["gc"].items() if isinstance(value, int) and not isinstance(value, bool)}
            print(f"mem gc: {of_one['gc']['seconds']:.1f} s, {gone}")
