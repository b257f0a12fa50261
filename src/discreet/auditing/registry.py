"""Which attack is for which channel: declared where the attack is, and found along the bases of a channel's class."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from discreet.auditing.attacks import Attack, fresh_runs
from discreet.contracts import Channel, Protected
from discreet.problems import Problem
from discreet.ranges import Range


class GameFacts(NamedTuple):
    """What is known of the game besides channel and learner; None for what is not."""

    problem: Problem | None = None
    bounds: Range | None = None  # of the losses


Maker = Callable[[Protected, GameFacts], Attack]
Given = TypeVar("Given", bound=Maker)
_makers: dict[type[Channel], Maker] = {}


def attack_on(*channels: type[Channel]) -> Callable[[Given], Given]:
    """Declare that a function makes the attack on private learners behind these channels, and those that inherit.

    >>> from discreet.channels import Batch
    >>> from discreet.auditing.attacks import EveryRelease
    >>> class Careful(Batch):
    ...     pass
    >>> @attack_on(Careful)
    ... def attack_careful(private, facts):
    ...     return EveryRelease(private.channel.bounds, private.channel.hold())
    """

    def register(maker: Given) -> Given:
        for channel in channels:
            _makers[channel] = maker
        return maker

    return register


def default_attack(private: Protected, facts: GameFacts) -> Attack:
    """Return the best known attack; on a channel of which nothing is known, whole runs."""
    for cls in type(private.channel).__mro__:
        if cls in _makers:
            return _makers[cls](private, facts)
    return fresh_runs(private, facts.problem, facts.bounds)
