"""What a failing command says, without what differs from one time to the next: paths, numbers, addresses, names of branches.

Two lines with one `template` complain of the same kind of thing; with the same `names`, of the same thing.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.text import shell
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST = 8  # lines of one output
_LINES = 400  # of an output that are looked at, half of them at its end
_LONGEST = 400  # characters of a line
_TAIL = 3  # lines at the end of an output of what did not fail by its exit code that may say that it did
_SHORT = 3  # lines of an output that all say what went wrong
_SPECIFIC = 2.5  # from which weight on a line says which error it is
_TELLING = 6  # words from which on a template says it without its names
_CUES = (
    *("error", "fatal", "not found", "no such", "no module", "cannot", "can't", "could not", "couldn't", "couldn’t", "failed"),
    *("denied", "undefined", "unknown", "invalid", "missing", "unrecognized", "unrecognised", "unable", "exception", "panic"),
    *("refused", "timed out", "timeout", "not installed", "rejected", "does not", "doesn't", "already", "not formatted", "abort"),
    *("killed", "segmentation", "unexpected", "not recognized", "unsupported", "conflict", "deprecated and", "out of memory"),
    *(
        "too many",
        "too long",
        "no space",
        "not allowed",
        "forbidden",
        "unauthorized",
        "beyond a",
        "ignored by",
        "not a ",
        "is not",
    ),
    *(
        "has no ",
        "no rule",
        "must be",
        "must have",
        "required",
        "expected",
        "modified by this hook",
        "would reformat",
        "mismatch",
    ),
    *("incompatible", "locked", "in use", "unused", "dirty", "diverge", "overwritten"),
)
_STRONG = (
    *("command not found", ": not found", "no module named", "cannot find module", "is not recognized", "no such file or dir"),
    *("error:", "fatal:", "exception:", "traceback (most", "npm err!", "panic:", "permission denied", "connection refused"),
    *("modified by this hook", "not formatted", "build failed", "panicked at", "error response from", "*** ["),
)
# What says so little that only the same names make two lines one error.
_COMMON = (
    *("no such file", "permission denied", "not found", "is not defined", "has no attribute", "no module", "cannot find"),
    *("already exists", "does not exist", "unexpected", "undefined", "unknown", "unrecognized", "invalid", "did not match"),
    *("missing", "assert", "expected", "syntaxerror", "typeerror", "valueerror", "unused", "test ", "imported but", "required"),
)
_NOISE = frozenset(
    "error errors fatal failed failure warning exception the a an of to in on at for e err assertionerror assert".split()
)
_LITTLE = _NOISE | frozenset("false true none null nil is are was be been it this that line file or and".split())
# What harnesses and shells put before what a program says.
_PREFIXES = (
    "error: ",
    "output: ",
    "stderr: ",
    "(eval):",
    "bash: ",
    "sh: ",
    "zsh: ",
    "/bin/sh: ",
    "/bin/bash: ",
    "line ",
    "e   ",
    "npm err! ",
)
_HARNESS = (  # what harnesses say where nothing failed but the call itself
    *("the user doesn't want", "no (tell claude", "interrupted by user", "request interrupted", "sibling tool call"),
    *("was blocked. for security", "permission to use", "tool_use_error", "[request interrupted"),
)
_FRAMES = ("exit code", "wall time", "output:", "error: (none)", "directory: ", "command: ")  # lines of a client's own
_FRAME_LINES = 3  # before the line that says which error it is, among which its place stands
_FRAME = 40  # characters of such a line, at most
_SAYS_NOTHING = ("exit code", "at ", 'file "', "found ", "total ", "please report", "raise ", "throw ", "let ")
_WELL = ("passed", "skipped")  # how the line of a check ends that did not fail
_SHOUTED = frozenset("ERROR ERRORS EXCEPTION EXPECTED ENABLED EMPTY EXIT EVERY EITHER ELSE EXISTS EXISTING".split())
_EPHEMERAL = 32_768  # the first port that systems hand out to whoever asks for any
_ERRNO = 5  # letters of the name of an error of the system: ENOENT
_QUOTES = "'\"`‘’“”"
_EDGES = "()[]{}<>,;:.!?*|=-–—✗✘×┃│└├▶→↳…#$"


class ErrorLine(Record):
    """A line that says what went wrong. `template`: its words, ~ for what may differ; `names`: what stood there."""

    text: str
    template: str
    names: str

    @property
    def is_telling(self) -> bool:
        """Tells whether the template alone says which error it is."""
        words = [word for word in self.template.split() if word != "~" and word not in _NOISE]
        return len(words) >= _TELLING and not any(common in self.template for common in _COMMON)


def of_output(output: str, has_failed: bool, varying: Iterable[str] = ()) -> list[ErrorLine]:
    """Returns the lines of an output that say what went wrong, a few; none where nothing did.

    `has_failed`: the command's exit code says so; else only the end of the output counts, as of what was piped into `tail`.
    `varying`: words that differ from one time to the next, such as the branch.
    """
    lines = output.replace("\\n", "\n").splitlines()  # some hooks of git print it written out
    if len(lines) > _LINES:
        lines = [*lines[: _LINES // 2], *lines[-_LINES // 2 :]]
    lines = [line for line in lines if any(char.isalpha() for char in line[:_LONGEST]) and not _is_fold(line)]
    beginning = " ".join(lines[:2]).lower()
    if any(words in beginning for words in _HARNESS):
        return []
    if has_failed:
        telling = [
            _in_context(lines, number) for number, line in enumerate(lines) if _says(line, _CUES) or _is_finding(line)
        ] or _if_short(lines)
    else:
        telling = [line for line in lines[-_TAIL:] if _says(line, _STRONG)]
    by_signature: dict[tuple[str, str], ErrorLine] = {}
    for line in telling:
        error = of_line(line, varying)
        if error is not None:
            by_signature.setdefault((error.template, error.names), error)
    errors = list(by_signature.values())
    return errors if len(errors) <= MOST else [*errors[: MOST // 2], *errors[-MOST // 2 :]]


def _is_finding(line: str) -> bool:
    """Tells whether a line is what a linter says of a place: `a.py:3:1: E402 …`."""
    place, _, rest = _bare(line).partition(" ")
    return bool(place_of(f"{place} ")) and any(_is_code(word.strip(_EDGES)) for word in rest.split()[:3])


def _in_context(lines: Sequence[str], number: int) -> str:
    """Returns the line at a place; of one that is only a kind of error and a value, with its code and file."""
    line = lines[number].strip()
    kind, _, value = line.partition(":")
    if not kind.split(" ")[0].rpartition(".")[2].endswith(("Error", "Exception")) or any(map(str.isalpha, value)):
        return lines[number]
    before = [it.strip() for it in lines[max(0, number - _FRAME_LINES) : number] if not it.strip(" ~^").startswith("Traceback")]
    frames = [it for it in before if it.startswith('File "')]
    code = [it for it in before if it not in frames][-1:] if frames else []
    called = [it.strip() for it in lines[number + 1 : number + 2] if it.strip().startswith("at ")]
    path = frames[-1].split('"')[1] if frames else "".join(called).rpartition("(")[2].partition(":")[0]
    context = ": ".join([it for it in (path.replace("\\", "/").rpartition("/")[2], *code) if it])
    return f"{line} ({context})" if context else lines[number]


def _if_short(lines: list[str]) -> list[str]:
    """Returns the lines of an output that is so short that all of it says what went wrong; of others none."""
    own = [line for line in lines if not line.lower().startswith(_FRAMES) or len(line) > _FRAME]
    return own if len(own) <= _SHORT else []


def _is_fold(line: str) -> bool:
    """Tells whether a line stands for others that a client does not show: `… +11 lines (ctrl+r to see all)`."""
    return line.lstrip().startswith("…") and line.rstrip().endswith(("to see all)", "to expand)"))


def _says(line: str, cues: Sequence[str]) -> bool:
    lower = _bare(line).lower()
    return any(cue in lower for cue in cues) and not lower.startswith(_SAYS_NOTHING) and not lower.endswith(_WELL)


def of_line(line: str, varying: Iterable[str] = ()) -> ErrorLine | None:
    """Returns a line as its template and names; None where it says too little to be recognised again."""
    text = _bare(line)
    file, words = place_of(text), []
    names: list[str] = []
    for word, is_quoted in _words(text):
        plain = word.strip(_EDGES)
        name = "~" if word in varying or plain in varying else _name(plain, is_quoted)
        if not plain or name == "":
            continue
        if name is None:
            words.append(plain.lower())
        else:
            if not words or words[-1] != "~":
                words.append("~")
            if name != "~":
                names.append(name)
    if file and names and set(names[1:]) - _LITTLE:
        del names[0]  # where it is does not say which error it is
    weight: float = len({word for word in words if word != "~" and word not in _LITTLE and len(word) > 1})
    weight += sum([1.5 for name in dict.fromkeys(names) if name not in _LITTLE])
    if weight < _SPECIFIC:
        return None
    names = [*(_ports(text) if weight <= _SPECIFIC else []), *names]  # where nothing else says which service it is
    return ErrorLine(text, " ".join(words)[:_LONGEST], " ".join(names)[:_LONGEST])


def _ports(text: str) -> list[str]:
    """Returns the fixed ports at which a connection was refused: each is of another service."""
    if "refused" not in text.lower():
        return []
    words = [word.strip(_EDGES + _QUOTES) for word in text.split()]
    after_word = [after for before, after in zip(words, words[1:]) if before.lower() == "port"]
    ports = [*after_word, *[port for host, colon, port in [word.rpartition(":") for word in words] if host and colon]]
    return [f":{port}" for port in ports if port.isdecimal() and len(port) <= 5 and 0 < int(port) < _EPHEMERAL]


def _bare(line: str) -> str:
    """Returns a line without colours and what shells and harnesses put before it."""
    pieces = line[:_LONGEST].split("\x1b[")
    text = pieces[0] + "".join([piece.lstrip("0123456789;")[1:] for piece in pieces[1:]])
    text = oneline(text.replace("...", " ")).strip(" ┃│|>*-=.!✗✘×")
    changed = True
    while changed:
        changed = False
        for prefix in _PREFIXES:
            if text.lower().startswith(prefix):
                text, changed = text[len(prefix) :].lstrip("0123456789: "), True
    return text


def place_of(text: str) -> str:
    """Returns the name of the file that a line begins with, as compilers write it: `src/zip.c:3:10:`, `app.ts(4,2):`."""
    word = text.partition(" ")[0]
    path, mark, rest = word.partition("(" if "(" in word else ":")
    is_numbered = bool(mark) and not rest.strip("0123456789:,)") and any(char.isdigit() for char in rest)
    return path.replace("\\", "/").rpartition("/")[2] if is_numbered and "." in path else ""


def _words(text: str) -> list[tuple[str, bool]]:
    """Returns the words of a line, and of each whether it stood in quotation marks; a long quotation counts as plain words."""
    words = []
    for token in text.split():
        bare = token.strip(_EDGES)
        is_quoted = len(bare) > 2 and bare[0] in _QUOTES and bare[-1] in _QUOTES
        words.append((token.strip(_EDGES + _QUOTES), is_quoted))
    return words


def _name(word: str, is_quoted: bool) -> str | None:
    """Returns what a word names, "" where it says nothing, ~ for what only differs, None for an ordinary word."""
    if "/" in word or "\\" in word:
        base = word.replace("\\", "/").rstrip("/").rpartition("/")[2].partition(":")[0]
        return _without_numbers(base) or "~"
    if word and all(char in "0123456789.,:%+-_xX" for char in word):
        return ""
    if _is_address(word):
        return ""
    head, colon, rest = word.partition(":")
    if colon and rest and not rest.strip("0123456789:"):
        word = head  # file.py:12
    has_mark = any(char in "_.@=:-+" for char in word) or any(char.isdigit() for char in word)
    is_errno = word.startswith("E") and word.isupper() and word.isalpha() and len(word) >= _ERRNO and word not in _SHOUTED
    if is_quoted or has_mark or is_errno or _is_camel(word):
        return _without_numbers(word) or "~"
    return None


def _is_camel(word: str) -> bool:
    return any(char.isupper() for char in word[1:]) and any(char.islower() for char in word)


def _is_address(word: str) -> bool:
    """True for an address, a hash, an amount with its unit: `0x7f3a`, `e98cb47`, `3.1s`, `12ms`."""
    lower = word.lower().replace("-", "")
    if len(lower) >= 6 and not set(lower) - set("0123456789abcdefx") and any(char.isdigit() for char in lower):
        return True
    return lower[:1].isdigit() and lower.lstrip("0123456789.,:").isalpha() and len(lower.lstrip("0123456789.,:")) <= 3


def _without_numbers(word: str) -> str:
    """Returns a word in lower case; of a code such as E501 or TS2304 with its number, of others without."""
    plain = word if _is_code(word) else "".join(["" if char.isdigit() else char for char in word])
    return plain.strip("_.-=:@+#").lower()


def _is_code(word: str) -> bool:
    """Tells whether a word is the code of a finding, such as E501 or TS2304."""
    letters = word.rstrip("0123456789")
    return letters.isupper() and letters.isalpha() and len(letters) <= 4 and len(word) - len(letters) >= 3


def exit_code(text: str) -> int | None:
    """Returns the exit code that a line of a result tells, as Codex does it; None where none does."""
    for line in [*text[:400].lower().splitlines(), *text[-400:].lower().splitlines()]:
        head, mark, tail = line.partition("exit code")
        if not mark:
            head, mark, tail = line.partition("exited with code")
        number = tail.strip(" :=.()")
        if mark and len(head) < 20 and number.lstrip("-").isdecimal() and len(number) < 8:
            return int(number)
    return None


def missing_program(command: str, lines: Sequence[ErrorLine]) -> str:
    """Returns the program of a command that is not there, by what lines say; "" where none is missing."""
    names = [word.rpartition("/")[2] for words in shell.simple_commands(command) for word in words]
    for line in lines:
        text = line.text.strip()
        before, mark, after = text.lower().partition("command not found")
        if not mark:
            before, mark, after = text.lower().partition(": not found")
        if not mark:
            before, mark, after = text.lower().partition("no module named")
            before = ""
        if not mark:
            before, mark, after = text.lower().partition("failed to spawn:")
        if not mark:
            before, mark, after = text.lower().partition(" is not recognized as")
            after = ""
        if not mark:
            before, mark, after = text.lower().partition(": no such file or directory")
            before = before if before.endswith(tuple([f"/{words[0]}" for words in shell.simple_commands(command)])) else ""
            after = ""
        tokens = (after.strip(_EDGES + _QUOTES + " ").split() or before.strip(_EDGES + _QUOTES + " ").split()[-1:])[:1]
        name = tokens[0].rpartition("/")[2].strip(_EDGES + _QUOTES) if mark and tokens else ""
        if name and name in names:
            return name
    return ""
