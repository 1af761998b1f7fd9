#!/usr/bin/env python3
"""Measures what hooks hint at during tool calls: fixes of errors that occur again, and false alarms.

    eval_moment.py BENCHMARK OUT [--set NAME ...] [--unlabelled FILE]

Replays the sessions of the colleague benchmark through `mem hook`, each in order, each set in a repository and a home of its own
under OUT. Before each call of a tool the event of that moment is fired, too; the worker runs at each stop. Every hint is written
to OUT/hints.jsonl.

scripts/moment/again.jsonl names the calls whose error had occurred, and been solved, in an earlier session of the set, and a
regular expression that the fix matches; told is the share of them whose hook told it, in their session, at that call or before.
scripts/moment/labels.jsonl says of hints, by set, call and a digest of the text without marks, whether an engineer at that call
would want to read it (1): it tells the fix of this error, a form of the command that runs, what holds of the file and bears on
the change, or an instruction that the call goes against. Others are false alarms (0), and so counts what has no label; that is
written to FILE.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent / "moment"
MEM = os.environ.get("MEM", f"{sys.executable} -m memcli").split()
BEFORE = ("Bash", "Edit", "MultiEdit", "NotebookEdit", "Read", "Write")
IDS = re.compile(r"\b([A-Z])-[0-9A-Z]{10}\b")  # new in each run
MARKS = re.compile(r"(?:, | \()after an? [a-z ]+(?=[,):])\)?")  # what its session had met, which says nothing of the hint


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark", type=Path, help="the directory with sets/NAME/events.jsonl")
    parser.add_argument("out", type=Path)
    parser.add_argument("--set", action="append", metavar="NAME")
    parser.add_argument("--unlabelled", type=Path, metavar="FILE", help="write the hints without a label here")
    options = parser.parse_args()
    names = options.set or sorted(path.name for path in (options.benchmark / "sets").iterdir())
    replays = {name: Replay(options.out / name, rows(options.benchmark / "sets" / name / "events.jsonl")) for name in names}
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # each waits for processes of its own
        results = dict(zip(names, pool.map(Replay.run, replays.values()), strict=True))
    told = [{"set": name, **hint} for name, (hints, _) in results.items() for hint in hints]
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "hints.jsonl").write_text("".join([json.dumps(hint, ensure_ascii=False) + "\n" for hint in told]))
    return report(told, {name: calls for name, (_, calls) in results.items()}, options.unlabelled)


def report(told, calls, unlabelled):
    """Prints the figures of each set and of all. Returns 1 where hints have no label."""
    labels = {(row["set"], row["call"], row["hint"]): row["helps"] for row in rows(HERE / "labels.jsonl")}
    again = [row for row in rows(HERE / "again.jsonl") if row["set"] in calls]
    missing = [hint for hint in told if (hint["set"], hint["call"], hint["hint"]) not in labels]
    if unlabelled:
        unlabelled.write_text("".join([json.dumps(hint, ensure_ascii=False) + "\n" for hint in missing]))
    print("set           again  told    calls  hints  false  per 100 calls")
    for name in [*calls, "all"]:
        errors = [row for row in again if name in (row["set"], "all")]
        hints = [hint for hint in told if name in (hint["set"], "all")]
        good = len([hint for hint in hints if labels.get((hint["set"], hint["call"], hint["hint"]))])
        count = sum(calls.values()) if name == "all" else calls[name]
        answered = len([row for row in errors if is_told(row, hints)])
        false = len(hints) - good
        share = 100 * false / max(1, count)
        print(f"{name:<12} {len(errors):>6} {answered:>5} {count:>8} {len(hints):>6} {false:>6} {share:>14.2f}")
    for row in again:
        if not is_told(row, told):
            print(f"not told: {row['set']} {row['session']} {row['call']} {row['fix']}")
    if missing:
        print(f"{len(missing)} hints have no label")
    return 1 if missing else 0


def is_told(row, hints):
    """Tells whether the fix of an error was hinted at, at its call or earlier in its session."""
    session = [hint for hint in hints if (hint["set"], hint["session"]) == (row["set"], row["session"])]
    numbers = [hint["number"] for hint in session if hint["call"] == row["call"]]
    last = numbers[-1] if numbers else row.get("number", 1 << 30)
    return any(hint["number"] <= last and re.search(row["fix"], hint["text"], re.IGNORECASE) for hint in session)


def rows(path):
    """Returns the rows of a file of JSON lines; none where there is no file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()] if path.exists() else []


