"""mem eval: how well questions find their memories, measured on a set of one's own."""

from __future__ import annotations

import gzip
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memcli import models
from memcli.evaluation import Score, mean, percentile, score
from tests.conftest import Terminal
from tests.models.servers import Dictionary

CORPUS = [
    {"id": "g-tulips", "store": "garden", "title": "Tulips wilt early", "text": "The frost came in April.", "thread": "bed_1"},
    {"id": "g-roses", "store": "garden", "title": "Roses want pruning", "text": "Above a bud.", "date": "1:56 pm on 8 May, 2023"},
    {"id": "g-bills", "store": "garden", "title": "", "text": "Invoices are paid by wire.", "date": "2023-05-09"},
    {"id": "k-bread", "store": "kitchen", "title": "Bread proves overnight", "text": "Sourdough rests in the cellar."},
    {"id": "k-knife", "store": "kitchen", "title": "Knife", "text": ""},
]
QUERIES = [
    {"id": "q1", "store": "garden", "text": "when do the tulips wilt"},  # its one memory comes first: 1, 1, 1
    {"id": "q2", "store": "garden", "text": "pruning"},  # the first of its two: recall 1/2, MRR 1, nDCG 1 / (1 + 1/log2 3)
    {"id": "q3", "store": "kitchen", "text": "zzyzx"},  # nothing is found: 0
    {"id": "q4", "store": "kitchen", "text": "sourdough bread proves overnight, knife"},  # second place: 1, 1/2, 1/log2 3
]
QRELS = "q1\tg-tulips\t1\nq2\tg-roses\t1\nq2\tg-bills\t1\nq2\tg-tulips\t0\nq3\tk-bread\t1\nq4\tk-knife\t1\n"
LOG2_3 = 1.5849625
ALL = {
    "recall_5": 0.625,  # (1 + 1/2 + 0 + 1) / 4
    "recall_10": 0.625,
    "mrr_10": 0.625,  # (1 + 1 + 0 + 1/2) / 4
    "ndcg_10": round((1 + 1 / (1 + 1 / LOG2_3) + 0 + 1 / LOG2_3) / 4, 4),
}
HARD = {"recall_5": 0.5, "recall_10": 0.5, "mrr_10": 0.25, "ndcg_10": round(1 / LOG2_3 / 2, 4)}  # of q3 and q4


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join([json.dumps(row) + "\n" for row in rows])


@pytest.fixture
def small(nowhere: Terminal) -> Path:
    """A set of five memories in two stores, and four questions, two of them hard."""
    folder = nowhere.folder / "small"
    folder.mkdir()
    (folder / "corpus.jsonl").write_text(lines(CORPUS))
    (folder / "queries.jsonl").write_text(lines(QUERIES))
    (folder / "qrels.tsv").write_text(QRELS)
    (folder / "hard.txt").write_text("q3\nq4\n")
    return folder


def measured(terminal: Terminal, *words: str) -> dict[str, dict[str, Any]]:
    """The rows of an evaluation by their names."""
    return {row["name"]: row for row in terminal.mem("eval", *words, "--json").json["queries"]}


def measures(row: dict[str, Any]) -> dict[str, float]:
    return {name: row[name] for name in ALL}


def test_the_scores_are_those_worked_out_by_hand(nowhere: Terminal, small: Path) -> None:
    found = measured(nowhere, "small")

    assert {name: measures(row) for name, row in found.items()} == {"queries": ALL, "hard": HARD}
    assert [(row["queries"], row["answered"]) for row in found.values()] == [(4, 3), (2, 1)]
    assert all(0 < row["p50_ms"] <= row["p95_ms"] for row in found.values())


def test_a_person_sees_a_table(nowhere: Terminal, small: Path) -> None:
    title, gap, head, queries, hard = nowhere.mem("eval", "small").out.splitlines()

    assert title.startswith("small: 5 memories in 2 stores, loaded in ")
    assert gap == ""
    assert head.split() == ["queries", "R@5", "R@10", "MRR@10", "nDCG@10", "p50", "ms", "p95", "ms"]
    assert queries.split()[:6] == ["queries", "4", "0.625", "0.625", "0.625", "0.561"]
    assert hard.split()[:6] == ["hard", "2", "0.500", "0.500", "0.250", "0.315"]
    assert len({len(line) for line in (head, queries, hard)}) == 1


