"""Predict how a disease will progress, from feedback alone, when that feedback is personal.

There are ten measurements of each patient. In each round, a learner tries two linear models. A year
later it is told how wrong each was, and nothing else: neither the measurements nor how the disease
progressed. What the learner does must not reveal any single answer: that is differential privacy.

Every round counts as a different person. There are only 442 patients, so each is drawn about 300
times. If all rounds of a patient belonged to one person, epsilon would be 300 times as large for
that person, and delta would be larger still.

Run it with: python examples/diabetes.py [picture.png] [--quick]   (needs scikit-learn, and
matplotlib for the picture)
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from discreet import Contender, Private, Range, Results, Setting, simulate
from discreet.channels import OpenDifference
from discreet.environments import environment
from discreet.learners import Centre
from discreet.problems import Functions
from discreet_papers.datasets import Diabetes

QUICK = "--quick" in sys.argv  # a first look, at few rounds
ROUNDS, TRIALS, DELTA = 1 << (12 if QUICK else 17), 1 if QUICK else 8, 1e-6
PROBLEM = Functions("ball(4)", evaluations=2)  # models of the first four principal components
WINDOWS = 24  # over which the picture averages, each a little longer than the last


def contenders() -> list[Contender]:
    """Return players without privacy and with it, and one that always predicts the mean."""
    setting = Setting(PROBLEM, rounds=ROUNDS, delta=DELTA)
    more = replace(setting, epsilon=0.1)
    mean = Private(OpenDifference(Range(-1.0, 1.0)), Centre.start(set=PROBLEM.place.set, points=2))
    return [
        Contender.named("two-point", setting),
        # Tuned as if the noise cost regret only once: lower regret, but no proved bound. The
        # guarantee is the same.
        Contender.named("private-two-point", setting, tuning="once"),
        Contender.named("private-two-point", more, tuning="once"),
        Contender.named("local-two-point", setting),
        Contender(label="predicts the mean", private=mean, algorithm="centre"),
    ]


def squared_errors(results: Results, unit: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the ends of windows of rounds, and the mean squared error in each."""
    wanted = np.geomspace(200, ROUNDS, WINDOWS)
    ends = np.unique(np.abs(results.checkpoints[None, :] - wanted[:, None]).argmin(axis=1))
    rounds, losses = results.checkpoints[ends], results.loss.mean(axis=1)[:, ends]
    return rounds[1:], unit * np.diff(losses, axis=1) / np.diff(rounds)


def print_table(results: Results, errors: np.ndarray, best: float) -> None:
    """Print how well each model predicts at the end."""
    print(
        f"{ROUNDS:,} rounds with 442 patients, means of {TRIALS} trials. Squared errors are "
        "relative to the"
    )
    print(f"variance of the progression; the best model with four features has {best:.2f}.\n")
    print(f"{'':32}{'error at the end':>18}{'explained':>11}{'regret':>9}  guarantee")
    for contender, found, row in zip(
        results.contenders, errors[:, -1], results.summary(), strict=True
    ):
        guarantee = contender.private.guarantee
        stated = guarantee.short if guarantee.is_private else "none"
        print(
            f"{contender.label:32}{found:>18.2f}{1.0 - found:>11.0%}{row['regret_mean']:>9,.0f}  "
            f"{stated}"
        )


def draw(rounds: np.ndarray, errors: np.ndarray, results: Results, best: float, path: str) -> None:
    """Draw the squared error as it falls."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(8.0, 4.8), layout="constrained")
    styles = (("black", "-"), ("#0072B2", "-"), ("#0072B2", "--"), ("#E69F00", "-"), ("grey", ":"))
    for contender, found, (colour, style) in zip(results.contenders, errors, styles, strict=True):
        axes.plot(
            rounds, found, color=colour, linestyle=style, linewidth=1.8, label=contender.label
        )
    axes.axhline(best, color="#009E73", linewidth=1.2, label="the best model")
    axes.set_xscale("log")
    axes.set_ylim(0.9 * best, 1.4)
    axes.set_xlabel("rounds")
    axes.set_ylabel("mean squared error (variance is 1)")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=3, fontsize=9, frameon=False)
    axes.set_title(
        f"Diabetes, learnt from the errors of predictions alone ({TRIALS} trials, δ = {DELTA:g})",
        fontsize=11,
    )
    figure.savefig(path, dpi=130)
    print(f"\nPicture: {path}")


def main() -> None:
    game = environment("diabetes", PROBLEM, rounds=ROUNDS)
    assert isinstance(game, Diabetes)
    results = simulate(contenders(), environment=game, rounds=ROUNDS, trials=TRIALS, seed=1)
    # the squared error that a loss of 1 stands for
    unit = 1.0 / game.functions(0, 1, np.random.default_rng(0)).losses[0, 1]
    rounds, errors = squared_errors(results, unit)
    best = unit * float((results.loss - results.regret)[0, :, -1].mean()) / ROUNDS
    print_table(results, errors, best)
    for path in set(sys.argv[1:]) - {"--quick"}:
        draw(rounds, errors, results, best, path)


if __name__ == "__main__":
    main()
