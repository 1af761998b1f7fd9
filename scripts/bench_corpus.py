#!/usr/bin/env python3
"""Builds what scripts/bench.py measures. Run it with the interpreter whose `memcli` is measured:

    bench_corpus.py everyday FOLDER MEMORIES CHUNKS    a repository and the store of a busy project
    bench_corpus.py large FOLDER MEMORIES              the same repository and a store of very many memories
    bench_corpus.py evidence FOLDER CHUNKS             a repository whose many files were ingested
    bench_corpus.py observed FOLDER OBSERVATIONS       a repository in which agents did very much
    bench_corpus.py year FOLDER DAYS                   a repository in which agents worked for so many days

The repository becomes FOLDER/repo; the store goes where memcli puts it, below HOME. Prints one JSON object. All text is drawn
from the standard library's own sources with a fixed seed: the same interpreter makes the same corpus.
"""

import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from itertools import accumulate, islice
from pathlib import Path
from types import SimpleNamespace

import _bench_year

from memcli import sync
from memcli.agents.capture import handlers
from memcli.ingest.chunk import to_chunk
from memcli.ingest.cut import Piece
from memcli.memory import commit, projection
from memcli.memory.projection import fold
from memcli.project import Where, now, open_for_writing
from memcli.records import replace
from memcli.repo import worktree
from memcli.settings import SETTINGS
from memcli.store import graph, memories, rows, search, transaction, trees
from memcli.store.oplog import Change, LoggedOperation
from memcli.text import analysis, dates, ids

SEED = 7
COMMITS, SIDE, FORK = 320, 20, 100  # of the commits, the last SIDE are on a branch that left after FORK and was not merged
ANCHORS, SIDE_ANCHORS = 41, 4  # distinct commits that memories were written on
EPOCH = 1_600_000_000  # of the first commit, in seconds
THREADS = ("auth", "build", "cli", "docs", "http", "io", "parser", "release", "storage", "tests")
AGE = 3 * 365 * dates.DAY  # of the oldest memory
LONGEST_NAME = 64  # characters that the name of an entity may have
RECENT = 20 * dates.DAY  # of the oldest observation: what is older, the worker hides
DOCSTRING = re.compile(r'"""([^"]{20,}?)"""')
IDENTIFIER = re.compile(r"\b[A-Za-z]+(?:_[a-z]+)+\b|\b[A-Za-z][a-z]+[A-Z]\w*[a-z]\b")  # snake_case or camelCase
MIN_FILES = 100  # of the standard library, that a corpus is drawn from
CHUNK_LINES = 40
STEP = 5  # lines from which on the standard library is taken once more
SENTENCE = "return the value of the named header as it was received, without its line breaks"
BATCH = 5_000  # memories that one worker makes at a time


def main(arguments):
    kind, folder, *sizes = arguments
    build = {"everyday": everyday, "large": large, "evidence": evidence, "observed": observed, "year": year}[kind]
    print(json.dumps(build(Path(folder), *map(int, sizes))))


def everyday(folder, memory_count, chunk_count):
    """Builds a repository and its store. Returns {"ids": some of the memories}."""
    files = sources(memory_count + chunk_count)
    main_line, side = repository(folder / "repo", files)
    os.chdir(folder / "repo")
    project = open_for_writing(Where())
    sync.load(project, memory_lines(files, memory_count, anchors(main_line, side)))
    with transaction(project.db):
        ingest(project, files, make_chunks(files, chunk_count))
        search.tidy(project.db, "chunk")
    stored = memories.everything(project.db, 0, 200)
    project.close()
    return {"ids": [memory.id for memory in stored]}


def large(folder, memory_count):
    """Builds a repository and a store of many memories. Returns {"questions": [[what kind, question], ...]}.

    The rows are the product's, made by its own functions in several processes. Short cuts: there is no operation log, and the
    text index is made in one go.
    """
    files = sources(memory_count)
    main_line, side = repository(folder / "repo", files)
    words = vocabulary(files)
    batches = [(start, min(BATCH, memory_count - start)) for start in range(0, memory_count, BATCH)]
    os.chdir(folder / "repo")
    sql = f"INSERT INTO memory({memories.COLUMNS}) VALUES ({', '.join('?' * len(memories.COLUMNS.split(',')))})"
    # The processes must be there before the store is open: SQLite's handles do not survive a fork.
    with multiprocessing.Pool(initializer=share, initargs=(words, anchors(main_line, side))) as pool:
        project = open_for_writing(Where())
        rows(project.db, "PRAGMA synchronous = OFF")
        with transaction(project.db):
            for thread in THREADS:
                graph.save_thread(project.db, thread, thread, project.now)
        for batch in pool.imap(make_rows, batches):
            with transaction(project.db):
                project.db.executemany(sql, batch)
    rows(project.db, "INSERT INTO memory_fts(memory_fts) VALUES ('rebuild'); PRAGMA wal_checkpoint(TRUNCATE)")
    project.close()
    return {"questions": questions(words)}


