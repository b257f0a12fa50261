"""Faster rates 2025, section 4 and appendices E and F: bandits with expert advice.

Advice is public. The paper's remark that it may also be sensitive is wrong: with one expert, or
several who agree, the arm played reveals their advice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from discreet.algorithms.arms.choosing import chosen
from discreet.algorithms.registry import Instance, Setting, algorithm, register_algorithm
from discreet.channels import Estimates, Open, PerRound, Responses
from discreet.contracts import Floats
from discreet.curves import gaussian_sigma
from discreet.errors import DiscreetError, check_int, check_positive, check_range
from discreet.learners import BatchedExp4, Exp4, Exp4P, Following
from discreet.mechanisms import ReportNoiseName, report_noise
from discreet.private import Private
from discreet.problems import Advice, Arms

__all__ = ["follow_experts"]

# moments of Laplace noise divided by those of Gaussian noise, if η times its scale is at most 1/2
SKEW = 4.0 / 3.0
MOMENTS = (0.02, 0.05, 0.1, 0.2, 1.0 / 3.0)  # candidates for χ*: the least bound wins
DERIVED = "re-derived with moments of the noise (see discreet.learners.advice.exp4)"


@register_algorithm(
    name="exp4",
    title="EXP4, for expert advice",
    problem=Advice(),
    citation="auer2002nonstochastic",
    one_point=True,
)
def exp4(
    setting: Setting[Advice], *, learning_rate: float | None = None, mixing: float = 0.0
) -> Instance:
    """EXP4; η = sqrt(2 ln N / (T K)) and no mixing, unless set."""
    numbers = {
        "experts": setting.problem.experts,
        "arms": setting.problem.arms,
        "rounds": setting.rounds,
    }
    rate = Exp4.recommended_rate(**numbers) if learning_rate is None else learning_rate
    learner = Exp4.start(experts=setting.problem.experts, learning_rate=rate, mixing=mixing)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"learning_rate": rate, "mixing": mixing},
        regret_bound=_capped(
            setting, Exp4.regret_bound(**numbers, learning_rate=rate, mixing=mixing)
        ),
        bound_source="Bubeck & Cesa-Bianchi 2012, Theorem 4.2, with mixing",
    )


@register_algorithm(
    name="exp4-p",
    title="EXP4 with a confidence bonus",
    problem=Advice(),
    citation="beygelzimer2011contextual",
    one_point=True,
)
def exp4_p(setting: Setting[Advice], *, failure: float = 0.01) -> Instance:
    """EXP4.P, tuned to hold with probability 1 - ``failure``; the bound holds in expectation."""
    learner = Exp4P.start(
        experts=setting.problem.experts,
        arms=setting.problem.arms,
        rounds=setting.rounds,
        failure=failure,
    )
    bound = _exp4_p_bound(setting, learner.least_share, learner.bonus)
    return Instance(
        private=Private(Open(setting.bounds), learner),
        parameters={"least_share": learner.least_share, "bonus": learner.bonus, "failure": failure},
        regret_bound=_capped(setting, bound),
        bound_source="docs/regret.md: EXP4 with a bonus",
    )


def _exp4_p_bound(setting: Setting[Advice], least: float, bonus: float) -> float:
    """Return the bound of EXP4.P in expectation; infinite if none is proved."""
    arms, rounds = setting.problem.arms, setting.rounds
    if bonus > 1.0:
        return math.inf
    square = 1.0 + 2.0 * bonus + bonus * bonus / least
    spread = bonus + (math.e - 2.0) / 2.0 * least * square + least
    return (
        2.0 * (1.0 - arms * least) * math.log(setting.problem.experts) / least
        + arms * rounds * spread
    )


@register_algorithm(
    name="expert-arms",
    title="any bandit algorithm, with experts as its arms",
    problem=Advice(),
    citation="asi2025faster",
    builds_on=("huang2022adaptive",),
)
def expert_arms(setting: Setting[Advice], *, base: str = "batched-htinf") -> Instance:
    """Algorithm 5 (Theorems 3 and 4) over ``base``: any algorithm on arms, or ``bounded``."""
    return follow_experts(setting, base)


def follow_experts(setting: Setting[Advice], base: str, **options: object) -> Instance:
    """Return an algorithm on arms, with these options, whose arms are the experts.

    It has the same guarantee, and its bound for N arms.
    """
    numbers = Setting(
        Arms(setting.problem.experts),
        rounds=setting.rounds,
        epsilon=setting.epsilon,
        delta=setting.delta,
        bounds=setting.bounds,
    )
    base = chosen(base, numbers)
    inner = algorithm(base)
    if not isinstance(inner.problem, Arms):
        raise DiscreetError(f"base is {base}, but must be an algorithm for arms without advice.")
    found = inner.build(numbers, **options)
    if found.private.channel.in_order:
        raise DiscreetError(
            f"base is {base}, whose guarantee depends on how it draws arms, but here arms are "
            "drawn from advice."
        )
    return Instance(
        private=found.private._replace(learner=Following(found.private.learner)),
        parameters={"base": base, **found.parameters},
        regret_bound=found.regret_bound,
        bound_source=f"Faster rates 2025, Theorem 3, with {found.bound_source}",
    )


@register_algorithm(
    name="local-exp4",
    twin="exp4",
    title="EXP4 with noise every round",
    problem=Advice(),
    citation="asi2025faster",
    builds_on=("auer2002nonstochastic",),
)
def local_exp4(
    setting: Setting[Advice],
    *,
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 6 (Theorem 5), private in the local model.

    The default has the least bound. Nothing is clipped: added noise costs only its moments.
    Randomised response usually has a smaller bound: responses are losses of 0 or 1, for which EXP4
    needs no change, and the regret is coth(ε / 2) times the regret on responses.
    """
    epsilon, delta = setting.epsilon, setting.delta
    if noise == "response":
        return _responding(setting, learning_rate, mixing)[0]
    variances = {"laplace": SKEW * 2.0 / epsilon**2}
    if delta > 0.0:
        variances["gaussian"] = gaussian_sigma(epsilon, delta) ** 2
    tunings = {
        name: _tuned(setting, 1, each=variance, learning_rate=learning_rate, mixing=mixing)
        for name, variance in variances.items()
    }
    kind = min(tunings, key=lambda name: tunings[name].bound) if noise is None else noise
    found = report_noise(kind, bounds=setting.bounds, epsilon=epsilon, delta=delta)
    tuning = tunings[kind]
    learner = Exp4.start(
        experts=setting.problem.experts, learning_rate=tuning.rate, mixing=tuning.mixing
    )
    private = Private(PerRound(setting.bounds, found), learner)
    instance = _instance(setting, private, tuning, "Theorem 5")
    given = any(each is not None for each in (noise, learning_rate, mixing))
    return _or_responses(setting, instance, tuning.bound, not given)


