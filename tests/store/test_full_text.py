"""Finding is bounded whatever the size of the store, and what is asked is text, never syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli.records import replace
from memcli.store import chunks, memories, schema, search
from memcli.store import db as store
from memcli.store.chunks import Chunk
from memcli.store.db import transaction
from memcli.store.memories import Memory
from memcli.text import analysis
from memcli.text.analysis import extra_words
from tests.store.conftest import BLANK

WEIGHTS = (5.0, 3.0, 2.0, 2.0, 1.0)
CHUNK_WEIGHTS = (1.0, 3.0, 2.0, 1.0)
ANY = settings(max_examples=200, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
Save = Callable[..., Memory]


@pytest.fixture(scope="module")
def crowd() -> Iterator[store.Connection]:
    """300 memories and 300 chunks that say `common`; every hundredth says `rare`, every tenth `seldom`."""
    db = schema.memory_store()
    with transaction(db):
        for number in range(300):
            text = f"common usual{' seldom' * (number % 10 == 0)}{' rare' * (number % 100 == 7)}"
            memories.save(db, replace(BLANK, id=f"M-{number:010d}", summary=text, created_at=number))
            place = (f"C-{number:010d}", f"src/f{number}.py", 1, 9, "", "general", "")
            chunks.save(db, Chunk(0, *place, text, "", 0, 0, 1, 1, 1))
    yield db
    db.close()


def cap(monkeypatch: pytest.MonkeyPatch, postings: int) -> None:
    """Sets how many postings a question may cost."""
    for name in ("MAX_POSTINGS", "MAX_CHUNK_POSTINGS"):
        monkeypatch.setattr(search, name, postings)


def found(db: store.Connection, *terms: str, limit: int = 400, only: dict[str, object] | None = None) -> list[int]:
    return [int(hit.id[2:]) for hit in search.memories(db, terms, WEIGHTS, limit, only)]


def found_chunks(db: store.Connection, *terms: str, limit: int = 400) -> list[int]:
    return [n - 1 for n, _ in search.chunks(db, terms, CHUNK_WEIGHTS, limit)]


@pytest.mark.parametrize("finder", [found, found_chunks])
def test_rare_terms_decide_where_common_ones_would_cost_too_much(
    crowd: store.Connection, monkeypatch: pytest.MonkeyPatch, finder: Callable[..., list[int]]
) -> None:
    cap(monkeypatch, 100)
    assert sorted(finder(crowd, "common", "usual", "rare")) == [7, 107, 207]
    assert len(finder(crowd, "seldom", "common", "rare")) == 33
    cap(monkeypatch, 10)
    assert sorted(finder(crowd, "seldom", "common", "rare")) == [7, 107, 207]
    cap(monkeypatch, 5000)
    assert len(finder(crowd, "common", "rare")) == 300


@pytest.mark.parametrize("finder", [found, found_chunks])
def test_only_common_words_bring_the_newest(
    crowd: store.Connection, monkeypatch: pytest.MonkeyPatch, finder: Callable[..., list[int]]
) -> None:
    cap(monkeypatch, 100)
    assert sorted(finder(crowd, "common", "usual")) == list(range(200, 300))
    assert sorted(finder(crowd, "usual", limit=5)) == list(range(295, 300))


def test_a_filter_holds_for_common_and_for_rare_words(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    only = {"since": 50, "until": 120}
    for most in (100, 5000):
        cap(monkeypatch, most)
        assert sorted(found(crowd, "rare", "common", only=only)) == ([107] if most == 100 else list(range(50, 120)))
        assert set(found(crowd, "common", only=only)) == set(range(50, 120))
        assert set(found(crowd, "common", only={"until": 2})) == {0, 1}
        assert found(crowd, "common", only={"kind": "no such kind"}) == []


@pytest.mark.parametrize("finder", [found, found_chunks])
def test_words_that_nothing_holds_cost_nothing_and_find_nothing(
    crowd: store.Connection, monkeypatch: pytest.MonkeyPatch, finder: Callable[..., list[int]]
) -> None:
    for most in (1, 5000):
        cap(monkeypatch, most)
        assert finder(crowd) == finder(crowd, "absent") == finder(crowd, "absent", "-", "") == []
    assert len(finder(crowd, "absent", "rare")) == 3


def test_what_is_asked_for_stays_below_the_cap(crowd: store.Connection) -> None:
    for table in ("memory", "chunk"):
        assert sorted(search.affordable(crowd, table, ["common", "usual", "seldom", "absent", "rare"], 100)) == ["rare", "seldom"]
        assert search.affordable(crowd, table, ["seldom", "rare"], 32) == ["rare"]
        assert set(search.affordable(crowd, table, ["common", "usual"], 100)) <= {"common", "usual"}
        assert search.affordable(crowd, table, ["absent"], 100) == []


def test_short_words_of_a_long_question_still_count(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    cap(monkeypatch, 100)
    terms = [f"absentword{number}" for number in range(analysis.MAX_TERMS - 2)]
    assert sorted(found(crowd, *terms, "common", "rare")) == [7, 107, 207]


def test_a_better_match_comes_first_and_the_title_weighs_most(db: store.Connection, save: Save) -> None:
    save(1, "something about zebras"), save(2, "else", title="the zebra"), save(3, "a zebra among them all"), save(4, "no match")
    save(5, "zebra", forgotten=1)
    hits = search.memories(db, ["zebra"], WEIGHTS, 10)
    assert [hit.id[-1] for hit in hits] == ["2", "1", "3"]
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    assert hits[-1].score > 0


def test_a_limit_keeps_the_best(crowd: store.Connection) -> None:
    assert set(found(crowd, "rare", "common", limit=3)) == {7, 107, 207}


SYNTAX = [
    '"',
    '""',
    "a OR b",
    "NEAR(a b)",
    "title:zebra",
    "^zebra",
    "zebra*",
    "NOT zebra",
    "zebra AND lion",
    "(",
    "{title}: x",
    "-",
    "+",
    ",",
    "\\",
]


@pytest.mark.parametrize("text", SYNTAX)
def test_syntax_in_a_term_is_text(db: store.Connection, save: Save, text: str) -> None:
    save(1, "zebra"), save(2, "zebraic lion"), save(3, text)
    whole = {hit.id[-1] for hit in search.memories(db, [text], WEIGHTS, 10)}
    assert whole <= ({"1", "3"} if text in ("title:zebra", "^zebra", "zebra*", "NOT zebra") else {"3"})
    assert [hit.id[-1] for hit in search.memories(db, ["nothing", text, "lion"], WEIGHTS, 10)].count("2") == 1


@ANY
@given(st.text())
@example("\ud800 half \x00 NUL")
@example('"' * 3 + "'); DROP TABLE memory")
@example("ÅŤ ﷽ 𝒳 ½ Ⅷ ١٢ ʼn ß İ")
def test_no_question_raises(crowd: store.Connection, question: str) -> None:
    asked(crowd, question)


@ANY
@given(
    st.lists(
        st.sampled_from(["common", "NEAR(", '"', "rare*", "AND", "title:", "記憶", "getUserId", "\x00", "-", "common_rare"]),
        max_size=9,
    )
)
def test_no_mix_of_words_and_syntax_raises(crowd: store.Connection, words: list[str]) -> None:
    asked(crowd, " ".join(words))


def asked(db: store.Connection, question: str) -> None:
    terms = analysis.terms(question)
    with pytest.MonkeyPatch.context() as patch:
        for most in (1, 50, 5000):
            cap(patch, most)
            for hit in search.memories(db, terms, WEIGHTS, 3, {"since": 1}) + search.memories(db, terms, WEIGHTS, 3):
                assert isinstance(search.snippet(db, terms, hit.n), str)
            search.chunks(db, terms, CHUNK_WEIGHTS, 3)


def test_a_snippet_shows_the_words_that_match(db: store.Connection, save: Save) -> None:
    memory = save(1, "filler " * 100 + "the zebra sleeps" + " filler" * 100)
    text = search.snippet(db, ["zebra"], memory.n)
    assert "zebra sleeps" in text
    assert len(text.split()) <= 26
    assert search.snippet(db, ["absent"], memory.n) == ""


words = st.text(st.characters(max_codepoint=127, categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=20)
stored_texts = st.lists(
    st.one_of(words, st.sampled_from(["getUserId", "snake_case", "kebab-case", "HTTPServer2", "it's", "x86_64"])),
    min_size=1,
    max_size=8,
)


@ANY
@given(stored_texts, st.sampled_from([" ", ", ", ".", "/", "_", "-", "\n", "(", "'"]))
def test_every_ascii_word_of_a_stored_text_is_found_by_asking_for_it(parts: list[str], between: str) -> None:
    text = between.join(parts)
    db = schema.memory_store()
    memories.save(db, replace(BLANK, title="", summary=text, words=extra_words(text)))
    for run in {*parts, *text.replace("_", " ").replace("-", " ").split()}:
        terms = analysis.terms(run)
        if len(run) <= analysis.MAX_TERM and run.lower() not in analysis.STOP_WORDS and terms:
            assert search.memories(db, terms, WEIGHTS, 1), (run, terms)
    db.close()
