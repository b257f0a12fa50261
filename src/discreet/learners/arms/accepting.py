"""Noisy losses for learners that need losses in [0, 1]: those far outside are cut off."""

from __future__ import annotations

from discreet.contracts import Learner, Trace
from discreet.errors import check_flag, check_range
from discreet.learners.arms.exp3 import Exp3
from discreet.learners.wrapping import Wrapping


class Accepting(Wrapping[int, Trace, float, float, object]):
    """Feeds noisy losses to a learner for losses in [0, 1], as in DP-Λ-Lap.

    With ``margin`` b, a noisy loss y in [-b, 1 + b] is scaled to (y + b) / (1 + 2 b). A loss beyond
    is clipped to the interval first if ``clips``; otherwise the learner skips the round (Tossou &
    Dimitrakakis 2017, section 3.1). With ``moves`` every loss outside [0, 1] is moved to the end of
    the interval on its side: if b is the scale of Laplace noise, means do not change
    (docs/regret.md: Guard).

    >>> import numpy as np
    >>> learner = Accepting.around(Exp3.start(arms=3, learning_rate=0.5), margin=1.0)
    >>> arm, trace = learner.act(None, np.random.default_rng(0))
    >>> learner.learn(trace, 7.0)  # as 2, which is 1 on the learner's scale
    >>> values = learner.learner.weights.values
    >>> [round(float(w), 3) for w in values / values.sum()]
    [0.45, 0.1, 0.45]
    """

    margin: float
    clips: bool
    moves: bool

    @classmethod
    def around(
        cls,
        learner: Learner[int, Trace, float, float, object],
        *,
        margin: float,
        clips: bool = True,
        moves: bool = False,
    ) -> Accepting[Trace]:
        """Return the learner behind an interval with this margin."""
        return cls(
            learner,
            check_range("margin", margin, 0.0, 1e15),
            check_flag("clips", clips),
            check_flag("moves", moves),
        )

    @classmethod
    def example(cls) -> Accepting:
        """Return an example for the contract tests."""
        return Accepting.around(Exp3.example(), margin=2.0)

    def learn(self, trace: Trace, released: float) -> None:
        """Scale the loss, or ignore it."""
        kept = min(max(released, -self.margin), 1.0 + self.margin)
        if self.moves and released < 0.0:
            kept = -self.margin
        if self.moves and released > 1.0:
            kept = 1.0 + self.margin
        if self.clips or kept == released:
            self.learner.learn(trace, (kept + self.margin) / (1.0 + 2.0 * self.margin))
