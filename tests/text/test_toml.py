"""TOML is read within bounds, whatever a text does to its parser."""

from __future__ import annotations

import pytest

from memcli.text import toml

PARTS = 20_000
LONG = ".".join("a" * PARTS)


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        '"a"' + '."a"' * PARTS + " = 1",
        "a" + " . a" * PARTS + " = 1",
        f"[{LONG}]",
        f"[[{LONG}]]",
        f"x = {{{LONG} = 1}}",
        f'x = """\n""" # "\n{LONG} = 1',
        f"x = '''\"'''\n{LONG} = 1",
        f'x = "\\""\n{LONG} = 1',
        "\n".join(f"{LONG[:40]}.{number} = 1" for number in range(100)),
    ],
)
def test_a_key_of_too_many_parts_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("tomllib.loads", lambda _: pytest.fail("it was parsed"))
    with pytest.raises(ValueError, match="more than 500 dots"):
        toml.loads(text)


def test_dots_of_strings_and_comments_do_not_count() -> None:
    text = "\n".join(['a.b = "{0}"', "c = '{0}'", 'd = """\n{0}\\""""', "e = '''\n{0}'''", "# {0}"]).format("." * PARTS)
    assert set(toml.loads(text)) == {"a", "c", "d", "e"}


@pytest.mark.parametrize(
    "text", ["x = " + "[" * PARTS, "x = " + "{a = " * PARTS, 'x = "' + '\\"' * PARTS, '"""' * PARTS, "'" * PARTS]
)
def test_what_is_no_toml_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        toml.loads(text)
