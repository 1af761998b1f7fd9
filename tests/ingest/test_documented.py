"""The settings and limits that docs/ingestion.md names are those of the code."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.ingest import counting, pool, rules, watch
from memcli.ingest.cut import document, grammars
from memcli.ingest.cut.rules import GRAMMARS
from memcli.settings import SETTINGS
from memcli.text import forms

TEXT = " ".join((Path(__file__).parents[2] / "docs/ingestion.md").read_text(encoding="utf-8").split())
NUMBERS = {3: "three"}


@pytest.mark.parametrize(
    "sentence",
    [
        f"larger than `ingest.max_file_mb` ({SETTINGS['ingest.max_file_mb'][0]}) MiB",
        f"`--chunk-tokens` ({SETTINGS['ingest.chunk_tokens'][0]})",
        f"`--overlap-tokens` ({SETTINGS['ingest.overlap_tokens'][0]})",
        f"a line of more than {rules.MAX_LINE:,} characters",
        f"in the first {rules.MARK_LINES} lines",
        f"Up to {NUMBERS[pool.MAX_PROCESSES]} processes read files",
        f"more than {watch.MAX_PATHS} paths change",
        f"after {watch.IDLE} quiet seconds",
        f"a heading of {document._HEADING_TOKENS} tokens",
        f"more than {grammars.SECONDS:g} seconds and {grammars.SECONDS_PER_MB:g} seconds a MB",
        f"larger than {grammars.MAX_BYTES >> 20} MB",
        f"a line longer than {document.CLIP:,} characters",
        f"folded at {forms.FOLD} characters",
        f"after {counting._MAX_LOOKUPS:,} pieces",
    ],
)
def test_a_limit_is_documented_as_it_is(sentence: str) -> None:
    assert sentence in TEXT


def test_every_language_with_a_grammar_is_documented() -> None:
    names = {"csharp": "C#", "cpp": "C++"}
    row = next(row for row in TEXT.split("| at definitions")[0].split("| --- | --- | --- |")[-1:])
    assert {names.get(language, language).lower() for language in GRAMMARS} == {
        name.strip(" |").lower() for name in row.split(",")
    }
