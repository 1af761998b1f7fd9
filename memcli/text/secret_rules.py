"""The published formats of secrets, and the engine that finds them in linear time: RE2, loaded only where something may be found.

Each pattern says what the issuer documents of its tokens (their fixed beginning, alphabet and length); the first group is the secret.
Lengths are lower bounds, so that a longer edition of a token is found, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import re2

from memcli.text.assigned import EXAMPLES, is_code, spread

if TYPE_CHECKING:
    from memcli.text.screening import Span

_PEM = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_GAP = r"(?:\s|\\[nrt]|[\"'+,>|#*])"
RULES: tuple[tuple[str, str], ...] = (
    # A block whose end is missing reaches as far as its characters do; one whose beginning was cut off is known by its end.
    ("private-key", rf"(-----BEGIN {_PEM}(?:{_GAP}*[A-Za-z-]{{1,20}}: [^\n\\]*)*(?:[A-Za-z0-9+/=]|{_GAP}){{40,}}(?:-----END {_PEM})?)"),
    ("private-key", rf"((?:[A-Za-z0-9+/=]{{40,}}{_GAP}+)+(?:[A-Za-z0-9+/=]+{_GAP}+)?-----END {_PEM})"),
    ("private-key", r"Private-Lines: \d+\s+((?:[A-Za-z0-9+/=]{20,}\s*)+)"),
    ("aws-access-key", r"\b((?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16})\b"),
    ("aws-bedrock-key", r"\b(ABSK[A-Za-z0-9+/]{100,}={0,2})"),
    ("aws-mws-token", r"\b(amzn\.mws\.[0-9a-f-]{36})"),
    ("alibaba-access-key", r"\b(LTAI[A-Za-z0-9]{12,26})\b"),
    ("tencent-secret-id", r"\b(AKID[A-Za-z0-9]{32})\b"),
    ("gcp-api-key", r"\b(AIza[A-Za-z0-9_-]{35})"),
    ("gcp-oauth-token", r"\b(ya29\.[A-Za-z0-9_-]{20,})"),
    ("gcp-client-secret", r"\b(GOCSPX-[A-Za-z0-9_-]{20,})"),
    ("azure-storage-key", r"AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-shared-key", r"SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})"),
    ("azure-sas-signature", r"\bsig=([A-Za-z0-9%/+]{40,}=?)"),
    ("azure-client-secret", r"\b([A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34})"),
    ("github-token", r"\b(gh[pousr]_[A-Za-z0-9_]{20,})"),
    ("github-token", r"\b(github_pat_[A-Za-z0-9_]{22,})"),
    ("gitlab-token", r"\b(gl(?:pat|dt|rt|ft|soat|ptt|cbt|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{16,})"),
    ("gitlab-token", r"\b(GR1348941[A-Za-z0-9_-]{20,})"),
    ("slack-token", r"\b(xox[abcdeoprs][-.][A-Za-z0-9.-]{10,})"),
    ("slack-token", r"\b(xapp-\d-[A-Za-z0-9-]{10,})"),
    ("slack-webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})"),
    ("discord-webhook", r"discord(?:app)?\.com/api/webhooks/(\d+/[A-Za-z0-9_-]{40,})"),
    ("telegram-bot-token", r"\b(\d{8,10}:AA[A-Za-z0-9_-]{32,})"),
    ("stripe-key", r"\b([sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,})"),
    ("stripe-webhook-secret", r"\b(whsec_[A-Za-z0-9+/]{20,}={0,2})"),
    ("anthropic-key", r"\b(sk-ant-[A-Za-z0-9_-]{16,})"),
    ("openai-key", r"\b(sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,})"),
    ("openai-key", r"\b(sk-[A-Za-z0-9]{20,})"),
    ("openrouter-key", r"\b(sk-or-v1-[0-9a-f]{40,})"),
    ("langfuse-key", r"\b(sk-lf-[0-9a-f-]{36})"),
    ("npm-token", r"\b(npm_[A-Za-z0-9]{30,})"),
    ("pypi-token", r"\b(pypi-AgE[A-Za-z0-9_-]{20,})"),
    ("jwt", r"\b(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)*)"),
    ("sendgrid-key", r"\b(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})"),
    ("mailgun-key", r"\b(key-[0-9a-f]{32})\b"),
    ("twilio-key", r"\b(SK[0-9a-f]{32})\b"),
    ("shopify-token", r"\b(shp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32})"),
    ("digitalocean-token", r"\b(do[opr]_v1_[a-f0-9]{40,})"),
    ("huggingface-token", r"\b(hf_[A-Za-z0-9]{30,})"),
    ("linear-key", r"\b(lin_(?:api|oauth)_[A-Za-z0-9]{30,})"),
    ("docker-token", r"\b(dckr_[po]at_[A-Za-z0-9_-]{20,})"),
    ("age-key", r"\b(AGE-SECRET-KEY-1[A-Z0-9]{50,})"),
    ("brevo-key", r"\b(x(?:keysib|smtpsib)-[a-f0-9]{60,}(?:-[A-Za-z0-9]+)?)"),
    ("vault-token", r"\b(hv[sb]\.[A-Za-z0-9_-]{24,})"),
    ("terraform-token", r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{50,})"),
    ("databricks-token", r"\b(dapi[a-f0-9]{32}(?:-\d)?)"),
    ("postman-key", r"\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})"),
    ("rubygems-key", r"\b(rubygems_[a-f0-9]{48})"),
    ("newrelic-key", r"\b(NRAK-[A-Z0-9]{27})"),
    ("grafana-token", r"\b(glc_[A-Za-z0-9+/]{32,}={0,2}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})"),
    ("sentry-token", r"\b(sntry[su]_[A-Za-z0-9+/=_]{40,})"),
    ("planetscale-token", r"\b(pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,})"),
    ("atlassian-token", r"\b(AT[AC]TT3[A-Za-z0-9_=-]{60,})"),
    ("figma-token", r"\b(figd_[A-Za-z0-9_-]{30,})"),
    ("groq-key", r"\b(gsk_[A-Za-z0-9]{40,})"),
    ("xai-key", r"\b(xai-[A-Za-z0-9]{60,})"),
    ("perplexity-key", r"\b(pplx-[A-Za-z0-9]{40,})"),
    ("nvidia-key", r"\b(nvapi-[A-Za-z0-9_-]{50,})"),
    ("replicate-token", r"\b(r8_[A-Za-z0-9]{30,})"),
    ("tailscale-key", r"\b(tskey-[a-z]+-[A-Za-z0-9-]{20,})"),
    ("1password-token", r"\b(ops_eyJ[A-Za-z0-9+/]{60,}={0,2})"),
    ("square-token", r"\b(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,})"),
    ("facebook-token", r"\b(EAA[A-Za-z0-9]{80,})"),
    ("cloudflare-ca-key", r"\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{100,})"),
    ("supabase-token", r"\b(sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{20,})"),
    ("crates-token", r"\b(cio[A-Za-z0-9]{32})\b"),
    ("notion-token", r"\b(ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})\b"),
    ("pulumi-token", r"\b(pul-[a-f0-9]{40})"),
    ("langsmith-key", r"\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})"),
    ("artifactory-key", r"\b(AKCp[A-Za-z0-9]{60,})"),
    ("authorization", r"(?i)authorization[\"'`\\]*\s*[:=]\s*[\"'`\\]*(?:(?:basic|bearer|token|apikey|negotiate)\s+)?([A-Za-z0-9._~+/:-]{8,}={0,2})"),
    ("authorization", r"(?i)\bbearer[\s:=\"'`]+([A-Za-z0-9._~+/-]{16,}={0,2})"),
    ("url-password", r"://[^\s:/?#@\"'`<>\\]*:([^\s@\"'`<>\\]+)@[A-Za-z0-9\[_.$%-]"),
    ("command-password", r"\b(?:mysql|mariadb)[a-z-]{0,20}(?: [^\n|;&]{0,500}?)? -p[\"']?([^\s\"'`|;&]+)"),
    ("command-password", r"\bsshpass -p[ =]?[\"']?([^\s\"'`|;&]+)"),
    ("command-password", r"\bredis-cli(?: [^\n|;&]{0,500}?)? -a +[\"']?([^\s\"'`|;&]+)"),
    ("url-password", r"\bcurl\b[^\n]{0,500}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"'`]+:([^\s\"'`]+)"),
)  # fmt: skip
# An access key of AWS is 40 characters without a mark of its own: told by the id that stands in the same text.
_PAIRED = ("aws-secret-key", r"(?:^|[^A-Za-z0-9/+=])([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)")
_PLAIN = frozenset(b"password passwd pass pwd secret user username token key admin root test".split())
_OPTIONS = frozenset(b"rint rint0 rintf rune retty rogress rofile".split())  # -print and others, which are no -p with a password
_SCHEMES = (b"basic ", b"bearer", b"token ", b"apikey ", b"negotiate ")
_COMPILED: dict[str, Any] = {}


def found(raw: bytes) -> list[Span]:
    """Returns every secret in a text of which the format is known: (first byte, byte behind the last, rule)."""
    spans: list[Span] = []
    for rule, pattern in RULES:
        spans += _matches(raw, rule, pattern)
    if any(rule == "aws-access-key" for _, _, rule in spans):
        spans += [(start, end, rule) for start, end, rule in _matches(raw, *_PAIRED) if spread(raw[start:end]) >= 14]
    return spans


def _matches(raw: bytes, rule: str, pattern: str) -> list[Span]:
    engine = _COMPILED.get(pattern)
    if engine is None:
        engine = _COMPILED[pattern] = re2.compile(pattern.encode())
    spans = []
    done = 0
    for match in engine.finditer(raw):
        start, end = match.span(1)
        if start >= done and _is_real(rule, raw[start:end], match.group(0)):
            done = _word_end(raw, end)
            spans.append((start, done, rule))
    return spans


def _word_end(raw: bytes, end: int) -> int:
    """Returns where the word ends that a secret begins: what is left of it would look like the beginning of another one."""
    while raw[end : end + 1].isalnum() or raw[end : end + 1] == b"_":
        end += 1
    return end


def _is_real(rule: str, secret: bytes, whole: bytes) -> bool:
    """False for what only looks like a secret: an example, a placeholder, one letter again and again."""
    low = secret.lower()
    if rule == "private-key":
        lines = secret.translate(bytes([32 if byte in b"\\\"'+,>|#*-" else byte for byte in range(256)])).split()
        return max(map(len, lines)) >= 24
    if rule in ("url-password", "command-password"):
        user = whole.partition(b":" + secret)[0].rpartition(b"/")[2]
        plain = len(secret) < 4 or low in _PLAIN or low == user.lower() or secret[:1] in b"$%{<[" or low.strip(b"*x.") == b""
        return not plain and not any(example in low for example in EXAMPLES) and not _is_port(secret) and low not in _OPTIONS
    if any(example in low for example in EXAMPLES):
        return False
    if rule == "authorization":
        if is_code(secret) and not any(scheme in whole.lower() for scheme in _SCHEMES):
            return False  # authorization = base64.b64encode(...)
        return any(48 <= byte <= 57 for byte in secret) or (secret[1:] not in (low[1:], low[1:].upper()) and b"asic" in whole)
    return spread(secret[-40:]) >= 4 and (any(48 <= byte <= 57 for byte in secret) or spread(secret[-40:]) >= 14)


def _is_port(secret: bytes) -> bool:
    """True for what stands behind a host and its colon, as in http://host:8080/path@2, and for -p127.0.0.1:3306:3306."""
    number, slash, _ = secret.partition(b"/")
    is_published = b":" in secret and not secret.strip(b"0123456789.:")
    return is_published or (bool(slash) and number.isdigit())
