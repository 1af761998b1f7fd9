"""A memory with something in each view of the page."""

from __future__ import annotations

from tests.conftest import Terminal
from tests.http.served import Served, tell


def populate(served: Served, terminal: Terminal) -> dict[str, str]:
    """Stores a memory on another branch and others, a note, a profile, states, a session that was told something, and code.

    Returns ids by name.
    """
    terminal.process("init", "--no-agents")
    (terminal.folder / "login.py").write_text("LOCKOUT = 15\n")
    terminal.git("add", ".")
    terminal.commit("Add the lockout")
    terminal.git("checkout", "-q", "-b", "side")
    terminal.commit("Aside")
    made = {"aside": terminal.process("add", "Lockouts are mailed", "--summary", "s", "--thread", "mail", "--json").json["id"]}
    terminal.git("checkout", "-q", "main")
    (terminal.folder / "login.py").write_text("LOCKOUT = 15\nMAX_TRIES = 5\n")
    terminal.git("add", ".")
    terminal.commit("Limit the tries")
    words = ["Lockouts last fifteen minutes", "--summary", "support cannot bear more", "--thread", "auth", "--file", "login.py"]
    made["lockout"] = terminal.process("add", *words, "--kind", "decision", "--json").json["id"]
    served.post("/v2/links", {"from_id": made["lockout"], "rel": "relates", "to_id": made["aside"]})
    served.post("/v2/notes", {"text": "Talked about the lockout."})
    served.ask("PUT", "/v2/profile/editor", {"value": "vim"})
    for step in ("2.3", "2.4"):
        served.post("/v2/state", {"reason": f"Deploying {step}", "state": {"deploying": step}})
    tell(terminal, "user-prompt", {"prompt": "why is the lockout fifteen minutes?"})
    edit = {"file_path": str(terminal.folder / "login.py"), "old_string": "15", "new_string": "30"}
    tell(terminal, "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
    tell(terminal, "stop", {"last_assistant_message": "Support asked for it.\n\nStill open: the lockout has no test yet."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    terminal.process("ingest", ".")
    made["session"] = served.items("/v2/sessions")[0]["id"]
    return made
