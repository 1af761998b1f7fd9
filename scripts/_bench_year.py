"""A store as a year of agents' work leaves it: observations, most of them forgotten, summaries, prompts, decisions, jobs.

The rows are inserted directly, with a log that says the same; going through the worker would take a day.
"""

import hashlib
import json
import random
from itertools import count

from memcli.store import rows, transaction
from memcli.store.memories import COLUMNS
from memcli.text import dates

SESSIONS, OBSERVATIONS = 30, 18  # sessions a day, observations of each
KEPT = 30  # days for which observations stay visible, as `capture.keep_days` says
DECISIONS = 40  # written on purpose on the tenth day
DECISION = "Retry budget of the importer: five attempts"  # begins their titles
_ENDS = ("ban", "del", "fin", "gor", "kel", "lim", "mar", "nus", "pol", "rak", "sem", "tor")
_VERBS = ("Edited", "Ran", "Read", "Tested", "Fixed", "Searched", "Checked", "Moved")
_NOUNS = (
    "importer",
    "retry",
    "budget",
    "queue",
    "parser",
    "attempts",
    "header",
    "timeout",
    "cache",
    "migration",
    "worker",
    "token",
)
_COMMON = 1 / 3
_WORDS = [
    f"{a}{b}{c}" for a in ("ba", "do", "fe", "ki", "lu", "mo", "pa", "ri", "su", "ta", "vo", "ze") for b in _ENDS for c in _ENDS
]
_WRITER, _DAY = "year", dates.DAY
SEED = 7


