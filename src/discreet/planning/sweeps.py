"""The simulations of a plan as data, and the function that runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from componentjit import copy
from discreet.algorithms import Setting, algorithm
from discreet.algorithms.arms.choosing import CHOICES
from discreet.contracts import Floats
from discreet.planning.games import Planned
from discreet.planning.question import Question
from discreet.problems import Arms
from discreet.progress import make_progress
from discreet.randomness import streams
from discreet.simulation import Contender, simulate

FEWEST = 16  # simulations for choosing an algorithm, and for finding a number of rounds
NO_NOISE = 1e3  # an epsilon so large that the noise does not matter
UNCHANGING_ONLY = ("batched-ucb", "dp-klucb", "dp-imed", "adap-klucb", "dp-successive-elimination")
FOR_EXPERTS, ORDINARY_EXPERTS = ("private-ftrl-experts", "private-ftpl"), ("ftrl-experts", "hedge")
ORDINARY = "tsallis-inf"
RANDOMISED = ("one-bit-tsallis-inf", "batched-htinf", "batched-exp3", "adaptive-tsallis-inf")

ShowPartProgress = Callable[[str, int, int], None]  # part of the work, finished trials, all trials


@dataclass(frozen=True, order=True)
class Variant:
    """An algorithm at an epsilon, or one without privacy."""

    algorithm: str
    epsilon: float = NO_NOISE

    @property
    def is_private(self) -> bool:
        """Whether it is a candidate, not a reference without privacy."""
        return self.epsilon < NO_NOISE

    @property
    def label(self) -> str:
        """Its name in tables and in messages."""
        if self.is_private:
            return f"{self.algorithm} at epsilon {self.epsilon:g}"
        return (
            f"{self.algorithm} without noise" if algorithm(self.algorithm).twin else self.algorithm
        )


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Games played by several variants."""

    part: str  # its purpose: "choosing", "comparing", ...
    variants: tuple[Variant, ...]
    rounds: int
    trials: int
    seed: int
    drifting: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayCounts:
    """How often every variant played every role, by trial, phase and role."""

    sweep: Sweep
    counts: Mapping[Variant, Floats]


def play(
    sweep: Sweep,
    question: Question,
    *,
    workers: int | None = None,
    progress: ShowPartProgress | bool | None = None,
) -> PlayCounts:
    """Run a sweep with ``simulate``."""
    shown = make_progress(True, sweep.part) if progress is True else None

    def tell(done: int, asked: int) -> None:
        if shown is not None:
            shown(done, asked)
        elif callable(progress):
            progress(sweep.part, done, asked)

    results = simulate(
        [_contender(variant, question, sweep.rounds) for variant in sweep.variants],
        environment=Planned(question.problem, question.distributions, sweep.rounds, sweep.drifting),
        rounds=sweep.rounds,
        trials=sweep.trials,
        low=question.low,
        high=question.high,
        seed=sweep.seed,
        workers=workers,
        progress=tell,
        **question.lateness,
    )
    assert results.memory is not None, "games of a plan remember what was played"
    return PlayCounts(
        sweep=sweep, counts=dict(zip(sweep.variants, cast(Floats, results.memory), strict=True))
    )


def _contender(variant: Variant, question: Question, rounds: int) -> Contender:
    setting = question.setting(variant.epsilon, rounds)
    private = algorithm(variant.algorithm).build(setting).private
    return Contender(label=variant.label, private=private, algorithm=variant.algorithm)


