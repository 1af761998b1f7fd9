"""A colleague who comes back to a repository of any kind is told what matters, and nothing that no longer holds.

Each file is a week of sessions in one repository, a step a line (player.py says which there are), and behind them rows of what is
to be told: where, a question, a regular expression. Where: `start` a session start tells it; `ask` the question brings it, by
the prompt hook or `mem get`; `not` neither the start nor the question tells it as if it held; `start-not` the start does not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from memcli.recall.render import counted
from tests.agents.weeks.player import CLIENTS, Player
from tests.conftest import Terminal

WEEKS = sorted(Path(__file__).parent.glob("*.jsonl"))
OVERTAKEN = re.compile(r"· (done|replaced|reverted|fixed|removed)\b")  # marks of what is told as what held once
# The same of one answer of a turn, behind its text.
OVERTAKEN_ANSWER = re.compile(r"^  Answer: .*\[(?:done|replaced|reverted|fixed|removed)\b[^\]]*\]$", re.MULTILINE)
MOST = 600  # tokens of a start


@pytest.mark.parametrize(("week", "client"), [(week, CLIENTS[number % len(CLIENTS)]) for number, week in enumerate(WEEKS)])
def test_a_week_is_told_to_who_comes_back(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, week: Path, client: str) -> None:
    rows = [json.loads(line) for line in week.read_text(encoding="utf-8").splitlines()]
    player = Player(terminal, monkeypatch, client)
    player.play([row for row in rows if row[0] != "told"])
    start = player.start()
    assert counted([start]) <= MOST
    assert not [row for row in rows if row[0] == "told" and not _holds(player, start, *row[1:])]


def _holds(player: Player, start: str, where: str, question: str, expression: str) -> bool:
    """Tells whether what is told is as a row says."""
    if where in ("start", "start-not"):
        return bool(re.search(expression, start)) == (where == "start")
    told = player.asked(question) + player.terminal.mem("get", question, "--format", "prompt").out
    if where == "ask":
        return bool(re.search(expression, told))
    items = re.split(r"\n(?=- )", OVERTAKEN_ANSWER.sub("", start + told))
    current = [item for item in items if not OVERTAKEN.search(item)]
    return not re.search(expression, "\n".join(current))
