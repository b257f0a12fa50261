"""Bandits with expert advice: each round shows every expert's distribution over arms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.contracts import Floats, Generator, Integers
from discreet.errors import DiscreetError, check_int
from discreet.lengths import check_expert
from discreet.problems.arms import MOST_ARMS, ArmGame, first_differs
from discreet.problems.base import Environment, Game, Problem
from discreet.ranges import Range


@dataclass(frozen=True)
class Advice(Problem):
    """Arms, and experts who advise which to play; the comparator is the best expert.

    >>> str(Advice(4, 10)), Advice(4, 10).sizes, Advice(4, 10).rivals
    ('arms with expert advice', '10 experts on 4 arms', 'the best expert of 10 on 4 arms')
    """

    title = "bandit with expert advice"
    feedback = "loss of the played arm"
    default_environment = "advice-random"

    arms: int = field(default=4, metadata={"help": "Number of arms."})
    experts: int = field(default=10, metadata={"help": "Number of experts who give advice."})

    def __post_init__(self) -> None:
        object.__setattr__(self, "arms", check_int("arms", self.arms, minimum=2, maximum=MOST_ARMS))
        object.__setattr__(
            self, "experts", check_int("experts", self.experts, minimum=2, maximum=1_000_000)
        )

    def __str__(self) -> str:
        return "arms with expert advice"

    @property
    def sizes(self) -> str:
        """The number of experts and arms."""
        return f"{self.experts:,} experts on {self.arms:,} arms"

    @property
    def rival(self) -> str:
        """The comparator."""
        return "the best expert"

    @property
    def rivals(self) -> str:
        """The comparator, and the number of candidates."""
        return f"the best expert of {self.experts:,} on {self.arms:,} arms"

    @property
    def actions(self) -> int:
        """One loss per arm."""
        return self.arms

    def blind_regret(self, bounds: Range) -> float:
        """Return the regret of uniform play, which plays the best arm as often as any other."""
        return bounds.width * (1.0 - 1.0 / self.arms)

    def probe(self, rounds: int, rng: Generator) -> AdviceGame:
        """Return a game of random losses; all experts advise uniform play."""
        return self._game(rng.random((rounds, self.arms)))

    def rival_losses(self, game: Game, losses: Floats) -> Floats:
        """Return the expected losses of experts, whose advice must be distributions over arms."""
        rows = []
        for t, row in enumerate(losses):
            advice = game.observe(t)
            if not (
                advice.shape[0] == row.size
                and (advice >= 0.0).all()
                and np.allclose(advice.sum(axis=0), 1.0)
            ):
                raise DiscreetError(
                    f"the advice of round {t + 1} must consist of distributions over arms."
                )
            rows.append(row @ advice)
        return np.array(rows)

    def neighbours(self, rounds: int, bounds: Range) -> tuple[AdviceGame, AdviceGame]:
        """Return two games in which the first loss is the lowest or the highest.

        All other losses are in the middle.
        """
        one, other = first_differs(rounds, self.arms, bounds)
        return self._game(one), self._game(other)

    def _game(self, losses: Floats) -> AdviceGame:
        rounds = len(losses)
        table = np.full((1, self.arms, self.experts), 1.0 / self.arms)
        return AdviceGame(
            losses=losses,
            table=table,
            which=np.zeros(rounds, np.int64),
            uniforms=np.full(rounds, 0.5),
        )


class AdviceGame(ArmGame):
    """Rounds with advice: ``table[which[t]]`` is the advice of round t; ``losses`` are by arm.

    Advice is stored by arm: entry (i, j) is the probability that expert j gives to arm i. So one
    row contains everything a learner needs after playing an arm.
    """

    table: Floats  # scene, arm, expert
    which: Integers
    uniforms: Floats  # determine which arm a followed expert plays

    def observe(self, t: int) -> Floats:
        """Show the advice, arms by experts."""
        scene: Floats = self.table[self.which[t]]
        return scene

    def totals(self, starts: Sequence[int]) -> Floats:
        """Return each expert's expected loss over each stretch."""
        rows = []
        for start, stop in zip(starts, [*starts[1:], len(self.which)], strict=True):
            sums = np.zeros(self.table.shape[:2])
            np.add.at(sums, self.which[start:stop], self.losses[start:stop])
            scenes = np.flatnonzero(sums.any(axis=1))
            rows.append(np.einsum("ca,cae->e", sums[scenes], self.table[scenes]))
        return np.array(rows)

    def followed(self) -> FollowedGame:
        """Return the game for players who choose experts; a chosen expert draws the arm."""
        return FollowedGame(
            losses=self.losses, table=self.table, which=self.which, uniforms=self.uniforms
        )


class FollowedGame(AdviceGame):
    """The same rounds with experts as actions: an arm is drawn from the chosen expert's advice.

    These are lines 4 and 5 of Faster rates 2025, Algorithm 5. Any bandit learner can play it.
    """

    @property
    def choices(self) -> int:
        """The number of experts."""
        return int(self.table.shape[2])

    def observe(self, t: int) -> int:  # type: ignore[override]
        """Show nothing: a player who chooses experts does not need the advice."""
        return 0

    def carried_out(self, t: int, action: int) -> int:
        """Return the arm that the expert draws in this round."""
        scene, left = self.which[t], float(self.uniforms[t])
        last = int(self.table.shape[1]) - 1
        for arm in range(last):
            left -= self.table[scene, arm, action]
            if left < 0.0:
                return arm
        return last

    def feedback(self, t: int, action: int) -> float:
        """Return the loss of the arm that the expert draws."""
        loss: float = self.losses[t, self.carried_out(t, action)]
        return loss

    def loss(self, t: int, action: int) -> float:
        """Return the same loss, for scoring."""
        check_expert(action, self.table.shape[2])
        loss: float = self.losses[t, self.carried_out(t, action)]
        return loss


class AdviceEnvironment(Environment):
    """An environment with advice."""

    arms: int
    experts: int

    @property
    def problem(self) -> Advice:
        """The arms and experts of the environment."""
        return Advice(self.arms, self.experts)
