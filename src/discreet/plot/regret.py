"""Regret over rounds, with confidence bands, on linear or logarithmic axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from discreet.contracts import Floats
from discreet.environments import environment_names
from discreet.errors import DiscreetError
from discreet.plot.canvas import (
    FEW,
    CurveEnd,
    apply_layout,
    given_or_new,
    label_ends,
    new_figure,
    save,
    set_log_axis,
    set_title,
    size_in_points,
    text_width,
    wrap_text,
)
from discreet.plot.choosing import (
    FigureChoice,
    PlotCurve,
    ShownCurve,
    TextSizes,
    is_narrow,
    sizes_for,
)
from discreet.plot.legends import check_room, place_legend
from discreet.simulation import RegretRow, Results
from discreet.simulation.statistics import bands_at

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.drawing import PlotOptions

ZERO = "#999999"
ROOM_BELOW = 0.7  # of the smallest positive regret, on a logarithmic axis


def plot_regret(
    results: Results[RegretRow], path: Path | str, **options: Unpack[PlotOptions]
) -> Path:
    """Draw mean regret over rounds, with 95 % confidence bands over trials, into a file.

    The suffix selects the format: ``.pdf``, ``.svg`` or ``.png``. Options are those of
    ``Results.plot``.
    """
    choice = FigureChoice(**options)
    count = len(choice.curves(curves_of(results)))
    usual = 6.4 if count <= FEW else 8.0, max(4.2, 1.2 + 0.16 * count)
    figure = new_figure(*(choice.size or usual))
    draw_regret(results, figure.subplots(), **options)
    return save(figure, path)


def draw_regret(
    results: Results[RegretRow], ax: Axes | None = None, **options: Unpack[PlotOptions]
) -> Axes:
    """Draw mean regret over rounds into given axes, or into new ones; return them.

    ``colors`` has one colour per contender. With fewer, the colour shows the algorithm and the line
    style the epsilon.
    """
    choice = FigureChoice(**options)
    curves = choice.curves(curves_of(results))
    axes = given_or_new(ax, choice.size)
    sizes, narrow = sizes_for(axes), is_narrow(axes)
    bands = results.regrets.record.bands
    if choice.level is not None:
        bands = bands_at(bands, results.trials.size, choice.level)
    by_height = sorted(curves, key=lambda curve: -bands[curve.place, -1, 0])
    left_out = []
    for number, curve in enumerate(by_height):
        shown, band = _visible(bands[curve.place], log="y" in choice.log)
        if not np.isfinite(shown).any():
            raise DiscreetError(
                f"the mean regret of {curve.label} is never above 0, so it cannot be drawn on a "
                "logarithmic axis: use log='x', or leave this curve out with only=[...]."
            )
        if np.isnan(shown).any():
            left_out.append(curve.label)
        if choice.level is not None and results.trials.size > 1:
            faint = 0.15 if len(curves) <= FEW else 0.05
            _draw_band(axes, results, band, curve, faint)
        _draw_curve(axes, results, shown, curve, sizes, number / len(curves), choice.log)
    _set_axes(axes, results, bands[[curve.place for curve in curves]], choice, sizes)
    axes.set_xlabel("rounds", fontsize=sizes.label)
    what = "regret" if narrow else f"regret: total loss above that of\n{results.rival}"
    axes.set_ylabel(what, fontsize=sizes.label)
    axes.tick_params(labelsize=sizes.tick)
    axes.grid(alpha=0.3)
    if left_out:
        _say_left_out(axes, left_out, len(curves), sizes)
    title = _title(results, choice.level) if choice.title is None else choice.title
    if title and not (narrow and choice.title is None):
        set_title(axes, title, fontsize=sizes.title)
    if len(curves) > FEW and not narrow:
        end = bands[:, -1, 0]
        label_ends(
            axes,
            [
                CurveEnd(curve.label, results.rounds, float(end[curve.place]), curve.look)
                for curve in by_height
            ],
        )
    else:
        place_legend(axes, fontsize=sizes.legend, above=not axes.get_title())
    if choice.size is not None:
        check_room(axes, choice.size, len(curves))
    if text_width(axes.get_ylabel(), sizes.label) > size_in_points(axes)[1]:
        axes.set_ylabel("regret", fontsize=sizes.label)
    _set_ticks(axes, choice.log, sizes)
    return axes


def curves_of(results: Results[RegretRow]) -> list[PlotCurve]:
    """Return a curve for each contender."""
    return [
        PlotCurve(place, each.label, each.algorithm, each.private.guarantee.epsilon)
        for place, each in enumerate(results.contenders)
    ]


def _visible(band: Floats, *, log: bool) -> tuple[Floats, Floats]:
    """Return the mean at every checkpoint, and both ends of its band, as far as they can be shown.

    A logarithmic axis cannot show regret of 0 or less. Where only the lower end of a band is that
    low, the band continues to the edge of the axes.
    """
    if not log:
        return band[:, 0], band[:, 1:]
    positive = band[:, 0] > 0.0
    edge = 1e-9 * np.abs(band[:, 0]).max()
    ends = np.where(positive[:, None], np.maximum(band[:, 1:], edge), np.nan)
    return np.where(positive, band[:, 0], np.nan), ends


def _draw_curve(
    axes: Axes,
    results: Results[RegretRow],
    mean: Floats,
    curve: ShownCurve,
    sizes: TextSizes,
    share: float,
    log: str,
) -> None:
    """Draw one curve with six markers, at different rounds for each curve, so that all show."""
    marks, places = results.checkpoints, (np.arange(6) + 0.3 + 0.6 * share) / 6.0
    spots = np.power(results.rounds, places) if "x" in log else places * results.rounds
    axes.plot(
        marks,
        mean,
        markevery=sorted({int(np.abs(marks - spot).argmin()) for spot in spots}),
        markersize=sizes.marker,
        linewidth=sizes.line,
        label=curve.label,
        **curve.look.options(),
    )


def _draw_band(
    axes: Axes, results: Results[RegretRow], ends: Floats, curve: ShownCurve, alpha: float
) -> None:
    axes.fill_between(
        results.checkpoints,
        ends[:, 0],
        ends[:, 1],
        color=curve.look.color,
        alpha=alpha,
        linewidth=0,
    )


def _set_axes(
    axes: Axes,
    results: Results[RegretRow],
    bands: Floats,
    choice: FigureChoice,
    sizes: TextSizes,
) -> None:
    """Set scales and limits. Limits are not fixed, so that users may change the scales later."""
    axes.margins(x=0.0)
    if "x" in choice.log:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", nbins=4 if sizes.tick < 8.0 else 6)
        if results.rounds >= 1000:
            axes.xaxis.set_major_formatter("{x:,.0f}")
    if "y" in choice.log:
        axes.set_yscale("log")
        means = bands[:, :, 0]
        ends = bands[:, :, 0 if choice.level is None or results.trials.size == 1 else 2]
        axes.set_ylim(ROOM_BELOW * float(means[means > 0.0].min()), 1.3 * float(np.nanmax(ends)))
        return
    axes.dataLim.update_from_data_y(np.zeros(1), ignore=False)
    axes.autoscale_view()
    low, high = axes.get_ylim()
    if low < 0.0 and float(bands[:, :, 0].min()) < 0.0:
        axes.axhline(0.0, color=ZERO, linewidth=0.8, zorder=0.5)
    else:
        axes.set_ylim(bottom=min(0.0, float(np.nanmin(bands))), auto=None)
    if max(abs(low), high) >= 1000:
        axes.yaxis.set_major_formatter("{x:,.0f}")


def _set_ticks(axes: Axes, log: str, sizes: TextSizes) -> None:
    """Set the ticks of logarithmic axes, once the room for them is known."""
    apply_layout(axes)
    for which in ("y", "x"):
        if which in log:
            set_log_axis(axes, "x" if which == "x" else "y", fontsize=sizes.tick)
            apply_layout(axes)  # the labels of one axis take room from the other


def _say_left_out(axes: Axes, labels: list[str], curves: int, sizes: TextSizes) -> None:
    """Note below the axis which curves have rounds that a logarithmic axis cannot show."""
    whose = "" if len(labels) == curves else f" of {', '.join(labels)}"
    note = f"not shown: rounds with a mean regret{whose} of 0 or less"
    apply_layout(axes)
    width = size_in_points(axes)[0]
    axes.set_xlabel(f"rounds\n{wrap_text(note, sizes.label, width)}", fontsize=sizes.label)


def _title(results: Results[RegretRow], level: float | None) -> str:
    return f"Regret with {_losses(results)}, {results.problem.sizes}\n{_trials(results, level)}"


def _losses(results: Results[RegretRow]) -> str:
    name = results.environment
    return f"{name} losses" if name in environment_names() else f"the losses of {name}"


def _trials(results: Results[RegretRow], level: float | None) -> str:
    if results.trials.size == 1:
        return "one trial"
    bands = "" if level is None else f"; bands: {100.0 * level:g} % confidence"
    return f"mean of {results.trials.size:,} trials{bands}"
