"""The repository that tests of ingestion begin with."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal
from tests.ingest.trees import counts, ingest, paragraphs, write


@pytest.fixture
def tree(terminal: Terminal) -> Terminal:
    """A repository with three committed files, ingested."""
    write(
        terminal.folder, {"a.txt": paragraphs("alpha", "beta"), "docs/b.md": "about bees\n", "lib/c.py": "def sea():\n    pass\n"}
    )
    terminal.git("add", ".")
    terminal.git("commit", "-q", "-m", "files")
    assert counts(ingest(terminal)) == (3, 0, 0, 0)
    return terminal
