"""Changes of runs: creating and ending them, several decisions and outcomes, arms, hold-outs."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.errors import DiscreetError, check_flag
from discreet.live import AskRequest, Bandit, TellRequest
from discreet.service.calls import RouteCall, nothing, respond
from discreet.service.core import DECISION_NAME
from discreet.service.facts import run_facts
from discreet.service.forms import AnyJson, check_fields
from discreet.service.groups import Given, answer_of
from discreet.service.host import check_same
from discreet.service.hosted import Hosted
from discreet.service.hot import IDENTITY
from discreet.service.problems import HttpProblem, not_found, problem_of
from discreet.service.specs import check_label, check_run_name, read_spec
from discreet.service.tokens import EVERY_RUN, Grant

MOST = 1000  # decisions or outcomes in one request


async def create_run(call: RouteCall) -> Response:
    """Create a run, and charge it; a token for decisions in a run only finds it."""
    name, host = check_run_name(call.path("run")), call.service.host
    grant, simulations = call.grant, call.service.settings.simulations
    assert grant is not None, "the route needs a token"
    if not grant.allows("admin", EVERY_RUN):
        found = await _existing(call, grant, name)
        creation = read_spec(call.body, simulations=simulations)
        check_same(name, found.spec, creation)
        return respond(await run_in_threadpool(run_facts, found, host.now()))
    creation = read_spec(call.body, simulations=simulations)
    # checked in memory first, in parallel with other requests: this may compile an algorithm
    await run_in_threadpool(lambda: creation.probe().close())
    found, new = await call.change(lambda: host.create(name, creation))
    facts = await run_in_threadpool(run_facts, found, host.now())
    return respond(facts, 201 if new else 200, {"Location": f"/v1/runs/{name}"} if new else None)


async def _existing(call: RouteCall, grant: Grant, name: str) -> Hosted:
    """Return a run in which the token may decide; refuse to create one."""
    if grant.allows("decide", name):
        try:
            return await call.hosted()
        except HttpProblem as problem:
            if problem.kind != "not-found":
                raise
    call.service.check_role(grant, "admin", EVERY_RUN, "creating a run")
    raise AssertionError("the caller has checked the role")


async def close_run(call: RouteCall) -> Response:
    """End a run."""
    check_fields(call.body, frozenset(), "close")
    found = await call.hosted()
    await call.change(lambda: call.service.host.end(found.name))
    return respond(await run_in_threadpool(run_facts, found, call.service.host.now()))


async def restore_run(call: RouteCall) -> Response:
    """Continue a run after a backup of the database was restored."""
    check_fields(call.body, frozenset(), "restored")
    name, host = check_run_name(call.path("run")), call.service.host
    lost = await call.change(lambda: host.restored(name))
    return respond({**lost._asdict(), "sentence": str(lost)})


async def ask_several(call: RouteCall) -> Response:
    """Ask for several decisions; each is made or refused by itself."""
    found = await call.hosted()
    requests = _requests(call, found)
    closed = found.closed
    futures = [] if closed else [call.writer.ask(found, request) for request, _ in requests]
    shown: list[AnyJson] = []
    refused: list[HttpProblem] = []
    for place, (_, name) in enumerate(requests):
        try:
            given = await (_recalled(call, found, name) if closed else answer_of(futures[place]))
            shown.append(found.form.as_dict(given.decision, name))
        except HttpProblem as problem:
            refused.append(problem)
            shown.append({"problem": problem.as_dict()})
    if len(refused) == len(shown):
        raise refused[0]
    return respond({"decisions": shown}, 201)


async def _recalled(call: RouteCall, found: Hosted, name: str | None) -> Given:
    if name is None:
        raise problem_of(found.ended())
    try:
        return await call.writer.recalled(found, name)
    except DiscreetError as refusal:
        raise problem_of(refusal) from None


def _requests(call: RouteCall, found: Hosted) -> list[tuple[AskRequest, str | None]]:
    """Return each request with its name."""
    body = dict(call.body)
    count, each = body.pop("count", None), body.pop("each", None)
    if (count is None) == (each is None):
        check_fields(body, found.form.asks, "the body", {"count", "each"})
        raise HttpProblem("invalid", "give either count or each.")
    if each is None:
        if type(count) is not int or not 1 <= count <= MOST:
            raise HttpProblem("invalid", f"count must be a whole number from 1 to {MOST:,}.")
        each = [{}] * count
    if not isinstance(each, list) or not 1 <= len(each) <= MOST:
        raise HttpProblem("invalid", f"each must be a list of 1 to {MOST:,} objects.")
    requests: list[tuple[AskRequest, str | None]] = []
    for one in each:
        if not isinstance(one, dict):
            raise HttpProblem("invalid", f"each must be a list of 1 to {MOST:,} objects.")
        name = one.get("name")
        if name is not None and not (isinstance(name, str) and DECISION_NAME.fullmatch(name)):
            raise HttpProblem("invalid", "name must have 1 to 128 letters, digits or .-_~:@ in it.")
        own = {field: value for field, value in one.items() if field != "name"}
        arguments = found.form.arguments({**body, **own}, found.texts)
        requests.append((AskRequest(name, arguments), name))
    return requests


async def tell_several(call: RouteCall) -> Response:
    """Report several outcomes; each is recorded or refused by itself."""
    found = await call.hosted()
    check_fields(call.body, frozenset(("outcomes",)), "the body")
    given = call.body.get("outcomes")
    if not isinstance(given, list) or not 1 <= len(given) <= MOST:
        raise HttpProblem("invalid", f"outcomes must be a list of 1 to {MOST:,} objects.")
    answers: list[tuple[int, asyncio.Future[bool] | HttpProblem]] = []
    requests: list[tuple[int, TellRequest | HttpProblem]] = []
    for one in given:
        number = one.get("id") if isinstance(one, dict) else None
        if type(number) is not int or not IDENTITY.fullmatch(str(number)):
            raise HttpProblem("invalid", "every outcome must have the id of a decision.")
        fields = {name: value for name, value in one.items() if name != "id"}
        try:
            token, outcome = found.form.outcome(fields, found.texts)
            requests.append((number, TellRequest(number, token, outcome)))
        except HttpProblem as problem:
            requests.append((number, HttpProblem(problem.kind, problem.detail)))
    for number, request in requests:
        if isinstance(request, HttpProblem):
            answers.append((number, request))
            continue
        try:
            answers.append((number, call.writer.tell(found, request)))
        except HttpProblem as problem:  # the queue is full
            answers.append((number, problem))
    results: list[AnyJson] = []
    for number, pending in answers:
        try:
            if isinstance(pending, HttpProblem):
                raise pending
            first = await answer_of(pending)
            results.append({"id": number, "status": 204 if first else 200})
        except HttpProblem as problem:
            refused = problem_of(problem)
            shown = {"id": number, "status": refused.status, "problem": refused.as_dict()}
            results.append(shown)
    return respond({"results": results})


async def give_up(call: RouteCall) -> Response:
    """Stop waiting for an outcome."""
    found, number = await call.hosted(), call.path("id")
    check_fields(call.body, frozenset(("token",)), "the body")
    token = call.body.get("token")
    if token is not None and not isinstance(token, str):
        raise HttpProblem("invalid", "token must be the text in the decision.")
    if not IDENTITY.fullmatch(number):
        raise not_found("decision with that id")
    lost = await call.change(lambda: found.live._run.give_up(int(number), token))
    return respond({"lost": lost})


async def count_rounds(call: RouteCall) -> Response:
    """Return how many rounds of a user were counted; the user's name is not in the address."""
    found = await call.hosted()
    check_fields(call.body, frozenset(("user",)), "the body")
    user: Any = call.body.get("user")
    if not isinstance(user, str | int) or isinstance(user, bool):
        raise HttpProblem("invalid", "user must be text or a whole number.")
    return respond({"rounds": await call.change(lambda: found.live.rounds_of(user))})


