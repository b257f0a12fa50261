"""What a browser sends to sign in and out, and what it may send: forms of this site only."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from discreet.service.bodies import PATIENCE, slow_body
from discreet.service.pages.sessions import HOURS

COOKIE = "discreet_session"
FORM_SIZE = 8192  # bytes of a form
# where a visitor may be sent after signing in: pages of this site
LOCAL = re.compile(r"/(runs/[A-Za-z0-9][A-Za-z0-9._-]{0,63}(/[a-z]+)?)?")


def comes_from_here(request: Request) -> bool:
    """Return whether a form was sent by a page of this site, or by a program."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def is_followed(request: Request) -> bool:
    """Return whether another site led here: then the browser has kept its cookie back."""
    return request.headers.get("sec-fetch-site") == "cross-site"


async def form_of(request: Request) -> dict[str, str] | None:
    """Return the fields of a small form; None if it is something else."""
    if request.headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
        return None
    content = b""
    try:
        async with asyncio.timeout(PATIENCE):
            async for part in request.stream():
                content += part
                if len(content) > FORM_SIZE:
                    return None
    except TimeoutError:
        raise slow_body(PATIENCE) from None
    try:
        fields = parse_qs(content.decode("ascii"), max_num_fields=8)
    except (UnicodeDecodeError, ValueError):
        return None
    return {name: values[0] for name, values in fields.items()}


def local_place(given: str | None) -> str:
    """Return a page of this site, whatever was asked for."""
    return given if given is not None and LOCAL.fullmatch(given) else "/"


def keep(response: Response, request: Request, session: str) -> Response:
    """Let the browser keep a sign-in: away from scripts, and from requests of other sites."""
    response.set_cookie(
        COOKIE,
        session,
        max_age=int(3600 * HOURS),
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )
    return response


def forget(response: Response) -> Response:
    """Let the browser forget its sign-in."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response
