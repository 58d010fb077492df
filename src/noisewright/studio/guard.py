"""What every request has to pass before the studio looks at it, and what every answer carries.

- The Host header names this machine: a foreign name that points here (DNS rebinding) is refused.
- A token or a cookie says who asks. The cookie is HttpOnly and SameSite=Strict, and Secure where a
  trusted proxy says that the browser came over TLS.
- A user of a team writes only what their right covers.
- A request that writes names this page as its Origin: another site cannot write in your name.
- A body has a limit, counted while it arrives, and a time in which it has to.
- A page may load scripts, styles and pictures from here, and nothing from anywhere else.
"""

from __future__ import annotations

import asyncio
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

LONGEST = 60.0
"""Seconds in which a body has to arrive."""

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
    '<link rel="stylesheet" href="/static/style.css">'
    '<meta http-equiv="refresh" content="0;url=/"><title>Noisewright studio</title>'
    '<p><a href="/">Open the studio</a></p></html>'
)
_ENTRANCE, _EXIT, _STYLE = "/enter", "/leave", "/static/style.css"
_MOST_OF_A_TOKEN = 4096

# Without an Origin, which no-referrer takes from a form, no browser could hand in a token.
_AT_THE_DOOR = HEADERS | {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'"
    ),
    "referrer-policy": "same-origin",
}
_TEAM = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
    '<link rel="stylesheet" href="/static/style.css">'
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" '
    'content="light dark"><title>Noisewright studio</title><main><h1>Noisewright studio</h1>'
    '%s<form method="post" action="/enter"><p><label>Your token<br><input type="password" '
    'name="token" required autofocus autocomplete="current-password" size="30"></label></p>'
    "<p><button class='main'>Enter</button></p></form>"
    "<p>Whoever runs this studio gives you a token.</p></main></html>"
)
_WRONG = '<p role="alert">That token is not known here. It may have been renewed.</p>'
_LOCKED = (
    '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,">'
    '<link rel="stylesheet" href="/static/style.css">'
    '<meta name="viewport" content="width=device-width"><title>Noisewright studio</title>'
    "<main><h1>This studio is locked</h1><p>Open it with the address that the terminal shows last. "
    "Each address works once; after that, the terminal shows another one.</p></main></html>"
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
        longest: float = LONGEST,
        trusts_proxy: bool = False,
    ) -> None:
        self._app = app
        self._doorkeeper = doorkeeper
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}
        self._cookie = cookie
        self._most_bytes = most_bytes
        self._longest = longest
        self._trusts_proxy = trusts_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        begun, carried = False, HEADERS

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                kept = [pair for pair in message["headers"] if pair[0].decode() not in carried]
                ours = [(name.encode(), value.encode()) for name, value in carried.items()]
                message = {**message, "headers": [*kept, *ours]}
            await send(message)

        headers = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        try:
            refusal = self._refusal(scope, headers)
            enters = refusal is None and self._is_entrance(scope)
            limit = _MOST_OF_A_TOKEN if enters else self._most_bytes
            try:
                async with asyncio.timeout(self._longest):
                    body = b"" if refusal is not None else await _body(receive, scope, limit)
            except TimeoutError:
                body = b""
                refusal = refuse(
                    f"the body did not arrive within {self._longest:g} seconds; send it again.", 408
                )
            if body is None:
                refusal = refuse(
                    f"the request is larger than {limit >> 10:,} kB. Send less at once.",
                    413,
                )
            elif enters and refusal is None:
                refusal = self._enter(body, headers)
            if refusal is not None:
                carried = _AT_THE_DOOR if isinstance(refusal, HTMLResponse) else HEADERS
                await refusal(scope, receive, send_with_headers)
                return
            await self._app(scope, _replay(body or b"", receive), send_with_headers)
        except Exception as problem:
            # The message may quote data: neither the browser nor the terminal gets it.
            if not begun:
                await refuse(sentence_of(problem), 500)(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        """Return the answer to what may not come in; None for what may, with its user."""
        host, path = headers.get("host", ""), scope["path"]
        if not self._is_known(host):
            return refuse("this studio is not known by the name in the Host header.", 421)
        session = _cookie_of(headers.get("cookie", ""), self._cookie_name(headers))
        user = None if session is None else self._doorkeeper.visitor(session)
        bearer = headers.get("authorization", "").removeprefix("Bearer ")
        if user is None and bearer:
            user = self._doorkeeper.holder(bearer)
        if path == "/" and scope["method"] == "GET":
            return self._at_the_door(scope, headers, is_known=user is not None)
        writes = scope["method"] not in READING
        if path == _STYLE and not writes:
            return None  # it says nothing, and the door looks better
        if user is None and not self._is_entrance(scope):
            words = (
                "your session has ended; open the studio again and give your token."
                if self._doorkeeper.has_team
                else "this studio is locked; use the address that its terminal shows."
            )
            return refuse(words, 401)
        # No page of another site can send the token of a program.
        is_program = session is None and bool(bearer) and "origin" not in headers
        if writes and not is_program and not self._is_same_origin(headers, host):
            return refuse("only the studio's own page may write; this came from elsewhere.", 403)
        if user is None:
            return None
        scope["user"] = user
        if path == _EXIT and scope["method"] == "POST":
            self._doorkeeper.dismiss(session or "")
            return Response(status_code=204)
        words = user.refusal(path) if writes else None
        return None if words is None else refuse(words, 403)

    def _at_the_door(
        self, scope: Scope, headers: dict[str, str], *, is_known: bool
    ) -> Response | None:
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if is_known:
            # The token of an address that is opened again stays out of the history of the browser.
            return HTMLResponse(_WELCOME) if token else None
        if self._doorkeeper.has_team:
            # Proxies log addresses, so that a token in one is not taken.
            return HTMLResponse(_TEAM % "", status_code=401)
        session = self._doorkeeper.exchange(token) if token else None
        if session is None:
            return HTMLResponse(_LOCKED, status_code=401)
        return self._welcome(session, headers)

    def _enter(self, body: bytes, headers: dict[str, str]) -> Response:
        token = parse_qs(body.decode("latin-1")).get("token", [""])[0].strip()
        session = self._doorkeeper.exchange(token) if token else None
        if session is None:
            return HTMLResponse(_TEAM % _WRONG, status_code=401)
        return self._welcome(session, headers)

    def _welcome(self, session: str, headers: dict[str, str]) -> Response:
        answer = HTMLResponse(_WELCOME)
        answer.set_cookie(
            self._cookie_name(headers),
            session,
            httponly=True,
            samesite="strict",
            secure=self._is_over_tls(headers),
            path="/",
        )
        return answer

    def _is_entrance(self, scope: Scope) -> bool:
        asked = (scope["path"], scope["method"])
        return self._doorkeeper.has_team and asked == (_ENTRANCE, "POST")

    def _is_over_tls(self, headers: dict[str, str]) -> bool:
        said = headers.get("x-forwarded-proto", "") if self._trusts_proxy else ""
        return said.strip().lower() == "https"

    def _cookie_name(self, headers: dict[str, str]) -> str:
        # Browsers take a cookie of such a name only over TLS, and from no other host.
        return f"__Host-{self._cookie}" if self._is_over_tls(headers) else self._cookie

    def _is_same_origin(self, headers: dict[str, str], host: str) -> bool:
        """Tell whether a request that writes was made by a page of ours."""
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return False
        known = ["https"] if self._is_over_tls(headers) else ["http", "https"]
        return headers.get("origin", "") in [f"{scheme}://{host}" for scheme in known]

    def _is_known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname
        except ValueError:
            return False
        return name in self._hosts


async def _body(receive: Receive, scope: Scope, most: int) -> bytes | None:
    """Return the whole body; None if it is larger than allowed."""
    for name, value in scope["headers"]:
        if name == b"content-length" and (not value.isdigit() or int(value) > most):
            return None
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > most:
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
