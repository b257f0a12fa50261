"""DP-Λ-Lap of Tossou & Dimitrakakis 2017: any bandit algorithm with noise on every loss."""

from __future__ import annotations

import math
from typing import Literal, cast

from discreet.algorithms.arms import summed_bounds
from discreet.algorithms.registry import Growth, Instance, Setting, algorithm, register_algorithm
from discreet.channels import PerRound
from discreet.errors import DiscreetError, check_range
from discreet.learners import Accepting
from discreet.mechanisms import Laplace
from discreet.private import Private
from discreet.problems import Arms

Beyond = Literal["move", "clip", "ignore"]
LARGEST_MARGIN = 1e9  # in widths of the range
CLIPPED = "docs/regret.md: Clipped noise"
UNPROVED = "no bound proved for this base, or if losses are ignored"


@register_algorithm(
    name="dp-lambda-lap",
    twin="tsallis-inf",
    title="any bandit algorithm with noise every round",
    problem=Arms(),
    growth=Growth(0.5, shows_at=1000.0),
    citation="tossou2017achieving",
    builds_on=("zimmert2021tsallis",),
)
def dp_lambda_lap(
    setting: Setting[Arms],
    *,
    base: str = "tsallis-inf",
    margin: float | None = None,
    beyond: Beyond | None = None,
) -> Instance:
    """Theorem 3.1 around ``base``, any non-private algorithm that learns from one loss per round.

    Noisy losses outside [0, 1] are moved to -Λ or 1 + Λ, Λ = 1 / ε, which does not change any mean,
    and all are scaled to [0, 1]. If ``base`` has regret B, the bound is (1 + 2 Λ) B. For
    ``tsallis-inf`` it is smaller, because moved losses have small mean squares (docs/regret.md,
    *Rounds added up*). With a ``margin`` b, or ``beyond=clip``, losses are clipped to [-b, 1 + b]
    instead, and the bound is (1 + 2 b) B + T e^(-ε b) (1 - e^-ε) / ε (docs/regret.md, *Clipped
    noise*). With ``beyond=ignore``, as in the paper, losses outside are ignored: no bound is
    proved, because which rounds are ignored depends on the arm. Randomised response, the option
    ``noise=response`` of the base itself, has a smaller bound.
    """
    inner = build_base(setting, base)
    rounds, epsilon, width = setting.rounds, setting.epsilon, setting.bounds.width
    plain = rounds if inner.regret_bound is None else inner.regret_bound / width
    step = -math.expm1(-epsilon)
    way = beyond or ("move" if margin is None else "clip")
    if way == "move":
        if margin is not None:
            raise DiscreetError(
                f"margin is {margin!r}, but beyond=move fixes it at 1 / epsilon: omit one of the "
                "two."
            )
        margin, lost = 1.0 / epsilon, 0.0
    else:
        if margin is None:
            margin = max(0.0, math.log(rounds * step / (2.0 * plain))) / epsilon
        check_range("margin", margin, 0.0, LARGEST_MARGIN)
        lost = rounds * math.exp(-epsilon * margin) * step / epsilon
    if base == "tsallis-inf":
        plain = min(plain, squared_bound(setting, margin, way))
    bound = (1.0 + 2.0 * margin) * plain + lost
    proved = inner.regret_bound is not None and way != "ignore"
    source = summed_bounds.SOURCE if way == "move" else CLIPPED
    learner = Accepting.around(
        cast(Private, inner.private).learner,
        margin=margin,
        clips=way != "ignore",
        moves=way == "move",
    )
    noise = Laplace.calibrate(sensitivity=width, epsilon=epsilon)
    return Instance(
        private=Private(PerRound(setting.bounds, noise), learner),
        parameters={"base": base, **inner.parameters, "margin": margin},
        regret_bound=min(bound, rounds) * width if proved else None,
        bound_source=f"{source}, with {inner.bound_source}" if proved else UNPROVED,
    )


def squared_bound(setting: Setting[Arms], margin: float, way: Beyond) -> float:
    """Return the bound of Tsallis-INF on noise that is moved or clipped (Theorem R23.2)."""
    noise = 1.0 / setting.epsilon
    if way == "move":
        square, contrast = summed_bounds.confined_square(noise), 1.0 / (1.0 + 2.0 * noise)
    else:
        moved = noise * math.exp(-margin / noise) * -math.expm1(-1.0 / noise)
        square = summed_bounds.clipped_square(margin, noise)
        contrast = min(1.0, max(0.0, 1.0 - moved) / (1.0 + 2.0 * margin))
    return summed_bounds.tsallis_inf(
        setting.problem.arms, setting.rounds, square=square, contrast=contrast
    )


def build_base(setting: Setting[Arms], base: str) -> Instance:
    """Return the algorithm that will learn from noisy losses, or refuse it."""
    known = algorithm(base)
    if not isinstance(known.problem, Arms) or not known.one_point:
        raise DiscreetError(
            f"base is {base}, but must be a non-private algorithm for arms that observes one loss "
            "per round, such as exp3 or tsallis-inf."
        )
    return known.build(setting)
