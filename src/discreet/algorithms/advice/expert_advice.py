"""Faster rates 2025, section 4 and appendices E and F: bandits with expert advice, in all four forms.

Advice is public. The paper's remark that it may be sensitive too is not true: with one expert, or
several who agree, the arm that is played is their advice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discreet.algorithms.arms.faster_rates import Calibration
from discreet.algorithms.papers import EXP3, EXP4_P, FASTER_RATES, HTINF
from discreet.algorithms.registry import Instance, Setting, algorithm, register_algorithm
from discreet.channels import Estimates, Open, PaperEstimates, PerRound, Responses
from discreet.contracts import Floats
from discreet.curves import gaussian_sigma
from discreet.errors import DiscreetError, check_int
from discreet.learners import BatchedExp4, Exp4, Exp4P, Following
from discreet.mechanisms import Laplace, ReportNoiseName, report_noise
from discreet.private import Private
from discreet.problems import Advice, Arms

SKEW = (
    4.0 / 3.0
)  # of the moments of Laplace noise over those of Gaussian noise, while η times its scale is at most 1/2
MOMENTS = (0.02, 0.05, 0.1, 0.2, 1.0 / 3.0)  # ν, of which the best is taken
DERIVED = "re-derived with moments of the noise (see discreet.learners.advice.exp4)"


@register_algorithm(
    name="exp4", title="EXP4, for expert advice", problem=Advice(), citation=EXP3, one_point=True
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
    citation=EXP4_P,
    one_point=True,
)
def exp4_p(setting: Setting[Advice], *, failure: float = 0.01) -> Instance:
    """EXP4.P, tuned to hold with probability 1 - ``failure``; the bound is on the expected regret, and needs none."""
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
    """Return the bound of EXP4.P in expectation, infinite where nothing is proved."""
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
    citation=FASTER_RATES,
    builds_on=(HTINF,),
)
def expert_arms(
    setting: Setting[Advice], *, base: str = "batched-htinf", calibration: Calibration = "tight"
) -> Instance:
    """Algorithm 5 (Theorems 3 and 4) over ``base``, any algorithm on arms: its guarantee, and its bound for N arms."""
    inner = algorithm(base)
    if not isinstance(inner.problem, Arms):
        raise DiscreetError(f"base is {base}, but must be an algorithm on arms without advice.")
    numbers = Setting(
        Arms(setting.problem.experts),
        rounds=setting.rounds,
        epsilon=setting.epsilon,
        delta=setting.delta,
        bounds=setting.bounds,
    )
    options = {"calibration": calibration} if "calibration" in inner.options else {}
    found = inner.build(numbers, **options)
    if found.private.channel.in_order:
        raise DiscreetError(
            f"base is {base}, whose guarantee is for its own draws, but here arms are drawn from "
            "advice."
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
    citation=FASTER_RATES,
    builds_on=(EXP3,),
)
def local_exp4(
    setting: Setting[Advice],
    *,
    calibration: Calibration = "tight",
    noise: ReportNoiseName | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 6 (Theorem 5), private in the local model; Laplace or Gaussian noise, whichever has the least bound.

    Added noise costs what its moments do: nothing is clipped. Randomised response, if it is asked
    for, has a smaller bound: responses are losses of 0 or 1, for which EXP4 needs no change; the
    regret is theirs times coth(ε / 2).
    """
    epsilon, delta = setting.epsilon, setting.delta
    if calibration == "paper":
        if noise not in (None, "laplace"):
            raise DiscreetError(
                f"calibration is paper, which has laplace noise, but noise is {noise}: leave it "
                "out."
            )
        return _paper_local(setting, learning_rate, mixing)
    if noise == "response":
        return _responding(setting, learning_rate, mixing)
    variances = {"laplace": SKEW * 2.0 / epsilon**2}
    if delta > 0.0:
        variances["gaussian"] = gaussian_sigma(epsilon, delta) ** 2
    tunings = {
        name: _tuned(setting, 1, each=variance, learning_rate=learning_rate, mixing=mixing)
        for name, variance in variances.items()
    }
    kind = min(tunings, key=lambda name: tunings[name].bound) if noise is None else noise
    found = report_noise(kind, bounds=setting.bounds, epsilon=epsilon, delta=delta)
    learner = Exp4.start(
        experts=setting.problem.experts,
        learning_rate=tunings[kind].rate,
        mixing=tunings[kind].mixing,
    )
    return _instance(
        setting, Private(PerRound(setting.bounds, found), learner), tunings[kind], "Theorem 5"
    )


