"""An environment for arms: a table of losses for some rounds at a time.

DISCREET_PLUGINS=examples/templates/own_arms.py discreet simulate exp3 --environment weekends
"""

import numpy as np

from discreet import register_environment
from discreet.problems import ArmGame, Arms, ArmsEnvironment


@register_environment("weekends", title="another arm is best at weekends", problem=Arms)
class Weekends(ArmsEnvironment):
    """Losses are uniform in [0, 1]; arm 1 is better by ``gap``, but arm 2 on days 6 and 7."""

    on_unit_scale = True  # losses are fractions of the declared range

    arms: int
    gap: float = 0.2

    def deal(self, start, stop, rng):
        losses = rng.random((stop - start, self.arms))
        weekend = np.arange(start, stop) % 7 >= 5
        losses[np.arange(stop - start), weekend.astype(int)] *= 1.0 - self.gap
        return ArmGame(losses)
