"""Attacks that bound epsilon from below: they refute a guarantee, or say how much of it is known to leak."""

from discreet.auditing import (
    advice,
    devices,
    gradient_sums,
    releases,
    running_sums,
    selection,
)  # each declares the attack on its channels
from discreet.auditing.attacks import Attack, EveryRelease, FreshRuns, Record
from discreet.auditing.audit import Audit, audit
from discreet.auditing.bounds import attacked
from discreet.auditing.registry import GameFacts, attack_on, default_attack
from discreet.auditing.release_times import audit_release_times

__all__ = [
    "Attack",
    "Audit",
    "EveryRelease",
    "FreshRuns",
    "GameFacts",
    "Record",
    "advice",
    "attack_on",
    "attacked",
    "audit",
    "audit_release_times",
    "default_attack",
    "devices",
    "gradient_sums",
    "releases",
    "running_sums",
    "selection",
]
