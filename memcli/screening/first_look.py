"""The first look at a text that is stored: whether a rule for secrets may match it at all, and what may part a secret in it.

It runs on every text, without a regex engine, and in one pass: of the beginnings of all words only those of a keyword are looked
at closer. It looks at a text without its escapes (escapes.py).
"""

from __future__ import annotations

_LOWER = b"abcdefghijklmnopqrstuvwxyz"
_WORD = _LOWER.upper() + _LOWER + b"0123456789_"
_ALNUM = _WORD[:-1]
_DIGITS = b"0123456789"
_TOKEN = _WORD + b"-.~+/=%"
_OTHERS = bytes(range(256)).translate(None, _ALNUM)
_WORDS = bytes.maketrans(_OTHERS, b" " * len(_OTHERS))  # what is in no word, as spaces
_SEXTETS = _LOWER.upper() + _LOWER + b"0123456789+/"
_NO_SEXTETS = bytes(range(256)).translate(None, _SEXTETS)
_BASE64_WORDS = bytes.maketrans(_NO_SEXTETS, b" " * len(_NO_SEXTETS))
_SECOND = bytes([_SEXTETS[bits] for bits in range(64) if not bits & 8])
_THIRD = bytes([_SEXTETS[bits] for bits in range(64) if not bits & 2])
_ENCODED = 20  # characters of base64 that are worth a look
_GAP = b" \t\n\r\f\v\"'`:=\\"  # what stands between the name of a header and its credential
_FAR = 64  # bytes of a gap
_LONG_PART = 16  # letters and digits without a sign between them, ahead of which a token inside a word is searched for
_LONG_WORD = 512  # bytes of a word without spaces that are searched for literals

