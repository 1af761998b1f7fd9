"""Settings of C-Mem that an import cannot take."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Terminal
from tests.sync import stores


def test_settings_of_cmem_that_do_not_fit_are_listed_and_none_of_them_is_set(terminal: Terminal, tmp_path: Path) -> None:
    stores.cmem(tmp_path / "c-mem.db", 2)
    bad = {"logLevel": "LOUD", "model": 5, "workerPort": "many", "skipTools": {"a": 1}, "maxRetries": True, "contextSessions": 7}
    (tmp_path / "settings.json").write_text(json.dumps(bad))
    for words in (("--trust", "--dry-run"), ("--trust",)):
        listed = terminal.mem("import", str(tmp_path / "c-mem.db"), *words).out
        assert "5 × settings that do not fit: logLevel is no level; model is no text;" in listed, listed

    assert terminal.mem("config", "get", "index.summaries").out == "7\n"
    assert [terminal.mem("config", "get", key).out.strip() for key in ("log.level", "queue.attempts")] == ["info", "3"]


def test_a_directory_with_settings_alone_is_taken(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text('{"workerPort": 37999, "theme": "dark"}')
    for words in (("import",), ("import", "--from", "cmem")):
        listed = terminal.mem(*words, str(tmp_path)).out
        assert "serve.port = 37999" in listed
        assert "settings that have no counterpart: theme" in listed

    terminal.mem("import", str(tmp_path), "--trust")
    assert terminal.mem("config", "get", "serve.port").out == "37999\n"
    (tmp_path / "settings.json").write_text('{"theme": "dark"}')
    assert "no program's memories" in terminal.mem("import", str(tmp_path), fails=2).err
    assert "no c-mem.db in" in terminal.mem("import", "--from", "cmem", str(tmp_path), fails=2).err
