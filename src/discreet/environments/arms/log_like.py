"""Distinguish a log of decisions from a table of losses by the names of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from discreet.errors import DiscreetError, shorten

# fmt: off
PROBABILITIES = {
    "propensity_score", "propensity", "propensities", "pscore", "probability", "prob",
    "action_prob", "action_probability", "logging_probability",
}
ACTIONS = {"item_id", "item", "action", "arm", "chosen", "treatment", "variant"}
OUTCOMES = {"click", "clicked", "reward", "outcome", "converted", "conversion", "loss", "cost"}
# fmt: on


def refuse_log(names: Iterable[str], source: str) -> None:
    """Refuse columns that look like those of a log, whose rows have the outcome of one arm only.

    >>> refuse_log(["treatment A", "treatment B"], "losses.csv")
    >>> refuse_log(["item_id", "click", "propensity_score"], "log.csv")
    Traceback (most recent call last):
    discreet.errors.DiscreetError: log.csv has the columns 'item_id, click, propensity_score', as...
    """
    found = [name.strip() for name in names]
    known = {name.lower() for name in found}
    if known & PROBABILITIES or (known & ACTIONS and known & OUTCOMES):
        raise DiscreetError(
            f"{source} has the columns {shorten(', '.join(found))}, as a log of decisions has, but "
            "a table has the losses of all arms in each row: replay it with the environment "
            "'logged' (log=..., --log), or insist with is_table=True (--set is_table=true)."
        )


def names_in(table: object) -> Sequence[str]:
    """Return the names of the columns of a data frame; there are none in arrays and lists."""
    if isinstance(table, np.ndarray | list | tuple | str):
        return ()
    try:
        return [name for name in table if isinstance(name, str)]  # type: ignore[attr-defined]
    except TypeError:  # not iterable
        return ()