@register_algorithm(
    name="batched-exp4",
    twin="exp4",
    title="EXP4 on noisy estimates of batches",
    problem=Advice(),
    citation="asi2025faster",
    builds_on=("auer2002nonstochastic",),
)
def batched_exp4(
    setting: Setting[Advice],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
    responses: bool | None = None,
) -> Instance:
    """Algorithm 2 (Theorem 6), with the least noise that the public queries of each batch allow.

    If randomised response has the smaller bound, it replaces batches (unless ``responses=false``):
    local privacy implies central privacy.
    """
    found, bound = _batched(setting, batch_size, learning_rate, mixing, fits=False)
    given = any(each is not None for each in (batch_size, learning_rate, mixing))
    return _or_responses(setting, found, bound, not given if responses is None else responses)


@register_algorithm(
    name="improved-batched-exp4",
    twin="exp4",
    title="EXP4 on estimates of batches, with noise fitted to each expert",
    problem=Advice(),
    citation="asi2025faster",
    builds_on=("auer2002nonstochastic",),
)
def improved_batched_exp4(
    setting: Setting[Advice],
    *,
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
    responses: bool | None = None,
) -> Instance:
    """Algorithm 7 (Theorem 8): noise can be fitted to each expert's largest entry in a batch."""
    found, bound = _batched(setting, batch_size, learning_rate, mixing, fits=True)
    given = any(each is not None for each in (batch_size, learning_rate, mixing))
    return _or_responses(setting, found, bound, not given if responses is None else responses)


