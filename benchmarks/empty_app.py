"""Applications that do nothing: the cost of the web server alone.

``app`` is the obvious program with the service's framework: one route, which reads the body and
answers 204. ``bare`` bypasses the framework: nothing can be faster on this web server.
"""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route


async def nothing(request: Request) -> Response:
    await request.body()
    return Response(status_code=204)


app = Starlette(routes=[Route("/v1/runs/{run}/decisions/{name}", nothing, methods=["PUT"])])


async def bare(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})
