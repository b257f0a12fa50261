"""A table of rates as a reproduction: all of its steps but the words are the same for every table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from discreet_papers.reproduce import games
from discreet_papers.reproduce.games import Played
from discreet_papers.reproduce.growth import Growth, grown
from discreet_papers.reproduce.growth_drawing import draw_growth
from discreet_papers.reproduce.rates import Table
from discreet_papers.reproduce.registry import Reproduction, register

Words = Callable[[Growth], list[str]]  # lines that say what came out


def register_table(table: Table, words: Words, *, title: str, trials: int, rounds: int) -> None:
    """Declare a table of rates, with its usual size."""
    register(
        Reproduction(
            name=table.name,
            title=title,
            trials=trials,
            rounds=rounds,
            sweep=table.sweep,
            play=games.play,
            analyse=partial(_analyse, table, words),
            draw=partial(draw_growth, table),
        )
    )


def _analyse(table: Table, words: Words, played: Sequence[Played]) -> Growth:
    found = grown(table, played)
    return replace(found, text="\n".join(words(found)))
