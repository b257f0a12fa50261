"""Planning a study: which algorithm, what privacy costs, and whether it is affordable; by simulation, before it begins."""

from discreet.planning.findings import Plan
from discreet.planning.making import plan
from discreet.planning.question import Question

__all__ = ["Plan", "Question", "plan"]
