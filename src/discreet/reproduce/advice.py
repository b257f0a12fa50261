"""Faster rates 2025, Table 1, rows with expert advice: how regret grows, and which of three algorithms is best where."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from discreet.plot.regret import COLOURS, MARKERS, plotting
from discreet.reproduce.advice_games import (
    ALGORITHMS,
    ARMS,
    BATCHED,
    DELTA,
    LEARNS,
    LOCAL,
    LONG,
    NOBODY,
    OPEN,
    RANDOM,
    SWITCHING,
    TIGHT,
    Cell,
    Verdict,
    play,
    verdicts,
)
from discreet.reproduce.rates import slope
from discreet.reproduce.registry import Plan, register, write_table

NAME = "faster-rates-table-1-experts"
EXPERTS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
EPSILONS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
SIZE, EPSILON = 16, 1.0  # where the others vary; both are in the lists above
TITLES = {
    "measured": "measured, our tuning",
    "our_bounds": "our proved bounds",
    "measured_paper": "measured, paper's tuning",
    "theorems": "the paper's theorems",
    "table_1": "Table 1, no constants",
}


@register(
    name=NAME,
    title="Faster rates 2025, Table 1, expert advice: fitted exponents, and who is best over N and epsilon",
    trials=8,
    rounds=2**20,
)
def table(plan: Plan) -> str:
    """Measure regret over T at N = 16 and epsilon 1, and over N and epsilon at an eighth of the longest game.

    The map is measured in ``advice-random``: one expert is good and all others guess, so that blind play loses the same
    for every N, and more experts are harder. In ``advice-adversarial`` a fourth of all experts is good at any time, and
    N would hardly matter; regret over T is measured in both.
    """
    over_rounds = {
        world: [cell for rounds in lengths(plan.rounds) for cell in play(plan, SIZE, rounds, [EPSILON], world)]
        for world in (RANDOM, SWITCHING)
    }
    length = plan.rounds // 8
    sizes = [experts for experts in EXPERTS if experts <= max(SIZE, length // 256)]  # short games cannot tell more apart
    grid = [cell for experts in sizes for cell in play(plan, experts, length, EPSILONS)]
    played = [*over_rounds[RANDOM], *over_rounds[SWITCHING], *grid]
    write_table(plan.folder / f"{NAME}.csv", [_row(cell) for cell in played])
    sweeps = {
        "T": over_rounds[RANDOM],
        "T, switching": over_rounds[SWITCHING],
        "1/epsilon": [cell for cell in grid if cell.experts == SIZE and cell.calibration],
        "N": [cell for cell in grid if cell.epsilon in (EPSILON, math.inf)],
    }
    fits = [_fit(sweeps[axis], axis, name) for name in ALGORITHMS for axis in sweeps]
    write_table(plan.folder / f"{NAME}-exponents.csv", fits)
    maps = {
        (experts, epsilon): verdicts([cell for cell in grid if (cell.experts, cell.epsilon) == (experts, epsilon)])
        for experts in sizes
        for epsilon in EPSILONS
    }
    write_table(plan.folder / f"{NAME}-map.csv", [_map_row(where, found) for where, found in maps.items()])
    _draw_growth(plan, sweeps, length)
    _draw_maps(plan, maps, length)
    return "\n".join([*_fit_text(fits, played, length), "", *_map_text(maps, grid, length)])


def lengths(rounds: int) -> list[int]:
    """Return the lengths of games, each 4 times the one before; at least two."""
    return sorted(rounds // 4**k for k in range(5) if k < 2 or rounds // 4**k >= 2**8)


def along(cell: Cell, axis: str) -> float:
    """Return where a cell lies in a sweep."""
    return {"T": cell.rounds, "T, switching": cell.rounds, "1/epsilon": 1.0 / cell.epsilon, "N": cell.experts}[axis]


def _fit(cells: Sequence[Cell], axis: str, name: str) -> dict[str, Any]:
    """Return exponents of the measured regret, of our bound and of Table 1, all over the same points."""
    mine = [cell for cell in cells if cell.algorithm == name and cell.calibration == TIGHT]
    learnt = [cell for cell in mine if cell.share < 0.5 and cell.mean.low > 0.0]
    proved = [cell for cell in mine if cell.bound is not None and cell.bound < cell.rounds]

    def exponent(usable: Sequence[Cell], value: Callable[[Cell], float]) -> float:
        return slope([along(cell, axis) for cell in usable], [value(cell) for cell in usable])

    return {
        "algorithm": name,
        "over": axis,
        "points": len(mine),
        "exponent": exponent(mine, lambda cell: float(cell.regret.mean())),
        "table_1": exponent(mine, lambda cell: cell.rate),
        "points_learnt": len(learnt),
        "exponent_learnt": exponent(learnt, lambda cell: float(cell.regret.mean())),
        "table_1_learnt": exponent(learnt, lambda cell: cell.rate),
        "points_proved": len(proved),
        "our_bound": exponent(proved, lambda cell: cell.bound or math.nan),
    }


def _row(cell: Cell) -> dict[str, Any]:
    mean = cell.mean
    return {
        "algorithm": cell.algorithm,
        "calibration": cell.calibration,
        "environment": cell.world,
        "N": cell.experts,
        "K": ARMS,
        "T": cell.rounds,
        "epsilon": cell.epsilon,
        "delta": DELTA if cell.calibration else 0.0,
        "batch_size": cell.batch_size,
        "same_as": cell.same_as,
        "regret_mean": mean.value,
        "regret_low": mean.low,
        "regret_high": mean.high,
        "share_of_blind_play": cell.share,
        "regret_bound": cell.bound,
        "vacuous": cell.bound is None or cell.bound >= cell.rounds,
        "table_1": cell.rate if cell.calibration else math.nan,
    }


def _map_row(where: tuple[int, float], found: Mapping[str, Verdict]) -> dict[str, Any]:
    row: dict[str, Any] = {"N": where[0], "epsilon": where[1]}
    for name, verdict in found.items():
        row |= {name: verdict.best, f"{name}_share": verdict.value}
        if name.startswith("measured"):
            row[f"{name}_certain"] = verdict.certain
    return row


def _fit_text(fits: Sequence[Mapping[str, Any]], cells: Sequence[Cell], length: int) -> list[str]:
    bounded = [cell for cell in cells if cell.bound is not None and cell.bound < cell.rounds]
    above = sum(cell.mean.value > (cell.bound or math.nan) for cell in bounded)
    lines = [
        f"Private algorithms with expert advice, {ARMS} arms, δ = {DELTA:g}: one good expert among N, or (over T)",
        f"experts that switch. Exponents of regret over T (N = {SIZE}, ε = {EPSILON:g}), and at T = {length:,} over 1/ε",
        f"(N = {SIZE}) and over N (ε = {EPSILON:g}): measured where regret is surely above 0 and below half of uniform",
        "play's, beyond which it cannot grow much more; of Table 1 over the same points, without constants and",
        "logarithms but ln N; measured over all points; and of our proved bound, where it is not vacuous:",
        f"  {'':<20}{'over':<14}{'points':>6}  {'measured':>8}  {'Table 1':>7}     {'all':>5}  {'our bound':>9}",
    ]
    lines += [
        f"  {fit['algorithm']:<20}{fit['over']:<14}{fit['points_learnt']:>3}/{fit['points']:<2}  "
        f"{_number(fit['exponent_learnt']):>8}  {_number(fit['table_1_learnt']):>7}     "
        f"{_number(fit['exponent']):>5}  {_number(fit['our_bound']):>9}"
        for fit in fits
    ]
    lines += [
        f"{above} of {len(bounded)} mean regrets are above their bound. Exponents need not agree: bounds are for the",
        "worst losses, and these games are easier, most of all for experts as arms (batched-htinf).",
    ]
    return lines


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def _map_text(maps: Mapping[tuple[int, float], Mapping[str, Verdict]], grid: Sequence[Cell], length: int) -> list[str]:
    def count(which: str, best: str) -> int:
        return sum(found[which].best == best for found in maps.values())

    lines = [
        f"Who is best, counted over {len(maps)} pairs of N and ε at T = {length:,}; nobody: all regret is above "
        f"{LEARNS:.0%} of uniform play's,",
        "or all bounds are vacuous (at least T, or none is proved):",
        f"  {'':<26}" + "".join(f"{name:>20}" for name in (*ALGORITHMS, "nobody")),
    ]
    for which, title in TITLES.items():
        lines.append(f"  {title:<26}" + "".join(f"{count(which, name):>20}" for name in (*ALGORITHMS, NOBODY)))
    tuned = [cell for cell in grid if (cell.algorithm, cell.calibration) == (BATCHED, TIGHT)]
    copies = sum(cell.same_as == LOCAL for cell in tuned)
    doubtful = sum(found["measured"].best != NOBODY and not found["measured"].certain for found in maps.values())
    decided = [found for found in maps.values() if found["measured"].best != NOBODY]
    agree = {key: sum(_same(found, key) for found in decided) for key in ("our_bounds", "table_1")}
    lines += [
        f"In {copies} of {len(tuned)} pairs our bound gives batched-exp4 batches of one round: it is local-exp4",
        "then, with the same noise, and counted there. batched-exp4, long, has batches of (N T)^(1/3) / ε^(2/3).",
        f"Of {len(decided)} pairs with a winner, our bounds name it in {agree['our_bounds']} and Table 1 in "
        f"{agree['table_1']}; in {doubtful} the lead may be chance (95 %).",
    ]
    return lines


def _same(found: Mapping[str, Verdict], which: str) -> bool:
    """Return whether bounds name the algorithm that was best, with batches of whatever length."""
    one, other = (BATCHED if verdict.best == LONG else verdict.best for verdict in (found["measured"], found[which]))
    return one == other


def _draw_growth(plan: Plan, sweeps: Mapping[str, Sequence[Cell]], length: int) -> None:
    pyplot = plotting()
    figure, panels = pyplot.subplots(2, 2, figsize=(9.6, 7.2), layout="constrained")
    titles = {
        "T": f"over T: N = {SIZE}, ε = {EPSILON:g}",
        "T, switching": f"over T, experts that switch: N = {SIZE}, ε = {EPSILON:g}",
        "1/epsilon": f"over ε: N = {SIZE}, T = {length:,}",
        "N": f"over N: ε = {EPSILON:g}, T = {length:,}",
    }
    for axes, (axis, cells) in zip(panels.ravel(), sweeps.items(), strict=True):
        first = axis == "T"
        for index, name in enumerate((*ALGORITHMS, OPEN)):
            mine = [
                cell for cell in cells if cell.algorithm == name and cell.calibration == ("" if name == OPEN else TIGHT)
            ]
            x = [along(cell, axis) for cell in mine]
            means = [cell.mean for cell in mine]
            bars = np.nan_to_num([[mean.value - mean.low for mean in means], [mean.high - mean.value for mean in means]])
            style = {"color": COLOURS[index], "marker": MARKERS[index], "markersize": 4, "linewidth": 1.3, "capsize": 2}
            style |= {"linestyle": ":"} if name == OPEN else {"linestyle": "--"} if name == BATCHED else {}
            label = {OPEN: "exp4, no privacy"}.get(name, name) if first else None
            axes.errorbar(x, [mean.value for mean in means], yerr=bars, label=label, **style)
        blind = sorted({along(cell, axis): float(cell.blind.mean()) for cell in cells if cell.calibration}.items())
        axes.plot(*zip(*blind, strict=True), color="grey", label="uniform play" if first else None)
        axes.set_title(titles[axis], fontsize=10)
        axes.set_xlabel({"1/epsilon": "1 / ε", "N": "experts N"}.get(axis, "rounds T"), fontsize=9)
        axes.set_xscale("log", base=10 if axis == "1/epsilon" else 2)
        axes.set_yscale("log")
        axes.grid(alpha=0.3)
        axes.tick_params(labelsize=8)
    for row in panels:
        row[0].set_ylabel("mean regret against the best expert", fontsize=9)
    figure.legend(loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    figure.suptitle(f"Private algorithms with expert advice, our tuning, {plan.trials} trials, 95 % bars", fontsize=11)
    figure.savefig(plan.folder / f"{NAME}.png", dpi=130)
    pyplot.close(figure)


def _draw_maps(plan: Plan, maps: Mapping[tuple[int, float], Mapping[str, Verdict]], length: int) -> None:
    pyplot = plotting()
    from matplotlib.patches import Patch, Rectangle

    colours = {**dict(zip(ALGORITHMS, COLOURS, strict=False)), NOBODY: "#DDDDDD"}
    figure, panels = pyplot.subplots(2, 3, figsize=(13.0, 8.2), layout="constrained")
    sizes = sorted({experts for experts, _ in maps})
    notes = {
        "measured": "per cent of uniform play's regret",
        "our_bounds": "the least bound, per cent of T",
        "measured_paper": "per cent of uniform play's regret",
        "theorems": "the least bound, per cent of T",
        "table_1": "the least rate, per cent of T",
    }
    for axes, (which, title) in zip(panels.T.ravel(), TITLES.items(), strict=False):
        for (experts, epsilon), found in maps.items():
            verdict = found[which]
            corner = EPSILONS.index(epsilon), sizes.index(experts)
            box = Rectangle(corner, 1, 1, facecolor=colours[verdict.best], edgecolor="white", linewidth=1.0)
            axes.add_patch(box)
            vacuous = verdict.best == NOBODY and not which.startswith("measured")
            doubt = "" if verdict.certain or verdict.best == NOBODY else "?"
            shown = f"{100.0 * verdict.value:.{0 if verdict.value >= 0.01 else 1}f}{doubt}"
            text = "vac." if vacuous else shown
            dark = "black" if verdict.best == NOBODY else "white"
            axes.text(corner[0] + 0.5, corner[1] + 0.5, text, color=dark, fontsize=8, ha="center", va="center")
        axes.set_title(f"{title}\n({notes[which]})", fontsize=10)
        axes.set_xlim(0, len(EPSILONS))
        axes.set_ylim(0, len(sizes))
        axes.set_xticks(np.arange(len(EPSILONS)) + 0.5, [f"{epsilon:g}" for epsilon in EPSILONS], fontsize=8)
        axes.set_yticks(np.arange(len(sizes)) + 0.5, [str(experts) for experts in sizes], fontsize=8)
        axes.set_xlabel("ε", fontsize=9)
        axes.set_ylabel("experts N", fontsize=9)
    keys = {name: name for name in ALGORITHMS}
    keys |= {
        LOCAL: "local-exp4, or batched-exp4\nwith batches of one round",
        BATCHED: "batched-exp4, longer batches\n(size by the bound)",
    }
    keys |= {NOBODY: f"nobody: over {LEARNS:.0%} of uniform\nplay's regret, or vacuous"}
    handles = [Patch(facecolor=colours[name], label=label) for name, label in keys.items()]
    handles.append(Patch(facecolor="none", label="?: the lead may be chance (95 %)"))
    panels[1][2].axis("off")
    panels[1][2].legend(handles=handles, loc="center", fontsize=10, frameon=False, labelspacing=1.2)
    figure.suptitle(
        f"Who is best with N experts: {ARMS} arms, T = {length:,}, δ = {DELTA:g}, {plan.trials} trials", fontsize=12
    )
    figure.savefig(plan.folder / f"{NAME}-map.png", dpi=130)
    pyplot.close(figure)
