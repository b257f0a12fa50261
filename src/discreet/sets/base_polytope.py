"""The base polytope of any submodular function, by the greedy algorithm."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Self

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, check_int
from discreet.sets.contract import Vertices
from discreet.sets.vectors import LARGEST, remove_normals, scale_to_one
from discreet.sets.vertices import (
    ExplorationPlan,
    distance,
    hull_normals,
    plan_by_oracle,
    uniform_plan,
)

SetFunction = Callable[[frozenset[int]], float]

FEW = 12  # maximum number of items for which all sets of items are tried
FEWER = 6  # maximum number of items for which all orders are tried
SAMPLES = 2000  # random cases in which submodularity is checked for more than FEW items


class BasePolytope(Vertices):
    """The x with x(S) ≤ F(S) for all sets S of items and x(all) = F(all).

    F is submodular: an item never adds more to a larger set. A vertex lists what each item adds
    when they are added in some order. Not compiled, because F is a Python function.

    >>> coverage = BasePolytope.of(3, lambda items: float(len({i // 2 for i in items})))
    >>> point = np.zeros(3)
    >>> coverage.minimise_linear(np.array([0.3, 0.1, 0.2]), point)
    >>> point, coverage.flat, coverage.label(point)
    (array([0., 1., 1.]), 1, 'item 0 adds 0, item 1 adds 1, item 2 adds 1')
    """

    compiles = False

    items: int
    function: SetFunction
    middle: Floats
    normals: Floats  # orthonormal rows, orthogonal to the hull

    @classmethod
    def of(cls, items: int, function: SetFunction) -> Self:
        """Return the base polytope of a submodular function of sets of items, with F({}) = 0."""
        size = check_int("items", items, minimum=1, maximum=200)
        if not callable(function):
            raise DiscreetError(
                f"function is {function!r}, but must be callable with a set of items."
            )
        _check_submodular(size, function)
        bare = cls(
            items=size, function=function, middle=np.zeros(size), normals=np.zeros((0, size))
        )
        vertices = bare.plan().vertices
        middle = _shapley(size, function) if size <= FEW else vertices.mean(axis=0)
        return bare._replace(middle=middle, normals=hull_normals(vertices))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests: coverage, a root of the size, and graph cuts."""
        return [cls.of(4, _coverage), cls.of(5, _root_of_size), cls.of(5, _cut)]

    @property
    def dimension(self) -> int:
        """The number of items."""
        return self.items

    @property
    def flat(self) -> int:
        """The number of items minus the number of groups over which F is a sum."""
        return self.items - len(self.normals)

    @property
    def inner(self) -> float:
        """The minimum distance from the centre to a constraint; for at most 12 items."""
        if self.items > FEW:
            raise DiscreetError(
                f"items is {self.items}, but the inner radius is known only for up to {FEW} items."
            )
        rooms = []
        for some in _subsets(self.items):
            normal = np.isin(np.arange(self.items), list(some)).astype(np.float64)
            room = _value(self.function, some) - float(normal @ self.middle)
            self.tangent(normal)
            size = float(np.linalg.norm(normal))
            if size > 1e-9:
                rooms.append(room / size)
        return min(rooms, default=0.0)

    @property
    def outer(self) -> float:
        """The largest distance from the centre to a vertex; above 6 items, a bound from a box."""
        if self.items <= FEWER:
            return float(np.linalg.norm(self.plan().vertices - self.middle, axis=1).max())
        everything = frozenset(range(self.items))
        high = np.array([_value(self.function, frozenset({i})) for i in range(self.items)])
        low = np.array(
            [
                _value(self.function, everything) - _value(self.function, everything - {i})
                for i in everything
            ]
        )
        return float(np.linalg.norm(np.maximum(high - self.middle, self.middle - low)))

    def centre(self) -> Floats:
        """Return what each item adds on average: over all orders (Shapley), or some vertices."""
        return self.middle.copy()

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write what each item adds, in increasing order of the direction; ties go to the first."""
        order = np.argsort(scale_to_one(direction), kind="stable").tolist()
        _add_in_order(self.function, order, point)

    def tangent(self, vector: Floats) -> None:
        """Subtract the part orthogonal to the hull."""
        remove_normals(vector, self.normals)

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the distance to the set is at most the tolerance."""
        return point.size == self.items and distance(self, point) <= tolerance

    def plan(self) -> ExplorationPlan:
        """Return the vertices of all orders of at most 6 items, or of random ones."""
        if self.items > FEWER:
            return plan_by_oracle(self.minimise_linear, self.items)
        rows = np.empty((math.factorial(self.items), self.items))
        for row, order in zip(rows, itertools.permutations(range(self.items)), strict=True):
            _add_in_order(self.function, order, row)
        return uniform_plan(np.unique(rows, axis=0))

    def label(self, point: Floats) -> str:
        """Return what each item adds."""
        return ", ".join(f"item {i} adds {share:.6g}" for i, share in enumerate(point + 0.0))


def _add_in_order(function: SetFunction, order: Iterable[int], point: Floats) -> None:
    before, some = 0.0, frozenset[int]()
    for item in order:
        some |= {item}
        value = _value(function, some)
        point[item] = value - before
        before = value


def _value(function: SetFunction, items: frozenset[int]) -> float:
    value = float(function(items))
    if not abs(value) <= LARGEST:
        raise DiscreetError(
            f"function is {value} for the items {_shown(items)}, but must be finite."
        )
    return value


def _shown(items: Iterable[int]) -> str:
    return "{" + ", ".join(map(str, sorted(items))) + "}"


def _subsets(items: int) -> Iterable[frozenset[int]]:
    return (frozenset(i for i in range(items) if some >> i & 1) for some in range(2**items))


def _check_submodular(items: int, function: SetFunction) -> None:
    """Refuse a function with F(S + i) + F(S + j) < F(S + i + j) + F(S) in any checked case."""
    nothing = _value(function, frozenset())
    if nothing != 0.0:
        raise DiscreetError(f"function is {nothing:g} for the empty set, but must be 0 there.")
    known: dict[frozenset[int], float] = {}

    def value(some: frozenset[int]) -> float:
        if some not in known:
            known[some] = _value(function, some)
        return known[some]

    for some, i, j in _cases(items):
        both, apart = value(some | {i, j}) + value(some), value(some | {i}) + value(some | {j})
        if both > apart + 1e-9 * (1.0 + abs(both)):
            raise DiscreetError(
                f"function is not submodular: item {j} adds {value(some | {j}) - value(some):g} "
                f"to {_shown(some)} and {value(some | {i, j}) - value(some | {i}):g} to "
                f"{_shown(some | {i})}, but must not add more to a larger set."
            )


def _cases(items: int) -> Iterable[tuple[frozenset[int], int, int]]:
    if items <= FEW:
        for some in _subsets(items):
            for i, j in itertools.combinations(sorted(frozenset(range(items)) - some), 2):
                yield some, i, j
        return
    rng = np.random.default_rng(1)
    for _ in range(SAMPLES):
        order = rng.permutation(items).tolist()
        yield frozenset(order[2 : 2 + int(rng.integers(items - 1))]), order[0], order[1]


def _shapley(items: int, function: SetFunction) -> Floats:
    values = {some: _value(function, some) for some in _subsets(items)}
    shares = np.zeros(items)
    for some, value in values.items():
        for i in frozenset(range(items)) - some:
            chance = 1.0 / (items * math.comb(items - 1, len(some)))
            shares[i] += chance * (values[some | {i}] - value)
    return shares


def _coverage(items: frozenset[int]) -> float:
    return float(len(frozenset[int]().union(*({i, (i + 1) % 4, i // 2} for i in items))))


def _root_of_size(items: frozenset[int]) -> float:
    return math.sqrt(len(items)) + (0.5 if 0 in items else 0.0)


def _cut(items: frozenset[int]) -> float:
    edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 0.5), (3, 4, 1.5)]
    return sum(weight for one, other, weight in edges if (one in items) != (other in items))
