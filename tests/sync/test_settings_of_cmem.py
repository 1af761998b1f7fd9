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
