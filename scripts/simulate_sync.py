#!/usr/bin/env python3
"""Simulates stores that share a memory, and checks that all of them end with the same one.

    simulate_sync.py [--transport git|dir|postgresql://...] [--replicas 5] [--operations 2000] [--seeds 20] [--crashes] [--losses]

Each replica writes random operations (add, edit, forget, restore, supersede, link, pin, checkpoint, profile, share, undo) with a
clock of its own that is up to five minutes off, and synchronizes at random moments, in this process by `mem`'s own entry. With
--crashes every tenth synchronization runs in a process of its own, which is killed in the middle; with --losses the remote is
wiped before one in twenty.
The last replica is a CI job's. In the end everybody synchronizes twice, and the digest of what is shared must be equal
everywhere, in a store rebuilt from a shuffled log, too, and so must the states that are told. `git fsck` must find the remote
sound.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from memcli import operations, replication
from memcli.__main__ import run
from memcli.fields import validate
from memcli.project import Where, open_for_reading, open_for_writing, renewed
from memcli.store import replication as rows
from memcli.store import vocabulary
from memcli.validity import current_states

START = 1_772_366_400_000  # ms since 1970: the moment at which a simulation begins
SKEW = 300_000  # ms
PERSON = {f"GIT_{role}_{field}": "a@example.invalid" for role in ("AUTHOR", "COMMITTER") for field in ("NAME", "EMAIL")}
WORDS = "cache retry queue index login token schema deploy parser worker timeout branch release migration socket".split()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transport", default="git")
    parser.add_argument("--replicas", type=int, default=5)
    parser.add_argument("--operations", type=int, default=2_000, help="of each replica")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--crashes", action="store_true")
    parser.add_argument("--losses", action="store_true")
    options = parser.parse_args()
    vocabulary.whole()  # as a service has it
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        folder = Path(tempfile.mkdtemp(prefix="mem-simulation-"))
        started = time.perf_counter()
        try:
            digest, syncs, crashes = simulate(folder, options, seed)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        seconds = time.perf_counter() - started
        counts = f"{options.replicas} stores, {syncs} synchronizations, {crashes} killed"
        print(f"seed {seed}: {counts}: all agree on {digest[:16]} ({seconds:.0f} s)")
    return 0


def simulate(folder, options, seed):
    """Runs one simulation. Returns (the digest on which all agree, synchronizations, crashes)."""
    chance = random.Random(seed)
    address = remote_of(folder, options.transport)
    replicas = [Replica(folder, number, address, chance, number == options.replicas - 1) for number in range(options.replicas)]
    steps = [replica for replica in replicas for _ in range(options.operations)]
    chance.shuffle(steps)
    syncs = crashes = 0
    for number, replica in enumerate(steps):
        replica.write(START + number * 1_000)
        if chance.random() < 0.01:
            syncs += 1
            if options.losses and chance.random() < 0.05:
                wipe(address)
            if options.crashes and chance.random() < 0.1:
                crashes += replica.crash(chance.random())
            else:
                replica.sync()
    for _ in range(2):
        for replica in replicas:
            replica.sync()
    digests = {replica.digest() for replica in replicas}
    if len(digests) != 1:
        raise SystemExit(f"seed {seed}: {len(digests)} different memories")
    if len({replica.states() for replica in replicas}) != 1:
        raise SystemExit(f"seed {seed}: not everybody is told the same states")
    if rebuilt(replicas[0], chance) not in digests:
        raise SystemExit(f"seed {seed}: a store rebuilt from a shuffled log is another one")
    if address.startswith("/"):
        subprocess.run(["git", "fsck", "--strict"], cwd=address, check=True, capture_output=True)
    for replica in replicas:
        replica.project.close()
    return digests.pop(), syncs, crashes


def remote_of(folder, transport):
    """Returns the address of a new remote."""
    if transport == "git":
        subprocess.run(["git", "init", "-q", "--bare", str(folder / "remote.git")], check=True)
        return str(folder / "remote.git")
    if transport == "dir":
        (folder / "remote").mkdir()
        return f"dir:{folder / 'remote'}"
    return transport


def wipe(address):
    """Deletes all that a remote has, as a host that lost it would."""
    if address.startswith("dir:"):
        shutil.rmtree(Path(address.removeprefix("dir:")) / "seg", ignore_errors=True)
    elif address.startswith("/"):
        words = ["git", "for-each-ref", "--format=delete %(refname)"]
        refs = subprocess.run(words, cwd=address, check=True, capture_output=True).stdout
        subprocess.run(["git", "update-ref", "--stdin"], cwd=address, input=refs, check=True)
    else:
        import psycopg

        with psycopg.connect(address, autocommit=True) as db:
            db.execute("DELETE FROM mem_op")


class Replica:
    """A store of its own, on a machine whose clock is off."""

    def __init__(self, folder, number, address, chance, is_ci):
        self.chance, self.memories, self.entries = chance, [], []
        self.skew = chance.randint(-SKEW, SKEW)
        self.root, home = folder / f"clone-{number}", folder / f"home-{number}"
        home.mkdir()
        self.environ = {"HOME": str(home), "MEMPACK_DATA_DIR": str(home / "data"), "MEMPACK_CONFIG_DIR": str(home / "config")}
        self.environ |= {"MEMPACK_CAPTURE_WORKER": "off", "MEMPACK_SYNC_KINDS": "*", "MEMPACK_SYNC_ORIGINS": "*", **PERSON}
        self.environ |= {"MEMPACK_SYNC_STATES": "true", "MEMPACK_CLOCK": "2026-03-01T12:00:00Z"}
        self.environ["CI"] = "true" if is_ci else ""
        if number == 0:
            subprocess.run(["git", "init", "-q", "-b", "main", str(self.root)], check=True)
            subprocess.run(
                ["git", "commit", "-q", "--allow-empty", "-m", "first"], cwd=self.root, env={**os.environ, **PERSON}, check=True
            )
        else:
            subprocess.run(["git", "clone", "-q", str(folder / "clone-0"), str(self.root)], check=True)
        name = ("--name", folder.name) if address.startswith("postgresql") else ()  # of this simulation alone
        self.mem("sync", "enable", "--remote", address, *name, "--quiet")
        self.sync()
        self.open()

    def enter(self):
        os.environ.update(self.environ)
        os.chdir(self.root)

    def mem(self, *words):
        self.enter()
        code = run(list(words))
        if code:
            raise SystemExit(f"mem {' '.join(words)} ended with {code}")

    def sync(self):
        started = time.perf_counter()
        self.mem("sync", "--timeout", "120", "--quiet")
        self.seconds = time.perf_counter() - started

    def open(self):
        """Opens the store for all that is written here, as a service has it."""
        self.enter()
        self.project = open_for_writing(Where())

    def crash(self, part):
        """Kills a process of its own that synchronizes, after a part of what that took last. Returns whether it still ran."""
        self.project.close()  # SQLite's connections do not survive a fork
        child = os.fork()
        if child == 0:
            with open(os.devnull, "w") as nowhere:
                os.dup2(nowhere.fileno(), 1)
                os.dup2(nowhere.fileno(), 2)
            self.enter()
            os._exit(run(["sync", "--timeout", "120", "--quiet"]))
        time.sleep(part * self.seconds)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        self.open()
        return os.WIFSIGNALED(status)

    def write(self, now):
        """Makes one random change by an operation."""
        from memcli.text import dates

        self.environ["MEMPACK_CLOCK"] = dates.iso(now + self.skew)
        self.enter()
        if self.chance.random() < 0.05 or not self.memories:
            self.memories = self.listed()
        name, fields = self.change()
        try:
            operation = operations.load(name)
            request = operation.request(**fields)
            validate(request)
            project = renewed(self.project, self.project.root, self.project.checkout)
            result = operations.perform_on(operation, request, project, "cli")
        except replication.MemError:
            return  # what it was about is forgotten or replaced here
        if name in ("add", "supersede"):
            self.memories.append(result.id)
        elif name == "profile_set":
            self.entries.append(result.id)

    def listed(self):
        project = open_for_reading(Where())
        try:
            return [name for name in rows.shared_objects(project.db) if name.startswith("M-")]
        finally:
            project.close()

    def change(self):
        text = " ".join(self.chance.choices(WORDS, k=5)) + f" {self.chance.random():.6f}"
        draw = self.chance.random()
        if draw < 0.32 or not self.memories:
            return "add", {"title": text, "summary": text, "thread": self.chance.choice(WORDS)}
        memory = self.chance.choice(self.memories)
        if draw < 0.57:
            return "update", {"id": memory, self.chance.choice(["title", "summary"]): text}
        if draw < 0.66:
            return "forget", {"id": (memory,)}
        if draw < 0.73:
            return "restore", {"id": (memory,)}
        if draw < 0.82:
            return "supersede", {"id": memory, "title": text, "summary": text}
        if draw < 0.87:
            return "link", {"from_id": memory, "rel": "relates", "to_id": self.chance.choice(self.memories)}
        if draw < 0.89:
            return "pin", {"id": (memory,)}
        if draw < 0.91:
            return "profile_set", {"key": self.chance.choice(WORDS[:4]), "value": text}
        if draw < 0.92 and self.entries:
            return "share", {"id": (self.chance.choice(self.entries),)}
        if draw < 0.925:
            return "profile_delete", {"key": self.chance.choice(WORDS[:4])}
        if draw < 0.985:
            return "undo", {}
        return "checkpoint", {"reason": text, "state_json": f'{{"next": "{text}"}}'}

    def digest(self):
        self.enter()
        project = open_for_reading(Where())
        try:
            return replication.digest(project)
        finally:
            project.close()

    def states(self):
        """Returns the ids of the states that this store is told, the one that leads first."""
        self.enter()
        project = open_for_reading(Where())
        try:
            return tuple([state.id for state in current_states(project)])
        finally:
            project.close()


def rebuilt(replica, chance):
    """Returns the digest of a store that is given the whole log of another in a random order."""
    from memcli.records import many
    from memcli.store.opening import empty_store
    from memcli.store.oplog import LoggedOperation

    replica.enter()
    project = open_for_reading(Where())
    try:
        logged = many(LoggedOperation, rows.operations_of_shared(project.db))
        shared = {op.object for op in logged}
        chance.shuffle(logged)
        db = empty_store()
        rows.insert(db, logged)
        rows.received(db, shared)
        return replication.digest(
            project.__class__(*[db if name == "db" else value for name, value in zip(project._fields, project)])
        )
    finally:
        project.close()


if __name__ == "__main__":
    sys.exit(main())
