"""The live class for bandits, and the base that it shares with best-arm search."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from datetime import timedelta

from discreet.algorithms import Setting
from discreet.algorithms.arms.choosing import BOUNDED, CHOICES, PROVED, chosen
from discreet.errors import DiscreetError, check_flag, count
from discreet.estimates.table import EstimateKind, MeanEstimates, Outcomes
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import default_named, index_of, labels_of, loss_of
from discreet.live.arm_estimates import StudyFacts, estimates_of
from discreet.live.changing_labels import (
    ChangingLabels,
    Prior,
    capacity_of,
    changing_plan,
    prior_of,
)
from discreet.live.client import LiveClient
from discreet.live.decisions import Decision, HeldOutArm
from discreet.live.final_release import plan_final
from discreet.live.frames import withhold_frames, without_frames
from discreet.live.rows import Recipe, Ticket, new_tuple
from discreet.live.run import LiveRun
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.serving import REFUSE, SERVED, AtLimit
from discreet.live.several_client import ToldPairs, how_many
from discreet.live.store import Store
from discreet.problems import Arms
from discreet.ranges import make_range

PLAIN = (int, str)  # types of most labels, for which looking up an index needs no check
LONG_RUN = 1 << 17  # rounds assumed when choosing an algorithm for a run without a horizon


class ArmsClient(LiveClient[Decision]):
    """A live class whose decisions are arms, and whose outcomes are rewards or losses."""

    _gives = Decision
    _chosen = "arms"

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        low, high = self._bounds
        self._range, self._clip = (low, high), recipe["clip"]

    @withhold_frames
    def ask(self, *, user: User | None = None, at_limit: AtLimit = REFUSE) -> Decision:
        """Return the arm to play in the next round. If the run limits users, pass the user.

        For a user at the limit, this raises ``UserLimitReached``. With ``at_limit="serve"`` you
        still get a decision, but the run does not learn from it: ``learns`` is False, and the
        outcome is discarded.
        """
        return self._decide(0, user, at_limit)

    def _decide(self, seen: object, user: User | None, at_limit: AtLimit) -> Decision:
        if type(at_limit) is str and at_limit == "refuse":  # == of an array has no truth value
            given, probability = self._run.decide(seen, user)
        else:
            given, probability = self._run.decide_or_serve(seen, user, at_limit)
        number, batch, choice, token, _, _ = given
        learns = number != SERVED
        return Decision(self._labels[choice], number, token, probability, batch, learns)

    @withhold_frames
    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Decision]:
        """Return the next n decisions, made in one transaction: all of them or none."""
        return self._ask_many(how_many(n), users)

    def _given(self, ticket: Ticket, chance: float | None = None) -> Decision:
        arm = self._labels[ticket.choice]
        learns = ticket.learns
        return Decision(arm, ticket.id, ticket.token, chance, ticket.group, learns)

    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> bool:
        """Report the outcome of a decision (or its id): a reward or a loss in the declared range.

        Returns whether it counts: False after its deadline (with ``wait``), or if the decision was
        for a user at the limit.
        """
        try:
            low, high = self._range
            # The fast paths save a call. With clip=True every outcome takes the same path and time.
            if self._clip:
                outcome = loss_of(reward, loss, self._range, clip=True)
            elif reward is None and type(loss) is float and low <= loss <= high:
                outcome = loss
            elif loss is None and type(reward) is float and low <= reward <= high:
                outcome = low + (high - reward)
            else:
                outcome = loss_of(reward, loss, self._range, clip=False)
            # A decision as ask returned it; anything else gets a closer check. Python takes long to
            # unpack a named tuple.
            if type(decision) is Decision:
                arm, number, token = decision[0], decision[1], decision[2]
                if type(number) is int and type(token) is str and type(arm) in PLAIN:
                    return self._run.tell_by_id(number, token, self._indices.get(arm), outcome)
            return self._tell(decision, outcome)
        except BaseException as error:
            reward = loss = outcome = None
            raise without_frames(error)  # noqa: B904 - the same error

    def estimates(
        self,
        level: float = 0.95,
        kind: EstimateKind = "anytime",
        *,
        outcomes: Outcomes = "rewards",
        clipped: bool = False,
    ) -> MeanEstimates:
        """Return estimates of each arm's mean outcome and of differences, with intervals.

        They use released values only, so they cost no further privacy.

        Parameters
        ----------
        level
            The coverage probability of each interval.
        kind
            ``anytime`` uses everything released so far; you may look at the interval after every
            outcome (docs/proofs.md: Anytime estimates). ``holdout`` uses the hold-out once it is
            released. ``final`` uses the final release.
        outcomes
            How you reported outcomes: as ``rewards`` or as ``losses``.
        clipped
            With ``clip=True``, only the mean of clipped outcomes can be estimated. Pass True to
            confirm that this is what you want.

        """
        facts = StudyFacts(self._recipe, self._run.plan, self._labels, self._bounds)
        return estimates_of(
            facts, self._run, kind=kind, level=level, outcomes=outcomes, clipped=clipped
        )

    @withhold_frames
    def tell_all(self, *, reward: ToldPairs | None = None, loss: ToldPairs | None = None) -> int:
        """Report several outcomes in one transaction, as pairs (decision or its id, outcome).

        If one outcome is refused, none is recorded. Returns how many outcomes count: with ``wait``,
        those that met their deadlines.
        """
        return self._tell_pairs(reward=reward, loss=loss)

    def _feedback(self, decision: object, name: str, outcome: object) -> float:
        reward, loss = (outcome, None) if name == "reward" else (None, outcome)
        return loss_of(reward, loss, self._range, clip=self._clip)

    def _choice(self, decision: Decision) -> int | None:
        return index_of(self._indices, decision.arm)

    def _size(self) -> str:
        return count(len(self._labels), "arm")


class Bandit(ChangingLabels[Decision], ArmsClient):
    """A private bandit over labelled arms.

    >>> bandit = Bandit(arms=["A", "B", "C"], horizon=1000, epsilon=1.0)
    >>> decision = bandit.ask()           # decision.arm is "A", "B" or "C"
    >>> bandit.tell(decision, reward=1.0)  # it counts
    True
    >>> bandit
    Bandit(3 arms, round 1 of 1000, guarded-ucb, 1-differential privacy, live: exact noise)

    Several decisions may be open at once, and outcomes may arrive late and in any order: the run
    stores what the learner needs with each decision. Rounds are grouped in the order in which you
    ask; a group with a missing outcome is never released. *When* outcomes arrive is assumed to be
    public. If it depends on the outcome, use ``wait`` and a default (docs/live.md: When outcomes
    come).

    ``exp3-tau`` gets its privacy from its own sampling. It can only be simulated, and needs all
    outcomes before its next draw.

    Parameters
    ----------
    arms
        Labels of the arms, or their number (labels are then 0, 1, ...).
    horizon
        The maximum number of rounds; None if you do not know it.
    epsilon, delta
        The privacy parameters: smaller is more private.
    low, high, clip
        The declared range of outcomes. Outcomes outside it are refused, or clipped with
        ``clip=True``.
    algorithm
        A name from ``discreet list``, or ``bounded``, ``proved`` or ``best``. ``best`` has the
        smallest regret in our simulations, but may have no regret bound. ``proved`` has the
        smallest *proved* regret bound for this number of arms and rounds and this epsilon, for any
        losses. ``bounded``, the default, is the best in our simulations among algorithms whose
        proved bound is below the regret of uniform play. If there is none, it falls back to
        ``proved``; so it does with ``explore`` or ``holdout``, because ``guarded-ucb`` does not
        know the probabilities of its choices. ``bandit.algorithm`` is the one in use.
    capacity
        The maximum number of arms, including arms that you add later (``add_arm``).
    final
        The epsilon of a final release: a noisy sum of all outcomes of each arm, made when
        ``finish`` ends the run. The run is charged both epsilons from the start.
    prior
        Knowledge from before the first round: another ``Bandit``, whose releases are used, its
        ``estimates()``, or for each label a mean reward and the number of rounds it is worth. A
        prior from releases costs no epsilon; a wrong prior costs regret.
    explore, holdout
        Hold some rounds out and play arms uniformly in them, in permuted blocks: a share
        ``explore`` of the rounds, or ``holdout`` rounds of each arm, or that share up to that
        number. The learner does not see these rounds. When all their outcomes have arrived, one
        noisy sum per arm is released, at no cost in epsilon (``held_out``; docs/live.md: Rounds
        that are held out).
    default_reward, default_loss
        The value of a missing outcome, with ``wait``.
    simulation, seed, ledger, path, store, key, wait, durable, max_rounds_per_user, per, clock
        See :class:`discreet.live.RunOptions`.
    **options
        Options of the algorithm.

    """

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        horizon: int | None,
        epsilon: float,
        *,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str = BOUNDED,
        capacity: int | None = None,
        final: float | None = None,
        prior: Bandit | MeanEstimates | Prior | None = None,
        explore: float | None = None,
        holdout: int | None = None,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        store: str | Store | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        durable: Durable = "outcomes",
        max_rounds_per_user: int | None = None,
        per: timedelta | None = None,
        clock: Clock | None = None,
        default_reward: float | None = None,
        default_loss: float | None = None,
        **options: object,
    ) -> None:
        run = RunOptions.among(locals())
        recipe = terms(horizon, epsilon, delta, low, high, clip, algorithm)
        recipe["arms"] = list(labels_of("arms", arms))
        recipe["capacity"], recipe["final"] = capacity_of(capacity, len(recipe["arms"])), final
        if prior is not None:
            recipe["prior"] = prior_of(prior, recipe["arms"], low, high)
        recipe["explore"], recipe["holdout"] = explore, holdout
        default = default_of(default_reward, default_loss, low, high)
        super().__init__(recipe, run, default, options)

    @classmethod
    def _resolve(cls, recipe: Recipe) -> Recipe:
        choice = recipe["algorithm"]
        if choice not in CHOICES:
            return recipe
        aside = recipe["explore"] is not None or recipe["holdout"] is not None
        if choice == BOUNDED and aside:
            choice = PROVED  # guarded-ucb does not know the probabilities of its choices
        setting = Setting(
            Arms(recipe["capacity"] or len(recipe["arms"])),
            rounds=LONG_RUN if recipe["horizon"] is None else recipe["horizon"],
            epsilon=recipe["epsilon"],
            delta=recipe["delta"],
            bounds=make_range(recipe["low"], recipe["high"]),
        )
        return {**recipe, "algorithm": chosen(choice, setting), "chosen": choice}

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        problem = Arms(recipe["capacity"] or len(recipe["arms"]))
        plan = changing_plan(recipe, RunPlan.of(recipe, problem, observation=0))
        if recipe["final"] is not None and plan.private.channel.in_order:
            raise DiscreetError(
                f"final is given, but {plan.algorithm} is private through its own sampling and "
                "may release nothing except its actions."
            )
        return plan._replace(final=plan_final(recipe, plan.private.guarantee))

    def finish(self) -> MeanEstimates:
        """Make the final release, return its estimates, and end the run.

        Outcomes still missing are given up. When you finish must not depend on outcomes.
        """
        self._run.finish()
        return self.estimates(kind="final", clipped=True)

    def ask(
        self,
        *,
        available: Collection[Hashable] | None = None,
        user: User | None = None,
        at_limit: AtLimit = REFUSE,
    ) -> Decision:
        """Return the arm to play in the next round, chosen from the ``available`` arms.

        Which arms are available must not depend on outcomes, except through what the run shows
        (docs/live.md: Arms that come and go). If the run limits users, pass the user; with
        ``at_limit="serve"``, a user at the limit gets a decision without learning.
        """
        try:
            # the default; any other text gets a closer look
            if available is not None or at_limit is not REFUSE:
                return self._decide(self._observation(available), user, at_limit)
            # the same as _decide, which saves a call
            (number, batch, choice, token, _, _), probability = self._run.decide(self._seen, user)
        except BaseException as error:
            user = None
            raise without_frames(error)  # noqa: B904 - the same error
        return new_tuple(Decision, (self._labels[choice], number, token, probability, batch, True))

    def _observation(self, available: Collection[Hashable] | None = None) -> object:
        return self._seen if available is None else self._available(available)

    @withhold_frames
    def ask_many(
        self,
        n: int,
        *,
        available: Collection[Hashable] | None = None,
        users: Sequence[User] | None = None,
    ) -> list[Decision]:
        """Return the next n decisions from the same arms: in one transaction, all or none."""
        seen = self._observation(available)
        return self._ask_many([seen for _ in how_many(n)], users)

    @property
    def held_out(self) -> tuple[HeldOutArm, ...] | None:
        """The released sums of held-out rounds; None before the release or without a hold-out.

        The noise on a sum of rounds is in ``bandit.plan.holdout.private.channel.noise_scales``.
        """
        sums, (low, high) = self._run.held_out(), self._range
        if sums is None:
            return None
        means = [
            (choice, n, low + (high - low) * total / n if n else None) for choice, n, total in sums
        ]
        return tuple(
            HeldOutArm(self._labels[choice], n, mean, None if mean is None else low + (high - mean))
            for choice, n, mean in means
        )

    def finish_holdout(self, *, give_up: bool = False) -> bool:
        """End the hold-out, and release it once all its outcomes have arrived.

        Returns whether it is released now. With ``give_up=True``, outcomes still missing are given
        up; that choice must not depend on outcomes. At the horizon, the hold-out ends by itself.
        """
        return self._run.finish_holdout(give_up=check_flag("give_up", give_up))


def default_of(reward: float | None, loss: float | None, low: float, high: float) -> float | None:
    """Return the default for missing outcomes as a loss; None if none was declared."""
    if reward is None and loss is None:
        return None
    with default_named():
        return loss_of(reward, loss, make_range(low, high), clip=False)
