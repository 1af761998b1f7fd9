"""Secrets in the lines below a heading or a command that names them: `Passwords:`, `## Passwords`, `chpasswd <<EOF`.

Each line holds a value, or what it belongs to and the value: `bob: ...`, `- bob -> ...`, `3. ...`. Such lines are often prose, so
that they count only where most of them hold a secret.
"""

from __future__ import annotations

from memcli.screening.lists import is_other, is_plural, judged
from memcli.screening.values import DIGITS, QUOTES, ends_in_secret, is_code, is_technical, lines_from, only_describes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.screening import Span
    from memcli.screening.assigned import Reach
    from memcli.screening.lists import Value

_BEFORE = 80  # bytes of a line before a name
_HEAD = 64  # bytes of a heading behind a name
_HEADS = b"#=*_ \t>-!"
_AFTER = b" \t\r:*_=`)#"
_BULLETS = b"-*+>|\xe2\x80\xa2 \t"
# What stands between the parts of a line, the commonest first.
_JOINTS = (
    b" -> ",
    " → ".encode(),
    b" => ",
    b" = ",
    b": ",
    " – ".encode(),
    " — ".encode(),
    b" - ",
    b" / ",
    b" | ",
    b"\t",
    b"=",
    b":",
    b"/",
)
_MOST_BEFORE = 6  # words between a name and the colon of its line
_VERBS = frozenset("are were follow below now sind lauten sont son sono são zijn".encode().split())
_MOST_WORDS = 3  # of what a value belongs to
_DOCUMENT = 8_192  # bytes of a document of YAML before and behind its kind
_MISFITS = 2  # lines in succession that end it


def below_heading(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the secrets in the lines below a heading, or in the document that a command is given."""
    end = raw.find(b"\n", name[1], name[1] + _HEAD)
    label = raw[name[0] : name[1]]
    if end < reach.headed or end < 0 or not ends_in_secret(label):
        return []
    before = raw[max(0, name[0] - _BEFORE) : name[0]].rpartition(b"\n")[2]
    mark = raw[name[1] : end]
    word = b""
    if mark.lstrip()[:2] == b"<<" and mark.strip()[-1:].isalnum():
        word = mark.strip().lstrip(b"<-~").strip(b" \"'\\")
    elif (mark.strip(_AFTER) and not _introduces(mark)) or not _is_heading(raw, before, label, mark, end):
        return []
    following = raw[end + 1 : end + 1 + _HEAD].lstrip(b"\r\n")
    if len(following) - len(following.lstrip(b" ")) > len(before) - len(before.lstrip(b" ")) and not word:
        return []  # a block of YAML
    values: list[Value] = []
    stop, misfits = end + 1, 0
    for at, line in lines_from(raw, stop):
        text = line.strip()
        if misfits == _MISFITS or (word and text == word) or (text[:1] == b"#" and b" " in text):
            break
        is_gap = not text.strip(b"-=*_~")
        value = b"" if is_gap else _of_line(text)
        if value:
            values.append((at + line.rfind(value), value))
        misfits = 0 if value else misfits + (not is_gap or bool(values))
        stop = at + len(line) + 1
    reach.headed = stop
    spans = judged(label if is_plural(label) or not word else b"password", values)
    return spans if len(spans) * 2 > len(values) else []


def of_kind(raw: bytes, name: tuple[int, int], reach: Reach) -> list[Span]:
    """Returns the values in `data:` and `stringData:` of a document of Kubernetes of the kind Secret."""
    begin = max(raw.rfind(b"\n---", max(0, name[0] - _DOCUMENT), name[0]), reach.end, name[0] - _DOCUMENT, 0)
    ends = [raw.find(sign, name[1], name[1] + _DOCUMENT) for sign in (b"\n---", b"\nkind:")]
    end = min([at for at in ends if at >= 0], default=min(len(raw), name[1] + _DOCUMENT))
    reach.extend(begin, end)
    values: list[Value] = []
    at, depth = begin, -1
    for line in raw[begin:end].split(b"\n"):
        text = line.strip()
        indent = len(line) - len(line.lstrip(b" "))
        key, colon, value = text.partition(b":")
        value = value.strip(b" \"'")
        depth = depth if indent > depth or not text else -1
        if depth >= 0 and colon and len(value.split()) == 1 and not is_other(key):
            values.append((at + line.rfind(value), value))
        depth = indent if text in (b"data:", b"stringData:") else depth
        at += len(line) + 1
    return judged(b"passwords", values)


def _introduces(mark: bytes) -> bool:
    """True for the rest of a line that says that the secrets of its name stand below it: `for staging are:`."""
    words = mark.rstrip(b" \t\r*_").removesuffix(b":").split()
    return mark.rstrip(b" \t\r*_")[-1:] == b":" and 0 < len(words) <= _MOST_BEFORE and words[-1].lower() in _VERBS


def _is_heading(raw: bytes, before: bytes, label: bytes, mark: bytes, end: int) -> bool:
    """True for a line that is a heading: it ends in a colon, begins with a sign of one, or a line is drawn below it."""
    under = raw[end + 1 : end + 1 + _HEAD].partition(b"\n")[0].strip()
    is_drawn = len(under) > 2 and not under.strip(b"=-~")
    is_marked = before.strip()[:1] in (b"#", b"=", b"*", b"!") and before.strip()[:1] != b""
    is_pair = b"/" in before and b")" in mark
    if not (is_plural(label) or is_pair):
        return False
    return b":" in mark or is_marked or (is_drawn and not before.strip(_HEADS))


def _of_line(text: bytes) -> bytes:
    """Returns the value that a line holds, alone or behind what it belongs to; "" where it holds something else."""
    plain = text.lstrip(_BULLETS)
    number = plain.lstrip(DIGITS)
    if number != plain and number[:2] in (b". ", b") "):
        plain = number[2:].lstrip()
    owner, value = b"", plain
    if len(plain.split()) != 1 or b":" in plain:
        owner, joint, value = next((parts for sign in _JOINTS if (parts := plain.partition(sign))[1]), (b"", b"", plain))
        if not joint or not owner.strip() or len(owner.split()) > _MOST_WORDS or only_describes(owner.split()[-1:]):
            return b""
    value = value.strip().rstrip(b",;").strip(b"`*")
    if value[:1] in QUOTES and value[:1] == value[-1:]:
        value = value[1:-1]
    is_word = len(value.split()) == 1 and value[-1:] != b":"
    return value if is_word and not is_code(value) and not is_technical(value) else b""
