"""The hold-out of a run: rounds with uniform arms, without learning, released once."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from discreet.channels import ArmSums
from discreet.contracts import Floats, Generator, Learner, Noise, Protected
from discreet.errors import DiscreetError, check_int, check_share
from discreet.guarantee import Guarantee
from discreet.live.engine import Engine, packed
from discreet.live.rows import GroupRow, Recipe, Rows
from discreet.mechanisms import Gaussian, Laplace, Silent
from discreet.private import Private
from discreet.ranges import make_range

# The number of the group of all held-out rounds, of their release, and of the decision that
# triggers it (there is none).
HELD_OUT = -2
RELEASE = -1  # the trace that triggers the release
# Maximum number of held-out rounds. Sums of so many are exact on a grid of 2^-26 of the range.
MOST = 1 << 26
# The coin's margin above the mean, in standard deviations, so that a declared number of rounds is
# reached before the horizon; it is missed in a few of 1,000 runs.
SURE = 3.0
PLACE, CLOSED, DONE = 0, 1, 2  # entries of the clock
Sums = list[tuple[int, int, float]]  # for each arm its index, its rounds and its sum
OPEN = math.inf  # in place of the round in which the hold-out ends


class HeldOutRounds(Learner[int, int, Floats, float]):
    """Deals uniform arms in permuted blocks: each block has every arm once, in random order.

    It holds the public state of the hold-out, and finally its release.
    """

    compiles = False

    order: Floats  # the arms of the block
    asked: Floats  # rounds of each arm
    lost: Floats  # those whose outcome was given up
    sums: Floats  # of losses, as released, in widths of the range
    chances: Floats  # of each arm in the current batch of the run's learner; NaN if not known
    clock: Floats

    @classmethod
    def start(cls, arms: int) -> HeldOutRounds:
        """Return the state before the first round."""
        asked, lost, sums, chances = (np.zeros(arms) for _ in range(4))
        clock = np.array([0.0, OPEN, 0.0])
        return cls(np.arange(float(arms)), asked, lost, sums, chances, clock)

    def act(self, observation: object, rng: Generator) -> tuple[int, int]:
        """Return the next arm of the block; shuffle a new block first if needed."""
        place, arms = int(self.clock[PLACE]), self.order.size
        if place == 0:
            for last in range(arms - 1, 0, -1):
                other = min(int(rng.random() * (last + 1)), last)
                self.order[[last, other]] = self.order[[other, last]]
        arm = int(self.order[place])
        self.clock[PLACE] = (place + 1) % arms
        self.asked[arm] += 1.0
        return arm, arm

    def query(self, trace: int) -> float:
        """Return the arm that a loss belongs to, or trigger the release."""
        return float(trace)

    def learn(self, trace: int, released: Floats) -> None:
        """Store the sums."""
        self.sums[:] = released
        self.clock[DONE] = 1.0


class HoldOutPlan(NamedTuple):
    """Which rounds are held out, and the noise of their release."""

    coin: float  # the probability that a round is held out, while the hold-out is open
    rounds: int | None  # of each arm; None if only the coin decides
    private: Private

    @property
    def most(self) -> float:
        """The maximum number of rounds of all arms together."""
        arms = self.private.learner.order.size  # type: ignore[attr-defined]
        return min(MOST, math.inf if self.rounds is None else self.rounds * arms)


def held_out_guarantee(guarantee: Guarantee, plan: HoldOutPlan | None) -> Guarantee:
    """Return the guarantee of a run with its hold-out: each round is in one of the two.

    Both have the same epsilon and delta. The whole curve is stated only if it holds for both.
    """
    if plan is None or not guarantee.is_private or plan.private.guarantee <= guarantee:
        return guarantee
    return replace(guarantee, curve=None)


def plan_hold_out(recipe: Recipe, private: Protected) -> HoldOutPlan | None:
    """Return the plan of the hold-out from a recipe; None if there is none."""
    share, number = recipe.get("explore"), recipe.get("holdout")
    if share is None and number is None:
        return None
    horizon, arms = recipe["horizon"], len(recipe["arms"])
    if recipe.get("capacity") is not None:
        raise DiscreetError(
            f"capacity is {recipe['capacity']}, but the hold-out plays all arms in turn, so arms "
            "cannot be added or retired: omit capacity."
        )
    rounds = None if number is None else check_int("holdout", number, minimum=1)
    coin = None if share is None else check_share("explore", share)
    if rounds is not None and rounds * arms > (MOST if horizon is None else horizon):
        raise DiscreetError(
            f"holdout is {rounds}, but that many rounds of each of {arms} arms are more than the "
            + (f"{MOST:,} that can be held out." if horizon is None else f"horizon of {horizon}.")
        )
    if coin is None:
        if horizon is None or rounds is None:
            raise DiscreetError(
                f"holdout is {rounds}, but without a horizon the share of held-out rounds is not "
                "known: give explore, too."
            )
        total = rounds * arms
        coin = min(1.0, (total + SURE * math.sqrt(total)) / horizon)
    guarantee, given = private.guarantee, "explore" if number is None else "holdout"
    refuse_hold_out(given, recipe["algorithm"], guarantee, private)
    size = min(MOST, MOST if horizon is None else horizon) + 1  # never full: the run ends it
    noise = noise_like(guarantee)
    channel = ArmSums.over(
        arms=arms, size=size, bounds=make_range(recipe["low"], recipe["high"]), noise=noise
    )
    channel = channel if recipe["simulation"] else channel.live()
    return HoldOutPlan(coin, rounds, Private(channel, HeldOutRounds.start(arms)))


def refuse_hold_out(name: str, algorithm: str, guarantee: Guarantee, private: Protected) -> None:
    """Refuse a hold-out that would break the run's guarantee."""
    if guarantee.is_private and guarantee.model != "central":
        raise DiscreetError(
            f"{name} is given, but the guarantee of {algorithm} is in the {guarantee.model} model, "
            "and a hold-out needs a trusted server: use an algorithm of the central model."
        )
    if guarantee.seen or private.channel.in_order:
        raise DiscreetError(
            f"{name} is given, but the guarantee of {algorithm} covers only its actions, not "
            "released sums: use another algorithm."
        )
    if private.channel.one_stream:
        raise DiscreetError(
            f"{name} is given, but {algorithm} learns from one running sum of all rounds: use "
            "another algorithm."
        )


