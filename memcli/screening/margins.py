"""A text as it reads without what stands before its lines, and with the names of secrets in English.

So the rules that look around a name need to know neither numbers of lines, marks of a diff and of lists nor other languages.
"""

from __future__ import annotations

from memcli.screening.values import DIGITS, KEYS_OF_TABLES, LETTERS, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    Edit = tuple[int, int, bytes]  # first byte, byte behind the last one, what stands there instead

_MOST_DIGITS = 6  # of the number of a line
_LONGEST_PATH = 160  # bytes of a path before the number of a line
_BLAMED = 120  # bytes that git puts before a line to say who wrote it
_HEXADECIMAL = b"0123456789abcdef"
_LEAST_DIGITS = 2  # behind a word that is a password
_HEADERS = (b"+++ ", b"--- ", b"@@ ", b"diff ")
_BESIDE_NUMBER = (b"\t", b"\xe2\x86\x92", b" | ", b" \xe2\x94\x82 ", b"|", b"\xe2\x94\x82", b":", b"  ")
_LONGEST_MARK = 8  # bytes of the mark of an item
_BULLETS = (b"*", b"+", b"~", b"->", b"=>", b">>", b"o")
_AROUND_NUMBER = b"()[].:/#" + "№".encode()
_BEYOND_ASCII = bytes(range(0x80, 0x100))
_IN_WORDS = LETTERS + b"_"
_NO_PARTS = (b"clave", b"Clave")  # a key of a table, too: clave_primaria
_PASSWORDS = """Passwörter Kennwörter wachtwoorden Wachtwoorden contraseñas Contraseñas senhas Senhas claves Claves пароли Пароли
mots|de|passe Mots|de|passe""".split()
_PASSWORD = """passwort Passwort kennwort Kennwort KENNWORT wachtwoord Wachtwoord WACHTWOORD mot|de|passe Mot|de|passe
mot_de_passe MOT|DE|PASSE MOT_DE_PASSE motDePasse CONTRASEÑA CONTRASENA SENHA HASŁO ПАРОЛЬ LÖSENORD mdp Mdp MDP
haslo Haslo HASLO sifre Sifre SIFRE losenord jelszo motdepasse
kata_laluan parol mima slaptazodis contrasenya Contrasenya
contraseña Contraseña contrasena Contrasena clave Clave senha Senha palavra-passe Palavra-passe lösenord
Lösenord passord Passord parola Parola heslo Heslo salasana Salasana adgangskode Adgangskode hasło Hasło jelszó
Jelszó mật|khẩu Mật|khẩu kata|sandi Kata|sandi parool Parool slaptažodis Slaptažodis lozinka Lozinka zaporka
Zaporka geslo Geslo lykilorð Lykilorð şifre Şifre пароль Пароль хасло лозинка парола 密码 密碼 口令 パスワード
暗証番号 비밀번호 암호
κωδικός Κωδικός κωδικό كلمة|المرور كلمة|السر סיסמה סיסמא पासवर्ड รหัสผ่าน""".split()
_TOKEN = "jeton Jeton токен Токен 令牌 トークン 토큰 Zugriffstoken".split()
_KEY = "Schlüssel schlüssel schluessel klucz Klucz nyckel Nyckel sleutel Sleutel ключ Ключ 密钥 密鑰 キー 키 anahtarı".split()
_API_KEY = """clé|API clave|de|API clave|API chiave|API chave|da|API chave|de|API chave|API klucz|API API|キー API|키
API|anahtarı cle_api CLE_API cle_secrete klic_api
api_anahtari api_noegle api_avain api_kulcs cheie_api klyuch_api Geheimnis""".split()


def _words() -> dict[bytes, bytes]:
    named = ((_PASSWORDS, b"passwords"), (_PASSWORD, b"password"), (_TOKEN, b"token"), (_KEY, b"key"), (_API_KEY, b"api_key"))
    return {word.replace("|", " ").encode(): english for words, english in named for word in words}


WORDS = _words()  # what other languages call a secret
_SIGNS = {"：".encode(): b":", "＝".encode(): b"=", "「".encode(): b'"', "」".encode(): b'"'}


def without_margins(raw: bytes, keywords: Collection[bytes]) -> tuple[bytes, list[int], list[int]]:
    """Returns the text without margins, with English names, and how to get back, as escapes.unescaped does.

    `keywords`: what the first look saw in it.

    Lines that read as they did before are left out where no name is in another language.
    """
    foreign = [] if WORDS.keys().isdisjoint(keywords) else [*_replaced(raw, WORDS)]
    foreign += [] if raw.isascii() else _replaced(raw, _SIGNS)
    edits = [*foreign, *_margins(raw, not foreign)]
    pieces: list[bytes] = []
    ends, shifts = list[int](), [0]
    at = size = 0
    for first, last, text in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if first < at:
            continue
        pieces += [raw[at:first], text]
        size += first - at + len(text)
        ends.append(size)
        shifts.append(shifts[-1] + last - first - len(text))
        at = last
    pieces.append(raw[at:])
    return b"".join(pieces), ends, shifts


def is_word(value: bytes) -> bool:
    """True for what may be a word of any language with the number of a footnote or an example."""
    word = value.rstrip(DIGITS)
    return not value.isascii() or (word.isalpha() and word.islower() and len(value) - len(word) < _LEAST_DIGITS)


