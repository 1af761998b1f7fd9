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

# Elements by which harnesses tell a model who speaks, or what it reads. Stored text that has one would speak for them. A name of
# several words is one where the first and the last of them stand here; `_` and capitals part words as `-` does.
_SUBJECTS = frozenset(
    "system user assistant developer human agent subagent teammate tool function command bash hook session environment ide memory"
    " untrusted cursor workspace".split()
)
_CONTENTS = frozenset(
    "reminder reminders message messages prompt prompts instruction instructions context query request input output outputs"
    " result results response call calls use info notification notifications warning note rules stdout stderr"
    " selection details policy hook".split()
)
_FRAMES = (  # other names, and how they begin
    "mem-context", "mem-request", "c-mem-context", "claude-mem-context", "memory-delta", "persisted-output", "invoke", "antml:",
    "command-name", "command-args", "local-command-stdout", "local-command-stderr", "local-command-caveat", "additional-context",
    "additionalcontext", "thinking", "start-of-turn", "end-of-turn", "start-header-id", "im-start", "im-end", "sys>",
    "extremely-important", "important-instruction", "task-notification", "turn-aborted", "collaboration-mode",
    "personality-spec", "ide-opened-file", "attached-files", "always-applied-workspace-rules", "current-datetime",
    "reminder-instructions", "claude-md",
    "external-untrusted-content", "end-external-untrusted-content", "file-contents", "open-and-recently-viewed-files",
)  # fmt: skip
# Names of one word that pages and programs have, too, but not in small letters or capitals alone and with nothing before them.
_WORDS = frozenset("instructions skill skills permissions channel attachment attachments reminder think".split())
_ROLE_TAGS = ("system>", "assistant>", "human>", "user>", "developer>")
_SPEAKERS = ("Human:", "Assistant:", "HUMAN:", "ASSISTANT:")  # anywhere; these before a colon at the beginning of a line only:
_LINE_SPEAKERS = (
    "System", "SYSTEM", "User", "USER", "Developer", "DEVELOPER", "Tool", "TOOL", "human", "assistant", "System message",
    "System Message", "SYSTEM MESSAGE", "System reminder", "System Reminder", "SYSTEM REMINDER", "Tool result", "Function",
)  # fmt: skip
_HEADS = ("### Instruction", "### System")  # at the beginning of a line
_LONGEST = 40  # characters of a tag that are looked at
_TOKENS = (
    "[INST]", "[/INST]", "[inst]", "[/inst]", "--- End of content ---", "--- Content from referenced files ---",
)  # fmt: skip
# Letters and signs that look like others. What Unicode itself holds for a form of another is told by that.
_LOOK_ALIKE = str.maketrans(
    "аеіјорсѕухһԁԛԝӏАВЕІЈКМНОРСЅТУХαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡıɩʀꜱɴᴀᴄᴅᴇɪᴏᴘᴛᴜᴍᴋʏ‐‑‒–—―−‹〈⟨❮∶ː꞉",
    "aeijopcsyxhdqwlABEIJKMHOPCSTYXaeikvoptuxABEZHIKMNOPTYXagiirsnacdeioptumky-------<<<<:::",
)


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
    folded = _folded(text)
    positions = _elements(folded) if "<" in folded else []
    if ":" in folded:
        positions += [at + len(speaker) - 1 for speaker in _SPEAKERS for at in _places(speaker, folded)]
    if "[" in folded or "---" in folded:
        positions += [at for token in _TOKENS for at in _places(token, folded)]
    if ":" in folded or "###" in folded:
        positions += _speakers(folded)
    if not positions:
        return text
    pieces, start = "", 0
    for at in sorted(set(positions)):
        pieces += text[start:at] + _escape(ord(text[at]))
        start = at + 1
    return pieces + text[start:]


def _folded(text: str) -> str:
    """Returns a text, as long as before, with letters and signs in the place of what looks like them."""
    if text.isascii():
        return text
    text = text.translate(_LOOK_ALIKE)
    unusual = [char for char in set(text) if ord(char) >= _LATIN and not _PUNCTUATION[0] <= ord(char) <= _PUNCTUATION[1]]
    if not unusual:
        return text
    from unicodedata import normalize

    forms = {ord(char): normalize("NFKC", char) for char in unusual}
    return text.translate({code: form for code, form in forms.items() if len(form) == 1 and form.isascii()})


def look_of(name: str) -> str:
    """Returns what a name looks like: in small letters, those that look alike as one, without spaces and signs."""
    return "".join([char for char in _folded(name).casefold() if char.isalnum()]) or name


def _places(sign: str, text: str) -> list[int]:
    """Returns where a sign stands in a text."""
    positions: list[int] = []
    at = text.find(sign)
    while at >= 0:
        positions.append(at)
        at = text.find(sign, at + len(sign))
    return positions


def has_frame(text: str) -> bool:
    """Tells whether an element in a text would open or close a harness's frame."""
    return bool(_elements(_folded(text)))


def _elements(text: str) -> list[int]:
    """Returns where elements begin that would open or close a harness's frame."""
    return [at for at in _places("<", text) if _is_frame(text[at - 1 : at], text[at + 1 : at + 1 + _LONGEST])]


def _speakers(text: str) -> list[int]:
    """Returns where a line begins with the name of a speaker: the place of its colon, or of the sign of a heading."""
    if not any(speaker in text for speaker in (*_LINE_SPEAKERS, *_HEADS)):
        return []
    positions, start = [], 0
    for line in text.split("\n"):
        if line.lstrip().startswith(_HEADS):
            positions.append(start + line.index("#"))
        else:
            own = line.lstrip(" \t>*-#")
            head, colon, _ = own.partition(":")
            if colon and head.rstrip(" *") in _LINE_SPEAKERS:
                positions.append(start + len(line) - len(own) + len(head))
        start += len(line) + 1
    return positions


def _is_frame(before: str, rest: str) -> bool:
    """Tells whether `rest`, which follows a `<`, is the name of a frame. `before`: the character before the `<`."""
    if rest[:1] == "|":  # a token such as <|im_start|>; an operator has a space behind it
        return rest[1:2].isalpha()
    name = rest.lstrip(" /\t\n")
    is_apart = not (before.isalnum() or before == "_")  # no type parameter
    if name.startswith(_ROLE_TAGS):
        return is_apart
    if not name[:1].isalpha():
        return False
    if name[0].islower() and not name.islower():
        name = "".join([f"-{char}" if char.isupper() and last.islower() else char for last, char in zip(name[0] + name, name)])
    folded = name.lower().replace("_", "-")
    end = next((at for at, char in enumerate(folded) if not (char.isalnum() or char == "-")), len(folded))
    first, *others = folded[:end].split("-")
    if others:
        return (first in _SUBJECTS and others[-1] in _CONTENTS) or _begins_as_frame(folded)
    if first in _WORDS:
        return is_apart and (name[: len(first)].islower() or name[: len(first)].isupper())
    return _begins_as_frame(folded)


def _begins_as_frame(name: str) -> bool:
    return name.startswith(_FRAMES) and any(
        name.startswith(frame) and (frame[-1] in ":>" or not name[len(frame) : len(frame) + 1].isalnum()) for frame in _FRAMES
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
