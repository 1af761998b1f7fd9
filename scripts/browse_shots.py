#!/usr/bin/env python3
"""Makes docs/images/browse-*.svg, mem browse over the repository of scripts/page_shots.py: `browse_shots.py [FOLDER]`."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.page_shots import made  # noqa: E402
from tests.browse.screen import Screen, browsing  # noqa: E402

FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)  # they would be fetched from a server
TASK = "why are sessions lost at checkout"


def main(folder: Path) -> None:
    """Makes the pictures."""

    def keep(screen: Screen, name: str) -> None:
        picture = FONTS.sub("", screen.picture())
        (folder / f"browse-{name}.svg").write_text(picture + "\n", encoding="utf-8")

    with tempfile.TemporaryDirectory() as base:
        terminal = made(Path(base))
        os.environ.update(terminal.env)
        with browsing(terminal, "session", size=(100, 24)) as screen:
            keep(screen.press("escape"), "memories")
            keep(screen.press("2").type(TASK).press("escape"), "packs")
            screen.press("1").press("escape", "e")
            keep(screen, "edit")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
