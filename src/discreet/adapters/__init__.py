"""Adapters to other libraries, each imported only when it is used.

* :class:`PrivatePolicy` is a policy for river's ``bandit.evaluate`` that keeps no raw rewards.
* :func:`as_gymnasium` makes an environment of discreet one of Gymnasium.
* :func:`from_gymnasium` makes a bandit of Gymnasium an environment of discreet.

Logs with the columns of the Open Bandit data are read by :class:`discreet.Log`.
"""

from discreet.adapters.gymnasium_arms import GymnasiumArms, from_gymnasium
from discreet.adapters.gymnasium_games import as_gymnasium
from discreet.adapters.river_policy import PrivatePolicy

__all__ = ["GymnasiumArms", "PrivatePolicy", "as_gymnasium", "from_gymnasium"]
