"""The face for arms."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

from discreet.algorithms import Setting
from discreet.algorithms.arms.choosing import CHOICES, PROVED, chosen
from discreet.ledger import Ledger
from discreet.live.arguments import labels_of, loss_of
from discreet.live.budget import User
from discreet.live.building import Plan
from discreet.live.face import Face, Path, Wait
from discreet.live.rows import Recipe
from discreet.live.run import LiveRun
from discreet.problems import Arms
from discreet.ranges import make_range

LONG_RUN = 1 << 17  # rounds for which an algorithm is chosen where there is no horizon


class Decision(NamedTuple):
    """Which arm to play in one round; give it back with the outcome."""

    arm: Hashable
    id: int
    token: str = ""  # of the run that gave it


new_decision: Callable[[tuple[Hashable, int, str]], Decision] = partial(
    tuple.__new__, Decision
)  # of all fields


class ArmsFace(Face):
    """What faces have in common whose decisions are arms, and whose outcomes are rewards or losses."""

    _gives = Decision
    _chosen = "arms"

    def _enter(self, recipe: Recipe, run: LiveRun) -> None:
        super()._enter(recipe, run)
        self._range, self._clip = tuple(self._bounds), recipe["clip"]

    def ask(self, *, user: User | None = None) -> Decision:
        """Return the arm to play in the next round; with a ledger that limits the rounds of a user, say whose it is."""
        number, _, choice, token, _, _ = self._run.decide(0, user)
        return new_decision((self._labels[choice], number, token))

    def tell(
        self, decision: Decision | int, *, reward: float | None = None, loss: float | None = None
    ) -> None:
        """Report the outcome of a decision, or of the one with an id: a reward or a loss in the declared range.

        With ``wait``, what comes after its deadline is dropped.
        """
        outcome = loss_of(reward, loss, self._range, clip=self._clip)
        if type(decision) is Decision:
            arm, number, token = decision
            if (
                type(number) is int and type(token) is str
            ):  # what ask gives; all else is looked at more closely
                self._run.hear(number, token, self._indices.get(arm), outcome)
                return
        self._hear(decision, outcome)

    def _choice(self, decision: Decision) -> int | None:
        return self._indices.get(decision.arm)

    def _size(self) -> str:
        return f"{len(self._labels)} arms"


class Bandit(ArmsFace):
    """A private bandit over labelled arms.

    >>> bandit = Bandit(arms=["A", "B", "C"], horizon=1000, epsilon=1.0)
    >>> decision = bandit.ask()           # decision.arm is "A", "B" or "C"
    >>> bandit.tell(decision, reward=1.0)
    >>> bandit
    Bandit(3 arms, round 1 of 1000, one-bit-tsallis-inf, 1-differential privacy, live: exact noise)

    Several decisions may be open at once, and outcomes may come late and in any order: what the
    learner needs of a decision is kept with it. Rounds are grouped in the order of asking; a group
    whose outcomes do not all come is never released. *When* outcomes come is taken to be public: if
    that depends on the outcome itself, fix a deadline and tell a default then, for every outcome
    that has not come (docs/proofs.md: Batches).

    **Live and simulated.** By default the noise is exact: whole numbers drawn by OpenDP from the
    operating system's entropy (the extra ``exact``), and a seed is refused. With
    ``simulation=True`` noise is floating point, fast and reproducible from a seed, and protects
    nobody: its low-order bits can be attacked. ``repr`` and guarantee say which of the two a bandit
    is. (``exp3-tau`` is private through its own sampling, can only be simulated, and needs all
    outcomes before the next draw.)

    Parameters ---------- arms Labels of the arms, or how many there are (then the labels are 0, 1,
    ...). horizon How many rounds there will be at most. epsilon, delta The privacy parameters:
    smaller is more private. low, high The declared range of the outcomes. An outcome outside it is
    refused, or clipped with ``clip=True``. algorithm A name of ``discreet list``, or one of two
    choices. ``proved``, the default, is the algorithm with the least *proved* bound on regret for
    this number of arms and rounds and this epsilon, whatever the losses, fixed in advance; ``best``
    the one with the least regret in our simulations, which may have no bound at all.
    ``bandit.algorithm`` says which one it is. simulation, seed Whether to draw fast noise instead
    of exact noise, and the seed that makes such a run reproducible. ledger A budget
    (:class:`discreet.Ledger`) that the whole run is charged to before the first decision. If it
    limits the rounds of a user, ``ask`` needs the user, and the charge is what holds for a user
    with that many rounds. path A new file to keep the run in, safe from crashes;
    ``Bandit.open(path)`` goes on with it (docs/live.md).

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
        algorithm: str = PROVED,
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
        recipe: Recipe = {
            "arms": list(labels_of("arms", arms)),
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
    def _resolve(cls, recipe: Recipe) -> Recipe:
        if recipe["algorithm"] not in CHOICES:
            return recipe
        setting = Setting(
            Arms(len(recipe["arms"])),
            rounds=LONG_RUN if recipe["horizon"] is None else recipe["horizon"],
            epsilon=recipe["epsilon"],
            delta=recipe["delta"],
            bounds=make_range(recipe["low"], recipe["high"]),
        )
        return {**recipe, "algorithm": chosen(recipe["algorithm"], setting)}

    @classmethod
    def _plan(cls, recipe: Recipe) -> Plan:
        return Plan.of(recipe, Arms(len(recipe["arms"])), observation=0)
