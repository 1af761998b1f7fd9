"""A git remote: refs of our own beside the branches, one for each writer, so that nobody's push meets another's.

    refs/mempack/v1/w/WRITER      one store; only it pushes there
    refs/mempack/v1/ci/0 … f      stores of short-lived machines, by chance
    refs/mempack/v1/base          what was compacted

The tree of each has `epoch.json` and segments, `seg/HH/WRITER-DIGEST.jsonl`. A segment is immutable and named after its bytes, so
that a merge is a union of names; git never merges what they say. What a push did is decided by what the remote says afterwards.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

from memcli.errors import MemError
from memcli.records import Record, replace
from memcli.replication.transports import (
    Deadline,
    Epoch,
    RemotePosition,
    Segment,
    is_followed,
    lines,
    purged_meanwhile,
    writer_of,
)
from memcli.replication.transports.epochs import EPOCH_BYTES, MOST_PURGED, epoch_of, epoch_text, newer
from memcli.replication.transports.gitcommand import Git, GitResult, failure, hint, program_there
from memcli.replication.transports.gitobjects import Objects

SHARDS = "0123456789abcdef"
_OURS = re.compile(r"(w/[0-9a-f]{16}|ci/[0-9a-f]|base)\Z")  # refs of ours: other refs below the namespace are a person's
_OUTGOING = "refs/outgoing"
_EPOCH = "epoch.json"
_TRIES = 40
_MOST_REFS = 1_000  # that are fetched one by one
_MOST_NAMED = 20  # refs that cannot be read
_NAP = 0.2  # seconds before a push is tried again, times a number by chance; more after each try
_COMMITTER = "mem <mem@localhost>"


class GitAddress(Record):
    """Where a git remote is and how this store uses it."""

    url: str
    folder: str  # of the bare repository beside the store
    settings: tuple[tuple[str, str], ...]  # of the person's repository: proxies, headers, rewritten addresses
    namespace: str
    writer: str
    is_short_lived: bool  # a CI job or a container: it pushes to a shard
    is_shallow: bool  # fetch no history
    is_typed: bool  # by the person: a repository on this machine may run its hooks, as at git push
    roots: tuple[str, ...] = ()  # the first commits of this store's history


class GitRemote:
    """A remote in a git repository."""

    def __init__(self, address: GitAddress, deadline: Deadline) -> None:
        self._address = address
        self._deadline = deadline
        self._git = Git(address.folder, address.settings, deadline)
        self._tips: dict[str, str] = {}  # of refs as fetched last
        self._damaged: list[str] = []  # refs that git does not take
        self._without_epoch = set[str]()  # refs whose epoch cannot be read
        self._read: dict[str, str] = {}  # of refs as read last, or written by this store since
        self._epochs: dict[str, Epoch] | None = None

    @property
    def _own_ref(self) -> str:
        return f"{self._address.namespace}/w/{self._address.writer}"

    def open(self, position: RemotePosition) -> bool:
        """Fetches our refs. Returns whether one of them moved."""
        self._git.prepare()
        self._fetch()
        return self._tips != position.tips

    def epoch(self) -> Epoch:
        """Returns the newest epoch that one of our refs has."""
        return newer(list(self._epochs_of_refs().values()))

    def histories(self) -> dict[str, tuple[str, ...]]:
        """Returns the first commits of the history whose memory each of our refs has."""
        return {ref: epoch.roots for ref, epoch in self._epochs_of_refs().items()}

    def _epochs_of_refs(self) -> dict[str, Epoch]:
        """Returns the epoch of each of our refs."""
        if self._epochs is None:
            with Objects(self._git, self._deadline) as objects:
                self._epochs = self._bounded({ref: self._epoch(objects, ref, tip) for ref, tip in self._tips.items()})
        return self._epochs

    def _bounded(self, epochs: dict[str, Epoch]) -> dict[str, Epoch]:
        """Returns the epochs without what is beyond the limit for all of them: the next purge could not write it down."""
        purged = set[str]()
        for ref in sorted(epochs, key=lambda ref: (ref != self._own_ref, len(epochs[ref].purged), ref)):
            together = purged.union(epochs[ref].purged)
            if len(together) > MOST_PURGED:
                self._without_epoch.add(ref)
                epochs[ref] = Epoch()
            else:
                purged = together
        return epochs

    def _readable(self) -> dict[str, str]:
        """Returns the tips of those of our refs whose epoch can be read: of the others nobody knows what was purged there."""
        self._epochs_of_refs()
        return {ref: tip for ref, tip in self._tips.items() if ref not in self._without_epoch}

    def _fetch(self) -> None:
        pattern = f"{self._address.namespace}/*"
        self._damaged = []
        result = self._fetched(pattern, "--prune")
        if result.code:
            self._fetch_each(result)
        listed = self._git.listed("for-each-ref", "--format=%(objectname) %(refname)", self._address.namespace)
        tips = {name: tip for tip, name in [line.split(" ", 1) for line in listed] if self._is_ours(name)}
        first = sorted(tips, key=lambda name: (name != self._own_ref, name))[:_MOST_REFS]
        self._tips, self._epochs = {name: tips[name] for name in sorted(first)}, None
        self._without_epoch.clear()

    def _is_ours(self, ref: str) -> bool:
        """Tells whether a ref has a name that mem gives: a remote can call its refs anything."""
        return ref.startswith(f"{self._address.namespace}/") and bool(_OURS.match(ref, len(self._address.namespace) + 1))

    def _fetched(self, pattern: str, *options: str) -> GitResult:
        depth = ["--depth=1"] if self._address.is_shallow else []
        options = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", *depth, *options)
        return self._git.run(
            "fetch", *options, *self._there("upload-pack"), self._address.url, f"+{pattern}:{pattern}", check=False
        )

    def _fetch_each(self, result: GitResult) -> None:
        """Fetches one ref after the other: all fail where git takes one for damaged. Raises MemError where none comes."""
        if result.code == 1 and not result.err and not self._listed(f"{self._address.namespace}/*"):
            return  # with --depth git fails, and says nothing, where the remote has no such ref
        listed = self._listed(f"{self._address.namespace}/*", check=False)
        refs = [name for line in listed if self._is_ours(name := line.partition("\t")[2])][:_MOST_REFS]
        self._damaged = [ref for ref in refs if self._fetched(ref).code]
        if len(self._damaged) == len(refs):
            raise failure("fetch", result)

    def _listed(self, *patterns: str, check: bool = True) -> list[str]:
        """Returns a line for each ref of the remote that a pattern names: its commit, a tab, its name."""
        return self._git.listed("ls-remote", "--refs", *self._there("upload-pack"), self._address.url, *patterns, check=check)

    def _there(self, program: str) -> list[str]:
        return [] if self._address.is_typed else program_there(self._address.url, program)

    def _epoch(self, objects: Objects, ref: str, tip: str) -> Epoch:
        """Returns the epoch of a ref; one that cannot be read knows of no purge, and ends nobody's synchronization."""
        data = objects.file(tip, _EPOCH, EPOCH_BYTES)
        try:
            return Epoch() if data is None else epoch_of(data, ref)
        except MemError:
            self._without_epoch.add(ref)
            return Epoch()

    def tips(self) -> dict[str, str]:
        """Returns the tip of each of our refs whose segments were read."""
        return {ref: tip for ref, tip in self._read.items() if tip}

    def segments(self, position: RemotePosition) -> Iterator[Segment]:
        """Yields the segments of refs that moved which were not taken in yet."""
        self._read = dict(self._tips) if self._tips == position.tips else self._readable()
        yield from [Segment("", ref, b"") for ref in [*self._damaged, *sorted(self._without_epoch)][:_MOST_NAMED]]
        moved = [tip for name, tip in self._read.items() if position.tips.get(name) != tip]
        if not moved:
            return
        with Objects(self._git, self._deadline) as objects:
            blobs = objects.segments_of(moved)
            names = sorted(set(blobs) - position.names)
            for name, data in zip(names, objects.blobs([blobs[name] for name in names])):
                yield Segment(name, writer_of(name) or "", data)

    def is_set_back(self, position: RemotePosition) -> bool:
        """Tells whether no ref leads any more to a commit that one had. Where no history is fetched, nobody knows."""
        gone = [tip for name, tip in position.tips.items() if self._tips.get(name) != tip]
        if not gone or self._address.is_shallow:
            return False
        listed = "\n".join([*gone, *[f"^{tip}" for tip in self._tips.values()], ""]).encode()
        result = self._git.run("rev-list", "--max-count=1", "--stdin", stdin=listed, check=False)
        return bool(result.code or result.out)

    def contents(self) -> Iterator[tuple[str, list[str]]]:
        """Yields each segment in the trees of our refs."""
        with Objects(self._git, self._deadline) as objects:
            blobs = objects.segments_of(self._readable().values())
            for name, data in zip(blobs, objects.blobs(list(blobs.values()))):
                yield name, lines.ids_of(Segment(name, "", data))

    def push(self, segments: Sequence[Segment]) -> None:
        """Adds segments to a ref. Another's push in between is met by trying again; raises MemError where none succeeds."""
        epoch = self.epoch()
        for attempt in range(_TRIES):
            if not is_followed(epoch, self.epoch()):
                raise purged_meanwhile()
            ref = self._ref()
            tip = self._tips.get(ref, "")
            commit = self._commit({segment.name: segment.data for segment in segments}, tip, epoch)
            if commit == tip or self._replace({ref: (tip, commit)}):
                self._tips[ref] = commit
                return
            time.sleep(min(_NAP * random.random() * (attempt + 1), max(0.0, self._deadline.remaining() - 0.1)))
            self._fetch()
        raise MemError("the remote did not accept the push", "nothing is lost; run mem sync again", "remote_busy")

    def _ref(self) -> str:
        if not self._address.is_short_lived:
            return self._own_ref
        return f"{self._address.namespace}/ci/{random.choice(SHARDS)}"

    def _commit(self, contents: Mapping[str, bytes], parent: str, epoch: Epoch) -> str:
        """Makes a commit that adds files to its parent, or to nothing. Returns its name."""
        local = f"{_OUTGOING}/{os.getpid()}"
        moment = f"{int(time.time())} +0000"
        stream = [f"commit {local}\ncommitter {_COMMITTER} {moment}\ndata 5\nsync\n\n".encode()]
        stream += [f"from {parent}\n".encode()] if parent else []
        stream += [_inline(f"seg/{name[17:19]}/{name}", data) for name, data in contents.items()]
        noted = replace(epoch, roots=tuple(dict.fromkeys([*self._address.roots, *epoch.roots])))
        stream += [_inline(_EPOCH, epoch_text(noted).encode()), b"done\n"]
        self._git.run("fast-import", "--quiet", "--done", "--force", stdin=b"".join(stream))
        return self._git.run("rev-parse", local).out.decode().strip()

    def _replace(self, moves: Mapping[str, tuple[str, str]]) -> bool:
        """Moves refs of the remote from one commit to another, each only if it is where we saw it. "" stands for no commit.

        Returns whether all of them are where they should be, as the remote says afterwards.
        """
        leases = [f"--force-with-lease={ref}:{old}" for ref, (old, _) in moves.items()]
        updates = [f"{new}:{ref}" for ref, (_, new) in moves.items()]
        options = ("--porcelain", "--no-verify", *leases, *self._there("receive-pack"))
        result = self._git.run("push", *options, self._address.url, *updates, check=False, writes_there=True)
        tips = {name: tip for tip, _, name in [line.partition("\t") for line in self._listed(*moves)]}
        is_done = all(tips.get(ref, "") == new for ref, (_, new) in moves.items())
        if is_done:
            self._read |= {ref: new for ref, (old, new) in moves.items() if self._read.get(ref, "") == old}
        elif all(tips.get(ref, "") == old for ref, (old, _) in moves.items()):
            _raise_refusal(result.out.decode("utf-8", "replace"), result.err)
        return is_done

    def is_behind(self, epoch: Epoch) -> bool:
        """Tells whether one of our refs does not know yet what this epoch purged, or there is none."""
        return bool(epoch.purged) and not (self._tips and all(is_followed(it, epoch) for it in self._epochs_of_refs().values()))

    def purge(self, epoch: Epoch) -> None:
        """Rewrites every ref without the purged objects, as commits without a past, and forgets the old ones here."""
        for _ in range(_TRIES):
            moves = self._purged(newer([epoch, self.epoch()]))
            if not moves or self._replace(moves):
                break
            self._fetch()
        else:
            raise MemError("the remote did not accept the purge", "run mem sync purge again", "remote_busy")
        self.forget_past()

    def _purged(self, epoch: Epoch) -> dict[str, tuple[str, str]]:
        moves = {}
        for ref, tip in sorted(self._tips.items()):
            before = self._epochs_of_refs()[ref]
            if before.number < epoch.number or not is_followed(before, epoch):
                with Objects(self._git, self._deadline) as objects:
                    segments = list(self._all(objects, tip))
                remaining = self._without(epoch, segments)
                moves[ref] = (tip, self._commit({segment.name: segment.data for segment in remaining}, "", epoch))
        if self._own_ref not in self._tips and not self._address.is_short_lived:
            moves[self._own_ref] = ("", self._commit({}, "", epoch))
        return moves

    def _without(self, epoch: Epoch, segments: Iterable[Segment]) -> list[Segment]:
        """Returns what is left of segments without what an epoch purged."""
        return [segment for old in segments if (segment := lines.without(old, set(epoch.purged)))]

    def _all(self, objects: Objects, tip: str) -> Iterator[Segment]:
        blobs = objects.segments(tip)
        for name, data in zip(blobs, objects.blobs(list(blobs.values()))):
            if data:
                yield Segment(name, writer_of(name) or "", data)

    def forget_past(self) -> None:
        """Takes everything out of our bare repository that no ref of the remote leads to."""
        listed = self._git.run("for-each-ref", "--format=delete %(refname)", _OUTGOING).out
        self._git.run("update-ref", "--stdin", stdin=listed)
        self._fetch()
        self._git.run("reflog", "expire", "--expire=now", "--all")
        self._git.run("gc", "--prune=now", "--quiet")

    def compact(self, before_ms: int) -> int:
        """Folds what is older into the base, and deletes the refs of writers of whom nothing else is left."""
        base = f"{self._address.namespace}/base"
        epoch = self.epoch()
        with Objects(self._git, self._deadline) as objects:
            by_ref = {ref: self._without(epoch, self._all(objects, tip)) for ref, tip in self._tips.items()}
        old = {ref: [it for it in group if 0 < lines.newest(it) < before_ms] for ref, group in by_ref.items()}
        everything = {segment.name: segment for group in old.values() for segment in group}
        compacted = {segment.name: segment.data for segment in lines.folded(everything.values())}
        if len(compacted) >= len(everything):
            return 0
        recent = {segment.name: segment.data for segment in by_ref.get(base, ()) if segment.name not in everything}
        moves = {base: (self._tips.get(base, ""), self._commit(compacted | recent, "", epoch))}
        if not self._replace(moves):
            return 0
        for ref, group in by_ref.items():
            if ref != base and old[ref]:
                younger = {segment.name: segment.data for segment in group if segment.name not in everything}
                keeps = bool(younger) or ref == self._own_ref
                self._replace({ref: (self._tips[ref], self._commit(younger, "", epoch) if keeps else "")})
        self._fetch()
        return len(everything) - len(compacted)


