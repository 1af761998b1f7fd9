"""A memory in a terminal: search, read, correct, inspect packs, sessions and sharing. Started by `mem browse`."""

from __future__ import annotations

from memcli import extras
from memcli.operations import Caller
from memcli.serving import projects


def run(caller: Caller, query: str = "") -> None:
    """Shows the memory until the person leaves. Raises what opening it raises, MemError without Textual."""
    with projects.reading(caller.where):
        pass  # a mistake shows at once, on an ordinary screen
    extras.require("browse", "mem browse")
    from memcli.browse.app import BrowseApp
    from memcli.browse.calls import Calls

    BrowseApp(Calls(caller), query).run()
