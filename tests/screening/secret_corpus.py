"""A corpus of texts with generated secrets and of texts that only look like it, to measure memcli/screening.

No value in it was ever in use: each is drawn when the corpus is made, by the templates of secret_kinds.txt. Kinds are dealt into
two halves by the hash of their name: rules are tuned on the half "tuning", the half "test" is only measured. What
was found to pass later, and was mended, is all of the half "tuning" (secret_kinds_tuned.txt).
"""

from __future__ import annotations

import base64
import json
import random
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LOWER, UPPER, DIGITS = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
ALPHABETS = {
    "A": UPPER + LOWER + DIGITS,
    "L": LOWER + DIGITS,
    "U": UPPER + DIGITS,
    "H": "0123456789abcdef",
    "X": "0123456789ABCDEF",
    "D": DIGITS,
    "C": UPPER + LOWER,
    "W": UPPER + LOWER + DIGITS + "-_",
    "B": UPPER + LOWER + DIGITS + "+/",
    "T": UPPER + "234567",
    "Q": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
}
WORDS = """sunshine orchard meadow thunder velvet marble lantern harbor copper walnut winter falcon pepper saddle ticket
canyon ribbon magnet puzzle anchor basket candle dragon engine forest garden hammer island jacket kettle ladder mirror needle
orange parrot quarry rocket silver temple urchin violin wagon yellow zephyr bridge castle desert ember flame glacier""".split()
SERVICES = "acme billing shop crm mailer payments search metrics deploy staging".split()
# What is encoded in base64.
ENCODED = {
    "AUTH": "ci-{SERVICE}:{PASS}",
    "KEY64": "-----BEGIN RSA PRIVATE KEY-----\n{B64}\n{B64}\n",
    "B64PASS": "{PASS}",
    "B64URL": "postgres://app:{PASS}@db:5432/x",
    "B64GH": "ghp_{A36}",
    "B64AWS": "AKIA{T16}",
    "B64ENV": "DEBUG=1\nAPI_TOKEN={A32}\n",
}
WAYS = """zero width, joiner, soft hyphen, colour, written colour, wrapped, wrapped in a quotation, continued, plus, dot, beside,
lines, plus and lines""".replace("\n", " ").split(", ")
PLACE = re.compile(r"\{(" + "|".join([*ENCODED, "JWT", "SEED", "UUID", "WORD", "SERVICE", "PASS", r"[A-Z]\d+"]) + r")\}")


class Sample(NamedTuple):
    """A text of the corpus: `secret` stands in it, "" in one that only looks like it."""

    group: str
    kind: str
    half: str
    text: str
    secret: str


def parted(secret: str, way: str, at: int) -> str:
    """Returns a text in which a secret stands in two pieces, the second from its character `at` on."""
    first, second = secret[:at], secret[at:]
    return {
        "zero width": f"use {first}\u200b{second} now",
        "joiner": f"use {first}\u2060{second} now",
        "soft hyphen": f"use {first}\u00ad{second} now",
        "colour": f"use {first}\x1b[1;31m{second}\x1b[0m now",
        "written colour": f"use {first}\\u001b[0m{second} now",
        "wrapped": f"the job at night deploys with {first}\n{second} and more",
        "wrapped in a quotation": f"> the job at night deploys with {first}\n> {second} and more",
        "continued": f"deploy --region eu --value {first}\\\n{second} --now",
        "plus": f'x = "{first}" + "{second}"',
        "dot": f"$x = '{first}' . '{second}';",
        "beside": f"x = ('{first}' '{second}')",
        "lines": f'x = (\n    "{first}"\n    "{second}"\n)',
        "plus and lines": f'const x = "{first}" +\n  "{second}";',
    }[way]


def kinds(file: str = "secret_kinds.txt") -> dict[str, list[str]]:
    """Returns the lines of a file of kinds by the heading above them."""
    sections: dict[str, list[str]] = {}
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            sections[line[3:]] = lines = []
        elif line and sections:
            lines.append(line.replace("⏎", "\n").replace("␛", "\x1b").replace("⇥", "\t").replace("␍", "\r"))
    return sections


