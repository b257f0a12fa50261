"""Pictures of results: ``plot_...`` writes a file, ``draw_...`` draws into given axes."""

from discreet.plot.canvas import new_figure, save, set_heading, set_title
from discreet.plot.canvas import plotting as require_matplotlib
from discreet.plot.games import draw_environment, plot_environments
from discreet.plot.labels import End as CurveEnd
from discreet.plot.labels import label_ends
from discreet.plot.looks import COLOURS, LINES
from discreet.plot.looks import Look as CurveStyle
from discreet.plot.looks import distinct_looks as distinct_styles
from discreet.plot.looks import looks as curve_styles
from discreet.plot.plans import draw_plan, plot_plan
from discreet.plot.regret import draw_regret, plot_regret
from discreet.plot.searches import draw_searches, plot_searches
from discreet.plot.ticks import log_axis as set_log_axis
from discreet.plot.ticks import logarithmic as set_log_axes

__all__ = [
    "COLOURS",
    "LINES",
    "CurveEnd",
    "CurveStyle",
    "curve_styles",
    "distinct_styles",
    "draw_environment",
    "draw_plan",
    "draw_regret",
    "draw_searches",
    "label_ends",
    "new_figure",
    "plot_environments",
    "plot_plan",
    "plot_regret",
    "plot_searches",
    "require_matplotlib",
    "save",
    "set_heading",
    "set_log_axes",
    "set_log_axis",
    "set_title",
]
