"""The application: all routes of the table behind the same checks, the hot ones first."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

from discreet.service.bodies import ClientGone, parse_object
from discreet.service.calls import RouteCall
from discreet.service.core import Service, address_of
from discreet.service.hot import HotRoutes, run_for_log
from discreet.service.logs import log_failure, log_request
from discreet.service.openapi import document
from discreet.service.problems import MEDIA_TYPE, HttpProblem, of_status, problem_of
from discreet.service.table import BYTES, ROUTES, RouteFacts
from discreet.service.tokens import EVERY_RUN, Grant

METHODS = ("GET", "PUT", "POST", "DELETE")
ALLOWED = ("Authorization", "Content-Type", "If-None-Match")
EXPOSED = ("ETag", "Retry-After", "Location")
REMEMBERED = 600  # seconds for which a browser caches the rights of an origin


def make_app(service: Service, pages: Sequence[BaseRoute] = ()) -> ASGIApp:
    """Return the application of a service, with the routes of its pages after those of the API."""

    @contextlib.asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    routes = [_route(facts, service) for facts in ROUTES]
    inner = Starlette(
        routes=[*_joined(routes), *pages],
        lifespan=life,
        exception_handlers={HTTPException: _refused, Exception: _failed},
    )
    inner.router.redirect_slashes = False
    app: ASGIApp = HotRoutes(service, inner)
    if service.settings.origins:
        app = CORSMiddleware(
            app,
            allow_origins=service.settings.origins,
            allow_methods=METHODS,
            allow_headers=ALLOWED,
            expose_headers=EXPOSED,
            max_age=REMEMBERED,
        )
    return app


def problem_response(problem: HttpProblem) -> Response:
    """Return a problem as a response."""
    headers = {"Cache-Control": "no-store", **problem.headers}
    return Response(problem.body(), problem.status, media_type=MEDIA_TYPE, headers=headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException), "registered for these only"
    return problem_response(of_status(error.status_code, error.headers))


async def _failed(request: Request, error: Exception) -> Response:
    log_failure("a request", error)
    return problem_response(problem_of(error))


Endpoint = Callable[[Request], Awaitable[Response]]


def _route(facts: RouteFacts, service: Service) -> tuple[str, str, Endpoint]:
    if facts.path == "/openapi.json":
        content = json.dumps(document()).encode()

        async def describe(request: Request) -> Response:
            return Response(content, media_type="application/json")

        return facts.path, facts.method, describe

    async def endpoint(request: Request) -> Response:
        since, who = time.perf_counter(), ""
        try:
            grant = _grant(facts, service, request)
            who = "" if grant is None else grant.id
            response = await _called(facts, service, request, grant)
        except ClientGone:
            return Response(status_code=400)  # there is no reader
        except Exception as error:
            problem = problem_of(error)
            if problem.kind == "internal":
                log_failure(f"{facts.method} {facts.path}", error)
            if facts.counted:
                service.host.traffic.refused(problem.kind)
            response = problem_response(problem)
        if facts.counted and facts.path not in ("/healthz", "/readyz"):
            run = run_for_log(request.path_params.get("run", ""), service)
            seconds = time.perf_counter() - since
            log_request(facts.method, facts.path, run, response.status_code, seconds, who)
        return response

    return facts.path, facts.method, endpoint


def _grant(facts: RouteFacts, service: Service, request: Request) -> Grant | None:
    """Return the rights of a request's token, or refuse the request."""
    if facts.scope == "open":
        service.by_address.count(address_of(request.scope))
        return None
    grant = service.grant_of(request.scope["headers"], request.scope)
    if facts.scope != "any":
        run = request.path_params["run"] if facts.scope == "run" else EVERY_RUN
        service.check_role(grant, facts.role, run)
    return grant


async def _called(
    facts: RouteFacts, service: Service, request: Request, grant: Grant | None
) -> Response:
    call = RouteCall(service, request, grant)
    if facts.body is not None:
        media = b"application/octet-stream" if facts.body == BYTES else b"application/json"
        headers = request.scope["headers"]
        content = await service.bodies.read(request.receive, headers, facts.limit, media)
        if facts.body == BYTES:
            call.content = content
        else:
            call.body = parse_object(content)
    assert facts.handler is not None, "hot routes are handled elsewhere"
    return await facts.handler(call)


def _joined(routes: list[tuple[str, str, Endpoint]]) -> list[Route]:
    """Return one route per path, so that the refusal of a method lists the allowed ones."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for path, method, endpoint in routes:
        by_path.setdefault(path, {})[method] = endpoint

    def one(path: str, methods: dict[str, Endpoint]) -> Route:
        async def choose(request: Request) -> Response:
            method = "GET" if request.method == "HEAD" else request.method
            return await methods[method](request)

        return Route(path, choose, methods=list(methods))

    return [one(path, methods) for path, methods in by_path.items()]
