"""Adapters to other libraries, each imported only when it is used.

* :class:`PrivatePolicy` is a policy for river's ``bandit.evaluate`` that keeps no raw rewards.
* :func:`as_gymnasium` turns a discreet environment into a Gymnasium environment.
* :func:`from_gymnasium` turns a Gymnasium bandit into a discreet environment.

:class:`discreet.Log` reads logs with the columns of the Open Bandit data.
"""

from discreet.adapters.gymnasium_arms import GymnasiumArms, from_gymnasium
from discreet.adapters.gymnasium_games import as_gymnasium
from discreet.adapters.river_policy import PrivatePolicy

__all__ = ["GymnasiumArms", "PrivatePolicy", "as_gymnasium", "from_gymnasium"]
