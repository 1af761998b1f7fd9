"""What a text must not bring into the store: private spans, injected context, secrets. Orders to a model are only marked.

Every text that is stored passes here, so the first look is cheap (first_look.py). It looks for words of names that are given
secrets (assigned.py), for keywords of secret_rules.toml with what must follow them in a match, and for base64 of a text. Only
where it finds a keyword are the rules and their engine loaded (formats.py). All of it is linear in the text. A secret is
replaced by the name of its rule: `[secret: github-token]`.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.screening.first_look import COLOUR, HIDDEN, broken_words, encoded_words, keywords_of, parting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Span = tuple[int, int, str]  # first byte, byte behind the last one, rule

PRIVATE = b"private"
# What we inject, and what harnesses wrap around injected text: it is no news, and storing it would feed on itself.
INJECTED = (b"mem-context", b"c-mem-context", b"claude-mem-context", b"hook_context", b"hook-context", b"mem-request")
# Harnesses' own remarks. People write about these, so that one that is never closed is taken for prose.
REMARKS = (b"system-reminder", b"system_reminder", b"persisted-output")
_LONGEST = 24  # bytes of "<", "/" and the longest name
_JOINT = "…".encode()  # between two halves that would read as a tag when they meet; no tag has it behind its name
_NAME_GOES_ON = b"abcdefghijklmnopqrstuvwxyz0123456789_-.:" + bytes(range(0x80, 0x100))


def public(text: str) -> str:
    """Returns `text` without private spans and without injected context; nothing is put in their place.

    `<private>` ends at its `</private>`, nested ones at the last; one that is not closed reaches to the end of the text.
    Upper and lower case and attributes do not matter. A closing tag that closes nothing stays as it is.
    """
    return _without(text, (PRIVATE,), INJECTED, REMARKS)


def without_private(text: str) -> str:
    """Returns `text` without private spans only: what somebody stores on purpose may mention anything else."""
    return _without(text, (PRIVATE,), (), ())


def _without(text: str, private: tuple[bytes, ...], injected: tuple[bytes, ...], remarks: tuple[bytes, ...]) -> str:
    """Takes out what is between the tags of these names. Inside a private span nothing counts but its end, and inside a
    context nothing but that context's: what was stored once cannot make the rest of a prompt private."""
    if "<" not in text:
        return text
    raw = text.encode("utf-8", "surrogatepass")
    low = raw.lower()  # of bytes: ASCII only, so that every place in it is the same place in `raw`
    names = [name for name in (*private, *injected, *remarks) if b"<" + name in low]
    if not names:
        return text
    last = {name: low.rfind(b"</" + name) for name in names if name in remarks}
    texts: list[bytes] = []
    start = depth = 0
    inside = b""
    for at, name, closes in _tags(low, names):
        if depth:
            if name == inside:
                depth += -1 if closes else 1
                start = low.find(b">", at) + 1 if closes else start
        elif not closes and last.get(name, at) >= at and not _is_empty(low, at, name):
            _keep(texts, raw[start:at])
            inside, depth = name, 1
    if not depth:
        _keep(texts, raw[start:])
    return b"".join(texts).decode("utf-8", "surrogatepass")


def _tags(low: bytes, names: list[bytes]) -> list[tuple[int, bytes, bool]]:
    """Returns every tag of these names: (where it begins, its name, whether it closes)."""
    opening, closing = tuple([b"<" + name for name in names]), tuple([b"</" + name for name in names])
    either = opening + closing
    tags = []
    at = low.find(b"<")
    while at >= 0:
        if low.startswith(either, at):
            closes = low.startswith(b"</", at)
            for name in names:
                end = at + closes + 1 + len(name)
                if low.startswith(name, at + closes + 1) and low[end : end + 1] not in _NAME_GOES_ON:
                    tags.append((at, name, closes))
        at = low.find(b"<", at + 1)
    return [tag for tag in tags if not tag[2] or _ends(low, tag[0] + 2 + len(tag[1]))]


def _ends(low: bytes, at: int) -> bool:
    """Tells whether nothing but spaces is between the name of a closing tag and its `>`."""
    end = low.find(b">", at, at + _LONGEST)
    return end >= 0 and not low[at:end].strip()


