"""Refusals are the library's own errors, and nothing secret is in errors, logs or reprs."""

# ruff: noqa: F811 - fixtures are arguments
from __future__ import annotations

import logging
import os
import pickle
import traceback

import anyio
import httpx
import pytest
from starlette.responses import PlainTextResponse
from stub_fixtures import bridge, connected, service, stub  # noqa: F401 - fixtures
from stub_service import TOKEN, problem

import discreet
from discreet.client import NotAllowed, ServiceUnreachable
from discreet.client.refusals import KINDS
from discreet.errors import DiscreetError, HorizonUsed
from discreet.ledger import BudgetExceeded, UserLimitReached

ONE = {"arms": ["A", "B"], "horizon": 100, "epsilon": 1.0, "wait": None, "path": "one"}
CANARY = 0.734219587


def test_kinds_of_refusals_are_classes(stub, service):
    bandit = service.Bandit(**ONE)
    for kind, error in KINDS.items():
        stub.faults = [problem(409, kind, "one sentence.")]
        with pytest.raises(error, match=r"^one sentence\.$") as caught:
            bandit.ask()
        assert type(caught.value) is error
    assert KINDS["limit-reached"] is UserLimitReached
    assert KINDS["budget-exceeded"] is BudgetExceeded
    assert KINDS["horizon-used"] is HorizonUsed


def test_answers_of_others_are_refused(stub, service):
    bandit = service.Bandit(**ONE)
    stub.faults = [PlainTextResponse("<html>welcome</html>")]
    with pytest.raises(DiscreetError, match="not from a decision service: check the URL"):
        bandit.ask()
    stub.faults = [PlainTextResponse("teapot", 418)]
    with pytest.raises(DiscreetError, match="status 418"):
        bandit.ask()
    stub.faults = [PlainTextResponse("bad gateway", 502)] * 3
    with pytest.raises(ServiceUnreachable, match="its proxy answers 502"):
        bandit.ask()
    stub.faults = [problem(302, "x", "y", Location="http://localhost/elsewhere")]
    with pytest.raises(DiscreetError, match="y"):  # not followed: the token stays here
        bandit.ask()


def test_a_token_is_needed(bridge):
    for token, said in (
        (None, "no token was sent: give connect a token=, or set DISCREET_TOKEN."),
        ("dsc_wrong", "the token is unknown: check token= or DISCREET_TOKEN."),
    ):
        connection = discreet.connect("http://localhost", token=token, transport=bridge)
        with pytest.raises(NotAllowed, match=said):
            connection.runs()
        connection.close()


def test_the_token_can_be_a_variable(bridge, monkeypatch):
    monkeypatch.setenv("DISCREET_TOKEN", TOKEN + "\n")
    with discreet.connect("http://localhost", transport=bridge) as connection:
        assert connection.runs() == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"url": "localhost:8000"},
            "url is 'localhost:8000', but must be the address of a service",
        ),
        (
            {"url": "ftp://localhost"},
            "url is 'ftp://localhost', but must be the address of a service",
        ),
        ({"url": "http://me:word@localhost"}, "url contains a user: give a token= instead"),
        ({"url": 7}, "url is 7, but must be text"),
        ({"token": " "}, "token is empty: give a token, or set DISCREET_TOKEN."),
        ({"token": "a\nb"}, "token has characters that are not allowed"),
        ({"timeout": 0}, "timeout is 0, but must be a finite number above 0"),
        ({"retries": -1}, "retries is -1, but must be a whole number of at least 0"),
    ],
)
def test_bad_connections_are_refused(arguments, sentence):
    with pytest.raises(DiscreetError, match=sentence.replace("(", r"\(")):
        discreet.connect(**{"url": "http://localhost", **arguments})


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"path": None}, "on a service it must be the name of the run"),
        ({"key": "run.key"}, "key is given, but the service has its own: leave it out"),
        ({"epsilon": float("nan")}, "epsilon is nan, but must be a finite number"),
        ({"ledger": discreet.Ledger(1.0)}, "ledger is given, but the service has its own"),
        ({"prior": object()}, "which cannot be sent to a service"),
    ],
)
def test_bad_specs_are_refused(service, changed, sentence):
    with pytest.raises(DiscreetError, match=sentence):
        service.Bandit(**{**ONE, **changed})


def test_wait_is_declined_in_words(service):
    given = {name: each for name, each in ONE.items() if name != "wait"}
    with pytest.raises(DiscreetError, match="wait is missing: give wait and a default outcome"):
        service.Bandit(**given)
    with pytest.raises(DiscreetError, match="Bandit: missing a required argument: 'epsilon'"):
        service.Bandit(["A", "B"], 100, path="one", wait=None)


def test_a_class_opens_its_own_runs(service):
    service.Bandit(**ONE)
    assert type(service.open("one")).__name__ == "RemoteBandit"
    assert service.Bandit.open("folder/one.db").name == "one"
    with pytest.raises(DiscreetError, match=r"one is a run of Bandit: open it with Bandit\.open"):
        service.Experts.open("one")
    with pytest.raises(DiscreetError, match="there is no run two"):
        service.open("two")
    service.Bandit(**{**ONE, "path": "sim"}, simulation=True, seed=1)
    with pytest.raises(DiscreetError, match="protects nobody: open it with unprotected=True"):
        service.open("sim")
    assert service.runs() == ["one", "sim"]
    assert service.open("sim", unprotected=True).algorithm == "one-bit-tsallis-inf"


