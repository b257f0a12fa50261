"""How a paper's calibration is registered, with the paper's claim, and what several share."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from discreet import Guarantee
from discreet.algorithms import Build, Instance, Setting, algorithm, register_calibration
from discreet.errors import DiscreetError
from discreet.problems import Problem

PAPER = "paper"


def printed(name: str) -> Callable[[Build], Build]:
    """Register a build of the algorithm of that name as the calibration of its paper.

    The claim of its instances is the paper's: the epsilon and the delta of the setting.
    """

    def register(make: Build) -> Build:
        @functools.wraps(make)
        def claiming(setting: Setting[Problem], **options: Any) -> Instance:  # noqa: ANN401
            found = make(setting, **options)
            claim = Guarantee(
                epsilon=setting.epsilon,
                delta=setting.delta,
                model=found.guarantee.model,
                status="claimed by the paper only",
                source=algorithm(name).citation.short,
            )
            return replace(found, claim=claim)

        register_calibration(name, PAPER)(claiming)
        return make

    return register


def check_noise(noise: str | None, printed: str) -> None:
    """Refuse noise that is not the paper's."""
    if noise not in (None, printed):
        raise DiscreetError(
            f"noise is {noise}, but calibration='paper' fixes {printed} noise; do not set noise."
        )


def classical_scale(width: float, epsilon: float, delta: float) -> float:
    """Return the classical scale of Gaussian noise, too small for epsilons above about 7 to 9."""
    return width * math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon
