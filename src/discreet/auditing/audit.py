"""Attack a guarantee: refute it, or say how much of its epsilon is known to leak, with a stated confidence."""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from discreet import kernel
from discreet.algorithms import Setting, algorithm
from discreet.auditing.advice import OneEstimate, advised, one_estimate, releases_estimates
from discreet.auditing.attacks import Attack, EveryRelease, FreshRuns
from discreet.auditing.bounds import Event, Tally, best_event, epsilon_bound
from discreet.auditing.running_sums import OneVector, attackable, is_running_sum, one_vector, prefixes_of
from discreet.auditing.selection import RareArm, rare_arm
from discreet.channels import Batch, PerRound
from discreet.curves import GaussianNoise
from discreet.errors import DiscreetError, check_int, check_range
from discreet.guarantee import Guarantee
from discreet.mechanisms import ExactGaussian, Gaussian
from discreet.private import Private
from discreet.problems import Advice, Problem

CONFIDENCE = 0.99
LEAST, MOST = 400_000, 100_000_000
RUNS, WARM_UPS = 20_000, 4_000  # of attacks whose trials are whole runs
SPENT = 0.25  # the share of the trials that the event is chosen with
AT_ONCE = 1 << 21
ROUNDS = 4 * 10**9  # so many rounds, at most, are played unless trials are given: about a minute


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What an attack found."""

    name: str
    claimed: Guarantee
    lower_bound: float  # on epsilon, at the claimed delta
    confidence: float
    trials: int  # in each of the two worlds
    attack: str
    seed: int
    stated: Guarantee  # what discreet itself says of this noise
    seconds: float

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.lower_bound > self.claimed.epsilon * (1.0 + 1e-9)

    @property
    def share(self) -> float:
        """How much of the claimed epsilon is known to leak."""
        return self.lower_bound / self.claimed.epsilon if self.claimed.epsilon > 0.0 else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the findings for JSON."""
        return {
            "name": self.name,
            "claimed": {
                "epsilon": self.claimed.epsilon,
                "delta": self.claimed.delta,
                "status": self.claimed.status,
                "source": self.claimed.source,
            },
            "lower_bound": self.lower_bound,
            "share": self.share,
            "seed": self.seed,
            "confidence": self.confidence,
            "trials": self.trials,
            "violated": self.violated,
            "attack": self.attack,
            "guarantee": self.stated.as_dict(),
            "seconds": round(self.seconds, 2),
        }

    def __str__(self) -> str:
        verdict = "VIOLATED" if self.violated else f"not violated; {self.share:.0%} of it is known to leak"
        return (
            f"{self.name}: claimed {self.claimed.short} ({self.claimed.source}); found epsilon at least "
            f"{self.lower_bound:.4g} with {100 * self.confidence:.4g} % confidence in {self.trials:,} trials "
            f"({self.attack}): {verdict}"
        )


def audit(
    subject: str | Private,
    *,
    claimed: Guarantee | None = None,
    attack: Attack | RareArm | None = None,
    trials: int | None = None,
    seed: int = 1,
    confidence: float = CONFIDENCE,
    setting: Setting[Problem] | None = None,
    **options: Any,
) -> Audit:
    """Attack a named algorithm, or a channel and a learner of your own, through the real, compiled code.

    A named algorithm is built for ``setting`` (epsilon 1 and 10,000 rounds by default; 8 rounds of 2 dimensions for
    running sums, whose every trial is a whole run) and ``options``; with
    ``calibration="paper"`` the claim is the paper's. For a ``Private`` of your own the claim is its guarantee, or the one
    you give. The default attack counts every release of our own channels as a trial; for a channel of yours a trial is a
    run from the start, in which the first of ``channel.hold()`` losses in [0, 1] is replaced. Give an attack (see
    :class:`FreshRuns`) for another range, or a better one.

    The bound is a lower one: a guarantee can be false without being caught, but a correct one is called violated in at
    most 1 - ``confidence`` of all audits. Three quarters of the trials are counted; on the others the event is chosen.

    >>> found = audit("batched-exp3", trials=40_000)
    >>> found.violated, 0.9 < found.lower_bound <= 1.0
    (False, True)
    """
    check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    check_int("seed", seed, least=0)
    for name, value, kind in (("claimed", claimed, Guarantee), ("setting", setting, Setting)):
        if value is not None and not isinstance(value, kind):
            raise DiscreetError(f"{name} is {value!r}, but must be a {kind.__name__}.")
    if isinstance(subject, str):
        private, claim, attack = _named(subject, setting or default_setting(subject), options, claimed, attack)
    elif isinstance(subject, Private):
        if options or setting is not None:
            raise DiscreetError("options and setting are for named algorithms, but a Private is given.")
        private, claim = subject, claimed or subject.guarantee
    else:
        raise DiscreetError(f"the subject is {subject!r}, but must be the name of an algorithm or a Private.")
    name = (
        subject
        if isinstance(subject, str)
        else f"{type(private.learner).__name__} behind {type(private.channel).__name__}"
    )
    if not math.isfinite(claim.epsilon):
        raise DiscreetError(f"{name} claims no privacy: there is nothing to audit.")
    attack = attack or _default(private)
    start = time.perf_counter()
    shape = attack.curve(private.channel) if isinstance(attack, OneEstimate) else _gaussian(private)
    number = _trials(private.channel, attack, claim, shape) if trials is None else check_int("trials", trials, least=100)
    root = zlib.crc32(name.encode()) + seed  # audits of different algorithms do not share their draws
    if isinstance(attack, RareArm):
        bound = attack.bound(private, delta=claim.delta, trials=number, seed=root, confidence=confidence)
    else:
        bound = attacked(
            partial(_sample, attack, attackable(private, claim), root),
            number,
            delta=claim.delta,
            gaussian=shape is not None,
            confidence=confidence,
        )
    return Audit(
        name=name,
        claimed=claim,
        lower_bound=bound,
        confidence=confidence,
        trials=number,
        attack=attack.text,
        seed=seed,
        stated=private.guarantee,
        seconds=time.perf_counter() - start,
    )


