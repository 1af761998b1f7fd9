"""C-Mem's names of settings, and its values as ours are typed."""

from __future__ import annotations

from typing import Any

NAMES = {
    "workerPort": "serve.port",
    "workerHost": "serve.host",
    "model": "compressor.model",
    "contextObservations": "index.observations",
    "contextSessions": "index.summaries",
    "skipTools": "capture.skip_tools",
    "logLevel": "log.level",
    "stuckThresholdMs": "queue.lease_minutes",
    "maxRetries": "queue.attempts",
}
NO_TOOLS = "-"  # in place of names of tools: skips none, not even those that are skipped by default
MINUTE_MS = 60_000


def typed(name: str, value: Any) -> str:
    """Returns the value of a setting as it is typed for ours."""
    if name == "skipTools" and isinstance(value, list):
        return ", ".join([str(tool) for tool in value]) or NO_TOOLS
    if name == "stuckThresholdMs" and isinstance(value, int):
        return str(max(1, value // MINUTE_MS))
    return str(value).lower() if name == "logLevel" else str(value)