def filled(template: str, rng: random.Random) -> str:
    """Returns a template with its places drawn."""
    return PLACE.sub(lambda place: drawn(place[1], rng), template)


def drawn(name: str, rng: random.Random) -> str:
    """Returns what stands for the name of a place: `A36`, `UUID`, `PASS`."""
    if name in ENCODED:
        return base64.b64encode(filled(ENCODED[name], rng).encode()).decode()
    if name == "JWT":
        return filled("eyJ{A33}.eyJ{A40}.{W43}", rng)
    if name == "SEED":
        return " ".join(rng.sample(WORDS, 12))
    if name == "UUID":
        return filled("{H8}-{H4}-{H4}-{H4}-{H12}", rng)
    if name in ("WORD", "SERVICE"):
        return rng.choice(WORDS if name == "WORD" else SERVICES)
    return password(rng) if name == "PASS" else "".join(rng.choices(ALPHABETS[name[0]], k=int(name[1:])))


def password(rng: random.Random) -> str:
    """Returns a password of a person: a word with digits or signs, or random characters."""
    word, other = rng.choice(WORDS), rng.choice(WORDS)
    characters = "".join(rng.choices(ALPHABETS["A"], k=11)) + rng.choice(DIGITS)
    forms = (
        f"{word.title()}{rng.randint(10, 9999)}!",
        f"{word}{rng.randint(10, 999)}",
        characters,
        f"{word}#{other}{rng.randint(1, 99)}",
        f"{word[:4].title()}$3cr3t{rng.randint(10, 99)}",
        f"{characters[:5]}@{characters[5:]}",
    )
    return rng.choice(forms)


def half_of(name: str) -> str:
    """Returns the half that a kind belongs to."""
    return ("tuning", "test")[zlib.crc32(name.encode()) % 2]


def samples(count: int = 4) -> list[Sample]:
    """Returns the corpus: formats in every place, `count` of each other kind, and look-alikes."""
    sections = kinds()
    made = list(_formats(sections["formats"], sections["places"]))
    for group in ("named values", "passwords", "others"):
        made += _planted(group, sections[group], count)
    made += _in_pieces(sections["formats"])
    texts = list(sections["look-alikes"])
    for number in range(count):
        texts += [filled(template, random.Random(f"{number} {template}")) for template in sections["look-alikes to draw"]]
    return made + [Sample("look-alikes", text[:40], half_of(text), text, "") for text in dict.fromkeys(texts)]


def tuned(count: int = 4) -> list[Sample]:
    """Returns what rules were made for after a corpus that was held out until then had shown what passes."""
    sections = kinds("secret_kinds_tuned.txt")
    made = [sample for group in ("named values", "passwords") for sample in _planted(group, sections[group], count)]
    made += [Sample("look-alikes", text[:40], "", text, "") for text in sections["look-alikes"]]
    return [sample._replace(half="tuning") for sample in made]


def held_out(count: int = 4) -> list[Sample]:
    """Returns a second corpus, which was written after the rules and which they were not changed for."""
    sections = kinds("secret_kinds_held_out.txt")
    made = [sample for group in ("named values", "passwords") for sample in _planted(f"held out {group}", sections[group], count)]
    return made + [Sample("held out look-alikes", text[:40], half_of(text), text, "") for text in sections["look-alikes"]]


def later(count: int = 4, rows: int = 30) -> list[Sample]:
    """Returns a third corpus, with tables in it: of it only the figures were looked at while rules for its kinds were made."""
    sections = kinds("secret_kinds_later.txt")
    made = [sample for group in ("named values", "passwords") for sample in _planted(f"later {group}", sections[group], count)]
    return made + _of_tables("later rows", "secret_kinds_later.txt", rows)


def outputs(count: int = 4) -> list[Sample]:
    """Returns secrets where programs, files and people put them: rules were made for what it showed."""
    return [sample._replace(half="tuning") for sample in _of_kinds("", "secret_kinds_outputs.txt", count)]


