"""What differs between operating systems: locks, private files, starting and ending processes, pipes.

docs/platforms.md says what else does, and where. Light: hooks load it.
"""

from __future__ import annotations

import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import subprocess
    from collections.abc import Callable
    from typing import Any

PRIVATE = 0o600
CI_SIGNS = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE")  # in the environment of a job; nobody works there
HAS_OWNERS = hasattr(os, "geteuid")  # files have an owner, and modes for others
WAITS_FOR_PIPES = os.name != "nt"  # a process can wait for one without reading it
_OTHERS = 0o077
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_RANGE = 1 << 30  # where Windows locks a byte: what is locked cannot be read, and no file of ours is as long
_NAP = 0.02  # seconds
_UMASK = "MEMPACK_UMASK"  # in the environment of processes that we start in the background: the person's umask
_umask: int | None = None


def is_set(name: str) -> bool:
    """Tells whether a switch in the environment is on."""
    return os.environ.get(name, "").lower() not in ("", "0", "false")


def is_ci() -> bool:
    """Tells whether this is a CI job."""
    return any(map(is_set, CI_SIGNS))


def open_private(path: str, flags: int) -> int:
    """Opens a file as `os.open` does, a new one for its owner only. Refuses symbolic links, and waits for no FIFO."""
    return os.open(path, flags | _SAFE, PRIVATE)


def keep_private() -> None:
    """Makes all files that this process creates from now on private. `persons_umask` returns the umask before."""
    global _umask
    before = os.umask(_OTHERS)
    if before != _OTHERS:
        _umask = before


def persons_umask() -> int:
    """Returns the umask that this process began with, for files in places that are not ours alone.

    A process that we started in the background began with ours, and was given the person's.
    """
    if _umask is not None:
        return _umask
    text = os.environ.get(_UMASK, "")
    return int(text, 8) if text.isdigit() and not text.strip("01234567") else _OTHERS


def set_mode(file: int, mode: int) -> None:
    """Gives an open file its permissions, where files have any."""
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)


def is_ours(status: os.stat_result) -> bool:
    """Tells whether a file belongs to the person whose process this is; True where files have no owner."""
    return not HAS_OWNERS or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Tells whether only this person can use a file; True where files have no modes for others."""
    return not HAS_OWNERS or (is_ours(status) and not status.st_mode & _OTHERS)


def is_root() -> bool:
    """Tells whether this process may do everything."""
    return HAS_OWNERS and os.geteuid() == 0


def free_bytes(folder: str) -> int | None:
    """Returns the free space for new files in a directory, None if the system does not say. Raises OSError."""
    if not hasattr(os, "statvfs"):
        return None
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize


def file_system(folder: str) -> str:
    """Returns the type of the file system that contains a directory, "" if the system does not tell."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as file:
            mounts = [line.split()[1:3] for line in file if len(line.split()) > 2]
    except OSError:
        return ""
    matches = [(len(mount), kind) for mount, kind in mounts if (folder + "/").startswith(mount.rstrip("/") + "/")]
    return max(matches)[1] if matches else ""


def try_lock(file: int, shared: bool = False) -> bool:
    """Takes the lock on an open file unless another process has it. Returns whether it is ours. Raises OSError.

    Closing the file, or the end of the process, gives it back. `shared`: others may share it where the system can.
    """
    try:
        import fcntl
    except ImportError:
        return _try_range(file)
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_range(file: int) -> bool:
    import msvcrt

    position = os.lseek(file, 0, os.SEEK_CUR)
    try:
        os.lseek(file, _RANGE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except PermissionError:
        return False
    finally:
        os.lseek(file, position, os.SEEK_SET)
    return True


def wait_lock(file: int) -> None:
    """Waits for the lock on an open file. Raises OSError."""
    try:
        import fcntl
    except ImportError:
        while not _try_range(file):
            time.sleep(_NAP)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


def lock_within(file: int, seconds: float) -> bool:
    """Waits for the lock on an open file for at most `seconds`. Returns whether it is ours. Raises OSError."""
    end = time.monotonic() + seconds
    while not try_lock(file):
        if time.monotonic() > end:
            return False
        time.sleep(_NAP)
    return True


def sign(file: int, text: bytes) -> None:
    """Replaces the content of an open file, such as that of a lock."""
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, text)


def signature(file: int, most: int = 64) -> bytes:
    """Returns the beginning of an open file."""
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, most)


