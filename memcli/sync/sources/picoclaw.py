"""PicoClaw: profile.json, MEMORY.md and a file a day, memory/YYYYMM/YYYYMMDD.md. `mem export --format markdown` writes them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.sync.sources import markdown, thread_files
from memcli.sync.sources.look import UNREADABLE, Look, changed, child, looks, read_each, read_json, read_note
from memcli.sync.sources.shape import LATER, LONG_VALUE, TWICE, Entry, Extract, ReadScope, digest, gone, memory, noon, skip, text
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
_DATE = re.compile(
    r"#\s+(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)(?:,?\s+\(?(?:mon|tues?|wednes|thurs?|fri|satur|sun|wed|thu|sat)(?:day)?\)?)?",
    re.IGNORECASE,
)
_RULE = re.compile(r"\s{0,3}([-*_])(\s*\1){2,}\s*")  # a line across the page
_VALUE = re.compile(r"\*\*(.{1,200}?)\*\*:\s*(.*)", re.DOTALL)
_PLACEHOLDER = re.compile(
    r"\([^()]*\)|<!--.*|This file stores important information that should persist across sessions\.", re.DOTALL
)
_OF_PROFILE = "picoclaw:profile:"  # begins the source id of such a value
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
            entries += [entry for entry in own if not (entries and _is_of_profile(entry) and name == _MEMORY)]
    if _is_export(folder):
        entries += _of_folder(os.path.join(folder, thread_files.FOLDER), thread_files.entries)
    for name in sorted(os.listdir(folder)):
        if _MONTH.fullmatch(name):
            entries += _of_folder(os.path.join(folder, name), lambda path, name: _of_file(path, scope))
    return [Extract(entries)]


def _is_of_profile(entry: Entry) -> bool:
    return "profile" in entry or str(entry.get("source_id") or entry.get("gone")).startswith(_OF_PROFILE)


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
        yield from _profile(path, scope)
    elif day := _DAY.fullmatch(name):
        yield from _notes(path, "-".join(day.groups()), scope)
    elif name.endswith(".md"):
        yield from _long_term(path, scope)
    else:
        yield skip("files that are no notes", name)


def _profile(path: str, scope: ReadScope) -> Iterator[Entry]:
    values = read_json(path)
    if not isinstance(values, dict):
        yield skip("profiles that are no JSON object", os.path.basename(path))
        return
    for key, value in values.items():
        if words := _profile_value(value):
            yield from _value(text(key), words, scope)
        else:
            yield skip("values of the profile that are empty, lists or objects", key)


def _profile_value(value: object) -> str:
    """Returns a value of the profile as a text, empty for what is none."""
    words = value if isinstance(value, str) else json.dumps(value) if isinstance(value, (bool, int, float)) else ""
    return text(words) if words.strip() else ""


def _value(key: str, words: str, scope: ReadScope) -> Iterator[Entry]:
    """Yields a value of the profile; as a memory one that is too long for it."""
    if len(words) > scope.profile_chars:
        yield memory(_OF_PROFILE + key, key, words, thread="profile", lost=[LONG_VALUE])
    else:
        yield gone(_OF_PROFILE + key)
        yield {"profile": key, "value": words}


def _long_term(path: str, scope: ReadScope) -> Iterator[Entry]:
    """Yields the profile of a MEMORY.md, and its other bullets and paragraphs as memories, but not those that it begins with."""
    sources: set[str] = set()
    blocks = list(markdown.blocks(markdown.front_matter(read_note(path))[1]))
    for block in [block for block in blocks if block.kind in ("item", "text")]:
        pair = _VALUE.fullmatch(block.text)
        source = f"picoclaw:memory:{digest(block.text)}"
        if pair and block.heading == PROFILE_HEADING:
            yield from _value(pair[1], pair[2].strip(), scope)
        elif source not in sources and not (block.kind == "text" and _PLACEHOLDER.fullmatch(block.text)):
            sources.add(source)
            item = memory(source, None, block.text, thread=block.heading or _MEMORY, created_at=changed(path))
            yield item | {"place": digest(os.path.realpath(path))}
        elif source in sources:
            yield skip(TWICE, block.text)
    yield from markdown.not_taken(blocks, os.path.basename(path))


def _notes(path: str, day: str, scope: ReadScope) -> Iterator[Entry]:
    """Yields the notes of a day in the order of the file, each under its time, else at noon, none later than now.

    A note is a paragraph, a fence, or what an export wrote as one.
    """
    file = os.path.basename(path)
    try:
        middle = dates.parse(noon(day))
    except ValueError:
        yield skip("files of days that no calendar has", file)
        return
    notes: list[tuple[int, Entry]] = []
    copies: dict[str, int] = {}
    orders: dict[int, int] = {}
    for section in _sections(read_note(path).split("\n"), day):
        if _RULE.fullmatch(section.text) and not section.note_id:
            yield skip("lines across the page", file)
            continue
        for piece in [section.text] if section.note_id else _pieces(section.text, scope.note_chars):
            order = orders[section.after_noon] = orders.get(section.after_noon, -1) + 1  # notes of one time keep their order
            words = digest(piece)
            copy = copies[words] = copies.get(words, -1) + 1
            name = section.note_id or ids.of_text("N", f"picoclaw {day} {words}", copy)
            notes.append((middle + section.after_noon + order, {"note": piece, "id": name}))
    later = sorted([created for created, _ in notes if created > scope.now])
    for created, note in notes:
        if created > scope.now:
            is_of_today = dates.local_day(created) <= dates.local_day(scope.now)
            note = note if is_of_today else {**note, "lost": [LATER]}
            created = scope.now - len(later) + 1 + later.index(created)
        yield {**note, "created_at": dates.iso(created)}


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


class Section(Record):
    """What a day's file has under a time (ms after noon): a paragraph, or the whole note of an id that an export wrote."""

    after_noon: int
    note_id: str
    text: str


