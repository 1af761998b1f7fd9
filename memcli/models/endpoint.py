"""Embeddings from a server that speaks OpenAI's API, such as Ollama: POST URL/embeddings.

Texts are sent to the configured address only: redirects are refused, and a repository cannot set the address. The key comes from
MEMPACK_EMBED_KEY in the environment; it is never stored, and no message repeats it or what a server answered.

`urllib` and not httpx2, which takes 60 ms longer to import at every search by meaning.
"""

from __future__ import annotations

import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from memcli.models.unavailable import Unavailable
from memcli.text import json

KEY = "MEMPACK_EMBED_KEY"
_MAX_BYTES = 64 << 20  # of a response
_BLOCK = 1 << 16
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send texts and key to an address that nobody chose."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        """Returns None, which makes the redirect an error."""
        return None


class Endpoint:
    """A server at `url` (with its version, such as http://localhost:11434/v1). `timeout`: seconds for a response."""

    batch = 64

    def __init__(self, url: str, model: str, timeout: float) -> None:
        key = os.environ.get(KEY, "")
        self._model, self._timeout = model, timeout
        self._server = _server_name(url, bool(key))
        self._url = url.rstrip("/") + "/embeddings"
        self._headers = {
            "Content-Type": "application/json",
            "User-Agent": "mem",
            **({"Authorization": f"Bearer {key}"} if key else {}),
        }
        proxies = [urllib.request.ProxyHandler({})] if urlsplit(url).hostname in _LOOPBACK else []
        self._opener = urllib.request.build_opener(_RefuseRedirects, *proxies)

    def encode(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Returns a vector for each text, as the server sent it. Raises Unavailable for every other response."""
        vectors = _vectors(self._post({"model": self._model, "input": list(texts)}), len(texts))
        if vectors is None:
            raise Unavailable(f"{self._server} returned no embeddings of {len(texts)} texts", "check embed.url and embed.model")
        return vectors

    def _post(self, body: dict[str, Any]) -> Any:
        """Returns the server's response as data, None where it is no JSON. Raises Unavailable."""
        request = urllib.request.Request(self._url, json.dumps(body).encode(), self._headers, method="POST")
        try:
            data = self._read(request)
        except urllib.error.HTTPError as problem:
            problem.close()
            hint = f"check {KEY} in the environment" if problem.code in (401, 403) else "check embed.url and embed.model"
            raise Unavailable(f"{self._server} answered {problem.code}", hint) from None
        except TimeoutError:
            raise self._late("see embed.timeout") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            hint = "is it running? see embed.url"
            if isinstance(getattr(problem, "reason", None), TimeoutError):  # while connecting
                raise self._late(hint) from None
            raise Unavailable(f"{self._server} cannot be reached", hint) from None
        try:
            return json.loads(data.decode("utf-8"))
        except (json.Malformed, UnicodeDecodeError):
            return None

    def _read(self, request: urllib.request.Request) -> bytes:
        """Returns the body of a response. Raises TimeoutError also where it is too large."""
        deadline = time.monotonic() + self._timeout
        with self._opener.open(request, timeout=self._timeout) as response:
            data = b""
            while block := response.read1(_BLOCK):
                data += block
                if time.monotonic() > deadline or len(data) > _MAX_BYTES:
                    raise TimeoutError
        return data

    def _late(self, hint: str) -> Unavailable:
        return Unavailable(f"{self._server} took more than {self._timeout:g} s", hint)


def _server_name(url: str, has_key: bool) -> str:
    """Returns the server's name for messages. Raises Unavailable for an address to which texts must not be sent."""
    hint = "write embed.url as https://host/v1, or http://localhost:PORT/v1"
    try:
        address = urlsplit(url)
        server = f"{address.hostname}:{address.port}" if address.port else str(address.hostname)
    except ValueError:
        raise Unavailable("embed.url is not an address", hint) from None
    if address.scheme not in ("http", "https") or not address.hostname or address.query or address.fragment:
        raise Unavailable("embed.url is not an address of a server", hint)
    if address.username or address.password:
        raise Unavailable("embed.url contains a user name or password", f"remove it; put a key into {KEY}")
    if has_key and address.scheme == "http" and address.hostname not in _LOOPBACK:
        raise Unavailable(f"the key would be sent to {server} unencrypted", f"use https in embed.url, or unset {KEY}")
    return server


def _vectors(response: Any, count: int) -> list[Sequence[float]] | None:
    """Returns the vectors of a response in the order of their texts; None unless there is one for each, all of one length."""
    rows = response.get("data") if isinstance(response, dict) else None
    if not isinstance(rows, list) or len(rows) != count or not all(isinstance(row, dict) for row in rows):
        return None
    by_index = {row.get("index"): row.get("embedding") for row in rows if isinstance(row.get("index"), int)}
    vectors = [by_index.get(index) for index in range(count)]
    valid: list[Sequence[float]] = [
        vector for vector in vectors if isinstance(vector, list) and vector and all(map(_is_number, vector))
    ]
    return valid if len(valid) == count and len({len(vector) for vector in valid}) == 1 else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
