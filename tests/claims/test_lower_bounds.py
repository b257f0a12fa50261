"""Lower bounds under privacy (docs/regret.md): golden numbers, the linear program, hybrids."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from discreet import Setting, algorithm, simulate
from discreet.algorithms.arms.lower_bounds import any_private, private_rate, quick_private
from discreet.problems import Arms


@pytest.mark.parametrize(
    ("epsilon", "printed", "corrected"), [(0.1, 35.5, 91.1), (0.3, 20.5, 51.7)]
)
def test_the_repaired_lemma_has_the_golden_numbers(epsilon, printed, corrected):
    """The study minimised over a grid of γ, which is up to 0.5 % above the minimum."""
    rounds = 2**16
    lemma = (1.0 - math.exp(0.5) / 2.0) * math.sqrt(rounds / (16.0 * epsilon))
    assert lemma == pytest.approx(printed, abs=0.05)
    assert quick_private(rounds, epsilon) == pytest.approx(corrected, rel=0.005)
    assert quick_private(rounds, epsilon) <= corrected


def test_the_repaired_lemma_is_the_least_over_shares_and_the_largest_over_pulls():
    rounds, epsilon, switch = 2**16, 0.1, 100
    shares = np.geomspace(1e-4, 0.5, 20_001)
    best = 0.0
    for pulls in range(1, 7):
        chance = 1.0 - math.exp(epsilon * pulls) / 2.0
        allowed = shares[shares * (rounds - switch) >= pulls]
        late = chance * (pulls / allowed - pulls) / 2.0 - switch / 2.0
        best = max(best, float(np.maximum(allowed * rounds / 4.0, late).min()))
    assert quick_private(rounds, epsilon, switch) == pytest.approx(best, rel=1e-3)
    assert quick_private(rounds, 1.0) == 0.0, "no number of pulls is below ln 2"
    assert quick_private(rounds, math.log(2.0)) == 0.0


@pytest.mark.parametrize(("rounds", "epsilon"), [(40, 0.1), (60, 0.3), (30, 1.0), (20, 1e-6)])
@pytest.mark.parametrize("both", [False, True], ids=["one direction", "both"])
def test_what_follows_from_hybrids(rounds, epsilon, both):
    """Minimise the larger regret over all laws of the number of pulls, in both games."""
    size = 2 * rounds + 1
    rows, limits = [], []

    def add(limit, **entries):
        row = np.zeros(size)
        for name, (places, value) in entries.items():
            assert name in {"q", "g", "v"}
            row[places] = value
        rows.append(row)
        limits.append(limit)

    first, second = slice(0, rounds), slice(rounds, 2 * rounds)
    add(0.0, q=(first, 0.5), v=(-1, -1.0))
    add(-rounds / 2.0, g=(second, -0.5), v=(-1, -1.0))
    for p in range(rounds):
        add(0.0, g=(rounds + p, 1.0), q=(p, -math.exp(epsilon * p)))
        if both:  # for the complement, too: 1 - q ≤ e^εp (1 - g)
            grown = math.exp(epsilon * p)
            add(grown - 1.0, g=(rounds + p, grown), q=(p, -1.0))
        if p:
            add(0.0, q=(p, 1.0), g=(p - 1, -1.0))
            add(0.0, q=(rounds + p, 1.0), g=(rounds + p - 1, -1.0))
    target = np.zeros(size)
    target[-1] = 1.0
    ranges = [(0.0, 1.0)] * (2 * rounds) + [(0.0, None)]
    found = linprog(target, A_ub=np.array(rows), b_ub=limits, bounds=ranges)
    assert found.status == 0
    if both:
        assert any_private(rounds, epsilon) <= found.fun + 1e-9
    else:
        tail = math.expm1(-epsilon * rounds) / math.expm1(-epsilon)
        assert tail * rounds / (2.0 * (rounds + tail)) == pytest.approx(found.fun, rel=1e-6)


def test_hybrids_bound_what_a_private_algorithm_can_notice():
    """Enumerate randomised response on three rounds: P'(N > p) ≤ e^(ε p) P(N > p), for all p."""
    epsilon, rounds = 0.4, 3
    truth = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    rng = np.random.default_rng(1)
    worst = 0.0
    for _ in range(50):
        policy = rng.random((rounds, 3**rounds))  # chance of arm 2, by what was heard so far
        tails = []
        for loss in (1, 0):
            chances = np.zeros(rounds + 1)
            for actions in itertools.product((0, 1), repeat=rounds):
                for bits in itertools.product((0, 1), repeat=rounds):
                    chance, heard = 1.0, 0
                    for t in range(rounds):
                        arm, bit = actions[t], bits[t]
                        p = policy[t, heard]
                        chance *= p if arm else 1.0 - p
                        if arm:
                            chance *= truth if bit == loss else 1.0 - truth
                        else:  # arm 1 says the same in both games: it is heard as nothing
                            chance *= 1.0 if bit else 0.0
                        heard = 3 * heard + (1 + bit if arm else 0)
                    chances[sum(actions)] += chance
            assert chances.sum() == pytest.approx(1.0)
            tails.append(np.cumsum(chances[::-1])[::-1])
        for p in range(rounds):
            ratio = tails[1][p + 1] / tails[0][p + 1]
            assert ratio <= math.exp(epsilon * p) * (1.0 + 1e-12)
            if p:
                worst = max(worst, math.log(ratio) / (epsilon * p))
    assert worst > 0.3, "the bound is not far away"


