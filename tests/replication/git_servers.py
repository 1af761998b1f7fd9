"""Real git servers on this machine: over HTTP by git's own http-backend, and over ssh by an sshd of its own."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal


class GitOverHttp(BaseHTTPRequestHandler):
    """Serves git's own http-backend; with a password where the server has one."""

    def _answer(self) -> None:
        server: Any = self.server
        if server.password and self.headers.get("Authorization", "") != server.password:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "someone",
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        time.sleep(server.delay)
        self.wfile.write(content)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def git_server(root: Path, password: str = "", delay: float = 0.0) -> Iterator[str]:
    """Serves the repositories below a directory over HTTP. Yields the address."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), GitOverHttp)
    server.root, server.password, server.delay = root, password, delay
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def http_remote(remote: Path, terminal: Terminal) -> Path:
    """The remote, ready to be served over HTTP."""
    if subprocess.run(["git", "http-backend"], capture_output=True, check=False).returncode == 127:
        pytest.skip("git has no http-backend")
    terminal.git("config", "http.receivepack", "true", cwd=remote)
    return remote


@pytest.fixture
def ssh_server(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """An sshd of its own. Yields (the beginning of addresses, the ssh command that logs in)."""
    program = shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin")
    if program is None:
        pytest.skip("no sshd is installed")
    for name in ("host", "person"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {
        "ListenAddress": "127.0.0.1",
        "Port": port,
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "person.pub",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PermitRootLogin": "yes",
        "PasswordAuthentication": "no",
    }
    (tmp_path / "sshd_config").write_text("".join([f"{name} {value}\n" for name, value in settings.items()]))
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    server = subprocess.Popen([program, "-D", "-e", "-f", str(tmp_path / "sshd_config")], stderr=subprocess.DEVNULL)
    options = ("UserKnownHostsFile=/dev/null", "StrictHostKeyChecking=no", "BatchMode=yes", "LogLevel=ERROR")
    ssh = f"ssh -i {tmp_path / 'person'} " + " ".join([f"-o {option}" for option in options])
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"ssh://{getpass.getuser()}@127.0.0.1:{port}", ssh
    finally:
        server.terminate()
        server.wait(10)
