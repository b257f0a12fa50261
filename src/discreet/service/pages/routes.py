"""The pages of the service: the list of runs, three views and a report of each, and sign-in."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Awaitable, Callable
from importlib import resources
from typing import Any
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from discreet.errors import DiscreetError, shorten
from discreet.service.limits import RateLimit
from discreet.service.logs import log_failure
from discreet.service.pages import downloads, signing
from discreet.service.pages.rendering import REFRESH, Renderer
from discreet.service.pages.sessions import COOKIE, SessionRecords, SignIns
from discreet.service.pages.source import HostSource, TokenSource
from discreet.service.pages.view_operations import operations_view
from discreet.service.pages.view_privacy import budget_view, privacy_view
from discreet.service.pages.view_results import EstimateOptions, EstimatesCache, results_view
from discreet.service.pages.views import RunView, run_lines, run_view
from discreet.service.problems import problem_of

RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
STATIC = {"site.css": "text/css", "live.js": "text/javascript", "icon.svg": "image/svg+xml"}
MOST_RUNS = 60  # on one page of the list
SIGN_INS, SIGN_INS_AT_ONCE = 1.0, 20.0  # attempts of one address: per second, and at once
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
FOREIGN_FORM = "The form was not sent from a page of this service. Open the page again and retry."
NO_READER = (
    "This token cannot be used here: it is unknown, has expired, or may not read. Use one with "
    "the role read or admin."
)
Page = Callable[[Request, RunView], Response]
Answer = Callable[[Request], Awaitable[Response]]
MakeChange = Callable[[Callable[[], Any]], Awaitable[Any]]


def routes(
    host: HostSource,
    tokens: TokenSource,
    records: SessionRecords | None = None,
    change: MakeChange = run_in_threadpool,
    *,
    refresh: float = REFRESH,
    limit: RateLimit | None = None,
) -> list[Route]:
    """Return the routes of all pages.

    Parameters
    ----------
    host, tokens
        The runs, and the rights to read them.
    records
        Where to store sign-ins, so that all workers know them; by default, in this process.
    change
        Runs the functions that read and write them; by default, in some thread.
    refresh
        Seconds between updates of an open page.
    limit
        The rate limit for sign-in attempts of one address.

    """
    limit = limit or RateLimit(SIGN_INS, SIGN_INS_AT_ONCE)
    pages = Pages(host, SignIns(tokens, records), change, refresh, limit)
    careful = pages.careful
    return [
        Route("/", careful(pages.runs), methods=["GET"]),
        Route("/sign-in", careful(pages.sign_in_page), methods=["GET"]),
        Route("/sign-in", careful(pages.sign_in), methods=["POST"]),
        Route("/sign-out", careful(pages.sign_out), methods=["POST"]),
        Route("/static/{file}", careful(pages.static), methods=["GET"]),
        *(
            Route(f"/runs/{{run}}{path}", careful(pages.run(page)), methods=["GET"])
            for path, page in (
                ("", pages.overview),
                ("/privacy", pages.privacy),
                ("/operations", pages.operations),
                ("/results", pages.results),
                ("/report", pages.report),
                ("/{table}.{form}", pages.download),
            )
        ),
    ]


class Pages:
    """Answers the requests of browsers: each in a thread, after authentication."""

    def __init__(
        self,
        host: HostSource,
        sign_ins: SignIns,
        change: MakeChange,
        refresh: float,
        limit: RateLimit,
    ) -> None:
        self._host, self._sign_ins, self._change, self._limit = host, sign_ins, change, limit
        self._estimator = EstimatesCache()
        folder = resources.files("discreet.service.pages") / "static"
        self._static = {name: (folder / name).read_bytes() for name in STATIC}
        version = hashlib.sha256(b"".join(self._static.values())).hexdigest()[:12]
        self._renderer = Renderer(version, refresh)

    def careful(self, answer: Answer) -> Answer:
        """Wrap a function, so that an error becomes a page with one sentence."""

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except Exception as error:
                problem = problem_of(error)
                if problem.kind == "internal":
                    log_failure("a page", error)
                page = self._page(
                    "message.html", problem.status, title=problem.title, words=problem.detail
                )
                page.headers.update(problem.headers)
                return page

        return answered

    async def runs(self, request: Request) -> Response:
        """Return the list of runs that the visitor may read."""
        token = await self._token(request)
        if isinstance(token, Response):
            return token
        return await run_in_threadpool(self._runs, request, token)

    def _runs(self, request: Request, token: str) -> Response:
        wanted = request.query_params.get("q", "")[:64].strip()
        names = [name for name in self._host.names() if self._sign_ins.may_read(token, name)]
        found = sorted((n for n in names if wanted.lower() in n.lower()), key=str.lower)
        given = request.query_params.get("page", "1")
        page = max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else 1
        shown = found[(page - 1) * MOST_RUNS : page * MOST_RUNS]
        whole = self._sign_ins.may_read(token, "*")
        lines, failed = run_lines(self._host, shown)
        return self._page(
            "runs.html",
            lines=lines,
            total=len(names),
            found=len(found),
            wanted=wanted,
            page=page,
            pages=-(-len(found) // MOST_RUNS),
            budget=budget_view(self._host.budget()) if whole else None,
            refused=sorted(({**self._host.refused(), **failed} if whole else failed).items()),
        )

    def run(self, page: Page) -> Answer:
        """Return a page of one run, for visitors who may read that run."""

        def made(request: Request, token: str) -> Response:
            name = request.path_params["run"]
            # the same answer whether the run is unknown or belongs to another token
            may = RUN_NAME.fullmatch(name) and self._sign_ins.may_read(token, name)
            if not may or name not in self._host.names():
                return self._missing(name)
            request.state.sees_all = self._sign_ins.may_read(token, "*")
            return page(request, run_view(self._host, name))

        async def answer(request: Request) -> Response:
            token = await self._token(request)
            if isinstance(token, Response):
                return token
            return await run_in_threadpool(made, request, token)

        return answer

    def overview(self, request: Request, run: RunView) -> Response:
        """Redirect to the first of the three views."""
        return RedirectResponse(f"/runs/{quote(run.name)}/results", 303, HEADERS)

    def privacy(self, request: Request, run: RunView) -> Response:
        """Return the page for a privacy officer."""
        found = privacy_view(self._host, run, whole=request.state.sees_all)
        return self._page("privacy.html", run=run, view=found)

    def operations(self, request: Request, run: RunView) -> Response:
        """Return the page for an engineer."""
        found = operations_view(self._host, run, whole=request.state.sees_all)
        return self._page("operations.html", run=run, view=found)

    def results(self, request: Request, run: RunView) -> Response:
        """Return the page for a statistician."""
        options = EstimateOptions.of(request.query_params)
        found = results_view(self._host, run, options, self._estimator)
        return self._page("results.html", run=run, view=found, parquet=downloads.has_parquet())

    def report(self, request: Request, run: RunView) -> Response:
        """Return the printable report."""
        options = EstimateOptions.of(request.query_params)
        return self._page(
            "report.html",
            run=run,
            privacy=privacy_view(self._host, run, whole=request.state.sees_all),
            results=results_view(self._host, run, options, self._estimator),
        )

    def download(self, request: Request, run: RunView) -> Response:
        """Return a table as a file."""
        name, form = request.path_params["table"], request.path_params["form"]
        options = EstimateOptions.of(request.query_params)
        if form not in downloads.TYPES or name not in ("estimates", "releases", "history"):
            return self._missing(f"{name}.{form}")
        try:
            if name == "estimates":
                table = downloads.estimates_table(run, options)
            elif name == "releases":
                table = downloads.releases_table(self._host, run)
            else:
                table = downloads.history_table(self._host, run)
            content = downloads.written(table, form)
        except DiscreetError as refusal:
            return self._page("message.html", 422, title="Nothing to download", words=str(refusal))
        attached = {"Content-Disposition": f'attachment; filename="{run.name}-{name}.{form}"'}
        return Response(content, 200, HEADERS | attached, downloads.TYPES[form])

    async def sign_in_page(self, request: Request) -> Response:
        """Return the sign-in form."""
        place = signing.local_place(request.query_params.get("next"))
        return self._page("sign-in.html", place=place, refused="")

    async def sign_in(self, request: Request) -> Response:
        """Take a token, and give the browser a sign-in instead."""
        self._limit.count(request.client.host if request.client else "")
        form = await signing.form_of(request)
        if not signing.comes_from_here(request) or form is None:
            return self._page("message.html", 403, title="Not signed in", words=FOREIGN_FORM)
        place = signing.local_place(form.get("next"))
        token = form.get("token", "").strip()
        session = await self._change(lambda: self._sign_ins.begin(token))
        if session is None:
            return self._page("sign-in.html", 403, place=place, refused=NO_READER)
        return signing.keep(RedirectResponse(place, 303, HEADERS), request, session)

    async def sign_out(self, request: Request) -> Response:
        """End a sign-in, here and in the browser."""
        if not signing.comes_from_here(request):
            return self._page("message.html", 403, title="Still signed in", words=FOREIGN_FORM)
        session = request.cookies.get(COOKIE)
        if session is not None:
            await self._change(lambda: self._sign_ins.end(session))
        return signing.forget(RedirectResponse("/sign-in", 303, HEADERS))

    async def static(self, request: Request) -> Response:
        """Return style, script or icon; their addresses change with their content."""
        name = request.path_params["file"]
        if name not in STATIC:
            return self._missing(name)
        kept = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(self._static[name], 200, HEADERS | kept, STATIC[name])

    async def _token(self, request: Request) -> str | Response:
        """Return the token of the visitor, or the sign-in page."""
        session = request.cookies.get(COOKIE)
        if session is not None:
            token: str | None = await self._change(lambda: self._known_token(session))
            if token is not None and self._sign_ins.is_known(token):
                return token
        elif signing.is_followed(request):
            # The browser sends its cookie if this page, not the other site, links here.
            return self._page("again.html")
        place = signing.local_place(request.url.path)
        where = "/sign-in" if place == "/" else f"/sign-in?next={quote(place)}"
        return RedirectResponse(where, 303, HEADERS)

    def _known_token(self, session: str) -> str | None:
        """Return the token of a sign-in; for a valid one, refresh the list of runs first."""
        token = self._sign_ins.token_of(session)
        if token is not None:
            self._host.renew()
        return token

    def _missing(self, name: str) -> Response:
        words = f"There is no {shorten(name)} here, or your token may not read it."
        return self._page("message.html", 404, title="Not found", words=words)

    def _page(self, template: str, status: int = 200, **values: object) -> Response:
        text = self._renderer.page(template, values)
        return Response(text, status, HEADERS, "text/html; charset=utf-8")
