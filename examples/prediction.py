"""Define your own problem: predict a sensitive yes or no from public features.

Each round shows some public features, each 0 or 1, and you play a probability. The label, 0 or 1,
is private and comes back through a privacy channel. The comparator is the best single feature, used
as a prediction. Importing this file registers a problem, two algorithms and an environment; the
package itself is not edited.

Run it, or use it from the shell:

    export DISCREET_PLUGINS=examples/prediction.py
    discreet simulate private-prediction --features 8 --rounds 20000
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

import discreet
from discreet.algorithms import Instance, Setting, register_algorithm
from discreet.channels import Open, PerRound
from discreet.checks import check_environment, check_private
from discreet.contracts import Floats, Generator, Learner
from discreet.environments import environment, register_environment, uniforms
from discreet.mechanisms import Laplace
from discreet.problems import Environment, Game, Problem
from discreet.ranges import Range


@dataclass(frozen=True)
class Prediction(Problem):
    """Predict a label from features; the loss is the distance of the probability from the label."""

    title = "prediction of a label"
    feedback = "the label"
    default_environment = "noisy-labels"

    features: int = field(default=5, metadata={"help": "Number of features."})

    def __str__(self) -> str:
        return "predictions of a label"

    @property
    def sizes(self) -> str:
        return f"{self.features} features"

    @property
    def rival(self) -> str:
        return "the best feature"

    @property
    def rivals(self) -> str:
        return f"the best feature of {self.features}"

    @property
    def actions(self) -> int:
        return self.features

    def samples(self, game: PredictionGame) -> list[float]:
        return [0.0, 0.5, 1.0]

    def rival_losses(self, game: PredictionGame, losses: Floats) -> Floats:
        return np.abs(game.features[: len(losses)] - game.labels[: len(losses), None])

    def check(self, game, bounds, *, clip, before=0, row="round", column="label"):
        return game, 0  # nothing to check: the channel clamps labels to the declared range

    def probe(self, rounds: int, rng: Generator) -> PredictionGame:
        shown = (np.arange(rounds)[:, None] + np.arange(self.features)) % 2.0
        return PredictionGame(shown, rng.random(rounds))

    def neighbours(self, rounds: int, bounds: Range) -> tuple[PredictionGame, PredictionGame]:
        shown, middle = np.ones((rounds, self.features)), np.full(rounds, 0.5)
        one, other = middle.copy(), middle.copy()
        one[0], other[0] = bounds.low, bounds.high
        return PredictionGame(shown, one), PredictionGame(shown, other)


class PredictionGame(Game[float, float, Floats]):
    """Public features, and labels that only the channel may see."""

    features: Floats
    labels: Floats

    def observe(self, t: int) -> Floats:
        return self.features[t]

    def feedback(self, t: int, action: float) -> float:
        return self.labels[t]

    def loss(self, t: int, action: float) -> float:
        return abs(action - self.labels[t])

    def totals(self, starts: Sequence[int]) -> Floats:
        return np.add.reduceat(np.abs(self.features - self.labels[:, None]), starts, axis=0)

    def rescaled(self, shift: float, factor: float) -> PredictionGame:
        return self._replace(labels=shift + factor * self.labels)


class FeatureWeights(Learner[float, Floats, float]):
    """Exponential weights over features.

    For a feature x in {0, 1}, |x - y| = x + (1 - 2 x) y is linear in the label y. So an unbiased
    noisy label gives unbiased losses: log w(j) ← log w(j) - η (x(j) + (1 - 2 x(j)) y).
    """

    learning_rate: float
    logs: Floats
    shown: Floats  # the features of the last round: the trace

    @classmethod
    def start(cls, features: int, learning_rate: float) -> FeatureWeights:
        return cls(learning_rate, np.zeros(features), np.zeros(features))

    def act(self, observation: Floats, rng: Generator) -> tuple[float, Floats]:
        top = -math.inf
        for j in range(self.logs.size):
            top = max(top, self.logs[j])
        total, yes = 0.0, 0.0
        for j in range(self.logs.size):
            self.shown[j] = observation[j]
            weight = math.exp(self.logs[j] - top)
            total += weight
            yes += weight * observation[j]
        return yes / total, self.shown

    def learn(self, trace: Floats, released: float) -> None:
        for j in range(self.logs.size):
            self.logs[j] -= self.learning_rate * (trace[j] + (1.0 - 2.0 * trace[j]) * released)


@register_algorithm(name="prediction", title="weights over features", problem=Prediction())
def prediction(setting: Setting[Prediction], *, learning_rate: float | None = None) -> Instance:
    """Use η = sqrt(8 ln d / T)."""
    tuned = math.sqrt(8.0 * math.log(setting.problem.features) / setting.rounds)
    return _instance(setting, Open(setting.bounds), learning_rate or tuned)


@register_algorithm(
    name="private-prediction", title="weights on noisy labels", problem=Prediction()
)
def private_prediction(
    setting: Setting[Prediction], *, learning_rate: float | None = None
) -> Instance:
    """Add noise to every label; η follows the second moment of a noisy label."""
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=setting.bounds.width, epsilon=setting.epsilon)
    )
    moment = 1.0 + 8.0 / setting.epsilon**2
    tuned = math.sqrt(8.0 * math.log(setting.problem.features) / (setting.rounds * moment))
    return _instance(setting, channel, learning_rate or tuned)


def _instance(setting: Setting[Prediction], channel, rate: float) -> Instance:
    learner = FeatureWeights.start(setting.problem.features, rate)
    return Instance(
        private=discreet.Private(channel, learner),
        parameters={"learning_rate": rate},
        regret_bound=None,
        bound_source="no bound proved here",
    )


@register_environment(
    "noisy-labels", title="feature j agrees with the label less and less often", problem=Prediction
)
class NoisyLabels(Environment):
    """Fair labels; feature j is the label, flipped with probability ``flip`` + 0.3 j / d."""

    features: int
    flip: float = 0.1

    @property
    def problem(self) -> Prediction:
        return Prediction(self.features)

    def deal(self, start: int, stop: int, rng: Generator) -> PredictionGame:
        # the same numbers however a game is cut into pieces
        shares = uniforms(rng, start, stop, self.features + 1)
        labels = (shares[:, 0] < 0.5).astype(np.float64)
        flips = shares[:, 1:] < self.flip + 0.3 * np.arange(self.features) / self.features
        return PredictionGame(np.abs(labels[:, None] - flips), labels)


def main() -> None:
    results = discreet.simulate(
        ["prediction", "private-prediction"], features=5, rounds=20_000, trials=4, seed=1
    )
    for row in results.summary():
        print(
            f"{row['label']:28} regret {row['regret_mean']:6.0f} against {results.problem.rivals}"
        )
    private = discreet.algorithm("private-prediction").build().private
    check_environment(environment("noisy-labels"))
    check_private(private, environment("noisy-labels"))
    print("checked: no label reaches the learner, and plain and compiled runs agree")
    print(discreet.audit("private-prediction", trials=40_000))


if __name__ == "__main__":
    main()
