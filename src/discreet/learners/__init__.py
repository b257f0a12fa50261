"""Ordinary online learners, one algorithm a file. None of them knows about privacy."""

from discreet.learners.exp3 import Exp3
from discreet.learners.tsallis_inf import TsallisInf
from discreet.learners.uniform import Uniform

__all__ = ["Exp3", "TsallisInf", "Uniform"]
