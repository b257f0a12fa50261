"""A plan as a value, with text, JSON and a plot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.algorithms import Instance, algorithm
from discreet.display import Display, ShownTable
from discreet.drawing import plotter
from discreet.guarantee import Guarantee, Json
from discreet.planning import remarks, words
from discreet.planning.measures import Performance, Threshold, as_json
from discreet.planning.precision import Precision
from discreet.planning.program import program
from discreet.planning.question import Question
from discreet.planning.sweeps import Variant
from discreet.simulation.results import provenance
from discreet.simulation.statistics import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True)
class Scene:
    """The findings for one kind of outcomes: unchanging or drifting."""

    drifting: bool
    trials: int
    reference: Variant  # the best algorithm without privacy
    ordinary: Performance  # its performance
    private: tuple[Performance, ...]  # the recommended algorithm, by increasing epsilon
    proved: tuple[Performance, ...]  # the best with a proved bound, if that is another one

    def to_json(self) -> Json:
        """Return all fields by name."""
        return {
            "outcomes": words.kind(self),
            "trials": self.trials,
            "without_privacy": self.ordinary.to_json(),
            "private": [row.to_json() for row in self.private],
            "with_proved_bound": [row.to_json() for row in self.proved],
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The answer to a :class:`Question`. ``print(plan)`` shows it in words.

    ``recommended`` is the algorithm with the smallest cost in simulations that serve only to choose
    it. ``epsilon`` is the smallest given epsilon that keeps the wanted share of the gain, or the
    largest if none does.
    """

    question: Question
    recommended: str
    proved: str | None  # the best candidate with a proved bound on regret, if there is one
    # mean cost per round in the simulations for choosing, by kind of outcomes and variant
    choosing: Mapping[str, Mapping[Variant, float]]
    choosing_trials: int
    scenes: tuple[Scene, ...]
    least_epsilon: Threshold
    least_rounds: Threshold
    # by epsilon: how often equal allocation with one release identifies the best arm
    naming: Mapping[float, Interval]
    seconds: float
    # by epsilon: how precisely the difference between the two best arms will be known
    precision: Mapping[float, Precision] = field(default_factory=dict)

    @property
    def has_bound(self) -> bool:
        """Whether the recommended algorithm has a proved regret bound that covers this study."""
        late = self.question.arrivals is not None
        return not late and self.instance(self.epsilon).regret_bound is not None

    @property
    def unchanging(self) -> Scene:
        """The findings for outcomes that do not change."""
        return self.scenes[0]

    @property
    def enough(self) -> bool:
        """Whether one of the given epsilons keeps the wanted share of the gain."""
        return any(_keeps(row, self.question.share) for row in self.unchanging.private)

    @property
    def epsilon(self) -> float:
        """The smallest given epsilon that keeps the wanted share, or the largest if none does."""
        kept = [
            row.variant.epsilon
            for row in self.unchanging.private
            if _keeps(row, self.question.share)
        ]
        return min(kept) if kept else max(self.question.epsilons)

    def instance(self, epsilon: float) -> Instance:
        """Return the recommended algorithm at an epsilon."""
        return algorithm(self.recommended).build(self.question.setting(epsilon))

    def guarantee(self, epsilon: float, *, user: bool = False) -> Guarantee:
        """Return the guarantee for one round, or for a user with ``rounds_per_user`` rounds."""
        found = self.instance(epsilon).guarantee
        return found.for_user(rounds=self.question.rounds_per_user) if user else found

    @property
    def ethics(self) -> str:
        """One paragraph for an ethics board, at the recommended epsilon."""
        return words.ethics(self)

    def __str__(self) -> str:
        return words.text(self)

    def _repr_html_(self) -> str:
        rows = [
            [f"{row.variant.epsilon:g}", words.kind(scene), words.verdict(row)]
            for scene in self.scenes
            for row in scene.private
        ]
        table = ShownTable(["epsilon", "outcomes", "result"], rows, right=(0,))
        use = f"Use {self.recommended} with epsilon {self.epsilon:g}: {words.why(self)}"
        return Display((words.headline(self), use, table, self.ethics))._repr_html_()

    def __repr__(self) -> str:
        size = f"{self.question.problem.sizes}, {self.question.rounds:,} rounds"
        return f"Plan({self.recommended} at epsilon {self.epsilon:g}: {size})"

    def figures(self) -> Json:
        """Return all simulated numbers; the same question gives the same numbers."""
        return {
            "recommended": self.recommended,
            "choosing": {
                "trials": self.choosing_trials,
                "cost": {
                    kind: {variant.label: cost for variant, cost in costs.items()}
                    for kind, costs in self.choosing.items()
                },
            },
            "guessing": {"cost": self.question.guessing_cost, "best_arm": 1.0 / self.question.arms},
            "scenes": [scene.to_json() for scene in self.scenes],
            "least_epsilon": self.least_epsilon.to_json(),
            "least_rounds": {
                "epsilon": self.question.epsilon_for_rounds,
                **self.least_rounds.to_json(),
            },
            "named_by_equal_allocation": [
                {"epsilon": epsilon, "share": as_json(share)}
                for epsilon, share in self.naming.items()
            ],
            "precision": [each.to_json() for each in self.precision.values()],
        }

    def to_json(self) -> Json:
        """Return everything, including what is needed to repeat the simulation."""
        return {
            **provenance(),
            "seconds": round(self.seconds, 1),
            "question": self.question.to_json(),
            "summary": words.headline(self),
            "model": words.model(self.question) + remarks.late_words(self),
            "recommendation": {
                "algorithm": self.recommended,
                "epsilon": self.epsilon,
                "keeps_wanted_share": self.enough,
                "regret_bound_is_proved": self.has_bound,
                "why": words.why(self),
                "with_proved_bound": self.proved,
                "is_predictable": self.instance(self.epsilon).private.learner.predictable,
                "program": program(self),
            },
            "verdicts": [
                {
                    "epsilon": row.variant.epsilon,
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
        """Plot the cost per round over epsilon on the given axes or new ones; return the axes."""
        return plotter().draw(self, ax)

    def save(self, folder: Path | str) -> list[Path]:
        """Write ``plan.json``, ``plan.txt`` and ``plan.png`` into a folder; return their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        facts, told, picture = (folder / f"plan.{kind}" for kind in ("json", "txt", "png"))
        facts.write_text(
            json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        told.write_text(f"{self}\n", encoding="utf-8")
        plotter().write(self, picture)
        return [facts, told, picture]


def _keeps(row: Performance, share: float) -> bool:
    return row.share_of_gain is not None and row.share_of_gain.value >= share
