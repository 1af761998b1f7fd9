"""Passwords of joined words, secrets that commands print, and credentials where a dialogue, a link or a list holds them."""

from __future__ import annotations

import random

import pytest

from memcli.screening import mask
from tests.screening.secret_corpus import filled


@pytest.mark.parametrize("secret", ["Copper-Kite-41", "Copper_Kite_7", "winter-2031", "Copper-2031", "copper-kite-river-41"])
@pytest.mark.parametrize(
    "text",
    [
        'password: "{}"',
        "DB_PASSWORD='{}'",
        "ALTER USER app WITH PASSWORD '{}';",
        "keytool -list -keystore k.jks -storepass '{}'",
        "New-Object PSCredential('bob', (ConvertTo-SecureString '{}' -AsPlainText -Force))",
    ],
)
def test_a_password_of_words_and_a_number_is_masked(text: str, secret: str) -> None:
    before, _, after = text.partition("{}")
    masked = mask(text.replace("{}", secret)).text
    assert masked.startswith(before + "[secret: ")
    assert masked.endswith("]" + after)


@pytest.mark.parametrize(
    "text",
    [
        "admin pw is {} btw",
        "mein pw war {}, geändert habe ich es gestern",
        "la contraseña es {}, cámbiala luego",
        "le mot de passe du wifi c'est {}",
        "influx -username admin -password {}",
        "machine api.acme.test login bob password {}",
    ],
)
def test_so_it_is_in_a_sentence_and_a_command(text: str) -> None:
    before, _, after = text.partition("{}")
    masked = mask(text.replace("{}", "Copper-Kite-41")).text
    assert masked.startswith(before + "[secret: ")
    assert masked.endswith("]" + after)


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("$ pass show acme/db\n{}\nuser: app", "{A10}!4"),
        ("op read op://dev/db/password\n{}", "{A10}!4"),
        ("$ kubectl get secret db -o jsonpath='{.data.password}' | base64 -d\n{}", "{A10}!4"),
        ("$ vault kv get -field=password kv/db\n{}", "{A10}!4"),
        ("$ terraform output -raw admin_password\n{}", "{A10}!4"),
        ("Use the following password to proceed to installation:\n\n{}\n", "{H32}"),
        ("AUTH LOGIN\n334 VXNlcm5hbWU6\nYm9i\n334 UGFzc3dvcmQ6\n{}\n235 ok", "{A15}4="),
        ("hdrs=[('authorization', 'Token {}'), ('host', 'x')]", "{H40}"),
        ("kubeadm join 10.0.0.1:6443 --token {}", "{L5}4.{L16}"),
        ("{} is in /var/lib/rancher/k3s/server/node-token", "K10{H64}::server:{H32}"),
        ("magic link: https://app.acme.test/auth/verify/{}", "{A40}7xQ2"),
        ("session={} for user 12 expired", "{A30}7xQ2"),
        ("snmpwalk -v2c -c {} 10.0.0.1", "{A8}4z"),
        ("rdesktop -u bob -p {} 10.0.0.3", "{WORD}4z"),
        ("rabbitmqctl add_user svc {}", "{WORD}4z"),
        ("net use Z: \\\\nas\\share /user:ACME\\bob {}", "{A8}4z"),
        ("LUKS recovery key: {}", "{D6}-{D6}-{D6}-{D6}-{D6}-{D6}-{D6}-{D6}"),
        ("totp seed {}", "{T32}"),
        ("Basic {} is what the proxy sends", "{A30}7xQ2"),
        ("ID  NAME  VALUE\n12  ci    {}...\n", "glpat-{A20}"),
        ('echo "session_secret={}" >> "$OUTPUT"', "QRtnVBlmPDxkqsHGjwZcRTnv"),
        ('{"access_token":"{}","expires_in":3600}', "-{A40}7xQ2"),
        ("integration key → {}", "{A30}7xQ2"),
        ("HMAC key (hex): {}", "{H64}"),
        ("await user.type(getByLabelText(/password/i), '{}')", "{A8}4z"),
    ],
)
def test_a_secret_is_masked_where_a_command_prints_it_or_a_dialogue_holds_it(text: str, template: str) -> None:
    secret = filled(template, random.Random(text))
    assert secret not in mask(text.replace("{}", secret)).text


@pytest.mark.parametrize(
    "text",
    [
        "$ kubectl get secret\nNAME     TYPE     DATA   AGE\ndb       Opaque   2      4d",
        "$ gh auth token\nno oauth token found for github.com",
        "$ terraform output -raw bucket\nAcmeAssets2024",
        "$ pass show acme\nacme\n├── db\n└── web",
        "password: Step-2 of the wizard",
        "password policy: min-length-12",
        "Password-Reset-2",
        "password: Argon2-id",
        "pass: test-case-12",
        "the password is sent in step-3",
        "author = Copper-Kite-41",
        "cluster: Blue-Whale-7",
        'HEADERS = ("authorization", "x-amz-content-sha256", "x-amz-date")',
        "password must contain:\n\ndigits",
        "session: 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        "GET /callback/3f2504e0-4f89-11d3-9a0c-0305e82c3301 302",
        "_auth = HTTPBasicAuth",
    ],
)
def test_what_only_looks_like_these_is_kept(text: str) -> None:
    assert mask(text).rules == ()
