"""What a failed call hints at is something that its caller has."""

from __future__ import annotations

import pytest

from memcli.errors import Call, MemError, Option
from memcli.mcp.errors import for_tools

Hint = str | tuple[str | Call | Option, ...]


@pytest.mark.parametrize(
    ("hint", "worded"),
    [
        (("give ", Option("before"), " and ", Option("after"), " 0 to 100"), "give before and after 0 to 100"),
        (("give ", Option("title"), ", ", Option("summary"), " or ", Option("kind")), "give title, summary or kind"),
        (("give ", Option("max_bytes"), " 1 or more"), "give max_bytes 1 or more"),
        (("give it some words: ", Call("add", "TITLE", summary="TEXT")), "give it some words: mempack_add_memory"),
        (("see ", Call("recent"), ", or ", Call("show", "M-1")), "see memory_search, or mempack_show M-1"),
        (("see ", Call("recent"), ", or ", Call("search")), "see memory_search"),
        (("see ", Call("recent"), " and ", Call("sessions")), "see memory_search and mem sessions"),
        (("delete it with ", Call("profile delete")), "delete it with memory_delete"),
        (
            (Call("supersede", "M-1"), ", or give ", Option("summary")),
            "mempack_supersede M-1, or give summary",
        ),
        (
            ("name one with ", Option("repo"), ", or run ", Call("init", "--no-git"), " here"),
            "name one with repo, or run mem init --no-git here",
        ),
        ((Call("restore", "M-1"), " brings it back"), "mem restore M-1 brings it back"),
        (("see ", Call("show", "P-1"), "; ", Call("forget", "P-1", erase="")), "see mempack_show P-1; mem forget P-1 --erase"),
        ("run mem doctor --repair; it keeps the original", "run mem doctor --repair; it keeps the original"),
        ("did you mean M-1 (never mem add --force)?", "did you mean M-1 (never mem add --force)?"),
        ("the person can allow it: mem mcp --allow-write", "the person can allow it: mem mcp --allow-write"),
        ("give it some words", "give it some words"),
    ],
)
def test_a_hint_names_tools_and_arguments_and_leaves_commands_to_the_person(hint: Hint, worded: str) -> None:
    assert for_tools(MemError("it failed", hint)).hint == worded
