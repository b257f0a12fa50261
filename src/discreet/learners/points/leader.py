"""What learners have in common that play points and hear running sums."""

from __future__ import annotations

from discreet.contracts import Floats, Learner


class Leader(Learner[Floats, float, Floats, float]):
    """Plays a point that it computes from the newest sum of all loss vectors."""

    sums: Floats  # L, with its noise
    point: Floats  # what is played: a buffer

    @property
    def choices(self) -> int:
        """The dimension of the points."""
        return self.sums.size

    def learn(self, trace: float, released: Floats) -> None:
        """Keep the newest sum."""
        for i in range(self.sums.size):
            self.sums[i] = released[i]

    def release_size(self) -> int:
        """Return the dimension of the points."""
        return self.sums.size
