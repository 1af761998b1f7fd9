"""Who gets in: this machine, by its own name, with the token, from no foreign page, with no more than is allowed."""

from __future__ import annotations

import json
import os
import stat
import time

import pytest

from memcli.http import login_file
from memcli.http.visitors import SESSION_LIFE, Visitors
from tests.conftest import Terminal
from tests.http.served import Served, Stream, serving


@pytest.fixture
def served(shared: tuple[Served, Terminal]) -> Served:
    return shared[0]


def head(served: Served, *lines: str, method: str = "GET", path: str = "/v2/recent") -> bytes:
    given = [f"{method} {path} HTTP/1.1", *lines, f"Authorization: Bearer {served.token}", "Connection: close", "", ""]
    return "\r\n".join(given).encode()


def problem_of(said: bytes) -> tuple[int, str]:
    """The status and the code of an answer that must be a problem, and the last one."""
    top, _, body = said.partition(b"\r\n\r\n")
    lines = [line.decode().lower() for line in top.split(b"\r\n")]
    told = json.loads(body)
    assert "content-type: application/problem+json" in lines
    assert "connection: close" in lines
    assert f"x-request-id: {told['request_id']}" in lines
    assert lines[0].split()[1] == str(told["status"])
    return told["status"], told["code"]


def test_only_health_needs_no_token(served: Served) -> None:
    assert served.ask("GET", "/health", headers={"Authorization": ""}).json["status"] == "ok"
    for path in ("/v2/recent", "/openapi.json", "/stream", "/logout", "/nowhere"):
        for shown in ("", "Bearer", f"Bearer {served.token}x", f"Basic {served.token}", f"bearer {served.token[:-1]}"):
            assert served.refused("GET", path, headers={"Authorization": shown}) == (401, "not_authorised")


def test_the_token_is_in_a_file_of_ones_own(shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    assert stat.S_IMODE(os.stat(terminal.data / "token").st_mode) == 0o600
    assert served.token not in (terminal.data / "serve.json").read_text()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}", ""])
def test_a_foreign_name_is_refused_before_anything_else(served: Served, host: str) -> None:
    said = served.raw(head(served, f"Host: {host.format(port=served.port)}", path="/health"))

    assert said.startswith(b"HTTP/1.1 421 ") or (not host and said.startswith(b"HTTP/1.1 4"))
    assert b'"code":"wrong_host"' in said


def test_the_log_keeps_nothing_of_what_was_stored_or_asked(shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    words = ("zebrawood", "quillwort", "marzipan")
    assert served.ask("POST", "/v2/memories", {"title": f"Kept {words[0]}", "summary": words[0]}).status == 201
    assert served.ask("GET", f"/v2/search?query={words[1]}").status == 200
    assert served.ask("POST", "/v2/memories", {"title": [words[2]]}).status in (400, 422)
    logged = "".join(path.read_text() for path in (terminal.data / "logs").rglob("*") if path.is_file())
    assert "begins" in logged
    assert not [word for word in words if word in logged]


def test_a_foreign_name_in_place_of_a_path_is_refused(served: Served) -> None:
    said = served.raw(head(served, f"Host: 127.0.0.1:{served.port}", path="http://evil/health"))
    assert said.startswith(b"HTTP/1.1 421 ")


def test_without_a_name_or_with_two_there_is_no_answer_but_a_refusal(served: Served) -> None:
    own = f"Host: 127.0.0.1:{served.port}"

    assert problem_of(served.raw(head(served))) == (400, "bad_request")
    assert problem_of(served.raw(head(served, own, own))) == (400, "bad_request")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"])
def test_its_own_names_are_taken(served: Served, name: str) -> None:
    assert served.ask("GET", "/v2/recent", headers={"Host": f"{name}:{served.port}"}).status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1", "https://127.0.0.1:{port}", "http://127.0.0.1:{port}.evil.example"],
)
def test_a_foreign_page_is_refused_though_it_has_the_token(served: Served, origin: str) -> None:
    given = {"Origin": origin.format(port=served.port)}

    assert served.refused("GET", "/v2/recent", headers=given) == (403, "foreign_origin")
    assert served.refused("GET", "/health", headers=given) == (403, "foreign_origin")


