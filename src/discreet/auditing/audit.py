"""Attack a guarantee: refute it, or say how much of its epsilon is known to leak, with a stated confidence."""

from __future__ import annotations

import math
import time
import zlib
from dataclasses import dataclass

import componentjit
from componentjit import compiling_for
from discreet.algorithms import Setting, algorithm
from discreet.auditing.attacks import Attack, showing, shown
from discreet.auditing.bounds import CONFIDENCE, MOST, largest_bound
from discreet.auditing.registry import GameFacts, default_attack
from discreet.auditing.screening import screened
from discreet.contracts import Protected, unsealed
from discreet.errors import DiscreetError, check_int, check_range, shorten
from discreet.guarantee import Guarantee, Json
from discreet.live.client import LiveClient
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.options import Values
from discreet.problems import Problem
from discreet.simulation.experiment import Progress

Subject = str | Protected | LiveClient | LiveRun
PILOT = 4_000  # trials with which two attacks are compared
WEAK = 0.5  # a share of the claimed epsilon: an attack that finds less says little


@dataclass(frozen=True, kw_only=True)
class Audit:
    """What an attack found."""

    name: str
    claimed: Guarantee
    lower_bound: float  # on epsilon, at the claimed delta
    reach: float  # what that many trials could show at most
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

    @property
    def remark(self) -> str | None:
        """Why the audit says little or nothing, in one sentence; None if it says something."""
        epsilon = self.claimed.epsilon
        if self.violated or epsilon == 0.0:
            return None
        if self.reach < epsilon:
            most = largest_bound(
                MOST, confidence=self.confidence, delta=self.claimed.delta, gaussian=False
            )
            if epsilon > most:
                return (
                    "This audit cannot refute the claim: "
                    "epsilon is "
                    f"{epsilon:g}, and "
                    "even "
                    f"{MOST:,} trials could not "
                    f"show more than {most:.3g}."
                )
            return (
                "This audit cannot refute the claim: "
                f"{self.trials:,} "
                "trials "
                "could not "
                "show "
                "more "
                f"than {self.reach:.3g}, "
                f"and epsilon is {epsilon:g}."
            )
        if self.share < WEAK:
            return (
                "The attack is weak: it finds "
                f"{self.share:.0%} "
                "of the "
                "claimed "
                "epsilon, "
                "so the "
                "audit says little about "
                "whether the claim is true."
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
            else f"not violated; {self.share:.0%} of it is known to leak"
        )
        return (
            f"{self.name}: claimed {self.claimed.short} "
            f"({self.claimed.source}); "
            "found "
            "epsilon at "
            "least "
            f"{self.lower_bound:.4g} with "
            f"{100 * self.confidence:.4g} % "
            "confidence in "
            f"{self.trials:,} trials "
            f"({self.attack}): {verdict}{'' if self.remark is None else f'. {self.remark}'}"
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
    progress: Progress | None = None,
    **options: object,
) -> Audit:
    """Attack a named algorithm, a channel and a learner of your own, or what is used live, through the real code.

    A named algorithm is built for ``setting`` (epsilon 1 and 10,000 rounds by default; 8 rounds of
    2 dimensions for running sums, whose every trial is a whole run) and ``options``; with
    ``calibration="paper"`` the claim is the paper's. For a ``Private`` of your own the claim is its
    guarantee, or the one you give. The default attack counts every release of our own channels as a
    trial; for a channel of yours a trial is a run from the start, in which the first of
    ``channel.hold()`` losses in [0, 1] is replaced. Give an attack (see :class:`FreshRuns`) for
    another range, or a better one.

    Of a ``Bandit`` or any other face the channel is attacked with the very noise that it draws,
    which is exact and slow, from before the first round: the run itself goes on as if nothing had
    been asked.

    Before any attack of the default kind a search for leaks is made that trusts nothing: whole
    runs, neighbours of many kinds, and all that is seen of them together. If it finds one, that is
    what is attacked.

    The bound is a lower one: a guarantee can be false without being caught, but a correct one is
    called violated in at most 1 - ``confidence`` of all audits. Three quarters of the trials are
    counted; on the others the event is chosen.

    >>> found = audit("batched-exp3", trials=40_000)
    >>> found.violated, 0.9 < found.lower_bound <= 1.0
    (False, True)
    """
    check_range("confidence", confidence, 0.5, 1.0 - 1e-9)
    check_int("seed", seed, least=0)
    if trials is not None:
        check_int("trials", trials, least=100)
    for name, value, kind in (("claimed", claimed, Guarantee), ("setting", setting, Setting)):
        if value is not None and not isinstance(value, kind):
            raise DiscreetError(f"{name} is {value!r}, but must be a {kind.__name__}.")
    if isinstance(subject, str):
        private, stated, facts = _named(subject, setting or default_setting(subject), options)
    elif isinstance(subject, Protected | LiveClient | LiveRun):
        if options or setting is not None:
            raise DiscreetError(
                "options and setting are for named "
                "algorithms, "
                "but a "
                f"{type(subject).__name__} is "
                "given."
            )
        private, facts = (
            (subject if isinstance(subject, Protected) else _planned(subject.plan)),
            GameFacts(),
        )
        stated = private.guarantee
    else:
        raise DiscreetError(
            f"the subject is {shorten(subject)}, but must "
            "be the "
            "name "
            "of an "
            "algorithm, a "
            "Private, "
            "or what is used live."
        )
    private = private._replace(channel=unsealed(private.channel))
    name = _name_of(subject)
    claim = claimed or stated
    if not math.isfinite(claim.epsilon):
        raise DiscreetError(f"{name} claims no privacy: there is nothing to audit.")
    start = time.perf_counter()
    root = (
        zlib.crc32(name.encode()) + seed
    )  # audits of different algorithms do not share their draws
    if progress is not None:
        progress(0, 1)
    with compiling_for(name):
        if attack is None:
            attack = _best_attack(private, claim, facts, seed=root)
        number = attack.trials_for(private, claim) if trials is None else trials
        bound = attack.bound(
            private, claim, trials=number, seed=root, confidence=confidence, progress=progress
        )
    return Audit(
        name=name,
        claimed=claim,
        lower_bound=bound,
        reach=attack.largest_bound(private, claim, trials=number, confidence=confidence),
        confidence=confidence,
        trials=number,
        attack=attack.text,
        seed=seed,
        stated=private.guarantee,
        seconds=time.perf_counter() - start,
    )


