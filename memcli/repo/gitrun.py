"""Running git: its own process group, limits of time and memory, no prompt, no pager, nothing a repository's config could start.

`os.posix_spawn` needs no import and takes a millisecond; `subprocess` serves platforms without it.
"""

from __future__ import annotations

import os
import select
import time

from memcli import repo, system
from memcli.records import Record
from memcli.repo import blocking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Sink = Callable[[bytes], object]

TIMED_OUT, BLOCKED, NOT_FOUND, BROKEN = 124, 125, 127, 128
HINTS = {BLOCKED: "remove it", NOT_FOUND: "install git, or add it to PATH"}  # where git itself did not run
_KILL = 9
_PAUSE = 60.0  # seconds after git hung in a directory, in which it is given little time there
_LITTLE = 1.0
_MOST_MEMORY = 1 << 30  # bytes of git's own, without the packs that it maps
_NO_MEMORY = (b"out of memory", b"cannot allocate memory")
_MOST = 1 << 28  # bytes of output; a git that prints more is taken for broken
_QUOTING = ("unexpected line in", "invalid ", "bad ", "could not open object name list")  # after these, git quotes a file
_OPTIONS = ("--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}", "-c", "log.showSignature=false")
_SETTINGS = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",  # since git 2.39.4 and 2.44; what an older one would fetch with is forbidden by the next
    "GIT_ALLOW_PROTOCOL": "none",  # overrules protocol.NAME.allow of a repository's config
}


class Finished(Record):
    """What became of a run: exit code (negative: the signal it died of), all of standard output and of standard error."""

    code: int
    out: bytes
    err: bytes

    @property
    def reason(self) -> str:
        """Why git failed, in its own words but without those that it took from a file, which may be anybody's."""
        if self.code == TIMED_OUT:
            return "it needed too much memory" if _has_no_memory(self.err) else "it took too long"
        lines = self.err.decode("utf-8", "replace").strip().splitlines()
        fatal = [line for line in lines if line.startswith("fatal: ")] or lines  # advice may follow it
        words = fatal[-1].removeprefix("fatal: ") if fatal else f"exit code {self.code}"
        return words.partition(": ")[0] if words.startswith(_QUOTING) else words


def run(
    arguments: Sequence[str],
    cwd: str,
    stdin: bytes = b"",
    limit: float = 10.0,
    bare: bool = False,
    sink: Sink | None = None,
) -> Finished:
    """Runs `git -C cwd ARGUMENTS`. Never raises for what git does; code 124 says it was stopped, 125 that it was not
    started because a file there would block it, 127 that it cannot be run.

    `limit` is in seconds; code 124 is a git that needed more memory than it may take, too. `bare` says that `cwd` is a bare
    repository, which git is otherwise kept from entering; git still checks who owns it. `sink` takes the output piece by piece
    in place of `out`; what it raises stops git and is passed on.
    """
    program = _program()
    if not program:
        return Finished(NOT_FOUND, b"", b"git is not on PATH")
    trust = f"safe.bareRepository={'all' if bare else 'explicit'}"
    if path := blocking.file_for(cwd):
        return Finished(BLOCKED, b"", f"{path} is no regular file, so git would wait for it".encode("utf-8", "replace"))
    words = [program, "-C", cwd, *_OPTIONS, "-c", trust, *arguments]
    chunks: list[bytes] = []
    runner = _run_spawned if hasattr(os, "posix_spawn") else _run_portable
    limit = _allowed(cwd, limit)
    try:
        code, err = runner(words, stdin, limit, sink or chunks.append) if limit > 0 else (TIMED_OUT, b"no time is left for git")
    except _CannotStart as reason:
        return Finished(NOT_FOUND, b"", str(reason).encode("utf-8", "replace"))
    if code > 0 and _has_no_memory(err):
        code = TIMED_OUT
    if code == TIMED_OUT:
        _hung[cwd] = time.monotonic()
    return Finished(code, b"".join(chunks), err)


def _has_no_memory(err: bytes) -> bool:
    return any(sign in err.lower() for sign in _NO_MEMORY)


_hung: dict[str, float] = {}  # directory -> when git last took too long there


def retry(cwd: str) -> None:
    """Lets the next run in a directory take its time, though git has just taken too long there."""
    _hung.pop(cwd, None)


def _allowed(cwd: str, limit: float) -> float:
    """Returns the seconds that a run may take: within the deadline of the process, and few where git has just hung."""
    now = time.monotonic()
    if now - _hung.get(cwd, -_PAUSE) < _PAUSE:
        limit = min(limit, _LITTLE)
    return min(limit, repo.deadline - now)


class _CannotStart(Exception):
    """The program found on PATH is not one that can be started."""


def _program() -> str:
    """Returns git's absolute path, "" if there is none. Relative entries of PATH could name a file of the repository."""
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return ""


