"""Ordinary online learners, one algorithm a file. None of them knows about privacy."""

from discreet.learners.exp3 import Exp3
from discreet.learners.exp3_gain import Exp3Gain
from discreet.learners.exp3_ix import Exp3IX
from discreet.learners.exp3_p import Exp3P
from discreet.learners.exp4 import BatchedExp4, Exp4
from discreet.learners.exp4_p import Exp4P
from discreet.learners.following import Following
from discreet.learners.ftal import Ftal
from discreet.learners.ftpl import Ftpl
from discreet.learners.ftrl import EntropyFtrl, QuadraticFtrl
from discreet.learners.gradient_descent import GradientDescent
from discreet.learners.hedge import Hedge
from discreet.learners.htinf import Htinf
from discreet.learners.kl_ucb import KlUcb
from discreet.learners.linear_ftpl import LinearFtpl
from discreet.learners.tsallis_inf import TsallisInf
from discreet.learners.ucb import Ucb
from discreet.learners.uniform import Uniform

__all__ = [
    "BatchedExp4",
    "EntropyFtrl",
    "Exp3",
    "Exp3Gain",
    "Exp3IX",
    "Exp3P",
    "Exp4",
    "Exp4P",
    "Following",
    "Ftal",
    "Ftpl",
    "GradientDescent",
    "Hedge",
    "Htinf",
    "KlUcb",
    "LinearFtpl",
    "QuadraticFtrl",
    "TsallisInf",
    "Ucb",
    "Uniform",
]
