"""What may be charged."""

from __future__ import annotations

from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee


def check_charge(guarantee: object, label: object, rounds: int) -> Guarantee:
    """Return the guarantee, or refuse one that is not proved, does not hold in full, or protects users too little.

    A sum of such promises would be no guarantee.
    """
    if not isinstance(guarantee, Guarantee):
        raise DiscreetError(f"guarantee is {guarantee!r}, but must be a Guarantee.")
    if not guarantee.is_private:
        raise DiscreetError(
            f"guarantee is {guarantee.short}, but only "
            "differentially "
            "private "
            "releases "
            "can be "
            "charged."
        )
    if guarantee.status != "proved":
        raise DiscreetError(
            f"guarantee is {guarantee.status}, but only what is proved can be charged."
        )
    if guarantee.caveat:
        raise DiscreetError(
            f"guarantee holds {guarantee.caveat}, but only what holds in full can be charged."
        )
    if guarantee.rounds < rounds:
        raise DiscreetError(
            f"guarantee is for {guarantee.unit}, but "
            "users may "
            "be in "
            f"{rounds}: "
            "charge "
            "for_user(...)."
        )
    if not isinstance(label, str) or not label.isprintable():
        raise DiscreetError(f"label is {label!r}, but must be printable text.")
    return guarantee
