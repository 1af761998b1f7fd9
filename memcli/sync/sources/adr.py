"""Decision records: a directory of Markdown files in the forms of Michael Nygard and of MADR."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.sync.sources import markdown
from memcli.sync.sources.agents_md import linked_file, outside, place
from memcli.sync.sources.look import FILE_TIME, Look, changed, files_below, left_out_below, looks, read_each, read_note
from memcli.sync.sources.shape import Entry, Extract, ReadScope, memory, moment, relation, skip, text
from memcli.text import calendar

_FOLDERS = ("docs/adr", "docs/adrs", "docs/decisions", "doc/adr", "docs/architecture/decisions", "adr", "decisions")
_NUMBER = re.compile(r"(?:adr[-_ ]?)?(\d{1,5})[-_. ]", re.IGNORECASE)
_TITLE = re.compile(r"(?:(\[?adr[-_ #]*\d{1,5}\b\]?|\d{1,5}\.(?=\s))|(\d{1,5})(?![\w.,/]))[\s–—:.)-]*", re.IGNORECASE)
_FIELD = re.compile(r"\s*(?:[-*]\s+)?\**(status|date)\**\s*:\**\s*(.+)", re.IGNORECASE)
_ABOUT = re.compile(  # lines under a title that say of a record what is no part of the decision
    r"\s*(?:[-*]\s+)?\**(?:status|(?:last )?(?:date|updated|modified)|deciders?|decision[- ]makers?|authors?|owners?|consulted"
    r"|informed|approvers?|approved by|reviewers?|technical story|ticket|tags?|super[sc]ede(?:s|d by)|related to)\**\s*:.*",
    re.IGNORECASE,
)
_BOLD = re.compile(  # the name of a section that is no heading
    r" {0,3}\*\*(decision outcome|decision|context and problem statement|context|consequences|decision drivers"
    r"|considered options)(?::\*\*|\*\*:|\*\*$)(.*)",
    re.IGNORECASE,
)
_DATE = re.compile(  # in other forms than ISO 8601, too: 2021/03/05, 4 March 2021, March 4th, 2021
    r"(?<!\d)(?:(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})"
    r"|(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? [a-z]{3,9}|[a-z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?)[.,]* \d{4})(?!\d)",
    re.IGNORECASE,
)
_DECIDED = re.compile(r"\W*(?:accepted|approved|agreed|adopted|decided|proposed|draft)\b(.*)", re.IGNORECASE)
_NEAR = 60  # characters that are searched for a date
_BY = re.compile(r"(super[sc]eded|replaced|amended|deprecated|clarified|extended)\s+by\b(.*)", re.IGNORECASE)
_ACTIVE = re.compile(r"(super[sc]edes|replaces|amends|clarifies|extends|relates to|related to|depends on)\b(.*)", re.IGNORECASE)
_LINK = re.compile(r"\]\((?:[^)\s]*/)?([^)\s/]+\.md)[^)]*\)")
_OTHER = re.compile(r"(?<!\d)0*(\d{1,5})\b")
_PASSED_OVER = ("template", "readme", "index")
# Such a title says so, lest it be taken for what holds.
_HOLDS_NOT = ("proposed", "rejected", "deprecated", "draft", "superseded", "replaced")
_FIRST = ("decision outcome", "decision")  # sections that packs should print first
_AFTER = ("context", "context and problem statement", "consequences", "decision drivers", "considered options")
_MOST_LINKED = 10_000  # characters that are searched for links to other decisions
_NO_TEXT = ("", "status", "date", "links", "more information")
_ACTIVE_OF = {"amended": "amends", "clarified": "clarifies", "extended": "extends", "deprecated": "deprecates"}
TABLE = ""


class Decision(Record):
    """A record: its file from the directory's top, its number, what it says, and (relation, whether the other one is meant to
    have it, number or file of the other). `changed`: when its file changed last."""

    file: str
    number: int | None
    title: str
    status: str
    date: str | None
    changed: str
    summary: str
    relations: list[tuple[str, bool, str]]


def places(scope: ReadScope) -> list[str]:
    """Returns the directory of decisions in the repository, where it is there."""
    paths = [os.path.join(scope.root, *name.split("/")) for name in _FOLDERS]
    return [path for path in paths if scope.root and os.path.isdir(path)][:1]


def recognize(look: Look) -> bool:
    """Tells whether this is a decision record, or a directory that holds some."""
    if look.is_folder:
        names = [name for name in sorted(look.names) if name.endswith(".md") and not _is_passed_over(name)][:50]
        return any(map(_is_record, looks(look.path, names)))
    return look.name.endswith(".md") and _is_record(look)


def _is_record(look: Look) -> bool:
    values, body = markdown.front_matter(look.head)
    headings = {heading.strip().lower() for heading in markdown.sections(_with_headings(body))}
    has_status = "status" in headings | values.keys() or any(_FIELD.fullmatch(line) for line in body.split("\n")[:30])
    return has_status and bool(headings & {"decision", "decision outcome"})


def _is_passed_over(name: str) -> bool:
    return any(word in os.path.basename(name).lower() for word in _PASSED_OVER)


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns a memory a decision, linked to its file; one that was superseded is so here. Raises InvalidInput."""
    top = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        results, left_out = read_each(top, files_below(top, (".md",)), _read)
        left_out += left_out_below(top, (".md",))
    else:
        results, left_out = [_read(path, os.path.basename(path))], list[Entry]()
    decisions = [result for result in results if isinstance(result, Decision)]
    entries = [result for result in results if not isinstance(result, Decision)]
    if not decisions:
        raise InvalidInput(f"no decision records in {path}", "each has a status and a section Decision or Decision Outcome")
    return [Extract([*_entries(decisions, top, scope), *entries, *left_out])]


