"""The two busiest routes, as plain ASGI: ask for a decision, report an outcome."""

from __future__ import annotations

import json
import re
import time
from logging import DEBUG

from starlette.types import ASGIApp, Receive, Scope, Send

from discreet.live import AskRequest, TellRequest
from discreet.service.bodies import SMALL, ClientGone, parse_object
from discreet.service.core import DECISION_NAME, Service
from discreet.service.groups import answer_of
from discreet.service.logs import LOGGER, log_failure, log_request
from discreet.service.problems import HttpProblem, not_found, problem_of

JSON = (b"content-type", b"application/json")
PROBLEM = (b"content-type", b"application/problem+json")
NO_STORE = (b"cache-control", b"no-store")
IDENTITY = re.compile(r"-1|0|[1-9][0-9]{0,15}", re.ASCII)
encode = json.JSONEncoder(check_circular=False).encode  # of decisions, which are flat
ASK_ROUTE = "/v1/runs/{run}/decisions/{name}"


class HotRoutes:
    """An application that answers the two hot routes, and passes on everything else."""

    def __init__(self, service: Service, behind: ASGIApp) -> None:
        self._service, self._behind = service, behind

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["method"] == "PUT":
            parts = scope["path"].split("/")  # "", v1, runs, RUN, decisions, NAME[, outcome]
            if parts[1:3] == ["v1", "runs"] and parts[4:5] == ["decisions"]:
                if len(parts) == 6:
                    return await self._asked(scope, receive, send, parts[3], parts[5])
                if len(parts) == 7 and parts[6] == "outcome":
                    return await self._told(scope, receive, send, parts[3], parts[5])
        return await self._behind(scope, receive, send)

    async def _asked(self, scope: Scope, receive: Receive, send: Send, run: str, name: str) -> None:
        since, service, who, headers = time.perf_counter(), self._service, "", scope["headers"]
        try:
            grant = service.grant_of(headers, scope)
            who = grant.id
            service.check_role(grant, "decide", run)
            asked = parse_object(await service.bodies.read(receive, headers, SMALL))
            hosted = service.host.get(run) if service.host.has(run) else await service.run(run)
            if not DECISION_NAME.fullmatch(name):
                raise HttpProblem(
                    "invalid",
                    "the name of a decision must have 1 to 128 letters, digits or .-_~:@ in it.",
                )
            request = AskRequest(name, hosted.form.arguments(asked, hosted.texts))
            if hosted.closed:  # a known name still gets the same decision
                given = await service.writer.recalled(hosted, name)
            else:
                given = await answer_of(service.writer.ask(hosted, request))
            status = 200 if given.repeated else 201
            content = encode(hosted.form.as_dict(given.decision, name)).encode()
            await answer(send, status, content, JSON)
        except ClientGone:
            return
        except Exception as error:
            problem = _problem("a decision", error)
            status = problem.status
            service.host.traffic.refused(problem.kind)
            await refuse(send, problem)
        if status >= 400 or LOGGER.isEnabledFor(DEBUG):
            seconds = time.perf_counter() - since
            log_request("PUT", ASK_ROUTE, run_for_log(run, service), status, seconds, who)

    async def _told(
        self, scope: Scope, receive: Receive, send: Send, run: str, number: str
    ) -> None:
        """Record an outcome. Its arrival is neither counted nor logged."""
        service, headers = self._service, scope["headers"]
        try:
            grant = service.grant_of(headers, scope)
            service.check_role(grant, "decide", run)
            given = parse_object(await service.bodies.read(receive, headers, SMALL))
            hosted = service.host.get(run) if service.host.has(run) else await service.run(run)
            if not IDENTITY.fullmatch(number):
                raise not_found("decision with that id")
            token, outcome = hosted.form.outcome(given, hosted.texts)
            request = TellRequest(int(number), token, outcome)
            first = await answer_of(service.writer.tell(hosted, request))
            if first:
                await answer(send, 204, b"", None)
            else:
                await answer(send, 200, b"{}", JSON)
        except ClientGone:
            return
        except Exception as error:
            await refuse(send, _problem("an outcome", error))


def _problem(what: str, error: Exception) -> HttpProblem:
    problem = problem_of(error)
    if problem.kind == "internal":
        log_failure(what, error)
    return problem


def run_for_log(run: str, service: Service) -> str:
    """Return the name of a run for the log, if it exists: any other text comes from the caller."""
    return run if service.host.has(run) else ""


async def answer(send: Send, status: int, body: bytes, kind: tuple[bytes, bytes] | None) -> None:
    """Send a response."""
    headers = [NO_STORE]
    if kind is not None:
        headers += [kind, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def refuse(send: Send, problem: HttpProblem) -> None:
    """Send a problem."""
    body = problem.body()
    headers = [NO_STORE, PROBLEM, (b"content-length", b"%d" % len(body))]
    headers += [(name.lower().encode(), value.encode()) for name, value in problem.headers.items()]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
