"""What is fed with broken input: all that reads what other programs, other people and networks wrote.

Most targets run in this process, on one store in a directory of their own; what a person would start is started as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from memcli import config, screening
from memcli.agents import transcripts
from memcli.agents.adapters import HARNESSES
from memcli.agents.capture import worker
from memcli.agents.setup import jsonedit, merge
from memcli.errors import MemError
from memcli.ingest.cut import cut
from memcli.mcp import malformed
from memcli.project import Where
from memcli.recall import syntax
from memcli.replication import wire
from memcli.repo import blame, changes, gitrun, head, history, identity, next_commit, remotes, revisions
from memcli.store.vocabulary import ranks
from memcli.sync.sources import SOURCES
from memcli.text import analysis, calendar, dates, passages, shell, signatures, statements, terminal, tokens
from memcli.text import json as our_json
from scripts.fuzzing import Target, inputs
from scripts.fuzzing.process import Program, environment
from scripts.fuzzing.services import http_service, mcp_service

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NOW = 1_772_366_400_000


@contextmanager
def targets(folder: Path) -> Iterator[list[Target]]:
    """Yields every target. `folder` is empty, and theirs."""
    with environment(folder):
        program = Program(folder)
        program.run("init")
        program.run("add", "Session tokens live in Postgres", "--summary", "Redis evicted them under load.")
        checkout = head.find(str(folder / "work"))
        assert checkout is not None
        with mcp_service(folder) as mcp, http_service(folder) as http:
            yield [
                *_texts(),
                *_hooks(program),
                *_files(folder),
                *_git(checkout, folder),
                *_imports(program, folder),
                *_commands(program),
                Target("mcp over pipes", mcp, inputs.MCP, few=0),
                *[
                    Target(f"{method} {path}", partial(http, method, path), [json.dumps(body).encode()], few=0)
                    for method, path, body in inputs.HTTP
                ],
                Target("http bytes", partial(http, "", ""), inputs.REQUESTS, few=0),
            ]


def _texts() -> Iterator[Target]:
    """What takes a text, whatever wrote it."""
    prose, code, output = inputs.PROSE, inputs.CODE, inputs.OUTPUT
    rank = ranks()
    yield _of_text("privacy tags", lambda text: [screening.public(text), screening.without_private(text)], inputs.TAGGED)
    yield _of_text("secrets", lambda text: screening.mask(text).text, inputs.SECRETS)
    yield _of_json("payload of secrets", lambda value: screening.mask_payload(value).value, inputs.EVENTS)
    yield _of_text("orders to a model", screening.is_suspicious, inputs.ORDERS)
    yield _of_text("passages", passages.split, prose)
    yield _of_text("statements", lambda text: [statements.of_person(text), statements.pieces("", text)], prose)
    yield _of_text("words", lambda text: [analysis.terms(text), analysis.extra_words(text)], (*prose, *code))
    yield _of_text("tokens", lambda text: [tokens.count(text, rank), tokens.fit(text, 50, rank)], (*prose, *code))
    yield _of_text("terminal", lambda text: [terminal.visible(text), terminal.oneline(text), terminal.xml(text)], prose)
    yield _of_text(
        "shell lines",
        lambda text: [read(text) for read in (shell.words_by_operator, shell.without_output_filters, shell.programs)],
        inputs.SHELL,
    )
    yield _of_text("tool output", lambda text: signatures.of_output(text, True), output)
    yield _of_text("dates", lambda text: dates.parse(text), inputs.DATES)
    yield _of_text("days", lambda text: [calendar.span(text, NOW), calendar.read(text.split(), NOW)], inputs.DATES)
    yield _of_text("search syntax", syntax.parse, inputs.QUERIES)
    yield _of_text("origins", identity.normalise_origin, inputs.ORIGINS)
    for name, text in inputs.SOURCES.items():
        yield _of_text(f"cut {name}", lambda text, name=name: cut(name, text).pieces, (text,))
    yield _of_text("json", our_json.loads, inputs.EVENTS, our_json.Malformed)
    yield _of_text(
        "json to edit", lambda text: jsonedit.put(text, ("hooks", "Stop"), [1]), inputs.SETTINGS, jsonedit.MalformedJson
    )
    yield _of_text("operations", lambda text: wire.read(text, "feedfacefeedface"), inputs.OPERATIONS, wire.Refused)
    yield Target("mcp bodies", lambda data: len(malformed.answer_to_body(data) or b""), inputs.MCP)


def _of_text(name: str, read: Callable[[str], Any], seeds: Sequence[str], *refusals: type[BaseException]) -> Target:
    """A target that takes Unicode, as everything does behind the doors, which refuse other bytes."""

    def take(data: bytes) -> int:
        return len(repr(read(data.decode("utf-8", "replace"))))

    return Target(name, take, [seed.encode() for seed in seeds], (MemError, *refusals))


def _of_json(name: str, read: Callable[[Any], Any], seeds: Sequence[str]) -> Target:
    return _of_text(name, lambda text: read(our_json.loads(text)), seeds, our_json.Malformed)


def _hooks(program: Program) -> Iterator[Target]:
    """Events of each harness: taken, answered, and worked on. A hook never fails, so its bugs are raised for us here."""

    def take(harness: str, data: bytes) -> int:
        size = 0
        for event in ("session-start", "user-prompt", "pre-tool-use", "post-tool-use", "stop", "session-end"):
            size += program.run("hook", event, "--harness", harness, stdin=data)
        worker.run(Where(str(program.work)))
        return size

    for name in HARNESSES:
        yield Target(f"hook {name}", lambda data, name=name: take(name, data), [event.encode() for event in inputs.EVENTS], few=3)


def _files(folder: Path) -> Iterator[Target]:
    """Files of a person and of harnesses."""
    nothing = lambda *_: None  # noqa: E731
    own, shared = Path(os.environ["MEMPACK_CONFIG_DIR"]) / config.FILE, folder / "other" / ".mempack" / config.FILE
    own.parent.mkdir(parents=True, exist_ok=True)
    shared.parent.mkdir(parents=True)

    def settings(path: Path, root: str | None) -> Callable[[bytes], int]:
        def read(data: bytes) -> int:
            path.write_bytes(data)
            try:
                return len(repr(config.load(root, nothing, nothing)))
            finally:
                path.unlink()

        return read

    seeds = [text.encode() for text in inputs.CONFIG]
    yield Target("own settings", settings(own, None), seeds, (MemError,))
    yield Target("settings of a repository", settings(shared, str(folder / "other")), seeds, (MemError,))
    hooks = folder / "settings.json"

    def merged(data: bytes) -> int:
        hooks.write_bytes(data)
        return len(repr(merge.read_settings(str(hooks))))

    yield Target("settings of a harness", merged, [text.encode() for text in inputs.SETTINGS], (MemError,))
    for client, names in inputs.TRANSCRIPTS.items():
        place = folder / "sessions" / client

        def read_sessions(data: bytes, client: str = client, place: Path = place, name: str = names[0]) -> int:
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            found = transcripts.transcripts(client, str(place), ())
            return sum(
                len(repr(session)) + len(repr(found.directories(source)))
                for source in found.sources()
                for session in found.sessions([source])
            )

        yield Target(f"sessions of {client}", read_sessions, [text.encode() for text in names[1:]], (MemError,))


def _git(checkout: head.Checkout, folder: Path) -> Iterator[Target]:
    """What git prints, and the files in `.git` that are read without it."""

    def printed(ask: Callable[[], Any]) -> Callable[[bytes], int]:
        def read(data: bytes) -> int:
            def spoken(
                arguments: Any, cwd: str, stdin: bytes = b"", limit: float = 1.0, bare: bool = False, sink: Any = None
            ) -> gitrun.Finished:
                if sink is not None:
                    sink(data)
                return gitrun.Finished(0, b"" if sink is not None else data, b"")

            real, gitrun.run = gitrun.run, spoken
            try:
                return len(repr(ask()))
            finally:
                gitrun.run = real

        return read

    yield Target("git blame", printed(lambda: blame.lines(checkout, "a.py", (1, 3), None, 100)), inputs.GIT, (MemError,))
    yield Target("git log", printed(lambda: history.listed(checkout, ())), inputs.GIT, (MemError,))
    yield Target("git diff", printed(lambda: history.patches(checkout, [COMMIT])), inputs.GIT, (MemError,))
    yield Target("git changes", printed(lambda: changes.made(checkout, COMMIT, COMMIT, 9)), inputs.GIT, (MemError,))
    yield Target("git commits", printed(lambda: revisions.described(checkout, [COMMIT])), inputs.GIT, (MemError,))
    yield Target("git names", printed(lambda: changes.changed_names(checkout, COMMIT, COMMIT)), inputs.GIT, (MemError,))
    for name, seeds in inputs.GIT_FILES.items():
        yield Target(f"file {name}", _git_file(folder / "hostile", name), seeds, (MemError,))


def _git_file(top: Path, name: str) -> Callable[[bytes], int]:
    """Returns what reads a repository of which a file is broken."""
    repository = top / name.replace("/", "-")
    path = repository / name
    if name == ".git":
        repository.mkdir(parents=True)
    else:
        (repository / ".git/objects").mkdir(parents=True)
        (repository / ".git/refs/heads").mkdir(parents=True)
        (repository / ".git/HEAD").write_text("ref: refs/heads/spike\n")
        (repository / ".git/refs/heads/spike").write_text(f"{COMMIT}\n")
        path.parent.mkdir(parents=True, exist_ok=True)

    def read(data: bytes) -> int:
        path.write_bytes(data)
        place = head.find(str(repository))
        if place is None:
            return 0
        facts: list[Any] = [head.view(place), head.claimed_id(place), head.is_shallow(place), head.is_partial(place)]
        facts += [identity.origin(place), history.past(place), history.replaced(place), history.tips(place)]
        facts += [history.committing_sessions(place, COMMIT), next_commit.anchor_at(place)]
        facts += [remotes.origin_behind(str(repository))]
        return len(repr(facts))

    return read


def _imports(program: Program, folder: Path) -> Iterator[Target]:
    """What other programs keep."""
    for system in SOURCES:
        for name in inputs.IMPORTS.get(system, ()):
            place = folder / "import" / system

            def read(data: bytes, system: str = system, place: Path = place, name: str = name) -> int:
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_bytes(data)
                return program.run(
                    "import", "--from", system, "--dry-run", str(place / name if "/" not in name else place), fails=True
                )

            yield Target(f"import {system} {name}", read, [text.encode() for text in inputs.IMPORTED], few=6)
    place = folder / "import" / "plain.jsonl"

    def read_lines(data: bytes) -> int:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
        return program.run("import", "--dry-run", str(place), fails=True)

    yield Target("import lines", read_lines, [text.encode() for text in inputs.IMPORTED], few=6)


def _commands(program: Program) -> Iterator[Target]:
    """Questions, as a person or an agent types them."""
    for verb in ("get", "search", "recent --since", "add"):

        def ask(data: bytes, words: Sequence[str] = verb.split()) -> int:
            text = data.decode("utf-8", "replace").replace("\0", "")
            return program.run(*words, text, *(("--summary", text) if words == ["add"] else ()), fails=True)

        yield Target(f"mem {verb}", ask, [text.encode() for text in (*inputs.QUERIES, *inputs.PROSE, *inputs.DATES)], few=6)
