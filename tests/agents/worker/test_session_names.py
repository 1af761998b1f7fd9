"""What a harness calls its sessions, which may look like a secret."""

from __future__ import annotations

import json

from tests.conftest import Terminal


def test_a_session_whose_name_looks_like_a_key_keeps_it(terminal: Terminal) -> None:
    terminal.add("A fact")
    name = "ses_dfdcf6aa6ffenkON0JZaqymuTV"
    for event, more in (
        ("session-start", {}),
        ("user-prompt", {"prompt": "Mend the zebra"}),
        ("session-end", {"reason": "exit"}),
    ):
        payload = {"session_id": name, "cwd": str(terminal.folder), **more}
        terminal.mem("hook", event, "--harness", "opencode", stdin=json.dumps(payload))
    terminal.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0.01"})
    assert terminal.mem("queue", "--json").json["failed"] == 0
    assert name in terminal.mem("session", name).out
