"""basic-memory: notes as Markdown with observations and relations, or the database that it keeps of them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from memcli.records import Record, replace
from memcli.store import foreign
from memcli.sync.sources import markdown
from memcli.sync.sources.agents_md import NAMES
from memcli.sync.sources.look import (
    FILE_TIME,
    Look,
    changed,
    child,
    files_below,
    left_out_below,
    looks,
    read_each,
    read_note,
    read_text,
)
from memcli.sync.sources.observers import wanted_projects
from memcli.sync.sources.shape import Entry, Extract, ReadScope, digest, json_list, memory, moment, relation, skip, text

_OBSERVATION = re.compile(r"\[([^\[\]()]+)\]\s+(.+)", re.DOTALL)
_CONTEXT = re.compile(r"(.*\S)\s+\(([^()]*)\)", re.DOTALL)
_TAG = re.compile(r"(?:^|\s)#([\w/-]+)")
_RELATION = re.compile(r"""(?:"([^"]+)"|'([^']+)'|(\S+))\s+\[\[([^\]]+)\]\](?:\s+\([^()]*\))?""")
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_WIKI = re.compile(r"\[\[([^\[\]]+)\]\]")
_CLOCK = re.compile(r"[\d:.,\s-]+")
_STORE = "memory.db"
_OWN_FOLDER = "~/.basic-memory"
_IGNORE, _GIT_IGNORE = ".bmignore", ".gitignore"
_IGNORED = ("venv", "env", "node_modules", "__pycache__", "build", "dist", "*.egg-info")  # where a person has no .bmignore
_LARGEST_IGNORE = 1 << 20
_TABLES = {
    "project": "id name path",
    "entity": "id project_id title note_type entity_type permalink file_path created_at updated_at",
    "observation": "entity_id content category context tags",
    "relation": "from_id to_id to_name relation_type",
    "note_content": "entity_id markdown_content",
}
TABLE = "entity"


class Fact(Record):
    """One observation."""

    category: str
    text: str
    tags: list[str]


class MarkdownNote(Record):
    """A note: its name in links, what it says, its observations, its relations to (relation, a note's name).

    `is_misdated`: its time cannot be read, so that it has that of its file. `is_partial`: its prose is not there.
    """

    permalink: str
    title: str
    kind: str
    tags: list[str]
    created: Any
    prose: str
    facts: list[Fact]
    relations: list[tuple[str, str]]
    is_misdated: bool = False
    is_partial: bool = False


def places(scope: ReadScope) -> list[str]:
    """Returns its directory of notes, else its database, where they are there."""
    paths = [os.path.expanduser(path) for path in ("~/basic-memory", "~/.basic-memory/memory.db")]
    return [path for path in paths if os.path.exists(path)][:1]


def recognize(look: Look) -> bool:
    """Tells whether this is its database, a note of it, or a directory that holds one."""
    if look.is_folder and (store := child(look.path, _STORE)):
        return recognize(Look(store))
    if look.is_folder:
        notes = [name for name in sorted(look.names) if name.endswith(".md")][:50]
        nested = notes or [name for name in files_below(look.path, (".md",)) if not _is_hidden(name)][:50]
        return any(map(_is_note, looks(look.path, [name for name in nested if os.path.basename(name) not in NAMES])))
    return {"entity", "observation", "relation"} <= look.tables or (look.name.endswith(".md") and _is_note(look))


def _is_hidden(name: str) -> bool:
    """Tells whether a file, or a directory that it is in, is one that basic-memory passes over."""
    return any(part.startswith(".") for part in name.split(os.sep))


def _is_note(look: Look) -> bool:
    """Tells whether a file has what its notes have. `- see #12` alone is in any file."""
    values, body = markdown.front_matter(look.head)
    items = [bullet.text for bullet in markdown.bullets(body)]
    facts = [fact for item in items if (fact := _fact(item))]
    return "permalink" in values or any(fact.category for fact in facts) or any(map(_RELATION.fullmatch, items))


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns a memory a note and one an observation, linked as the notes are."""
    if os.path.isdir(path) and (store := child(path, _STORE)):
        path = store
    place = digest(os.path.realpath(path))
    return [replace(extract, entries=[_placed(entry, place) for entry in extract.entries]) for extract in _extracts(path, scope)]


def _placed(entry: Entry, place: str) -> Entry:
    return entry | {"place": place} if "source_id" in entry else entry


def _extracts(path: str, scope: ReadScope) -> list[Extract]:
    if os.path.isdir(path):
        patterns = _ignored(path)
        names = [name for name in files_below(path, (".md",)) if not _is_hidden(name)]
        ignored = [name for name in names if any(_is_match(name, pattern) for pattern in patterns)]
        notes, left_out = _of_files(path, sorted({*names} - {*ignored}))
        left_out += [skip(f"notes that {_GIT_IGNORE} or {_IGNORE} leaves out, as basic-memory does", name) for name in ignored]
        return [Extract([*_entries(notes), *left_out, *left_out_below(path, (".md",))])]
    if not foreign.is_database(path):
        return [Extract(list(_entries([_of_file(path, os.path.basename(path))])))]
    return [Extract(list(_of_database(path, scope)))]


def _ignored(top: str) -> list[str]:
    """Returns the patterns of what basic-memory passes over: the person's, else its own, and those of the directory of notes."""
    files = [child(os.path.expanduser(_OWN_FOLDER), _IGNORE), child(top, _IGNORE), child(top, _GIT_IGNORE)]
    lines = [line.strip() for file in files if file for line in read_text(file, _LARGEST_IGNORE).splitlines()]
    return [line for line in lines if line and not line.startswith("#")] + list(() if files[0] else _IGNORED)


