"""Running sums in live use: exact noise on a grid, neighbours within the stated steps, and sums that are right.

Exact noise has no seed, so every statistical test here says how often it would fail by chance.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from mpmath import mp, mpf
from scipy import stats

from discreet import DiscreetError
from discreet.auditing import attacked
from discreet.channels import RunningSum
from discreet.channels.rounding import ROOM, Checked, affordable, rounding_slack
from discreet.contracts import Noise, unsealed
from discreet.curves import gaussian_delta
from discreet.factorisations import Buffered, Honaker, SquareRoot, Tree, Unbounded, buffered, reduction, square_root
from discreet.factorisations.convolution import BLOCK
from discreet.factorisations.tree import exact_grid
from discreet.kernel import compile_for
from discreet.mechanisms import ExactCube, ExactGaussian, ExactLaplace
from discreet.mechanisms.exact import NoiseBlock
from discreet.sets import Box, L1Ball, L2Ball, Polytope, Simplex

SIZE = 3
CUBE = Box.cube(SIZE, -1.0, 1.0)
SETS = [CUBE, Box([0.0, -1e-3, 5.0], [1.0, 1e3, 5.1]), L1Ball(SIZE, 1 / 3), L2Ball(SIZE, 0.1), Simplex(SIZE)]
EXACT = {"laplace": ExactLaplace, "cube": ExactCube, "gaussian": ExactGaussian}


def factorised(kind, losses=CUBE, prefixes=21, noise="gaussian", **options):
    return RunningSum.calibrated(losses, kind, prefixes=prefixes, noise=noise, epsilon=0.5, delta=1e-6, **options)


def tree(noise, losses=CUBE, prefixes=21, **options):
    return factorised(Tree, losses, prefixes, noise, **options)


CHANNELS = {
    "laplace": partial(tree, "laplace"),
    "cube": partial(tree, "cube"),
    "gaussian": partial(tree, "gaussian"),
    "honaker": partial(factorised, Honaker),
    "padded": partial(tree, "laplace", padding=True),
    "blt": partial(factorised, Buffered),
    "sqrt-toeplitz": partial(factorised, SquareRoot),
    "unbounded": partial(factorised, Unbounded),
}
TREES = [name for name in CHANNELS if name not in ("blt", "sqrt-toeplitz", "unbounded")]


class Silent:
    """In place of noise: nothing."""

    def take(self):
        return 0


def silent(live):
    return live._replace(noise=live.noise._replace(block=Silent()))


def released(channel, vectors):
    return np.array([channel.offer(vector, 1.0, None)[1].copy() for vector in vectors])


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("losses", SETS, ids=repr)
def test_a_live_channel_promises_what_was_asked_with_hardly_more_noise(name, losses):
    channel = CHANNELS[name](losses)
    live = unsealed(channel.live())
    asked, promise = channel.guarantee, live.guarantee
    assert promise.epsilon == pytest.approx(0.5, rel=1e-9)
    assert promise.epsilon <= asked.epsilon
    assert promise.delta == asked.delta
    assert "Sums on a grid" in promise.source
    assert "exact noise" in promise.source
    assert live.noise_scales[0].exact
    assert 1.0 <= live.noise.scale / channel.noise.scale < 1.0 + 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [2**16, 2**20])
def test_long_streams_cost_hardly_more_noise(rounds):
    cube = Box.cube(10, -1.0, 1.0)
    for noise in EXACT:
        channel = tree(noise, cube, rounds)
        assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-8)
    channel = factorised(Buffered, cube, rounds)
    assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-4)
    channel = factorised(SquareRoot, Box.cube(2, -1.0, 1.0), rounds)
    assert channel.live().noise.scale < channel.noise.scale * (1.0 + 1e-6)


@pytest.mark.parametrize("name", CHANNELS)
def test_without_its_noise_every_live_sum_is_right(name):
    vectors = np.random.default_rng(1).uniform(-1.0, 1.0, (21, SIZE))
    live = silent(unsealed(CHANNELS[name]().live()))
    assert released(live, vectors) == pytest.approx(np.cumsum(vectors, axis=0), abs=1e-7)
    assert live.offer(vectors[0], 1.0, None)[0] is False
    live.restart()
    assert released(live, -vectors) == pytest.approx(-np.cumsum(vectors, axis=0), abs=1e-7)


@pytest.mark.slow
def test_live_noise_is_that_of_the_matrices():
    """Variances of 3,000 copies have a standard error of 2.6 %: 18 % is beyond chance in all but 1 of 10^9 runs."""
    rounds, copies, times = 4, 600, 5
    losses = Box.cube(copies, -1.0, 1.0)
    lower = np.tril(np.ones((rounds, rounds)))

    def toeplitz(c):
        return np.array([[c[i - j] if i >= j else 0.0 for j in range(rounds)] for i in range(rounds)])

    digits = np.array([bin(t).count("1") for t in range(1, rounds + 1)])
    variances = {
        Buffered: ((lower @ np.linalg.inv(toeplitz(buffered(rounds).coefficients(rounds)))) ** 2).sum(axis=1),
        SquareRoot: np.cumsum(square_root(rounds) ** 2),
        Tree: digits,
        Honaker: [1.0, reduction(3)[1], 1.0 + reduction(3)[1], reduction(3)[2]],
    }
    for kind, expected in variances.items():
        live = unsealed(factorised(kind, losses, rounds).live())
        squares = np.zeros(rounds)
        for _ in range(times):
            live.restart()
            squares += (released(live, np.zeros((rounds, copies))) ** 2).mean(axis=1) / times
        assert squares / live.noise.scale**2 == pytest.approx(np.array(expected, dtype=float), rel=0.18)


@pytest.mark.parametrize("name", [name for name in TREES if name != "honaker"])
def test_every_released_coordinate_of_a_live_tree_is_a_whole_number_of_steps(name):
    live = unsealed(CHANNELS[name]().live())
    steps = released(live, np.random.default_rng(2).uniform(-1.0, 1.0, (21, SIZE))) / live.noise.step
    assert np.array_equal(steps, np.rint(steps))
    floating = released_in_simulation(CHANNELS[name]()) / live.noise.step
    assert not np.array_equal(floating, np.rint(floating)), "floating-point noise must be told apart"


def released_in_simulation(channel):
    rng = np.random.default_rng(2)
    return np.array([channel.offer(rng.uniform(-1.0, 1.0, SIZE), 1.0, rng)[1].copy() for _ in range(21)])


class Recorder(Noise):
    """In place of exact noise: keeps what it is given, in whole numbers of steps."""

    compiles = False
    is_exact = True

    step: float
    given: list

    def perturb(self, vector, rng):
        self.given.append([round(Fraction(float(value)) / Fraction(self.step)) for value in vector])


def given_to_the_mechanism(live, vectors):
    """Return what the mechanism of a fresh channel is given; restart() is part of what is tested."""
    live.restart()
    recorder = Recorder(live.noise.step, [])
    recorded = live._replace(noise=recorder)
    for vector in vectors:
        recorded.offer(np.array(vector), 1.0, None)
    return recorder.given


numbers = some.one_of(
    some.sampled_from([0.0, 1 / 3, -1 / 3, 0.1, 1e-17, -1e-17, 5e-324, 1e300, math.nan, math.inf, -math.inf]),
    some.floats(-2.0, 2.0),
    some.floats(),
)
streams = some.lists(some.tuples(*[numbers] * SIZE), min_size=6, max_size=6)
LIVE = {(name, i): unsealed(CHANNELS[name](losses, 6).live()) for name in CHANNELS for i, losses in enumerate(SETS)}


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(streams, some.integers(0, 5), some.tuples(*[numbers] * SIZE))
def test_neighbours_are_within_the_stated_steps_whatever_comes(vectors, where, other):
    neighbour = [*vectors[:where], other, *vectors[where + 1 :]]
    for (name, _), live in LIVE.items():
        if name == "padded":
            continue  # what pads is given noisy sums: its nodes are those of the tree without padding
        one, two = given_to_the_mechanism(live, vectors), given_to_the_mechanism(live, neighbour)
        moves = [[abs(a - b) for a, b in zip(x, y, strict=True)] for x, y in zip(one, two, strict=True)]
        allowed = Fraction(live.sensitivity) / Fraction(live.noise.step)
        if name == "laplace":
            assert sum(map(sum, moves)) <= allowed
        elif name == "cube":
            assert sum(map(max, moves)) <= allowed
        else:
            assert sum(step * step for row in moves for step in row) <= allowed**2


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(streams, some.integers(0, 5), some.tuples(*[numbers] * SIZE))
def test_a_coarse_grid_is_paid_for(vectors, where, other):
    """On a grid with a few steps in a set, rounding is most of what moves a node."""
    neighbour = [*vectors[:where], other, *vectors[where + 1 :]]
    for name, norm in (("laplace", 1), ("gaussian", 2)):
        for i, losses in enumerate(SETS):
            LIVE[name, i].restart()
            coarse = on_grid(LIVE[name, i], 2.0 ** math.floor(math.log2(losses.diameter(math.inf)) - 1.0))
            one, two = (np.array(given_to_the_mechanism(coarse, world)) for world in (vectors, neighbour))
            moved = np.linalg.norm((one - two).ravel().astype(float), norm) * coarse.noise.step
            assert moved <= coarse.sensitivity


def on_grid(live, grid):
    return live._replace(losses=live.losses._replace(grid=grid))


def test_rounding_to_a_grid_moves_more_than_the_diameter():
    coarse = on_grid(unsealed(tree("laplace", Box([0.1], [1.0]), 4).live()), 0.25)
    one, two = (np.array(given_to_the_mechanism(coarse, [[end], [0.5]])) for end in (0.1, 1.0))
    moved = np.abs(one - two).sum() * coarse.noise.step
    assert 2 * 0.9 < moved == 2 * 1.0 <= coarse.sensitivity


@pytest.mark.parametrize("losses", SETS, ids=repr)
def test_the_stated_steps_are_nearly_reached(losses):
    """The farthest pair of corners in the first round moves all nodes of that round: no more than 1e-7 is given away."""
    ends = {
        Box: lambda s: (s.low, s.high),
        L1Ball: lambda s: (np.eye(SIZE)[0] * s.radius, -np.eye(SIZE)[0] * s.radius),
        L2Ball: lambda s: (np.ones(SIZE), -np.ones(SIZE)),
        Simplex: lambda s: (np.eye(SIZE)[0], np.eye(SIZE)[1]),
    }[type(losses)](losses)
    rest = [losses.centre()] * 3
    norms = {"laplace": 1, "gaussian": 2}
    for name, norm in norms.items():
        live = unsealed(CHANNELS[name](losses, 4).live())
        one, two = (np.array(given_to_the_mechanism(live, [end, *rest]), dtype=float) for end in ends)
        moved = np.linalg.norm((one - two).ravel(), norm) * live.noise.step
        assert moved == pytest.approx(live.sensitivity, rel=1e-7)


@pytest.mark.parametrize("kind", [Buffered, SquareRoot])
def test_rounding_errors_of_rows_are_below_their_bound(kind):
    """Exact rational arithmetic, against what is computed: losses that are no binary fractions, all of one sign."""
    rounds = 150
    losses = Box([0.0], [1.0])
    channel = factorised(kind, losses, rounds)
    live = unsealed(channel.live())
    values = np.random.default_rng(3).uniform(0.9, 1.0, rounds)
    computed = []

    class Rows(Noise):
        compiles = False

        def perturb(self, vector, rng):
            computed.append(Fraction(float(vector[0])))

    watched = live._replace(noise=Rows())
    for value in values:
        watched.offer(np.array([value]), 1.0, None)
    exact = exact_rows(channel.factorisation, [Fraction(float(value)) for value in values])
    wrong = math.sqrt(float(sum((a - b) ** 2 for a, b in zip(computed, exact, strict=True))))
    bound = channel.factorisation.row_error(1.0)
    assert 0.0 < wrong <= bound
    assert bound < 1e-10


def exact_rows(factorisation, values):
    if isinstance(factorisation, SquareRoot):
        c = coefficients(factorisation.matrix, len(values))
        return [sum(c[t - s] * values[s] for s in range(t + 1)) for t in range(len(values))]
    decay, output = ([Fraction(float(each)) for each in part] for part in (factorisation.decay, factorisation.output))
    buffers, rows = [Fraction(0)] * len(decay), []
    for value in values:
        rows.append(value + sum(o * r for o, r in zip(output, buffers, strict=True)))
        buffers = [d * r + value for d, r in zip(decay, buffers, strict=True)]
    return rows


def coefficients(matrix, rounds):
    """Return those of a filter, to 40 digits."""
    with mp.workdps(40):
        far = [mp.fdot(map(mpf, matrix.weight), (mp.exp(-mpf(r) * k) for r in matrix.rate)) for k in range(rounds)]
        return [Fraction(float(matrix.near[k])) if k < BLOCK else Fraction(str(far[k])) for k in range(rounds)]


def test_sums_on_the_grid_are_exact():
    for largest in (1.0, 1 / 3, 1e-90, 7e80):
        for rounds in (1, 3, 2**10, 2**20 + 1):
            grid = exact_grid(largest, rounds)
            assert math.frexp(grid)[0] == 0.5, "a power of two"
            assert rounds * (Fraction(largest) / Fraction(grid) + Fraction(1, 2)) <= 2**53
            assert rounds * (Fraction(largest) / Fraction(grid / 2) + 1) > 2**53, "and the finest"


class Careless(L2Ball):
    """A ball that projects to somewhere else."""

    def project(self, point):
        point *= 1.0 + 1e-9


class TestProjections:
    @pytest.mark.parametrize("losses", SETS, ids=repr)
    def test_no_projected_vector_is_replaced(self, losses):
        checked, rng = Checked.of(losses), np.random.default_rng(1)
        for _ in range(2_000):
            point = rng.normal(size=SIZE) * 10.0 ** rng.integers(-20, 20)
            expected = point.copy()
            losses.project(expected)
            checked.project(point)
            assert np.array_equal(point, expected)

    @pytest.mark.parametrize("kind", [L1Ball, L2Ball, Simplex])
    def test_nor_in_many_dimensions(self, kind):
        size = 2**14
        losses = Simplex(size) if kind is Simplex else kind(size, 1 / 3)
        for seed in range(5):
            point = np.random.default_rng(seed).standard_cauchy(size)
            Checked.of(losses).project(point)
            assert np.abs(point).max() > 0.0
            assert math.fsum(abs(point)) <= losses.largest(1) * (1.0 + ROOM)

    def test_what_is_still_outside_counts_as_zero(self):
        point = np.array([1.0, 0.0])
        Checked(Careless(2, 1.0), 0.0).project(point)
        assert np.array_equal(point, [0.0, 0.0])
        with pytest.raises(DiscreetError, match="losses is a Careless"):
            Checked.of(Careless(2, 1.0))


class TestTheCube:
    @pytest.mark.parametrize("size", [1, 2, 5])
    def test_the_accepted_radius_has_the_right_law(self, size):
        """Binom(k + n, n) times the product of fractions is (2k + 1)^n, up to a constant: in rational numbers."""
        ratios = set()
        for k in range(40):
            accepted = Fraction(1)
            for i in range(1, size + 1):
                accepted *= Fraction(2 * k + 1, 2 * k + 2 * i)
            assert accepted < 1
            ratios.add(math.comb(k + size, size) * accepted / (2 * k + 1) ** size)
        assert len(ratios) == 1

    @pytest.mark.slow
    @pytest.mark.parametrize(("size", "scale"), [(1, 1.5), (2, 0.7), (3, 1.0)])
    def test_its_noise_has_the_exact_distribution(self, size, scale):
        """A chi-square test on 8,000 draws; a false alarm in one of a million runs, and noise 20 % off is found."""
        mechanism = ExactCube(1.0, scale, NoiseBlock("laplace", scale))
        draws = np.zeros((8_000, size))
        for vector in draws:
            mechanism.perturb(vector, None)
        reach = 3
        cells = np.stack(np.meshgrid(*[np.arange(-reach, reach + 1)] * size), axis=-1).reshape(-1, size)
        assert chi_square(draws, cells, size, scale) > 1e-6
        assert chi_square(draws, cells, size, 1.2 * scale) < 1e-20

    def test_it_rounds_and_stays_on_its_grid(self):
        mechanism = ExactCube.calibrate(sensitivity=1.0, epsilon=1.0)
        vector = np.array([0.1, -0.2, 1 / 3])
        mechanism.perturb(vector, None)
        steps = vector / mechanism.step
        assert np.array_equal(steps, np.rint(steps))


def chi_square(draws, cells, size, scale):
    """Return the p-value of counts of single vectors of whole numbers, those that are rare or far put together."""
    total = sum(
        ((2 * k + 1) ** size - (2 * k - 1) ** size if k else 1) * math.exp(-k / scale)
        for k in range(math.ceil(60 * scale))
    )
    expected = np.exp(-np.abs(cells).max(axis=1) / scale) / total * len(draws)
    keys = {tuple(cell): number for number, cell in enumerate(cells.tolist())}
    found = np.zeros(len(cells))
    for draw in draws.astype(int).tolist():
        if tuple(draw) in keys:
            found[keys[tuple(draw)]] += 1
    common = expected >= 8.0
    observed = np.append(found[common], len(draws) - found[common].sum())
    wanted = np.append(expected[common], len(draws) - expected[common].sum())
    return stats.chisquare(observed, wanted).pvalue


def normal(z, s):
    weights = np.exp(-((np.arange(-60 * s, 60 * s + 1)) ** 2) / (2.0 * s * s))
    return np.exp(-(z**2) / (2.0 * s * s)) / weights.sum()


@pytest.mark.parametrize("s", [2, 5])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.5])
def test_gaussian_noise_on_a_grid_in_two_rounds_is_within_its_slack(s, epsilon):
    """Two numbers, the second shift chosen after the first release: delta is at most that of the bounds, plus slack."""
    z = np.arange(-12 * s, 12 * s + 1)
    phi0, phi1 = stats.norm.pdf(0.0), stats.norm.pdf(1.0)
    for first, later in [(1, (2, 2)), (3, (0, 4)), (s, (-1, s)), (2 * s, (s, -s))]:
        second = np.where(z > 0, later[0], later[1])  # a function of the first release
        p = normal(z, s)[:, None] * normal(z, s)[None, :]
        q = normal(z - first, s)[:, None] * normal(z[None, :] - second[:, None], s)
        reach = math.hypot(first, max(map(abs, later)))
        moved = first + max(map(abs, later))
        slack = (moved * phi0 / s + 2 * 2 * phi1) / (8 * s * s)
        for one, two in ((p, q), (q, p)):
            delta = np.maximum(0.0, one - math.exp(epsilon) * two).sum()
            assert delta <= gaussian_delta(reach / s, epsilon) + slack


def largest_first_node(world, trials, series):
    """Release live trees whose first loss is -1 or 1; the largest of the prefixes 1, 2, 4, which are nodes of round 1."""
    line = Box([-1.0], [1.0])
    live = unsealed(RunningSum.calibrated(line, Tree, prefixes=4, noise="laplace", epsilon=1.0).live())
    vectors = np.array([[2.0 * world - 1.0], [0.0], [0.0], [0.0]])
    found = np.empty(trials)
    for trial in range(trials):
        live.restart()
        sums = [live.offer(vector, 1.0, None)[1][0] for vector in vectors]
        found[trial] = max(sums[0], sums[1], sums[3])
    return found


@pytest.mark.slow
def test_a_live_tree_stands_an_audit():
    """A true guarantee is called violated in one of a million runs at most.

    In twenty runs the bound was 0.74 on average with a standard deviation of 0.03: 0.55 is six of them below.
    """
    bound = attacked(largest_first_node, 20_000, delta=0.0, gaussian=False, confidence=1 - 1e-6)
    assert 0.55 < bound <= 1.0


class TestRefusals:
    def test_spherical_noise_names_what_can_be_used(self):
        with pytest.raises(DiscreetError, match="live use needs noise laplace, or gaussian with a delta"):
            tree("spherical", L2Ball(SIZE, 1.0)).live()

    @pytest.mark.parametrize("name", ["laplace", "blt", "sqrt-toeplitz"])
    def test_sets_without_a_proof_of_their_projection(self, name):
        square = Polytope([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [1.0] * 4)
        with pytest.raises(
            DiscreetError, match="losses is a Polytope, but live sums need a Box, L1Ball, L2Ball or Simplex"
        ):
            CHANNELS[name](square).live()

    def test_rounding_that_would_cost_too_much(self):
        far = Box([2.0**19 - 1.0, *[0.0] * 199], [2.0**19, *[0.0] * 199])
        with pytest.raises(DiscreetError, match=r"rounding so long sums of these losses would add .* more than 1%"):
            tree("laplace", far, 2**20).live()
        with pytest.raises(DiscreetError, match=r"would add 3\.5% to the noise, more than 1%"):
            affordable(0.035, 9)
        blt = factorised(Buffered).factorisation
        with pytest.raises(DiscreetError, match=r"prefixes times dimension is .*, which is too large"):
            rounding_slack(blt._replace(prefixes=2**40), Checked(CUBE, 0.0), sensitivity=1.0, step=1e-9)

    def test_a_tree_is_not_made_with_exact_noise(self):
        with pytest.raises(DiscreetError, match=r"must be noise for simulation: live\(\) makes it exact"):
            RunningSum.over(CUBE, ExactLaplace.calibrate(sensitivity=1.0, epsilon=1.0), Tree, prefixes=4)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_live_channel_begins_anew_and_is_live_for_good(name):
    channel = CHANNELS[name]()
    rng = np.random.default_rng(1)
    for _ in range(5):
        channel.offer(np.ones(SIZE), 1.0, rng)
    live = unsealed(channel.live())
    assert live.seen[0] == 0
    assert live._with_exact_noise() is live
    assert live.fork() is live
    assert live.hold() == 1
    assert released(silent(live), np.ones((2, SIZE)))[1] == pytest.approx(2.0, abs=1e-6)
    assert channel.seen[0] == 5
    assert type(live) is type(channel) is RunningSum
    assert type(live.noise) in EXACT.values()
    one, other = unsealed(channel.live()), unsealed(channel.live())
    one.offer(np.zeros(SIZE), 1.0, None)
    other.offer(np.ones(SIZE), 1.0, None)
    assert repr(one) == repr(other)
    assert "hidden" in repr(one)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_round_that_fails_is_in_no_sum_or_in_one_place(name):
    """Were its place taken, a node would be made of what is left there of another round, which would count twice."""
    live = silent(unsealed(CHANNELS[name]().live()))
    released(live, np.full((5, SIZE), 0.5))
    live.restart()
    vectors = np.random.default_rng(4).uniform(-1.0, 1.0, (8, SIZE))
    for t, vector in enumerate(vectors):
        if t in (0, 2, 5):
            with pytest.raises(DiscreetError, match="no real number"):
                live.offer([0.1, 0.2, "no number"], 1.0, None)
        last = live.offer(vector, 1.0, None)[1]
        assert last == pytest.approx(vectors[: t + 1].sum(axis=0), abs=1e-7)


class TestTheSquareRoot:
    @pytest.mark.parametrize("rounds", [1, 7, 33, 130])
    def test_its_noise_is_independent_noise_times_c(self, rounds):
        vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, SIZE))
        channel = factorised(SquareRoot, CUBE, rounds)
        rng = np.random.default_rng(5)
        found = np.array([channel.offer(vector, 1.0, rng)[1].copy() for vector in vectors])
        noise = channel.noise.scale * np.random.default_rng(5).standard_normal((rounds, SIZE))
        for i in range(SIZE):
            noise[:, i] = np.convolve(noise[:, i], square_root(rounds))[:rounds]
        assert found == pytest.approx(np.cumsum(vectors, axis=0) + noise, abs=1e-9)

    def test_a_restart_draws_new_noise_and_forgets_the_sums(self):
        channel = factorised(SquareRoot)
        rng = np.random.default_rng(5)
        first = [channel.offer(np.ones(SIZE), 1.0, rng)[1].copy() for _ in range(4)]
        channel.restart()
        second = [channel.offer(np.ones(SIZE), 1.0, rng)[1].copy() for _ in range(4)]
        assert not np.any(np.isclose(first, second))
        assert all(np.abs(b - a - 1.0).max() < 12.0 * channel.noise.scale for a, b in pairwise(second))

    @pytest.mark.slow
    def test_long_streams_are_fast(self):
        """2^17 rounds, which took minutes at a cost of all rounds before; here the noise of the last sum is checked."""
        rounds, losses = 2**17, Box.cube(2, -1.0, 1.0)
        channel = factorised(SquareRoot, losses, rounds)
        last = np.zeros(2)
        compile_for(feed, channel)(channel, np.full(2, 0.5), rounds, last, np.random.default_rng(1))
        spread = channel.noise.scale * channel.factorisation.column_norm(rounds)
        assert np.abs(last - 0.5 * rounds).max() < 5.0 * spread, "a seed is fixed; by chance in one of a million"


def feed(channel, vector, rounds, last, rng):
    for _ in range(rounds):
        released = channel.offer(vector, 1.0, rng)[1]
        for i in range(last.size):
            last[i] = released[i]