def attacked(
    sample: Callable[[int, int, int], Any], trials: int, *, delta: float, gaussian: bool, confidence: float = CONFIDENCE
) -> float:
    """Return the lower bound on epsilon from ``sample(world, trials, series)``.

    Both worlds are drawn side by side. An event is chosen on a quarter of the trials, and counted in the others, piece by
    piece, so that memory does not grow with them.
    """
    spent = min(math.ceil(SPENT * trials), AT_ONCE)
    counted = trials - spent

    def count_hits(world: int, event: Event) -> int:
        pieces = range(0, counted, AT_ONCE)
        return sum(
            event.hits(np.asarray(sample(world, min(AT_ONCE, counted - start), 1 + piece)))
            for piece, start in enumerate(pieces)
        )

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda world: np.asarray(sample(world, spent, 0)), (0, 1))
        event = best_event(first, second, confidence=confidence, delta=delta, gaussian=gaussian)
        hits = list(threads.map(lambda world: count_hits(world, event), (0, 1)))
    tally = Tally(hits[event.likelier], hits[1 - event.likelier], counted)
    return epsilon_bound(tally, confidence=confidence, delta=delta, gaussian=gaussian)


def _sample(attack: Attack, private: Private, root: int, world: int, trials: int, series: int) -> Any:
    return attack.sample(private, world, trials, root + (series << 40))


def default_setting(name: str) -> Setting[Problem]:
    """Return the numbers that an algorithm is audited with."""
    problem, rounds = algorithm(name).problem.for_audit()
    return Setting(problem, rounds=rounds)


def _named(
    name: str,
    setting: Setting[Problem],
    options: dict[str, Any],
    claimed: Guarantee | None,
    attack: Attack | RareArm | None,
) -> tuple[Private, Guarantee, Attack | RareArm]:
    """Return what a name stands for, what is claimed of it, and the best known attack."""
    known = algorithm(name)
    private = known.build(setting, **options).private
    claim = claimed or private.guarantee
    if claimed is None and options.get("calibration") == "paper":
        claim = Guarantee(
            epsilon=setting.epsilon,
            delta=setting.delta,
            model=private.guarantee.model,
            status="claimed by the paper only",
            source=known.citation.short,
        )
    if is_running_sum(private.channel):
        return private, claim, attack or one_vector(private.channel)
    if releases_estimates(private.channel):
        return private, claim, attack or one_estimate(private, setting.problem.actions, setting.bounds)
    if isinstance(setting.problem, Advice):
        private = advised(private, setting.problem.arms, setting.problem.experts)
    if private.channel.in_order:
        return private, claim, attack or rare_arm(private, setting.problem.actions, setting.bounds)
    return private, claim, attack or EveryRelease(setting.bounds, private.channel.hold())


def _default(private: Private) -> Attack:
    """Return the attack on our own channels, or on one of which nothing is known."""
    channel: Any = private.channel
    if is_running_sum(channel):
        return one_vector(channel)
    if releases_estimates(channel):
        return one_estimate(private, 2, channel.bounds)
    if isinstance(channel, Batch | PerRound) and type(channel.mechanism).__module__.startswith("discreet.mechanisms"):
        return EveryRelease(channel.bounds, channel.hold())
    arms = max([2, *(array.size for _, array in kernel.arrays(private.learner))])  # columns that are too many do no harm
    one = np.full((private.channel.hold(), arms), 0.5)
    other = one.copy()
    one[0], other[0] = 0.0, 1.0
    return FreshRuns(one, other, text="the first loss is 0 or 1, all others 0.5; a half-line of the sum of the releases")


def _gaussian(private: Private) -> GaussianNoise | None:
    """Return the curve if the noise is Gaussian and our own: only then one point of it tells the whole curve."""
    mechanism, curve = getattr(private.channel, "mechanism", None), private.guarantee.curve
    ours = isinstance(mechanism, Gaussian | ExactGaussian) and (
        isinstance(private.channel, Batch | PerRound) or is_running_sum(private.channel)
    )
    return curve if ours and isinstance(curve, GaussianNoise) else None


def _trials(channel: Any, attack: Attack | RareArm, claim: Guarantee, shape: GaussianNoise | None) -> int:
    """Return about how many trials it takes to find 95 % of epsilon, where the guarantee is tight."""
    if not isinstance(attack, EveryRelease | OneVector | OneEstimate):
        return WARM_UPS if isinstance(attack, RareArm) else RUNS
    if claim.epsilon == 0.0:
        return LEAST
    precise = 2.6 * math.sqrt(2.0 + 2.0 * math.exp(min(claim.epsilon, 40.0))) / max(0.04 * claim.epsilon, 1e-9)
    if shape is not None:
        precise = 2.6 * 1.8 / max(0.03 * shape.mu, 1e-9)
    affordable = ROUNDS // (20 + channel.hold())
    if isinstance(attack, OneEstimate):
        affordable = ROUNDS // (20 + 10 * attack.experts * channel.size)
    if isinstance(attack, OneVector):
        rounds = prefixes_of(channel)
        affordable = ROUNDS // (40 * rounds * attack.one.size)
        if shape is None:  # the best event is that all noises of the first round are on one side
            precise *= 2.0 ** min(0.5 * rounds.bit_length() * attack.one.size, 20.0)
    return int(max(min(max(precise**2 / (1.0 - SPENT), LEAST), MOST, affordable), LEAST // 20))
