"""Arms that come and go: the slots of a run, its paused batches, and absent arms."""

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
    "if the availability of arms does not depend on outcomes, except through releases "
    "(docs/proofs.md: Arms that come and go)"
)
INSTEAD = (
    "use batched-ucb, or start a new run with a prior from this run's releases "
    "(docs/live.md: Arms that come and go)"
)


class Slots(NamedTuple):
    """The state of the arms of a run, if they come and go. All of it is public.

    Each arm keeps its own slot, even after it is retired. A batch is paused while its arm is not
    available.
    """

    labels: tuple[Hashable, ...]  # in the order of the slots; later ones are spare
    retired: tuple[int, ...] = ()
    paused: tuple[tuple[int, int], ...] = ()  # groups, and how many decisions each still needs
    considered: Places = ()  # arms available when the running batch was chosen
    present: Places = ()  # arms available when an arm was last drawn by weight
    absent: tuple[tuple[int, float, float], ...] = ()  # arms with a weight, not available then
    epoch: int = 0  # the epoch of that draw

    @property
    def live(self) -> Places:
        """The arms that are not retired."""
        return tuple(arm for arm in range(len(self.labels)) if arm not in self.retired)

    @property
    def away(self) -> dict[int, Absent]:
        """What is known of absent arms."""
        return {arm: Absent(share, level) for arm, share, level in self.absent}

    def with_away(self, away: Mapping[int, Absent]) -> Slots:
        """Return these slots with other absent arms."""
        return self._replace(absent=tuple((arm, *each) for arm, each in sorted(away.items())))


def slots_text(slots: Slots | None) -> str | None:
    """Return slots as text, or refuse labels that text cannot represent."""
    if slots is None:
        return None
    check_labels(slots.labels)
    return json.dumps(slots)


def slots_from(text: str | None) -> Slots | None:
    """Return the slots from their text."""
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
    """Refuse labels that a file cannot store."""
    if not all(label is None or isinstance(label, str | int | float) for label in labels):
        raise DiscreetError(
            "label is neither text nor a number, so the file of a run cannot store it."
        )


def check_changeable(private: Protected, algorithm: str, chosen: str | None, name: str) -> None:
    """Refuse arms that come and go if the guarantee, or a requested bound, would not hold.

    ``name`` is the argument or method that the caller used.
    """
    if chosen in WITH_PROOF:
        raise DiscreetError(
            f'{name} is used, but algorithm="{chosen}" chooses by a bound that holds only if all '
            'arms are always available: name an algorithm, such as "batched-ucb" '
            'or "best".'
        )
    if isinstance(private.learner, GuardedUcb):
        guarded = algorithm if algorithm == "guarded-ucb" else f"{algorithm} with guard=True"
        raise DiscreetError(
            f"{name} is used, but {guarded} needs all of its arms: its bound holds only if they "
            "are always available. Use tracking-ucb without guard."
        )
    if private.channel.in_order or not can_choose_among(private.learner):
        raise DiscreetError(f"{name} is used, but {algorithm} needs all of its arms: {INSTEAD}.")


def with_condition(guarantee: Guarantee) -> Guarantee:
    """Return a guarantee with the condition that availability depends only on public data."""
    if not guarantee.is_private:
        return guarantee
    return replace(guarantee, source=f"{guarantee.source}; {CONDITION}")


def available_of(given: object, indices: Mapping[Hashable, int], slots: Slots) -> Available:
    """Return the arms named as available, or refuse them."""
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
            raise DiscreetError(f"available has {shorten(label)}, an arm that is already retired.")
        found.add(arm)
    if not found:
        raise DiscreetError("available is empty, but at least one arm must be available.")
    return Available(tuple(sorted(found)))
