"""Attacks that bound epsilon from below: they refute a guarantee, or say how much of it is known to leak."""

from discreet.auditing.attacks import Attack, EveryRelease, FreshRuns, Record
from discreet.auditing.audit import Audit, attacked, audit

__all__ = ["Attack", "Audit", "EveryRelease", "FreshRuns", "Record", "attacked", "audit"]
