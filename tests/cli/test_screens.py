"""What a person sees: lines that fit the terminal and break between words, titles whole, remarks apart, local times."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from memcli.text.terminal import columns
from tests.cli import screen
from tests.conftest import Terminal

LONG = "The login endpoint answers 429 after five failed attempts from one address within a minute"
WIDTHS = (60, 80, 120, 200)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def painted(terminal: Terminal, width: int, *words: str, **env: str) -> str:
    """What mem writes to a terminal of so many columns."""
    program = terminal.program(words, terminal.env)
    return screen.end(*screen.begin(terminal, *words, columns=width, program=program, TERM="xterm-256color", **env))[0]


def look(terminal: Terminal, width: int, *words: str, **env: str) -> list[str]:
    """The lines that mem shows on a terminal of so many columns."""
    lines = COLOURS.sub("", painted(terminal, width, *words, **env)).splitlines()
    assert max(map(columns, lines)) <= width, lines
    assert "internal error" not in lines[0]
    return lines


@pytest.fixture
def full(terminal: Terminal, later: Callable[[str], None]) -> Terminal:
    """A memory with what is hard to lay out."""
    (terminal.folder / "auth.md").write_text("# Login\n\nSome words.\n\nSessions of the login live in Postgres.\n")
    terminal.mem("ingest", ".")
    later("2026-02-10T23:30:00Z")
    terminal.add(
        LONG, "Argon2 is slow, so the limiter of the login runs before it. " * 4, "--thread", "auth", "--file", "auth.md"
    )
    terminal.add(
        "数据库连接池的大小必须与工作进程的数量一致，否则登录会话会在高负载下超时", "login 每个工作进程使用一个连接。" * 6
    )
    terminal.add(
        "Deploys 🚀 of the login run on Fridays 👩‍👩‍👧‍👦 only when all agree ✅", "cafe\u0301 login " * 20, "--thread", "a" * 80
    )
    terminal.add("https://example.invalid/" + "login/" * 30, "login" + "X" * 300)
    terminal.mem("note", "add", "A note about the login. " * 8)
    terminal.mem("profile", "set", "style", "short functions and plain names " * 8)
    terminal.mem("checkpoint", "--reason", "login done " * 12, "--state-json", '{"next": ["%s"]}' % ("measure the login " * 12))
    (terminal.folder / "auth.md").write_text("# Login\n\nSome words.\n\nSessions of the login live in Redis.\n")
    terminal.mem("ingest", ".")
    later("2026-03-01T12:00:00Z")
    return terminal


@pytest.mark.parametrize("width", WIDTHS)
def test_every_screen_fits_the_terminal(full: Terminal, width: int) -> None:
    memory_id = full.mem("search", "endpoint", "--json").json[0]["id"]
    for line in (
        "|recent|get login|search login|explain login|log|threads|thread auth|state|state history|state diff|note list --days 30"
        f"|profile|chunks|doctor --stale|config list|show {memory_id}|timeline {memory_id}|pin {memory_id}|confirm {memory_id}"
        "|get --help|queue|repos|undo"
    ).split("|"):
        assert look(full, width, *line.split())


def test_columns_of_the_environment_come_before_those_of_the_terminal(full: Terminal) -> None:
    lines = COLOURS.sub("", painted(full, 200, "recent", COLUMNS="60")).splitlines()

    assert 50 < max(map(columns, lines)) <= 60
    for odd in ("0", "-5", "x", "9" * 30):
        assert max(map(columns, look(full, 80, "recent", COLUMNS=odd))) > 60


@pytest.mark.parametrize("width", WIDTHS)
def test_a_title_is_shown_whole_and_breaks_between_words(full: Terminal, width: int) -> None:
    for words, indent in ((("recent",), 14), (("search", "endpoint"), 14), (("get", "login endpoint"), 16), (("log",), 22)):
        text = " ".join([line[indent:].partition("  ")[0].strip() for line in look(full, width, *words)])
        assert LONG in re.sub(" +", " ", text), words


def test_a_remark_stands_below_the_title_and_takes_no_room_from_it(full: Terminal) -> None:
    lines = look(full, 80, "get", "endpoint")
    remark = next(number for number, line in enumerate(lines) if line.strip() == "auth.md changed since")

    assert lines[remark - 2].endswith("2 weeks · auth")
    assert len(lines[remark - 2].partition("  ")[2].partition("  ")[0]) > 40
    assert lines[remark + 1].startswith(" " * 14 + "Argon2 is slow, so the limiter of the login runs before it.")


def test_evidence_is_shown_with_its_line(full: Terminal) -> None:
    lines = look(full, 80, "get", "where do sessions of the login live, in Redis")
    place = next(number for number, line in enumerate(lines) if line.startswith("C-"))

    assert lines[place].split() == [lines[place][:12], "auth.md:5", "Login", "evidence"]
    assert lines[place + 1] == " " * lines[place].index("auth.md:5") + "Sessions of the login live in Redis."


def test_the_log_says_what_was_done_to_what(terminal: Terminal) -> None:
    argon = terminal.add("Use argon2", "because", "--kind", "decision")
    for words in (("pin", argon), ("update", argon, "--summary", "more", "--tags", "auth"), ("note", "add", "a note"), ("undo",)):
        terminal.mem(*words)
    scrypt = terminal.mem("supersede", argon, "--title", "Use scrypt", "--summary", "s", "--json").json["id"]
    terminal.mem("link", scrypt, "needs", "https://example.invalid")
    terminal.mem("forget", scrypt)
    terminal.mem("restore", scrypt)
    terminal.mem("profile", "set", "editor", "vi")
    terminal.mem("profile", "delete", "editor")
    terminal.mem("checkpoint", "--reason", "half done", "--state-json", "{}")
    lines = [
        line.split("  now · ")[0].split("  ", 1)[-1].strip() for line in terminal.mem("log", "--limit", "50").out.splitlines()
    ]
    phrases = [re.sub(r"^\d+ +|^[A-Z]-\w{10} +", "", re.sub(r"^\d+ +", "", line.strip())) for line in lines]

    for phrase in (
        "added decision “Use argon2”",
        "pinned “Use argon2”",
        "changed summary and tags of “Use argon2”",
        "noted “a note”",
        "took back: noted “a note”",
        f"superseded “Use argon2” by “Use scrypt” ({scrypt})",
        "linked “Use scrypt” to https://example.invalid (needs)",
        "forgot “Use scrypt”",
        "restored “Use scrypt”",
        "set editor to “vi”",
        "deleted editor from the profile",
        "saved state “half done”",
        "started thread general",
    ):
        assert phrase in phrases, phrases


def test_undo_says_what_it_took_back(terminal: Terminal) -> None:
    argon = terminal.add("Use argon2")
    terminal.mem("pin", argon)
    terminal.mem("profile", "set", "editor", "vi")

    assert "set editor to “vi”" in terminal.mem("undo").out
    assert f"{argon}  pinned “Use argon2”" in terminal.mem("undo").out
    assert f"{argon}  added note “Use argon2”" in terminal.mem("undo").out


def test_a_person_reads_local_times_and_a_program_utc(full: Terminal) -> None:
    memory_id = full.mem("search", "endpoint", "--json").json[0]["id"]

    assert "written    2026-02-11 08:30 (2 weeks ago) by cli" in look(full, 80, "show", memory_id, TZ="Asia/Tokyo")
    assert "written    2026-02-10 18:30 (2 weeks ago) by cli" in look(full, 80, "show", memory_id, TZ="America/New_York")
    assert any("2026-02-11 08:30" in line for line in look(full, 80, "timeline", memory_id, TZ="Asia/Tokyo"))
    day, note, *_ = look(full, 80, "note", "list", "--days", "30", TZ="Asia/Tokyo")
    assert (day, note[:5]) == ("2026-02-11", "08:30")
    assert (
        full.process("show", memory_id, "--json", env={"TZ": "Asia/Tokyo"}).json["memory"]["created_at"]
        == "2026-02-10T23:30:00.000Z"
    )


def test_what_goes_into_a_pipe_is_cut_nowhere_and_has_a_line_for_each(full: Terminal) -> None:
    lines = full.mem("recent").out.splitlines()

    assert len(lines) == len(full.mem("recent", "--json").json)
    assert [LONG in line for line in lines if "429" in line] == [True]


def test_colour_is_for_the_terminal_and_not_for_those_who_want_none(full: Terminal) -> None:
    assert "\x1b[" in painted(full, 80, "recent")
    assert "\x1b[" not in painted(full, 80, "recent", NO_COLOR="1") + painted(full, 80, "recent", "--no-color")
    assert "\x1b[" not in full.mem("recent").out


def test_an_answer_without_anything_says_what_was_looked_through(terminal: Terminal) -> None:
    terminal.add("Deploys run nightly")
    (line,) = look(terminal, 120, "get", "kubernetes")
    assert line.startswith("Nothing stored matches in work at ")
    assert line.endswith("looked through 1 memory.")
