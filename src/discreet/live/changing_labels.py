"""Bandits whose arms come and go: labels, slots, and a prior from earlier releases."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence

import componentjit
from discreet.algorithms.arms.choosing import WITH_PROOF
from discreet.contracts import Protected
from discreet.errors import DiscreetError, check_int, count, shorten
from discreet.estimates.table import MeanEstimates
from discreet.learners.arms.availability import Available
from discreet.learners.arms.priors import Known, has_means, known_of, learn_prior
from discreet.live.arguments import index_of, numbers_of
from discreet.live.arm_estimates import StudyFacts, estimates_of
from discreet.live.client import LiveClient
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.live.run_plan import RunPlan
from discreet.live.several_client import Gives
from discreet.live.slots import Slots, available_of, check_changeable
from discreet.ranges import make_range

Prior = Mapping[Hashable, Sequence[float]]
MOST_ROUNDS = 1 << 40  # of a prior: the maximum length of a batch


class ChangingLabels(LiveClient[Gives]):
    """A live class whose arms can be added, retired, or unavailable for a while."""

    _seen: Available | int = 0  # what the learner observes, unless a round names arms

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        slots = run.slots
        if slots is None and recipe.get("capacity") is not None:
            slots = self._run.declare(self._labels)
        self._use(slots)
        run.listen(self._use)

    def _use(self, slots: Slots | None) -> Slots | None:
        if slots is None:
            self._seen = 0
        else:
            self._labels = slots.labels
            self._indices = {label: arm for arm, label in enumerate(slots.labels)}
            self._seen = Available(slots.live)
        self._slots = slots
        return slots

    def _changing(self, name: str) -> Slots:
        """Return the slots; refuse if arms cannot come and go in this run."""
        slots = self._slots
        if slots is None:
            plan = self._run.plan
            check_changeable(plan.private, plan.algorithm, self._recipe.get("chosen"), name)
            slots = self._use(self._run.declare(self._labels))
        assert slots is not None, "they were declared"
        return slots

    def _available(self, given: object) -> Available:
        return available_of(given, self._indices, self._changing("available"))

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The labels of all arms that are not retired."""
        slots = self._slots
        if slots is None:
            return self._labels
        return tuple(slots.labels[arm] for arm in slots.live)

    def add_arm(self, label: Hashable) -> None:
        """Add an arm in one of the spare slots declared by ``capacity``.

        When you add it must not depend on outcomes, except through what the run shows.
        """
        if self._recipe.get("capacity") is None:
            raise DiscreetError(
                "add_arm needs a spare slot, but there is none: start the run with capacity=, or "
                "start a new run with prior= (docs/live.md: Arms that come and go)."
            )
        check_label(label)
        self._changing("add_arm")
        if index_of(self._indices, label) is not None:
            raise DiscreetError(
                f"label is {shorten(label)}, which is or was an arm of this run: choose a new "
                "label."
            )
        alike = next((each for each in self._labels if str(each) == str(label)), None)
        if alike is not None:
            raise DiscreetError(
                f"label is {shorten(label)}, which prints like the arm {shorten(alike)}: choose a "
                "new label."
            )
        self._use(self._run.add_label(label))

    def retire_arm(self, label: Hashable) -> None:
        """Never play an arm again. Its unfinished batch is lost, and its slot stays taken.

        You may still report outcomes of its open decisions. When you retire an arm must not depend
        on outcomes, except through what the run shows.
        """
        slots, arm = self._changing("retire_arm"), index_of(self._indices, label)
        if arm is None:
            raise DiscreetError(f"label is {shorten(label)}, which is not an arm of this run.")
        if arm in slots.retired:
            raise DiscreetError(f"label is {shorten(label)}, an arm that is already retired.")
        self._use(self._run.retire(arm))

    def _known(self) -> dict[Hashable, tuple[float, float]]:
        """Return the mean reward and rounds of each arm with a release."""
        low, high = self._bounds
        if not self.guarantee.is_private:
            raise DiscreetError(
                f"prior is a run of {self.algorithm}, which is not private: using it would reveal "
                "its outcomes."
            )
        if not has_means(self._run.plan.private.learner):
            facts = StudyFacts(self._recipe, self._run.plan, self._labels, self._bounds)
            found = estimates_of(
                facts, self._run, kind="anytime", level=0.95, outcomes="rewards", clipped=True
            )
            return worth_of(found, low, high)
        known = self._run.read_learner(known_of)
        return {
            label: (low + each.gain * (high - low), float(each.rounds))
            for label, each in zip(self._labels, known, strict=False)
            if each is not None
        }

    def _size(self) -> str:
        return count(len(self.arms), "arm")


