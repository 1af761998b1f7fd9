"""Decision records keep what they say: numbers in titles, and no lines about the record itself among what was decided."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync.test_migration import memories, reasons

MADR = "---\nstatus: accepted\ndate: 2024-03-01\n---\n# {}\n\n## Decision Outcome\n\nChosen.\n"


def test_a_line_that_only_a_carriage_return_ends_is_no_line(terminal: Terminal) -> None:
    folder = terminal.folder / "docs/adr"
    folder.mkdir(parents=True)
    (folder / "0001-broken.md").write_bytes(b"\n\r\\")
    (folder / "0002-java.md").write_bytes(MADR.format("Use Java 17\r").encode())
    terminal.mem("import", "--from", "adr")
    assert set(memories(terminal)) == {"Use Java 17"}


def test_a_title_keeps_every_number_but_that_of_its_record(terminal: Terminal) -> None:
    titles = {
        "0001-java": ("Use Java 17", "Use Java 17"),
        "0002-python": ("Use Python 3.12", "Use Python 3.12"),
        "0003-http": ("Serve HTTP/2", "Serve HTTP/2"),
        "0004-retire": ("Retire v1 by 2025", "Retire v1 by 2025"),
        "0005-regions": ("5. Support 3 regions", "Support 3 regions"),
        "0006-react": ("ADR-0006: Move to React 18", "Move to React 18"),
        "0007-node": ("0007 - Use Node 20 LTS", "Use Node 20 LTS"),
        "0008-version": ("3.11 is the oldest Python", "3.11 is the oldest Python"),
        "0009-factors": ("12 factor services", "12 factor services"),
        "0010-year": ("2025: leave Java", "2025: leave Java"),
        "0011-renumbered": ("9. Keep 90 days", "Keep 90 days"),
        "marked": ("[ADR-12] Use 2 queues", "Use 2 queues"),
        "0013-thirteen": ("ADR-13", "0013-thirteen"),
    }
    folder = terminal.folder / "docs/adr"
    folder.mkdir(parents=True)
    for name, (written, _) in titles.items():
        (folder / f"{name}.md").write_text(MADR.format(written))
    terminal.mem("import", "--from", "adr")
    assert set(memories(terminal)) == {title for _, title in titles.values()}


@pytest.mark.parametrize(
    "lines",
    [
        "Date: 2024-02-06\n",
        "* Status: accepted\n* Deciders: Ann, Bob\n* Date: 2024-02-06\n\nTechnical Story: the rota\n",
        "- **Status**: accepted\n- **Date**: 2024-02-06 (updated later)\n- **Authors**: Ann\n",
    ],
)
def test_lines_about_a_record_are_no_part_of_its_decision(terminal: Terminal, lines: str) -> None:
    path = terminal.folder / "0012-java.md"
    sections = "## Status\n\nAccepted\n\n## Context\n\nJava 17 ends.\n\n## Decision\n\nWe use 25.\n\n## Consequences\n\nFaster.\n"
    path.write_text(f"# 12. Use Java 25\n\n{lines}\n{sections}")
    terminal.mem("import", "0012-java.md")
    record = memories(terminal)["Use Java 25"]
    assert record["summary"] == "We use 25.\nContext: Java 17 ends.\nConsequences: Faster."
    assert record["created_at"].startswith("2024-02-06")

    path.write_text(f"# 12. Use Java 25\n\n{lines}\nIt concerns: the server.\n\n{sections}")
    terminal.mem("import", "0012-java.md")
    assert memories(terminal)["Use Java 25"]["summary"].endswith("Consequences: Faster.\nIt concerns: the server.")


@pytest.mark.parametrize(
    "date", ["4 March 2021", "March 4, 2021", "4th of Mar. 2021", "2021/03/04", "2021/3/4", "2021.03.04 (Ann)"]
)
def test_names_in_bold_are_sections_and_dates_are_read_as_people_write_them(terminal: Terminal, date: str) -> None:
    path = terminal.folder / "0012-java.md"
    path.write_text(
        "# 12. Use Java 25\n\n**Context:** Java 17 ends.\n\n```\n**Decision:** none\n```\n\n"
        "**Decision:** We use 25.\nEverywhere.\n\n"
        f"**Consequences**\n\nFaster. **Decision:** ours.\n\n**Status:** Proposed\n**Date:** {date}\n"
    )
    assert terminal.mem("import", "0012-java.md").out.startswith("adr: 1 new")
    record = memories(terminal)["Proposed: Use Java 25"]
    assert record["summary"].startswith("We use 25.\nEverywhere.\nContext: Java 17 ends.")
    assert record["summary"].endswith("```\n**Decision:** none\n```\nConsequences: Faster. **Decision:** ours.")
    assert record["created_at"].startswith("2021-03-04")


def test_a_record_whose_date_is_missing_or_none_is_listed(terminal: Terminal, tmp_path: Path) -> None:
    for number, date in enumerate(("Date: 2024-13-41", "", "Date: 41 May 2024", "Date: 2024-02-06"), 1):
        text = f"# {number}. Decision {number}\n\n{date}\n\n## Status\n\nAccepted\n\n## Decision\n\nYes.\n"
        (tmp_path / f"000{number}-x.md").write_text(text)
        os.utime(tmp_path / f"000{number}-x.md", (1_700_000_000, 1_700_000_000))
    assert reasons(terminal, str(tmp_path)) == {
        "times that are missing or cannot be read: taken as when the file changed last": 3,
        "links to files that are not in this repository": 4,
    }


@pytest.mark.parametrize(
    ("status", "day"),
    [
        ("Accepted on 2021-02-03", "2021-02-03"),
        ("accepted (3 February 2021)", "2021-02-03"),
        ("Accepted, Feb. 3rd, 2021, by Ann", "2021-02-03"),
        ("Proposed: 2021/2/3", "2021-02-03"),
        ("Accepted 31 February 2021", None),
        ("Accepted in release 2021.13.45", None),
        ("Accepted on 3 February", None),
        ("Deprecated on 2023-01-01", None),
        ("Accepted\n\nReviewed on 2023-01-01", None),
    ],
)
def test_the_status_may_say_when_it_was_decided(terminal: Terminal, status: str, day: str | None) -> None:
    path = terminal.folder / "0012-java.md"
    path.write_text(f"# 12. Use Java 25\n\n## Status\n\n{status}\n\n## Decision\n\nWe use 25.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    terminal.mem("import", "0012-java.md")
    (record,) = memories(terminal).values()
    assert record["created_at"].startswith(day or "2023-11-14")


def test_one_record_that_is_imported_after_its_directory_changes_nothing(terminal: Terminal) -> None:
    folder = terminal.folder / "docs/adr"
    folder.mkdir(parents=True)
    replaced = MADR.replace("accepted", "superseded by [ADR-0002](0002-postgres.md)")
    (folder / "0001-redis.md").write_text(replaced.format("Use Redis"))
    (folder / "0002-postgres.md").write_text(MADR.format("Use Postgres"))
    terminal.mem("import", "docs/adr")
    before = memories(terminal)
    done = terminal.mem("import", "docs/adr/0001-redis.md", "--json").json
    assert (done["imported"], done["updated"], done["unchanged"]) == (0, 0, 1)
    assert memories(terminal) == before