def _inline(path: str, data: bytes) -> bytes:
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _raise_refusal(report: str, err: str) -> None:
    """Raises MemError where the remote refused for good: a rule, a hook, a missing right. A race is none."""
    refusals = [line for line in report.splitlines() if line.startswith("!\t")]
    reasons = [line.rpartition("\t")[2].removeprefix("[remote rejected] ").strip("()") for line in refusals]
    if refusals and not any(
        sign in reason for reason in reasons for sign in ("stale info", "fetch first", "cannot lock", "incorrect old")
    ):
        is_full = "unpacker error" in reasons[0] or "No space left" in err
        advice = (
            hint(f"{reasons[0]} {err}")
            if is_full
            else "try mem config set sync.namespace refs/heads/mempack, then mem sync enable"
        )
        remarks = [line.removeprefix("remote: ").strip() for line in err.splitlines() if line.startswith("remote: ")][:2]
        raise MemError(
            f"the remote refuses: {reasons[0][:200]}" + (f" ({' '.join(remarks)[:200]})" if remarks else ""),
            f"nothing is lost; {advice}",
            "remote_refused",
        )
    if not refusals:
        reason = err.strip().rpartition("\n")[2].removeprefix("fatal: ") or "it ended before the remote had everything"
        text = hint(err) if "403" in err or "denied" in err else "run mem sync again"
        raise MemError(f"git push: {reason[:300]}", f"nothing is lost; {text}", "remote_failed")
