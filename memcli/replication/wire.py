"""An operation as other stores get it: one line of canonical JSON. What leaves, in which words, and what is taken in.

    {"actor":"cli","b":{...},"hlc":[ms,counter],"id":"...","k":"put","o":"M-...","v":1,"w":"<writer>"}

A line that comes in may be anybody's: its shape, size and clock are checked, secrets are masked, and its actor is marked with its
writer, so that nothing from elsewhere counts as a person's word of this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from memcli.errors import InvalidInput
from memcli.memory import FIELDS, check, may_lack
from memcli.records import Record, replace
from memcli.replication.transports import LINE_BYTES
from memcli.screening import is_suspicious, mask, mask_payload, without_private
from memcli.store.oplog import MAX_BODY, SHARE, UNSHARE, LoggedOperation
from memcli.text import ids, json
from memcli.text.ids import writer_of
from memcli.text.terminal import is_storable

VERSION = 1
WRITER = "W-"  # begins the object that names a store for people
NAMES = {"put": "MT", "forget": "MSKN", "restore": "MSKN", "supersede": "M", "link": "M"}  # kinds -> first letters of objects
NAMES |= {"state": "S", "profile": "K", "note": "N", "writer": "W"}
# The fields that leave, by kind. All others stay: sessions, prompts, tools, pins, names of files of harnesses.
_FIELDS = {
    "put": (*FIELDS, "title", "anchor", "created"),
    "forget": (),
    "restore": (),
    "supersede": ("by", "on"),
    "link": ("rel", "to", "hash", "on"),
    "state": ("reason", "state", "thread", "memory", "created"),
    "profile": ("key", "value"),
    "note": ("day", "text", "created"),
    "writer": ("name",),
}
SETTING = ("put", "state", "profile", "note", "writer")  # kinds whose fields are each what the last of them says
_LINKED = re.compile(r"M-|https?://|[^/~\\-][^:]*$")  # a link leads to a memory, a web address or a path of the repository
_E_MAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")
_HOME = re.compile(r"(?:/(?:home|Users)/|\b[A-Za-z]:[\\/]+Users[\\/]+)[^\s/\\'\"`:;,)\]}>]+")
_OBJECT = re.compile(r"[A-Z]-[^\x00-\x1f\x7f]{1,120}\Z")
_ID = re.compile(rf"[A-Z]-[{ids.ALPHABET}]{{{ids.LENGTH}}}\Z")
_OPERATION_ID = re.compile(rf"[{ids.ALPHABET}]{{26}}\Z")
_WRITER_ID = re.compile(r"[0-9a-f]{16}\Z")
_ACTOR = re.compile(r"[a-z][a-z0-9_-]{0,19}\Z")
_KIND = re.compile(r"[a-z][a-z_]{0,29}\Z")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?\Z")
_LATEST = 1 << 53


class Refused(Exception):
    """A line that is not taken in; the message says why."""


class Portable:
    """Rewrites texts so that they name no directory of this machine and nobody's e-mail address."""

    def __init__(self, root: str) -> None:
        self._folders = [(re.escape(root) + r"(?=[/\s'\"`:;,)\]}>]|\Z)/?", "")] if root and root != "/" else []
        home = os.path.expanduser("~")
        self._folders += [(re.escape(home) + r"(?=[/\s'\"`:;,)\]}>]|\Z)", "~")] if home not in ("~", "/") else []

    def text(self, text: str) -> str:
        """Returns a text as it may leave."""
        for pattern, name in self._folders:
            text = re.sub(pattern, name, text)
        return _E_MAIL.sub("[e-mail]", _HOME.sub("~", text))

    def value(self, value: Any) -> Any:
        """Returns a JSON value with every text in it as it may leave."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return {self.text(key): self.value(item) for key, item in value.items()} if isinstance(value, dict) else value


def line_of(op: LoggedOperation, portable: Portable, overwritten: frozenset[str] = frozenset()) -> str | None:
    """Returns an operation as a line without its end; None where nothing of it may leave. Another store's is as it came.

    `overwritten`: fields that a later operation sets, which stay here.
    """
    if writer_of(op.actor):
        return line_that_came(op)
    fields = _leaving(op, portable, overwritten)
    return None if fields is None else _line(op, fields)


def line_that_came(op: LoggedOperation) -> str:
    """Returns an operation of another store as a line without its end."""
    return _line(op, json.loads(op.body))


def _line(op: LoggedOperation, fields: dict[str, Any]) -> str:
    return json.canonical(
        {
            "v": VERSION,
            "id": op.id,
            "hlc": [op.hlc_ms, op.hlc_n],
            "w": op.writer,
            "k": op.kind,
            "o": op.object,
            "b": fields,
            "actor": op.actor.partition("@")[0],
        }
    )


def _leaving(op: LoggedOperation, portable: Portable, overwritten: frozenset[str]) -> dict[str, Any] | None:
    """Returns what leaves of the body of an operation of this store, None where nothing may."""
    if op.kind not in _FIELDS or op.object[0] not in NAMES[op.kind]:
        return None
    body = json.loads(op.body)
    kept = _FIELDS[op.kind] if op.kind not in SETTING else [name for name in _FIELDS[op.kind] if name not in overwritten]
    fields = {name: portable.value(body[name]) for name in kept if name in body}
    if "anchor" in fields:
        fields["anchor"] = ids.anchor_commit(fields["anchor"])
    if (_FIELDS[op.kind] and not fields) or (op.kind == "link" and not _LINKED.match(str(fields.get("to", "")))):
        return None
    return fields


def fields_of(target: str) -> set[str]:
    """Returns the fields of an object that travel."""
    return {name for kind, letters in NAMES.items() if target[0] in letters for name in _FIELDS[kind]}


class Received(Record):
    """An operation that was read from a line, and the rules by which secrets were masked in it."""

    operation: LoggedOperation
    rules: tuple[str, ...]


def read(line: str, writer: str) -> Received:
    """Returns the operation of a line that a writer sent. Raises Refused."""
    if len(line.encode("utf-8", "surrogatepass")) > LINE_BYTES:
        raise Refused("too large")
    try:
        fields = json.loads(line)
    except json.Malformed:
        raise Refused("not JSON") from None
    if not isinstance(fields, dict):
        raise Refused("not an object")
    op = _operation(fields, writer)
    payload = mask_payload(_body(op.kind, op.object, fields.get("b")), without_private)
    body = json.canonical(payload.value)
    if len(body.encode("utf-8", "surrogatepass")) > MAX_BODY:
        raise Refused("too large")
    return Received(replace(op, body=body), payload.rules)


def _operation(fields: dict[str, Any], writer: str) -> LoggedOperation:
    """Returns what a line says but for its body. Raises Refused."""
    name, kind, target, actor = (fields.get(key) for key in ("id", "k", "o", "actor"))
    clock = fields.get("hlc")
    if fields.get("w") != writer or not _WRITER_ID.match(writer):
        raise Refused("of another writer")
    if not (isinstance(name, str) and _OPERATION_ID.match(name)):
        raise Refused("no id")
    if not (isinstance(kind, str) and _KIND.match(kind) and isinstance(target, str) and _OBJECT.match(target)):
        raise Refused("no kind or no object")
    if not _ID.match(target) and mask(target[2:]).rules:
        raise Refused("a name with a secret")
    if not (isinstance(clock, list) and len(clock) == 2 and all(type(value) is int and 0 <= value < _LATEST for value in clock)):
        raise Refused("no clock")
    if kind == "writer" and target != f"{WRITER}{writer}":
        raise Refused("a name for another writer")
    actor = actor if isinstance(actor, str) and _ACTOR.match(actor) else "unknown"
    return LoggedOperation(0, name, clock[0], clock[1], writer, kind, target, "{}", f"{actor}@{writer}", "", 0)


def _body(kind: str, target: str, body: Any) -> dict[str, Any]:
    """Returns a body whose known fields are of their types. Raises Refused. A kind from a later version passes as it is."""
    if not isinstance(body, dict) or not _is_storable(body):
        raise Refused("no fields, or a text that cannot be stored")
    if kind not in _FIELDS:
        if kind in ("session", "prompt", "erase", "undo", SHARE, UNSHARE):
            raise Refused(f"{kind}: never comes from elsewhere")
        return body
    if target[0] not in NAMES[kind] or not (target[0] in "TW" or _ID.match(target)):
        raise Refused(f"{kind} of no object of its own")
    if target.startswith("T-"):
        _thread(target[2:])
    checked = dict(body)
    for name in [name for name in body if name in _FIELDS[kind]]:
        checked[name] = _value(kind, name, body[name])
    for name in ("session", "prompt", "tools", "pinned", "via", "source"):
        checked.pop(name, None)
    if any(name not in body for name in _NEEDED.get(kind, ())):
        raise Refused(f"{kind} lacks a field")
    if kind == "link" and is_suspicious(checked["rel"], checked["to"]):
        raise Refused("a link that gives orders to a model")
    return checked


_NEEDED = {"supersede": ("by", "on"), "link": ("rel", "to", "on"), "writer": ("name",)}


def _is_storable(value: Any, depth: int = 0) -> bool:
    if isinstance(value, str):
        return is_storable(value)
    items = [*value, *value.values()] if isinstance(value, dict) else value
    if not isinstance(items, list):
        return True
    texts = [item for item in items if isinstance(item, str)]
    others = [item for item in items if not isinstance(item, str)]
    return depth < 32 and all(map(is_storable, texts)) and all(_is_storable(item, depth + 1) for item in others)


def _value(kind: str, name: str, value: Any) -> Any:
    """Returns the value of a known field. Raises Refused."""
    if kind == "put" and name in FIELDS:
        return _field(name, value)
    if name == "thread":
        return _thread(value)
    valid = _CHECKS[name](value)
    if not valid:
        raise Refused(f"{name} is none")
    return value


def _field(name: str, value: Any) -> Any:
    field = FIELDS[name]
    is_list = isinstance(value, list) and all(isinstance(item, str) for item in value)
    fits = {"labels": is_list, "number": type(value) is int}.get(field.kind, isinstance(value, str))
    if not (fits or (value is None and may_lack(name))):
        raise Refused(f"{name} is none")
    try:
        return check(name, value)
    except InvalidInput as error:
        raise Refused(error.message) from None


def _thread(value: Any) -> str:
    """Returns the name of a thread as it is. Raises Refused."""
    if not isinstance(value, str) or _field("thread", value) != value:
        raise Refused("no name for a thread")
    return value


def _short(limit: int) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and len(value) <= limit and bool(value.strip())


def _is_moment(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LATEST


_CHECKS: dict[str, Callable[[Any], bool]] = {
    "title": _short(1_000),  # of a thread
    "anchor": lambda value: value is None or (isinstance(value, str) and bool(_HASH.match(value))),
    "created": _is_moment,
    "by": lambda value: isinstance(value, str) and bool(_ID.match(value)) and value.startswith("M-"),
    "on": lambda value: isinstance(value, bool),
    "rel": _short(40),
    "to": lambda value: (
        _short(2_000)(value) and value.isprintable() and ".." not in value.split("/") and bool(_LINKED.match(value))
    ),
    "hash": lambda value: value is None or (isinstance(value, str) and bool(_HASH.match(value))),
    "reason": _short(1_000),
    "state": lambda value: True,
    "memory": lambda value: value is None or (isinstance(value, str) and bool(_ID.match(value))),
    "key": lambda value: _short(100)(value) and value.isprintable(),
    "value": _short(65_536),
    "day": lambda value: isinstance(value, str) and bool(re.match(r"\d{4}-\d\d-\d\d\Z", value)),
    "text": _short(65_536),
    "name": lambda value: _short(80)(value) and value.isprintable(),
}
