"""A door beside a server's own, for programs that cannot show a token: all that passes it shows it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PASSED_ON = ("content-type", "mcp-session-id", "www-authenticate", "allow", "cache-control")


@contextmanager
def showing(url: str, token: str) -> Iterator[str]:
    """The address at which the server of `url` can be had without its token. All else of a request stays as it is."""
    port, path = str(urlsplit(url).port), urlsplit(url).path

    class Door(BaseHTTPRequestHandler):
        def pass_on(self) -> None:
            own = f":{self.server.server_port}"  # type: ignore[attr-defined]
            sent = {name: value.replace(own, f":{port}") for name, value in self.headers.items() if name != "connection"}
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            server = HTTPConnection("127.0.0.1", int(port), timeout=60)
            try:
                server.request(self.command, self.path, body, {**sent, "authorization": f"Bearer {token}"})
                answer = server.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() in PASSED_ON:
                        self.send_header(name, value)
                self.end_headers()
                while block := answer.read1():
                    self.wfile.write(block)
                    self.wfile.flush()
            except (OSError, HTTPException):
                return  # one of the two has left
            finally:
                server.close()

        do_GET = do_POST = do_DELETE = do_OPTIONS = pass_on

        def log_message(self, format: str, *arguments: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Door) as door:
        thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"http://127.0.0.1:{door.server_port}{path}"
        finally:
            door.shutdown()
            thread.join()