def _environment() -> dict[str, str]:
    """Returns our environment without what tells git to look elsewhere or to run something."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return inherited | _SETTINGS


def _run_spawned(words: list[str], stdin: bytes, limit: float, sink: Sink) -> tuple[int, bytes]:
    """Returns exit code and standard error."""
    deadline = time.monotonic() + limit
    reads: list[int] = []
    writes: list[int] = []
    try:
        writes.append(_above_standard(_source(stdin)))
        for _ in range(2):
            read, write = os.pipe()
            reads.append(_above_standard(read))
            writes.append(_above_standard(write))
        alive, our_end = map(_above_standard, os.pipe())
        reads.append(our_end)
        writes.append(alive)
        child = _start(words, writes)
        _tie(child, alive)
        _close(writes)
        try:
            whole, err = _drain(reads[0], reads[1], deadline, sink)
            code = _reap(child, deadline, err) if whole else None
        except BaseException:
            _stop(child)
            raise
    finally:
        _close(reads + writes)
    if code is not None:
        return code, err
    _stop(child)
    return TIMED_OUT, err + b"git took too long or printed too much and was stopped"


def _start(words: list[str], streams: list[int]) -> int:
    """Starts a process group of its own on standard streams 0, 1, 2 and a pipe 3; returns its process id."""
    actions = [(os.POSIX_SPAWN_DUP2, stream, descriptor) for descriptor, stream in enumerate(streams)]
    try:
        child = os.posix_spawn(words[0], words, _environment(), file_actions=actions, setpgroup=0)
    except OSError as error:
        raise _CannotStart(f"{words[0]}: {error.strerror}") from None
    system.bound_memory(child, _MOST_MEMORY)
    return child


def _tie(child: int, alive: int) -> None:
    """Has the process group end when we do, however that comes: a pipe that only we write to is closed then, and sends SIGIO.

    That signal ends a program; systems where it does not leave git to its own end.
    """
    if not hasattr(os, "O_ASYNC"):
        return
    import fcntl

    try:
        fcntl.fcntl(alive, fcntl.F_SETOWN, -child)
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)
    except OSError:
        pass  # git has ended already


def _drain(out: int, err: int, deadline: float, sink: Sink) -> tuple[bool, bytes]:
    """Feeds `sink` from `out`. Returns whether both pipes came to their end in time, and the beginning of standard error."""
    poll, pending, errors, size = select.poll(), {out, err}, b"", 0
    for pipe in pending:
        poll.register(pipe, select.POLLIN)
    while pending and (remaining := deadline - time.monotonic()) > 0:
        for pipe, _ in poll.poll(remaining * 1000):
            data = os.read(pipe, 1 << 16)
            if not data:
                poll.unregister(pipe)
                pending.discard(pipe)
            elif pipe == err:
                errors = (errors + data)[: 1 << 16]
            else:
                size += len(data)
                if size > _MOST:
                    return False, errors
                sink(data)
    return not pending, errors


def _reap(child: int, deadline: float, err: bytes) -> int | None:
    """Returns the exit code, None if the child still runs at the deadline."""
    while True:
        try:
            done, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:  # our parent left SIGCHLD ignored: the code is lost
            return BROKEN if err else 0
        if done:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > deadline:
            return None
        time.sleep(0.0002)


def _stop(child: int) -> None:
    """Kills the process group and buries its leader."""
    try:
        os.killpg(child, _KILL)
    except OSError:
        pass
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass


def _source(content: bytes) -> int:
    """Returns a descriptor from which `content` can be read: a file without a name, since a pipe may fill up and block."""
    if not content:
        return os.open(os.devnull, os.O_RDONLY)
    file = _nameless()
    try:
        done = 0
        while done < len(content):
            done += os.pwrite(file, content[done:], done)
    except BaseException:
        os.close(file)
        raise
    return file


def _nameless() -> int:
    if hasattr(os, "memfd_create"):
        try:
            return os.memfd_create("git-stdin")
        except OSError:  # an old kernel or a sandbox
            pass
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _above_standard(file: int) -> int:
    """Moves a descriptor off 0, 1, 2, which are free when we were started without them and about to be overwritten."""
    if file > 2:
        return file
    import fcntl

    moved = fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(file)
    return moved


def _close(files: list[int]) -> None:
    while files:
        os.close(files.pop())


def _run_portable(words: list[str], stdin: bytes, limit: float, sink: Sink) -> tuple[int, bytes]:
    """Does what `_run_spawned` does, where that cannot."""
    import subprocess

    try:
        done = subprocess.run(words, input=stdin, capture_output=True, timeout=limit, env=_environment(), check=False)
    except subprocess.TimeoutExpired:
        return TIMED_OUT, f"git was stopped after {limit:g} s".encode()
    except OSError as error:
        raise _CannotStart(f"{words[0]}: {error.strerror}") from None
    sink(done.stdout)
    return done.returncode, done.stderr
