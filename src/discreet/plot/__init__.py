"""Plots of results: ``plot_...`` writes a file, ``draw_...`` draws into given axes.

``write`` and ``draw`` do the same for any kind of results.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from discreet.errors import DiscreetError, shorten
from discreet.estimates import MeanEstimates
from discreet.planning import Plan
from discreet.plot.canvas import (
    COLOURS,
    LINES,
    MARKERS,
    CurveEnd,
    CurveStyle,
    curve_styles,
    distinct_styles,
    label_ends,
    new_figure,
    require_matplotlib,
    save,
    set_heading,
    set_log_axes,
    set_log_axis,
    set_title,
)
from discreet.plot.choosing import FigureChoice
from discreet.plot.differences import draw_differences
from discreet.plot.forest import draw_estimates, plot_estimates
from discreet.plot.games import draw_environment, plot_environments
from discreet.plot.plans import draw_plan, plot_plan
from discreet.plot.regret import draw_regret, plot_regret
from discreet.plot.searches import draw_searches, plot_searches
from discreet.simulation import PairedDifferences, Regret, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.drawing import PlotOptions

__all__ = [
    "COLOURS",
    "LINES",
    "MARKERS",
    "CurveEnd",
    "CurveStyle",
    "FigureChoice",
    "curve_styles",
    "distinct_styles",
    "draw",
    "draw_differences",
    "draw_environment",
    "draw_estimates",
    "draw_plan",
    "draw_regret",
    "draw_searches",
    "label_ends",
    "new_figure",
    "plot_environments",
    "plot_estimates",
    "plot_plan",
    "plot_regret",
    "plot_searches",
    "require_matplotlib",
    "save",
    "set_heading",
    "set_log_axes",
    "set_log_axis",
    "set_title",
    "write",
]


def draw(result: object, ax: Axes | None = None, **options: Unpack[PlotOptions]) -> Axes:
    """Draw results or a plan into given axes, or into new ones; return them."""
    match result:
        case Results(measure=Regret()):
            return draw_regret(result, ax, **options)
        case Results():
            return draw_searches(result, ax, **options)
        case Plan():
            return draw_plan(result, ax)
        case MeanEstimates():
            return draw_estimates(result, ax)
        case PairedDifferences():
            return draw_differences(result, ax, size=options.get("size"))
    raise _cannot_draw(result)


def write(result: object, path: Path | str, **options: Unpack[PlotOptions]) -> Path:
    """Draw results or a plan into a file; return its path."""
    match result:
        case Results(measure=Regret()):
            return plot_regret(result, path, **options)
        case Results():
            return plot_searches(result, path, **options)
        case Plan():
            return plot_plan(result, path)
        case MeanEstimates():
            return plot_estimates(result, path)
    raise _cannot_draw(result)


def _cannot_draw(result: object) -> DiscreetError:
    return DiscreetError(
        f"result is {shorten(result)}, but must be Results, a Plan or MeanEstimates."
    )
