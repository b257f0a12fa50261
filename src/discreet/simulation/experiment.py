"""Simulations: a request is checked and turned into a job, whose trials an executor plays."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict

from numpy.typing import ArrayLike

from discreet.algorithms import Setting
from discreet.contracts import Protected
from discreet.environments.registry import file_options
from discreet.errors import (
    DiscreetError,
    check_flag,
    check_int,
    shorten,
)
from discreet.options import Values
from discreet.output import growing_folder
from discreet.problems import Environment, Problem
from discreet.progress import ShowProgress, make_progress
from discreet.ranges import Range, make_range
from discreet.simulation.arrivals import Arrivals, Delay, make_arrivals
from discreet.simulation.contenders import (
    Contender,
    list_contenders,
    list_epsilons,
    make_contenders,
    without_bound,
)
from discreet.simulation.coverage import intervals_of
from discreet.simulation.dealing import Dealer
from discreet.simulation.executors import Executor, Gave, Job, executor, run
from discreet.simulation.jobs import RegretJob
from discreet.simulation.late import make_late
from discreet.simulation.matching import (
    check_options,
    environment_or_table,
    find_algorithms,
    matching_environment,
    own_options,
    rounds_of,
    shared_problem,
    title_of,
)
from discreet.simulation.measures import Measure, Regret, RegretRow, Row, tabulate_regret
from discreet.simulation.parts import Parts, check_output, settings_of, trials_in_part
from discreet.simulation.records import InMemory, Memory, RegretRecord, Sink
from discreet.simulation.results import Results, write_manifest
from discreet.simulation.trial import TrialOutcome, checkpoints


def simulate(
    algorithms: str | Contender | Iterable[str | Contender],
    *,
    environment: str | Environment | ArrayLike | None = None,
    problem: Problem | None = None,
    losses: Path | str | ArrayLike | None = None,
    rounds: int | None = None,
    unknown_horizon: bool = False,
    trials: int = 24,
    epsilon: float | Sequence[float] = 1.0,
    delta: float = 0.0,
    low: float = 0.0,
    high: float = 1.0,
    options: Values | None = None,
    seed: int = 0,
    workers: int | None = None,
    on: str | Executor = "threads",
    clip: bool = False,
    delay: Delay = 0,
    missing: float = 0.0,
    default_reward: float | None = None,
    default_loss: float | None = None,
    wait: int | None = None,
    group: int = 1,
    progress: ShowProgress | bool | None = None,
    keep_finished: bool = False,
    output: Path | str | None = None,
    resume: bool = False,
    estimates: float | None = None,
    **parameters: object,
) -> Results[RegretRow]:
    """Play algorithms against an adversary over many trials and return their regret.

    All algorithms of a trial meet the same game. A private algorithm plays once for each
    ``epsilon``. ``parameters`` are those of the problem: ``arms``; ``geometry`` and ``dimension``
    for algorithms that play points; ``arms`` and ``experts`` for those with expert advice.
    ``unknown_horizon`` hides the number of rounds from the algorithms, and refuses those that need
    it. ``options`` go to every algorithm, and to the environment, that has an option of that name.
    The same seed gives the same numbers for any number of ``workers``, and for trials ``on``
    threads of this process or on a cluster with ``on="ray"``. An interrupt (Ctrl-C, or a
    KeyboardInterrupt from ``progress``) ends the run at once; with ``keep_finished`` the finished
    trials are returned, if there are any. ``progress=True`` shows a bar, in a terminal or a
    notebook; a function is called with the numbers of trials finished and requested.

    ``output`` is a new folder: results are written there while trials are played, so that memory
    does not grow with their number. ``resume`` continues an interrupted run there.

    ``estimates`` is the level of intervals for the means of arms, such as 0.95. ``intervals`` of
    the results then states how often they held after every release, and their width.

    Every problem has a default environment (``stochastic`` for arms). Their losses are scaled to
    the declared range, from ``low`` to ``high``. ``losses`` is a table with a row per round, in
    units of that range (an array, lists, a DataFrame or a file); it can also be given as the
    environment. ``rewards``, given instead, is a table of rewards r: the losses are low + high - r.
    With expert advice a table needs ``advice`` too, of the shape (rounds, experts, arms). ``log``
    is a log of decisions with their probabilities, which is replayed (the environment ``logged``).
    Your own contenders play the problem of the environment, or ``problem``.

    Outcomes arrive before the next round, or ``delay`` rounds later: a number, a distribution such
    as ``"exponential(50)"``, or a list of delays to draw from. ``group`` decisions are made before
    any of their outcomes is used. A share of ``missing`` outcomes never arrives and counts as
    ``default_reward`` or ``default_loss``. With ``wait``, as in live use, every outcome is used
    after that many rounds; later ones count as the default. A batch is released when its last
    outcome has arrived. No stored regret bound covers late outcomes, so none is shown.

    >>> game = {"environment": "deterministic", "rounds": 2000, "trials": 4, "seed": 1}
    >>> results = simulate(["exp3", "uniform"], **game)
    >>> exp3, uniform = (row["regret_mean"] for row in results.summary())
    >>> exp3 < 0.6 * uniform
    True
    """
    place = executor(on, workers=workers)
    prepared = prepare(
        algorithms,
        environment=environment,
        problem=problem,
        losses=losses,
        rounds=rounds,
        unknown_horizon=check_flag("unknown_horizon", unknown_horizon),
        trials=trials,
        epsilon=epsilon,
        delta=delta,
        bounds=make_range(low, high),
        options=options,
        seed=seed,
        on=place,
        clip=check_flag("clip", clip),
        progress=progress,
        parameters=parameters,
    )
    if prepared.environment.problem.stops:
        raise DiscreetError(
            f"{prepared.environment.problem} stops by itself and has no regret: use search, not "
            "simulate."
        )
    arrivals = make_arrivals(
        delay=delay,
        missing=missing,
        default_reward=default_reward,
        default_loss=default_loss,
        wait=wait,
        group=group,
        bounds=prepared.bounds,
    )
    if arrivals is not None:
        prepared = prepared.late(arrivals)
    job = RegretJob(
        **prepared.facts,
        environment=prepared.environment,
        clip=clip,
        trials=prepared.asked,
        threads=min(prepared.asked, place.threads),
    )
    if output is None:
        kept: Memory[TrialOutcome] = Memory()
        prepared.play(job, kept, keep_finished=keep_finished)
        results = prepared.results(prepared.regret(InMemory.of(kept.outcomes)))
        return prepared.with_intervals(results, estimates)
    folder = check_output(output, resume=resume)
    with growing_folder(folder) as keep, prepared.parts(folder, job, keep) as parts:
        prepared.play(job, parts, keep_finished=keep_finished)
        results = prepared.results(prepared.regret(parts.record()))
        results = prepared.with_intervals(results, estimates)
        write_manifest(folder / "manifest.json", results.manifest())
    return results


class JobFacts(TypedDict):
    """What every job is made of."""

    labels: tuple[str, ...]
    privates: tuple[Protected, ...]
    rounds: int
    seed: int
    bounds: Range


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """A checked request: contenders, environment, rounds, trials and executor."""

    contenders: tuple[Contender, ...]
    environment: Environment
    title: str  # of the environment
    rounds: int
    bounds: Range
    asked: int  # trials
    clipped: int  # number of values in the data outside their range
    seed: int
    place: Executor
    progress: ShowProgress | None
    clip: bool = False  # whether to move losses outside their range to its ends
    arrivals: Arrivals | None = None  # if outcomes are late

    @property
    def facts(self) -> JobFacts:
        """What every job is made of."""
        return {
            "labels": tuple(contender.label for contender in self.contenders),
            "privates": tuple(self._private(contender) for contender in self.contenders),
            "rounds": self.rounds,
            "seed": self.seed,
            "bounds": self.bounds,
        }

    def late(self, arrivals: Arrivals) -> Prepared:
        """Return the same with late outcomes, which no stored regret bound covers."""
        contenders = tuple(without_bound(each) for each in self.contenders)
        return replace(self, arrivals=arrivals, contenders=contenders)

    def _private(self, contender: Contender) -> Protected:
        if self.arrivals is None:
            return contender.private
        game = self.environment, self.rounds, self.bounds
        return make_late(contender.label, contender.private, self.arrivals, *game)

    def play(self, job: Job[Gave], into: Sink[Gave], *, keep_finished: bool) -> None:
        """Play every missing trial; on request, keep those that finished before an interrupt."""
        tell = self.progress or (lambda _, __: None)
        tell(into.finished, self.asked)
        session, todo = self.place.begin(job), into.missing(self.asked)
        trials = run(session, todo, lambda: tell(into.finished, self.asked))
        with contextlib.closing(trials):
            try:
                for trial, outcome in trials:
                    into.add(trial, outcome)
                    tell(into.finished, self.asked)
            except KeyboardInterrupt:
                if not (keep_finished and into.finished):
                    raise
        into.close()

    def parts(self, folder: Path, job: RegretJob, keep: Callable[[], None]) -> Parts:
        """Return the sink for a job's outcomes."""
        marks = checkpoints(self.rounds)
        return Parts(
            folder,
            settings_of(self.contenders, self.title, job, self.asked, self.arrivals),
            functools.partial(tabulate_regret, self.contenders, self.title, marks),
            size=trials_in_part(len(self.contenders), marks.size, self.rounds),
            asked=self.asked,
            keep=keep,
        )

    def regret(self, record: RegretRecord) -> Regret:
        """Return the regret in all trials."""
        return Regret(
            checkpoints=checkpoints(self.rounds),
            remembers=self.environment.remembers,
            clipped=self.clipped + record.clipped,
            record=record,
        )

    def with_intervals(
        self, results: Results[RegretRow], level: float | None
    ) -> Results[RegretRow]:
        """Return the results with intervals of estimates, if a level is given."""
        if level is None:
            return results
        games = self.rounds, self.asked, self.seed
        found = intervals_of(
            self.contenders, self.environment, self.arrivals, games, self.bounds, level
        )
        return replace(results, intervals=found)

    def results(self, measure: Measure[Row]) -> Results[Row]:
        """Return the measurements, with everything they depend on."""
        return Results(
            contenders=self.contenders,
            environment=self.title,
            problem=self.environment.problem,
            rounds=self.rounds,
            asked=self.asked,
            seed=self.seed,
            bounds=self.bounds,
            measure=measure,
            arrivals=self.arrivals,
            remark=self.environment.remark,
            dealer=Dealer(self.environment, self.bounds, clip=self.clip),
        )


