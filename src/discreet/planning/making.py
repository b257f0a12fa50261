"""Make a plan: choose an algorithm, measure it at each epsilon, and find what is enough."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any

from discreet.errors import DiscreetError, shorten
from discreet.guarantee import Json
from discreet.planning.elsewhere import refuse_elsewhere
from discreet.planning.findings import Plan, Scene
from discreet.planning.measures import costs, least_epsilon, least_rounds, measure
from discreet.planning.naming import named_by_equal_allocation
from discreet.planning.past import OutcomeSource, PastOutcomes, past_outcomes
from discreet.planning.precision import precision_of
from discreet.planning.question import EPSILONS, Better, Question
from discreet.planning.sweeps import (
    PlayCounts,
    ShowPartProgress,
    Variant,
    candidates,
    choosing_sweeps,
    comparing_sweep,
    play,
    references,
    scenes,
    with_proved_bound,
)
from discreet.ranges import make_range
from discreet.simulation.arrivals import Delay


def plan(
    *,
    rounds: int,
    arms: int | None = None,
    dimension: int | None = None,
    experts: int | None = None,
    domain: str | None = None,
    items: int | None = None,
    shown: int | None = None,
    features: int | None = None,
    low: float = 0.0,
    high: float = 1.0,
    better: Better = "higher",
    difference: float | None = None,
    spread: float | None = None,
    typical: float | None = None,
    outcomes: OutcomeSource | None = None,
    arm_column: str | None = None,
    outcome_column: str | None = None,
    epsilon: float | Sequence[float] = EPSILONS,
    delta: float = 0.0,
    rounds_per_user: int = 1,
    may_drift: bool = True,
    share: float = 0.5,
    wanted_epsilon: float | None = None,
    delay: Delay = 0,
    missing: float = 0.0,
    default_outcome: float | None = None,
    wait: int | None = None,
    group: int = 1,
    randomised: bool = False,
    trials: int | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: ShowPartProgress | bool | None = None,
) -> Plan:
    """Return which algorithm to use, its cost at each epsilon, and how much privacy is affordable.

    There are ``rounds`` decisions between ``arms``, and outcomes lie between ``low`` and ``high``.
    Describe the expected outcomes by the smallest ``difference`` between the best arm and all
    others that matters, their ``spread`` (standard deviation; by default as large as the range
    allows, as for 0/1 outcomes) and the ``typical`` mean of all arms but the best. Or give past
    ``outcomes``: a file (CSV, Parquet, NPY) or a dictionary by arm. If outcomes ``may_drift``, only
    algorithms that can follow them are considered. ``share`` is the share of the non-private gain
    to keep; the gain is measured against equal randomisation. ``wanted_epsilon`` is the epsilon for
    which to find the number of rounds (by default the smallest ``epsilon``). With ``dimension``
    instead of ``arms``, you see the outcomes of all options in every round.

    Outcomes may be late: ``delay`` (rounds until an outcome is known, or a distribution such as
    ``"exponential(50)"``), ``group`` (decisions that are made before any of their outcomes is
    used), ``missing`` (the share that never arrives and counts as ``default_outcome``) and ``wait``
    (rounds after which every outcome counts) have the same meaning as in ``simulate``. If decisions
    must be ``randomised``, only algorithms that draw them at random are considered.

    Plans cover arms, and options whose outcomes you all see. ``experts``, ``domain``, ``items``,
    ``shown`` and ``features`` belong to other problems; the error says what to do instead.

    All numbers are simulated: the same question with the same ``seed`` gives the same numbers.
    ``progress`` is called with the part of the work, its finished trials and its total number of
    trials; True shows a bar for each part.

    >>> asked = {"arms": 3, "rounds": 500, "high": 10.0, "difference": 2.0, "spread": 2.0}
    >>> found = plan(**asked, epsilon=[0.1, 2.0], trials=16)
    >>> found.recommended, found.epsilon, found.guarantee(2.0).epsilon
    ('tracking-ucb', 2.0, 2.0)
    """
    refuse_elsewhere(
        {
            "experts": experts,
            "domain": domain,
            "items": items,
            "shown": shown,
            "features": features,
        }
    )
    if arms is not None and dimension is not None:
        raise DiscreetError(
            f"arms is {shorten(arms)} and dimension is {shorten(dimension)}, but a plan takes only "
            "one of the two."
        )
    bounds = make_range(low, high)
    past = None
    if outcomes is not None:
        past = past_outcomes(outcomes, bounds, arm_column=arm_column, outcome_column=outcome_column)
    elif arm_column is not None or outcome_column is not None:
        raise DiscreetError(
            "arm_column and outcome_column name columns of a file, but outcomes is not given."
        )
    number = dimension if arms is None else arms
    if number is None:
        if past is None:
            raise DiscreetError("arms is missing: give the number of options to choose from.")
        number = len(past.labels)
    question = Question(
        arms=number,
        rounds=rounds,
        low=low,
        high=high,
        better=better,
        difference=difference,
        spread=spread,
        typical=typical,
        outcomes=past,
        epsilons=epsilon,  # type: ignore[arg-type]
        delta=delta,
        rounds_per_user=rounds_per_user,
        may_drift=may_drift,
        sees_all=arms is None and dimension is not None,
        share=share,
        wanted_epsilon=wanted_epsilon,
        delay=delay,
        missing=missing,
        default_outcome=default_outcome,
        wait=wait,
        group=group,
        randomised=randomised,
        trials=trials,
        seed=seed,
    )
    return answer(question, workers=workers, progress=progress)


def answer(
    question: Question,
    *,
    workers: int | None = None,
    progress: ShowPartProgress | bool | None = None,
) -> Plan:
    """Return the plan that answers a question."""
    start = time.perf_counter()
    run = functools.partial(play, question=question, workers=workers, progress=progress)
    tried = [run(sweep) for sweep in choosing_sweeps(question)]
    names = candidates(question)
    best = _least_cost(question, tried, names)
    # no proved bound covers late outcomes
    with_bound = with_proved_bound(question, names) if question.arrivals is None else ()
    second = _least_cost(question, tried, with_bound) if with_bound else None

    shown, played = [], []
    for drifting, trial in zip(scenes(question), tried, strict=True):
        reference = min(
            references(question), key=lambda each: float(costs(question, trial, each).mean())
        )
        mine = [Variant(best, epsilon) for epsilon in question.epsilons]
        other = (
            [Variant(second, epsilon) for epsilon in question.epsilons]
            if second not in (None, best)
            else []
        )
        games = run(comparing_sweep(question, (*mine, *other, reference), drifting=drifting))
        played.append(games)
        shown.append(
            Scene(
                drifting=drifting,
                trials=games.sweep.trials,
                reference=reference,
                ordinary=measure(question, games, reference, reference),
                private=tuple(measure(question, games, each, reference) for each in mine),
                proved=tuple(measure(question, games, each, reference) for each in other),
            )
        )
    reference = shown[0].reference
    return Plan(
        question=question,
        recommended=best,
        proved=second,
        choosing={
            scene: {
                each: float(costs(question, trial, each).mean()) for each in trial.sweep.variants
            }
            for scene, trial in zip(("unchanging", "drifting"), tried, strict=False)
        },
        choosing_trials=tried[0].sweep.trials,
        scenes=tuple(shown),
        least_epsilon=least_epsilon(question, best, reference, played[0], run),
        least_rounds=least_rounds(question, best, reference, run, played[0]),
        naming=named_by_equal_allocation(question),
        precision=precision_of(question, best),
        seconds=time.perf_counter() - start,
    )


def repeat(facts: Json, *, outcomes: OutcomeSource | None = None) -> Question:
    """Return the question of a plan from its JSON; past outcomes are read again and checked."""
    try:
        read: dict[str, Any] = facts  # which the question checks
        asked = dict(read["question"])
        past = asked.pop("outcomes")
        asked["epsilons"] = tuple(asked["epsilons"])
        found = None if past is None else _again(past, asked, outcomes)
        return Question(**asked, outcomes=found)
    except (KeyError, TypeError, AttributeError):
        raise DiscreetError(
            "this is not a plan that discreet wrote: its question cannot be read."
        ) from None


def _again(
    past: Mapping[str, object], asked: Mapping[str, float], given: OutcomeSource | None
) -> PastOutcomes:
    source, columns = past["source"], past["columns"]
    if given is None and source == "Python":
        raise DiscreetError(
            "the past outcomes of this plan came from Python: give them again (outcomes=)."
        )
    arm, outcome = columns if isinstance(columns, list | tuple) else (None, None)
    bounds = make_range(asked["low"], asked["high"])
    found = past_outcomes(
        str(source) if given is None else given, bounds, arm_column=arm, outcome_column=outcome
    )
    if found.digest != past["fingerprint"]:
        raise DiscreetError(
            f"{found.source} does not contain the outcomes from which the plan was made."
        )
    return found


def _least_cost(question: Question, tried: Sequence[PlayCounts], names: Sequence[str]) -> str:
    """Return the algorithm with the smallest cost, averaged over epsilons and kinds of outcomes."""

    def cost(name: str) -> float:
        variants = [Variant(name, epsilon) for epsilon in question.epsilons]
        return sum(
            float(costs(question, trial, variant).mean()) for trial in tried for variant in variants
        )

    return min(names, key=cost)
