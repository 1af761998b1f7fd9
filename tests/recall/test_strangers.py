"""What has nothing to do with a question is not told: a word that is merely near, a letter that is merely alike, small talk."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal

NOTHING = "Nothing stored matches"


@pytest.fixture
def shop(terminal: Terminal) -> Terminal:
    """A repository that knows three things."""
    terminal.add("Release on Tuesdays", "Ask Jonas before a release on any other day.")
    terminal.add("Increase the rate limit", "Set it to 200 requests a minute; the partner complained.")
    terminal.add("The dark theme sends a seat to Halle", "The dancer holds mercy, Montague and a morning walk.")
    return terminal


@pytest.mark.parametrize(
    "question", ["any questions?", "a question without relation", "how do I configure the dishwasher", "could you inquire?"]
)
def test_a_word_that_is_merely_near_brings_no_stranger(shop: Terminal, question: str) -> None:
    assert shop.mem("get", question).out.startswith(NOTHING)


def test_a_near_word_answers_where_the_whole_is_near_in_meaning(terminal: Terminal) -> None:
    terminal.add("Sessions", "authentication by password, with a token that expires")
    assert "Sessions" in terminal.mem("get", "login").out


@pytest.mark.parametrize("word", ["ingress", "egress", "grafana", "idempotency"])
def test_a_word_of_the_trade_is_not_taken_for_another(shop: Terminal, word: str) -> None:
    assert shop.mem("get", f"kubernetes {word}").out.startswith(NOTHING)


def test_two_other_letters_make_another_word_and_two_slips_do_not(terminal: Terminal) -> None:
    terminal.add("Socket", "the socket increases")
    for typed, meant in (("sokcet", ["socket"]), ("scoekt", ["socket"]), ("sackut", None)):
        assert terminal.mem("explain", typed, "--json").json["corrected"] == ({typed: meant} if meant else {})


@pytest.mark.parametrize("word", ["danke", "hallo", "darf", "seit", "montag", "merci", "hola", "domani", "maandag", "agora"])
def test_the_commonest_words_of_other_languages_are_not_corrected(shop: Terminal, word: str) -> None:
    assert shop.mem("get", word).out.startswith(NOTHING)


def test_in_a_question_in_english_such_a_word_is_a_slip(terminal: Terminal) -> None:
    terminal.add("The seat", "each seat is numbered")
    assert terminal.mem("explain", "which seit is that", "--json").json["corrected"] == {"seit": ["seat"]}


def test_another_ending_of_a_word_is_found_in_any_language(terminal: Terminal) -> None:
    terminal.add("Etiketten", "Die Umlaute fehlen, weil der Drucker die Codepage 850 erwartet.")
    terminal.add("Aufgaben", "Das Lager wird mit einem Besen gekehrt.")
    pack = terminal.mem("get", "woran lag das mit den Umlauten?").out
    assert "Etiketten" in pack
    assert "Aufgaben" not in pack


@pytest.mark.parametrize(
    "words",
    [
        "everything ok?",
        "good morning everyone",
        "guten Morgen, wie geht es dir?",
        "vielen Dank, sehr gut",
        "bonjour, comment ça va ?",
        "muchas gracias",
        "buongiorno, come stai?",
        "tudo bem, obrigado",
        "hoi, hoe gaat het?",
    ],
)
def test_small_talk_brings_nothing_in_any_of_these_languages(terminal: Terminal, words: str) -> None:
    terminal.add(
        "Es geht gut, ok", "wie es geht, everything, everyone: good morning, comment tout va bien, hoe het gaat, come sta"
    )
    assert terminal.mem("get", words).out.startswith(NOTHING)