def evidence(folder, chunk_count):
    """Builds a repository and a store of very many chunks. Returns {"questions": [[what kind, question], ...]}.

    The files are the standard library's modules several times over, each time from a few lines further on, so that they are cut
    elsewhere. The text index is made in one go.
    """
    modules = sources(chunk_count)
    repository(folder / "repo", modules)
    starts = range(0, CHUNK_LINES, STEP)
    files = [(f"v{start}/{path}", "\n".join(text.split("\n")[start:])) for start in starts for path, text in modules]
    os.chdir(folder / "repo")
    project = open_for_writing(Where())
    rows(project.db, "PRAGMA synchronous = OFF")
    with transaction(project.db):
        ingest(project, files, make_chunks(files, chunk_count))
        rows(project.db, "INSERT INTO chunk_fts(chunk_fts) VALUES ('rebuild')")
    rows(project.db, "PRAGMA wal_checkpoint(TRUNCATE)")
    project.close()
    fixed = [["where a name is defined", "where is get_default_verify_paths defined"], ["a sentence", SENTENCE]]
    return {"questions": [*questions(vocabulary(modules)), *fixed]}


def observed(folder, count):
    """Builds a repository whose store has observations of sessions, 50 each, and their prompts. Returns {"ids": some of them}."""
    files = sources(count // 10)
    main_line, side = repository(folder / "repo", files)
    os.chdir(folder / "repo")
    project = open_for_writing(Where())
    rows_of = (json.loads(line) for line in memory_lines(files, count, anchors(main_line, side)))
    for number in range(0, count, 50):
        session, begun = handlers.new_session("http", f"bench-{number // 50}", now() - RECENT)
        changes = [begun, handlers.new_prompt(session, 1, "what is asked here", "", now() - RECENT)[1]]
        for row in islice(rows_of, 50):
            fields = {name: row[name] for name in ("title", "summary", "thread", "kind", "tags", "entities")}
            more = {
                "anchor": row["anchor_commit"],
                "created": now() - dates.parse(row["created_at"]) % RECENT,
                "session": session,
                "prompt": 1,
            }
            changes.append(Change("put", ids.new("M"), {**fields, **more, "tools": ["Edit"]}))
        commit.commit(project, lambda changes=changes: changes, "hook")
    stored = memories.everything(project.db, 0, 200)
    project.close()
    return {"ids": [memory.id for memory in stored]}


def year(folder, days):
    """Builds a repository with a commit for each session of agents, and the store of so many days. Returns {"days": days}."""
    commits = long_history(folder / "repo", days * _bench_year.SESSIONS)
    os.chdir(folder / "repo")
    project = open_for_writing(Where())
    rows(project.db, "PRAGMA synchronous = OFF")
    _bench_year.Year(project.db, project.now, days, commits).fill()
    rows(project.db, "PRAGMA wal_checkpoint(TRUNCATE)")
    project.close()
    return {"days": days}


def ingest(project, files, new_chunks):
    """Stores chunks as those of files of the working tree, which are written there."""
    rows(project.db, "INSERT INTO tree(n, root, inode) VALUES (1, ?, 0)", (project.root,))
    texts, artifacts = dict(files), {}
    for chunk in new_chunks:
        if chunk.path not in artifacts:
            content = texts[chunk.path].encode()
            file = Path(project.root, chunk.path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            artifacts[chunk.path] = len(artifacts) + 1
            values = (artifacts[chunk.path], chunk.path, worktree.blob_id(content))
            rows(project.db, "INSERT INTO artifact(n, path, hash, language, cut_by) VALUES (?, ?, ?, 'python', 'bench')", values)
            file_row = (1, chunk.path, artifacts[chunk.path], *worktree.stamp(project.root, chunk.path))
            rows(project.db, "INSERT INTO tree_file(tree, path, artifact, size, mtime_ns) VALUES (?, ?, ?, ?, ?)", file_row)
        trees.add_chunks(project.db, [replace(chunk, artifact=artifacts[chunk.path])[1:]])


def sources(most):
    """Returns (path, text) of up to `most` modules of the standard library in a fixed order that mixes the packages."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path for path in root.rglob("*.py") if not {"site-packages", "dist-packages", "data"} & set(path.parts))
    random.Random(SEED).shuffle(paths)
    modules = []
    for path in paths[: max(most, MIN_FILES)]:
        text = path.read_text(encoding="utf-8", errors="replace")
        if text and "\0" not in text:
            modules.append((path.relative_to(root).as_posix(), text))
    return modules


def repository(folder, files):
    """Makes a git repository. Returns the hashes of its main line and of the branch that was not merged, oldest first."""
    stream = []
    for number in range(1, COMMITS + 1):
        path, text = files[number % len(files)]
        is_side = number > COMMITS - SIDE
        origin = f"from :{FORK}\n" if number == COMMITS - SIDE + 1 else ""
        head = f"commit refs/heads/{'side' if is_side else 'main'}\nmark :{number}\n"
        who = f"committer bench <bench@localhost> {EPOCH + number * 3600} +0000\ndata <<END\nchange {path}\nEND\n{origin}"
        body = text.encode()
        stream.append(f"{head}{who}M 100644 inline {path}\ndata {len(body)}\n".encode() + body + b"\n")

    def git(*words, stdin=None):
        return subprocess.run(["git", "-C", folder, *words], input=stdin, check=True, stdout=subprocess.PIPE).stdout

    folder.mkdir(parents=True)
    git("init", "--quiet")
    git("symbolic-ref", "HEAD", "refs/heads/main")
    git("fast-import", "--quiet", stdin=b"".join(stream))
    git("reset", "--quiet", "--hard")
    lines = [git("rev-list", "--reverse", *names).decode().split() for names in (["main"], ["main..side"])]
    return lines[0], lines[1]


def long_history(folder, count):
    """Makes a git repository of so many small commits. Returns their hashes, oldest first."""
    stream = []
    for number in range(1, count + 1):
        head = f"commit refs/heads/main\nmark :{number}\ncommitter bench <bench@localhost> {EPOCH + number * 900} +0000\n"
        text = f"session {number}\n"
        stream.append(
            f"{head}data {len(text)}\n{text}M 100644 inline src/file{number % 200}.py\ndata {len(text)}\n{text}\n".encode()
        )
    folder.mkdir(parents=True)

    def git(*words, stdin=None):
        return subprocess.run(["git", "-C", folder, *words], input=stdin, check=True, stdout=subprocess.PIPE).stdout

    git("init", "--quiet")
    git("symbolic-ref", "HEAD", "refs/heads/main")
    git("fast-import", "--quiet", stdin=b"".join(stream))
    git("reset", "--quiet", "--hard")
    return git("rev-list", "--reverse", "main").decode().split()


def anchors(main_line, side):
    """Returns commits spread over the main line, and the last ones of the side branch."""
    step = len(main_line) // ANCHORS
    return main_line[step - 1 :: step][:ANCHORS], side[-SIDE_ANCHORS:]


def memory_lines(files, count, anchored):
    """Yields memories as JSON lines for an import. One of 25 was written on the side branch."""
    rng = random.Random(SEED)
    main_line, side = anchored
    sentences = prose(files)
    titles = [sentence for sentence in sentences if 4 <= sentence.count(" ") < 12]
    names = [name for name in identifiers(files) if len(name) <= LONGEST_NAME]
    on_side = max(1, count // 25)
    for number in range(count):
        title = rng.choice(titles).rstrip(".")
        brief = " ".join(rng.choice(sentences).split()[:34])
        row = {
            "title": f"{title} ({number})" if number % 7 == 0 else title,
            "summary": f"{brief} See {rng.choice(names)} in {rng.choice(files)[0]}.",
            "thread": rng.choice(THREADS),
            "kind": rng.choice(("note", "decision", "fix")),
            "tags": rng.sample(THREADS, 2),
            "entities": [rng.choice(names)],
            "created_at": dates.iso(now() - rng.randrange(AGE)),
            "anchor_commit": side[number % len(side)] if number < on_side else main_line[number % len(main_line)],
            "source_id": f"bench-{number}",
        }
        yield json.dumps(row)


def prose(files):
    """Returns the sentences of 5 to 40 words in the docstrings."""
    sentences = []
    for _, text in files:
        for docstring in DOCSTRING.findall(text):
            pieces = re.split(r"(?<=[.!?])\s+", " ".join(docstring.split()))
            sentences += [piece for piece in pieces if piece[0].isupper() and 4 <= piece.count(" ") < 40 and ">>>" not in piece]
    return list(dict.fromkeys(sentences))


def identifiers(files):
    """Returns snake_case and camelCase names with the number of files that each is in."""
    names = Counter()
    for _, text in files:
        names.update(dict.fromkeys(IDENTIFIER.findall(text), 1))  # not a set: its order differs from run to run
    return names


def make_chunks(files, count):
    """Yields chunks of the sources as an ingestion would store them; cut elsewhere once all is used up."""
    cap = SETTINGS["budget.chunk_each"][0]
    pieces = (piece for shift in (0, 20, 10, 30) for path, text in files for piece in cut(path, text, shift))
    for _, (path, first, lines) in zip(range(count), pieces, strict=False):
        text = "\n".join(lines)
        symbol = re.search(r"^\s*(?:def|class) (\w+)", text, re.MULTILINE)
        piece = Piece(first, first + len(lines) - 1, text, symbol[1] if symbol else "", "function" if symbol else "module")
        yield replace(to_chunk(path, piece, cap, "general", now()), id=ids.new("C"))


def cut(path, text, shift):
    """Yields (path, number of the first line, lines) of the pieces of a file."""
    lines = text.split("\n")
    for start in range(shift, len(lines), CHUNK_LINES):
        piece = lines[start : start + CHUNK_LINES]
        if any(line.strip() for line in piece):
            yield path, start + 1, piece


def vocabulary(files):
    """Returns words with weights as they are written: four of five as often as docstrings have them, the rest names."""
    plain = Counter(
        word for _, text in files for docstring in DOCSTRING.findall(text) for word in re.findall(r"[A-Za-z]+", docstring)
    )
    names = identifiers(files)
    share = plain.total() / names.total() / 4
    return {**{name: count * share for name, count in names.items()}, **plain}


_shared = SimpleNamespace()


def share(words, anchored):
    """Gives a worker what all its batches need."""
    _shared.words, _shared.sums, _shared.anchors = list(words), list(accumulate(words.values())), anchored
    _shared.project = SimpleNamespace(config={key: setting[0] for key, setting in SETTINGS.items()})
    _shared.now = now()


def make_rows(batch):
    """Returns a batch (start, size) of rows of the table `memory`, through the function that makes every row of the product."""
    start, size = batch
    rng = random.Random(SEED + start)
    main_line, side = _shared.anchors
    batch_rows = []
    for number in range(start, start + size):
        drawn = rng.choices(_shared.words, cum_weights=_shared.sums, k=rng.randint(15, 46))
        created = _shared.now - rng.randrange(AGE)
        anchored = side if number % 25 == 0 else main_line
        fields = {
            "title": " ".join(drawn[:7]),
            "summary": " ".join(drawn[7:]),
            "thread": rng.choice(THREADS),
            "kind": "note",
            "tags": rng.sample(THREADS, 2),
            "entities": [],
            "created": created,
            "anchor": anchored[number % len(anchored)],
            "source": f"bench-{number}",
        }
        memory_id = ids.new("M")
        operation = LoggedOperation(number + 1, "", created, 0, "", "put", memory_id, json.dumps(fields), "import", "local", 1)
        folded = fold([operation])
        logged = projection._worked_out(projection._memory(None, memory_id, folded, operation), folded)
        memory = projection._printed(_shared.project.config["budget.memory_each"], logged)
        batch_rows.append((None, *memory[1:]))
    return batch_rows


def questions(words):
    """Returns questions of different kinds, as (what kind, question)."""
    rng = random.Random(SEED)
    by_weight = sorted((w for w in words if len(w) > 2 and w.lower() not in analysis.STOP_WORDS), key=lambda w: (-words[w], w))
    common, middle, rare = by_weight[:12], by_weight[1_000:2_000], by_weight[-1_000:]
    drawn = rng.choices(list(words), weights=list(words.values()), k=40)
    return [
        ("rare words", " ".join(rng.sample(rare, 4))),
        ("words in between", " ".join(rng.sample(middle, 5))),
        ("common words only", " ".join(rng.sample(common, 6))),
        ("one common word", common[0]),
        ("common and rare", " ".join([*rng.sample(common, 4), *rng.sample(middle, 2), rng.choice(rare)])),
        ("a plain question", "why does the default value of an argument change when the function is called again"),
        ("40 words", " ".join(drawn)),
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
