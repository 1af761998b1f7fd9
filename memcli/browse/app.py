"""The browser itself: its views side by side, and the keys that change between them."""

from __future__ import annotations

from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.widgets import Footer, TabbedContent, TabPane

from memcli.browse.calls import Calls
from memcli.browse.lists import ListView
from memcli.browse.views import MemoriesView, PacksView, SessionsView, SharingView

VIEWS = ("memories", "packs", "sessions", "sharing")
_WIDE = 100  # columns from which on the page stands beside the list, not below it


class BrowseApp(App[None]):
    """A memory in a terminal."""

    TITLE = "mem browse"
    CSS_PATH = "browse.tcss"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "narrow"), (_WIDE, "wide")]
    BINDINGS = [
        *[Binding(str(number), f"view('{name}')", name.capitalize(), show=False) for number, name in enumerate(VIEWS, 1)],
        Binding("tab", "app.focus_next", "Next", show=False),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, calls: Calls, query: str = "") -> None:
        super().__init__()
        self._calls = calls
        self._first_words = query

    def compose(self) -> ComposeResult:
        """A tab a view, and the keys below."""
        with TabbedContent(initial=VIEWS[0]):
            for number, (name, view) in enumerate(zip(VIEWS, (MemoriesView, PacksView, SessionsView, SharingView)), 1):
                with TabPane(f"{number} {name.capitalize()}", id=name):
                    yield view(self._calls, self._first_words if name == VIEWS[0] else "")
        yield Footer(compact=True)

    def action_view(self, name: str) -> None:
        """Changes to a view."""
        self.query_one(TabbedContent).active = name

    @on(TabbedContent.TabActivated)
    def _activated(self, event: TabbedContent.TabActivated) -> None:
        view = event.pane.query_one(ListView)
        view.enter()
        view.action_refresh()
