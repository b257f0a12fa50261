"""discreet audit: attack an algorithm and compare the epsilon found with the one claimed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import click

from discreet.algorithms import Setting, algorithm, list_algorithms
from discreet.auditing import Audit, audit_durations
from discreet.auditing import audit as attack_it
from discreet.auditing.audits import default_setting
from discreet.auditing.durations import TRIALS
from discreet.cli import options
from discreet.cli.durations import live_client, show_durations
from discreet.cli.progress import progress_bar
from discreet.cli.text import facts, table
from discreet.errors import DiscreetError
from discreet.guarantee_words import pair_words
from discreet.options import parse_all
from discreet.progress import ShowProgress
from discreet.ranges import make_range

ROUNDS = 10_000  # of a live run whose durations are measured
ATTACK = "Attack"  # a section of the help


@click.command(
    cls=options.SectionCommand,
    epilog="Example: discreet audit noisy-exp2 --set low=-1 --set high=1 --set calibration=paper",
)
@click.argument("name", type=options.AlgorithmName(), required=False)
@options.option(
    ATTACK, "--all", "everything", is_flag=True, help="Audit every algorithm that claims privacy."
)
@options.option(
    ATTACK,
    "--durations",
    is_flag=True,
    help="Audit how long a live run's operations take, instead of what it releases.",
)
@options.option(
    ATTACK,
    "--trials",
    type=int,
    show_default="enough for a tight bound",
    help="Number of trials on each of the two neighbouring inputs.",
)
@options.option(
    ATTACK,
    "--confidence",
    type=float,
    default=0.99,
    show_default=True,
    help="Confidence of the lower bound.",
)
@options.option(
    ATTACK,
    "--seed",
    type=int,
    default=1,
    show_default=True,
    help="The same seed gives the same numbers, except for durations.",
)
@options.option(
    ATTACK,
    "--check",
    is_flag=True,
    help="Exit with code 1 if a claim is violated or durations leak.",
)
@options.option(
    options.GAME,
    "--rounds",
    type=options.RoundsOption(),
    show_default="10000, or 8 for running sums",
    help=f"Number of rounds; {options.HIDDEN_HORIZON}.",
)
@options.settings
@options.problem_parameters
@options.epsilon()
@options.delta
@options.quiet
@options.as_json
def audit(
    name: str | None,
    everything: bool,
    durations: bool,
    rounds: options.Rounds | None,
    epsilon: float,
    delta: float,
    trials: int | None,
    confidence: float,
    seed: int,
    settings: tuple[str, ...],
    check: bool,
    quiet: bool,
    as_json: bool,
    **parameters: object,
) -> None:
    """Attack an algorithm and compare the epsilon found with the one claimed.

    The audit runs the real code many times on two neighbouring inputs. The event that best
    distinguishes them gives a lower bound on epsilon. A correct guarantee is rarely reported as
    violated (see --confidence). With --set calibration=paper, the audit tests the paper's claim
    instead of ours.

    With --durations, it measures how long the operations of a live run take: no single duration
    may distinguish two neighbouring inputs.
    """
    if (name is None) != everything:
        raise DiscreetError("audit needs the name of an algorithm or --all, but not both.")
    if durations and name is None:
        raise DiscreetError("--durations audits one algorithm: give its name instead of --all.")
    bounds, texts = options.parse_settings(settings)
    if everything and texts:
        raise DiscreetError(
            f"--set {next(iter(texts))} is an option of one algorithm, but --all audits all of "
            "them."
        )

    if durations and name is not None:
        known = algorithm(name)
        problem, _ = known.problem.for_audit()
        timed = audit_durations(
            live_client(
                name,
                known.problem_with(**(problem.parameters() | options.given(parameters))),
                {
                    "horizon": _horizon(rounds),
                    "epsilon": epsilon,
                    "delta": delta,
                    **bounds,
                    **texts,
                    **parse_all(known.options, texts),
                },
            ),
            trials=TRIALS if trials is None else trials,
            seed=seed,
            confidence=confidence,
        )
        if as_json:
            click.echo(json.dumps(timed.as_dict(), indent=2, ensure_ascii=False))
        else:
            show_durations(name, timed)
        if check and timed.leaks:
            sys.exit(1)
        return

    def find(each: str, progress: ShowProgress | None) -> Audit:
        known, usual = algorithm(each), default_setting(each)
        setting = Setting(
            known.problem_with(**(usual.problem.parameters() | options.given(parameters))),
            rounds=usual.rounds if rounds is None or rounds.number is None else rounds.number,
            unknown_horizon=rounds is not None and rounds.unknown,
            epsilon=epsilon,
            delta=delta,
            bounds=make_range(**bounds),
        )
        chosen: dict[str, Any] = texts | parse_all(known.options, texts)
        return attack_it(
            each,
            setting=setting,
            progress=progress,
            trials=trials,
            confidence=confidence,
            seed=seed,
            **chosen,
        )

    with progress_bar(quiet=quiet or not sys.stderr.isatty()) as bar:
        found = [find(name, bar("trials"))] if name is not None else _all(find, bar("audits"))
    if as_json:
        values = [each.as_dict() for each in found]
        click.echo(json.dumps(values if everything else values[0], indent=2, ensure_ascii=False))
    elif everything:
        _show_table(found)
    else:
        _show(found[0])
    if check and any(each.violated for each in found):
        sys.exit(1)


def _horizon(rounds: options.Rounds | None) -> int | None:
    """Return the horizon of a live run; None if it is unknown."""
    if rounds is None:
        return ROUNDS
    return None if rounds.unknown else rounds.number


def _all(
    find: Callable[[str, ShowProgress | None], Audit], progress: ShowProgress | None
) -> list[Audit]:
    """Return the audits of all algorithms that claim privacy."""
    names = [
        name
        for name, known in list_algorithms().items()
        if known.build(known.setting(delta=1e-6)).guarantee.is_private
    ]
    found = []
    for position, name in enumerate(names, start=1):
        found.append(find(name, None))
        if progress is not None:
            progress(position, len(names))
    return found


def _verdict(found: Audit) -> str:
    return "VIOLATED" if found.violated else "not violated"


def _show(found: Audit) -> None:
    known = algorithm(found.name)
    claim = (
        ""
        if found.claimed == found.stated
        else f"; discreet itself states {found.stated.short} for this noise"
    )
    lines = [
        (
            "claimed",
            f"{found.claimed.short}, {found.claimed.status}: {found.claimed.source}{claim}",
        ),
        (
            "found",
            f"epsilon at least {found.lower_bound:.4g}, with {100 * found.confidence:.10g} % "
            "confidence",
        ),
        ("attack", found.attack),
        ("trials", f"{found.trials:,} with each of two neighbouring inputs"),
        (
            "verdict",
            f"{_verdict(found)}; {100 * found.share:.0f} % of the claimed epsilon is confirmed by "
            "attack",
        ),
    ]
    if found.remark is not None:
        lines.append(("remark", found.remark))
    facts(f"{found.name}: {known.title}", lines)


def _show_table(found: list[Audit]) -> None:
    click.echo(f"Lower bounds on epsilon with {100 * found[0].confidence:.10g} % confidence each")
    rows = [
        [
            each.name,
            pair_words(each.claimed.epsilon, each.claimed.delta),
            f"{each.lower_bound:.4g}",
            f"{100 * each.share:.0f} %",
            _verdict(each),
            f"{each.trials:,}",
            each.attack,
        ]
        for each in found
    ]
    table(
        ["algorithm", "claimed", "found at least", "share", "verdict", "trials", "attack"],
        rows,
        right=(2, 3, 5),
    )
    for each in found:
        if each.remark is not None:
            click.echo(f"{each.name}: {each.remark}")
