"""Whether a value is a secret because of the name that it is given: words of names, looks of values.

A name says password, token, secret or key. Its value must look like one, too, because most such names in a program stand before
something else: another name, a type, a path, a count, an example. The thresholds were set on CPython's standard library and on
the tuning half of the corpus (scripts/eval_secrets.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PASSWORD = "password"  # the rule for what a name calls a password
KEY = "api-key"  # and for what a name calls a token or key
PHRASE = "seed-phrase"  # and for the words or digits that a wallet is made of
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
LETTERS = _LOWER + _LOWER.upper()
NAME = LETTERS + DIGITS + b"_-."
QUOTES = (b'"', b"'", b"`")
SIGNS = b"!@#$%^&*+=?~/"
_NO_DIGITS = bytes([byte if byte in b"0123456789" else 32 for byte in range(256)])
_SMALL = bytes([byte if byte in _LOWER else 32 for byte in range(256)])
PARTED = bytes([32 if byte in b"-_./:+=" else byte for byte in range(256)])

# The words of a name that call its value a secret ...
_PASSWORD_ENDINGS = (
    *(b"password", b"passwd", b"passphrase", b"passcode", b"passwort", b"pwd"),  # and `pass` and `pw` as whole words
    *(b"pass", b"pw", b"psk", b"passw", b"passwrd"),
)
_NO_PASS = tuple(b"bypass compass encompass overpass underpass trespass surpass multipass subpass renderpass onepass".split())
_KEY_ENDINGS = (b"secret", b"token", b"apikey", b"accesskey", b"secretkey", b"authkey", b"credential")
_SECRET_KEYS = frozenset(
    b"""api access secret auth private encryption signing master client account license preshared shared app deploy integration
    service admin hmac aes crypto cipher symmetric jwt cookie webhook subscription management write ingestion bot""".split()
)
# ... the last words of a name that only describes a secret, and the words before `key` that make it no secret.
_ABOUT = frozenset(
    b"""id ids name names url uri file files path paths dir count counts type types len length limit limits budget size sizes
    hash hashes sha sha1 sha256 digest expiry expires ttl at field fields index prefix suffix regex pattern format list
    set map class kind usage per policy endpoint version status store manager provider env var header hint label
    placeholder ref arn error errors message rules strength reset required algorithm method encoding by timeout lifetime
    retries attempts interval duration age generator validator validation verifier hasher policies hashing rotation manager
    managers column columns requirements history complexity entropy""".split()
)
_PUBLIC_KEYS = frozenset(
    b"""public pub publishable primary foreign sort cache partition idempotency object dedupe host lookup group index unique
    natural row shift arrow function map dict hot short storage translation i18n query site""".split()
)
# What examples and references have in them.
EXAMPLES = (
    b"example", b"changeme", b"change_me", b"change-me", b"placeholder", b"your", b"xxxx", b"dummy", b"redacted", b"***", b"...",
)  # fmt: skip
_REFERENCES = (
    b"secret:", b"${", b"{{", b"%(", b"process.env", b"environ", b"getenv",
)  # fmt: skip
_PLACES = (b"${", b"$(", b"{{", b"%(", b"<", b"://")
_HIDDEN = b"*x.-_ " + "•●".encode()  # what is shown in place of a password
STRONG = 20  # characters of a word that is a secret whatever stands around it
_PUBLIC_BEGINNINGS = (b"ssh-", b"ecdsa-", b"sk-ssh-", b"sk-ecdsa-", b"AAAAB3NzaC1", b"AAAAC3NzaC1", b"AAAAE2VjZHNh")  # of ssh
_RUNS = (b"12345678", b"00000000", b"aaaaaaaa")  # in a short value
# What a name of a password is set to where no password is: types, states, labels.
_NO_PASSWORDS = frozenset(
    b"""object number optional hidden masked valid strict strong medium kennwort change forbid allow random never always rotate
    rotated stored vault normal secure strength manual custom native legacy public static simple simply common remote system
    server client global memory session cookie header bearer digest oauth2 saml2 ldap3 keychain keyring""".split()
)
_NO_PASSWORD_BEGINNINGS = tuple(
    b"""string text varchar charfield bool integer null none true false undef require invalid missing empty enable disable prompt
    input field secret passw default unset unknown value wrong incorrect user login auth hash encrypt crypt bcrypt argon plain
    token reset forgot confirm generat placeholder expired""".split()
)
# What follows a word that is "key" and "password" in one, where it is a key: of tables, of pairs of keys.
KEYS_OF_TABLES = tuple(" primaria| primária| foránea| foranea| ajena| pública| publica| única| compuesta".encode().split(b"|"))
# Words of a message, or of a label, and of no passphrase.
MESSAGE = frozenset(
    b"""the a an is your you must be of to in at least not or and for with my this that enter new old password passwords
    characters should was has have are can please wrong invalid type confirm too short long here""".split()
)
_TECHNICAL = frozenset(
    b"""sha1 sha256 sha384 sha512 md5 argon2 argon2id bcrypt pbkdf2 base32 base64 base64url utf8 utf-8 oauth oauth2 x509 aes128
    aes256 rs256 hs256 es256 ed25519 k8s http2 ipv4 ipv6 sha-256 sha-512 sha-1 pkcs8 pkcs12 sha512crypt 1password int32 int64
    uint8 uint32 uint64 float32 float64""".split()
)
_TYPES = frozenset(b"varchar nvarchar char nchar string text binary varbinary blob bytes rfc sha utf bcrypt pbkdf".split())
# What numbers stand behind where they count something.
_COUNTED = frozenset(
    b"""step steps part section chapter version release phase level page line lines table figure rule item row sprint issue task
    ticket bug day days week month year type test case example option field policy min max minimum maximum length size number
    attempt attempts retry try error code status port user users group role account node host worker server build run job http
    status rev revision draft article utf sha iso rfc cve tls ssl aes rsa phase stage variant scenario slot tier
    schritt teil kapitel seite zeile""".split()
)
_ENDS_OF_STRING = (b'",', b'"}', b'"]')


def rule_for(name: bytes, value: bytes, plain: bool, sure: bool = False) -> str:
    """Returns the rule by which a value is a secret because of its name, or "".

    `plain`: it is quoted, or stands in a file of settings, so that it cannot be a piece of a program. `sure`: it is what the name
    is set to, so that a password may be a word or a number.
    """
    value = value.strip(b" ").removeprefix(b"{noop}")
    letters, digits, signs = (len(value) - len(value.translate(None, kind)) for kind in (LETTERS, DIGITS, SIGNS))
    if len(value) < 6:
        return ""
    words = words_of(name)
    rule, only_key = _rule_of(words)
    if not rule or _is_example(value) or is_technical(value):
        return ""
    if rule == PASSWORD and (is_passphrase(value) if plain or sure else b"_" not in value and is_passphrase(value)):
        return rule
    if not only_key and (plain or sure or name.isupper()) and _is_worded(value):
        return rule
    if rule == PASSWORD and sure and (len(value.split()) > 1 or not letters or not (digits or signs)):
        return rule if _is_password(name, value) else ""
    if (
        len(value.split(None, 1)) != 1
        or not letters
        or (not plain and is_code(value) and not _is_random(value))
        or is_wordy(value)
    ):
        return ""
    if rule == PASSWORD:
        if words[-1] == b"pass" and value.islower() and not signs and (digits < 2 or b"_" in value):
            return ""  # of a compiler, or what passes
        return rule if (digits or signs) and value[:2] != b"0x" and not (value[-1:] == b"?" and value[:-1].isalpha()) else ""
    if _is_identifier(value):
        return ""
    if not (digits or signs):
        return rule if (plain or len(value) >= STRONG) and _is_random(value) else ""
    low = value.lower()
    if only_key:
        mixed = value not in (low, value.upper()) or (len(value) >= 32 and name.isupper())
        return rule if len(value) >= 20 and digits and mixed and spread(value) >= 10 else ""
    if len(value) == 40 and digits and b"access" in words and not value.translate(None, LETTERS + DIGITS + b"/+"):
        return "aws-secret-key"
    return rule if len(value) >= 10 and (digits >= 2 or _is_random(value)) and spread(value) >= 6 else ""


def rule_beside(name: bytes, value: bytes) -> str:
    """Returns the rule by which a value is a secret among others of its name that are, so that its looks say little."""
    low = value.lower()
    is_none = _is_no_password(low) or is_technical(value)
    is_place = value.startswith(_PLACES) or any(example in low for example in EXAMPLES) or not value.strip(_HIDDEN)
    if len(value) < 4 or len(value.split()) != 1 or is_none or is_place:
        return ""
    return PASSWORD if _rule_of(words_of(name))[0] == PASSWORD else ""


def is_secret_key(word: bytes) -> bool:
    """True for a word before `key` that makes it a secret: `api key`, and not `public key`."""
    return word.lower() in _SECRET_KEYS


def is_technical(value: bytes) -> bool:
    """True for the name of a method or format, which sentences about passwords and tokens are full of."""
    low = value.lower()
    return low in _TECHNICAL or low.replace(b"-", b"") in _TECHNICAL or low.rstrip(DIGITS) in _TYPES


def only_describes(words: Sequence[bytes] | bytes) -> bool:
    """True for a word behind that of a secret, or the head of a column, that says what of it is meant: its length, its type."""
    word = words if isinstance(words, bytes) else b"".join(words[:1])
    word = word.strip(b" *:`,.").lower()
    return word in _ABOUT or word in (b"type", b"types", b"description", b"meaning", b"default", b"notes")


_REMEMBERED = 1_000
_judged: dict[bytes, bool] = {}  # each line of a log has the same names
_judged_by_end: dict[bytes, bool] = {}


def names_secret(name: bytes) -> bool:
    """True for a name whose words call its value a secret."""
    is_secret = _judged.get(name)
    if is_secret is None:
        if len(_judged) >= _REMEMBERED:
            _judged.clear()
        is_secret = _judged[name] = bool(_rule_of(words_of(name))[0])
    return is_secret


def ends_in_secret(name: bytes) -> bool:
    """True for a name that ends in the word for its secrets: `passwords`, `api_keys`, and not `pass_through`."""
    is_secret = _judged_by_end.get(name)
    if is_secret is None:
        if len(_judged_by_end) >= _REMEMBERED:
            _judged_by_end.clear()
        is_secret = _judged_by_end[name] = bool(_rule_of(words_of(name)[-1:])[0])
    return is_secret


def names_phrase(name: bytes) -> bool:
    """True for a name whose value is the words of a wallet: `SEED_PHRASE`, `mnemonic`."""
    return name.lower().endswith((b"seed", b"mnemonic", b"phrase")) and not name.lower().endswith(b"passphrase")


def _is_password(name: bytes, value: bytes) -> bool:
    """True for words or numbers that a name of a password is set to, and no label, type or message."""
    low = value.lower()
    words = low.split()
    if len(words) > 1:
        is_phrase = name.lower().endswith(b"phrase") or name.isupper() or not low.replace(b" ", b"").isalpha()
        return is_phrase and all(len(word) > 1 and word.isalnum() for word in words) and not MESSAGE.intersection(words)
    if value.isdigit():
        return len(set(value)) > 2
    is_label = value[:1].isupper() and value[1:].islower() and not name.isupper()
    is_type = b"passw" in low or (value not in (low, value.upper(), value.title()) and value[:1].isupper())
    return (value.isalpha() and not is_label and not is_type and not _is_no_password(low)) or _is_random(value)


def _is_no_password(low: bytes) -> bool:
    """True for a type, a state or a label, in lower case, which stands where no password is."""
    return low in _NO_PASSWORDS or low.startswith(_NO_PASSWORD_BEGINNINGS)


def _is_random(value: bytes) -> bool:
    """True for letters in no order, at least fourteen."""
    letters = value.translate(None, DIGITS + b"-_=")
    if len(value) < 14 or not letters.isalpha() or spread(value) < 8:
        return False
    return (value.isupper() and b"_" not in value and len(value) >= 16) or _is_mixed(letters, 2)


def _is_mixed(letters: bytes, least: int = 1) -> bool:
    """True for letters that, unlike words joined by capitals, change their case often and have capitals in pairs."""
    if len(letters) < 8 or letters in (letters.lower(), letters.upper()):
        return False
    pairs = list(zip(letters, letters[1:]))
    changes = sum([(first > 96) != (second > 96) for first, second in pairs])
    capitals = sum([first < 96 and second < 96 for first, second in pairs])
    return changes * 4 >= len(letters) and capitals >= least


def _is_example(value: bytes) -> bool:
    """True for what stands where a secret will be, and for a path or address."""
    low = value.lower()
    is_begun = value[:1] in b"$%<{[(/.~*&-:" and not (
        value[:1] == b"-" and is_strong(value[1:])
    )  # base64 for addresses has a dash
    if is_begun or b"://" in value or value[1:3] == b":\\" or _is_path(value):
        return True
    if value.startswith(_PUBLIC_BEGINNINGS):
        return True
    if value[:1] == b"@" and b"." in value:  # curl and others read a file then
        return True
    if any(example in low for example in EXAMPLES) or any(reference in low for reference in _REFERENCES):
        return True
    return len(value) < 32 and any(run in low for run in _RUNS)


def _is_identifier(value: bytes) -> bool:
    """True for words joined by capitals or underscores: `AsyncKeysWithRawResponse`, `ENABLE_FTS3_TOKENIZER`."""
    digits = len(value) - len(value.translate(None, DIGITS))
    if value.translate(None, LETTERS + DIGITS + b"_.") or (len(value) >= 28 and digits >= 3):
        return False
    if len(value) >= 18 and len(value.translate(_NO_DIGITS).split()) > 2 and b"_" not in value:
        return False  # three numbers among its letters
    if b"_" in value and value.isupper():
        return all(word.rstrip(DIGITS).isalpha() for word in value.split(b"_") if word)
    letters = len(value) - len(value.translate(None, LETTERS))
    least, share = (3, 0.6) if letters == len(value) else (4, 0.5)
    in_words = sum([len(run) + 1 for run in value.translate(_SMALL).split() if len(run) >= least])
    return value[:1].isalpha() and not value.islower() and in_words >= share * letters


def _is_path(value: bytes) -> bool:
    """True for a relative path: its first folder is a plain word."""
    first, slash, rest = value.partition(b"/")
    return bool(slash) and len(first) > 1 and first.isalpha() and first.islower() and (b"/" in rest or b"." in rest)


def words_of(name: bytes) -> list[bytes]:
    """Returns the words of a name, in lower case: of accessToken_2, access and token."""
    parted = bytearray()
    before = 0
    for byte in name.strip(b"-_."):
        if 65 <= byte <= 90 and not 65 <= before <= 90:
            parted.append(32)
        parted.append(32 if byte in b"-_." else byte)
        before = byte
    return [word for word in bytes(parted).lower().split() if not word.isdigit()]


def _rule_of(words: list[bytes]) -> tuple[str, bool]:
    """Returns (the rule for values of a name, whether the name says no more than key): ("", False) for a name of no secret."""
    if not words or words[-1] in _ABOUT:
        return "", False
    numberless = [word.rstrip(DIGITS) for word in words]
    plain = [word if word.endswith(b"pass") else word.removesuffix(b"s") for word in numberless]
    if any(word.endswith(_PASSWORD_ENDINGS) and not word.endswith(_NO_PASS) for word in plain):
        return PASSWORD, False
    if any(word.endswith(_KEY_ENDINGS) for word in plain):
        return KEY, False
    if plain[-1].endswith(b"key"):
        kind = words[-2] if len(words) > 1 else plain[-1][:-3]
        return ("", False) if kind in _PUBLIC_KEYS else (KEY, kind not in _SECRET_KEYS)
    return "", False


def is_code(value: bytes) -> bool:
    """True for a piece of a program: a name, plain or with dots, or something with brackets."""
    if value.translate(None, b"()[]{}|") != value or b"&&" in value:
        return True
    value = value.replace(b"->", b".").replace(b"::", b".")
    names = value.split(b".")
    if any(len(name) >= 20 and len(name) - len(name.translate(None, DIGITS)) >= 3 for name in names):
        return False
    if len(names) == 1:
        return not value.translate(None, LETTERS + b"_")
    return all(name[:1].isalpha() or name[:1] == b"_" for name in names) and not value.translate(None, NAME)


def is_wordy(value: bytes) -> bool:
    """True for words and numbers side by side: `step-2-of-3`, `2026-01-02`, `read/write`."""
    words = value.translate(PARTED).split()
    if len(words) > 2:
        words = [_without_number(word) for word in words]
    return (len(words) != 1 or words[0] in (b"password", b"secret", b"token")) and all(
        (word.isalpha() and not _is_mixed(word)) or word.isdigit() for word in words
    )


def _is_worded(value: bytes) -> bool:
    """True for words that somebody joined to a secret: four long ones, or some with a number: `zq9-blueheron-4471-kestrel`."""
    words = value.split(b"-")
    if not 3 <= len(words) <= 8 or not value.islower() or any(not word.isalnum() for word in words):
        return False
    long = [word for word in words if word.isalpha() and len(word) > 3 and word not in _COUNTED]
    if len(long) >= 4 and sum(map(len, long)) >= 20:
        return True
    return len(long) >= 2 and any(word.isdigit() and len(word) in (2, 3, 4, 5) and not 1900 <= int(word) < 2100 for word in words)


def is_passphrase(value: bytes) -> bool:
    """True for words and a number that somebody joined to a password: `Copper-Kite-41`, `winter-2031`, and not `Step-2`."""
    joint = next((byte for byte in b"-_.+" if byte in value), 0)
    words = value.split(bytes([joint])) if joint else []
    numbers = [word for word in words if word.isdigit()]
    plain = [word for word in words if word.isalpha() and len(word) > 2 and (word.islower() or word.istitle())]
    if not 2 <= len(words) <= 6 or len(numbers) != 1 or len(plain) + 1 != len(words) or len(numbers[0]) > 6:
        return False
    if len({word.istitle() for word in plain}) > 1 or (joint == 46 and len(plain) < 2):  # `Word.Other-word`, `name.3`
        return False
    least = 2 if len(plain) == 1 or plain[0].islower() else 1
    lows = [word.lower() for word in plain]
    is_named = any(_is_no_password(low) or low in _ABOUT or low in MESSAGE for low in lows)
    return len(numbers[0]) >= least and not is_named and not _COUNTED.intersection(lows) and len(value) >= 8


def _without_number(word: bytes) -> bytes:
    """Returns a word without the number before or behind it: `v2`, `Step3`, `30days`, and not `kR7`."""
    plain = word.strip(DIGITS)
    in_case = plain.islower() or plain.isupper() or (plain.istitle() and word[:1] == plain[:1])
    return plain if in_case and len(word) - len(plain) < 4 else word


def is_strong(value: bytes) -> bool:
    """True for a long word of small letters, capitals and digits in no order: no text has one by chance."""
    counts = [len(value) - len(value.translate(None, kind)) for kind in (_LOWER, _LOWER.upper(), DIGITS)]
    is_mixed = len(value) >= STRONG and min(counts) >= 2 and spread(value) >= 12 and b"abcdef" not in value.lower()
    return is_mixed and not is_wordy(value) and not _is_identifier(value)


def spread(value: bytes) -> float:
    """Returns how many different characters a value has in effect: two to the power of its collision entropy."""
    return len(value) ** 2 / sum([value.count(byte) ** 2 for byte in set(value)])


def lines_from(raw: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    """Yields each line of a text from the byte `at` on, with where it begins."""
    while at < len(raw):
        end = raw.find(b"\n", at)
        end = end if end >= 0 else len(raw)
        yield at, raw[at:end]
        at = end + 1


def first_word(text: bytes) -> bytes:
    """Returns the first word of a text, without the end of the string that it stands in."""
    return before_end((text.split(None, 1) or [b""])[0])


def before_end(text: bytes) -> bytes:
    """Returns a text as far as the string of JSON goes that it stands in."""
    for end in _ENDS_OF_STRING:
        text = text.partition(end)[0]
    return text
