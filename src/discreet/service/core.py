"""One service: its runs, tokens, writer, timers, tasks and limits."""

from __future__ import annotations

import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from discreet.errors import shorten
from discreet.service.bodies import Bodies
from discreet.service.groups import Writer
from discreet.service.host import Host
from discreet.service.hosted import Hosted
from discreet.service.limits import RateLimit
from discreet.service.logs import log_event
from discreet.service.problems import HttpProblem, not_found
from discreet.service.settings import Settings
from discreet.service.specs import RUN_NAME
from discreet.service.tasks import Tasks
from discreet.service.timers import Timers
from discreet.service.tokens import EVERY_RUN, Grant, Role, Tokens

DECISION_NAME = re.compile(r"[A-Za-z0-9._~:@-]{1,128}", re.ASCII)
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="discreet"'}


class Service:
    """Everything behind the routes."""

    def __init__(self, host: Host, tokens: Tokens, tasks: Tasks, settings: Settings) -> None:
        self.host, self.tokens, self.tasks, self.settings = host, tokens, tasks, settings
        self.writer = Writer(host)
        self.timers = Timers(self.writer, tokens)
        self.bodies = Bodies(settings.body_seconds)
        self.by_token = RateLimit(settings.rate, settings.burst)
        self.by_address = RateLimit(settings.open_rate, settings.open_burst)
        self.ready = self.ended = False
        self.when_ready: Callable[[], None] = lambda: None

    async def start(self) -> None:
        """Open all runs and tasks, and start serving."""
        self.writer.start()
        await self.writer.call(self.host.open_all)
        await run_in_threadpool(self.tasks.open_all)
        self.timers.start(self.settings.release_every)
        self.timers.every(self.settings.publish_every, self._publish)
        self.timers.every(min(1.0, self.settings.body_seconds / 2.0), self.bodies.sweep)
        self.ready = True
        for name, reason in self.host.refused.items():
            log_event("refused", run=name, reason=repr(reason))
        self.when_ready()
        log_event("ready", runs=len(self.host.names()), tasks=len(self.tasks.names()))

    async def stop(self) -> None:
        """Finish pending work, and close."""
        self.ready = False
        await self.timers.stop()
        await run_in_threadpool(self.writer.stop)
        await run_in_threadpool(self.tasks.close)
        await run_in_threadpool(self.host.close)
        self.ended = True
        log_event("closed")

    async def _publish(self) -> None:
        await run_in_threadpool(self.tasks.publish)

    def grant_of(self, headers: list[tuple[bytes, bytes]], scope: Scope) -> Grant:
        """Return the rights of a request's token, and count the request."""
        header = None
        for name, value in headers:
            if name == b"authorization":
                if header is not None:
                    raise HttpProblem("bad-request", "there are two Authorization headers.")
                header = value
        grant = None if header is None else self.tokens.grant_of(header)
        if grant is None:
            self.by_address.count(address_of(scope))
            words = "no token was sent" if header is None else "the token is unknown"
            raise HttpProblem(
                "unauthorized", f"{words}: send Authorization: Bearer TOKEN.", headers=CHALLENGE
            )
        self.by_token.count(grant.id)
        return grant

    @staticmethod
    def check_role(grant: Grant, role: Role | None, run: str, what: str = "this") -> None:
        """Refuse a token without a role for a run; None means any role."""
        if not (grant.reads(run) if role is None else grant.allows(role, run)):
            raise HttpProblem(
                "forbidden",
                f"the token has the role {grant.role} for {_runs(grant.run)}, but {what} needs "
                f"{role or 'a role'} for {_runs(run)}.",
            )

    async def run(self, name: str) -> Hosted:
        """Return a run; open it first if another process created it."""
        if self.host.has(name):
            return self.host.get(name)
        if not RUN_NAME.fullmatch(name):
            raise not_found("run with that name")
        return await self.writer.call(lambda: self.host.find(name))


def _runs(run: str) -> str:
    return "all runs" if run == EVERY_RUN else shorten(run)


def address_of(scope: Scope) -> str:
    """Return the address of the client."""
    client = scope.get("client")
    return client[0] if client else ""
