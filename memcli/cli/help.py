"""Help from the generated pages. Loading every verb and Typer would take 15 times as long."""

from __future__ import annotations

from memcli.cli import output, pages
from memcli.cli.output import paint, paragraph, width
from memcli.text.terminal import wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_WIDEST = 78  # columns of a line; longer ones are hard to read
_LABEL = 30  # columns of the widest label that has its meaning beside it
_GAP = 2


def show(name: str) -> int:
    """Prints the page of a command, or the first screen without a name. Returns the exit code."""
    output.show(page(name) if name else overview())
    return 0


def overview() -> str:
    """Returns the first screen: every command, grouped, and one thing to try."""
    lines = ["mem: what this repository remembers, for you and your agents", ""]
    for group, names in pages.GROUPS.items():
        lines += paragraph("  ".join(names), 14, "", paint(f"{group:<13}", "heading") + " ")
    lines += ["", *paragraph("Try: mem get why is login slow        Help on a command: mem get --help")]
    return "\n".join(lines)


def page(name: str) -> str:
    """Returns the help of a command: its usage, what it does, its arguments and options."""
    usage, summary, arguments, options = pages.PAGES[name]
    room = min(width(), _WIDEST)
    head = f"Usage: mem {name} "
    lines = [(head if number == 0 else " " * len(head)) + line for number, line in enumerate(wrapped(usage, room - len(head)))]
    lines += ["", *[f"  {line}" for line in wrapped(summary, room - 2)]]
    for title, rows in (("Arguments", arguments), ("Options", options)):
        lines += ["", f"{title}:", *_table(rows, room)] if rows else []
    return "\n".join(lines)


def _table(rows: Sequence[tuple[str, str]], room: int) -> list[str]:
    """Returns labels with their meanings beside them, or below if a label is too wide."""
    column = 2 + max([len(label) for label, _ in rows if len(label) <= _LABEL], default=8) + _GAP
    lines = []
    for label, meaning in rows:
        texts = wrapped(meaning, max(10, room - column))
        *above, last = _label(label, room)
        if not above and len(last) + _GAP <= column and texts:
            last += " " * (column - len(last)) + texts.pop(0)
        lines += [*above, last, *[" " * column + text for text in texts]]
    return lines


def _label(label: str, room: int) -> list[str]:
    """Returns a label as lines; one with many choices takes several."""
    lines = ["  "]
    for piece in label.replace("|", "|\0").split("\0"):
        if len(lines[-1]) + len(piece) > room:
            lines.append("      ")
        lines[-1] += piece
    return lines
