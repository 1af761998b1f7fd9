"""How each agent harness is told apart, and in which shape it takes what a hook answers.

| harness | context goes in as | on nothing |
| --- | --- | --- |
| claude | plain text | nothing |
| codex, gemini | `{"hookSpecificOutput": {"hookEventName", "additionalContext"}}`, and no other key | nothing |
| copilot | `{"additionalContext"}`; a nested one is dropped | nothing |
| cursor | `{"additional_context"}`, for a prompt with `"continue": true` | nothing |
| opencode | plain text, which its plugin appends | nothing |
| openclaw | `{"prependContext"}`, which its plugin returns | nothing |
| generic | one JSON object for every event: see `_generic` | the same object |

Only the events in CONTEXT are ever answered: what a Stop hook prints makes some harnesses go on with the turn.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAMES = ("claude", "codex", "gemini", "copilot", "cursor", "opencode", "openclaw", "generic")
CONTEXT = ("session-start", "user-prompt")
# Variables that a harness sets for its hooks, in the order in which they decide: the first four read Claude's settings, too, or
# are started from within one another. CLAUDE_PROJECT_DIR says nothing: three others set it.
ENVIRONMENT = (
    ("copilot", ("COPILOT_CLI",)),
    ("cursor", ("CURSOR_VERSION",)),
    ("gemini", ("GEMINI_SESSION_ID",)),
    ("claude", ("CLAUDECODE", "CLAUDE_CODE_SESSION_ID")),
    ("codex", ("CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT")),
)
_GEMINI = ("BeforeAgent", "AfterTool", "AfterAgent", "PreCompress")
_EVENT_NAMES = {
    "codex": {"session-start": "SessionStart", "user-prompt": "UserPromptSubmit"},
    "gemini": {"session-start": "SessionStart", "user-prompt": "BeforeAgent"},
}


def tell(flag: str, environ: Mapping[str, str], payload: dict[str, Any]) -> str:
    """Returns which harness speaks: what the flag says, else what the payload shows, else the environment, else claude.

    Copilot and Cursor run the hooks of Claude's settings, too, so for them the flag `claude` is not the last word. The payload
    comes before the environment, because a harness that is started by another inherits its variables.
    """
    if flag not in ("", "claude"):
        return flag
    by_environment = next((name for name, variables in ENVIRONMENT if any(variable in environ for variable in variables)), "")
    found = _by_payload(payload) or by_environment
    return found if found and (not flag or found in ("copilot", "cursor")) else "claude"


def _by_payload(payload: dict[str, Any]) -> str:
    """Returns the one harness that would send this, empty where several might."""
    if "cursor_version" in payload or "generation_id" in payload:
        return "cursor"
    result = payload.get("tool_result")
    if "sessionId" in payload or "toolName" in payload or (isinstance(result, dict) and "text_result_for_llm" in result):
        return "copilot"
    if "prompt_response" in payload or payload.get("hook_event_name") in _GEMINI:
        return "gemini"
    if "turn_id" in payload:
        return "codex"
    if "prompt_id" in payload:
        return "claude"
    path = payload.get("transcript_path")
    path = path.replace("\\", "/") if isinstance(path, str) else ""
    if "/.codex/" in path or path.rpartition("/")[2].startswith("rollout-"):
        return "codex"
    return "gemini" if "/.gemini/" in path else "claude" if "/.claude/" in path else ""


def answer(harness: str, event: str, context: str, posted: str, number: int = 0) -> str:
    """Returns what a hook prints, empty for nothing.

    `event`: empty for what is none; `context`: what the harness is to be given, empty for nothing; `posted`: what became of the
    event: queued, or why it was not; `number`: of a prompt within its session, from 1.
    """
    if harness == "generic":
        return _json(_generic(event, context, posted, number))
    if not context or event not in CONTEXT:
        return ""
    if harness in _EVENT_NAMES:
        return _json({"hookSpecificOutput": {"hookEventName": _EVENT_NAMES[harness][event], "additionalContext": context}})
    if harness == "copilot":
        return _json({"additionalContext": context})
    if harness == "cursor":
        return _json(
            {"continue": True, "additional_context": context} if event == "user-prompt" else {"additional_context": context}
        )
    return _json({"prependContext": context}) if harness == "openclaw" else context


def _generic(event: str, context: str, posted: str, number: int) -> dict[str, Any]:
    queued = posted == "queued"
    if event == "session-start":
        return {"additionalContext": context}
    if event == "user-prompt":
        said: dict[str, Any] = {"promptNumber": number, "skipped": not queued}
        return {**said, "additionalContext": context} if context else said
    if event == "stop":
        return {"summary_queued": queued}
    if event == "session-end":
        return {"completed": queued}
    return {"queued": True} if queued else {"queued": False, "skipped_reason": posted}


def _json(value: dict[str, Any]) -> str:
    from memcli.text import json

    return json.dumps(value)
