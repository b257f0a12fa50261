"""discreet describe: an algorithm's guarantee and parameters."""

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
    cls=options.SectionCommand,
    epilog="Example: discreet describe batched-exp3 --arms 10 --rounds 1000000 --epsilon 0.5",
)
@click.argument("name", type=options.AlgorithmName())
@options.option(
    options.GAME,
    "--rounds",
    type=options.RoundsOption(),
    default=str(Setting.rounds),
    show_default=True,
    help=f"Number of rounds; {options.HIDDEN_HORIZON}.",
)
@options.settings
@options.problem_parameters
@options.epsilon()
@options.delta
@options.option(
    options.OUTPUT,
    "--plain",
    is_flag=True,
    help="Explain the guarantee in one paragraph for readers outside the field.",
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
    """Show the guarantee, noise, parameters and regret bound of an algorithm."""
    if plain and as_json:
        raise DiscreetError("--plain and --json are both given, but only one of them may be.")
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
            "confident_bound": instance.confident_bound
            and {
                "regret": instance.confident_bound.regret,
                "failure": instance.confident_bound.failure,
                "holds_for": instance.confident_bound.holds_for,
            },
            "citation": known.credit(whole=True),
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
            (key.replace("_", " "), _parameter(value, instance.meanings.get(key, "")))
            for key, value in instance.parameters.items()
        ),
        (
            problem.score,
            instance.bound_source
            if bound is None
            else f"{_bound(bound, 'losses fixed in advance', setting)} ({instance.bound_source})",
        ),
        *_bandits_choice(name, setting),
        *(
            (
                "if losses do not change",
                _bound(each, "independent losses with fixed means only", setting),
            )
            for each in (instance.stationary_bound,)
            if each is not None
        ),
        *(
            ("with confidence", _bound(each.regret, each.words, setting))
            for each in (instance.confident_bound,)
            if each is not None
        ),
        ("paper", known.credit(whole=True)),
        ("options", ", ".join([*map(_option, known.options.values()), "low", "high"])),
    ]
    facts(f"{name}: {known.title}", lines)


def _bandits_choice(name: str, setting: Setting[Problem]) -> list[tuple[str, str]]:
    """Return why a Bandit in this setting chooses this algorithm, if it does."""
    if not isinstance(setting.problem, Arms):
        return []
    return [
        ("Bandit's choice", f"algorithm={reason}")
        for reason in reasons(name, cast(Setting[Arms], setting))
    ]


def _parameter(value: float | str, meaning: str) -> str:
    """Return a parameter, with what it is if its name does not say it."""
    text = value if isinstance(value, str) else number(value)
    return f"{text} ({meaning})" if meaning else text


def _length(setting: Setting[Problem]) -> str:
    """Return the number of rounds in words."""
    if setting.unknown_horizon:
        return f"an unknown number of rounds (the bound is for {setting.rounds:,})"
    return f"{'at most ' * setting.problem.stops}{setting.rounds:,} rounds"


def _bound(bound: float, losses: str, setting: Setting[Problem]) -> str:
    """Return the bound, the losses for which it holds, and whether it is vacuous."""
    blind = setting.rounds * setting.problem.blind_regret(setting.bounds)
    vacuous = f" (vacuous: uniform play has regret {number(blind)})" if bound >= blind else ""
    return f"at most {number(bound)} for {losses}{vacuous}"


def _privacy_words(setting: Setting[Problem], guarantee: Guarantee) -> str:
    """Return epsilon and delta, and say which of them is not used."""
    epsilon, delta = f"epsilon {setting.epsilon:g}", f"delta {setting.delta:g}"
    if not guarantee.is_private or guarantee.epsilon == 0.0:
        return f"{epsilon} and {delta} (neither is used)"
    return f"{epsilon}, {delta}" + (
        " (not used: the guarantee is pure)" if setting.delta > guarantee.delta else ""
    )


def _option(option: Option) -> str:
    """Return the name of an option, with its values if there are few."""
    return f"{option.name} ({', '.join(option.choices)})" if option.choices else option.name
