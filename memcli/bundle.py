"""The modules of an everyday command in one file, so that it starts without looking for each of them.

Python keeps the compiled code of every module in a file of its own; finding, opening and checking thirty of them takes a sixth of
a `mem get`. A bundle holds the same compiled code side by side, in the same `__pycache__`, in the order in which it is needed. It
is as safe as those files: it counts only while every source has the size and the time it was compiled from. The first use of a
command writes it (bundling.py) where Python may write compiled code at all; without one everything is imported as ever.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER  # the importer itself, there at every start; `importlib` would cost 2 ms
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    Module = tuple[str, str, int, int, CodeType]  # name, source within the package, its time in ns and its size in bytes, code

PACKAGE = os.path.dirname(__file__)
GONE = 0, 0  # time and size of a source that is not there


def path(command: str) -> str:
    """Returns where the bundle of a command is, for this interpreter."""
    folder = (sys.pycache_prefix or "") + os.path.join(PACKAGE, "__pycache__")
    return os.path.join(folder, f"{command}.{sys.implementation.cache_tag}-{sys.flags.optimize}.bundle")


def stamp(source: str) -> tuple[int, int]:
    """Returns the time, in nanoseconds, and the size of a file; zeros where it is gone."""
    try:
        status = os.stat(source)
    except OSError:
        return GONE
    return status.st_mtime_ns, status.st_size


def head() -> bytes:
    """Returns what a bundle must begin with: the interpreter's mark of compiled code and the state of this file, its layout."""
    return MAGIC_NUMBER + b"%d %d\n" % stamp(__file__)


def use(command: str) -> bool:
    """Loads the modules of a command from its bundle. Returns False where there is none for the sources as they are now."""
    if not command.replace("-", "").isalpha():
        return False
    try:
        file = os.open(path(command), os.O_RDONLY)
        try:
            content = os.read(file, os.fstat(file).st_size)
        finally:
            os.close(file)
        mark = head()
        modules: list[Module] = loads(memoryview(content)[len(mark) :]) if content.startswith(mark) else []
    except (OSError, ValueError, EOFError, TypeError):
        return False
    for _, inside, mtime_ns, size, _ in modules:
        if stamp(PACKAGE + inside) != (mtime_ns, size):
            return False
    for name, inside, _, _, code in modules:
        if name not in sys.modules:
            _load(name, PACKAGE + inside, code)
    return bool(modules)


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
    exec(code, module.__dict__)
    setattr(sys.modules[above], last, module)
