"""What a clone says of its remotes: their addresses, and the settings by which git reaches them."""

from __future__ import annotations

import os
import re
from base64 import b64encode
from urllib.parse import unquote

from memcli import screening
from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.repo import gitrun
from memcli.repo.head import Checkout

# A proxy, a certificate or a header can have come with the clone, as a program can: nothing here is used without the person.
_WAYS = re.compile(
    r"http\.(.*\.)?(extraheader|proxy|proxyauthmethod|sslcainfo|sslcapath|sslcert|sslkey|version)"
    r"|credential\.(.*\.)?(username|usehttppath)",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(https?://)([^/?#]*)@", re.IGNORECASE)
_SHORTEST_TOKEN = 20  # characters; names of people are shorter or have no digit
_PROGRAMS = re.compile(r"core\.sshcommand|credential\.(.*\.)?helper", re.IGNORECASE)


def address(checkout: Checkout, name: str) -> str:
    """Returns the address of a remote as git would use it, without the credentials that it may have; see `reached`."""
    return reached(checkout, name)[0]


def reached(checkout: Checkout, name: str) -> tuple[str, list[tuple[str, str]]]:
    """Returns the address of a remote, a path whole, as git reads it from the root of the working tree; and its login.

    The login is the setting that has git send what the address has of a name and a password, to that address only: CI has a token
    there. Git gets it in the environment: nothing of it is stored, printed or in the arguments of a process. Raises InvalidInput
    where there is no remote of that name.
    """
    url = _url(checkout, name)
    text = without_login(url)
    whole = text if ":" in text.partition("/")[0] else os.path.normpath(os.path.join(checkout.root, text))
    match = _login(url)
    if not match:
        return whole, []
    user, _, password = match[2].partition(":")
    pair = f"{unquote(user)}:{unquote(password)}".encode()
    return whole, [(f"http.{text}.extraHeader", f"Authorization: Basic {b64encode(pair).decode()}")]


def without_login(url: str) -> str:
    """Returns an address over HTTP without the name and password that it has, or the token that stands for both."""
    match = _login(url)
    return f"{match[1]}{url[match.end() :]}" if match else url


def _login(url: str) -> re.Match[str] | None:
    """Returns the head of an address that has a secret; a person's name alone is none, and git asks for its password."""
    match = _LOGIN.match(url)
    if not match or ":" in match[2]:
        return match
    user = unquote(match[2])
    is_long = len(user) >= _SHORTEST_TOKEN and any(char.isdigit() for char in user)
    return match if is_long or screening.mask(user).rules else None


def _url(checkout: Checkout, name: str) -> str:
    result = gitrun.run(["remote", "get-url", "--", name], checkout.root)
    text = result.out.decode("utf-8", "replace").strip()
    if result.code or not text or "\n" in text:
        raise InvalidInput(f"no remote {name!r} here", "give a remote's name, an address, dir:PATH or postgresql://…")
    return text


def origin_behind(path: str) -> str:
    """Returns the address of the origin of a repository on this machine, "" for anything else."""
    if not os.path.isabs(path) or not os.path.isdir(path):
        return ""
    result = gitrun.run(["remote", "get-url", "origin"], path, bare=True)
    return "" if result.code else without_login(result.out.decode("utf-8", "replace").strip())


def names(checkout: Checkout) -> list[str]:
    """Returns the names of the remotes, origin first."""
    listed = gitrun.run(["remote"], checkout.root).out.decode("utf-8", "replace").split()
    return sorted(listed, key=lambda name: (name != "origin", name))


class Access(Record):
    """The settings of a clone itself by which git reaches hosts, to which a person has to agree: pairs of key and value.

    `settings`: headers, proxies, certificates, names of users, which may hold secrets; `programs`: what names a program.
    """

    settings: list[tuple[str, str]]
    programs: list[tuple[str, str]]


def access(checkout: Checkout) -> Access:
    """Returns by which settings of its own a clone reaches hosts."""
    pairs = _local(checkout)
    return Access([pair for pair in pairs if _WAYS.fullmatch(pair[0])], [pair for pair in pairs if _PROGRAMS.fullmatch(pair[0])])


def _local(checkout: Checkout) -> list[tuple[str, str]]:
    result = gitrun.run(["config", "--local", "-z", "--get-regexp", r"^(http|credential|core\.sshcommand)"], checkout.root)
    entries = result.out.decode("utf-8", "replace").split("\0") if not result.code else []
    return [(key, value) for entry in entries if entry for key, _, value in [entry.partition("\n")]]