# The study's means of 48 trials: drop, and alternates that switch at s / 8, s / 2, 2 s, with
# s = sqrt(T / ε), T = 2^16. HTINF has another moment since, with a smaller bound (and 993 to 1,146
# where it had 482 to 872), and batched-tsallis-inf other constants (38 to 568 for 166 to 835).
SWITCHES = (None, 1.0 / 8.0, 1.0 / 2.0, 2.0)
GOLDEN = {
    0.1: {
        "batched-exp3": (2055, 2032, 2041, 2109),
        "one-bit-tsallis-inf": (630, 570, 623, 578),
        "batched-ftpl": (2960, 3000, 2946, 3029),
        "exp3-tau": (10265, 9432, 9303, 9192),
    },
    1.0: {
        "batched-exp3": (635, 630, 634, 634),
        "one-bit-tsallis-inf": (59, 52, 39, 2),
    },
}
BOUNDS = {  # the study's, at ε = 0.1 and 1; one-bit had 3486 and 694, and HTINF also had more
    "batched-exp3": (3498, 1109),
    "one-bit-tsallis-inf": (2796.5, 637.7),
    "batched-ftpl": (5553, None),
    "exp3-tau": (21977, None),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_upper_bounds_beside_the_lower_ones_are_the_golden_ones(name):
    for epsilon, golden in zip((0.1, 1.0), BOUNDS[name], strict=True):
        if golden is not None:
            found = bound_of(name, epsilon)
            assert found == pytest.approx(golden, abs=0.5)
            assert any_private(2**16, epsilon) < found
            assert quick_private(2**16, epsilon) < found
    for epsilon, golden in ((0.1, 5702), (1.0, 1855)):
        assert bound_of("batched-htinf", epsilon) < 0.85 * golden


def bound_of(name, epsilon):
    return algorithm(name).build(Setting(Arms(2), rounds=2**16, epsilon=epsilon)).regret_bound


def test_the_printed_lemma_is_vacuous_at_an_epsilon_of_one():
    """Its number would be 11.2, for less than one pull; what is repaired says nothing there."""
    assert (1.0 - math.exp(0.5) / 2.0) * math.sqrt(2**16 / 16.0) == pytest.approx(11.2, abs=0.05)
    assert quick_private(2**16, 1.0) == 0.0


def play_games(names, trials, epsilon=0.1, switches=SWITCHES):
    """Return every algorithm's regrets in drop and in alternates, and its bound."""
    rounds = 2**16
    game = {"rounds": rounds, "trials": trials, "epsilon": epsilon, "arms": 2, "seed": 1}
    found = {name: [] for name in names}
    for switch in switches:
        options = {} if switch is None else {"switch": round(switch * math.sqrt(rounds / epsilon))}
        environment = "drop" if switch is None else "drop-alternate"
        results = simulate(names, environment=environment, options=options, **game)
        for row, regret in zip(results.summary(), results.regret[:, :, -1], strict=True):
            found[row["algorithm"]].append((regret, row["regret_bound"]))
    return found


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_larger_regret_of_the_pair_is_between_the_bounds(epsilon):
    """Two trials, fixed seed; the study's means have deviations of 5 %."""
    found = play_games(["batched-exp3"], 2, epsilon)["batched-exp3"]
    means = [regret.mean() for regret, _ in found]
    assert quick_private(2**16, epsilon) < max(means) < found[0][1]
    assert means == pytest.approx(GOLDEN[epsilon]["batched-exp3"], rel=0.2)


@pytest.mark.full
@pytest.mark.parametrize("epsilon", GOLDEN)
def test_regrets_over_the_pair_are_the_golden_ones(epsilon):
    """The study's means and ours are of 48 trials each; 4.5 deviations: below 1 in 10^4 runs."""
    for name, found in play_games(list(GOLDEN[epsilon]), 48, epsilon).items():
        for (regret, bound), golden in zip(found, GOLDEN[epsilon][name], strict=True):
            error = math.sqrt(2.0) * regret.std(ddof=1) / math.sqrt(regret.size)
            assert regret.mean() == pytest.approx(golden, abs=4.5 * error + 0.5), name
            assert bound is None or regret.mean() < bound
        # at ε = 1 nothing is proved of algorithms that drop an arm quickly
        assert quick_private(2**16, epsilon) <= max(regret.mean() for regret, _ in found)


def test_marks_change_the_probability_of_few_plays_by_no_more_than_stated():
    """Theorem R24 by enumeration: two randomised responses to gains of 0; marks make them 1."""
    epsilon, share = 0.7, 0.3
    flip = 1.0 / (1.0 + math.exp(epsilon))

    def stays(gains):
        """Return the chance of no third play: after a bit 1 the arm is played again."""
        chance = 1.0
        for gain in gains:
            chance *= flip if gain else 1.0 - flip
        return chance

    plain = stays((0, 0))
    marked = sum(
        share ** sum(gains) * (1.0 - share) ** (2 - sum(gains)) * stays(gains)
        for gains in itertools.product((0, 1), repeat=2)
    )
    theta = -math.log1p(share * math.expm1(-epsilon))
    assert marked == pytest.approx(math.exp(-2.0 * theta) * plain), "and this algorithm attains it"


def test_no_arm_can_be_lifted_beyond_the_largest_gain():
    assert private_rate([1.0, 0.5], 0.1, constant=True) == 0.0
    assert private_rate([1.0, 0.5], 0.1, constant=False) == 0.0


def test_rates_of_lower_bounds():
    means = (0.55, 0.5, 0.5, 0.5)
    bernoulli = [private_rate(means, epsilon, constant=False) for epsilon in (0.1, 1.0, 50.0)]
    kl = 0.5 * math.log(0.5 / 0.55) + 0.5 * math.log(0.5 / 0.45)
    assert bernoulli[2] == pytest.approx(3 * 0.05 / kl), "without privacy"
    assert bernoulli[0] > bernoulli[1] >= bernoulli[2]
    for epsilon in (0.03, 0.1, 1.0):
        constant = private_rate(means, epsilon, constant=True)
        assert constant <= private_rate(means, epsilon, constant=False)
        assert constant == pytest.approx(3 * 0.5 / -math.expm1(-epsilon), rel=0.06)
