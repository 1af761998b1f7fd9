"""version: which mem this is, and the commit it was built from."""

from __future__ import annotations

import os

from memcli import __version__
from memcli.cli import output
from memcli.fields import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common


class VersionOptions(Request):
    """`mem version` has no options of its own."""


def version(request: VersionOptions, common: Common) -> None:
    """Prints version and commit."""
    if common.json:
        return output.data({"version": __version__, "commit": commit()})
    output.show(line())


def line() -> str:
    """Returns what `mem --version` prints."""
    return f"mem {__version__} ({commit() or 'unknown commit'})"


def commit() -> str | None:
    """Returns the short commit: recorded in the wheel when it was built, else that of the checkout this code runs from."""
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        with open(os.path.join(package, "_commit.txt"), encoding="ascii") as file:
            return file.read().strip()[:7] or None
    except (OSError, ValueError):
        pass
    if not os.path.exists(os.path.join(os.path.dirname(package), ".git")):
        return None
    from memcli.repo import head

    checkout = head.find(package)
    return checkout.commit[:7] if checkout and checkout.commit else None
