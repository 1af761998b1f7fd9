"""Where copies are kept elsewhere stands in a file that anybody may edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli import config
from memcli.store import elsewhere


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(config, "config_dir", lambda: str(tmp_path))
    return tmp_path / elsewhere.NAME


@pytest.mark.parametrize("line", ["5", "null", "not json", '["STORE","w",[]]', '["STORE","w"]', ""])
def test_a_line_that_nobody_can_read_costs_no_other(copies: Path, tmp_path: Path, line: str) -> None:
    copy = tmp_path / "copy.db"
    copy.touch()
    elsewhere.note("STORE", "w", str(copy))
    copies.write_text(f"{line}\n{copies.read_text()}{line}\n")
    assert elsewhere.of("STORE") == [("w", str(copy))]
    elsewhere.note("OTHER", "w", str(copy))
    assert elsewhere.of("STORE") == [("w", str(copy))]


def test_a_file_that_is_no_text_is_left_as_it_is(copies: Path, tmp_path: Path) -> None:
    copies.write_bytes(b"\xff\xfe")
    elsewhere.note("STORE", "w", str(tmp_path / "copy.db"))
    assert copies.read_bytes() == b"\xff\xfe"
    assert elsewhere.of("STORE") == []