def _read(path: str, name: str) -> Decision | Entry:
    """Returns the decision in a file, or the entry that says why there is none."""
    if _is_passed_over(name):
        return skip("templates and tables of contents", name)
    return _decision(path, name) if _is_record(Look(path)) else skip("files without a status and a decision", name)


def _title(decision: Decision) -> str:
    """Returns a title that says where its decision does not hold. Its own file decides, whatever else is imported with it."""
    return f"{decision.status.capitalize()}: {decision.title}" if decision.status in _HOLDS_NOT else decision.title


def _decision(path: str, name: str) -> Decision:
    values, body = markdown.front_matter(read_note(path))
    sections = {heading.strip().lower(): words for heading, words in markdown.sections(_with_headings(body)).items()}
    fields = {match[1].lower(): match[2].strip() for line in body.split("\n")[:40] if (match := _FIELD.fullmatch(line))}
    status = text(values.get("status")) or sections.get("status", "") or fields.get("status", "")
    written = [text(value) for value in (values.get("date"), fields.get("date"), sections.get("date"))]
    decided = _DECIDED.match(status.strip())
    dated = [*written, decided[1] if decided else ""]
    date = moment(*[form for words in dated for form in (words[:10], words, _day(words))])
    match = _NUMBER.match(os.path.basename(name))
    number = int(match[1]) if match else None
    heading = markdown.title_of(body)
    title = _unnumbered(heading, number) or os.path.splitext(os.path.basename(name))[0]
    links = "\n".join([status, sections.get("links", ""), sections.get("more information", "")])[:_MOST_LINKED]
    top = heading.strip().lower()
    sections[top] = "\n".join([line for line in sections.get(top, "").split("\n") if not _ABOUT.fullmatch(line)]).strip()
    summary = _summary(sections, top)
    return Decision(name, number, title, _state(status), date, changed(path), summary, list(_relations(links)))


def _with_headings(body: str) -> str:
    """Returns a record with headings for its sections, where it names the decision in bold and has no heading for that."""
    if {heading.strip().lower() for heading in markdown.sections(body)} & set(_FIRST):
        return body
    lines = body.split("\n")
    code = set(markdown.fenced(body))
    names = {number: match for number, line in enumerate(lines) if number not in code and (match := _BOLD.fullmatch(line))}
    if not any(match[1].lower() in _FIRST for match in names.values()):
        return body
    remaining = [number for number, line in enumerate(lines) if number in code or not _ABOUT.fullmatch(line)]
    return "\n".join([_heading(names[number]) if number in names else lines[number] for number in remaining])


