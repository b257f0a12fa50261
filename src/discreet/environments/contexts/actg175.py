"""ACTG 175 with contexts: the trial's own outcomes, replayed, and those of a model that was fitted to them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from discreet.contracts import Floats, Generator, Integers, Record
from discreet.environments.access import uniforms
from discreet.environments.actg175 import TREATMENTS, Covariates, fitted_risks, trial
from discreet.environments.contexts.rows import bounded, in_blocks
from discreet.environments.registry import register_environment
from discreet.problems import Against, ContextGame, Contexts, Environment

ARMS = len(TREATMENTS)
PATIENT = 21  # the purpose of random numbers


class Patients(Environment):
    """What replay and simulator share: the patients of the trial, and which of their covariates are shown."""

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
class Actg175Replay(Patients):
    """Patients of ACTG 175, a randomised trial of four treatments of HIV, with the outcomes that they really had.

    A round first draws one of the four treatments, each as likely, and then one of the 522 to 561
    patients who were given it, with replacement. The covariates are shown, the treatment is not. If
    the player chooses another one, the outcome is unknown, and the round does not count: it is
    scored 0 for everyone, and the record that is fed back is 0 (no features), from which no learner
    of linear or generalised linear models moves; noise is drawn all the same. If both agree, which
    they do in a quarter of all rounds whatever the player does, the loss is 1 if the patient's
    disease got worse during the trial (CD4 cells halved, AIDS or death), else 0. No model of
    outcomes is used: as treatments were given by lot, the losses of rounds that count are those of
    a trial of a quarter of the rounds.

    What would have been best for one patient is unknown, so regret is against the best single arm
    (``against`` is arm): the losses of a player in rounds that count, less those of always giving
    that treatment. It is below 0 where covariates help. A regret of R among T rounds estimates 4 R
    / T worse outcomes a patient.

    Arms are 1 zidovudine, 2 zidovudine and didanosine, 3 zidovudine and zalcitabine, 4 didanosine;
    34.0, 19.7, 20.8 and 22.8 % got worse. Features of an arm are covariates at baseline, of
    variance 1, and a constant, in a block of their own for each arm, scaled so that nine of ten
    vectors are no longer than 1, and the others shortened. ``covariates`` says which: all 15, three
    (zidovudine in the 30 days before, symptoms, CD4 cells) or none; so there are 64, 16 or 4
    features. Every round counts as another person: a patient who comes k times has k rounds to
    protect. Needs lifelines.
    """

    @property
    def problem(self) -> Contexts:
        """Four treatments, and a block of features for each; the rival is a single treatment."""
        return Contexts(ARMS, features_of(self.covariates).shape[2], self.norm, against="arm")

    def deal(self, start: int, stop: int, rng: Generator) -> ReplayGame:
        """Return rounds start to stop."""
        data, draws = trial(), uniforms(rng, start, stop, 2, purpose=PATIENT)
        given = (draws[:, 0] * ARMS).astype(np.int64)
        sizes = np.bincount(data.treatments, minlength=ARMS)
        places = (np.cumsum(sizes) - sizes)[given] + (draws[:, 1] * sizes[given]).astype(np.int64)
        which = np.argsort(data.treatments, kind="stable")[places]
        losses = np.zeros((stop - start, ARMS))
        losses[np.arange(stop - start), given] = data.worse[which]
        table = self.norm * features_of(self.covariates)
        return ReplayGame(losses, losses, table, which, given, np.zeros(table.shape[2]))


class ReplayGame(ContextGame):
    """Rounds that count only where the arm that is played is the one that was ``given``; the loss of others is 0."""

    given: Integers
    blank: Floats

    def feedback(self, t: int, action: int) -> Record:
        """Return the record of a round that counts, or one without features."""
        features = self.table[self.which[t], action] if action == self.given[t] else self.blank
        return Record(features, self.outcomes[t, action])


@register_environment(
    "actg175-simulator", title="a fitted model of four HIV treatments", problem=Contexts
)
class Actg175Simulator(Patients):
    """Patients of ACTG 175, and outcomes that are not theirs: a fitted model says how likely each treatment fails.

    A round draws one of the 2,139 patients, with replacement. The loss of arm a is 1 with
    probability p(a), which a logistic regression on all 15 covariates gives, fitted to those who
    were given treatment a (a penalty of 5 times each squared coefficient); players are scored by p.
    So every arm has an outcome in every round, but what is found holds for the model: on average
    33.9, 19.4, 21.2 and 22.9 % get worse by it, 15.9 % if everybody is given what is best for them.
    Arms, features and ``covariates``, of which fewer may be shown than the model has, are those of
    actg175-replay. Needs lifelines.
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
        which, risks, outcomes = simulated(start, stop, rng)
        return ContextGame(risks, outcomes, self.norm * features_of(self.covariates), which)


def simulated(start: int, stop: int, rng: Generator) -> tuple[Integers, Floats, Floats]:
    """Return who comes, how likely each treatment fails, and where it does."""
    draws = uniforms(rng, start, stop, 2, purpose=PATIENT)
    which = (draws[:, 0] * len(fitted_risks())).astype(np.int64)
    risks = fitted_risks()[which]
    return which, risks, (draws[:, 1:] < risks).astype(np.float64)


@lru_cache(maxsize=3)
def features_of(covariates: Covariates) -> Floats:
    """Return the features of every patient and arm: a table that games only read."""
    return in_blocks(bounded(trial().shown(covariates)), ARMS)