def _is_match(name: str, pattern: str) -> bool:
    """Tells whether a pattern is of a file, as basic-memory reads it: `*` crosses directories, and `!` makes no exception."""
    parts = name.split(os.sep)
    if pattern.startswith("/"):
        return parts[0] == pattern[1:-1] if pattern.endswith("/") else fnmatchcase(name, pattern[1:])
    return pattern.rstrip("/") in parts or (not pattern.endswith("/") and fnmatchcase(name, pattern))


def _of_files(top: str, names: list[str]) -> tuple[list[MarkdownNote], list[Entry]]:
    """Returns the notes in these files, and what says which cannot be read.

    A copy that still has the permalink of its original is called as its file is.
    """
    notes: dict[str, MarkdownNote] = {}
    files, left_out = read_each(top, names, lambda path, name: (_slug(os.path.splitext(name)[0]), _of_file(path, name)))
    for slug, note in sorted(files, key=lambda file: file[0] != file[1].permalink):  # an original has the name of its file
        permalink = note.permalink if note.permalink not in notes else slug
        while permalink in notes:
            permalink += "-"
        notes[permalink] = replace(note, permalink=permalink)
    return list(notes.values()), left_out


def _of_file(path: str, name: str) -> MarkdownNote:
    values, body = markdown.front_matter(read_note(path))
    facts, relations, lines = _parts_of(body)
    title = text(values.get("title")) or markdown.title_of(body) or os.path.splitext(os.path.basename(name))[0]
    prose = _prose(body, lines, title)
    written = (values.get("created"), values.get("date"))
    created = moment(*written) or changed(path)
    permalink = text(values.get("permalink")).strip("/") or _slug(os.path.splitext(name)[0])
    kind, tags = next(iter(markdown.texts(values.get("type"))), ""), _tags(values)
    return MarkdownNote(permalink, title, kind, tags, created, prose, facts, relations, any(written) and not moment(*written))


def _tags(values: dict[str, markdown.Value]) -> list[str]:
    return [tag.lstrip("#") for tag in markdown.texts(values.get("tags"))]


def _parts_of(body: str) -> tuple[list[Fact], list[tuple[str, str]], set[str]]:
    """Returns (the observations, the relations, the lines that hold nothing else) of a note."""
    facts, relations, lines = [], [], set[str]()
    source = body.split("\n")
    for bullet in markdown.bullets(body):
        if match := _RELATION.fullmatch(bullet.text):
            relations.append((match[1] or match[2] or match[3], match[4]))
        elif fact := _fact(bullet.text):
            facts.append(fact)
        else:
            relations += [("links_to", target) for target in _WIKI.findall(bullet.text)]
            continue
        lines.add(source[bullet.line - 1].strip())
    prose = "\n".join([line for line in source if line.strip() not in lines and not line.lstrip().startswith(("-", "*", "+"))])
    return facts, relations + [("links_to", target) for target in _WIKI.findall(prose)], lines


def _prose(body: str, lines: set[str], title: str) -> str:
    """Returns what a note says besides these lines, without headings that repeat its title or have nothing below them."""
    lines_kept: list[str] = []
    below = 0  # the level of the heading that what is kept begins with, read from the end: 7 for a text, 0 for nothing yet
    for line in reversed(body.strip().split("\n")):
        heading = _HEADING.fullmatch(line)
        if line.strip() in lines:
            continue
        if heading and (below <= len(heading[1]) or heading[2].strip(" #") == title):
            continue
        lines_kept.append(line)
        below = len(heading[1]) if heading else 7 if line.strip() else below
    return "\n".join(reversed(lines_kept)).strip()


