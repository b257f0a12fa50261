"""discreet describe: what an algorithm promises and how it is tuned."""

from __future__ import annotations

import json
from typing import Any

import click

from discreet.algorithms import Setting, algorithm
from discreet.algorithms.registry import choices, one_size
from discreet.cli import options
from discreet.cli.text import facts, number
from discreet.ranges import Range, make_range
from discreet.sets import GEOMETRIES


@click.command(epilog="Example: discreet describe batched-exp3 --arms 10 --rounds 1000000 --epsilon 0.5")
@click.argument("name", type=options.AlgorithmName())
@options.arms("4")
@options.dimension
@options.experts
@click.option("--rounds", type=int, default=100_000, show_default=True, help="Number of rounds.")
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="Privacy parameter.")
@options.delta
@options.settings
@options.as_json
def describe(
    name: str,
    arms: int | None,
    dimension: int | None,
    experts: int | None,
    rounds: int,
    epsilon: float,
    delta: float,
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """Show the guarantee, noise, parameters and regret bound of an algorithm for given numbers."""
    known = algorithm(name)
    bounds, texts = options.parse_settings(settings)
    given = one_size(arms, dimension)
    size = Setting.arms if given is None else given
    setting = Setting(
        arms=size,
        experts=Setting.experts if experts is None else experts,
        rounds=rounds,
        epsilon=epsilon,
        delta=delta,
        bounds=make_range(**bounds),
    )
    chosen = known.parse(texts)
    instance = known.build(setting, **chosen)
    points = known.plays(chosen)
    noises = instance.private.channel.noise_scales
    if as_json:
        values: dict[str, Any] = {
            "name": name,
            "title": known.title,
            "setting": {
                "arms" if points is None else "dimension": size,
                **({"experts": setting.experts} if known.advised else {}),
                "rounds": rounds,
                "epsilon": epsilon,
                "delta": delta,
                "low": setting.bounds.low,
                "high": setting.bounds.high,
            },
            "guarantee": instance.guarantee.as_dict(),
            "noise": [noise.as_dict() for noise in noises],
            "parameters": dict(instance.parameters),
            "regret_bound": instance.regret_bound,
            "regret_bound_source": instance.bound_source,
            "citation": known.citation.text,
            "options": [*known.options, "low", "high"],
        }
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
        return
    bound = instance.regret_bound
    lines = [
        (
            "setting",
            f"{size:,} {'arms' if points is None else 'dimensions'}, "
            + (f"{setting.experts:,} experts, " if known.advised else "")
            + f"{rounds:,} rounds, epsilon {epsilon:g}, "
            f"delta {delta:g}, {_range(points, setting.bounds)}",
        ),
        *(("points", GEOMETRIES[kind]) for kind in (points,) if kind is not None),
        ("guarantee", str(instance.guarantee)),
        *(("noise", f"{noise.kind}, scale {number(noise.scale)} in units of the loss") for noise in noises),
        *(("noise", "none") for _ in range(not noises)),
        *(
            (key.replace("_", " "), value if isinstance(value, str) else number(value))
            for key, value in instance.parameters.items()
        ),
        (
            "expected regret",
            instance.bound_source if bound is None else f"{_most(bound, setting, points)} ({instance.bound_source})",
        ),
        ("paper", known.citation.text),
        ("can be set", ", ".join([*(_option(key, kind) for key, kind in known.options.items()), "low", "high"])),
    ]
    facts(f"{name}: {known.title}", lines)


def _most(bound: float, setting: Setting, points: str | None) -> str:
    """Return the bound, and that it says nothing if no play could do worse."""
    widest = setting.rounds * (2.0 * setting.bounds.high if points in ("ball", "cube") else setting.bounds.width)
    return f"at most {number(bound)}" + (", which is trivial" if bound >= widest else "")


def _option(key: str, kind: Any) -> str:
    """Return the name of an option, with its values where there are few."""
    values = choices(kind)
    return f"{key} ({', '.join(values)})" if values else key


def _range(points: str | None, bounds: Range) -> str:
    if points in ("ball", "cube"):
        return f"loss vectors of size at most {bounds.high:g}"
    return f"losses from {bounds.low:g} to {bounds.high:g}"
