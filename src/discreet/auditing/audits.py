"""Attack a guarantee: refute it or confirm part of its epsilon, with a stated confidence."""

from __future__ import annotations

import math
import time
import zlib
from dataclasses import dataclass

import componentjit
from componentjit import compiling_for
from discreet.algorithms import Setting, algorithm
from discreet.auditing.attacks import (
    SEEDS,
    Attack,
    GameFacts,
    default_attack,
)
from discreet.auditing.bad_input import find_no_numbers
from discreet.auditing.bounds import CONFIDENCE, MOST, largest_bound
from discreet.auditing.observed import with_first_observation, with_observation
from discreet.auditing.rare import find_rare
from discreet.auditing.reports import find_report
from discreet.auditing.screening import find_leak
from discreet.contracts import Protected, unsealed
from discreet.errors import DiscreetError, check_int, check_range, shorten
from discreet.guarantee import Guarantee, Json
from discreet.guarantee_facts import FactsInHtml
from discreet.live.client import LiveClient
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.options import Values
from discreet.problems import Problem
from discreet.progress import ShowProgress, make_progress

Subject = str | Protected | LiveClient | LiveRun
WEAK = 0.5  # an attack that finds less than this share of an epsilon says little about it
SERIES = 1 << 33  # distance between the seeds of attacks: checksums of names are below 2^32


@dataclass(frozen=True, kw_only=True)
class Audit(FactsInHtml):
    """What an attack found."""

    name: str
    claimed: Guarantee
    lower_bound: float  # on epsilon, at the claimed delta
    reach: float  # the largest epsilon that this many trials could show
    confidence: float
    trials: int  # for each of the two neighbouring inputs
    attack: str
    seed: int
    stated: Guarantee  # what discreet itself states for this noise
    seconds: float

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.lower_bound > self.claimed.epsilon * (1.0 + 1e-9)

    @property
    def share(self) -> float:
        """How much of the claimed epsilon the attack confirmed, as a share."""
        return self.lower_bound / self.claimed.epsilon if self.claimed.epsilon > 0.0 else 0.0

    @property
    def remark(self) -> str | None:
        """Why the audit is inconclusive, in one sentence; None if it is informative."""
        epsilon = self.claimed.epsilon
        if self.violated or epsilon == 0.0:
            return None
        if self.reach < epsilon:
            most = largest_bound(
                MOST, confidence=self.confidence, delta=self.claimed.delta, gaussian=False
            )
            if epsilon > most:
                return (
                    f"This audit cannot refute the claim: epsilon is {epsilon:g}, but even "
                    f"{MOST:,} trials could not show more than {most:.3g}."
                )
            return (
                f"This audit cannot refute the claim: {self.trials:,} trials could not show more "
                f"than {self.reach:.3g}, but epsilon is {epsilon:g}."
            )
        if self.share < WEAK:
            return (
                f"The attack is weak: it finds {self.share:.0%} of the claimed epsilon, so the "
                "audit says little about whether the claim is true."
            )
        known = self.stated.epsilon
        if math.isfinite(known) and self.lower_bound < WEAK * known and known > epsilon:
            return (
                f"The attack is weak: for this noise, epsilon {known:.4g} is proved and "
                f"{epsilon:.4g} is claimed, but the attack finds only {self.lower_bound:.2g}. So "
                "the claim may be false although this audit did not refute it."
            )
        return None

    def as_dict(self) -> Json:
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
            "remark": self.remark,
            "attack": self.attack,
            "guarantee": self.stated.as_dict(),
            "seconds": round(self.seconds, 2),
        }

    def __str__(self) -> str:
        verdict = (
            "VIOLATED"
            if self.violated
            else f"not violated; {self.share:.0%} of it confirmed by attack"
        )
        return (
            f"{self.name}: claimed {self.claimed.short} ({self.claimed.source}); found epsilon at "
            f"least {self.lower_bound:.4g} with {100 * self.confidence:.4g} % confidence in "
            f"{self.trials:,} trials ({self.attack}): "
            f"{verdict}{'' if self.remark is None else f'. {self.remark}'}"
        )


