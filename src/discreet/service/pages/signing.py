"""The requests to sign in and out: only forms of this site are accepted."""

from __future__ import annotations

import asyncio
import re
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from discreet.service.bodies import PATIENCE, slow_body
from discreet.service.pages.sessions import COOKIE, HOURS

FORM_SIZE = 8192  # bytes of a form
# allowed targets after signing in: pages of this site
LOCAL = re.compile(r"/(runs/[A-Za-z0-9][A-Za-z0-9._-]{0,63}(/[a-z]+)?)?")


def comes_from_here(request: Request) -> bool:
    """Return whether a page of this site, or a program, sent the form."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def is_followed(request: Request) -> bool:
    """Return whether another site led here, in which case the browser withholds its cookie."""
    return request.headers.get("sec-fetch-site") == "cross-site"


async def form_of(request: Request) -> dict[str, str] | None:
    """Return the fields of a small form; None if the body is something else."""
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
    """Return the requested page if it is on this site, otherwise the first page."""
    return given if given is not None and LOCAL.fullmatch(given) else "/"


def keep(response: Response, request: Request, session: str) -> Response:
    """Make the browser store a sign-in, out of reach of scripts and of other sites' requests."""
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
    """Make the browser delete its sign-in."""
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")
    return response