BAD = [
    ({"reward": "0.734219587"}, "the reward is of type str, but must be a finite number"),
    ({"reward": float("nan")}, "the reward is not a finite number"),
    ({"reward": CANARY, "loss": CANARY}, "tell needs one outcome: either reward or loss"),
    ({}, "tell needs one outcome: either reward or loss"),
    ({"reward": CANARY + 7}, "outside the declared range"),
    ({"reward": {"A": CANARY}}, "this problem has no labels"),
]


@pytest.mark.parametrize(("outcome", "sentence"), BAD)
def test_no_error_holds_an_outcome(service, outcome, sentence):
    bandit = service.Bandit(**ONE)
    decision = bandit.ask()
    with pytest.raises(DiscreetError, match=sentence) as caught:
        bandit.tell(decision, **outcome)
    assert_hides(caught.value, bandit)
    if "loss" not in outcome:
        with pytest.raises(DiscreetError) as caught:
            bandit.tell_all(reward=[(decision, outcome.get("reward"))])
        assert_hides(caught.value, bandit)


def assert_hides(error, bandit):
    """Check that neither text nor frames of an error, nor of its causes, hold an outcome."""
    while error is not None:
        assert "734219587" not in str(error)
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_filename != __file__:
                assert "734219587" not in repr(frame.f_locals), frame
                assert not any(isinstance(each, httpx.Request) for each in frame.f_locals.values())
        error = error.__cause__ or error.__context__


def test_no_error_of_the_network_holds_an_outcome(stub, service, connected):
    bandit = service.Bandit(**ONE)
    decision = bandit.ask()
    stub.faults = ["unreachable"] * 3
    with pytest.raises(ServiceUnreachable) as caught:
        bandit.tell(decision, reward=CANARY)
    assert_hides(caught.value, bandit)
    assert caught.value.__context__ is None  # an error of httpx has the request

    async def main():
        async with connected(retries=0) as connection:
            other = await connection.Bandit(**ONE)
            stub.faults = ["unreachable"]
            await other.tell(decision, reward=CANARY)

    with pytest.raises(ServiceUnreachable) as caught:
        anyio.run(main)
    assert_hides(caught.value, bandit)


def test_nothing_is_logged(service, caplog):
    """Not even addresses: with wait, they would show who answered when."""
    caplog.set_level(logging.INFO)
    bandit = service.Bandit(**ONE)
    bandit.tell(bandit.ask(), reward=CANARY)
    assert [each.name for each in caplog.records] == []


def test_no_repr_shows_the_token(service):
    bandit = service.Bandit(**ONE)
    link = bandit._link
    shown = [repr(each) for each in (service, bandit, link, link.address, service.Bandit)]
    request = link.address.request(bandit._calls.tell(bandit.ask(), {"reward": CANARY}), 1.0)
    shown += [repr(request), repr(request.headers), repr(bandit._calls.tell(5, {"reward": CANARY}))]
    for text in shown:
        assert TOKEN not in text
        assert str(CANARY) not in text
    assert repr(bandit) == (
        "RemoteBandit('one' at http://localhost, one-bit-tsallis-inf, 1-differential privacy)"
    )


def test_users_are_text_or_numbers(stub, service):
    bandit = service.Bandit(**ONE, max_rounds_per_user=1)
    given = bandit.ask(user="u")
    with pytest.raises(UserLimitReached):
        bandit.ask(user="u")
    served = bandit.ask(user="u", at_limit="serve")
    assert (given.learns, served.learns) == (True, False)
    bandit.tell(served, reward=1.0)
    assert len(bandit.ask_many(2, users=["v", 7])) == 2
    for wrong in (b"u", True):
        with pytest.raises(DiscreetError, match="must be text or a whole number"):
            bandit.ask(user=wrong)
    with pytest.raises(DiscreetError, match="users has 1 name, but must have one for each of 2"):
        bandit.ask_many(2, users=["w"])


def test_decisions_of_others_are_refused(service):
    bandit = service.Bandit(**ONE)
    with pytest.raises(DiscreetError, match="must be the Decision that ask"):
        bandit.tell("0", reward=1.0)
    with pytest.raises(DiscreetError, match="does not belong to this run"):
        bandit.tell(5, reward=1.0)
    with pytest.raises(DiscreetError, match=r"pairs\[1\] is refused, so nothing was recorded"):
        bandit.tell_all(reward=[(bandit.ask(), 1.0), ("x", 1.0)])
    with pytest.raises(DiscreetError, match=r"pairs\[1\] is refused, but others may have"):
        bandit.tell_all(reward=[(bandit.ask(), 1.0), (77, 1.0)])
    with pytest.raises(DiscreetError, match="needs pairs of one kind: reward or loss"):
        bandit.tell_all()


def test_a_forked_process_has_connections_of_its_own():
    connection = discreet.connect("http://localhost:1", token=TOKEN, retries=0, timeout=1.0)
    before = connection._link._transport
    child = os.fork()
    if child == 0:
        try:
            connection.runs()
        except ServiceUnreachable:
            os._exit(0 if connection._link._transport is not before else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert connection._link._transport is before


def test_decisions_can_be_stored_and_told_later(service):
    bandit = service.Bandit(**ONE)
    stored = pickle.dumps(list(bandit.ask()))
    bandit.tell(discreet.Decision(*pickle.loads(stored)), reward=1.0)
    assert bandit.state().open == 0
