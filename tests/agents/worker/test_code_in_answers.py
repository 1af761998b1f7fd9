"""Code in an answer is told as it was written: a short command in its sentence, several lines on lines of their own."""

from __future__ import annotations

import re

import pytest

from memcli.text import forms
from tests.agents.worker.events import Events

ANSWER = """The nightly export stalls behind the importer. The command that shows who holds the lock is:

```
exporter locks --nightly
```

It needs the role of an administrator.

## Restarting the nightly export

Stop the importer and the nightly export, in that order:

```sh
importer stop

exporter restart
```
"""


@pytest.fixture
def answered(events: Events, monkeypatch: pytest.MonkeyPatch) -> Events:
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    events.prompt("How do I see who holds the lock of the nightly export, and how do I restart it?")
    events.stop(ANSWER)
    events.terminal.mem("worker", "run")
    return events


def test_a_short_command_stands_in_the_sentence(answered: Events) -> None:
    text = answered.terminal.mem("get", "command for the lock of the nightly export", "--format", "prompt").out
    assert "`exporter locks --nightly`" in text
    assert "``` exporter" not in text


def test_code_of_several_lines_keeps_its_lines_and_cannot_begin_a_line_of_the_pack(answered: Events) -> None:
    text = answered.terminal.mem("get", "restart the nightly export", "--format", "prompt").out
    assert re.search(r"\n  ```sh\n  importer stop\n\n  exporter restart\n  ```\n  \[pasted or quoted\]\n", text), text


def test_in_xml_a_summary_stays_on_one_line(answered: Events) -> None:
    text = answered.terminal.mem("get", "restart the nightly export", "--format", "xml").out
    assert re.search(r"<summary>[^\n]*importer stop exporter restart[^\n]*</summary>", text), text


def test_a_memory_with_code_is_told_the_same_way(answered: Events) -> None:
    answered.terminal.mem("add", "Deploying the website", "--summary", "Run this:\n\n```\nmake site\n```\n\nThen wait.")
    text = answered.terminal.mem("get", "deploying the website", "--format", "prompt").out
    assert "  Run this: `make site` Then wait.\n" in text


def test_what_is_claimed_for_code_covers_what_is_printed(answered: Events) -> None:
    from tests.recall.test_pack import real

    pack = answered.terminal.mem("get", "restart the nightly export", "--json").json
    text = answered.terminal.mem("get", "restart the nightly export", "--format", "prompt").out
    assert real(text) <= pack["budget"]["used_total"]


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("```\nls\n```", "`ls`"),
        ("See:\n~~~\na `b`\n~~~", "See:\n~~~\na `b`\n~~~"),
        ("It ends:\n```\nls", "It ends: `ls`"),
        ("Nothing:\n```\n```\nhere", "Nothing: here"),
        ("a\n  ```\n  x\n    y\n  ```", "a\n```\nx\n  y\n```"),
        ("one ```x``` line\nand more", "one ```x``` line and more"),
    ],
)
def test_how_code_is_printed(text: str, printed: str) -> None:
    assert forms.printed_text(text) == printed


def test_no_line_of_code_begins_a_line_of_its_own() -> None:
    assert all(line.startswith(("  ", "a")) or not line for line in forms.indented("a\n```\n- b\n\n# c\n```", "  ").split("\n"))


def test_a_longer_fence_ends_with_as_many_signs() -> None:
    code = "````md\n# Title\n```py\na = 1\nb = 2\n```\nmore\n````"
    assert forms.printed_text(f"Write it:\n{code}\nDone.") == f"Write it:\n{code}\nDone."
