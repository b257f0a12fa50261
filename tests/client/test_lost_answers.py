"""Answers that are lost, late or refused: requests are sent again, and counted once."""

# ruff: noqa: F811 - fixtures are arguments
from __future__ import annotations

import anyio
import httpx
import numpy as np
import pytest
from programs import PROGRAMS, arguments_of
from stub_fixtures import bridge, connected, service, stub  # noqa: F401 - fixtures
from stub_service import TOKEN, problem

import discreet
from discreet.client import ServiceUnreachable
from discreet.client import calls as client_calls
from discreet.errors import Busy, OldCopy
from discreet.live.serving import SERVED

ONE = {"arms": ["A", "B"], "horizon": 100, "epsilon": 1.0, "wait": None, "path": "one"}
DEFAULTS = {
    "bandit": "B",
    "best-arm": "A",
    "experts": "y",
    "optimizer": [1.0, 1.0, 0.0, 0.0, 0.0],
    "two points": [[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]],
    "vector-optimizer": [1.0, 0.0, 0.0],
    "slates": ["d", "a"],
    "advice": "A",
    "contexts": "B",
}


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr(client_calls, "FIRST_PAUSE", 1e-6)


def busy(**headers):
    return problem(503, "busy", "the queue is full.", **headers)


@pytest.mark.parametrize("fault", ["lost", "unreachable", "busy"])
def test_a_decision_is_asked_for_again_under_the_same_name(stub, service, fault):
    bandit = service.Bandit(**ONE)
    stub.faults, stub.seen = [busy() if fault == "busy" else fault], []
    first = bandit.ask()
    assert first.id == 0
    assert len(stub.seen) == 2
    assert stub.seen[0] == stub.seen[1]
    assert bandit.ask().id == 1
    assert stub.seen[2] != stub.seen[1]
    assert bandit.state().round == 2


def test_an_outcome_whose_answer_was_lost_counts_once(stub, service):
    bandit = service.Bandit(**ONE)
    decision = bandit.ask()
    stub.faults = [busy(), "unreachable"]
    bandit.tell(decision, reward=1.0)
    assert bandit.state().open == 0
    many = bandit.ask_many(3)
    stub.faults = [busy()]
    assert bandit.tell_all(reward=[(each, 0.5) for each in many]) == 3


def test_several_decisions_are_asked_for_again_under_their_names(stub, service):
    bandit = service.Bandit(**ONE)
    stub.faults = ["lost"]
    assert [each.id for each in bandit.ask_many(4)] == [0, 1, 2, 3]
    assert bandit.state().round == 4


def test_after_the_retries_there_is_an_error(stub, service):
    bandit = service.Bandit(**ONE)
    stub.faults = ["unreachable"] * 3
    with pytest.raises(ServiceUnreachable, match="reached or is too slow: no connection at "):
        bandit.ask()
    stub.faults = ["lost"] * 3
    with pytest.raises(ServiceUnreachable, match="no answer in time"):
        bandit.ask()
    stub.faults = [busy(**{"Retry-After": "3600"})]
    with pytest.raises(Busy, match="the queue is full"):
        bandit.ask()
    stub.seen.clear()
    stub.faults = [problem(503, "old-copy", "this is a restored copy.")]
    with pytest.raises(OldCopy, match="restored copy"):
        bandit.ask()
    assert len(stub.seen) == 1  # trying again does not help


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_default_is_the_decision_if_nobody_answers(stub, service, name):
    kind, _, asked, outcome = PROGRAMS[name]
    run = vars(service)[kind](path="one", **arguments_of(name))
    stub.faults = ["unreachable"] * 3
    decision = run.ask(**asked, default=DEFAULTS[name])
    assert (decision.id, decision.token, decision.learns) == (SERVED, "", False)
    chosen = decision[0].tolist() if isinstance(decision[0], np.ndarray) else decision[0]
    assert chosen == DEFAULTS[name] or list(chosen) == DEFAULTS[name]
    if name == "experts":
        assert decision.weights == {"x": 0.0, "y": 1.0, "z": 0.0}
    stub.seen.clear()
    run.tell(decision, **outcome(decision))  # nobody learns from it, so nothing is sent
    assert stub.seen == []
    stub.faults = [busy(), busy(), busy()]
    assert not run.ask(**asked, default=DEFAULTS[name]).learns
    assert run.ask(**asked, default=DEFAULTS[name]).learns
    assert run.state().round == 1


def test_a_default_must_be_possible_and_does_not_hide_refusals(stub, service):
    bandit = service.Bandit(**{**ONE, "horizon": 2})
    with pytest.raises(discreet.DiscreetError, match="default is 'C', but must be one of 'A', 'B'"):
        bandit.ask(default="C")
    bandit.ask(), bandit.ask()
    with pytest.raises(discreet.DiscreetError, match="the horizon of 2 rounds is used up"):
        bandit.ask(default="A")


def test_coroutines_try_again_and_have_defaults(stub, connected):
    async def main():
        async with connected() as connection:
            bandit = await connection.Bandit(**ONE)
            stub.faults = ["lost"]
            decision = await bandit.ask()
            stub.faults = ["unreachable"] * 3
            other = await bandit.ask(default="B")
            await bandit.tell(other, reward=1.0)
            await bandit.tell(decision, reward=1.0)
            assert await bandit.arms == ("A", "B")
            assert [each.id for each in await bandit.open_page()] == []
            return decision, other, await bandit.state()

    decision, other, state = anyio.run(main)
    assert (decision.id, other.arm, other.learns, state.round) == (0, "B", False, 1)


def test_a_slow_service_takes_no_longer_than_the_timeout():
    """Each try gets an equal share of the time that is left."""
    shares = []

    class Slow(httpx.BaseTransport):
        def handle_request(self, request):
            shares.append(request.extensions["timeout"]["read"])
            raise httpx.ReadTimeout("slow", request=request)

    connection = discreet.connect(
        "http://localhost", token=TOKEN, timeout=30.0, retries=2, transport=Slow()
    )
    with pytest.raises(ServiceUnreachable):
        connection.runs()
    assert len(shares) == 3
    assert shares[0] == pytest.approx(10.0, abs=1.0)
    assert shares[2] == pytest.approx(30.0, abs=1.0)  # here the first two took no time


def test_creating_again_continues_the_run(bridge, service):
    bandit = service.Bandit(**ONE)
    bandit.ask()
    assert service.Bandit(**ONE).state().round == 1
    with pytest.raises(discreet.DiscreetError, match="exists with another spec"):
        service.Bandit(**{**ONE, "epsilon": 2.0})
    other = discreet.connect("http://localhost", token=TOKEN, transport=bridge)
    assert other.open("one").state().round == 1
    other.close()
