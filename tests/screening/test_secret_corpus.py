"""Secrets behind escapes and inside base64, and how many of a corpus are masked."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from functools import cache

import pytest

from memcli.screening import mask, mask_payload
from scripts import eval_secrets
from tests.screening.secret_corpus import (
    WAYS,
    Sample,
    held_out,
    is_left,
    later,
    parted,
    samples,
    tables_held_out,
    tables_tuned,
    tuned,
)
from tests.screening.test_secrets import BODY, HEX, PEM, RANDOM

ESCAPED = {
    "a line break": r"a\n{}\nb",
    "a tab": r"a\t{}",
    "a return": r"a\r\n{}",
    "an equals sign": "x%3D{}%26y",
    "a space": "x%20{}",
    "twice": "x%253D{}",
    "unicode": r"x\u003d{}\u0026",
    "hexadecimal": r"x\x3d{}",
    "quotes": r"\"{}\"",
    "JSON in JSON": r'{{"a": "{{\"b\": \"c\\n{}\\n\"}}"}}',
    "HTML": "&quot;{}&quot;",
    "a form feed": r"a\f{}\v",
    "octal digits": r"a\012{}\075",
    "eight digits": r"a\U0000000a{}",
    "mail": "a=3D{}",
    "a colour in octal digits": r"\033[31m{}\033[0m",
    "a colour": "\x1b[1;32m{}\x1b[0m",
    "a colour in JSON": r"\u001b[32m{}\u001b[0m",
}


@pytest.mark.parametrize("text", ESCAPED.values(), ids=ESCAPED.keys())
@pytest.mark.parametrize(
    "secret", ["ghp_" + RANDOM[:36], "AKIA" + "QWERTYUIOPASDFG2", "1234567890:AA" + RANDOM[:33], "SK" + HEX[:32]]
)
def test_an_escape_parts_words_like_the_character_that_it_stands_for(text: str, secret: str) -> None:
    assert not is_left(mask(text.format(secret)).text, secret)


def test_a_token_in_a_path_is_found() -> None:
    assert mask("https://api.telegram.org/bot1234567890:AA" + RANDOM[:33] + "/getMe").rules == ("telegram-bot-token",)


def test_base64_of_a_secret_is_masked_as_a_whole_and_base64_of_a_text_stays() -> None:
    secret, text = (
        base64.b64encode(raw.encode()).decode() for raw in ("A=1\nGH=ghp_" + RANDOM[:36], "Session tokens live in Postgres.")
    )
    assert mask(f"data: {secret} {text}").text == f"data: [secret: github-token] {text}"


@pytest.mark.parametrize("depth", range(5))
@pytest.mark.parametrize("kind", ["", "RSA ", "EC "])
def test_a_private_key_is_masked_however_often_json_wraps_it(kind: str, depth: int) -> None:
    text = json.dumps({"type": "service_account", "private_key": PEM.format(kind) + "\n", "client_id": "42"})
    for _ in range(depth):
        text = json.dumps({"SecretString": text, "Version": 1})
    masked = mask(text)
    assert masked.rules == ("private-key",)
    assert not any(line in masked.text for line in BODY.split("\n"))
    for _ in range(depth):
        masked_again = json.loads(masked.text)
        assert masked_again["Version"] == 1
        masked = mask(masked_again["SecretString"])
    assert json.loads(masked.text)["private_key"] == "[secret: private-key]\n"


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_is_masked_in_a_text_is_masked_in_json_inside_json_too(depth: int) -> None:
    left = []
    for sample in [sample for sample in samples(1)[depth::5] + tuned(1)[depth::3] if sample.secret]:
        if is_left(mask(sample.text).text, sample.secret):
            continue
        text = sample.text
        for _ in range(depth):
            text = json.dumps({"output": text, "exit": 0}, ensure_ascii=depth != 2, separators=(",", ":"))
        if is_left(_unwrapped(mask(text).text, depth), sample.secret):
            left.append(sample.text)
    assert left == []


def _unwrapped(text: str, depth: int) -> str:
    """Returns the text inside JSON, as a string of JSON where the mask took the end of one."""
    for _ in range(depth):
        try:
            text = json.loads(text)["output"]
        except ValueError:
            return text
    return text


@pytest.mark.parametrize(
    "text",
    [
        "DEPLOY_TOKEN ?= {}",
        "const secret = process.env.JWT_SECRET || '{}';",
        'key: process.env.JWT_SECRET ?? "{}"',
        'password = os.getenv("DB_PASSWORD") or "{}"',
        "password = os.environ['DB_PASSWORD'] or '{}'",
    ],
)
def test_what_stands_where_a_variable_is_not_set_is_a_secret(text: str) -> None:
    secret = "harbor" + "#4673Rx9"
    assert mask(text.format(secret)).text.partition("[secret: ")[0] == text.partition("{}")[0]
    assert secret not in mask(text.format(secret)).text
    assert mask(text.format("your-token-here")).rules == ()


WRITTEN = {
    "a letter": r"gh\u0070_{}",
    "a letter in hexadecimal digits": r"\x67hp_{}",
    "a backslash as digits": r"x\u005cnghp_{}",
    "a character without a width": r"ghp\u200b_{}",
    "a backslash as digits twice": r"x\\u005C\u005Cnghp_{}\\u005C\u0022",
}


@pytest.mark.parametrize("text", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_character_that_is_written_as_digits_is_read(text: str) -> None:
    masked = mask(text.format(RANDOM[:36]))
    assert masked.rules == ("github-token",)
    assert RANDOM[:6] not in masked.text
    assert RANDOM[30:36] not in masked.text


@pytest.mark.parametrize(
    "text", ["\\", "\\\\", r"\u", r"\u00", r"\uzzzz", r"\u-001", r"\x4", r"\Uffffffff", r"\400", r"\08", r"\u005c", r"a\u005"]
)
def test_what_is_no_escape_stays(text: str) -> None:
    assert mask(text).text == text
    assert mask(f"{text} password=hunter2 {text}").text == f"{text} password=[secret: password] {text}"


INSIDE = {
    "emphasis": "_{}_ and **{}**",
    "a letter before it": "X{}",
    "names of files": "mv backup_{}_old.txt x",
    "a name in capitals and small letters": "token{}Next",
}


@pytest.mark.parametrize("text", INSIDE.values(), ids=INSIDE.keys())
@pytest.mark.parametrize(
    "secret", ["ghp_" + RANDOM[:36], "AKIA" + "QWERTYUIOPASDFG2", "glpat-" + RANDOM[:20], "npm_" + RANDOM[:36]]
)
def test_what_a_token_touches_does_not_hide_it(text: str, secret: str) -> None:
    assert not is_left(mask(text.format(secret, secret)).text, secret)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("at", [2, 4, 12, 30])
def test_a_token_in_two_pieces_is_masked_as_a_whole_and_nothing_beside_it(way: str, at: int) -> None:
    secret = "ghp_" + RANDOM[:36]
    masked = mask(parted(secret, way, at))
    assert masked.rules == ("github-token",)
    assert not any(secret[start : start + 8] in masked.text for start in range(len(secret) - 8))
    plain = parted("", way, 0).split()
    assert [word for word in masked.text.replace("[secret: github-token]", " ").split() if word not in " ".join(plain)] == []


def test_a_line_that_follows_a_token_stays() -> None:
    token = "ghp_" + RANDOM[:36]
    for below in ("DEBUG=1", "release2024 is out", "- next", "abc: 1", "v2"):
        assert mask(f"the token of the deployment:\n{token}\n{below}").text.endswith(f"]\n{below}")


@cache
def corpus() -> dict[tuple[str, str], list[tuple[Sample, bool]]]:
    """Returns the samples by their class and half, each with whether mem is wrong about it."""
    groups: dict[tuple[str, str], list[tuple[Sample, bool]]] = {}
    for sample in samples(2) + tuned(1):
        groups.setdefault((sample.group, sample.half), []).append((sample, eval_secrets.wrong(sample)))
    return groups


@pytest.mark.parametrize("half", eval_secrets.HALVES)
@pytest.mark.parametrize(("group", "floor"), eval_secrets.FLOORS.items())
def test_so_many_secrets_of_the_corpus_are_masked(group: str, floor: float, half: str) -> None:
    judged = corpus()[group, half]
    assert sum(not is_wrong for _, is_wrong in judged) >= floor * len(judged)


def test_most_secrets_of_a_corpus_are_masked_that_was_written_after_the_rules() -> None:
    shares: dict[str, list[bool]] = {}
    for sample in held_out(2):
        shares.setdefault(sample.group, []).append(eval_secrets.wrong(sample))
    assert {group: len(judged) for group, judged in shares.items()} == {
        "held out named values": 184,
        "held out passwords": 388,
        "held out look-alikes": 83,
    }
    assert [group for group, judged in shares.items() if sum(judged) > len(judged) * 3 / 10] == []
    assert sum(shares["held out look-alikes"]) <= 2


def test_most_secrets_behind_margins_in_calls_in_markup_and_in_other_languages_are_masked() -> None:
    shares: dict[str, list[bool]] = {}
    for sample in later(1, 3):
        shares.setdefault(sample.group, []).append(eval_secrets.wrong(sample))
    sizes = {"later named values": 191, "later passwords": 144, "later rows": 90, "later look-alikes": 68}
    assert {group: len(judged) for group, judged in shares.items()} == sizes
    assert [group for group, judged in shares.items() if sum(judged) > len(judged) / 10] == []


@pytest.mark.parametrize(
    ("tables", "kinds", "harmless", "floor", "most_false"), [(tables_tuned, 157, 43, 0.99, 0), (tables_held_out, 162, 44, 0.5, 2)]
)
def test_so_many_rows_of_tables_are_masked(
    tables: Callable[[int], list[Sample]], kinds: int, harmless: int, floor: float, most_false: int
) -> None:
    judged = [(sample.secret, eval_secrets.wrong(sample)) for sample in tables(6)]
    rows, others = ([is_wrong for secret, is_wrong in judged if bool(secret) == is_row] for is_row in (True, False))
    assert (len(rows), len(others)) == (kinds * 6, harmless)
    assert sum(not is_wrong for is_wrong in rows) >= floor * len(rows)
    assert sum(others) <= most_false


@pytest.mark.parametrize("half", eval_secrets.HALVES)
def test_nothing_that_only_looks_like_a_secret_is_masked_in_the_corpus(half: str) -> None:
    judged = corpus()["look-alikes", half]
    assert len(judged) > 105
    assert sum(is_wrong for _, is_wrong in judged) <= eval_secrets.MOST_FALSE * len(judged)


def test_the_value_of_a_pair_is_named_by_its_other_part() -> None:
    secret = "Sun" + "set4471!"
    pairs = [{"name": "DB_PASSWORD", "value": secret}, {"value": secret, "Key": "api.pass"}, {"name": "replicas", "value": "3"}]
    masked = mask_payload({"env": pairs})
    assert masked.value == {
        "env": [{**pairs[0], "value": "[secret: password]"}, {**pairs[1], "value": "[secret: password]"}, pairs[2]]
    }


WITHOUT_A_SIGN = {
    "a setting of a build": "storePassword '{}'",
    "a definition": '#define WIFI_PASSWORD "{}"',
    "a map": '{{:user "bob" :password "{}"}}',
    "a field that is filled": "await page.getByLabel('Password').fill('{}');",
    "a list of arguments": 'CMD ["x", "--db-password", "{}"]',
    "a function around it": 'let password = String::from("{}");',
    "what stands where another is missing": "password: <%= ENV['X'] || '{}' %>",
    "the next cell": "<tr><th>Password</th><td><code>{}</code></td></tr>",
    "the next element": "<key>password</key>\n  <string>{}</string>",
    "an inner element": "<Password>\n  <Value>{}</Value>\n</Password>",
    "an attribute": '<input id="password" type="text" value="{}">',
    "a line of settings": "port 1\nrequirepass {}\nsave 60",
    "a shell's command": "set -gx DB_PASSWORD {}",
    "the line below": "Your new password:\n\n{}\n\nRegards",
    "below a heading": "### Admin password\n`{}`\n",
    "before its name": "use {} as the password",
    "before its name as a subject": "{} is the admin password now",
    "brackets": "login with password=[{}] failed",
    "rows of SQL": "INSERT INTO users (id, password, name) VALUES (1, '{}', 'bob');",
    "columns": "HOST    PASSWORD\ndb      {}\n",
    "a note of a login": "creds: bob / {}",
    "a pipe": "echo '{}' | docker secret create x -",
    "a short option": "mosquitto_pub -h x -P {} -t a",
    "an argument in its place": "rabbitmqctl change_password bob {}",
    "an address without a scheme": "sql.Open('bob:{}@tcp(db)/x')",
    "an address of Oracle": "jdbc:oracle:thin:app/{}@//db:1521/x",
    "arguments of a function": 'smtp.login("bob@x.io", "{}")',
    "a string of SQL": "ALTER LOGIN sa WITH PASSWORD = N'{}', CHECK_POLICY = OFF",
    "another language": "كلمة المرور: {}",
    "quotation marks of another language": "パスワードは「{}」です",
}


@pytest.mark.parametrize("text", WITHOUT_A_SIGN.values(), ids=WITHOUT_A_SIGN.keys())
@pytest.mark.parametrize("secret", ["Sun" + "set4471!", "Har" + "b$3cr3t22", "Rx9" + "kTq27LmZ4"])
def test_a_password_is_masked_where_no_sign_gives_it_and_nothing_around_it(text: str, secret: str) -> None:
    before, _, behind = text.format("§").partition("§")
    masked = mask(text.format(secret)).text
    assert masked in (f"{before}[secret: password]{behind}", f"{before}[secret: command-password]{behind}",
                      f"{before}[secret: url-password]{behind}")  # fmt: skip


def test_rows_of_sql_are_masked_in_the_column_of_their_name() -> None:
    secrets = ["Sun" + "set4471!", "o'h" + "unter2"]
    text = "INSERT INTO users (name, note, pwd) VALUES\n  ('bob4711x', 'a, (b)', '{}'),\n  ('eve', lower('X2'), \"{}\");"
    assert mask(text.format(*secrets)).text == text.format(*["[secret: password]"] * 2)


def test_a_table_is_masked_in_the_column_that_its_head_names_and_nowhere_else() -> None:
    secrets = ["Sun" + "set4471!", "hun" + "ter2Rx"]
    text = "| host2 | password | port2 |\n| --- | --- | --- |\n| db12x | {} | 5432a |\n| db13x | `{}` | 5433a |\nafter12 |"
    assert mask(text.format(*secrets)).text == text.format(*["[secret: password]"] * 2)


ROWS = [f"{word}{sign}{other}{number}" for number, (word, sign, other) in enumerate(
    [("harbor", "!", "maple"), ("violet", "#", "Tractor"), ("Summit", "-", "copper"), ("falcon", "_", "Harbor")] * 20, 10
)]  # fmt: skip
WHOLE = {
    "markdown": ("| user | password | role |\n|---|---|---|\n{}", "| u{n} | {} | r{n} |\n"),
    "markdown without a rule": ("user | password\n{}", "u{n} | {}\n"),
    "csv": ("user,password,role\n{}", "u{n},{},r{n}\n"),
    "csv with names of several words": ("Login Name,Web Password,One-time code\n{}", "u{n},{},\n"),
    "csv with signs in its values": ('"Name","Password"\n{}', '"Smith, Bob {n}","{}"\n'),
    "csv below a sentence": ("Here they are, as promised:\nuser,password\n{}", "u{n},{}\n"),
    "tabs": ("user\tpassword\n{}", "u{n}\t{}\n"),
    "psql": (" user | password \n------+-----------\n{}(80 rows)\n", " u{n}  | {}\n"),
    "mysql": ("+----+----+\n| user | password |\n+----+----+\n{}+----+----+\n", "| u{n} | {} |\n"),
    "a box": ("┌──────┬──────────┐\n│ user │ password │\n├──────┼──────────┤\n{}└──────┴──────────┘\n", "│ u{n} │ {} │\n"),
    "columns": ("USER      PASSWORD         AGE\n{}", "u{n}       {}   5d\n"),
    "yaml": ("passwords:\n{}", "  - {}\n"),
    "yaml's mapping": ("passwords:\n{}next: u12x\n", "  u{n}: {}\n"),
    "json": ('{{"passwords": [{}"x"]}}', '"{}", '),
    "json's mapping": ('{{"passwords": {{\n{}"x": ""}}}}', '  "u{n}": "{}",\n'),
    "rows of json": ('{{"columns": ["user", "password"], "rows": [{}]}}', '["u{n}", "{}"],\n'),
    "rows of sql": ("INSERT INTO users (name, password) VALUES\n{};", "('u{n}', '{}'),\n"),
    "a section": ("[passwords]\n{}", "u{n} = {}\n"),
    "a quotation": ("> | user | password |\n> |---|---|\n{}", "> | u{n} | {} |\n"),
    "tabs with names of two words": ("User Name\tInitial Password\n{}", "U{n}\t{}\n"),
    "a double box": ("╔══════╦══════════╗\n║ user ║ password ║\n╠══════╬══════════╣\n{}", "║ u{n} ║ {} ║\n"),
    "columns above a line": ("User Password\n---- --------\n{}", "u{n} {}\n"),
    "latex": ("user & password \\\\ \\hline\n{}", "u{n} & {} \\\\\n"),
    "mediawiki": ("{{|\n! user !! password\n{}|}}", "|-\n| u{n} || {}\n"),
    "html": ("<table><tr><th>User</th><th>Password</th></tr>\n{}</table>", "<tr><td>u{n}</td><td><b>{}</b></td></tr>\n"),
    "definitions of html": ("{}", "<dt>Password of u{n}</dt><dd>{}</dd>\n"),
    "elements": ("<passwords>{}</passwords>", "<item>{}</item>\n"),
    "go": ("passwords := map[string]string{{{}}}", '"u{n}": "{}",\n'),
    "rust": ("let passwords = vec![{}];", '"{}", '),
    "pairs": ("const passwords = new Map([{}]);", '["u{n}4711", "{}"], '),
    "objects": ('{{"passwords": [{}{{}}]}}', '{{"user": "u{n}4711", "value": "{}"}}, '),
    "a shell": ("declare -A PASSWORDS=({})", '[u{n}]="{}" '),
    "a default of terraform": ('variable "passwords" {{\n  default = [{}]\n}}', '"{}", '),
    "copy": ("COPY users (name, password) FROM stdin;\n{}\\.\n", "u{n}\t{}\n"),
    "lines of users": ("Passwords:\n{}\nnext", "u{n}: {}\n"),
    "lines with arrows": ("## Passwords\n\n{}\nnext", "- u{n} -> {}\n"),
    "numbered lines": ("Passwords\n=========\n{}\nnext", "{n}. {}\n"),
    "a here-document": ("chpasswd <<EOF\n{}EOF\n", "u{n}:{}\n"),
    "a form with dots": ("{}", "User ..... u{n}\nPassword ..... {}\n\n"),
    "kubernetes": ("kind: Secret\nstringData:\n{}type: Opaque\n", "  k{n}: {}\n"),
}


@pytest.mark.parametrize(("whole", "row"), WHOLE.values(), ids=WHOLE.keys())
def test_every_row_of_a_table_is_masked_however_long_it_is(whole: str, row: str) -> None:
    def text(values: list[str]) -> str:
        return whole.format("".join(row.replace("{n}", str(number)).format(value) for number, value in enumerate(values)))

    masked = mask(text(ROWS)).text.replace("command-password", "password")  # of the first row of a command
    assert masked == text(["[secret: password]"] * len(ROWS))


def test_a_plain_word_among_passwords_is_masked_and_a_column_of_plain_words_stays() -> None:
    text = "user,password\nbob,{}\neve,letmein\nann,{}\n"
    assert mask(text.format(*ROWS[:2])).text == text.format(*["[secret: password]"] * 2).replace("letmein", "[secret: password]")
    fields = "field,password\nkind,string\nshown,hidden\nlabel,Passphrase\n"
    assert mask(fields).text == fields


@pytest.mark.parametrize("value", ["kR7_wq" + "-92Lzp", "7Qz_mB" + "-p4T", "Lx9-tR2" + "-vB4"])
def test_letters_in_no_order_between_numbers_and_dashes_are_no_words(value: str) -> None:
    assert mask(f"db_password={value}").text == "db_password=[secret: password]"
    for words in ("step-2-of-3", "2026-01-02", "v2/Users3/list", "30days-or-2weeks", "Step3-of-V2-2nd"):
        assert mask(f"db_password={words}").text == f"db_password={words}"


HOSTILE = ("| password | password |\n|---|---|\n", "| password ", "password,password\n", "USER  PASSWORD\n", "passwords:\n",
           "<tr><th>password</th>", "<passwords>", "! password\n", "|===\n|password\n", "kind: Secret\ndata:\n",
           "## passwords\nx: a1b2\n", "passwords = new Map([",
           "passwords: [", "passwords: {", '{"passwords": ["a", ', "INSERT INTO t (password) VALUES ('a'), ",
           '["password", ["', "password:x\n")  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_for_a_table_of_names_is_in_proportion_to_its_length(piece: str) -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        mask(piece * (size // len(piece)))
        return time.process_time() - start

    took = seconds(80_000)
    assert took < 12 * 0.02 or took < 12 * seconds(20_000)