def _heading(name: re.Match[str]) -> str:
    return f"\n## {name[1]}\n\n{name[2].strip()}"


def _day(words: str) -> str:
    """Returns the first date near the beginning of a text as ISO 8601 has it; empty where there is none."""
    match = _DATE.search(" ".join(words[:_NEAR].split()))
    if match is None:
        return ""
    if match[1]:
        return f"{match[1]}-{match[2]:0>2}-{match[3]:0>2}"
    try:
        return calendar.date(match[0].replace(",", "").replace(".", ""), 0)
    except InvalidInput:  # as of 41 May
        return ""


def _unnumbered(title: str, number: int | None) -> str:
    """Returns a title without the record's number before it; another number belongs to what was decided."""
    match = _TITLE.match(title)
    is_number = match and (match[1] or int(match[2]) == number)
    return (title[match.end() :] if match and is_number else title).strip()


def _state(status: str) -> str:
    """Returns a status as one word."""
    words: list[str] = re.findall(r"[a-z]+", status.lower().replace("superced", "supersed"))
    states = [word for word in words if word in ("accepted", *_HOLDS_NOT)]
    return (states or words or [""])[0]


def _relations(status: str) -> Iterator[tuple[str, bool, str]]:
    for line in status.split("\n"):
        for pattern, is_passive in ((_BY, True), (_ACTIVE, False)):
            if match := pattern.search(line):
                name = match[1].lower().replace("perc", "pers")  # adr-tools spells it so
                yield from [(name, is_passive, target) for target in _targets(match[2])]


def _targets(words: str) -> list[str]:
    """Returns the decisions that a line names: the files that it links to, else the first number."""
    number = _OTHER.search(words)
    return _LINK.findall(words) or ([number[1]] if number else [])


def _summary(sections: dict[str, str], heading: str) -> str:
    names = [name for name in (*_FIRST, *_AFTER) if sections.get(name)]
    names += [name for name in sections if name not in names and name not in _NO_TEXT]
    texts = [(name, sections[name]) for name in names if sections[name]]
    bare = {heading, texts[0][0] if texts else ""}  # what stands under the title needs no name
    return "\n".join([words if name in bare else f"{name.capitalize()}: {words}" for name, words in texts])


def _entries(decisions: list[Decision], top: str, scope: ReadScope) -> Iterator[Entry]:
    sources = {decision.file: f"adr:{place(os.path.join(top, decision.file), scope)}" for decision in decisions}
    by_number = {decision.number: sources[decision.file] for decision in reversed(decisions) if decision.number is not None}
    by_file = {os.path.basename(name): source for name, source in sources.items()}
    successors: dict[str, str] = {}
    links: dict[str, list[tuple[str, str]]] = {}
    for decision in decisions:
        for name, is_passive, target in decision.relations:
            own = sources[decision.file]
            other = by_number.get(int(target)) if target.isdigit() else by_file.get(os.path.basename(target))
            if other is None:
                yield skip("links to decisions that are not there", f"{decision.file}: {name} {target}")
            elif name in ("superseded", "replaced", "supersedes", "replaces"):
                old, new = (own, other) if is_passive else (other, own)
                successors.setdefault(old, new)
            else:
                start, end = (other, own) if is_passive else (own, other)
                links.setdefault(start, []).append((relation(_ACTIVE_OF.get(name, name)), end))
    for decision in decisions:
        source = sources[decision.file]
        if decision.date is None:
            yield skip(FILE_TIME, decision.file)
        yield memory(
            source,
            _title(decision),
            decision.summary,
            thread="adr",
            kind="decision",
            tags=["adr", decision.status],
            created_at=decision.date or decision.changed,
            files=[linked_file(os.path.join(top, decision.file), scope)],
            superseded_by=successors.get(source),
            links=links.get(source),
        ) | {"place": outside(top, scope)}
