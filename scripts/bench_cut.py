#!/usr/bin/env python3
"""Measures cutting and counting on one core, over the standard library's own sources: `bench_cut.py [FOLDER]`.

Prints MB of source per second of processor time for the parser alone, for cutting (which counts every line), and for cutting
and making the chunks with their words and counts; and how many tokens of its cap a chunk uses.
"""

import sys
import sysconfig
import time
from pathlib import Path

from memcli.ingest.chunk import to_chunk
from memcli.ingest.cut import cut, grammars, languages
from memcli.ingest.cut.rules import GRAMMARS
from memcli.settings import SETTINGS
from memcli.text import forms


def main(arguments):
    root = Path(arguments[0] if arguments else sysconfig.get_path("stdlib"))
    cap = SETTINGS["budget.chunk_each"][0]
    spent = dict.fromkeys(("parsed", "cut", "finished"), 0.0)
    chars, sizes, clipped = 0, [], 0
    for path, text in sources(root):
        chars += len(text)
        language = languages.of(path, text.split("\n", 1)[:1])
        data = text.encode("utf-8", "replace")
        began = time.process_time()
        if language in GRAMMARS:
            grammars.parse(language, data)
        parsed = time.process_time()
        pieces = cut(path, text).pieces
        done = time.process_time()
        chunks = [to_chunk(path, piece, cap, "general", 0) for piece in pieces]
        ended = time.process_time()
        spent["parsed"] += parsed - began
        spent["cut"] += done - parsed
        spent["finished"] += ended - parsed
        sizes += [chunk.prompt_tokens for chunk in chunks]
        clipped += sum(chunk.shown_lines < len(forms.chunk_lines(chunk.text)) for chunk in chunks)
    print(f"{chars / 1e6:.1f} MB, {len(sizes)} chunks of {sum(sizes) / len(sizes):.0f} tokens, {clipped} not shown whole")
    for name, seconds in spent.items():
        print(f"{name}: {seconds:.1f} s, {chars / 1e6 / seconds:.1f} MB/s")


def sources(root):
    """Yields (path, text) of the files below a folder that are text, but not of what is installed in it."""
    for path in sorted(root.rglob("*.py") if root == Path(sysconfig.get_path("stdlib")) else root.rglob("*")):
        if path.is_file() and "site-packages" not in path.relative_to(root).parts and path.stat().st_size < 2 << 20:
            data = path.read_bytes()
            if b"\0" not in data[:8000]:
                yield path.relative_to(root).as_posix(), data.decode("utf-8", "replace")


if __name__ == "__main__":
    main(sys.argv[1:])
