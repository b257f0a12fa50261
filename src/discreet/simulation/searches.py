"""Searches for the best arm: each is played until it has its answer, or to the horizon."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from discreet.contracts import Floats, Integers, Protected
from discreet.errors import DiscreetError
from discreet.learners.search.searching import Searching
from discreet.options import Values
from discreet.problems import ArmsEnvironment, BestArm, Environment, Problem, SearchEnvironment
from discreet.progress import ShowProgress
from discreet.randomness import streams
from discreet.ranges import Range, make_range
from discreet.simulation.contenders import Contender
from discreet.simulation.dealing import deal, rounds_at_once
from discreet.simulation.executors import Executor, executor
from discreet.simulation.experiment import prepare
from discreet.simulation.jobs import TrialByTrial
from discreet.simulation.loop import Player
from discreet.simulation.measures import Line, Searches, SearchRow
from discreet.simulation.records import Memory
from discreet.simulation.results import Results

FIRST_PIECE = 1024  # rounds dealt first; later pieces grow, because most searches are short


class SearchOutcome(NamedTuple):
    """The outcome of one trial: a row for each contender and allowed error."""

    samples: Integers
    answers: Integers
    pulls: Integers  # row, arm
    seconds: Floats  # contender


def search(
    algorithms: str | Contender | Iterable[str | Contender],
    *,
    environment: str | Environment | None = None,
    problem: Problem | None = None,
    rounds: int | None = None,
    trials: int = 100,
    epsilon: float | Sequence[float] = 1.0,
    delta: float = 0.0,
    low: float = 0.0,
    high: float = 1.0,
    options: Values | None = None,
    seed: int = 0,
    workers: int | None = None,
    on: str | Executor = "threads",
    progress: ShowProgress | bool | None = None,
    keep_finished: bool = False,
    **parameters: object,
) -> Results[SearchRow]:
    """Let algorithms search for the best arm over many trials; return the samples they took.

    ``rounds`` is the horizon, at which a search is cut off. ``parameters`` are ``arms`` and
    ``error``, the allowed probability of a wrong answer. All other arguments are those of
    :func:`simulate`.

    >>> results = search("track-and-stop", arms=3, options={"gap": 0.3}, trials=20, seed=1)
    >>> (row,) = results.summary()
    >>> row["wrong"], row["cut_off"], 50 < row["samples_mean"] < 500
    (0, 0, True)
    """
    if problem is None and isinstance(environment, ArmsEnvironment):
        problem = BestArm(environment.arms, cast(float, parameters.get("error", BestArm.error)))
    prepared = prepare(
        algorithms,
        environment=environment,
        problem=problem,
        rounds=rounds,
        trials=trials,
        epsilon=epsilon,
        delta=delta,
        bounds=make_range(low, high),
        options=options,
        seed=seed,
        on=executor(on, workers=workers),
        progress=progress,
        parameters=parameters,
    )
    found = prepared.environment
    if not isinstance(found, SearchEnvironment):
        raise DiscreetError(f"{found.problem} does not stop by itself: use simulate, not search.")
    job = SearchJob(**prepared.facts, environment=found)
    lines = tuple(
        Line(i, float(error))
        for i, each in enumerate(job.privates)
        for error in searching(each).errors
    )
    kept: Memory[SearchOutcome] = Memory()
    prepared.play(job, kept, keep_finished=keep_finished)
    outcomes = [kept.outcomes[trial] for trial in sorted(kept.outcomes)]
    return prepared.results(
        Searches(
            means=found.environment.fixed_means(),
            best=found.best_arms(),
            lines=lines,
            numbers=np.array(sorted(kept.outcomes), dtype=np.int64),
            samples=np.array([each.samples for each in outcomes]).T,
            answers=np.array([each.answers for each in outcomes]).T,
            pulls=np.array([each.pulls for each in outcomes]).swapaxes(0, 1),
            played=np.sum([each.seconds for each in outcomes], axis=0),
        )
    )


@dataclass(frozen=True, kw_only=True)
class SearchJob(TrialByTrial[SearchOutcome]):
    """Searches, and the round after which they are cut off."""

    environment: SearchEnvironment

    def trial(
        self, number: int, privates: tuple[Protected, ...], rounds: int, stop: threading.Event
    ) -> SearchOutcome | None:
        """Let every contender search once."""
        return run_search(
            privates,
            self.environment,
            rounds,
            seed=self.seed,
            trial=number,
            bounds=self.bounds,
            stop=stop,
        )


def run_search(
    privates: Sequence[Protected],
    environment: SearchEnvironment,
    horizon: int,
    *,
    seed: int,
    trial: int,
    bounds: Range,
    stop: threading.Event,
    compiled: bool = True,
) -> SearchOutcome | None:
    """Play one trial until all have their answers; return None if told to stop early."""
    dealer = streams(seed, trial=trial).environment
    players = [
        Player(private, streams(seed, trial=trial), compiled=compiled) for private in privates
    ]
    seconds = np.zeros(len(players))
    start, size, most = 0, FIRST_PIECE, rounds_at_once(environment.arms)
    while start < horizon and not all(player.private.learner.is_done() for player in players):
        end = min(start + size, horizon)
        game, _ = deal(environment, start, end, dealer, bounds, clip=False)
        for index, player in enumerate(players):
            if stop.is_set():
                return None
            before = time.perf_counter()
            player.play(game, np.array([end - start]))
            seconds[index] += time.perf_counter() - before
        start, size = end, min(2 * size, most)
    rows = [row for player in players for row in _rows(searching(player.private), player.rounds)]
    samples, answers, pulls = zip(*rows, strict=True)
    return SearchOutcome(np.array(samples), np.array(answers), np.array(pulls), seconds)


def searching(private: Protected) -> Searching:
    """Return the learner of a search, or refuse one that has no answers."""
    if not isinstance(private.learner, Searching):
        raise DiscreetError(
            f"the learner is of type {type(private.learner).__name__}, but a search needs a "
            "Searching."
        )
    return private.learner


def _rows(learner: Searching, rounds: int) -> list[tuple[int, int, Integers]]:
    """Return samples, answer and pulls at every level; a search cut off has had all rounds."""
    return [
        (
            int(pulls.sum()) if answer >= 0 else rounds,
            int(answer),
            (pulls if answer >= 0 else learner.pulls).astype(int),
        )
        for answer, pulls in zip(learner.found, learner.stopped, strict=True)
    ]
