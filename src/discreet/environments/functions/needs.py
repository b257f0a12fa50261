"""What some environments ask of the set that is played on."""

from __future__ import annotations

from typing import TypeVar

from discreet.errors import DiscreetError
from discreet.problems import Functions
from discreet.sets import LinearOracle

Kind = TypeVar("Kind", bound=LinearOracle)


def set_of_kind(problem: Functions, environment: str, forms: str, *kinds: type[Kind]) -> Kind:
    """Return the set of a problem, or refuse one that is of none of these kinds.

    >>> from discreet.sets import KSets
    >>> set_of_kind(Functions("ball(2)"), "slates", "k-sets(n,k)", KSets)
    Traceback (most recent call last):
    discreet.errors.DiscreetError: domain is ball(2), but slates is for k-sets(n,k) only.
    """
    found = problem.place.set
    if not isinstance(found, kinds):
        raise DiscreetError(f"domain is {problem.domain}, but {environment} is for {forms} only.")
    return found
