#!/usr/bin/env python3
"""Measures the installed `mem` against `python -c pass` of the same environment: `bench.py --help`.

It makes an environment of its own with a current pip and an ordinary installation of this checkout, and a corpus
(bench_corpus.py). Commands run in turn, A B C ... A B C ..., so that a busy moment of the machine meets all alike. Timing never
fails the run: the exit code says only whether everything could be measured.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import namedtuple
from importlib import import_module
from pathlib import Path
from statistics import median

from _bench_questions import QUESTIONS

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "scripts" / "bench_corpus.py"
MCP = ROOT / "scripts" / "bench_mcp.py"
MCP_CALLS, MAX_MCP_MS = 300, 5
HTTP = ROOT / "scripts" / "_bench_http.py"
HTTP_CALLS, OBSERVATIONS = (300, 2_000, 10_000), 10_000  # of each route, of many clients at once, of one for long
MEMORIES, CHUNKS = 1_000, 6_600
SCALE = 100_000
MILLION = 1_000_000
WARM_UPS, PASSES = 3, 30
MAX_PEAK_MB = 40
MAX_WORK_MS = 150  # of `get` in a store of a million

Setup = namedtuple("Setup", "python mem environ folder")  # argv beginnings, environment variables, where HOME and repo are
# words(round) -> arguments; before() is not timed; stdin(round) -> bytes on standard input
Verb = namedtuple("Verb", "name target words before stdin", defaults=[None, None])

# Prints the peak memory of a command in the unit of the system. The kernel counts what the spawning process holds as the
# child's, too, and nothing that can run this is smaller than a bare interpreter.
PEAK = """
import os, sys
quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
print(os.wait4(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet), 0)[2].ru_maxrss)
"""


def main():
    options = arguments()
    temporary = None if options.keep else tempfile.mkdtemp(prefix="mem-bench-")
    folder = Path(options.keep or temporary).resolve()
    try:
        python, mem = install(Path(options.env).resolve() if options.env else folder / "env")
        report = measure_all(options, folder, python, mem)
    finally:
        if temporary:
            shutil.rmtree(temporary)
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        show(report)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30, help="measured runs of each command (30)")
    sizes = f"{SCALE:,} and of {MILLION:,} memories, and of {SCALE:,} chunks"
    parser.add_argument(
        "--scale", action="store_true", help=f"measure get in stores of {sizes} instead; they are built in minutes"
    )
    parser.add_argument("--ingest", action="store_true", help="measure mem ingest on the standard library's files instead")
    parser.add_argument("--mcp", action="store_true", help="measure mem mcp over the everyday store instead")
    parser.add_argument("--http", action="store_true", help=f"measure mem serve over {OBSERVATIONS:,} observations instead")
    parser.add_argument("--year", action="store_true", help="measure a store in which agents worked for a year instead")
    parser.add_argument("--sync", action="store_true", help="measure mem sync through a git remote on this disk instead")
    parser.add_argument("--instructions", action="store_true", help="count instructions with valgrind instead of measuring time")
    parser.add_argument("--keep", metavar="DIR", help="work in DIR and leave everything there; large stores in it are used again")
    parser.add_argument("--env", metavar="DIR", help="use, or make, the environment DIR; the checkout is installed into it anew")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    return parser.parse_args()


def measure_all(options, folder, python, mem):
    """Returns everything that was measured, as it is printed with --json."""
    import _bench_machine

    report = {"machine": _bench_machine.described(python)}
    if options.ingest:
        return {**report, "ingest": import_module("_bench_ingest").measure(folder / "ingest", [python], [mem])}
    if options.year:
        return {**report, "year": import_module("_bench_old").measure(folder, [python], [mem], options.runs)}
    if options.sync:
        setup = Setup([python], [mem], environment(folder / "sync"), folder / "sync")
        return {**report, "sync": import_module("_bench_sync").measure(setup)}
    if options.http:
        setup = Setup([python], [mem], environment(folder / "http"), folder / "http")
        return {**report, **beside_pass(setup, lambda: {"http": over_http(setup, OBSERVATIONS)})}
    if not options.scale:
        shutil.rmtree(folder / "everyday", ignore_errors=True)  # measuring changed it
        setup = Setup([python], [mem], environment(folder / "everyday"), folder / "everyday")
        say(f"building {MEMORIES:,} memories and {CHUNKS:,} chunks")
        corpus = build(setup, "everyday", MEMORIES, CHUNKS)
        if options.mcp:
            return {**report, **beside_pass(setup, lambda: {"mcp": over_mcp(setup)})}
        if options.instructions:
            say("counting")
            return {**report, "instructions": import_module("_bench_instructions").measure(setup, verbs_of(setup, corpus))}
        return {**report, "everyday": everyday(setup, corpus, options.runs, WARM_UPS)}
    report["scale"] = []
    for size in (SCALE, MILLION):
        subfolder = folder / f"scale-{size}"
        setup = Setup([python], [mem], environment(subfolder), subfolder)
        say(f"building {size:,} memories")
        report["scale"].append({"memories": size, **scale(setup, build(setup, "large", size), size, options.runs)})
    subfolder = folder / f"chunks-{SCALE}"
    setup = Setup([python], [mem], environment(subfolder), subfolder)
    say(f"building {SCALE:,} chunks")
    report["scale"].append({"chunks": SCALE, **scale(setup, build(setup, "evidence", SCALE), SCALE, options.runs)})
    return report


def install(venv):
    """Installs the checkout into an environment, made if missing. Returns the paths of its python and its mem."""
    python = str(venv / "bin" / "python")
    # Without bytecode a command takes three times as long to start.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(*words):
        subprocess.run(words, env=environ, check=True, stdout=sys.stderr)

    say("installing")
    if not os.path.exists(python):
        run(sys.executable, "-m", "venv", str(venv))
        run(python, "-m", "pip", "install", "-qq", "--upgrade", "pip")  # an older one writes a slower script
        run(python, "-m", "pip", "uninstall", "-qq", "--yes", "setuptools")  # its .pth file runs at every start
    run(python, "-m", "pip", "install", "-qq", "--compile", str(ROOT))
    return python, str(venv / "bin" / "mem")


def environment(folder):
    """Returns environment variables under which nothing of this person's settings counts and all is stored below `folder`."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GIT_", "MEMPACK_", "XDG_"))}
    who = {f"GIT_{role}_{field}": "bench@localhost" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
    return {**ours, **who, "HOME": str(folder / "home"), "GIT_CONFIG_NOSYSTEM": "1"}


def build(setup, kind, *sizes):
    """Builds a corpus in the setup's folder, or finds it there. Returns what bench_corpus.py tells of it."""
    corpus = setup.folder / "corpus.json"
    if not corpus.exists():
        shutil.rmtree(setup.folder, ignore_errors=True)
        (setup.folder / "home").mkdir(parents=True)
        command = [*setup.python, str(CORPUS), kind, str(setup.folder), *map(str, sizes)]
        corpus.write_text(subprocess.run(command, env=setup.environ, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return json.loads(corpus.read_text())


def spawn(setup, argv, input_file=None):
    """Runs a command in the working directory. `input_file`: what it reads. Returns its wall time in ms; exits if it fails."""
    files = (input_file or os.devnull, os.devnull, os.devnull)
    quiet = [(os.POSIX_SPAWN_OPEN, fd, file, os.O_RDWR, 0) for fd, file in enumerate(files)]
    start = time.perf_counter()
    process = os.posix_spawn(argv[0], argv, setup.environ, file_actions=quiet)
    status = os.wait4(process, 0)[1]
    elapsed = (time.perf_counter() - start) * 1000
    if status:
        subprocess.run(argv, env=setup.environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)  # again, for its words
        sys.exit(f"exit code {os.waitstatus_to_exitcode(status)}: {' '.join(argv)}")
    return elapsed


def rounds(setup, verbs, runs, warm_ups):
    """Runs `pass` and every verb in turn. Returns {name: [ms of each round]}, with "pass" among them."""
    os.chdir(setup.folder / "repo")
    timed = {name: [] for name in ("pass", *(verb.name for verb in verbs))}
    for number in range(warm_ups + runs):
        done = {"pass": spawn(setup, [*setup.python, "-c", "pass"])}
        for verb in verbs:
            if verb.before:
                verb.before()
            input_file = setup.folder / "stdin" if verb.stdin else None
            if input_file:
                input_file.write_bytes(verb.stdin(number))
            done[verb.name] = spawn(setup, [*setup.mem, *verb.words(number)], input_file)
        if number >= warm_ups:
            for name, ms in done.items():
                timed[name].append(ms)
    return timed


def beside_pass(setup, measure):
    """Returns what is measured of a server, with what `pass` took before and after: how fast the machine is that hour."""

    def passes():
        return median([spawn(setup, [*setup.python, "-c", "pass"]) for _ in range(PASSES)])

    before = passes()
    return {**measure(), "pass_ms": [before, passes()]}


def verbs_of(setup, corpus):
    """Returns the everyday commands. The one after a move of HEAD is last: the others find its answers in the cache."""
    ids = corpus["ids"]

    def asked(*words):
        return lambda number: [*words, QUESTIONS[number % len(QUESTIONS)]]

    def changed(*words):
        return lambda number: [word.format(id=ids[number % len(ids)], number=number) for word in words]

    title, brief = "Retry the queue after {number} seconds", "The worker gives up after {number} tries and tells the log why."
    state = '{{"next": "step {number}", "done": {number}}}'  # braces doubled: it is a template, too
    return [
        Verb("--version", 2.0, lambda number: ["--version"]),
        Verb("get --help", 3.0, lambda number: ["get", "--help"]),
        Verb("status --short", 1.5, lambda number: ["status", "--short"]),
        Verb("get", 2.0, asked("get")),
        Verb("get --format json", 2.0, asked("get", "--format", "json")),
        Verb("explain", 2.0, asked("explain")),
        Verb("search", 2.0, asked("search")),
        Verb("recent", 2.0, lambda number: ["recent"]),
        Verb("show", 2.0, changed("show", "{id}")),
        Verb("threads", 2.0, lambda number: ["threads"]),
        Verb("log", 2.0, lambda number: ["log"]),
        Verb("add", 2.0, changed("add", title, "--summary", brief)),
        Verb("update", 2.0, changed("update", "{id}", "--summary", brief)),
        Verb("pin", 2.0, changed("pin", "{id}")),
        Verb("checkpoint", 2.0, changed("checkpoint", "--reason", "step {number}", "--state-json", state)),
        Verb("get after HEAD moved", 3.0, asked("get"), lambda: move_head(setup)),
        Verb("add after HEAD moved", None, changed("add", f"{title} more", "--summary", brief)),  # notes the commit before
    ]


WRITES = ("add", "update", "pin", "checkpoint")


def move_head(setup):
    """Moves HEAD to a commit that was never seen before."""

    def git(*words):
        return subprocess.run(["git", *words], env=setup.environ, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    git("update-ref", "HEAD", git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "bench"))


def everyday(setup, corpus, runs, warm_ups):
    """Measures the everyday commands. Returns what is printed about them."""
    import _bench_hooks
    import _bench_machine

    verbs = verbs_of(setup, corpus)
    say("measuring")
    timed = rounds(setup, verbs, runs, warm_ups)
    disk = _bench_machine.fsync_ms(setup.folder / "home")
    lines = [line("pass", timed, None)]
    lines += [line(verb.name, timed, verb.target, disk if verb.name in WRITES else 0.0) for verb in verbs]
    lines += _bench_hooks.hooks(setup, runs, warm_ups)
    moved, warm = git_processes(setup)
    return {
        "lines": lines,
        "fsync_ms": disk,
        "peak_mb": max(peak_mb(setup, [*setup.mem, "get", question]) for question in QUESTIONS),
        "peak_mb_pass": peak_mb(setup, [*setup.python, "-c", "pass"]),
        "git_processes": warm,
        "git_processes_after_head_moved": moved,
    }


def over_mcp(setup):
    """Measures the warm server. Returns what bench_mcp.py tells of it."""
    say("measuring mem mcp")
    command = [*setup.python, str(MCP), *setup.mem, str(MCP_CALLS)]
    done = subprocess.run(command, env=setup.environ, cwd=setup.folder / "repo", check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def over_http(setup, observations):
    """Measures the service over as many observations. Returns what _bench_http.py tells of it."""
    say(f"building {observations:,} observations")
    build(setup, "observed", observations)
    say("measuring mem serve")
    command = [*setup.python, str(HTTP), *map(str, HTTP_CALLS), *setup.mem]
    done = subprocess.run(command, env=setup.environ, cwd=setup.folder / "repo", check=True, stdout=subprocess.PIPE, text=True)
    return {"observations": observations, **json.loads(done.stdout)}


def line(name, timed, target, disk=0.0):
    """Returns one line of a table. `disk`: ms that the target allows for the disk on top."""
    base, own = timed["pass"], timed[name]
    ratio = median(ms / empty for ms, empty in zip(own, base, strict=True))
    allowed = target and target + disk / median(base)
    met = None if target is None else ratio <= allowed
    return {"name": name, "median_ms": median(own), "min_ms": min(own), "ratio": ratio, "target": target, "met": met}


def peak_mb(setup, argv):
    """Returns the peak memory of a command in MB."""
    command = [*setup.python, "-I", "-S", "-c", PEAK, *argv]
    output = subprocess.run(command, env=setup.environ, check=True, stdout=subprocess.PIPE, text=True).stdout
    return int(output) / (1024 * 1024 if sys.platform == "darwin" else 1024)


def git_processes(setup):
    """Returns how many git processes `get` starts after HEAD moved, and how many once it is warm."""
    log, fake = setup.folder / "git.log", setup.folder / "bin" / "git"
    fake.parent.mkdir(exist_ok=True)
    fake.write_text(f'#!/bin/sh\necho >>"{log}"\nexec "{shutil.which("git")}" "$@"\n')
    fake.chmod(0o755)
    watched = setup._replace(environ={**setup.environ, "PATH": f"{fake.parent}{os.pathsep}{setup.environ['PATH']}"})
    counts = []
    move_head(setup)
    for _ in range(2):
        log.write_text("")
        spawn(watched, [*setup.mem, "get", QUESTIONS[0]])
        counts.append(len(log.read_text()))
    return counts


def scale(setup, corpus, size, runs):
    """Measures `get` in a large store, question by question. Its work is what it takes longer than `--version`."""
    questions = corpus["questions"]
    verbs = [Verb("--version", None, lambda number: ["--version"])]
    verbs += [Verb(kind, 3.0, lambda number, text=text: ["get", text]) for kind, text in questions]
    say("measuring")
    timed = rounds(setup, verbs, runs, WARM_UPS)
    lines = []
    for kind, _ in questions:
        work = median(own - bare for own, bare in zip(timed[kind], timed["--version"], strict=True))
        figures = {**line(kind, timed, 3.0), "work_ms": work}
        if size >= MILLION:
            figures.update(target=MAX_WORK_MS, met=work < MAX_WORK_MS)
        lines.append(figures)
    return {"lines": lines}


def show(report):
    """Prints the results for people."""
    if figures := report.get("everyday"):
        print(f"mem over {MEMORIES:,} memories and {CHUNKS:,} chunks\n")
        table(figures["lines"])
        disk = figures["fsync_ms"]
        print(f"\nwrites may take one fsync more than their ratio: {disk:.2f} ms here (median)")
        print(f"peak memory of get: {figures['peak_mb']:.1f} MB, target {MAX_PEAK_MB}, of pass: {figures['peak_mb_pass']:.1f} MB")
        moved = figures["git_processes_after_head_moved"]
        print(f"git processes of get: {figures['git_processes']}, target 0; {moved} after HEAD moved")
    parts = ("ingest", "_bench_ingest"), ("year", "_bench_old"), ("sync", "_bench_sync"), ("instructions", "_bench_instructions")
    for name, module in parts:
        if figures := report.get(name):
            import_module(module).show(figures)
    if figures := report.get("http"):
        import _bench_http

        _bench_http.show(figures, figures["observations"])
    if figures := report.get("mcp"):
        print(f"mem mcp over {MEMORIES:,} memories and {CHUNKS:,} chunks, mempack_get_context through a client, ms\n")
        print(f"{'':22}{'p10':>8}{'p50':>8}{'p95':>8}{'min':>8}  target p50: {MAX_MCP_MS}")
        for name, value in figures.items():
            if isinstance(value, dict):
                print(f"{name:22}" + "".join([f"{value[f'{key}_ms']:8.1f}" for key in ("p10", "p50", "p95", "min")]))
        first = f"{figures['first_context_ms']:.0f} (min {figures['first_context_min_ms']:.0f})"
        print(f"\nfrom starting the process: initialize {figures['initialize_ms']:.0f}, first context {first}")
    for figures in report.get("scale", ()):
        size, unit = next((figures[unit], unit) for unit in ("memories", "chunks") if unit in figures)
        print(f"\nget over {size:,} {unit}; work: what it takes longer than --version\n")
        table(figures["lines"])
    if times := report.get("pass_ms"):
        print("\npython -c pass took {:.1f} ms before and {:.1f} after".format(*times))
    print(f"\n{report['machine']}")


def table(lines):
    with_work = "work_ms" in lines[0]
    print(f"{'':32}{'median ms':>10}{'min ms':>9}{'x pass':>8}{'work ms' if with_work else '':>9}{'target':>8}")
    for row in lines:
        work = f"{row['work_ms']:9.1f}" if with_work else " " * 9
        target = "" if row["target"] is None else f"{row['target']:8g}  {'met' if row['met'] else 'MISSED'}"
        print(f"{row['name']:32}{row['median_ms']:10.1f}{row['min_ms']:9.1f}{row['ratio']:8.2f}{work}{target}")


def say(text):
    print(f"{text} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
