"""Arms that come and go: the slots of a run, which batches are paused, and which arms are away."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from discreet.algorithms.arms.choosing import WITH_PROOF
from discreet.contracts import Protected
from discreet.errors import DiscreetError, shorten
from discreet.guarantee import Guarantee
from discreet.learners.arms.availability import Available, Places, can_choose_among
from discreet.learners.arms.guarded_ucb import GuardedUcb
from discreet.learners.arms.specialists import Absent
from discreet.live.arguments import index_of

CONDITION = (
    "if which arms are available does not depend on outcomes, except through what is released "
    "(docs/proofs.md: Arms that come and go)"
)
INSTEAD = (
    "use batched-ucb, or start a new run with a prior from what this one has released "
    "(docs/live.md: Arms that come and go)"
)


class Slots(NamedTuple):
    """What a run knows of its arms, if they come and go. All of it is public.

    Each arm has a slot of its own, also after it is retired. A batch is paused while its arm is not
    available.
    """

    labels: tuple[Hashable, ...]  # in the order of the slots; later ones are spare
    retired: tuple[int, ...] = ()
    paused: tuple[tuple[int, int], ...] = ()  # groups, and decisions still to be asked for
    considered: Places = ()  # arms that were available when the running batch was chosen
    present: Places = ()  # arms that were available when the last one was drawn by weight
    absent: tuple[tuple[int, float, float], ...] = ()  # arms with a weight that were not
    epoch: int = 0  # in which they were drawn

    @property
    def live(self) -> Places:
        """The arms that are not retired."""
        return tuple(arm for arm in range(len(self.labels)) if arm not in self.retired)

    @property
    def away(self) -> dict[int, Absent]:
        """What is known of arms that are away."""
        return {arm: Absent(share, level) for arm, share, level in self.absent}

    def with_away(self, away: Mapping[int, Absent]) -> Slots:
        """Return these slots with other arms away."""
        return self._replace(absent=tuple((arm, *each) for arm, each in sorted(away.items())))


def slots_text(slots: Slots | None) -> str | None:
    """Return slots as text, or refuse labels that text cannot hold."""
    if slots is None:
        return None
    check_labels(slots.labels)
    return json.dumps(slots)


def slots_from(text: str | None) -> Slots | None:
    """Return the slots that a text stands for."""
    if text is None:
        return None
    labels, retired, paused, considered, present, absent, epoch = json.loads(text)
    return Slots(
        tuple(labels),
        tuple(retired),
        tuple((group, left) for group, left in paused),
        tuple(considered),
        tuple(present),
        tuple((arm, share, level) for arm, share, level in absent),
        epoch,
    )


def check_labels(labels: Iterable[Hashable]) -> None:
    """Refuse labels that a file cannot hold."""
    if not all(label is None or isinstance(label, str | int | float) for label in labels):
        raise DiscreetError(
            "label is neither text nor a number, which the file of a run cannot hold."
        )


def check_changeable(private: Protected, algorithm: str, chosen: str | None, name: str) -> None:
    """Refuse arms that come and go where no guarantee, or a bound that was asked for, would hold.

    ``name`` is the argument or method that was used.
    """
    if chosen in WITH_PROOF:
        raise DiscreetError(
            f'{name} is used, but algorithm="{chosen}" was chosen for a bound that holds only if '
            'all arms are always available: name an algorithm without one, such as "batched-ucb" '
            'or "best".'
        )
    if isinstance(private.learner, GuardedUcb):
        guarded = algorithm if algorithm == "guarded-ucb" else f"{algorithm} with guard=True"
        raise DiscreetError(
            f"{name} is used, but {guarded} needs all of its arms, as its bound holds only if they "
            "are always available: use tracking-ucb without guard."
        )
    if private.channel.in_order or not can_choose_among(private.learner):
        raise DiscreetError(f"{name} is used, but {algorithm} needs all of its arms: {INSTEAD}.")


def with_condition(guarantee: Guarantee) -> Guarantee:
    """Return a guarantee with the condition that arms come and go by what is public."""
    if not guarantee.is_private:
        return guarantee
    return replace(guarantee, source=f"{guarantee.source}; {CONDITION}")


def available_of(given: object, indices: Mapping[Hashable, int], slots: Slots) -> Available:
    """Return the arms that were named as available, or refuse them."""
    flat = not isinstance(given, np.ndarray) or given.ndim == 1
    if isinstance(given, str | bytes) or not isinstance(given, Collection) or not flat:
        raise DiscreetError(f"available is {shorten(given)}, but must be a list of labels of arms.")
    found = set()
    for label in given:
        arm = index_of(indices, label)
        if arm is None:
            raise DiscreetError(
                f"available has {shorten(label)}, which is not an arm: add_arm adds one."
            )
        if arm in slots.retired:
            raise DiscreetError(f"available has {shorten(label)}, which was retired for good.")
        found.add(arm)
    if not found:
        raise DiscreetError("available is empty, but at least one arm must be available.")
    return Available(tuple(sorted(found)))
