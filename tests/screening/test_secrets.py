"""Secrets are masked by the rule that knows them; what only looks like one stays."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from memcli import screening
from memcli.screening import Payload, formats, mask, mask_payload
from memcli.screening.first_look import keywords_of
from tests.properties import examples
from tests.screening.secret_corpus import samples

RANDOM = "Zx8Qw3Er7Ty1Ui5Op9As2Df6Gh0JkLcVbNm4Kq7Wr2"
HEX = "3f9a1c5e7b2d8f604a6c9e1b3d5f7a8c0e2b4d6f"
BODY = "MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF0f1PjvZ8sQ0aX\nabcdefghijklmnop=="
PEM = f"-----BEGIN {{0}}PRIVATE KEY-----\n{BODY}\n-----END {{0}}PRIVATE KEY-----"
# By rule: texts of which »what is between these signs« is the secret. Put together here, so that no scanner takes them for real.
PLANTED: dict[str, tuple[str, ...]] = {
    "private-key": (
        f"»{PEM.format('RSA ')}« after",
        f"»{PEM.format('')}« after",
        'key = "»' + PEM.format("EC ").replace("\n", "\\n") + '«\\n"',
        "»MIIEowIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF0f1PjvZ8sQ0aX\nabcdefg==\n-----END RSA PRIVATE KEY-----«",
        "Private-Lines: 14\n»AAAAgQCkX0b1PjvZ8sQ0aXMIIEowIBAAKCAQEA0Z3VS5\n«",
    ),
    "aws-access-key": ("id »AKIA" + "QWERTYUIOPASDFG2« x", "»ASIA" + "QWERTYUIOPASDFG2«"),
    "aws-secret-key": (f"aws_secret_access_key = »{RANDOM[:38]}+/«", f'"secretAccessKey": "»{RANDOM[:38]}+/«"'),
    "aws-bedrock-key": ("»ABSK" + RANDOM * 3 + "=«",),
    "aws-mws-token": ("»amzn." + "mws.4ea38b7b-f563-7709-4bae-87aea1234567«",),
    "alibaba-access-key": ("»LTAI" + "5tQn8b2Kc9Yh3Lp7«",),
    "tencent-secret-id": ("»AKID" + RANDOM[:32] + "«",),
    "gcp-api-key": ("»AIza" + RANDOM[:35] + "«",),
    "gcp-oauth-token": ("»ya29." + RANDOM + "«",),
    "gcp-client-secret": ("»GOCSPX-" + RANDOM[:28] + "«",),
    "azure-storage-key": (f"AccountName=a;AccountKey=»{RANDOM * 2}==«;EndpointSuffix=x",),
    "azure-shared-key": (f"SharedAccessKeyName=a;SharedAccessKey=»{RANDOM}=«",),
    "azure-sas-signature": (f"?sv=2024&sig=»{RANDOM}%3D«",),
    "azure-client-secret": ("»Ab18" + "Q~" + RANDOM[:34] + "«",),
    "github-token": (
        *[f"»{kind}_{RANDOM[:36]}«" for kind in ("ghp", "gho", "ghu", "ghs", "ghr")],
        "»github_pat_" + RANDOM + "_1a2b«",
    ),
    "gitlab-token": ("»glpat-" + RANDOM[:20] + "«", "»GR1348941" + RANDOM[:20] + "«"),
    "slack-token": (*[f"»xox{kind}1234567890-{RANDOM[:24]}«" for kind in ("b-", "b.")], "»xapp-1-" + RANDOM[:30] + "«"),
    "slack-webhook": ("https://hooks.slack.com/services/»T00000AB1/B00000CD2/" + RANDOM[:24] + "«",),
    "discord-webhook": ("https://discord.com/api/webhooks/»123456789012345678/" + RANDOM + RANDOM[:20] + "«",),
    "telegram-bot-token": ("»1234567890:AA" + RANDOM[:33] + "«",),
    "stripe-key": tuple(f"»{kind}_{RANDOM[:24]}«" for kind in ("sk_live", "sk_test", "rk_live")),
    "stripe-webhook-secret": ("»whsec_" + RANDOM[:32] + "«",),
    "anthropic-key": ("»sk-ant-" + "api03-" + RANDOM + "«",),
    "openai-key": ("»sk-proj-" + RANDOM + "«", "»sk-" + RANDOM + "«"),
    "openrouter-key": ("»sk-or-v1-" + HEX + "«",),
    "resend-key": ("»re_" + "pLIix6ME_OLeMa61EqJomTEI1JEzO3joO«",),
    "vercel-blob-token": ("»vercel_blob_" + "rw_j37HyVaQXekW9Lct_Xb03rEMU64yTY6BzUZKC97i4xgciFn«",),
    "neon-key": ("»napi_" + "q1t06yw80ovbrku8gnrshe44fwe0jbs10hccyv9r6pctaeg8cm0sqjcvuxiyy37y«",),
    "turnstile-secret": ("»0x4AAAAAAA" + "P3MRJgN8ZGrBOUTp7tBqHtJvaY«",),
    "posthog-key": ("»phx_" + "ALubyNLOidOOvDwR6wMTrVFbLd9Rb9xqODtLMulxluW«",),
    "tavily-key": ("»tvly-" + "x2MqtYygX0bKRVitGoPZrpulRBPSggMu«",),
    "firecrawl-key": ("»fc-" + "a7e52a6e87316a58a2b4d98ebd9dd1d4«",),
    "elevenlabs-key": ("»sk_" + "60fd71e9a72937116d10f35970d13a48f1b763357840fc18«",),
    "doppler-token": ("»dp.st." + "dev.prNHHBdEuX0a2dXichdeEc2TfGGFukuewyPyLtxqmvB«",),
    "infisical-token": ("»st." + "340c251bec1d1bfadde07682.d7d40ab83e3c3a30f47c123c50a303f9.9217331a52757ec8bcbd2c7d5df4c453«",),
    "honeycomb-key": ("»hcaik_" + "5472lirmj6uo8s0rntbr4ymlxpu4j04n39b4ezc3openqpmqilcqkcul1f«",),
    "axiom-token": ("»xaat-" + "232891be-a00a-adcf-26fc-4a382d3e83bb«",),
    "cursor-key": ("»key_" + "e983a3fb19545be334ad95ef95235cb388c141f87bace2bf34833356dc44c655«",),
    "e2b-key": ("»e2b_" + "68b90edca9f9f06037f5e6661e3944e210b72f0a«",),
    "plaid-token": ("»access-" + "production-aab4212a-626d-7fa3-1d26-5cff2d6f90ee«",),
    "bitwarden-token": ("»0." + "ce5e18bb-ebc7-068b-4e65-605c50435ef5.d1bzCuAcTTdpzczFb694opgyEmkvNh:w6hMdZUsrY8DY79tFpJrb0==«",),
    "voyage-key": ("»pa-" + "vOwufdRBfLNagbRfbkGcEdmPG5vm5WEvZE6w8QcytWM«",),
    "polar-token": ("»polar_" + "oat_O8zf8sl2AhGyJvIRX7zl1V3Uy18Jw7lxZACoCXSEwr0«",),
    "trigger-key": ("»tr_" + "dev_kGUWM6TSy8FcjkTWb0Df«",),
    "inngest-key": ("»signkey-" + "prod-3a711eeab026c3a93e267144037967da6e5213036823ec73fbce39ec630e92ab«",),
    "stytch-secret": ("»secret-" + "live-mFWe7JRVxBYPeMHnpw1dvpBCfqnukV7nUn34«",),
    "render-key": ("»rnd_" + "VND7TI2Ax8m5N8AE5XAEL6cs97bl5gbU«",),
    "valtown-token": ("»vtwn_" + "jsGHdOEcmVnrFBcwDVmVYsjgCt6ACenj«",),
    "jina-key": ("»jina_" + "FWZSsyZ4Ox8kBt8DEHIox92ssbDx4wZ1tVp7ZHaaiOHjIbk8danXYDw9YxJc«",),
    "pinecone-key": ("»pcsk_" + "FlparB_5v1dMIZgCtqpRZFAUqvcbBcORk6WZKp9iVW1YAGW1vJirbkcbF«",),
    "cerebras-key": ("»csk-" + "Pd505DDHQW730MGAxHOksleRi1JgAXwCDrZqCs9HjKuiHcAF«",),
    "fireworks-key": ("»fw_" + "2o0D7LNrbuKMJhFirYTW6rgB«",),
    "together-key": ("»tgp_v1_" + "QexcGF5W90PCmt6wlPy81zudrn8c8uuNzJsciAqA5fF«",),
    "langfuse-key": ("»sk-lf-" + "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed«",),
    "npm-token": ("//registry/:_authToken=»npm_" + RANDOM[:36] + "«",),
    "pypi-token": ("»pypi-" + "AgEIcHlwaS5vcmcC" + RANDOM + "«",),
    "jwt": ("»eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U«",),
    "sendgrid-key": ("»SG." + RANDOM[:22] + "." + RANDOM + "«",),
    "mailgun-key": ("»key-" + HEX[:32] + "«",),
    "twilio-key": ("»SK" + HEX[:32] + "«",),
    "shopify-token": ("»shpat_" + HEX[:32] + "«",),
    "digitalocean-token": ("»dop_v1_" + HEX + "«",),
    "huggingface-token": ("»hf_" + RANDOM[:34] + "«",),
    "linear-key": ("»lin_api_" + RANDOM[:40] + "«",),
    "docker-token": ("»dckr_pat_" + RANDOM[:27] + "«",),
    "age-key": ("»AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE«",),
    "brevo-key": ("»xkeysib-" + HEX + HEX[:24] + "-" + RANDOM[:16] + "«",),
    "vault-token": ("»hvs." + RANDOM + "«",),
    "terraform-token": ("»" + RANDOM[:14] + ".atlasv1." + RANDOM * 2 + "«",),
    "databricks-token": ("»dapi" + HEX[:32] + "«",),
    "postman-key": ("»PMAK-" + HEX[:24] + "-" + HEX[:34] + "«",),
    "rubygems-key": ("»rubygems_" + HEX + HEX[:8] + "«",),
    "newrelic-key": ("»NRAK-" + RANDOM[:27].upper() + "«",),
    "grafana-token": ("»glc_" + RANDOM + "«", "»glsa_" + RANDOM[:32] + "_" + HEX[:8] + "«"),
    "sentry-token": ("»sntryu_" + HEX + "«",),
    "planetscale-token": ("»pscale_tkn_" + RANDOM + "«",),
    "atlassian-token": ("»ATATT3" + RANDOM * 2 + "«",),
    "figma-token": ("»figd_" + RANDOM + "«",),
    "groq-key": ("»gsk_" + RANDOM + RANDOM[:10] + "«",),
    "xai-key": ("»xai-" + RANDOM * 2 + "«",),
    "perplexity-key": ("»pplx-" + RANDOM + "«",),
    "nvidia-key": ("»nvapi-" + RANDOM * 2 + "«",),
    "replicate-token": ("»r8_" + RANDOM[:37] + "«",),
    "tailscale-key": ("»tskey-auth-" + RANDOM + "«",),
    "1password-token": ("»ops_" + "eyJ" + RANDOM * 2 + "«",),
    "square-token": ("»sq0atp-" + RANDOM[:22] + "«", "»sq0csp-" + RANDOM[:22] + "«"),
    "facebook-token": ("»EAA" + RANDOM * 2 + "«",),
    "cloudflare-ca-key": ("»v1.0-" + HEX[:24] + "-" + HEX * 3 + "«",),
    "supabase-token": ("»sbp_" + HEX + "«", "»sb_secret_" + RANDOM + "«"),
    "crates-token": ("»cio" + RANDOM[:32] + "«",),
    "notion-token": ("»ntn_" + RANDOM + RANDOM[:4] + "«", "»secret_" + (RANDOM + "a")[:43] + "«"),
    "pulumi-token": ("»pul-" + HEX + "«",),
    "langsmith-key": ("»lsv2_pt_" + HEX[:32] + "_" + HEX[:10] + "«",),
    "artifactory-key": ("»AKCp" + RANDOM * 2 + "«",),
    "authorization": (
        f"Authorization: Bearer »{RANDOM}«",
        "curl -H 'Authorization: Basic »dXNlcjpwYXNzd2Q=«' x",
        '{"authorization": "token »a1b2c3d4e5f6«"}',
        f"bearer »{RANDOM}«",
        "Authorization:\n  »a1b2c3d4e5f6«",
    ),
    "url-password": (
        "postgres://app:»s3cr3t«@db.local/x",
        "redis://:»p4ssw0rd«@host:6379/0",
        "amqp://me:»a/b+c9d«@mq",
        "mongodb+srv://u:»pässw0rt«@h.net",
        "curl -s -u bob:»hunter2« http://x",
        "curl -s\t-u bob:»hunter2« x",
    ),
    "command-password": (
        "mysql -u root -p»s3cr3t« db",
        "cd x && mysqldump -h db -p'»s3cr3t«' shop > x.sql",
        "mariadb -p»s3cr3t«",
        "sshpass -p »s3cr3t« ssh me@host",
        "redis-cli -h x -a »s3cr3t« ping",
    ),
    "password": (
        "password=»hunter2«",
        "PASSWORD: »S3cret!pass«",
        "Server=x;User=sa;Password=»Pa55w.rd«;Encrypt=yes",
        "<password>»hunter22«</password>",
        "export DB_PASSWORD='»x&y;z9«'",
        "mysql --password »hunter2«", 'db.connect(passwd="»hunter2«", host="x")',
    ),
    "api-key": (
        f"OPENAI_KEY=»{RANDOM}«",
        f'{{"api_key": "»{HEX}«"}}',
        "deploy --token »abc123def456«",
        f"https://x.net/?access_token=»{RANDOM}«&page=2",
        f"const clientSecret = '»{RANDOM}«';",
        f"signing-key: »{RANDOM}«",
    ),
    "printed-secret": ("$ pass show acme/db\n»Kd8vTq2mXw9!«",), "smtp-password": ("334 UGFzc3dvcmQ6\n»S2Q4dlRxMm1Ydzkh«",),
    "kubernetes-join-token": ("kubeadm join --token »k3d8vt.q2mxw9r4bn7yh1zp«", f"»K10{HEX}{HEX[:24]}::server:k3d8vt«"),
    "login-link": (f"https://a.test/auth/verify/»{RANDOM[:40]}« ends",), "session-id": (f"session=»{RANDOM[:32]}«",),
    "recovery-key": ("BitLocker: »" + "-".join(["471032"] * 8) + "«",), "otp-secret": ("totp seed »JBSWY3DPEHPK3PXPKRUGK43Q«",),
}  # fmt: skip
CASES = [(rule, text) for rule, texts in PLANTED.items() for text in texts]
HARMLESS = (
    "docker run --name mysql -p3306:3306 mysql:8",
    "docker run --name mysql -p127.0.0.1:3306:3306 mysql:8",
    "find /var/lib/mysql -print",
    "mysql -u root -p shop",
    "mysql -u root -p$PASSWORD shop",
    "mysqldump shop | ssh -p2222 host x",
    "sshpass -e ssh -p2222 host",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "index 3f2a9bc..7d1e0aa 100644",
    "id 550e8400-e29b-41d4-a716-446655440000",
    'hash = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
    "M-X4TW45C2MD C-0123456789 R-2ZMF8TG3TQRY2VZQ 01J9Z3K4M5N6P7Q8R9S0T1V2W3",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "postgres://user:password@localhost/db and postgres://postgres:postgres@db",
    "postgres://user:${PASSWORD}@host http://host:8080/path@2 socks5://<username>:<password>@proxy-host",
    "password = getpass.getpass()",
    "connect(password=self.new_password2, user=me)",
    "token: str | None = None",
    "token = tokens.count(part)",
    "max_tokens: 4096, token_count=900, token_budget: 1_200",
    "API_KEY=your-api-key-here OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    'api_key = os.environ["API_KEY_2"]',
    "SECRET_KEY=${SECRET_KEY_1} TOKEN=$(cat token1.txt) PASSWORD={{ vault_password_1 }}",
    "the password is stored in Postgres; the token, 2 of 3, is a key: see step-2-of-3",
    "cache_key: linux-py3.11-9f86d081884c7d65 sort_key=created_at_2 public_key = ssh-ed25519-2",
    "ghp_" + "x" * 36,
    "if '-----BEGIN PRIVATE KEY-----' in text: return text.find('-----END PRIVATE KEY-----')",
    "risk-based-scheduling-of-the-disk-io-2 task-abcdefghijklmnopqrstuvwxyz1",
    "Private-Lines: 1\n" + "+" * 20,
    "Authorization: Bearer <token>; authorization = base64.b64encode(pair)",
    "keyboard: 12345678901234567890abcdefABCDEF monkey=1",
    "[secret: github-token] password=[secret: password]",
    "--password-file secrets2.txt --token-ttl 15m30s",
)


@pytest.mark.parametrize(("rule", "text"), CASES, ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(CASES)])
def test_every_rule_masks_its_secret_and_nothing_around_it(rule: str, text: str) -> None:
    before, _, rest = text.partition("»")
    secret, _, after = rest.partition("«")
    found = mask(before + secret + after)

    assert found.rules == (rule,)
    assert found.text == f"{before}[secret: {rule}]" + "\n" * secret.count("\n") + after
    assert mask(found.text) == screening.Masked(found.text)


def test_every_rule_is_tried() -> None:
    tried = {rule for sample in samples(1) if sample.secret for rule in mask(sample.text).rules}
    assert {rule for rule, *_ in formats.RULES} <= PLANTED.keys() | tried


@pytest.mark.parametrize(("rule", "text"), CASES, ids=[f"{rule}-{n}" for n, (rule, _) in enumerate(CASES)])
def test_the_first_look_passes_every_example_of_a_format(rule: str, text: str) -> None:
    raw = text.replace("»", "").replace("«", "").encode()
    assert formats.find_formats(raw, keywords_of(raw, raw.lower())) == formats.find_formats(raw)


@pytest.mark.parametrize("rule", formats.RULES, ids=[f"{rule[0]}-{n}" for n, rule in enumerate(formats.RULES)])
@settings(max_examples=examples(4), deadline=None, phases=[Phase.generate])
@given(data=st.data())
def test_the_first_look_passes_every_match_of_a_rule(
    rule: tuple[str, str, str, tuple[bytes, ...], str], data: st.DataObject
) -> None:
    raw = data.draw(st.from_regex(rule[4].encode()))
    assert formats.find_formats(raw, keywords_of(raw, raw.lower())) == formats.find_formats(raw)


@pytest.mark.parametrize(
    ("regex", "keyword"), [(r"\b(ab[cd]_[a-z]{20})", "abc_"), (r"(?:abc_)?([a-z]{20})", "abc_"), (r"\b([abc_]{30})", "abc_")]
)
def test_a_rule_is_refused_of_which_a_match_need_not_hold_a_keyword(
    regex: str, keyword: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from scripts import _secret_rules

    rule = {"id": "new", "regex": regex, "keywords": [keyword], "tags": ["token"]}
    monkeypatch.setattr(_secret_rules, "rules", lambda: [rule])

    with pytest.raises(ValueError, match="need not hold"):
        _secret_rules.conditions()


def test_the_documentation_names_every_rule() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/privacy.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1] for line in text.splitlines() if line.startswith("| `")}

    named = {"password", "api-key", "seed-phrase", "base64-credential"}
    assert rows == {rule for rule, *_ in formats.RULES} | named


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert mask(text) == screening.Masked(text)


def test_a_text_of_many_lines_keeps_their_number() -> None:
    text = f"one\n{PEM.format('')}\nlast\n"
    assert mask(text).text.count("\n") == text.count("\n")


def test_an_access_key_of_aws_is_known_by_the_id_beside_it() -> None:
    found = mask("AKIA" + f"QWERTYUIOPASDFG2,{RANDOM[:38]}+/")
    assert found.text == "[secret: aws-access-key],[secret: aws-secret-key]"
    assert not mask(f"only,{RANDOM[:38]}+/").rules


def test_of_rules_that_meet_the_format_says_more_than_the_name() -> None:
    token = "ghp_" + RANDOM[:36]
    assert mask(f"https://x-access-token:{token}@github.com/a/b TOKEN={token}").rules == ("github-token",)


def test_a_payload_is_walked_with_its_keys_and_names() -> None:
    token = "ghp_" + RANDOM[:36]
    given_ = {"password": "hunter2x", "a": ["x <private>y</private>", {token: 1, f"{token} ": (token, None, 2.5)}], "user": "me"}
    masked = "[secret: github-token]"

    assert mask_payload(given_) == Payload(
        {"password": "[secret: password]", "a": ["x ", {masked: 1, f"{masked} ": [masked, None, 2.5]}], "user": "me"},
        ("password", "private", "github-token"),
    )


def test_two_keys_that_are_masked_alike_are_both_kept() -> None:
    one, two = ("ghp_" + RANDOM[:36], "ghp_" + RANDOM[1:37])
    assert mask_payload({one: 1, two: 2}).value == {"[secret: github-token]": 1, "[secret: github-token] (2)": 2}


def test_a_payload_without_secrets_is_returned_as_it_is() -> None:
    value = {"tool": "Bash", "token_count": 3, "list": ["a <b> c", 1]}
    assert mask_payload(value).value is value
    assert mask_payload("plain") == Payload("plain")


def test_a_payload_may_be_nested_deeper_than_any_recursion() -> None:
    value: object = "ghp_" + RANDOM[:36]
    for _ in range(5_000):
        value = [value]
    found = mask_payload({"top": value})
    assert found.rules == ("github-token",)


def test_what_is_not_loaded_costs_nothing() -> None:
    source = """