def _sections(lines: Sequence[str], day: str) -> Iterator[Section]:
    """Yields the texts of a day's file, without the heading with the date that it begins with.

    Under a time with an id or a title all is one text, elsewhere each paragraph is, with the headings right before it. A fence
    is part of one text, whatever its lines look like. A line across the page is a text of its own.
    """
    fenced = _fenced(lines)
    begin = next((number for number, line in enumerate(lines) if line.strip()), 0)
    begin += _is_date(lines[begin], day)
    moment = TimeHeading(0, 0)
    is_whole = has_words = False  # has_words: not only headings
    texts: list[str] = []
    for number, line in enumerate([*lines[begin:], "## 00:00"], begin):
        is_code = number in fenced
        heading = None if is_code else _HEADING.fullmatch(line)
        begins = None if is_code else time_heading(line)
        is_beyond = bool(is_whole and not moment.note_id and heading and len(heading[1]) <= moment.level)
        is_rule = not is_code and not is_whole and _RULE.fullmatch(line) is not None
        is_break = not line.strip() and not is_code and not is_whole and has_words
        if begins or is_beyond or is_rule or is_break:
            if words := "\n".join(texts).strip("\n"):
                yield Section(moment.after_noon, moment.note_id, words)
            texts, has_words = [], False
        if begins:
            moment, is_whole = begins, bool(begins.note_id or begins.title)
            texts = [begins.title] if begins.title else []
            continue
        is_whole = is_whole and not is_beyond
        has_words = not is_rule and (has_words or is_code or bool(line.strip() and not heading))
        if is_rule:
            yield Section(moment.after_noon, "", line)
        elif is_code and not moment.note_id:
            texts.append(line.rstrip())
        elif is_whole or line.strip():
            texts.append(_unescaped(line).rstrip())


def _is_date(line: str, day: str) -> bool:
    """Tells whether a line is the heading that says which day the file is of."""
    match = _DATE.fullmatch(line.strip())
    return match is not None and "-".join(match.groups()) == day


def _fenced(lines: Sequence[str]) -> set[int]:
    """Returns the numbers of the lines of fences. The note of an id that an export wrote ends any before it."""
    begins = [number for number, line in enumerate(lines) if (heading := time_heading(line)) and heading.note_id]
    parts = [(start, lines[start:end]) for start, end in pairwise([0, *begins, len(lines)])]
    return {start + number for start, part in parts for number in markdown.fenced("\n".join(part))}


def _pieces(words: str, most: int) -> Iterator[str]:
    """Yields a text in pieces of at most `most` characters, cut at the ends of lines where it has any."""
    while len(words) > most:
        line_end = words.rfind("\n", 1, most)
        cut = line_end if line_end > 0 else most
        yield words[:cut].strip("\n")
        words = words[cut:].strip("\n")
    if words.strip():
        yield words
