"""What is checked of every request before anything else looks at it."""

from __future__ import annotations

import hmac
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hcvrp.service.problems import Problem, problem
from hcvrp.service.settings import Settings

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


class Guard:
    """Refuses strangers (401), other sites' pages (403) and bodies that are too large (413).

    A server without a token listens to this machine alone, but a web page from elsewhere, opened
    in a browser here, could still speak to it: hence the looks at Host and Origin.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings
        self._browser_headers = _browser_headers(settings.tile_origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers it with a refusal."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            status, detail = refusal
            extra = {"WWW-Authenticate": "Bearer"} if status == 401 else None
            await problem(status, detail, extra)(scope, receive, send)
            return
        await self.app(scope, self._limited(receive), self._protected(send))

    def _refusal(self, path: str, headers: Headers) -> tuple[int, str] | None:
        named = headers.get("host", "")
        host = _address(f"//{named}")
        known = (*LOCAL_NAMES, self.settings.host)
        if host is None or (self.settings.token is None and host.hostname not in known):
            return 403, f"host {named!r} is not this machine"
        origin = headers.get("origin")
        page = None if origin is None else _address(origin)
        if origin is not None and (page is None or page.netloc != host.netloc):
            return 403, f"pages from {origin!r} may not use this server"
        if path.startswith(("/v1/", "/metrics")) and not self._knows_token(headers):
            return 401, "the token is missing or wrong: send Authorization: Bearer TOKEN"
        length = headers.get("content-length", "0")
        # Numbers of thousands of digits are none that Python reads.
        if length.isdecimal() and int(length[:20]) > self.settings.limits.body_bytes:
            return 413, self._too_large
        return None

    def _knows_token(self, headers: Headers) -> bool:
        if self.settings.token is None:
            return True
        given = headers.get("authorization", "")
        return hmac.compare_digest(given.encode(), f"Bearer {self.settings.token}".encode())

    @property
    def _too_large(self) -> str:
        return f"the body is larger than {self.settings.limits.body_bytes} bytes"

    def _limited(self, receive: Receive) -> Receive:
        """`receive` that stops a body without a stated length at the limit."""
        received = 0

        async def limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.settings.limits.body_bytes:
                raise Problem(413, self._too_large)
            return message

        return limited

    def _protected(self, send: Send) -> Send:
        """`send` that adds what browsers need to know."""

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._browser_headers]
            await send(message)

        return protected


def _browser_headers(tile_origin: str) -> list[tuple[bytes, bytes]]:
    """Nothing from elsewhere, but for pictures from where the tiles are."""
    policy = (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none';"
        f" img-src 'self' {tile_origin}"
    )
    # Makers of tiles want to know whose page shows them; nobody else learns more than that.
    referrer = "strict-origin-when-cross-origin" if tile_origin else "no-referrer"
    return [
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", referrer.encode()),
        (b"content-security-policy", policy.strip().encode()),
    ]


def _address(url: str) -> SplitResult | None:
    """The parts of an address, None if there is nothing to make out."""
    try:
        return urlsplit(url)
    except ValueError:
        return None
