"""C-Mem's settings: their names and values, converted to ours."""

from __future__ import annotations

from typing import Any

from memcli import config
from memcli.errors import InvalidInput
from memcli.settings import SETTINGS, WORDS

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
DATA = "dataDir"  # which is no setting of ours
_MOST = 4_096  # characters of a value


def typed(name: str, value: Any) -> str:
    """Returns the value of a setting as it is typed for ours."""
    if name == "skipTools" and isinstance(value, list):
        return ", ".join([str(tool) for tool in value]) or NO_TOOLS
    if name == "stuckThresholdMs" and str(value).isdecimal():
        return str(max(1, int(value) // MINUTE_MS))
    return str(value).lower() if name == "logLevel" else str(value)


def checked(name: str, value: Any) -> tuple[str, int | float | str]:
    """Returns our name and our value for one of its settings. Raises InvalidInput for one that cannot be converted."""
    if name == DATA:
        raise InvalidInput("the data directory cannot be changed here", "set MEMPACK_DATA_DIR and restart")
    if name not in NAMES:
        raise InvalidInput("it has no counterpart", f"use {', '.join(NAMES)}")
    if isinstance(value, bool) or not isinstance(value, (int, str, list)) or len(words := typed(name, value)) > _MOST:
        raise InvalidInput(f"{name} is no text, number or list of names that is not too long", "see GET /api/settings")
    if isinstance(SETTINGS[NAMES[name]][0], str) and not isinstance(value, (str, list) if name == "skipTools" else str):
        raise InvalidInput(f"{name} is no text", "see GET /api/settings")
    if name == "stuckThresholdMs" and str(value).isdecimal() and int(str(value)) % MINUTE_MS:
        raise InvalidInput("stuckThresholdMs is not a whole number of minutes", "give a multiple of 60000")
    if name == "logLevel" and words not in WORDS["log.level"]:
        raise InvalidInput("logLevel is no level", f"use {', '.join(WORDS['log.level']).upper()}")
    return NAMES[name], config.from_text(NAMES[name], words, name)
