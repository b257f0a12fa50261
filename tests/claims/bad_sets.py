"""Bad input about convex sets, oracles and games of functions on them, for test_bad_input."""

from __future__ import annotations

import numpy as np

from discreet import Range, sets
from discreet.problems import FunctionsEnvironment, LinearFunctions
from discreet.sets import Custom, check_room

UNIT = Range(0.0, 1.0)


class OwnFunctions(FunctionsEnvironment):
    """A user-defined environment in units of the declared range: one linear function throughout."""

    on_unit_scale = False

    row: tuple[float, ...] = ()

    def functions(self, start, stop, rng):
        return LinearFunctions(np.tile(np.array(self.row), (stop - start, 1)))


def own_functions(*row, lipschitz=1.0, form="convex"):
    return OwnFunctions("ball(2)", 1, lipschitz, 0.0, 0.0, form, row)


def roaming_set(answers=40):
    """Return a set whose oracle leaves it after some answers."""
    asked = []

    def oracle(direction):
        asked.append(direction)
        return -np.sign(direction) if len(asked) <= answers else [5.0, 5.0]

    return Custom.of(2, oracle, centre=[0.0, 0.0], inner=1.0, outer=2.0**0.5, name="roads")


def square(oracle, **arguments):
    return Custom.of(
        2,
        oracle,
        **{"centre": [0.0, 0.0], "inner": 1.0, "outer": 1.5, "name": "square"} | arguments,
    )


NAMES = {name: getattr(sets, name) for name in sets.__all__}
NAMES |= {
    "own_functions": own_functions,
    "roaming_set": roaming_set,
    "square": square,
    "check_room": check_room,
}

ROAMING = (
    "C(label='x', private=Private(GradientSums.without_noise(size=5, dimension=2, bounds=R), "
    "ProjectionFree.start(set=roaming_set(), inner=1.0, radius=0.1, learning_rate=0.1, "
    "tolerance=0.01, most=50)))"
)

