"""Pictures of results."""

from discreet.plot.games import plot_environments
from discreet.plot.regret import plot_regret

__all__ = ["plot_environments", "plot_regret"]
