"""What spares the rules most of their work passes by no text that they would find something in, whatever was read before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from memcli.screening import classifier, find_secrets, first_look, orders
from tests.screening.secret_corpus import held_out, later, notes, outputs, samples, tuned, unseen

ROOT = Path(__file__).resolve().parents[2]
MIXED = 300  # texts put together from pieces of the corpora
MOST = 900  # texts of the corpora


def texts() -> list[str]:
    """Returns the lines of all corpora, secrets in their places, and random mixtures of both."""
    lines = [line for path in sorted((ROOT / "scripts/injections").glob("*.txt")) for line in path.read_text("utf-8").split("\n")]
    corpora = (samples, tuned, held_out, later, outputs, unseen, notes)
    secrets = [sample.text for corpus in corpora for sample in corpus(1)]
    words = [*(ROOT / "memcli/screening/orders.txt").read_text("utf-8").split(), *" ".join(lines).split()]
    rng = random.Random(3)
    return [*rng.sample(lines + secrets, MOST), *mixtures(rng, lines, secrets, words)]


def mixtures(rng: random.Random, lines: list[str], secrets: list[str], words: list[str]) -> Iterator[str]:
    for _ in range(MIXED):
        yield rng.choice((" ", " ", "\n", ". ", ", ")).join(rng.choices(words, k=rng.choice((3, 10, 40))))
        first, second = rng.choice(lines), rng.choice(secrets if rng.random() < 0.5 else lines)
        at, to = rng.randrange(len(first) + 1), rng.randrange(len(second) + 1)
        yield first[:at] + rng.choice(("", " ", "\n", "-", "\u200b", '"+"', "\\n")) + second[to:]


@pytest.fixture(scope="module")
def all_texts() -> list[str]:
    """The texts."""
    return texts()


def plain_keywords(raw: bytes, low: bytes) -> set[bytes]:
    """Looks for each keyword of a word of a text in the text itself."""
    words = set(raw.translate(first_look._WORDS).split())
    heads = [
        first_look._HEADS[head]
        for head in first_look._HEADS.keys() & (words | {it[:4] for it in words} | {it[:3] for it in words})
    ]
    tokens = [*first_look._TOKENS, *[it for of_head, _ in heads for it in of_head]]
    keywords = {it[0] for it in tokens if first_look._has_token(raw, *it)}
    keywords |= {it[0] for it in first_look._INSIDE if first_look._has_token(raw, it[0], it[1], False)}
    sequences = [*first_look._SEQUENCES, *[it for _, of_head in heads for it in of_head]]
    keywords |= {it[0] for it in sequences if first_look._has_sequence(raw, *it)}
    keywords |= {it[0] for it in first_look._LOW_SEQUENCES if first_look._has_sequence(low, *it)}
    keywords |= {
        word for word, (least, signs) in first_look._CREDENTIALS.items() if first_look._has_credential(low, word, least, signs)
    }
    return keywords | ({b"."} if first_look._has_parts(raw) else set())


def test_the_first_look_sees_each_keyword(all_texts: list[str]) -> None:
    for text in all_texts:
        raw = text.encode("utf-8", "surrogatepass")
        assert first_look.keywords_of(raw, raw.lower()) == plain_keywords(raw, raw.lower()), text


def test_a_text_is_judged_alike_whatever_was_read_before(all_texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    judged = [(orders._reads_like_order(text), find_secrets(text.encode("utf-8", "surrogatepass"))) for text in all_texts]
    for kept in (orders._harmless, orders._without_verb, classifier._weights, first_look._headless):
        assert kept
    for module, name in ((orders, "_KEPT_WORDS"), (classifier, "_KEPT"), (first_look, "_KEPT")):
        monkeypatch.setattr(module, name, 1)
    assert judged == [(orders._reads_like_order(text), find_secrets(text.encode("utf-8", "surrogatepass"))) for text in all_texts]


def test_no_literal_and_no_turned_text_is_passed_by(all_texts: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for text in all_texts:
        orders.gives_orders(text)
    judged = list(map(orders._reads_like_order, all_texts))
    monkeypatch.setattr(orders, "_has_part", lambda words: True)
    assert judged == list(map(orders._reads_like_order, all_texts))
