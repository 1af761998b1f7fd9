"""The dialogs of the browser: the fields of a memory, and a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Label, Static, TextArea

from memcli.browse.calls import problem
from memcli.errors import InvalidInput, MemError
from memcli.fields import Field
from memcli.memory import FIELDS

_LONG = 1_000  # characters from which on a text has several lines


class MemoryForm(ModalScreen[Any]):
    """The fields of a memory, to be corrected. `save` gets those that changed; what it raises is shown, and nothing is lost."""

    BINDINGS = [Binding("ctrl+s", "save", "Save", priority=True), Binding("escape", "leave", "Cancel")]

    def __init__(self, title: str, values: dict[str, str], save: Callable[[dict[str, Any]], Any]) -> None:
        super().__init__()
        self._title = title
        self._values = values
        self._save = save

    def compose(self) -> ComposeResult:
        """A line a field; the summary has several."""
        with VerticalScroll(id="form"):
            yield Label(self._title, id="form-title", markup=False)
            for name, field in FIELDS.items():
                yield Label(name, markup=False)
                if _is_long(field):
                    yield TextArea(self._values[name], id=name)
                else:
                    yield Input(self._values[name], id=name)
            yield Static("", id="form-problem", markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Begins at the end of the summary, which is what mostly changes."""
        summary = self.query_one("#summary", TextArea)
        summary.move_cursor(summary.document.end)
        summary.focus()

    def _typed(self, name: str) -> str:
        widget = self.query_one(f"#{name}")
        return widget.text if isinstance(widget, TextArea) else widget.value if isinstance(widget, Input) else ""

    @work(thread=True, exclusive=True)
    def action_save(self) -> None:
        """Saves what changed, and closes; or says why it cannot be saved."""
        typed = {name: self._typed(name) for name in FIELDS}
        try:
            changes = {name: _value(name, value) for name, value in typed.items() if value != self._values[name]}
            result = self._save(changes)
        except MemError as error:
            self.app.call_from_thread(self._refuse, problem(error))
        else:
            self.app.call_from_thread(self.dismiss, result)

    def _refuse(self, message: str) -> None:
        refusal = self.query_one("#form-problem", Static)
        refusal.update(message)
        refusal.scroll_visible()

    def action_leave(self) -> None:
        """Closes the form; nothing changes."""
        self.dismiss(None)


def values_of(record: dict[str, Any]) -> dict[str, str]:
    """Returns the fields of a memory as they are typed."""
    values = {name: record[field.output or name] for name, field in FIELDS.items()}
    return {name: ", ".join(value) if isinstance(value, list) else str(value or "") for name, value in values.items()}


def _is_long(field: Field) -> bool:
    return field.kind == "text" and (field.max_length or 0) > _LONG


def _value(name: str, typed: str) -> Any:
    """Returns what was typed as the field takes it. Raises InvalidInput."""
    kind = FIELDS[name].kind
    if kind == "labels":
        return tuple([label.strip() for label in typed.split(",") if label.strip()])
    if kind == "number":
        if not (typed.strip().isascii() and typed.strip().isdigit()):
            raise InvalidInput(f"the {name} is not a number", "write digits only")
        return int(typed)
    return typed


class Question(ModalScreen[bool]):
    """Asks whether something is to be done."""

    BINDINGS = [Binding("enter,y", "answer(True)", "Yes"), Binding("escape,n", "answer(False)", "No")]

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """The question, and the keys below it."""
        yield Static(self._text, id="question", markup=False)
        yield Footer()

    def action_answer(self, is_yes: bool) -> None:
        """Closes with the answer."""
        self.dismiss(is_yes)
