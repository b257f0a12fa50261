"""Named algorithms: a channel, a learner, parameters, a guarantee, a regret bound, a citation."""

from discreet.algorithms import arms  # first, so that listings begin with arms

# isort: split
from discreet.algorithms import advice, contexts, functions, halving, points, search, slates
from discreet.algorithms.citing import citations, cite
from discreet.algorithms.references import Citation, parse_bibtex, read_bibtex, reference
from discreet.algorithms.registry import (
    Algorithm,
    Build,
    Growth,
    Instance,
    Setting,
    algorithm,
    list_algorithms,
    register_algorithm,
    register_calibration,
)

__all__ = [
    "Algorithm",
    "Build",
    "Citation",
    "Growth",
    "Instance",
    "Setting",
    "advice",
    "algorithm",
    "arms",
    "citations",
    "cite",
    "contexts",
    "functions",
    "halving",
    "list_algorithms",
    "parse_bibtex",
    "points",
    "read_bibtex",
    "reference",
    "register_algorithm",
    "register_calibration",
    "search",
    "slates",
]
