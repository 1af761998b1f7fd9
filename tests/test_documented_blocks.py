"""Every command in a block of the documents is run as it stands there, or is listed below with the reason why it is not."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import servers
from tests.agents.transcripts import kept
from tests.agents.worker.events import Events
from tests.conftest import Terminal
from tests.sync import stores

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(?:console)?\n(.*?)^```$|((?<=\n\n) {4}\S[^\n]*\n(?: {4}[^\n]*\n)*)", re.MULTILINE | re.DOTALL)
WORD_CHOICE = re.compile(r"\[([a-z]+(?:\|[a-z]+)+)\]")
OPTIONAL = re.compile(r" *\[[^\[\]]*\]")
CHOICE = re.compile(r"(?<!\S)[\w-]+(?:\|[\w-]+)+")

# How a line begins, and why no test runs it as it stands.
NOT_RUN = {
    "uv tool install": "needs a package index; tests/doors/test_release.py installs the wheel from files",
    "sh install.sh": "tests/doors/test_release.py runs it with a directory and an address",
    "install -m 755": "tests/doors/test_release.py builds the file and runs it",
    "scripts/": "the tools of development; .ci/run runs them, or a test that imports them",
    "claude ": "needs an account; tests/agents/worker/test_readme.py plays the session, tests/agents/real the client",
    "npx ": "needs npm; tests/mcp/test_conformance.py runs the same program",
    "openclaw ": "needs OpenClaw; tests/agents/real runs it",
    "mem browse": "needs a terminal; tests/browse drives it",
    "mem serve\n": "runs until it is stopped, as in tests/http/test_life.py; `mem serve start` is run here",
    'mem edit "$(mem pick)"': "needs a terminal; tests/cli/test_glances.py picks at one",
    "mem forget $(mem pick": "needs a terminal; tests/cli/test_glances.py picks at one",
    "mem ingest --watch": "runs until it is stopped, as in tests/ingest/test_watch.py",
    "pip ": "needs a package index",
    "python scripts/distill_vectors.py": "takes a quarter of an hour, and packages of its own",
    "python scripts/train_vectors.py": "takes a quarter of an hour, and packages of its own",
    "git diff --exit-code memcli": "says whether the line before it changed a file of this repository",
    "delete remove:": "an entry of a file, no command",
    "SELECT ": "needs a server of PostgreSQL",
}


def commands(text: str) -> list[str]:
    """Returns the commands of the blocks of a page, without what is said about them."""
    lines = []
    for fenced, indented in BLOCK.findall(text):
        for line in fenced.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                lines.append(line[2:].partition(" # ")[0].strip())
        lines += joined([line[4:] for line in indented.splitlines()])
    return lines


def joined(lines: list[str]) -> list[str]:
    """Returns the commands of an indented block. One ends where its quotation marks do; blanks in front go on with it."""
    whole: list[str] = []
    for line in lines:
        if whole and is_open(whole[-1]):
            whole[-1] += f"\n{line}"
        elif line[:1].isspace() or (whole and whole[-1].startswith("SELECT ")):
            continue
        else:
            whole.append(re.split(r"  +(?=[^\s'\"])| +# ", line)[0] if not is_open(line) else line)
    return whole


def is_open(line: str) -> bool:
    """Tells whether a quotation in a line of shell goes on behind it."""
    try:
        shlex.split(line)
    except ValueError:
        return True
    return False


def variants(line: str) -> list[str]:
    """Returns each command that a synopsis stands for, without what may be left out; another line is returned as it is."""
    synopsis = WORD_CHOICE.sub(r"\1", line)
    while (shorter := OPTIONAL.sub("", synopsis)) != synopsis:
        synopsis = shorter
    if not line.startswith("mem ") or " | " in synopsis:
        return [line]
    pieces = [word.split("|") if CHOICE.fullmatch(word) else [word] for word in synopsis.split(" ")]
    return [" ".join(words) for words in itertools.product(*pieces)]


def reason(line: str) -> str:
    """Returns why a command is not run, empty where it is."""
    return next((why for beginning, why in NOT_RUN.items() if f"{line}\n".startswith(beginning)), "")


Words = dict[str, str]


def readme(terminal: Terminal) -> Words:
    (Path(terminal.env["HOME"]) / "my").mkdir()
    (Path(terminal.env["HOME"]) / "my/project").symlink_to(terminal.folder)
    return {}


def backup(terminal: Terminal) -> Words:
    terminal.add("Sessions live in Postgres")
    terminal.mem("init", str(directory(terminal.folder.parent / "other")), "--no-git")
    return {"PATH": "copy.db"}


def directory(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def hook(terminal: Terminal) -> Words:
    terminal.add("Sessions live in Postgres")
    return {}


def turn(terminal: Terminal) -> Words:
    terminal.add("Session tokens live in Postgres")
    return {"--prepare-id ID": "--prepare-id D-0123456789"}


def shared(terminal: Terminal) -> Words:
    remote = terminal.folder.parent / "origin.git"
    terminal.git("init", "-q", "--bare", "-b", "main", str(remote))
    terminal.git("remote", "add", "origin", str(remote))
    terminal.git("push", "-q", "origin", "main")
    memory_id = terminal.add("Sessions live in Postgres")
    terminal.mem("share", terminal.add("The build", "the leaked token is in the log"), terminal.add("Prices are in cents"))
    return {"M-9MQB26FTWX": memory_id, "M-V3K8PZ61QD": terminal.add("Sessions live in Redis")}


def openclaw(terminal: Terminal) -> Words:
    terminal.mem("init", str(directory(Path(terminal.env["HOME"]) / ".openclaw/workspace")), "--no-git")
    return {}


def service(terminal: Terminal) -> Words:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
    terminal.env["MEMPACK_SERVE_PORT"] = port
    terminal.env["BROWSER"] = "true"
    terminal.add("The queue retries three times")
    token = terminal.data / "token"
    return {"37888": port, "~/.local/share/mempack/token": str(token)}


def transcripts(terminal: Terminal) -> Words:
    home = Path(terminal.env["HOME"])
    kept.claude(home, terminal.folder)
    return {"rollout-….jsonl": str(kept.codex(home, terminal.folder))}


def files(terminal: Terminal) -> Words:
    for name in ("src", "docs"):
        (directory(terminal.folder / name) / "a.py").write_text("def retry():\n    return 3\n")
    return {}


def protocol(terminal: Terminal) -> Words:
    (directory(terminal.data) / "token").write_text("token")
    return {"~/.local/share/mempack/token": str(terminal.data / "token")}


def programs(terminal: Terminal) -> Words:
    home, here = Path(terminal.env["HOME"]), terminal.folder
    stores.claude_mem(home / ".claude-mem/claude-mem.db", 2, "work")
    with_shop = stores.claude_mem(home / "shop.db", 2, "shop")
    stores.cmem(home / ".c-mem/c-mem.db", 2)
    stores.mempack(home / ".local/share/mempack/repos/r_1/memory.db", 4, str(here))
    stores.mempack(directory(here / "mem-share") / "memory.db", 4, str(here))
    stores.mecho(here / "mecho/data/modes", 2)
    stores.mecho(here / "data/modes", 2)
    stores.ltm(directory(home / "yachiyo/data/long-term-memory") / "memory.json", 2)
    stores.picoclaw(directory(home / ".picoclaw") / "workspace", 2)
    stores.picoclaw(home / "claw", 2)
    stores.basic_memory(home / "basic-memory", 2)
    note = {"id": 1, "title": "Coffee", "note_type": "note", "project_id": 1, "permalink": "coffee", "created_at": "2025-03-01"}
    stores.database(home / ".basic-memory/memory.db", stores.BASIC_MEMORY, project=[{"id": 1, "name": "main"}], entity=[note])
    stores.mcp_memory(here / "memory.json", 2)
    stores.decisions(here / "docs/adr", 2)
    for name in ("AGENTS.md", "services/CLAUDE.md", ".cursorrules"):
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text("# Style\n\n- Tabs, not spaces\n")
    return {"--project shop": f"{with_shop} --project shop", **service(terminal)}


def benchmark(terminal: Terminal) -> Words:
    top = directory(terminal.folder / "set")
    memory = {"id": "1", "store": "s", "title": "Sessions live in Postgres", "text": "Redis evicted them."}
    (top / "corpus.jsonl").write_text(json.dumps(memory) + "\n")
    (top / "queries.jsonl").write_text(json.dumps({"id": "q", "store": "s", "text": "where do sessions live"}) + "\n")
    (top / "qrels.tsv").write_text("q\t1\t1\n")
    (terminal.folder / "scripts").symlink_to(ROOT / "scripts")
    return {"SET...": "set", "SET": "set", "seq 41": "seq 1", "-n 21p": "-n 1p"}


def sessions(terminal: Terminal) -> Words:
    terminal.mem("init", "--no-agents")
    for name in ("first", "second"):
        events = Events(terminal, name)
        events.prompt(f"Why does the login ask twice in the {name} form?")
        events.tool("Edit", {"file_path": "login.py", "old_string": "a", "new_string": name})
        events.stop("It asked twice because the cookie was lost. We decided to keep the cookie for an hour.")
        events.end()
    events.work()
    terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "1"
    first, second = (session["id"] for session in terminal.mem("sessions", "--json").json)
    prompt = terminal.mem("session", second, "--json").json["prompt_list"][0]["id"]
    return {
        "P-…": prompt,
        "A-…": first,
        "--session ID": f"--session {second}",
        " ID": f" {prompt}",
        "WORDS": "login",
        "N ": "5 ",
    }


def code(terminal: Terminal) -> Words:
    terminal.commit("Add login", auth_py="def login(user):\n    token = fetch(user)\n")
    return {}


def nothing(terminal: Terminal) -> Words:
    return {}


PREPARED: dict[str, Callable[[Terminal], Words]] = {
    "README.md": readme,
    "backup.md": backup,
    "capture.md": hook,
    "ci.md": shared,
    "harnesses.md": openclaw,
    "http.md": service,
    "import.md": transcripts,
    "ingestion.md": files,
    "mcp.md": protocol,
    "migrating.md": programs,
    "retrieval.md": benchmark,
    "sync.md": shared,
    "turns.md": turn,
    "why.md": code,
    "worker.md": sessions,
}
RUN = {
    page.name: lines
    for page in PAGES
    if page.name != "cli.md" and (lines := [line for line in commands(page.read_text(encoding="utf-8")) if not reason(line)])
}


def filled(line: str, words: Words) -> str:
    """Returns a line with what stands for its names; a name within a word, as at the end of an id, is none."""
    for name, value in words.items():
        start = r"(?<!\w)" if name[0].isalnum() else ""
        line = value.join(re.split(start + re.escape(name), line))
    return line


class Shell:
    """Runs the lines of a page in a terminal, in which `mem` and `python` are those of this checkout."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal, self.printed = terminal, ""
        programs = directory(terminal.folder.parent / "bin")
        for name, words in (("mem", servers.command(terminal.env)), ("python", [sys.executable])):
            (programs / name).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            (programs / name).chmod(0o755)
        terminal.env["PATH"] = f"{programs}:{os.environ['PATH']}"

    def run(self, line: str) -> None:
        """Runs a line. Fails the test unless it ends with 0."""
        stdin = json.dumps({"session_id": "s1", "cwd": str(self.terminal.folder), "prompt": "Where do sessions live?"})
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", line],
            cwd=self.terminal.folder,
            env=self.terminal.env,
            input=stdin if line.startswith("mem hook") else "",
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        self.printed += done.stdout


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_page_work_as_they_are_written(terminal: Terminal, page: str) -> None:
    shell = Shell(terminal)
    words = PREPARED.get(page, nothing)(terminal)
    try:
        for line in itertools.chain.from_iterable(map(variants, RUN[page])):
            line = filled(line, words)
            if "jq" in line and not shutil.which("jq"):
                continue
            shell.run(re.sub(r"D-\w{10}", "".join(re.findall(r"D-\w{10}", shell.printed)[-1:]), line))
    finally:
        subprocess.run(
            ["bash", "-c", "mem serve stop; mem worker stop"], cwd=terminal.folder, env=terminal.env, capture_output=True
        )
    if page in ("README.md", "index.md"):
        assert "Redis evicted them under load" in shell.printed


