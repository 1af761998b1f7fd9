"""Secrets where programs, files and people put them, and how many of two corpora of such places are masked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.screening import mask
from scripts import eval_secrets
from tests.screening.secret_corpus import Sample, notes, outputs, situations, unseen
from tests.screening.test_secrets import RANDOM

LEAST = {"formats": 0.995, "named values": 0.97, "passwords": 0.85}


@pytest.mark.parametrize("made", [outputs, unseen])
def test_most_secrets_in_outputs_literals_and_prose_are_masked(made: Callable[[int], list[Sample]]) -> None:
    judged: dict[str, list[bool]] = {}
    for number, sample in enumerate(made(1)):
        if not sample.group.endswith("formats") or number % 4 == 0:
            judged.setdefault(sample.group.removeprefix("unseen "), []).append(eval_secrets.wrong(sample))
    harmless = judged.pop("look-alikes")
    assert [group for group, wrong in judged.items() if 1 - sum(wrong) / len(wrong) < LEAST[group]] == []
    assert len(harmless) > 200
    assert sum(harmless) <= 2


def test_most_passwords_in_notes_of_people_are_masked() -> None:
    made = notes(1)
    found = [eval_secrets.wrong(sample) for sample in made if sample.group == "notes passwords"]
    harmless = [eval_secrets.wrong(sample) for sample in made if sample.group == "notes look-alikes"]
    assert len(found) >= 200
    assert 1 - sum(found) / len(found) >= 0.9
    assert len(harmless) >= 180
    assert sum(harmless) <= 3


def test_most_passwords_of_situations_in_which_people_write_them_down_are_masked() -> None:
    made = situations(1)
    found = [eval_secrets.wrong(sample) for sample in made if sample.group == "situations passwords"]
    harmless = [eval_secrets.wrong(sample) for sample in made if sample.group == "situations look-alikes"]
    assert (len(found) >= 100, len(harmless) >= 150) == (True, True)
    assert 1 - sum(found) / len(found) >= 0.85
    assert sum(harmless) <= 1


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("the pin for the door is {}", "4739"),
        ('"pin": "{}"', "844115"),
        ("Code für die Tür: {}", "7071"),
        ("pw: {}", "correct horse battery staple"),
        ("its the usual password ({})", "Winter#2024"),
        ("what is the password of the vpn?\nann: {}", "Winter#2024"),
        ("iDRAC root/{}", "Winter#2024"),
        ("u/p: bob/{}", "winter2024"),
        ("ann@acme.test / {}", "winter2024"),
        ("Login mit bob und {}", "winter2024"),
        ("[client]\nuser = bob\npassword = {}", "mirrorsaddle"),
        ("password is **{}**", "winter2024"),
    ],
)
def test_a_password_is_masked_where_people_write_it_down_and_nothing_around_it(text: str, secret: str) -> None:
    before, _, after = text.partition("{}")
    masked = mask(text.format(secret)).text
    assert masked.startswith(before + "[secret: ")
    assert masked.endswith("]" + after)


@pytest.mark.parametrize(
    "text",
    [
        "GPIO pin 1017 is the reset",
        "the pin of the dependency is 2024",
        "the postcode is 10115, the error code is 4711",
        "pw: ask the admin about that",
        "password (required) and password (min 12)",
        "is the password wrong?\nann: works4me",
        "git@github.com:acme/app2",
        "root/.ssh/config2 and admin/index2.html",
        "la clave primaria es user_id2",
        "assertEqual(password, expected2)",
        "password=password1 if retry else password2",
        "vault kv get -field=password secret/db1",
        "[tool]\npasswords = (first)\n",
    ],
)
def test_what_only_sounds_like_a_written_password_is_none(text: str) -> None:
    assert mask(text).rules == ()


KEY = RANDOM[:36]


@pytest.mark.parametrize(
    "text",
    [
        '["api_key"]=>\n  string(36) "{}"',
        "l_api_key CONSTANT VARCHAR2(64) := '{}';",
        '"apiKey": {{ "type": "string", "defaultValue": "{}" }}',
        'const HMAC_KEY: &[u8] = b"{}";',
        "$ etcdctl get /app/api_key\n/app/api_key\n{}",
        "127.0.0.1:6379> HSET app api_key {}",
        "use api key {} for staging",
        'api_schluessel = "{}"',
    ],
)
def test_a_random_word_behind_its_name_is_a_secret_whatever_stands_between_them(text: str) -> None:
    assert mask(text.format(KEY)).text == text.format("[secret: api-key]")


@pytest.mark.parametrize(
    "text",
    [
        f"-----BEGIN PUBLIC KEY-----\n{KEY * 2}\n-----END PUBLIC KEY-----",
        f"deploy key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{KEY}",
        f"token hash: {KEY}",
        f'"node_modules/is-token": {{ "integrity": "sha512-{KEY}==" }}',
        'import secrets\nSALT_CHARS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"',
        "DB_PASSWORD=`pass show db`",
    ],
)
def test_what_another_name_claims_and_what_a_command_prints_is_none(text: str) -> None:
    assert mask(text).rules == ()
