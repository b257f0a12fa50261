"""Paths through a graph without cycles, and mixtures of them: unit flows."""

from __future__ import annotations

import graphlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from componentjit import as_list, helper
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int, shorten
from discreet.sets.contract import Gauged
from discreet.sets.vectors import remove_normals
from discreet.sets.vertices import (
    ExplorationPlan,
    Selections,
    decode_names,
    encode_names,
    null_space,
    plan_by_list,
)

MOST_EDGES = 3000  # a limit on memory: the normals of the hull are a matrix of edges by nodes


class Paths(Selections, Gauged):
    """Unit flows from source to sink: coordinate i is the flow through edge i; vertices are paths.

    >>> roads = Paths.of([("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("b", "c")], "a", "d")
    >>> point = np.zeros(5)
    >>> roads.minimise_linear(np.array([0.1, 0.9, 0.8, 0.3, 0.2]), point)
    >>> roads.label(point), roads.flat
    ('path a-b-c-d', 2)
    """

    tails: Integers
    heads: Integers
    letters: NDArray[np.uint32]  # of the names of nodes
    ends: Integers  # source and sink
    order: Integers  # edges, sorted: those that leave a node come after those that enter it
    normals: Floats  # orthonormal rows, orthogonal to the hull
    mean_path: Floats  # the centre
    costs: Floats  # scratch: the cost of the cheapest path to each node
    arrivals: Integers  # scratch: the last edge of that path

    @classmethod
    def of(cls, edges: Sequence[tuple[str, str]], source: str, sink: str) -> Self:
        """Return the paths along these edges from source to sink; every edge must be on one."""
        check_int("the number of edges", len(edges), minimum=2, maximum=MOST_EDGES)
        names = list(dict.fromkeys(str(name) for edge in edges for name in edge))
        for name, node in (("source", source), ("sink", sink)):
            if node not in names:
                raise DiscreetError(
                    f"{name} is {shorten(node)}, but must be one of the nodes {shorten(names)}."
                )
        tails, heads = (
            np.array([names.index(str(edge[side])) for edge in edges]) for side in (0, 1)
        )
        rank = _ranks(names, tails, heads)
        order = np.argsort(rank[tails], kind="stable")
        ends = np.array([names.index(source), names.index(sink)])
        before, after = _ways(tails, heads, order, ends)
        on_paths = [
            before[tail] * after[head]
            for tail, head in zip(tails.tolist(), heads.tolist(), strict=True)
        ]
        if not all(on_paths):
            raise DiscreetError(
                f"edges[{on_paths.index(0)}] is {shorten(edges[on_paths.index(0)])}, but lies on "
                f"no path from {shorten(source)} to {shorten(sink)}."
            )
        if before[ends[1]] == 1:
            raise DiscreetError(
                f"there is only 1 path from {shorten(source)} to {shorten(sink)}, but there must "
                "be at least 2."
            )
        return cls(
            tails=tails,
            heads=heads,
            letters=encode_names(names),
            ends=ends,
            order=order,
            normals=_normals(tails, heads, len(names)),
            mean_path=np.array([paths / before[ends[1]] for paths in on_paths]),
            costs=np.zeros(len(names)),
            arrivals=np.zeros(len(names), dtype=np.int64),
        )

    @classmethod
    def layered(cls, layers: int, width: int) -> Self:
        """Return the paths from s to t through layers; each node leads to all of the next layer."""
        depth = check_int("layers", layers, minimum=1, maximum=1000)
        wide = check_int("width", width, minimum=2, maximum=50)
        nodes = [
            ["s"],
            *([f"{layer}.{node}" for node in range(wide)] for layer in range(depth)),
            ["t"],
        ]
        return cls.of(
            [
                (tail, head)
                for some, others in itertools.pairwise(nodes)
                for tail in some
                for head in others
            ],
            "s",
            "t",
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests: layered, with a bridge, with parallel edges."""
        bridged = ["de", "ab", "ac", "cd", "bd", "eg", "ef", "fg", "bc"]
        return [
            cls.layered(3, 2),
            cls.of([(edge[0], edge[1]) for edge in bridged], "a", "g"),
            cls.of([("a", "b"), ("a", "b")], "a", "b"),
        ]

    @property
    def dimension(self) -> int:
        """The number of edges."""
        return self.tails.size

    @property
    def flat(self) -> int:
        """The number of edges minus the number of nodes, plus 1."""
        return self.dimension - len(self.normals)

    @property
    def inner(self) -> float:
        """The minimum distance from the centre to x(i) = 0, for edges that are not on all paths."""
        # Lengths of unit vectors projected onto the hull.
        along = np.sqrt(np.maximum(1.0 - np.sum(self.normals**2, axis=0), 0.0))
        return float(np.min(self.mean_path[along > 1e-9] / along[along > 1e-9]))

    def centre(self) -> Floats:
        """Return the mean of all paths."""
        return self.mean_path.copy()

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write the cheapest path, found node by node; ties go to the first; NaN counts as 0."""
        prices = as_list(direction)
        for node in range(self.costs.size):
            self.costs[node], self.arrivals[node] = 0.0, -1
        for i in range(self.order.size):
            edge = self.order[i]
            head = self.heads[edge]
            cost = self.costs[self.tails[edge]] + bounded(prices[edge])
            if self.arrivals[head] < 0 or cost < self.costs[head]:
                self.costs[head], self.arrivals[head] = cost, edge
        for i in range(point.size):
            point[i] = 0.0
        node = self.ends[1]
        while node != self.ends[0]:
            point[self.arrivals[node]] = 1.0
            node = self.tails[self.arrivals[node]]

    def tangent(self, vector: Floats) -> None:
        """Keep the part of a vector that is a circulation."""
        remove_normals(vector, self.normals)

    def gauge(self, point: Floats) -> float:
        """Return the largest relative loss of flow in an edge, compared with the centre."""
        most = 0.0
        for i in range(point.size):
            most = max(most, 1.0 - point[i] / self.mean_path[i])
        return most

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether flows are non-negative and balanced at all nodes, within the tolerance."""
        if point.size != self.tails.size:
            return False
        for node in range(self.costs.size):
            self.costs[node] = 0.0
        self.costs[self.ends[0]], self.costs[self.ends[1]] = 1.0, -1.0
        for i in range(point.size):
            if not -tolerance <= point[i] < math.inf:
                return False
            self.costs[self.tails[i]] -= point[i]
            self.costs[self.heads[i]] += point[i]
        inside = True
        for node in range(self.costs.size):
            inside = inside and abs(self.costs[node]) <= tolerance
        return inside

    def plan(self) -> ExplorationPlan:
        """Return all paths, or random ones if there are more than 1024."""
        return plan_by_list(self._paths(), self.minimise_linear, self.dimension)

    def label(self, point: Floats) -> str:
        """Return the nodes of the path."""
        names, node = decode_names(self.letters), int(self.ends[0])
        passed = [names[node]]
        while node != self.ends[1]:
            leaving = np.flatnonzero(self.tails == node)
            node = int(self.heads[leaving[np.argmax(point[leaving])]])
            passed.append(names[node])
        return f"path {'-'.join(passed)}"

    def _paths(self) -> Iterator[Floats]:
        """Yield all paths, depth first."""
        waiting: list[tuple[int, tuple[int, ...]]] = [(int(self.ends[0]), ())]
        while waiting:
            node, path = waiting.pop()
            if node == self.ends[1]:
                yield np.isin(np.arange(self.dimension), path).astype(np.float64)
            leaving = np.flatnonzero(self.tails == node)[::-1].tolist()
            waiting.extend((int(self.heads[edge]), (*path, edge)) for edge in leaving)


@helper
def bounded(price: float) -> float:
    """Return a price that can be added up: 0 for NaN, within ±1e200, which outweighs all others."""
    if math.isnan(price):
        return 0.0
    return min(max(price, -1e200), 1e200)


def _ranks(names: list[str], tails: Integers, heads: Integers) -> Integers:
    """Return each node's place in a topological order, or refuse a graph with a cycle."""
    sorter = graphlib.TopologicalSorter[int](dict.fromkeys(range(len(names)), ()))
    for tail, head in zip(tails.tolist(), heads.tolist(), strict=True):
        sorter.add(head, tail)
    try:
        order = list(sorter.static_order())
    except graphlib.CycleError as failure:
        cycle = "-".join(names[node] for node in failure.args[1])
        raise DiscreetError(f"edges contain the cycle {cycle}, but must have no cycles.") from None
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return rank


def _ways(
    tails: Integers, heads: Integers, order: Integers, ends: Integers
) -> tuple[list[int], list[int]]:
    """Return each node's numbers of paths from the source and to the sink, as Python integers."""
    nodes = int(max(tails.max(), heads.max())) + 1
    before, after = [0] * nodes, [0] * nodes
    before[ends[0]] = after[ends[1]] = 1
    for edge in order.tolist():
        before[heads[edge]] += before[tails[edge]]
    for edge in reversed(order.tolist()):
        after[tails[edge]] += after[heads[edge]]
    return before, after


def _normals(tails: Integers, heads: Integers, nodes: int) -> Floats:
    """Return orthonormal rows that span the balances of all nodes."""
    balance = np.zeros((nodes, tails.size))
    edges = np.arange(tails.size)
    np.add.at(balance, (tails, edges), 1.0)
    np.add.at(balance, (heads, edges), -1.0)
    return null_space(null_space(balance))
