"""Secrets where programs, files and people put them, and how many of two corpora of such places are masked."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memcli.screening import mask
from scripts import eval_secrets
from tests.screening.secret_corpus import Sample, outputs, unseen
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
