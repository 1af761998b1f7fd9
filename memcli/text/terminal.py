"""Stored text made harmless for a terminal, a prompt line and an XML document, and fitted into the columns of a terminal."""

from __future__ import annotations

# What could move a cursor, reorder what is read, or hide text from the reader is told by its Unicode category: controls, formats
# (bidirectional controls: Trojan Source, CVE-2021-42574), line separators, surrogates, private use, and what is not assigned.
_HIDING = ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
# The rest of what is ignorable by default, and what is blank though it is a letter or a sign: fillers, variation selectors.
_BLANK = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0D),
    (0xFFA0, 0xFFA0), (0xFFFC, 0xFFFC), (0x1107F, 0x1107F), (0x16FE4, 0x16FE4), (0x1D159, 0x1D159), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Formats that are signs with a form of their own, and where later versions of Unicode have emoji and ideographs.
_VISIBLE = (
    (0x0600, 0x0605), (0x06DD, 0x06DD), (0x070F, 0x070F), (0x0890, 0x0891), (0x08E2, 0x08E2), (0x110BD, 0x110BD),
    (0x110CD, 0x110CD), (0x1F000, 0x1FAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD),
)  # fmt: skip
_LATIN = 0x0300  # the first code behind Latin letters; before it only controls and the soft hyphen hide
_PUNCTUATION = (0x2010, 0x2027)  # dashes, quotation marks and dots, which most texts have
_MARKS = "\U000f0000"  # from here to the end of Unicode: what marks the quotations of a text inside a process (quotations.py)
# These belong to emoji and to scripts, between what they join or behind what they vary; elsewhere they hide text.
_JOINERS, _SELECTORS = "\u200c\u200d", "\ufe0e\ufe0f"
_JOINED = ((0x0600, 0x1FFF), (0x2190, 0x2BFF), (0xFE0F, 0xFE0F), (0x1F000, 0x1FAFF))
_VARIED = "0123456789#*©®"
_SHORTEST_SECRET = 16  # characters of a part of a name; a shorter one needs a sign that gives a word a value

# Elements by which harnesses tell a model who speaks. Stored text that has one would speak for them.
_FRAMES = (
    "mem-context", "mem-request", "c-mem-context", "claude-mem-context", "memory_context", "memory_delta",
    "hook_context", "hook-context", "user-prompt-submit-hook", "session-start-hook", "post-tool-use-hook", "system-reminder",
    "system_reminder", "system-message",
    "system_message", "system-prompt", "system_prompt", "system_instruction", "system-instruction", "system_instructions",
    "persisted-output", "tool_result", "tool_results", "tool-result", "tool_use", "tool_call", "tool_response", "tool_output",
    "function_results", "function_result", "function_calls", "function_call", "invoke", "antml:", "command-name",
    "command-message", "command-args", "local-command-stdout", "local-command-caveat", "bash-stdout", "bash-stderr",
    "environment_context", "environment_details", "user_instructions", "user_query", "user-message", "user_message",
    "additional_context", "additionalcontext", "thinking", "start_of_turn", "end_of_turn", "start_header_id", "sys>",
    "extremely_important", "extremely-important", "important-instruction", "important_instruction", "task-notification",
)  # fmt: skip
_ROLE_TAGS = ("system>", "assistant>", "human>", "user>")
_SPEAKERS = ("Human:", "Assistant:", "HUMAN:", "ASSISTANT:")  # anywhere; these at the beginning of a line only:
_LINE_SPEAKERS = ("System:", "User:", "SYSTEM:", "USER:", "Developer:", "human:", "assistant:", "### Instruction", "### System")
_LONGEST = 40  # characters of a tag that are looked at
_TURNS = ("[INST]", "[/INST]", "[inst]", "[/inst]")


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""Returns `text` with all that could act on the reader written out; newline and tab stay.

    Characters that move or hide text (ESC as `\x1b`), and what opens or closes a harness's frame (`<` as `\x3c`).
    """
    if text.isascii():
        if not (text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable()):
            text = "".join([c if c in "\n\t" or not is_unsafe(c) else _escape(ord(c)) for c in text])
    elif any(is_unsafe(c) or c in _JOINERS or c in _SELECTORS for c in set(text)):
        text = "".join([c if c in "\n\t" or is_shown(text, at) else _escape(ord(c)) for at, c in enumerate(text)])
    return _unframed(text)


def is_unsafe(char: str) -> bool:
    """True for a character that must not reach a terminal or a prompt as it is, whatever stands around it."""
    code = ord(char)
    if code < _LATIN:
        return code < 0x20 or 0x7F <= code <= 0x9F or code == 0xAD
    if _PUNCTUATION[0] <= code <= _PUNCTUATION[1] or char in _JOINERS or _is_in(_VISIBLE, code):
        return False
    from unicodedata import category  # loaded where a text has more than Latin letters

    return category(char) in _HIDING or _is_in(_BLANK, code)


def _is_in(ranges: tuple[tuple[int, int], ...], code: int) -> bool:
    return any(low <= code <= high for low, high in ranges)


def is_shown(text: str, at: int) -> bool:
    """True for a character of a text that may be printed as it is: nothing that hides, and no joiner that joins nothing."""
    char, before, behind = text[at], text[at - 1 : at], text[at + 1 : at + 2]
    if char in _JOINERS:
        return _is_joined(before) and _is_joined(behind)
    if char in _SELECTORS:
        return bool(before) and (before in _VARIED or (ord(before) >= 0x2000 and before not in _JOINERS + _SELECTORS))
    return not is_unsafe(char)


def _is_joined(char: str) -> bool:
    return bool(char) and not is_unsafe(char) and _is_in(_JOINED, ord(char))


def _unframed(text: str) -> str:
    """Returns a text in which no element, token or name of a speaker opens or closes anything."""
    if "<" in text:
        pieces = text.split("<")
        text = pieces[0]
        for piece in pieces[1:]:
            text += ("\\x3c" if _is_frame(text[-1:], f"{piece}<") else "<") + piece
    if ":" in text:
        for speaker in _SPEAKERS:
            if speaker in text:
                text = text.replace(speaker, f"{speaker[:-1]}\\x3a")
    if "[" in text:
        for turn in _TURNS:
            if turn in text:
                text = text.replace(turn, f"\\x5b{turn[1:]}")
    return _without_speakers(text) if ":" in text or "###" in text else text


def has_frame(text: str) -> bool:
    """True where an element in a text would open or close a harness's frame."""
    return any(_is_frame("", f"{piece}<") for piece in text.split("<")[1:])


