"""A private bandit for a program to use: ask which arm next, tell the outcome."""

from discreet.bandit.bandit import Bandit, Decision

__all__ = ["Bandit", "Decision"]