def unseen(count: int = 4) -> list[Sample]:
    """Returns another such corpus, written with it, of which only the figures were looked at."""
    return _of_kinds("unseen ", "secret_kinds_unseen.txt", count)


def notes(count: int = 4) -> list[Sample]:
    """Returns passwords as people write them down: of the half that is not "tuning" only the figures were looked at."""
    return _of_kinds("notes ", "secret_kinds_notes.txt", count)


def situations(count: int = 4) -> list[Sample]:
    """Returns passwords of situations in which people write them down, halved as `notes` are."""
    return _of_kinds("situations ", "secret_kinds_situations.txt", count)


def _of_kinds(prefix: str, file: str, count: int) -> list[Sample]:
    sections = kinds(file)
    made = [sample._replace(group=f"{prefix}formats") for sample in _formats(kinds()["formats"], sections.get("places", []))]
    made += [sample for group in ("named values", "passwords") for sample in _planted(prefix + group, sections[group], count)]
    texts = [filled(template, random.Random(template)) for template in sections["look-alikes"]]
    return made + [Sample(f"{prefix}look-alikes", text[:40], half_of(text), text, "") for text in texts]


def tables_tuned(rows: int = 30) -> list[Sample]:
    """Returns tables, lists and forms that rules were made for after they had passed: a sample for each row."""
    return [sample._replace(half="tuning") for sample in _of_tables("rows", "secret_tables_tuned.txt", rows)]


def tables_held_out(rows: int = 30) -> list[Sample]:
    """Returns tables, lists and forms that rules were not changed for: a sample for each row, with the whole as its text."""
    return _of_tables("held out rows", "secret_tables_held_out.txt", rows)


def _of_tables(group: str, file: str, rows: int) -> list[Sample]:
    sections = kinds(file)
    made = []
    for line in sections["tables"]:
        kind, _, template = line.partition(": ")
        head, row, tail = template.split("§")
        rng = random.Random(kind)
        place = "{A40}" if "{A40}" in row else "{PASS}"
        secrets = [drawn(place[1:-1], rng) for _ in range(rows)]
        lines = [row.replace("{n}", str(number)).replace(place, secret) for number, secret in enumerate(secrets, 10)]
        made += [Sample(group, kind, half_of(kind), head + "".join(lines) + tail, secret) for secret in secrets]
    others = group.replace("rows", "look-alikes")
    return made + [Sample(others, text[:40], half_of(text), text, "") for text in sections["look-alikes"]]


def _formats(formats: list[str], places: list[str]) -> Iterator[Sample]:
    for line in formats:
        kind, _, template = line.partition(": ")
        for row in places:
            place, _, text = row.partition(": ")
            secret = filled(template, random.Random(f"{kind} {place}"))
            yield Sample("formats", f"{kind} · {place}", half_of(kind), text.replace("§", secret), secret)


def _in_pieces(formats: list[str]) -> Iterator[Sample]:
    for number, line in enumerate(formats):
        kind, _, template = line.partition(": ")
        for way in WAYS[number % 3 :: 3]:
            rng = random.Random(f"{kind} {way}")
            secret = filled(template, rng)
            text = parted(secret, way, rng.randint(4, len(secret) - 8))
            yield Sample("formats in pieces", f"{kind} · {way}", half_of(kind), text, secret)


def _planted(group: str, lines: list[str], count: int) -> Iterator[Sample]:
    for line in lines:
        kind, _, template = line.partition(": ")
        for number in range(count):
            before, _, rest = filled(template, random.Random(f"{group} {kind} {number}")).partition("»")
            secret, _, after = rest.partition("«")
            yield Sample(group, kind, half_of(kind), before + secret + after, secret)


def is_left(masked: str, secret: str) -> bool:
    """Tells whether two thirds of a secret can be read in a text, as it is or with its line breaks and quotes escaped."""
    size = max(4, -(-len(secret) * 2 // 3))
    forms = {secret, json.dumps(secret)[1:-1]}
    return any(form[start : start + size] in masked for form in forms for start in range(len(form) - size + 1))
