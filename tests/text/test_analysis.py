"""What is stored and what is asked are cut into the same words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli import store
from memcli.records import replace
from memcli.store import memories, opening, rows, search
from memcli.text.analysis import MAX_QUERY, MAX_TERM, MAX_TERMS, STOP_WORDS, bigrams, extra_words, parts, runs, terms
from tests.store.conftest import BLANK

ANY = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        *(
            ("camelCase", "camel Case"),
            ("HTTPServer2", "HTTP Server 2"),
            ("snake_case_name", "snake case name"),
            ("kebab-case", "kebab case"),
        ),
        *(("getUserID", "get User ID"), ("x86_64", "x 86 64"), ("v2beta10", "v 2 beta 10"), ("plain", "plain"), ("ABC", "ABC")),
        *(("ABCdef", "AB Cdef"), ("__init__", "init"), ("a-_-b", "a b"), ("naïveÉtat", "naïve État"), ("", "")),
        *(("iPhone15ProMax", "i Phone 15 Pro Max"), ("utf8", "utf 8"), ("记忆Store", "记忆Store")),
    ],
)
def test_an_identifier_has_parts(run: str, expected: str) -> None:
    assert parts(run) == expected.split()


@ANY
@given(st.text(st.sampled_from("aZé1_-記ß"), max_size=20))
def test_the_parts_joined_are_the_identifier(run: str) -> None:
    assert "".join(parts(run)) == run.replace("_", "").replace("-", "")


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("記憶の文", "記憶 憶の の文"),
        ("記", "記"),
        ("abc記憶d文", "記憶 文"),
        ("abc", ""),
        ("한국어", "한국 국어"),
        ("𠀀𠀁", "𠀀𠀁"),
        ("カタカナ", "カタ タカ カナ"),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs(run: str, expected: str) -> None:
    assert bigrams(run) == expected.split()


def test_a_text_is_runs_of_letters_digits_and_joiners() -> None:
    assert list(runs("get_user(id) -- x-y, _z_!")) == ["get_user", "id", "", "x-y", "z"]
    assert list(runs("e\u0301te\u0301 naïve か\u3099")) == ["e\u0301te\u0301", "naïve", "か\u3099"]
    assert list(runs("a\u2028b\u00a0c\u200dd")) == ["a", "b", "c", "d"]
    assert list(runs("")) == []


def test_the_index_gets_only_what_its_tokenizer_would_miss() -> None:
    assert extra_words("plain words only, twice words") == ""
    assert extra_words("getUserId and get_user") == "getuserid get user id getuser"
    assert extra_words("one", "記憶 getUserId", "getUserId") == "記憶 getuserid get user id"


def test_stop_words_are_dropped_from_questions_and_never_from_the_index() -> None:
    assert terms("How is the token budget enforced?") == ["token", "budget", "enforced"]
    assert extra_words("theToken isIt") == "thetoken the token isit is it"
    assert {"the", "how", "is", "why", "please"} <= STOP_WORDS
    assert all(word == word.lower() and word.isalpha() for word in STOP_WORDS)


@pytest.mark.parametrize("question", ["the who", "How is it?", "to be or not to be", "it's"])
def test_a_question_of_stop_words_only_keeps_them(question: str) -> None:
    assert terms(question)
    assert set(terms(question)) <= STOP_WORDS


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        *(
            ("getUserId", "getuserid user id"),
            ("get_user", "user getuser"),
            ("token-budget", "token budget tokenbudget"),
            ("TOKEN Token", "token"),
        ),
        *(
            ("記憶の予算 abc", "記憶 憶の の予 予算 abc"),
            ("abc記憶", "記憶 abc"),
            ("?!", ""),
            ("", ""),
            ("don't", "don t"),
            ("x86_64", "x86 64 x8664 x 86"),
        ),
    ],
)
def test_a_question_becomes_terms(question: str, expected: str) -> None:
    assert terms(question) == expected.split()


def test_a_question_has_limits() -> None:
    many = " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600))
    assert len(terms(many)) == MAX_TERMS
    assert terms(many)[0] == "wordaa"
    assert terms("x" * (MAX_TERM + 1) + " short") == ["short"]
    assert terms("x" * MAX_TERM) == ["x" * MAX_TERM]
    assert terms("w " * MAX_QUERY + "late") == ["w"]
    assert extra_words("aB" * 200).split() == ["b", "a"] or max(map(len, extra_words("aB" * 200).split())) <= MAX_TERM


@ANY
@given(st.text())
@example("\u0301" * 100)
@example("-_" * 100)
def test_any_text_has_terms_within_the_limits(text: str) -> None:
    found = terms(text)
    assert len(found) == len(set(found)) <= MAX_TERMS
    assert all(0 < len(term) <= MAX_TERM and not term.isspace() for term in found)
    assert found == terms(text)
    assert all(0 < len(word) <= MAX_TERM for word in extra_words(text).split())


@pytest.fixture(scope="module")
def db() -> Iterator[store.Connection]:
    opened = opening.empty_store()
    yield opened
    opened.close()


def finds(db: store.Connection, text: str, question: str) -> bool:
    """Stores one text and asks for it."""
    memories.save(db, replace(BLANK, title="x", summary=text, words=extra_words(text)))
    found = [term for term in terms(question) if search.scores(db, "memory", search.quoted(term), (5, 3, 2, 2, 1))]
    memories.remove(db, BLANK.id)
    return bool(found)


words = st.text(st.sampled_from("abcXYZ019_-"), min_size=1, max_size=12)


@ANY
@given(st.lists(words, min_size=1, max_size=6), st.sampled_from([" ", ".", "/", "::", "(", "\n", "'"]))
@example(["getUserId", "snake_case"], " ")
def test_every_ascii_word_of_a_stored_text_is_found_by_asking_for_it(db: store.Connection, said: list[str], between: str) -> None:
    text = between.join(said)
    for word in said:
        pieces = [piece for piece in word.lower().replace("-", "_").split("_") if piece]
        if pieces and not set(pieces) <= STOP_WORDS:
            assert finds(db, text, word), (text, word)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        *(
            ("the parser reads getUserId", "user id"),
            ("HTTPServer starts", "http server"),
            ("snake_case_name", "case"),
            ("token-budget", "tokenbudget"),
        ),
        *(
            ("sleeping zebras", "why does the zebra sleep?"),
            ("記憶の予算", "予算"),
            ("記", "記"),
            ("データベースを使う", "ベース"),
            ("한국어 문서", "국어"),
        ),
        *(
            ("a naïve café", "naive cafe"),
            ("a naive cafe", "naïve café"),
            ("cafe\u0301", "café"),
            ("Straße", "straße"),
            ("ЁЛКА", "ёлка"),
            ("v2.10", "2.10"),
        ),
        *(
            ("utf8 decoder", "utf-8"),
            ("tokenBudget", "token_budget"),
            ("token_budget", "tokenBudget"),
            ("sha256sum", "sha256"),
            ("C++ and C#", "c"),
        ),
    ],
)
def test_a_text_is_found_in_other_spellings(db: store.Connection, text: str, question: str) -> None:
    assert finds(db, text, question)


def test_what_is_not_said_is_not_found(db: store.Connection) -> None:
    assert not finds(db, "the parser reads tokens", "zebra")
    assert not finds(db, "記憶", "憶記")
    rows(db, "INSERT INTO memory_fts(memory_fts, rank) VALUES ('integrity-check', 1)")
