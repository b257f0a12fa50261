"""Private algorithms whose counterpart is another algorithm: what differs, and by how much.

``test_like_with_like`` compares all others, which without noise *are* their counterpart. Here noise
vanishes, too, and what is left is what the table says: batches, other constants, another learner.
"""

from __future__ import annotations

import numpy as np
import pytest
from test_like_with_like import MUCH, OTHERS

import discreet
from discreet import Setting, algorithm
from discreet.problems import Arms, BestArm, Contexts, Functions
from discreet.simulation import Contender, simulate

TWO = Functions("ball(10)", evaluations=2)
# Regret over that of the counterpart without noise, 2^12 rounds, 4 trials, a fixed seed. Searches:
# samples, 8 trials.
RATIOS = {
    "batched-ucb": (Arms(4), 0.55),
    "dp-klucb": (Arms(4), 1.25),
    "dp-imed": (Arms(4), 2.02),
    "adap-klucb": (Arms(4), 1.71),
    "dp-successive-elimination": (Arms(4), 1.03),
    "guarded-ucb": (Arms(4), 1.0),
    "tracking-ucb": (Arms(4), 0.86),
    "adaptive-tsallis-inf": (Arms(4), 0.85),
    "local-linucb": (Contexts(), 0.83),
    "joint-linucb": (Contexts(), 0.80),
    "local-glm": (Contexts(), 1.24),
    "local-greedy": (Contexts(), 2.06),
    "private-two-point": (TWO, 0.97),
    "local-two-point": (TWO, 0.97),
    "private-fkm": (Functions("ball(10)"), 1.06),
    "batched-successive-elimination": (BestArm(), 2.07),
    "batched-lil-ucb": (BestArm(), 1.34),
    "batched-lucb": (BestArm(), 1.64),
    "batched-track-and-stop": (BestArm(), 2.05),
}
CLOSE = 0.15  # so much may a ratio change before somebody has to look at it


def test_every_exception_is_measured():
    assert set(RATIOS) == set(OTHERS)


@pytest.mark.parametrize("name", RATIOS)
def test_no_noise_is_left(name):
    """So what differs does not come from privacy: every scale is below 1e-4 of the range.

    Reports of contexts are directions in a cap around the true one. A narrow cap is a little longer
    than 1, so that its mean is right.
    """
    known = algorithm(name)
    channel = known.build(known.setting(rounds=2**12, epsilon=MUCH)).private.channel
    for each in channel.noise_scales:
        assert 1.0 < each.scale < 1.3 if each.kind == "cap" else each.scale < 1e-4


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(Arms(4), marks=pytest.mark.full),  # many loops to compile
        pytest.param(Contexts(), marks=pytest.mark.full),
        TWO,
        Functions("ball(10)"),
    ],
    ids=str,
)
@pytest.mark.long
def test_the_regret_of_those_with_another_counterpart(problem):
    names = [name for name, (plays, _) in RATIOS.items() if plays == problem]
    setting = Setting(problem, rounds=2**12, epsilon=MUCH)
    players = list(dict.fromkeys([*names, *(algorithm(name).twin for name in names)]))
    made = [Contender.named(name, setting) for name in players]
    results = simulate(made, problem=problem, rounds=2**12, trials=4, seed=1)
    regret = dict(zip(players, results.regret[:, :, -1].mean(axis=1), strict=True))
    for name in names:
        found = regret[name] / regret[algorithm(name).twin]
        assert found == pytest.approx(RATIOS[name][1], rel=CLOSE), name
    if problem == TWO:  # one takes lazy steps, the other is a leader: that is the same
        assert regret["private-two-point"] == pytest.approx(regret["local-two-point"], rel=1e-3)


@pytest.mark.slow
@pytest.mark.long
def test_the_samples_of_searches_in_batches():
    """Batches pay with a union over releases, where single samples have mixtures."""
    names = [name for name, (plays, _) in RATIOS.items() if isinstance(plays, BestArm)]
    players = [*names, *(algorithm(name).twin for name in names)]
    results = discreet.search(players, epsilon=MUCH, trials=8, seed=1)
    samples = {row["algorithm"]: row["samples_mean"] for row in results.summary()}
    for name in names:
        found = samples[name] / samples[algorithm(name).twin]
        assert found == pytest.approx(RATIOS[name][1], rel=CLOSE), name


SAME = [  # with these options nothing but noise is different
    ("dp-klucb", {"growth": 0.0}, "batches of one round"),
    ("batched-ucb", {"growth": 0.01, "exploration": 4.0}, "short batches, and the radius of UCB1"),
]


@pytest.mark.parametrize(("name", "options", "what"), SAME)
def test_with_the_same_constants_they_are_their_counterpart(name, options, what):
    """64 trials of 400 rounds: the difference is within 3 standard errors, and within 10 %."""
    setting = Setting(Arms(4), rounds=400, epsilon=MUCH)
    pair = [
        Contender.named(name, setting, **options),
        Contender.named(algorithm(name).twin, setting),
    ]
    results = simulate(pair, problem=Arms(4), rounds=400, trials=64, seed=1)
    one, other = results.regret[:, :, -1]
    error = np.hypot(one.std(ddof=1), other.std(ddof=1)) / 8.0
    assert abs(one.mean() - other.mean()) < 3.0 * error, what
    assert one.mean() == pytest.approx(other.mean(), rel=0.1), what
