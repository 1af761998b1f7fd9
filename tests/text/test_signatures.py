"""What makes two errors one: the same words and names, without numbers and addresses."""

from __future__ import annotations

import pytest

from memcli.text import signatures

CRASH = """Traceback (most recent call last):
  File "/srv/{}", line {}, in <module>
    assert peak < 64_000_000, peak
AssertionError: {}"""
NODE = "AssertionError [ERR_ASSERTION]: {} == 64\n    at Object.<anonymous> (/srv/{}:3:8)"
REFUSED = "Error: connect ECONNREFUSED {}\n    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1494:16)"
LINT = "{}:{}:1: E402 module level import not at top of file\nmake: *** [lint] Error 1"


def same(one: str, other: str) -> bool:
    """Tells whether two outputs have a line with the same signature."""
    first, second = [{(it.template, it.names) for it in signatures.of_output(text, True)} for text in (one, other)]
    return bool(first & second)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (REFUSED.format("127.0.0.1:5432"), REFUSED.format("10.0.0.7:5432")),
        (CRASH.format("bench.py", 14, 211394560), CRASH.format("bench.py", 19, 190000001)),
        (NODE.format(211, "bench.js"), NODE.format(9, "bench.js")),
        (LINT.format("a.py", 3), LINT.format("src/b.py", 7)),
        (
            '  File "x.py", line 3, in f\n    row[number]\n    ~~~^^^\nKeyError: 17',
            '  File "x.py", line 5, in f\n    row[number]\nKeyError: 4',
        ),
    ],
)
def test_numbers_and_addresses_make_no_other_error(one: str, other: str) -> None:
    assert same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (REFUSED.format("127.0.0.1:5432"), REFUSED.format("127.0.0.1:6379")),
        (CRASH.format("bench.py", 14, 211394560), CRASH.format("load.py", 14, 211394560)),
        (NODE.format(211, "bench.js"), NODE.format(211, "load.js")),
        (
            LINT.format("a.py", 3),
            LINT.format("a.py", 3).replace("E402 module level import not at top of file", "F401 x imported"),
        ),
    ],
)
def test_another_service_file_or_code_does(one: str, other: str) -> None:
    assert not same(one, other)
