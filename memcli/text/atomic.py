"""A text in a file, all of it at once: whoever reads the file meanwhile finds the old one or the new one, whole."""

from __future__ import annotations

import os

_ENDING = ".tmp"


def write(path: str, text: str, like: str = "") -> None:
    """Makes the file at `path` have `text`; it keeps its permissions, a new one gets those of `like`. Raises OSError.

    A writer that is killed leaves the new file beside its place; the next one takes it away.
    """
    target = os.path.realpath(path)
    _sweep(target)
    mode = next((os.stat(one).st_mode & 0o7777 for one in (target, like) if one and os.path.exists(one)), None)
    aside = f"{target}.{os.getpid()}.{os.urandom(4).hex()}{_ENDING}"
    try:
        handle = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if mode is not None else 0o666)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            if mode is not None:
                os.fchmod(handle, mode)
            file.flush()
            os.fsync(handle)
        os.replace(aside, target)
    except OSError:
        try:
            os.remove(aside)
        except OSError:
            pass
        raise


def _sweep(target: str) -> None:
    """Removes what writers of this file left beside it that are gone. Raises OSError where the directory cannot be read."""
    folder, name = os.path.split(target)
    for found in os.listdir(folder):
        pid, _, rest = found.removeprefix(f"{name}.").partition(".")
        if found.startswith(f"{name}.") and pid.isdigit() and rest.endswith(_ENDING) and len(rest) == 12 and _is_gone(int(pid)):
            try:
                os.remove(os.path.join(folder, found))
            except OSError:
                pass  # another writer was faster


def _is_gone(pid: int) -> bool:
    if os.name == "nt":
        return False  # there, asking would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass  # somebody else's
    return False
