"""Stored text made harmless for a terminal, a prompt line and an XML document."""

from __future__ import annotations

# What could move a cursor, reorder what is read, or hide text from the reader: C0 and C1 controls, DEL, bidirectional
# controls (Trojan Source, CVE-2021-42574), line separators, invisible tag characters, surrogates and noncharacters.
_UNSAFE = (
    (0x00, 0x1F), (0x7F, 0x9F), (0x061C, 0x061C), (0x200E, 0x200F), (0x2028, 0x202E), (0x2066, 0x2069),
    (0xD800, 0xDFFF), (0xFFFE, 0xFFFF), (0xE0000, 0xE007F),
)  # fmt: skip


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""Returns `text` with every character that could act on the reader written out (ESC as `\x1b`); newline and tab stay."""
    if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable():
        return text
    return "".join([c if c in "\n\t" or not is_unsafe(c) else _escape(ord(c)) for c in text])


def is_unsafe(char: str) -> bool:
    """True for a character that must not reach a terminal or a prompt as it is."""
    if char.isprintable():
        return False
    code = ord(char)
    return any(low <= code <= high for low, high in _UNSAFE)


def oneline(text: str) -> str:
    """Returns `text` on one line, whitespace runs as one space, unsafe characters written out."""
    return visible(" ".join(text.split()))


def xml(text: str) -> str:
    """Returns `text` for use inside an XML element or a double-quoted attribute."""
    text = visible(text)
    if "&" in text or "<" in text or ">" in text or '"' in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def is_storable(text: str) -> bool:
    """True for text that any store and any wire can carry: no NUL, no lone surrogate."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)
