"""Writing the bundle of an everyday command: `bundle.py` tells what it is and reads it."""

from __future__ import annotations

import os
import sys
from importlib.machinery import SourceFileLoader
from marshal import dumps

from memcli import bundle
from memcli.loads import LOADS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.bundle import Module


def write(command: str) -> None:
    """Writes the bundle of a command where there should be one and Python may write. Never fails."""
    target = bundle.path(command)
    if command not in LOADS or sys.dont_write_bytecode or not os.access(os.path.dirname(target), os.W_OK):
        return
    aside = f"{target}.{os.getpid()}"
    try:
        modules = [compiled(name) for name in LOADS[command].split()]
        if None in modules:
            return
        with open(aside, "wb") as file:
            file.write(bundle.head() + dumps(modules))
        os.replace(aside, target)
    except (OSError, ImportError, ValueError, SyntaxError):
        try:
            os.unlink(aside)
        except OSError:
            pass


def compiled(name: str) -> Module | None:
    """Returns a module of ours as it is now; None where there is none of this name, or its source is just being changed."""
    path = os.sep + name.partition(".")[2].replace(".", os.sep)
    for inside in (f"{path}.py", f"{path}{os.sep}__init__.py"):
        source = bundle.PACKAGE + inside
        before = bundle.stamp(source)
        if before != bundle.GONE:
            code = SourceFileLoader(name, source).get_code(name)
            return (name, inside, *before, code) if code is not None and before == bundle.stamp(source) else None
    return None
