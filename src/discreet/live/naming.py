"""Labels of points: the user's item names, and the user's own sets in stored runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from discreet.contracts import Floats
from discreet.errors import DiscreetError, count, shorten
from discreet.live.rows import Recipe
from discreet.sets import LinearOracle, Permutahedron, SetText, Vertices

WHOLE = 1e-9  # how far an entry may differ from 0 or 1 and still count as one of them


def items_of(given: Sequence[str] | None, dimension: int) -> list[str] | None:
    """Return the names of all items, one for each coordinate, or refuse them."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise DiscreetError(f"items is {shorten(given)}, but must be a list of names.")
    if not all(isinstance(name, str) and name for name in given):
        raise DiscreetError("items has an entry that is not text: names must be text.")
    if len(given) != dimension:
        raise DiscreetError(
            f"items has {count(len(given), 'name')}, but points have {dimension} coordinates."
        )
    if len(set(given)) < len(given):
        raise DiscreetError("items has a name twice, but names must differ.")
    return list(given)


class Naming:
    """How a run labels its points: by the set, by item names, or not at all."""

    def __init__(self, points: LinearOracle, items: list[str] | None, *, vertices: bool) -> None:
        self._set, self._items = points, items
        self._vertices = points if vertices and isinstance(points, Vertices) else None

    def words(self, point: Floats) -> str | None:
        """Return a point in words; None if there are none for it."""
        if point.ndim != 1:
            return None
        if self._items is None:
            return None if self._vertices is None else self._vertices.label(point)
        if self._vertices is not None and isinstance(self._set, Permutahedron):
            return ", ".join(self._items[i] for i in np.argsort(point, kind="stable"))
        if np.all((np.abs(point) <= WHOLE) | (np.abs(point - 1.0) <= WHOLE)):
            return ", ".join(self._items[i] for i in np.flatnonzero(point > 0.5))
        return ", ".join(
            f"{name} {value:.6g}" for name, value in zip(self._items, point, strict=True)
        )

    def by_item(self, given: object) -> object:
        """Return losses given by item in the order of the items; return others unchanged."""
        if not isinstance(given, Mapping):
            return given
        if self._items is None:
            raise DiscreetError("the loss is given by item, but items have no names: give items=.")
        if len(given) != len(self._items) or not all(name in given for name in self._items):
            raise DiscreetError(
                f"the loss is given for {count(len(given), 'item')}, but must be for all "
                f"{len(self._items)}."
            )
        return [given[name] for name in self._items]


def with_own_set(recipe: Recipe, given: LinearOracle | None, name: str) -> Recipe:
    """Return the recipe of a stored run with the user's own set, or refuse if it is missing."""
    text = recipe.get("domain", "")
    own = bool(text) and "(" not in text
    if given is None and not own:
        return recipe
    if given is None:
        raise DiscreetError(
            f"the run in {name} plays {text}, the user's own set, which is not in the file: open "
            "it with domain= and that set."
        )
    if not own:
        raise DiscreetError(f"the run in {name} plays a named set: leave domain out.")
    if not isinstance(given, LinearOracle):
        raise DiscreetError(f"domain is {shorten(given)}, but must be the set of the run.")
    found = SetText.of(given)
    if found != text:
        raise DiscreetError(f"domain is {found}, but the run in {name} plays {text}.")
    return {**recipe, "domain": found}
