"""What is made of memcli/text/secret_rules.toml: the patterns, the keywords of the first check, the table in docs/privacy.md.

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
RULES = ROOT / "memcli/text/secret_rules.toml"
BEGIN, END = "# Made from secret_rules.toml by scripts/generate.py.\n", "# End of what is made.\n"
TABLE_BEGIN, TABLE_END = "<!-- formats: made by scripts/generate.py -->", "<!-- end of formats -->"
PATTERNS_HEAD = '''"""The rules of secret_rules.toml for secret_rules.py: to parse that file takes longer than all else it does.

Made by scripts/generate.py.
"""

# (id, check, the rule that must have matched in the same text, regex)
RULES: tuple[tuple[str, str, str, str], ...] = (
'''
TAGS = {"token", "block", "credential", "password", "bare"}

TOKEN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.~+/=%")
GAP = frozenset(b" \t\n\r\f\v\"'`:=\\")
SPACES = frozenset(b" \t\n\r\f\v")
LEAST_TOKEN = 10  # characters behind a keyword that say enough
LEAST_CREDENTIAL = 5
MOST_LITERALS = 2  # of a sequence
FEW = 5  # characters of a class that are read as so many alternatives
ANY = frozenset(range(256))
CHARACTERS = (op.LITERAL, op.NOT_LITERAL, op.IN)
CATEGORIES = {op.CATEGORY_DIGIT: frozenset(b"0123456789"), op.CATEGORY_SPACE: frozenset(b" \t\n\f\r")}  # as RE2 reads them


class Atom(NamedTuple):
    """A place in a regex. At a boundary of words (`\\b`), which takes no byte, `chars` is empty."""

    chars: frozenset[int]
    required: bool


class Conditions(NamedTuple):
    """What the first check looks for."""

    tokens: dict[bytes, int]  # keyword -> characters of a token that follow at least
    inside: set[bytes]  # keywords of `tokens` that may stand behind a letter or digit
    credentials: dict[bytes, tuple[int, bytes]]  # -> the same, and the signs of which one must stand before the credential
    sequences: list[tuple[bytes, tuple[bytes, ...], bytes | None]]  # keyword, literals behind it, what separates the texts


def rules() -> list[dict[str, Any]]:
    """Returns the rules as the file has them. Raises ValueError for one with an unknown tag."""
    listed: list[dict[str, Any]] = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
    for rule in listed:
        if len(rule["tags"]) != 1 or not TAGS.issuperset(rule["tags"]) or ("keywords" in rule) == ("required" in rule):
            raise ValueError(f"{rule['id']}: needs one tag of {sorted(TAGS)}, and either keywords or a required rule")
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
            atom.required and atom.chars and atom.chars <= {byte, ord(chr(byte).swapcase())} for atom, byte in zip(atoms, keyword)
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
    collected = Conditions({}, set(), {}, [])
    for rule in rules():
        keywords = [keyword.encode() for keyword in rule.get("keywords", ())]
        tree = parser.parse(rule["regex"].encode())
        ignore_case = rule["regex"].startswith("(?i)")
        used = set()
        for path in paths(tree, ignore_case, False) if keywords else []:
            keyword = next((word for word in keywords if behind(path, word)), b"")
            if not keyword:
                raise ValueError(f"{rule['id']}: a match need not hold one of its keywords")
            if keyword not in used and ignore_case:
                add_credential(collected, keyword, [end[0] for path in paths(tree, True, True) if (end := behind(path, keyword))])
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
        if (keyword, *sequence(keyword, atoms)) not in collected.sequences:
            collected.sequences.append((keyword, *sequence(keyword, atoms)))
        return
    collected.tokens[keyword] = min(length, collected.tokens.get(keyword, length))
    if not begins_word:
        collected.inside.add(keyword)


def add_credential(collected: Conditions, keyword: bytes, ends: list[list[Atom]]) -> None:
    """Adds the condition for a keyword in any case, of which `ends` are all the lists of atoms that may follow it."""
    lengths, signs = zip(*[credential(atoms) for atoms in ends])
    if min(lengths) < LEAST_CREDENTIAL:
        raise ValueError(f"{keyword!r}: too little follows it to be looked for in any case")
    collected.credentials[keyword] = min(lengths), bytes(sorted(set(b"".join(signs)))) if all(signs) else b""


def shortest(tokens: dict[bytes, int]) -> dict[bytes, int]:
    """Returns the keywords without those that begin with another one that asks for no more."""
    return {
        word: least
        for word, least in tokens.items()
        if not any(word != head and word.startswith(head) and len(head) + tokens[head] <= len(word) + least for head in tokens)
    }


def patterns_text() -> str:
    """Returns the source of memcli/text/secret_patterns.py."""
    rows = [(rule["id"], rule["tags"][0], needed(rule), rule["regex"]) for rule in rules()]
    return PATTERNS_HEAD + "".join(f"    ({', '.join(map(quoted, row))}),\n" for row in rows) + ")\n"


def needed(rule: dict[str, Any]) -> str:
    """Returns the id of the rule that must have matched in the same text, "" for none."""
    return str(rule["required"][0]["id"]) if "required" in rule else ""


def quoted(text: str) -> str:
    """Returns a string literal in double quotes."""
    if '"' not in text:
        return f'r"{text}"' if "\\" in text else f'"{text}"'
    return "r" + "'''" + text + "'''"


def with_keywords(source: str) -> str:
    """Returns the source of memcli/text/screening.py with its part about keywords made anew."""
    collected = conditions()
    tokens = shortest(collected.tokens)
    inside = sorted(collected.inside & tokens.keys())
    if any(keyword in collected.inside for keyword in collected.tokens.keys() - tokens.keys()):
        raise ValueError("a keyword that may stand inside a word is covered by one that may not")
    sequences = "".join(f"    {row!r},\n" for row in collected.sequences)
    blocks = (
        "# Keyword -> how many characters of a token follow it at least.",
        f"_TOKENS = {{\n{filled([f'{word!r}: {least},' for word, least in tokens.items()])}}}",
        f"_INSIDE = frozenset((\n{filled([f'{word!r},' for word in inside])}))  # may stand behind a letter or digit",
        f"_SHORTEST = {min(len(word) + least for word, least in tokens.items())}  # bytes of a keyword and its token",
        "# Keyword in lower case -> (the same behind spaces and signs, the signs of which one must be there).",
        f"_CREDENTIALS = {collected.credentials!r}",
        "# Keyword, literals that follow in this order, what ends the texts that hold them: None for spaces, nothing for no end.",
        f"_SEQUENCES: tuple[tuple[bytes, tuple[bytes, ...], bytes | None], ...] = (\n{sequences})",
    )
    made_text = "".join(f"{block}\n" for block in blocks).replace("'", '"')
    head, _, tail = source.partition(BEGIN)
    return f"{head}{BEGIN}# fmt: off\n{made_text}# fmt: on\n{END}{tail.partition(END)[2]}"


def filled(words: list[str]) -> str:
    """Returns indented lines of at most 128 characters."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 123:
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
    head, _, tail = text.partition(TABLE_BEGIN)
    return f"{head}{TABLE_BEGIN}\n\n| rule | format |\n| --- | --- |\n{rows}\n{TABLE_END}{tail.partition(TABLE_END)[2]}"
