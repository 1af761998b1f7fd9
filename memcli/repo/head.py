"""Which repository a directory belongs to and which commit it is on, read from files.

Every command asks this, so no process is started and nothing heavy is imported; only a HEAD that files cannot explain
(reftable, a damaged ref) costs a question to git. Variables such as GIT_DIR, which git sets for its hooks, are not heeded:
the directory decides.
"""

from __future__ import annotations

import os

from memcli.records import Record
from memcli.text import bounded
from memcli.text.terminal import may_hold_secret

ID_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's base 32
ID_LENGTH = 16
_ANSWERS = "2"  # the version of the answers that are kept under a view
TYPE_CHECKING = False
if TYPE_CHECKING:
    _Place = tuple[str, str, str]  # git directory, common directory, what HEAD says

_DEEPEST = 5  # symbolic refs that may follow one another, as in git itself
_LARGEST_REF = 1 << 14  # bytes of HEAD, of a ref and of a file that names a directory
_LARGEST_CONFIG = 1 << 20
_LARGEST_PACKED = 1 << 26  # a million refs; beyond that git is asked
_OF_ONE_WORKTREE = ("refs/worktree/", "refs/bisect/", "refs/rewritten/")


class Checkout(Record):
    """A working tree and what it has checked out. All paths are absolute and free of symlinks above `.git`."""

    root: str
    """Top of the working tree; of a bare repository, the repository itself."""
    git_dir: str
    common_dir: str
    """The git directory all worktrees share; equals `git_dir` in a main working tree."""
    commit: str | None
    """HEAD as 40 or 64 hex digits; None when unborn (or when neither files nor git can tell)."""
    branch: str | None
    """Without `refs/heads/`, as it may be stored and shown (screening/); None when detached."""
    anchor: str | None = None
    """The anchor of what is written now, as it was when an event happened; None: to be determined (repo/next_commit.py)."""
    ref: str | None = None
    """The branch as git has it, a secret in its name included: for asking git and finding its files only."""


def find(start: str) -> Checkout | None:
    """Returns the innermost repository around directory `start`, None if there is none or `start` does not exist.

    A bare repository counts only where no working tree encloses it, so that one committed into a tree is never entered.
    """
    try:
        folder = os.path.realpath(start, strict=True)
    except (OSError, ValueError):
        return None
    bare: tuple[str, _Place] | None = None
    while True:
        git_paths = _behind(os.path.join(folder, ".git"))
        if git_paths:
            return _checkout(folder, git_paths)
        git_paths = None if bare else _place(folder)
        if git_paths:
            bare = folder, git_paths
        above = os.path.dirname(folder)
        if above == folder:
            return _checkout(*bare) if bare else None
        folder = above


def is_bare(checkout: Checkout) -> bool:
    """Tells whether there is no working tree."""
    return checkout.root == checkout.git_dir


def recorded_id(checkout: Checkout) -> str | None:
    """Returns the id that was written into this git directory; None if there is none, or a copy of one, or anything else."""
    return id_in(id_file(checkout), own=True)


def claimed_id(checkout: Checkout) -> str | None:
    """Returns the id that stands in a git directory, be it that of another one: with an archive anybody can send a copy."""
    return id_in(id_file(checkout))


def id_file(checkout: Checkout) -> str:
    """Returns where a clone keeps its id: beside git's own files, shared by its worktrees, never in the work tree."""
    return os.path.join(checkout.common_dir, "mempack", "repo-id")


def id_in(path: str, own: bool = False) -> str | None:
    """Returns the id that a file holds, None where it holds none. `own`: only where it names its own inode, which no copy has."""
    is_link = os.path.islink(path) or os.path.islink(os.path.dirname(path))
    text, _, inode = ("" if is_link else (_text(path) or "")).strip().partition(" ")
    return text if is_id(text) and (not own or inode == _inode(path)) else None


def _inode(path: str) -> str:
    try:
        return str(os.stat(path).st_ino)
    except OSError:
        return ""


def is_id(text: str) -> bool:
    """Tells whether `text` is spelled like a repository's id."""
    return len(text) == 2 + ID_LENGTH and text.startswith("R-") and not text[2:].strip(ID_ALPHABET)


