"""What a failed call hints at is something that its caller has."""

from __future__ import annotations

import pytest

from memcli.mcp.hints import for_tools


@pytest.mark.parametrize(
    ("typed", "called"),
    [
        ("give --budget 1 or more", "give budget 1 or more"),
        ("give --before and --after 0 to 100", "give before and after 0 to 100"),
        ("give --title, --summary or --kind", "give title, summary or kind"),
        ("give --max-bytes 1 or more", "give max_bytes 1 or more"),
        ("give it some words: mem add TITLE --summary TEXT (here: the summary)", "give it some words"),
        ("see mem recent, or mem search; --user for your own memory", "look for it with memory_search"),
        ("mem supersede M-1, or mem show M-1 to see it", "mempack_supersede M-1, or mempack_show M-1 to see it"),
        ("mem restore M-1 brings it back", "for the person: mem restore M-1 brings it back"),
        ("run mem doctor --repair; it keeps the original", "for the person: run mem doctor --repair; it keeps the original"),
        ("did you mean M-1 (never mem add --force)?", "did you mean M-1 (never mem add --force)?"),
        ("the person can allow it: mem mcp --allow-write", "the person can allow it: mem mcp --allow-write"),
    ],
)
def test_a_hint_names_tools_and_arguments_and_leaves_commands_to_the_person(typed: str, called: str) -> None:
    assert for_tools(typed) == called
