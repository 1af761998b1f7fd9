"""History: what commits are and did. One process for many."""

from __future__ import annotations

import os

from memcli.records import Record, replace
from memcli.repo import gitrun
from memcli.repo.head import Checkout, is_bare, is_hash, seconds
from memcli.text import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

MOST_PATHS = 200  # of one commit that are kept, the first by name
_MOST_LISTED = 32 << 20  # bytes of a listing that are read
_MOST_DIFFED = 8 << 20  # bytes of diffs that are read
_TAIL = 1 << 18  # bytes at the end of a reflog that are read: some 1,500 steps
_MOST_FILES = 500  # reflogs, and refs, that are read
_LIMIT, _PATIENCE = 5.0, 10.0  # seconds for what is read in part, and whole

# The settings of a person or a repository could change the output: what matters is set here. Names beyond ASCII come quoted, so
# that every line is text.
_SETTINGS = ("-c", "log.showRoot=true", "-c", "core.quotePath=true")
PLAIN = ("--no-renames", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", f"-O{os.devnull}")
_LOG = (*_SETTINGS, "log", "--raw", "--no-abbrev", *PLAIN, "--encoding=UTF-8", "--format=commit %H%n%P%n%ct%n%at %ae%n%s")
_DIFF = (*_SETTINGS, "diff-tree", "--stdin", "--always", "--root", "-p", "-U0", "--full-index", *PLAIN)


REWRITTEN, COMMITS = ("mempack", "rewritten"), ("mempack", "commits")  # what our hooks write in the common git directory

OLDEST_GIT = (2, 39, 4)  # the first that knows GIT_NO_LAZY_FETCH, and so fetches nothing while a repository is read


class Commit(Record):
    """One commit. `changes`: path as git quotes it -> (blob before, blob after), the first of `total`; none for a merge.

    `at` is the committer's time in seconds since 1970, `author` the author's own time and address: what a rebase leaves alone.
    """

    id: str
    parents: tuple[str, ...]
    at: int
    author: str
    subject: str
    changes: dict[str, tuple[str, str]]
    total: int


class Past(Record):
    """What reflogs tell: commits that were amended, with what each became, and every commit that was checked out or made."""

    amended: dict[str, str]
    visited: set[str]


class _Enough(Exception):
    """The output is longer than will be read."""


def listed(checkout: Checkout, arguments: Sequence[str], names: Iterable[str] = ()) -> dict[str, Commit] | None:
    """Returns the commits that `git log ARGUMENTS` lists, by their ids, in its order; None if git failed.

    `names` are given to it on standard input, where `arguments` say so. Of a listing too long to read, the beginning is returned.
    """
    reader = _Listing()
    failed = feed(checkout, (*_LOG, *arguments), names, reader.take, _MOST_LISTED)
    return None if failed else reader.commits


def patches(checkout: Checkout, requests: Sequence[str]) -> list[str] | None:
    """Returns a digest of what each commit changes, the same wherever in a file the changed lines are; "" for no change.

    `requests` are commit ids; `ID BASE` asks what changed from BASE to ID. Spaces do not count, as in `git patch-id`; what is
    binary counts by its blobs. What git did not tell is ""; None if it was stopped, killed or is missing.
    """
    if not requests:
        return []
    reader = _Patches()
    code = feed(checkout, _DIFF, requests, reader.take, _MOST_DIFFED)
    if code < 0 or code in (gitrun.TIMED_OUT, gitrun.BLOCKED, gitrun.NOT_FOUND):
        return None
    reader.end()
    return (reader.digests + [""] * len(requests))[: len(requests)]


def feed(
    checkout: Checkout, arguments: Sequence[str], names: Iterable[str], take: Callable[[bytes], object], most: int | None = None
) -> int:
    """Runs git with one name a line, and gives `take` each whole line. Returns git's exit code.

    `most`: bytes of output that are read; None: all.
    """
    incomplete, size = b"", 0

    def sink(data: bytes) -> None:
        nonlocal incomplete, size
        size += len(data)
        *lines, incomplete = (incomplete + data).split(b"\n")
        for line in lines:
            take(line)
        if most is not None and size > most:
            raise _Enough

    stdin = "".join(f"{name}\n" for name in names).encode()
    try:
        limit = _PATIENCE if most is None else _LIMIT
        return gitrun.run(arguments, checkout.root, stdin, limit, is_bare(checkout), sink).code
    except _Enough:
        return 0


class _Listing:
    """Reads the lines of a log."""

    def __init__(self) -> None:
        self.commits: dict[str, Commit] = {}
        self._head: list[str] = []
        self._last: Commit | None = None

    def take(self, line: bytes) -> None:
        """Takes one line: the head of a commit has five, its changes follow, one a line."""
        if self._head or line.startswith(b"commit "):
            self._head.append(line.decode("utf-8", "replace"))
            if len(self._head) == 5:
                name, parents, at, author, subject = self._head
                self._head = []
                self._last = Commit(name[7:], tuple(parents.split()), seconds(at), author, subject, {}, 0)
                self.commits[self._last.id] = self._last
        elif line.startswith(b":") and self._last is not None:
            facts, _, path = line.decode("utf-8", "replace").partition("\t")
            last = self._last
            if last.total < MOST_PATHS:
                _, _, before, after, *_ = [*facts.split(), "", "", "", ""]
                last.changes[path] = (before, after)
            self._last = self.commits[last.id] = replace(last, total=last.total + 1)


class _Patches:
    """Reads diffs and keeps a digest of each."""

    def __init__(self) -> None:
        from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

        self._new = sha1
        self._digest = sha1()
        self._anything = self._open = False
        self._blobs = b""
        self.digests: list[str] = []

    def take(self, line: bytes) -> None:
        """Takes one line. Line numbers are left out."""
        if len(line) in (40, 64) and is_hash(line.decode("ascii", "replace")):
            self.end()
            self._open = True
        elif line.startswith(b"index "):
            self._blobs = line
        elif not line.startswith(b"@@ "):
            self._anything = self._anything or bool(line)
            self._digest.update(b"".join((self._blobs if line.startswith(b"Binary ") else b"", *line.split(), b"\n")))

    def end(self) -> None:
        """Closes the diff that was begun."""
        if self._open:
            self.digests.append(self._digest.hexdigest() if self._anything else "")
        self._digest, self._anything, self._open = self._new(), False, False


def past(checkout: Checkout) -> Past:
    """Reads the reflogs of this working tree's HEAD and of every branch, the end of each. Starts no process."""
    amended: dict[str, str] = {}
    visited: set[str] = set()
    for path in [os.path.join(checkout.git_dir, "logs", "HEAD"), *_below(checkout, "logs/refs/heads")]:
        for line in _tail(path):
            facts, _, message = line.partition(b"\t")
            old, new = (text.decode("ascii", "replace") for text in (facts + b"  ").split(b" ")[:2])
            if not (is_hash(old) and is_hash(new)):
                continue
            visited.update((old, new))
            if message.startswith(b"commit (amend)"):
                amended[old] = new
    return Past(amended, {name for name in visited if name.strip("0")})


def _rewritten(checkout: Checkout) -> dict[str, str]:
    """Returns what our hook noted of commits that were amended or rebased: old -> new."""
    rows = [line.split() for line in _tail(os.path.join(checkout.common_dir, *REWRITTEN), _MOST_LISTED)]
    return {row[0].decode("ascii", "replace"): row[1].decode("ascii", "replace") for row in rows if len(row) >= 2}


def committing_sessions(checkout: Checkout, commit: str) -> list[str]:
    """Returns what harnesses call the sessions in which our hook saw a commit being made. Of two at once, neither is sure."""
    rows = [line.decode("utf-8", "replace").split() for line in _tail(os.path.join(checkout.common_dir, *COMMITS), _MOST_LISTED)]
    return list(dict.fromkeys([row[1] for row in rows if len(row) == 2 and row[0] == commit]))


def replaced(checkout: Checkout) -> dict[str, str]:
    """Returns the commits that were written anew, as our hook and, last, `git filter-repo` noted them: old -> new.

    Starts no process.
    """
    pairs = [line.split() for line in _tail(os.path.join(checkout.common_dir, "filter-repo", "commit-map"), _MOST_LISTED)]
    texts = {pair[0].decode("ascii", "replace"): pair[1].decode("ascii", "replace") for pair in pairs if len(pair) == 2}
    return {
        old: new
        for old, new in {**_rewritten(checkout), **texts}.items()
        if old != new and is_hash(old) and is_hash(new) and new.strip("0")
    }


def tips(checkout: Checkout) -> set[str]:
    """Returns the commits that branches, here and as last seen at remotes, point to. Reads files; none where they do not tell."""
    hashes = set()
    for path in (*_below(checkout, "refs/heads"), *_below(checkout, "refs/remotes")):
        hashes.add((_tail(path) or [b""])[0].decode("ascii", "replace").strip())
    for line in _tail(os.path.join(checkout.common_dir, "packed-refs")):
        name, _, ref = line.partition(b" ")
        if ref.startswith((b"refs/heads/", b"refs/remotes/")):
            hashes.add(name.decode("ascii", "replace"))
    return {name for name in hashes if is_hash(name)}


def _below(checkout: Checkout, folder: str) -> list[str]:
    """Returns the files below a directory that worktrees share, at most `_MOST_FILES`."""
    paths: list[str] = []
    for above, _, names in os.walk(os.path.join(checkout.common_dir, *folder.split("/"))):
        paths += [os.path.join(above, name) for name in names]
        if len(paths) >= _MOST_FILES:
            break
    return paths[:_MOST_FILES]


def _tail(path: str, most: int = _TAIL) -> list[bytes]:
    """Returns the last lines of a file, none if it cannot be read."""
    try:
        with open(bounded.open_regular(path), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            lines = file.read(most).split(b"\n")
    except OSError:
        return []
    return lines if size <= most else lines[1:]


def may_be_ref(name: str) -> bool:
    """Tells whether a text may be the name of a tag or a branch, and is no pattern."""
    return name.isprintable() and name[:1] != "-" and ".." not in name and not any(char in " ~^:?*[\\" for char in name)


def committed_at(checkout: Checkout, name: str) -> int | None:
    """Returns when the commit of a tag or a branch was made, in seconds since 1970; None where there is no such name.

    A number stands for the tag of a version, too: 1.2 for v1.2.
    """
    if not may_be_ref(name):
        return None
    refs = [f"refs/{kind}/{name}" for kind in ("tags", "heads", "remotes")]
    refs += [f"refs/tags/v{name}"] if name[:1].isdecimal() else []
    times = _times(checkout, *refs)
    return next((times[ref] for ref in refs if ref in times), None)


def released_at(checkout: Checkout) -> int | None:
    """Returns when the commit of the newest tag was made, in seconds since 1970; None where there is no tag."""
    return next(iter(_times(checkout, "--sort=-creatordate", "--count=1", "refs/tags").values()), None)


def _times(checkout: Checkout, *refs: str) -> dict[str, int]:
    """Returns when the commits of tags and branches were made, in seconds since 1970."""
    form = "--format=%(refname)%00%(committerdate:unix)%(*committerdate:unix)"  # the second is of what a tag object names
    listed = gitrun.run(("for-each-ref", form, *refs), checkout.root, limit=_LIMIT, bare=is_bare(checkout))
    pairs = [line.partition("\0")[::2] for line in listed.out.decode("utf-8", "replace").splitlines()]
    return {ref: int(at) for ref, at in pairs if at.isdecimal()}


def refusal(checkout: Checkout) -> str:
    """Returns why git answers nothing in a repository, such as that somebody else owns it; "" where it answers."""
    done = gitrun.run(("rev-parse", "--git-dir"), checkout.root, bare=is_bare(checkout))
    return done.reason if done.code else ""


def git_version() -> tuple[int, ...] | None:
    """Returns the version of the git in use, such as (2, 39, 5); None where git cannot be run."""
    words = gitrun.run(("version",), os.path.abspath(os.sep)).out.decode("ascii", "replace").split()
    if words[:2] != ["git", "version"] or len(words) < 3:
        return None
    numbers = words[2].split(".")[:3]
    return tuple([int(number) for number in numbers if number.isdecimal()])