def candidates(question: Question) -> tuple[str, ...]:
    """Return the private algorithms to choose from, the default of ``Bandit`` first.

    These are the choices of ``Bandit`` for each epsilon (the default, ``"proved"`` and ``"best"``)
    and, if outcomes cannot drift, the algorithms made for such outcomes. If decisions must be
    ``randomised``, only algorithms that draw them at random remain. Algorithms that would learn
    nothing before the end are left out. If all would be, the choices of ``Bandit`` remain, and the
    plan warns about it.
    """
    if question.sees_all:
        return FOR_EXPERTS
    settings = [question.setting(epsilon) for epsilon in question.epsilons]
    named = [
        choose(cast(Setting[Arms], setting)) for choose in CHOICES.values() for setting in settings
    ]
    others = [] if question.may_drift else UNCHANGING_ONLY
    if question.randomised:
        named, others = [name for name in named if not is_predictable(name)], RANDOMISED
    found = tuple(dict.fromkeys([*named, *others]))
    learning = tuple(name for name in found if learns_something(question, name))
    return learning or tuple(dict.fromkeys(named)) or found


def is_predictable(name: str) -> bool:
    """Return whether the decisions of an algorithm follow from its releases."""
    return algorithm(name).build(Setting(Arms(2))).private.learner.predictable


def learns_something(question: Question, name: str) -> bool:
    """Return whether an algorithm releases something before the end, at the largest epsilon."""
    setting, arrivals = question.setting(max(question.epsilons)), question.arrivals
    private = copy(algorithm(name).build(setting).private)
    _, trace = private.act(0, streams(0).learner)
    held = private.hold_for(trace)
    return (held if arrivals is None else arrivals.known_after(held)) < question.rounds


def with_proved_bound(question: Question, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the algorithms with a proved regret bound for any outcomes fixed in advance."""
    setting = question.setting(max(question.epsilons))
    return tuple(name for name in names if algorithm(name).build(setting).regret_bound is not None)


def references(question: Question) -> tuple[Variant, ...]:
    """Return algorithms without privacy to compare with; the best of them is used."""
    if question.sees_all:
        return tuple(Variant(name) for name in ORDINARY_EXPERTS)
    indices = [
        name
        for name in candidates(question)
        if name not in with_proved_bound(question, candidates(question))
    ]
    return (Variant(ORDINARY), *map(Variant, indices))


def scenes(question: Question) -> tuple[bool, ...]:
    """Return, for each kind of game, whether outcomes drift: no, and also yes if they may."""
    return (False, True) if question.may_drift else (False,)


def choosing_sweeps(question: Question) -> list[Sweep]:
    """Return the sweeps for choosing an algorithm; no published figure comes from them."""
    private = tuple(
        Variant(name, epsilon) for name in candidates(question) for epsilon in question.epsilons
    )
    trials = max(FEWEST, question.trials_for(question.rounds) // 2)
    return [
        Sweep(
            part="choosing, drifting outcomes" if drifting else "choosing",
            variants=(*private, *references(question)),
            rounds=question.rounds,
            trials=trials,
            seed=_seed(question, 0),
            drifting=drifting,
        )
        for drifting in scenes(question)
    ]


def comparing_sweep(question: Question, variants: tuple[Variant, ...], *, drifting: bool) -> Sweep:
    """Return the sweep for the published figures."""
    trials = question.trials_for(question.rounds)
    part = "drifting outcomes" if drifting else "unchanging outcomes"
    seed = _seed(question, 1)
    return Sweep(
        part=part,
        variants=variants,
        rounds=question.rounds,
        trials=trials,
        seed=seed,
        drifting=drifting,
    )


def other_epsilons(question: Question, variants: tuple[Variant, ...]) -> Sweep:
    """Return the same games for other variants."""
    seed = _seed(question, 1)  # the games of the published figures, so that both can be compared
    trials = question.trials_for(question.rounds)
    return Sweep(
        part="smallest epsilon", variants=variants, rounds=question.rounds, trials=trials, seed=seed
    )


def other_rounds(question: Question, variants: tuple[Variant, ...], rounds: int) -> Sweep:
    """Return games of another length."""
    trials = question.trials_for(rounds, minimum=FEWEST)
    return Sweep(
        part="smallest number of rounds",
        variants=variants,
        rounds=rounds,
        trials=trials,
        seed=_seed(question, 2),
    )


def _seed(question: Question, use: int) -> int:
    """Return a different seed for each use: no figure comes from the games of the choice."""
    return 10 * question.seed + use
