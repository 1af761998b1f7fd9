"""What is worth storing of an event, and the words for it."""

from __future__ import annotations

from memcli.records import Record
from memcli.text import quotations
from memcli.text.forms import OUTPUT
from memcli.text.terminal import oneline

FACT, GOAL, TITLE = 300, 160, 120  # characters
EDIT_TITLE = "Edited "  # how the title of an edit begins
_OUTPUT = 160  # characters of a tool's output that are quoted

# What a prompt asks for, by its words: the first sort whose word is in it.
_VERBS = (
    ("bugfix", "fix fixes fixed bug bugs broken crash crashes error errors fails failing failure wrong regression issue leak"),
    (
        "refactor",
        "refactor refactoring rename renames clean cleanup extract simplify restructure reorganise reorganize tidy split",
    ),
    ("feature", "add adds implement create build support feature introduce write new enable allow"),
)


class Finding(Record):
    """What is worth storing of one event. Findings of one `group` in a turn join into one observation; "": only files were read.

    `modified` and `read` are paths from the top of the working tree.
    """

    group: str
    kind: str
    title: str
    narrative: str
    facts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    joins_edit: bool = False  # a fact of the turn's last edit, where it had one


def change_kind(goal: str) -> str:
    """Returns the kind of change that a prompt asks for."""
    words = {"".join([char for char in word if char.isalpha()]) for word in goal[:2_000].lower().split()}
    return next((kind for kind, verbs in _VERBS if not words.isdisjoint(verbs.split())), "change")


def purpose(goal: str) -> str:
    """Returns the sentence that says what an observation was made for."""
    wish = quotations.own_words(goal)
    return f"Asked: {clipped(wish, GOAL)}" if wish else "Seen in an agent's session."


def quoted(text: str, room: int = _OUTPUT) -> str:
    """Returns the output of a tool as a quotation that follows what was done: `: “3 passed”`; "" for no output."""
    line = oneline(text).replace("“", '"').replace("”", '"')
    return f"{OUTPUT}{clipped(line, room)}”" if line else ""


def title_with_output(title: str, output: str) -> str:
    """Returns a title with the quoted output of a tool, as far as there is room."""
    room = TITLE - len(title) - len(OUTPUT) - 1
    return clipped(title, TITLE) + (quoted(output, room) if room > 20 else "")


def title_with_result(title: str, result: str) -> str:
    """Returns a title with the outcome, as far as there is room.

    It does not include the prompt: a title with the question's words would be the best match when the question is asked again.
    """
    room = TITLE - len(title) - 2
    return clipped(f"{title}: {clipped(oneline(result), room)}" if result.strip() and room > 20 else title, TITLE)


def first_line(text: str) -> str:
    """Returns the first non-empty line of a text."""
    line = next((line for line in text.splitlines() if any(char.isalnum() for char in line)), "")
    return clipped(oneline(line), FACT // 2)


def clipped(text: str, room: int) -> str:
    """Returns a text in at most `room` characters, cut between words if possible."""
    if len(text) <= room:
        return text
    head = text[: max(room - 1, 0)]
    space = head.rfind(" ")
    return (head[:space] if space > room * 2 // 3 else head).rstrip() + "…"
