"""Choosing among the arms that are available in a round.

A learner with an index or a weight for each arm can choose among some of its arms: a copy for those
arms alone acts, and its changes are written back. In plain Python, for live use.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, TypeVar

import numpy as np

from discreet.contracts import Floats, Generator, Learner
from discreet.errors import DiscreetError
from discreet.learners.arms.accepting import Accepting
from discreet.learners.arms.adaptive_tsallis_inf import AdaptiveTsallisInf
from discreet.learners.arms.draws import FewWeights, Uniform, Weights
from discreet.learners.arms.exp3 import Exp3, Exp3Gain, Exp3IX
from discreet.learners.arms.holding import IndexLearner
from discreet.learners.arms.htinf import Htinf
from discreet.learners.arms.tracking_ucb import CHECK, CheckedHold, TrackingUcb
from discreet.learners.arms.tsallis_inf import BaselineDraw, TsallisInf

Places = tuple[int, ...]  # numbers of arms, in ascending order
Part = TypeVar("Part", bound=NamedTuple)


class Available(NamedTuple):
    """A learner's observation in a round: which arms are available. It is public."""

    places: Places


def act_among(learner: Learner, places: Places, rng: Generator) -> tuple[int, Any]:
    """Let a learner choose one of some arms; return it with its trace, as ``act`` does.

    >>> learner = Exp3.start(arms=4, learning_rate=0.1)
    >>> act_among(learner, (1, 3), np.random.default_rng(0))
    (3, Draw(arm=3, importance=2.0))
    """
    few = narrow(learner, places)
    arm, trace = few.act(0, rng)
    write_back(learner, few, places)
    return places[arm], widen(trace, places, learner.choices)


def can_choose_among(learner: Learner) -> bool:
    """Return whether a learner can choose among some of its arms."""
    if isinstance(learner, Accepting):
        return can_choose_among(learner.learner)
    return narrow.dispatch(type(learner)) is not narrow.dispatch(Learner)


@functools.singledispatch
def narrow(learner: Learner, places: Places) -> Learner:
    """Return the learner for some of the arms, with a copy of its state for each of them."""
    raise DiscreetError(f"{type(learner).__name__} cannot choose from a subset of its arms.")


@narrow.register
def _(learner: IndexLearner, places: Places) -> Learner:
    return learner._replace(**rows_of(learner, places, shared=("clock",)))


@narrow.register
def _(learner: TrackingUcb, places: Places) -> Learner:
    windows = learner.windows
    check = learner.check.copy()
    checked = int(check[CHECK]) - 1
    check[CHECK] = places.index(checked) + 1.0 if checked in places else 0.0
    return learner._replace(
        **rows_of(learner, places, shared=("check", "clock")),
        windows=windows._replace(**rows_of(windows, places)),
        check=check,
        clock=learner.clock.copy(),
    )


@narrow.register(Exp3)
@narrow.register(Exp3IX)
@narrow.register(Exp3Gain)
def _(learner: Exp3 | Exp3IX | Exp3Gain, places: Places) -> Learner:
    return learner._replace(weights=few_weights(learner.weights, places))


@narrow.register(TsallisInf)
@narrow.register(Htinf)
def _(learner: TsallisInf | Htinf, places: Places) -> Learner:
    return learner._replace(**rows_of(learner, places, shared=("clock",)))


@narrow.register
def _(learner: AdaptiveTsallisInf, places: Places) -> Learner:
    return learner._replace(**rows_of(learner, places, shared=("state",)))


@narrow.register
def _(learner: Uniform, places: Places) -> Learner:
    return Uniform._make((len(places),))


@narrow.register
def _(learner: Accepting, places: Places) -> Learner:
    return learner._replace(learner=narrow(learner.learner, places))


@functools.singledispatch
def write_back(learner: Learner, few: Learner, places: Places) -> None:
    """Write back the changes that acting made for some arms; exponential weights never change."""


@write_back.register(IndexLearner)
@write_back.register(TsallisInf)
@write_back.register(Htinf)
@write_back.register(AdaptiveTsallisInf)
def _(learner: Learner, few: Learner, places: Places) -> None:
    put_rows(learner, few, places)


@write_back.register
def _(learner: TrackingUcb, few: Learner, places: Places) -> None:
    assert isinstance(few, TrackingUcb), "it was narrowed from one"
    put_rows(learner, few, places, but=("check", "clock"))
    learner.clock[:] = few.clock
    if few.check[CHECK] > 0.0:  # otherwise the check of an unavailable arm continues later
        learner.check[:] = few.check
        learner.check[CHECK] = places[int(few.check[CHECK]) - 1] + 1.0


@write_back.register
def _(learner: Accepting, few: Learner, places: Places) -> None:
    assert isinstance(few, Accepting), "it was narrowed from one"
    write_back(learner.learner, few.learner, places)


def widen(trace: Any, places: Places, arms: int) -> Any:  # noqa: ANN401 - of any learner
    """Return the trace of a choice among some arms in the numbers of all arms."""
    trace = trace._replace(arm=places[trace.arm])
    if isinstance(trace, CheckedHold):
        return trace._replace(rival=places[trace.rival])
    if isinstance(trace, BaselineDraw):
        baselines = np.zeros(arms)  # an arm that is not available has no estimate
        baselines[list(places)] = trace.baselines
        return trace._replace(baselines=baselines)
    return trace


def rows_of(part: Any, places: Places, shared: tuple[str, ...] = ()) -> dict[str, Floats]:  # noqa: ANN401
    """Return copies of some arms' entries in all arrays, except arrays that arms share."""
    return {
        name: value[list(places)]
        for name, value in part._asdict().items()
        if isinstance(value, np.ndarray) and name not in shared
    }


def put_rows(part: Any, few: Any, places: Places, but: tuple[str, ...] = ()) -> None:  # noqa: ANN401
    """Write some arms' entries into all arrays, except arrays that both learners share."""
    for name, value in part._asdict().items():
        changed = few._asdict()[name]
        if isinstance(value, np.ndarray) and changed is not value and name not in but:
            value[list(places)] = changed


def few_weights(weights: Weights, places: Places) -> FewWeights:
    """Return the weights of some arms. Only logarithms are read: they never underflow."""
    logs = weights.logs[list(places)]
    values = np.exp(logs - logs.max())
    return FewWeights(logs, values, np.array([values.sum(), logs.max()]))
