"""The common base of replays of a log, with contexts or without."""

from __future__ import annotations

from discreet.contracts import Floats, Integers
from discreet.environments.logged.rows import NOTE, best_loss, check_losses
from discreet.problems import Environment, Problem
from discreet.ranges import Range


class ReplayedLog(Environment):
    """A log whose accepted rows are rounds; a subclass deals the game."""

    reacts = True
    answers = True

    arms: int
    arm: Integers
    losses: Floats
    accept: Floats  # the probability of accepting a row with the chosen arm
    means: Floats
    rounds: int
    file: str
    lines: Integers

    @property
    def length(self) -> int:
        """How many rounds a game can have if rows are to suffice almost surely."""
        return self.rounds

    @property
    def length_words(self) -> str:
        """The number of rounds of the log, in words."""
        return f"has rows for {self.rounds} rounds of replay"

    @property
    def source(self) -> str:
        """The file."""
        return self.file

    @property
    def remark(self) -> str:
        """A note on regret here."""
        return NOTE

    def best(self, total: Floats) -> float:
        """Return the loss of the best arm, given a player's memory."""
        return best_loss(total, self.means, self.file)

    def checked(
        self, problem: Problem, rounds: int, bounds: Range, *, clip: bool
    ) -> tuple[Environment, int]:
        """Check or clip all losses, and record how many rounds are played."""
        losses, clipped = check_losses(
            self.losses, bounds, clip=clip, place=self.file, lines=self.lines
        )
        return self._replace(losses=losses, rounds=rounds), clipped

    def __repr__(self) -> str:
        rows = f"{self.rounds:,} of {self.arm.size:,} rows accepted"
        return f"{type(self).__name__}({self.file}: {rows}, {self.problem.sizes})"
