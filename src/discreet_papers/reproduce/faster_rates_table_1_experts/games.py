"""Private algorithms with expert advice: over T in two environments, and over N and epsilon in one.

The map over N and epsilon is measured in ``advice-random``: one expert is good and all others
guess, so the regret of uniform play is the same for every N, and more experts make it harder. In
``advice-adversarial`` a quarter of all experts is good at any time, and N would hardly matter.
Regret over T is measured in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from discreet import Private
from discreet.algorithms import Setting
from discreet.channels import Open
from discreet.contracts import Floats
from discreet.learners import Uniform
from discreet.problems import Advice, Problem
from discreet.simulation import Contender, Interval, mean_interval
from discreet_papers.reproduce.fitting import choose_lengths
from discreet_papers.reproduce.games import Entrant, PlayedGame, SweepGame, make_contender

# Sweep

ARMS, DELTA = 4, 1e-6
EXPERTS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
EPSILONS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SIZE, EPSILON = 16, 1.0  # while the others vary; both are in the lists above
FOLLOW, LOCAL, BATCHED, LONG = "expert-arms", "local-exp4", "batched-exp4", "batched-exp4, long"
ALGORITHMS = (FOLLOW, LOCAL, BATCHED, LONG)
OPEN, BLIND = "exp4", "uniform"
RANDOM, SWITCHING = "advice-random", "advice-adversarial"
TIGHT, PAPER = "tight", "paper"


def sweep(rounds: int) -> tuple[SweepGame, ...]:
    """Return games over T at N = 16 and epsilon 1, and over N and epsilon at an eighth of T."""
    return (
        *(
            make_game(name, SIZE, length, (EPSILON,))
            for name in (RANDOM, SWITCHING)
            for length in lengths(rounds)
        ),
        *(
            make_game(RANDOM, experts, map_length(rounds), EPSILONS)
            for experts in map_sizes(rounds)
        ),
    )


def lengths(rounds: int) -> list[int]:
    """Return the lengths of games over T."""
    return choose_lengths(rounds, count=5, shortest=2**8)


def map_length(rounds: int) -> int:
    """Return the length of the games over N and epsilon."""
    return rounds // 8


def map_sizes(rounds: int) -> list[int]:
    """Return the numbers of experts on the map; short games cannot tell more of them apart."""
    return [experts for experts in EXPERTS if experts <= max(SIZE, map_length(rounds) // 256)]


def make_game(environment: str, experts: int, rounds: int, epsilons: Sequence[float]) -> SweepGame:
    """Return a game of all algorithms at all epsilons; equivalent ones play once."""
    frame = SweepGame(
        part=f"{environment}, N = {experts}, T = {rounds:,}",
        environment=environment,
        problem=Advice(ARMS, experts),
        rounds=rounds,
        players=(
            Entrant(algorithm=BLIND, role=BLIND, build=build_blind_play),
            Entrant(algorithm=OPEN, role=OPEN),
        ),
    )
    private = (player for epsilon in epsilons for player in _distinct(frame, epsilon))
    return replace(frame, players=(*frame.players, *private))


def private_entrants(experts: int, rounds: int, epsilon: float) -> dict[tuple[str, str], Entrant]:
    """Return all private players with our tuning and the paper's; the last one has long batches.

    Our tuning of batched-exp4 uses the batch size with the smallest proved bound. That is 1 almost
    everywhere, which makes it local-exp4. To show the row of Table 1 at all, one more player has
    batches as long as in Theorem 6 without constants and logarithms, (N T)^(1/3) / ε^(2/3), with
    our noise and the learning rate that is best for them.
    """
    long = min(
        max(2, round((experts * rounds) ** (1 / 3) / epsilon ** (2 / 3))), max(2, rounds // 4)
    )
    # the paper's mechanisms; by default both learn from randomised bits, whose bound is smaller
    added: dict[str, tuple[tuple[str, object], ...]] = {
        LOCAL: (("noise", "laplace"),),
        BATCHED: (("responses", False),),
    }
    found = {
        (name, how): _make_entrant(
            name, how, epsilon, *(added.get(name, ()) if how == TIGHT else ())
        )
        for name in (FOLLOW, LOCAL, BATCHED)
        for how in (TIGHT, PAPER)
    }
    found[LONG, TIGHT] = _make_entrant(BATCHED, TIGHT, epsilon, ("batch_size", long))
    return found


def are_alike(local: Contender, batched: Contender) -> bool:
    """Return whether batched-exp4 is local-exp4 here: the same numbers and Laplace noise."""
    same = local.facts["parameters"] == batched.facts["parameters"]
    return same and all(noise.kind == "laplace" for noise in local.private.channel.noise_scales)


def build_blind_play(game: SweepGame, setting: Setting[Problem]) -> Contender:
    """Return uniform play, which ignores the advice."""
    return Contender(
        label=BLIND, private=Private(Open(setting.bounds), Uniform(game.problem.actions))
    )


def _distinct(frame: SweepGame, epsilon: float) -> list[Entrant]:
    """Return the players of one epsilon, without batched-exp4 where it is local-exp4."""
    assert isinstance(frame.problem, Advice), "there is advice"
    found = private_entrants(frame.problem.experts, frame.rounds, epsilon)
    local, batched = (make_contender(frame, found[name, TIGHT]) for name in (LOCAL, BATCHED))
    return [
        player
        for who, player in found.items()
        if who != (BATCHED, TIGHT) or not are_alike(local, batched)
    ]


def _make_entrant(name: str, how: str, epsilon: float, *more: tuple[str, object]) -> Entrant:
    role = f"{LONG if 'batch_size' in dict(more) else name}, {how}"
    return Entrant(
        algorithm=name,
        epsilon=epsilon,
        delta=DELTA,
        options=(("calibration", how), *more),
        role=role,
    )


# Results: every algorithm for one N, T and epsilon, and which was best

LEARNS = 0.9  # above this share of uniform play's regret, hardly anything is learned
NOBODY = "none"
# What Table 1 prints, without constants and without logarithms of T, K and 1 / δ.
RATES: Mapping[str, Callable[[int, int, float], float]] = {
    FOLLOW: lambda n, t, epsilon: math.sqrt(n * t / epsilon),
    LOCAL: lambda n, t, epsilon: math.sqrt(ARMS * t * math.log(n)) / epsilon,
    BATCHED: lambda n, t, epsilon: (
        n ** (1 / 6) * ARMS**0.5 * t ** (2 / 3) / epsilon ** (1 / 3) + n**0.5 / epsilon
    ),
}


class AdviceCell(NamedTuple):
    """The results of one algorithm for one N, T and epsilon."""

    algorithm: str
    calibration: str  # empty without privacy
    environment: str
    experts: int
    epsilon: float
    rounds: int
    batch_size: int
    same_as: str  # an algorithm that plays exactly the same here, or empty
    regret: Floats  # one number per trial
    blind: Floats  # of uniform play in the same games
    bound: float | None  # at most T

    @property
    def mean(self) -> Interval:
        """The mean regret."""
        return mean_interval(self.regret)

    @property
    def share(self) -> float:
        """Regret divided by that of uniform play."""
        return float(self.regret.mean() / self.blind.mean())

    @property
    def rate(self) -> float:
        """The rate in Table 1, without constants."""
        return RATES[BATCHED if self.algorithm == LONG else self.algorithm](
            self.experts, self.rounds, self.epsilon
        )

    @property
    def vacuous(self) -> bool:
        """Whether no bound is proved below T."""
        return self.bound is None or self.bound >= self.rounds


class Winner(NamedTuple):
    """The best algorithm; or none, where no algorithm learns or all bounds are vacuous."""

    best: str
    certain: bool = True  # whether the lead on the next one is outside its 95 % interval
    value: float = math.nan  # regret or bound of the best, as a share


def advice_cells(played: PlayedGame) -> list[AdviceCell]:
    """Return the results of every player in one game, without privacy first."""
    game = played.game
    assert isinstance(game.problem, Advice), "there is advice"
    blind, ordinary = game.players[:2]
    assert (blind.algorithm, ordinary.algorithm) == (BLIND, OPEN), "the frame comes first"
    lost = played.regret(blind)
    numbers = played.contender(ordinary).facts
    found = [
        AdviceCell(
            algorithm=OPEN,
            calibration="",
            environment=game.environment,
            experts=game.problem.experts,
            epsilon=math.inf,
            rounds=game.rounds,
            batch_size=1,
            same_as="",
            regret=played.regret(ordinary),
            blind=lost,
            bound=numbers["regret_bound"],
        )
    ]
    for epsilon in dict.fromkeys(player.epsilon for player in game.players[2:]):
        mine = private_entrants(game.problem.experts, game.rounds, epsilon)
        for (name, how), player in mine.items():
            copied = player not in game.players
            numbers = (make_contender(game, player) if copied else played.contender(player)).facts
            found.append(
                found[0]._replace(
                    algorithm=name,
                    calibration=how,
                    epsilon=epsilon,
                    batch_size=int(numbers["parameters"]["batch_size"]),
                    same_as=LOCAL if copied else "",
                    regret=played.regret(mine[LOCAL, TIGHT] if copied else player),
                    bound=numbers["regret_bound"],
                )
            )
    return found


def find_measured_best(cells: Sequence[AdviceCell]) -> Winner:
    """Return the smallest mean regret; algorithms that play the same count once."""
    ranked = sorted(
        (cell for cell in cells if not cell.same_as), key=lambda cell: float(cell.regret.mean())
    )
    first, second = ranked[:2]
    lead = mean_interval(second.regret - first.regret)
    return Winner(first.algorithm if first.share < LEARNS else NOBODY, lead.low > 0.0, first.share)


def find_smallest_bound(
    cells: Sequence[AdviceCell], value: Callable[[AdviceCell], float | None]
) -> Winner:
    """Return the smallest bound, or none if all are vacuous (T or more, or not proved)."""
    usable = [
        (found, cell) for cell in cells if not cell.same_as and (found := value(cell)) is not None
    ]
    least, cell = min(usable, key=lambda pair: pair[0], default=(math.inf, cells[0]))
    share = least / cell.rounds
    return Winner(cell.algorithm if share < 1.0 else NOBODY, True, share)


def find_winners(cells: Sequence[AdviceCell]) -> dict[str, Winner]:
    """Return the entries of the maps for one N and epsilon."""
    ours = [cell for cell in cells if cell.calibration == TIGHT]
    papers = [cell for cell in cells if cell.calibration == PAPER]
    return {
        "measured": find_measured_best(ours),
        "measured_paper": find_measured_best(papers),
        "our_bounds": find_smallest_bound(
            [cell for cell in ours if cell.algorithm != LONG], lambda cell: cell.bound
        ),
        "theorems": find_smallest_bound(papers, lambda cell: cell.bound),
        "table_1": find_smallest_bound(papers, lambda cell: cell.rate),
    }