def view(checkout: Checkout) -> str:
    """Returns a key under which answers about ancestry may be kept: it changes with HEAD, the clone, and its shallowness.

    Reads two inodes.
    """
    return f"{_ANSWERS}|{checkout.commit}|{_stamp(checkout.common_dir)}|{_stamp(os.path.join(checkout.common_dir, 'shallow'))}"


def fetched(checkout: Checkout) -> str:
    """Returns a key that changes when commits come from elsewhere while HEAD stays."""
    places = (os.path.join(checkout.git_dir, "FETCH_HEAD"), os.path.join(checkout.common_dir, "objects", "pack"))
    return "|".join([str(os.stat(place).st_mtime_ns) if os.path.exists(place) else "" for place in places])


def may_await(checkout: Checkout) -> bool:
    """Tells whether what is written now may belong to the next commit of the branch, rather than to this one."""
    return checkout.anchor is None and checkout.branch not in (None, "main", "master")


def commit_of(view: str) -> str:
    """Returns the commit that a `view` was taken at; empty for anything else."""
    fields = view.split("|")
    return fields[1] if len(fields) == 4 and is_hash(fields[1]) else ""


def is_complete(checkout: Checkout) -> bool:
    """Tells whether a commit that is missing here is gone, rather than not fetched."""
    return not is_shallow(checkout) and not is_partial(checkout)


def is_shallow(checkout: Checkout) -> bool:
    """Tells whether history was cut off when this clone was made."""
    return os.path.exists(os.path.join(checkout.common_dir, "shallow"))


def is_partial(checkout: Checkout) -> bool:
    """Tells whether objects were left out when this clone was made. Errs on the side of a partial one."""
    path = os.path.join(checkout.common_dir, "config")
    config = bounded.read(path, _LARGEST_CONFIG)
    if config is None:
        return os.path.exists(path)
    if b"promisor" in config.lower() or b"partialclone" in config.lower():
        return True
    try:
        return any(name.endswith(".promisor") for name in os.listdir(os.path.join(checkout.common_dir, "objects", "pack")))
    except OSError:
        return False


def is_hash(text: str) -> bool:
    """Tells whether `text` is a full object name: 40 or 64 lower-case hex digits."""
    return len(text) in (40, 64) and not text.strip("0123456789abcdef")


def seconds(text: str) -> int:
    """Returns a moment as git notes it, in seconds since 1970; 0 for what is none, as in a commit without a date."""
    return int(text) if text.isdecimal() and len(text) < 16 else 0


def _behind(dot_git: str) -> _Place | None:
    """Returns the repository that a `.git` directory is, or that a `.git` file or link leads to, if that one knows it."""
    if os.path.isdir(dot_git):
        if not os.path.islink(dot_git):
            return _place(dot_git)
        target = os.path.realpath(dot_git)
    else:
        text = _text(dot_git)
        if not text or not text.startswith("gitdir:"):
            return None
        target = _resolved(os.path.dirname(dot_git), text[7:])
    git_paths = _place(target)
    return git_paths if git_paths and _belongs_to(target, os.path.dirname(dot_git)) else None


def _belongs_to(git_dir: str, folder: str) -> bool:
    """Tells whether a git directory is that of the working tree `folder`, whose files may be anybody's: as its worktree, its
    submodule, or with a git directory that is part of no other repository."""
    if back := _text(os.path.join(git_dir, "gitdir")):
        return os.path.dirname(os.path.realpath(os.path.join(git_dir, back))) == folder
    for line in (_text(os.path.join(git_dir, "config")) or "").splitlines():
        name, _, value = line.partition("=")
        if name.strip().lower() == "worktree":
            return _resolved(git_dir, value.strip().strip('"')) == folder
    return ".git" not in git_dir.split(os.sep)


def _place(git_dir: str) -> _Place | None:
    """Applies git's own test for a git directory: a HEAD that makes sense, objects, refs."""
    head = _text(os.path.join(git_dir, "HEAD"))
    if head is None or not (is_hash(head) or _target(head)):
        return None
    shared = _text(os.path.join(git_dir, "commondir"))
    common_dir = _resolved(git_dir, shared) if shared else git_dir
    if shared and os.path.dirname(os.path.realpath(git_dir)) != os.path.join(common_dir, "worktrees"):
        return None  # a worktree's directory lies in its repository; any other only names one
    if os.path.isdir(os.path.join(common_dir, "objects")) and os.path.isdir(os.path.join(common_dir, "refs")):
        return git_dir, common_dir, head
    return None


