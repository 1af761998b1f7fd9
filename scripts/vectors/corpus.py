"""Texts and pairs of texts out of packages: what a docstring says and what it describes, a heading and what stands under it."""

from __future__ import annotations

import ast
import hashlib
import random
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

Pair = tuple[str, str, str]  # source of the pair, and two texts of one meaning

MOST_PAIRS = 9_000  # of a package
MOST_FILES = 900
MOST_BYTES = 400_000  # of a file
_DOCUMENTED = 40  # functions and classes of a file
_LONGEST = 400  # characters of a text
_SENTENCE = range(4, 41)  # words
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKUP = (
    (re.compile(r":\w+:`~?([^`<]*)(<[^`]*>)?`"), r"\1"),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"[`*_|=#~^\\]+"), " "),
)
_PROSE = (".rst", ".md", ".txt")
_LEGAL = re.compile(r"licen[sc]e|copying|authors|requirements|top_level|sources\.txt|record", re.I)
_TEST = re.compile(r"(^|/)tests?[/_]", re.I)


class Corpus:
    """What was read: `pairs` of texts that mean the same, and `texts` by themselves, each once."""

    def __init__(self, folder: Path) -> None:
        """Reads every wheel and source archive in a folder."""
        self.pairs: list[Pair] = []
        self.texts: list[str] = []
        self._seen: set[bytes] = set()
        for path in sorted(folder.iterdir()):
            self._read(path)
        self.pairs = list(dict.fromkeys(self.pairs))
        self.texts = list(dict.fromkeys(self.texts))
        random.shuffle(self.pairs)
        random.shuffle(self.texts)

    def _read(self, path: Path) -> None:
        before = len(self.pairs)
        for name, content in files(path):
            digest = hashlib.sha1(content).digest()
            if digest in self._seen:
                continue
            self._seen.add(digest)
            text = content.decode("utf-8", "replace")
            (self._code if name.endswith(".py") else self._prose)(text)
        if len(self.pairs) - before > MOST_PAIRS:
            self.pairs[before:] = random.sample(self.pairs[before:], MOST_PAIRS)

    def _code(self, source: str) -> None:
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError, RecursionError):
            return
        documented = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef)]
        for node in [node for node in documented if ast.get_docstring(node)][:_DOCUMENTED]:
            first, *rest = (ast.get_docstring(node) or "").split("\n\n")
            first, rest_text = plain(first), plain("\n\n".join(rest))[:_LONGEST]
            if len(first.split()) not in _SENTENCE:
                continue
            self.texts.append(first)
            self.pairs.append(("code", first, described(node)))
            if len(rest_text.split()) >= 8:
                self.pairs.append(("docstring", first, rest_text))

    def _prose(self, text: str) -> None:
        heading = ""
        for paragraph in re.split(r"\n\s*\n", text):
            flat = plain(paragraph)
            count = len(flat.split())
            if count <= 9 and not flat.endswith("."):
                heading = flat
            elif 8 <= count <= 200:
                self._paragraph(heading, flat)
        self.texts += [item for item in map(plain, re.findall(r"(?m)^\s*[-*] (.{25,200})$", text)) if len(item.split()) > 4]

    def _paragraph(self, heading: str, text: str) -> None:
        sentences = [part for part in re.split(r"(?<=[.!?])\s+", text) if len(part.split()) in _SENTENCE]
        self.texts += sentences[:3]
        if heading and sentences:
            self.pairs.append(("heading", heading, text[:_LONGEST]))
        if len(sentences) > 1:
            at = random.randrange(len(sentences))
            self.pairs.append(("context", sentences[at], " ".join(sentences[:at] + sentences[at + 1 :])[:_LONGEST]))


def files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yields (name, content) of the code and prose of a package, without tests and legal texts, up to MOST_FILES."""
    count = 0
    for name, size, content in members(path):
        is_wanted = name.endswith((".py", *_PROSE)) and size <= MOST_BYTES and not _TEST.search(name) and not _LEGAL.search(name)
        if is_wanted and count < MOST_FILES:
            count += 1
            yield name, content()


def members(path: Path) -> Iterator[tuple[str, int, object]]:
    """Yields (name, bytes, function that reads it) of each file in an archive."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                yield info.filename.lower(), info.file_size, lambda info=info: archive.read(info)
    elif path.suffix in (".gz", ".bz2", ".xz"):
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile():
                    yield member.name.lower(), member.size, lambda member=member: archive.extractfile(member).read()


def plain(text: str) -> str:
    """Returns a text on one line, without markup and addresses."""
    for pattern, replacement in _MARKUP:
        text = pattern.sub(replacement, text)
    return " ".join(text.split())


def described(node: ast.AST) -> str:
    """Returns the name of a function or class and the names and short texts in it, without its docstring."""
    docstring = ast.get_docstring(node, clean=False)
    names = []
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            names.append(part.id)
        elif isinstance(part, ast.Attribute):
            names.append(part.attr)
        elif isinstance(part, ast.arg):
            names.append(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value != docstring and len(part.value) < 80:
            names.append(part.value)
    name = _HUMP.sub(" ", node.name).replace("_", " ")
    return f"{name} {' '.join(dict.fromkeys(names))}"[:_LONGEST]
