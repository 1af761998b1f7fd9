"""Writing the bundle of an everyday command: `bundle.py` tells what it is and reads it."""

from __future__ import annotations

import os
from importlib.machinery import SourceFileLoader
from importlib.util import cache_from_source
from marshal import dumps
from tempfile import mkstemp

from memcli import bundle
from memcli.loads import LOADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.bundle import Module


def write(command: str) -> None:
    """Writes the bundle of an everyday command where its person may. Never fails, and leaves nothing half-written."""
    target = bundle.path(command)
    aside = ""
    try:
        _make(bundle.folder())
        modules = [compiled(name) for name in LOADS[command].split()]
        if None in modules:
            return
        file, aside = mkstemp(dir=bundle.folder())  # 0600
        with open(file, "wb") as opened:
            opened.write(bundle.head() + dumps(modules))
        os.replace(aside, target)
    except BaseException:  # an interrupt, too: the command itself is done, and a quick start is not worth a word
        if aside and os.path.exists(aside):
            os.unlink(aside)


def _make(folder: str) -> None:
    """Makes the directory of bundles. Raises OSError where the nearest there is belongs to somebody else (`sudo` keeps HOME)."""
    there = folder
    while not os.path.isdir(there):
        there = os.path.dirname(there)
    if os.stat(there).st_uid != os.geteuid():
        raise PermissionError(there)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def compiled(name: str) -> Module | None:
    """Returns a module of ours as it is now; None where there is none of this name, or it cannot be told by its time and size."""
    path = os.sep + name.partition(".")[2].replace(".", os.sep)
    for inside in (f"{path}.py", f"{path}{os.sep}__init__.py"):
        source = bundle.PACKAGE + inside
        before = bundle.stamp(source)
        if before != bundle.GONE:
            if _by_content(source):
                return None
            code = SourceFileLoader(name, source).get_code(name)
            return (name, inside, *before, code) if code is not None and before == bundle.stamp(source) else None
    return None


def _by_content(source: str) -> bool:
    """True where the compiled file says to look at the source's content, not at its time and size (PEP 552)."""
    try:
        with open(cache_from_source(source), "rb") as file:
            return any(file.read(8)[4:])
    except (OSError, NotImplementedError):
        return False
