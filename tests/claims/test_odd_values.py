"""Whatever is given to a public function: it works, or one sentence says what is allowed."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import numpy as np
import odd_calls
import pytest
from common import in_full
from odd_values import ODD, fault_of

from discreet import Advisor, Bandit, DiscreetError, Experts, Optimizer, VectorOptimizer, plugins
from discreet.algorithms import registry as algorithms
from discreet.environments import registry as environments
from discreet.live import stores
from discreet.live.decisions import Decision

sys.path.insert(0, str(Path(__file__).parent.parent / "live"))
import makers

# Calls that take more than a few seconds for all odd values, and show little that others do not.
LONG = {"simulate", "search", "plan", "audit", "audit_release_times", "BestArmSearch", "Advisor",
        "Optimizer", "Experts", "VectorOptimizer", "live Bandit"}  # fmt: skip
BUILDS = odd_calls.builds()
OWN_FUNCTIONS = {"progress": {"class", "function", "lambda", "hostile"}}  # which may fail by itself

every_call = pytest.mark.parametrize(
    "name", [in_full(name) if name in LONG else name for name in odd_calls.CALLS]
)


@pytest.fixture(autouse=True)
def registries(monkeypatch):
    """Forget afterwards what was registered."""
    for module, name in (
        (algorithms, "_algorithms"),
        (environments, "_environments"),
        (stores, "_schemes"),
        (plugins, "_commands"),
    ):
        monkeypatch.setattr(module, name, dict(getattr(module, name)))


def faults(call, arguments):
    """Return what is wrong with a call, for every argument and every odd value."""
    assert fault_of(lambda: call(**arguments)) is None, "the usual arguments work"
    found = {}
    for argument in arguments:
        for name, make in ODD.items():
            if name not in OWN_FUNCTIONS.get(argument, ()):
                value = make()
                fault = fault_of(lambda value=value: call(**{**arguments, argument: value}))  # noqa: B023
                found |= {} if fault is None else {f"{argument} = {name}": fault}
    return found


@every_call
def test_an_odd_argument_is_used_or_refused_in_one_sentence(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert faults(*odd_calls.CALLS[name]) == {}


@pytest.mark.parametrize(
    "name", [name if name in ("build of batched-exp3", "build of local-exp4") else in_full(name)
             for name in BUILDS]
)  # fmt: skip
def test_an_odd_option_of_an_algorithm_is_used_or_refused_in_one_sentence(name):
    assert faults(*BUILDS[name]) == {}


def outcomes_of(client):
    """Return ways to tell an odd outcome: all of it, or one number of several."""
    if isinstance(client, Experts):
        names = ("losses", "rewards")
    elif isinstance(client, VectorOptimizer):
        names = ("loss",)
    else:
        names = ("loss", "reward")
    several = {Experts: 3, VectorOptimizer: 3}.get(type(client), 0)
    if isinstance(client, Optimizer) and makers.decided_twice(client):
        several = 2
    for name in names:
        yield name, lambda value, name=name: {name: value}
        if several:
            yield (
                f"one of {name}",
                lambda value, name=name: {name: [value] + [0.25] * (several - 1)},
            )
            yield f"{name} by label", lambda value, name=name: {name: {0: value, 1: 0.25, 2: 0.5}}


ALLOWED = {  # plain numbers in the range, exact or not
    "zero", "minus zero", "half", "tiny", "True", "decimal", "fraction", "int enum", "numpy bool",
    "numpy int", "numpy half", "numpy long double", "array without axes",
}  # fmt: skip
SECRET = "0.375"


# clipped to the range if clip=True; and vectors of the right length for some clients
LARGE = {"minus one", "1e308", "-1e308", "2**63", "numpy unsigned"}
VECTORS = {"list", "tuple", "named tuple", "UserList", "deque", "range"}


def tell_odd_outcomes(kind, *, clip, most=10**9):
    """Tell a client at most so many odd outcomes; return how many, and what is wrong."""
    client = makers.make(kind, clip=clip)
    decision = makers.ask(client)
    scalar = not isinstance(client, Experts | VectorOptimizer) and kind != "pairs of points"
    before, found, told = makers.rows_of(client), [], 0
    for way, arguments in outcomes_of(client):
        for name, make in ODD.items():
            whole = way in ("loss", "reward", "losses", "rewards")
            if name in ALLOWED or (clip and name in LARGE) or told >= most:
                continue
            if name in VECTORS and whole and not scalar:
                continue
            told += 1
            given = arguments(make())

            def tell(given=given):
                client.tell(decision, **given)
                raise AssertionError("it was taken")

            fault = fault_of(tell, secret=SECRET)
            found += [] if fault is None else [f"{kind}: {way}: {name}: {fault}"]
            if makers.rows_of(client) != before:
                found.append(f"{kind}: {way}: {name}: the run has changed")
    makers.tell(client, decision)
    return told, found


@pytest.mark.parametrize(
    "kind",
    [
        *("batch", in_full("one bit"), in_full("every round"), "tree", "cube", "slates"),
        *("pairs of points", in_full("search"), "advice in batches"),
    ],
)
@pytest.mark.parametrize("clip", [False, True])
def test_an_odd_outcome_is_refused_without_a_trace(kind, clip):
    """The message does not show it, nothing is attached to the error, and the run is unchanged."""
    told, found = tell_odd_outcomes(kind, clip=clip)
    assert told > 50
    assert found == []


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_numbers_of_every_kind_are_taken(name):
    client = makers.make("batch")
    client.tell(client.ask(), reward=ODD[name]())
    assert client.state().open == 0


def test_no_outcome_is_shown_in_a_refusal():
    """Of text, bytes and other containers, which might print themselves."""
    for outcome in ("0.375", b"0.375", [0.375], {"x": 0.375}, 0.375j, np.array(["0.375"])):
        client = makers.make("batch")
        decision = client.ask()
        assert fault_of(lambda: client.tell(decision, loss=outcome), secret=SECRET) is None  # noqa: B023


def test_a_decision_that_somebody_made_up_is_refused():
    bandit = makers.make("batch")
    arm, number, token, *_ = bandit.ask()
    for wrong in (
        Decision([], number, token),
        Decision(arm, 10**5000, token),
        Decision(arm, number, 10**5000),
        10**5000,
        -(10**5000),
    ):
        with pytest.raises(DiscreetError, match="does not belong to this run"):
            bandit.tell(wrong, reward=1.0)
    assert bandit.state().open == 1


@pytest.mark.parametrize("client", [Bandit, Advisor])
def test_labels_of_any_hashable_kind_are_labels(client):
    more = {"experts": 2} if client is Advisor else {}
    made = client(arms=[("a", 1), frozenset({2})], horizon=100, epsilon=1.0, **more)
    assert len(made._labels) == 2


def test_a_thread_that_cannot_start_is_one_sentence(monkeypatch):
    from discreet import simulate

    def fail(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    with pytest.raises(DiscreetError, match="no thread can be started"):
        simulate("uniform", rounds=20, trials=2, workers=2)
