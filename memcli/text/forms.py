"""The lines by which stored text appears in a pack: for the writer that counts them and the reader that prints them.

cl100k splits text at fixed places before it merges bytes, and a line that starts without a space and ends in a visible
character and a newline never shares a piece with its neighbours. So the tokens of a pack are the sum of the tokens of its lines,
and lines can be counted once, when they are stored. Whatever is appended inside a line starts with a space for the same reason.
"""

from __future__ import annotations

from memcli.text.dates import local_day
from memcli.text.terminal import oneline, visible, xml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.text.tokens import Rank

INDENT = "    "
FENCES = ("```", "~~~")
_COMMAND = 120  # characters of a single line of code that stands in the line of the text around it
BELOW = "  "  # before what stands below the title of a memory
OUTPUT = ": “"  # between what was done and the output of a tool, which is quoted to its end
_SENTENCE_ENDS = tuple(".!?。！？")
_MAX_STATE_LINE = 2_000  # characters of one printed line of a state; `mem state --json` has the whole
FOLD = 400  # characters of a chunk's printed row; without it a paragraph on one line is shown whole or not at all


def without_output(title: str) -> str:
    """Returns the title of an observation without the output that it quotes."""
    return title.partition(OUTPUT)[0]


def is_beginning(title: str, text: str) -> bool:
    """Tells whether a title is no more than the first line or the first sentence of a text."""
    return text.startswith(title) and (title.endswith(_SENTENCE_ENDS) or text.startswith("\n", len(title)))


def memory_prompt(memory_id: str, thread: str, created_at: int, title: str, brief: str) -> tuple[str, str]:
    """Returns the lines of a memory in a prompt as (up to its marks, the rest). `brief` has lines of its own for code only."""
    head = f"- {title} [{memory_id} · {thread} · {local_day(created_at)}"
    return head, "]\n" if brief == title else f"]\n  {indented(brief, BELOW)}\n"


def memory_xml(memory_id: str, thread: str, kind: str, created_at: int, title: str, brief: str) -> tuple[str, str]:
    """Returns the lines of a memory in XML as (up to its last attributes, the rest); its code is on one line, too."""
    brief = " ".join(brief.split()) if has_code(brief) else brief
    head = f'<memory id="{memory_id}" kind="{xml(kind)}" thread="{xml(thread)}" date="{local_day(created_at)}"'
    return head, f">\n<title>{xml(title)}</title>\n<summary>{xml(brief)}</summary>\n</memory>\n"


def memory_tokens(named: tuple[str, str, str, int], title: str, brief: str, rank: Rank) -> tuple[int, int, int, int] | None:
    """Returns the tokens of a memory's title, of its brief, and of its lines in a prompt and in XML; all words are counted once.

    None where the two say the same, or XML has them in other signs. `named`: its id, thread, kind and time.
    """
    from memcli.text import tokens  # only who stores needs it

    memory_id, thread, kind, created_at = named
    if title == brief or (xml(title), xml(brief)) != (title, brief):
        return None
    around_title = ("", ""), ("- ", f" [{memory_id} · {thread} · {local_day(created_at)}"), ("<title>", "</title>\n")
    around_brief = ("", ""), ("]\n  ", "\n"), ("<summary>", "</summary>\n")
    of_title = tokens.count_between(title, around_title, rank)
    of_brief = tokens.count_between(brief, around_brief, rank)
    head, _ = memory_xml(memory_id, thread, kind, created_at, "", "")
    further = sum([tokens.count(line, rank) for line in (head, ">\n", "</memory>\n")])
    return of_title[0], of_brief[0], of_title[1] + of_brief[1], of_title[2] + of_brief[2] + further


def state_items(value: Any) -> list[str]:
    """Returns a state as one short text an item: `key: value` for an object, the elements of a list, else the value."""
    if isinstance(value, dict):
        items = [f"{key}: {_plain(item)}" for key, item in value.items()]
    elif isinstance(value, list):
        items = [_plain(item) for item in value]
    else:
        items = [_plain(value)]
    lines = [oneline(item) for item in items]
    return [line if len(line) <= _MAX_STATE_LINE else line[: _MAX_STATE_LINE - 1].rstrip() + "…" for line in lines if line]


def _plain(value: object) -> str:
    from memcli.text import json

    return value if isinstance(value, str) else json.canonical(value)


def state_prompt(item: str) -> str:
    """Returns one item of a state as a line of a prompt."""
    return f"- {visible(item)}\n"


def state_xml(item: str) -> str:
    """Returns one item of a state as a line of XML."""
    return f"<item>{xml(item)}</item>\n"


def chunk_place(path: str, first_line: int, last_line: int, symbol: str) -> str:
    """Returns where a chunk is from: `src/a.py lines 3-9, name`."""
    name = f", {oneline(symbol)}" if symbol else ""
    return f"{oneline(path)} lines {first_line}-{last_line}{name}"


