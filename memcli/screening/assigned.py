"""Secrets that a name gives away: `API_KEY=…`, `"password": "…"`, `--token …`, `<pwd>…</pwd>`.

Here is where the value of a name stands: behind a sign, a bracket or an option, in the next line, in a list, in a sentence.
values.py says whether it is a secret.
"""

from __future__ import annotations

from memcli.screening.values import LETTERS, NAME, QUOTES, is_secret_key, names_phrase, names_secret, rule_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.screening import Span

_FAR = 64  # bytes of a name on either side of the word, and of what may stand between it and its value
_QUOTED = 1_024  # bytes in which a quoted value ends
_LOOKED_AT = 256  # bytes of a value that tell what it is
_BEFORE = 80  # bytes before a name that tell whose it is
_OPENING = (b"[", b"(", b"{")  # of a list or mapping
_BETWEEN = (b",", b";", b"|", b"/", b" ", b'"', b"'")  # values of a line
_AROUND_CELLS = (b"|", b",", b";", b"&", b":", b"(", b"\t")
_IN_ROWS = b"|,;&\t"
_BOXES = (b"\xe2\x94", b"\xe2\x95")  # how a line of a box begins
_IN_MARKUP = (b"!", b"|", b"*", b"-")  # how a row of a table begins whose cells have lines of their own
_OBJECTS = (b"self.", b"this.", b"cls.", b"args.")
_MASKED = b"[secret: "
_AFTER_LIST = (b"(", b"[", b",", b"+")  # behind the name of a list that is added to, or of a function
_SETTERS = (b"set", b"with", b"password", b"Password", b"PASSWORD", b"token", b"secret", b"apiKey")
_NAMING, _HOLDING = (b"name", b"key", b"id", b"variable"), b"value"  # what the parts of a pair are called: `name: X`, `value: Y`
_PAIR = 160  # bytes in which both parts of a pair stand
_SECTION = 600  # bytes before a line in which its section begins
_BLOCK = 400  # bytes of a block that declares a variable
_TO_WORDS = bytes([32 if byte in b"\t\r\n\"'`,:={}<>/-" else byte for byte in range(256)])
_OF_TYPES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_&<>'[]?|.(), "
_WITHOUT_QUOTES = bytes([32 if byte in b"\"'`" else byte for byte in range(256)])
_ENDS = bytes([10 if byte in b" \t\r\n\f\v\0\"'`,;<\\" else byte for byte in range(256)])  # what ends a bare value, as newlines


def assigned(raw: bytes, low: bytes, hints: Sequence[bytes]) -> list[Span]:
    """Returns the values in a text (`low`: in lower case) that are secrets because of their names, which hold one of `hints`."""
    spans: list[Span] = []
    bare = _Bare(raw)
    for hint in hints:
        reach = Reach()
        at = low.find(hint)
        while at >= 0:
            end = at + len(hint)
            if (mark := raw.rfind(_MASKED, max(0, at - _FAR), end + 2)) >= 0 and raw.find(b"]", mark, at) < 0:
                at = low.find(hint, end)  # the name of a rule
                continue
            tail = raw[end : end + _FAR]
            behind = tail.lstrip(NAME)
            name_end = end + len(tail) - len(behind)
            before = raw[max(0, at - _FAR) : at]
            name = (at - len(before) + len(before.rstrip(NAME)), name_end)
            name = (name[0] - _kind_of_key(raw, *name), name_end)
            values = _values(raw, bare, name, behind, reach)
            spans += values
            end = max(end, values[0][1]) if values else end
            at = low.find(hint, end)
    return spans


def _kind_of_key(raw: bytes, start: int, end: int) -> int:
    """Returns the bytes of a word before `key` that say of what kind it is: of `API ` in `API key`."""
    if raw[start - 1 : start] != b" " or raw[start:end].lower() not in (b"key", b"keys"):
        return 0
    before = raw[max(0, start - _FAR) : start - 1]
    word = before[len(before.rstrip(LETTERS)) :]
    return len(word) + 1 if is_secret_key(word) else 0


