"""What is made of secret_rules.toml and gitleaks_rules.toml in memcli/screening: the patterns, the keywords of the first look,
and the table in docs/privacy.md.

The first check runs on every text that is written, without a regex engine. So it needs more than a keyword: what must stand
behind it in every match. That is derived here from the parsed regex. A regex is read as a list of atoms: (the bytes that may
stand there, whether one must). Three conditions follow from such a list, and the first that says enough is taken:

- token: so many characters of a token follow the keyword directly
- credential: so many follow behind spaces, quotes and signs of an assignment
- sequence: these literals follow, in this order, in the same word, line or text
"""

from __future__ import annotations

import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import tomllib
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "memcli/screening/secret_rules.toml"
TAKEN = ROOT / "memcli/screening/gitleaks_rules.toml"
TABLE_BEGIN, TABLE_END = "<!-- formats: made by scripts/generate.py -->", "<!-- end of formats -->"
BEGIN, END = "# Made from secret_rules.toml by scripts/generate.py.\n", "# End of what is made.\n"
PATTERNS_HEAD = '''"""The rules of secret_rules.toml for formats.py: to parse that file takes longer than all else it does.

Made by scripts/generate.py.
"""

# (id, check, the rule that must have matched in the same text, keywords, regex)
RULES: tuple[tuple[str, str, str, tuple[bytes, ...], str], ...] = (
'''
TAGS = {
    "token",
    "block",
    "credential",
    "password",
    "bare",
    "cookie",
    "hash",
    "value",
    "setting",
    "spoken",
    "pin",
    "words",
    "printed",
    "strong",
}

LETTERS = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")  # and digits
TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/=%")
GAP = frozenset(b" \t\n\r\f\v\"'`:=\\")
SPACES = frozenset(b" \t\n\r\f\v")
LEAST_TOKEN = 10  # characters behind a keyword that say enough
LEAST_CREDENTIAL = 5
LEAST_INSIDE = 16  # as _LONG_PART in first_look.py
MOST_LITERALS = 2  # of a sequence
MOST_SEQUENCES = 12  # of a keyword: of more, only what all have in common is looked for
LINE = 720  # characters of a generated one
FEW = 5  # characters of a class that are read as so many alternatives
ANY = frozenset(range(256))
CHARACTERS = (op.LITERAL, op.NOT_LITERAL, op.IN)
CATEGORIES = {  # as RE2 reads them
    op.CATEGORY_DIGIT: frozenset(b"0123456789"),
    op.CATEGORY_SPACE: frozenset(b" \t\n\f\r"),
    op.CATEGORY_NOT_SPACE: ANY - frozenset(b" \t\n\f\r"),
    op.CATEGORY_WORD: frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"),
}
Sequence = tuple[bytes, tuple[bytes, ...], bytes | None]
HEADS = (4, 3)  # bytes of the beginning of a word by which the first look knows a keyword


class Atom(NamedTuple):
    """A place in a regex. At a boundary of words (`\\b`), which takes no byte, `chars` is empty."""

    chars: frozenset[int]
    required: bool


class Conditions(NamedTuple):
    """What the first check looks for."""

    tokens: dict[bytes, int]  # keyword -> characters of a token that follow at least
    inside: set[bytes]  # keywords of `tokens` that may stand behind a letter or digit
    solid: dict[bytes, int]  # keyword of those -> letters and digits that follow it at least without a sign between them
    credentials: dict[bytes, tuple[int, bytes]]  # -> the same, and the signs of which one must stand before the credential
    sequences: list[Sequence]  # keyword, literals behind it, what separates the texts
    low_sequences: list[Sequence]  # the same, in lower case
    parts: list[tuple[int, ...]]  # bytes of the parts of a word between dots
    beginning: set[bytes]  # keywords of `sequences` that always begin a word


def rules() -> list[dict[str, Any]]:
    """Returns the rules as the file has them. Raises ValueError for one with an unknown tag."""
    listed: list[dict[str, Any]] = [
        rule for path in (RULES, TAKEN) for rule in tomllib.loads(path.read_text(encoding="utf-8")).get("rules", ())
    ]
    for rule in listed:
        if len(rule["tags"]) != 1 or not TAGS.issuperset(rule["tags"]) or not rule.keys() & {"keywords", "required", "parts"}:
            raise ValueError(f"{rule['id']}: needs one tag of {sorted(TAGS)}, and keywords, a required rule or parts")
    return listed


