#!/usr/bin/env python3
"""Measures whether a question finds the function it is about, in a tree of real Python sources: `eval_evidence.py --help`.

Functions with a docstring are asked for in four ways: by the first sentence of the docstring, which stands in the chunk or was
taken out of all chunks; by name ("where is parse_header defined?"); and by the words of the file's name and the function's. A
question counts where its chunk is among the first four, which a pack prints. hit@1 and the mean reciprocal rank say how early.
"""

import argparse
import ast
import os
import random
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from memcli.project import Where, open_for_writing
from memcli.recall import candidates, chunk_relevance
from memcli.store import rows, transaction, trees
from memcli.store.chunks import Chunk
from memcli.text import analysis, ids
from memcli.validity.chunks import WorkingTree

SEED = 7
PRINTED = 4
LINES = 40  # of a chunk of what stands outside of functions
LONGEST = 80  # lines of a function's chunk; a longer function is cut into several, of which the first is asked for
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests"}  # directories
LEAST_WORDS = 4  # of a docstring's sentence that is a question


def main():
    options = arguments()
    root = Path(options.tree or sysconfig.get_path("stdlib"))
    files = [path for path in sorted(root.rglob("*.py")) if LEFT_OUT.isdisjoint(path.relative_to(root).parts)]
    modules = [parsed for path in files if (parsed := module(root, path))]
    weights = dict(pair.split("=") for pair in options.set)
    for kind, question in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            project, targets = store(Path(folder), modules, bare=kind == "sentence, docstrings out")
            project.config.values.update({key: (float(value), "user") for key, value in weights.items()})
            show(kind, [rank(project, text, n) for text, n in chosen(targets, question, options.questions)])
            project.close()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", metavar="DIR", help="the sources (the standard library of this Python)")
    parser.add_argument("--questions", type=int, default=500, metavar="N", help="of each kind (500)")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=N", help="a setting, such as rank.chunk_locator=2")
    return parser.parse_args()


def module(root, path):
    """Returns (path, lines, tree) of a source file, None for one that cannot be parsed."""
    try:
        text = path.read_text(encoding="utf-8")
        return path.relative_to(root).as_posix(), text.split("\n"), ast.parse(text)
    except (UnicodeDecodeError, SyntaxError, ValueError):
        return None


def store(folder, modules, bare):
    """Fills a store with the chunks of all modules. Returns it, and (row, path, symbol, docstring) of every function in it.

    `bare`: without the docstrings of functions.
    """
    subprocess.run(["git", "init", "-q", folder], check=True)
    os.environ.update(MEMPACK_DATA_DIR=str(folder / "data"), MEMPACK_CONFIG_DIR=str(folder / "config"))
    os.chdir(folder)
    project = open_for_writing(Where())
    targets = []
    rows(project.db, "PRAGMA synchronous = OFF")
    with transaction(project.db):
        n = 0
        for path, lines, tree in modules:
            for first, piece, symbol, docstring in pieces(lines, tree, bare):
                n += 1
                if docstring:
                    targets.append((n, path, symbol, docstring))
                text = "\n".join(piece)
                words = analysis.extra_words(path, symbol, text, "python")
                location = (ids.new("C"), path, first, first + len(piece) - 1, symbol, "general", "python")
                trees.add_chunks(project.db, [Chunk(0, *location, text, words, 0, 0, 1, 1, 1)[1:]])
        rows(project.db, "INSERT INTO chunk_fts(chunk_fts) VALUES ('optimize')")
    print(f"{n:,} chunks of {len(modules):,} files, {len(targets):,} functions with a docstring", file=sys.stderr)
    return project, targets


def pieces(lines, tree, bare):
    """Yields (first line, lines, symbol, docstring) of every piece: whole functions, and what stands around them by lines."""
    end = 0
    for node, symbol in functions(tree, ""):
        first = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]]) - 1
        yield from plain(lines, end, first)
        body = lines[first : node.end_lineno]
        docstring = ast.get_docstring(node)
        if bare and docstring:
            statement = node.body[0]
            body = lines[first : statement.lineno - 1] + lines[statement.end_lineno : node.end_lineno]
        for start in range(0, len(body), LONGEST):
            if body[start : start + LONGEST]:
                yield first + start + 1, body[start : start + LONGEST], symbol, docstring if start == 0 else None
        end = node.end_lineno
    yield from plain(lines, end, len(lines))


def functions(node, above):
    """Yields the functions and methods of a module in their order, with their qualified names; not those inside others."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from functions(child, f"{above}{child.name}.")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, f"{above}{child.name}"
        elif isinstance(child, ast.If | ast.Try):
            yield from functions(child, above)


def plain(lines, start, end):
    for at in range(start, end, LINES):
        piece = lines[at : min(end, at + LINES)]
        if any(line.strip() for line in piece):
            name = next((match[1] for line in piece if (match := re.match(r"class (\w+)", line))), "")
            yield at + 1, piece, name, None


def sentence(path, symbol, docstring):
    """The first sentence of the docstring."""
    first = re.split(r"(?<=[.!?])\s|\n\n", docstring)[0]
    words = " ".join(first.split())
    return words if words.count(" ") >= LEAST_WORDS - 1 else None


def name(path, symbol, docstring):
    """Where a name is defined."""
    last = symbol.rpartition(".")[2]
    return None if last.startswith("__") or len(last) < 4 else f"where is {last} defined?"


def words(path, symbol, docstring):
    """The words of the file's name and of the function's."""
    name_words = analysis.parts(path.removesuffix(".py").rpartition("/")[2]) + [
        word for name in symbol.split(".") for word in analysis.parts(name)
    ]
    return " ".join(name_words).lower() if len(name_words) > 2 else None


KINDS = {"sentence": sentence, "sentence, docstrings out": sentence, "name": name, "words of file and name": words}


def chosen(targets, question, count):
    """Returns some questions, the same ones each time, whose answer is one: (question, row)."""
    by_text = {}
    for n, path, symbol, docstring in targets:
        if text := question(path, symbol, docstring):
            by_text.setdefault(text, []).append(n)
    unique = sorted([(text, numbers[0]) for text, numbers in by_text.items() if len(numbers) == 1])
    return random.Random(SEED).sample(unique, min(count, len(unique)))


def rank(project, question, n):
    """Returns the place of the chunk among those that are looked at, 0 for none."""
    matches = chunk_relevance.matching(project, candidates.parse(project, question), only=WorkingTree(project).only)
    ranking = [match.n for match in matches]
    return ranking.index(n) + 1 if n in ranking else 0


def show(kind, ranks):
    count = len(ranks)
    at_4, at_1 = (sum([1 for position in ranks if 0 < position <= most]) / count for most in (PRINTED, 1))
    reciprocal = sum([1 / position for position in ranks if position]) / count
    print(f"{kind:26} {count:5} questions   hit@4 {at_4:.3f}   hit@1 {at_1:.3f}   MRR {reciprocal:.3f}", flush=True)


if __name__ == "__main__":
    main()
