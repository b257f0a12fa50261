"""What every algorithm did for one N, T and epsilon, and who was best: as measured, and as bounds say."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from discreet.contracts import Floats
from discreet.problems import Advice
from discreet.simulation.statistics import Interval, mean_interval
from discreet_papers.reproduce.faster_rates_table_1_experts.sweep import (
    ARMS,
    BATCHED,
    BLIND,
    FOLLOW,
    LOCAL,
    LONG,
    OPEN,
    PAPER,
    TIGHT,
    players,
)
from discreet_papers.reproduce.games import Played, contender

LEARNS = 0.9  # of blind play's regret: above it nobody has learnt anything worth a name
NOBODY = "none"
# What Table 1 prints, without constants and without logarithms of T, K and 1 / δ.
RATES: Mapping[str, Callable[[int, int, float], float]] = {
    FOLLOW: lambda n, t, epsilon: math.sqrt(n * t / epsilon),
    LOCAL: lambda n, t, epsilon: math.sqrt(ARMS * t * math.log(n)) / epsilon,
    BATCHED: lambda n, t, epsilon: (
        n ** (1 / 6) * ARMS**0.5 * t ** (2 / 3) / epsilon ** (1 / 3) + n**0.5 / epsilon
    ),
}


class Cell(NamedTuple):
    """What one algorithm did for one N, T and epsilon."""

    algorithm: str
    calibration: str  # nothing without privacy
    world: str
    experts: int
    epsilon: float
    rounds: int
    batch_size: int
    same_as: str  # an algorithm that plays exactly the same here, or nothing
    regret: Floats  # one number a trial
    blind: Floats  # of uniform play in the same games
    bound: float | None  # at most T

    @property
    def mean(self) -> Interval:
        """The mean regret."""
        return mean_interval(self.regret)

    @property
    def share(self) -> float:
        """Regret over that of blind play."""
        return float(self.regret.mean() / self.blind.mean())

    @property
    def rate(self) -> float:
        """What Table 1 says, without constants."""
        return RATES[BATCHED if self.algorithm == LONG else self.algorithm](
            self.experts, self.rounds, self.epsilon
        )

    @property
    def vacuous(self) -> bool:
        """Whether no bound is proved below T."""
        return self.bound is None or self.bound >= self.rounds


class Verdict(NamedTuple):
    """Who is best; or nobody, where nobody learns or all bounds are vacuous."""

    best: str
    certain: bool = True  # whether 95 % of paired differences to the next one leave no doubt
    value: float = math.nan  # regret or bound of the best, as a share


def cells(played: Played) -> list[Cell]:
    """Return what everybody did in one game, without privacy first."""
    game = played.game
    assert isinstance(game.problem, Advice), "there is advice"
    blind, ordinary = game.players[:2]
    assert (blind.algorithm, ordinary.algorithm) == (BLIND, OPEN), "the frame comes first"
    lost = played.regret(blind)
    numbers = played.contender(ordinary).facts
    found = [
        Cell(
            algorithm=OPEN,
            calibration="",
            world=game.environment,
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
        mine = players(game.problem.experts, game.rounds, epsilon)
        for (name, how), player in mine.items():
            copied = player not in game.players
            numbers = (contender(game, player) if copied else played.contender(player)).facts
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


def measured(cells: Sequence[Cell]) -> Verdict:
    """Return who has the least mean regret; who plays the same as another does not count twice."""
    ranked = sorted(
        (cell for cell in cells if not cell.same_as), key=lambda cell: float(cell.regret.mean())
    )
    first, second = ranked[:2]
    lead = mean_interval(second.regret - first.regret)
    return Verdict(first.algorithm if first.share < LEARNS else NOBODY, lead.low > 0.0, first.share)


def promised(cells: Sequence[Cell], value: Callable[[Cell], float | None]) -> Verdict:
    """Return whose bound is least, or nobody if all are vacuous: none, or T or more."""
    usable = [
        (found, cell) for cell in cells if not cell.same_as and (found := value(cell)) is not None
    ]
    least, cell = min(usable, key=lambda pair: pair[0], default=(math.inf, cells[0]))
    share = least / cell.rounds
    return Verdict(cell.algorithm if share < 1.0 else NOBODY, True, share)


def verdicts(cells: Sequence[Cell]) -> dict[str, Verdict]:
    """Return the maps' entries for one N and epsilon."""
    ours = [cell for cell in cells if cell.calibration == TIGHT]
    papers = [cell for cell in cells if cell.calibration == PAPER]
    return {
        "measured": measured(ours),
        "measured_paper": measured(papers),
        "our_bounds": promised(
            [cell for cell in ours if cell.algorithm != LONG], lambda cell: cell.bound
        ),
        "theorems": promised(papers, lambda cell: cell.bound),
        "table_1": promised(papers, lambda cell: cell.rate),
    }