def _checkout(root: str, git_paths: _Place) -> Checkout:
    git_dir, common_dir, _ = git_paths
    commit, name, settled = _resolve(git_paths)
    if not settled:
        commit, ref = _ask_git(root, bare=root == git_dir)
        name = ref or name
    if name:  # a name that is not UTF-8 is for showing only, and must not break what shows it
        name = os.fsencode(name.removeprefix("refs/heads/")).decode("utf-8", "replace")
    return Checkout(root, git_dir, common_dir, commit, storable_name(name) if name else name, ref=name)


def storable_name(name: str) -> str:
    """Returns the name of a branch, directory or remote as it may be stored. The short ones of every day load nothing."""
    if not may_hold_secret(name):
        return name
    from memcli.screening import safe_name

    return safe_name(name)


def _resolve(git_paths: _Place) -> tuple[str | None, str | None, bool]:
    """Follows HEAD through the files. Returns commit, last ref named, and whether the files settle the matter."""
    git_dir, common_dir, text = git_paths
    name = None
    for _ in range(_DEEPEST):
        if is_hash(text):
            return text, name, True
        target = _target(text)
        if not target or "/." in target or ".." in target:  # reftable leaves refs/heads/.invalid in HEAD
            break
        name = target
        home = git_dir if name.startswith(_OF_ONE_WORKTREE) else common_dir
        loose = _text(os.path.join(home, name))
        if loose is None:
            commit, is_readable = _packed(common_dir, name)
            return commit, name, is_readable and (bool(commit) or not os.path.isdir(os.path.join(common_dir, "reftable")))
        text = loose
    return None, name, False


def _target(text: str) -> str | None:
    """Returns the ref that `ref: NAME` names."""
    name = text[4:].strip() if text.startswith("ref:") else ""
    return name if name.startswith("refs/") and "\0" not in name else None


def _packed(common_dir: str, name: str) -> tuple[str | None, bool]:
    """Returns the commit of a ref in `packed-refs`, whose lines are `HASH NAME`, and whether that file could be read."""
    path = os.path.join(common_dir, "packed-refs")
    content = None if bounded.leads_out(common_dir, "packed-refs") else bounded.read(path, _LARGEST_PACKED)
    if content is None:
        return None, not os.path.lexists(path)
    content = b"\n" + content
    end = content.find(b" " + os.fsencode(name) + b"\n")
    commit = os.fsdecode(content[content.rfind(b"\n", 0, end) + 1 : end]) if end > 0 else ""
    return (commit if is_hash(commit) else None), True


def _ask_git(root: str, bare: bool) -> tuple[str | None, str | None]:
    """Returns HEAD's commit and ref name as git tells them, None for what it does not tell."""
    from memcli.repo import gitrun

    commit = gitrun.run(("rev-parse", "--verify", "--quiet", "HEAD"), root, bare=bare)
    name = gitrun.run(("symbolic-ref", "--quiet", "HEAD"), root, bare=bare)
    hash_text = os.fsdecode(commit.out).strip()
    return (hash_text if is_hash(hash_text) else None), (os.fsdecode(name.out).strip() or None)


def _resolved(folder: str, path: str) -> str:
    return os.path.realpath(os.path.join(folder, path.strip()))


def _text(path: str) -> str | None:
    """Returns the text of a small file of git's, None where there is none, or where it is a link out of its directory.

    What has a null byte is none of git's: it would be no path and no name, either.
    """
    folder, name = os.path.split(path)
    content = None if bounded.leads_out(folder, name) else bounded.read(path, _LARGEST_REF)
    return None if content is None or b"\0" in content else os.fsdecode(content).strip()


def _stamp(path: str) -> str:
    """Returns what tells a directory, or a state of a file, from another; "" if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ""
    if os.path.isdir(path):
        return f"{status.st_dev}:{status.st_ino}"
    return f"{status.st_mtime_ns}:{status.st_size}"