def test_misspelled_questions_are_measured_beside_the_others(nowhere: Terminal, small: Path) -> None:
    (small / "queries_typo.jsonl").write_text(lines([{**QUERIES[0], "text": "tulips"}]))
    assert list(measured(nowhere, "small")) == ["queries", "queries_typo", "hard"]
    assert measured(nowhere, "small", "--queries", "queries_typo").keys() == {"queries_typo"}


def test_one_query_file_can_be_asked_alone(nowhere: Terminal, small: Path) -> None:
    (small / "other.jsonl").write_text(lines([{**QUERIES[0], "id": "q9", "text": "tulips"}]))
    (small / "qrels.tsv").write_text(QRELS + "q9\tg-tulips\t1\n")

    assert measured(nowhere, "small", "--queries", "other.jsonl")["other"]["mrr_10"] == 1


def test_a_limit_cuts_the_list_that_is_scored(nowhere: Terminal, small: Path) -> None:
    assert measured(nowhere, "small", "--limit", "1")["queries"]["recall_10"] == 0.375  # the second place is lost


def test_packs_tell_their_tokens_and_what_arrives_in_them(nowhere: Terminal, small: Path) -> None:
    packs = nowhere.mem("eval", "small", "--json", "--budget", "3000", "--budget=1").json["packs"]
    assert [(row["name"], row["budget"], row["relevant"]) for row in packs] == [("queries", 1, 0), ("queries", 3000, 0.625)]
    assert packs[0]["tokens"] == 0 < packs[1]["tokens"] < 300

    (row,) = nowhere.mem("eval", "small", "--json", "--packs").json["packs"]
    assert (row["budget"], row["relevant"]) == (2500, 0.625)
    assert nowhere.mem("eval", "small", "--packs").out.splitlines()[-1].split()[:2] == ["queries", "2,500"]


def test_the_settings_in_force_are_measured(nowhere: Terminal, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_BUDGET_TOTAL", "77")
    assert nowhere.mem("eval", "small", "--json", "--packs").json["packs"][0]["budget"] == 77


def test_it_leaves_nothing_behind_and_opens_no_memory_of_ours(
    terminal: Terminal, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.add("Tulips wilt when", "do the tulips wilt")
    before = {path: path.read_bytes() for path in terminal.data.rglob("*") if path.is_file()}
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))

    assert measures(measured(terminal, "small")["queries"]) == ALL
    assert os.listdir(tmp_path / "scratch") == []
    assert {path: path.read_bytes() for path in terminal.data.rglob("*") if path.is_file()} == before


