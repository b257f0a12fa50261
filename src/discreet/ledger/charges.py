"""What may be charged."""

from __future__ import annotations

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee


def check_charge(promise: object, label: object, rounds: int) -> Guarantee:
    """Return the promise, or refuse one that is not proved, does not hold in full, or protects users too little.

    A sum of such promises would be no guarantee.
    """
    if not isinstance(promise, Guarantee):
        raise DiscreetError(f"promise is {promise!r}, but must be a Guarantee.")
    if not promise.is_private:
        raise DiscreetError(f"promise is {promise.short}, but only differentially private releases can be charged.")
    if promise.status != "proved":
        raise DiscreetError(f"promise is {promise.status}, but only what is proved can be charged.")
    if promise.caveat:
        raise DiscreetError(f"promise holds {promise.caveat}, but only what holds in full can be charged.")
    if promise.rounds < rounds:
        raise DiscreetError(f"promise is for {promise.unit}, but users may be in {rounds}: charge for_user(...).")
    if not isinstance(label, str) or not label.isprintable():
        raise DiscreetError(f"label is {label!r}, but must be printable text.")
    return promise
