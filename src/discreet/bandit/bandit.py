"""The bandit that a program uses."""

from __future__ import annotations

import math
import os
import secrets
import threading
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, SupportsIndex

import numpy as np

from discreet import kernel
from discreet.algorithms import Setting, algorithm
from discreet.bandit import files
from discreet.bandit.arguments import check_flags, labels_of, number
from discreet.errors import DiscreetError, check_int, count
from discreet.guarantee import Guarantee
from discreet.ledger import Ledger
from discreet.private import Private
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range

DEFAULT = "batched-htinf"
FORMAT = "discreet bandit 2"
CAVEAT = "for ideal noise: this object draws floating-point noise{seeded}, for simulation only"
NOISE = {True: "floating point: for simulation only", False: "exact: for live use"}


class Decision(NamedTuple):
    """Which arm to play in one round; give it back with the outcome."""

    arm: Hashable
    id: int


class _Pending(NamedTuple):
    """A group of rounds that share one arm: what ``learn`` needs of it, and the channel that takes its feedback."""

    arm: int
    trace: Any
    private: Private


class Bandit:
    """A private bandit over labelled arms.

    >>> bandit = Bandit(arms=["A", "B", "C"], horizon=1000, epsilon=1.0)
    >>> decision = bandit.ask()           # decision.arm is "A", "B" or "C"
    >>> bandit.tell(decision, reward=1.0)
    >>> bandit
    Bandit(3 arms, round 1 of 1000, batched-htinf, 1-differential privacy, live: exact noise)

    Several decisions may be open at once, and outcomes may come late and in any order: what the learner needs of a
    decision is kept with it. Rounds are grouped in the order of asking; a group whose outcomes do not all come is never
    released. *When* outcomes come is taken to be public: if that depends on the outcome itself, fix a deadline and tell a
    default then, for every outcome that has not come (docs/proofs.md: Batches).

    **Live and simulated.** By default the noise is exact: whole numbers drawn by OpenDP from the operating system's
    entropy (the extra ``exact``), and a seed is refused. With ``simulation=True`` noise is floating point, fast and
    reproducible from a seed, and protects nobody: its low-order bits can be attacked. ``repr``, guarantee and files say
    which of the two a bandit is. (``exp3-tau`` is private through its own sampling, can only be simulated, and needs all
    outcomes before the next draw.)

    Parameters
    ----------
    arms
        Labels of the arms, or how many there are (then the labels are 0, 1, ...).
    horizon
        How many rounds there will be at most.
    epsilon, delta
        The privacy parameters: smaller is more private.
    low, high
        The declared range of the outcomes. An outcome outside it is refused, or clipped with ``clip=True``.
    algorithm
        A name of ``discreet list``. The default, HTINF on noisy means of batches, has the least regret in our simulations
        of the private algorithms whose regret is bounded by a proof; ``batched-tsallis-inf`` has less, without a proof.
    simulation, seed
        Whether to draw fast noise instead of exact noise, and the seed that makes such a run reproducible.
    ledger
        A budget (:class:`discreet.Ledger`) that the whole run is charged to before the first decision. If it limits the
        rounds of a user, ``ask`` needs the user, and the charge is what holds for a user with that many rounds.

    """

    def __init__(
        self,
        arms: int | Sequence[Hashable],
        horizon: int,
        epsilon: float,
        *,
        delta: float = 0.0,
        low: float = 0.0,
        high: float = 1.0,
        clip: bool = False,
        algorithm: str = DEFAULT,
        simulation: bool = False,
        seed: int | None = None,
        ledger: Ledger | None = None,
        **options: Any,
    ) -> None:
        self._labels = labels_of(arms)
        self._recipe: dict[str, Any] = {
            "arms": list(self._labels),
            "horizon": check_int("horizon", horizon, least=2),
            "epsilon": epsilon,
            "delta": delta,
            "low": low,
            "high": high,
            "clip": clip,
            "algorithm": algorithm,
            "simulation": simulation,
            **options,
        }
        self._recipe = {name: v.item() if isinstance(v, np.generic) else v for name, v in self._recipe.items()}
        self._horizon = self._recipe["horizon"]
        self._bounds = make_range(low, high)
        check_flags(clip=clip, simulation=simulation)
        if seed is not None and not simulation:
            raise DiscreetError(f"seed is {seed!r}, but live noise cannot have one: only simulation=True takes a seed.")
        if ledger is not None and not isinstance(ledger, Ledger):
            raise DiscreetError(f"ledger is {ledger!r}, but must be a discreet.Ledger.")
        if ledger is not None and simulation:
            raise DiscreetError("ledger is given, but simulation=True draws noise that protects nobody: leave it out.")
        self._clip = clip
        self._algorithm = algorithm
        self._simulation = simulation
        self._private = _build(self._recipe)
        if not self._private.guarantee.is_private:
            warnings.warn(f"{algorithm} is not private: epsilon is not used.", stacklevel=2)
        self._seed = seed
        self._streams = streams(seed)
        self._ledger = ledger
        self._charge: str | None = None  # the label of the ledger's entry for this run
        self._process = os.getpid()
        self._handed_over = False
        self._lock = threading.Lock()
        self._asked = 0
        self._group, self._arm = 0, 0  # of the decision asked for last
        self._open: dict[int, int] = {}  # decision -> its group
        self._pending: dict[int, _Pending] = {}  # group -> what its outcomes need

    def ask(self, *, user: str | int | bytes | None = None) -> Decision:
        """Return the arm to play in the next round; with a ledger that limits the rounds of a user, say whose it is."""
        with self._lock:
            self._check_mine()
            self._admit(user)
            return self._ask()

    def _admit(self, user: str | int | bytes | None) -> None:
        """Charge the whole run before its first decision, and count the round of the user."""
        limit = None if self._ledger is None else self._ledger.max_rounds_per_user
        if limit is not None and user is None:
            raise DiscreetError(f"ask needs the user: the ledger allows each at most {count(limit, 'round')}.")
        if limit is None and user is not None:
            raise DiscreetError("user is given, but there is no ledger that limits the rounds of a user.")
        self._check_ready()
        if self._ledger is not None and self._charge is None:
            label = f"bandit {self._algorithm} {secrets.token_hex(8)}"
            self._ledger.charge(self.guarantee.for_user(rounds=limit or 1), label=label)
            self._charge = label
        if self._ledger is not None and user is not None:
            self._ledger.admit(user)

    def _check_mine(self) -> None:
        """Refuse in a forked process and after handing over: a batch would be released twice, with two noises."""
        if self._process != os.getpid():
            raise DiscreetError("this bandit belongs to another process: save it there, and load it here.")
        if self._handed_over:
            raise DiscreetError("this bandit was handed over to a file: go on with Bandit.load.")

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise DiscreetError("a Bandit cannot be copied or pickled, or a batch would be released twice: use save.")

    def _check_ready(self) -> None:
        """Refuse when no decision is left, or when the next one must wait."""
        if self._asked >= self._horizon:
            raise DiscreetError(f"the horizon of {self._horizon} rounds is used up: no decision is left to ask for.")
        channel = self._private.channel
        if self._asked % channel.hold() == 0 and self._pending and channel.in_order:
            raise DiscreetError(
                f"{self._algorithm} is private only if all outcomes so far are told before the next arm is drawn; "
                f"{count(len(self._open), 'outcome')} still to come."
            )

    def _ask(self) -> Decision:
        if self._asked % self._private.channel.hold() == 0:
            arm, trace = self._private.act(0, self._streams.learner)
            self._group = self._asked
            self._arm = int(arm)
            fork = Private(self._private.channel.fork(), self._private.learner)
            self._pending[self._group] = _Pending(self._arm, kernel.copy(trace), fork)
        decision = Decision(self._labels[self._arm], self._asked)
        self._open[self._asked] = self._group
        self._asked += 1
        return decision

    def tell(self, decision: Decision, *, reward: float | None = None, loss: float | None = None) -> None:
        """Report the outcome of a decision, as a reward or as a loss in the declared range."""
        value = self._loss(reward, loss)
        with self._lock:
            self._check_mine()
            group = self._group_of(decision)
            pending = self._pending[group]
            del self._open[decision.id]
            if pending.private.tell(pending.trace, value, self._streams.privacy):
                del self._pending[group]

    @property
    def guarantee(self) -> Guarantee:
        """What is promised; with a caveat if this is a simulation."""
        mine = self._private.guarantee
        if not self._simulation or not mine.is_private:
            return mine
        seeded = "" if self._seed is None else ", reproducible from its seed"
        return replace(mine, caveat=f"{mine.caveat}; " * bool(mine.caveat) + CAVEAT.format(seeded=seeded))

    @property
    def algorithm(self) -> str:
        """The name of the algorithm in use."""
        return self._algorithm

    @property
    def open_decisions(self) -> tuple[int, ...]:
        """The ids of the decisions whose outcome has not been told."""
        return tuple(self._open)

    def save(self, path: Path | str, *, hand_over: bool = True) -> None:
        """Write the state to one file that only its owner can read, and from which ``Bandit.load`` goes on.

        A live bandit hands over: it refuses to go on, and the file can be loaded once (loading renames it), so that no
        batch is ever released twice. With ``hand_over=False`` it goes on itself, and the file is a snapshot without the
        outcomes of unfinished batches: a bandit loaded from it has forgotten the decisions that were open. Simulations go
        on anyway, bit for bit if they have a seed. Do not copy a file that was handed over.

        What stands below ``unreleased`` is as sensitive as the data: sums of batches that are not released yet; with a
        seed, the stream of the noise, from which past noise can be computed; and, for a learner that hears raw outcomes
        (of algorithms without privacy, and of ``exp3-tau``), its state and its randomness. Noise that was drawn ahead is
        never saved. Labels of arms must be text or whole numbers.
        """
        check_flags(hand_over=hand_over)
        with self._lock:
            self._check_mine()
            files.write(Path(path), self._state(snapshot=not hand_over and not self._simulation))
            self._handed_over = hand_over and not self._simulation

    def _state(self, *, snapshot: bool) -> dict[str, Any]:
        if not all(isinstance(label, str | int) for label in self._labels):
            raise DiscreetError("arms has labels that are neither text nor whole numbers, which a file cannot hold.")
        noise = None if self._seed is None else self._streams.privacy.bit_generator.state
        pending = {} if snapshot else self._pending
        opened = {} if snapshot else self._open
        hold = self._private.channel.hold()
        learned = {
            "learner": files.state_of(self._private.learner),
            "pending": [[group, p.arm, files.to_json(p.trace)] for group, p in pending.items()],
            "learner_randomness": self._streams.learner.bit_generator.state,
        }
        released = self._private.channel.guarantee.is_private  # else the learner has heard raw outcomes
        return {
            "format": FORMAT,
            "noise": NOISE[self._simulation],
            "snapshot": snapshot,
            "ledger": self._ledger is not None,
            "charge": self._charge,
            "recipe": self._recipe,
            "asked": -(-self._asked // hold) * hold if snapshot else self._asked,  # the next group is a new one
            "group": self._group,
            "arm": self._arm,
            "open": list(opened.items()),
            **(learned if released else {}),
            "unreleased": {
                **({} if released else learned),
                "batches": [[group, files.state_of(p.private.channel)] for group, p in pending.items()],
                "seed": self._seed,
                "noise_stream": noise,
            },
        }

    @classmethod
    def load(cls, path: Path | str, *, ledger: Ledger | None = None) -> Bandit:
        """Return the bandit that was saved to a file; one that had a ledger needs it again.

        A file that was handed over can be loaded once: it is renamed to end in ``.loaded``. Another ledger than before is
        charged anew.
        """
        path = Path(path)
        state = files.read(path, form=FORMAT)
        if state.get("ledger") != (ledger is not None):
            had, do = ("a", "give it again") if state.get("ledger") else ("no", "leave it out")
            raise DiscreetError(f"{path} was saved by a bandit that had {had} ledger: {do}.")
        try:
            bandit = cls._restored(state, ledger)
        except DiscreetError:
            raise
        except (KeyError, TypeError, ValueError, IndexError):
            raise DiscreetError(f"{path} is damaged: it cannot be loaded.") from None
        if ledger is not None and any(entry.label == state["charge"] for entry in ledger.entries()):
            bandit._charge = state["charge"]
        if not (bandit._simulation or state["snapshot"]):
            files.use_up(path)
        return bandit

    @classmethod
    def _restored(cls, state: Mapping[str, Any], ledger: Ledger | None) -> Bandit:
        secret = state["unreleased"]
        learned = state if "learner" in state else secret
        bandit = cls(**state["recipe"], seed=secret["seed"], ledger=ledger)
        bandit._asked, bandit._group, bandit._arm = state["asked"], state["group"], state["arm"]
        bandit._open = dict(state["open"])
        files.restore(bandit._private.learner, learned["learner"])
        example = kernel.copy(bandit._private).act(0, np.random.default_rng(0))[1]
        for (group, arm, trace), (_, held) in zip(learned["pending"], secret["batches"], strict=True):
            fork = Private(bandit._private.channel.fork(), bandit._private.learner)
            files.restore(fork.channel, held)
            bandit._pending[group] = _Pending(arm, files.like(example, trace), fork)
        bandit._streams.learner.bit_generator.state = learned["learner_randomness"]
        if secret["seed"] is not None:
            bandit._streams.privacy.bit_generator.state = secret["noise_stream"]
        return bandit

    def __repr__(self) -> str:
        noise = "simulation only: floating-point noise" if self._simulation else "live: exact noise"
        if not self._private.channel.noise_scales:
            noise = "no noise"
        return (
            f"Bandit({len(self._labels)} arms, round {self._asked} of {self._horizon}, {self._algorithm}, "
            f"{self.guarantee.short}, {noise})"
        )

    def _group_of(self, decision: Decision) -> int:
        if not isinstance(decision, Decision) or not isinstance(decision.id, int):
            raise DiscreetError("decision is not one that ask() gave.")
        identity = decision.id
        if identity in self._open:
            group = self._open[identity]
            if decision.arm == self._labels[self._pending[group].arm]:
                return group
        elif 0 <= identity < self._asked:
            raise DiscreetError(f"decision {identity} has been told already: each outcome counts once.")
        raise DiscreetError(f"decision {identity!r} is not one that this bandit gave.")

    def _loss(self, reward: float | None, loss: float | None) -> float:
        """Return the outcome as a loss in range; error messages never show it."""
        if (reward is None) == (loss is None):
            raise DiscreetError("tell needs one outcome: either reward or loss.")
        name, given = ("reward", reward) if loss is None else ("loss", loss)
        value = number(given)
        if value is None or not math.isfinite(value):
            raise DiscreetError(f"the {name} is not a finite number.")
        low, high = self._bounds
        if not self._clip and not low <= value <= high:
            raise DiscreetError(f"the {name} is outside the declared range {low:g} to {high:g}; clip=True would clip it.")
        value = self._bounds.clamp(value)
        return value if loss is not None else low + (high - value)


def _build(recipe: Mapping[str, Any]) -> Private:
    options = dict(recipe)
    setting = Setting(
        Arms(len(options.pop("arms"))),
        rounds=options.pop("horizon"),
        epsilon=options.pop("epsilon"),
        delta=options.pop("delta"),
        bounds=make_range(options.pop("low"), options.pop("high")),
    )
    options.pop("clip")
    simulation = options.pop("simulation")
    known = algorithm(options.pop("algorithm"))
    if not isinstance(known.problem, Arms):
        raise DiscreetError(f"algorithm is {known.name}, which plays {known.problem}, but a bandit plays arms.")
    private = known.build(setting, **options).private
    return private if simulation else private.live()
