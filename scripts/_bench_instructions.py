"""What scripts/bench.py counts of everyday commands and hooks: instructions, which no other work on the machine changes."""

import re
import subprocess
from statistics import median

import _bench_hooks
from bench import rounds

WARM_UPS, COUNTS = 2, 3
COUNTER = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")


def measure(setup, verbs):
    """Counts what a process of each verb executes, without the processes that it starts. Returns the lines of a table."""
    fixed = setup._replace(environ={**setup.environ, "PYTHONHASHSEED": "0", "MEMPACK_CAPTURE_WORKER": "off"})
    verbs = [*verbs, *_bench_hooks.hook_verbs(fixed, "")]
    rounds(fixed, verbs, WARM_UPS, 0)
    empty = count(fixed, ["-c", "pass"])
    lines = [{"name": "pass", "millions": empty, "ratio": 1.0}]
    for verb in verbs:
        millions = median([count_round(fixed, verb, number) for number in range(WARM_UPS, WARM_UPS + COUNTS)])
        lines.append({"name": verb.name, "millions": millions, "ratio": millions / empty})
    return lines


def count_round(setup, verb, number):
    """Returns what a verb takes in one round."""
    if verb.before:
        verb.before()
    return count(setup, [*setup.mem, *verb.words(number)], verb.stdin and verb.stdin(number))


def count(setup, words, payload=b""):
    """Returns how many millions of instructions a Python process takes. `payload`: what it reads on standard input."""
    command = [*COUNTER, *setup.python, *words]
    where = {"env": setup.environ, "cwd": setup.folder / "repo"}
    done = subprocess.run(command, **where, input=payload, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    return int(re.search(rb"I +refs: +([\d,]+)", done.stderr)[1].replace(b",", b"")) / 1e6


def show(lines):
    """Prints the counts for people."""
    print(f"{'millions of instructions':32}{'':>10}{'x pass':>8}")
    for row in lines:
        print(f"{row['name']:32}{row['millions']:10.1f}{row['ratio']:8.2f}")
