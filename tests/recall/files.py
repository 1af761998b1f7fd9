"""Files of a working tree as an ingestion stores them: one chunk a paragraph. Written straight into the tables."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from memcli.project import Project, Where, open_for_writing
from memcli.records import replace
from memcli.repo import worktree
from memcli.screening import is_suspicious
from memcli.store import chunks, rows, search, transaction, trees
from memcli.store.vocabulary import ranks
from memcli.text import forms, ids, tokens
from memcli.text.analysis import extra_words
from tests.conftest import Terminal

LONG_AGO = 1_700_000_000_000_000_000  # ns: what was written then is not confused with what a test writes now


def write(terminal: Terminal, **files: str) -> None:
    """Writes files (`a_py="text"` is a.py, `src__a_py` is src/a.py), as if it had been long ago."""
    for name, text in files.items():
        path = terminal.folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, ns=(LONG_AGO, LONG_AGO))


def ingest(terminal: Terminal, *paths: str) -> None:
    """Brings the store into step with these files of the terminal's tree; of all that it holds, where none is named."""
    before = os.getcwd()
    os.chdir(terminal.folder)
    project = open_for_writing(Where())
    try:
        with transaction(project.db):
            tree = _tree(project)
            kept = [path for (path,) in rows(project.db, "SELECT path FROM tree_file WHERE tree = ?", (tree,))]
            for path in paths or kept:
                _put(project, tree, path)
            _sweep(project)
            search.tidy(project.db, "chunk")
    finally:
        project.close()
        os.chdir(before)


def keep(project: Project, path: str, text: str, first: int = 1, artifact: int = 0, symbol: str = "") -> str:
    """Stores one chunk inside the caller's transaction. Returns its id."""
    number = 0
    while chunks.by_prefix(project.db, chunk_id(text, number), 1):
        number += 1
    words = extra_words(path, symbol, text)
    place = (chunk_id(text, number), path, first, first + text.count("\n"), symbol, "general", "python" if artifact else "")
    chunk = chunks.Chunk(0, *place, text, words, 0, int(is_suspicious(text)), 0, 0, 0, artifact, "function" if symbol else "")
    lines = forms.chunk_lines(text)
    counts = [sum(tokens.count(part, ranks()) for part in form(lines)) for form in (chunk.in_prompt, chunk.in_xml)]
    trees.add_chunks(project.db, [replace(chunk, shown_lines=len(lines), prompt_tokens=counts[0], xml_tokens=counts[1])[1:]])
    return chunk.id


def chunk_id(text: str, number: int = 0) -> str:
    """An id that follows from a text."""
    return "C-" + ids.encode(int.from_bytes(hashlib.sha1(f"{text}\0{number}".encode()).digest()[:7], "big"), ids.LENGTH)


def pieces(text: str) -> Sequence[tuple[int, str]]:
    """The paragraphs of a text with the numbers of their first lines."""
    found, line = [], 1
    for part in re.split(r"\n\n+", text.rstrip("\n")):
        first = text.count("\n", 0, text.index(part)) + 1 if text.count(part) == 1 else line
        found.append((first, part))
        line = first + part.count("\n") + 2
    return found


def _tree(project: Project) -> int:
    inode = worktree.inode(project.root, project.checkout)
    found = trees.find(project.db, project.root, inode)
    if found is None:
        rows(project.db, "INSERT INTO tree(root, inode) VALUES (?, ?)", (project.root, inode))
        found = trees.find(project.db, project.root, inode)
    assert found
    return found


def _put(project: Project, tree: int, path: str) -> None:
    db, file = project.db, Path(project.root) / path
    rows(db, "DELETE FROM tree_file WHERE tree = ? AND path = ?", (tree, path))
    _sweep(project)
    if not file.exists():
        return
    content, stamp = file.read_bytes(), worktree.stamp(project.root, path)
    assert stamp
    blob = worktree.blob_id(content)
    known = rows(db, "SELECT n FROM artifact WHERE path = ? AND hash = ?", (path, blob))
    if not known:
        rows(db, "INSERT INTO artifact(path, hash, language, cut_by) VALUES (?, ?, 'python', 'test')", (path, blob))
        known = [(db.last_insert_rowid(),)]
        for first, text in pieces(content.decode()):
            name = re.search(r"(?:def|class) (\w+)", text)
            keep(project, path, text, first, known[0][0], name[1] if name else "")
    rows(
        db,
        "INSERT INTO tree_file(tree, path, artifact, size, mtime_ns) VALUES (?, ?, ?, ?, ?)",
        (tree, path, known[0][0], *stamp),
    )


def _sweep(project: Project) -> None:
    db = project.db
    for (artifact,) in rows(db, "SELECT n FROM artifact WHERE n NOT IN (SELECT artifact FROM tree_file)"):
        numbers = [n for (n,) in rows(db, "SELECT n FROM chunk WHERE artifact = ?", (artifact,))]
        for chunk in chunks.by_numbers(db, numbers).values():
            chunks.remove(db, chunk)
        rows(db, "DELETE FROM artifact WHERE n = ?", (artifact,))