def _fact(item: str) -> Fact | None:
    """Returns the observation in an item of a list, as basic-memory reads it: a category, or a tag at least. A task is none."""
    match = _OBSERVATION.fullmatch(item)
    category = match[1].strip() if match else ""
    is_mark = (
        not category or (len(category) == 1 and (category in "xX" or not category.isalnum())) or bool(_CLOCK.fullmatch(category))
    )
    tags = _TAG.findall(item)
    if (match is None or is_mark) and (not tags or item.startswith("[")):
        return None
    words = match[2] if match else item
    return Fact(category, words.strip(), tags)


def _of_database(path: str, scope: ReadScope) -> Iterator[Entry]:
    rows = foreign.records(path, _TABLES)
    names = {row["id"]: row["name"] for row in rows["project"]}
    for row in rows["entity"]:
        row["project"] = names.get(row["project_id"])
    projects = wanted_projects({"observations": rows["entity"], "summaries": [], "prompts": []}, scope)
    chosen = {row["id"]: row for row in rows["entity"] if row["project"] in projects}
    if other_projects := len(rows["entity"]) - len(chosen):
        yield skip("of other projects (--project NAME, or --project all)", count=other_projects)
    bodies = {row["entity_id"]: text(row["markdown_content"]) for row in rows["note_content"]}
    facts: dict[Any, list[Fact]] = {}
    for row in rows["observation"]:
        words = text(row["content"]) + (f" ({text(row['context'])})" if row["context"] else "")
        facts.setdefault(row["entity_id"], []).append(Fact(text(row["category"]), words, json_list(row["tags"])))
    present = {row["id"] for row in rows["entity"]}
    for fact in [fact for number, of_note in facts.items() if number not in present for fact in of_note]:
        yield skip("observations of notes that are not there", fact.text)
    relations: dict[Any, list[tuple[str, str]]] = {}
    for row in rows["relation"]:
        target = _permalink(chosen[row["to_id"]]) if row["to_id"] in chosen else text(row["to_name"])
        relations.setdefault(row["from_id"], []).append((text(row["relation_type"]), target))
    notes = []
    for number, row in chosen.items():
        values, body = markdown.front_matter(bodies.get(number, ""))
        lines = _parts_of(body)[2]
        prose = _prose(body, lines, text(row["title"]))
        kind = text(row["note_type"] or row["entity_type"])
        details = (_permalink(row), text(row["title"]), kind, _tags(values), row["created_at"])
        texts = (prose, facts.get(number, []), relations.get(number, []))
        notes.append(MarkdownNote(*details, *texts, is_partial=number not in bodies))
    yield from _entries(notes)


def _permalink(row: dict[str, Any]) -> str:
    return text(row["permalink"]).strip("/") or _slug(os.path.splitext(text(row["file_path"]))[0])


def _slug(name: str) -> str:
    return re.sub(r"[^\w/]+", "-", name.replace(os.sep, "/").lower()).strip("-")


def _entries(notes: list[MarkdownNote]) -> Iterator[Entry]:
    by_name = {name: note.permalink for note in reversed(notes) for name in (note.title.lower(), note.permalink.lower())}
    for note in notes:
        if note.is_misdated:
            yield skip(FILE_TIME, note.title)
        links = []
        for name, target in note.relations:
            if permalink := _target(by_name, target):
                links.append((relation(name), f"basic-memory:{permalink}"))
            else:
                yield skip("relations of notes that are not there", f"{note.title} → {target}")
        sources: set[str] = set()
        for fact in note.facts:
            source = f"basic-memory:{note.permalink}#{digest(f'{fact.category} {fact.text}')}"
            if source not in sources:
                sources.add(source)
                yield _observation(source, note, fact)
        yield {"is_partial": note.is_partial} | memory(
            f"basic-memory:{note.permalink}",
            note.title,
            note.prose or "\n".join([f"- {fact.text}" for fact in note.facts]),
            thread=note.title,
            kind=(note.kind or "note").lower(),
            tags=note.tags,
            created_at=note.created,
            links=links,
        )


def _target(by_name: dict[str, str], target: str) -> str | None:
    """Returns the permalink of the note that a link names, by its title or its permalink, with or without the project before."""
    name = target.partition("|")[0].partition("#")[0].strip().lower()
    return by_name.get(name) or by_name.get(name.partition(":")[2].strip()) or by_name.get(_slug(name))


def _observation(source: str, note: MarkdownNote, fact: Fact) -> Entry:
    context = _CONTEXT.fullmatch(fact.text)
    words = context[1] if context else fact.text
    return memory(
        source,
        None,
        f"{words}\n({context[2]})" if context else words,
        thread=note.title,
        kind=(fact.category or "note").lower(),
        tags=fact.tags,
        entities=[note.title],
        created_at=note.created,
        links=[("part_of", f"basic-memory:{note.permalink}")],
    )