def test_no_answer_lets_another_page_read_it(served: Served) -> None:
    answer = served.ask("GET", "/v2/recent", headers={"Origin": f"http://localhost:{served.port}"})

    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert served.ask("OPTIONS", "/v2/recent", headers={"Origin": "http://evil.example"}).status == 403
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_has_to_be_json(served: Served, kind: str) -> None:
    body = b'{"title": "a", "summary": "b"}'

    assert served.refused("POST", "/v2/memories", body, headers={"Content-Type": kind}) == (415, "not_json")
    assert served.ask("POST", "/v2/memories", body, headers={"Content-Type": "application/json; charset=utf-8"}).status == 201


@pytest.mark.parametrize("body", [b"{", b"[]", b"\xff", b'{"summary": "a"}', b'{"title": 1, "summary": "b"}', b"null", b""])
def test_a_body_that_is_not_as_described_is_told_without_repeating_it(served: Served, body: bytes) -> None:
    status, code = served.refused("POST", "/v2/memories", body)

    assert status in (400, 422)
    assert code in ("invalid_input", "bad_request")


@pytest.mark.parametrize(
    "value",
    [b"NaN", b"-Infinity", b"1e999", b'"\\ud800"', b"[" * 1_000 + b"]" * 1_000, b"[" * 500_000, b"\xff", b'{"\\udfff": 1}'],
)
def test_a_body_that_no_store_can_keep_is_refused_everywhere(served: Served, value: bytes) -> None:
    for path, body in (
        ("/v2/state", b'{"reason": "r", "state": {"a": %s}}'),
        ("/v1/archival/insert", b'{"modeId": "a", "text": "t", "metadata": {"a": %s}}'),
        ("/api/observations/batch", b'{"ids": [%s]}'),
    ):
        status, code = served.refused("POST", path, body % value)
        assert (status, code) == (400, "invalid_input")


def test_a_body_may_begin_with_a_byte_order_mark(served: Served) -> None:
    assert served.ask("POST", "/v2/memories", b'\xef\xbb\xbf{"title": "Marked", "summary": "s"}').status == 201


def test_an_event_that_was_cut_in_the_middle_of_a_character_is_kept(served: Served) -> None:
    begun = served.ask("POST", "/sessions/cut/init", b'{"project": "cut", "userPrompt": "hello \\ud83d"}')
    assert begun.json["skipped"] is False
    seen = served.ask("POST", "/sessions/cut/observations", b'{"tool_name": "Bash", "tool_input": {"command": "ls \\ude00"}}')
    assert seen.json["queued"] is True
    (call, _) = served.get("/api/pending-queue", project="cut")["recent"]
    assert json.loads(call["tool_input"]) == {"command": "ls ?"}


def test_a_body_that_is_too_large_is_refused_announced_or_not(served: Served) -> None:
    announced = head(served, f"Host: localhost:{served.port}", "Content-Type: application/json", "Content-Length: 2097153")
    sent = head(served, f"Host: localhost:{served.port}", "Content-Type: application/json", "Transfer-Encoding: chunked")
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"

    assert served.raw(announced.replace(b"GET /v2/recent", b"POST /v2/memories")).startswith(b"HTTP/1.1 413 ")
    said = served.raw(sent.replace(b"GET /v2/recent", b"POST /v2/memories") + chunk * 33)
    assert said.startswith(b"HTTP/1.1 413 ")
    assert b'"code":"too_large"' in said