CALLS = [
    # a set without an interior point
    (
        'Functions("simplex(1)")',
        "the set of type Simplex has a hull of dimension 0, but must have at least 1.",
    ),
    (
        'sim("fkm", domain="simplex(1)")',
        "the set of type Simplex has a hull of dimension 0, but must have at least 1.",
    ),
    (
        "check_room(Box([1.0, 2.0], [1.0, 2.0]))",
        "the set of type Box has a hull of dimension 0, but must have at least 1.",
    ),
    (
        "Fkm.start(set=Box([1.0], [1.0]), inner=1.0, radius=0.1, damping=1.0)",
        "the set of type Box has a hull of dimension 0, but must have at least 1.",
    ),
    (
        "ProjectionFree.start(set=BasePolytope.of(2, lambda items: 0.0), inner=1.0, radius=0.1, "
        "learning_rate=1.0, tolerance=0.1, most=9)",
        "the set of type BasePolytope has a hull of dimension 0, but must have at least 1.",
    ),
    (
        "Scrible.start(set=Box([1.0], [1.0]), learning_rate=0.1)",
        "the set of type Box has a hull of dimension 0, but must have at least 1.",
    ),
    (
        "OracleLeader.start(set=Box([1.0], [1.0]), exploration=0.1, spread=1.0)",
        "the set of type Box has a hull of dimension 0, but must have at least 1.",
    ),
    ("Polytope([[1.0, 0.0]], [1.0])", "is unbounded"),
    (
        "Polytope([[1.0], [-1.0]], [-1.0, -1.0])",
        "a and b describe an empty set, but some x must satisfy a x ≤ b.",
    ),
    (
        "Permutahedron.of([2.0, 2.0])",
        "all 2 values are 2, so the set is a single point: at least two values must differ.",
    ),
    ("KSets.of(3, 3)", "chosen is 3, but must be less than the number of items, 3."),
    (
        "PartitionMatroid.of([2], [2])",
        "picks[0] is 2, but must be less than the size of its group, 2.",
    ),
    (
        "square(lambda direction: np.zeros(2))",
        "the oracle of the set 'square' returns only one point, but a set must have at",
    ),
    (
        "square(lambda direction: -np.sign(direction), inner=0.0)",
        "inner is 0.0, but must be a finite number above 0.",
    ),
    # an oracle that leaves its set, and what is no oracle
    (
        "square(lambda direction: -3.0 * np.sign(direction))",
        "which is farther from the centre than the outer radius, 1.5, so outside the set.",
    ),
    (
        "square(lambda direction: -np.sign(direction), contains=lambda point, near: "
        "bool(abs(point).max() < 0.5))",
        "which is outside the set according to its test.",
    ),
    (
        "square(lambda x: -np.sign(x), centre=[0.0, 9.0], contains=lambda point, near: "
        "bool(point[1] < 2))",
        "the centre of the set 'square' is [0.0, 9.0], which is outside the set according to its "
        "test.",
    ),
    (
        'square(lambda direction: [0.0, float("nan")])',
        "the oracle of the set 'square' is [0.0, nan] for the direction [",
    ),
    ("square(lambda direction: [0.0])", "but must be 2 finite numbers."),
    ('square(lambda direction: "x")', "the oracle of the set 'square' is 'x' for the direction ["),
    ("square(None)", "oracle is None, but must be a function."),
    ("square(lambda direction: direction, contains=3)", "contains is 3, but must be a function."),
    (
        f"sim({ROAMING}, environment=own_functions(0.5, 1.0, 0.1, 0.1), rounds=500)",
        "the oracle of the set 'roads' is [5.0, 5",
    ),
    # what is no set, or not the right one
    (
        "Fkm.start(set=None, inner=0.5, radius=0.1, damping=1.0)",
        "set is None, but must be a convex set, such as L2Ball(10, 1.0).",
    ),
    (
        "check_ability(3, Projecting)",
        "set is 3, but must be a convex set, such as L2Ball(10, 1.0).",
    ),
    (
        "OracleLeader.start(set=L2Ball(2, 1.0), exploration=0.1, spread=1.0)",
        "but this needs vertices.",
    ),
    (
        "Scrible.start(set=Permutahedron.of([1.0, 2.0, 3.0]), learning_rate=1.0)",
        "but this needs a barrier.",
    ),
    ("check_set(3)", "set is 3, but must be a LinearOracle."),
    # values outside of the declared range, and functions that are not as declared
    (
        'sim("fkm", environment=own_functions(3.0, 1.0, 0.3, 0.4))',
        "round 1: the function has values from 2.5 to 3.5, but the declared range is 0 to 1.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5, float("nan"), 0.9, 0.9))',
        "round 1: the function has values from nan to nan, but the declared range is 0 to 1.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5, 1.0, 0.3, 0.4), low=0.2, high=0.8)',
        "round 1: the function has values from 0 to 1, but the declared range is 0.2 to 0.8.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5, 1.0, 0.3, 0.4, lipschitz=0.1))',
        "round 1: the function has a slope of up to 0.5, but at most 0.1 is declared.",
    ),
    (
        'sim("scrible", environment="quadratics")',
        "has second derivatives up to 0.5, but linear functions are declared.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5, 1.0, 0.1))',
        "functions are of 1 coordinate, but points of ball(2) have 2.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5, 1.0, 0.1, 0.1, 0.1))',
        "functions are of 3 coordinates, but points of ball(2) have 2.",
    ),
    (
        'sim("fkm", environment=own_functions(0.5))',
        "functions are of 0 coordinates, but points of ball(2) have 2.",
    ),
    # one dimension, or one item, where two are needed
    ('sim("ftrl-ball", dimension=1)', "dimension is 1, but must be a whole number of at least 2."),
    ('Functions("permutations(1)")', "items is 1, but must be a whole number of at least 2."),
    ('Functions("k-sets(1,1)")', "items is 1, but must be a whole number of at least 2."),
    ('Functions("assignments(1)")', "workers is 1, but must be a whole number of at least 2."),
    ('Functions("spectrahedron(1)")', "side is 1, but must be a whole number of at least 2."),
    ('Functions("paths(1,1)")', "width is 1, but must be a whole number of at least 2."),
    ('Functions("spanning-trees(2)")', "nodes is 2, but must be a whole number of at least 3."),
    ('Functions("partition(1,1)")', "sizes[0] is 1, but must be a whole number of at least 2."),
    (
        'Functions("ball(0)")',
        "a number of the set 'ball(0)' is 0, but must be a whole number of at least 1.",
    ),
    # radii, slopes and rates that are not above 0
    ("L2Ball(2, 0.0)", "radius is 0.0, but must be between 1e-100 and 1e+100."),
    ("L1Ball(2, -1.0)", "radius is -1.0, but must be between 1e-100 and 1e+100."),
    ("NuclearBall(2, 2, 0.0)", "radius is 0.0, but must be between 1e-100 and 1e+100."),
    (
        "square(lambda direction: -np.sign(direction), outer=-1.0)",
        "outer is -1.0, but must be a finite number above 0.",
    ),
    (
        "square(lambda direction: -np.sign(direction), inner=2.0)",
        "inner is 2 and outer is 1.5, but inner must not be above outer.",
    ),
    (
        "Fkm.start(set=L2Ball(2, 1.0), inner=1.0, radius=0.0, damping=1.0)",
        "radius is 0.0, but must be a finite number",
    ),
    (
        "Fkm.start(set=L2Ball(2, 1.0), inner=1.0, radius=1.5, damping=1.0)",
        "radius is 1.5, but must be below the inner radius of the set, 1.",
    ),
    (
        "TwoPoint.start(set=L2Ball(2, 1.0), inner=1.0, radius=0.1, slope=0.0, damping=1.0)",
        "slope is 0.0, but must be a finite number above 0.",
    ),
    (
        'Functions("ball(2)", lipschitz=0.0)',
        "lipschitz is 0.0, but must be a finite number above 0.",
    ),
    (
        'Functions("ball(2)", lipschitz=-1.0)',
        "lipschitz is -1.0, but must be a finite number above 0.",
    ),
    (
        'Functions("ball(2)", lipschitz=float("nan"))',
        "lipschitz is nan, but must be a finite number above 0.",
    ),
    (
        'environment("linear", domain="cube(2)", lipschitz=-1.0)',
        "lipschitz is -1.0, but must be a finite number above 0.",
    ),
    *(
        (
            f'sim("{name}", options={{"{option}": {value}}})',
            f"{option} is {value}, but must be a finite number above 0.",
        )
        for name, option in (
            ("fkm", "radius"),
            ("fkm", "damping"),
            ("local-convex", "radius"),
            ("projection-free", "radius"),
            ("projection-free", "learning_rate"),
            ("private-projection-free", "radius"),
            ("smooth-bandit", "radius"),
            ("local-smooth", "learning_rate"),
            ("two-point", "radius"),
            ("private-two-point", "learning_rate"),
            ("local-two-point", "clip"),
            ("scrible", "learning_rate"),
        )
        for value in (0.0, -1.0)
    ),
    (
        'algorithm("private-projection-free").build(calibration="paper", radius=0.0)',
        "radius is 0.0, but must be a finite number above 0.",
    ),
    # too few rounds for two batches
    *(
        (
            f'sim("{name}", options={{"batch_size": 26}})',
            "rounds is 50, but two batches of 26 rounds need at least 52.",
        )
        for name in (
            "projection-free",
            "private-projection-free",
            "private-two-point",
            "batched-scrible",
            "private-linear-oracle",
        )
    ),
    (
        'sim("private-two-point", options={"batch_size": 0})',
        "batch_size is 0, but must be a whole number of at least 1.",
    ),
    # environments on sets that they are not for
    (
        'sim("fkm", environment="pricing", domain="ball(2)")',
        "but pricing is for sets of one dimension, such as cube(1).",
    ),
    (
        'sim("fkm", environment="slates", domain="ball(2)")',
        "domain is ball(2), but slates is for k-sets(n,k) only.",
    ),
    (
        'environment("routing", domain="cube(2)")',
        "domain is cube(2), but routing is for paths(layers,width) only.",
    ),
    (
        'environment("ranking", domain="cube(2)")',
        "but ranking is for permutations(n) and assignments(n) only.",
    ),
    (
        'environment("completion", domain="cube(2)")',
        "but completion is for nuclear(rows,columns) only.",
    ),
    (
        'environment("diabetes", domain="ball(11)")',
        "domain is ball(11), but the patients have 10 features: use a set with",
    ),
    ('environment("slates", gap=2)', "gap is 2, but must be between 0 and 1."),
    ('environment("slates", drift=2)', "unknown option 'drift' of environment 'slates'"),
]

