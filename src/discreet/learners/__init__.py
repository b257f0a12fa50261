"""Ordinary online learners: variants of one algorithm share a file. None knows about privacy."""

from discreet.learners.advice.exp4 import BatchedExp4, Exp4, Exp4P, Following
from discreet.learners.arms.accepting import Accepting
from discreet.learners.arms.adaptive_tsallis_inf import AdaptiveTsallisInf
from discreet.learners.arms.draws import Draw, Uniform
from discreet.learners.arms.exp3 import Exp3, Exp3Gain, Exp3IX, Exp3P
from discreet.learners.arms.ftpl import Ftpl
from discreet.learners.arms.guarded_ucb import GuardedUcb
from discreet.learners.arms.holding import BatchedUcb
from discreet.learners.arms.htinf import Htinf
from discreet.learners.arms.private_indices import AdapKlUcb, DpImed, DpKlUcb
from discreet.learners.arms.successive_elimination import DpSuccessiveElimination
from discreet.learners.arms.tracking_ucb import TrackingUcb
from discreet.learners.arms.tsallis_inf import TsallisInf
from discreet.learners.arms.ucb import KlUcb, Ucb
from discreet.learners.contexts.glm_descent import GlmDescent
from discreet.learners.contexts.glm_ucb import GlmUcb
from discreet.learners.contexts.linear_ucb import LinearUcb, LinearUcbOnSums
from discreet.learners.contexts.residual_descent import ResidualDescent, Unmoved
from discreet.learners.contexts.weighted_sums import LinearUcbOnWeightedSums
from discreet.learners.functions.descent import Fkm, TwoPoint
from discreet.learners.functions.dikin import DikinLeader
from discreet.learners.functions.epochs import AnytimeProjectionFree
from discreet.learners.functions.exploring import Centre, RoundedCentre, SumCentre
from discreet.learners.functions.interval import IntervalSearch
from discreet.learners.functions.noisy_oco import NoisyOco
from discreet.learners.functions.oracle_leader import OracleLeader
from discreet.learners.functions.reported import ReportedProjectionFree
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
from discreet.learners.points.oracle_ftrl import OracleFtrl
from discreet.learners.search.comparisons import Lucb, SuccessiveElimination
from discreet.learners.search.lil_ucb import LilUcb
from discreet.learners.search.sequential_halving import SequentialHalving
from discreet.learners.search.track_and_stop import TrackAndStop
from discreet.learners.slates.slate_ftrl import SlateFtrl

__all__ = [
    "Accepting",
    "AdapKlUcb",
    "AdaptiveTsallisInf",
    "AnytimeProjectionFree",
    "BatchedExp4",
    "BatchedUcb",
    "Centre",
    "CentredProjectionFree",
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
    "GlmDescent",
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
    "LinearUcbOnWeightedSums",
    "Lucb",
    "NoisyOco",
    "OracleFtrl",
    "OracleLeader",
    "PointScrible",
    "ProjectionFree",
    "QuadraticFtrl",
    "ReportedProjectionFree",
    "ResidualDescent",
    "RoundedCentre",
    "RoundedProjectionFree",
    "Scrible",
    "SequentialHalving",
    "SlateFtrl",
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
