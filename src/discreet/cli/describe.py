"""discreet describe: what an algorithm promises and how it is tuned."""

from __future__ import annotations

import json
import textwrap
from typing import Any, cast

import click

from discreet.algorithms import Setting, algorithm
from discreet.algorithms.arms.choosing import reasons
from discreet.algorithms.plain import plain_words
from discreet.cli import options
from discreet.cli.text import facts, number
from discreet.errors import DiscreetError
from discreet.guarantee import Guarantee
from discreet.options import Option, parse_all
from discreet.problems import Arms, Problem


@click.command(
    epilog="Example: discreet describe batched-exp3 --arms 10 --rounds 1000000 --epsilon 0.5"
)
@click.argument("name", type=options.AlgorithmName())
@options.problem_parameters
@click.option(
    "--rounds",
    type=options.RoundsOption(),
    default=str(Setting.rounds),
    show_default=True,
    help=f"Number of rounds; {options.NOT_TOLD}.",
)
@click.option("--epsilon", type=float, default=1.0, show_default=True, help="Privacy parameter.")
@options.delta
@options.settings
@click.option(
    "--plain",
    is_flag=True,
    help="Say what is promised in one paragraph, for readers of other fields.",
)
@options.as_json
def describe(
    name: str,
    rounds: options.Rounds,
    epsilon: float,
    delta: float,
    settings: tuple[str, ...],
    plain: bool,
    as_json: bool,
    **parameters: object,
) -> None:
    """Show the guarantee, noise, parameters and regret bound of an algorithm for given numbers."""
    if plain and as_json:
        raise DiscreetError(
            "--plain and --json are both given, but --plain is a text: give one of them."
        )
    known = algorithm(name)
    bounds, texts = options.parse_settings(settings)
    setting = known.setting(
        rounds=Setting.rounds if rounds.number is None else rounds.number,
        epsilon=epsilon,
        delta=delta,
        unknown_horizon=rounds.unknown,
        **cast(dict[str, Any], bounds),
        **options.given(parameters),
    )
    instance = known.build(setting, **(texts | parse_all(known.options, texts)))
    problem, noises = setting.problem, instance.private.channel.noise_scales
    if plain:
        click.echo(textwrap.fill(plain_words(instance, setting), 80))
        return
    if as_json:
        values: dict[str, Any] = {
            "name": name,
            "title": known.title,
            "setting": {
                **problem.parameters(),
                "rounds": setting.rounds,
                "unknown_horizon": setting.unknown_horizon,
                "epsilon": epsilon,
                "delta": delta,
                "low": setting.bounds.low,
                "high": setting.bounds.high,
            },
            "guarantee": instance.guarantee.as_dict(),
            "uses_delta": instance.guarantee.is_private and instance.guarantee.delta > 0.0,
            "noise": [noise.as_dict() for noise in noises],
            "parameters": dict(instance.parameters),
            "regret_bound": instance.regret_bound,
            "stationary_regret_bound": instance.stationary_bound,
            "regret_bound_source": instance.bound_source,
            "regret_bound_holds_for": None
            if instance.regret_bound is None
            else "losses fixed in advance",
            "citation": known.citation.text,
            "options": [*known.options, "low", "high"],
        }
        click.echo(json.dumps(values, indent=2, ensure_ascii=False))
        return
    bound = instance.regret_bound
    lines = [
        (
            "setting",
            f"{problem.sizes}, {_length(setting)}, {_privacy_words(setting, instance.guarantee)}, "
            f"{problem.range_words(setting.bounds)}",
        ),
        *problem.facts.items(),
        ("guarantee", str(instance.guarantee)),
        *(
            ("noise", f"{noise.kind}, scale {number(noise.scale)} in units of the loss")
            for noise in noises
        ),
        *(("noise", "none") for _ in range(not noises)),
        *(
            (key.replace("_", " "), value if isinstance(value, str) else number(value))
            for key, value in instance.parameters.items()
        ),
        (
            problem.score,
            instance.bound_source
            if bound is None
            else f"{_most(bound, 'losses fixed in advance', setting)} ({instance.bound_source})",
        ),
        *_taken_by_bandit(name, setting),
        *(
            (
                "if losses do not change",
                _most(each, "independent losses with fixed means, and no others", setting),
            )
            for each in (instance.stationary_bound,)
            if each is not None
        ),
        ("paper", known.citation.text),
        ("can be set", ", ".join([*map(_option, known.options.values()), "low", "high"])),
    ]
    facts(f"{name}: {known.title}", lines)


def _taken_by_bandit(name: str, setting: Setting[Problem]) -> list[tuple[str, str]]:
    """Return why a Bandit with these numbers takes this algorithm, if it does."""
    if not isinstance(setting.problem, Arms):
        return []
    return [
        ("Bandit takes it", f"as {reason}")
        for reason in reasons(name, cast(Setting[Arms], setting))
    ]


def _length(setting: Setting[Problem]) -> str:
    """Return how many rounds there are."""
    if setting.unknown_horizon:
        return f"an unknown number of rounds (the bound is for {setting.rounds:,})"
    return f"{'at most ' * setting.problem.stops}{setting.rounds:,} rounds"


def _most(bound: float, losses: str, setting: Setting[Problem]) -> str:
    """Return the bound, for which losses it holds, and that it says nothing if no play could do worse."""
    blind = setting.rounds * setting.problem.blind_regret(setting.bounds)
    says_nothing = f", which says nothing: who learns nothing has at most {number(blind)}"
    return f"at most {number(bound)} for {losses}" + (says_nothing if bound >= blind else "")


def _privacy_words(setting: Setting[Problem], guarantee: Guarantee) -> str:
    """Return what was asked for, and what of it is not used."""
    epsilon, delta = f"epsilon {setting.epsilon:g}", f"delta {setting.delta:g}"
    if not guarantee.is_private or guarantee.epsilon == 0.0:
        return f"{epsilon} and {delta} (neither is used)"
    return f"{epsilon}, {delta}" + (
        " (not used: the guarantee is pure)" if setting.delta > guarantee.delta else ""
    )


def _option(option: Option) -> str:
    """Return the name of an option, with its values where there are few."""
    return f"{option.name} ({', '.join(option.choices)})" if option.choices else option.name