def prepare(
    algorithms: str | Contender | Iterable[str | Contender],
    *,
    environment: str | Environment | ArrayLike | None,
    problem: Problem | None,
    losses: Path | str | ArrayLike | None = None,
    rounds: int | None,
    unknown_horizon: bool = False,
    trials: int,
    epsilon: float | Sequence[float],
    delta: float,
    bounds: Range,
    options: Values | None,
    seed: int,
    on: Executor,
    clip: bool = False,
    progress: ShowProgress | bool | None,
    parameters: Values,
) -> Prepared:
    """Check all arguments, and return the request."""
    algorithms = list_contenders(algorithms)
    asked = check_int("trials", trials, minimum=1)
    check_int("seed", seed, minimum=0)
    shown = make_progress(progress)
    if problem is not None and not isinstance(problem, Problem):
        raise DiscreetError(
            f"problem is {shorten(problem)}, but must be a problem such as Arms(4)."
        )
    named = find_algorithms(algorithms, problem, environment)
    given = {name: value for name, value in parameters.items() if value is not None}
    files = {name: given.pop(name) for name in file_options() if name in given}
    files |= {} if losses is None else {"losses": losses}
    chosen = own_options(options)
    named_or_own, files = environment_or_table(environment, files)
    found = matching_environment(
        named_or_own,
        problem or shared_problem(named, given, named_or_own),
        parameters=given,
        options=chosen | files,
        rounds=rounds,
        bounds=bounds,
    )
    for each in named:
        if not each.plays(found.problem):
            raise DiscreetError(
                f"{each.name} plays {each.problem}, but {found.source} is for {found.problem}."
            )
    length = rounds_of(found, rounds)
    found, clipped = found.checked(found.problem, length, bounds, clip=clip)

    epsilons = list_epsilons(epsilon)
    settings = [
        Setting(
            found.problem,
            rounds=length,
            epsilon=value,
            delta=delta,
            bounds=bounds,
            unknown_horizon=unknown_horizon,
        )
        for value in epsilons
    ]
    check_options(chosen, named, named_or_own, found.problem)
    contenders = make_contenders(algorithms, settings, chosen)
    return Prepared(
        contenders=tuple(contenders),
        environment=found,
        title=title_of(named_or_own, found),
        rounds=length,
        bounds=bounds,
        asked=asked,
        clipped=clipped,
        seed=seed,
        place=on,
        progress=shown,
        clip=clip,
    )
