"""Tokens, device tasks, health, and the description of the API."""

from __future__ import annotations

from dataclasses import asdict

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.service.calls import RouteCall, nothing, respond
from discreet.service.forms import check_fields
from discreet.service.problems import HttpProblem
from discreet.service.tokens import EVERY_RUN

TOKEN_FIELDS = frozenset(("role", "run", "label", "expires"))


async def create_token(call: RouteCall) -> Response:
    """Create a token; it is shown only once."""
    check_fields(call.body, TOKEN_FIELDS, "a token")
    role, run = call.body.get("role"), call.body.get("run", EVERY_RUN)
    if not isinstance(role, str):
        raise HttpProblem("invalid", "role must be decide, read or admin.")
    label, expires = call.body.get("label") or "", call.body.get("expires")
    tokens = call.service.tokens
    token, grant = await call.change(lambda: tokens.create(role, run, label, expires))
    return respond({"token": token, **asdict(grant)}, 201)


async def list_tokens(call: RouteCall) -> Response:
    """List the rights of all tokens, without the tokens."""
    call.query()
    return respond({"tokens": [asdict(each) for each in call.service.tokens.all()]})


async def revoke_token(call: RouteCall) -> Response:
    """Revoke a token."""
    identity = call.path("id")
    await call.change(lambda: call.service.tokens.revoke(identity))
    return nothing()


async def who_am_i(call: RouteCall) -> Response:
    """Return the rights of the request's token."""
    call.query()
    assert call.grant is not None, "the route needs a token"
    return respond({"id": call.grant.id, "role": call.grant.role, "run": call.grant.run})


async def create_task(call: RouteCall) -> Response:
    """Create a device task."""
    name, tasks = call.path("task"), call.service.tasks
    found, new = await run_in_threadpool(tasks.create, name, call.body)
    headers = {"Location": f"/v1/tasks/{name}"} if new else None
    return respond(found.facts(), 201 if new else 200, headers)


async def show_task(call: RouteCall) -> Response:
    """Show everything that a device needs."""
    call.query()
    return respond(call.service.tasks.get(call.path("task")).facts())


async def show_model(call: RouteCall) -> Response:
    """Return the published model."""
    call.query()
    task = call.service.tasks.get(call.path("task"))
    headers = {"ETag": task.etag, "Cache-Control": "no-cache"}
    known = call.request.headers.get("if-none-match", "")
    tags = [each.strip().removeprefix("W/") for each in known.split(",")]
    if task.etag in tags or known.strip() == "*":
        return Response(status_code=304, headers=headers)
    return Response(task.model, media_type="application/octet-stream", headers=headers)


async def take_reports(call: RouteCall) -> Response:
    """Learn from reports of devices."""
    task = call.service.tasks.get(call.path("task"))
    await run_in_threadpool(task.receive, call.content)
    return nothing()


async def health(call: RouteCall) -> Response:
    """Report that the process is alive."""
    return respond({"status": "ok"})


async def readiness(call: RouteCall) -> Response:
    """Report whether requests can be served."""
    service = call.service
    if service.ready and service.writer.working:
        if service.host.refused and not service.host.names():
            return respond({"ready": False, "reason": "all runs were refused"}, 503)
        if service.host.unwritable is not None:
            return respond({"ready": False, "reason": "the database cannot be written"}, 503)
        return respond({"ready": True})
    return respond({"ready": False, "reason": "the service is starting or closing"}, 503)