# Made from secret_rules.toml by scripts/generate.py.
# fmt: off
# A token: its keyword, how many characters follow it at least, whether it begins a word. A sequence: its keyword,
# literals that follow in this order, what ends the text that holds them: None for a space, nothing for no end.
# A word or its first bytes -> the tokens and sequences of which the keyword has that word first.
_HEADS: dict[bytes, tuple[tuple[tuple[bytes, int, bool], ...], tuple[tuple[bytes, tuple[bytes, ...], bytes | None], ...]]] = {
    b"0": (((b"0.", 55, True),), ()), b"0x4A": (((b"0x4AAAAAAA", 20, True),), ()), b"1": ((), ((b"$1$", (b"$",), None),)), b"1433": ((), ((b":1433", (), None),)), b"1521": ((), ((b":1521", (), None),)), b"2701": ((), ((b":27017", (), None),)), b"2a": ((), ((b"$2a$", (b"$",), None),)),
    b"2b": ((), ((b"$2b$", (b"$",), None),)), b"2x": ((), ((b"$2x$", (b"$",), None),)), b"2y": ((), ((b"$2y$", (b"$",), None),)), b"3306": ((), ((b":3306", (), None),)), b"4b1d": (((b"4b1d", 38, True),), ()), b"5": ((), ((b"$5$", (b"$",), None),)), b"5432": ((), ((b":5432:", (b":", b":"), None), (b":5432", (), None))),
    b"5672": ((), ((b":5672", (), None),)), b"6": ((), ((b"$6$", (b"$",), None),)), b"6379": ((), ((b":6379", (), None),)), b"7": ((), ((b"$7$", (b"$",), None),)), b"7z": ((), ((b"7z ", (b"-", b"p"), b"\n"),)),
    b"7za": ((), ((b"7za ", (b"-A",), b"\n"), (b"7za ", (b"-N",), b"\n"), (b"7za ", (b"-P",), b"\n"), (b"7za ", (b"-", b"p"), b"\n"))), b"8123": ((), ((b":8123", (), None),)), b"9042": ((), ((b":9042", (), None),)), b"9200": ((), ((b":9200", (), None),)), b"A3": (((b"A3-", 36, True),), ()),
    b"A3T": (((b"A3T", 17, True),), ()), b"ABIA": (((b"ABIA", 16, True),), ()), b"ABSK": (((b"ABSK", 100, True),), ()), b"ACCA": (((b"ACCA", 16, True),), ()), b"AGE": (((b"AGE-SECRET-KEY-1", 50, True),), ()), b"AKCp": (((b"AKCp", 60, True),), ()), b"AKIA": (((b"AKIA", 16, False),), ()),
    b"AKID": (((b"AKID", 32, True),), ()), b"API": (((b"API-", 26, True),), ((b"API-Token", (), None),)), b"ASIA": (((b"ASIA", 16, False),), ()), b"ATAT": (((b"ATATT3", 60, True),), ()), b"ATCT": (((b"ATCTT3", 60, True),), ()), b"Acc": ((), ((b"Acc\xc3\xa8s", (b"/",), b"\n"), (b"Acc\xc3\xa8s", (b"|",), b"\n"))),
    b"Acce": ((), ((b"Acceso", (b"/",), b"\n"), (b"Acceso", (b"|",), b"\n"))), b"Acco": ((), ((b"Account", (b"/",), b"\n"), (b"Account", (b"|",), b"\n"))), b"AccountKey": (((b"AccountKey=", 40, True),), ()), b"Adga": ((), ((b"Adgangskode", (), None),)),
    b"Anme": ((), ((b"Anmeldedaten", (b"/",), b"\n"), (b"Anmeldedaten", (b"|",), b"\n"))), b"AuthUserPass": ((), ((b"AuthUserPass ", (b" ",), b"\n"),)), b"Authenticate": ((), ((b"Authenticate(", (b",",), b""),)),
    b"BEGIN": ((), ((b"-----BEGIN ", (b"PRIVATE KEY", b"-----"), b"\n"), (b"-----BEGIN OpenVPN", (b" Static key V1-----",), b"\n"))),
    b"BasicAWSCredentials": ((), ((b"BasicAWSCredentials(", (b'"', b'",'), b""), (b"BasicAWSCredentials(", (b'"', b"',"), b""), (b"BasicAWSCredentials(", (b"'", b'",'), b""), (b"BasicAWSCredentials(", (b"'", b"',"), b""))),
    b"BasicAuth": ((), ((b"BasicAuth(", (b'"', b'",'), b""), (b"BasicAuth(", (b'"', b"',"), b""), (b"BasicAuth(", (b"'", b'",'), b""), (b"BasicAuth(", (b"'", b"',"), b""), (b"BasicAuth(", (b",",), b""))), b"CCIPAT": (((b"CCIPAT_", 61, True),), ()), b"CCIPRJ": (((b"CCIPRJ_", 61, True),), ()),
    b"CLE": ((), ((b"CLE_API", (), None),)), b"CLOJARS": (((b"CLOJARS_", 60, True),), ()), b"CONN": ((), ((b"CONN ", (b",",), b"\n"), (b"CONN ", (b"/",), b"\n"))), b"CONNECT": ((), ((b"CONNECT ", (b",",), b"\n"), (b"CONNECT ", (b"/",), b"\n"))), b"CONT": ((), ((b"CONTRASENA", (), None),)),
    b"CONTRASE": ((), ((b"CONTRASE\xc3\x91A", (), None),)), b"CRAMMD5Auth": ((), ((b"CRAMMD5Auth(", (b",", b","), b"\n"),)),
    b"CRED": ((), ((b"CREDS", (b"/",), b"\n"), (b"CREDS", (b":",), b"\n"), (b"CREDS", (b"|",), b"\n"), (b"CREDENTIALS", (b"/",), b"\n"), (b"CREDENTIALS", (b":",), b"\n"), (b"CREDENTIALS", (b"|",), b"\n"))), b"Chav": ((), ((b"Chave", (), None),)), b"Chia": ((), ((b"Chiave", (), None),)),
    b"Cl": ((), ((b"Cl\xc3\xa9", (), None),)), b"Clav": ((), ((b"Clave", (), None),)), b"Cont": ((), ((b"Contrasena", (), None), (b"Contrasenya", (), None))), b"Contrase": ((), ((b"Contrase\xc3\xb1a", (), None),)),
    b"ConvertTo": ((), ((b"ConvertTo-SecureString ", (b'"', b'"'), b"\n"), (b"ConvertTo-SecureString ", (b'"', b"'"), b"\n"), (b"ConvertTo-SecureString ", (b"'", b'"'), b"\n"), (b"ConvertTo-SecureString ", (b"'", b"'"), b"\n"))),
    b"Cred": ((), ((b"Creds", (b"/",), b"\n"), (b"Creds", (b":",), b"\n"), (b"Creds", (b"|",), b"\n"), (b"Credentials", (b"/",), b"\n"), (b"Credentials", (b":",), b"\n"), (b"Credentials", (b"|",), b"\n"))),
    b"Credentials": ((), ((b"Credentials(", (b'"', b'",'), b""), (b"Credentials(", (b'"', b"',"), b""), (b"Credentials(", (b"'", b'",'), b""), (b"Credentials(", (b"'", b"',"), b""))), b"DigestAuth": ((), ((b"DigestAuth(", (b",",), b""),)), b"EAA": (((b"EAA", 80, True),), ()), b"EAAA": (((b"EAAA", 22, True),), ()),
    b"END": ((), ((b"-----END ", (b"PRIVATE KEY", b"-----"), b"\n"),)), b"EZAK": (((b"EZAK", 54, True),), ()), b"EZTK": (((b"EZTK", 54, True),), ()), b"FLWSECK": (((b"FLWSECK_TEST-", 12, True),), ()), b"GOCSPX": (((b"GOCSPX-", 20, True),), ()), b"GR13": (((b"GR1348941", 20, True),), ()),
    b"Gehe": ((), ((b"Geheimnis", (), None),)), b"GenerateFromPassword": ((), ((b"GenerateFromPassword(", (), None),)), b"Gesl": ((), ((b"Geslo", (), None),)), b"HAS": ((), ((b"HAS\xc5\x81O", (), None),)), b"HASL": ((), ((b"HASLO", (), None),)), b"HRKU": (((b"HRKU-AA", 58, True),), ()),
    b"HTTPBasicAuth": ((), ((b"HTTPBasicAuth(", (b'"', b'",'), b""), (b"HTTPBasicAuth(", (b'"', b"',"), b""), (b"HTTPBasicAuth(", (b"'", b'",'), b""), (b"HTTPBasicAuth(", (b"'", b"',"), b""))), b"HTTPDigestAuth": ((), ((b"HTTPDigestAuth(", (b",",), b""),)),
    b"Has": ((), ((b"Has\xc5\x82o", (), None), (b"Has\xc5\x82em", (), None), (b"Has\xc5\x82a", (), None))), b"Hasl": ((), ((b"Haslo", (), None),)), b"Hesl": ((), ((b"Heslo", (), None), (b"Heslem", (), None))), b"HttpNtlmAuth": ((), ((b"HttpNtlmAuth(", (b",",), b""),)),
    b"Iden": ((), ((b"Identifiant", (b"/",), b"\n"), (b"Identifiant", (b"|",), b"\n"))), b"Jels": ((), ((b"Jelszava", (), None),)), b"Jelsz": ((), ((b"Jelsz\xc3\xb3", (), None),)), b"Jeto": ((), ((b"Jeton", (), None),)), b"KENN": ((), ((b"KENNWORT", (), None),)), b"Kata": ((), ((b"Kata sandi", (), b"\n"),)),
    b"Kenn": ((), ((b"Kennwort", (), None),)), b"Kennw": ((), ((b"Kennw\xc3\xb6rter", (), None),)), b"Kluc": ((), ((b"Klucz", (), None),)), b"L": ((), ((b"L\xc3\xb6senord", (), None), (b"L\xc3\x96SENORD", (), None))), b"LOGI": ((), ((b"LOGIN", (b"/",), b"\n"), (b"LOGIN", (b"|",), b"\n"))),
    b"LTAI": (((b"LTAI", 12, True),), ()), b"Log": ((), ((b"Log in as ", (), b"\n"), (b"Log in with ", (), b"\n"), (b"Log in using ", (), b"\n"))), b"Logi": ((), ((b"Login", (b"/",), b"\n"), (b"Login", (b"|",), b"\n"))),
    b"Login": ((), ((b"Login(", (b",",), b""), (b"Login as ", (), b"\n"), (b"Login with ", (), b"\n"), (b"Login using ", (), b"\n"))), b"Lozi": ((), ((b"Lozinka", (), None),)), b"Lykilor": ((), ((b"Lykilor\xc3\xb0", (), None),)), b"M": ((), ((b"M\xe1\xba\xadt kh\xe1\xba\xa9u", (), b"\n"),)),
    b"MDP": ((), ((b"MDP", (), None),)), b"MOT": ((), ((b"MOT DE PASSE", (), b"\n"),)), b"MOVE": ((), ((b"MOVE ", (b'"', b'" TO '), b"\n"), (b"MOVE ", (b'"', b"' TO "), b"\n"), (b"MOVE ", (b"'", b'" TO '), b"\n"), (b"MOVE ", (b"'", b"' TO "), b"\n"))), b"Mdp": ((), ((b"Mdp", (), None),)),
    b"Mot": ((), ((b"Mot de passe", (), b"\n"),)), b"Mots": ((), ((b"Mots de passe", (), b"\n"),)), b"NRAK": (((b"NRAK-", 27, True),), ()),
    b"NetworkCredential": ((), ((b"NetworkCredential(", (b'"', b'",'), b""), (b"NetworkCredential(", (b'"', b"',"), b""), (b"NetworkCredential(", (b"'", b'",'), b""), (b"NetworkCredential(", (b"'", b"',"), b""))),
    b"Nick": ((), ((b"NickServ", (b" IDENTIFY ",), b"\n"), (b"NickServ", (b" identify ",), b"\n"), (b"NickServ", (b" REGISTER ",), b"\n"), (b"NickServ", (b" register ",), b"\n"))), b"Nyck": ((), ((b"Nyckel", (), None),)), b"PDO": ((), ((b"PDO(", (b",", b","), b"\n"),)), b"PMAK": (((b"PMAK-", 59, True),), ()),
    b"PSCredential": ((), ((b"PSCredential(", (b'"', b'",'), b""), (b"PSCredential(", (b'"', b"',"), b""), (b"PSCredential(", (b"'", b'",'), b""), (b"PSCredential(", (b"'", b"',"), b""))), b"Palavra": ((), ((b"Palavra-passe", (), None),)), b"Paro": ((), ((b"Parola", (), None), (b"Parole", (), None), (b"Parool", (), None))),
    b"Pass": ((), ((b"Passwort", (), None), (b"Passord", (), None))), b"Passw": ((), ((b"Passw\xc3\xb6rter", (), None),)), b"PasswordAuthentication": ((), ((b"PasswordAuthentication(", (b",",), b""),)), b"PlainAuth": ((), ((b"PlainAuth(", (b",", b","), b"\n"),)), b"Private": ((), ((b"Private-Lines: ", (), b"\n"),)),
    b"SENH": ((), ((b"SENHA", (), None),)), b"SETUSER": ((), ((b"SETUSER ", (b" >",), b"\n"),)), b"SG": (((b"SG.", 33, True),), ()), b"SHA": ((), ((b"{SHA", (b"}",), None),)), b"SIFR": ((), ((b"SIFRE", (), None),)), b"SSHA": ((), ((b"{SSHA", (b"}",), None),)), b"Sala": ((), ((b"Salasana", (), None),)),
    b"Senh": ((), ((b"Senha", (), None),)), b"Sequelize": ((), ((b"Sequelize(", (b",", b","), b"\n"),)), b"SetBasicAuth": ((), ((b"SetBasicAuth(", (b",",), b""),)), b"SharedAccessKey": (((b"SharedAccessKey=", 40, True),), ()), b"Sifr": ((), ((b"Sifre", (), None),)),
    b"Sign": ((), ((b"Sign in as ", (), b"\n"), (b"Sign in with ", (), b"\n"), (b"Sign in using ", (), b"\n"))), b"Slapta": ((), ((b"Slapta\xc5\xbeodis", (), None),)), b"Sleu": ((), ((b"Sleutel", (), None),)), b"U": ((), ((b" -U ", (b" -P ",), b"\n"),)),
    b"USERPWD": ((), ((b'USERPWD, "', (b":",), b"\n"), (b"USERPWD, '", (b":",), b"\n"))), b"UserPassword": ((), ((b"UserPassword(", (b",",), b""),)), b"UsernamePasswordAuthenticationToken": ((), ((b"UsernamePasswordAuthenticationToken(", (b",",), b""),)),
    b"UsernamePasswordCredentials": ((), ((b"UsernamePasswordCredentials(", (b'"', b'",'), b""), (b"UsernamePasswordCredentials(", (b'"', b"',"), b""), (b"UsernamePasswordCredentials(", (b"'", b'",'), b""), (b"UsernamePasswordCredentials(", (b"'", b"',"), b""))),
    b"VALUES": ((), ((b"VALUES (", (b"'", b"'"), b"\n"), (b"VALUES(", (b"'", b"'"), b"\n"))), b"WACH": ((), ((b"WACHTWOORD", (), None),)), b"WIFI": ((), ((b"WIFI:", (b"H:", b";"), b"\n"), (b"WIFI:", (b"R:", b";"), b"\n"), (b"WIFI:", (b"S:", b";"), b"\n"), (b"WIFI:", (b"T:", b";"), b"\n"))),
    b"Wach": ((), ((b"Wachtwoord", (), None),)), b"X": (((b"X-Amz-Signature=", 64, True),), ()), b"ZXlK": (((b"ZXlK", 48, True),), ()), b"Zapo": ((), ((b"Zaporka", (), None),)), b"Zuga": ((), ((b"Zugangsdaten", (b"/",), b"\n"), (b"Zugangsdaten", (b"|",), b"\n"), (b"Zugang", (b"/",), b"\n"), (b"Zugang", (b"|",), b"\n"))),
    b"Zugr": ((), ((b"Zugriffstoken", (), None),)), b"acc": (((b".acc-", 41, False), (b".acc_", 41, False)), ((b"acc\xc3\xa8s", (b"/",), b"\n"), (b"acc\xc3\xa8s", (b"|",), b"\n"))), b"acce": ((), ((b"accesso", (b"/",), b"\n"), (b"accesso", (b"|",), b"\n"), (b"acceso", (b"/",), b"\n"), (b"acceso", (b"|",), b"\n"))),
    b"access": (((b"access-", 44, True),), ()), b"acco": ((), ((b"account", (b"/",), b"\n"), (b"account", (b"|",), b"\n"))), b"add": ((), ((b"add_credentials(", (b",",), b""),)), b"adduser": ((), ((b"adduser ", (b"-p",), b"\n"),)), b"adga": ((), ((b"adgangskode", (), None),)), b"amzn": (((b"amzn.mws.", 36, True),), ()),
    b"ansible": ((), ((b"ansible-vault encrypt_string ", (b"'", b"'"), b"\n"),)), b"api": (((b"/api/webhooks/", 42, False), (b"api_org_", 34, True)), ((b"api_anahtari", (), None), (b"api_noegle", (), None), (b"api_avain", (), None), (b"api_kulcs", (), None))), b"apr1": ((), ((b"$apr1$", (b"$",), None),)),
    b"argo": ((), ((b"$argon2", (b"id$",), None), (b"$argon2", (b"i$",), None), (b"$argon2", (b"d$",), None))), b"argon2": ((), ((b"argon2 ", (), b"\n"), (b"argon2.hash(", (), None))), b"asadmin": ((), ((b"asadmin create-password-alias ", (b" ",), b"\n"),)), b"atlasv1": (((b".atlasv1.", 50, False),), ()),
    b"auth": ((), ((b"auth=(", (b'"', b'",'), b"\n"), (b"auth=(", (b'"', b"',"), b"\n"), (b"auth=(", (b"'", b'",'), b"\n"), (b"auth=(", (b"'", b"',"), b"\n"), (b"auth(", (b",",), b""), (b"auth_basic ", (b",",), b"\n"), (b'auth="', (b":",), b"\n"), (b'auth: "', (b":",), b"\n"), (b'auth = "', (b":",), b"\n"), (b"<auth-user-pass>", (), None))),
    b"authenticate": ((), ((b"authenticate(", (b",",), b""), (b"authenticate(", (b",", b'"'), b"\n"), (b"authenticate(", (b",", b"'"), b"\n"))), b"authorize": ((), ((b"authorize ", (b",",), b"\n"),)), b"aws": (((b"aws secretsmanager ", 10, True),), ((b"aws ssm put-parameter ", (b"SecureString", b"--value "), b"\n"),)),
    b"az": ((), ((b"az keyvault secret set ", (b"--value ",), b"\n"),)),
    b"basic": ((), ((b"basic_auth(", (b",",), b""), (b"basic_authorize(", (b",",), b""), (b"basic_auth ", (b",",), b"\n"), (b"basic(", (b'"', b'",'), b"\n"), (b"basic(", (b'"', b"',"), b"\n"), (b"basic(", (b"'", b'",'), b"\n"), (b"basic(", (b"'", b"',"), b"\n"))), b"basicAuth": ((), ((b"basicAuth(", (b",",), b""),)),
    b"bcp": ((), ((b"bcp", (b" ", b"-P"), b"\n"),)), b"bcrypt": ((), ((b"bcrypt-cli ", (), b"\n"), (b"bcrypt.hash(", (), None), (b"bcrypt.hashSync(", (), None), (b"bcrypt.compare(", (), None), (b"bcrypt.hashpw(", (), None), (b"bcrypt.checkpw(", (), None))), b"bedrock": (((b"bedrock-api-key-", 20, True),), ()),
    b"beeline": ((), ((b"beeline ", (b"-p",), b"\n"), (b"beeline ", (b"-w",), b"\n"), (b"beeline ", (b"-b ", b" "), b"\n"))), b"begin": ((), ((b"begin(", (b",",), b""),)), b"bitcoin": ((), ((b"bitcoin-cli walletpassphrase ", (), b"\n"),)), b"bkat": (((b"bkat_", 40, True),), ()), b"bkct": (((b"bkct_", 40, True),), ()),
    b"bkpt": (((b"bkpt_", 40, True),), ()), b"bkua": (((b"bkua_", 40, True),), ()), b"bw": ((), ((b"bw login ", (b" ",), b"\n"),)), b"caddy": ((), ((b"caddy hash-password ", (), b"\n"),)), b"cargo": ((), ((b"cargo login ", (), b"\n"),)),
    b"certreq": ((), ((b"certreq ", (b"/p", b" "), b"\n"), (b"certreq ", (b"/p", b":"), b"\n"))), b"certutil": ((), ((b"certutil ", (b"-p",), b"\n"),)), b"cf": ((), ((b"cf login ", (b"-p",), b"\n"), (b"cf auth ", (b" ",), b"\n"))), b"chav": ((), ((b"chave", (), None),)),
    b"check": ((), ((b"check_password(", (), None), (b"check_password_hash(", (), None))), b"cheie": ((), ((b"cheie_api", (), None),)), b"chia": ((), ((b"chiave", (), None),)), b"chpasswd": ((), ((b"chpasswd:", (b"list:", b":"), b""), (b"chpasswd:", (b"users:", b":"), b""))), b"cio": (((b"cio", 32, True),), ()),
    b"cl": ((), ((b"cl\xc3\xa9", (), None),)), b"clav": ((), ((b"clave", (), None),)), b"cle": ((), ((b"cle_api", (), None), (b"cle_secrete", (), None))), b"clickhouse": ((), ((b"clickhouse-client", (b" ", b"-p"), b"\n"),)), b"cmVm": (((b"cmVmd", 59, True),), ()),
    b"cmdkey": ((), ((b"cmdkey ", (b"/p", b" "), b"\n"), (b"cmdkey ", (b"/p", b":"), b"\n"))), b"composer": ((), ((b"composer config ", (b"http-basic.", b" "), b"\n"),)), b"conn": ((), ((b"conn ", (b",",), b"\n"), (b"conn ", (b"/",), b"\n"))),
    b"connect": ((), ((b"connect to ", (b" user ", b" "), b"\n"), (b"connect ", (b",",), b"\n"), (b"connect ", (b"/",), b"\n"), (b"connect(", (b",", b","), b"\n"))), b"cont": ((), ((b"contrasena", (), None), (b"contrasenya", (), None))), b"contrase": ((), ((b"contrase\xc3\xb1a", (), None),)),
    b"couchbase": ((), ((b"couchbase-cli ", (b"-p",), b"\n"),)), b"cqls": ((), ((b"cqlsh", (b" ", b"-p"), b"\n"),)), b"crackmapexec": ((), ((b"crackmapexec ", (b"-p",), b"\n"),)), b"create": ((), ((b"create_user(", (b",", b","), b""), (b"create_superuser(", (b",", b","), b""), (b"create_admin(", (b",", b","), b""))),
    b"createConnection": ((), ((b"createConnection(", (b",", b","), b"\n"),)), b"createUser": ((), ((b"createUser(", (b",", b","), b""),)),
    b"cred": ((), ((b"creds", (b"/",), b"\n"), (b"creds", (b":",), b"\n"), (b"creds", (b"|",), b"\n"), (b"cred", (b"/",), b"\n"), (b"cred", (b":",), b"\n"), (b"cred", (b"|",), b"\n"), (b"credentials", (b"/",), b"\n"), (b"credentials", (b":",), b"\n"), (b"credentials", (b"|",), b"\n"))),
    b"credentials": ((), ((b"credentials(", (b",",), b""),)), b"cryp": ((), ((b"cryptsetup", (b"<<<",), b"\n"),)), b"crypt": ((), ((b"crypt(", (), None),)), b"csk": (((b"csk-", 40, True),), ()),
    b"curl": ((), ((b"curl", (b"\t-u", b":"), b"\n"), (b"curl", (b"\t--user", b":"), b"\n"), (b"curl", (b" -u", b":"), b"\n"), (b"curl", (b" --user", b":"), b"\n"), (b"curl", (b" ", b"-b "), b"\n"), (b"curl", (b" ", b"-b="), b"\n"), (b"curl", (b" ", b"--cookie "), b"\n"), (b"curl", (b" ", b"--cookie="), b"\n"), (b"curl", (b" -", b"u"), b"\n"), (b"curl", (b" -U", b":"), b"\n"), (b"curl", (b" --proxy-user", b":"), b"\n"), (b"curl", (b" --oauth2-bearer", b":"), b"\n"))),
    b"cypher": ((), ((b"cypher-shell ", (b"-p",), b"\n"),)), b"dapi": (((b"dapi", 32, True),), ()), b"db2": ((), ((b"db2 connect to ", (b" user ", b" "), b"\n"),)), b"dckr": (((b"dckr_oat_", 20, True), (b"dckr_pat_", 20, True)), ()), b"dock": ((), ((b"docker", (b'"', b","), b"\n"), (b"docker", (b"'", b","), b"\n"))),
    b"docker": ((), ((b"docker login", (b"<<<",), b"\n"),)), b"doctl": ((), ((b"doctl auth init -t ", (), b"\n"),)), b"doo": (((b"doo_v1_", 40, True),), ()), b"dop": (((b"dop_v1_", 40, True),), ()),
    b"doppler": ((), ((b"doppler ", (b"secrets set ", b" "), b"\n"), (b"doppler ", (b"secrets set ", b"="), b"\n"), (b"doppler ", (b"secrets import ", b" "), b"\n"), (b"doppler ", (b"secrets import ", b"="), b"\n"), (b"doppler ", (b"env set ", b" "), b"\n"), (b"doppler ", (b"env set ", b"="), b"\n"), (b"doppler ", (b"env import ", b" "), b"\n"), (b"doppler ", (b"env import ", b"="), b"\n"))),
    b"dor": (((b"dor_v1_", 40, True),), ()), b"dotnet": ((), ((b"dotnet nuget ", (b"-p",), b"\n"),)), b"dp": (((b"dp.", 43, True), (b"dp.pt.", 43, True)), ()), b"dscl": ((), ((b"dscl ", (b" -passwd ", b" "), b"\n"),)), b"dsmod": ((), ((b"dsmod user ", (b"/p", b" "), b"\n"), (b"dsmod user ", (b"/p", b":"), b"\n"))),
    b"dt0c01": (((b"dt0c01.", 89, True),), ()), b"duffel": (((b"duffel_test_", 43, True), (b"duffel_live_", 43, True)), ()), b"e2b": (((b"e2b_", 40, True),), ()),
    b"eas": ((), ((b"eas ", (b"secrets set ", b" "), b"\n"), (b"eas ", (b"secrets set ", b"="), b"\n"), (b"eas ", (b"secrets import ", b" "), b"\n"), (b"eas ", (b"secrets import ", b"="), b"\n"), (b"eas ", (b"env set ", b" "), b"\n"), (b"eas ", (b"env set ", b"="), b"\n"), (b"eas ", (b"env import ", b" "), b"\n"), (b"eas ", (b"env import ", b"="), b"\n"))),
    b"echo": ((), ((b"echo ", (), b""),)), b"ejabberdctl": ((), ((b"ejabberdctl register ", (b" ",), b"\n"),)), b"elasticsearch": ((), ((b"elasticsearch-users ", (b"-p",), b"\n"),)), b"enable": ((), ((b"enable secret", (b" ",), b"\n"), (b"enable password", (b" ",), b"\n"))),
    b"encryptPassword": ((), ((b"encryptPassword(", (), None),)), b"evil": ((), ((b"evil-winrm ", (b"-p",), b"\n"),)), b"exp": ((), ((b"exp ", (b",",), b"\n"), (b"exp ", (b"/",), b"\n"))), b"expdp": ((), ((b"expdp ", (b",",), b"\n"), (b"expdp ", (b"/",), b"\n"))), b"expe": ((), ((b"expect", (b"assword", b"send"), b""),)),
    b"eyJ": (((b"eyJ", 17, True),), ()), b"eyJr": (((b"eyJrIjoi", 70, True),), ()), b"fc": (((b"fc-", 32, True),), ()), b"figd": (((b"figd_", 30, True),), ()), b"fio": (((b"fio-u-", 64, True),), ()), b"flask": ((), ((b"flask create-admin ", (), b"\n"),)),
    b"fly": ((), ((b"fly ", (b"secrets set ", b" "), b"\n"), (b"fly ", (b"secrets set ", b"="), b"\n"), (b"fly ", (b"secrets import ", b" "), b"\n"), (b"fly ", (b"secrets import ", b"="), b"\n"), (b"fly ", (b"env set ", b" "), b"\n"), (b"fly ", (b"env set ", b"="), b"\n"), (b"fly ", (b"env import ", b" "), b"\n"), (b"fly ", (b"env import ", b"="), b"\n"), (b"fly auth token ", (), b"\n"))),
    b"flyctl": ((), ((b"flyctl ", (b"secrets set ", b" "), b"\n"), (b"flyctl ", (b"secrets set ", b"="), b"\n"), (b"flyctl ", (b"secrets import ", b" "), b"\n"), (b"flyctl ", (b"secrets import ", b"="), b"\n"), (b"flyctl ", (b"env set ", b" "), b"\n"), (b"flyctl ", (b"env set ", b"="), b"\n"), (b"flyctl ", (b"env import ", b" "), b"\n"), (b"flyctl ", (b"env import ", b"="), b"\n"))),
    b"fm1a": (((b"fm1a_", 100, True),), ()), b"fm1r": (((b"fm1r_", 100, True),), ()), b"fm2": (((b"fm2_", 100, True),), ()), b"fo1": (((b"fo1_", 43, True),), ()), b"freebcp": ((), ((b"freebcp ", (b"-A",), b"\n"), (b"freebcp ", (b"-N",), b"\n"), (b"freebcp ", (b"-P",), b"\n"))),
    b"ftp": ((), ((b"ftp> user ", (b" ",), b"\n"),)), b"fw": (((b"fw_", 22, True),), ()), b"generate": ((), ((b"generate_password_hash(", (), None),)), b"gesl": ((), ((b"geslo", (), None),)), b"getConnection": ((), ((b"getConnection(", (b",", b","), b"\n"),)),
    b"gh": ((), ((b"gh secret set ", (b" ", b"-b"), b"\n"), (b"gh secret set ", (b" ", b"--body"), b"\n"), (b"gh ", (b"<<<",), b"\n"), (b"gh auth login --with-token <<< ", (), b"\n"))), b"gho": (((b"gho_", 20, False),), ()), b"ghp": (((b"ghp_", 20, False),), ()), b"ghr": (((b"ghr_", 20, False),), ()),
    b"ghs": (((b"ghs_", 20, False),), ()), b"ghu": (((b"ghu_", 20, False),), ()), b"git": ((), ((b"git config ", (b"token ",), b"\n"), (b"git config ", (b"password ",), b"\n"), (b"git config ", (b"passwd ",), b"\n"), (b"git config ", (b"oauth ",), b"\n"))), b"gitea": ((), ((b"gitea admin user ", (b" ",), b"\n"),)),
    b"github": (((b"github_pat_", 22, False),), ()), b"gitlab": (((b"_gitlab_session=", 32, True),), ()),
    b"gitpod": ((), ((b"gitpod ", (b"secrets set ", b" "), b"\n"), (b"gitpod ", (b"secrets set ", b"="), b"\n"), (b"gitpod ", (b"secrets import ", b" "), b"\n"), (b"gitpod ", (b"secrets import ", b"="), b"\n"), (b"gitpod ", (b"env set ", b" "), b"\n"), (b"gitpod ", (b"env set ", b"="), b"\n"), (b"gitpod ", (b"env import ", b" "), b"\n"), (b"gitpod ", (b"env import ", b"="), b"\n"))),
    b"glagent": (((b"glagent-", 16, True),), ()), b"glc": (((b"glc_", 32, True),), ()), b"glcbt": (((b"glcbt-", 16, True),), ()), b"gldt": (((b"gldt-", 16, True),), ()), b"glffct": (((b"glffct-", 16, True),), ()), b"glft": (((b"glft-", 16, True),), ()), b"glimt": (((b"glimt-", 16, True),), ()),
    b"gloas": (((b"gloas-", 16, True),), ()), b"glptt": (((b"glptt-", 16, True),), ()), b"glrt": (((b"glrt-", 16, True),), ()), b"glsa": (((b"glsa_", 41, True),), ()), b"glsoat": (((b"glsoat-", 16, True),), ()), b"gpg": ((), ((b"gpg", (b"<<<",), b"\n"),)),
    b"grafana": ((), ((b"grafana-cli ", (b"admin reset-admin-password ",), b"\n"), (b"grafana cli ", (b"admin reset-admin-password ",), b"\n"))), b"grub": ((), ((b"grub-mkpasswd-pbkdf2 ", (), b"\n"),)), b"gsk": (((b"gsk_", 40, True),), ()), b"gy": ((), ((b"$gy$", (b"$",), None),)),
    b"has": ((), ((b"has\xc5\x82o", (), None), (b"has\xc5\x82em", (), None), (b"has\xc5\x82a", (), None))), b"hash": ((), ((b"hash_password(", (), None),)), b"hashPassword": ((), ((b"hashPassword(", (), None),)), b"hashpw": ((), ((b"hashpw(", (), None),)), b"hasl": ((), ((b"haslo", (), None),)),
    b"hcaik": (((b"hcaik_", 50, True),), ()), b"heroku": ((), ((b"heroku config:", (b"set ", b" "), b"\n"), (b"heroku config:", (b"set ", b"="), b"\n"), (b"heroku config:", (b"add ", b" "), b"\n"), (b"heroku config:", (b"add ", b"="), b"\n"), (b"heroku auth:token ", (), b"\n"))),
    b"hesl": ((), ((b"heslo", (), None), (b"heslem", (), None))), b"hf": (((b"hf_", 30, True),), ()), b"hooks": (((b"hooks.slack.com/", 29, True),), ()), b"htpa": ((), ((b"htpasswd", (b" -", b"b"), b"\n"), (b"htpasswd", (b" -", b"n"), b"\n"), (b"htpasswd", (b"<<<",), b"\n"))),
    b"htpasswd": ((), ((b"htpasswd -niB ", (), b"\n"),)), b"http": ((), ((b"http ", (b"-a", b":"), b"\n"), (b"http ", (b"--auth", b":"), b"\n"))), b"https": ((), ((b"https ", (b"-a", b":"), b"\n"), (b"https ", (b"--auth", b":"), b"\n"))), b"huggingface": ((), ((b"huggingface-cli login --token ", (), b"\n"),)),
    b"hvb": (((b"hvb.", 24, True),), ()), b"hvs": (((b"hvs.", 24, True),), ()), b"ibmcloud": ((), ((b"ibmcloud ", (b"-p",), b"\n"),)), b"ico": (((b"ico-", 32, True),), ()), b"iden": ((), ((b"identifiant", (b"/",), b"\n"), (b"identifiant", (b"|",), b"\n"))),
    b"ifre": ((), ((b"\xc5\x9fifre", (), None), (b"\xc5\x9eifre", (), None))), b"imp": ((), ((b"imp ", (b",",), b"\n"), (b"imp ", (b"/",), b"\n"))), b"impala": ((), ((b"impala-shell ", (b"-p",), b"\n"),)), b"impdp": ((), ((b"impdp ", (b",",), b"\n"), (b"impdp ", (b"/",), b"\n"))),
    b"infl": ((), ((b"influx", (b" ", b"-p"), b"\n"),)), b"input": ((), ((b"input_pw ", (), b"\n"),)), b"ipmi": ((), ((b"ipmitool", (b" ", b"-P"), b"\n"),)), b"ipmitool": ((), ((b"ipmitool user set password ", (b" ",), b"\n"),)), b"isql": ((), ((b"isql", (b" ", b"-P"), b"\n"),)),
    b"jasypt": ((), ((b"jasypt encrypt input= ", (), b"\n"),)), b"jdbc": ((), ((b"jdbc:oracle:", (b"thin:", b"/"), b"\n"), (b"jdbc:oracle:", (b"oci", b":"), None))), b"jels": ((), ((b"jelszo", (), None), (b"jelszava", (), None))), b"jelsz": ((), ((b"jelsz\xc3\xb3", (), None),)), b"jeto": ((), ((b"jeton", (), None),)),
    b"jf": ((), ((b"jf ", (b"-p",), b"\n"),)), b"jina": (((b"jina_", 40, True),), ()), b"kadm": ((), ((b"kadmin", (b" ", b"-w"), b"\n"), (b"kadmin", (b" ", b"-b "), b"\n"), (b"kadmin", (b".local ", b"-w"), b"\n"), (b"kadmin", (b".local ", b"-b "), b"\n"))),
    b"kata": ((), ((b"kata_laluan", (), None), (b"kata sandi", (), b"\n"))), b"keepassxc": ((), ((b"keepassxc-cli -pw ", (), b"\n"),)), b"kenn": ((), ((b"kennwort", (), None),)), b"key": (((b"key_", 64, True), (b"key-", 32, True)), ()), b"kini": ((), ((b"kinit", (b"<<<",), b"\n"),)),
    b"klic": ((), ((b"klic_api", (), None),)), b"kluc": ((), ((b"klucz", (), None),)), b"klyuch": ((), ((b"klyuch_api", (), None),)), b"kty": ((), ((b'"kty"', (b'"d"', b":"), b""),)),
    b"kubectl": ((), ((b"kubectl ", (b"create secret ", b"--from-literal "), b"\n"), (b"kubectl ", (b"create secret ", b"--from-literal="), b"\n"), (b"kubectl config set-credentials ", (b" ",), b"\n"))), b"l": ((), ((b"l\xc3\xb6senord", (), None),)),
    b"ldap": ((), ((b"ldap", (b" ", b"-w "), b"\n"), (b"ldap_simple_bind ", (b" ",), b"\n"))), b"ldapcompare": ((), ((b"ldapcompare ", (b"-A",), b"\n"), (b"ldapcompare ", (b"-N",), b"\n"), (b"ldapcompare ", (b"-P",), b"\n"))), b"lftp": ((), ((b"lftp ", (b"-u", b","), b"\n"),)),
    b"lin": (((b"lin_api_", 30, True), (b"lin_oauth_", 30, True)), ()), b"log": ((), ((b"log_in(", (b",",), b""), (b"log in as ", (), b"\n"), (b"log in with ", (), b"\n"), (b"log in using ", (), b"\n"))), b"logIn": ((), ((b"logIn(", (b",",), b""),)),
    b"logi": ((), ((b" login", (b" -p",), b"\n"), (b"login", (b"/",), b"\n"), (b"login", (b"|",), b"\n"))),
    b"login": ((), ((b"login(", (b",",), b""), (b"login(", (b",", b'"'), b"\n"), (b"login(", (b",", b"'"), b"\n"), (b"login_as ", (b",",), b"\n"), (b"login:pass", (b"/",), b"\n"), (b"login:pass", (b":",), b"\n"), (b"login:pass", (b"|",), b"\n"), (b"login as ", (), b"\n"), (b"login with ", (), b"\n"), (b"login using ", (), b"\n"), (b'login="', (b":",), b"\n"), (b"login=", (b":",), b"\n"))),
    b"logon": ((), ((b"logon ", (b",",), b"\n"), (b"logon ", (b"/",), b"\n"))), b"lose": ((), ((b"losenord", (), None),)), b"lozi": ((), ((b"lozinka", (), None),)), b"lsv2": (((b"lsv2_", 46, True),), ()), b"lykilor": ((), ((b"lykilor\xc3\xb0", (), None),)), b"m": ((), ((b"m\xe1\xba\xadt kh\xe1\xba\xa9u", (), b"\n"),)),
    b"make": ((), ((b"make_password(", (), None),)), b"mari": ((), ((b"mariadb", (b" -p",), b"\n"), (b"mariadb", (b'"', b","), b"\n"), (b"mariadb", (b"'", b","), b"\n"))), b"masterauth": ((), ((b"masterauth ", (), b"\n"),)),
    b"mc": ((), ((b"mc admin user add ", (b" ", b" "), b"\n"), (b"mc alias set ", (b" ", b" "), b"\n"))), b"mdp": ((), ((b"mdp", (), None),)), b"mima": ((), ((b"mima", (), None),)), b"minio": ((), ((b"minio admin user add ", (b" ", b" "), b"\n"),)), b"mkpasswd": ((), ((b"mkpasswd ", (), b"\n"),)),
    b"mmk": ((), ((b"_mmk", (), None),)), b"mong": ((), ((b"mongo", (b" ", b"-p"), b"\n"), (b"mongo", (b'"', b","), b"\n"), (b"mongo", (b"'", b","), b"\n"))), b"mongodump": ((), ((b"mongodump ", (b"-p",), b"\n"),)), b"mongoimport": ((), ((b"mongoimport ", (b"-p",), b"\n"),)),
    b"mongorestore": ((), ((b"mongorestore ", (b"-p",), b"\n"),)),
    b"mosquitto": ((), ((b"mosquitto_pub ", (b"-A",), b"\n"), (b"mosquitto_pub ", (b"-N",), b"\n"), (b"mosquitto_pub ", (b"-P",), b"\n"), (b"mosquitto_sub ", (b"-A",), b"\n"), (b"mosquitto_sub ", (b"-N",), b"\n"), (b"mosquitto_sub ", (b"-P",), b"\n"), (b"mosquitto_rr ", (b"-A",), b"\n"), (b"mosquitto_rr ", (b"-N",), b"\n"), (b"mosquitto_rr ", (b"-P",), b"\n"), (b"mosquitto_passwd ", (b"-w",), b"\n"), (b"mosquitto_passwd ", (b"-b ", b" "), b"\n"))),
    b"mot": ((), ((b"mot de passe", (), b"\n"), (b"mot_de_passe", (), None))), b"motd": ((), ((b"motdepasse", (), None),)), b"mots": ((), ((b"mots de passe", (), b"\n"),)), b"mstsc": ((), ((b"mstsc ", (b"/p", b" "), b"\n"), (b"mstsc ", (b"/p", b":"), b"\n"))), b"mvn": ((), ((b"mvn --encrypt-", (b"password ",), b"\n"),)),
    b"mysq": ((), ((b"mysql", (b" -p",), b"\n"), (b"mysql", (b'"', b","), b"\n"), (b"mysql", (b"'", b","), b"\n"))), b"mysqli": ((), ((b"mysqli(", (b",", b","), b"\n"), (b"mysqli_connect(", (b",", b","), b"\n"), (b"mysqli_real_connect(", (b",", b","), b"\n"))), b"napi": (((b"napi_", 40, True),), ()),
    b"ncftpget": ((), ((b"ncftpget ", (b"-p",), b"\n"),)), b"ncftpput": ((), ((b"ncftpput ", (b"-p",), b"\n"),)), b"neo4j": ((), ((b"neo4j-admin ", (b"set-initial-password ",), b"\n"),)),
    b"net": ((), ((b"net use ", (b"/user:",), b"\n"), (b"net use ", (b" ", b" "), b"\n"), (b"net user ", (b" ", b"\n"), b""), (b"net user ", (b" ",), b"\n"), (b"net user ", (b"/p", b" "), b"\n"), (b"net user ", (b"/p", b":"), b"\n"))), b"netexec": ((), ((b"netexec ", (b"-p",), b"\n"),)),
    b"netlify": ((), ((b"netlify env:", (b"set ", b" "), b"\n"), (b"netlify env:", (b"set ", b"="), b"\n"), (b"netlify env:", (b"add ", b" "), b"\n"), (b"netlify env:", (b"add ", b"="), b"\n"), (b"netlify login --auth ", (), b"\n"))), b"nfb": (((b"nfb_", 30, True),), ()), b"nfc": (((b"nfc_", 30, True),), ()),
    b"nfo": (((b"nfo_", 30, True),), ()), b"nfp": (((b"nfp_", 30, True),), ()), b"ngrok": ((), ((b"ngrok authtoken ", (), b"\n"), (b"ngrok config add-authtoken ", (), b"\n"))),
    b"nmcli": ((), ((b"nmcli ", (b"d wifi connect ", b" "), b"\n"), (b"nmcli ", (b"dev wifi connect ", b" "), b"\n"), (b"nmcli ", (b"device wifi connect ", b" "), b"\n"))),
    b"npm": (((b"npm_", 30, False),), ((b"npm config set ", (b"_authToken ",), b"\n"), (b"npm config set ", (b"_authToken=",), b"\n"), (b"npm config set ", (b"_auth ",), b"\n"), (b"npm config set ", (b"_auth=",), b"\n"), (b"npm config set ", (b"_password ",), b"\n"), (b"npm config set ", (b"_password=",), b"\n"), (b"npm token revoke ", (), b"\n"))),
    b"nsec": (((b"nsec1", 58, True),), ()), b"ntn": (((b"ntn_", 40, True),), ()), b"nuget": ((), ((b"nuget ", (b"-p",), b"\n"), (b"nuget setapikey ", (), b"\n"), (b"nuget setApiKey ", (), b"\n"))), b"nvapi": (((b"nvapi-", 50, True),), ()), b"nxc": ((), ((b"nxc ", (b"-p",), b"\n"),)),
    b"nyck": ((), ((b"nyckel", (), None), (b"nyckeln", (), None))), b"oci": ((), ((b"oci_connect(", (b",", b","), b"\n"),)), b"odbc": ((), ((b"odbc_connect(", (b",", b","), b"\n"),)), b"open": ((), ((b"openssl", (b"<<<",), b"\n"), (b"open ", (b"-u", b","), b"\n"))),
    b"openssl": ((), ((b"openssl ", (b"enc", b" "), b"\n"), (b"openssl ", (b"aes", b" "), b"\n"), (b"openssl ", (b"des", b" "), b"\n"), (b"openssl passwd ", (), b"\n"))), b"openstack": ((), ((b"openstack user set ", (b" ",), b"\n"),)), b"ops": (((b"ops_eyJ", 60, True),), ()), b"owner": ((), ((b"owner_pw ", (), b"\n"),)),
    b"p8e": (((b"p8e-", 32, True),), ()), b"pa": (((b"pa-", 40, True),), ()), b"palavra": ((), ((b"palavra-passe", (), None),)), b"paro": ((), ((b"parol", (), None), (b"parola", (), None), (b"parole", (), None), (b"parool", (), None))),
    b"pass": ((), ((b"-pass", (b" ", b"pass:"), b"\n"), (b"passwd", (b"<<<",), b"\n"), (b"pass insert", (b"<<<",), b"\n"), (b"pass)", (), None), (b"passwort", (), None), (b"passord", (), None))), b"passwd": ((), ((b"passwd --stdin", (b"<<<",), b"\n"), (b"passwd)", (), None))),
    b"password": ((), ((b"password_hash(", (), None), (b"password_verify(", (), None), (b"password)", (), None))), b"passwordEncoder": ((), ((b"passwordEncoder.encode(", (), None),)), b"pat": (((b"pat", 79, True), (b"pat.", 68, True)), ()),
    b"pbkd": ((), ((b"pbkdf2", (b"-sha", b"$"), None), (b"pbkdf2", (b"-sha", b":"), None), (b"pbkdf2", (b":sha", b"$"), None), (b"pbkdf2", (b":sha", b":"), None), (b"pbkdf2", (b"_sha", b"$"), None), (b"pbkdf2", (b"_sha", b":"), None))), b"pcsk": (((b"pcsk_", 45, True),), ()),
    b"pg": ((), ((b"pg_connect(", (b",", b","), b"\n"),)), b"phx": (((b"phx_", 40, True),), ()), b"plain": ((), ((b"plain-text-password-value ", (), b"\n"),)), b"plaintext": ((), ((b"--plaintext ", (), b"\n"),)), b"plin": ((), ((b"plink", (b" ", b"-pw "), b"\n"),)), b"pnu": (((b"pnu_", 36, True),), ()),
    b"podm": ((), ((b"podman", (b'"', b","), b"\n"), (b"podman", (b"'", b","), b"\n"))), b"poetry": ((), ((b"poetry config http-basic.", (b" ", b" "), b"\n"), (b"poetry config pypi-token.", (b" ",), b"\n"))), b"polar": (((b"polar_", 34, True),), ()), b"pplx": (((b"pplx-", 40, True),), ()),
    b"printf": ((), ((b"printf ", (), b""),)), b"prosodyctl": ((), ((b"prosodyctl register ", (b" ",), b"\n"),)), b"pscale": (((b"pscale_", 35, True),), ()), b"pscp": ((), ((b"pscp", (b" ", b"-pw "), b"\n"), (b"pscp ", (b"/p", b" "), b"\n"), (b"pscp ", (b"/p", b":"), b"\n"))),
    b"psex": ((), ((b"psexec", (b" ", b"-p"), b"\n"), (b"psexec", (b'"', b","), b"\n"), (b"psexec", (b"'", b","), b"\n"))), b"psexec": ((), ((b"psexec ", (b"/p", b" "), b"\n"), (b"psexec ", (b"/p", b":"), b"\n"))), b"psft": ((), ((b"psftp", (b" ", b"-pw "), b"\n"),)), b"pul": (((b"pul-", 40, True),), ()),
    b"pulumi": ((), ((b"pulumi config set ", (b"--secret ", b" "), b"\n"),)), b"pw": ((), ((b"pw)", (), None),)), b"pwd": ((), ((b"pwd_context.hash(", (), None),)), b"pypi": (((b"pypi-AgE", 20, True),), ()), b"qpdf": ((), ((b"qpdf --encrypt ", (), b"\n"),)), b"r8": (((b"r8_", 30, True),), ()),
    b"rabb": ((), ((b"rabbitmqadmin", (b" ", b"-p"), b"\n"),)), b"rabbitmqctl": (((b"rabbitmqctl ", 15, True),), ((b"rabbitmqctl ", (b"add_user ", b" "), b"\n"),)), b"radtest": ((), ((b"radtest ", (b" ",), b"\n"),)),
    b"railway": ((), ((b"railway ", (b"variables ", b"set "), b"\n"), (b"railway ", (b"variables ", b"set="), b"\n"), (b"railway ", (b"variables ", b"add "), b"\n"), (b"railway ", (b"variables ", b"add="), b"\n"), (b"railway ", (b"variable ", b"set "), b"\n"), (b"railway ", (b"variable ", b"set="), b"\n"), (b"railway ", (b"variable ", b"add "), b"\n"), (b"railway ", (b"variable ", b"add="), b"\n"), (b"railway ", (b"env ", b"set "), b"\n"), (b"railway ", (b"env ", b"set="), b"\n"), (b"railway ", (b"env ", b"add "), b"\n"), (b"railway ", (b"env ", b"add="), b"\n"))),
    b"rar": ((), ((b"rar", (b" ", b"-p"), b"\n"), (b"rar", (b'"', b","), b"\n"), (b"rar", (b"'", b","), b"\n"), (b"rar ", (b"-", b"p"), b"\n"))), b"rclone": ((), ((b"rclone config ", (b" pass", b" "), b"\n"), (b"rclone config ", (b" pass", b"="), b"\n"))), b"rdme": (((b"rdme_", 70, True),), ()),
    b"re": (((b"re_", 29, True),), ()), b"redis": ((), ((b"redis-cli", (b" -a ",), b"\n"), (b"redis-cli", (b'"', b","), b"\n"), (b"redis-cli", (b"'", b","), b"\n"))), b"reg": ((), ((b"reg add ", (b"assw", b" /d "), b"\n"),)),
    b"render": ((), ((b"render ", (b"variables ", b"set "), b"\n"), (b"render ", (b"variables ", b"set="), b"\n"), (b"render ", (b"variables ", b"add "), b"\n"), (b"render ", (b"variables ", b"add="), b"\n"), (b"render ", (b"variable ", b"set "), b"\n"), (b"render ", (b"variable ", b"set="), b"\n"), (b"render ", (b"variable ", b"add "), b"\n"), (b"render ", (b"variable ", b"add="), b"\n"), (b"render ", (b"env ", b"set "), b"\n"), (b"render ", (b"env ", b"set="), b"\n"), (b"render ", (b"env ", b"add "), b"\n"), (b"render ", (b"env ", b"add="), b"\n"))),
    b"rk": (((b"rk_test_", 10, True), (b"rk_live_", 10, True), (b"rk_prod_", 10, True)), ()), b"rman": ((), ((b"rman ", (b",",), b"\n"), (b"rman ", (b"/",), b"\n"))), b"rnd": (((b"rnd_", 28, True),), ()), b"rpcc": ((), ((b"rpcclient", (b" ", b"-U"), b"\n"),)), b"rubygems": (((b"rubygems_", 48, True),), ()),
    b"s": (((b"s.", 24, True), (b"s-s4t2ud-", 64, True), (b"s-s4t2af-", 64, True)), ()), b"sala": ((), ((b"salasana", (), None),)), b"samba": ((), ((b"samba-tool user create ", (b" ",), b"\n"), (b"samba-tool user add ", (b" ",), b"\n"))), b"sat": (((b"sat.", 68, True),), ()), b"sb": (((b"sb_secret_", 20, True),), ()),
    b"sbp": (((b"sbp_", 40, True),), ()), b"schl": ((), ((b"schluessel", (), None),)), b"schtasks": ((), ((b"schtasks ", (b"/rp ",), b"\n"),)), b"scrypt": ((), ((b"scrypt:", (b":", b":"), None),)), b"scryptSync": ((), ((b"scryptSync(", (), None),)), b"secret": (((b"secret-", 35, True), (b"secret_", 43, True)), ()),
    b"security": ((), ((b"security unlock-keychain ", (b"-p",), b"\n"), (b"security import ", (b"-p",), b"\n"), (b"security create-keychain ", (b"-p",), b"\n"), (b"security add-generic-password ", (b"-w",), b"\n"), (b"security add-generic-password ", (b"-b ", b" "), b"\n"), (b"security add-internet-password ", (b"-w",), b"\n"), (b"security add-internet-password ", (b"-b ", b" "), b"\n"))),
    b"senh": ((), ((b"senha", (), None),)), b"sentry": ((), ((b"sentry-cli login --auth-token ", (), b"\n"),)), b"set": ((), ((b"set_credentials(", (b",",), b""),)), b"setBasicAuth": ((), ((b"setBasicAuth(", (b",",), b""),)), b"setCredentials": ((), ((b"setCredentials(", (b",",), b""),)),
    b"sgp": (((b"sgp_", 40, True),), ()), b"sha256": (((b"sha256~", 43, True),), ()), b"shippo": (((b"shippo_live_", 40, True), (b"shippo_test_", 40, True)), ()), b"shpat": (((b"shpat_", 32, True),), ()), b"shpca": (((b"shpca_", 32, True),), ()), b"shppa": (((b"shppa_", 32, True),), ()),
    b"shpss": (((b"shpss_", 32, True),), ()), b"sifr": ((), ((b"sifre", (), None),)), b"sig": (((b"sig=", 40, True),), ()),
    b"sign": ((), ((b"sign_in(", (b",",), b""), (b"sign_in(", (b",", b'"'), b"\n"), (b"sign_in(", (b",", b"'"), b"\n"), (b"sign_in_as ", (b",",), b"\n"), (b"sign in as ", (), b"\n"), (b"sign in with ", (), b"\n"), (b"sign in using ", (), b"\n"))),
    b"signIn": ((), ((b"signIn(", (b",",), b""), (b"signIn(", (b",", b'"'), b"\n"), (b"signIn(", (b",", b"'"), b"\n"))), b"signkey": (((b"signkey-", 37, True),), ()), b"signtool": ((), ((b"signtool ", (b"/p", b" "), b"\n"), (b"signtool ", (b"/p", b":"), b"\n"))),
    b"sk": (((b"sk_test_", 10, True), (b"sk_live_", 10, True), (b"sk_prod_", 10, True), (b"sk-ant-", 16, True), (b"sk-proj-", 20, True), (b"sk-svcacct-", 20, True), (b"sk-admin-", 20, True), (b"sk-None-", 20, True), (b"sk-live-", 20, True), (b"sk-test-", 20, True), (b"sk-prod-", 20, True), (b"sk-", 20, True), (b"sk-or-v1-", 40, True), (b"sk-lf-", 36, True), (b"sk_", 48, True), (b"sk.eyJ", 41, True)), ()),
    b"slap": ((), ((b"slaptazodis", (), None),)), b"slappasswd": ((), ((b"slappasswd ", (), b"\n"),)), b"slapta": ((), ((b"slapta\xc5\xbeodis", (), None),)), b"sleu": ((), ((b"sleutel", (), None),)), b"sm": (((b"sm_aat_", 16, True), (b"sm_pat_", 16, True), (b"sm_sat_", 16, True)), ()),
    b"smb": ((), ((b"smb", (b" ", b"-U"), b"\n"),)), b"smbmap": ((), ((b"smbmap ", (b"-p",), b"\n"),)), b"smbp": ((), ((b"smbpasswd", (b"<<<",), b"\n"),)), b"smbpasswd": ((), ((b"smbpasswd -a ", (b" ",), b"\n"),)), b"snmp": ((), ((b"snmp-server community ", (), b"\n"),)),
    b"snmpwalk": ((), ((b"snmpwalk ", (b"-A",), b"\n"), (b"snmpwalk ", (b"-N",), b"\n"), (b"snmpwalk ", (b"-P",), b"\n"))), b"snow": ((), ((b"snowsql", (b" ", b"-p"), b"\n"),)), b"sntrys": (((b"sntrys_", 40, True),), ()), b"sntryu": (((b"sntryu_", 40, True),), ()),
    b"snyk": (((b"snyk_", 53, True),), ((b"snyk auth ", (), b"\n"),)), b"sp": ((), ((b"sp_addlogin ", (b" ",), b"\n"), (b"sp_password ", (b" ",), b"\n"), (b"sp_addlinkedsrvlogin ", (b",", b"'"), b"\n"))), b"sq0atp": (((b"sq0atp-", 22, True),), ()), b"sq0csp": (((b"sq0csp-", 22, True),), ()),
    b"sqlc": ((), ((b"sqlcmd", (b" ", b"-P"), b"\n"),)), b"sqlldr": ((), ((b"sqlldr ", (b",",), b"\n"), (b"sqlldr ", (b"/",), b"\n"))), b"sqlplus": ((), ((b"sqlplus ", (b"/", b"\n"), b""), (b"sqlplus ", (b"/",), b"\n"), (b"sqlplus ", (b",",), b"\n"))),
    b"sqoop": ((), ((b"sqoop ", (b"-w",), b"\n"), (b"sqoop ", (b"-b ", b" "), b"\n"))), b"sqsh": ((), ((b"sqsh ", (b"-A",), b"\n"), (b"sqsh ", (b"-N",), b"\n"), (b"sqsh ", (b"-P",), b"\n"))),
    b"ssh": ((), ((b"ssh-keygen ", (b"-A",), b"\n"), (b"ssh-keygen ", (b"-N",), b"\n"), (b"ssh-keygen ", (b"-P",), b"\n"), (b"ssh-add", (b"<<<",), b"\n"), (b"ssh in as ", (), b"\n"), (b"ssh in with ", (), b"\n"), (b"ssh in using ", (), b"\n"))),
    b"sshp": ((), ((b"sshpass", (b'"', b","), b"\n"), (b"sshpass", (b"'", b","), b"\n"))), b"sshpass": ((), ((b"sshpass -p", (), b"\n"), (b"sshpass ", (b"-p",), b"\n"))), b"st": (((b"st.", 90, True),), ()), b"su": ((), ((b"su ", (b"<<<",), b"\n"),)),
    b"supabase": ((), ((b"supabase ", (b"secrets set ", b" "), b"\n"), (b"supabase ", (b"secrets set ", b"="), b"\n"), (b"supabase ", (b"secrets import ", b" "), b"\n"), (b"supabase ", (b"secrets import ", b"="), b"\n"), (b"supabase ", (b"env set ", b" "), b"\n"), (b"supabase ", (b"env set ", b"="), b"\n"), (b"supabase ", (b"env import ", b" "), b"\n"), (b"supabase ", (b"env import ", b"="), b"\n"))),
    b"swaks": ((), ((b"swaks ", (b"-ap ",), b"\n"), (b"swaks ", (b"-ap=",), b"\n"), (b"swaks ", (b"--auth-password ",), b"\n"), (b"swaks ", (b"--auth-password=",), b"\n"))), b"tcp": ((), ((b"@tcp(", (), None),)), b"tgp": (((b"tgp_v1_", 40, True),), ()), b"tk": (((b"tk-us-", 48, True),), ()),
    b"tnsping": ((), ((b"tnsping ", (b",",), b"\n"), (b"tnsping ", (b"/",), b"\n"))), b"toCharArray": ((), ((b".toCharArray()", (), None),)), b"tprv": (((b"tprv", 95, True),), ()), b"tr": (((b"tr_", 24, True),), ()), b"tskey": (((b"tskey-", 22, True),), ()), b"tsql": ((), ((b"tsql", (b" ", b"-P"), b"\n"),)),
    b"tvly": (((b"tvly-", 30, True),), ()), b"twine": ((), ((b"twine ", (b"-p",), b"\n"),)), b"udp": ((), ((b"@udp(", (), None),)), b"unix": ((), ((b"@unix(", (), None),)), b"unrar": ((), ((b"unrar ", (b"-", b"p"), b"\n"),)), b"unzi": ((), ((b"unzip", (b" ", b"-P"), b"\n"),)),
    b"user": ((), ((b"user_pw ", (), b"\n"), (b"user:pass", (b"/",), b"\n"), (b"user:pass", (b":",), b"\n"), (b"user:pass", (b"|",), b"\n"), (b"user/pass", (b"/",), b"\n"), (b"user/pass", (b":",), b"\n"), (b"user/pass", (b"|",), b"\n"), (b'user = "', (b":",), b"\n"), (b'user="', (b":",), b"\n"))),
    b"useradd": ((), ((b"useradd ", (b"-p",), b"\n"),)), b"usermod": ((), ((b"usermod ", (b"-p",), b"\n"),)),
    b"username": ((), ((b"username ", (b" ", b"password"), b"\n"), (b"username ", (b" ", b"secret"), b"\n"), (b"username:pass", (b"/",), b"\n"), (b"username:pass", (b":",), b"\n"), (b"username:pass", (b"|",), b"\n"), (b"username/password", (b"/",), b"\n"), (b"username/password", (b":",), b"\n"), (b"username/password", (b"|",), b"\n"))),
    b"v1": (((b"v1.0-", 125, True),), ()), b"values": ((), ((b"values (", (b"'", b"'"), b"\n"), (b"values(", (b"'", b"'"), b"\n"))),
    b"vault": ((), ((b"vault ", (b"<<<",), b"\n"), (b"vault ", (b"kv put ", b" "), b"\n"), (b"vault ", (b"kv patch ", b" "), b"\n"), (b"vault ", (b"write ", b" "), b"\n"), (b"vault login ", (), b"\n"))), b"vera": ((), ((b"veracrypt", (b"<<<",), b"\n"),)),
    b"vercel": (((b"vercel_blob_rw_", 29, True),), ((b"vercel ", (b"variables ", b"set "), b"\n"), (b"vercel ", (b"variables ", b"set="), b"\n"), (b"vercel ", (b"variables ", b"add "), b"\n"), (b"vercel ", (b"variables ", b"add="), b"\n"), (b"vercel ", (b"variable ", b"set "), b"\n"), (b"vercel ", (b"variable ", b"set="), b"\n"), (b"vercel ", (b"variable ", b"add "), b"\n"), (b"vercel ", (b"variable ", b"add="), b"\n"), (b"vercel ", (b"env ", b"set "), b"\n"), (b"vercel ", (b"env ", b"set="), b"\n"), (b"vercel ", (b"env ", b"add "), b"\n"), (b"vercel ", (b"env ", b"add="), b"\n"))),
    b"vncp": ((), ((b"vncpasswd", (b"<<<",), b"\n"),)), b"vncpasswd": ((), ((b"vncpasswd ", (b" ",), b"\n"),)), b"vncviewer": ((), ((b"vncviewer ", (b"/p", b" "), b"\n"), (b"vncviewer ", (b"/p", b":"), b"\n"))), b"vtwn": (((b"vtwn_", 20, True),), ()), b"wach": ((), ((b"wachtwoord", (), None),)),
    b"wandb": ((), ((b"wandb login ", (), b"\n"),)), b"wbadmin": ((), ((b"wbadmin ", (b"-p",), b"\n"),)), b"webhook": (((b".webhook.office.com/webhookb2/", 26, False),), ()), b"wfreerdp": ((), ((b"wfreerdp ", (b"/p", b" "), b"\n"), (b"wfreerdp ", (b"/p", b":"), b"\n"))), b"whsec": (((b"whsec_", 20, True),), ()),
    b"wine": ((), ((b"winexe", (b" ", b"-U"), b"\n"),)), b"wireless": ((), ((b"wireless.", (b".key=",), b"\n"), (b"wireless.", (b".sae_password=",), b"\n"))), b"withBasicAuth": ((), ((b"withBasicAuth(", (b",",), b""),)), b"withCredentials": ((), ((b"withCredentials(", (b",",), b""),)),
    b"wpa": ((), ((b"wpa_passphrase", (b" ", b" "), b"\n"),)), b"wrangler": ((), ((b"wrangler ", (b"<<<",), b"\n"),)), b"xaat": (((b"xaat-", 36, True),), ()), b"xai": (((b"xai-", 60, True),), ()), b"xapp": (((b"xapp-", 12, True),), ()),
    b"xfreerdp": ((), ((b"xfreerdp ", (b"/p", b" "), b"\n"), (b"xfreerdp ", (b"/p", b":"), b"\n"))), b"xkeysib": (((b"xkeysib-", 60, True),), ()), b"xox": (((b"xox", 12, True),), ()), b"xprv": (((b"xprv", 95, True),), ()), b"xsmtpsib": (((b"xsmtpsib-", 60, True),), ()), b"y": ((), ((b"$y$", (b"$",), None),)),
    b"ya29": (((b"ya29.", 20, True),), ()),
    b"yarn": ((), ((b"yarn config set ", (b"_authToken ",), b"\n"), (b"yarn config set ", (b"_authToken=",), b"\n"), (b"yarn config set ", (b"_auth ",), b"\n"), (b"yarn config set ", (b"_auth=",), b"\n"), (b"yarn config set ", (b"_password ",), b"\n"), (b"yarn config set ", (b"_password=",), b"\n"))),
    b"yprv": (((b"yprv", 95, True),), ()), b"zapo": ((), ((b"zaporka", (), None),)), b"zip": ((), ((b"zip", (b" ", b"-P"), b"\n"),)), b"zipcloak": ((), ((b"zipcloak ", (b"-A",), b"\n"), (b"zipcloak ", (b"-N",), b"\n"), (b"zipcloak ", (b"-P",), b"\n"))), b"zprv": (((b"zprv", 95, True),), ()),
}
# Those that have no such word.
_TOKENS: tuple[tuple[bytes, int, bool], ...] = (
    (b"AIza", 35, False), (b"Q~", 31, False), (b"glpat-", 16, False), (b":AA", 32, False), (b"SK", 32, True), (b"://", 32, False),
)
# Those that may stand inside a word, too, before a long run of letters and digits.
_INSIDE: tuple[tuple[bytes, int, bool], ...] = (
    (b"AKIA", 16, False), (b"ASIA", 16, False), (b"gho_", 20, False), (b"ghp_", 20, False), (b"ghr_", 20, False), (b"ghs_", 20, False), (b"ghu_", 20, False), (b"github_pat_", 22, False), (b"npm_", 30, False),
)
_SEQUENCES: tuple[tuple[bytes, tuple[bytes, ...], bytes | None], ...] = (
    (b"://", (b":", b"@"), None), (b"://", (b":", b"  "), b"\n"), (b"://", (b"  ", b":"), b"\n"), (b":*:", (b":", b":"), None), (b":::", (), None), (b"7z", (b" ", b"-p"), b"\n"), (b"7z", (b'"', b","), b"\n"), (b"7z", (b"'", b","), b"\n"), (b"sudo ", (b"-", b"S"), b"\n"), (b"chpasswd", (), None),
    (b"freerdp", (b" ", b"/p:"), b"\n"), (b"]:", (b" ", b":"), b"\n"), (b"\xd0\xb4\xd0\xbe\xd1\x81\xd1\x82\xd1\x83\xd0\xbf", (b"/",), b"\n"), (b"\xd0\xb4\xd0\xbe\xd1\x81\xd1\x82\xd1\x83\xd0\xbf", (b"|",), b"\n"), (b"\xd0\x94\xd0\xbe\xd1\x81\xd1\x82\xd1\x83\xd0\xbf", (b"/",), b"\n"),
    (b"\xd0\x94\xd0\xbe\xd1\x81\xd1\x82\xd1\x83\xd0\xbf", (b"|",), b"\n"), (b"\xd0\xbb\xd0\xbe\xd0\xb3\xd0\xb8\xd0\xbd", (b"/",), b"\n"), (b"\xd0\xbb\xd0\xbe\xd0\xb3\xd0\xb8\xd0\xbd", (b"|",), b"\n"), (b"\xd0\x9b\xd0\xbe\xd0\xb3\xd0\xb8\xd0\xbd", (b"/",), b"\n"),
    (b"\xd0\x9b\xd0\xbe\xd0\xb3\xd0\xb8\xd0\xbd", (b"|",), b"\n"), (b"\xe8\xb4\xa6\xe5\x8f\xb7", (b"/",), b"\n"), (b"\xe8\xb4\xa6\xe5\x8f\xb7", (b"|",), b"\n"), (b"\xe5\xb8\xb3\xe8\x99\x9f", (b"/",), b"\n"), (b"\xe5\xb8\xb3\xe8\x99\x9f", (b"|",), b"\n"), (b"AUTH ", (), b"\n"), (b"ConvertTo-SecureString", (), None),
    (b"runas", (), None), (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c", (), None), (b"\xd0\x9f\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c", (), None), (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd0\xb5\xd0\xbc", (), None), (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8f", (), None),
    (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8e", (), None), (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd0\xb8", (), None), (b"\xd0\x9f\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd0\xb8", (), None), (b"\xd0\x9f\xd0\x90\xd0\xa0\xd0\x9e\xd0\x9b\xd0\xac", (), None), (b"\xd1\x85\xd0\xb0\xd1\x81\xd0\xbb\xd0\xbe", (), None),
    (b"\xd0\xbb\xd0\xbe\xd0\xb7\xd0\xb8\xd0\xbd\xd0\xba\xd0\xb0", (), None), (b"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd0\xb0", (), None), (b"\xe5\xaf\x86\xe7\xa0\x81", (), None), (b"\xe5\xaf\x86\xe7\xa2\xbc", (), None), (b"\xe5\x8f\xa3\xe4\xbb\xa4", (), None),
    (b"\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89", (), None), (b"\xe6\x9a\x97\xe8\xa8\xbc\xe7\x95\xaa\xe5\x8f\xb7", (), None), (b"\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8", (), None), (b"\xec\x95\x94\xed\x98\xb8", (), None), (b"\xce\xba\xcf\x89\xce\xb4\xce\xb9\xce\xba\xcf\x8c\xcf\x82", (), None),
    (b"\xce\x9a\xcf\x89\xce\xb4\xce\xb9\xce\xba\xcf\x8c\xcf\x82", (), None), (b"\xce\xba\xcf\x89\xce\xb4\xce\xb9\xce\xba\xcf\x8c", (), None), (b"\xd9\x83\xd9\x84\xd9\x85\xd8\xa9 \xd8\xa7\xd9\x84\xd9\x85\xd8\xb1\xd9\x88\xd8\xb1", (), b"\n"), (b"\xd9\x83\xd9\x84\xd9\x85\xd8\xa9 \xd8\xa7\xd9\x84\xd8\xb3\xd8\xb1", (), b"\n"),
    (b"\xd8\xb1\xd9\x85\xd8\xb2 \xd8\xb9\xd8\xa8\xd9\x88\xd8\xb1", (), b"\n"), (b"\xd7\xa1\xd7\x99\xd7\xa1\xd7\x9e\xd7\x94", (), None), (b"\xd7\xa1\xd7\x99\xd7\xa1\xd7\x9e\xd7\x90", (), None), (b"\xe0\xa4\xaa\xe0\xa4\xbe\xe0\xa4\xb8\xe0\xa4\xb5\xe0\xa4\xb0\xe0\xa5\x8d\xe0\xa4\xa1", (), None),
    (b"\xe0\xb8\xa3\xe0\xb8\xab\xe0\xb8\xb1\xe0\xb8\xaa\xe0\xb8\x9c\xe0\xb9\x88\xe0\xb8\xb2\xe0\xb8\x99", (), None), (b"Schl\xc3\xbcssel", (), None), (b"schl\xc3\xbcssel", (), None), (b"\xd1\x82\xd0\xbe\xd0\xba\xd0\xb5\xd0\xbd", (), None), (b"\xd0\xa2\xd0\xbe\xd0\xba\xd0\xb5\xd0\xbd", (), None),
    (b"\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87", (), None), (b"\xd0\x9a\xd0\xbb\xd1\x8e\xd1\x87", (), None), (b"\xe5\xaf\x86\xe9\x92\xa5", (), None), (b"\xe5\xaf\x86\xe9\x91\xb0", (), None), (b"\xe4\xbb\xa4\xe7\x89\x8c", (), None), (b"\xe3\x82\xad\xe3\x83\xbc", (), None),
    (b"\xe3\x83\x88\xe3\x83\xbc\xe3\x82\xaf\xe3\x83\xb3", (), None), (b"\xed\x86\xa0\xed\x81\xb0", (), None), (b"\xed\x82\xa4", (), None), (b"anahtar\xc4\xb1", (), None), (b".ey", (b".",), None),
)
# Keyword in lower case -> (characters that follow it behind spaces and signs, the signs of which one must be there).
_CREDENTIALS = {
    b"authorization": (5, b":="), b"bearer": (16, b""),
}
# Sequences in lower case.
_LOW_SEQUENCES: tuple[tuple[bytes, tuple[bytes, ...], bytes | None], ...] = (
    (b"identified", (), b"\n"), (b"cookie", (b":", b"="), b""), (b"sessid", (b"=",), b""), (b"sessionid", (b"=",), b""), (b"csrftoken", (b"=",), b""), (b"connect.sid", (b"=",), b""), (b"_session", (b"=",), b""),
)
# Bytes that parts of a word with dots have at least.
_PARTS = ((23, 6, 27),)
_SHORTEST_PARTS = 56
# fmt: on
# End of what is made.


# What may part a secret: characters without a width, colours, the joint of two strings.
COLOUR = b"\x1b["
HIDDEN = tuple([sign.encode() for sign in "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u034f\u180e"])
_JOINTS = {
    b"+": (b'"+"', b"'+'", b"`+`"),
    b"&": (b'"&"', b"'&'"),
    b"|": (b'"||"', b"'||'"),
    b".": (b'"."', b"'.'"),
    b"~": (b'"~"', b"'~'"),
}
_SPACES = b" \t\r\n\\"
_LEAST_LINE, _LEAST_PART, _LEAST_WORD = 20, 6, 20  # bytes of a line, of the second part of a word, of the word
_AT_END, _AT_BEGINNING = b" \t\r\"'`+\\&=", b" \t>|#*/\"'`+.&"  # between the parts of a word in two lines
_DASHED = _WORD + b"-."


def parting(raw: bytes) -> tuple[bool, bool, bool]:
    """Tells whether a text may have characters without a width, colours, and strings that a program joins."""
    tight = raw.translate(None, _SPACES)
    return (
        not raw.isascii() and any(sign in raw for sign in HIDDEN),
        COLOUR in raw,
        any(joint in tight for sign, joints in _JOINTS.items() if sign in raw for joint in joints)
        or b'" "' in raw
        or b"' '" in raw,
    )


def broken_words(raw: bytes) -> list[tuple[int, int]]:
    """Returns the places between two lines where a long word with digits may go on, that a terminal or a mail has broken."""
    places = []
    at = 0
    before = b""
    for line in raw.split(b"\n"):
        if len(before) >= _LEAST_LINE or before[-1:] in (b'"', b"'"):
            first = before.rstrip(_AT_END)
            second = line.lstrip(_AT_BEGINNING)
            part = second[: len(second) - len(second.lstrip(_DASHED))]
            if len(part) >= _LEAST_PART and second[len(part) : len(part) + 1] not in (b"=", b":", b"("):
                word = len(first) - len(first.rstrip(_DASHED))
                is_random = not part.rstrip(_DIGITS).isalpha() and not part.isdigit()  # and no `release2024`
                if word and is_random and len(part) + word >= _LEAST_WORD and part.translate(None, _DIGITS) != part:
                    places.append((at - 1 - len(before) + len(first), at + len(line) - len(second)))
        at += len(line) + 1
        before = line
    return places


_SEQUENCES_IN_ASCII = tuple([sequence for sequence in _SEQUENCES if sequence[0].isascii()])
_LOW_KEYWORDS = dict.fromkeys([sequence[0] for sequence in _LOW_SEQUENCES])
_BEGINNINGS = {head[:3] for head in _HEADS}


def encoded_words(raw: bytes) -> list[bytes]:
    """Returns the words of a text that may be base64 of a text: long ones, of which the first bytes are ASCII."""
    words = []
    for long in raw.split():
        if len(long) >= _ENCODED:
            for word in long.translate(_BASE64_WORDS).split():
                if len(word) >= _ENCODED and _is_text(word):
                    words.append(word)
    return words


def _is_text(word: bytes) -> bool:
    """Tells whether base64 may stand for ASCII: the first bit of each byte is 0, which three of four characters show."""
    return not (
        word[0:24:4].translate(None, _SEXTETS[:32])
        or word[1:24:4].translate(None, _SECOND)
        or word[2:24:4].translate(None, _THIRD)
        or word.islower()
    )


def keywords_of(raw: bytes, low: bytes) -> set[bytes]:
    """Returns the keywords of rules that may match: no rule without one of these does.

    `raw`: a text with its escapes written out; `low`: the same in lower case.
    """
    keywords = {keyword for keyword, least, begins in _TOKENS if keyword in raw and _has_token(raw, keyword, least, begins)}
    every = set(raw.translate(_WORDS).split())
    if max(map(len, every), default=0) >= _LONG_PART:
        keywords |= {keyword for keyword, least, _ in _INSIDE if keyword in raw and _has_token(raw, keyword, least, False)}
    words = {word for word in every if word[:3] in _BEGINNINGS}
    for head in _HEADS.keys() & (words | {word[:4] for word in words} | {word[:3] for word in words}):
        tokens, sequences = _HEADS[head]
        keywords.update([keyword for keyword, least, begins in tokens if _has_token(raw, keyword, least, begins)])
        keywords.update([sequence[0] for sequence in sequences if _has_sequence(raw, *sequence)])
    patterns = _SEQUENCES_IN_ASCII if raw.isascii() else _SEQUENCES
    keywords.update([sequence[0] for sequence in patterns if sequence[0] in raw and _has_sequence(raw, *sequence)])
    for keyword in [keyword for keyword in _LOW_KEYWORDS if keyword in low]:
        keywords.update([keyword for sequence in _LOW_SEQUENCES if sequence[0] == keyword and _has_sequence(low, *sequence)])
    for keyword, (least, signs) in _CREDENTIALS.items():
        if keyword in low and _has_credential(low, keyword, least, signs):
            keywords.add(keyword)
    if _has_parts(raw):
        keywords.add(b".")
    return keywords


def _has_token(raw: bytes, keyword: bytes, least: int, begins_word: bool) -> bool:
    """Tells whether a keyword stands before so many characters of a token somewhere, and begins a word if it must."""
    at = raw.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        if not begins_word or at == 0 or raw[at - 1] not in _ALNUM:
            tail = raw[end : end + least]
            if len(tail) == least and not tail.translate(None, _TOKEN):
                return True
        at = raw.find(keyword, end)
    return False


def _has_credential(low: bytes, keyword: bytes, least: int, signs: bytes) -> bool:
    """Tells whether so many characters of a credential stand behind a keyword and a gap, which holds one of `signs`."""
    at = low.find(keyword)
    while at >= 0:
        end = at + len(keyword)
        gap = low[end : end + _FAR]
        gap = gap[: len(gap) - len(gap.lstrip(_GAP))]
        if len(gap) == _FAR:
            return True
        if not signs or gap.translate(None, signs) != gap:
            start = end + len(gap.rstrip(b":="))  # a credential may begin with signs, too
            credential = low[start : start + least]
            if len(credential) == least and not credential.translate(None, _TOKEN + b":"):
                return True
        at = low.find(keyword, end)
    return False


def _has_sequence(raw: bytes, keyword: bytes, literals: tuple[bytes, ...], end: bytes | None) -> bool:
    """Tells whether literals follow a keyword in this order before `end`, or before the next space where that is None."""
    at = raw.find(keyword)
    while at >= 0:
        position = behind = at + len(keyword)
        if end is None:
            stop = behind + len((raw[behind : behind + _LONG_WORD].split(None, 1) or [b""])[0])
        else:
            stop = raw.find(end, behind) if end else -1
            stop = stop if stop >= 0 else len(raw)
        for literal in literals:
            position = raw.find(literal, position, stop)
            if position < 0:
                break
            position += len(literal)
        else:
            return True
        at = raw.find(keyword, behind if end is None else stop)
    return False


def _has_parts(raw: bytes) -> bool:
    """Tells whether parts of a word between dots are as long as those of a token somewhere."""
    for word in [word for word in raw.split() if len(word) >= _SHORTEST_PARTS]:
        sizes = [len(part) for part in word.split(b".")]
        for lengths in _PARTS:
            for first in range(len(sizes) - len(lengths) + 1):
                if all(size >= least for size, least in zip(sizes[first : first + len(lengths)], lengths)):
                    return True
    return False
