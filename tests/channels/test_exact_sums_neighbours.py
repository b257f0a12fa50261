"""Running sums in live use: neighbours are within the stated steps, rounding included."""

from __future__ import annotations

import functools
import math
from fractions import Fraction

import numpy as np
import pytest
from exact_channels import CHANNELS, SETS, SIZE, factorised, tree
from hypothesis import given, settings
from hypothesis import strategies as some
from mpmath import mp, mpf

from discreet import DiscreetError
from discreet.channels.rounding import ROOM, Checked
from discreet.contracts import Noise, unsealed
from discreet.factorisations import Buffered, SquareRoot
from discreet.factorisations.convolution import BLOCK
from discreet.factorisations.tree import exact_grid
from discreet.sets import Box, L1Ball, L2Ball, Simplex


class Recorder(Noise):
    """In place of exact noise: keeps what it is given, in whole numbers of steps."""

    compiles = False
    is_exact = True

    step: float
    given: list

    def sealed(self):
        return self

    def perturb(self, vector, rng):
        self.given.append([round(Fraction(float(value)) / Fraction(self.step)) for value in vector])


def given_to_the_mechanism(live, vectors):
    """Return the inputs of a fresh channel's mechanism; restart() is part of what is tested."""
    live.restart()
    recorder = Recorder(live.noise.step, [])
    recorded = live._replace(noise=recorder)
    for vector in vectors:
        recorded.offer(np.array(vector), 1.0, None)
    return recorder.given


numbers = some.one_of(
    some.sampled_from(
        [0.0, 1 / 3, -1 / 3, 0.1, 1e-17, -1e-17, 5e-324, 1e300, math.nan, math.inf, -math.inf]
    ),
    some.floats(-2.0, 2.0),
    some.floats(),
)
streams = some.lists(some.tuples(*[numbers] * SIZE), min_size=6, max_size=6)


@functools.cache
def live_channels():
    """Return every channel over every set, by both."""
    return {
        (name, i): unsealed(CHANNELS[name](losses, 6).live())
        for name in CHANNELS
        for i, losses in enumerate(SETS)
    }


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(streams, some.integers(0, 5), some.tuples(*[numbers] * SIZE))
def test_neighbours_are_within_the_stated_steps_whatever_comes(vectors, where, other):
    neighbour = [*vectors[:where], other, *vectors[where + 1 :]]
    for (name, _), live in live_channels().items():
        if name == "padded":
            # what pads is given noisy sums: its nodes are those of the tree without padding
            continue
        one, two = given_to_the_mechanism(live, vectors), given_to_the_mechanism(live, neighbour)
        moves = [
            [abs(a - b) for a, b in zip(x, y, strict=True)] for x, y in zip(one, two, strict=True)
        ]
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
            live_channels()[name, i].restart()
            coarse = on_grid(
                live_channels()[name, i],
                2.0 ** math.floor(math.log2(losses.diameter(math.inf)) - 1.0),
            )
            one, two = (
                np.array(given_to_the_mechanism(coarse, world)) for world in (vectors, neighbour)
            )
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
    """The farthest corners in round 1 move all of its nodes: no more than 1e-7 is wasted."""
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
        one, two = (
            np.array(given_to_the_mechanism(live, [end, *rest]), dtype=float) for end in ends
        )
        moved = np.linalg.norm((one - two).ravel(), norm) * live.noise.step
        assert moved == pytest.approx(live.sensitivity, rel=1e-7)


@pytest.mark.parametrize("kind", [Buffered, SquareRoot])
def test_rounding_errors_of_rows_are_below_their_bound(kind):
    """Exact rational arithmetic against doubles: losses of one sign, not binary fractions."""
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
    decay, output = (
        [Fraction(float(each)) for each in part]
        for part in (factorisation.decay, factorisation.output)
    )
    buffers, rows = [Fraction(0)] * len(decay), []
    for value in values:
        rows.append(value + sum(o * r for o, r in zip(output, buffers, strict=True)))
        buffers = [d * r + value for d, r in zip(decay, buffers, strict=True)]
    return rows


def coefficients(matrix, rounds):
    """Return those of a filter, to 40 digits."""
    with mp.workdps(40):
        far = [
            mp.fdot(map(mpf, matrix.weight), (mp.exp(-mpf(r) * k) for r in matrix.rate))
            for k in range(rounds)
        ]
        return [
            Fraction(float(matrix.near[k])) if k < BLOCK else Fraction(str(far[k]))
            for k in range(rounds)
        ]


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
