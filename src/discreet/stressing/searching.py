"""Search for the losses with the most regret, and compare it with the proved bound."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.algorithms import Setting, algorithm
from discreet.algorithms.registry import Instance
from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.guarantee_facts import FactsInHtml
from discreet.options import Values
from discreet.problems import Arms, Problem
from discreet.progress import ShowProgress
from discreet.simulation import mean_interval, simulate
from discreet.stressing.games import StressGame, known_games, random_game

FEW = 16  # trials of a game during the search
BEST = 12  # the worst games, which are varied during the search and measured again at the end
CAUTION = 1.0  # standard errors to subtract: otherwise a lucky game would win, not the worst one


@dataclass(frozen=True)
class Stress(FactsInHtml):
    """The largest regret found in a game fixed in advance, and the proved bound."""

    algorithm: str
    arms: int
    rounds: int
    epsilon: float
    delta: float
    bound: float | None  # on the expected regret for any losses fixed in advance
    bound_source: str
    regret: float  # mean over fresh trials of the worst game
    low: float  # of a 95 % interval of that mean
    high: float
    game: str  # the worst one, in words
    tried: int
    trials: int
    losses: Floats  # of the worst game

    @property
    def ratio(self) -> float | None:
        """The bound divided by the regret that was found."""
        return None if self.bound is None or self.regret <= 0.0 else self.bound / self.regret

    def as_dict(self) -> dict[str, object]:
        """Return everything but the losses, for JSON."""
        facts = {key: value for key, value in vars(self).items() if key != "losses"}
        return facts | {"ratio": self.ratio}

    def __str__(self) -> str:
        proved = "no bound is proved"
        if self.bound is not None:
            share = "" if self.ratio is None else f", {self.ratio:.2f} times that"
            proved = f"proved: at most {self.bound:,.0f}{share}"
        return (
            f"{self.algorithm}: regret {self.regret:,.0f} ({self.low:,.0f} to {self.high:,.0f}) in "
            f"the worst of {self.tried} games; {proved}"
        )


def stress(
    name: str,
    *,
    arms: int = 4,
    rounds: int = 65_536,
    epsilon: float = 1.0,
    delta: float = 0.0,
    tries: int = 200,
    trials: int = 96,
    seed: int = 1,
    options: Values | None = None,
    progress: ShowProgress | None = None,
) -> Stress:
    """Search for losses, fixed in advance, on which an algorithm for arms has the most regret.

    The search tries games that are hard for many algorithms, then random ones, then varies the
    worst in ever smaller steps. The regret of the worst is measured again on fresh seeds, since the
    largest of many noisy means is too large. It estimates a lower bound on the worst case and
    proves nothing.

    >>> found = stress("one-bit-tsallis-inf", arms=2, rounds=512, tries=12, trials=24)
    >>> found.regret <= found.bound
    True
    """
    known = algorithm(name)
    if not isinstance(known.problem, Arms):
        raise DiscreetError(
            f"algorithm {name} is for {known.problem}; stress supports only algorithms for arms."
        )
    check_int("tries", tries, minimum=1, maximum=1_000_000)
    check_int("trials", trials, minimum=2, maximum=1_000_000)
    setting = known.setting(arms=arms, rounds=rounds, epsilon=epsilon, delta=delta)
    built = known.build(setting, **(options or {}))
    search = _Search(name, setting, dict(options or {}), seed)
    games = known_games(rounds, arms)[: max(1, 2 * tries // 3)]
    for number in range(tries):
        if number < len(games):
            game = games[number]
        elif number < len(games) + (tries - len(games)) // 3:
            game = random_game(search.rng, rounds, arms)
        else:
            # the remaining tries, in steps that shrink towards 0.01
            done = (number + 1) / tries
            game = search.one_of_the_worst().nearby(search.rng, 0.2 * 0.05**done)
        search.attempt(game, number)
        if progress is not None:
            progress(number + 1, tries)
    return search.worst_again(built, trials, tries)


class _Search:
    """The games tried so far, and the regret in each."""

    def __init__(
        self, name: str, setting: Setting[Problem], options: dict[str, object], seed: int
    ) -> None:
        self.rng = np.random.default_rng([seed, 0])
        self._name, self._setting, self._options, self._seed = name, setting, options, seed
        self._found: list[tuple[float, int, StressGame]] = []

    def attempt(self, game: StressGame, number: int) -> None:
        """Play a game a few times."""
        regret = self._play(self._losses(game, number), FEW, self._seed)
        sure = float(regret.mean() - CAUTION * regret.std(ddof=1) / math.sqrt(FEW))
        self._found.append((sure, number, game))
        self._found.sort(key=lambda each: -each[0])

    def one_of_the_worst(self) -> StressGame:
        """Return one of the games with the most regret so far."""
        place = int(self.rng.integers(min(BEST, len(self._found))))
        return self._found[place][2]

    def worst_again(self, built: Instance, trials: int, tries: int) -> Stress:
        """Choose the worst of a few finalists again, and measure it on fresh seeds."""
        finalists = self._found[:BEST]
        again = [
            float(self._play(self._losses(game, number), trials, self._seed + 1).mean())
            for _, number, game in finalists
        ]
        _, number, game = finalists[int(np.argmax(again))]
        losses = self._losses(game, number)
        regret = mean_interval(self._play(losses, trials, self._seed + 2))
        setting, problem = self._setting, self._setting.problem
        assert isinstance(problem, Arms), "checked before"
        return Stress(
            algorithm=self._name,
            arms=problem.arms,
            rounds=setting.rounds,
            epsilon=setting.epsilon,
            delta=setting.delta,
            bound=built.regret_bound,
            bound_source=built.bound_source,
            regret=regret.value,
            low=regret.low,
            high=regret.high,
            game=game.words(),
            tried=tries,
            trials=trials,
            losses=losses,
        )

    def _losses(self, game: StressGame, number: int) -> Floats:
        problem = self._setting.problem
        assert isinstance(problem, Arms), "checked before"
        rng = np.random.default_rng([self._seed, 1, number])  # the same table every time
        return game.losses(self._setting.rounds, problem.arms, rng)

    def _play(self, losses: Floats, trials: int, seed: int) -> Floats:
        setting = self._setting
        results = simulate(
            self._name,
            losses=losses,
            trials=trials,
            epsilon=setting.epsilon,
            delta=setting.delta,
            seed=seed,
            options=self._options,
        )
        regret: Floats = results.regret[0, :, -1]
        return regret
