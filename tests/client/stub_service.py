"""A small stand-in for the service: live runs in memory behind the routes, and faults on demand."""

from __future__ import annotations

from datetime import timedelta

import anyio
import anyio.from_thread
import httpx
import numpy as np
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

import discreet
from discreet.errors import DiscreetError

TOKEN = "dsc_secret-of-the-tests"
CLASSES = {
    "bandit": discreet.Bandit,
    "best-arm": discreet.BestArmSearch,
    "experts": discreet.Experts,
    "optimizer": discreet.Optimizer,
    "vector-optimizer": discreet.VectorOptimizer,
    "slates": discreet.SlateBandit,
    "advice": discreet.Advisor,
    "contexts": discreet.ContextualBandit,
}


class Bridge(httpx.BaseTransport):
    """Requests of blocking clients to an application in this process."""

    def __init__(self, app):
        self._context = anyio.from_thread.start_blocking_portal()
        self._portal = self._context.__enter__()
        self._inner = httpx.ASGITransport(app)

    def handle_request(self, request):
        async def exchange():
            response = await self._inner.handle_async_request(request)
            return response.status_code, response.headers, await response.aread()

        status, headers, content = self._portal.call(exchange)
        return httpx.Response(status, headers=headers, content=content)

    def call(self, coroutine):
        """Run a coroutine in the event loop of the application."""
        return self._portal.call(coroutine)

    def end(self):
        self._context.__exit__(None, None, None)


def problem(status, kind, detail, **headers):
    body = {"type": f"urn:discreet:{kind}", "title": kind, "status": status, "detail": detail}
    return JSONResponse(
        body, status, media_type="application/problem+json", headers=headers or None
    )


def plain(decision):
    fields = dict(decision._asdict())
    for name, each in fields.items():
        if isinstance(each, np.ndarray):
            fields[name] = each.tolist()
        if name == "weights":
            fields[name] = list(each.values())
    return fields


