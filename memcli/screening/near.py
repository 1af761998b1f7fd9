"""Secrets that stand near their name without a sign between them that gives one.

In a string, an element or the rest of a line: `storePassword "..."`, `fill("#password", "...")`, `<th>Password</th><td>...</td>`,
`requirepass ...`, a word below a heading. Or in a sentence: `the password for the shop is ...`, `use ... as the password`.
"""

from __future__ import annotations

from memcli.screening.values import (
    DIGITS,
    KEY,
    LETTERS,
    PARTED,
    PASSWORD,
    PHRASE,
    QUOTES,
    SIGNS,
    STRONG,
    before_end,
    ends_in_secret,
    first_word,
    is_code,
    is_technical,
    names_phrase,
    only_describes,
    rule_for,
    spread,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span

_GAP = 64  # bytes between a name and the string that is its value
_QUOTED = 1_024  # bytes in which a quoted value ends
_BEFORE = 80  # bytes of a line before a name
_ELEMENTS = 240  # bytes of elements between a name and the text that is its value
_RANDOM = 220  # bytes behind a name in which a random word stands
_BELOW = 160  # bytes below a name
_CLOSERS = b"\"'`])}*:"  # what ends the place that a name stands in
_SIGNS = b" \t=:><({[]),|&*"  # between a name and its string
_TO_WORDS = bytes([byte if byte in LETTERS + DIGITS + b"_" else 32 for byte in range(256)])
_PREFIX = b"@$#" + LETTERS + b"8"  # of a string: `b"..."`, `@"..."`, `r#"..."#`
_LONGEST_PREFIX = 3
# Functions that make a value of a text, or write it where the name says, and the words that introduce a value.
_TAKERS = tuple(
    b"""from some just byte string str secretstr securestring fill type send set put add append enter write new of default
    field buffer encode bcrypt hash make literal text value sensitive input utf8 char""".split()
)
_INTRODUCING = frozenset(b"by lazy with default value string str content initial to val byte char".split())
_ARGUMENTS = (b"default", b"value", b"initial", b"initialvalue")
_SETTERS = tuple(
    b"""set put fastcgi_param uwsgi_param header_up proxy_set_header requestheader http-request export env option config:set
    add_header""".split()
)
_OTHERWISE = (b"|| ", b"?? ", b" or ", b" else ", b" ?: ")  # before what is taken where something is missing
_MOST_WORDS = 5  # of a line before a name that it sets
_HEADS = (b"#", b"*", b"=", b"!")
_CELLS = (b"dt", b"th", b"td", b"label")
_NAMING = (b"<th", b"<dt", b"<label", b"<key>")  # elements that hold names
_FIELDS = (b"<input", b"<textarea")
_ATTRIBUTES = (b'value="', b"value='", b'content="', b"content='")
_FAR = 64  # bytes before a name
_SENTENCE = 120  # bytes in which a sentence says what a password is
_PHRASE = 512  # bytes of the words of a wallet
_WORDS_BETWEEN = 7
_LINKS = frozenset(
    """is was be to are still now = == : -> => → - – — it's è é est es ist lautet jest je är er on adalah là war lautete heißt
    bleibt était reste era fue sigue remains becomes equals reads takes accepts wants expects enter type""".encode().split()
)
_OWNERS = (b"for", b"of", b"to", b"on")  # before what a password belongs to
_FILLERS = frozenset(b"still now currently again just be: is: the:".split())  # between a link and what it links
_NOUNS = frozenset("as is was = als ist est es è é".encode().split())  # between a secret and what it is
_LAST_WORDS = 5  # before a name in which such a link stands
_BEHIND = frozenset(b"for of on in at to and now here there then but , . ; : ! ) - --".split())  # what ends or goes on
_LEAST_OF_PHRASE, _MOST_OF_PHRASE = 12, 24  # of the phrase of a wallet
_COMMON = frozenset(b"the and for are was has with from but not its our all any when written tests used rows before".split())
_OPENING, _CLOSING = b" \t\"'`(", b".,;:)]\"'`"


def near(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the secrets near a name that no sign gives it. `name`: where it begins and ends."""
    if not ends_in_secret(raw[name[0] : name[1]]):
        return []
    places = (_in_string, _otherwise, _in_brackets, _in_element, _in_rest_of_line, _below, _random_word)
    for spans in (place(raw, name) for place in places):
        if spans:
            return spans
    return []


def _in_string(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the string behind a name, where nothing is between them but signs, a type, or a function that takes it."""
    behind = raw[name[1] : name[1] + _GAP]
    flags = len(behind) - len(behind[1:].lstrip(b"igmsu")) if behind[:1] == b"/" else 0  # of a regex: /password/i
    rest = behind[flags:].lstrip(_CLOSERS)
    at = min([position for quote in QUOTES if (position := rest.find(quote)) >= 0], default=-1)
    before = raw[max(0, name[0] - _BEFORE) : name[0]]
    if at < 0 or not _is_joint(rest[:at], raw[name[0] : name[1]], before, flags > 0 or behind[:1] in QUOTES):
        return []
    first = name[1] + len(behind) - len(rest) + at
    quote = raw[first : first + 1]
    while raw[first : first + 1] == quote:
        first += 1
    stop = raw.find(quote, first, first + _QUOTED)
    value = raw[first : max(first, stop)].rstrip(b"\\")
    label = raw[name[0] : name[1]]
    is_argument = label.endswith(b"pass") and (is_code(value) or value[-1:] == b"=")  # pass "x=" to it
    if b"\n" in value or is_technical(value) or is_argument:
        return []
    rule = rule_for(label, value, True)
    if rule == KEY and not rest[:at].strip() and label.islower() and label.isalpha():
        rule = rule if len(value) >= 20 and spread(value) >= 10 else ""  # unexpected token "..."
    return [(first, first + len(value), rule)] if rule else []


def _is_joint(gap: bytes, name: bytes, before: bytes, is_quoted: bool) -> bool:
    """True for what may stand between a name and the string that is its value."""
    core = gap.rstrip(_PREFIX)
    core = core if len(gap) - len(core) <= _LONGEST_PREFIX else gap
    words = core.translate(_TO_WORDS).lower().split()
    introduces = bool(words) and all(word in _INTRODUCING or word.isdigit() for word in words)
    if b"," in core and not introduces:
        opening = before.rstrip(b"\"'`#-:./")[-1:]
        is_first = opening in (b"(", b"[", b"{") or before.endswith((b"=", b'="', b"='"))
        is_pair = is_first or name[:1] == b"-" or name.isupper() or b")" in core or b"]" in core
        if not is_pair or not (is_quoted or opening == b"{"):
            return False
    if b"\n" in core and not (words and (words[-1].startswith(b"send") or core.startswith(b"=>"))):
        return False
    if not words:
        return not core.translate(None, _SIGNS)
    if core[-1:] == b"(":
        return words[-1].startswith(_TAKERS) and not core.translate(None, LETTERS + DIGITS + _SIGNS + b"._\n")
    if core.rstrip()[-2:] == b":=" and not core.translate(None, LETTERS + DIGITS + b" _()%:="):
        return True  # a declaration of SQL
    if words[-1] in _ARGUMENTS and core.rstrip()[-1:] == b"=" and b"(" in core:
        return True  # = Field(default="...")
    kind, sign, behind = core.rpartition(b"=")
    is_typed = bool(sign) and not behind.strip() and kind.strip()[:1] == b":" and b"," not in kind
    return is_typed or (introduces and not core.translate(None, LETTERS + DIGITS + _SIGNS + b"_"))


def _otherwise(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the string that a name is set to where something else is missing: `password: ENV["X"] || "..."`."""
    line = raw[name[1] : name[1] + _BELOW].partition(b"\n")[0]
    if line.lstrip(b"\"'` \t")[:1] not in (b"=", b":"):
        return []
    for sign in _OTHERWISE:
        before, is_there, text = line.partition(sign)
        if is_there and text[:1] in QUOTES and text[:1]:
            value = text[1:].partition(text[:1])[0]
            first = name[1] + len(before) + len(sign) + 1
            rule = "" if is_technical(value) else rule_for(raw[name[0] : name[1]], value, True)
            return [(first, first + len(value), rule)] if rule else []
    return []


def _in_brackets(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the word in brackets behind a name: `password=[...]` of a log, `\\password}{...}`."""
    behind = raw[name[1] : name[1] + _BELOW]
    end = {b"=[": b"]", b"}{": b"}"}.get(behind[:2], b"")
    value = behind[2:].partition(end)[0] if end and end in behind[2:] else b""
    if not value or is_code(value) or is_technical(value):
        return []
    return [(name[1] + 2, name[1] + 2 + len(value), rule)] if (rule := rule_for(raw[name[0] : name[1]], value, False)) else []


def _in_element(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the text of the element behind that of a name, or of the one inside it, or the value that its attributes name."""
    behind = raw[name[1] : name[1] + _ELEMENTS]
    before = raw[max(0, name[0] - _BEFORE) : name[0]]
    if behind[:1] in QUOTES and b"<" in before and b">" not in before.rpartition(b"<")[2]:
        begin = name[0] - len(before.rpartition(b"<")[2])
        return _in_attribute(raw, name, begin, raw[begin : name[1]] + behind.partition(b">")[0])
    if before[-1:] in (b"<", b":") and b"<" in before[-12:]:  # <Password><Value>...
        head, _, behind = behind.partition(b">")
        behind = behind.lstrip() if behind.lstrip()[:1] == b"<" and b"<" not in head else b""
    end = name[1] + _ELEMENTS
    head, _, rest = behind.partition(b"<")
    element = before.rpartition(b"<")[2].partition(b">")[0].split(None, 1)[:1]
    if element and element[0] in _CELLS and rest[:1] == b"/" and len(head.split()) <= _MOST_WORDS:
        if only_describes(head.split()[-1:]):
            return []
        behind = behind[len(head) :]  # <dt>Password of bob</dt>
    behind = behind.lstrip(b": \t*")
    while behind[:1] == b"<":
        if behind.startswith(b"<![CDATA["):
            behind = behind[9:]
            break
        if behind.startswith(_NAMING):
            return []
        if behind.startswith(_FIELDS):
            return _in_attribute(raw, name, min(end, len(raw)) - len(behind), behind.partition(b">")[0])
        behind = behind.partition(b">")[2].lstrip(b" \t\r\n:")
    else:
        if b">" not in raw[name[1] : min(end, len(raw)) - len(behind)]:
            return []
    value = (behind.split(None, 1) or [b""])[0].partition(b"<")[0].partition(b"]]>")[0]
    first = min(end, len(raw)) - len(behind)
    if is_technical(value) or raw[first : first + 1].isspace():
        return []
    return [(first, first + len(value), rule)] if (rule := rule_for(raw[name[0] : name[1]], value, True)) else []


def _in_attribute(raw: bytes, name: tuple[int, int], begin: int, tag: bytes) -> list[Span]:
    """Returns the value that the attributes of a tag name, which begins at `begin`."""
    for attribute in _ATTRIBUTES:
        at = tag.find(attribute)
        if at >= 0:
            first = begin + at + len(attribute)
            value = tag[at + len(attribute) :].partition(attribute[-1:])[0]
            return [(first, first + len(value), rule)] if (rule := rule_for(raw[name[0] : name[1]], value, True)) else []
    return []


def _in_rest_of_line(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the word behind a name that begins its line, or that a command sets: `requirepass ...`, `set -x NAME ...`."""
    begin = raw.rfind(b"\n", max(0, name[0] - _BEFORE), name[0]) + 1
    label = raw[name[0] : name[1]]
    if (begin == 0 and name[0] > _BEFORE) or raw[name[1] : name[1] + 1] not in (b" ", b"\t") or label == b"pass":
        return []
    _, quote, before = raw[begin : name[0]].rpartition(b'"')  # the line may stand in a string
    words = before.rpartition(b": ")[2].split()  # behind the label of a note
    if words and before[-1:] in (b"/", b":", b"."):  # the beginning of the name: app/api_token
        words.pop()
    is_set = bool(words) and len(words) <= _MOST_WORDS and any(word.lower().startswith(_SETTERS) for word in words)
    line = raw[name[1] : name[1] + _BELOW].partition(b"\n")[0]
    line = line.partition(quote)[0] if quote and line.lstrip()[:1] != quote else line
    values = line.split()
    if len(values) == 2 and len(values[0]) > 1 and not values[0].strip(b"._"):
        values = values[1:]  # behind dots of a form
    if not values or not (is_set or (not words and len(values) == 1)):
        return []
    value = values[0].strip(b"\"'`").rstrip(b";")
    if is_technical(value) or is_code(value):
        return []
    first = name[1] + line.find(value)
    return [(first, first + len(value), rule)] if (rule := rule_for(label, value, True)) else []


def _below(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the word that is alone in the next line with text, below a name that ends a heading or stands before a colon."""
    mark, newline, following = raw[name[1] : name[1] + _BELOW].partition(b"\n")
    if not newline or (mark.strip(b' \t\r:*_=`"') and not _announces(mark)):
        return []
    begin = raw.rfind(b"\n", max(0, name[0] - _BEFORE), name[0]) + 1
    before = raw[begin : name[0]].rpartition(b'"')[2].strip()  # the line may begin a string
    is_option = raw[name[0] : name[0] + 1] == b"-" and before == b"-"
    is_field = raw[max(0, name[0] - 6) : name[0]] == b'name="' and following[:1] in (b"\n", b"\r")  # of a form
    if not (b":" in mark or before[:1] in _HEADS or is_option or is_field):
        return []
    at = name[1] + len(mark) + 1
    for line in following.split(b"\n")[:3]:
        value = before_end(line).strip().removeprefix(b"- ").removeprefix(b"> ").strip(b" `\"'*")
        if value:
            is_word = len(value.split()) == 1 and value[-1:] != b":" and not is_code(value) and not is_technical(value)
            first = at + line.find(value)
            rule = rule_for(raw[name[0] : name[1]], value, True) if is_word else ""
            return [(first, first + len(value), rule)] if rule else []
        at += len(line) + 1
    return []


def _announces(mark: bytes) -> bool:
    """True for words behind a name that announce what is below them: `password to unlock the installation:`."""
    words = mark.rstrip(b" \t\r*_`")[:-1].split()
    return mark.rstrip(b" \t\r*_`")[-1:] == b":" and len(words) <= _MOST_WORDS * 2 and all(word.isalpha() for word in words)


def _random_word(raw: bytes, name: tuple[int, int]) -> list[Span]:
    text = raw[name[1] : name[1] + _RANDOM]
    if text.translate(None, DIGITS) == text or len(max(text.translate(_TO_WORDS).split(), key=len, default=b"")) < STRONG:
        return []
    from memcli.screening.random_words import random_word  # most names have none behind them

    return random_word(raw, name, text)


def _next_word(raw: bytes, name: tuple[int, int], word: bytes) -> list[Span]:
    from memcli.screening.random_words import next_word

    return next_word(raw, name, word)


def login(raw: bytes, name: tuple[int, int], start: int) -> list[Span]:
    """Returns the password of `credentials: user / password`."""
    line = raw[start : start + _SENTENCE].partition(b"\n")[0]
    user, sign, behind_slash = line.partition(b" / ")
    if not sign or len(user.split()) != 1 or not raw[name[0] : name[1]].lower().endswith((b"credentials", b"credential")):
        return []
    password = first_word(behind_slash).rstrip(b".,;:)\"'`")
    first = start + len(user) + len(sign)
    return [(first, first + len(password), rule)] if (rule := rule_for(b"password", password, True)) else []


def phrase(raw: bytes, start: int) -> list[Span]:
    """Returns the words of a wallet behind `seed phrase:`, or its seed in hexadecimal digits."""
    start += raw[start : start + 1] in QUOTES and start < len(raw)
    text = raw[start : start + _PHRASE]
    digits = first_word(text).rstrip(b"\"'`,;.")
    if len(digits) >= 32 and not digits.removeprefix(b"0x").translate(None, b"0123456789abcdefABCDEF"):
        return [(start, start + len(digits), PHRASE)]
    end = count = 0
    for word in text.split()[:_MOST_OF_PHRASE]:
        end = text.find(word, end)
        plain = first_word(word).rstrip(b"\"'`,.;")
        if not (3 <= len(plain) <= 8 and plain.isalpha() and plain.islower()) or plain in _COMMON:
            break
        end, count = end + len(plain), count + 1
        if len(plain) < len(word) and word[len(plain) :] != b",":
            break
    return [(start, start + end, PHRASE)] if count >= _LEAST_OF_PHRASE else []


def in_prose(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the secret that a sentence says of a name: `the password for the shop is ...`, `changed the password to ...`."""
    line = raw[name[1] : name[1] + _SENTENCE].partition(b"\n")[0]
    label = raw[name[0] : name[1]]
    if label.lower() in (b"key", b"keys"):
        return []
    words = line.split()[: _WORDS_BETWEEN + 1]
    if words and line[:1] == b" " and len(words[0]) >= STRONG and (spans := _next_word(raw, name, words[0])):
        return spans
    if words and line[:1] == b" " and only_describes(words[0].partition(b"<")[0]):
        return []
    is_verb = label.lower() == b"pass"  # pass `x=1` to it
    is_plain = label.isalpha() and label[1:].islower() and raw[name[0] - 1 : name[0]] not in QUOTES
    at = 0
    for number, word in enumerate(words[:_WORDS_BETWEEN]):
        position = line.find(word, at)
        at = position + len(word)
        is_colon = word[-1:] == b":"
        is_exchange = word == b"from" and words[number + 2 : number + 3] == [b"to"]
        is_link = is_colon or is_exchange or (word.lower() in _LINKS and not (is_verb and number))
        if is_link:
            position = at + len(line[at:]) - len(line[at:].lstrip(b" "))
            if words[number + 1 : number + 2] and words[number + 1].lower() in _FILLERS:
                position = line.find(words[number + 1], position) + len(words[number + 1])
                position += len(line[position:]) - len(line[position:].lstrip(b" "))
        elif number or is_verb or not is_plain or raw[name[0] - 1 : name[0]] == b"=":
            continue
        if is_link and names_phrase(label):
            return phrase(raw, name[1] + position)
        position += is_link and len(line[position:]) - len(line[position:].lstrip(b"*"))  # in bold letters
        quote = line[position : position + 1] if line[position : position + 1] in QUOTES else b""
        value = line[position + len(quote) :]
        value = value.partition(quote)[0] if quote else first_word(value).rstrip(b".,;:)]*\"'`")
        is_number = is_link and value.isdigit() and (not number or words[0] in _OWNERS)
        if rule := rule_for(label, value, True, True) if is_number else _rule_in_prose(label, value, is_link, bool(quote)):
            first = name[1] + position + len(quote)
            return [(first, first + len(value), rule)]
        if is_colon or (is_link and not value.isalpha()):
            break
    return []


def before_name(raw: bytes, name: tuple[int, int]) -> list[Span]:
    """Returns the secret that a sentence says before its name: `use ... as the password`, `... is the key of the shop`."""
    label = raw[name[0] : name[1]].rstrip(b".")
    behind = (raw[name[1] : name[1] + _FAR].partition(b"\n")[0].split() or [b""])[0]
    if raw[name[1] : name[1] + 1].isalnum() or not (label.replace(b" ", b"").isalpha() and ends_in_secret(label)):
        return []
    if raw[name[1] : name[1] + 1] == b" " and behind.translate(None, LETTERS) != behind and behind.lower() not in _BEHIND:
        return []
    begin = max(0, name[0] - _SENTENCE)
    text = raw[begin : name[0]].rpartition(b"\n")[2]
    words = text.split()
    for back in range(2, min(_LAST_WORDS, len(words)) + 1):
        if words[-back + 1].lower() in _NOUNS:
            value = words[-back].strip(_OPENING + _CLOSING).rpartition(b'"')[2]  # it may begin a string
            if not all(word.isalpha() or word.lower() in _NOUNS or not word.isascii() for word in words[-back + 1 :]):
                return []
            if (rule := _rule_in_prose(label, value, False, False)) and value:
                first = name[0] - len(text) + text.rfind(value)
                return [(first, first + len(value), rule)]
            return []
    return []


def _rule_in_prose(name: bytes, value: bytes, is_link: bool, is_quoted: bool) -> str:
    """Returns the rule by which a word of a sentence is a secret, or "". A sentence must make it very plain."""
    if is_quoted and name.lower().endswith(b"phrase") and len(value.split()) > 2:
        return rule_for(name, value, True, True)
    digits, signs = (len(value) - len(value.translate(None, kind)) for kind in (DIGITS, SIGNS))
    last = value.translate(PARTED).split()[-1:]
    ends_in_word = last != [value] and bool(last) and last[0].isalpha() and last[0].islower() and not signs
    if not (digits or value.translate(None, b"!@#$%^&") != value) or ends_in_word or is_technical(value):
        return ""
    if not (is_link or is_quoted) and (len(value) < 8 or not digits or is_code(value)):
        return ""
    is_plain = not signs and value == value.lower() and digits < 3  # a word with a number behind it
    if not (is_link or is_quoted) and is_plain and name.lower() != b"pw":
        return ""
    rule = rule_for(name, value, is_quoted)
    return rule if is_link or rule == PASSWORD or len(value) >= 20 else ""
