"""Settings that are one of certain words."""

from __future__ import annotations

from tests.conftest import Terminal


def test_a_setting_with_certain_words_takes_no_other(terminal: Terminal) -> None:
    for key, words in (("log.level", "error or warn or info or debug"), ("capture.worker", "auto or off")):
        assert f"{key}: 'loud' is not {words}" in terminal.mem("config", "set", key, "loud", fails=2).err
        assert terminal.mem("config", "get", key).out != "loud\n"
    for word in ("debug", "error"):
        terminal.mem("config", "set", "log.level", word)
        assert terminal.mem("config", "get", "log.level").out == f"{word}\n"
