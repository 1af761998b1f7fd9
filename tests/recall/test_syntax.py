"""Search syntax: what a query demands, and which of its words rank."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.recall.syntax import MAX_DEPTH, MAX_OPERANDS, Node, parse


def shown(node: Node) -> str:
    """A node as text: every group in brackets, + before what is wanted and - before what is not."""
    if not node.children:
        return {"word": "{}", "phrase": '"{}"', "prefix": "{}*"}[node.kind].format(node.text)
    if node.kind == "any":
        return f"[{' | '.join(map(shown, node.children))}]"
    return f"[{' '.join(['+' + shown(one) for one in node.children] + ['-' + shown(one) for one in node.excluded])}]"


@pytest.mark.parametrize(
    ("query", "required", "plain"),
    [
        ('"session expired"', '"session expired"', ""),
        ('why is "session expired" shown', '"session expired"', "why is shown"),
        ('what is "session expired"', '"session expired"', ""),
        ('"a b" "c d" e*', '[+"a b" +"c d" +e*]', ""),
        ("migrat*", "migrat*", ""),
        ("how migrat* works", "migrat*", "how works"),
        ("(migrat*) works", "migrat*", "works"),
        ("retry_*", "retry_*", ""),
        ("cats AND dogs", "[+cats +dogs]", "cats dogs"),
        ("cats OR dogs", "[cats | dogs]", "cats dogs"),
        ("cats NOT dogs", "[+cats -dogs]", "cats"),
        ("cats AND NOT dogs", "[+cats -dogs]", "cats"),
        ("NOT dogs AND cats", "[+cats -dogs]", "cats"),
        ("cats OR dogs AND birds", "[cats | [+dogs +birds]]", "cats dogs birds"),
        ("cats AND dogs OR birds", "[[+cats +dogs] | birds]", "cats dogs birds"),
        ("cats AND dogs NOT birds OR fish", "[[+cats +dogs -birds] | fish]", "cats dogs fish"),
        ("cats NOT dogs birds", "[+cats +birds -dogs]", "cats birds"),
        ("cats dogs OR birds fish", "[[+cats +dogs] | [+birds +fish]]", "cats dogs birds fish"),
        ("(cats OR dogs) AND birds", "[+[cats | dogs] +birds]", "cats dogs birds"),
        ("cats NOT (dogs OR birds)", "[+cats -[dogs | birds]]", "cats"),
        ("((cats) OR (dogs AND (birds NOT fish)))", "[cats | [+dogs +[+birds -fish]]]", "cats dogs birds"),
        ('cats OR "big dogs" OR bir*', '[cats | "big dogs" | bir*]', "cats"),
        ("how do cats sleep OR dogs", "[[+cats +sleep] | dogs]", "cats sleep dogs"),
        ("the AND cats", "[+the +cats]", "the cats"),
        ("main() AND (run(x) OR stop())", "[+main() +[run(x) | stop()]]", "main() run(x) stop()"),
        ('("a b" OR cats)', '["a b" | cats]', "cats"),
    ],
)
def test_a_query_demands(query: str, required: str, plain: str) -> None:
    found = parse(query)
    assert found is not None
    assert (shown(found.required), found.plain) == (required, plain)


MALFORMED = [
    *(
        '"',
        '""',
        '" "',
        '"a',
        'a"',
        '"a b" "c',
        '5" AND 7"',
        'a"b c"',
        '"b c"d',
        "cats AND",
        "AND cats",
        "cats AND AND dogs",
        "cats OR",
    ),
    *(
        "OR",
        "NOT",
        "NOT cats",
        "NOT cats NOT dogs",
        "NOT NOT cats",
        "cats NOT",
        "cats OR NOT dogs",
        "cats AND (NOT dogs)",
        "cats AND ()",
    ),
    *(
        "(cats AND dogs",
        "cats AND dogs)",
        "cats) AND (dogs",
        "(migrat*",
        "migrat*)",
        ") migrat* (",
        "f(cats AND dogs)",
        "cats AND -",
    ),
    *(
        "",
        "cats",
        "cats and dogs",
        "cats or not dogs",
        "(cats)",
        "src/**",
        "*.py",
        "**bold**",
        "*it*",
        "a*b",
        "*",
        "* cats",
        "-*",
    ),
    " OR ".join(["x"] * (MAX_OPERANDS + 1)),
    "(" * (MAX_DEPTH + 1) + "a OR b" + ")" * (MAX_DEPTH + 1),
]


@pytest.mark.parametrize("query", MALFORMED)
def test_what_is_not_well_formed_is_no_syntax(query: str) -> None:
    assert parse(query) is None


PIECES = [
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    '"',
    " ",
    "cats",
    "dog*",
    '"a b"',
    "*",
    "()",
    "the",
    "会话",
    "getUserId",
    "\x00",
    "\ud800",
]


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=14).map(" ".join))
@example("(" * 5000 + "a OR b")
def test_no_query_raises(query: str) -> None:
    found = parse(query)
    assert found is None or shown(found.required)
