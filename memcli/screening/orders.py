"""Orders to a model: texts that want to be obeyed by whoever reads them.

A text is read as words of no known language: hidden characters gone, look-alike letters made Latin, letters that stand apart or
as digits joined. Then a few groups of words near each other, in this order or any, are a sign, or it reads like one as a whole
(classifier.py). Either marks, and ranks down; it hides nothing: docs/security.md says how much is found, and how often in vain.
"""

from __future__ import annotations

from memcli.screening.classifier import is_order
from memcli.screening.signs import FOREIGN, LITERAL, NEAR, NEAR_BY_WORD, NOUNS, ORDER, ORDER_BY_WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NEAR = 12  # words within which the groups of a sign stand
_LONGEST = 20_000  # characters that are looked at with care; of a longer text the beginning and the end
_LOOK_ALIKE = str.maketrans(
    "абвгезікмнорстухїјѕԁһӏԛԝѐёαβγεζηικλμνορστυχωόάέίύɑɡıɩꜱʀɴᴀᴄᴅᴇɪᴏᴘᴛᴜ",
    "abbre3ikmhopctyxijsdhlqweeabyeznikluvopctuxwoaeiuagiisrnacdeioptu",
)
_DIGITS = str.maketrans("0134578@$", "oieastbas")
_DIGIT = dict.fromkeys(_DIGITS, "\0")
_NO_DIGITS = bytes([code for code in range(256) if code not in _DIGITS])
_ROT13 = str.maketrans("abcdefghijklmnopqrstuvwxyz", "nopqrstuvwxyzabcdefghijklm")
# Words that make a text that was turned around worth a look.
_TELLING = ("instruction", "prompt", "ignore", "disregard", "secret", "password", "execute")
_TELLING_BACKWARDS = [word[::-1] for word in _TELLING]
_TELLING_TURNED = [word.translate(_ROT13) for word in _TELLING]
_TAGS = {0xE0000 + code: code for code in range(32, 127)}  # letters that nobody sees
_TAGS |= dict.fromkeys((*range(0x2460, 0x249C), *range(0x24EA, 0x2500), *range(0x2776, 0x2794)), ord("•"))  # numbers of items
_NO_WIDTH = frozenset("\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff\u180e\u034f")
_HEX = frozenset("0123456789abcdef")
# Said in one word, or with anything between the letters.
_SQUEEZED = {
    noun: tuple(
        f"{verb}{which}{noun}"
        for verb in ("ignore", "disregard", "forget")
        for which in ("allprevious", "previous", "allprior", "prior", "allofyour", "theabove", "all")
    )
    for noun in ("instruction", "directive", "guideline")
}
_DISGUISED = 2_000  # characters up to which letters are taken for others
_SHORT = 400  # characters up to which they are weighed as other letters, too
# A literal stands only in a text of which a word has its longest part.
_LITERAL_PARTS = [max(literal.split(), key=len) for literal in LITERAL]
_TELLING_PARTS = tuple(dict.fromkeys(_LITERAL_PARTS + _TELLING_BACKWARDS + _TELLING_TURNED))
_LEAST_ENCODED = 24  # characters of a word that may be Base64 or hexadecimal digits of a text
_UNSPACED = 0x0E00  # letters from here on are of scripts that part no words, or in which more than a beginning counts
_ANYWHERE = ""  # the prefix of verbs that are searched for in every text
_NAME, _KEPT_NAMES = 40, 2_000  # characters of a name, such as a thread's, which many memories have; how many are remembered
_KEPT_WORDS = 20_000  # of each sort, which are remembered
_RULES = ("instruction", "prompt", "rules", "guideline", "directive")
_INSIDE = frozenset(("in", "of", "from", "under", "inside"))
_PARTS = frozenset(("image", "installer", "container", "dockerfile", "compiler", "package", "template", "driver"))
_ANY = frozenset(("all", "any", "every", "your", "you", "everything"))
_GAP = 4  # words within which the next group of a sign of order stands

Sign = tuple[frozenset[str], ...]


_near: dict[int, Sign] = {}  # the signs that were looked at, by number
_order: dict[int, Sign] = {}
_numbers: dict[str, list[int]] = {}  # of signs, as a word has them in a table
_foreign: dict[tuple[str, bool], list[tuple[int, str, str, int]]] = {}
_harmless: set[str] = set()  # words that have none of the parts
_without_verb: set[str] = set()  # words that begin as no verb of another language does
_of_names: dict[str, bool] = {}
_NO_LETTERS = bytes([code for code in range(128) if not chr(code).isalpha()])
_PARTS_OF_NAMES = {ord(sign): " " for sign in "-_/"}
_SPACES = bytes([code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)]) + bytes(range(128, 256))


