"""The modules of an everyday command in one file, so that it starts without looking for each of them.

Python keeps the compiled code of every module in a file of its own; finding, opening and checking thirty of them takes a sixth of
a `mem get`. A bundle holds the same compiled code side by side, in the order in which it is needed, in the person's own cache
directory. It counts only while every source has the size and the time it was compiled from, and only for the person who wrote it.
The first use of a command makes it (bundling.py); without one everything is imported as ever.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER  # the importer itself, there at every start; `importlib` would cost 2 ms
from marshal import loads

from memcli import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    Module = tuple[str, str, int, int, CodeType]  # name, source within the package, its time in ns and its size in bytes, code

PACKAGE = os.path.dirname(__file__)
GONE = 0, 0  # time and size of a source that is not there


def folder() -> str:
    """Returns where bundles are kept; empty where no cache directory is known."""
    home = os.environ.get("HOME", "")
    cache = os.environ.get("XDG_CACHE_HOME", "") or (home and os.path.join(home, ".cache"))
    return os.path.join(cache, "mempack", "bundles") if os.path.isabs(cache) else ""


def path(command: str) -> str:
    """Returns where the bundle of a command is, for this installation and interpreter."""
    place = PACKAGE.replace(os.sep, "!").replace(":", "!")[-100:]
    return os.path.join(folder(), f"{place}-{command}-{sys.implementation.cache_tag}-{sys.flags.optimize}")


def stamp(source: str) -> tuple[int, int]:
    """Returns the time, in nanoseconds, and the size of a file; zeros where it is gone."""
    try:
        status = os.stat(source)
    except OSError:
        return GONE
    return status.st_mtime_ns, status.st_size


def head() -> bytes:
    """Returns what a bundle must begin with: the mark of compiled code, this version, and the state of this file, its layout."""
    return MAGIC_NUMBER + b"%d %d " % stamp(__file__) + f"{__version__} {PACKAGE}\n".encode(errors="surrogateescape")


def use(command: str) -> bool:
    """Loads the modules of a command from its bundle. Returns False where there is none for the sources as they are now."""
    if not command.replace("-", "").isalpha() or not folder():
        return False
    try:
        modules = _read(path(command))
        if not modules or any(stamp(PACKAGE + inside) != (mtime_ns, size) for _, inside, mtime_ns, size, _ in modules):
            return False
    except (OSError, ValueError, EOFError, TypeError, AttributeError):  # none, a damaged one, or a system without user ids
        return False
    for name, inside, _, _, code in modules:
        if name not in sys.modules:
            _load(name, PACKAGE + inside, code)
    return True


def _read(place: str) -> list[Module]:
    """Returns what is in a bundle; nothing of one that somebody else wrote, or could have written."""
    file = os.open(place, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0))
    try:
        status = os.fstat(file)
        if status.st_mode & 0o022 or status.st_uid != os.geteuid():
            return []
        content = os.read(file, status.st_size)
    finally:
        os.close(file)
    mark = head()
    found: list[Module] = loads(memoryview(content)[len(mark) :]) if content.startswith(mark) else []
    return found


def _load(name: str, source: str, code: CodeType) -> None:
    """Runs a module's code as an import would; whatever it imports of ours was loaded before."""
    module = type(sys)(name)
    above, _, last = name.rpartition(".")
    is_package = source.endswith("__init__.py")
    module.__file__ = source
    module.__package__ = name if is_package else above
    if is_package:
        module.__path__ = [os.path.dirname(source)]
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    setattr(sys.modules[above], last, module)
