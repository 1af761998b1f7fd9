"""The table of near words: what is found, that it is sound, and that recall only loses it when it is not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import apsw
import pytest

from memcli.recall import near as module
from memcli.recall.near import BLOCK, LINE, MOST_BYTES, near
from memcli.text.analysis import STOP_WORDS

DATA = Path(module.PATH).read_bytes()
FIRST, *LINES = DATA.decode("ascii").splitlines()
ROWS = {line.split(" ")[0]: [pair.partition(":")[::2] for pair in line.split(" ")[1:] if pair] for line in LINES}
WORDS = list(ROWS)


def close(word: str) -> list[str]:
    return [other for other, _ in near([word]).get(word, [])]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """A place for another table, and the function that reads from it."""
    path = tmp_path / "near.txt"
    monkeypatch.setattr(module, "PATH", str(path))
    return path


def test_near_words_come_with_cosines_best_first():
    found = near(["login"])["login"]
    cosines = [cosine for _, cosine in found]
    assert "authentication" in [word for word, _ in found]
    assert cosines == sorted(cosines, reverse=True)
    assert 0 < cosines[-1] <= cosines[0] <= 1


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("login", "password"),
        ("auth", "authentication"),
        ("database", "sql"),
        ("delete", "remove"),
        ("slow", "performance"),
        ("speed", "fast"),
        ("crash", "failure"),
        ("error", "exception"),
        ("bug", "error"),
        ("timeout", "delay"),
        ("config", "settings"),
        ("password", "credentials"),
        ("doctor", "physician"),
        ("kids", "children"),
        ("painting", "art"),
    ],
)
def test_everyday_words_are_near_each_other(word, other):
    assert other in close(word)


def test_every_word_of_the_table_is_found_with_all_it_says():
    found = near(WORDS)
    assert list(found) == WORDS
    assert all(found[word] == [(other, int(score) / 100) for other, score in ROWS[word]] for word in WORDS)


def test_the_first_and_the_last_word_and_those_at_the_edges_of_blocks_are_found_alone():
    for word in [WORDS[0], WORDS[-1], *FIRST.split(" ")[1:]]:
        assert near([word])[word] == [(other, int(score) / 100) for other, score in ROWS[word]]


@pytest.mark.parametrize(
    ("inflected", "plain"),
    [
        ("logins", "login"),
        ("evictions", "eviction"),
        ("deadlocks", "deadlock"),
        ("mutexes", "mutex"),
        ("latencies", "latency"),
    ],
)
def test_an_inflected_word_that_is_not_in_the_table_is_found_by_its_other_form(inflected, plain):
    assert inflected not in ROWS
    assert near([inflected]) == {inflected: near([plain])[plain]}


def test_other_forms_are_tried_for_endings_and_doubled_letters():
    assert {"plan", "plann", "planne"} <= set(module._forms("planned"))
    assert "write" in list(module._forms("writing"))
    assert "copy" in list(module._forms("copied"))
    assert "box" in list(module._forms("boxes"))
    assert "jam" not in list(module._forms("james"))
    assert next(module._forms("is")) == "is"
    assert "" not in list(module._forms("s"))


def test_a_word_that_the_table_has_wins_over_its_other_forms():
    both = next(word for word in WORDS if word + "s" in ROWS and ROWS[word] != ROWS[word + "s"])
    assert near([both, both + "s"])[both + "s"] == [(other, int(score) / 100) for other, score in ROWS[both + "s"]]


def test_capitals_make_no_difference_and_the_answer_is_keyed_as_asked():
    assert near(["Login"]) == {"Login": near(["login"])["login"]}


@pytest.mark.parametrize(
    "word",
    [
        "",
        " ",
        "#",
        "xyzzyplugh",
        "a" * 10_000,
        "zzzzzz",
        "Ünïcode",
        "数据",
        "login ",
        "log\nin",
        "password:60",
        "2fa",
        "\x00",
        "\ud800",
    ],
)
def test_a_word_that_is_not_in_the_table_has_no_near_words(word):
    assert near([word]) == {}


def test_names_of_people_have_no_near_words():
    assert near(["susan", "melissa", "johnson"]) == {"susan": [], "melissa": [], "johnson": []}


def test_a_common_word_that_none_is_near_to_is_known():
    assert near(["president", "models", "critical"]) == {"president": [], "models": [], "critical": []}


def test_asking_for_nothing_finds_nothing():
    assert near([]) == {}


def test_many_words_are_answered_at_once_and_the_unknown_left_out():
    assert set(near(["slow", "xyzzyplugh", "crash", "slow"])) == {"slow", "crash"}


def test_without_a_table_there_are_no_near_words(table):
    assert near(["login"]) == {}


def test_a_directory_in_its_place_gives_no_near_words(table):
    table.mkdir()
    assert near(["login"]) == {}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"#",
        b"# \n",
        b"# login",
        b"# login\n",
        b"# login\nlogin\n",
        b"# login\nlogin password\n",
        b"# login\nlogin password:\n",
        b"# login\nlogin password:x\n",
        b"# login\nlogin password:-5\n",
        b"# login\nlogin password:0\n",
        b"# login\nlogin password:101\n",
        b"# login\nlogin password:6" + b"0" * 5000 + b"\n",
        b"# login\nlogin :60\n",
        b"# login\nlogin pass\xff:60\n",
        b"\xff\xfe\x00\n" * 10_000,
        b"\x00" * 100_000,
        DATA[:BLOCK],
        DATA[len(FIRST) + 1 :],
        DATA[: len(DATA) // 3] + b"\x00" * (len(DATA) // 2),
    ],
)
def test_a_damaged_table_gives_no_near_words(table, data):
    table.write_bytes(data)
    assert near(["login"]) == {}


def test_half_a_table_answers_with_what_it_has(table):
    table.write_bytes(DATA[: len(DATA) // 2])
    assert near(["zone"]) == {}
    assert near(["auth"])["auth"]


def test_a_small_table_is_read_like_a_large_one(table):
    table.write_text("# alpha\nalpha beta:60 gamma:50\nbeta alpha:60\n")
    assert near(["alpha", "beta", "gamma"]) == {"alpha": [("beta", 0.6), ("gamma", 0.5)], "beta": [("alpha", 0.6)]}


def test_the_table_is_sorted_unique_plain_and_small():
    assert sorted(set(WORDS)) == WORDS
    assert all(word.isalpha() and word.islower() and word.isascii() and len(word) > 1 for word in WORDS)
    assert len(DATA) <= MOST_BYTES
    assert len(FIRST) < BLOCK
    assert max(map(len, LINES)) < LINE
    assert DATA.endswith(b"\n")
    assert len(WORDS) > 15_000


def test_each_word_has_a_few_near_words_by_falling_cosine_or_none():
    for others in filter(None, ROWS.values()):
        scores = [int(score) for _, score in others]
        assert 1 <= len(scores) <= 32
        assert scores == sorted(scores, reverse=True)
        assert 40 <= scores[-1] <= scores[0] <= 100


def test_stop_words_stand_nowhere_in_the_table():
    assert not STOP_WORDS.intersection(ROWS)
    assert not STOP_WORDS.intersection(other for others in ROWS.values() for other, _ in others)


def test_no_near_word_shares_its_stem_with_the_word_or_with_another_of_its_near_words():
    tokenizer = apsw.Connection(":memory:").fts5_tokenizer("porter", ["unicode61"])
    stems: dict[str, str] = {}

    def stem(word: str) -> str:
        if word not in stems:
            stems[word] = tokenizer(word.encode(), apsw.FTS5_TOKENIZE_DOCUMENT, None)[0][2]
        return stems[word]

    for word, others in ROWS.items():
        counted = Counter([stem(word), *(stem(other) for other, _ in others)])
        assert counted.most_common(1)[0][1] == 1, word
