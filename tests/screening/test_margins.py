"""Secrets behind what tools put before lines, in other languages, and in calls; and how a text without them leads back."""

from __future__ import annotations

import random
from bisect import bisect_right

import pytest

from memcli.screening import mask
from memcli.screening.first_look import keywords_of
from memcli.screening.margins import without_margins

SECRET = "Harbor!" + "maple4711"
MASKED = "[secret: password]"
PLACES = {
    "an added line": "@@ -1,2 +1,3 @@\n HOST=db\n+DB_PASSWORD={}\n PORT=1",
    "a removed line": "-  password: {}\n+  password: ${{DB_PASSWORD}}",
    "numbers of cat": "     1\tHOST=db\n     2\tDB_PASSWORD={}",
    "numbers of an editor": "12→password: {}",
    "a hit of grep": "src/conf.py:12:PASSWORD = '{}'",
    "git blame": "3f2a1b9c (Ann Lee 2026-01-04 10:22:11 +0100 7) password: {}",
    "German": "Kennwort der Datenbank: {}",
    "French": "mot_de_passe = '{}'",
    "Spanish": "CONTRASEÑA={}",
    "Chinese": "数据库密码：{}",
    "a list that is filled": "passwords = []\npasswords.append('{}')",
    "a mapping that is filled": 'passwords["ann"] = "{}"',
    "a call for a list": 'passwords = append(passwords, "{}")',
    "a function": 'def password(self): return "{}"',
    "a typed field": 'password: Annotated[str, Field()] = "{}"',
    "an argument of a field": 'password: str = Field(default="{}")',
    "a label and its field": '<label for="p">Password:</label>\n<input id="p" value="{}">',
    "a field of passwords": '<input value="{}" type="password">',
    "a table of lists": ".. list-table::\n\n   * - user\n     - password\n   * - ann\n     - {}\n",
    "a table of values": '.. csv-table::\n   :header: "user", "password"\n\n   "ann", "{}"\n',
    "a Russian table": "| Пользователь | Пароль |\n|---|---|\n| ann | {} |\n| bob | Winter#4712 |",
}
MARKS = [
    " * ",
    "• ",
    " • ",
    "– ",
    "1: ",
    "1) ",
    "(1) ",
    "a) ",
    "- [ ] ",
    "→ ",
    "o ",
    "+ ",
    "#1 ",
    "№1 ",
    "① ",
    "[1] ",
    "\t* ",
    "● ",
]
HARMLESS = [
    "The passwords are:\n\n • stored as hashes\n • rotated every 30 days\n",
    "Tokens:\n ① input 1523k\n ② output 88k2\n",
    "Secrets:\n1: look at step2\n2: run make3\n",
    "@@ -3 +3 @@\n-  password: {{ db_password }}\n+  password: ${PASSWORD2}",
    "+    password: str = Field(min_length=12)",
    "  7\ttoken = next(tokens2)",
    "Passwort vergessen? Versuch 2 von 3",
    "tokens.append('identifier2')",
    "keys.push('user_id2')",
    "errors.add(:password, 'is too short (8)')",
    'def token_type(self): return "bearer2"',
    '<label>Token limit</label><input value="4096">',
    ".. list-table::\n\n   * - password\n     - read from stdin2\n",
]


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES.keys())
def test_a_secret_is_masked_and_nothing_around_it(text: str) -> None:
    assert mask(text.format(SECRET)).text.replace("Winter#4712", MASKED) == text.format(MASKED).replace("Winter#4712", MASKED)


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("head", ["Passwords:\n", "The passwords of staging are:\n\n", "## Passwords\n\n"])
def test_the_items_of_a_list_of_secrets_are_masked_whatever_marks_them(head: str, mark: str) -> None:
    secrets = [SECRET, "Winter#" + "sun42x", "kR7wq" + "92LzpT"]
    text = head + "\n".join([mark.replace("1", str(number)) + secret for number, secret in enumerate(secrets, 1)])
    masked = mask(text).text
    assert [secret for secret in secrets if secret in masked] == []
    assert masked.count(MASKED) == len(secrets)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert mask(text).rules == ()


@pytest.mark.parametrize("seed", range(20))
def test_each_place_of_a_text_without_margins_leads_to_the_same_byte(seed: int) -> None:
    rng = random.Random(seed)
    lines = [
        "+x = 1",
        " y",
        "-  z",
        "",
        "12\tab",
        "     7  c",
        "a/b.py:3:d",
        "> quoted",
        "Passwort: 密码：q",
        "@@ -1 +1 @@",
    ]
    raw = "\n".join(rng.choices(lines, k=12)).encode()
    text, ends, shifts = without_margins(raw, keywords_of(raw, raw.lower()))
    for at in [at for at in range(len(text)) if text[at : at + 1] in b"\nxyzabcdq1"]:
        same = at + shifts[bisect_right(ends, at)]
        assert raw[same] == text[at] or b"password" in text[max(0, at - 9) : at + 9]
