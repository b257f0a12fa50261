"""Planning a study before it begins: which algorithm to use, and what privacy costs."""

from discreet.planning.findings import Plan
from discreet.planning.making import plan
from discreet.planning.question import Question

__all__ = ["Plan", "Question", "plan"]
