"""The face for best-arm search."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from discreet.contracts import Learner
from discreet.errors import DiscreetError
from discreet.learners.search.searching import Searching
from discreet.ledger import Ledger
from discreet.live.arguments import labels_of, loss_of
from discreet.live.bandit import ArmsFace, Decision
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.face import Path, Wait
from discreet.live.rows import Recipe
from discreet.problems import BestArm
from discreet.problems.arms import HORIZON
from discreet.ranges import make_range

DEFAULT = "batched-successive-elimination"


class BestArmSearch(ArmsFace):
    """A private search for the best of some labelled arms: it asks for samples until it is sure, and stops.

    >>> search = BestArmSearch(arms=["A", "B"], epsilon=1.0, error=0.1, simulation=True, seed=1)
    >>> while not search.finished:
    ...     decision = search.ask()
    ...     search.tell(decision, reward=0.9 if decision.arm == "B" else 0.2)
    >>> search.answer
    'B'

    The answer is wrong with a probability of at most ``error``, if what an arm yields is
    independent from round to round, its mean does not change, and whether and when an outcome comes
    does not depend on it (docs/proofs.md: Best-arm search). When the search stops, and its answer,
    are as private as all else. ``horizon`` is how many rounds there will be at most; all other
    arguments are those of :class:`Bandit`.
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
        algorithm: str = DEFAULT,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        path: Path | None = None,
        key: Path | None = None,
        wait: Wait | None = None,
        default_reward: float | None = None,
        default_loss: float | None = None,
        **options: object,
    ) -> None:
        if horizon is None:
            raise DiscreetError(
                "horizon is None, but a search learns "
                "from all "
                "of its "
                "rounds: "
                "give a "
                "number of "
                "rounds."
            )
        recipe: Recipe = {
            "arms": list(labels_of("arms", arms)),
            "error": error,
            "horizon": horizon,
            "epsilon": epsilon,
            "delta": delta,
            "low": low,
            "high": high,
            "clip": clip,
            "algorithm": algorithm,
        }
        default = None
        if default_reward is not None or default_loss is not None:
            default = loss_of(default_reward, default_loss, make_range(low, high), clip=False)
        super().__init__(
            recipe,
            simulation=simulation,
            seed=seed,
            ledger=ledger,
            path=path,
            key=key,
            wait=wait,
            default=default,
            options=options,
        )

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        return Plan.of(recipe, BestArm(len(recipe["arms"]), recipe["error"]), observation=0)

    @property
    def answer(self) -> Hashable | None:
        """The arm that was found to be the best; None before there is one."""
        found = self._run.read_learner(answer_of)
        return None if found < 0 else self._labels[found]

    @property
    def finished(self) -> bool:
        """Whether there is an answer: then no decision is left to ask for."""
        return self._run.read_learner(answer_of) >= 0

    def ask(self, *, user: User | None = None) -> Decision:
        """Return the arm to sample in the next round, unless the answer is found."""
        self.release_due()
        if self.finished:
            raise DiscreetError(
                f"the search has its answer, {self.answer!r}: no decision is left to ask for."
            )
        return super().ask(user=user)


def answer_of(learner: Learner) -> int:
    """Return the number of the arm that a search answers with, or -1."""
    assert isinstance(learner, Searching), "algorithms for best-arm search have such learners"
    return int(learner.found[-1])
