"""Texts of odd forms, as long as they are kept, are read once, however much of a turn is worked up with them."""

from __future__ import annotations

from collections import Counter

import pytest

from memcli.agents.capture.normalize import MAX_TEXT
from memcli.text import clauses, quotations
from tests.agents.worker.events import Events

ODD = {
    "one word, again and again": "a ",
    "bullets": "\n- ",
    "rows": "| a | b |\n",
    "decisions": "We decided to use Redis. ",
}


@pytest.mark.parametrize("piece", ODD.values(), ids=ODD.keys())
def test_each_text_of_a_turn_is_looked_through_for_quotations_once(
    events: Events, monkeypatch: pytest.MonkeyPatch, piece: str
) -> None:
    looked = Counter[tuple[str, bool]]()
    blocks = quotations._Scan.blocks

    def count(scan: quotations._Scan) -> None:
        looked[scan.text, scan.is_answer] += 1
        blocks(scan)

    monkeypatch.setattr(quotations._Scan, "blocks", count)
    text = (piece * MAX_TEXT)[:MAX_TEXT]
    quotations._marked.cache_clear()
    for number in range(2):
        events.prompt(f"Fix {number}. {text}"[:MAX_TEXT])
        events.shell("npm test", f"Error: it failed {number}\n{text}", failed=1)
        events.stop(f"Done {number}. {text}"[:MAX_TEXT])
    events.end()
    assert events.work() == 7
    assert max(looked.values()) == 1


def test_what_a_sentence_rejects_is_read_for_each_of_them_not_for_each_pair(
    events: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    rejected = clauses.rejected

    def note(sentence: str) -> list[str]:
        read.append(sentence)
        return rejected(sentence)

    monkeypatch.setattr(clauses, "rejected", note)
    decided = [f"We decided to use store{number} because it is fast." for number in range(100)]
    for _ in range(2):
        events.prompt("\n".join(decided))
        events.stop()
    events.end()
    events.work()
    assert len(read) < 10 * len(decided)
