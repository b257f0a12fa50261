"""What is simulated for a plan, as data, and the one place where it is played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from discreet.algorithms import algorithm
from discreet.algorithms.arms.choosing import least_bound, least_measured
from discreet.contracts import Floats
from discreet.planning.games import Planned
from discreet.planning.question import Question
from discreet.simulation import Contender, simulate

FEWEST = 16  # trials to choose in, and to search for a number of rounds
NO_NOISE = 1e3  # an epsilon at which a private algorithm plays as if there were no noise
UNCHANGING_ONLY = ("batched-ucb", "dp-klucb", "dp-imed", "adap-klucb", "dp-successive-elimination")
FOR_EXPERTS, ORDINARY_EXPERTS = ("private-ftrl-experts", "private-ftpl"), ("ftrl-experts", "hedge")
ORDINARY = "tsallis-inf"

Progress = Callable[
    [str, int, int], None
]  # the part of the work, trials finished in it, and all of them


@dataclass(frozen=True, order=True)
class Player:
    """An algorithm at an epsilon, or one without privacy."""

    algorithm: str
    epsilon: float = NO_NOISE

    @property
    def is_private(self) -> bool:
        """Whether it is played for its own sake, and not to be compared with."""
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
    """Some games that all of its players meet."""

    part: str  # what it is for: "choosing", "comparing", ...
    players: tuple[Player, ...]
    rounds: int
    trials: int
    seed: int
    drifting: bool = False


@dataclass(frozen=True, kw_only=True, eq=False)
class Played:
    """How often every player played every role: trial, phase of the game, role."""

    sweep: Sweep
    counts: Mapping[Player, Floats]


def play(
    sweep: Sweep,
    question: Question,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Played:
    """Play a sweep with the library's own simulation."""

    def tell(done: int, asked: int) -> None:
        if progress is not None:
            progress(sweep.part, done, asked)

    results = simulate(
        [_contender(player, question, sweep.rounds) for player in sweep.players],
        environment=Planned(question.problem, question.distributions, sweep.rounds, sweep.drifting),
        rounds=sweep.rounds,
        trials=sweep.trials,
        low=question.low,
        high=question.high,
        seed=sweep.seed,
        workers=workers,
        progress=tell,
    )
    assert results.memory is not None, "games of a plan remember what was played"
    return Played(
        sweep=sweep, counts=dict(zip(sweep.players, cast(Floats, results.memory), strict=True))
    )


def _contender(player: Player, question: Question, rounds: int) -> Contender:
    setting = question.setting(player.epsilon, rounds)
    private = algorithm(player.algorithm).build(setting).private
    return Contender(label=player.label, private=private, algorithm=player.algorithm)


def candidates(question: Question) -> tuple[str, ...]:
    """Return the private algorithms that come into question, first those of the least proved bound.

    That is the choice of ``Bandit`` for each epsilon, that of ``algorithm="best"``, and if outcomes
    surely do not drift those that are for such outcomes only.
    """
    if question.sees_all:
        return FOR_EXPERTS
    settings = [question.setting(epsilon) for epsilon in question.epsilons]
    named = [choose(setting) for choose in (least_bound, least_measured) for setting in settings]  # type: ignore[arg-type]
    return tuple(dict.fromkeys([*named, *([] if question.may_drift else UNCHANGING_ONLY)]))


def proved(question: Question, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those algorithms whose regret is bounded by a proof, for any outcomes that are fixed in advance."""
    setting = question.setting(max(question.epsilons))
    return tuple(name for name in names if algorithm(name).build(setting).regret_bound is not None)


def references(question: Question) -> tuple[Player, ...]:
    """Return algorithms without privacy to compare with; the best of them is taken."""
    if question.sees_all:
        return tuple(Player(name) for name in ORDINARY_EXPERTS)
    indices = [
        name for name in candidates(question) if name not in proved(question, candidates(question))
    ]
    return (Player(ORDINARY), *map(Player, indices))


def scenes(question: Question) -> tuple[bool, ...]:
    """Return which games are played: unchanging ones, and drifting ones if outcomes may drift."""
    return (False, True) if question.may_drift else (False,)


def choosing(question: Question) -> list[Sweep]:
    """Return the games in which algorithms are chosen; no figure that is shown comes from them."""
    private = tuple(
        Player(name, epsilon) for name in candidates(question) for epsilon in question.epsilons
    )
    trials = max(FEWEST, question.trials_for(question.rounds) // 2)
    return [
        Sweep(
            part="choosing, drifting outcomes" if drifting else "choosing",
            players=(*private, *references(question)),
            rounds=question.rounds,
            trials=trials,
            seed=_seed(question, 0),
            drifting=drifting,
        )
        for drifting in scenes(question)
    ]


def comparing(question: Question, players: tuple[Player, ...], *, drifting: bool) -> Sweep:
    """Return the games of which figures are shown."""
    trials = question.trials_for(question.rounds)
    part = "drifting outcomes" if drifting else "unchanging outcomes"
    seed = _seed(question, 1)
    return Sweep(
        part=part,
        players=players,
        rounds=question.rounds,
        trials=trials,
        seed=seed,
        drifting=drifting,
    )


def other_epsilons(question: Question, players: tuple[Player, ...]) -> Sweep:
    """Return the same games with other players."""
    seed = _seed(question, 1)  # so that they can be compared with what is shown
    trials = question.trials_for(question.rounds)
    return Sweep(
        part="least epsilon", players=players, rounds=question.rounds, trials=trials, seed=seed
    )


def other_rounds(question: Question, players: tuple[Player, ...], rounds: int) -> Sweep:
    """Return games of another length."""
    trials = question.trials_for(rounds, fewest=FEWEST)
    return Sweep(
        part="least rounds", players=players, rounds=rounds, trials=trials, seed=_seed(question, 2)
    )


def _seed(question: Question, use: int) -> int:
    """Return a seed for each use: games in which algorithms are chosen are not those in which they are shown."""
    return 10 * question.seed + use
