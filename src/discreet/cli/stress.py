"""discreet stress: the largest regret that a search finds, and the proved bound."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np

from discreet.algorithms import algorithm
from discreet.cli import options
from discreet.cli.progress import progress_bar
from discreet.cli.text import facts
from discreet.options import parse_all
from discreet.stressing import stress


@click.command(
    name="stress",
    cls=options.SectionCommand,
    epilog="Example: discreet stress batched-exp3 --arms 4 --rounds 65536 --epsilon 0.1",
)
@click.argument("name", type=options.AlgorithmName())
@options.option(
    options.GAME, "--arms", type=int, default=4, show_default=True, help="Number of arms."
)
@options.option(
    options.GAME, "--rounds", type=int, default=65_536, show_default=True, help="Number of rounds."
)
@options.settings
@options.epsilon()
@options.delta
@options.option(
    options.RUN,
    "--tries",
    type=int,
    default=200,
    show_default=True,
    help="Number of games to try.",
)
@options.option(
    options.RUN,
    "--trials",
    type=int,
    default=96,
    show_default=True,
    help="Number of fresh trials of the worst game.",
)
@options.seed(1)
@options.option(
    options.OUTPUT,
    "--losses",
    "target",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the losses of the worst game (.npy), for simulate --losses.",
)
@options.quiet
@options.as_json
def stress_command(
    name: str,
    arms: int,
    rounds: int,
    epsilon: float,
    delta: float,
    settings: tuple[str, ...],
    tries: int,
    trials: int,
    seed: int,
    target: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Search for the losses that cause the most regret, and compare it with the proved bound."""
    _, texts = options.parse_settings(settings)
    known = algorithm(name)
    with progress_bar(quiet=quiet or as_json) as announce:
        found = stress(
            name,
            arms=arms,
            rounds=rounds,
            epsilon=epsilon,
            delta=delta,
            tries=tries,
            trials=trials,
            seed=seed,
            options=texts | parse_all(known.options, texts),
            progress=announce("games"),
        )
    if target is not None:
        np.save(target, found.losses)
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
        return
    bound = "none is proved" if found.bound is None else f"{found.bound:,.0f}"
    ratio = "-" if found.ratio is None else f"{found.ratio:.2f}"
    facts(
        f"{name}: {known.title}",
        [
            ("regret", f"{found.regret:,.1f} ({found.low:,.1f} to {found.high:,.1f})"),
            ("bound", f"{bound} ({found.bound_source})"),
            ("bound / regret", ratio),
            ("worst game", found.game),
            ("search", f"{found.tried} games; the worst replayed in {found.trials} fresh trials"),
        ],
    )
