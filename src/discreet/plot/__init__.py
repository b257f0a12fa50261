"""Pictures of results."""

from discreet.plot.regret import plot_regret

__all__ = ["plot_regret"]
