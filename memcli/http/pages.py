"""The page's files, and the two small pages around it: locked, and let in."""

from __future__ import annotations

import os

from starlette.responses import HTMLResponse, Response

from memcli.http.problem import Problem

FOLDER = os.path.join(os.path.dirname(__file__), "viewer")
POLICY = {
    # Nothing but the page's own files, and no text that becomes markup: trusted types make innerHTML and its like throw.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "cross-origin-opener-policy": "same-origin",
}
_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
    "json": "application/json",
}
_PLAIN = "<!doctype html><html lang=en><meta charset=utf-8><title>mem</title>{head}<p>{text}</p></html>"
LOCKED = HTMLResponse(_PLAIN.format(head="", text="This page opens with <code>mem serve open</code>."), 401, POLICY)
USED = HTMLResponse(_PLAIN.format(head="", text="This link is used up. Run <code>mem serve open</code>."), 410, POLICY)
# Not a redirect: a browser would leave a same-site cookie out where the link stood on another page.
LET_IN = _PLAIN.format(
    head='<meta http-equiv="refresh" content="0; url=/"><link rel=icon href=/viewer/icon.svg>', text='<a href="/">mem</a>'
)


def file(name: str) -> Response:
    """Returns a file of the page. Raises Problem where there is none."""
    kind = _KINDS.get(name.rpartition(".")[2])
    parts = name.split("/")
    path = os.path.join(FOLDER, *parts)
    if kind is None or any(part.startswith(".") or not part or "\\" in part or "\0" in part for part in parts):
        raise Problem(404, "the page has no such file", "see /")
    try:
        with open(path, "rb") as opened:
            content = opened.read()
    except OSError:
        raise Problem(404, "the page has no such file", "see /") from None
    return Response(content, headers={**POLICY, "content-type": kind, "cache-control": "no-cache"})
