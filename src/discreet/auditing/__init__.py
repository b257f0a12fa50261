"""Attacks that bound epsilon from below: they refute a guarantee, or confirm a part of it."""

# Importing these modules registers the attacks on their channels.
from discreet.auditing import releases, repeated, running_sums, selection
from discreet.auditing.attacks import (
    Attack,
    FreshRuns,
    GameFacts,
    ObservedRun,
    attack_on,
    default_attack,
)
from discreet.auditing.audits import Audit, audit
from discreet.auditing.bounds import attacked
from discreet.auditing.durations import DurationAudit, audit_durations
from discreet.auditing.final import audit_final
from discreet.auditing.holdout import audit_holdout
from discreet.auditing.release_times import audit_release_times
from discreet.auditing.releases import EveryRelease, attack_releases
from discreet.auditing.repeated import EveryReport, OneEstimate, attack_estimates

__all__ = [
    "Attack",
    "Audit",
    "DurationAudit",
    "EveryRelease",
    "EveryReport",
    "FreshRuns",
    "GameFacts",
    "ObservedRun",
    "OneEstimate",
    "attack_estimates",
    "attack_on",
    "attack_releases",
    "attacked",
    "audit",
    "audit_durations",
    "audit_final",
    "audit_holdout",
    "audit_release_times",
    "default_attack",
    "releases",
    "repeated",
    "running_sums",
    "selection",
]