class Year:
    """Makes the rows of a number of days that end now, and puts them into a store."""

    def __init__(self, db, now, days, anchors=(), kept=KEPT):
        self.db, self.now, self.days, self.kept = db, now, days, kept
        self.anchors = anchors or [hashlib.sha1(str(number).encode()).hexdigest() for number in range(days * SESSIONS)]
        self.random = random.Random(SEED)
        ((last, memory, session),) = rows(
            db,
            "SELECT (SELECT coalesce(max(revision), 0) FROM op), (SELECT coalesce(max(n), 0) FROM memory), count(*) FROM session",
        )
        self.revision, self.n, self.session = count(last + 1), count(memory + 1), count(session + 1)
        self.ops, self.memories, self.sessions, self.prompts, self.links, self.jobs, self.edits = [], [], [], [], [], [], []

    def fill(self):
        """Puts everything into the store."""
        for day in range(self.days):
            begin = self.now - (self.days - day) * _DAY
            for number in range(SESSIONS):
                self.add_session(begin + number * (_DAY // SESSIONS), is_kept=self.days - day <= self.kept)
            self.add_memory(
                begin, f"Decision of day {day}: the page has a plain layout", "as in print", kind="decision", origin="cli"
            )
            for number in range(DECISIONS if day == min(10, self.days - 1) else 0):
                self.add_memory(begin + number, f"{DECISION} {number}", self.text(14), kind="decision", origin="cli")
        self.store()

    def text(self, words):
        """Returns words, a third of them of the few that everything is about."""
        drawn = [self.random.choice(_NOUNS if self.random.random() < _COMMON else _WORDS) for _ in range(words)]
        return " ".join(drawn) + f" case{self.random.randrange(10**6)}"

    def add_session(self, at, is_kept):
        n = next(self.session)
        name, anchor = f"S-{n:010d}", self.anchors[n % len(self.anchors)]
        self.log("session", name, {"harness": "claude", "key": f"key-{n}", "started": at}, at)
        for number in (1, 2):
            prompt, text, reply = f"P-{n:09d}{number}", self.text(20), self.text(40)
            fields = {"session": name, "number": number, "text": text, "created": at, "reply": reply, "replied": at + 1}
            self.log("prompt", prompt, fields, at)
            self.prompts.append((prompt, n, number, text, reply, "", "", at))
        for number in range(OBSERVATIONS):
            title = f"{self.random.choice(_VERBS)} src/{self.random.choice(_NOUNS)}_{self.random.randrange(200)}.py"
            moment = at + number * 60_000
            memory = self.add_memory(moment, title, self.text(25), session=n, anchor=anchor, forgotten=not is_kept)
            self.links.append((memory, "edited", title.split()[1], None, moment))
            self.edits.append((name, 1, title.split()[1], anchor, moment, f"{self.random.randrange(1 << 32):08x} " * 6))
            if self.now - at < 7 * _DAY:
                self.jobs.append((f"claude:key-{n}:{number}", "claude", f"key-{n}", "post-tool-use", memory, moment))
        end = at + OBSERVATIONS * 60_000
        summary = self.add_memory(end, f"Session {n}: {self.text(4)}", self.text(60), kind="summary", session=n, anchor=anchor)
        self.log("session", name, {"status": "completed", "reason": "idle", "summary": summary, "ended": end}, end)
        self.sessions.append((n, name, "claude", f"key-{n}", "completed", "idle", "/repo", 2, summary, at, end, end))

    def add_memory(self, at, title, summary, **more):
        """Adds a memory. `more`: kind, session, anchor, origin, forgotten. Returns its id."""
        defaults = {"kind": "note", "session": 0, "anchor": None, "origin": "hook", "forgotten": False}
        kind, session, anchor, origin, forgotten = (defaults | more).values()
        n = next(self.n)
        name, thread = f"M-{n:010d}", "general"
        fields = {"title": title, "summary": summary, "kind": kind, "thread": thread, "created": at, "tags": [], "entities": []}
        of_session = {"session": f"S-{session:010d}", "prompt": 1, "tools": ["Edit"]} if session else {}
        revision = self.log("put", name, {**fields, **of_session, "anchor": anchor}, at, origin)
        if forgotten:
            gone = at + KEPT * _DAY
            revision = self.log("forget", name, {}, gone)
        place = (session, int(session > 0), "Edit" if session else "")
        text = (
            n,
            name,
            thread,
            kind,
            title,
            summary,
            "",
            "",
            "",
            anchor,
            at,
            gone if forgotten else at,
            revision,
            None,
            int(forgotten),
            0,
            0,
            None,
        )
        self.memories.append((*text, origin, None, None, 60, 80, *place))
        return name

    def log(self, kind, name, body, at, actor="hook"):
        revision = next(self.revision)
        op = (revision, f"O-{revision:012d}", at, revision, _WRITER, kind, name, json.dumps(body), actor, "local", 0)
        self.ops.append(op)
        return revision

    def store(self):
        db = self.db
        marks = {columns: ", ".join("?" * columns) for columns in (5, 6, 8, 11, 12, 26)}
        with transaction(db):
            db.executemany(f"INSERT INTO op VALUES ({marks[11]})", self.ops)
            db.executemany(f"INSERT INTO session VALUES ({marks[12]})", self.sessions)
            db.executemany(f"INSERT INTO memory({COLUMNS}) VALUES ({marks[26]})", self.memories)
            db.executemany(
                f"INSERT INTO prompt(id, session, number, text, reply, skipped, files, created_at) VALUES ({marks[8]})",
                self.prompts,
            )
            sql = f"INSERT INTO authored(session, prompt, path, anchor, at, lines) VALUES ({marks[6]})"
            db.executemany(sql, self.edits)
            db.executemany(f"INSERT INTO memory_link VALUES ({marks[5]})", self.links)
            db.executemany(
                "INSERT INTO job(dedupe, harness, session, event, payload, status, attempts, not_before, lease_until, error,"
                " result, created_at) VALUES (?, ?, ?, ?, '', 'processed', 1, 0, 0, '', ?, ?)",
                self.jobs,
            )
            rows(db, "INSERT OR IGNORE INTO thread VALUES ('general', 'General', 0)")
            rows(db, "INSERT OR IGNORE INTO anchor(id, noted) SELECT DISTINCT anchor, 2 FROM memory WHERE anchor IS NOT NULL")
            rows(db, "INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
