#!/usr/bin/env python3
"""Writes memcli/screening/gitleaks_rules.toml: the published formats of a rule set of gitleaks that secret_rules.toml has not.

    python scripts/update_secret_rules.py gitleaks.toml VERSION && python scripts/generate.py

A rule is taken where its regex tells a secret by its own beginning; values that only a name gives away are found by
memcli/screening/assigned.py. A regex is written anew in the plain form that scripts/_secret_rules.py reads: no flags, one group,
a boundary of words before it and none behind it.
"""

from __future__ import annotations

import random
import re
import re._constants as op  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import sys
import tomllib
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import re2

from scripts._secret_rules import RULES, TAKEN, behind, charset, paths

HEAD = """# Published formats of secrets, taken from the rules of gitleaks {version} (MIT, Copyright (c) 2019 Zachary Rice;
# LICENSES/MIT-gitleaks.txt). Made by scripts/update_secret_rules.py: only formats that secret_rules.toml has not.

title = "Formats taken from gitleaks"
"""
NAMED = r"[\w.-]{0,50}?"  # how gitleaks begins a rule for a value that a name gives away
# Left out, and why.
LEFT = {
    "aws-amazon-bedrock-api-key-short-lived": "no token behind it",
    "curl-auth-header": "authorization",
    "curl-auth-user": "url-password",
    "facebook-access-token": "no beginning of its own",
    "flutterwave-public-key": "public",
    "freemius-secret-key": "assigned.py",
    "generic-api-key": "assigned.py",
    "jwt-base64": "jwt",
    "kubernetes-secret-yaml": "encoded.py",
    "nuget-config-password": "assigned.py",
    "pkcs12-file": "no text",
    "private-key": "private-key",
    "sidekiq-sensitive-url": "url-password",
    "slack-app-token": "slack-token",
    "slack-config-access-token": "slack-token",
    "slack-legacy-token": "slack-token",
    "slack-legacy-workspace-token": "slack-token",
    "slack-webhook-url": "slack-webhook",
    "sourcegraph-access-token": "sourcegraph-token",
}
INTRODUCTION = re.compile(
    r"^(?:(?:Detected|Identified|Found|Uncovered|Discovered) (?:an?)?|An?)\s+(?:possible |potential |pattern that may indicate )?"
)
SAMPLES = 20
LEAST = 16  # characters of a token


def scoped(regex: str) -> str:
    """Returns a regex of Go as Python reads it: flags in its midst hold to the end of their group."""
    regex = regex.replace(r"\x60", "`").replace(r"\z", "$").replace("[[:alnum:]]", "[A-Za-z0-9]").replace("(?P<", "(?<")
    regex = re.sub(r"\(\?<\w+>", "(?:", regex)
    while (at := regex.find("(?i)", 1)) > 0:
        depth, end = 0, at + 4
        while end < len(regex) and depth >= 0:
            if regex[end] == "\\":
                end += 1
            elif regex[end] in "()":
                depth += 1 if regex[end] == "(" else -1
            end += 1
        end -= depth < 0
        regex = f"{regex[:at]}(?i:{regex[at + 4 : end]}){regex[end:]}"
    return regex


def written(tokens: Any, ignore_case: bool) -> str:
    """Returns a parsed regex in the plain form: classes have both cases where case is ignored, literals are as they were."""
    text = ""
    for code, value in tokens:
        if code is op.LITERAL:
            text += re.escape(chr(value)) if chr(value) not in "-~/@=%#&_:<>,;\"'` " else chr(value)
        elif code is op.IN:
            text += class_text(charset(code, value, ignore_case))
        elif code is op.ANY:
            text += "."
        elif code is op.SUBPATTERN:
            _, added, removed, inner = value
            text += f"(?:{written(inner, (ignore_case or bool(added & re.I.value)) and not removed & re.I.value)})"
        elif code is op.BRANCH:
            text += f"(?:{'|'.join(written(branch, ignore_case) for branch in value[1])})"
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, inner = value
            times = "?" if (least, most) == (0, 1) else f"{{{least},{'' if most is op.MAXREPEAT or most > 99 else most}}}"
            times = f"{{{least}}}" if least == most else times
            one = written(inner, ignore_case)
            text += (one if len(inner) == 1 and inner[0][0] in (op.LITERAL, op.IN, op.SUBPATTERN) else f"(?:{one})") + times
        elif code is not op.AT:
            raise ValueError(f"cannot read {code}")
    return text


