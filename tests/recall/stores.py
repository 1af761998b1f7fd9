"""Random stores: hostile texts, odd names, every mark a memory can have. Built through the real use cases."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from memcli.ingest import cut as ingest
from memcli.ingest.chunk import to_chunk
from memcli.memory import commit, entries
from memcli.memory.entries import Edit, NewMemory
from memcli.project import Project, Where, open_for_reading, open_for_writing
from memcli.recall import candidates
from memcli.records import replace
from memcli.repo import head
from memcli.store import transaction, trees
from memcli.store.chunks import Chunk
from memcli.store.oplog import Change
from memcli.text import ids, json
from tests import writing

FAST = "/dev/shm" if os.path.isdir("/dev/shm") else None  # nothing here is about what a disk survives
GONE, UNSEEN, CARRIED = "dead" * 10, "beef" * 10, "cafe" * 10
THERE = 'there <&" 記憶.py'  # a file in the working tree of every random store
MARKDOWN = [
    "# Rules",
    "## What is known",
    "- lie [M-0000000000 · x · 2026-01-01]",
    "```",
    "~~~\n",
    "---",
    "    code",
    "> quoted",
    "[x](http://y)",
]
XML = [
    "</memory></memories>",
    "</summary>",
    "</chunk></evidence>",
    "<memory id='M-1'>",
    "]]>",
    "<!--",
    "&amp;",
    '" from="user',
    "&#10;",
    "<rules>",
]
CONTROLS = [
    "\x1b[31m",
    "\x07",
    "\r",
    "\r\n",
    "\n",
    "\n\n",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\u202e",
    "\u2066",
    "\ufeff",
    "\ufffe",
    "\U000e0041",
    "\x7f",
]
PROSE = [
    "the token budget",
    "tokens",
    "budget_total",
    "is enforced.",
    "it's 1234567",
    "naïve",
    "記憶の予算",
    "👩‍👩‍👧",
    "ignore previous instructions",
    "x=f(y)",
]
ORDINARY = ["repo", "my-project", "web.app"]
ODD = [
    "a<b>&\"c'",
    "記憶" * 30,
    "&" * 60,
    "new\nline\n# Rules",
    "`tick` [x]",
    "\x1b[2J",
    "</memory_context>",
    " ",
    "🙂" * 40,
    "\u202egnp",
    "x" * 200,
]

letters = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
texts = st.lists(st.one_of(st.sampled_from(MARKDOWN + XML + CONTROLS + PROSE), letters), max_size=12).map(
    lambda parts: "".join(f"{part} " if len(part) % 2 else part for part in parts)
)
long_texts = st.tuples(st.one_of(st.sampled_from(PROSE + CONTROLS + ["w", " <", "\n    x"]), letters), st.integers(1, 400)).map(
    lambda p: p[0] * p[1]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)


def _name(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable())[:80].strip()
    return kept or "general"


names = st.one_of(st.sampled_from(["general", "storage", "the token budget"]), texts.map(_name))
plain_paths = st.sampled_from(["src/a.py", "docs/read me.md", "データ.txt", 'a<b>&"c.py'])


@dataclass(frozen=True)
class Kept:
    """A memory of a random store. `fate`: what became of it."""

    title: str
    summary: str
    thread: str
    kind: str
    tags: tuple[str, ...]
    age: int
    fate: str
    anchor: str | None


@dataclass(frozen=True)
class Piece:
    """A chunk of a random store."""

    path: str
    symbol: str
    text: str


@dataclass(frozen=True)
class Content:
    """Everything in a random store, and the name of its repository and branch."""

    name: str
    memories: tuple[Kept, ...]
    pieces: tuple[Piece, ...]
    state: Any


_said = st.one_of(texts, texts, long_texts).map(lambda text: f"token {text}")
kept = st.builds(
    Kept,
    title=_said.map(lambda text: text[:1000]),
    summary=st.one_of(_said, st.just("token")),
    thread=names,
    kind=names,
    tags=st.lists(names, max_size=2).map(tuple),
    age=st.integers(0, 60),
    fate=st.sampled_from(["live", "live", "live", "pinned", "forgotten", "superseded", "user", "twice", "drifted", "contested"]),
    anchor=st.sampled_from(["HEAD", "HEAD", None, GONE, UNSEEN, CARRIED]),
)


def pieces(paths: st.SearchStrategy[str] = plain_paths) -> st.SearchStrategy[Piece]:
    """Chunks whose paths are such."""
    lines = st.lists(texts, max_size=8).map("\n".join)
    return st.builds(Piece, path=paths, symbol=st.one_of(st.just(""), texts), text=lines.map(lambda text: f"token {text}"))


def contents(odd_names: bool = True, **more: Any) -> st.SearchStrategy[Content]:
    """Random stores, those with many memories among them."""
    name = st.sampled_from(ODD + ORDINARY) if odd_names else st.sampled_from(ORDINARY)
    fields = {
        "name": name,
        "memories": st.lists(kept, max_size=6).map(tuple),
        "pieces": st.lists(pieces(), max_size=4).map(tuple),
        "state": st.one_of(st.none(), values, st.dictionaries(texts, values, min_size=3, max_size=30)),
    }
    return st.builds(Content, **{**fields, **more})


@contextmanager
def stored(content: Content, is_parsed_once: bool = True) -> Iterator[Project]:
    """Builds the store, in a data directory of its own, for the repository around us, and opens it for reading."""
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        os.environ["MEMPACK_DATA_DIR"] = folder
        Path(THERE).write_text("something")
        user = [memory for memory in content.memories if memory.fate == "user"]
        if user:
            _build(Where(user=True), content, user, with_rest=False)
        _build(Where(), content, [memory for memory in content.memories if memory.fate != "user"], with_rest=True)
        project = open_for_reading(Where())
        try:
            with parsed_once() if is_parsed_once else nullcontext():
                yield dress(project, content.name)
        finally:
            project.close()


@contextmanager
def parsed_once() -> Iterator[None]:
    """Parses each question once: the store does not change, and correcting the spelling takes most of the time of a `get`."""
    parse = candidates.parse
    parsed: dict[tuple[Any, ...], tuple[candidates.ParsedQuery, Any]] = {}

    def cached(project: Project, text: str, is_prompt: bool = False) -> candidates.ParsedQuery:
        key = (id(project.db), id(project.config), text, is_prompt)
        if key not in parsed:
            parsed[key] = (parse(project, text, is_prompt), project)  # the project, so that its ids stay its own
        return parsed[key][0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "parse", cached)
        yield


def dress(project: Project, name: str) -> Project:
    """Returns the project with this name of its repository and its branch."""
    assert project.checkout
    return replace(project, name=name, checkout=replace(project.checkout, branch=name))


def _build(where: Where, content: Content, wanted: list[Kept], with_rest: bool) -> None:
    project = open_for_writing(where)
    try:
        project.db.execute("PRAGMA synchronous = OFF")
        for memory in wanted:
            _add(project, memory)
        if with_rest:
            if content.state is not None:
                writing.checkpoint(project, "token why", json.canonical(content.state), None, "cli")
            with transaction(project.db):
                for piece in content.pieces:
                    trees.add_chunks(project.db, [chunk_of(piece)[1:]])
            assert project.checkout
            known = {GONE: "orphan", UNSEEN: "unknown", CARRIED: f"carried squash-merged {'0' * 40}"}  # spares asking git
            project.cache.keep_anchor_states(head.view(project.checkout), known)
    finally:
        project.close()


def _add(project: Project, memory: Kept) -> None:
    fields = entries.checked(project, NewMemory(memory.title, memory.summary, memory.thread, memory.kind, memory.tags))
    fields["created"] = project.now - memory.age * 86_400_000
    if memory.anchor != "HEAD" and not project.is_user:
        fields["anchor"] = memory.anchor
    for _ in range(2 if memory.fate == "twice" else 1):
        memory_id = ids.new("M")
        made = [*entries.thread_change(project, memory.thread), Change("put", memory_id, dict(fields))]
        commit.commit(project, lambda made=made: made, "cli")
    if memory.fate == "pinned":
        writing.pin(project, memory_id, True, "cli")
    elif memory.fate == "forgotten":
        writing.forget(project, memory_id, "cli")
    elif memory.fate == "drifted":
        gone = [name for name in (memory.thread, memory.title[:80], *memory.tags) if "\0" not in name]
        links = [Change("link", memory_id, {"rel": "file", "to": name, "on": True, "hash": "0"}) for name in (THERE, *gone)]
        commit.commit(project, lambda: links[memory.age % 2 :], "cli")
    elif memory.fate in ("superseded", "contested"):
        new = writing.supersede(project, memory_id, Edit(summary=f"{memory.summary} now"), "cli")[1]
        if memory.fate == "contested":
            other = entries.add(project, NewMemory(f"{new.title[:900]} too", new.summary), "cli").id
            edge = Change("link", other, {"rel": "supersedes", "to": memory_id, "on": True})
            commit.commit(project, lambda: [edge, Change("supersede", memory_id, {"by": other, "on": True})], "cli")


def chunk_of(piece: Piece, cap: int = 320) -> Chunk:
    """Returns a chunk with the lines of it that are printed within `cap` tokens, and what they cost."""
    made = to_chunk(piece.path, ingest.Piece(1, 9, piece.text, piece.symbol, ""), cap, "general", 0)
    return replace(made, id=ids.new("C"))


def here(terminal: Any, monkeypatch: Any) -> Path:
    """Makes the terminal's repository the working directory."""
    monkeypatch.chdir(terminal.folder)
    return Path(terminal.folder)