def _is_empty(low: bytes, at: int, name: bytes) -> bool:
    """True for `<private/>`, which encloses nothing."""
    return low[at + 1 + len(name) : at + 1 + len(name) + _LONGEST].lstrip().startswith(b"/>")


def _keep(texts: list[bytes], piece: bytes) -> None:
    """Adds a piece, and sees to it that no tag comes about where two pieces meet."""
    if texts and texts[-1].rfind(b"<", -_LONGEST) > texts[-1].rfind(b">", -_LONGEST):
        texts.append(_JOINT)
    texts.append(piece)


def is_suspicious(*texts: str) -> bool:
    """True when one of the texts reads like an order to a model (orders.py), which marks it and ranks it down."""
    from memcli.screening.orders import gives_orders  # nobody else who screens a text needs it

    return any(gives_orders(text) for text in texts if text)


_NAMING = ("name", "key", "id", "variable")  # what names the `value` beside it
_NAME_DIGITS = 4  # of a name's digest: enough to tell names apart, too few to find out by trying what was masked
_SIGNS_OF_ESCAPES = b"%&=\x1b"  # of addresses, HTML, mail and a terminal
_GIVING = b"\n:=\"'"  # signs of which a name that is given a value behind a margin has one
_ROUNDS = 4  # a mask may part what was one word before: look again until nothing is found, after so many rounds by whole lines
# One of these is in every name of a secret (assigned.py).
HINTS = (b"pass", b"pw", b"secret", b"token", b"key", b"credential", b"psk", b"seed", b"mnemonic", b"phrase")
_TEXT_HINTS = tuple([hint.decode() for hint in HINTS])


class Masked(Record):
    """A text without its secrets, and the rules that found them, each once. Without secrets it is the text that was given."""

    text: str
    rules: tuple[str, ...] = ()


class Payload(Record):
    """A decoded JSON value without private spans and secrets, and the rules that found some."""

    value: Any
    rules: tuple[str, ...] = ()


def mask(text: str) -> Masked:
    """Replaces every secret that a rule knows by `[secret: RULE]`, and nothing around it. Masking again changes nothing.

    A block of several lines is followed by as many empty ones: every line of a file keeps its number.
    """
    raw = text.encode("utf-8", "surrogatepass")
    rules: dict[str, None] = {}
    number = 0
    while spans := find_secrets(raw) if number < _ROUNDS else _whole_lines(raw, find_secrets(raw)):
        raw = _replaced(raw, spans, rules)
        number += 1
    return Masked(raw.decode("utf-8", "surrogatepass"), tuple(rules)) if rules else Masked(text)


def _whole_lines(raw: bytes, spans: list[Span]) -> list[Span]:
    """Returns spans widened to their lines. A line that is a mask already is left out: each round leaves fewer of the others."""
    lines = [(raw.rfind(b"\n", 0, start) + 1, raw.find(b"\n", end), rule) for start, end, rule in spans]
    whole = [(start, len(raw) if end < 0 else end, rule) for start, end, rule in lines]
    return [span for span in whole if not _is_mask(raw[span[0] : span[1]])]


def _is_mask(line: bytes) -> bool:
    return line.startswith(b"[secret: ") and line.find(b"]") == len(line) - 1


def safe_name(name: str) -> str:
    """Returns the name of a branch, directory, remote or session as it may be stored and shown.

    Names are compared, so two that differ stay two: behind one in which something was masked stands a digest of it. A name that
    was returned is returned as it is.
    """
    masked = mask(name).text
    if masked == name:
        return name
    from _sha1 import sha1  # type: ignore[import-not-found]  # hashlib costs 3 ms to import

    return f"{masked}~{sha1(name.encode('utf-8', 'surrogatepass')).hexdigest()[:_NAME_DIGITS]}"


