"""The acceptance table: private and non-private regret, lower bounds and proved bounds.

python benchmarks/least_regret.py [--trials N] [--jobs N] [--seed N] [--write docs/least-regret.md]

Plays the default algorithms in games on arms, with advice, on points and with contexts, next to
algorithms without privacy and to uniform play, all on the same losses.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import context_bounds
import numpy as np

from discreet import Setting, algorithm
from discreet.algorithms.arms.choosing import BOUNDED, chosen
from discreet.algorithms.arms.lower_bounds import any_private
from discreet.environments import environment
from discreet.problems import Advice, Arms, Contexts, Points, Problem
from discreet.ranges import make_range
from discreet.simulation.trial import run_trial

SEED = 16_180_339  # used for nothing before the constants were final
DELTA = 1e-6  # where noise is Gaussian
EPSILONS = (1.0, 0.3, 0.1)
HEAD = """# Least regret: what users get by default

For each problem the table compares the default private algorithm, its counterpart without privacy,
uniform play, the lower bound (if one is proved for the game) and the proved upper bound. Regrets
are means of {trials} trials with standard errors, on seeds that were not used for tuning. All
algorithms of a row meet the same losses, which are in [0, 1]. Negative regret means less loss than
the best fixed choice.

* *Arms*: `Bandit()`, 4 arms. `bounded` chooses `guarded-ucb` wherever its bound is not vacuous, and
  otherwise the algorithm with the smallest bound ([default.md](default.md)).
* *drop and drop-alternate*: two arms. In one game the second arm is worse by 1/2, in the other it
  is better by 1/2 from the start. The regret is the larger of the two means. For every ε-private
  algorithm, it is at least the lower bound ([regret.md](regret.md): Lower bounds).
* *Advice*: `Advisor()`, 8 experts on 4 arms. Without privacy: `exp4`.
* *Points*: `Experts()` with 10 experts, and the unit ball in 10 dimensions; δ = 1e-6.
* *Contexts*: `ContextualBandit()` (a trusted server, δ = 1e-6) and `Device()` (nobody is trusted),
  10 arms with 10 features. Their constants were chosen by measurement; the second table has bounds
  for the constants of the analysis.

A dash means that no bound is proved. *Vacuous* means that the bound is not below the maximum regret
of uniform play. Bounds for arms, advice and points hold for all losses fixed in advance, so the
regret in a particular game is usually far below.

`python benchmarks/least_regret.py --write docs/least-regret.md --trials {trials}` writes this page.

