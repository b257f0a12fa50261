"""Attacks that bound epsilon from below: they refute a guarantee, or say how much of it is known to leak."""

from discreet.audit.attacks import Attack, EveryRelease, FreshRuns, Record
from discreet.audit.audit import Audit, attacked, audit

__all__ = ["Attack", "Audit", "EveryRelease", "FreshRuns", "Record", "attacked", "audit"]
