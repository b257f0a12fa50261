"""ACTG 175: a randomised trial of four HIV treatments, replayed or simulated by a fitted model.

lifelines ships the data. The replay uses the outcomes that the patients had. The simulator draws
outcomes from a model fitted to them, with covariates (contexts) or without (arms).
"""

from __future__ import annotations

import functools
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Record
from discreet.environments import register_environment, uniforms
from discreet.errors import DiscreetError
from discreet.problems import (
    Against,
    ArmGame,
    Arms,
    ArmsEnvironment,
    ContextGame,
    Contexts,
    Environment,
)
from discreet.tables import read_columns
from discreet_papers.datasets.features import bound_rows, spread_over_arms

Covariates = Literal["all", "three", "none"]
TREATMENTS = ("zidovudine", "zidovudine and didanosine", "zidovudine and zalcitabine", "didanosine")
ARMS = len(TREATMENTS)
# Covariates at baseline, with their names in the file.
# fmt: off
BASELINE = (
    "age", "wtkg", "hemo", "homo", "drugs", "karnof", "oprior", "z30", "preanti", "race", "gender",
    "str2", "symptom", "cd40", "cd80",
)
# fmt: on
SHOWN: dict[str, tuple[str, ...]] = {
    "all": BASELINE,
    "three": ("z30", "symptom", "cd40"),
    "none": (),
}
# The model's penalty is half of this times each squared coefficient, except the constant's.
PENALTY = 10.0
PATIENT = 21  # names the table of random numbers that chooses patients
STEPS = 25  # of Newton's method; it converges in seven


class Actg175Data(NamedTuple):
    """The patients of the trial.

    Their covariates at baseline have mean 0 and variance 1. ``worse`` is 1 for each patient whose
    disease got worse.
    """

    covariates: Floats
    treatments: Integers
    worse: Floats

    def select(self, which: Covariates) -> Floats:
        """Return some of the covariates."""
        return self.covariates[:, [BASELINE.index(name) for name in SHOWN[which]]]


@functools.cache
def load_trial() -> Actg175Data:
    """Return the data, or say what is missing. It reads lifelines' file without importing it."""
    found = find_spec("lifelines")
    if found is None or not found.submodule_search_locations:
        raise DiscreetError(
            "environments on ACTG 175 need lifelines, which ships it: pip install 'discreet[data]'."
        )
    path = Path(found.submodule_search_locations[0]) / "datasets" / "ACTG175.csv"
    read = read_columns(path, empty="is empty: lifelines is damaged.", width="the header has")
    cells = np.array([row for _, row in read.rows])
    by_name = dict(zip(read.names or [], cells.T, strict=True))
    columns = {name: by_name[name].astype(np.float64) for name in (*BASELINE, "arms", "cens")}
    baseline = np.column_stack([columns[name] for name in BASELINE])
    standard = (baseline - baseline.mean(axis=0)) / baseline.std(axis=0)
    return Actg175Data(standard, columns["arms"].astype(np.int64), columns["cens"])


@functools.cache
def fit_risks() -> Floats:
    """Return each patient's risk of getting worse under each treatment, by a fitted model.

    The model is a logistic regression on all covariates for each treatment, with a penalty that
    keeps the coefficients small.
    """
    data = load_trial()
    design = np.column_stack([data.covariates, np.ones(len(data.worse))])
    risks = np.empty((len(data.worse), ARMS))
    for arm in range(ARMS):
        given = data.treatments == arm
        risks[:, arm] = _logistic(design @ ridge_logistic(design[given], data.worse[given]))
    return risks


def ridge_logistic(design: Floats, outcomes: Floats) -> Floats:
    """Return the coefficients of a logistic regression; all but the last are penalised."""
    penalty = np.full(design.shape[1], PENALTY)
    penalty[-1] = 0.0
    coefficients = np.zeros(design.shape[1])
    for _ in range(STEPS):
        means = _logistic(design @ coefficients)
        slope = design.T @ (outcomes - means) - penalty * coefficients
        curvature = (design.T * (means * (1.0 - means))) @ design + np.diag(penalty)
        coefficients = coefficients + np.linalg.solve(curvature, slope)
    return coefficients


def _logistic(values: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-values))


class Actg175Patients(Environment):
    """What replay and simulator share: the trial's patients and the covariates that are shown."""

    on_unit_scale = True

    covariates: Covariates = "three"
    norm: float = 1.0

    @property
    def source(self) -> str:
        """The name of the data."""
        return "ACTG 175"