def test_two_lengths_are_refused(served: Served) -> None:
    own = f"Host: localhost:{served.port}"
    both = head(served, own, "Content-Type: application/json", "Content-Length: 5", "Transfer-Encoding: chunked", method="POST")

    assert served.raw(both + b"0\r\n\r\n").startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "sent",
    [
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"GET /he alth HTTP/1.1\r\nHost: {own}\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: {own}\r\nX: \0\r\n\r\n",
        b"GET /health\r\nHost: {own}\r\n\r\n",
        b"POST /v2/memories HTTP/1.1\r\nHost: {own}\r\nContent-Length: -1\r\n\r\n",
        b"POST /v2/memories HTTP/1.1\r\nHost: {own}\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: {own}\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused_as_a_problem(served: Served, sent: bytes) -> None:
    status, code = problem_of(served.raw(sent.replace(b"{own}", f"localhost:{served.port}".encode())))

    assert (status, code) in ((400, "bad_request"), (431, "too_long_a_head"), (501, "not_possible_here"))
    assert served.ask("GET", "/health").status == 200


def test_a_body_in_broken_pieces_is_refused(served: Served) -> None:
    given = head(served, f"Host: localhost:{served.port}", "Content-Type: application/json", "Transfer-Encoding: chunked")
    said = served.raw(given.replace(b"GET /v2/recent", b"POST /v2/memories") + b"ZZ\r\n")

    assert problem_of(said) == (400, "bad_request")


def test_a_request_keeps_the_name_its_client_gave_it(served: Served) -> None:
    assert served.ask("GET", "/health", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"
    for name in ("a" * 65, "a b", 'a"b'):
        assert served.ask("GET", "/health", headers={"X-Request-Id": name}).headers["x-request-id"] != name


def signed_in(served: Served) -> dict[str, str]:
    """What a tab sends that opened a link."""
    url = served.post("/v2/link")["url"]
    assert url.startswith(f"http://127.0.0.1:{served.port}/#login=")
    enter = f"/login?code={url.rpartition('=')[2]}"
    answer = served.ask("POST", enter, headers={"Authorization": ""})
    assert answer.status == 200
    assert "set-cookie" not in answer.headers
    assert served.refused("POST", enter, headers={"Authorization": ""}) == (410, "link_used"), "a link works once"
    return {"Authorization": f"Bearer {answer.json['session']}"}


def test_the_page_is_there_for_everybody_and_holds_nothing_that_is_stored(served: Served) -> None:
    page = served.ask("GET", "/", headers={"Authorization": ""})

    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert served.ask("GET", "/viewer/app.js", headers={"Authorization": ""}).status == 200
    assert served.refused("POST", "/viewer/app.js", headers={"Authorization": ""}) == (401, "not_authorised")


def test_a_link_opens_a_session_that_a_tab_keeps(served: Served) -> None:
    own = signed_in(served)

    assert served.ask("GET", "/v2/recent", headers=own).status == 200
    assert served.refused("GET", "/v2/recent", headers={"Authorization": own["Authorization"] + "x"}) == (401, "not_authorised")
    cookie = {"Authorization": "", "Cookie": f"mem.session={own['Authorization'].split()[1]}"}
    assert served.refused("GET", "/v2/recent", headers=cookie) == (401, "not_authorised"), "no cookie lets anybody in"
    assert served.refused("POST", "/v2/link", headers=own) == (401, "not_authorised"), "a page gives nobody access"
    assert served.refused("POST", "/login?code=00", headers={"Authorization": ""}) == (410, "link_used")
    assert served.refused("GET", "/login?code=00", headers={"Authorization": ""}) == (405, "method_not_allowed")


def test_with_a_session_only_the_page_itself_may_write(served: Served) -> None:
    session = signed_in(served)
    body = {"title": "a", "summary": "b"}
    own = {"Origin": f"http://127.0.0.1:{served.port}"}

    assert served.refused("POST", "/v2/memories", body, headers=session) == (403, "foreign_origin")
    assert served.refused("GET", "/v2/recent", headers={**session, "Sec-Fetch-Site": "cross-site"}) == (403, "foreign_origin")
    assert served.ask("POST", "/v2/memories", body, headers={**session, **own}).status == 201


def test_logging_out_ends_a_session_and_its_stream(served: Served) -> None:
    session = signed_in(served)
    own = {**session, "Origin": f"http://127.0.0.1:{served.port}"}
    stream = Stream(served, key=session["Authorization"].split()[1])

    assert served.ask("POST", "/logout", headers=own).status == 200
    assert served.refused("GET", "/v2/recent", headers=session) == (401, "not_authorised")
    with pytest.raises(EOFError):
        stream.next()


def test_a_session_ends_after_a_while_and_with_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    visitors = Visitors()
    key = visitors.begin(visitors.new_code())
    assert key
    assert visitors.has(key)
    assert not Visitors().has(key), "another start knows it not"
    later = time.monotonic() + SESSION_LIFE
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert not visitors.has(key)


def test_a_link_that_waited_too_long_opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    visitors = Visitors()
    code = visitors.new_code()
    later = time.monotonic() + login_file.LIFE
    monkeypatch.setattr(time, "monotonic", lambda: later)
    assert visitors.begin(code) is None


@pytest.mark.parametrize(
    "path", ["/viewer/../app.py", "/viewer/%2e%2e/app.py", "/viewer//etc/passwd", "/viewer/.hidden", "/viewer/x.py"]
)
def test_the_page_has_no_files_but_its_own(served: Served, path: str) -> None:
    assert served.refused("GET", path)[0] == 404


def test_no_route_is_open_but_health(served: Served) -> None:
    paths = served.get("/openapi.json")["paths"]
    asked = [(method.upper(), path) for path, operations in paths.items() for method in operations]
    assert len(asked) > 90
    for method, path in asked:
        body = None if method in ("GET", "DELETE") else {}
        if path == "/api/context/inject":
            answer = served.ask(method, path, headers={"Authorization": ""})
            assert (answer.status, answer.body) == (401, b""), "clients that do not look at the status write it into a file"
        elif path not in ("/health", "/"):
            assert served.refused(method, path, body, headers={"Authorization": ""}) == (401, "not_authorised")
        assert served.refused(method, path, body, headers={"Host": "evil.example"}) == (421, "wrong_host")
        assert served.refused(method, path, body, headers={"Origin": "http://evil.example"}) == (403, "foreign_origin")
        if body is not None:
            assert served.refused(method, path, b"{}", headers={"Content-Type": "text/plain"}) == (415, "not_json")


SEEDS = ("/api/observations", "/api/memory", "/api/settings", "/v1/memory/core?modeId=a", "/api/context/inject?project=zoo")
PAGES = (
    {"Origin": "http://evil.example"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "none"},
    {"Sec-Fetch-Dest": "image"},
)


def test_clients_of_other_memories_need_no_token_where_the_person_says_so(terminal: Terminal) -> None:
    terminal.mem("config", "set", "serve.without_token", "true")
    nobody = {"Authorization": ""}
    with serving(terminal) as served:
        body = {"project": "zoo", "userPrompt": "hello", "promptNumber": 1}
        node = {**nobody, "Sec-Fetch-Mode": "cors", "User-Agent": "node"}
        assert served.ask("POST", "/sessions/s-1/init", body, headers=node).status == 200
        for path in SEEDS:
            assert served.ask("GET", path, headers=node).status == 200
            for page in PAGES:
                assert served.ask("GET", path, headers={**nobody, **page}).status in (401, 403), (path, page)
            assert served.ask("GET", path, headers={**nobody, "Host": "evil.example"}).status == 421
        for path in ("/v2/recent", "/openapi.json", "/v2/config"):
            assert served.ask("GET", path, headers=nobody).status == 401, path
        assert served.refused("PUT", "/v2/config/serve.without_token", {"value": False}) == (403, "cli_only")


def test_a_repository_cannot_open_the_service(terminal: Terminal) -> None:
    (terminal.folder / ".mempack").mkdir()
    (terminal.folder / ".mempack" / "config.toml").write_text("[serve]\nwithout_token = true\n")
    with serving(terminal) as served:
        assert served.ask("GET", "/api/observations", headers={"Authorization": ""}).status == 401


@pytest.mark.parametrize("without_token", ["false", "true"])
def test_no_error_comes_as_the_context_of_a_client_without_a_token(terminal: Terminal, without_token: str) -> None:
    with serving(terminal, MEMPACK_SERVE_WITHOUT_TOKEN=without_token) as served:
        too_long = f"?project={'x' * 5_000}"
        for query in ("?limit=none", "?project=zoo&limit=-1", "?project=", too_long):
            answer = served.ask("GET", f"/api/context/inject{query}", headers={"Authorization": ""})
            assert answer.status >= 400 or answer.text == "" or answer.text.startswith("<mem-context>")
            assert b"problem" not in answer.body
        assert served.refused("GET", f"/api/context/inject{too_long}") == (422, "invalid_input")
