"""How much of the repository's own text a question is told: none by chance, no more than memories, and the source first."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal
from tests.recall.files import ingest
from tests.recall.test_evidence import places

BUDGET = '''def fill_budget(lines):
    """Fills the token budget of a pack with lines."""
    for line in lines:
        take(line)
'''

TEST = "def test_fill_budget():\n    token_budget = Pack()\n    assert fill_budget(token_budget).lines == 3\n"


@pytest.fixture
def budget(terminal: Terminal) -> Terminal:
    """A repository whose source, test and manual speak of the same thing."""
    files = {
        "src/budget.py": BUDGET,
        "tests/test_budget.py": TEST,
        "docs/budget.md": "The token budget of a pack\n" * 9,
    }
    for path, text in files.items():
        (terminal.folder / path).parent.mkdir(exist_ok=True)
        (terminal.folder / path).write_text(text)
    ingest(terminal, *files)
    return terminal


def test_source_comes_before_tests_and_manuals_unless_they_are_asked_for(budget: Terminal) -> None:
    assert places(budget, "where is the token budget of a pack filled")[0].startswith("src/budget.py")
    assert places(budget, "which test covers the token budget of a pack")[0].startswith("tests/test_budget.py")


def test_what_shares_one_word_with_a_question_is_no_evidence_unless_it_is_wanted(budget: Terminal) -> None:
    question = "why did the marketing department double its budget"
    assert places(budget, question) == []
    assert places(budget, question, "--evidence") != []
    assert [one["verdict"] for one in budget.mem("explain", question, "--json").json["chunks"]] == ["relevance"] * 3


def test_no_more_evidence_than_memories_unless_it_is_wanted(budget: Terminal) -> None:
    question = "how is the token budget of a pack filled"
    assert len(places(budget, question)) == 3
    budget.add("The token budget of a pack is filled line by line")
    assert len(places(budget, question)) == 1
    assert len(places(budget, question, "--evidence")) == 3
    assert places(budget, question, "--no-evidence") == []
    assert "cannot be both included and left out" in budget.mem("get", question, "--evidence", "--no-evidence", fails=2).err


@pytest.mark.parametrize("question", ["hi", "thanks, looks great", "ok"])
def test_small_talk_is_told_nothing(budget: Terminal, question: str) -> None:
    budget.add("Great looks matter: thanks to the ok button")
    assert budget.mem("get", question).out.startswith("Nothing stored matches in work ")


@pytest.mark.parametrize("question", ["what remains to do?", "go on", "where were we", "what is next"])
def test_a_vague_question_is_told_no_code(budget: Terminal, question: str) -> None:
    (budget.folder / "src/next.py").write_text("def go_on(next, remains):\n    return next\n")
    ingest(budget, "src/next.py")
    budget.mem("checkpoint", "--reason", "Halfway", "--state-json", '{"next": ["write the parser"]}')
    pack = budget.mem("get", question, "--json").json
    assert pack["top_chunks"] == []
    assert pack["state"] == {"next": ["write the parser"]}


def test_chunks_are_searched_as_a_kind(budget: Terminal) -> None:
    budget.add("The token budget of a pack is 2,500")
    hits = budget.mem("search", "token budget pack", "--kind", "chunk", "--json").json
    assert [hit["kind"] for hit in hits] == ["chunk"] * 3
    assert hits[0]["id"].startswith("C-")
    assert [
        hit["id"] for hit in budget.mem("search", "token budget pack", "--kind", "chunk", "--offset", "1", "--json").json
    ] == [hit["id"] for hit in hits[1:]]
    assert "have no origin" in budget.mem("search", "token", "--kind", "chunk", "--origin", "cli", fails=2).err
    assert "have no session" in budget.mem("search", "token", "--kind", "chunk", "--session", "s", fails=2).err