def gives_orders(text: str) -> bool:
    """Tells whether a text reads like an order to a model, in whatever case, spacing and script."""
    if len(text) > _NAME:
        return _reads_like_order(text)
    answer = _of_names.get(text)
    if answer is None:
        if len(_of_names) >= _KEPT_NAMES:
            _of_names.clear()
        answer = _of_names[text] = _reads_like_order(text)
    return answer


def _reads_like_order(text: str) -> bool:
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]}\n{text[-_LONGEST // 2 :]}"
    plain = readable(text)
    parts = plain.split()
    words, joined = frozenset(parts), " ".join(parts)
    has_part = _has_part(words)
    if has_part:
        both = f"\n{plain}" if joined in plain else f"\n{plain}\0{joined}"
        if any(map(both.__contains__, LITERAL)):
            return True
    if len(plain) <= _DISGUISED:
        squeezed = _without(plain, _NO_LETTERS) if plain.isascii() else "".join(filter(str.isalpha, plain))
        if any(sign in squeezed for noun, signs in _SQUEEZED.items() if noun in squeezed for sign in signs):
            return True
    if _is_interleaved(text):
        return True
    own = _without_files(plain)
    readings = _readings(own, has_part or own != plain)
    if any(map(is_order, readings if len(plain) <= _SHORT else readings[:1])):
        return True
    if any(map(_has_any_sign, readings)):
        return True
    may_be_encoded = not text.isascii() or max(map(len, words), default=0) >= _LEAST_ENCODED
    return may_be_encoded and any(gives_orders(hidden) for hidden in _decoded(text))


def _has_part(words: frozenset[str]) -> bool:
    """Tells whether a word has one of the parts: only then a literal may be there, or a text that is turned."""
    fresh = words - _harmless
    if not fresh:
        return False
    if any(map(" ".join(fresh).__contains__, _TELLING_PARTS)):
        return True
    if len(_harmless) >= _KEPT_WORDS:
        _harmless.clear()
    _harmless.update(fresh)
    return False


def _has_any_sign(text: str) -> bool:
    words = _words(text)
    present = frozenset(words)
    return _has_sign(words, present) or _has_sign_in_order(words, present) or _has_foreign_sign(text, words, present)


def readable(text: str) -> str:
    """Returns a text in small letters, compatible ones as one, without what has no width."""
    if text.isascii():
        return text.lower()
    import unicodedata

    text = unicodedata.normalize("NFKC", text.translate(_TAGS))
    return "".join([char for char in text if unicodedata.category(char) != "Cf"]).lower()


def _is_interleaved(text: str) -> bool:
    """Tells whether zero-width characters separate most of the Latin letters: only who has something to hide writes so."""
    if text.isascii():
        return False
    parted = sum([before.isascii() and sign in _NO_WIDTH and before.isalpha() for before, sign in zip(text, text[1:])])
    return parted > 8 and 3 * parted > sum([char.isascii() and char.isalpha() for char in text])


def _without_files(text: str) -> str:
    """Returns a text without the words for instructions of a file or part that it names: these are not the reader's own."""
    text = text.replace("public key", "certificate")  # which is no secret
    if not any(map(text.__contains__, _RULES)) or not ("/" in text or ".md" in text or any(map(text.__contains__, _PARTS))):
        return text
    words = text.split(" ")
    for at, word in enumerate(words[:-2]):
        is_in_file = words[at + 1] in _INSIDE and ("/" in words[at + 2].strip("/,.;:") or ".md" in words[at + 2])
        is_in_file = is_in_file or (words[at + 1] in _INSIDE and not _PARTS.isdisjoint(words[at + 2 : at + 5]))
        if is_in_file and "://" not in words[at + 2] and word.startswith(_RULES) and _ANY.isdisjoint(words[max(0, at - 5) : at]):
            words[at] = "wording"
    return " ".join(words)


def _readings(text: str, has_part: bool) -> list[str]:
    """Returns a text as it is, and as it reads with look-alikes made letters and letters joined that stand apart.

    `has_part`: whether it may be turned around or by the alphabet.
    """
    readings = [text]
    if len(text) > _DISGUISED:
        return readings
    if not text.isascii():
        readings.append(text.translate(_LOOK_ALIKE))
    has_digits = not text.isascii() or _without(text, _NO_DIGITS)
    if has_digits and sum([piece[:1].isalpha() for piece in text.translate(_DIGIT).split("\0")[1:]]) > 1:
        readings += [text.translate(_DIGITS), text.translate(_DIGITS).replace("1", "i")]
    if has_part and any(map(text.__contains__, _TELLING_BACKWARDS)):
        readings.append(text[::-1])
    if has_part and any(map(text.__contains__, _TELLING_TURNED)):
        readings.append(text.translate(_ROT13))
    if any(sign in text for sign in ("%20", "&#", "\\u00")):
        readings.append(_unescaped(text))
    if list(map(len, text.split())).count(1) > 8:
        readings.append(" ".join(["".join(word.split()) for word in text.split("  ")]))
    readings += [text.replace(sign, "") for sign in ".-_*|·•" if sign in text and _parts_letters(sign, text)]
    if text.count("_") > 1:
        readings.append(text.replace("_", " "))
    if text.count("-") > 2 and len(text) <= _SHORT:  # the name of a branch or a file
        readings.append(text.translate(_PARTS_OF_NAMES))
    return list(dict.fromkeys(readings))


def _without(text: str, codes: bytes) -> str:
    """Returns a text of ASCII without some characters, in a fraction of the time that `str.translate` takes."""
    return text.encode().translate(None, codes).decode()


def _parts_letters(sign: str, text: str) -> bool:
    """Tells whether a sign separates letters of one word, or a hyphen the syllables of a short text."""
    if sign == "-" and len(text) <= _SHORT:
        return text.count(sign) > 2
    return text.count(sign) > 10 and sum([len(piece) == 1 for piece in text.split(sign)]) > 5


def _unescaped(text: str) -> str:
    """Returns a text with the escapes of addresses, HTML and JSON undone."""
    from html import unescape
    from urllib.parse import unquote

    pieces = unescape(unquote(text)).split("\\u00")
    head, *others = pieces
    return head + "".join(
        [chr(int(piece[:2], 16)) + piece[2:] if set(piece[:2]) <= _HEX and len(piece) > 1 else piece for piece in others]
    )


def _words(text: str) -> list[str]:
    text = text.replace("'", "").replace("’", "")
    if text.isascii():
        return text.encode().translate(_SPACES).decode().split()
    import unicodedata

    return "".join(
        [char if char.isalnum() or char == "_" or unicodedata.category(char)[0] == "M" else " " for char in text]
    ).split()


def _signs(present: frozenset[str], by_word: dict[str, str], lines: Sequence[str], read: dict[int, Sign]) -> list[Sign]:
    """Returns the signs of which each group has a word in a text, in their order."""
    signs = []
    for number in sorted({number for word in by_word.keys() & present for number in _numbers_in(by_word[word])}):
        if number not in read:
            read[number] = tuple([frozenset(group.split(" ")) for group in lines[number].split("|")])
        if not any(map(present.isdisjoint, read[number])):
            signs.append(read[number])
    return signs


def _numbers_in(entry: str) -> list[int]:
    if entry not in _numbers:
        _numbers[entry] = [int(number) for number in entry.split(" ")]
    return _numbers[entry]


def _has_sign(words: list[str], present: frozenset[str]) -> bool:
    """Tells whether for one sign a word of each of its groups stands among a few words."""
    return any(
        word in sign[0] and _covers(sign, frozenset(words[start : start + _NEAR]))
        for sign in _signs(present, NEAR_BY_WORD, NEAR, _near)
        for start, word in enumerate(words)
    )


def _has_sign_in_order(words: list[str], present: frozenset[str]) -> bool:
    """Tells whether for one sign a word of each of its groups follows one of the group before within a few words."""
    return any(_follows(sign, words) for sign in _signs(present, ORDER_BY_WORD, ORDER, _order))


def _follows(sign: Sign, words: list[str]) -> bool:
    """Tells whether a word of each group follows one of the group before within a few words."""
    for start, word in enumerate(words):
        at = start if word in sign[0] else -1
        for group in sign[1:]:
            if at >= 0:
                at = next((index for index in range(at + 1, min(at + 1 + _GAP, len(words))) if words[index] in group), -1)
        if at >= 0:
            return True
    return False


def _covers(sign: Sign, near: frozenset[str]) -> bool:
    """Tells whether each group of a sign has a word of its own in `near`."""
    if any(map(near.isdisjoint, sign)):
        return False
    used: set[str] = set()
    for group in sorted(sign, key=len):
        free = (group & near) - used
        if not free:
            return False
        used.add(min(free))
    return True


def _has_foreign_sign(text: str, words: list[str], present: frozenset[str]) -> bool:
    """Tells whether a verb of an order in another language stands near what it is about.

    Of some languages, some orders can be written in ASCII.
    """
    is_ascii = text.isascii()
    signs = [sign for beginning in (_ANYWHERE, *_beginnings(present)) for sign in _foreign_signs(beginning, is_ascii)]
    together = f" {' '.join(words)}" if signs else ""
    for _, verb, _, nouns in sorted([sign for sign in signs if sign[2] in together]):
        at = _place(together[1:], verb)
        around = together[1:][max(0, at - 80) : at + 110]
        if at >= 0 and any(_place(around, noun) >= 0 for noun in NOUNS[nouns].split(" ") if noun.isascii() or not is_ascii):
            return _is_foreign(verb, together[1:])
    return False


def _beginnings(words: frozenset[str]) -> list[str]:
    """Returns the first letters of verbs of other languages that words begin with."""
    fresh = words - _without_verb
    beginnings = [beginning for beginning in {word[:3] for word in fresh} if beginning in FOREIGN]
    if len(_without_verb) >= _KEPT_WORDS:
        _without_verb.clear()
    _without_verb.update([word for word in fresh if word[:3] not in FOREIGN])
    return beginnings


def _foreign_signs(beginning: str, is_ascii: bool) -> list[tuple[int, str, str, int]]:
    """Returns the verbs of a beginning that can stand in a text: number, verb, as it stands there, number of its nouns."""
    if (beginning, is_ascii) not in _foreign:
        entries = [entry.split(" ") for entry in FOREIGN[beginning].split("\t")]
        _foreign[beginning, is_ascii] = [
            (int(number), verb, _begun(verb), int(nouns)) for number, verb, nouns in entries if verb.isascii() or not is_ascii
        ]
    return _foreign[beginning, is_ascii]


def _begun(verb: str) -> str:
    """Returns how a verb stands in a text of words behind single spaces."""
    spoken = verb.replace("_", " ")
    return spoken if ord(verb[0]) >= _UNSPACED else f" {spoken}"


def _is_foreign(verb: str, text: str) -> bool:
    """True unless the beginning of the verb is English, too, and nothing else of another language stands there."""
    return not verb.isascii() or verb not in ("ignor", "ignorer", "ignora", "revel", "omit", "affich") or not _is_english(text)


def _is_english(text: str) -> bool:
    words = set(text.split())
    return len(words & {"the", "and", "is", "of", "to", "in", "for", "are", "it", "with", "when", "by", "not", "on", "as"}) > 0


def _place(text: str, beginning: str) -> int:
    """Returns where a word begins so, -1 for nowhere; without spaces between words, where the text has it."""
    beginning = beginning.replace("_", " ")
    if ord(beginning[0]) >= _UNSPACED:
        return text.find(beginning)
    if text.startswith(beginning):
        return 0
    at = text.find(f" {beginning}")
    return at + 1 if at >= 0 else -1


def _decoded(text: str) -> list[str]:
    """Returns what long words say that are Base64 or hexadecimal digits of text, a few."""
    decoded: list[str] = []
    words = text.split()
    for word in [word.strip("\"'`(),.;:") for word in words if _LEAST_ENCODED <= len(word) <= 4_000][:20]:
        if len(word) % 2 == 0 and _HEX.issuperset(word):
            plain = bytes.fromhex(word).decode("utf-8", "replace")
            decoded += [plain] if plain.isprintable() and " " in plain else []
        elif (
            word.rstrip("=").replace("+", "").replace("/", "").replace("-", "").replace("_", "").isalnum()
            and word.isascii()
            and word.lower() != word != word.upper()
        ):
            from binascii import a2b_base64  # base64 itself imports re

            try:
                plain = a2b_base64(word + "=" * (-len(word) % 4)).decode("utf-8")
            except ValueError:
                continue
            if plain.isprintable() and " " in plain:
                decoded.append(plain)
    return decoded