def test_each_reason_not_to_run_a_command_is_needed() -> None:
    lines = [line for page in PAGES for line in commands(page.read_text(encoding="utf-8"))]
    assert [beginning for beginning in NOT_RUN if not any(f"{line}\n".startswith(beginning) for line in lines)] == []


def test_commands_are_taken_out_of_every_kind_of_block() -> None:
    fenced = '```console\n$ mem init   # once\nprinted\n$ mem add \\\n  "a"\n```\n'
    indented = '\n    mem recent    the newest\n    python -c "\n    a = 1"; ls\n'
    assert commands(fenced + indented) == ["mem init", 'mem add    "a"', "mem recent", 'python -c "\na = 1"; ls']
    assert variants("mem queue [status|retry] [EVENT]") == ["mem queue status", "mem queue retry"]
    assert variants("mem setup a|b [--user | --project] [--mcp [--write ask|off]]") == ["mem setup a", "mem setup b"]
    assert variants("mem repos --json | jq '.[].id'") == ["mem repos --json | jq '.[].id'"]


def test_an_id_that_ends_like_a_name_stays_as_it_is() -> None:
    line = filled("mem timeline ID --before N --session x WORDS", {" ID": " P-BPNHKGTCRN", "N ": "5 ", "WORDS": "login"})
    assert line == "mem timeline P-BPNHKGTCRN --before 5 --session x login"