class Reach:
    """The part of a text that was read as a table or list: what begins in it is not read as another one."""

    def __init__(self) -> None:
        self.begin = self.end = -1
        self.headed = -1  # the end of what was read below a heading

    def is_read(self, at: int) -> bool:
        """True for a place in that part."""
        return self.begin <= at < self.end

    def extend(self, begin: int, end: int) -> None:
        """Notes what was read last; a search goes forward, so that nothing before it counts."""
        self.begin, self.end = begin, end


class _Bare:
    """Where values without quotes end. Keeps the last result, so that a run of names and values is searched once."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.ends = b""
        self.start = self.end = -1

    def stop(self, start: int) -> int:
        """Returns the byte behind the value that begins at `start`, which must not decrease from call to call."""
        if not self.ends:
            self.ends = self.raw.translate(_ENDS) + b"\n"
        if not self.start <= start <= self.end:
            self.start, self.end = start, self.ends.find(b"\n", start)
        return self.end


def _values(raw: bytes, bare: _Bare, name: tuple[int, int], behind: bytes, reach: Reach) -> list[Span]:
    """Returns the secrets that a name is given. `behind`: what follows it, as far as it is looked at."""
    label = raw[name[0] : name[1]]
    if label == b"Secret" and raw[max(0, name[0] - 8) : name[0]].rstrip(b" \"'").endswith((b"kind:", b'kind":')):
        from memcli.screening.headed import of_kind  # a document of Kubernetes, whose values have names of any kind

        return of_kind(raw, name, reach)
    is_phrase = names_phrase(label)
    is_added_to = behind[:1] == b"(" and names_secret(label.rpartition(b".")[0])
    if not (is_phrase or is_added_to or names_secret(label)):
        return []
    mark = behind.lstrip(b"\"'`]) \t\\*")
    if spans := _beside(raw, name, mark, behind, reach):
        return spans
    start = _value_start(raw, name[0], name[1]) if _may_be_given(behind, mark) else 0
    if start:
        if is_phrase:
            from memcli.screening.near import phrase

            return phrase(raw, start)
        if span := _span(raw, bare, name, start):
            is_list = raw[name[1] - 1 : name[1]] in b"sS" and raw[span[1] : span[1] + 1] in _BETWEEN
            return [span, *_others(raw, name, span[1])] if is_list else [span]
    if behind.find(b"\n") >= 0 and (spans := _below_heading(raw, name, reach)):
        return spans
    is_whole = (start and (raw[start : start + 1] in _OPENING or behind[:1] == b":")) or behind[:2] == b"]\n"
    is_whole = is_whole or (start > 0 and raw[name[1] - 1 : name[1]] in b"sS" and raw[start - 1 : start] not in QUOTES)
    if is_whole and (spans := _as_a_whole(raw, name, start or name[1] + 1, reach)):
        return spans
    if (behind[:1] in _AFTER_LIST or mark[:2] == b"+=") and (spans := _in_call(raw, name)):
        return spans
    from memcli.screening.near import before_name, in_prose, login, near

    if spans := (start and login(raw, name, start)) or near(raw, name):
        return spans
    is_spoken = not start and behind[:1] in (b" ", b"\t") and b"\n" not in behind[:2]
    return (is_spoken and in_prose(raw, name)) or before_name(raw, name)


def _as_a_whole(raw: bytes, name: tuple[int, int], start: int, reach: Reach) -> list[Span]:
    from memcli.screening.lists import as_a_whole

    return as_a_whole(raw, name, start, reach)


def _in_call(raw: bytes, name: tuple[int, int]) -> list[Span]:
    from memcli.screening.calls import in_call

    return in_call(raw, name)


def _below_heading(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    from memcli.screening.headed import below_heading

    return below_heading(raw, name, reach)


def _others(raw: bytes, name: tuple[int, int], end: int) -> list[Span]:
    from memcli.screening.lists import beside_first

    return beside_first(raw, name, end)


def _may_be_given(behind: bytes, mark: bytes) -> bool:
    """True for what begins like a sign, an option or the word of a sentence behind a name."""
    return (
        mark[:1] in (b"=", b":", b">", b",", b"(", b"?", b"|")
        or mark[:2] == b"<-"
        or behind[:1] in (b" ", b"\t")
        or mark[:3] == b"or "
    )


def _value_start(raw: bytes, name_start: int, name_end: int) -> int:
    """Returns where the value begins that a name is given, behind its quote; 0 where it is given none."""
    behind = raw[name_end : name_end + _FAR]
    mark = behind.lstrip(b"\"'`]) \t\\*")
    before = raw[max(0, name_start - _BEFORE) : name_start]
    if before[-3:] == b"://":  # a user of an address: the rule for addresses knows better where its password ends
        return 0
    otherwise = mark[3 if mark[:3] == b"or " else 2 :].lstrip(b" \t")
    if mark[:2] in (b"?=", b"<-"):  # of make, of R
        value = otherwise
    elif (mark[:2] in (b"||", b"??") or (mark[:3] == b"or " and behind[:1] in (*QUOTES, b"]"))) and otherwise[:1] in QUOTES:
        value = otherwise  # what a program takes where a variable is not set
    elif before[-2:] == b"${" and behind[:2] in (b":-", b":=", b":+"):  # what a shell takes where a variable is not set
        value = behind[2:]
    elif mark[:1] in (b"=", b":") or (mark[:1] == b">" and (before[-1:] == b"<" or _is_attribute(before, behind))):
        value = _behind_type(mark) or mark.lstrip(b"=:>").lstrip(b" \t").removeprefix(b"**").lstrip(b" \t")
    elif behind[:1] in b" \t" and (raw[name_start : name_start + 1] == b"-" or _takes_next_word(before, behind)):
        value = behind.lstrip(b" \t")
    elif mark[:1] == b"," and behind[:1] in QUOTES and before[-2:-1] in b"( " and b"(" in before[-3:]:
        value = mark[1:].lstrip(b" \t")  # define('NAME', 'value')
        return name_end + len(behind) - len(value) + 1 if value[:1] in QUOTES else 0
    elif mark[:1] == b"(" and behind[:1] == b"(" and mark[1:2] in QUOTES:
        is_set = raw[name_start:name_end].rpartition(b".")[2].startswith(_SETTERS)  # setPassword("value")
        return name_end + 2 if is_set else 0
    else:
        return 0
    tag, blank, tagged = value.partition(b" ")
    if blank and tag[:1] == b"!" and tag.translate(None, b"!_").isalpha():  # a type of YAML
        value = tagged
    if value[1:2] in (b'"', b"'") and value[:1] in b"bfruBFRUNEL@$":
        value = value[1:]
    if value[:2] in (b"q(", b"q{", b"q["):  # a string of Perl
        value = value[2:]
    value = value.lstrip(b"\\")
    value = value[1:] if value[:1] in QUOTES else value
    return name_end + len(behind) - len(value) if value else 0


def _is_attribute(before: bytes, behind: bytes) -> bool:
    """True for a name in the attribute of an element whose text is the value: `<entry key="password">...</entry>`."""
    return behind[:2] in (b'">', b"'>") and before[-2:-1] == b"=" and b"<" in before


def _behind_type(mark: bytes) -> bytes:
    """Returns the quoted value that stands behind the type of a name: `: string = "..."`; nothing where there is none."""
    kind, sign, value = mark[1:].partition(b"=")
    is_typed = mark[:1] == b":" and sign and kind.strip() and not kind.translate(None, _OF_TYPES)
    value = value.lstrip()
    is_string = value[:1] in QUOTES or (value[:1] in b"br@" and value[1:2] in QUOTES and value[1:2])
    return value if is_typed and is_string else b""


def _beside(raw: bytes, name: tuple[int, int], mark: bytes, behind: bytes, reach: Reach) -> list[Span]:
    """Returns the values that stand beside a name: in the other part of a pair, in a block that declares it, in a table."""
    before = raw[max(0, name[0] - _BEFORE) : name[0]]
    if b"<" in behind or before.rpartition(b"\n")[2].lstrip()[:1] in _IN_MARKUP:
        from memcli.screening.markup import in_markup

        if spans := in_markup(raw, name, reach):
            return spans
    if spans := _in_pair(raw, name, before, reach):
        return spans
    line = before.rpartition(b"\n")[2]
    last = line.rstrip(b' *`"')[-1:]
    is_cell = mark[:1] in _AROUND_CELLS or last in _AROUND_CELLS or b"\t" in (behind[:1], before[-1:])
    is_cell = is_cell or behind[:2] == b"  " or any(box in behind[:4] for box in _BOXES) or b"\n--" in behind
    if behind[:1] in (b"\n", b"\r", b""):
        is_cell = is_cell or before[-2:] == b"  " or line.translate(None, _IN_ROWS) != line
    if not (is_cell or (b"|" in before and before[-1:] == b" ")):
        return []
    from memcli.screening.rows import below_columns
    from memcli.screening.tables import in_table

    return below_columns(raw, name, reach) or in_table(raw, name, reach)


def _in_pair(raw: bytes, name: tuple[int, int], before: bytes, reach: Reach) -> list[Span]:
    """Returns the value of `name: X`, `value: Y` in either order, and the default of a variable that a block declares."""
    words = before.rstrip(NAME + b"/").translate(_TO_WORDS).lower().split()[-1:]  # --name /app/api_key
    if not words or not (words[0] in _NAMING or words[0].endswith(_NAMING)):
        return []
    if words[0] == b"variable" and before[-1:] == b'"':
        block = raw[name[1] : name[1] + _BLOCK].partition(b"\n}")[0]
        _, default, value = block.partition(b"default")
        start = name[1] + len(block) - len(value)
        opening = start + len(value) - len(value.lstrip(b" ="))
        if default and raw[opening : opening + 1] in _OPENING:
            return _as_a_whole(raw, name, opening, reach)
        return _quoted_or_bare(raw, name, start, len(value)) if default else []
    behind = raw[name[1] : name[1] + _PAIR]
    between, value_word, rest = behind.lower().partition(_HOLDING)
    if value_word and not between.translate(_TO_WORDS).strip():
        return _quoted_or_bare(raw, name, name[1] + len(between) + len(_HOLDING), len(rest))
    pair = raw[max(0, name[0] - _PAIR) : name[0]]
    at = pair.lower().rfind(_HOLDING)
    value_text = pair[at + len(_HOLDING) :] if at >= 0 else b""
    if value_text[:2].strip(b"\"'")[:1] in (b":", b"=") and len(value_text.translate(_TO_WORDS).split()) == 2:
        return _quoted_or_bare(raw, name, name[0] - len(value_text), len(value_text))
    return []


def _quoted_or_bare(raw: bytes, name: tuple[int, int], start: int, size: int) -> list[Span]:
    """Returns the value behind a sign at `start` if it is a secret: quoted, or as far as its line or element goes."""
    text = raw[start : start + size]
    value = text.lstrip(b" \t\"'").lstrip(b":=").lstrip(b" \t")
    quote = value[:1] if value[:1] in QUOTES else b""
    value = value[len(quote) :]
    first = start + size - len(value) if len(text) == size else start + len(text) - len(value)
    word = value.partition(quote)[0] if quote else (value.split(None, 1) or [b""])[0].rstrip(b",;}\"'")
    if b"\n" in word or not word:
        return []
    rule = rule_for(raw[name[0] : name[1]], word, True, True)
    return [(first, first + len(word), rule)] if rule else []


def _takes_next_word(before: bytes, behind: bytes) -> bool:
    """True for a name whose value is the next word: in `.netrc`, SQL, a Dockerfile's ENV, and commands that set variables."""
    words = before.translate(_WITHOUT_QUOTES).split()
    if words and words[-1] in (b"ENV", b"setx", b"setenv", b"SETX") and before[-1:] == b" ":
        return True
    if behind.lstrip(b" ")[:1] == b"'" and words and words[-1].upper() in (b"WITH", b"SET", b"ENCRYPTED", b"BY"):
        return True
    if len(words) > 1 and words[-2] in (b"configure", b"config") and words[-1] == b"set":
        return True  # aws configure set NAME VALUE
    if behind.lstrip(b" ")[:1] == b"'" and any(word.upper() in (b"USER", b"ROLE", b"LOGIN") for word in words[-4:]):
        return True
    return b"login" in words[-4:] and (b"machine" in words or (words[-2:-1] == [b"login"] and b"\n" in before))


