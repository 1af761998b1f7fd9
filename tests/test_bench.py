"""Keeps scripts/bench.py able to run: its corpora in small, every command it measures once. No time is asserted."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import apsw
import pytest

from memcli.store.chunks import Chunk
from memcli.store.memories import Memory
from memcli.store.vocabulary import ranks
from memcli.text import analysis, dates, forms, tokens

SCRIPTS = Path(__file__).parent.parent / "scripts"
sys.path.insert(0, str(SCRIPTS))  # as where the script is run: it imports what stands beside it


def script(name):
    spec = spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench = script("bench")


def setup_in(folder):
    return bench.Setup([sys.executable], [sys.executable, "-m", "memcli"], bench.environment(folder), folder)


def store_of(setup):
    (path,) = (setup.folder / "home").rglob("memory.db")
    return apsw.Connection(str(path))


def select(db, record):
    table = record.__name__.lower()
    return [record(*row) for row in db.execute(f"SELECT {', '.join(record._fields)} FROM {table}")]


def check_index(db, table):
    """Raises apsw.CorruptError where the text index of a table does not match the texts."""
    db.execute(f"INSERT INTO {table}_fts({table}_fts, rank) VALUES ('integrity-check', 1)")


def git(setup, *words):
    return subprocess.run(["git", "-C", setup.folder / "repo", *words], check=True, capture_output=True, text=True).stdout.split()


@pytest.fixture(scope="module")
def everyday(tmp_path_factory):
    setup = setup_in(tmp_path_factory.mktemp("everyday"))
    return setup, bench.build(setup, "everyday", 100, 30)


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    setup = setup_in(tmp_path_factory.mktemp("large"))
    return setup, bench.build(setup, "large", 60)


def test_the_everyday_corpus_is_as_described(everyday):
    setup, corpus = everyday
    db = store_of(setup)
    memories, chunks = select(db, Memory), select(db, Chunk)
    main_line, side = git(setup, "rev-list", "main"), git(setup, "rev-list", "main..side")
    anchors = {memory.anchor for memory in memories}
    assert (len(main_line), len(side), len(memories), len(chunks)) == (300, 20, 100, 30)
    assert len(anchors) == 45
    assert len([memory for memory in memories if memory.anchor in side]) == 4
    assert anchors <= {*main_line, *side}
    assert {memory.id for memory in memories} == set(corpus["ids"])
    check_index(db, "memory")
    check_index(db, "chunk")


def test_the_chunks_know_what_they_print_and_cost(everyday):
    chunks = select(store_of(everyday[0]), Chunk)
    assert chunks
    for chunk in chunks:
        lines = forms.chunk_lines(chunk.text)[: chunk.shown_lines]
        exact = sum(tokens.count(part, ranks()) for part in chunk.in_prompt(lines))
        assert exact <= chunk.prompt_tokens <= min(exact + 12, 320)
        exact = sum(tokens.count(part, ranks()) for part in chunk.in_xml(lines))
        assert exact <= chunk.xml_tokens <= min(exact + 12, 320)
        assert lines


def test_a_large_store_holds_the_rows_of_the_product(large):
    setup, corpus = large
    db = store_of(setup)
    memories = select(db, Memory)
    assert len(memories) == 60
    check_index(db, "memory")
    for memory in memories:
        words = analysis.extra_words(memory.title, memory.summary, memory.tags, memory.entities)
        assert memory.words == f"{words} {dates.words(memory.created_at)}".strip()
        assert memory.prompt_tokens == sum(tokens.count(part, ranks()) for part in memory.in_prompt())
    assert len({question for _, question in corpus["questions"]}) == 7


def test_every_measured_command_still_runs(everyday, monkeypatch, capsys):
    setup, corpus = everyday
    monkeypatch.chdir(setup.folder)
    result = bench.everyday(setup, corpus, runs=1, warm_ups=0)
    names = [line["name"] for line in result["lines"]]
    assert {
        "pass",
        "get",
        "get --format json",
        "search",
        "add",
        "recent",
        "show",
        "--version",
        "user-prompt 200 KB, worker",
    } < set(names)
    assert all(line["median_ms"] > 0 for line in result["lines"])
    assert result["git_processes"] == 0 < result["git_processes_after_head_moved"]
    assert 1 < result["peak_mb"] < 1_000
    bench.show({"everyday": result, "machine": "a machine"})
    printed = capsys.readouterr().out
    assert all(name in printed for name in names)
    assert json.loads(json.dumps(result)) == result


def test_questions_at_scale_still_run(large, monkeypatch, capsys):
    setup, corpus = large
    monkeypatch.chdir(setup.folder)
    result = {"memories": 60, **bench.scale(setup, corpus, 60, 1)}
    bench.show({"scale": [result], "machine": "a machine"})
    printed = capsys.readouterr().out
    assert all(kind in printed for kind, _ in corpus["questions"])


def test_the_service_still_runs(tmp_path, monkeypatch, capsys):
    setup = setup_in(tmp_path)
    setup.environ["PYTHONPATH"] = str(SCRIPTS.parent)
    setup = setup._replace(mem=[sys.executable, "-P", "-m", "memcli"])  # the corpus has files named as the standard library's
    monkeypatch.setattr(bench, "HTTP_CALLS", (2, 100, 20))
    result = bench.over_http(setup, 60)
    bench.show({"http": result, "machine": "a machine"})
    printed = capsys.readouterr().out
    assert set(result["storm"]["statuses"]) == {"200"}
    assert result["memory"]["calls"] == 20
    assert all(name in printed for name in result["routes"])


def test_the_year_still_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    old = script("_bench_old")
    monkeypatch.setattr(old, "AGES", {"two days": 2})
    monkeypatch.setattr(old, "EVENTS", 5)
    result = old.measure(tmp_path, [sys.executable], [sys.executable, "-m", "memcli"], 1)
    bench.show({"year": result, "machine": "a machine"})
    printed = capsys.readouterr().out
    assert list(result) == ["two days", "two days, after mem gc"]
    assert result["two days"]["start"]["lines"] >= 1
    assert result["two days"]["gc"]["memories"] == 0
    assert "a session that starts is told" in printed


def test_ingestion_still_runs(tmp_path, monkeypatch, capsys):
    sources = tmp_path / "sources"
    sources.mkdir()
    for number in range(3):
        (sources / f"m{number}.py").write_text(f"def f{number}():\n    pass\n")
    setup = setup_in(tmp_path / "ingest")
    monkeypatch.chdir(tmp_path)
    result = script("_bench_ingest").ingestion(setup, sources, 5)
    bench.show({"ingest": result, "machine": "a machine"})
    printed = capsys.readouterr().out
    assert (result["files"], result["skipped"]) == (3, {})
    assert list(result["peaks_mb"]) == ["1", "2", "3"]
    assert all(1 < peak < 1_000 for peak in result["peaks_mb"].values())
    assert all(result[name] > 0 for name in ("seconds", "cpu_seconds", "ratio", "again_ms", "edit_ms", "small_again_ms"))
    assert "files a second" in printed
    assert json.loads(json.dumps(result)) == result


def test_a_store_of_many_chunks_holds_what_its_files_say(tmp_path, monkeypatch, capsys):
    setup = setup_in(tmp_path)
    corpus = bench.build(setup, "evidence", 60)
    chunks = select(store_of(setup), Chunk)
    assert len(chunks) == 60
    for chunk in chunks:
        lines = (setup.folder / "repo" / chunk.path).read_text().split("\n")
        assert lines[chunk.first_line - 1 : chunk.last_line] == chunk.text.split("\n")
    monkeypatch.chdir(setup.folder)
    result = {"chunks": 60, **bench.scale(setup, corpus, 60, 1)}
    bench.show({"scale": [result], "machine": "a machine"})
    assert "get over 60 chunks" in capsys.readouterr().out


def test_a_command_that_fails_ends_the_run(everyday):
    setup = everyday[0]
    with pytest.raises(SystemExit, match="exit code 2"):
        bench.spawn(setup, [*setup.mem, "get"])


def test_sharing_is_measured_and_a_pull_of_nothing_takes_four_processes_of_git(tmp_path, monkeypatch, capsys):
    measured = script("_bench_sync")
    monkeypatch.setattr(measured, "SIZES", (30,))
    (row,) = measured.measure(setup_in(tmp_path))
    measured.show([row])
    assert (row[0], row[-1]) == (30, 4)
    assert "pull s" in capsys.readouterr().out
