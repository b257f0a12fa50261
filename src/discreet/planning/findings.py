"""What a plan found: a value with text, JSON and a picture."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.algorithms import Instance, algorithm
from discreet.drawing import plotter
from discreet.guarantee import Guarantee, Json
from discreet.planning import words
from discreet.planning.least import Least
from discreet.planning.measures import Row
from discreet.planning.question import Question
from discreet.planning.sweeps import Player
from discreet.simulation.results import provenance

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What was found for outcomes of one kind: those that do not change, or those that drift."""

    drifting: bool
    trials: int
    reference: Player  # the best without privacy
    ordinary: Row  # what that one did
    private: tuple[Row, ...]  # the recommended algorithm, from the least to the largest epsilon
    proved: tuple[
        Row, ...
    ]  # the same of the best algorithm with a proved bound, if that is another one

    def to_json(self) -> Json:
        """Return it by names."""
        return {
            "outcomes": words.kind(self),
            "trials": self.trials,
            "without_privacy": self.ordinary.to_json(),
            "private": [row.to_json() for row in self.private],
            "with_proved_bound": [row.to_json() for row in self.proved],
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The answer to a :class:`Question`. ``print(plan)`` tells it in words.

    ``recommended`` is the algorithm with the least cost in trials that served for nothing else,
    ``epsilon`` the least of the asked ones that keeps the wanted share of the gain, or the largest
    one if none does.
    """

    question: Question
    recommended: str
    proved: str | None  # the best candidate with a proved bound on regret, if there is one
    choosing: Mapping[
        str, Mapping[str, float]
    ]  # mean cost a round while choosing, by algorithm and label of player
    choosing_trials: int
    scenes: tuple[Scene, ...]
    least_epsilon: Least
    least_rounds: Least
    seconds: float

    @property
    def has_bound(self) -> bool:
        """Whether the regret of the recommended algorithm is bounded by a proof."""
        return self.instance(self.epsilon).regret_bound is not None

    @property
    def unchanging(self) -> Scene:
        """What was found for outcomes that do not change."""
        return self.scenes[0]

    @property
    def enough(self) -> bool:
        """Whether one of the asked epsilons keeps the wanted share of the gain."""
        return any(_keeps(row, self.question.share) for row in self.unchanging.private)

    @property
    def epsilon(self) -> float:
        """The least of the asked epsilons that keeps the wanted share, or the largest if none does."""
        kept = [
            row.player.epsilon
            for row in self.unchanging.private
            if _keeps(row, self.question.share)
        ]
        return min(kept) if kept else max(self.question.epsilons)

    def instance(self, epsilon: float) -> Instance:
        """Return the recommended algorithm at an epsilon."""
        return algorithm(self.recommended).build(self.question.setting(epsilon))

    def guarantee(self, epsilon: float, *, user: bool = False) -> Guarantee:
        """Return what holds for one round, or for a user with as many rounds as were asked for."""
        found = self.instance(epsilon).guarantee
        return found.for_user(rounds=self.question.rounds_per_user) if user else found

    @property
    def ethics(self) -> str:
        """One paragraph for an ethics board, at the recommended epsilon."""
        return words.ethics(self)

    def __str__(self) -> str:
        return words.text(self)

    def __repr__(self) -> str:
        size = f"{self.question.problem.sizes}, {self.question.rounds:,} rounds"
        return f"Plan({self.recommended} at epsilon {self.epsilon:g}: {size})"

    def figures(self) -> Json:
        """Return all numbers that were simulated: the same question gives the same ones again."""
        return {
            "recommended": self.recommended,
            "choosing": {
                "trials": self.choosing_trials,
                "cost": {k: dict(v) for k, v in self.choosing.items()},
            },
            "guessing": {"cost": self.question.guessing_cost, "best_arm": 1.0 / self.question.arms},
            "scenes": [scene.to_json() for scene in self.scenes],
            "least_epsilon": self.least_epsilon.to_json(),
            "least_rounds": {
                "epsilon": self.question.epsilon_for_rounds,
                **self.least_rounds.to_json(),
            },
        }

    def to_json(self) -> Json:
        """Return everything, with what is needed to simulate it again."""
        return {
            **provenance(),
            "seconds": round(self.seconds, 1),
            "question": self.question.to_json(),
            "summary": words.headline(self),
            "model": words.model(self.question),
            "recommendation": {
                "algorithm": self.recommended,
                "epsilon": self.epsilon,
                "keeps_wanted_share": self.enough,
                "regret_bound_is_proved": self.has_bound,
                "why": words.why(self),
                "with_proved_bound": self.proved,
            },
            "verdicts": [
                {
                    "epsilon": row.player.epsilon,
                    "outcomes": words.kind(scene),
                    "verdict": words.verdict(row),
                }
                for scene in self.scenes
                for row in scene.private
            ],
            "guarantees": [
                {
                    "epsilon": epsilon,
                    "one_round": self.guarantee(epsilon).as_dict(),
                    "one_user": self.guarantee(epsilon, user=True).as_dict(),
                }
                for epsilon in self.question.epsilons
            ],
            "ethics": self.ethics,
            "figures": self.figures(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the cost a round over epsilon into given axes or new ones; return them."""
        return plotter().draw(self, ax)

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``plan.json``, ``plan.txt`` and ``plan.png`` into a folder, made if need be; return their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        facts, told, picture = (folder / f"plan.{kind}" for kind in ("json", "txt", "png"))
        facts.write_text(
            json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        told.write_text(f"{self}\n", encoding="utf-8")
        plotter().write(self, picture)
        return [facts, told, picture]


def _keeps(row: Row, share: float) -> bool:
    return row.share_of_gain is not None and row.share_of_gain.value >= share