def spawn_detached(words: list[str], errors: str = os.devnull) -> int:
    """Starts a process in a session of its own, with none of our files open. Returns its id. Raises OSError.

    `errors`: an existing file for its standard error.
    """
    if not hasattr(os, "posix_spawn"):
        return _spawn_portable(words, errors)
    streams = [(os.POSIX_SPAWN_OPEN, fd, errors if fd == 2 else os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    actions = [*streams, *[(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable_files()]]
    try:
        return os.posix_spawn(words[0], words, _environment(), file_actions=actions, setsid=True)
    except NotImplementedError:  # a system that cannot begin a session so
        return _spawn_portable(words, errors)


def _spawn_portable(words: list[str], errors: str) -> int:
    import subprocess

    null, flags = subprocess.DEVNULL, getattr(subprocess, "DETACHED_PROCESS", 0)
    with open(errors, "wb") as file:
        child = subprocess.Popen(
            words, stdin=null, stdout=null, stderr=file, env=_environment(), start_new_session=True, creationflags=flags
        )
    _children[child.pid] = child
    return child.pid


def _environment() -> dict[str, str]:
    return {**os.environ, _UMASK: f"{persons_umask():03o}"}


_children: dict[int, subprocess.Popen[bytes]] = {}  # those that only their object can be asked about


def exit_code(pid: int) -> int | None:
    """Returns the exit code of a process that `spawn_detached` started, None while it runs."""
    if pid in _children:
        return _children[pid].poll()
    done, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if done else None


def end_process(pid: int, at_once: bool = False) -> None:
    """Tells a process to end, if it still runs. `at_once`: without finishing its work, which on some systems is always so."""
    import signal

    try:
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM) if at_once else signal.SIGTERM)
    except OSError:
        if _runs(pid):
            raise


def end_holder(pid_of: Callable[[], int | None], patience: float, poll: float) -> None:
    """Ends the process that holds a lock, waits until it has let go, and kills it after `patience` seconds.

    `pid_of` returns the process: 0 while it has not signed the lock, None once nobody holds it.
    """
    at_once, deadline = False, time.monotonic() + patience
    signalled: tuple[int, bool] | None = None
    while (pid := pid_of()) is not None:
        if pid and signalled != (pid, at_once):
            end_process(pid, at_once)
            signalled = (pid, at_once)
        if time.monotonic() > deadline:
            at_once, deadline = True, deadline + patience
        time.sleep(poll)


def _runs(pid: int) -> bool:
    """Tells whether a process that cannot be signalled is there; True where the system does not tell."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def stop_signals() -> list[int]:
    """Returns the signals by which a system or a person ends a process that should finish its work."""
    import signal

    return [number for name in ("SIGTERM", "SIGINT", "SIGHUP") if (number := getattr(signal, name, None)) is not None]


def own_group(dies_with_us: bool = False) -> dict[str, Any]:
    """Returns the options of `subprocess.Popen` for a process that `end_group` ends with whatever it started.

    `dies_with_us`: the system kills it when we are killed, where it can.
    """
    if not hasattr(os, "killpg"):
        return {}
    return {"start_new_session": True, "preexec_fn": _kill_with_parent() if dies_with_us else None}


def _kill_with_parent() -> Callable[[], None] | None:
    """Returns what a child calls before its program begins; None where the system cannot end it with us."""
    import ctypes
    import signal

    try:
        prctl = ctypes.CDLL(None).prctl  # Linux only
    except (OSError, AttributeError, TypeError):
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def with_largest_file(words: list[str], size: int) -> list[str]:
    """Returns the command line of the same program, which writes no file of more than `size` bytes, nor does what it starts.

    A shell sets that limit: a function that the child calls first would copy the tables of our memory, and may block beside
    threads. Windows knows no such limit.
    """
    if not hasattr(os, "killpg"):
        return words
    return ["/bin/sh", "-c", 'ulimit -f "$0" 2>/dev/null; exec "$@"', str(-(-size // _BLOCK)), *words]


_BLOCK = 512  # bytes: the unit of `ulimit -f` in POSIX
_PR_SET_PDEATHSIG = 1


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a process that was started with `own_group`, and whatever it started, and waits for it."""
    if hasattr(os, "killpg"):
        import signal

        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
    else:
        process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        try:
            if stream:
                stream.close()
        except OSError:
            pass  # what it did not read any more


def wait_readable(file: int, seconds: float) -> bool:
    """Waits until a file, such as a pipe, has data or has ended. False: not in time. True at once if waiting is impossible."""
    if not WAITS_FOR_PIPES:
        return True
    import select

    return bool(select.select([file], [], [], max(0.0, seconds))[0])


def never_block(file: int) -> None:
    """Makes writes to a pipe take only what fits at once, if `WAITS_FOR_PIPES`."""
    os.set_blocking(file, False)


def cores() -> int:
    """Returns how many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def allow_open_files(most: int) -> None:
    """Lets this process open up to `most` files, as far as the system allows it."""
    try:
        import resource
    except ImportError:
        return  # there is no such limit
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < most:
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def local_socket() -> socket.socket:
    """Returns a new socket for a path in the file system. Raises OSError where the system has none."""
    import socket

    if not hasattr(socket, "AF_UNIX"):
        import errno

        raise OSError(errno.EAFNOSUPPORT, "this system has no sockets in the file system")
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def _inheritable_files() -> list[int]:
    """Returns the open files that a child would inherit: a pipe of the harness would never end for it."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            numbers = [int(name) for name in os.listdir(folder)]
        except (OSError, ValueError):
            continue
        return [fd for fd in numbers if fd > 2 and _is_inheritable(fd)]
    return []


def _is_inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return False


def bound_memory(process: int, most: int) -> None:
    """Limits the memory of a child to `most` bytes, on Linux. Files that it maps do not count."""
    try:
        import resource

        limits = resource.prlimit(process, resource.RLIMIT_DATA)
        soft, hard = [most if limit == resource.RLIM_INFINITY else min(most, limit) for limit in limits]
        resource.prlimit(process, resource.RLIMIT_DATA, (soft, hard))
    except (ImportError, AttributeError, OSError, ValueError):
        pass  # it has ended already, or this is not Linux


def limit_memory(most: int) -> None:
    """Limits the memory of this process to `most` more bytes than it has, if the system can say how many those are."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
        limit = pages * resource.getpagesize() + most
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ImportError, OSError, ValueError):
        pass