def audit(
    subject: Subject,
    *,
    claimed: Guarantee | None = None,
    attack: Attack | None = None,
    trials: int | None = None,
    seed: int = 1,
    confidence: float = CONFIDENCE,
    setting: Setting[Problem] | None = None,
    progress: ShowProgress | bool | None = None,
    **options: object,
) -> Audit:
    """Attack a named algorithm, your own channel and learner, or a live run, through the real code.

    A named algorithm is built for ``setting`` (epsilon 1 and 10,000 rounds by default; 8 rounds of
    2 dimensions for running sums, where every trial is a whole run) and ``options``. With
    ``calibration="paper"`` the claim is the paper's. For your own ``Private`` the claim is its
    guarantee, unless you pass ``claimed``. For channels of this package, the default attack counts
    every release as a trial. Your own channel or noise may have memory, so there a trial is a fresh
    run in which the first of ``channel.hold()`` losses is replaced. Pass an attack (see
    :class:`FreshRuns`) if the range is not [0, 1], or if you know a better one.

    For a ``Bandit`` or any other live client, a fresh copy of its channel is attacked with the
    exact noise that it draws, which is slow. The run itself is not changed.

    The audit first runs two searches that assume nothing about the channel. One plays whole runs
    with many kinds and levels of neighbours and looks at everything observable together. The other
    looks for rare values that repeat exactly. NaN and infinite losses are tried as well. Anything
    suspicious is attacked in addition to the default attack. Each attack gets all of the trials
    and an equal part of 1 - ``confidence``; the best is reported.

    The result is a lower bound: a false guarantee may go undetected, but a correct one is called
    violated in at most 1 - ``confidence`` of all audits. A quarter of the trials is used to choose
    the event, and the others are counted. Out of scope are events rarer than about 1 in 1,000 at
    epsilon 1, levels narrower than 1/32 of the range, rare faults after the first four releases,
    the lowest bits of floating-point noise, and raw data that leaves other than through releases
    and their times (docs/manual.md: Attack).

    >>> found = audit("batched-exp3", trials=40_000)
    >>> found.violated, 0.9 < found.lower_bound <= 1.0
    (False, True)
    """
    confidence = check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    seed = check_int("seed", seed, minimum=0)
    if trials is not None:
        trials = check_int("trials", trials, minimum=100)
    for name, value, kind in (("claimed", claimed, Guarantee), ("setting", setting, Setting)):
        if value is not None and not isinstance(value, kind):
            raise DiscreetError(f"{name} is {shorten(value)}, but must be a {kind.__name__}.")
    if attack is not None and not isinstance(attack, Attack):
        raise DiscreetError(f"attack is {shorten(attack)}, but must be an Attack.")
    if isinstance(subject, str):
        private, stated, facts = _named(subject, setting or default_setting(subject), options)
    elif isinstance(subject, Protected | LiveClient | LiveRun):
        if options or setting is not None:
            raise DiscreetError(
                "options and setting are for named algorithms, but the subject is a "
                f"{type(subject).__name__}."
            )
        private = subject if isinstance(subject, Protected) else _planned(subject.plan)
        facts = GameFacts()
        stated = private.guarantee
    else:
        raise DiscreetError(
            f"the subject is {shorten(subject)}, but must be the name of an algorithm, a Private, "
            "or a live run."
        )
    private = private._replace(channel=unsealed(private.channel))
    name = _name_of(subject)
    claim = claimed or stated
    if not math.isfinite(claim.epsilon):
        raise DiscreetError(f"{name} makes no privacy claim: there is nothing to audit.")
    start = time.perf_counter()
    # The name is part of the seed, so that audits of different algorithms do not share draws.
    root = zlib.crc32(name.encode()) + seed
    told = make_progress(progress)
    if told is not None:
        told(0, 1)
    with compiling_for(name):
        attacks = (
            [attack] if attack is not None else _attacks(private, claim, facts, trials, seed=root)
        )
        # Each bound fails with at most its share of the allowed probability (union bound), so the
        # best may be reported. All attacks were chosen before, on other trials.
        each = 1.0 - (1.0 - confidence) / len(attacks)
        numbers = [one.trials_for(private, claim) if trials is None else trials for one in attacks]
        bounds = [
            one.bound(
                private,
                claim,
                trials=number,
                seed=(root + place * SERIES) % SEEDS,
                confidence=each,
                progress=_part_of(told, place, len(attacks)),
            )
            for place, (one, number) in enumerate(zip(attacks, numbers, strict=True))
        ]
    best = max(range(len(attacks)), key=bounds.__getitem__)
    attack, number, bound = attacks[best], numbers[best], bounds[best]
    return Audit(
        name=name,
        claimed=claim,
        lower_bound=bound,
        reach=max(
            one.largest_bound(private, claim, trials=number, confidence=each)
            for one, number in zip(attacks, numbers, strict=True)
        ),
        confidence=confidence,
        trials=number,
        attack=attack.text,
        seed=seed,
        stated=private.guarantee,
        seconds=time.perf_counter() - start,
    )


def _attacks(
    private: Protected, claim: Guarantee, facts: GameFacts, trials: int | None, *, seed: int
) -> list[Attack]:
    """Return the attack made for the channel, and leads of the searches that could refute it."""
    usual = default_attack(private, facts)
    found = (
        find_no_numbers(private, facts, seed=seed),
        find_leak(private, claim, facts, seed=seed),
        find_rare(private, claim, facts, usual, trials=trials, seed=seed),
        find_report(private, claim, usual, seed=seed),
    )
    attacks = [usual]
    for lead in found:
        if lead is not None:
            number = trials or lead.trials_for(private, claim)
            reach = lead.largest_bound(private, claim, trials=number, confidence=CONFIDENCE)
            attacks += [lead] if reach > claim.epsilon else []
    return attacks


def _part_of(progress: ShowProgress | None, place: int, parts: int) -> ShowProgress | None:
    """Return the progress of one attack of several."""
    if progress is None:
        return None
    report = progress
    return lambda done, asked: report(place * asked + done, parts * asked)


def _name_of(subject: Subject) -> str:
    """Return a name for the subject of an audit."""
    if isinstance(subject, str):
        return subject
    if isinstance(subject, Protected):
        return f"{type(subject.learner).__name__} behind {type(subject.channel).__name__}"
    return f"{type(subject).__name__} with {subject.plan.algorithm}"


def _planned(plan: RunPlan) -> Protected:
    """Return the private learner of a run as it was before the first round."""
    return with_observation(componentjit.copy(plan.private), plan.observation)


def default_setting(name: str) -> Setting[Problem]:
    """Return the setting in which an algorithm is audited by default."""
    problem, rounds = algorithm(name).problem.for_audit()
    return Setting(problem, rounds=rounds)


def _named(
    name: str, setting: Setting[Problem], options: Values
) -> tuple[Protected, Guarantee, GameFacts]:
    """Return a named algorithm as a private learner, what it claims, and facts about its game."""
    known = algorithm(name)
    built = known.build(setting, **options)
    claim = built.claim or built.guarantee
    facts = GameFacts(setting.problem, setting.bounds)
    return with_first_observation(built.private, setting.problem), claim, facts