@register_algorithm(
    name="batched-exp4",
    twin="exp4",
    title="EXP4 on noisy estimates of batches",
    problem=Advice(),
    citation=FASTER_RATES,
    builds_on=(EXP3,),
)
def batched_exp4(
    setting: Setting[Advice],
    *,
    calibration: Calibration = "tight",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 2 (Theorem 6); every batch gets the least noise that its public queries allow."""
    return _batched(setting, calibration, batch_size, learning_rate, mixing, fits=False)


@register_algorithm(
    name="improved-batched-exp4",
    twin="exp4",
    title="EXP4 on estimates of batches, with noise fitted to each expert",
    problem=Advice(),
    citation=FASTER_RATES,
    builds_on=(EXP3,),
)
def improved_batched_exp4(
    setting: Setting[Advice],
    *,
    calibration: Calibration = "tight",
    batch_size: int | None = None,
    learning_rate: float | None = None,
    mixing: float | None = None,
) -> Instance:
    """Algorithm 7 (Theorem 8): noise may also be fitted to the largest entry of each expert in a batch."""
    return _batched(setting, calibration, batch_size, learning_rate, mixing, fits=True)


class _Tuning(NamedTuple):
    size: int
    rate: float
    mixing: float
    moments: float
    bound: float  # on the scale [0, 1]; infinite where nothing is proved


def _batched(
    setting: Setting[Advice],
    calibration: Calibration,
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
    *,
    fits: bool,
) -> Instance:
    experts, arms, rounds, epsilon, delta = (
        setting.problem.experts,
        setting.problem.arms,
        setting.rounds,
        setting.epsilon,
        setting.delta,
    )
    if calibration == "paper":
        return _paper_batched(setting, batch_size, learning_rate, mixing, fits=fits)
    normal = gaussian_sigma(epsilon, delta) if delta > 0.0 else 0.0

    def tuned(size: int) -> _Tuning:
        def joint(rate: Floats, share: Floats) -> Floats:
            flat = 1.0 / (
                1.0 - share + share / arms
            )  # an entry of all, if all advise the arm; else one of them does not
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

    sizes = np.unique(np.geomspace(1, max(1, rounds // 4), 50).astype(np.int64)).tolist()
    if batch_size is not None:
        sizes = [check_int("batch_size", batch_size, least=1, most=rounds)]
    tuning = min((tuned(size) for size in sizes), key=lambda found: found.bound)
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
    return _instance(
        setting, Private(channel, learner), tuning, "Theorem 8" if fits else "Theorem 6"
    )


def _tuned(
    setting: Setting[Advice],
    size: int,
    *,
    each: float,
    joint: Callable[[Floats, Floats], Floats] | None = None,
    learning_rate: float | None,
    mixing: float | None,
) -> _Tuning:
    """Return the rate and the mixing with the least proved bound, on a grid; those that are given stay.

    ``each`` is the variance of the noise on one loss. Weighed by P, the noise in the estimates of a
    batch has on average at most K / ((1 - γ) τ) times that variance, provided that no χ(j) can
    exceed ν, where an entry of a query is at most K / γ. ``joint(η, γ)`` is its variance if it is
    the same for all experts, which holds for every ν.
    """
    experts, arms, rounds = setting.problem.experts, setting.problem.arms, setting.rounds
    usual = Exp4.recommended_rate(experts=experts, arms=arms, rounds=rounds)
    rates = (
        usual * np.geomspace(1e-5, 20.0, 140)
        if learning_rate is None
        else np.array([learning_rate])
    )
    mixings = np.append(0.0, np.geomspace(1e-5, 0.5, 80)) if mixing is None else np.array([mixing])
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
            bound = (
                entropy
                + rate * size * batches * (kappa * arms + (1.0 - share) * noise)
                + share * rounds
            )
            bound = np.where(np.isfinite(bound), bound + rounds - size * batches, np.inf)
            i, j = np.unravel_index(int(np.argmin(bound)), bound.shape)
            if bound[i, j] < best.bound:
                best = _Tuning(
                    size, float(rates[i]), float(mixings[j]), moments, float(bound[i, j])
                )
    return best


def _responding(
    setting: Setting[Advice], learning_rate: float | None, mixing: float | None
) -> Instance:
    """Return EXP4 on randomised bits: none has a mean, and so a mean square, above (1 + a) / 2, a the contrast."""
    channel = Responses.calibrated(bounds=setting.bounds, epsilon=setting.epsilon)
    most = 0.5 + 0.5 * channel.contrast
    entropy, spread = (
        math.log(setting.problem.experts),
        0.5 * most * setting.problem.arms * setting.rounds,
    )
    rate, share = (
        math.sqrt(entropy / spread) if learning_rate is None else learning_rate,
        mixing or 0.0,
    )
    learner = Exp4.start(experts=setting.problem.experts, learning_rate=rate, mixing=share)
    bound = (1.0 - share) * entropy / rate + rate * spread + share * setting.rounds
    return Instance(
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


def _paper_local(
    setting: Setting[Advice], learning_rate: float | None, mixing: float | None
) -> Instance:
    """Return Theorem 5 as it is printed."""
    arms, rounds, epsilon = setting.problem.arms, setting.rounds, setting.epsilon
    log, entropy = math.log(arms * rounds), math.log(setting.problem.experts)
    tuned = math.sqrt(entropy / (3.0 * rounds * arms * (1.0 + 10.0 * log**2 / epsilon**2)))
    rate = tuned if learning_rate is None else learning_rate
    share = 4.0 * rate * arms * log / epsilon if mixing is None else mixing
    printed = epsilon <= 1.0 and learning_rate is None and mixing is None and share <= 0.5
    channel = PerRound(
        setting.bounds, Laplace.calibrate(sensitivity=setting.bounds.width, epsilon=epsilon)
    )
    learner = Exp4.start(
        experts=setting.problem.experts, learning_rate=rate, mixing=min(share, 0.5)
    )
    bound = 16.0 * math.sqrt(rounds * arms * entropy) * log / epsilon + 1.0
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": 1, "learning_rate": rate, "mixing": min(share, 0.5)},
        regret_bound=_capped(setting, bound) if printed else None,
        bound_source="Faster rates 2025, Theorem 5"
        if printed
        else "no bound proved for these parameters",
    )


def _paper_batched(
    setting: Setting[Advice],
    batch_size: int | None,
    learning_rate: float | None,
    mixing: float | None,
    *,
    fits: bool,
) -> Instance:
    """Return Theorem 6 as printed, with the logarithm of 1 / δ that its γ lost; Algorithm 7 has the same numbers."""
    experts, arms, rounds, epsilon, delta = (
        setting.problem.experts,
        setting.problem.arms,
        setting.rounds,
        setting.epsilon,
        setting.delta,
    )
    if not 0.0 < delta < 1.0:
        raise DiscreetError(
            f"delta is {delta!r}, but the paper's noise needs one above 0 and below 1."
        )
    log, entropy, failure = math.log(experts * rounds), math.log(experts), math.log(1.0 / delta)
    size = (
        (experts * failure) ** (1 / 3)
        * log ** (2 / 3)
        * rounds ** (1 / 3)
        / (epsilon ** (2 / 3) * entropy ** (1 / 3))
    )
    tau = int(min(max(1, round(size)), rounds)) if batch_size is None else batch_size
    tuned = (experts * failure) ** (1 / 6) * log ** (1 / 3) * entropy ** (1 / 3)
    tuned /= rounds ** (1 / 3) * math.sqrt(arms) * epsilon ** (1 / 3)
    rate = tuned if learning_rate is None else learning_rate
    first = (180.0 * rate * experts * arms**2 * failure * log**2) ** (1 / 3) / (epsilon * tau) ** (
        2 / 3
    )
    second = 12.0 * rate * arms * math.sqrt(experts * failure) * log / (epsilon * tau)
    share = max(first, second) if mixing is None else mixing
    given = (batch_size, learning_rate, mixing)
    printed = given == (None, None, None) and share <= 0.5 and rate < 1.0 and epsilon <= 1.0
    share = min(share, 0.5)
    if not share > 0.0:
        raise DiscreetError(
            "mixing is 0, but the paper's noise needs mixing: it grows with K / mixing."
        )
    channel = PaperEstimates.over(
        size=tau,
        coordinates=experts,
        bounds=setting.bounds,
        epsilon=epsilon,
        delta=delta,
        cap=0.0 if fits else arms / share,
    )
    bound = 100.0 * experts ** (1 / 6) * math.sqrt(arms) * rounds ** (2 / 3) * failure ** (1 / 6)
    bound *= log ** (1 / 3) * entropy ** (1 / 3) / epsilon ** (1 / 3)
    bound += math.sqrt(experts * failure) * log * entropy / epsilon
    learner = BatchedExp4.start(experts=experts, learning_rate=rate, mixing=share)
    return Instance(
        private=Private(channel, learner),
        parameters={"batch_size": tau, "learning_rate": rate, "mixing": share},
        regret_bound=_capped(setting, bound) if printed else None,
        bound_source="Faster rates 2025, Theorem 6, with its lost ln(1/δ)"
        if printed
        else "no bound proved",
    )


def _capped(setting: Setting[Advice], bound: float) -> float:
    return min(bound, setting.rounds) * setting.bounds.width
