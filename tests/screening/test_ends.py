"""Of a text that is too long to be screened as a whole, the end is screened below the head of its table or list."""

from __future__ import annotations

import pytest

from memcli.agents.capture.normalize import clean

WORDS = ("harbor!maple", "violet#Tractor", "Summit-copper", "falcon_Harbor")
HEADS = {
    "csv": ("user,password,role\n", "u{n},{value},r{n}\n"),
    "markdown": ("Users:\n\n| user | password |\n|---|---|\n", "| u{n} | {value} |\n"),
    "mysql": ("+------+----------+\n| user | password |\n+------+----------+\n", "| u{n} | {value} |\n"),
    "yaml": ("x: 1\npasswords:\n", "  u{n}: {value}\n"),
    "a list": ("The report.\n\nPasswords:\n\n", "- {value}\n"),
    "sql": ("INSERT INTO users (name, password) VALUES\n", "('u{n}', '{value}'),\n"),
}


@pytest.mark.parametrize(("head", "row"), HEADS.values(), ids=HEADS.keys())
@pytest.mark.parametrize("before", ["", "$ cat x\nfirst line\n\n"])
def test_the_end_of_a_long_table_is_masked_as_its_beginning_is(head: str, row: str, before: str) -> None:
    text = before + head + "".join(row.format(n=n, value=f"{WORDS[n % 4]}{n}") for n in range(2_000))
    cut = clean(text, 4_000)
    assert "characters left out" in cut
    assert not any(word in cut for word in WORDS)
    assert cut.count("[secret: password]") > 60


def test_the_end_of_a_long_text_without_secrets_is_what_it_was() -> None:
    text = "".join(f"line {number} of the log\n" for number in range(5_000))
    assert clean(text, 4_000).endswith(text[-500:])
    text = "password policy\n\n" + text
    assert clean(text, 4_000).endswith(text[-500:])
    text = "a word " * 9_000
    assert clean(text, 4_000).endswith(text[-500:])