def paths(tokens: Any, ignore_case: bool, optional: bool) -> list[list[Atom]]:
    """Returns the lists of atoms that a parsed regex may be. `optional`: groups that may be missing are lists of their own."""
    choices: list[list[list[Atom]]] = []
    for code, value in tokens:
        if code is op.AT:
            choices.append([[Atom(frozenset(), True)]])
        elif code in CHARACTERS:
            chars = charset(code, value, ignore_case)
            few = code is op.IN and len(chars) <= FEW
            choices.append([[Atom(frozenset({char}), True)] for char in sorted(chars)] if few else [[Atom(chars, True)]])
        elif code is op.SUBPATTERN:
            choices.append(paths(value[3], ignore_case, optional))
        elif code is op.BRANCH:
            choices.append([path for branch in value[1] for path in paths(branch, ignore_case, optional)])
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, inner = value
            choices.append(repeated(least, most, inner, ignore_case, optional))
        else:
            raise ValueError(f"cannot read {code} in a regex")
    return [[atom for run in runs for atom in run] for runs in product(*choices)]


def repeated(least: int, most: int, tokens: Any, ignore_case: bool, optional: bool) -> list[list[Atom]]:
    """Returns the lists of atoms of something repeated: a character as often as it must be, a group once."""
    if len(tokens) == 1 and tokens[0][0] in CHARACTERS:
        code, value = tokens[0]
        chars = charset(code, value, ignore_case)
        return [[Atom(chars, True)] * least + [Atom(chars, False)] * (most > least)]
    inner = paths(tokens, ignore_case, optional)
    more = [Atom(frozenset().union(*[atom.chars for path in inner for atom in path]), False)] if most > least else []
    if least:
        return [path + more for path in inner]
    return [[], *inner] if optional and most == 1 else [more]


def charset(code: Any, value: Any, ignore_case: bool) -> frozenset[int]:
    """Returns the bytes that a literal or a class takes."""
    chars: frozenset[int] = frozenset()
    negated = False
    for item, detail in value if code is op.IN else [(code, value)]:
        if item is op.NEGATE:
            negated = True
        elif item in (op.LITERAL, op.NOT_LITERAL):
            chars |= {detail}
        elif item is op.RANGE:
            chars |= frozenset(range(detail[0], detail[1] + 1))
        else:
            chars |= CATEGORIES[detail]
    if ignore_case:
        chars |= frozenset(bytes(chars).lower() + bytes(chars).upper())
    return ANY - chars if negated or code is op.NOT_LITERAL else chars


def behind(path: list[Atom], keyword: bytes) -> tuple[list[Atom], bool] | None:
    """Returns the atoms behind a keyword and whether it begins a word; None where the path need not hold it."""
    for start in range(len(path) - len(keyword) + 1):
        atoms = path[start : start + len(keyword)]
        if all(
            atom.required and byte in atom.chars and atom.chars <= {byte, ord(chr(byte).swapcase())}
            for atom, byte in zip(atoms, keyword)
        ):
            return path[start + len(keyword) :], bool(start) and not path[start - 1].chars
    return None


def run(atoms: list[Atom], chars: frozenset[int]) -> int:
    """Returns how many bytes of these a list of atoms begins with at least."""
    length = 0
    for atom in atoms:
        if not atom.chars <= chars:
            break
        length += atom.required and bool(atom.chars)
    return length


def credential(atoms: list[Atom]) -> tuple[int, bytes]:
    """Returns how long a credential behind a gap is at least, and the signs of which one must stand in the gap."""
    gap = 0
    while gap < len(atoms) and atoms[gap].chars <= GAP:
        gap += 1
    signs = [atom.chars for atom in atoms[:gap] if atom.required and atom.chars and not atom.chars & SPACES]
    return run(atoms[gap:], TOKEN | {ord(":")}), bytes(sorted(signs[0])) if signs else b""


def sequence(keyword: bytes, atoms: list[Atom]) -> tuple[tuple[bytes, ...], bytes | None]:
    """Returns the next literals behind a keyword, in order, and what parts the texts in which they stand: None for spaces."""
    literals: list[bytes] = []
    scope, skipped = frozenset(keyword), frozenset[int]()
    is_next = True
    for atom in atoms:
        if atom.required and len(atom.chars) == 1:
            if is_next and len(literals) == MOST_LITERALS:
                break
            if is_next:
                literals.append(b"")
            literals[-1] += bytes(atom.chars)
            scope, skipped, is_next = scope | skipped | atom.chars, frozenset(), False
        elif atom.chars:
            skipped, is_next = skipped | atom.chars, True
    return tuple(literals), None if not scope & SPACES else b"\n" if ord("\n") not in scope else b""


