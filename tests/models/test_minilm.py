"""The real model, where memcli[semantic] is installed."""

from __future__ import annotations

import importlib.util

import pytest

from memcli import models
from memcli.models import minilm
from tests.conftest import Terminal

needs_model = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in (minilm.PACKAGE, "onnxruntime", "numpy")),
    reason="memcli[semantic] is not installed",
)


@needs_model
def test_texts_of_one_meaning_lie_nearer_than_others() -> None:
    model = minilm.MiniLM()
    vectors = model.encode(["The kitten sleeps.", "A young cat is napping.", "Invoices are due in March."])
    near, far = (sum(a * b for a, b in zip(vectors[0], other)) for other in vectors[1:])
    alone = model.encode(["The kitten sleeps."])[0]

    assert [len(vector) for vector in vectors] == [384] * 3
    assert near > 0.6 > 0.2 > far
    assert alone == pytest.approx(vectors[0], abs=0.05)  # padding beside longer texts changes little


@needs_model
def test_a_question_in_other_words_finds_its_memory(terminal: Terminal) -> None:
    terminal.add("Kitten naps", "It dozes on the sofa all afternoon.")
    terminal.add("Invoices", "They are due in March.")
    assert terminal.mem("embed", "--json").json["encoded"] == 2
    assert terminal.titles("a feline asleep", "--semantic") == ["Kitten naps"]


def test_without_the_package_words_answer(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_weights")
    monkeypatch.setattr(models, "_embedders", {})
    terminal.add("Kitten naps")

    assert terminal.mem("embed", fails=1).err == (
        "Error: the embedding model is not installed\nHint: install memcli[semantic], or set embed.provider\n"
    )
    said = terminal.mem("get", "kitten", "--semantic")
    assert said.out == terminal.mem("get", "kitten").out
    assert said.err == "By words alone: nothing is encoded by minilm yet (run mem embed)\n"
