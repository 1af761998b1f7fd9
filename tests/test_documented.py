"""The defaults of settings that the documents name are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

from memcli.settings import SETTINGS

DOCS = Path(__file__).parents[1] / "docs"
NAMED = re.compile(r"`([a-z]+\.[a-z_]+)` (?:\(|\| )((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?=\)| \|)")  # in a text or a table


def test_defaults_in_the_documents_are_those_of_the_settings() -> None:
    named = [(path.name, *match) for path in DOCS.glob("*.md") for match in NAMED.findall(path.read_text(encoding="utf-8"))]
    wrong = [
        (document, key, text)
        for document, key, text in named
        if key in SETTINGS and float(text.replace(",", "")) != float(SETTINGS[key][0])
    ]
    assert len(named) > 15
    assert wrong == []
