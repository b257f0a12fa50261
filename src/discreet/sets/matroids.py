"""Matroids: choices from groups, and spanning trees."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from componentjit import as_list
from discreet.contracts import Floats, Integers
from discreet.errors import DiscreetError, check_int, shorten
from discreet.sets.arrangements import KSets
from discreet.sets.contract import Gauged
from discreet.sets.vectors import sort_items
from discreet.sets.vertices import (
    MOST,
    ExplorationPlan,
    Selections,
    decode_names,
    distance,
    encode_names,
    name_items,
    plan_by_list,
    plan_by_oracle,
    uniform_plan,
)
from discreet.sets.widths import FEW_NODES, greedy_width, rank_of_graph

FEW = 14  # maximum number of nodes for which all sets of nodes are tried


class Matroid(Selections):
    """The convex hull of the bases of a matroid, its largest independent sets of elements.

    Subclasses decide which elements may be added to those chosen so far. A greedy choice is then
    optimal for every direction (Edmonds). Within each connected component of the matroid, all bases
    have the same sum. These equations describe the affine hull.
    """

    component: Integers  # of each element
    lengths: Floats  # the number of elements in each component
    order: Integers  # scratch, like the next field
    totals_of: Floats

    @property
    def dimension(self) -> int:
        """The number of elements."""
        return self.component.size

    @property
    def flat(self) -> int:
        """The number of elements minus the number of components."""
        return self.component.size - self.lengths.size

    def drop_all(self) -> None:
        """Reset the choice of elements."""
        raise NotImplementedError

    def admit(self, element: int) -> bool:
        """Choose the element if it is independent of the chosen ones; return whether it is."""
        raise NotImplementedError

    def minimise_linear(self, direction: Floats, point: Floats) -> None:
        """Write 1 for the elements of a greedy choice, smallest direction first; ties by index."""
        sort_items(as_list(direction), self.order)
        self.drop_all()
        for i in range(point.size):
            element = self.order[i]
            point[element] = 1.0 if self.admit(element) else 0.0

    def tangent(self, vector: Floats) -> None:
        """Subtract from every entry the mean of its component."""
        for c in range(self.lengths.size):
            self.totals_of[c] = 0.0
        for i in range(vector.size):
            self.totals_of[self.component[i]] += vector[i]
        for i in range(vector.size):
            vector[i] -= self.totals_of[self.component[i]] / self.lengths[self.component[i]]


class PartitionMatroid(Matroid, Gauged):
    """Choices of some items from each of several groups: 0 ≤ x ≤ 1 with a given sum per group.

    >>> menu = PartitionMatroid.of([3, 4], [1, 2])
    >>> point = np.zeros(7)
    >>> menu.minimise_linear(np.array([0.5, 0.1, 0.3, 0.0, 0.9, 0.2, 0.1]), point)
    >>> menu.label(point)
    'items 1, 3, 6'
    """

    picks: Integers  # from each group
    picked: Integers  # scratch

    @classmethod
    def of(cls, sizes: Sequence[int], picks: Sequence[int]) -> Self:
        """Return the choices from groups of these sizes; items of a group are consecutive."""
        if len(sizes) != len(picks) or not len(sizes):
            raise DiscreetError(
                f"sizes has length {len(sizes)} and picks has length {len(picks)}, but both must "
                "have the same length, at least 1."
            )
        for group, (size, many) in enumerate(zip(sizes, picks, strict=True)):
            check_int(f"sizes[{group}]", size, minimum=2, maximum=1_000_000)
            if check_int(f"picks[{group}]", many, minimum=1) >= size:
                raise DiscreetError(
                    f"picks[{group}] is {shorten(many)}, but must be less than the size of its "
                    f"group, {size}."
                )
        component = np.repeat(np.arange(len(sizes)), sizes)
        return cls(
            component=component,
            lengths=np.array(sizes, dtype=np.float64),
            order=np.zeros(component.size, dtype=np.int64),
            totals_of=np.zeros(len(sizes)),
            picks=np.array(picks, dtype=np.int64),
            picked=np.zeros(len(sizes), dtype=np.int64),
        )

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests."""
        return [cls.of([2], [1]), cls.of([3, 4], [1, 2]), cls.of([2, 2, 3], [1, 1, 2])]

    @property
    def inner(self) -> float:
        """The smallest inner radius of the k-sets of a group."""
        share = self.picks / self.lengths
        return float(
            np.min(np.minimum(share, 1.0 - share) * np.sqrt(self.lengths / (self.lengths - 1.0)))
        )

    def gaussian_width(self) -> float:
        """Return the sum of the widths of the k-sets of each group."""
        return sum(
            KSets.of(int(size), int(many)).gaussian_width()
            for size, many in zip(self.lengths, self.picks, strict=True)
        )

    def centre(self) -> Floats:
        """Return the point that chooses all items of a group equally."""
        return np.asarray((self.picks / self.lengths)[self.component])

    def drop_all(self) -> None:
        """Reset the number of items picked from each group."""
        for group in range(self.picked.size):
            self.picked[group] = 0

    def admit(self, element: int) -> bool:
        """Pick the item if its group is not complete; return whether it was picked."""
        group = self.component[element]
        if self.picked[group] == self.picks[group]:
            return False
        self.picked[group] += 1
        return True

    def gauge(self, point: Floats) -> float:
        """Return how far an entry has moved from the centre towards 0 or 1: the largest share."""
        most = 0.0
        for i in range(point.size):
            share = self.picks[self.component[i]] / self.lengths[self.component[i]]
            most = max(most, (point[i] - share) / (1.0 - share), (share - point[i]) / share)
        return most

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether entries and the sums of groups are right within the tolerance."""
        if point.size != self.component.size:
            return False
        for group in range(self.picks.size):
            self.totals_of[group] = 0.0
        for i in range(point.size):
            if not -tolerance <= point[i] <= 1.0 + tolerance:
                return False
            self.totals_of[self.component[i]] += point[i]
        inside = True
        for group in range(self.picks.size):
            inside = inside and abs(self.totals_of[group] - self.picks[group]) <= tolerance
        return inside

    def plan(self) -> ExplorationPlan:
        """Return all choices, or random ones if there are more than 1024."""
        sizes = zip(self.lengths, self.picks, strict=True)
        if math.prod(math.comb(int(n), int(k)) for n, k in sizes) > MOST:
            return plan_by_oracle(self.minimise_linear, self.dimension)
        groups = [
            np.flatnonzero(self.component == group).tolist() for group in range(self.picks.size)
        ]
        ways = [
            list(itertools.combinations(items, int(k)))
            for items, k in zip(groups, self.picks, strict=True)
        ]
        chosen = (sum(choice, ()) for choice in itertools.product(*ways))
        return uniform_plan([np.isin(np.arange(self.dimension), items) for items in chosen])

    def label(self, point: Floats) -> str:
        """Return the items chosen."""
        return name_items(point)


class GraphicMatroid(Matroid):
    """Spanning trees: coordinate i says how much of edge i is in the tree.

    >>> square = GraphicMatroid.of([("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    >>> point = np.zeros(4)
    >>> square.minimise_linear(np.array([0.1, 0.4, 0.2, 0.3]), point)
    >>> square.label(point)
    'edges a-b, c-d, d-a'
    """

    tails: Integers
    heads: Integers
    letters: NDArray[np.uint32]  # of the names of nodes
    parent: Integers  # scratch: nodes connected by the edges chosen so far have the same root

    @classmethod
    def of(cls, edges: Sequence[tuple[str, str]]) -> Self:
        """Return the spanning trees of a connected graph with these edges."""
        names = list(dict.fromkeys(str(name) for edge in edges for name in edge))
        if len(names) < 2:
            raise DiscreetError(f"edges is {shorten(edges)}, but must connect at least 2 nodes.")
        tails, heads = (
            np.array([names.index(str(edge[side])) for edge in edges]) for side in (0, 1)
        )
        if np.any(tails == heads):
            i = int(np.argmax(tails == heads))
            raise DiscreetError(
                f"edges[{i}] is {shorten(edges[i])}, but must connect two different nodes."
            )
        component = _components(tails, heads, len(names))
        return cls(
            component=component,
            lengths=np.bincount(component).astype(np.float64),
            order=np.zeros(len(tails), dtype=np.int64),
            totals_of=np.zeros(int(component.max()) + 1),
            tails=tails,
            heads=heads,
            letters=encode_names(names),
            parent=np.zeros(len(names), dtype=np.int64),
        )

    @classmethod
    def complete(cls, nodes: int) -> Self:
        """Return the spanning trees of the complete graph, with edges 0-1, 0-2, ..., 1-2, ..."""
        names = [str(node) for node in range(check_int("nodes", nodes, minimum=3, maximum=60))]
        return cls.of(list(itertools.combinations(names, 2)))

    @classmethod
    def examples(cls) -> Sequence[Self]:
        """Return examples for the contract tests: complete, with a bridge, with a double edge."""
        bridged = ["ab", "bc", "ca", "cd", "de", "ef", "fd", "eg", "gf"]
        return [
            cls.complete(4),
            cls.of([(edge[0], edge[1]) for edge in bridged]),
            cls.of([("a", "b"), ("b", "a"), ("b", "c")]),
        ]

    @property
    def inner(self) -> float:
        """The minimum distance from the centre to a constraint.

        The constraints: no entry is below 0, and at most n - 1 edges are among any n nodes.
        """
        rooms = list(self._rooms_of_edges())
        if self._is_complete():
            nodes, edges = self.parent.size, self.dimension
            for n in range(2, nodes):
                among = n * (n - 1) / 2.0
                rooms.append(
                    (n - 1.0 - among * 2.0 / nodes) / math.sqrt(among - among * among / edges)
                )
        elif self.parent.size <= FEW:
            rooms.extend(self._rooms_of_nodes())
        else:
            raise DiscreetError(
                f"the graph has {self.parent.size} nodes, but the inner radius of its spanning "
                f"trees is known only for complete graphs and up to {FEW} nodes."
            )
        return min(rooms, default=0.0)

    def gaussian_width(self) -> float:
        """Return the width for complete graphs, where the rank f of edges is known."""
        if self._is_complete() and self.parent.size <= FEW_NODES:
            return greedy_width(rank_of_graph(self.parent.size))
        return super().gaussian_width()

    def centre(self) -> Floats:
        """Return the mean of all spanning trees: the effective resistance of edges (Kirchhoff)."""
        incidence = np.zeros((self.dimension, self.parent.size))
        edges = np.arange(self.dimension)
        incidence[edges, self.tails], incidence[edges, self.heads] = 1.0, -1.0
        resistances = np.linalg.pinv(incidence.T @ incidence, hermitian=True)
        return np.asarray(np.sum(incidence @ resistances * incidence, axis=1))

    def drop_all(self) -> None:
        """Make every node a separate tree."""
        for node in range(self.parent.size):
            self.parent[node] = node

    def admit(self, element: int) -> bool:
        """Add the edge if it connects two trees; return whether it does."""
        tail, head = self.tails[element], self.heads[element]
        while self.parent[tail] != tail:
            self.parent[tail] = self.parent[self.parent[tail]]
            tail = self.parent[tail]
        while self.parent[head] != head:
            self.parent[head] = self.parent[self.parent[head]]
            head = self.parent[head]
        if tail == head:
            return False
        self.parent[tail] = head
        return True

    def contains(self, point: Floats, tolerance: float) -> bool:
        """Return whether the distance to the set is at most the tolerance."""
        return point.size == self.dimension and distance(self, point) <= tolerance

    def plan(self) -> ExplorationPlan:
        """Return all spanning trees, or random ones if there are more than 1024."""
        # Listing tries all sets of edges, but few of them may be trees.
        if math.comb(self.dimension, self.parent.size - 1) > 20 * MOST:
            return plan_by_oracle(self.minimise_linear, self.dimension)
        return plan_by_list(self._trees(), self.minimise_linear, self.dimension)

    def label(self, point: Floats) -> str:
        """Return the edges of the tree."""
        names = decode_names(self.letters)
        edges = (
            f"{names[self.tails[i]]}-{names[self.heads[i]]}" for i in np.flatnonzero(point > 0.5)
        )
        return f"edges {', '.join(edges)}"

    def _is_complete(self) -> bool:
        pairs = set(
            zip(np.minimum(self.tails, self.heads), np.maximum(self.tails, self.heads), strict=True)
        )
        return len(pairs) == self.dimension == math.comb(self.parent.size, 2)

    def _rooms_of_edges(self) -> Iterator[float]:
        """Yield the distance from the centre to x(i) = 0, for edges that are not in every tree."""
        for length, share in zip(self.lengths[self.component], self.centre(), strict=True):
            if length > 1.0:
                yield float(share / math.sqrt(1.0 - 1.0 / length))

    def _rooms_of_nodes(self) -> Iterator[float]:
        """Yield the distance from the centre to the constraint on edges, for each set of nodes."""
        centre, nodes = self.centre(), np.arange(self.parent.size)
        for some in range(3, 2**nodes.size):
            member = (some >> nodes) & 1 == 1
            among = member[self.tails] & member[self.heads]
            normal = among.astype(np.float64)
            self.tangent(normal)
            size = float(np.linalg.norm(normal))
            if size > 1e-9:
                yield (int(member.sum()) - 1.0 - float(centre[among].sum())) / size

    def _trees(self) -> Iterator[Floats]:
        for chosen in itertools.combinations(range(self.dimension), self.parent.size - 1):
            self.drop_all()
            if all(self.admit(edge) for edge in chosen):
                yield np.isin(np.arange(self.dimension), chosen).astype(np.float64)


def _components(tails: Integers, heads: Integers, nodes: int) -> Integers:
    """Return each edge's connected component of the matroid, or refuse a disconnected graph.

    Two edges are in one component if some cycle contains both. It is enough to check the cycles of
    a tree plus one edge.
    """
    paths: dict[int, frozenset[int]] = {0: frozenset()}  # from node 0, in a tree
    waiting = [0]
    for node in waiting:
        for edge in np.flatnonzero((tails == node) | (heads == node)).tolist():
            other = int(heads[edge] if tails[edge] == node else tails[edge])
            if other not in paths:
                paths[other] = paths[node] | {edge}
                waiting.append(other)
    if len(paths) < nodes:
        raise DiscreetError(
            f"edges connect only {len(paths)} of {nodes} nodes, but must connect all of them."
        )
    component = np.arange(tails.size)
    for edge in range(tails.size):
        cycle = [edge, *(paths[int(tails[edge])] ^ paths[int(heads[edge])])]
        component[np.isin(component, component[cycle])] = component[cycle].min()
    return np.unique(component, return_inverse=True)[1].astype(np.int64)
