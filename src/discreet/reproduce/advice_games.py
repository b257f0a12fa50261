"""Games of private algorithms with expert advice, and who is best in them: as measured, and as bounds say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from discreet.algorithms import Setting
from discreet.channels import Open
from discreet.contracts import Floats
from discreet.environments import environment
from discreet.learners import Uniform
from discreet.private import Private
from discreet.ranges import make_range
from discreet.reproduce.registry import Plan
from discreet.simulation import Contender, simulate
from discreet.simulation.statistics import Interval, mean_interval

ARMS, DELTA = 4, 1e-6
LEARNS = 0.9  # of blind play's regret: above it nobody has learnt anything worth a name
FOLLOW, LOCAL, BATCHED, LONG = "expert-arms", "local-exp4", "batched-exp4", "batched-exp4, long"
ALGORITHMS = (FOLLOW, LOCAL, BATCHED, LONG)
OPEN, BLIND = "exp4", "uniform"
RANDOM, SWITCHING = "advice-random", "advice-adversarial"
TIGHT, PAPER = "tight", "paper"
NOBODY = "none"
# What Table 1 prints, without constants and without logarithms of T, K and 1 / δ.
RATES: Mapping[str, Callable[[int, int, float], float]] = {
    FOLLOW: lambda n, t, epsilon: math.sqrt(n * t / epsilon),
    LOCAL: lambda n, t, epsilon: math.sqrt(ARMS * t * math.log(n)) / epsilon,
    BATCHED: lambda n, t, epsilon: n ** (1 / 6) * ARMS**0.5 * t ** (2 / 3) / epsilon ** (1 / 3) + n**0.5 / epsilon,
}


class Cell(NamedTuple):
    """What one algorithm did for one N, T and epsilon."""

    algorithm: str
    calibration: str
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
        return RATES[BATCHED if self.algorithm == LONG else self.algorithm](self.experts, self.rounds, self.epsilon)


class Verdict(NamedTuple):
    """Who is best; or nobody, where nobody learns or all bounds are vacuous."""

    best: str
    certain: bool = True  # whether 95 % of paired differences to the next one leave no doubt
    value: float = math.nan  # regret or bound of the best, as a share


def players(experts: int, rounds: int, epsilon: float) -> dict[tuple[str, str], Contender]:
    """Return all contenders with our tuning and with the paper's; the last one has long batches.

    Our tuning of batched-exp4 takes the batch size with the least proved bound, which is 1 almost everywhere: then it is
    local-exp4. To see the row of Table 1 at all, one more plays batches as long as Theorem 6 has them without constants
    and logarithms, (N T)^(1/3) / ε^(2/3), with our noise and the learning rate that is best for them.
    """
    setting = Setting(arms=ARMS, experts=experts, rounds=rounds, epsilon=epsilon, delta=DELTA)
    long = min(max(2, round((experts * rounds) ** (1 / 3) / epsilon ** (2 / 3))), max(2, rounds // 4))
    found = {(name, how): _named(name, setting, how) for name in (FOLLOW, LOCAL, BATCHED) for how in (TIGHT, PAPER)}
    found[LONG, TIGHT] = _named(BATCHED, setting, TIGHT, batch_size=long)
    return {who: replace(each, label=f"{who}, ε = {epsilon:g}") for who, each in found.items()}


def alike(local: Contender, batched: Contender) -> bool:
    """Return whether batches of one round make EXP4 with noise every round: the same numbers, the same Laplace noise."""
    same = local.facts["parameters"] == batched.facts["parameters"]
    return same and all(noise.kind == "laplace" for noise in local.private.channel.noise_scales)


def play(plan: Plan, experts: int, rounds: int, epsilons: Iterable[float], world: str = RANDOM) -> list[Cell]:
    """Play everything in the same games."""
    everyone = {epsilon: players(experts, rounds, epsilon) for epsilon in epsilons}
    frame = {
        BLIND: Contender(label=BLIND, private=Private(Open(make_range()), Uniform(ARMS))),
        OPEN: replace(Contender.named(OPEN, Setting(arms=ARMS, experts=experts, rounds=rounds)), label=OPEN),
    }
    copies = {e for e, mine in everyone.items() if alike(mine[LOCAL, TIGHT], mine[BATCHED, TIGHT])}
    asked = [*frame.values()]
    for epsilon, mine in everyone.items():
        asked += [each for who, each in mine.items() if who != (BATCHED, TIGHT) or epsilon not in copies]
    results = simulate(
        asked,
        environment=environment(world, arms=ARMS, experts=experts, rounds=rounds),
        rounds=rounds,
        trials=plan.trials,
        seed=plan.seed,
        progress=plan.step(f"{world}, N = {experts}, T = {rounds:,}"),
    )
    final = dict(zip([each.label for each in asked], results.regret[:, :, -1], strict=True))
    blind = final[BLIND]
    cells = [
        Cell(OPEN, "", world, experts, math.inf, rounds, 1, "", final[OPEN], blind, frame[OPEN].facts["regret_bound"])
    ]
    for epsilon, mine in everyone.items():
        for (name, how), each in mine.items():
            copied = (name, how) == (BATCHED, TIGHT) and epsilon in copies
            regret = final[mine[LOCAL, TIGHT].label if copied else each.label]
            size = int(each.facts["parameters"]["batch_size"])
            bound = each.facts["regret_bound"]
            cells.append(
                Cell(name, how, world, experts, epsilon, rounds, size, LOCAL if copied else "", regret, blind, bound)
            )
    return cells


def measured(cells: Sequence[Cell]) -> Verdict:
    """Return who has the least mean regret; who plays the same as another does not count twice."""
    ranked = sorted((cell for cell in cells if not cell.same_as), key=lambda cell: float(cell.regret.mean()))
    first, second = ranked[:2]
    lead = mean_interval(second.regret - first.regret)
    return Verdict(first.algorithm if first.share < LEARNS else NOBODY, lead.low > 0.0, first.share)


def promised(cells: Sequence[Cell], value: Callable[[Cell], float | None]) -> Verdict:
    """Return whose bound is least, or nobody if all are vacuous: none, or T or more."""
    usable = [(found, cell) for cell in cells if not cell.same_as and (found := value(cell)) is not None]
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
        "our_bounds": promised([cell for cell in ours if cell.algorithm != LONG], lambda cell: cell.bound),
        "theorems": promised(papers, lambda cell: cell.bound),
        "table_1": promised(papers, lambda cell: cell.rate),
    }


def _named(name: str, setting: Setting, calibration: str, **options: Any) -> Contender:
    return Contender.named(name, setting, calibration=calibration, **options)