def test_packed_files_are_read(nowhere: Terminal, small: Path) -> None:
    for name in ("corpus.jsonl", "qrels.tsv"):
        (small / f"{name}.gz").write_bytes(gzip.compress((small / name).read_bytes()))
        (small / name).unlink()
    assert measures(measured(nowhere, "small")["queries"]) == ALL

    (small / "qrels.tsv.gz").write_bytes(gzip.compress(QRELS.encode())[:20])
    assert nowhere.mem("eval", "small", fails=2).err.startswith("Error: qrels.tsv cannot be read: ")


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels.tsv"])
def test_a_missing_file_is_named(nowhere: Terminal, small: Path, name: str) -> None:
    (small / name).unlink()
    said = nowhere.mem("eval", "small", fails=3).err
    assert said.startswith(f"Error: no {name} in small\nHint: a benchmark is a directory with corpus.jsonl")


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("corpus.jsonl", "{", "corpus.jsonl line 6: not JSON"),
        ("corpus.jsonl", "[]", "corpus.jsonl line 6: not an object"),
        ("corpus.jsonl", '{"store": "garden", "title": "t", "text": "x"}', "corpus.jsonl line 6: id is not a string"),
        ("corpus.jsonl", '{"id": "", "store": "garden"}', "corpus.jsonl line 6: id is empty"),
        ("corpus.jsonl", '{"id": "a", "store": "garden", "text": 7}', "corpus.jsonl line 6: text is not a string"),
        ("corpus.jsonl", '{"id": "g-roses", "store": "garden"}', "corpus.jsonl line 6: id 'g-roses' occurs twice"),
        ("corpus.jsonl", '{"id": "a", "store": "garden", "date": "tomorrow"}', "corpus.jsonl line 6: not a date: 'tomorrow'"),
        ("corpus.jsonl", '{"id": "a", "store": "garden", "title": "\\u0000"}', "corpus.jsonl line 6: title holds a NUL"),
        ("corpus.jsonl", "\udcff", "corpus.jsonl line 6: not valid UTF-8"),
        ("queries.jsonl", "x", "queries.jsonl line 5: not JSON"),
        ("queries.jsonl", '{"id": "q5", "store": "garden"}', "queries.jsonl line 5: text is not a string"),
        (
            "queries.jsonl",
            '{"id": "q5", "store": "attic", "text": "x"}',
            "queries.jsonl line 5: no memory is in the store 'attic'",
        ),
        ("queries.jsonl", '{"id": "q1", "store": "garden", "text": "x"}', "queries.jsonl line 5: id 'q1' occurs twice"),
        ("queries.jsonl", '{"id": "q5", "store": "garden", "text": "x"}', "queries.jsonl: no memory answers 'q5'"),
        ("qrels.tsv", "q1 g-roses", "qrels.tsv line 7: not a question and a memory"),
        ("qrels.tsv", "q8\tg-roses\t1", "qrels.tsv line 7: no question 'q8'"),
        ("qrels.tsv", "q1\tg-none\t1", "qrels.tsv line 7: no memory 'g-none'"),
        ("qrels.tsv", "q1\tk-bread\t1", "qrels.tsv line 7: 'k-bread' is in another store than 'q1'"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(nowhere: Terminal, small: Path, name: str, line: str, said: str) -> None:
    with open(small / name, "ab") as file:
        file.write(line.encode("utf-8", "surrogateescape") + b"\n")
    err = nowhere.mem("eval", "small", fails=2).err

    assert err.startswith(f"Error: {said}")
    assert err.splitlines()[1].startswith("Hint: ")
    assert len(err.splitlines()) == 2


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nothing",), 3, "no directory nothing"),
        (("small", "--queries", "extra"), 3, "no extra.jsonl in small"),
        (("small", "--limit", "0"), 2, "limit must be"),
        (("small", "--budget", "many"), 2, "not a budget: 'many'"),
        (("small", "--budget", "0"), 2, "not a budget: '0'"),
    ],
)
def test_a_bad_call_is_refused(nowhere: Terminal, small: Path, words: tuple[str, ...], code: int, said: str) -> None:
    assert nowhere.mem("eval", *words, fails=code).err.startswith(f"Error: {said}")


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl"])
def test_a_file_that_says_nothing_is_refused(nowhere: Terminal, small: Path, name: str) -> None:
    (small / name).write_text("\n")
    (small / "qrels.tsv").write_text("")
    assert f"{name} contains no" in nowhere.mem("eval", "small", fails=2).err


def test_a_list_is_scored_by_its_first_ten() -> None:
    ranked = [f"d{place}" for place in range(1, 13)]
    assert score(frozenset(["d6", "d11"]), ranked) == Score(0.0, 0.5, pytest.approx(1 / 6), pytest.approx(0.2184, abs=1e-4))
    assert score(frozenset(ranked), ranked) == Score(pytest.approx(5 / 12), pytest.approx(10 / 12), 1.0, 1.0)
    assert score(frozenset(["x"]), []) == Score(0.0, 0.0, 0.0, 0.0)
    assert mean([]) == Score(0.0, 0.0, 0.0, 0.0)


def test_a_percentile_is_one_of_the_values() -> None:
    assert [percentile([4, 1, 3, 2], share) for share in (0.5, 0.95, 0.0, 1.0)] == [2, 4, 1, 4]
    assert percentile([], 0.5) == 0


def test_meanings_are_measured_where_they_are_asked_for(nowhere: Terminal, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = Dictionary()
    monkeypatch.setitem(models.PROVIDERS, "dictionary", lambda config: known)
    monkeypatch.setattr(models, "_embedders", {})
    monkeypatch.setenv("MEMPACK_EMBED_PROVIDER", "dictionary")
    (small / "corpus.jsonl").write_text(lines([*CORPUS, {"id": "k-cat", "store": "kitchen", "title": "Cats", "text": "Away."}]))
    (small / "other.jsonl").write_text(lines([{"id": "q9", "store": "kitchen", "text": "zibblewonk"}]))
    (small / "qrels.tsv").write_text(QRELS + "q9\tk-cat\t1\n")

    plain, meant = (measured(nowhere, "small", "--queries", "other", *more)["other"] for more in ((), ("--semantic",)))
    assert (plain["recall_10"], meant["recall_10"]) == (0, 1)
    assert len(known.asked) == 6 + 1


def test_meanings_that_cannot_be_had_are_an_error(nowhere: Terminal, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_EMBED_PROVIDER", "nobody")
    assert "no embedding provider 'nobody'" in nowhere.mem("eval", "small", "--semantic", fails=1).err
