"""What every request has to pass before the studio looks at it, and what every answer carries.

- The Host header names this machine: a foreign name that points here (DNS rebinding) is refused.
- A token or a cookie says who asks. The cookie is HttpOnly and SameSite=Strict.
- A request that writes names this page as its Origin: another site cannot write in your name.
- A body has a limit, counted while it arrives.
- A page may load scripts, styles and pictures from here, and nothing from anywhere else.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, final
from urllib.parse import parse_qs, urlsplit

from fastapi.responses import HTMLResponse, Response

from noisewright.studio.doorkeeper import Doorkeeper
from noisewright.studio.failures import refuse, sentence_of

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

MOST_BYTES = 16 << 20
"""Of a body; certificates of long tables are the largest."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
READING = ("GET", "HEAD")

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

# A cookie that is SameSite=Strict is not sent along a redirection that another page began: this
# page, which is ours, begins the next one.
_WELCOME = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
    '<meta http-equiv="refresh" content="0;url=/"><title>Noisewright studio</title>'
    '<p><a href="/">Open the studio</a></p></html>'
)
_LOCKED = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
    '<meta name="viewport" content="width=device-width"><title>Noisewright studio</title>'
    "<h1>This studio is locked</h1><p>Open it with the address that the terminal shows last. Each "
    "address works once; after that, the terminal shows another one.</p></html>"
)


@final
class Guard:
    """Stands before an application."""

    def __init__(
        self,
        app: Application,
        *,
        doorkeeper: Doorkeeper,
        hosts: Iterable[str] = (),
        cookie: str = "noisewright_studio",
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._app = app
        self._doorkeeper = doorkeeper
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self._cookie = cookie
        self._most_bytes = most_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                kept = [pair for pair in message["headers"] if pair[0].decode() not in HEADERS]
                ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*kept, *ours]}
            await send(message)

        try:
            refusal = self._refusal(scope)
            if refusal is not None:
                await refusal(scope, receive, send_with_headers)
                return
            body = await self._body(receive, scope)
            if body is None:
                most = self._most_bytes >> 20
                large = refuse(f"the body has more than {most} MB, which is too large.", 413)
                await large(scope, receive, send_with_headers)
                return
            await self._app(scope, _replay(body, receive), send_with_headers)
        except Exception as problem:
            # The message may quote data: neither the browser nor the terminal gets it.
            if not begun:
                await refuse(sentence_of(problem), 500)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the answer to what may not come in; None for what may."""
        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        host = headers.get("host", "")
        if not self._is_known(host):
            return refuse("this studio is not known by the name in the Host header.", 421)
        session = _cookie_of(headers.get("cookie", ""), self._cookie)
        is_known = session is not None and self._doorkeeper.recognizes(session)
        if scope["path"] == "/" and scope["method"] == "GET":
            return self._at_the_door(scope, is_known=is_known)
        if not is_known:
            return refuse("this studio is locked; use the address that its terminal shows.", 401)
        if scope["method"] not in READING and not _is_same_origin(headers, host):
            return refuse("only the studio's own page may write; this came from elsewhere.", 403)
        return None

    def _at_the_door(self, scope: Scope, *, is_known: bool) -> Response | None:
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if is_known:
            # The token of an address that is opened again stays out of the history of the browser.
            return HTMLResponse(_WELCOME) if token else None
        session = self._doorkeeper.exchange(token) if token else None
        if session is None:
            return HTMLResponse(_LOCKED, status_code=401)
        answer = HTMLResponse(_WELCOME)
        answer.set_cookie(self._cookie, session, httponly=True, samesite="strict", path="/")
        return answer

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name in self._hosts

    async def _body(self, receive: Receive, scope: Scope) -> bytes | None:
        """Return the whole body; None if it is larger than allowed."""
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or int(value) > self._most_bytes):
                return None
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b"".join(parts)
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._most_bytes:
                return None
            if not message.get("more_body", False):
                return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def again() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def _cookie_of(header: str, name: str) -> str | None:
    try:
        found = SimpleCookie(header).get(name)
    except CookieError:
        return None
    return None if found is None else found.value


def _is_same_origin(headers: MutableMapping[str, str], host: str) -> bool:
    """Tell whether a request that writes was made by a page of ours."""
    origin = headers.get("origin", "")
    if headers.get("sec-fetch-site", "same-origin") != "same-origin":
        return False
    return origin in (f"http://{host}", f"https://{host}")