def _bandit(found: Hosted, what: str) -> Bandit:
    if not isinstance(found.live, Bandit):
        raise HttpProblem("invalid", f"only bandits {what}: the problem is {found.problem}.")
    return found.live


async def add_arm(call: RouteCall) -> Response:
    """Add an arm."""
    check_fields(call.body, frozenset(("label",)), "the body")
    found, text = await call.hosted(), call.path("label")
    live = _bandit(found, "have arms that come and go")
    label = call.body.get("label", text)
    check_label("the path", label)
    if str(label) != text:
        raise HttpProblem("invalid", "label must match the path, as text or a whole number.")
    if text in found.texts:
        raise HttpProblem("exists", "an arm with that label exists, or existed before.")
    await call.change(lambda: live.add_arm(label))
    found.renew_labels()
    return nothing()


async def retire_arm(call: RouteCall) -> Response:
    """Retire an arm permanently."""
    found, text = await call.hosted(), call.path("label")
    live = _bandit(found, "have arms that come and go")
    if text not in found.texts:
        raise not_found("arm with that label")
    await call.change(lambda: live.retire_arm(found.texts[text]))
    return nothing()


async def finish_holdout(call: RouteCall) -> Response:
    """End the hold-out."""
    found = await call.hosted()
    check_fields(call.body, frozenset(("give_up",)), "the body")
    live = _bandit(found, "hold rounds out")
    giving_up = check_flag("give_up", call.body.get("give_up", False))
    released = await call.change(lambda: live.finish_holdout(give_up=giving_up))
    return respond({"released": released})
