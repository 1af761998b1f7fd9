"""Which settings may be changed over HTTP, and to what."""

from __future__ import annotations

from memcli.errors import InvalidInput, MemError
from memcli.serving import loopback

# What runs a command, names a server that is told things, reads any file, or lets agents write is said on the command line.
_FIXED = ("mcp.write", "turn.instructions")
_FIXED_ENDS = (".command", ".provider", ".url")


def check_key(key: str) -> None:
    """Raises MemError for a setting that is left to the command line."""
    if key in _FIXED or key.endswith(_FIXED_ENDS):
        raise MemError(f"{key} is set on the command line only", f"mem config set {key} VALUE", "cli_only")


def check_value(key: str, value: object) -> None:
    """Raises InvalidInput for an address that no service could be started at."""
    if key == "serve.host" and value not in loopback.HOSTS:
        raise InvalidInput("mem serves this machine only", f"use {', '.join(loopback.HOSTS)}")
    if key == "serve.port" and isinstance(value, int):
        loopback.checked_port(value)