"""
COLUMNS = (
    "game",
    "rounds",
    "ε",
    "algorithm",
    "regret",
    "without privacy",
    "uniform play",
    "lower bound",
    "proved bound",
)


class Game(NamedTuple):
    """A game, or several games of which the worst counts, with the algorithms that play it."""

    title: str
    problem: Problem
    environments: tuple[tuple[str, tuple[tuple[str, object], ...]], ...]
    private: str  # or the name of a choice
    plain: str
    uniform: str | None  # None: its regret is not measured
    rounds: tuple[int, ...]
    delta: float = 0.0
    has_lower_bound: bool = False
    options: tuple[tuple[str, object], ...] = ()  # of the private algorithm


def arms(name: str, rounds: tuple[int, ...]) -> Game:
    return Game(name, Arms(4), ((name, ()),), BOUNDED, "tsallis-inf", "uniform", rounds)


LENGTHS = (2**14, 2**18, 2**20)
MIDDLE = (2**14, 2**18)
GAMES = (
    *(
        arms(name, LENGTHS)
        for name in ("stochastic", "deterministic", "late-change", "drifting", "switching")
    ),
    Game(
        "drop and drop-alternate",
        Arms(2),
        (("drop", ()), ("drop-alternate", (("switch", 0),))),
        BOUNDED,
        "tsallis-inf",
        "uniform",
        LENGTHS,
        has_lower_bound=True,
    ),
    *(
        Game(
            name,
            Advice(4, 8),
            ((name, ()),),
            "expert-arms",
            "exp4",
            None,
            MIDDLE,
            options=(("base", BOUNDED),),
        )
        for name in ("advice-random", "advice-contextual", "advice-adversarial")
    ),
    *(
        Game(
            f"{name}, {kind}",
            Points(kind, 10),
            ((name, ()),),
            f"private-ftrl-{kind}",
            f"ftrl-{kind}",
            None,
            MIDDLE,
            DELTA,
        )
        for kind in ("experts", "ball")
        for name in ("linear-stochastic", "linear-drifting")
    ),
    *(
        Game(
            f"{name}, {where}",
            Contexts(10, 10),
            ((name, ()),),
            private,
            "linucb",
            "uniform-contexts",
            (10_000, 100_000),
            delta,
        )
        for name in ("contexts-gaussian", "contexts-fixed")
        for private, where, delta in (
            ("joint-linucb", "trusted server", DELTA),
            ("local-greedy", "devices", 0.0),
        )
    ),
)


class Work(NamedTuple):
    """One game of one length at all epsilons, which meet the same losses."""

    game: Game
    rounds: int
    epsilons: tuple[float, ...]
    trials: int
    seed: int


def rows(work: Work) -> list[tuple[str, ...]]:
    """Return a row of the table for every epsilon."""
    game, bounds = work.game, make_range()
    settings = [
        Setting(game.problem, rounds=work.rounds, epsilon=epsilon, delta=game.delta, bounds=bounds)
        for epsilon in work.epsilons
    ]
    names = [
        chosen(game.private, each) if isinstance(game.problem, Arms) else game.private
        for each in settings
    ]
    built = [
        algorithm(name).build(each, **dict(game.options))
        for name, each in zip(names, settings, strict=True)
    ]
    others = [game.plain] if game.uniform is None else [game.plain, game.uniform]
    players = [each.private for each in built]
    players += [algorithm(name).build(settings[0]).private for name in others]
    found = [play(work, place, players) for place in game.environments]
    worst = [max((each[:, k] for each in found), key=np.mean) for k in range(len(players))]
    plain = shown(worst[len(built)])
    uniform = "" if game.uniform is None else shown(worst[-1])
    return [
        (
            game.title,
            f"{work.rounds:,}",
            f"{each.epsilon:g}",
            described(name, built[k].parameters),
            shown(worst[k]),
            plain,
            uniform,
            lower_bound(game, each),
            proved_bound(built[k].regret_bound, each),
        )
        for k, (name, each) in enumerate(zip(names, settings, strict=True))
    ]


def play(
    work: Work, place: tuple[str, tuple[tuple[str, object], ...]], players: list
) -> np.ndarray:
    """Return the regret of every player in every trial."""
    name, options = place
    world = environment(name, work.game.problem, rounds=work.rounds, **dict(options))
    how = {"seed": work.seed, "bounds": make_range(), "clip": False, "stop": threading.Event()}
    marks = np.array([work.rounds])
    return np.array(
        [
            run_trial(players, world, marks, trial=trial, **how).regret[:, -1]
            for trial in range(work.trials)
        ]
    )


def described(name: str, parameters: Mapping[str, object]) -> str:
    """Return the name of an algorithm, and of its base, if it has one."""
    return f"`{name}` on `{parameters['base']}`" if "base" in parameters else f"`{name}`"


def shown(regrets: np.ndarray) -> str:
    """Return a mean with its standard error."""
    return f"{regrets.mean():,.0f} ± {regrets.std() / np.sqrt(regrets.size):,.0f}"


def lower_bound(game: Game, setting: Setting) -> str:
    if not game.has_lower_bound:
        return "–"
    return f"{any_private(setting.rounds, setting.epsilon):,.1f}"


def proved_bound(bound: float | None, setting: Setting) -> str:
    """Return the bound, and whether it is vacuous: not below the maximum regret of uniform play."""
    if bound is None:
        return "–"
    most = setting.rounds * setting.problem.blind_regret(setting.bounds)
    return f"{bound:,.0f}" if bound < most else f"{bound:,.0f}, vacuous"


def works(
    trials: int, seed: int, games: Iterable[Game] = GAMES, epsilons: tuple[float, ...] = EPSILONS
) -> list[Work]:
    """Return what is to be played, in the order of the table."""
    return [Work(game, rounds, epsilons, trials, seed) for game in games for rounds in game.rounds]


def measured(all_works: list[Work], jobs: int) -> Iterator[list[tuple[str, ...]]]:
    """Yield the rows of every game, in order."""
    if jobs == 1:
        yield from map(rows, all_works)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(rows, all_works)


def lines(found: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield the lines of the table."""
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" * len(COLUMNS) + "|"
    for row in found:
        yield "| " + " | ".join(row) + " |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=96)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write", type=Path, help="the document to write")
    asked = parser.parse_args()
    plan, found = works(asked.trials, asked.seed), []
    for done, part in enumerate(measured(plan, asked.jobs), start=1):
        found += part
        print(f"{done} of {len(plan)}: {part[0][0]}, {part[0][1]} rounds", file=sys.stderr)
    text = "\n".join(lines(found)) + "\n"
    text += "\n" + context_bounds.HEAD + "\n".join(context_bounds.lines()) + "\n"
    if asked.write is not None:
        asked.write.write_text(HEAD.format(trials=asked.trials) + text, encoding="utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