def _replaced(raw: bytes, words: dict[bytes, bytes]) -> Iterator[Edit]:
    for word, english in words.items():
        at = raw.find(word)
        while at >= 0:
            end = at + len(word)
            is_part = word[:1].isascii() and raw[at - 1 : at] in LETTERS and at > 0
            signs = _IN_WORDS if word in _NO_PARTS else LETTERS
            is_key = word in _NO_PARTS and raw[end : end + _LONGEST_MARK + _LONGEST_MARK].startswith(KEYS_OF_TABLES)
            if not (is_part or is_key) and (raw[end : end + 1] not in signs or not raw[end : end + 1]):
                yield at, end, english
            at = raw.find(word, end)


def _margins(raw: bytes, only: bool) -> list[Edit]:
    """Returns what takes away the margins of lines, and where `only` is set all other lines but their ends."""
    is_diff = b"\n@@ -" in raw or raw.startswith(b"@@ -")
    edits: list[Edit] = []
    at = begin = head = 0  # of this line, of the lines since the last one with a margin, and of the last of them with a text
    for line in raw.split(b"\n"):
        if not _begins_with_word(line) and (size := _margin(line, is_diff) or _marker(line)):
            edits += [(begin, head, b"")] if only and begin < head else []
            edits.append((at, at + size, b""))
            begin = head = at + len(line) + 1
        elif line.strip():
            head = at
        at += len(line) + 1
    return [*edits, (begin, len(raw), b"")] if only and edits and begin < len(raw) else edits


def _begins_with_word(line: bytes) -> bool:
    """True for a line that begins with a word, and has no sign of a place: it has no margin. Most are such lines."""
    word = line[:_LONGEST_MARK].partition(b" ")[0]
    return len(word) > 1 and word.isalpha() and b":" not in line[:_LONGEST_PATH] and b"(" not in line[:_BLAMED]


def _margin(line: bytes, is_diff: bool) -> int:
    """Returns how many bytes a tool put before a line."""
    sign = line[:1]
    if sign in (b"+", b"-"):
        return int(not line.startswith(_HEADERS) and (is_diff or line[1:2] not in (b" ", sign) or line[1:3] == b"  "))
    if sign in (b"<", b">"):
        return 2 * (line[1:2] == b" ")
    if sign == b" " and is_diff:
        return 1
    number = line.lstrip(b" ")
    if number[:1] in DIGITS and number:
        return _behind_number(line, number)
    if sign in NAME and sign:
        return _behind_place(line)
    return 0


def _marker(line: bytes) -> int:
    """Returns how many bytes mark a line as an item of a list; none of marks that a list has everywhere, such as `- `."""
    plain = line.lstrip(b" \t")
    if plain[:2] in (b"- ", b"* ") and plain[2:3] == b"[" and plain[4:6] == b"] ":
        return len(line) - len(plain) + 6
    mark, blank, _ = plain[:_LONGEST_MARK].partition(b" ")
    if not blank or (len(plain) == len(line) and (mark == b"*" or (mark[:-1].isdigit() and mark[-1:] in (b".", b")")))):
        return 0
    is_sign = mark in _BULLETS or (mark > b"\x7f" and not mark.translate(None, _BEYOND_ASCII))
    return len(line) - len(plain) + len(mark) + 1 if is_sign or _is_ordinal(mark) else 0


def _is_ordinal(mark: bytes) -> bool:
    """True for `2:`, `(b)`, `[iv]`, `#3`."""
    core = mark.strip(_AROUND_NUMBER)
    is_number = core.isdigit() or (len(core) == 1 and core.isalpha()) or (core != b"" and not core.strip(b"ivx"))
    return core != mark and is_number


def _behind_number(line: bytes, number: bytes) -> int:
    """Returns where a line begins behind its number, 0 where that is none."""
    rest = number.lstrip(DIGITS)
    beside = next((sign for sign in _BESIDE_NUMBER if rest.startswith(sign)), b" " if len(number) < len(line) else b"")
    is_number = len(number) - len(rest) <= _MOST_DIGITS and beside and rest[:1] == beside[:1]
    return len(line) - len(rest) + (1 if beside == b"  " else len(beside)) if is_number else 0


def _behind_place(line: bytes) -> int:
    """Returns where a line begins behind a file and a number, or a commit and its author, 0 where none of them is there."""
    head = line[:_LONGEST_PATH]
    path = head[: len(head) - len(head.lstrip(NAME + b"/~"))]
    if path and not path.strip(_HEXADECIMAL) and head[len(path) : len(path) + 1] == b" ":
        end = head.find(b") ", 0, _BLAMED)
        return end + 2 if end > 0 and b"(" in head[:end] and head[:end].rpartition(b" ")[2].isdigit() else 0
    if head[len(path) : len(path) + 1] != b":" or not (b"/" in path or b"." in path):
        return 0
    rest = line[len(path) + 1 :]
    number = rest[: len(rest) - len(rest.lstrip(DIGITS))]
    has_number = number and rest[len(number) : len(number) + 1] == b":"
    return len(path) + 1 + (len(number) + 1 if has_number else 0)
