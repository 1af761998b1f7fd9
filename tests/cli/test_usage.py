"""The command line itself: usage errors, help, the overview, options in any order, colour, width, completion."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.cli import table
from memcli.text.terminal import columns
from tests.cli import screen
from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("get", "missing argument 'QUERY...'"),
        ("get x --bogus", "no such option: --bogus"),
        ("nosuch", "no such command 'nosuch'"),
        ("show", "missing argument 'ID...'"),
        ("link a b", "missing argument 'TO'"),
        ("use", "no repository is given"),
        ("get x --budget many", "invalid value for '--budget': 'many'"),
        ("recent --limit=1.5", "invalid value for '--limit': '1.5'"),
        ("get x --budget", "option '--budget' requires an argument"),
        ("get x --json=yes", "option '--json' does not take a value"),
        ("get why is it slow --bogus", "no such option: --bogus"),
        ("search a -x b", "no such option: -x"),
        ("undo now", "got unexpected extra argument"),
        ("-x", "no such option: -x"),
    ],
)
def test_a_usage_error_is_one_line_and_a_hint(terminal: Terminal, line: str, said: str) -> None:
    refused = terminal.mem(*line.split(), fails=2)

    assert refused.out == ""
    assert refused.err.startswith(f"Error: {said}")
    error, hint = refused.err.splitlines()
    assert hint.startswith("Hint: see mem ")
    assert hint.endswith(" --help")
    assert not error.endswith(".")


def test_a_usage_error_hints_at_the_help_of_its_command(terminal: Terminal) -> None:
    for line in ("get", "get x --bogus", "get x --budget many", "get x --budget", "get x --json=yes", "get a b -x"):
        assert terminal.mem(*line.split(), fails=2).err.splitlines()[1] == "Hint: see mem get --help", line


def test_every_error_is_json_where_json_was_asked_for(terminal: Terminal) -> None:
    for line, code, name in (
        ("get --json", 2, "usage"), ("nosuch --json", 2, "usage"), ("get x --bogus --json", 2, "usage"),
        ("--json show nosuch", 2, "usage"), ("show nosuch --json", 3, "not_found"),
        ("get x --json --repo nosuch", 3, "not_found"), ("undo --json", 3, "not_found"),
        ("get x --json --budget 0", 2, "invalid_input"),
    ):  # fmt: skip
        refused = terminal.mem(*line.split(), fails=code)
        error = json.loads(refused.err)

        assert refused.out == "", line
        assert set(error) == {"error"}
        assert set(error["error"]) == {"code", "message", "hint"}
        assert error["error"]["code"] == name, line
        assert refused.err.count("\n") == 1


def test_options_may_stand_anywhere_and_be_joined_with_an_equals_sign(terminal: Terminal) -> None:
    terminal.add(FACT, "because", "--thread", "auth")
    expected = terminal.mem("search", "session", "--thread", "auth", "--limit", "5", "--json").out

    assert FACT in expected
    for line in (
        "search --thread auth session --limit 5 --json",
        "search --json --limit=5 --thread=auth session",
        "search session --json --thread=auth --limit 5 --limit=5",
        "search --json --limit=5 --thread=auth -- session",
    ):
        assert terminal.mem(*line.split()).out == expected, line


def test_the_words_of_a_query_need_no_quotes(terminal: Terminal) -> None:
    terminal.add("Login is slow", "because of bcrypt with 14 rounds")
    terminal.add("Logout is fast", "nothing is hashed")

    for command in ("get", "explain", "search"):
        quoted = terminal.mem(command, "why is login slow", "--json").out
        for line in (
            "why is login slow --json",
            "--json why is login slow",
            "why is --json login slow",
            "--json why -- is login slow",
        ):
            assert terminal.mem(command, *line.split()).out == quoted, line
        assert terminal.mem(command, "why is", "login slow", "--json").out == quoted


def test_operators_and_phrases_may_be_words_of_their_own(terminal: Terminal) -> None:
    terminal.add("Session expired", "after a day")
    terminal.add("Expired session", "after a week")
    terminal.add("Cache", "kept for good")

    hits = terminal.mem("search", '"session expired"', "OR", "cache", "--json").json
    assert {hit["title"] for hit in hits} == {"Session expired", "Cache"}
    assert [hit["title"] for hit in terminal.mem("search", "expired", "NOT", "week", "--json").json] == ["Session expired"]


def test_only_a_dash_alone_reads_standard_input(terminal: Terminal) -> None:
    terminal.add("Postgres", "holds the tokens")
    terminal.add("Redis", "holds the cache")

    assert [hit["title"] for hit in terminal.mem("search", "-", "--json", stdin="postgres").json] == ["Postgres"]
    assert [hit["title"] for hit in terminal.mem("search", "redis", "-", "--json", stdin="postgres").json] == ["Redis"]


def test_after_two_dashes_everything_is_an_argument(terminal: Terminal) -> None:
    terminal.mem("add", "--summary", "x", "--", "--json is a flag")

    assert terminal.titles("flag") == ["--json is a flag"]
    assert terminal.mem("search", "--json", "--", "--json").json[0]["title"] == "--json is a flag"
    assert terminal.mem("get", "--", "--help").out.startswith("Nothing stored matches in work ")


def test_the_overview_names_every_command(terminal: Terminal) -> None:
    bare = terminal.mem()

    assert bare.err == ""
    assert bare.out.startswith("mem: what this repository remembers, for you and your agents\n\nRecall        get  ")
    assert bare.out.endswith("\nTry: mem get why is login slow        Help on a command: mem get --help\n")
    assert set(table.COMMANDS) - {"merge-memory"} <= set(bare.out.split()), "all but what only git calls"
    for words in (["--help"], ["-h"], ["help"], ["--no-color"]):
        assert terminal.mem(*words).out == bare.out, words


@pytest.mark.parametrize("command", table.COMMANDS)
def test_a_command_has_help_that_names_every_option(terminal: Terminal, command: str) -> None:
    shown = terminal.mem(command, "--help")
    _, _, _, _, options, shared = table.COMMANDS[command]

    assert shown.err == ""
    assert shown.out.startswith(f"Usage: mem {command} [OPTIONS]")
    assert set(options) | set(shared) <= set(shown.out.replace(",", " ").split())
    assert terminal.mem(command, "-h").out == shown.out
    assert "\x1b" not in shown.out


@pytest.mark.parametrize("command", [*table.COMMANDS, "hook"])
def test_help_fits_into_80_columns(nowhere: Terminal, command: str) -> None:
    assert [line for line in nowhere.mem("help", command).out.splitlines() if columns(line) > 80] == []


def test_help_works_anywhere_and_makes_nothing(nowhere: Terminal) -> None:
    for words in ([], ["--help"], ["get", "--help"], ["add", "x", "--help"], ["--version"], ["version"]):
        assert nowhere.mem(*words).out

    assert not nowhere.data.exists()


def test_version_tells_version_and_commit(terminal: Terminal) -> None:
    told = terminal.mem("version", "--json").json

    assert (
        terminal.mem("--version").out
        == terminal.mem("version").out
        == f"mem {told['version']} ({told['commit'] or 'unknown commit'})\n"
    )


def test_piped_output_has_no_escape_codes(terminal: Terminal) -> None:
    memory_id = terminal.add(FACT)
    terminal.mem("checkpoint", "--reason", "x", "--state-json", "{}")
    for words in (
        ["get", "session"],
        ["search", "session"],
        ["recent"],
        ["show", memory_id],
        ["log"],
        ["state"],
        ["repos"],
        ["doctor"],
        ["config"],
        [],
    ):
        assert "\x1b" not in terminal.mem(*words).out, words
    assert "\x1b" not in terminal.mem("nosuch", fails=2).err


def on_a_terminal(terminal: Terminal, *words: str, **env: str) -> str:
    """Runs mem where standard output and error are a terminal, and returns all that it shows."""
    return screen.end(*screen.begin(terminal, *words, **env))[0]


def test_a_person_at_a_terminal_sees_colour_unless_it_is_not_wanted(terminal: Terminal) -> None:
    memory_id = terminal.add(FACT, "Redis evicted them.", "--thread", "auth")

    assert f"\x1b[36m{memory_id}\x1b[0m" in on_a_terminal(terminal, "recent", TERM="xterm")
    assert "\x1b[35;1mRecall       \x1b[0m" in on_a_terminal(terminal, TERM="xterm")
    assert "\x1b[31mError:\x1b[0m" in on_a_terminal(terminal, "nosuch", TERM="xterm")
    assert "\x1b" not in on_a_terminal(terminal, "recent", TERM="xterm", NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(terminal, "recent", TERM="dumb")
    assert "\x1b" not in on_a_terminal(terminal, "recent", "--no-color", TERM="xterm")
    assert "\x1b" not in on_a_terminal(terminal, "nosuch", "--no-color", TERM="xterm")
    assert "\x1b" not in on_a_terminal(terminal, "recent", "--json", TERM="xterm")


def test_a_person_at_a_terminal_gets_lines_and_a_pipe_gets_the_prompt(terminal: Terminal) -> None:
    memory_id = terminal.add(FACT, "Redis evicted them.", "--thread", "auth")
    seen = on_a_terminal(terminal, "get", "session", "--no-color")

    assert seen.startswith(f"{memory_id}  {FACT}  now · auth\n              Redis evicted them.\n")
    assert seen.endswith(" of 2,500 tokens\n")
    assert len(seen.splitlines()) == 3
    assert on_a_terminal(terminal, "get", "session", "--format", "prompt") == terminal.mem("get", "session").out


def test_an_argument_that_is_not_utf_8_is_a_usage_error(terminal: Terminal) -> None:
    for words in (
        [b"get", b"\xff"],
        [b"nosuch\xff"],
        [b"thread", b"\xff"],
        [b"get", b"--\xff"],
        [b"get", b"x", b"--format=\xff"],
    ):
        refused = terminal.process(*words, fails=2)
        assert refused.out == ""
        assert len(refused.err.splitlines()) == 2


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8", ""])
def test_the_locale_changes_nothing(terminal: Terminal, locale: str) -> None:
    env = {"LC_ALL": locale, "LANG": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    added = terminal.process("add", "Größe 測試", "--summary", "ünï", env=env)

    assert "Größe 測試" in added.out
    assert terminal.mem("show", added.id, "--json").json["memory"]["summary"] == "ünï"
    assert "Größe 測試" in terminal.process("get", "größe", env=env).out


def test_shell_completion_offers_commands_and_options(terminal: Terminal) -> None:
    for shell in ("bash", "zsh", "fish"):
        env = {"_MEM_COMPLETE": f"complete_{shell}", "COMP_WORDS": "mem se", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "mem se"}
        assert "search" in terminal.process(env={**env, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}, fails=None).out, shell
    env = {"_MEM_COMPLETE": "complete_bash", "COMP_WORDS": "mem get --form", "COMP_CWORD": "2"}
    assert terminal.process(env=env, fails=None).out.split() == ["--format"]


def test_shell_completion_can_be_shown_for_a_shell_that_is_named(terminal: Terminal) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_MEM_COMPLETE" in terminal.process(env={"_MEM_COMPLETE": f"source_{shell}"}).out, shell


def test_the_installed_command_is_the_same_one(terminal: Terminal) -> None:
    script = Path(sys.executable).with_name("mem")
    if not script.exists():
        pytest.skip("memcli is not installed beside this Python")
    done = subprocess.run(
        [script, "--version"], cwd=terminal.folder, env=terminal.env, capture_output=True, text=True, timeout=60
    )

    assert (done.returncode, done.stdout) == (0, terminal.mem("--version").out)


def test_help_lists_the_keys_of_the_browser(terminal: Terminal) -> None:
    assert "s supersede" in " ".join(terminal.mem("help", "browse").out.split())
