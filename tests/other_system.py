"""Runs memcli as on a system like Windows: `os`, `signal`, `socket` and `select` as it would find them there.

    python -m tests.other_system get session      as `mem get session`
    python -m tests.other_system                  imports every module

Only memcli gets these modules; libraries keep the system's own. What Windows refuses and POSIX allows is refused, too: syncing
what is only read, opening a directory, renaming or removing a file that is open here.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import fcntl
import importlib
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import types
from typing import Any

# What only some systems have, and what they do differently.
MISSING = {
    "os": """fchmod fchown chown geteuid getuid getegid getgid getgroups getlogin fork forkpty killpg setsid getsid getpgid
        setpgid mkfifo mknod statvfs fstatvfs posix_spawn posix_spawnp sched_getaffinity WNOHANG pread pwrite readv writev
        memfd_create set_blocking get_blocking register_at_fork nice sync uname ttyname openpty pipe2 posix_fadvise sendfile
        O_NOFOLLOW O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOCTTY O_ASYNC O_SYNC O_BINARY waitid wait fchdir chroot lchown confstr
        name""",
    "signal": "SIGKILL SIGHUP SIGALRM SIGUSR1 SIGUSR2 SIGCHLD SIGPIPE SIGSTOP SIGCONT SIGTSTP SIGTTOU SIGTTIN SIGWINCH SIGQUIT "
    "alarm setitimer pthread_sigmask pause sigwait set_wakeup_fd",
    "socket": "AF_UNIX SO_PEERCRED SO_REUSEPORT socketpair fromfd",
    "select": "select poll epoll kqueue",
    "sys": "platform getwindowsversion",
}
MODULES = set("fcntl msvcrt resource termios tty pty pwd grp syslog winreg".split())


def without_spawning(monkeypatch: Any) -> None:
    """Takes `os.posix_spawn` away for one test, as from a system that has none: since Python 3.14 `subprocess` uses it, too."""
    monkeypatch.delattr(os, "posix_spawn", raising=False)
    monkeypatch.setattr(subprocess, "_USE_POSIX_SPAWN", False, raising=False)


_NOT_MISSING = {"name", "set_blocking", "get_blocking", "O_BINARY"}


def _open_paths() -> set[str]:
    """Returns the files that this process has open."""
    paths = set()
    for name in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            paths.add(os.readlink(f"/proc/self/fd/{name}"))
    return paths


def _refuses_open_files(function: Any, count: int) -> Any:
    """Returns a function that refuses files that this process has open; the first `count` arguments are paths."""

    def refusing(*arguments: Any, **options: Any) -> Any:
        for path in arguments[:count]:
            if os.path.realpath(os.fsdecode(path)) in _open_paths():
                raise PermissionError(errno.EACCES, "another process uses the file", path)
        return function(*arguments, **options)

    return refusing


def _rename(source: Any, target: Any) -> None:
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "the file exists", target)
    os.rename(source, target)


def _fsync(file: int) -> None:
    if fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "the file is only read")
    os.fsync(file)


def _open(path: Any, flags: int, mode: int = 0o777) -> int:
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "a directory cannot be opened", path)
    return os.open(path, flags, mode)


def _select(*_: object) -> None:
    raise OSError(errno.ENOTSOCK, "only sockets can be waited for")


class _Locking:
    """Locks as those of msvcrt."""

    LK_NBLCK = 2

    @staticmethod
    def locking(file: int, _mode: int, size: int) -> None:
        """Locks bytes from where the file stands."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, size, os.lseek(file, 0, os.SEEK_CUR))
        except BlockingIOError:
            raise PermissionError from None


def _without(module: types.ModuleType, **others: Any) -> types.ModuleType:
    """Returns a copy of a module that lacks what the other system lacks."""
    copy = types.ModuleType(module.__name__)
    missing = set(MISSING[module.__name__].split()) - _NOT_MISSING
    copy.__dict__.update({name: value for name, value in vars(module).items() if name not in missing} | others)
    return copy


def pretend() -> None:
    """Gives what memcli imports from now on from the other system."""
    replaced = {
        "name": "nt",
        "supports_dir_fd": set(),
        "open": _open,
        "fsync": _fsync,
        "rename": _rename,
        "replace": _refuses_open_files(os.replace, 2),
        "remove": _refuses_open_files(os.remove, 1),
        "unlink": _refuses_open_files(os.unlink, 1),
    }
    modules: dict[str, Any] = {
        "os": _without(os, **replaced),
        "signal": _without(signal),
        "socket": _without(socket),
        "select": _without(select, select=_select),
        "msvcrt": _Locking,
        **dict.fromkeys(MODULES - {"msvcrt"}),
    }
    original = builtins.__import__

    def import_module(name: str, importer: Any = None, *more: Any, **options: Any) -> Any:
        if name in modules and importer and str(importer.get("__name__")).partition(".")[0] == "memcli":
            if modules[name] is None:
                raise ModuleNotFoundError(f"No module named {name!r}")
            return modules[name]
        return original(name, importer, *more, **options)

    builtins.__import__ = import_module


def import_all() -> None:
    """Imports every module of memcli."""
    import memcli

    for module in pkgutil.walk_packages(memcli.__path__, "memcli."):
        if module.name != "memcli.__main__":
            importlib.import_module(module.name)
    print("imported")


if __name__ == "__main__":
    pretend()
    if sys.argv[1:]:
        from memcli.__main__ import run

        sys.exit(run(sys.argv[1:]))
    import_all()