def _span(raw: bytes, bare: _Bare, name: tuple[int, int], start: int) -> Span | None:
    """Returns the span of a value that begins at `start` if its name and looks make it a secret."""
    quote = raw[start - 1 : start]
    before = raw[max(0, name[0] - 7) : name[0]]
    is_env = raw[name[1] : name[1] + 1] == b"=" and (before[-1:] in b"\n;?& \"'" or before[-7:] == b"export ")
    sure = is_env and raw[name[0] : name[1]].isupper()
    setting = sure or (is_env and (before[-1:] in b"\n;?&" or before[-7:] == b"export "))
    stop = raw.find(quote, start, start + _QUOTED) if quote in QUOTES and quote else -1
    if quote == b"`" and is_env and b" " in raw[start : max(start, stop)]:
        return None  # of a command, whose output is the value
    if stop >= 0 and b"\n" not in raw[start:stop]:
        setting = sure = True
        stop -= len(raw[start:stop]) - len(raw[start:stop].rstrip(b" \\"))  # the quotes may be escaped ones
    else:
        stop = bare.stop(start)
        setting = setting or (is_env and before[-1:] in QUOTES and raw[stop : stop + 1] == before[-1:])  # echo "name=value"
        if raw[name[1] : name[1] + 1] == b"=" and raw[stop : stop + 4] in (b" if ", b" or "):
            return None  # a choice of a program
        if before[-1:] in (b"?", b"&"):
            amp = raw.find(b"&", start, stop)
            stop = amp if amp >= 0 else stop
        if raw[name[1] : name[1] + 1] == b">" and raw[stop : stop + 2] != b"</":
            return None  # <password> of a text about addresses, and no element
        last = raw[max(start, stop - 8) : stop]
        stop -= len(last) - len(last.rstrip(b")]}.:"))
        sure = sure or _is_yaml(raw, name, start, stop) or _is_property(raw, name, stop) or _is_netrc(raw, name)
        sure = sure or _is_ini(raw, name, stop)
        setting = setting and b"(" not in raw[start:stop]
    rule = rule_for(raw[name[0] : name[1]], raw[start : min(stop, start + _LOOKED_AT)], setting, sure)
    return (start, stop, rule) if rule else None


