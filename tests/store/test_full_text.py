"""Finding is bounded whatever the size of the store, and what is asked is text, never syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from memcli import store
from memcli.config import Config
from memcli.recall import common_words
from memcli.recall.candidates import ParsedQuery, find
from memcli.records import replace
from memcli.store import memories, opening, search, transaction, trees
from memcli.store.chunks import Chunk
from memcli.store.memories import Memory
from memcli.text import analysis
from memcli.text.analysis import extra_words
from tests.properties import examples
from tests.store.conftest import BLANK

DEFAULTS = Config({}, [])
ANY = settings(max_examples=examples(80), deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
Save = Callable[..., Memory]


@pytest.fixture(scope="module")
def crowd() -> Iterator[store.Connection]:
    """300 memories and 300 chunks that say `common`; every hundredth says `rare`, every tenth `seldom`."""
    db = opening.empty_store()
    with transaction(db):
        for number in range(300):
            text = f"common usual{' seldom' * (number % 10 == 0)}{' rare' * (number % 100 == 7)}"
            memories.save(db, replace(BLANK, id=f"M-{number:010d}", summary=text, created_at=number))
            place = (f"C-{number:010d}", f"src/f{number}.py", 1, 9, "", "general", "")
            trees.add_chunks(db, [Chunk(0, *place, text, "", 0, 0, 1, 1, 1)[1:]])
    yield db
    db.close()


def cap(monkeypatch: pytest.MonkeyPatch, postings: int) -> None:
    """Sets how many postings a question may cost."""
    monkeypatch.setattr(search, "SMALL", {"memory": postings, "chunk": postings})
    monkeypatch.setattr(search, "MAX_POSTINGS", {"memory": postings, "chunk": postings})


def best(scores: dict[int, float], limit: int = 400) -> list[int]:
    """The numbers that the rows were stored under, best first."""
    return [n - 1 for n in sorted(scores, key=lambda n: -scores[n])][:limit]


def found(db: store.Connection, *terms: str, only: dict[str, str | int | None] | None = None) -> list[int]:
    return best(find(db, "memory", ParsedQuery(terms, {}), DEFAULTS, only).scores)


def found_chunks(db: store.Connection, *terms: str) -> list[int]:
    return best(find(db, "chunk", ParsedQuery(terms, {}), DEFAULTS).scores)


@pytest.mark.parametrize("finder", [found, found_chunks])
def test_rare_terms_decide_where_common_ones_would_cost_too_much(
    crowd: store.Connection, monkeypatch: pytest.MonkeyPatch, finder: Callable[..., list[int]]
) -> None:
    cap(monkeypatch, 100)
    assert sorted(finder(crowd, "common", "usual", "rare")[:3]) == [7, 107, 207]
    assert sorted(finder(crowd, "seldom", "common", "rare")[:3]) == [7, 107, 207]
    assert {*range(0, 300, 10), 7, 107, 207} <= set(finder(crowd, "seldom", "common", "rare"))
    cap(monkeypatch, 10)
    assert sorted(finder(crowd, "seldom", "common", "rare")[:3]) == [7, 107, 207]
    cap(monkeypatch, 5000)
    assert len(finder(crowd, "common", "rare")) == 300


@pytest.mark.parametrize("words", [("common",), ("common", "usual")])
def test_only_common_words_bring_the_newest(
    crowd: store.Connection, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    cap(monkeypatch, 100)
    assert sorted(found(crowd, *words)) == list(range(300 - common_words.SEVERAL, 300))


def test_of_common_words_an_old_memory_that_has_them_all_comes_before_newer_ones_that_have_fewer(
    db: store.Connection, save: Save, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(1, 301):
        save(number, ("alpha beta", "beta gamma", "alpha gamma")[number % 3])
    save(301, "gamma the alpha of beta"), save(302, "alpha of the beta gamma", title="gamma")
    for number in range(303, 600):
        save(number, ("alpha beta", "beta gamma", "alpha gamma")[number % 3])
    cap(monkeypatch, 100)
    assert found(db, "alpha", "beta", "gamma")[:2] == [301, 300]


def test_what_a_common_word_counts_for_is_what_sqlite_says(db: store.Connection, save: Save) -> None:
    texts = [
        "login fails",
        "login login token",
        "tokens of a login page, and one more",
        "else",
        "a login_token",
        "the token logins",
    ]
    for number, text in enumerate(texts, start=1):
        save(number, text, title="login" if number == 4 else "title")
    weights = [3.0, 1.0, 1.0, 1.0, 1.0]
    shares = common_words.bm25_without_idf(db, "memory", range(1, 8), weights, {"login", "token"})
    for words in (("login",), ("token",), ("login", "token")):
        scored = dict(search.scores(db, "memory", search.quoted(*words), weights))
        held = shares[words]
        assert held.keys() == scored.keys()
        assert len({round(scored[n] / held[n], 9) for n in held}) == 1, "they differ by no more than idf"


def test_how_many_rows_hold_a_common_word_is_told_about_right(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    cap(monkeypatch, 25)
    for table in ("memory", "chunk"):
        wanted, rest = search.rarest(crowd, table, ["common", "absent", "rare", "seldom"])
        assert (wanted, list(rest)) == (["rare"], ["seldom", "common"])
        assert rest["common"] == 300
        assert 27 <= rest["seldom"] <= 33


def test_a_filter_holds_for_common_and_for_rare_words(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    only = {"since": 50, "until": 120}
    for most in (100, 5000):
        cap(monkeypatch, most)
        assert found(crowd, "rare", "common", only=only)[0] == 107
        assert set(found(crowd, "common", only=only)) == set(range(120 - common_words.SEVERAL if most == 100 else 50, 120))
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


def test_what_is_asked_for_stays_below_the_cap(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("memory", "chunk"):
        cap(monkeypatch, 100)
        assert search.rarest(crowd, table, ["common", "usual", "seldom", "absent", "rare"])[0] == ["rare", "seldom"]
        assert search.rarest(crowd, table, ["common", "usual"])[0] == []
        assert search.rarest(crowd, table, ["absent"]) == ([], {})
        cap(monkeypatch, 32)
        assert search.rarest(crowd, table, ["seldom", "rare"])[0] == ["rare"]


def test_short_words_of_a_long_question_still_count(crowd: store.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    cap(monkeypatch, 100)
    terms = [f"absentword{number}" for number in range(analysis.MAX_TERMS - 2)]
    assert sorted(found(crowd, *terms, "common", "rare")[:3]) == [7, 107, 207]


def test_a_better_match_comes_first_and_the_title_weighs_most(db: store.Connection, save: Save) -> None:
    save(1, "something about zebras"), save(2, "else", title="the zebra"), save(3, "a zebra among them all"), save(4, "no match")
    save(5, "zebra", forgotten=1)
    assert found(db, "zebra") == [1, 0, 2]


def test_a_rare_word_outweighs_a_common_one(crowd: store.Connection) -> None:
    assert set(found(crowd, "rare", "common")[:3]) == {7, 107, 207}
    assert len(found(crowd, "rare", "common")) == 300


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
    assert set(found(db, text)) <= ({0, 2} if text in ("title:zebra", "^zebra", "zebra*", "NOT zebra") else {2})
    assert 1 in found(db, "nothing", text, "lion")


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
            found(db, *terms, only={"since": 1})
            found(db, *terms)
            found_chunks(db, *terms)
            search.stored_terms(db, terms)


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
    db = opening.empty_store()
    memories.save(db, replace(BLANK, title="", summary=text, words=extra_words(text)))
    for run in {*parts, *text.replace("_", " ").replace("-", " ").split()}:
        terms = analysis.terms(run)
        if len(run) <= analysis.MAX_TERM and run.lower() not in analysis.STOP_WORDS and terms:
            assert found(db, *terms), (run, terms)
    db.close()


def test_the_number_of_indexed_rows_is_known_without_counting(db: store.Connection, save: Save) -> None:
    assert (search.indexed(db, "memory"), search.indexed(db, "chunk")) == (0, 0)
    kept = [save(number, "text") for number in range(130)]
    assert search.indexed(db, "memory") == memories.count(db) == 130  # two bytes of a varint
    with transaction(db):
        for memory in kept[:4]:
            memories.save(db, replace(memory, forgotten=1))
    assert search.indexed(db, "memory") == memories.count(db) == 126
    save(0, "restored")
    save(5, "edited")
    assert search.indexed(db, "memory") == memories.count(db) == 127
    with transaction(db):
        memories.remove(db, kept[1].id)  # was forgotten
        memories.remove(db, kept[9].id)
    assert search.indexed(db, "memory") == memories.count(db) == 126
    store.rows(db, "INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
    assert search.indexed(db, "memory") == 126


def test_many_rows_are_counted_as_well(db: store.Connection) -> None:
    with transaction(db):
        for number in range(16_390):  # three bytes of a varint
            values = {"id": f"M-{number:010d}", "title": "t", "summary": "s"}
            memories.save(db, replace(BLANK, **values))
    assert search.indexed(db, "memory") == memories.count(db) == 16_390
    with transaction(db):
        for number in range(7):
            memories.remove(db, f"M-{number:010d}")
    assert search.indexed(db, "memory") == memories.count(db) == 16_383
