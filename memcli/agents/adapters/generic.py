"""Any other program with hooks: it names the harness `generic` and gets a JSON object in answer to every event."""

from __future__ import annotations

from memcli.agents.adapters import Adapter, to_json


class Generic(Adapter):
    """A program without an adapter of its own."""

    name = "generic"
    title = "Others"
    # Events and tools as further programs call them.
    event_aliases = {
        "TaskStart": "session-start",
        "TaskResume": "session-start",
        "userPrompt": "user-prompt",
        "TaskComplete": "session-end",
        "TaskCancel": "session-end",
    }
    edit_tools = "edit write patch replace"
    read_tools = "read list ls"
    shell_tools = "shell exec terminal"
    web_tools = "fetch browser"

    def answer(self, event: str, context: str, status: str, number: int = 0) -> str:
        """Returns the status of an event, as an object."""
        is_queued = status == "queued"
        if event == "session-start":
            return to_json({"additionalContext": context})
        if event == "user-prompt":
            report = {"promptNumber": number, "skipped": not is_queued}
            return to_json({**report, "additionalContext": context} if context else report)
        if event == "stop":
            return to_json({"summary_queued": is_queued})
        if event == "session-end":
            return to_json({"completed": is_queued})
        return to_json({"queued": True} if is_queued else {"queued": False, "skipped_reason": status})


ADAPTER = Generic()
