#!/usr/bin/env python3
"""Makes docs/images/terminal.svg, a real session of mem in a made-up repository: `terminal_shot.py [FILE]`."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.page_shots import made  # noqa: E402
from tests.conftest import Terminal  # noqa: E402

WIDTH = 96
LINES = (
    "mem get why are people logged out at checkout",
    "git checkout -q redis && mem get why are people logged out at checkout",
    "git checkout -q main && mem why session_store.py:5",
)
FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)  # they would be fetched from a server


def screen(terminal: Terminal, line: str) -> str:
    """Returns what a terminal shows of a command line."""
    ours, theirs = pty.openpty()
    script = f'mem() {{ "{sys.executable}" -m memcli "$@"; }}\n{line}'
    env = terminal.env | {"COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    with subprocess.Popen(["sh", "-c", script], cwd=terminal.folder, env=env, stdout=theirs, stderr=theirs):
        os.close(theirs)
        printed = b""
        try:
            while piece := os.read(ours, 65_536):
                printed += piece
        except OSError:  # the command ended
            pass
    os.close(ours)
    return printed.decode().replace("\r\n", "\n").rstrip("\n")


def main(path: Path) -> None:
    """Makes the picture."""
    with tempfile.TemporaryDirectory() as base:
        terminal = made(Path(base))
        console = Console(record=True, width=WIDTH, file=io.StringIO())
        for number, line in enumerate(LINES):
            console.print(Text(("\n" if number else "") + f"$ {line}", style="bold"))
            console.print(Text.from_ansi(screen(terminal, line)))
    picture = console.export_svg(title="shop", theme=MONOKAI, unique_id="terminal")
    path.write_text(FONTS.sub("", picture), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images" / "terminal.svg")