import sys
from memcli.screening import mask, mask_payload
mask("Session tokens live in Postgres, see commit 9fceb02d0ae598e95dc970b74767f19372d61af8")
mask_payload({"title": "The key idea: a token budget of 900", "summary": "password checks live in auth.py"})
print("re2" in sys.modules, "memcli.screening.formats" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, env={**os.environ}, check=True)
    assert done.stdout.split() == ["False", "False"]


SIGNS = (" ", "\n", "=", ":", '"', "'", "password", "token", "key", "--", "ä", "\ud800", "a1b2c3d4e5f6g7", "://", "@", "Bearer ")
FRAGMENTS = (*[text.replace("»", "").replace("«", "") for _, text in CASES], *HARMLESS, *SIGNS)
TEXTS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=8), max_size=8).map("".join)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_masking_again_changes_nothing(text: str) -> None:
    found = mask(text)
    assert mask(found.text).text == found.text
    assert found.rules or found.text == text


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_the_first_look_passes_all_that_the_rules_find(text: str) -> None:
    raw = text.encode("utf-8", "surrogatepass")
    assert formats.find_formats(raw, keywords_of(raw, raw.lower())) == formats.find_formats(raw)


@pytest.mark.parametrize(
    "part",
    [
        *("password=", "token=a", "key='", "://a:", "ghp_"),
        *("eyJaaaaaaaaa.", "bearer ", "curl -u a", "authorization:", "--token "),
        *("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----" + "A" * 100, "A", "AAAA\n", "A" * 40 + "\n", 'key=\\"'),
        *(
            "\\n",
            "\\",
            "\\u005c",
            '\\\\\\"password\\\\\\": ',
            "%3D",
            "\x1b[",
            "&quot;",
            "a.",
            "passwords = [",
            "password:\n",
            "the password is ",
            "password login ",
            "seed phrase: a ",
        ),
        *(
            "://:@",
            "$6$a$",
            "sudo -",
            "cookie:a=",
            "Z2hwXzAxMjM0NTY3ODkwMTIzNDU2Nzg5",
            "define('PASSWORD', ",
            '"kty"',
            "A" * 30 + ".",
        ),
        *("ghp_a1b2\u200bc3d4 ", "'ghp_' + 'a1b2' ", "ghp_a1b2c3d4e5f6g7h8i9j0\n", "|password", "|password|token|\n|---|---|\n"),
        *(
            "password,pass\n",
            "name: password value ",
            'variable "password" {\n',
            "senha ",
            "kubectl create secret --from-literal=a=",
        ),
    ],
)
def test_the_time_grows_with_the_length_and_no_faster(part: str) -> None:
    def seconds(length: int) -> float:
        text = part * (length // len(part))
        start = time.process_time()
        mask(text)
        return time.process_time() - start

    measured = ((seconds(40_000), seconds(10_000)) for _ in range(3))  # other work on the machine lengthens one
    assert any(took < max(12 * 0.01, 12 * short) for took, short in measured)
