"""A misspelled word of a question finds what it was meant to find; a word that the store knows is left alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from apsw import Connection
from hypothesis import assume, given
from hypothesis import strategies as st

from memcli.project import Where, open_for_reading
from memcli.recall import candidates, near, spelling
from memcli.recall.get import Query, get
from memcli.records import replace
from memcli.store import index_words, memories, transaction, trees
from memcli.store.chunks import Chunk
from memcli.store.opening import empty_store
from tests.conftest import Terminal
from tests.properties import over_stores
from tests.recall.stores import Content, Kept, here, stored
from tests.store.conftest import BLANK

Store = Callable[..., Connection]
VOCABULARY = [line.partition(" ")[0] for line in Path(near.PATH).read_text().splitlines()[1:]]


@pytest.fixture
def store() -> Iterator[Store]:
    """Makes a store of memories with such summaries, and chunks with such texts."""
    made = []

    def make(*summaries: str, pieces: tuple[str, ...] = ()) -> Connection:
        db = empty_store()
        made.append(db)
        with transaction(db):
            for number, text in enumerate(summaries):
                memories.save(db, replace(BLANK, id=f"M-{number:010d}", summary=text))
            for number, text in enumerate(pieces):
                place = (f"C-{number:010d}", "a", 1, 9, "", "general", "")
                trees.add_chunks(db, [Chunk(0, *place, text, "", 0, 0, 1, 1, 1)[1:]])
        return db

    yield make
    for db in made:
        db.close()


def corrected(db: Connection, word: str) -> tuple[str, ...]:
    return spelling.of_store(db, [word]).get(word, ())


def one(title: str, fate: str = "live") -> Kept:
    return Kept(title, "why", "general", "note", (), 0, fate, None)


def test_a_word_is_corrected_from_memories_before_chunks(store: Store) -> None:
    both = store("the database is slow", pieces=("databass fishing", "the gateway is slow"))
    assert corrected(both, "databaes") == ("database",)
    assert corrected(both, "gatewya") == ("gateway",)


@pytest.mark.parametrize(
    "typed",
    [
        "atabase",
        "xdatabase",
        "adtabase",
        "satabase",
        "databse",
        "databbase",
        "dabatase",
        "databasw",
        "datbaes",
        "adtabsae",
        "xdatbaase",
    ],
)
def test_a_slip_anywhere_in_a_word_is_corrected(store: Store, typed: str) -> None:
    assert corrected(store("the database is slow and the gateway is not"), typed) == ("database",)


@pytest.mark.parametrize(
    "typed", ["authenticatoin", "authenticaton", "authenticationn", "autentication", "authemtication", "uthentications"]
)
def test_a_slip_in_an_ending_that_stemming_takes_off_is_corrected(store: Store, typed: str) -> None:
    for db in (store("authentication fails"), store("nothing", pieces=("authentication fails",))):
        assert index_words.stems(db, corrected(db, typed)) == ["authent"]


def test_a_stem_longer_than_what_was_typed_is_found(store: Store) -> None:
    db = store("the anthropologist")
    assert index_words.stems(db, ["anthropologis", "anthropologist"]) == ["anthropolog", "anthropologist"]
    assert corrected(db, "anthropologis") == ("anthropologist",)


def test_the_nearest_start_wins_whatever_the_order_of_letters(store: Store) -> None:
    assert corrected(store("aqueeze it", "squeeze it", "squeeze that"), "queeze")[0] == "squeeze"


@pytest.mark.parametrize("typed", ["gate", "gates", "gatewax"])
def test_two_edits_are_for_words_of_six_letters(store: Store, typed: str) -> None:
    known = store("gateway")
    assert corrected(known, typed) == (("gateway",) if len(typed) >= spelling.TWO_EDITS_FROM else ())


@pytest.mark.parametrize("typed", ["oing", "eing", "aies", "éing", "aing", "ying", "eeing", "ñandú", "ключи", "iiing"])
def test_a_word_of_which_hardly_a_stem_is_left_is_no_misspelling(store: Store, typed: str) -> None:
    assert corrected(store("going being", "keys"), typed) == ()


def test_every_stem_leads_back_to_a_word_that_has_it(store: Store) -> None:
    db = store()
    words = VOCABULARY[::10]
    stems = index_words.stems(db, words)
    assert index_words.stems(db, [spelling._surface(db, stem, word) for stem, word in zip(stems, words)]) == stems
    assert [spelling._surface(db, stem, typed) for stem, typed in [("databas", "databsae"), ("gatewai", "gatewayy")]] == [
        "database",
        "gateway",
    ]


def test_a_stem_that_would_be_stemmed_further_still_finds_its_memory(terminal: Terminal) -> None:
    terminal.add("Slow", "the database is slow")
    assert index_words.stems(empty_store(), ["database", "databas"]) == ["databas", "databa"]
    assert terminal.titles("databsae") == ["Slow"]
    assert terminal.mem("explain", "databsae", "--json").json["corrected"] == {"databsae": ["database"]}


@pytest.mark.parametrize("question", ["cat", "cachf1", "c4che", "sha25", "x86_65"])
def test_short_words_and_words_with_digits_are_not_doubted(terminal: Terminal, question: str) -> None:
    terminal.add("Fact", "the cart has a cachf and a cache; sha256 x86_64")
    assert terminal.mem("explain", question, "--json").json["corrected"] == {}


@pytest.mark.parametrize("word", ["models", "critical", "gate", "assembly", "notes", "president"])
def test_a_common_word_of_english_is_not_corrected_though_no_word_is_near_to_it(terminal: Terminal, word: str) -> None:
    terminal.add("More morals, criticals, gates of a gaze, assembling, noted notices, residents precedent to a model")
    assert "read_as" not in terminal.mem("get", f"{word} of the export", "--format", "xml").out


@pytest.mark.parametrize(
    "question",
    [
        "warum laufen Tokens ab?",
        "welche Datenbank nutzen wir",
        "Wer setzt den Gateway",
        "wo ist das Passwort",
        "quelle base nous prenons",
        "où est le passage",
        "por qué tokens",
        "waarom het wachtwoord",
    ],
)
def test_a_question_in_another_language_is_not_corrected_into_english(terminal: Terminal, question: str) -> None:
    terminal.add(
        "Wiring", "the password of the database, natural welcome warms, the passages, gateway lasses a quell, nougat, sets"
    )
    terminal.add("Datenbank", "die Datenbank ist Postgres")
    assert terminal.mem("explain", question, "--json").json["corrected"] == {}


def test_a_misspelt_question_of_english_is_still_corrected(terminal: Terminal) -> None:
    terminal.add("Gateway", "the password of the database")
    for question, word in (
        ("where is the pasword", "pasword"),
        ("which databse has the pasword", "databse"),
        ("gatewy", "gatewy"),
    ):
        assert word in terminal.mem("explain", question, "--json").json["corrected"]


def test_two_slips_and_an_unknown_word_do_not_make_a_question_foreign(terminal: Terminal) -> None:
    terminal.add("Client", "the client is closed after an exception")
    corrected = terminal.mem("explain", "Fixed cliet not cloxing quuxly after an exception", "--json").json["corrected"]
    assert corrected["cliet"] == ["client"]
    assert "closed" in corrected["cloxing"]


def test_a_slip_that_makes_another_ending_of_its_letters_is_corrected(terminal: Terminal) -> None:
    terminal.add("Tournament", "the tournament is in May")
    terminal.add("Others", "a turn, an imp and what impedes an impl")
    terminal.add("Work", "it is implemented")
    assert terminal.mem("explain", "turnameent impelment", "--json").json["corrected"] == {
        "turnameent": ["tournament"],
        "impelment": ["implemented"],
    }


def test_a_misspelt_word_that_nothing_stored_is_like_is_read_as_the_english_one_and_finds_what_is_near_to_it(
    terminal: Terminal,
) -> None:
    terminal.add("Family", "the marriage was last week, the world was there")
    assert terminal.mem("explain", "when was the wredding", "--json").json["corrected"] == {"wredding": ["wedding"]}
    assert terminal.titles("wredding") == ["Family"]


def test_a_word_of_four_letters_is_corrected_by_one_edit(terminal: Terminal) -> None:
    terminal.add("Fact", "the cart is full")
    assert terminal.titles("cxrt") == ["Fact"]
    assert terminal.titles("cxrx") == []


def test_a_known_word_is_never_corrected_and_no_vocabulary_is_read_for_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    here(terminal, monkeypatch)
    terminal.add("Cache", "the cache is warm")
    terminal.add("Seal", "a cachet is a seal")
    project = open_for_reading(Where())
    said: list[str] = []
    project.db.exec_trace = lambda cursor, sql, values: said.append(sql) or True  # type: ignore[assignment,func-returns-value]
    assert candidates.parse(project, "warm cachet seal").corrected == {}
    assert said
    assert not [sql for sql in said if "vocabulary" in sql]
    assert len(said) <= 4  # how many rows there are, and the rows of each word, which ranking needs in any case
    assert candidates.parse(project, "warm cachxt").corrected == {"cachxt": ("cachet",)}
    assert [sql for sql in said if "vocabulary" in sql]
    project.close()


def test_in_a_large_store_only_words_with_the_same_longer_start_are_looked_at(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = store("database", "gateway", "socket")
    looked: list[str] = []
    real = index_words.vocabulary

    def watched(db: Connection, table: str, start: str, *lengths: int) -> list[tuple[str, int]]:
        if table == "memory":
            looked.append(start)
        return real(db, table, start, *lengths)

    monkeypatch.setattr(index_words, "vocabulary", watched)
    two, one = "daxaxase", "dxtabase"  # slips
    for few, many, start, typed, found in [
        (3, 9, "d", two, ("database",)),
        (2, 9, "da", two, ("database",)),
        (1, 2, "dax", two, ()),
        (2, 9, "dx", one, ("database",)),  # by asking for every word one edit away
    ]:
        monkeypatch.setattr(spelling, "FEW", dict.fromkeys(spelling.FEW, few))
        monkeypatch.setattr(spelling, "MANY", dict.fromkeys(spelling.MANY, many))
        looked.clear()
        assert corrected(db, typed) == found
        assert looked[0] == start
        assert min(map(len, looked)) == min(len(start), 3)


def test_both_the_repository_and_the_person_correct_by_their_own_words(terminal: Terminal) -> None:
    terminal.add("Ours", "the gateway is slow")
    terminal.add("Mine", "prefer tabulators", "--user")
    assert terminal.titles("gatewya") == ["Ours"]
    assert terminal.titles("tabulatrs") == ["Mine"]
    terminal.add("Also mine", "the gatewaz is a joke", "--user")
    assert terminal.mem("explain", "gatewax", "--json").json["corrected"] == {"gatewax": ["gateway", "gatewaz"]}
    assert set(terminal.titles("gatewax")) == {"Ours", "Also mine"}
    assert terminal.titles("gatewaz") == ["Also mine"]  # known to one of them


def test_the_person_alone_is_corrected_too(nowhere: Terminal) -> None:
    nowhere.add("Mine", "prefer tabulators", "--user")
    assert nowhere.titles("tabulatrs", "--user") == ["Mine"]


LONG = [word for word in VOCABULARY if len(word) >= 6]
places = st.integers(0, 30)


def misspelled(word: str, way: str, place: int, letter: str) -> str:
    """Makes one edit."""
    at = place % (len(word) - 1)
    return {
        "insert": word[:at] + letter + word[at:],
        "append": word + letter,
        "delete": word[:at] + word[at + 1 :],
        "cut": word[:-1],
        "replace": word[:at] + letter + word[at + 1 :],
        "swap": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    }[way]


slips = st.tuples(
    st.sampled_from(["insert", "append", "delete", "cut", "replace", "swap"]), places, st.sampled_from(spelling.LETTERS)
)


@over_stores(5)
@given(
    st.lists(st.lists(st.sampled_from(LONG), min_size=1, max_size=6), min_size=1, max_size=8),
    st.lists(st.tuples(places, slips), min_size=8, max_size=8),
    st.sampled_from(LONG),
    st.sampled_from(["live", "user"]),
)
def test_one_extra_or_one_misspelled_word_never_empties_the_answer(
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    texts: list[list[str]],
    slip: list[tuple[int, tuple[str, int, str]]],
    extra: str,
    fate: str,
) -> None:
    here(terminal, monkeypatch)
    content = Content("repo", tuple(one(" ".join(words), fate) for words in texts), (), None)
    with stored(content) as project:
        for words, (place, how) in zip(texts, slip):
            word = words[place % len(words)]
            typed = misspelled(word, *how)
            assume(typed != word and not near.near([typed]))  # a word that people know is never corrected
            for question in (f"{' '.join(words)} {extra}", typed, f"{typed} {extra}", f"how {typed} is {' '.join(words[1:])}"):
                assert get(project, Query(question)).items, (question, words)


@pytest.mark.parametrize("word", ["what", "where", "which", "about"])
def test_a_common_word_is_never_read_as_another_where_nothing_is_stored(terminal: Terminal, word: str) -> None:
    assert terminal.mem("get", word, "--json").json["search_meta"]["corrected"] == []
