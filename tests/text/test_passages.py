"""Long texts are split into passages: at headings, list items and paragraphs, never inside a sentence or a block of code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.text.passages import ENDLESS, LONGEST, sentences, split

ANSWER = """I found the cause.

## What happens

The prompt opens `/dev/tty` itself. Under pytest it waits for the keyboard.

## Options

1. Fall back to stdin, which echoes the password in logs, changes behaviour for everybody who relies on the terminal,
   and needs another release before anybody can use it.
2. Leave the code as it is and document the runner, which replaces the prompt and works with any input, also in a
   terminal that has a keyboard, without a release.

The command that works is:

```
pytest -q tests

echo done
```
"""


def test_each_passage_has_its_heading() -> None:
    assert [(part.heading, part.text.partition(" ")[0]) for part in split(ANSWER)] == [
        ("", "I"),
        ("What happens", "The"),
        ("Options", "1."),
        ("Options", "2."),
        ("Options: The command that works is", "```\npytest"),
    ]


def test_a_block_of_code_stays_whole() -> None:
    assert "pytest -q tests\n\necho done" in split(ANSWER)[-1].text


def test_short_items_stand_together_and_long_ones_alone() -> None:
    short = split("Left:\n- write the docs\n- run the tests\n- push the branch")
    assert [part.text for part in short] == ["write the docs;\nrun the tests;\npush the branch"]
    assert short[0].heading == "Left"


def test_a_long_paragraph_is_split_between_sentences() -> None:
    text = "One sentence tells what the queue does when a worker dies. " * 30
    parts = split(text)
    assert len(parts) > 1
    assert all(part.text.endswith(".") and len(part.text) <= LONGEST for part in parts)


def test_what_has_no_end_for_too_long_is_split_between_words() -> None:
    parts = split("word " * 3_000)
    assert max(len(part.text) for part in parts) <= ENDLESS
    assert " ".join(part.text for part in parts).split() == ["word"] * 3_000


def test_short_lines_by_themselves_are_kept() -> None:
    parts = split("fix the login bug\n\nuse postgres not sqlite\n\nthanks a lot")
    assert "fix the login bug" in [part.text for part in parts]
    assert ("use postgres not sqlite", "thanks a lot") in [(part.heading, part.text) for part in parts]


def test_code_stands_under_its_own_heading() -> None:
    parts = split("## Build\nRun the build with three workers.\n\n## Deploy\n```\nmake deploy\n```")
    assert [(part.heading, "make deploy" in part.text) for part in parts] == [("Build", False), ("Deploy", True)]


def test_a_fence_within_a_line_begins_no_block() -> None:
    parts = split("```ls -la``` shows the files.\nFrom now on never use sqlite in tests.\n\n- item one here\n- item two here")
    assert len(parts) == 2


def test_a_script_without_spaces_is_kept() -> None:
    text = "このプロジェクトではSQLiteを使わずにPostgreSQLを使ってください。"
    assert [part.text for part in split(text)] == [text]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("It is done. Push it.", 2),
        ("See e.g. the docs, i.e. nothing.", 1),
        ("It says `ALTER TABLE ... ADD`, which fails here. Rewrite it.", 2),  # what stands in code ends none
        ("A lone ` is no code. It goes on.", 2),
        ("1. Fix the login 2. Write a test", 1),  # the numbers of a list end no sentence
        ("Did it pass? Yes! It did.", 3),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, count: int) -> None:
    assert len(list(sentences(text))) == count


@given(st.text(alphabet="ab .\n-#`1:*|é", max_size=400))
def test_no_text_is_too_odd_and_sentences_lose_nothing(text: str) -> None:
    split(text)
    assert "".join(sentences(text)) == text


def test_a_paragraph_behind_the_list_of_a_heading_does_not_stand_under_it() -> None:
    parts = split("## Open\n\n- Metrics for rejected requests\n\nTests have to run without a cache.")
    assert [(part.heading, part.text) for part in parts] == [
        ("Open", "Metrics for rejected requests"),
        ("", "Tests have to run without a cache."),
    ]
    assert [part.heading for part in split("## Open\n\nThree points are left.\n\n- Metrics of it\n\nThe rest is done.")] == [
        "Open"
    ] * 3


@pytest.mark.parametrize(("text", "count"), [("No semicolons.", 1), ("English only", 1), ("No luck.", 0), ("Go on", 0)])
def test_of_two_words_only_a_standing_instruction_is_a_passage(text: str, count: int) -> None:
    assert len(split(text)) == count


@pytest.mark.parametrize("title", ["House rules", "**House rules**", "House rules:", "# House rules"])
def test_a_title_right_above_a_list_is_its_heading(title: str) -> None:
    assert [(part.heading, part.text) for part in split(f"{title}\n- tabs, always\n- one class per file")] == [
        ("House rules", "tabs, always;\none class per file")
    ]
    assert [part.heading for part in split("The export is done\nand tested\n- on Linux\n- on Windows")] == ["", ""]


LONG_LEAD = (
    "The importer and the exporter work again, and both were run twice on the copy of last night without an error. "
    "Here is what was done for it:"
)


def test_what_announces_a_list_stands_above_it_and_not_by_itself() -> None:
    parts = split(f"{LONG_LEAD}\n\n1. The importer closes its files, which it left open.\n2. x y z")
    assert parts[0].text == LONG_LEAD.partition(" Here")[0]
    assert parts[1].heading.endswith("Here is what was done for it")
    assert not any(part.text.endswith(":") for part in parts)


def test_what_announces_code_brings_it_however_long_it_is() -> None:
    code = "```\n" + "\n".join([f"step {number} of the export" for number in range(60)]) + "\n```"
    parts = split(f"{LONG_LEAD}\n\n{code}")
    assert (parts[0].text, parts[1].text) == (LONG_LEAD.partition(" Here")[0], code)
    assert parts[1].heading.endswith("Here is what was done for it")
    assert split(f"The command for that is:\n{code[:40]}\n```")[0].text.startswith("```")


def test_a_paragraph_that_announces_the_next_stands_with_it() -> None:
    first = "There is a second reason, which took much longer to find, and which nobody here had thought of before today:"
    parts = split(f"{first}\n\nThe clock of the importer is an hour late.")
    assert [part.text for part in parts] == [f"{first}\nThe clock of the importer is an hour late."]


def test_what_is_said_at_work_leads_to_a_call_and_not_to_what_is_said_next() -> None:
    said = (
        "**3. Wrap the importer**",
        "The importer has no span yet.",
        "Now the tests:",
        "It is slow, too.",
        "Still:",
        "- one of two",
    )
    parts = split("\n\n".join(said), is_spoken=True)
    assert [(part.heading, part.text) for part in parts] == [
        ("3. Wrap the importer", "The importer has no span yet."),
        ("", "Now the tests:"),
        ("", "It is slow, too."),
        ("Still", "one of two"),
    ]