@register_environment(
    "actg175-replay", title="a randomised trial of HIV treatments, replayed", problem=Contexts
)
class Actg175Replay(Actg175Patients):
    """Patients of ACTG 175, a randomised trial of four HIV treatments, with their real outcomes.

    Each round first draws one of the four treatments with equal probability, and then one of the
    522 to 561 patients who received it, with replacement. The player sees the covariates but not
    the treatment. If the player chooses another treatment, the outcome is unknown and the round
    does not count: everyone scores 0, and the record that is fed back has no features, so linear
    and generalised linear learners do not change (noise is still drawn). Player and trial agree in
    a quarter of all rounds, whatever the player does. Then the loss is 1 if the patient's disease
    got worse during the trial (CD4 cells halved, AIDS or death), else 0. No model of outcomes is
    involved: treatments were assigned at random, so the losses in rounds that count are those of a
    trial with a quarter of the rounds.

    The best treatment for one patient is unknown, so regret is against the best single arm
    (``against`` is arm): the player's losses in rounds that count, minus those of always giving
    that treatment. It is negative where covariates help. A regret of R after T rounds estimates
    4 R / T worse outcomes per patient.

    The arms are 1 zidovudine, 2 zidovudine and didanosine, 3 zidovudine and zalcitabine,
    4 didanosine; 34.0, 19.7, 20.8 and 22.8 % got worse. The features of an arm are the covariates
    at baseline, with variance 1, and a constant, in a separate block for each arm. They are scaled
    so that nine of ten vectors have length at most 1, and the others are shortened to 1.
    ``covariates`` selects all 15, three (zidovudine in the 30 days before, symptoms, CD4 cells) or
    none: 64, 16 or 4 features. Every round counts as a different person: a patient who is drawn k
    times has k rounds to protect. Needs lifelines.
    """

    @property
    def problem(self) -> Contexts:
        """Four treatments with a block of features each; the rival is the best single one."""
        return Contexts(ARMS, features_of(self.covariates).shape[2], self.norm, against="arm")

    def deal(self, start: int, stop: int, rng: Generator) -> ReplayGame:
        """Return rounds start to stop."""
        data, draws = load_trial(), uniforms(rng, start, stop, 2, purpose=PATIENT)
        given = (draws[:, 0] * ARMS).astype(np.int64)
        sizes = np.bincount(data.treatments, minlength=ARMS)
        places = (np.cumsum(sizes) - sizes)[given] + (draws[:, 1] * sizes[given]).astype(np.int64)
        which = np.argsort(data.treatments, kind="stable")[places]
        losses = np.zeros((stop - start, ARMS))
        losses[np.arange(stop - start), given] = data.worse[which]
        table = self.norm * features_of(self.covariates)
        return ReplayGame(losses, losses, table, which, given, np.zeros(table.shape[2]))


class ReplayGame(ContextGame):
    """Rounds that count only if the player chooses the arm that was ``given``."""

    given: Integers
    blank: Floats

    def feedback(self, t: int, action: int) -> Record:
        """Return the record of a round that counts, or a record without features."""
        features = self.table[self.which[t], action] if action == self.given[t] else self.blank
        return Record(features, self.outcomes[t, action])


@register_environment(
    "actg175-simulator", title="a fitted model of four HIV treatments", problem=Contexts
)
class Actg175Simulator(Actg175Patients):
    """Patients of ACTG 175 with simulated outcomes: a fitted model gives each treatment's risk.

    Each round draws one of the 2,139 patients, with replacement. The loss of arm a is 1 with
    probability p(a), and players are scored by p. A logistic regression on all 15 covariates gives
    p(a); it is fitted to the patients who received treatment a, with a penalty of 5 times each
    squared coefficient. So every arm has an outcome in every round, but the results hold for the
    model: on average 33.9, 19.4, 21.2 and 22.9 % of patients get worse, or 15.9 % if everybody gets
    the treatment that is best for them. Arms, features and ``covariates`` are those of
    actg175-replay; the player may see fewer covariates than the model uses. Needs lifelines.
    """

    against: Against = "context"

    @property
    def problem(self) -> Contexts:
        """Four treatments, and a block of features for each."""
        return Contexts(
            ARMS, features_of(self.covariates).shape[2], self.norm, against=self.against
        )

    def deal(self, start: int, stop: int, rng: Generator) -> ContextGame:
        """Return rounds start to stop."""
        which, risks, outcomes = draw_patients(start, stop, rng)
        return ContextGame(risks, outcomes, self.norm * features_of(self.covariates), which)


def draw_patients(start: int, stop: int, rng: Generator) -> tuple[Integers, Floats, Floats]:
    """Return the patients drawn, the risk of each treatment for them, and the outcomes."""
    draws = uniforms(rng, start, stop, 2, purpose=PATIENT)
    which = (draws[:, 0] * len(fit_risks())).astype(np.int64)
    risks = fit_risks()[which]
    return which, risks, (draws[:, 1:] < risks).astype(np.float64)


@functools.lru_cache(maxsize=3)
def features_of(covariates: Covariates) -> Floats:
    """Return the features of every patient and arm, as a table that games only read."""
    return spread_over_arms(bound_rows(load_trial().select(covariates)), ARMS)


@register_environment(
    "actg175-simulator", title="a fitted model of four HIV treatments", problem=Arms
)
class Actg175Arms(ArmsEnvironment):
    """The patients and outcomes of actg175-simulator with contexts, without their covariates.

    The outcomes are those of a fitted model, not of the trial: on average 33.9, 19.4, 21.2 and
    22.9 % of patients get worse. There are four arms. Needs lifelines.
    """

    on_unit_scale = True

    arms: int = ARMS

    @property
    def source(self) -> str:
        """The name of the data."""
        return "ACTG 175"

    def deal(self, start: int, stop: int, rng: Generator) -> ArmGame:
        """Return rounds start to stop."""
        if self.arms != ARMS:
            raise DiscreetError(f"arms is {self.arms}, but ACTG 175 has {ARMS} treatments.")
        return ArmGame(draw_patients(start, stop, rng)[2])

    def fixed_means(self) -> Floats:
        """Return how often each treatment fails under the model."""
        means: Floats = fit_risks().mean(axis=0)
        return means
