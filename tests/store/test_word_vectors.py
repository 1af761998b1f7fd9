"""Texts of one meaning have near vectors, whatever their words; a text without one has none."""

from __future__ import annotations

import pytest

from memcli.errors import MemError
from memcli.store import word_vectors
from memcli.store.word_vectors import encode, similarities


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("why is signing in slow", "the login takes ten seconds", "the icons are drawn as vectors"),
        ("deletes old files", "removes stale artefacts from disk", "renders the template of a page"),
        ("getUserName", "returns the name of the user", "opens a socket to the broker"),
    ],
)
def test_what_means_the_same_is_nearer(question: str, near: str, far: str) -> None:
    asked = encode(question)
    of_near, of_far = similarities(asked, [encode(near), encode(far)])
    assert of_near > of_far + 0.1


def test_a_text_is_as_near_itself_as_can_be() -> None:
    for text in ("login", "the queue of the worker", "x" * 5_000):
        assert similarities(encode(text), [encode(text)])[0] == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("text", ["", " \n", "日本語", "!?"])
def test_what_has_no_known_word_has_no_vector(text: str) -> None:
    assert encode(text) == b""


def test_an_unknown_word_is_made_of_its_longest_known_pieces() -> None:
    assert word_vectors.split("retrying", {"retry", "r", "re", "##ing", "##in", "##g"}) == ["retry", "##ing"]
    assert word_vectors.words_of("parseHTTPHeader retry_count", 10) == ["parse", "http", "header", "retry", "count"]


def test_a_missing_table_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setattr(word_vectors, "PATH", f"{tmp_path}/none.db")
    monkeypatch.setattr(word_vectors, "_db", None)
    monkeypatch.setattr(word_vectors, "_sums", {})
    with pytest.raises(MemError, match="cannot be read"):
        encode("login")


def test_a_cosine_is_what_the_product_of_two_vectors_says() -> None:
    def product(vector: bytes, other: bytes) -> int:
        return sum(first * second for first, second in zip(memoryview(vector).cast("b"), memoryview(other).cast("b")))

    vector = encode("the worker retries the queue")
    extremes = [bytes([value & 255] * len(vector)) for value in (-128, -1, 0, 127)]
    others = [encode("why is signing in slow"), vector, *extremes]
    assert similarities(vector, others) == [product(vector, other) / word_vectors.LENGTH**2 for other in others]
    assert similarities(vector, [b"", b"\x01"]) == [0.0, 0.0]
