"""Sets by name, sets of a user's own, and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from discreet import DiscreetError
from discreet.sets import (
    SETS,
    BasePolytope,
    Birkhoff,
    Custom,
    GraphicMatroid,
    KSets,
    NuclearBall,
    PartitionMatroid,
    Paths,
    Permutahedron,
    Spectrahedron,
    set_named,
)

NAMES = {
    "ball(10)": (10, 10),
    "cube(10)": (10, 10),
    "box(1,20)": (1, 1),
    "box(-0.5,0.25,1,20)": (2, 2),
    "cross(4)": (4, 4),
    "simplex(10)": (10, 9),
    "k-sets(10,3)": (10, 9),
    "permutations(5)": (5, 4),
    "partition(4,1,3,2)": (7, 5),
    "paths(3,3)": (24, 14),
    "assignments(4)": (16, 9),
    "spanning-trees(5)": (10, 9),
    "nuclear(4,3)": (12, 12),
    "spectrahedron(4)": (16, 9),
}


@pytest.mark.parametrize("text", NAMES)
def test_names_give_sets(text):
    each = set_named(text)
    assert (each.dimension, each.flat) == NAMES[text]
    assert each.contains(each.centre(), 1e-9)
    assert each.inner > 0.0


def test_all_names_are_tested():
    assert {text.partition("(")[0] for text in NAMES} == set(SETS)
    assert all(entry.form.startswith(f"{name}(") and entry.title for name, entry in SETS.items())


@pytest.mark.parametrize("name", SETS)
def test_a_name_without_numbers_gets_an_example_that_works(name):
    with pytest.raises(DiscreetError, match=r"numbers: write .*, such as ") as refusal:
        set_named(name)
    assert set_named(str(refusal.value).partition("such as ")[2].rstrip(".")).dimension >= 1


def test_the_table_of_the_document_is_what_sets_say(root):
    text = (root / "docs" / "sets.md").read_text()
    for name, entry in SETS.items():
        example = re.search(rf"`({name}\(\d[\d,]*\))`", text)[1]
        each = set_named(example)
        cells = (
            f"`{entry.form}`",
            entry.title,
            ", ".join(each.abilities[1:]),
            f"`{example}`",
            f"{each.flat} of {each.dimension}",
            f"{each.inner:.4g}",
            f"{each.outer:.4g}",
            "yes" if each.compiles else "no",
        )
        assert f"| {' | '.join(cells)} |" in text


def test_spaces_do_not_matter():
    assert set_named(" k-sets( 10, 3 ) ").values.sum() == 3.0


def vertex(each, *ones):
    return np.isin(np.arange(each.dimension), ones).astype(float)


@pytest.mark.parametrize(
    ("each", "point", "label"),
    [
        (set_named("simplex(3)"), [0.0, 0.0, 1.0], "item 2"),
        (KSets.of(8, 3), vertex(KSets.of(8, 3), 2, 5, 7), "items 2, 5, 7"),
        (set_named("permutations(3)"), [2.0, 3.0, 1.0], "order 2, 0, 1"),
        (set_named("partition(2,1,2,1)"), [0.0, 1.0, 1.0, 0.0], "items 1, 2"),
        (GraphicMatroid.complete(3), [1.0, 0.0, 1.0], "edges 0-1, 1-2"),
        (Birkhoff(2), [0.0, 1.0, 1.0, 0.0], "worker 0 does job 1, worker 1 does job 0"),
        (Paths.of([("a", "b"), ("b", "d"), ("a", "d")], "a", "d"), [1.0, 1.0, 0.0], "path a-b-d"),
        (set_named("paths(2,2)"), vertex(set_named("paths(2,2)"), 1, 4, 6), "path s-0.1-1.0-t"),
        (
            BasePolytope.of(2, lambda items: math.sqrt(len(items))),
            [1.0, 0.5],
            "item 0 adds 1, item 1 adds 0.5",
        ),
    ],
)
def test_labels_are_words(each, point, label):
    assert each.label(np.asarray(point)) == label


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "bal(10)",
            r"unknown set 'bal': did you mean 'ball\(n\)'\?$",
        ),
        ("k-sets", r"'k-sets' needs whole numbers: write k-sets\(n,k\), such as k-sets\(10,3\)"),
        (
            "k-sets(10)",
            r"'k-sets\(10\)' has 1 number: write k-sets\(n,k\), such as",
        ),
        ("k-sets(10,x)", r"needs whole numbers: write k-sets\(n,k\)"),
        ("k-sets(10,3.5)", "needs whole numbers"),
        ("k-sets(10,10)", "chosen is 10, but must be less than the number of items, 10"),
        (
            "k-sets(10,0)",
            r"a number of the set 'k-sets\(10,0\)' is 0, but must be a whole number of at least 1",
        ),
        ("ball(0)", "is 0, but must be a whole number of at least 1"),
        ("ball(99999999999)", "is 99999999999, which is too large: at most 10,000,000 is possible"),
        ("permutations(1)", "items is 1, but must be a whole number of at least 2"),
        ("partition(4)", r"has 1 number: write partition\(n,k,...\)"),
        ("partition(4,4)", r"picks\[0\] is 4, but must be less"),
        ("assignments(1)", "workers is 1, but must be a whole number of at least 2"),
        ("paths(2,1)", "width is 1, but must be a whole number of at least 2"),
        ("paths(40,40)", "the number of edges is 62480, which is too large"),
        ("spanning-trees(2)", "nodes is 2, but must be a whole number of at least 3"),
        ("spectrahedron(1)", "side is 1"),
        ("ball(3", "unknown set"),
        (None, "unknown set None"),
    ],
)
def test_bad_names_are_refused_in_one_sentence(text, message):
    with pytest.raises(DiscreetError, match=message) as refusal:
        set_named(text)
    assert str(refusal.value).endswith((".", "?"))


def bulge(items):
    return float(len(items)) ** 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Permutahedron.of([2.0, 2.0]), "all 2 values are 2, so the set is a single point"),
        (lambda: Permutahedron.of([1.0, math.nan]), "values must contain only finite numbers"),
        (lambda: PartitionMatroid.of([3], [1, 2]), "sizes has length 1 and picks has length 2"),
        (lambda: PartitionMatroid.of([], []), "sizes has length 0 and picks has length 0"),
        (lambda: PartitionMatroid.of([3, 1], [1, 1]), r"sizes\[1\] is 1"),
        (lambda: GraphicMatroid.of([]), r"edges is \[\], but must connect at least 2 nodes"),
        (
            lambda: GraphicMatroid.of([("a", "b"), ("a", "a")]),
            r"edges\[1\] is \('a', 'a'\), but must connect two",
        ),
        (lambda: GraphicMatroid.of([("a", "b"), ("c", "d")]), "edges connect only 2 of 4 nodes"),
        (
            lambda: GraphicMatroid.of([(str(i), str((i + 1) % 20)) for i in range(20)]).inner,
            "the graph has 20 nodes",
        ),
        (
            lambda: Paths.of([("a", "b"), ("b", "a")], "a", "b"),
            "edges contain the cycle a-b-a, but must have no cycles",
        ),
        (
            lambda: Paths.of([("a", "b"), ("a", "c")], "a", "b"),
            r"edges\[1\] is \('a', 'c'\), but lies on no path",
        ),
        (
            lambda: Paths.of([("a", "b"), ("b", "c")], "a", "c"),
            "there is only 1 path from 'a' to 'c', but there must be at least 2",
        ),
        (
            lambda: Paths.of([("a", "b"), ("b", "c")], "a", "x"),
            "sink is 'x', but must be one of the nodes",
        ),
        (lambda: NuclearBall(2, 2, 0.0), "radius is 0.0"),
        (lambda: Spectrahedron(2.5), "side is 2.5"),
        (
            lambda: BasePolytope.of(3, bulge),
            r"not submodular: item 1 adds 1 to \{\} and 3 to \{0\}",
        ),
        (lambda: BasePolytope.of(30, bulge), "not submodular"),
        (
            lambda: BasePolytope.of(2, lambda items: 1.0),
            "function is 1 for the empty set, but must be 0",
        ),
        (
            lambda: BasePolytope.of(2, lambda items: math.inf if items else 0.0),
            "but must be finite",
        ),
        (lambda: BasePolytope.of(2, 3.0), "function is 3.0, but must be callable"),
        (
            lambda: BasePolytope.of(13, lambda items: math.sqrt(len(items))).inner,
            "known only for up to 12 items",
        ),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(make, message):
    with pytest.raises(DiscreetError, match=message) as refusal:
        make()
    assert str(refusal.value).endswith(".")


# Sets of a user's own


def corner(direction):
    return (np.arange(direction.size) == np.argmin(direction)).astype(float)


def custom(oracle, **changes):
    options = {
        "centre": [1 / 3] * 3,
        "inner": 6**-0.5,
        "outer": (2 / 3) ** 0.5,
        "name": "mine",
    } | changes
    return Custom.of(3, oracle, **options)


def test_a_custom_set_is_known_by_its_oracle():
    each = custom(corner)
    assert (each.flat, each.dimension) == (2, 3)
    assert each.contains(np.array([0.2, 0.3, 0.5]), 1e-9)
    assert not each.contains(np.array([0.2, 0.3, 0.6]), 1e-3)


@pytest.mark.parametrize(
    ("oracle", "changes", "message"),
    [
        (
            lambda d: 2.0 * corner(d),
            {},
            "the oracle of .* which is farther from the centre than the outer radius, 0.816497",
        ),
        (
            lambda d: corner(d)[:2],
            {},
            "the oracle of the set 'mine' is .* for the direction .* must be 3 finite numbers",
        ),
        (lambda d: "nothing", {}, "must be 3 finite numbers"),
        (lambda d: corner(d) * math.nan, {}, "must be 3 finite numbers"),
        (lambda d: [1 / 3] * 3, {}, "the oracle of the set 'mine' returns only one point"),
        (corner, {"inner": 0.0}, "inner is 0.0, but must be a finite number above 0"),
        (corner, {"outer": -1.0}, "outer is -1.0"),
        (
            corner,
            {"inner": 2.0},
            "inner is 2 and outer is 0.816497, but inner must not be above outer",
        ),
        (corner, {"centre": [0.5, 0.5]}, "centre has 2 entries and dimension is 3"),
        (
            corner,
            {"contains": lambda x, t: False},
            "the centre of the set 'mine' is .* outside the set according to its test",
        ),
    ],
)
def test_bad_oracles_are_named(oracle, changes, message):
    with pytest.raises(DiscreetError, match=message) as refusal:
        custom(oracle, **changes)
    assert str(refusal.value).endswith(".")


def test_an_oracle_that_goes_astray_later_is_caught():
    astray = []

    def oracle(direction):
        return corner(direction) + (np.array([0.3, -0.3, 0.0]) if astray else 0.0)

    each = custom(
        oracle,
        contains=lambda x, tolerance: x.min() >= -tolerance and abs(x.sum() - 1.0) <= tolerance,
        outer=2.0,
    )
    point = np.full(3, 7.0)
    astray.append(True)
    with pytest.raises(
        DiscreetError,
        match=r"oracle of the set 'mine' is \[0.3, -0.3, 1.0\] for the direction \[.*according "
        r"to its test",
    ):
        each.minimise_linear(np.array([1.0, 1.0, 0.0]), point)
    assert point.tolist() == [7.0] * 3, "nothing is half-written"
