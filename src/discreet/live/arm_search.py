"""The live class for best-arm search."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from datetime import timedelta

from discreet.contracts import Learner
from discreet.errors import DiscreetError, Finished
from discreet.learners.search.searching import Searching
from discreet.ledger import Ledger
from discreet.ledger.inputs import User
from discreet.live.arguments import labels_of
from discreet.live.arms import ArmsClient, default_of
from discreet.live.decisions import Decision
from discreet.live.frames import withhold_frames
from discreet.live.rows import Recipe
from discreet.live.run_options import Clock, Durable, Path, RunOptions, Wait, terms
from discreet.live.run_plan import RunPlan
from discreet.live.serving import AtLimit
from discreet.live.store import Store
from discreet.problems import BestArm
from discreet.problems.arms import HORIZON

SEARCH = "batched-successive-elimination"  # the default algorithm


class BestArmSearch(ArmsClient):
    """A private search for the best of several labelled arms; it stops once it has an answer.

    >>> search = BestArmSearch(arms=["A", "B"], epsilon=1.0, error=0.1, simulation=True, seed=1)
    >>> while not search.finished:
    ...     decision = search.ask()
    ...     _ = search.tell(decision, reward=0.9 if decision.arm == "B" else 0.2)
    >>> search.answer
    'B'

    The answer is wrong with probability at most ``error``, provided that the outcomes of an arm are
    independent from round to round, that their mean does not change, and that whether and when an
    outcome arrives does not depend on its value (docs/proofs.md: Best-arm search). This is proved
    for all searches except lil' UCB with ``constants="practice"`` or in batches, and sequential
    halving, whose error follows from its budget. The stopping time and the answer are as private as
    everything else. ``horizon`` is the maximum number of rounds; all other arguments are those of
    :class:`Bandit`.
    """

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        epsilon: float,
        *,
        error: float = 0.1,
        horizon: int = HORIZON,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str = SEARCH,
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
        if horizon is None:
            raise DiscreetError(
                "horizon is None, but a search needs a maximum number of rounds: give a number of "
                "rounds."
            )
        run = RunOptions.among(locals())
        recipe = terms(horizon, epsilon, delta, low, high, clip, algorithm)
        recipe["arms"], recipe["error"] = list(labels_of("arms", arms)), error
        default = default_of(default_reward, default_loss, low, high)
        super().__init__(recipe, run, default, options)

    @classmethod
    def _plan(cls, recipe: Recipe) -> RunPlan:
        return RunPlan.of(recipe, BestArm(len(recipe["arms"]), recipe["error"]), observation=0)

    @property
    def answer(self) -> Hashable | None:
        """The arm that the search found to be the best; None while there is no answer."""
        found = self._run.read_learner(answer_of)
        return None if found < 0 else self._labels[found]

    @property
    def finished(self) -> bool:
        """Whether the search has its answer; it then makes no further decisions."""
        return self._run.read_learner(answer_of) >= 0

    @withhold_frames
    def ask(self, *, user: User | None = None, at_limit: AtLimit = "refuse") -> Decision:
        """Return the arm to sample in the next round; raise ``Finished`` if there is an answer."""
        self._check_unfinished()
        return super().ask(user=user, at_limit=at_limit)

    @withhold_frames
    def ask_many(self, n: int, *, users: Sequence[User] | None = None) -> list[Decision]:
        """Return the next n decisions; raise ``Finished`` if there is an answer."""
        self._check_unfinished()
        return super().ask_many(n, users=users)

    def _check_unfinished(self) -> None:
        self.release_due()
        self._run.read_learner(self._ready)

    def _ready(self, learner: Learner) -> None:
        found = answer_of(learner)
        if found >= 0:
            raise Finished(
                f"the search has its answer, {self._labels[found]!r}, and makes no further "
                "decisions."
            )


def answer_of(learner: Learner) -> int:
    """Return the index of the arm that the search found, or -1."""
    assert isinstance(learner, Searching), "algorithms for best-arm search have such learners"
    return int(learner.found[-1])