COMMANDS = [
    (
        "simulate fkm --domain simplex(1) --output run",
        "the set of type Simplex has a hull of dimension 0, but must have",
    ),
    (
        "simulate fkm --domain k-sets(4,4) --output run",
        "chosen is 4, but must be less than the number of items, 4.",
    ),
    (
        "simulate fkm --domain ball(1.5)",
        "needs whole numbers: write ball(n), such as ball(4).",
    ),
    ("simulate fkm --domain bal(3)", "unknown set 'bal': did you mean 'ball(n)'?"),
    ("simulate fkm --domain paths(2,2)", "but this needs a projection."),
    (
        "simulate fkm --lipschitz 0 --output run",
        "lipschitz is 0.0, but must be a finite number above 0.",
    ),
    (
        "simulate fkm --set radius=0 --output run",
        "radius is 0.0, but must be a finite number above 0.",
    ),
    (
        "simulate fkm --environment quadratics --lipschitz 0.1 --rounds 50 --trials 1 --quiet "
        "--output run",
        "the function has a slope of up to 0.759462, but at most 0.1 is declared.",
    ),
    (
        "simulate private-projection-free --rounds 10 --set batch_size=20 --output run",
        "rounds is 10, but two batches of 20 rounds need at least 40.",
    ),
    ("simulate two-point --evaluations 1", "evaluations is 1, but two-point is for 2 only."),
    (
        "simulate fkm --environment pricing --set drift=2",
        "drift is 2.0, but must be between 0 and 0.3.",
    ),
    (
        "simulate fkm --environment routing --domain ball(3)",
        "domain is ball(3), but routing is for paths(layers,width)",
    ),
    (
        "simulate exp3 --environment slates",
        "environment 'slates' is for functions on k-sets(10,3), but arms are played: use",
    ),
    (
        "describe fkm --domain simplex(1)",
        "the set of type Simplex has a hull of dimension 0, but must have at least 1.",
    ),
]