def _without_speakers(text: str) -> str:
    """Returns a text in which no line begins with the name of a speaker."""
    if not any(speaker in text for speaker in _LINE_SPEAKERS):
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        start = line.lstrip(" \t>*-#") if not line.lstrip().startswith("###") else line.lstrip()
        if start.startswith(_LINE_SPEAKERS):
            head = line[: len(line) - len(start)]
            lines[number] = head + (start.replace(":", "\\x3a", 1) if start[0] != "#" else f"\\x23{start[1:]}")
    return "\n".join(lines)


def _is_frame(before: str, rest: str) -> bool:
    """True where `rest`, which follows a `<`, is the name of a frame. `before`: the character before the `<`."""
    start = rest[:_LONGEST]
    if start[0] in "|｜":  # a token such as <|im_start|>; an operator has a space behind it
        return start[1:2].isalpha()
    name = start.lstrip(" /\t\n")
    if name.startswith(_ROLE_TAGS):
        return not (before.isalnum() or before == "_")  # no type parameter
    folded = name.lower()
    if not folded.startswith(_FRAMES):
        return False
    return any(
        folded.startswith(frame) and (frame[-1] in ":>" or not folded[len(frame) : len(frame) + 1].isalnum()) for frame in _FRAMES
    )


def oneline(text: str) -> str:
    """Returns `text` on one line, whitespace runs as one space, unsafe characters written out."""
    if "\n" in text or "\r" in text:
        text = _unframed("\n".join(text.splitlines()))  # while it is seen where lines begin
    return visible(" ".join(text.split()))


def xml(text: str) -> str:
    """Returns `text` for use inside an XML element or a double-quoted attribute."""
    text = visible(text)
    if "&" in text or "<" in text or ">" in text or '"' in text:
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return text


def may_hold_secret(name: str) -> bool:
    """Tells whether a name or a path must be screened before it is stored; most need not, which saves loading what does that."""
    return "=" in name or max(map(len, name.split("/"))) >= _SHORTEST_SECRET


def is_storable(text: str) -> bool:
    """True for text that any store and any wire can carry: no NUL, no lone surrogate."""
    if text.isascii():
        return "\0" not in text
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def storable(text: str) -> str:
    """Returns a text, as long as before, without what no store can keep and without what marks quotations: nobody sees that."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    if any(char >= _MARKS for char in set(text)):
        text = "".join([char if char < _MARKS else "\ufffd" for char in text])
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def columns(text: str) -> int:
    """Returns how many columns of a terminal a text of one line takes; an emoji made of several is as wide as all of them."""
    return len(text) if text.isascii() else sum([_columns(char) for char in text])


def _columns(char: str) -> int:
    if char < "\u0300" or char in "“”’–—…→":
        return 1
    from unicodedata import category, east_asian_width  # loaded where somebody reads more than Latin letters

    if char == "\ufe0f":
        return 1  # it makes an emoji of what stands before it, which many terminals then show twice as wide
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(char) in "WF" else 1


def padded(text: str, room: int) -> str:
    """Returns a text with spaces up to `room` columns; one that is wider as it is."""
    return text + " " * (room - columns(text))


def wrapped(text: str, room: int) -> list[str]:
    """Returns a text of one line as lines of at most `room` columns (at least two): at least one line, maybe empty.

    It is broken between words, between characters that are two columns wide, and inside a word that is longer than a line.
    """
    if columns(text) <= room:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        gap = " " if line else ""
        for piece in _pieces(word, room):
            if line and columns(line) + columns(gap + piece) > room:
                lines.append(line.rstrip())
                line = ""
            line += gap + piece if line else piece
            gap = ""
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(word: str, room: int) -> list[str]:
    """Returns a word in pieces of at most `room` columns between which a line may end."""
    if word.isascii() and len(word) <= room:
        return [word]
    pieces = [word[:1]]
    for before, char in zip(word, word[1:]):
        is_part = _columns(char) == 0 or char == "\ufe0f" or before in _JOINERS
        may_end = 2 in (_columns(before), _columns(char)) and char not in _CLOSING and before not in _OPENING
        if is_part or not (may_end or columns(pieces[-1] + char) > room):
            pieces[-1] += char
        else:
            pieces.append(char)
    return pieces


_CLOSING = "，。、；：？！）」』】》〉”’,.;:?!)]}"
_OPENING = "（「『【《〈“‘([{"
