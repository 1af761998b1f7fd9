"""Files of instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md. Each item of a list is a memory, its heading the thread."""

from __future__ import annotations

import os
from collections.abc import Iterator

from memcli.sync.sources import markdown
from memcli.sync.sources.look import Look, changed, files_below, left_out_below, read_each, read_note
from memcli.sync.sources.shape import TWICE, Entry, Extract, ReadScope, digest, memory, skip
from memcli.text import bounded

NAMES = ("CLAUDE.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md", "copilot-instructions.md")
_GENERATED = (  # what programs write into them: ours, and claude-mem's
    ("<!-- mem:start -->", "<!-- mem:end -->"),
    ("<claude-mem-context>", "</claude-mem-context>"),
)
_FEWEST = 3  # characters of an item that says something
TABLE = ""


def places(scope: ReadScope) -> list[str]:
    """Returns the files at the top of the repository."""
    paths = [os.path.join(scope.root, *name) for name in ((NAMES[0],), (NAMES[1],), (NAMES[2],), (".github", NAMES[4]))]
    return [path for path in paths if scope.root and os.path.isfile(path) and not bounded.leads_out(scope.root, path)]


def recognize(look: Look) -> bool:
    """Tells whether this is such a file, or a directory with one."""
    return bool(look.names & set(NAMES)) if look.is_folder else look.name in NAMES


def extracts(path: str, scope: ReadScope) -> list[Extract]:
    """Returns a memory an item of the lists in these files, linked to its file."""
    if not os.path.isdir(path):
        return [Extract(list(items(os.path.realpath(path), scope, "agents-md")))]
    top = os.path.realpath(path)
    names = [name for name in files_below(top, NAMES) if os.path.basename(name) in NAMES]
    files, left_out = read_each(top, names, lambda file, name: list(items(file, scope, "agents-md")))
    return [Extract([*[entry for entries in files for entry in entries], *left_out, *left_out_below(top, NAMES)])]


def items(path: str, scope: ReadScope, system: str) -> Iterator[Entry]:
    """Yields a memory an item of the lists in a file. What stands outside of lists is counted."""
    name = place(path, scope)
    body = markdown.front_matter(read_note(path))[1]
    for start, end in _GENERATED:
        body = markdown.without(body, start, end)
    at = changed(path)
    sources: set[str] = set()
    blocks = list(markdown.blocks(body))
    for bullet in [block for block in blocks if block.kind == "item"]:
        source = f"{system}:{name}#{digest(bullet.text)}"
        if len(bullet.text) >= _FEWEST and source not in sources:
            sources.add(source)
            heading = bullet.heading or os.path.basename(path)
            more = {"thread": heading, "tags": [system], "created_at": at, "files": [linked_file(path, scope)]}
            yield memory(source, None, bullet.text, **more) | {"place": outside(path, scope)}
        elif source in sources:
            yield skip(TWICE, bullet.text)
    if count := [block.kind for block in blocks].count("text"):
        yield skip("paragraphs outside of lists", name, count)
    yield from markdown.not_taken(blocks, name)


def place(path: str, scope: ReadScope) -> str:
    """Returns a file as it is named from the top of the repository; its name alone where it is outside."""
    full = os.path.realpath(path)
    if outside(path, scope):
        return os.path.basename(full)
    return os.path.relpath(full, os.path.realpath(scope.root)).replace(os.sep, "/")


def linked_file(path: str, scope: ReadScope) -> str:
    """Returns a file as memories are linked to it: one outside of the repository by its whole path, so that it is none in it."""
    return os.path.realpath(path) if outside(path, scope) else place(path, scope)


def outside(path: str, scope: ReadScope) -> str:
    """Returns the place of entries of a file outside of the repository, empty for one inside."""
    top = os.path.realpath(scope.root) if scope.root else ""
    full = os.path.realpath(path)
    return "" if top and os.path.commonpath([full, top]) == top else digest(full)
