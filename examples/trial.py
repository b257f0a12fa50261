"""A trial of four HIV treatments that learns while it runs, and reveals no patient's outcome.

ACTG 175 gave each of 2,139 patients one of four treatments at random. A trial that learns would
have given more and more patients the best one. But someone who watches which treatments it gives
could find out how a patient fared. Differential privacy prevents that. How many patients does it
cost?

Players of arms learn which treatment is best for all. Players of contexts see three covariates of
each patient before they choose. Those are private too: only the patient's own doctor sees the
choice (the joint model).

Outcomes come from a model that was fitted to the trial, except in the last table, which uses the
trial's own.

Run it with: python examples/trial.py [picture.png] [--quick]   (needs lifelines, and matplotlib for
the picture)
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np

from discreet import Contender, Results, Setting, simulate
from discreet.environments import environment
from discreet.problems import Arms, Contexts, Problem
from discreet_papers.datasets.actg175 import fit_risks

QUICK = "--quick" in sys.argv  # a first look, at few patients
PATIENTS, TRIALS, DELTA = 1 << (9 if QUICK else 16), 32, 1e-6
FEW_TRIALS = 2  # without a picture
AS_MANY = 2_139  # patients in the real trial
WINDOWS = 14  # over which the picture averages, each longer than the last
STYLES = {
    "equal randomisation": ("grey", ":"),
    "arms, no privacy": ("black", "-"),
    "arms, ε = 1": ("#0072B2", "-"),
    "arms, ε = 0.1": ("#0072B2", "--"),
    "contexts, no privacy": ("#E69F00", "-"),
    "contexts, ε = 4": ("#D55E00", "-"),
    "contexts, ε = 1": ("#D55E00", "--"),
}


def label_algorithm(
    label: str, name: str, problem: Problem, epsilon: float = 1.0, **options: float
) -> Contender:
    """Return an algorithm with a label of this example."""
    setting = Setting(problem, rounds=PATIENTS, epsilon=epsilon, delta=DELTA)
    return replace(Contender.named(name, setting, **options), label=label)


def players(problem: Problem) -> list[Contender]:
    """Return the players of arms, or of contexts."""
    if isinstance(problem, Arms):
        return [
            label_algorithm("equal randomisation", "uniform", problem),
            label_algorithm("arms, no privacy", "kl-ucb", problem),
            label_algorithm("arms, ε = 1", "tracking-ucb", problem),
            label_algorithm("arms, ε = 0.1", "tracking-ucb", problem, epsilon=0.1),
        ]
    assert isinstance(problem, Contexts)
    block = problem.dimension // problem.arms  # every treatment has its own coefficients
    return [
        # With the width of the theory linucb explores too long. The width of joint-linucb is chosen
        # by measurements too.
        label_algorithm("contexts, no privacy", "linucb", problem, width=0.1),
        label_algorithm("contexts, ε = 4", "joint-linucb", problem, epsilon=4.0, block=block),
        label_algorithm("contexts, ε = 1", "joint-linucb", problem, block=block),
    ]


def print_table(found: list[Results]) -> None:
    """Print how many patients get worse."""
    risks = 1000.0 * fit_risks()
    best, oracle = risks.mean(axis=0).min(), risks.min(axis=1).mean()
    print(
        f"Patients per 1,000 who get worse, by the fitted model: {found[0].trials.size} trials, ± "
        "standard errors."
    )
    print(
        f"With the best single treatment for all: {best:.0f}; with what is best for each: "
        f"{oracle:.0f}.\n"
    )
    print(f"{'':24}{f'of the first {AS_MANY:,}':>22}{f'of all {PATIENTS:,}':>18}  guarantee")
    for results in found:
        early = int(np.abs(results.checkpoints - AS_MANY).argmin())
        for contender, loss in zip(results.contenders, results.loss, strict=True):
            shown = ""
            for mark, width in ((early, 22), (-1, 18)):
                rates = 1000.0 * loss[:, mark] / results.checkpoints[mark]
                error = rates.std(ddof=1) / np.sqrt(rates.size)
                shown += f"{f'{rates.mean():.0f} ± {error:.1f}':>{width}}"
            guarantee = contender.private.guarantee
            stated = (
                f"{guarantee.short}, {guarantee.model} model" if guarantee.is_private else "none"
            )
            print(
                f"{contender.label:24}{shown}  "
                f"{stated if contender.label != 'equal randomisation' else 'nothing is learned'}"
            )


def print_replay(results: Results) -> None:
    """Print the same for real outcomes, as far as they are known."""
    print(
        "\nWith the outcomes that patients really had: a round counts if the trial gave the "
        "treatment that is chosen."
    )
    print("Patients per 1,000 who get worse, compared with the best single treatment:\n")
    for row in results.summary():
        low, mean, high = (
            4000.0 * row[f"regret_{name}"] / PATIENTS for name in ("low", "mean", "high")
        )
        print(f"{row['label']:24}{mean:>8.0f}   (95 % interval {low:.0f} to {high:.0f})")


def draw(found: list[Results], path: str) -> None:
    """Draw how the rate of patients who get worse falls."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as pyplot

    figure, axes = pyplot.subplots(figsize=(8.0, 5.2), layout="constrained")
    for results in found:
        wanted = np.geomspace(150, PATIENTS, WINDOWS)
        ends = np.unique(np.abs(results.checkpoints[None, :] - wanted[:, None]).argmin(axis=1))
        patients, losses = results.checkpoints[ends], results.loss.mean(axis=1)[:, ends]
        rates = np.diff(np.insert(losses, 0, 0.0, axis=1), axis=1) / np.diff(
            np.insert(patients, 0, 0)
        )
        for contender, rate in zip(results.contenders, rates, strict=True):
            colour, style = STYLES[contender.label]
            axes.plot(
                patients,
                100.0 * rate,
                color=colour,
                linestyle=style,
                linewidth=1.8,
                label=contender.label,
            )
    risks = 100.0 * fit_risks()
    for level, text in (
        (risks.mean(axis=0).min(), "best treatment for all"),
        (risks.min(axis=1).mean(), "best for each patient"),
    ):
        axes.axhline(level, color="#009E73", linewidth=1.0)
        axes.annotate(
            text,
            (150, level),
            xytext=(0, -11),
            textcoords="offset points",
            color="#009E73",
            fontsize=9,
        )
    axes.axvline(AS_MANY, color="grey", linewidth=0.8)
    axes.annotate(
        "ACTG 175",
        (AS_MANY, 26.0),
        xytext=(4, 0),
        textcoords="offset points",
        color="grey",
        fontsize=9,
    )
    axes.set_xscale("log")
    axes.set_ylim(15.0, 26.5)
    axes.set_xlabel("patients so far")
    axes.set_ylabel("patients who get worse, %")
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside lower center", ncols=4, fontsize=9, frameon=False)
    title = (
        f"Four treatments of HIV, outcomes of a model fitted to ACTG 175 ({found[0].trials.size} "
        "trials)"
    )
    axes.set_title(title, fontsize=11)
    figure.savefig(path, dpi=130)
    print(f"\nPicture: {path}")


def main() -> None:
    pictures = set(sys.argv[1:]) - {"--quick"}
    trials = TRIALS if pictures else FEW_TRIALS
    found = []
    for problem in (Arms(4), Contexts(4, 16)):  # the same patients and outcomes for both
        game = environment("actg175-simulator", problem, rounds=PATIENTS)
        found.append(
            simulate(players(problem), environment=game, rounds=PATIENTS, trials=trials, seed=1)
        )
    print_table(found)
    replay = environment("actg175-replay", rounds=PATIENTS)
    print_replay(
        simulate(
            players(replay.problem), environment=replay, rounds=PATIENTS, trials=trials, seed=1
        )
    )
    for path in pictures:
        draw(found, path)


if __name__ == "__main__":
    main()
