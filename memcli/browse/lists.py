"""A list with a page beside it: what every view is made of. Each view says what is listed, and what a page tells."""

from __future__ import annotations

from typing import Any

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical, VerticalScroll
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, OptionList, Static
from textual.worker import get_current_worker

from memcli.browse import wording
from memcli.browse.calls import Calls, problem
from memcli.browse.forms import MemoryForm, Question, values_of
from memcli.errors import MemError
from memcli.records import Record

_LISTED = 10  # changes that are named before they are taken back
PATIENCE = 0.15  # seconds after the last key until what was typed is looked up


class ListEntry(Record):
    """A line of a list. `id`: what is shown of it; `data`: what the view keeps with it."""

    id: str
    line: Content
    data: Any = None


class Listing(Record):
    """What a list holds, and a note below it."""

    entries: list[ListEntry]
    note: str


class ListView(Vertical):
    """A list and a page, and what can be done with the memory that is selected."""

    BINDINGS = [
        Binding("slash", "find", "Find"),
        Binding("enter", "open", "Read", priority=True),
        Binding("escape", "back", "Back"),
        Binding("e", "edit", "Edit"),
        Binding("s", "supersede", "Supersede"),
        Binding("c", "confirm", "Confirm"),
        Binding("f", "forget", "Forget"),
        Binding("p", "pin", "Pin"),
        Binding("u", "undo", "Undo"),
        Binding("r", "refresh", "Refresh", show=False),
    ]
    PLACEHOLDER = ""  # of the line that is typed into; a view without one has no such line

    def __init__(self, calls: Calls, text: str = "") -> None:
        super().__init__()
        self.calls = calls
        self._text = text
        self._entries: list[ListEntry] = []
        self._message = ""  # what a change brought, told beside the note once the list is filled anew
        self._timer: Timer | None = None
        self._record: dict[str, Any] | None = None  # the memory that the page shows

    def compose(self) -> ComposeResult:
        """The line to type into, the list, the page, the note."""
        if self.PLACEHOLDER:
            yield Input(self._text, placeholder=self.PLACEHOLDER)
        with Container(classes="body"):
            yield OptionList(markup=False)
            with VerticalScroll(classes="page"):
                yield Static("", markup=False)
        yield Static("", classes="note", markup=False)

    def on_mount(self) -> None:
        """Fills the list."""
        self.action_refresh()

    # What a view says.

    def listing(self, text: str) -> Listing:
        """Returns what is listed for what was typed. Runs beside the screen. Raises MemError."""
        raise NotImplementedError

    def show(self, entry: ListEntry) -> tuple[Content, dict[str, Any] | None]:
        """Returns the page of an entry, and the memory that it is of, if any. Runs beside the screen. Raises MemError."""
        answer = self.calls.ask("show", id=(entry.id,))[0]
        return wording.item(answer), answer.get("memory")

    # Filling list and page.

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if event.value == "/":  # the key that leads here, typed by who is here already
            event.input.clear()
            return
        self._text = event.value
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(PATIENCE, lambda: self.action_refresh())

    @work(thread=True, exclusive=True, group="list")
    def action_refresh(self) -> None:
        """Fills the list anew."""
        worker = get_current_worker()
        try:
            listing = self.listing(self._text.strip())
        except MemError as error:
            listing = Listing([], problem(error).replace("\n", ": "))
        if not worker.is_cancelled:
            self.app.call_from_thread(self._fill, listing)

    def _fill(self, listing: Listing) -> None:
        options = self.query_one(OptionList)
        selected = self.selected
        self._entries = listing.entries
        options.clear_options()
        options.add_options([entry.line for entry in listing.entries])
        self.query_one(".note", Static).update(" · ".join(filter(None, (self._message, listing.note))))
        self._message = ""
        ids = [entry.id for entry in listing.entries]
        if not ids:
            return self._turn_to(Content(""), None)
        options.highlighted = ids.index(selected.id) if selected and selected.id in ids else 0

    @property
    def selected(self) -> ListEntry | None:
        """The entry that is selected."""
        index = self.query_one(OptionList).highlighted
        return self._entries[index] if index is not None and index < len(self._entries) else None

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        if entry := self.selected:
            self._read(entry)

    @work(thread=True, exclusive=True, group="page")
    def _read(self, entry: ListEntry) -> None:
        worker = get_current_worker()
        record: dict[str, Any] | None = None
        try:
            content, record = self.show(entry)
        except MemError as error:
            content = Content(problem(error))
        if not worker.is_cancelled:
            self.app.call_from_thread(self._turn_to, content, record)

    def _turn_to(self, content: Content, record: dict[str, Any] | None) -> None:
        self._record = record
        self.query_one(".page", VerticalScroll).scroll_home(animate=False)
        self.query_one(".page Static", Static).update(content)
        self.refresh_bindings()

    # Moving.

    def enter(self) -> None:
        """Puts the cursor where one begins: into the line, else on the list."""
        self.query(Input if self.PLACEHOLDER else OptionList).first().focus()

    def is_inside(self) -> bool:
        """Tells whether there is something to come back from."""
        return self.has_class("reading")

    def action_find(self) -> None:
        """Goes to the line that is typed into."""
        if self.PLACEHOLDER:
            self.action_back()
            self.query_one(Input).focus()

    def action_open(self) -> None:
        """Gives the page all of the screen."""
        if self.selected is not None:
            self.add_class("reading")
            self.query_one(".page").focus()

    def action_back(self) -> None:
        """Returns from the page to the list, or from the line to the list."""
        self.remove_class("reading")
        self.query_one(OptionList).focus()

    def on_key(self, event: Any) -> None:
        """Leaves the line for the list by the arrow that points there."""
        if event.key == "down" and isinstance(self.app.focused, Input):
            self.query_one(OptionList).focus()
            event.stop()

    # Changing.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offers only what can be done with what is selected."""
        if action in ("edit", "supersede", "confirm", "forget", "pin"):
            return self._record is not None
        types = isinstance(self.app.focused, Input)
        if action == "find":
            return self.PLACEHOLDER != "" and not types
        return types or self.is_inside() if action == "back" else True

    def action_edit(self) -> None:
        """Corrects the memory, unless it was changed since it was read."""
        self._fill_in("update", "Edit", "Changed")

    def action_supersede(self) -> None:
        """Replaces the memory by what holds now."""
        self._fill_in("supersede", "Supersede", "Superseded")

    def _fill_in(self, name: str, title: str, done: str) -> None:
        record = self._record or {}
        based = {"id": record["id"], "if_revision": record["revision"]}

        def save(changes: dict[str, Any]) -> Any:
            return self.calls.change(name, **based, **changes)

        def close(answer: tuple[dict[str, Any], tuple[str, ...]] | None) -> None:
            if answer:
                self._report(f"{done} {record['id']}", answer[1])

        self.app.push_screen(MemoryForm(f"{title} {record['id']}", values_of(record), save), close)

    def action_confirm(self) -> None:
        """Says that the memory holds on this commit."""
        self._change("confirm", "Confirmed")

    def action_forget(self) -> None:
        """Hides the memory."""
        self._change("forget", "Forgot")

    def action_pin(self) -> None:
        """Pins the memory, or unpins it."""
        pinned = bool((self._record or {})["pinned"])
        self._change("unpin" if pinned else "pin", "Unpinned" if pinned else "Pinned")

    @work(thread=True, group="change")
    def _change(self, name: str, done: str) -> None:
        record = self._record or {}
        try:
            _, masked = self.calls.change(name, id=(record["id"],), if_revision=record["revision"])
        except MemError as error:
            self.app.call_from_thread(self._warn, error)
        else:
            self.app.call_from_thread(self._report, f"{done} {record['id']}", masked)

    @work(thread=True, group="change")
    def action_undo(self) -> None:
        """Takes the last command back, once the person agrees."""
        try:
            changes, revision = self.calls.undoable()
        except MemError as error:
            return self.app.call_from_thread(self._warn, error)
        question = Question("\n".join(["Take the last command back?", "", *changes[:_LISTED], *["…"] * (len(changes) > _LISTED)]))
        self.app.call_from_thread(self.app.push_screen, question, lambda agreed: self._undo(revision) if agreed else None)

    @work(thread=True, group="change")
    def _undo(self, revision: int) -> None:
        try:
            undone, masked = self.calls.change("undo", if_revision=revision)
        except MemError as error:
            self.app.call_from_thread(self._warn, error)
        else:
            self.app.call_from_thread(self._report, f"Took back command {undone['command']}", masked)

    def _report(self, message: str, masked: tuple[str, ...]) -> None:
        secrets = f"; masked: {', '.join(masked)}" if masked else ""
        self._message = message + secrets
        self.action_refresh()

    def _warn(self, error: MemError) -> None:
        self.query_one(".note", Static).update(Content.assemble((problem(error), "$text-error")))