class Replay:
    """The sessions of one set, fired at `mem hook` in a repository of their own."""

    def __init__(self, root, events):
        shutil.rmtree(root, ignore_errors=True)
        self.project, self.home, self.events, self.clock = root / "project", root / "home", events, ""
        self.project.mkdir(parents=True)
        self.home.mkdir()
        self.git("init", "-q", "-b", "main")
        self.hints, self.calls = [], 0

    def run(self):
        """Fires every event. Returns (the hints, how many calls of tools there were)."""
        for number, event in enumerate(self.events):
            self.clock = event["time"]
            name, payload = event["event"], event["payload"]
            if name.startswith("PostToolUse"):
                self.call(number, event)
            elif name in ("_commit", "_write"):
                self.change(name, payload)
            elif not name.startswith("_"):
                self.fire(name, event["session"], {"prompt_id": f"p{number}", **payload})
            if name in ("Stop", "SessionEnd"):
                self.mem("worker", "run")
            if not number:
                self.mem("init")
        return self.hints, self.calls

    def call(self, number, event):
        """Fires what harnesses fire around one call of a tool."""
        payload = event["payload"]
        self.calls += 1
        moments = ["PreToolUse"] * (payload["tool_name"] in BEFORE) + [event["event"]]
        for moment in moments:
            if moment != "PreToolUse" and event.get("apply"):
                self.edit(payload)
            given = {name: payload[name] for name in ("tool_name", "tool_input", "tool_use_id") if name in payload}
            text = self.fire(moment, event["session"], given if moment == "PreToolUse" else payload)
            if text:
                plain = IDS.sub(r"\1", text.replace(str(self.project), "{PROJ}"))
                key = hashlib.sha1(MARKS.sub("", plain).encode()).hexdigest()[:12]
                call = payload.get("tool_use_id") or str(number)
                hint = {"session": event["session"], "number": number, "call": call, "event": moment, "hint": key, "text": plain}
                self.hints.append({**hint, "input": json.dumps(payload["tool_input"])[:300]})

    def fire(self, name, session, payload):
        base = {"session_id": session, "cwd": str(self.project), "hook_event_name": name}
        given = json.dumps({**base, **payload}).replace("{PROJ}", str(self.project))
        text = self.mem("hook", name, "--harness", "claude", given=given)
        try:
            return json.loads(text)["hookSpecificOutput"]["additionalContext"]
        except (ValueError, KeyError, TypeError):
            return ""

    def change(self, name, payload):
        """Does what the world did beside the agent: a commit, a file that a command wrote."""
        if name == "_commit":
            for path, text in (payload.get("files") or {}).items():
                file = self.project / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.unlink(missing_ok=True) if text is None else file.write_text(text, encoding="utf-8")
            self.git("add", "-A")
            self.git("commit", "-q", "--allow-empty", "-m", payload["message"])
        elif "text" in payload:
            file = self.project / payload["path"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(payload["text"], encoding="utf-8")

    def edit(self, payload):
        arguments = payload["tool_input"]
        file = Path(arguments["file_path"].replace("{PROJ}", str(self.project)))
        if self.project not in file.parents:
            return
        if payload["tool_name"] == "Write":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(arguments.get("content", ""), encoding="utf-8")
        elif file.exists() and arguments.get("old_string"):
            file.write_text(file.read_text().replace(arguments["old_string"], arguments["new_string"], 1))

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.project, env=self.environ(), capture_output=True)

    def mem(self, *words, given=""):
        done = subprocess.run([*MEM, *words], cwd=self.project, env=self.environ(), input=given, capture_output=True, text=True)
        if done.returncode or (done.stderr.strip() and words[0] == "hook"):
            sys.exit(f"mem {words[0]}: {done.stderr.strip()[:200]}")
        return done.stdout

    def environ(self):
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "PYTHONPATH")}
        who = {f"GIT_{role}_{field}": "dev@example.org" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
        ours = {"MEMPACK_CAPTURE_WORKER": "off", "MEMPACK_WORKER_IDLE_SECONDS": "0"}
        return {**kept, **who, **ours, "HOME": str(self.home), **({"MEMPACK_CLOCK": self.clock} if self.clock else {})}


if __name__ == "__main__":
    sys.exit(main())