def noise_like(guarantee: Guarantee) -> Noise:
    """Return noise for a sum of sensitivity 1, with the epsilon and delta of a guarantee.

    It is Laplace noise, unless only Gaussian noise has a curve as good as the guarantee's.
    """
    if not guarantee.is_private:
        return Silent()
    epsilon, delta = guarantee.epsilon, guarantee.delta
    found: list[Noise] = [Laplace.calibrate(sensitivity=1.0, epsilon=epsilon)]
    if delta > 0.0:
        found.append(Gaussian.for_guarantee(sensitivity=1.0, epsilon=epsilon, delta=delta))
    for noise in found:
        if noise.guarantee(1.0, model="central", source="") <= guarantee:
            return noise
    return found[0]


class HoldOut:
    """The hold-out of a running run: its own engine, whose sums are the run's stream."""

    def __init__(self, plan: HoldOutPlan, horizon: int | None) -> None:
        self._plan, self._horizon = plan, horizon
        self.engine = Engine(plan.private, 0)
        self.engine.streaming, self.engine.holding = True, False
        self._state: Any = self.engine.private.learner

    @property
    def first(self) -> bytes:
        """The public state before the first round."""
        return self.engine.first

    @property
    def blank(self) -> bytes:
        """The content of the channel before the first round."""
        held = self.engine.stream
        assert held is not None, "its sums are a stream"
        return held

    def load(self, rows: Rows) -> bool:
        """Return to the committed state; return whether it is valid."""
        state = self.engine.learner_state
        state[:] = rows.learner[-len(state) :]
        self.engine.clear()
        if rows.stream is None:  # the key was lost, and the content with it
            self.end(0)
        return rows.stream is None or len(rows.stream) == len(self.blank)

    def is_open(self, asked: int) -> bool:
        """Return whether the next round, after ``asked`` others, may be held out."""
        return bool(asked < self._state.clock[CLOSED])

    def coin_of(self, number: int) -> float:
        """Return the probability with which a round was to be held out."""
        return self._plan.coin if self.is_open(number) else 0.0

    def note_chances(self, learner: Learner, trace: object, shown: bool) -> None:
        """Store the probability of each arm when the run's learner drew one, if it may be shown."""
        for arm in range(self._state.chances.size):
            chance = learner.chance(trace, arm) if shown else None
            self._state.chances[arm] = math.nan if chance is None else chance

    def toss(self, asked: int, rng: Generator) -> int:
        """Toss the public coin of a round: return the arm if the round is held out, else -1."""
        if not self.is_open(asked) or rng.random() >= self._plan.coin:
            return -1
        arm, _ = self._state.act(0, rng)
        if self._state.asked.sum() >= self._plan.most:
            self.end(asked + 1)
        return int(arm)

    def mixed(self, number: int, chance: float | None) -> float | None:
        """Return the probability of an arm in a round, from the learner's probability."""
        if chance is None or math.isnan(chance):
            return None
        coin = self.coin_of(number)
        return coin / int(self._state.order.size) + (1.0 - coin) * chance

    def chance_of(self, arm: int) -> float:
        """Return the probability of an arm when the run's learner drew the current one."""
        return float(self._state.chances[arm])

    def end(self, asked: int) -> None:
        """End the hold-out: hold out no round after ``asked`` rounds."""
        self._state.clock[CLOSED] = min(float(self._state.clock[CLOSED]), float(asked))

    def drop(self, arm: int) -> None:
        """Count a round whose outcome was given up."""
        self._state.lost[arm] += 1.0

    def is_due(self, rows: Rows) -> bool:
        """Return whether the hold-out is over and complete, but not released yet."""
        asked, state = rows.counters[0], self._state
        ended = asked >= min(float(state.clock[CLOSED]), self._horizon or OPEN)
        if not ended or rows.stream is None or state.clock[DONE] > 0.0:
            return False
        self.engine.put(rows.stream)
        told = self.engine.private.channel.rounds_seen()
        self.engine.clear()
        return told > 0 and told == int((state.asked - state.lost).sum())

    def group(self, choice: int) -> GroupRow:
        """Return a held-out round as its own group."""
        return HELD_OUT, choice, choice, 1, 0, None

    def sums(self) -> Sums | None:
        """Return the release: for each arm its index, its rounds and its sum."""
        return sums_of(self._state)


def sums_of(state: HeldOutRounds) -> Sums | None:
    """Return the release, from the public state of a hold-out."""
    if state.clock[DONE] == 0.0:
        return None
    rounds = state.asked - state.lost
    return [(arm, int(rounds[arm]), float(state.sums[arm])) for arm in range(rounds.size)]


def sums_in(recipe: Recipe, learner: bytes) -> Sums | None:
    """Return the release, from a run's file: its recipe and its public state."""
    state = _state_in(recipe, learner)
    return None if state is None else sums_of(state)


def held_in(recipe: Recipe, learner: bytes) -> list[int] | None:
    """Return how many rounds of each arm were held out, from a run's file; None if none."""
    state = _state_in(recipe, learner)
    return None if state is None else [int(each) for each in state.asked - state.lost]


def _state_in(recipe: Recipe, learner: bytes) -> HeldOutRounds | None:
    if recipe.get("explore") is None and recipe.get("holdout") is None:
        return None
    state, block = packed(HeldOutRounds.start(len(recipe["arms"])))
    block[:] = learner[-len(block) :]
    return state
