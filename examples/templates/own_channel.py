"""A channel: the only part that sees raw losses, and what it guarantees.

DISCREET_PLUGINS=examples/templates/own_channel.py discreet audit exp3-clipped
"""

from discreet import Private, Range, Setting, register_algorithm
from discreet.contracts import Channel
from discreet.learners import Exp3
from discreet.mechanisms import Laplace
from discreet.problems import Arms


class Clipped(Channel[float, float]):
    """Releases min(loss, most) + noise in every round, as a fraction of the declared range.

    One round is in one release. Replacing it moves the clamped loss by at most most - low, so
    Laplace noise of scale (most - low) / epsilon is epsilon-differentially private.
    """

    holds_feedback = False

    bounds: Range
    most: float
    noise: Laplace

    def offer(self, feedback, query, rng):
        loss = min(self.bounds.clamp(feedback), self.most)  # clamp first: bad input costs nothing
        return True, query * self.bounds.fraction(self.noise.add_noise(loss, rng))

    @property
    def guarantee(self):
        """The guarantee, computed from the noise that is actually added."""
        moved = self.most - self.bounds.low
        return self.noise.guarantee(moved, model="local", source="Laplace noise on clipped losses")

    @classmethod
    def example(cls):
        return cls(Range(0.0, 1.0), 0.5, Laplace.calibrate(sensitivity=0.5, epsilon=1.0))


@register_algorithm(name="exp3-clipped", title="EXP3 on clipped noisy losses", problem=Arms)
def exp3_clipped(setting: Setting, *, share: float = 0.8, rate: float = 0.02) -> Private:
    """Play EXP3 on losses that are clipped at a ``share`` of their range."""
    bounds = setting.bounds
    noise = Laplace.calibrate(sensitivity=share * bounds.width, epsilon=setting.epsilon)
    channel = Clipped(bounds, bounds.low + share * bounds.width, noise)
    return Private(channel, Exp3.start(arms=setting.problem.arms, learning_rate=rate))
