"""Errors worth showing. Each carries a hint: the next thing to try.

MemError        exit 1   something failed: disk, lock, git, a damaged or newer store
  InvalidInput  exit 2   the call or its input cannot be accepted; nothing was stored
  NotFound      exit 3   what was named does not exist
"""

from __future__ import annotations


class MemError(Exception):
    """A failure that a person can act on. `hint` says how; `code` is stable for programs."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, hint: str = "", code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code:
            self.code = code


class InvalidInput(MemError):
    """The input cannot be accepted as it is; nothing was stored."""

    code = "invalid_input"
    exit_code = 2


class NotFound(MemError):
    """What was named does not exist here."""

    code = "not_found"
    exit_code = 3
