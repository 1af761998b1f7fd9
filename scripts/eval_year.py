#!/usr/bin/env python3
"""Measures what a session is told at its start after a year of agents' work: `eval_year.py [--days 365] [--sessions 30]`.

Sessions are written as Claude Code keeps them and imported by `mem import`, so that every rule that keeps, closes and replaces
something has its say. What is open, asked for and decided is known: of the work that a third of the sessions leave open most is
done by a later one, the rest never; of the instructions half are lifted again. Printed are the tokens of the start, and of the
statements of each kind that it tells how many hold and how old they are; beside them the size of the store.
"""

import argparse
import calendar
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SEED, DAY = 7, 86_400
END = 1_772_323_200  # 2026-03-01, in seconds
DONE, WITHIN = 0.9, 10  # share of open work that is done, and within how many days
EVERY = 7  # days from one instruction to the next
MEM = [sys.executable, "-m", "memcli"]
WHAT = "limits errors retries metrics logging caching paging sorting icons themes quotas locks translations shortcuts".split()
OF = (
    "importer parser invoice login export search upload report queue scheduler profile cart map editor gateway feed ledger "
    "thermostat playlist voucher calendar mailbox sitemap printer barcode lexer renderer firewall backup tracker wallet roster"
).split()
WHICH = (
    "nightly public mobile weekly legacy shared remote local daily private global partner guest admin batch live hidden "
    "regional compact archived signed nested seasonal mirrored annual draft vendor kiosk student offline premium bilingual"
).split()
TOOLS = "linter formatter typechecker benchmarks licences spellcheck bundle migrations fixtures screenshots".split()


class Year:
    """Writes transcripts, and knows what is true at the end. `open`: what is left, `done`: what was left and is done."""

    def __init__(self, folder, root, days, sessions):
        self.folder, self.root, self.days, self.sessions = folder, root, days, sessions
        self.random, self.number = random.Random(SEED), 0
        self.open, self.done, self.due, self.rules, self.lifted = set(), set(), {}, {}, set()

    def write(self):
        """Writes all sessions."""
        for day in range(self.days):
            begin = END - (self.days - day) * DAY
            for number in range(self.sessions):
                self.session(day, begin + number * (DAY // self.sessions))
            if day % EVERY == 0:
                self.rule(day, begin + DAY - 60)

    def session(self, day, at):
        """A session that does what an earlier one left, or something of its own; a third of these leave something."""
        due = [topic for topic, (when, _) in self.due.items() if when <= day]
        if due:
            topic = due[0]
            what = self.due.pop(topic)[1]
            self.open.discard((what, topic))
            self.done.add((what, topic))
            return self.put(at, f"Add the {what} of the {topic}.", f"The {what} of the {topic} are done and committed.", topic)
        topic = f"{self.random.choice(WHICH)} {self.random.choice(OF)} {self.random.randrange(100, 1000)}"
        said = f"The {topic} reads its settings at the start now, and all of its checks pass."
        if self.random.random() < 1 / 3 and topic not in self.due:
            what = self.random.choice(WHAT)
            self.open.add((what, topic))
            if self.random.random() < DONE:
                self.due[topic] = day + 1 + self.random.randrange(WITHIN), what
            said += f"\n\nStill to do: the {what} of the {topic}."
        if self.random.random() < 1 / 30:
            said += f"\n\nWe decided to keep the {topic} in one process, because two of them fought for its lock."
        self.put(at, f"Let the {topic} read its settings at the start.", said, topic)

    def rule(self, day, at):
        """A session in which the person asks for something for good, or lifts it."""
        tool = TOOLS[(day // EVERY) % len(TOOLS)]
        if tool in self.rules:
            self.lifted.add(self.rules.pop(tool))
            return self.put(at, f"You no longer need to run the {tool} before you commit.", "Understood.", "rules")
        self.rules[tool] = f"From now on always run the {tool} before you commit."
        self.put(at, self.rules[tool], "Understood.", "rules")

    def put(self, at, prompt, answer, topic):
        """Writes a session of one prompt, an edit and an answer."""
        self.number += 1
        key, path = f"year-{self.number:06d}", f"{self.root}/src/{topic.replace(' ', '_')}.py"
        edit = {"file_path": path, "old_string": "a = 1", "new_string": f"a = {self.number}"}
        call = [{"type": "tool_use", "id": f"t{self.number}", "name": "Edit", "input": edit}]
        result = [{"type": "tool_result", "tool_use_id": f"t{self.number}", "content": "ok"}]
        said = [("user", prompt), ("assistant", call), ("user", result), ("assistant", [{"type": "text", "text": answer}])]
        lines = [self.line(key, at + 5 * place, *words) for place, words in enumerate(said)]
        (self.folder / f"{key}.jsonl").write_text("".join(lines))

    def line(self, key, at, role, content):
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        base = {"type": role, "sessionId": key, "uuid": f"{key}-{at}", "timestamp": moment, "cwd": self.root}
        return json.dumps(base | {"message": {"role": role, "content": content}}) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--sessions", type=int, default=30, help="of a day")
    parser.add_argument("--text", action="store_true", help="print the start, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root, home, folder = [Path(scratch, name) for name in ("repository", "home", "sessions")]
        for path in (root, home, folder):
            path.mkdir()
        names = {
            f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "A"), ("EMAIL", "a@b"))
        }
        env = {**os.environ, **names, "HOME": str(home), "MEMPACK_CAPTURE_WORKER": "off"}
        env |= {"MEMPACK_CLOCK": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(END))}

        def run(*words):
            return subprocess.run(words, cwd=root, env=env, check=True, capture_output=True, text=True).stdout

        run("git", "init", "--quiet")
        run("git", "commit", "--quiet", "--allow-empty", "-m", "Begin")
        run(*MEM, "init")
        year = Year(folder, str(root), options.days, options.sessions)
        year.write()
        begin = time.monotonic()
        run(*MEM, "import", "--from", "claude", str(folder))
        took = time.monotonic() - begin
        text = json.loads(run(*MEM, "turn", "prepare", "--session", "next", "--engine", "claude", "--format", "prompt"))["text"]
        size = sum([path.stat().st_size for path in home.rglob("memory.db*")])
    print(f"{year.number} sessions, imported in {took:.0f} s, {size / 1e6:.0f} MB")
    report(text, year)
    if options.text:
        print(text)


def report(text, year):
    """Prints what a start tells."""
    from memcli.recall.render import counted

    print(f"start: {counted([text])} tokens")
    for heading, holds in (("Open", is_open), ("Standing", is_valid), ("Decisions", None)):
        section = re.search(rf"^## {heading}.*\n((?:- .*\n)*)", text, re.M)
        lines = section[1].splitlines() if section else []
        days = [word for line in lines for word in line.split()[1:2] if re.fullmatch(r"[\d-]{10}", word)]
        ages = [(END - calendar.timegm(time.strptime(day, "%Y-%m-%d"))) // DAY for day in days]
        known = f", {sum([holds(line, year) for line in lines])} of them hold" if holds else ""
        print(f"{heading}: {len(lines)} told{known}" + (f", the oldest {max(ages)} days old" if ages else ""))
    print(f"at the end {len(year.open)} pieces of work are open, {len(year.rules)} instructions stand")


def is_open(line, year):
    """Tells whether a line tells of work that is left."""
    return any(what in line and topic in line for what, topic in year.open)


def is_valid(line, year):
    """Tells whether a line tells an instruction that stands, or that one was lifted."""
    return any(rule.rstrip(".") in line for rule in year.rules.values()) or "no longer" in line


if __name__ == "__main__":
    main()