def conditions() -> Conditions:
    """Returns what the first check looks for. Raises ValueError where a match of a rule need not hold one of its keywords."""
    collected = Conditions({}, set(), {}, {}, [], [], [], set())
    for rule in rules():
        keywords = [keyword.encode() for keyword in rule.get("keywords", ())]
        tree = parser.parse(rule["regex"].encode())
        ignore_case = rule["regex"].startswith("(?i)")
        used = set()
        collected.parts.extend([tuple(rule["parts"])] if "parts" in rule else [])
        for path in paths(tree, ignore_case, False) if keywords else []:
            keyword = next((word for word in keywords if behind(path, word)), b"")
            if not keyword:
                raise ValueError(f"{rule['id']}: a match need not hold one of its keywords")
            if keyword not in used and ignore_case:
                add_in_any_case(
                    collected, keyword, [end[0] for path in paths(tree, True, True) if (end := behind(path, keyword))]
                )
            elif not ignore_case:
                add(collected, keyword, path)
            used.add(keyword)
        if len(used) < len(keywords):
            raise ValueError(f"{rule['id']}: no match holds {sorted(set(keywords) - used)}")
    return collected


def add(collected: Conditions, keyword: bytes, path: list[Atom]) -> None:
    """Adds the condition under which a list of atoms may match: characters of a token behind its keyword, or a sequence."""
    atoms, begins_word = behind(path, keyword) or ([], False)
    length = run(atoms, TOKEN)
    if length < LEAST_TOKEN:
        known = {word for word, *_ in collected.sequences}
        if begins_word and (keyword not in known or keyword in collected.beginning):
            collected.beginning.add(keyword)
        elif not begins_word:
            collected.beginning.discard(keyword)
        if (keyword, *sequence(keyword, atoms)) not in collected.sequences:
            collected.sequences.append((keyword, *sequence(keyword, atoms)))
        return
    collected.tokens[keyword] = min(length, collected.tokens.get(keyword, length))
    if not begins_word:
        collected.inside.add(keyword)
        collected.solid[keyword] = min(run(atoms, LETTERS), collected.solid.get(keyword, length))


def add_in_any_case(collected: Conditions, keyword: bytes, ends: list[list[Atom]]) -> None:
    """Adds the condition for a keyword in any case, of which `ends` are all the lists of atoms that may follow it."""
    lengths, signs = zip(*[credential(atoms) for atoms in ends])
    if min(lengths) >= LEAST_CREDENTIAL:
        collected.credentials[keyword] = min(lengths), bytes(sorted(set(b"".join(signs)))) if all(signs) else b""
        return
    for atoms in ends:
        lower = [Atom(frozenset(bytes(atom.chars).lower()), atom.required) for atom in atoms]
        if (row := (keyword, *sequence(keyword, lower))) not in collected.low_sequences:
            collected.low_sequences.append(row)


def patterns_text() -> str:
    """Returns the source of memcli/screening/patterns.py."""
    text = PATTERNS_HEAD
    for rule in rules():
        words = row_text([keyword.encode() for keyword in rule.get("keywords", ["."] if "parts" in rule else [])])
        row = [quoted(rule["id"]), quoted(rule["tags"][0]), quoted(needed(rule)), words, quoted(bounded(rule))]
        text += f"    ({', '.join(row)}),\n"
    return text + ")\n"


def bounded(rule: dict[str, Any]) -> str:
    """Returns the regex of a rule, for which an underscore parts words around a token, as in emphasis and in names."""
    regex: str = rule["regex"]
    return regex.replace(r"\b", r"(?:\b|_)") if rule["tags"] == ["token"] else regex


def needed(rule: dict[str, Any]) -> str:
    """Returns the id of the rule that must have matched in the same text, "" for none."""
    return str(rule["required"][0]["id"]) if "required" in rule else ""


def quoted(text: str) -> str:
    """Returns a string literal in double quotes."""
    if '"' not in text:
        return f'r"{text}"' if "\\" in text else f'"{text}"'
    return "r" + "'''" + text + "'''"


def head_of(keyword: bytes, begins_word: bool) -> bytes:
    """Returns the first word of a keyword, or its first bytes where it goes on behind it: by this the first look knows it.

    Nothing where that is too short, or where the keyword may stand inside a word.
    """
    start = next((at for at, byte in enumerate(keyword) if byte in LETTERS), len(keyword))
    end = next((at for at in range(start, len(keyword)) if keyword[at] not in LETTERS), len(keyword))
    if not (start or begins_word):
        return b""
    word = keyword[start:end]
    return word if end < len(keyword) else next((word[:size] for size in HEADS if len(word) >= size), b"")


