"""PicoClaw: profile.json, MEMORY.md and a file a day, memory/YYYYMM/YYYYMMDD.md. `mem export --format markdown` writes them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.sync.sources import markdown, thread_files
from memcli.sync.sources.look import UNREADABLE, Look, changed, child, looks, read_each, read_json, read_note
from memcli.sync.sources.shape import Entry, Extract, ReadScope, digest, memory, noon, skip, text
from memcli.text import dates, ids, json

_PROFILE, _MEMORY = "profile.json", "MEMORY.md"
_MONTH = re.compile(r"\d{6}")
_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})\.md")
_TIME = re.compile(
    r"(#{2,3})\s+[\[(]?(\d{1,2}):(\d{2})(?::\d{2})?(?:\s?([ap])\.?m\b\.?)?[\])]?(?=[\s:,|<–—-]|$)(.*)", re.IGNORECASE
)
_ID = re.compile(r"<!-- (N-\w+) -->")
_UNTIL = re.compile(r"\s?[–—-]\s?\d{1,2}:\d{2}")
_HEADING = re.compile(r"(#{1,6})\s+\S.*")
_SEPARATORS = " \t:,|–—-"  # between a time and what follows it in a heading
_TITLE = re.compile(r"#\s+\S.*")
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*")  # a line across the page
_VALUE = re.compile(r"\*\*(.{1,200}?)\*\*:\s*(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"\([^()]*\)|<!--.*|This file stores important information that should persist across sessions\.", re.DOTALL
)
PROFILE_HEADING = "Core Profile (Facts & Preferences)"
_IRREGULAR = "links, which are not followed, and what is no file"
TABLE = ""


def places(scope: ReadScope) -> list[str]:
    """Returns its workspace, where it is there."""
    home = os.path.expanduser("~/.picoclaw/workspace")
    return [home] if os.path.isdir(home) else []


def recognize(look: Look) -> bool:
    """Tells whether this is its workspace, its directory of memory, or a file of that."""
    if look.is_folder:
        folder = _folder(look.path)
        names = os.listdir(folder)
        return bool({_PROFILE, _MEMORY} & set(names)) or any(_is_month(os.path.join(folder, name)) for name in names)
    if look.name == _PROFILE:
        return any(map(_profile_value, look.whole_object.values())) and "title" not in look.whole_object
    return look.name == _MEMORY or _DAY.fullmatch(look.name) is not None


def _folder(path: str) -> str:
    inner = os.path.join(path, "memory")
    return inner if os.path.isdir(inner) else path


def _is_month(path: str) -> bool:
    return _MONTH.fullmatch(os.path.basename(path)) is not None and os.path.isdir(path) and not os.path.islink(path)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns the profile, the long-term memory and the notes of days. Raises InvalidInput."""
    if not os.path.isdir(path):
        if not path.endswith((".json", ".md")):
            raise InvalidInput(f"{path} is not a file of PicoClaw", f"give its workspace, {_PROFILE}, {_MEMORY} or a day's file")
        return [Extract(list(_of_file(path, scope)))]
    folder = _folder(path)
    entries: list[Entry] = []
    for name in (_PROFILE, _MEMORY):
        if os.path.lexists(os.path.join(folder, name)):
            own = _of_files(folder, [name], lambda path, name: _of_file(path, scope))
            entries += [entry for entry in own if not (entries and "profile" in entry and name == _MEMORY)]
    if _is_export(folder):
        entries += _of_folder(os.path.join(folder, thread_files.FOLDER), thread_files.entries)
    for name in sorted(os.listdir(folder)):
        if _MONTH.fullmatch(name):
            entries += _of_folder(os.path.join(folder, name), lambda path, name: _of_file(path, scope))
    return [Extract(entries)]


def _of_folder(folder: str, read: Callable[[str, str], Iterable[Entry]]) -> list[Entry]:
    """Returns what is in the files of a directory; one that is a link or none, or that cannot be looked into, is listed."""
    name = os.path.basename(folder)
    if os.path.islink(folder) or not os.path.isdir(folder):
        return [skip(_IRREGULAR, name)] if os.path.lexists(folder) else []
    try:
        names = sorted(os.listdir(folder))
    except OSError as problem:
        return [skip(UNREADABLE, f"{name}: {(problem.strerror or '').lower()}")]
    return _of_files(folder, names, read)


def _of_files(folder: str, names: Sequence[str], read: Callable[[str, str], Iterable[Entry]]) -> list[Entry]:
    """Returns what is in files, and what says which are none, or cannot be read."""
    files = [name for name in names if child(folder, name)]
    contents, problems = read_each(folder, files, lambda path, name: list(read(path, name)))
    irregular = [skip(_IRREGULAR, name) for name in names if name not in files]
    return [*[entry for entries in contents for entry in entries], *irregular, *problems]


def _is_export(folder: str) -> bool:
    """Tells whether `mem export` wrote a directory, so that its threads are memories."""
    return any(look.head.startswith(thread_files.MARK) for look in looks(folder, [_MEMORY]))


def _of_file(path: str, scope: ReadScope) -> Iterator[Entry]:
    name = os.path.basename(path)
    if name.endswith(".json"):
        yield from _profile(path)
    elif day := _DAY.fullmatch(name):
        yield from _notes(path, "-".join(day.groups()), scope)
    elif name.endswith(".md"):
        yield from _long_term(path)
    else:
        yield skip("files that are no notes", name)