def mask_payload(value: Any, clean: Callable[[str], str] = public) -> Payload:
    """Takes secrets out of every text of a JSON value, keys too, after `clean` took out what is private.

    A text whose key names a secret is one if it looks like one. Deep values cost no recursion. A value in which nothing is found
    is returned as it is. Among the rules is "private" where `clean` took something out.
    """
    if not _may_change(value):
        return Payload(value)
    rules: dict[str, None] = {}
    top: list[Any] = [value]
    waiting: list[tuple[Any, Any, Any]] = [(top, 0, 0)]
    while waiting:
        holder, key, label = waiting.pop()
        item = holder[key]
        if isinstance(item, str):
            holder[key] = _cleaned(item, label, clean, rules)
        elif isinstance(item, (list, tuple)):
            copy = holder[key] = list(item)
            waiting += [(copy, number, number) for number in range(len(copy) - 1, -1, -1)]
        elif isinstance(item, dict):
            inner: dict[Any, Any] = {}
            for name, below in item.items():
                inner[_free(inner, _cleaned(name, 0, clean, rules) if isinstance(name, str) else name)] = below
            holder[key] = inner
            waiting += [(inner, key, _label(inner, key)) for key in reversed(inner)]
    return Payload(top[0], tuple(rules)) if rules else Payload(value)


def _label(record: dict[Any, Any], key: Any) -> Any:
    """Returns what names the text under a key: of a `value` what stands beside it as its name, else the key."""
    if not isinstance(key, str) or key.lower() != "value":
        return key
    names = [text for name, text in record.items() if isinstance(name, str) and name.lower() in _NAMING and isinstance(text, str)]
    return names[0] if names else key


def _may_change(value: Any) -> bool:
    """Looks at all texts of a value at once. A value that has one in a name of a secret is looked at one by one."""
    texts: list[str] = []
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, (list, tuple)):
            waiting += item
        elif isinstance(item, dict):
            names = [key for key in item if isinstance(key, str)]
            names += [label for key in names if key.lower() == "value" and (label := _label(item, key)) != key]
            if any(map("\n".join(names).lower().__contains__, _TEXT_HINTS)):
                return True
            waiting += item.values()
            texts += names
    together = "\n".join(texts)
    return "<" in together or bool(find_secrets(together.encode("utf-8", "surrogatepass")))


def _cleaned(text: str, key: object, clean: Callable[[str], str], rules: dict[str, None]) -> str:
    cleaned = clean(text)
    masked = mask(cleaned)
    rule = ""
    if not masked.rules and isinstance(key, str) and any(hint in key.lower() for hint in _TEXT_HINTS):
        from memcli.screening.values import rule_for

        rule = rule_for(key.encode("utf-8", "surrogatepass"), cleaned.encode("utf-8", "surrogatepass"), plain=True)
    if cleaned != text:
        rules["private"] = None
    rules.update(dict.fromkeys([rule] if rule else masked.rules))
    return f"[secret: {rule}]" if rule else masked.text


def _free(inner: dict[Any, Any], key: Any) -> Any:
    """Returns a key that is not taken: two secrets may have been masked alike."""
    number, name = 2, key
    while name in inner:
        name, number = f"{key} ({number})", number + 1
    return name


def find_secrets(raw: bytes) -> list[Span]:
    """Returns where the secrets of a text are, in UTF-8: (first byte, byte behind the last, rule). Some may meet.

    Rules look at so many bytes of a text, and the bytes of a character may lie on both sides of such an end: it is taken whole.
    """
    spans = _in_escapes(raw) if b"\\" in raw else _in_any_form(raw)
    return [(_border(raw, start, -1), _border(raw, end, 1), rule) for start, end, rule in spans]


def _border(raw: bytes, at: int, step: int) -> int:
    """Returns the nearest place from `at` on, or before it where `step` is -1, that is inside no character."""
    while 0 < at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += step
    return at


def _in_escapes(raw: bytes) -> list[Span]:
    """Returns where secrets are in a text that has backslashes."""
    from memcli.screening.escapes import unescaped

    text, ends, shifts = unescaped(raw)
    return _original_spans(_in_any_form(text), ends, shifts)


