"""Ordinary online learners, one algorithm a file. None of them knows about privacy."""

from discreet.learners.advice.exp4 import BatchedExp4, Exp4
from discreet.learners.advice.exp4_p import Exp4P
from discreet.learners.advice.following import Following
from discreet.learners.arms.adap_kl_ucb import AdapKlUcb
from discreet.learners.arms.adaptive_tsallis_inf import AdaptiveTsallisInf
from discreet.learners.arms.batched_ucb import BatchedUcb
from discreet.learners.arms.dp_imed import DpImed
from discreet.learners.arms.dp_kl_ucb import DpKlUcb
from discreet.learners.arms.draws import Draw
from discreet.learners.arms.exp3 import Exp3
from discreet.learners.arms.exp3_gain import Exp3Gain
from discreet.learners.arms.exp3_ix import Exp3IX
from discreet.learners.arms.exp3_p import Exp3P
from discreet.learners.arms.ftpl import Ftpl
from discreet.learners.arms.guarded_ucb import GuardedUcb
from discreet.learners.arms.htinf import Htinf
from discreet.learners.arms.kl_ucb import KlUcb
from discreet.learners.arms.successive_elimination import DpSuccessiveElimination
from discreet.learners.arms.tracking_ucb import TrackingUcb
from discreet.learners.arms.tsallis_inf import TsallisInf
from discreet.learners.arms.ucb import Ucb
from discreet.learners.arms.uniform import Uniform
from discreet.learners.contexts.glm_ucb import GlmUcb
from discreet.learners.contexts.linear_ucb import LinearUcb, LinearUcbOnSums
from discreet.learners.contexts.residual_descent import ResidualDescent
from discreet.learners.contexts.unmoved import Unmoved
from discreet.learners.functions.centre import Centre, RoundedCentre, SumCentre
from discreet.learners.functions.corrective import Corrective
from discreet.learners.functions.descent import Fkm, TwoPoint
from discreet.learners.functions.dikin import DikinLeader
from discreet.learners.functions.interval import IntervalSearch
from discreet.learners.functions.oracle_leader import OracleLeader
from discreet.learners.functions.scrible import PointScrible, Scrible
from discreet.learners.functions.sums import (
    CentredProjectionFree,
    ProjectionFree,
    RoundedProjectionFree,
    TwoPointLeader,
)
from discreet.learners.points.ftal import Ftal
from discreet.learners.points.ftrl import EntropyFtrl, QuadraticFtrl
from discreet.learners.points.gradient_descent import GradientDescent
from discreet.learners.points.hedge import Hedge
from discreet.learners.points.linear_ftpl import LinearFtpl
from discreet.learners.search.elimination import SuccessiveElimination
from discreet.learners.search.lil_ucb import LilUcb
from discreet.learners.search.lucb import Lucb
from discreet.learners.search.track_and_stop import TrackAndStop

__all__ = [
    "AdapKlUcb",
    "AdaptiveTsallisInf",
    "BatchedExp4",
    "BatchedUcb",
    "Centre",
    "CentredProjectionFree",
    "Corrective",
    "DikinLeader",
    "DpImed",
    "DpKlUcb",
    "DpSuccessiveElimination",
    "Draw",
    "EntropyFtrl",
    "Exp3",
    "Exp3Gain",
    "Exp3IX",
    "Exp3P",
    "Exp4",
    "Exp4P",
    "Fkm",
    "Following",
    "Ftal",
    "Ftpl",
    "GlmUcb",
    "GradientDescent",
    "GuardedUcb",
    "Hedge",
    "Htinf",
    "IntervalSearch",
    "KlUcb",
    "LilUcb",
    "LinearFtpl",
    "LinearUcb",
    "LinearUcbOnSums",
    "Lucb",
    "OracleLeader",
    "PointScrible",
    "ProjectionFree",
    "QuadraticFtrl",
    "ResidualDescent",
    "RoundedCentre",
    "RoundedProjectionFree",
    "Scrible",
    "SuccessiveElimination",
    "SumCentre",
    "TrackAndStop",
    "TrackingUcb",
    "TsallisInf",
    "TwoPoint",
    "TwoPointLeader",
    "Ucb",
    "Uniform",
    "Unmoved",
]
