"""Loops in lanes: all that is known is what they declare, and every trial has its numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest

from componentjit import Component, LoopError, copy, vectorizable
from componentjit.lanes import LANES, NotVectorizable, program_for


class Order(NamedTuple):
    """What was ordered last; a field has a name that the compiler once made up itself."""

    size: float
    counter1: int


class Weather(Component):
    """Something else for every trial, in every round."""

    rain: np.ndarray  # round
    wind: np.ndarray  # round, place


class Shop(Component):
    """A shop whose customers come in the rain, and which orders what it lacks."""

    stock: np.ndarray
    limit: float
    places: int

    def serve(self, rain, rng):
        sold = 0.0
        while rng.random() < rain and sold < 3.0:
            sold += 1.0
        self.stock[0] = max(self.stock[0] - sold, 0.0)
        return sold

    def order(self, last, rng):
        missing = self.limit - self.stock[0]
        if missing > last.size or rng.random() < 0.1:
            self.stock[0] += missing
            return Order(missing * 0.5, last.counter1 + 1)
        return Order(last.size * 0.9, last.counter1)


@vectorizable(
    state="shop",
    tables=("weather", "sales"),
    uniform=("ends", "first", "price"),
    carried=("earned", "order", "busy"),
    generators=("customers", "orders"),
    returns=("first", "earned", "order", "busy"),
)
def run_shop(shop, weather, sales, ends, first, price, earned, order, busy, customers, orders):
    """Run a shop until ``ends[-1]``; most of its variables are called like something else."""
    t = first
    for mark in range(ends.size):
        while t < ends[mark]:
            sold = shop.serve(weather.rain[t] * weather.wind[t, -1], customers)
            loss = sold * price - 0.01 * math.log1p(shop.stock[0])
            earned += loss
            if sold > 1.0:
                busy += 1
            order = shop.order(order, orders)
            t += 1
        sales[mark] = earned
    if ends[-1] < 0:
        earned = -1.0
    return t, earned, order, busy


def example():
    weather = Weather(np.zeros(4), np.zeros((4, 2)))
    return {
        "shop": Shop(stock=np.full(1, 5.0), limit=6.0, places=2),
        "weather": weather,
        "sales": np.zeros(2),
        "ends": np.array([2, 4]),
        "first": 0,
        "price": 1.5,
        "earned": 0.0,
        "order": Order(0.0, 0),
        "busy": 0,
        "customers": None,
        "orders": None,
    }


def generators(first):
    return [np.random.default_rng([first, lane]) for lane in range(LANES)]


def weathers():
    rng = np.random.default_rng(7)
    return [(rng.random((30, LANES)), rng.random((30, 2, LANES))) for _ in range(3)]


def test_a_loop_with_names_of_its_own_has_the_same_numbers_in_every_lane():
    shop, ends = example()["shop"], np.array([11, 30])
    program = program_for(run_shop, example())
    program.compile()
    lanes = program.start(shop, {"customers": generators(1), "orders": generators(2)})
    found = []
    for rain, wind in weathers():
        sales = np.empty((2, LANES))
        tables = {"weather.rain": rain, "weather.wind": wind, "sales": sales}
        program.run(lanes, tables | {"ends": ends, "first": 0, "price": 1.25})
        found.append(sales)
    for lane in range(LANES):
        mine, earned, order, busy = copy(shop), 0.0, Order(0.0, 0), 0
        own = generators(1)[lane], generators(2)[lane]
        for piece, (rain, wind) in enumerate(weathers()):
            weather, sales = Weather(rain[:, lane], wind[..., lane]), np.empty(2)
            given = mine, weather, sales, ends, 0, 1.25, earned, order, busy
            _, earned, order, busy = run_shop(*given, *own)
            np.testing.assert_array_equal(found[piece][:, lane], sales)
        carried = {name: row[lane] for name, row in lanes.carried.items()}
        assert carried == {
            "earned": earned,
            "order.size": order.size,
            "order.counter1": order.counter1,
            "busy": busy,
        }
    assert len(set(lanes.carried["earned"])) == LANES, "trials differ"


@vectorizable(state="shop", uniform=("rounds",), carried=("total",), generators=("rng",))
def count_up(shop, rounds, total, rng):
    for _ in range(rounds):
        total += shop.serve(0.5, rng)
    return total


def test_one_number_may_be_returned_and_may_begin_elsewhere():
    shop = example()["shop"]
    program = program_for(count_up, {"shop": shop, "rounds": 1, "total": 0.0, "rng": None})
    program.compile()
    lanes = program.start(shop, {"rng": generators(3)}, {"total": 100.0})
    program.run(lanes, {"rounds": 9})
    expected = [count_up(copy(shop), 9, 100.0, rng) for rng in generators(3)]
    assert lanes.carried["total"].tolist() == expected


def declare(**roles):
    def loop(shop, rounds, rng):
        going = rounds > 0
        return (going, rng)

    return vectorizable(**roles)(loop)


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        (
            {"state": "shop", "uniform": ("rounds",)},
            "loop: argument 'rng' has no role, but needs exactly one of state, tables, "
            "uniform, carried and generators.",
        ),
        (
            {
                "state": "shop",
                "uniform": ("rounds",),
                "carried": ("rounds",),
                "generators": ("rng",),
            },
            "loop: argument 'rounds' has several roles",
        ),
        (
            {"state": "store", "uniform": ("rounds",), "generators": ("rng",)},
            "loop has no argument 'store', which is declared as state.",
        ),
        (
            {
                "state": "shop",
                "uniform": ("rounds",),
                "generators": ("rng",),
                "running": ("goes",),
            },
            "loop has no variable 'goes', which is declared as running.",
        ),
        (
            {"state": "shop", "carried": ("rounds",), "generators": ("rng",), "returns": ()},
            "loop: 'rounds' is carried, but not declared in returns.",
        ),
        (
            {"state": "shop", "uniform": ("rounds",), "generators": ("rng",), "returns": ("rng",)},
            "loop: returns names 'rng', but may name every carried or uniform argument once",
        ),
        (
            {"state": "shop", "uniform": "rounds", "generators": ("rng",)},
            "loop: uniform is 'rounds', but must be a tuple of names.",
        ),
    ],
)
def test_what_is_declared_must_match_the_arguments(roles, sentence):
    with pytest.raises(LoopError) as refused:
        declare(**roles)
    assert str(refused.value).startswith(sentence)


def test_a_loop_that_declares_nothing_is_refused():
    def loop(shop):
        return shop

    with pytest.raises(LoopError, match="loop declares no interface: decorate it with"):
        program_for(loop, {"shop": 1})


def test_a_loop_is_told_which_examples_it_needs():
    with pytest.raises(LoopError, match="count_up takes shop, rounds, total, rng, but examples"):
        program_for(count_up, {"shop": example()["shop"]})


@vectorizable(state="shop", uniform=("rounds",), carried=("total",), generators=("rng",))
def returns_more(shop, rounds, total, rng):
    for _ in range(rounds):
        total += shop.serve(0.5, rng)
    return rounds, total


@vectorizable(state="shop", uniform=("rounds",), carried=("total",), generators=("rng",))
def returns_another(shop, rounds, total, rng):
    for _ in range(rounds):
        total += shop.serve(0.5, rng)
    return rounds


@vectorizable(state="shop", uniform=("rounds",), carried=("total",), generators=("rng",))
def returns_nothing(shop, rounds, total, rng):
    for _ in range(rounds):
        total += shop.serve(0.5, rng)


@pytest.mark.parametrize(
    ("loop", "sentence"),
    [
        (returns_more, "the loop returns 2 values, but declares 1: total."),
        (returns_another, "the loop returns rounds, but declares total in that place."),
        (returns_nothing, "the loop returns 0 values, but declares 1: total."),
    ],
)
def test_what_is_returned_must_be_what_is_declared(loop, sentence):
    examples = {"shop": example()["shop"], "rounds": 1, "total": 0.0, "rng": None}
    with pytest.raises(LoopError) as refused:
        program_for(loop, examples)
    assert str(refused.value) == sentence


@vectorizable(state="shop", uniform=("rounds",), generators=("rng",))
def uniform_that_varies(shop, rounds, rng):
    while rounds > 0:
        rounds -= int(shop.serve(0.5, rng)) + 1


@vectorizable(state="shop", uniform=("rounds",), generators=("rng",), running=("open_now",))
def ends_early(shop, rounds, rng):
    open_now = True
    while open_now and rounds > 0:
        rounds -= 1
        open_now = shop.limit > 3.0


class Drawer(Component):
    """Has a method that cannot be inlined, and is called like a function that lanes know."""

    stock: np.ndarray

    def exponent(self, x):
        return max([x, self.stock[0]])


@vectorizable(state="bits", uniform=("rounds",))
def called_like_a_module(bits, rounds):
    for _ in range(rounds):
        bits.stock[0] += bits.exponent(0.5)


@pytest.mark.parametrize("loop", [uniform_that_varies, ends_early])
def test_what_cannot_be_vectorised_is_refused_and_not_wrong(loop):
    with pytest.raises(NotVectorizable, match="trials that may end before the last round"):
        program_for(loop, {"shop": example()["shop"], "rounds": 1, "rng": None})


@vectorizable(state="shop", uniform=("rounds",))
def hides_a_builtin(shop, rounds):
    for _ in range(rounds):
        min = shop.limit  # noqa: A001 (what is refused)
        shop.stock[0] += min


def test_a_refusal_names_the_real_reason():
    with pytest.raises(NotVectorizable, match="min is a variable with the name of a builtin"):
        program_for(hides_a_builtin, {"shop": example()["shop"], "rounds": 1})


def test_a_method_is_not_taken_for_a_function_of_a_module():
    with pytest.raises(NotVectorizable):
        program_for(called_like_a_module, {"bits": Drawer(np.zeros(1)), "rounds": 1})


class TestRunning:
    """What does not fit is refused before compiled code reads memory that is not there."""

    def handed(self):
        sales, ends = np.empty((2, LANES)), np.array([11, 30])
        rain, wind = weathers()[0]
        tables = {"weather.rain": rain, "weather.wind": wind, "sales": sales}
        return tables | {"ends": ends, "first": 0, "price": 1.25}

    @pytest.fixture
    def program(self):
        program = program_for(run_shop, example())
        program.compile()
        return program

    @pytest.fixture
    def lanes(self, program):
        return program.start(
            example()["shop"], {"customers": generators(1), "orders": generators(2)}
        )

    @pytest.mark.parametrize("name", ["weather.rain", "sales", "ends", "first", "price"])
    def test_all_that_the_loop_reads_is_handed_in(self, program, lanes, name):
        handed = self.handed()
        del handed[name]
        with pytest.raises(LoopError, match=f"the loop needs {name}, which was not passed"):
            program.run(lanes, handed)

    def test_and_nothing_else(self, program, lanes):
        with pytest.raises(LoopError, match="losses was passed, but the loop has no such argument"):
            program.run(lanes, self.handed() | {"losses": np.zeros((3, LANES))})

    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"sales": np.empty((2, LANES), np.float32)}, "sales is an array of float32 with"),
            ({"sales": np.empty((2, 3))}, r"shape \(2, 3\), but .* \(any length, 16\)"),
            ({"weather.wind": np.empty((30, 5, LANES))}, r"\(any length, 2, 16\)"),
            ({"sales": np.empty((2, 2 * LANES))[:, ::2]}, "sales must be contiguous in memory"),
            ({"ends": np.array([1.0])}, "ends is an array of float64"),
        ],
    )
    def test_arrays_have_the_type_and_shape_of_the_examples(self, program, lanes, change, sentence):
        with pytest.raises(LoopError, match=sentence):
            program.run(lanes, self.handed() | change)

    def test_every_lane_needs_its_generators(self, program):
        shop = example()["shop"]
        with pytest.raises(LoopError, match="generators has rng, but the loop declares customers"):
            program.start(shop, {"rng": generators(1)})
        with pytest.raises(LoopError, match="orders has 3 generators, but there are 16 lanes"):
            program.start(shop, {"customers": generators(1), "orders": generators(2)[:3]})

    def test_what_is_carried_begins_the_same_in_all_lanes(self, program):
        both = {"customers": generators(1), "orders": generators(2)}
        for wrong in ({"sales": 1.0}, {"earned": np.zeros(LANES)}):
            with pytest.raises(
                LoopError, match="but may have one number for each of earned, order"
            ):
                program.start(example()["shop"], both, wrong)
