"""Abilities of sets at both speeds, in copies, and in words."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from vertex_lists import FOUND, directions, every, every_compiled, least

import componentjit
from componentjit.digest import fingerprint
from discreet import DiscreetError
from discreet.sets import (
    Barrier,
    BasePolytope,
    Birkhoff,
    Box,
    ConvexSet,
    Custom,
    Gauged,
    GraphicMatroid,
    KSets,
    NuclearBall,
    Polytope,
    Projecting,
    Simplex,
    Spectrahedron,
    Vertices,
    check_ability,
    check_room,
    set_named,
)

# Both speeds


def ask(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        points.minimise_linear(vector, answers[row])


def flatten(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            answers[row, i] = offered[row, i]
        points.tangent(answers[row])


def measure(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        answers[row, 0] = points.gauge(vector)


def check(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            vector[i] = offered[row, i]
        answers[row, 0] = 1.0 if points.contains(vector, 0.3) else 0.0


def put(points, offered, vector, answers):
    for row in range(offered.shape[0]):
        for i in range(vector.size):
            answers[row, i] = offered[row, i]
        points.project(answers[row])


@pytest.mark.slow
@every_compiled
def test_compiled_and_plain_agree_and_allocate_nothing(each):
    rng = np.random.default_rng(10)
    finite = directions(each.dimension, 40, rng)
    odd = np.vstack(
        [finite, rng.choice([math.nan, math.inf, -math.inf, 1e300, 0.3], size=(40, each.dimension))]
    )
    uses = [(ask, odd), (flatten, finite)]
    if isinstance(each, Gauged):
        uses.append((measure, finite))
    if isinstance(each, Projecting) and not isinstance(each, ConvexSet):
        uses.append((put, odd))
    if not isinstance(each, GraphicMatroid):
        uses.append((check, np.vstack([odd, finite * 0.1])))
    assert componentjit.compilable(each)
    for use, offered in uses:
        compiled = componentjit.compile_for(use, each)
        plain, fast = np.zeros_like(offered), np.zeros_like(offered)
        use(componentjit.copy(each), offered, np.zeros(each.dimension), plain)
        compiled(componentjit.copy(each), offered, np.zeros(each.dimension), fast)
        assert np.array_equal(plain, fast)
        assert not compiled.must_allocate
        assert fingerprint(use, (each,), "") is not None, "compiled code is kept on disk"


def test_sets_with_an_oracle_in_python_say_that_they_are_not_compiled():
    plain = {kind for kind in FOUND if not kind.compiles}
    assert plain == {Polytope, BasePolytope, Birkhoff, NuclearBall, Spectrahedron, Custom}
    assert not any(componentjit.compilable(kind.examples()[0]) for kind in plain)


@every
def test_copies_are_the_same_and_have_arrays_of_their_own(each):
    copies = [componentjit.copy(each)]
    if not isinstance(each, Custom | BasePolytope) or "<lambda>" not in repr(each):
        copies.append(pickle.loads(pickle.dumps(each)))
    direction = np.random.default_rng(11).normal(size=each.dimension)
    for copy in copies:
        assert type(copy) is type(each)
        assert not any(
            one is other
            for one, other in zip(copy, each, strict=True)
            if isinstance(one, np.ndarray)
        )
        assert np.array_equal(least(copy, direction), least(each, direction))
        assert np.array_equal(copy.centre(), each.centre())
        assert (copy.inner, copy.outer, copy.flat) == (each.inner, each.outer, each.flat)


# Abilities


@every
def test_abilities_are_said_in_words(each):
    assert each.abilities[0] == "a linear oracle"
    assert ("a projection" in each.abilities) == isinstance(each, Projecting)
    assert ("a barrier" in each.abilities) == isinstance(each, Barrier)
    assert ("vertices" in each.abilities) == isinstance(each, Vertices)


def test_what_a_set_lacks_is_refused():
    check_ability(Simplex(3), Barrier)
    lacks = r"type Permutahedron, which has a linear oracle, .*, but this needs a barrier"
    with pytest.raises(DiscreetError, match=lacks):
        check_ability(set_named("permutations(3)"), Barrier)
    check_room(KSets.of(3, 1), minimum=2)
    with pytest.raises(
        DiscreetError, match="type KSets has a hull of dimension 1, but must have at least 2"
    ):
        check_room(KSets.of(2, 1), minimum=2)
    with pytest.raises(DiscreetError, match="type Box has a hull of dimension 0"):
        check_room(Box([1.0], [1.0]))
