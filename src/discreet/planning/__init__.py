"""Planning a study before it begins: which algorithm, what privacy costs, and whether it is affordable."""

from discreet.planning.findings import Plan
from discreet.planning.making import plan
from discreet.planning.question import Question

__all__ = ["Plan", "Question", "plan"]