def _is_property(raw: bytes, name: tuple[int, int], stop: int) -> bool:
    """True for a line of a file of properties: `javax.net.ssl.keyStorePassword=word`, and no attribute of an object."""
    label = raw[name[0] : name[1]]
    is_line = raw[name[0] - 1 : name[0]] in (b"\n", b"") and raw[stop : stop + 1] in (b"\n", b"\r", b"", b'"')
    return is_line and label.count(b".") > 1 and raw[name[1] : name[1] + 1] == b"=" and not label.startswith(_OBJECTS)


def _is_ini(raw: bytes, name: tuple[int, int], stop: int) -> bool:
    """True for a line that gives a name one word, in a section that a line in brackets begins."""
    begin = raw.rfind(b"\n", 0, name[0]) + 1
    is_line = not raw[begin : name[0]].strip() and raw[stop : stop + 1] in (b"\n", b"\r", b"", b'"')  # it may stand in a string
    if not is_line or b"=" not in raw[name[1] : name[1] + 2]:
        return False
    section = raw[max(0, begin - _SECTION) : begin].rpartition(b"[")[2]
    head, bracket, lines = section.partition(b"]\n")
    is_head = head != b"" and bool(bracket) and not head.translate(None, NAME + b" :/")
    return is_head and all(b"=" in line for line in lines.split(b"\n") if line)


def _is_netrc(raw: bytes, name: tuple[int, int]) -> bool:
    before = raw[max(0, name[0] - _BEFORE) : name[0]].split()
    return b"machine" in before and before[-2:-1] == [b"login"]


def _is_yaml(raw: bytes, name: tuple[int, int], start: int, stop: int) -> bool:
    """True for a line that holds a name, a colon and one word, which no bracket ends."""
    line = raw[max(0, name[0] - _BEFORE) : name[0]].rpartition(b"\n")[2]
    if raw[name[1] : name[1] + 2] != b": " or line.strip(b" -") or raw[stop : stop + 1] not in (b"\n", b"") or start == stop:
        return False
    following = raw[stop : stop + _FAR].lstrip()
    return following[:1] not in (b"}", b")", b"]")
