"""What anybody may know of a run: how it is getting on, and what it promises."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

from discreet.guarantee import Guarantee
from discreet.live.building import FIRST_EPOCH, Plan

CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"
EPOCHS = ", a round in one of them (docs/proofs.md: Epochs of a run)"
AGAIN = ", begun again after {:,} rounds (docs/proofs.md: Epochs of a run)"
PUBLIC_TIMES = "if when outcomes come is public"
FIXED_TIMES = (
    "also of when outcomes come, if decisions "
    "are not "
    "asked "
    "for in "
    "answer to "
    "them "
    "(docs/proofs.md: Deadlines)"
)


class Progress(NamedTuple):
    """How a run is getting on; nothing in it is raw, and nothing depends on outcomes but through releases.

    With a wait time a decision is open until its deadline, whether or not its outcome has been
    told.
    """

    round: int
    horizon: int | None
    shares: dict[Hashable, float]  # of the rounds so far, for each arm or expert that was chosen
    released: int
    open: int  # decisions whose outcome may still come
    waiting: int  # groups of rounds that wait for outcomes, or for more rounds
    lost: int  # groups that were given up


def stated(plan: Plan) -> Guarantee:
    """Return what a run promises, and on which condition; with a caveat if it is a simulation."""
    mine = plan.private.guarantee
    if not mine.is_private:
        return mine
    many = EPOCHS if plan.first_epoch == FIRST_EPOCH else AGAIN.format(plan.first_epoch)
    epochs = many if plan.horizon is None else ""
    mine = replace(
        mine, source=f"{mine.source}{epochs}; {PUBLIC_TIMES if plan.wait is None else FIXED_TIMES}"
    )
    if not plan.simulation:
        return mine
    seeded = "" if plan.seed is None else ", reproducible from its seed"
    return replace(
        mine, caveat=f"{mine.caveat}; " * bool(mine.caveat) + CAVEAT.format(seeded=seeded)
    )