class _Tuning(NamedTuple):
    size: int
    rate: float
    mixing: float
    moments: float  # χ*
    bound: float  # on the scale [0, 1]; infinite if none is proved


def _batched(
    setting: Setting[Advice],
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
    *,
    fits: bool,
) -> tuple[Instance, float]:
    """Return EXP4 on estimates of batches, and its bound on the scale [0, 1], vacuous or not."""
    experts, arms, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    epsilon, delta = setting.epsilon, setting.delta
    normal = gaussian_sigma(epsilon, delta) if delta > 0.0 else 0.0

    def tune(size: int) -> _Tuning:
        def joint(rate: Floats, share: Floats) -> Floats:
            # an entry if all experts advise the arm; otherwise one of them does not
            flat = 1.0 / (1.0 - share + share / arms)
            if normal > 0.0:
                norm = np.maximum(
                    math.sqrt(experts - 1.0) * arms / share, math.sqrt(experts) * flat
                )
                return SKEW * (normal * norm / size) ** 2
            scale = np.maximum((experts - 1.0) * arms / share, experts * flat) / (size * epsilon)
            return np.where(rate * scale <= 0.5, 2.0 * SKEW * scale**2, np.inf)

        each = SKEW * 2.0 / epsilon**2
        return _tuned(
            setting, size, each=each, joint=joint, learning_rate=learning_rate, mixing=mixing
        )

    # a grid of 50 sizes: between two of them the bound hardly changes
    sizes = np.unique(np.geomspace(1, max(1, rounds // 4), 50).astype(np.int64)).tolist()
    if batch_size is not None:
        sizes = [check_int("batch_size", batch_size, minimum=1, maximum=rounds)]
    tuning = min(map(tune, sizes), key=lambda found: found.bound)
    channel = Estimates.over(
        size=tuning.size,
        coordinates=experts,
        groups=arms,
        bounds=setting.bounds,
        epsilon=epsilon,
        delta=delta,
        fits=fits,
        ceiling=math.sqrt(1.5 * tuning.moments) / tuning.rate,
    )
    learner = BatchedExp4.start(experts=experts, learning_rate=tuning.rate, mixing=tuning.mixing)
    theorem = "Theorem 8" if fits else "Theorem 6"
    return _instance(setting, Private(channel, learner), tuning, theorem), tuning.bound


def _or_responses(
    setting: Setting[Advice], found: Instance, bound: float, allowed: bool
) -> Instance:
    """Return EXP4 on randomised bits if its bound is smaller: it is private in every model.

    Bounds are compared before they are capped at the largest possible regret: of two vacuous
    bounds, the smaller is still the better choice.
    """
    if not allowed:
        return found
    bits, own = _responding(setting, None, None)
    known = {"channel": "randomised response, which has the smaller bound", **bits.parameters}
    return replace(bits, parameters=known) if own < bound else found


def _tuned(
    setting: Setting[Advice],
    size: int,
    *,
    each: float,
    joint: Callable[[Floats, Floats], Floats] | None = None,
    learning_rate: float | None,
    mixing: float | None,
) -> _Tuning:
    """Return the rate and the mixing on a grid with the least proved bound, unless they are given.

    ``each`` is the variance of the noise on one loss. Weighted by P, the noise in the estimates of
    a batch has on average at most K / ((1 - γ) τ) times that variance, if no χ(j) can exceed χ*; an
    entry of a query is at most K / γ. ``joint(η, γ)`` is its variance if it is the same for all
    experts, which holds for every χ*.
    """
    experts, arms, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    usual = Exp4.recommended_rate(experts=experts, arms=arms, rounds=rounds)
    rates, mixings = (
        usual * np.geomspace(1e-5, 20.0, 140),
        np.append(0.0, np.geomspace(1e-5, 0.5, 80)),
    )
    if learning_rate is not None:
        rates = np.array([check_positive("learning_rate", learning_rate)])
    if mixing is not None:
        mixings = np.array([check_range("mixing", mixing, 0.0, 1.0)])
    rate, share = rates[:, None], mixings[None, :]
    batches = rounds // size
    best = _Tuning(size, float(rates[0]), float(mixings[-1]), MOMENTS[0], math.inf)
    with np.errstate(all="ignore"):
        most = each / 2.0 * (rate * arms / share) ** 2 / size
        always = np.full(most.shape, np.inf) if joint is None else joint(rate, share)
        for moments in MOMENTS:
            kappa = (math.exp(moments) - 1.0 - moments) / moments**2
            grouped = np.where(most <= moments, each * arms / ((1.0 - share) * size), np.inf)
            noise = (1.0 + kappa * moments) * np.minimum(grouped, always) / 2.0
            entropy = (1.0 - share) * size * math.log(experts) / rate
            spread = rate * size * batches * (kappa * arms + (1.0 - share) * noise)
            bound = entropy + spread + share * rounds
            bound = np.where(np.isfinite(bound), bound + rounds - size * batches, np.inf)
            i, j = np.unravel_index(int(np.argmin(bound)), bound.shape)
            if bound[i, j] < best.bound:
                found = float(rates[i]), float(mixings[j])
                best = _Tuning(size, *found, moments, float(bound[i, j]))
    return best


def _responding(
    setting: Setting[Advice], learning_rate: float | None, mixing: float | None
) -> tuple[Instance, float]:
    """Return EXP4 on randomised bits, and its bound on the scale [0, 1], vacuous or not.

    The mean square of a bit is at most (1 + a) / 2, a the contrast.
    """
    channel = Responses.calibrated(bounds=setting.bounds, epsilon=setting.epsilon)
    most, entropy = 0.5 + 0.5 * channel.contrast, math.log(setting.problem.experts)
    spread = 0.5 * most * setting.problem.arms * setting.rounds
    rate = math.sqrt(entropy / spread) if learning_rate is None else learning_rate
    share = mixing or 0.0
    learner = Exp4.start(experts=setting.problem.experts, learning_rate=rate, mixing=share)
    bound = (1.0 - share) * entropy / rate + rate * spread + share * setting.rounds
    instance = Instance(
        private=Private(channel, learner),
        parameters={
            "batch_size": 1,
            "learning_rate": rate,
            "mixing": share,
            "contrast": channel.contrast,
        },
        regret_bound=_capped(setting, bound / channel.contrast),
        bound_source="docs/regret.md: Responses",
    )
    return instance, bound / channel.contrast


def _instance(
    setting: Setting[Advice], private: Private, tuning: _Tuning, theorem: str
) -> Instance:
    proved = math.isfinite(tuning.bound)
    return Instance(
        private=private,
        parameters={
            "batch_size": tuning.size,
            "learning_rate": tuning.rate,
            "mixing": tuning.mixing,
        },
        regret_bound=_capped(setting, tuning.bound) if proved else None,
        bound_source=f"Faster rates 2025, {theorem}, {DERIVED}"
        if proved
        else "no bound proved: mixing is too small",
    )


def _capped(setting: Setting[Advice], bound: float) -> float:
    return min(bound, setting.rounds) * setting.bounds.width
