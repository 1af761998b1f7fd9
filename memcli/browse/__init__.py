"""A memory in a terminal: search, read, correct, inspect packs, sessions and sharing. Started by `mem browse`."""

from __future__ import annotations

from memcli.errors import MemError
from memcli.operations import Caller
from memcli.serving import projects


def run(caller: Caller, query: str = "") -> None:
    """Shows the memory until the person leaves. Raises what opening it raises, MemError where Textual is not installed."""
    with projects.reading(caller.where):
        pass  # a mistake shows at once, on an ordinary screen
    try:
        import textual  # noqa: F401
    except ModuleNotFoundError:
        raise MemError(
            "mem browse needs Textual, which is not installed",
            "install memcli with its extra [browse], as in: uv tool install '.[browse]'",
            "no_textual",
        ) from None
    from memcli.browse.app import BrowseApp
    from memcli.browse.calls import Calls

    BrowseApp(Calls(caller), query).run()