def with_keywords(source: str) -> str:
    """Returns the source of memcli/screening/first_look.py with its part about keywords made anew."""
    collected = conditions()
    listed: dict[bytes, tuple[list[Any], list[Any]]] = {}
    inside: list[tuple[bytes, int, bool]] = []
    for word, least in collected.tokens.items():
        begins = word not in collected.inside
        is_long = collected.solid.get(word, 0) >= LEAST_INSIDE
        if is_long and word[:1].isalnum():
            inside.append((word, least, begins))
        listed.setdefault(head_of(word, begins or is_long), ([], []))[0].append((word, least, begins))
    for word, literals, end in widest(collected.sequences):
        listed.setdefault(head_of(word, word in collected.beginning), ([], []))[1].append((word, literals, end))
    others = listed.pop(b"", ([], []))
    token, row = "tuple[bytes, int, bool]", "tuple[bytes, tuple[bytes, ...], bytes | None]"
    credentials = [f"{quoted_bytes(word)}: {row_text(value)}," for word, value in collected.credentials.items()]
    blocks = (
        "# A token: its keyword, how many characters follow it at least, whether it begins a word. A sequence: its keyword,",
        "# literals that follow in this order, what ends the text that holds them: None for a space, nothing for no end.",
        "# A word or its first bytes -> the tokens and sequences of which the keyword has that word first.",
        f"_HEADS: dict[bytes, tuple[tuple[{token}, ...], tuple[{row}, ...]]] = "
        f"{{\n{filled([f'{quoted_bytes(head)}: {row_text(rows)},' for head, rows in sorted(listed.items())])}}}",
        "# Those that have no such word.",
        f"_TOKENS: tuple[{token}, ...] = (\n{filled([f'{row_text(row)},' for row in others[0]])})",
        "# Those that may stand inside a word, too, before a long run of letters and digits.",
        f"_INSIDE: tuple[{token}, ...] = (\n{filled([f'{row_text(row)},' for row in inside])})",
        f"_SEQUENCES: tuple[{row}, ...] = (\n{filled([f'{row_text(row)},' for row in others[1]])})",
        "# Keyword in lower case -> (characters that follow it behind spaces and signs, the signs of which one must be there).",
        f"_CREDENTIALS = {{\n{filled(credentials)}}}",
        "# Sequences in lower case.",
        f"_LOW_SEQUENCES: tuple[{row}, ...] = (\n{filled([f'{row_text(row)},' for row in widest(collected.low_sequences)])})",
        "# Bytes that parts of a word with dots have at least.",
        f"_PARTS = {row_text(collected.parts)}",
        f"_SHORTEST_PARTS = {min(map(sum, collected.parts))}",
    )
    made_text = "".join(f"{block}\n" for block in blocks)
    head, _, rest = source.partition(BEGIN)
    return f"{head}{BEGIN}# fmt: off\n{made_text}# fmt: on\n{END}{rest.partition(END)[2]}"


def widest(sequences: list[Sequence]) -> list[Sequence]:
    """Returns the sequences without those that ask for more than another one, few for a keyword."""
    words = dict.fromkeys([sequence[0] for sequence in sequences])
    rows = [row for word in words for row in few([sequence for sequence in sequences if sequence[0] == word])]
    return [
        row
        for row in rows
        if not any(
            row != other and row[0] == other[0] and (row[2] == other[2] or not other[1]) and row[1][: len(other[1])] == other[1]
            for other in rows
        )
    ]


def few(rows: list[Sequence]) -> list[Sequence]:
    """Returns the sequences of a keyword, or one of what they have in common where they are many."""
    if len(rows) <= MOST_SEQUENCES:
        return rows
    common = [literal for literal in rows[0][1] if all(literal in row[1] for row in rows)][-1:]
    ends = {row[2] for row in rows}
    return [(rows[0][0], tuple(common), b"" if b"" in ends else b"\n" if b"\n" in ends else None)]


def row_text(row: Any) -> str:
    """Returns the source of a tuple of bytes, numbers and tuples, in double quotes."""
    if isinstance(row, (tuple, list)):
        return f"({', '.join(map(row_text, row))}{',' * (len(row) == 1)})"
    return quoted_bytes(row) if isinstance(row, bytes) else repr(row)


def quoted_bytes(raw: bytes) -> str:
    """Returns a bytes literal in double quotes, or in single ones where it holds double ones."""
    return repr(raw) if b'"' in raw else f'b"{repr(raw)[2:-1]}"'


def filled(words: list[str]) -> str:
    """Returns indented lines, long ones: a table of some hundred keywords is nothing to read line by line."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > LINE:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "".join(f"    {line}\n" for line in lines)


def with_formats(text: str) -> str:
    """Returns docs/privacy.md with its table of formats made anew."""
    formats: dict[str, str] = {}
    for rule in rules():
        if rule["tags"] == ["token"]:
            formats.setdefault(rule["id"], rule["description"])
    rows = "".join(f"| `{name}` | {description} |\n" for name, description in formats.items())
    head, _, rest = text.partition(TABLE_BEGIN)
    return f"{head}{TABLE_BEGIN}\n\n| rule | format |\n| --- | --- |\n{rows}\n{TABLE_END}{rest.partition(TABLE_END)[2]}"
