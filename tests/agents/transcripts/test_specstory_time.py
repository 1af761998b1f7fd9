"""A Markdown session that somebody broke on purpose is read in time that goes with its size."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memcli.agents.transcripts import transcripts

SECONDS = 3  # of processor time, where a search that goes back and forth would take minutes
HEAD = "<!-- Claude Code Session s (2026-03-01 10:00:00Z) -->\n\n_**User (2026-03-01 10:00Z)**_\n\nhi\n\n---\n\n_**Agent**_\n\n"


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- " + "Ge" * 300_000,
        "<!-- x Session a (" * 40_000,
        "<think>" * 80_000,
        '<tool-use data-tool-type="' * 30_000,
        "<tool-use></tool-use>" * 30_000,
        '<tool-use data-tool-type="shell">\n' + "```a\n" * 100_000,
    ],
)
def test_no_text_makes_a_session_slow(tmp_path: Path, piece: str) -> None:
    path = tmp_path / "s.md"
    for text in (f"{piece}\n{HEAD}", f"{HEAD}{piece}\n"):
        path.write_text(text)
        began = time.process_time()
        found = transcripts("specstory", str(path), ())
        assert len(list(found.sessions(found.sources()))) == 1
        assert time.process_time() - began < SECONDS
