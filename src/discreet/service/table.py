"""All routes of the API in one table, for serving and for the documentation."""

from __future__ import annotations

from typing import Literal, NamedTuple

from discreet.service import admin, changes, reads
from discreet.service.bodies import LARGE, SMALL
from discreet.service.calls import Handler
from discreet.service.tokens import Role

Scope = Literal["run", "all", "any", "open"]  # the token's run; all runs; any token; no token
RUN, TASK = "/v1/runs/{run}", "/v1/tasks/{task}"
BYTES = "bytes"  # a body that is not JSON
PLAIN = "text"


class RouteFacts(NamedTuple):
    """One route."""

    method: str
    path: str
    handler: Handler | None  # None for the two hot routes
    scope: Scope
    role: Role | None  # None for any role
    body: str | None  # the name of its schema
    answers: dict[int, str | None]  # schemas by status, if the request succeeds
    refusals: tuple[int, ...]  # its own statuses, besides those of all routes
    summary: str
    queries: tuple[str, ...] = ()
    limit: int = LARGE
    counted: bool = True  # False if it carries outcomes, which are never counted or logged


HOT = (
    RouteFacts(
        "PUT",
        f"{RUN}/decisions/{{name}}",
        None,
        "run",
        "decide",
        "Ask",
        {201: "Decision", 200: "Decision"},
        (404, 409),
        "Ask for a decision; the same name gets the same one for 24 hours.",
        limit=SMALL,
    ),
    RouteFacts(
        "PUT",
        f"{RUN}/decisions/{{id}}/outcome",
        None,
        "run",
        "decide",
        "Outcome",
        {204: None, 200: "Empty"},
        (404, 409),
        "Report the outcome of a decision; repeated and late ones get the same answer.",
        limit=SMALL,
        counted=False,
    ),
)


def _read(
    path: str,
    handler: Handler,
    schema: str,
    summary: str,
    *queries: str,
    role: Role | None = "read",
) -> RouteFacts:
    scope: Scope = "run" if "{run}" in path else "all"
    return RouteFacts(
        "GET", path, handler, scope, role, None, {200: schema}, (404,), summary, queries
    )


def _change(
    method: str,
    path: str,
    handler: Handler,
    body: str | None,
    answers: dict[int, str | None],
    summary: str,
    role: Role = "admin",
) -> RouteFacts:
    scope: Scope = "run" if "{run}" in path else "all"
    return RouteFacts(method, path, handler, scope, role, body, answers, (404, 409), summary)


PAGES = ("after", "limit")
ROUTES: tuple[RouteFacts, ...] = (
    *HOT,
    _change(
        "PUT",
        RUN,
        changes.create_run,
        "Spec",
        {201: "Run", 200: "Run"},
        "Create a run and charge it; the same spec again returns the same run.",
    )._replace(scope="any", role=None),  # the handler checks it: finding a run needs less
    _read(RUN, reads.show_run, "Run", "Show a run.", role=None),
    RouteFacts(
        "GET", "/v1/runs", reads.list_runs, "any", None, None, {200: "Runs"}, (), "List runs."
    ),
    _change(
        "POST",
        f"{RUN}/close",
        changes.close_run,
        "Empty",
        {200: "Run"},
        "End a run: no more decisions; releases continue at their deadlines.",
    ),
    _change(
        "POST",
        f"{RUN}/restored",
        changes.restore_run,
        "Empty",
        {200: "Restored"},
        "Continue a run after a backup of the database was restored.",
    ),
    _change(
        "POST",
        f"{RUN}/decisions",
        changes.ask_several,
        "AskSeveral",
        {201: "Decisions"},
        "Ask for several decisions.",
        "decide",
    ),
    _read(f"{RUN}/decisions", reads.list_open, "OpenDecisions", "List open decisions.", *PAGES),
    _change(
        "POST",
        f"{RUN}/outcomes",
        changes.tell_several,
        "Outcomes",
        {200: "Results"},
        "Report several outcomes.",
        "decide",
    )._replace(counted=False),
    _change(
        "POST",
        f"{RUN}/decisions/{{id}}/give-up",
        changes.give_up,
        "GiveUp",
        {200: "Lost"},
        "Stop waiting for an outcome (only without wait).",
        "decide",
    )._replace(counted=False),
    _change(
        "POST",
        f"{RUN}/rounds-of",
        changes.count_rounds,
        "User",
        {200: "Rounds"},
        "Count the rounds of a user.",
        "admin",
    ),
    _change("PUT", f"{RUN}/arms/{{label}}", changes.add_arm, "Arm", {204: None}, "Add an arm."),
    _change(
        "DELETE", f"{RUN}/arms/{{label}}", changes.retire_arm, None, {204: None}, "Retire an arm."
    ),
    _change(
        "POST",
        f"{RUN}/holdout",
        changes.finish_holdout,
        "HoldOutEnd",
        {200: "Released"},
        "End the hold-out.",
    ),
    _read(f"{RUN}/holdout", reads.show_holdout, "HeldOut", "Show the release of the hold-out."),
    _read(f"{RUN}/guarantee", reads.show_guarantee, "Guarantee", "Show the guarantee.", role=None),
    _read(f"{RUN}/releases", reads.list_releases, "Releases", "List releases.", *PAGES),
    _read(
        f"{RUN}/estimates",
        reads.show_estimates,
        "Estimates",
        "Show mean outcomes and differences with intervals.",
        "level",
        "kind",
        "outcomes",
        "clipped",
    ),
    _read(f"{RUN}/history", reads.show_history, "History", "Show decisions and releases by time."),
    _read("/v1/ledger", reads.show_ledger, "Ledger", "Show the budget and all charges."),
    _change(
        "POST", "/v1/tokens", admin.create_token, "NewToken", {201: "Token"}, "Create a token."
    ),
    _read("/v1/tokens", admin.list_tokens, "Tokens", "List tokens.", role="admin"),
    _change("DELETE", "/v1/tokens/{id}", admin.revoke_token, None, {204: None}, "Revoke a token."),
    RouteFacts(
        "GET",
        "/v1/whoami",
        admin.who_am_i,
        "any",
        None,
        None,
        {200: "Who"},
        (),
        "Show the rights of the request's token.",
    ),
    _change(
        "PUT",
        TASK,
        admin.create_task,
        "TaskSpec",
        {201: "Task", 200: "Task"},
        "Create a device task.",
    ),
    _read(TASK, admin.show_task, "Task", "Show everything that a device needs.")._replace(
        scope="open", role=None
    ),
    _read(
        f"{TASK}/model", admin.show_model, BYTES, "Get the model, published at fixed times."
    )._replace(scope="open", role=None, answers={200: BYTES, 304: None}),
    RouteFacts(
        "POST",
        f"{TASK}/reports",
        admin.take_reports,
        "open",
        None,
        BYTES,
        {204: None},
        (404, 410),
        "Send reports of devices.",
    ),
    RouteFacts(
        "GET", "/healthz", admin.health, "open", None, None, {200: "Health"}, (), "Is it alive?"
    ),
    RouteFacts(
        "GET",
        "/readyz",
        admin.readiness,
        "open",
        None,
        None,
        {200: "Ready", 503: "Ready"},
        (),
        "Can it serve?",
    ),
    _read("/metrics", reads.show_metrics, PLAIN, "Counters for Prometheus."),
    RouteFacts(
        "GET",
        "/openapi.json",
        None,
        "open",
        None,
        None,
        {200: "Document"},
        (),
        "This description.",
    ),
)
