"""Faster rates 2025, Figure 1: EXP3 on losses leaks one changed loss; EXP3 on gains does not.

Both play two games that differ in one loss. Their actions are fixed in advance, so that only the
probabilities differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from componentjit import compile_for
from discreet.contracts import Floats
from discreet.environments import Leak
from discreet.learners import Draw, Exp3, Exp3Gain
from discreet.plot import COLOURS, LINES, set_heading, set_title
from discreet_papers.reproduce.drawing import add_legend_below, make_panels
from discreet_papers.reproduce.registry import (
    Findings,
    Reproduction,
    SweepPlan,
    register_reproduction,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "faster-rates-figure-1"
RATE = 1e-4
Form = Literal["losses", "gains"]
FORMS: tuple[Form, ...] = ("losses", "gains")


# Sweep and play


class ForcedGame(NamedTuple):
    """EXP3 on losses or gains, in a game or in its neighbour."""

    form: Form
    neighbour: bool
    rounds: int
    rate: float = RATE


class ForcedOutcome(NamedTuple):
    """A forced game, and the second arm's probability in every round."""

    game: ForcedGame
    probabilities: Floats


def sweep(rounds: int) -> tuple[ForcedGame, ...]:
    """Return both neighbouring games, for losses and for gains."""
    return tuple(
        ForcedGame(form, neighbour, rounds) for form in FORMS for neighbour in (False, True)
    )


def play(games: Sequence[ForcedGame], plan: SweepPlan) -> list[ForcedOutcome]:
    """Play all games. They are not random, and take only a moment."""
    return [ForcedOutcome(game, force_game(game)) for game in games]


def force_game(game: ForcedGame) -> Floats:
    """Return the second arm's probability in every round of a forced game."""
    learner: Exp3 | Exp3Gain = Exp3.start(arms=2, learning_rate=game.rate, mixing=game.rate)
    if game.form == "gains":
        learner = Exp3Gain.start(arms=2, mixing=game.rate)
    dealt = Leak(2, neighbour=game.neighbour).deal(0, game.rounds, np.random.default_rng(0))
    found = np.empty(game.rounds)
    compile_for(force_actions, learner)(learner, dealt.losses, game.rate, found)
    return found


def force_actions(
    learner: Exp3 | Exp3Gain, losses: Floats, mixing: float, probabilities: Floats
) -> None:
    """Show a learner on two arms alternating actions, the second arm first.

    Write the second arm's probability in every round to ``probabilities``.
    """
    values = learner.weights.values
    for t in range(losses.shape[0]):
        second = (1.0 - mixing) * values[1] / (values[0] + values[1]) + mixing / 2.0
        probabilities[t] = second
        arm = 1 - t % 2
        probability = second if arm == 1 else 1.0 - second
        learner.learn(Draw(arm, 1.0 / probability), losses[t, arm])


# Analysis: how far one changed loss drives the probabilities apart


@dataclass(frozen=True, kw_only=True)
class Leaks(Findings):
    """Probabilities in both games, and their largest log-ratio, for losses and for gains."""

    pairs: Mapping[str, tuple[Floats, Floats]]
    worst: Mapping[str, float]


def analyse(played: Sequence[ForcedOutcome]) -> Leaks:
    """Return the largest log-ratios, and a table at rounds spaced evenly on a logarithmic scale."""
    found = {(each.game.form, each.game.neighbour): each.probabilities for each in played}
    pairs = {str(form): (found[form, False], found[form, True]) for form in FORMS}
    worst = {form: float(np.abs(np.log(one / two)).max()) for form, (one, two) in pairs.items()}
    spots = np.unique(np.geomspace(1, played[0].game.rounds, 400).astype(int)) - 1
    rows = [
        {"form": form, "round": int(t) + 1, "p": one[t], "p_neighbour": two[t]}
        for form, (one, two) in pairs.items()
        for t in spots
    ]
    text = (
        f"After one changed loss, the log-ratio of a probability reaches {worst['losses']:.3g} "
        f"for EXP3 on losses, and {worst['gains']:.3g} on gains."
    )
    return Leaks(tables={NAME: rows}, text=text, pairs=pairs, worst=worst)


# Drawing


def draw(found: Leaks) -> Mapping[str, Figure]:
    """Draw the second arm's probability in both games, one panel for losses and one for gains."""
    figure, axes = make_panels(1, 2, (8.4, 4.0), dpi=150, sharey=True)
    for panel, (form, (one, two)) in zip(axes, found.pairs.items(), strict=True):
        named = panel is axes[0]
        spots = np.linspace(0, one.size - 1, 800).astype(int)
        label = "one loss is 0" if named else None
        panel.plot(spots + 1, one[spots], color=COLOURS[0], linewidth=2.6, label=label)
        dashed = {"color": COLOURS[1], "linestyle": LINES[1], "linewidth": 1.6}
        panel.plot(spots + 1, two[spots], label="the same loss is 1" if named else None, **dashed)
        panel.set_xlabel("rounds")
        panel.locator_params(axis="x", nbins=5)
        panel.xaxis.set_major_formatter("{x:,.0f}")
        panel.grid(alpha=0.3)
        largest = np.format_float_positional(found.worst[form], precision=2, fractional=False)
        set_title(panel, f"EXP3 on {form}: the log-probabilities\ndiffer by up to {largest}")
    axes[0].set_ylabel("probability of the second arm")
    add_legend_below(figure, columns=2)
    set_heading(
        figure, "How far one changed loss moves the probabilities of EXP3, which adds no noise"
    )
    return {NAME: figure}


register_reproduction(
    Reproduction(
        name=NAME,
        title="Faster rates 2025, Figure 1: EXP3 on losses leaks, EXP3 on gains does not",
        trials=1,
        rounds=1_000_000,
        sweep=sweep,
        play=play,
        analyse=analyse,
        draw=draw,
    )
)
