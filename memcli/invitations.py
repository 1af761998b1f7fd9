"""Whether a remote of a clone has a shared memory: asked once, by a separate process, and told once.

A person's command asks, never a hook or an agent: who wrote the repository may have named any host as its remote. The file
`invitations` in the data directory has a line for each thing that was noted of a clone: its git directory, a tab, and the
remote's name or a mark. The last one counts. Nothing here waits for a network, or raises: at worst nobody is told.
"""

from __future__ import annotations

import os
import sys

from memcli import config
from memcli.repo.head import storable_name
from memcli.text import bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.config import Config
    from memcli.repo.head import Checkout

_ASKED, _TOLD = "?", "!"
_LONGEST = 200  # characters of a remote's name or address that are told
_MOST = 1 << 20  # bytes of a file; nobody is asked or told once the notes have more


def take(checkout: Checkout, settings: Config, may_ask: Callable[[], bool]) -> str:
    """Returns the remote that has a shared memory, the first time that it is known; "" every other time.

    If nobody has asked yet and the caller may, a process is started that asks.
    """
    if not settings["sync.ask_remotes"]:
        return ""
    try:
        state = _state(checkout)
        if state in (_ASKED, _TOLD) or not (state or (_has_remote(checkout) and may_ask())):
            return ""
        _note(checkout, _TOLD if state else _ASKED)
        if not state:
            from memcli import system

            system.spawn_detached([sys.executable, "-P", "-m", "memcli", "sync", "ask", "--repo", checkout.root])
        return state
    except OSError:
        return ""


def keep(checkout: Checkout, remote: str) -> None:
    """Records the remote that has a shared memory, "" if nobody needs to be told any more."""
    try:
        _note(checkout, remote or _TOLD)
    except OSError:
        pass


def worded(remote: str) -> str:
    """Returns the message that a remote has a shared memory."""
    from memcli.text.terminal import oneline

    name = oneline(remote)[:_LONGEST]
    return f"{name} has a shared memory: get it with mem sync enable --remote {name}, then mem sync"


def _path() -> str:
    return os.path.join(config.data_dir(), "invitations")


def _state(checkout: Checkout) -> str:
    """Returns the last record about a clone, or ""."""
    if not os.path.exists(_path()):
        return ""
    notes = bounded.read(_path(), _MOST)
    if notes is None:
        return _TOLD
    start = f"{storable_name(checkout.common_dir)}\t".encode("utf-8", "surrogateescape")
    lines = reversed(notes.split(b"\n"))
    return next((line[len(start) :].decode("utf-8", "replace") for line in lines if line.startswith(start)), "")


def _has_remote(checkout: Checkout) -> bool:
    settings = bounded.read(os.path.join(checkout.common_dir, "config"), _MOST)
    return b"[remote " in (settings or b"")


def _note(checkout: Checkout, state: str) -> None:
    from memcli import system

    line = f"{storable_name(checkout.common_dir)}\t{state}"
    if "\n" in line:
        return
    os.makedirs(config.data_dir(), mode=0o700, exist_ok=True)
    handle = system.open_private(_path(), os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    try:
        os.write(handle, f"{line}\n".encode("utf-8", "surrogateescape"))
    finally:
        os.close(handle)