class StubService:
    """What the tests look at: the runs, and every request that came."""

    def __init__(self):
        self.runs, self.specs, self.given, self.seen = {}, {}, {}, []
        self.faults = []  # what happens to the next requests: "lost", "refused", or a response
        self.app = self._guarded

    async def _guarded(self, scope, receive, send):
        self.seen.append((scope["method"], scope["path"]))
        fault = self.faults.pop(0) if self.faults else None
        if fault == "unreachable":
            raise httpx.ConnectError("no")
        if isinstance(fault, Response):
            await fault(scope, receive, send)
            return
        if fault == "lost":  # it is done, but nobody hears of it

            async def nowhere(message):
                pass

            await self._starlette(scope, receive, nowhere)
            raise httpx.ReadTimeout("lost")
        await self._starlette(scope, receive, send)

    @property
    def _starlette(self):
        run, runs = "/v1/runs/{run}", []
        for path, method, endpoint in (
            (run, "PUT", self.create),
            (run, "GET", self.show),
            (run + "/close", "POST", self.show),
            ("/v1/runs", "GET", self.names),
            (run + "/decisions/{name}", "PUT", self.ask),
            (run + "/decisions", "POST", self.ask_several),
            (run + "/decisions", "GET", self.open_ones),
            (run + "/decisions/{id:int}/outcome", "PUT", self.tell),
            (run + "/decisions/{id:int}/give-up", "POST", self.give_up),
            (run + "/outcomes", "POST", self.tell_several),
            (run + "/estimates", "GET", self.estimates),
            (run + "/arms/{label}", "PUT", self.add_arm),
            (run + "/arms/{label}", "DELETE", self.retire_arm),
            (run + "/holdout", "GET", self.held_out),
            (run + "/holdout", "POST", self.finish_holdout),
        ):
            runs.append(Route(path, self.checked(endpoint), methods=[method]))
        return Starlette(routes=runs)

    def checked(self, endpoint):
        async def answer(request):
            if request.headers.get("Authorization") != f"Bearer {TOKEN}":
                none = "Authorization" not in request.headers
                words = "no token was sent" if none else "the token is unknown"
                return problem(401, "unauthorized", f"{words}: send one.")
            body = await request.body()
            given = await request.json() if body else {}
            name = request.path_params.get("run")
            if endpoint not in (self.create, self.names) and name not in self.runs:
                return problem(404, "not-found", f"there is no run {name}.")
            try:
                return endpoint(request, given, name)
            except DiscreetError as refusal:
                kind = refusal.kind if refusal.kind != "refused" else "invalid"
                return problem(refusal.status, kind, str(refusal))

        return answer

    def create(self, request, spec, name):
        if name in self.runs and self.specs[name] != spec:
            return problem(409, "exists", f"{name} exists with another spec.")
        if "wait" not in spec and not spec.get("wait_declined"):
            return problem(422, "wait-missing", "wait is missing.")
        status = 200
        if name not in self.runs:
            status, self.specs[name] = 201, spec
            arguments = {key: each for key, each in spec.items() if key != "wait_declined"}
            kind = CLASSES[arguments.pop("problem")]
            if "features" in arguments:
                arguments["features"] = discreet.Features(**arguments["features"])
            if "per" in arguments:
                arguments["per"] = timedelta(seconds=arguments["per"])
            self.runs[name] = kind(**arguments)
        response = self.show(request, {}, name)
        response.status_code = status
        return response

    def show(self, request, given, name):
        live, spec = self.runs[name], self.specs[name]
        state = live.state()._asdict()
        shares = [{"choice": each, "share": share} for each, share in state["shares"].items()]
        labels = list(live._labels) or spec.get("items", [])
        labels = labels if isinstance(labels, list) else list(range(labels))
        shown = {
            "run": name,
            "problem": spec["problem"],
            "algorithm": live.algorithm,
            "spec": spec,
            "labels": list(live.arms) if spec["problem"] == "bandit" else labels,
            "guarantee": {"facts": live.guarantee.as_dict()},
            "state": {**state, "shares": shares},
        }
        if spec["problem"] == "contexts":
            shown["labels"] = list(live.features.arms)
        if spec["problem"] == "best-arm":
            shown |= {"answer": live.answer, "finished": live.finished}
        return JSONResponse(shown)

    def names(self, request, given, name):
        return JSONResponse({"runs": [{"run": each} for each in self.runs]})

    def _decide(self, run, name, arguments):
        live, key = self.runs[run], (run, name)
        if name is None or key not in self.given:
            self.given[key] = live.ask(**arguments)
        return {"name": name, **plain(self.given[key])}

    def ask(self, request, given, run):
        name = request.path_params["name"]
        status = 200 if (run, name) in self.given else 201
        return JSONResponse(self._decide(run, name, given), status)

    def ask_several(self, request, given, run):
        each, found = given.pop("each"), []
        for one in each:
            try:
                found.append(self._decide(run, one.pop("name"), {**one, **given}))
            except DiscreetError as refusal:
                found.append({"problem": {"type": "urn:discreet:invalid", "status": 422}})
                found[-1]["problem"]["detail"] = str(refusal)
        return JSONResponse({"decisions": found}, 201)

    def open_ones(self, request, given, run):
        after = request.query_params.get("after")
        limit = int(request.query_params["limit"])
        page = self.runs[run].open_decisions.page(None if after is None else int(after), limit)
        return JSONResponse({"decisions": [each._asdict() for each in page], "next": None})

    def _tell(self, run, number, given):
        token, live = given.pop("token", None), self.runs[run]
        assert token is None or token.startswith(live._run._token.split(".")[0])
        live.tell(number, **given)

    def tell(self, request, given, run):
        self._tell(run, request.path_params["id"], given)
        return Response(status_code=204)

    def tell_several(self, request, given, run):
        results = []
        for each in given["outcomes"]:
            number = each.pop("id")
            try:
                self._tell(run, number, each)
                results.append({"id": number, "status": 204})
            except DiscreetError as refusal:
                facts = {"type": f"urn:discreet:{refusal.kind}", "detail": str(refusal)}
                results.append({"id": number, "status": refusal.status, "problem": facts})
        return JSONResponse({"results": results})

    def give_up(self, request, given, run):
        return JSONResponse({"lost": self.runs[run].give_up(request.path_params["id"])})

    def estimates(self, request, given, run):
        asked = dict(request.query_params)
        asked["level"], asked["clipped"] = float(asked["level"]), asked["clipped"] == "true"
        return JSONResponse(self.runs[run].estimates(**asked).as_dict())

    def add_arm(self, request, given, run):
        self.runs[run].add_arm(request.path_params["label"])
        return Response(status_code=204)

    def retire_arm(self, request, given, run):
        self.runs[run].retire_arm(request.path_params["label"])
        return Response(status_code=204)

    def held_out(self, request, given, run):
        found = self.runs[run].held_out
        rows = None if found is None else [each._asdict() for each in found]
        return JSONResponse({"held_out": rows})

    def finish_holdout(self, request, given, run):
        return JSONResponse({"released": self.runs[run].finish_holdout(**given)})
