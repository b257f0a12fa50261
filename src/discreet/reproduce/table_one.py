"""Agarwal & Singh 2017, Table 1: regret of private leaders over T and N, beside the approach before and no privacy."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from discreet.algorithms import Setting
from discreet.channels import RunningSum
from discreet.environments.points.linear import LinearStochastic
from discreet.factorisations import Tree
from discreet.learners import Ftal
from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.private import Private
from discreet.ranges import make_range
from discreet.reproduce.rates import slope
from discreet.reproduce.registry import Plan, register, write_table
from discreet.sets import geometry
from discreet.simulation import Contender, simulate
from discreet.simulation.experiment import Progress
from discreet.simulation.statistics import Interval, mean_interval

DELTA = 1e-6
POINTS = ("experts", "ball", "cube")  # the paper says sphere, and means the ball
SIZES = {2: 2**20, 10: 2**20, 100: 2**16}  # N, and the longest game: padding draws N log T numbers a round
FIXED = (0.1, 1.0)
SCALES = (2.0, 16.0, 128.0)  # gaps, in units of 1 / sqrt(T)
OPEN, OLD, TREE, BLT = "no privacy", "old: FTAL", "new: tree", "new: BLT"
PRIVATE = (OLD, TREE, BLT)


class Cell(NamedTuple):
    """What one algorithm did in games of one gap."""

    who: tuple[str, float]  # approach, epsilon
    gap: float
    regret: Interval
    extra: Interval  # regret minus that of the first algorithm in the same games
    bound: float | None  # on the expected regret, where one is proved


def gaps(points: str, rounds: int) -> list[float]:
    """Return how much better one point is on average, from hard to find to plain."""
    return sorted({min(scale / math.sqrt(rounds), 0.5 if points == "experts" else 1.0) for scale in SCALES})


def play(
    plan: Plan,
    points: str,
    size: int,
    rounds: int,
    contenders: Mapping[tuple[str, float], Contender],
    progress: Iterable[Progress | None],
) -> list[Cell]:
    """Play all contenders in the same games, for every gap; the first one is what the others are compared with."""
    cells = []
    for gap, shown in zip(gaps(points, rounds), progress, strict=False):
        results = simulate(
            list(contenders.values()),
            environment=LinearStochastic(geometry(points, size, make_range()), gap),
            rounds=rounds,
            trials=plan.trials,
            seed=plan.seed,
            progress=shown,
        )
        final = results.regret[:, :, -1]
        for who, contender, regret in zip(contenders, contenders.values(), final, strict=True):
            bound = contender.facts.get("regret_bound")
            cells.append(Cell(who, gap, mean_interval(regret), mean_interval(regret - final[0]), bound))
    return cells


def worst(cells: Sequence[Cell], who: tuple[str, float]) -> tuple[Interval, Interval]:
    """Return the largest regret and the largest extra regret over all gaps."""
    mine = [cell for cell in cells if cell.who == who]
    return max(cell.regret for cell in mine), max(cell.extra for cell in mine)


def parts(progress: Progress | None, count: int) -> Iterable[Progress | None]:
    """Split a progress into equal parts, one after the other."""
    for part in range(count):
        if progress is None:
            yield None
        else:
            yield partial(_part, progress, part, count)


def _part(show: Progress, part: int, count: int, done: int, asked: int) -> None:
    show(part * asked + done, count * asked)


def non_private(points: str, setting: Setting) -> Contender:
    """Return the leader that sees the losses themselves."""
    return Contender.named(f"ftrl-{points}", setting)


def private(points: str, setting: Setting, **options: Any) -> Contender:
    """Return the leader on private sums."""
    found = Contender.named(f"private-ftrl-{points}", setting, **options)
    return replace(found, label=f"{found.label}, δ = {setting.delta:g}, {options}")


def approximate_leader(points: str, setting: Setting) -> Contender:
    """Return the approach before: FTAL on a tree without padding, with the pure noise that the new one has.

    From memory, not proved here [M]: its bound is of order n (G + h r)² (ln T)^2.5 / (ε h) + T h r² / 2, where the noise
    is in the stability term; that tunes the ridge h = (G / r) sqrt(2 n (ln T)^2.5 / (ε T)).
    """
    sets, rounds = setting.geometry(points), setting.rounds
    channel: Any = private(points, setting, sums="tree").private.channel
    ridge = math.sqrt(2.0 * setting.arms * math.log(rounds) ** 2.5 / (setting.epsilon * rounds)) * sets.norm / sets.radius
    return Contender(
        label=f"FTAL (ε = {setting.epsilon:.12g})",
        private=Private(
            RunningSum.over(sets.losses, channel.noise, Tree, prefixes=rounds - 1),
            Ftal.start(set=sets.points, ridge=ridge),
        ),
        algorithm="ftal",
    )


def contenders(points: str, size: int, rounds: int) -> dict[tuple[str, float], Contender]:
    """Return the columns of the table, for every epsilon."""
    found = {(OPEN, math.inf): non_private(points, Setting(arms=size, rounds=rounds))}
    for epsilon in (rounds**-0.5, *FIXED):
        pure = Setting(arms=size, rounds=rounds, epsilon=epsilon)
        found[OLD, epsilon] = approximate_leader(points, pure)
        found[TREE, epsilon] = private(points, pure, sums="tree")
        found[BLT, epsilon] = private(points, replace(pure, delta=DELTA), sums="blt")
    return found


def lengths(rounds: int, size: int) -> list[int]:
    """Return the lengths of games, each 4 times the one before; at least two."""
    most = min(rounds, SIZES[size])
    return sorted(most // 4**k for k in range(6) if k < 2 or most // 4**k >= 2**10)


@register(
    name="agarwal-singh-table-1",
    title="Agarwal & Singh 2017, Table 1: regret over T, N and epsilon with full information, with fitted exponents",
    trials=6,
    rounds=2**20,
)
def table(plan: Plan) -> str:
    """Measure regret for T = 2^10 ... 2^20, three sets and three dimensions; fit how it grows with T."""
    found: dict[tuple[str, int, int], list[Cell]] = {}
    for points in POINTS:
        for size in SIZES:
            games = [(rounds, gaps(points, rounds)) for rounds in lengths(plan.rounds, size)]
            bar = plan.step(f"{points}, N = {size}")
            shown = iter(parts(bar, sum(len(each) for _, each in games)))
            for rounds, _ in games:
                found[points, size, rounds] = play(plan, points, size, rounds, contenders(points, size, rounds), shown)
    write_table(
        plan.folder / "agarwal-singh-table-1.csv", [_row(*key, cell) for key, cells in found.items() for cell in cells]
    )
    fits = [
        fit
        for points in POINTS
        for size in SIZES
        for epsilon in FIXED
        for last in (3, 6)
        for fit in _fits(found, points, size, epsilon, lengths(plan.rounds, size)[-last:])
    ]
    write_table(plan.folder / "agarwal-singh-table-1-exponents.csv", fits)
    _draw(plan, found)
    return _text(plan, found, fits)


def _row(points: str, size: int, rounds: int, cell: Cell) -> dict[str, Any]:
    approach, epsilon = cell.who
    return {
        "points": points,
        "N": size,
        "T": rounds,
        "approach": approach,
        "epsilon": epsilon,
        "delta": DELTA if approach == BLT else 0.0,
        "gap": cell.gap,
        "regret_mean": cell.regret.value,
        "regret_low": cell.regret.low,
        "regret_high": cell.regret.high,
        "added_mean": cell.extra.value,
        "added_low": cell.extra.low,
        "added_high": cell.extra.high,
        "regret_bound": cell.bound,
    }


def _fits(
    found: Mapping[tuple[str, int, int], list[Cell]], points: str, size: int, epsilon: float, games: list[int]
) -> Iterable[dict[str, Any]]:
    """Yield the exponents of T in the worst regret, in its bound, and in what privacy adds at worst."""
    for who in ((OPEN, math.inf), *((approach, epsilon) for approach in PRIVATE)):
        cells = [found[points, size, rounds] for rounds in games]
        proved = [next(cell.bound for cell in each if cell.who == who) or math.nan for each in cells]
        regret, extra = ([worst(each, who)[part].value for each in cells] for part in (0, 1))
        times = [float(rounds) for rounds in games]
        yield {
            "points": points,
            "N": size,
            "epsilon": epsilon,
            "approach": who[0],
            "shortest": games[0],
            "longest": games[-1],
            "exponent_of_regret": slope(times, regret),
            "exponent_of_bound": slope(times, proved),
            "exponent_of_added": math.nan if who[0] == OPEN else slope(times, extra),
        }


def _text(plan: Plan, found: Mapping[tuple[str, int, int], list[Cell]], fits: Sequence[Mapping[str, Any]]) -> str:
    lines = [
        "Independent losses, one point better by 2, 16 or 128 / sqrt(T) (at most 1/2 for experts, else 1): for each",
        "algorithm the worst of the three counts, so that other games may cost more. Without a gap all algorithms would",
        "lose the same on average; a fixed one is hard at one T only, and longer games would only make it easier.",
        f"New: (ε, 0) with a padded tree, (ε, {DELTA:g}) with BLT. Old: FTAL (Smith & Thakurta 2013) with the same pure",
        "noise, and h = (G / r) sqrt(2 N (ln T)^2.5 / (ε T)) from its bound, which is from memory, not proved here.",
        "",
        "Worst regret in the longest games, 95 % intervals, ε = 1 (proved bound in brackets):",
        f"  {'':<18}" + "".join(f"{name:<22}" for name in (OPEN, *PRIVATE)),
    ]
    for points, size in ((points, size) for points in POINTS for size in SIZES):
        rounds = lengths(plan.rounds, size)[-1]
        cells = found[points, size, rounds]
        entries = []
        for who in ((OPEN, math.inf), *((approach, 1.0) for approach in PRIVATE)):
            regret, _ = worst(cells, who)
            bound = next(cell.bound for cell in cells if cell.who == who)
            half = "" if math.isnan(regret.high) else f" ± {regret.high - regret.value:.0f}"
            entries.append(f"{regret.value:.0f}{half}" + ("" if bound is None else f" ({bound:.0f})"))
        lines.append(f"  {points:<8}{size:<4}2^{math.log2(rounds):<4.3g}" + "".join(f"{entry:<22}" for entry in entries))
    lines += [
        "",
        "Fitted exponents of T over the longest three games: of regret, and of what privacy adds on the same games. In",
        "the paper's table regret has 1/2, what the old approach adds 1/2, and what the new one adds 0 (logarithms):",
        f"  {'':<21}{OPEN:<14}" + "".join(f"{name:<20}" for name in PRIVATE),
    ]
    for points, size, epsilon in ((p, n, e) for e in reversed(FIXED) for p in POINTS for n in SIZES):
        mine = [fit for fit in fits if (fit["points"], fit["N"], fit["epsilon"]) == (points, size, epsilon)][:4]
        pairs = [f"{fit['exponent_of_regret']:.2f}, adds {fit['exponent_of_added']:.2f}" for fit in mine[1:]]
        first = f"  {points:<8}{size:<4}ε = {epsilon:<5g}{mine[0]['exponent_of_regret']:<14.2f}"
        lines.append(first + "".join(f"{pair:<20}" for pair in pairs))
    private = [cell for cells in found.values() for cell in cells if cell.who[0] != OPEN]
    better = sum(cell.extra.high < 0.0 for cell in private)
    lines += [
        "",
        "An exponent near 1 means noise larger than the game: it plays blindly, and any bound is that of blind play.",
        f"In {better} of {len(private)} measurements privacy lowered regret beyond its 95 % interval (chance: 2.5 %).",
    ]
    return "\n".join(lines)


def _draw(plan: Plan, found: Mapping[tuple[str, int, int], list[Cell]]) -> None:
    pyplot = plotting()
    figure, panels = pyplot.subplots(2, 3, figsize=(9.6, 6.0), layout="constrained", sharex=True, sharey="row")
    games = lengths(plan.rounds, 10)
    for column, points in enumerate(POINTS):
        above, below = panels[0][column], panels[1][column]
        cells = [found[points, 10, rounds] for rounds in games]
        for index, who in enumerate(((OPEN, math.inf), *((approach, 1.0) for approach in PRIVATE))):
            style = {"color": COLOURS[index], "marker": MARKERS[index], "markersize": 5, "linewidth": 1.4, "capsize": 3}
            for axes, part in ((above, 0), (below, 1)):
                points_seen = [worst(each, who)[part] for each in cells]
                if axes is below and who[0] == OPEN:
                    continue
                bars = [0.0 if math.isnan(seen.high) else seen.high - seen.value for seen in points_seen]
                label = who[0] if axes is above and column == 0 else None
                axes.errorbar(games, [seen.value for seen in points_seen], yerr=bars, label=label, **style)
            proved = [next(cell.bound for cell in each if cell.who == who) for each in cells]
            if proved[0] is not None:
                above.plot(games, proved, color=style["color"], linestyle=":", linewidth=1.2)
        below.plot(
            games, [math.sqrt(t) for t in games], color="grey", linestyle="--", label="√T" if column == 0 else None
        )
        above.set_title(f"{points}, N = 10", fontsize=11)
        below.set_xlabel("rounds T", fontsize=10)
        for axes in (above, below):
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.grid(alpha=0.3)
            axes.tick_params(labelsize=9)
    panels[0][0].set_ylabel("worst mean regret (dotted: proved)", fontsize=10)
    panels[1][0].set_ylabel("what privacy adds at worst", fontsize=10)
    figure.legend(loc="outside lower center", ncols=5, fontsize=10, frameon=False)
    figure.suptitle(
        f"Full information, ε = 1: worst regret, and what privacy adds; {plan.trials} trials, 95 % bars", fontsize=12
    )
    figure.savefig(plan.folder / "agarwal-singh-table-1.png", dpi=130)
    pyplot.close(figure)