def class_text(chars: frozenset[int]) -> str:
    """Returns a class of characters."""
    text, codes = "", sorted(chars)
    while codes:
        last = next(n for n in range(len(codes)) if n + 1 == len(codes) or codes[n + 1] != codes[n] + 1)
        ends = [re.escape(chr(codes[0])), re.escape(chr(codes[last]))]
        text += "-".join(ends) if last > 1 else "".join(re.escape(chr(code)) for code in codes[: last + 1])
        del codes[: last + 1]
    return f"[{text}]"


def secret_of(tokens: Any) -> Any:
    """Returns the part of a parsed regex that is the secret: its first group, else what is between its boundaries."""
    for code, value in tokens:
        if code is op.SUBPATTERN and value[0] is not None:
            return value[3]
    return tokens


def drawn(path: Any, rng: random.Random) -> bytes:
    """Returns bytes that a list of atoms matches."""
    return bytes([rng.choice(sorted(atom.chars)) for atom in path if atom.required and atom.chars])


def keyword_of(path: Any) -> str:
    """Returns the longest literal that a list of atoms holds."""
    words, word = [], ""
    for atom in path:
        single = atom.required and len(atom.chars) == 1
        word = word + chr(min(atom.chars)) if single else ""
        words.append(word)
    return max(words, key=len)


def taken(rule: dict[str, Any], known: list[Any], rng: random.Random) -> str:
    """Returns a rule of gitleaks as an entry of the file, "" for one that is not needed. Raises ValueError."""
    regex = rule.get("regex", "")
    if NAMED in regex or rule["id"] in LEFT:
        return ""
    tree = parser.parse(scoped(regex))
    plain = written(secret_of(tree), bool(tree.state.flags & re.I.value))
    lists = paths(parser.parse(plain.encode()), False, False)
    examples = [drawn(path, rng) for path in lists for _ in range(SAMPLES)]
    if all(any(pattern.search(b" " + example + b" ") for pattern in known) for example in examples):
        return ""
    keywords: list[str] = []
    for path in lists:
        if not any(behind(path, keyword.encode()) for keyword in keywords):
            keywords.append(keyword_of(path))
    if min(map(len, keywords)) < 2 or any(len(example) < LEAST for example in examples):
        raise ValueError("no beginning of its own, or too short")
    begins = (
        r"\b"
        if all(path[0].chars <= frozenset(b"_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") for path in lists)
        else ""
    )
    described = rule["description"].partition(",")[0].rstrip(".")
    described = INTRODUCTION.sub("", described)
    known.append(re2.compile(f"{begins}({plain})".encode()))
    return (
        (
            f"\n[[rules]]\nid = {rule['id']!r}\ndescription = {described!r}\nregex = '''{begins}({plain})'''\n"
            f"keywords = {keywords!r}\ntags = ['token']\n"
        )
        .replace("'", '"')
        .replace('"""', "'''")
    )


def main(path: str, version: str) -> int:
    """Writes the file, and prints which rules could not be read. Returns 1 where there are such."""
    own = tomllib.loads(RULES.read_text(encoding="utf-8"))["rules"]
    known = [re2.compile(rule["regex"].encode()) for rule in own if rule["tags"] == ["token"]]
    text, bad = HEAD.format(version=version), 0
    rng = random.Random(version)
    for rule in tomllib.loads(Path(path).read_text(encoding="utf-8"))["rules"]:
        try:
            text += taken(rule, known, rng)
        except ValueError as error:
            bad += 1
            print(f"{rule['id']}: {error}")
    TAKEN.write_text(text, encoding="utf-8")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