def _profile(path: str) -> Iterator[Entry]:
    values = read_json(path)
    for key, value in values.items() if isinstance(values, dict) else ():
        if words := _profile_value(value):
            yield {"profile": text(key), "value": words}
        else:
            yield skip("values of the profile that are empty, lists or objects", key)


def _profile_value(value: object) -> str:
    """Returns a value of the profile as a text, empty for what is none."""
    words = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (bool, int, float)) else ""
    return text(words) if words.strip() else ""


def _long_term(path: str) -> Iterator[Entry]:
    """Yields the profile of a MEMORY.md, and its other bullets and paragraphs as memories, but not those that it begins with."""
    sources: set[str] = set()
    blocks = list(markdown.blocks(markdown.front_matter(read_note(path))[1]))
    for block in [block for block in blocks if block.kind in ("item", "text")]:
        pair = _VALUE.fullmatch(block.text)
        source = f"picoclaw:memory:{digest(block.text)}"
        if pair and block.heading == PROFILE_HEADING:
            yield {"profile": pair[1], "value": pair[2].strip()}
        elif source not in sources and not (block.kind == "text" and _PLACEHOLDER.fullmatch(block.text)):
            sources.add(source)
            yield memory(source, None, block.text, thread=block.heading or _MEMORY, created_at=changed(path))
    yield from markdown.not_taken(blocks, os.path.basename(path))


def _notes(path: str, day: str, scope: ReadScope) -> Iterator[Entry]:
    """Yields the notes of a day, each under its time, else at noon: a paragraph a note, or what an export wrote as one."""
    try:
        middle = dates.parse(noon(day))
    except ValueError:
        yield skip("files of days that no calendar has", os.path.basename(path))
        return
    counts: dict[str, int] = {}
    for number, (at, note_id, words) in enumerate(_sections(read_note(path))):
        created = dates.iso(middle + number if at is None else middle + at)
        if note_id:
            yield {"note": words, "created_at": created, "id": note_id}
            continue
        for piece in _pieces(words, scope.note_chars):
            copies = counts[piece] = counts.get(piece, -1) + 1
            name = ids.of_text("N", f"picoclaw {day} {digest(piece)}", copies)
            yield {"note": piece, "created_at": created, "id": name}


class TimeHeading(Record):
    """A heading that begins with a time: its level, the ms after noon, the note's id and title, empty where it has none."""

    level: int
    after_noon: int
    note_id: str = ""
    title: str = ""


def time_heading(line: str) -> TimeHeading | None:
    """Returns what a heading such as `## 14:05`, `## 9:05 Standup` or `## 2:05 PM - Deploy` says; None for another line."""
    match = _TIME.fullmatch(line.rstrip())
    if match is None or int(match[2]) > 23 or int(match[3]) > 59:
        return None
    marks, hours, minutes, half, rest = match.groups()
    hour = int(hours) if half is None else int(hours) % 12 + (12 if half in "pP" else 0)
    note_id = _ID.fullmatch(rest.strip())
    is_period = _UNTIL.match(rest) is not None
    title = "" if note_id else line.strip().lstrip("# ") if is_period else rest.strip(_SEPARATORS)
    return TimeHeading(len(marks), ((hour - 12) * 60 + int(minutes)) * 60_000, note_id[1] if note_id else "", title)


def escaped(text: str) -> str:
    """Returns a note's text as a day's file has it: a line that looks like the heading of a note gets a backslash."""
    return "\n".join([f"\\{line}" if time_heading(line.lstrip("\\")) else line for line in text.split("\n")])


def _unescaped(line: str) -> str:
    return line[1:] if line.startswith("\\") and time_heading(line.lstrip("\\")) else line


def _sections(body: str) -> Iterator[tuple[int | None, str, str]]:
    """Yields (ms after noon, None where no time is said; the note's id, empty where it has none; a text).

    The heading with the date is left out. Under a time with an id or a title all is one text, elsewhere each paragraph is, with
    the headings right before it.
    """
    moment: TimeHeading | None = None
    is_whole = False
    lines: list[str] = []
    for line in [*body.split("\n"), "## 00:00"]:
        heading = _HEADING.fullmatch(line)
        begins = time_heading(line)
        is_beyond = bool(is_whole and moment and not moment.note_id and heading and len(heading[1]) <= moment.level)
        if begins or is_beyond or (not line.strip() and not is_whole and not all(map(_HEADING.fullmatch, lines))):
            if words := "\n".join(lines).strip("\n"):
                yield moment.after_noon if moment else None, moment.note_id if moment else "", words
            lines = []
        if begins:
            moment, is_whole = begins, bool(begins.note_id or begins.title)
            lines = [begins.title] if begins.title else []
            continue
        is_whole = is_whole and not is_beyond
        if is_whole or (line.strip() and not _TITLE.fullmatch(line) and not _RULE.fullmatch(line)):
            lines.append(_unescaped(line).rstrip())


def _pieces(words: str, most: int) -> Iterator[str]:
    while len(words) > most:
        line_end = words.rfind("\n", 1, most)
        cut = line_end if line_end > 0 else most
        yield words[:cut].strip("\n")
        words = words[cut:].strip("\n")
    if words.strip():
        yield words