def _original_spans(spans: list[Span], ends: list[int], shifts: list[int]) -> list[Span]:
    """Returns where spans of a text that was written out are in the text before: see escapes.unescaped."""
    if not spans:
        return []
    from bisect import bisect_right

    return [
        (start + shifts[bisect_right(ends, start)], end + shifts[bisect_right(ends, end)], rule) for start, end, rule in spans
    ]


def _in_any_form(raw: bytes) -> list[Span]:
    """Returns where secrets are in a text without backslashes: as they stand, in base64, or parted."""
    spans = _in_plain_text(raw)
    if words := encoded_words(raw):
        from memcli.screening.encoded import find_encoded
        from memcli.screening.escapes import unescaped

        spans += find_encoded(raw, words, lambda text: _in_plain_text(unescaped(text)[0]))
    return spans + _in_parted_text(raw)


def _in_parted_text(raw: bytes) -> list[Span]:
    """Returns where secrets are that something parts. Two lines may be of different things: there only formats count."""
    has_hidden, has_colours, has_joints = parting(raw)
    lines = broken_words(raw)
    if not (has_hidden or has_colours or has_joints or lines):
        return []
    from memcli.screening import parted

    gaps = parted.hidden(raw, HIDDEN) if has_hidden else []
    gaps += parted.colours(raw, COLOUR) if has_colours else []
    gaps += parted.joints(raw) if has_joints else []
    spans = parted.find_parted(raw, gaps, _in_plain_text)
    return spans + (parted.find_parted(raw, [*gaps, *lines], _of_any_format) if lines else [])


def _in_plain_text(raw: bytes) -> list[Span]:
    """Returns where secrets are that nothing encodes but escapes of addresses, HTML and mail."""
    raw = _plain(raw)
    low = raw.lower()  # of bytes: ASCII only, so that every place in it is the same place in `raw`
    keywords = keywords_of(raw, low)
    spans = _by_format(raw, keywords)  # a format says more than a name: it comes first where both meet
    has_hint = any(map(low.__contains__, HINTS))
    if has_hint:
        from memcli.screening.assigned import assigned

        spans += assigned(raw, low, HINTS)
    is_given = has_hint and raw.translate(None, _GIVING) != raw
    return spans + _without_margins(raw, keywords) if is_given or keywords else spans


def _without_margins(raw: bytes, keywords: set[bytes]) -> list[Span]:
    """Returns where secrets are whose names are in another language, or stand behind what a tool puts before a line."""
    from memcli.screening.margins import is_word, without_margins

    text, ends, shifts = without_margins(raw, keywords)
    if not ends:
        return []
    from memcli.screening.assigned import assigned

    spans = _original_spans(assigned(text, text.lower(), HINTS), ends, shifts)
    return [span for span in spans if not is_word(raw[span[0] : span[1]])]


def _of_any_format(raw: bytes) -> list[Span]:
    raw = _plain(raw)
    return _by_format(raw, keywords_of(raw, raw.lower()))


def _plain(raw: bytes) -> bytes:
    if raw.translate(None, _SIGNS_OF_ESCAPES) == raw:
        return raw
    from memcli.screening.escapes import plain

    return plain(raw)


def _by_format(raw: bytes, keywords: set[bytes]) -> list[Span]:
    """Returns where secrets of published formats are, in a text without escapes that has these keywords."""
    if not keywords:
        return []
    from memcli.screening.formats import find_formats

    return find_formats(raw, keywords)


def _replaced(raw: bytes, spans: list[Span], rules: dict[str, None]) -> bytes:
    """Returns `raw` with each span masked, and notes the rules; of spans that meet, the first given names the rule."""
    joined: list[list[Any]] = []
    for rank, (start, end, rule) in sorted(enumerate(spans), key=lambda span: (span[1][0], span[0])):
        if joined and start < joined[-1][1]:
            last = joined[-1]
            last[1] = max(last[1], end)
            if rank < last[3]:
                last[2:] = rule, rank
        else:
            joined.append([start, end, rule, rank])
    pieces, done = [], 0
    for start, end, rule, _ in joined:
        rules[rule] = None
        pieces += [raw[done:start], b"[secret: ", rule.encode(), b"]", b"\n" * raw.count(b"\n", start, end)]
        done = end
    return b"".join([*pieces, raw[done:]])
