"""What was tried and dropped is told no more once a later session says that it works, and changed something."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

MMAP = "I tried mmap for the table, but it does not work because the file is on NFS, so I took it out again."


def told_after(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, dropped: str, prompt: str, answer: str, commit: str = "Change the table"
) -> str:
    """What is told as tried and dropped after a later session answered."""
    player = Player(terminal, monkeypatch, "claude")
    work: list[Step] = [["edit", "table.py", "a = 1", "a = 2"], ["commit", "Read the table faster"]]
    player.play([["write", "table.py", "a = 1\n"], ["commit", "Begin"], ["ask", "Read the table faster."], *work])
    player.play([["answer", dropped], ["end"], ["days", "2"]])
    assert section(player.start(), "Tried and dropped")
    player.play([["ask", prompt], ["edit", "table.py", "a = 2", "a = 3"], ["commit", commit], ["answer", answer], ["end"]])
    return "\n".join(section(player.start(), "Tried and dropped"))


@pytest.mark.parametrize(
    ("dropped", "prompt", "answer"),
    [
        (MMAP, "Try mmap again, the file moved.", "mmap works now, since the file is on a local disk."),
        (MMAP, "go on", "mmap works fine now."),
        (MMAP, "Read it faster.", "The table is read with mmap now, which works since the file moved off NFS."),
        (MMAP, "Try it again.", "Done. The table is now read through mmap."),
        (MMAP, "Versuch mmap noch einmal.", "mmap funktioniert jetzt, weil die Datei lokal liegt."),
        (MMAP, "Versuch mmap noch einmal.", "Die Tabelle wird jetzt mit mmap gelesen."),
        (MMAP, "Réessaie mmap.", "mmap marche maintenant, le fichier est local."),
        (MMAP, "Prueba mmap otra vez.", "Ahora mmap funciona: el archivo es local."),
        (MMAP, "Try mmap again, the file moved.", "With the file on a local disk mmap no longer fails."),
        (
            "My first attempt used threads; the GIL made the parser slower, so the loop stays.",
            "We have Python without the GIL now. Try threads in the parser again.",
            "The threads work now: the parser is four times as fast without the GIL.",
        ),
        (
            "I tried `lru_cache` on `zone`, but every postcode stays in memory, so I dropped it.",
            "Cache zones, with a limit this time.",
            "`zone` uses `lru_cache` again, with at most 1,000 entries.",
        ),
        (
            "Ich habe Redis ausprobiert, aber der Server ist nicht erreichbar, also wieder entfernt.",
            "Redis läuft jetzt im Compose-Netz, versuch es noch einmal.",
            "Redis klappt jetzt, der Server heißt `cache`.",
        ),
    ],
)
def test_a_dropped_attempt_that_works_now_is_told_no_more(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, dropped: str, prompt: str, answer: str
) -> None:
    assert told_after(terminal, monkeypatch, dropped, prompt, answer) == ""


def test_so_is_one_that_a_commit_adopts(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = "Try mmap for the table again."
    assert told_after(terminal, monkeypatch, MMAP, prompt, "Done, and committed.", "Use mmap for the table") == ""


@pytest.mark.parametrize(
    ("prompt", "answer", "commit"),
    [
        ("Try mmap again.", "mmap still does not work: the mount hangs.", "Time out"),
        ("Why do we not use mmap?", "The README says now why mmap is not used.", "Say why there is no mmap"),
        ("Read it faster.", "The table is read with sqlite now instead of mmap.", "Use sqlite instead of mmap"),
        ("Fix the export.", "The export of the table works now.", "Mend the export"),
        ("Would mmap work on the new disk?", "mmap should work there; I only raised the timeout.", "Raise the timeout"),
        ("Fix the tests.", "The tests pass now.", "Mend the tests"),
    ],
)
def test_other_work_leaves_it_told(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, prompt: str, answer: str, commit: str
) -> None:
    assert "mmap" in told_after(terminal, monkeypatch, MMAP, prompt, answer, commit)