def _best_attack(private: Protected, claim: Guarantee, facts: GameFacts, *, seed: int) -> Attack:
    """Return the attack that knows the channel; or the one that a search leads to, where that one sees nothing wrong."""
    usual = default_attack(private, facts)
    lead = screened(private, claim, facts, seed=seed)
    if lead is None:
        return usual
    few = min(PILOT, usual.trials_for(private, claim))
    found = usual.bound(private, claim, trials=few, seed=seed + 1, confidence=CONFIDENCE)
    return usual if found > claim.epsilon else lead


def _name_of(subject: Subject) -> str:
    """Return what is audited, in words."""
    if isinstance(subject, str):
        return subject
    if isinstance(subject, Protected):
        return f"{type(subject.learner).__name__} behind {type(subject.channel).__name__}"
    return f"{type(subject).__name__} with {subject.plan.algorithm}"


def _planned(plan: RunPlan) -> Protected:
    """Return the private learner of a run as it was before the first round: what was told since is left alone."""
    return showing(componentjit.copy(plan.private), plan.observation)


def default_setting(name: str) -> Setting[Problem]:
    """Return the numbers that an algorithm is audited with."""
    problem, rounds = algorithm(name).problem.for_audit()
    return Setting(problem, rounds=rounds)


def _named(
    name: str, setting: Setting[Problem], options: Values
) -> tuple[Protected, Guarantee, GameFacts]:
    """Return what a name stands for, what is claimed of it, and what is known of its game."""
    known = algorithm(name)
    private = known.build(setting, **options).private
    claim = private.guarantee
    if options.get("calibration") == "paper":
        claim = Guarantee(
            epsilon=setting.epsilon,
            delta=setting.delta,
            model=private.guarantee.model,
            status="claimed by the paper only",
            source=known.citation.short,
        )
    return shown(private, setting.problem), claim, GameFacts(setting.problem, setting.bounds)
