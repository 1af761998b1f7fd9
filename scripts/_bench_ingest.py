"""What scripts/bench.py --ingest measures: `mem ingest` on the standard library, and a second run over many small files."""

import json
import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from statistics import median

from bench import Setup, environment, say, spawn

SMALL_FILES = 10_000  # of the tree in which a second run is measured
MAX_PEAK_MB, MAX_RATIO, MAX_AGAIN_MS = 300, 2.5, 2_000
READERS = (1, 2, 3)  # processes that memory is measured with, however many cores there are; pool.MAX_PROCESSES is the last
AS_IF = """
import sys
from memcli.__main__ import run
from memcli.ingest import pool
pool.cores = lambda: {}
sys.exit(run(sys.argv[1:]))
"""


def standard_library():
    """Returns the directory of the standard library of the interpreter that runs this."""
    return Path(sysconfig.get_path("stdlib"))


def measure(folder, python, mem):
    """Returns what `ingestion` measures of the standard library, in a directory that is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    return ingestion(Setup(python, mem, environment(folder), folder), standard_library(), SMALL_FILES)


def ingestion(setup, sources, small_files):
    """Measures `mem ingest` on a copy of `sources` in a git repository, and a second run over many small files."""
    tree = setup.folder / "repo"
    (setup.folder / "home").mkdir(parents=True)
    shutil.copytree(sources, tree, ignore=shutil.ignore_patterns("site-packages", "__pycache__"))
    commit_all(setup, tree)
    os.chdir(tree)
    say("ingesting")
    seconds, cpu, _, output = watched(setup, [*setup.mem, "ingest", "--json"])
    (store,) = (setup.folder / "home").rglob("memory.db")
    again = median([spawn(setup, [*setup.mem, "ingest"]) for _ in range(5)])
    edited = next(tree.rglob("*.py"))
    edited.write_text(edited.read_text() + "\nbench = 1\n")
    edit = spawn(setup, [*setup.mem, "ingest"])
    return {
        "files": output["new"],
        "mb": output["read_bytes"] / 1e6,
        "chunks": output["chunks_added"],
        "skipped": output["skipped"],
        "seconds": seconds,
        "cpu_seconds": cpu,
        "peaks_mb": peaks(setup),
        "database_mb": store.stat().st_size / 1e6,
        "ratio": store.stat().st_size / output["read_bytes"],
        "again_ms": again,
        "edit_ms": edit,
        "small_files": small_files,
        "small_again_ms": small(setup, small_files),
    }


def peaks(setup):
    """Returns the most memory that the ingestion of the working directory takes in MB, by the number of processes that read."""
    figures = {}
    for readers in READERS:
        say(f"ingesting with {readers} reading")
        own = setup._replace(environ={**setup.environ, "MEMPACK_DATA_DIR": str(setup.folder / f"readers-{readers}")})
        figures[str(readers)] = watched(own, [*setup.python, "-P", "-c", AS_IF.format(readers), "ingest", "--json"])[2]
    return figures


def commit_all(setup, tree):
    """Makes a directory a git repository with everything committed."""
    for words in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message", "bench"]):
        subprocess.run(["git", "-C", tree, *words], env=setup.environ, check=True)


def small(setup, count):
    """Returns the time of a second run over an unchanged tree of so many small files, in ms."""
    tree = setup.folder / "small"
    for number in range(count):
        path = tree / f"d{number % 100}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"def function_{number}():\n    return {number}\n")
    commit_all(setup, tree)
    os.chdir(tree)
    say(f"ingesting {count:,} small files")
    spawn(setup, [*setup.mem, "ingest"])
    spawn(setup, [*setup.mem, "ingest"])  # what was written just before it was read is looked at once more
    return median([spawn(setup, [*setup.mem, "ingest"]) for _ in range(5)])


def watched(setup, argv):
    """Runs a command. Returns its wall time and CPU time in s, the most memory that it and its children had at once in MB, and
    what it told."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(argv, env=setup.environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    most = 0.0
    while process.poll() is None:
        most = max(most, sum(memory_mb(pid) for pid in family(process.pid)))
        time.sleep(0.02)
    seconds = time.perf_counter() - start
    if process.returncode:
        sys.exit(f"exit code {process.returncode}: {' '.join(argv)}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, most, json.loads(process.stdout.read())


def family(number):
    """Returns the ids of a process and its children, as Linux tells them."""
    try:
        return [number, *map(int, Path(f"/proc/{number}/task/{number}/children").read_text().split())]
    except OSError:
        return []


def memory_mb(number):
    """Returns the memory of a process in MB: what is shared counts in each of those who share it in part."""
    try:
        lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def show(report):
    """Prints what was measured of `mem ingest`."""

    def row(label, value, target=None, met=True):
        print(f"{label:44}{value:>14}{'' if target is None else f'   target {target}  ' + ('met' if met else 'MISSED')}")

    skipped = sum(report["skipped"].values())
    print(
        f"mem ingest: {report['files']:,} files, {report['mb']:.1f} MB, {report['chunks']:,} chunks; {skipped:,} files skipped\n"
    )
    row("files a second", f"{report['files'] / report['seconds']:,.0f}")
    row("MB a second", f"{report['mb'] / report['seconds']:.2f}")
    row("CPU seconds a MB", f"{report['cpu_seconds'] / report['mb']:.2f}")
    for readers, peak in report["peaks_mb"].items():
        row(f"peak memory, {readers} reading, all processes", f"{peak:.0f} MB", MAX_PEAK_MB, peak < MAX_PEAK_MB)
    row("database bytes a source byte", f"{report['ratio']:.2f}", MAX_RATIO, report["ratio"] <= MAX_RATIO)
    row("run again, nothing changed", f"{report['again_ms']:.0f} ms")
    row("run again, one file changed", f"{report['edit_ms']:.0f} ms")
    again = report["small_again_ms"]
    row(f"run again over {report['small_files']:,} files", f"{again:.0f} ms", MAX_AGAIN_MS, again < MAX_AGAIN_MS)
