"""Who may come in, from where, and with how much."""

import contextlib
import socket
from pathlib import Path

import httpx
import pytest

from noisewright.studio.guard import HEADERS
from tests.studio.conftest import TABLE, RunningStudio, run_studio


def test_nothing_is_shown_without_the_token(studio: RunningStudio) -> None:
    with studio.stranger() as client:
        for path in ("/", "/api/state", "/api/openapi.json", "/static/main.js", "/api/ledger"):
            answer = client.get(path)
            assert answer.status_code == 401
            assert "survey" not in answer.text
        assert client.get("/?token=wrong").status_code == 401
        assert client.get("/?token=%00%ff").status_code == 401
    with studio.stranger(cookie="noisewright_studio=x; ;=;") as client:
        assert client.get("/api/state").status_code == 401


def test_the_token_works_once_and_becomes_a_cookie(studio: RunningStudio) -> None:
    address = studio.address
    with studio.stranger() as client:
        first = client.get(address)
        cookie = first.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/api/state").status_code == 200
        assert client.get(address).status_code == 200  # opened again by the same browser
    with studio.stranger() as other:
        assert other.get(address).status_code == 401
        assert other.get(studio.address).status_code == 200


def test_a_foreign_name_that_points_here_is_refused(studio: RunningStudio) -> None:
    with studio.browser() as client:
        for host in ("evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "["):
            answer = client.get("/api/state", headers={"host": host})
            assert answer.status_code in (400, 421), host
        assert client.get("/api/state", headers={"host": "localhost:1"}).status_code == 200


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1"])
def test_another_site_cannot_write(studio: RunningStudio, origin: str | None) -> None:
    with studio.browser() as client:
        del client.headers["origin"]
        headers = {} if origin is None else {"origin": origin}
        answer = client.post("/api/draft", json={"table": TABLE}, headers=headers)
        assert answer.status_code == 403
        assert "access-control-allow-origin" not in answer.headers
        headers = {"origin": studio.origin, "sec-fetch-site": "cross-site"}
        assert client.post("/api/ledger", headers=headers).status_code == 403
    assert not (studio.folder / "budget.db").exists()


def test_there_is_no_cors(studio: RunningStudio) -> None:
    with studio.browser() as client:
        asked = {"origin": "http://evil.example", "access-control-request-method": "POST"}
        answer = client.options("/api/draft", headers=asked)
        assert answer.status_code == 403
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_every_answer_says_that_nothing_comes_from_elsewhere(studio: RunningStudio) -> None:
    with studio.browser() as client:
        for path in ("/", "/static/main.js", "/api/state", "/api/nothing", "/static/../app.py"):
            answer = client.get(path)
            for name, value in HEADERS.items():
                assert answer.headers[name] == value
        assert "'unsafe" not in HEADERS["content-security-policy"]


def test_pages_name_no_other_site(studio: RunningStudio) -> None:
    import re

    from noisewright.studio.app import STATIC

    for path in STATIC.iterdir():
        text = path.read_text(encoding="utf-8")
        found = set(re.findall(r"https?://[^\s\"'`)]+", text))
        assert found <= {"http://www.w3.org/2000/svg"}
        assert "innerHTML" not in text
        assert "eval(" not in text


def test_a_body_has_a_limit(studio: RunningStudio) -> None:
    large = b"x" * ((1 << 20) + 1)

    def pieces():
        for _ in range(20):
            yield b"x" * (1 << 17)

    with studio.browser() as client:
        assert client.post("/api/audit/certificate", content=large).status_code == 413
        # A server that hangs up is as good.
        with contextlib.suppress(httpx.WriteError, httpx.ReadError):
            assert client.post("/api/audit/certificate", content=pieces()).status_code == 413
        assert client.get("/api/state").status_code == 200


def test_an_unexpected_error_shows_no_message(
    studio: RunningStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    from noisewright.studio import workbench

    def fail(text: str) -> None:
        raise RuntimeError(f"cannot parse the cell {text}")

    monkeypatch.setattr(workbench, "check_text", fail)
    with studio.browser() as client:
        answer = client.post("/api/audit/certificate", json={"text": "63.137"})
    assert answer.status_code == 500
    assert "63.137" not in answer.text
    assert answer.json()["error"].startswith("RuntimeError in")


def test_a_body_that_does_not_arrive_is_not_waited_for(tmp_path: Path) -> None:
    for studio in run_studio(tmp_path, longest=0.2):
        with studio.browser() as client:
            host, port = studio.origin.removeprefix("http://").split(":")
            head = [
                "POST /api/draft HTTP/1.1",
                f"host: {host}:{port}",
                f"origin: {studio.origin}",
                f"cookie: noisewright_studio={client.cookies['noisewright_studio']}",
                "content-length: 100",
            ]
            with socket.create_connection((host, int(port)), timeout=20) as slow:
                slow.sendall("\r\n".join([*head, "", "{"]).encode())
                assert slow.recv(100).startswith(b"HTTP/1.1 408")
            assert client.get("/api/state").status_code == 200