def chunk_lines(text: str) -> list[str]:
    """Returns a chunk's text as printable lines of at most FOLD characters, without blank ones at either end."""
    lines = [line.rstrip() for line in visible(text).split("\n")]
    if len(text) > FOLD and max(map(len, lines)) > FOLD:
        lines = [row for line in lines for row in folded(line)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def folded(line: str) -> list[str]:
    """Returns a printable line in rows of at most FOLD characters, broken at spaces where there are some."""
    rows, start, size = [], 0, len(line)
    while size - start > FOLD:
        end = line.rfind(" ", start + FOLD // 2, start + FOLD)
        end = start + FOLD if end < 0 else end
        rows.append(line[start:end].rstrip())
        start = end
        while line[start].isspace():  # the last character is visible
            start += 1
    return [*rows, line[start:]]


def chunk_prompt(chunk_id: str, locator: str, lines: Sequence[str]) -> tuple[str, str]:
    """Returns a chunk in a prompt as (up to its marks, the rest). Every line is indented: none can end the quotation."""
    return f"[{chunk_id}] {locator}", "\n" + "".join([f"{INDENT}{line}\n" if line else "\n" for line in lines])


def chunk_xml(chunk_id: str, locator: str, lines: Sequence[str]) -> tuple[str, str]:
    """Returns a chunk in XML as (up to its last attributes, the rest)."""
    body = "".join([f"{INDENT}{xml(line)}\n" if line else "\n" for line in lines])
    return f'<chunk id="{chunk_id}" place="{xml(locator)}"', f">\n{body}</chunk>\n"


def has_code(text: str) -> bool:
    """Tells whether a text may hold fenced code."""
    return "```" in text or "~~~" in text


def is_fence(line: str) -> bool:
    """Tells whether a line begins or ends a block of code, rather than holding one. `line`: without the space around it."""
    return line.startswith(FENCES) and not any(fence in line[len(_mark(line)) :] for fence in FENCES)


def printed_text(text: str) -> str:
    """Returns a text as a prompt has it: on one line, but for code of several lines, which keeps its lines and fences."""
    if not has_code(text):
        return oneline(text)
    lines, result, prose = text.splitlines(), [], []
    number = 0
    while number < len(lines):
        if not is_fence(lines[number].strip()):
            prose.append(lines[number])
        else:
            end = _end_of_code(lines, number)
            rows = [row for row in lines[number + 1 : end] if row.strip()]
            if len(rows) == 1 and len(rows[0].strip()) <= _COMMAND and "`" not in rows[0]:
                prose.append(f"`{rows[0].strip()}`")
            elif rows:
                result += [_prose(prose), _block(lines, number, end)]
                prose = []
            number = end
        number += 1
    return "\n".join([part for part in (*result, _prose(prose)) if part])


def indented(text: str, indent: str) -> str:
    """Returns a printed text with all but its first line indented, so that none begins a line of its own."""
    first, *more = text.split("\n")
    return "\n".join([first, *[f"{indent}{line}" if line else "" for line in more]])


def behind_lead(lead: str, text: str) -> str:
    """Returns a printed text behind its lead, on a line of its own if it begins with a block of code."""
    return f"{lead.rstrip()}\n{text}" if text.startswith(FENCES) and "\n" in text else lead + text


def gap_behind(text: str) -> str:
    """Returns what separates a printed text from a remark on it: the fence of code stands alone on its line."""
    return "\n" if text.endswith(FENCES) and "\n" in text else " "


def text_before_code(text: str) -> str:
    """Returns what a printed text has before its first block of code; the whole on one line if it begins with code."""
    first = printed_text(text).partition("\n")[0]
    return oneline(text) if first.startswith(FENCES) else first


def _prose(lines: Sequence[str]) -> str:
    return oneline("\n".join(lines))


def _block(lines: Sequence[str], start: int, end: int) -> str:
    """Returns a block of code with its fences, as far to the left as they stand."""
    fence = lines[start].strip()
    indent = len(lines[start]) - len(lines[start].lstrip())
    rows = [row[min(indent, len(row) - len(row.lstrip())) :].rstrip() for row in lines[start + 1 : end]]
    return visible("\n".join([fence, *rows, _mark(fence)]))


def _end_of_code(lines: Sequence[str], start: int) -> int:
    """Returns the line that ends a block of code, of at least as many signs; the one behind the last if none does."""
    mark = _mark(lines[start].strip())
    ends = (number for number in range(start + 1, len(lines)) if _ends(lines[number].strip(), mark))
    return next(ends, len(lines))


def _mark(fence: str) -> str:
    """Returns the signs that a fence consists of, without the language behind them."""
    return fence[: len(fence) - len(fence.lstrip(fence[0]))]


def _ends(line: str, mark: str) -> bool:
    return line.startswith(mark) and not line.strip(mark[0])