def check_label(label: object) -> None:
    """Refuse a value that cannot be a label."""
    try:
        fine = bool(label == label) and hash(label) is not None and isinstance(str(label), str)
    except Exception:
        fine = False
    if not fine:
        raise DiscreetError(f"label is {shorten(label)}, but must be text or a number.")


def capacity_of(capacity: int | None, arms: int) -> int | None:
    """Return the number of slots for arms, or refuse the capacity."""
    return None if capacity is None else check_int("capacity", capacity, minimum=arms)


def prior_of(
    prior: object, labels: Sequence[Hashable], low: float, high: float
) -> list[float | None]:
    """Return a prior in a recipe's form: for each label, a mean reward and its rounds, or None."""
    given = prior._known() if isinstance(prior, ChangingLabels) else prior
    if isinstance(given, MeanEstimates):
        given = worth_of(given, low, high)
    if not isinstance(given, Mapping):
        raise DiscreetError(
            f"prior is {shorten(prior)}, but must be a Bandit, its estimates(), or {{label: (mean "
            "reward, rounds)}."
        )
    kept: list[float | None] = []
    for label in labels:
        pair = given.get(label)
        if pair is None:
            kept += [None, None]
            continue
        numbers = numbers_of(pair)
        fine = numbers is not None and numbers.shape == (2,) and 0.5 <= numbers[1] <= MOST_ROUNDS
        if numbers is None or not fine or not -1e300 < numbers[0] < 1e300:
            raise DiscreetError(
                f"prior of {shorten(label)} is {shorten(pair)}, but must be a mean reward and the "
                "number of rounds it is worth."
            )
        mean, rounds = (float(each) for each in numbers)
        kept += [min(max(mean, low), high), rounds]  # a noisy mean may be outside
    if all(each is None for each in kept):
        raise DiscreetError("prior has none of the arms: use the same labels.")
    return kept


def worth_of(found: MeanEstimates, low: float, high: float) -> dict[Hashable, tuple[float, float]]:
    """Return mean rewards, and how many rounds without noise each is worth.

    That is the number of rounds whose mean has an interval as wide (Hoeffding's). An interval valid
    at all times is wider than one for a single time, so this understates the worth.
    """
    worth = {}
    for label, each in found.arms.items():
        half = (each.high - each.low) / (2.0 * (high - low))
        rounds = math.log(2.0 / (1.0 - found.level)) / (2.0 * half * half) if half > 0.0 else 0.0
        if each.rounds > 0 and rounds >= 1.0:
            mean = each.mean if found.outcomes == "rewards" else low + (high - each.mean)
            worth[label] = mean, float(min(rounds, each.rounds))
    return worth


def changing_plan(recipe: Recipe, plan: RunPlan) -> RunPlan:
    """Return the plan with the declarations about its arms, or refuse them."""
    prior, rebuild, chosen = recipe.get("prior"), plan.rebuild, recipe.get("chosen")
    if recipe.get("capacity") is not None:
        check_changeable(plan.private, plan.algorithm, chosen, "capacity")
    if not prior or rebuild is None:
        return plan
    if chosen in WITH_PROOF:
        raise DiscreetError(
            f'prior is given, but algorithm="{chosen}" chooses by a bound that holds only without '
            'a prior: name an algorithm, such as "batched-ucb" or "best".'
        )
    if not has_means(plan.private.learner):
        raise DiscreetError(
            f"prior is given, but {plan.algorithm} keeps no mean per arm: use batched-ucb, "
            "dp-klucb, dp-imed, adap-klucb or tracking-ucb."
        )
    bounds = make_range(recipe["low"], recipe["high"])
    means, rounds = prior[::2], prior[1::2]
    known = [
        None if mean is None or n is None else Known((mean - bounds.low) / bounds.width, round(n))
        for mean, n in zip(means, rounds, strict=True)
    ]

    def informed(private: Protected) -> Protected:
        copied = componentjit.copy(private)
        learn_prior(copied.learner, known)
        return copied

    return plan._replace(
        private=informed(plan.private), rebuild=lambda rounds: informed(rebuild(rounds))
    )
