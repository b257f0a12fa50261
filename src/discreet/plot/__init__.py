"""Pictures of results: ``plot_...`` writes a file, ``draw_...`` draws into given axes."""

from discreet.plot.games import draw_environment, plot_environments
from discreet.plot.plans import draw_plan, plot_plan
from discreet.plot.regret import draw_regret, plot_regret
from discreet.plot.searches import draw_searches, plot_searches

__all__ = [
    "draw_environment",
    "draw_plan",
    "draw_regret",
    "draw_searches",
    "plot_environments",
    "plot_plan",
    "plot_regret",
    "plot_searches",
]
