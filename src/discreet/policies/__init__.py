"""How a device chooses, given a published model and what it alone is shown."""

from discreet.policies.greedy import Greedy
from discreet.policies.optimistic import Optimistic
from discreet.policies.uniform import UniformChoice

__all__ = ["Greedy", "Optimistic", "UniformChoice"]
