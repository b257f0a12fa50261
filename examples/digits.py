"""Learn which classifiers to trust from "right" or "wrong" alone, when the answers are personal.

Each round shows an image of a digit. 30 experts, small classifiers, each give a probability for
every digit. The learner names one digit and is told whether it was right, and nothing else. What
the learner does must not reveal any single answer: that is differential privacy. Images and experts
are public, answers are not.

Every round counts as a different person. There are only 897 images, so each is shown 22 or 23
times. If all rounds of an image belonged to one person, epsilon would be 23 times as large for that
person, and delta would be larger still.

Run it with: python examples/digits.py [picture.png] [--quick]   (needs scikit-learn, and matplotlib
for the picture)
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from discreet import Contender, Private, Range, Results, simulate
from discreet.algorithms import Setting
from discreet.channels import Open
from discreet.environments import AdviceTable, Table
from discreet.learners import Uniform
from discreet.problems import Advice

QUICK = "--quick" in sys.argv  # a first look, at few rounds
DIGITS, EXPERTS, ROUNDS, TRIALS = 10, 30, 1_000 if QUICK else 20_000, 1 if QUICK else 8
EPSILONS, DELTA = (1.0, 0.1), 1e-6
PRIVATE = ("expert-arms", "local-exp4", "batched-exp4", "improved-batched-exp4")
STYLES = dict(
    zip(
        PRIVATE,
        (("#0072B2", "-", 2), ("#E69F00", "-", 5), ("#009E73", "-", 2), ("black", "--", 1)),
        strict=True,
    )
)


def make_game() -> AdviceTable:
    """Return the game: half of the images train the experts, the others are shown repeatedly."""
    images, labels = load_digits(return_X_y=True)
    rng = np.random.default_rng(1)
    order = rng.permutation(len(images))
    taught, shown = order[:900], order[900:]
    advice = np.zeros((len(shown), EXPERTS, DIGITS))
    for expert, part in enumerate(np.array_split(taught, EXPERTS)):  # 30 images each, all different
        # from 4 to 62 of 64 pixels, that is from bad to good
        pixels = rng.choice(64, size=4 + 2 * expert, replace=False)
        model = (
            LogisticRegression(C=100.0, max_iter=2000),
            GaussianNB(var_smoothing=0.1),
            DecisionTreeClassifier(max_depth=6, random_state=expert),
        )[expert % 3]
        model.fit(images[part][:, pixels] / 16.0, labels[part])
        advice[:, expert, model.classes_] = model.predict_proba(images[shown][:, pixels] / 16.0)
    advice /= advice.sum(axis=2, keepdims=True)
    passes = [rng.permutation(len(shown)) for _ in range(ROUNDS // len(shown) + 1)]
    rounds = np.concatenate(passes)[:ROUNDS]
    # the loss of every digit in every round
    wrong = (np.arange(DIGITS) != labels[shown][rounds, None]).astype(float)
    return AdviceTable.of(Table(wrong, "digits"), advice[rounds])


def contenders() -> list[Contender]:
    """Return players without privacy, with privacy at each epsilon, and uniform play."""
    setting = Setting(Advice(DIGITS, EXPERTS), rounds=ROUNDS, delta=DELTA)
    chosen = [Contender.named("exp4", setting)]
    for epsilon in EPSILONS:
        chosen += [Contender.named(name, replace(setting, epsilon=epsilon)) for name in PRIVATE]
    blind = Private(Open(Range(0.0, 1.0)), Uniform(DIGITS))
    return [*chosen, Contender(label="uniform", private=blind, algorithm="uniform")]


def print_table(right: np.ndarray, results: Results) -> None:
    """Print how often each was right, in the whole game and in its second half."""
    print(
        f"{ROUNDS:,} images; {EXPERTS} experts, which are right in {right.min():.0%} to "
        f"{right.max():.0%} of them."
    )
    print(
        f"Means of {TRIALS} trials. Regret: wrong answers beyond those of the best expert; bound: "
        "its proved bound.\n"
    )
    print(f"{'':34}{'batch':>5}  {'right':>6}  {'last half':>9}  {'regret':>7}  {'bound':>7}")
    for name, share in (
        ("the best expert", right.max()),
        ("a random expert every round", right.mean()),
    ):
        print(f"{name:34}{'':>5}  {share:>6.1%}  {'':>9}  {ROUNDS * (right.max() - share):>7,.0f}")
    half = int(np.abs(results.checkpoints - ROUNDS // 2).argmin())
    for contender, loss, row in zip(
        results.contenders, results.loss, results.summary(), strict=True
    ):
        late = 1.0 - (loss[:, -1] - loss[:, half]).mean() / (ROUNDS - results.checkpoints[half])
        bound = contender.facts.get("regret_bound")
        proved = "" if bound is None else "vacuous" if bound >= ROUNDS else f"{bound:,.0f}"
        batch = contender.facts.get("parameters", {}).get("batch_size", "")
        print(
            f"{contender.label:34}{batch:>5}  {1.0 - loss[:, -1].mean() / ROUNDS:>6.1%}  "
            f"{late:>9.1%}  {row['regret_mean']:>7,.0f}  {proved:>7}"
        )
    print(
        "\nBatched EXP4 uses the batch size with the smallest bound; with batches of one round, it "
        "is local EXP4. An"
    )
    print(
        "algorithm that is not better than a random expert has not learned which to trust: a "
        "smaller epsilon needs more rounds."
    )


def draw(right: np.ndarray, results: Results, path: str) -> None:
    """Draw regret over rounds, one panel for each epsilon."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, panels = pyplot.subplots(
        1, len(EPSILONS), figsize=(9.6, 4.2), layout="constrained", sharey=True
    )
    curves = dict(
        zip([each.label for each in results.contenders], results.regret.mean(axis=1), strict=True)
    )
    for axes, epsilon in zip(panels, EPSILONS, strict=True):
        axes.plot(
            [0, ROUNDS],
            [0, ROUNDS * (right.max() - right.mean())],
            color="grey",
            label="a random expert",
        )
        axes.plot(
            results.checkpoints,
            curves["exp4"],
            color="black",
            linestyle=":",
            label="exp4, no privacy",
        )
        for name, (colour, style, width) in STYLES.items():
            curve = curves[f"{name} (ε = {epsilon:g})"]
            axes.plot(
                results.checkpoints,
                curve,
                color=colour,
                linestyle=style,
                linewidth=width,
                label=name,
            )
        axes.set_title(
            f"ε = {epsilon:g}, δ = {DELTA:g} (expert-arms and local-exp4: δ = 0)", fontsize=10
        )
        axes.set_xlabel("images")
        axes.set_xticks(range(0, ROUNDS + 1, 5000))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("wrong answers beyond the best expert's")
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=6,
        fontsize=9,
        frameon=False,
    )
    figure.suptitle(f"Reading digits with {EXPERTS} experts, mean of {TRIALS} trials", fontsize=11)
    figure.savefig(path, dpi=130)
    print(f"\nPicture: {path}")


def main() -> None:
    game = make_game()
    results = simulate(contenders(), environment=game, rounds=ROUNDS, trials=TRIALS, seed=1)
    right = 1.0 - np.einsum("ta,tae->e", game.table.losses, game.advice) / ROUNDS  # for each expert
    print_table(right, results)
    for path in set(sys.argv[1:]) - {"--quick"}:
        draw(right, results, path)


if __name__ == "__main__":
    main()
