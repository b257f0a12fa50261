"""discreet evaluate: estimate from a log what fixed policies would have earned."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path

import click

from discreet.cli import options
from discreet.cli.text import facts, number, table
from discreet.errors import DiscreetError
from discreet.logs import Evaluation, Log, PrivateEvaluation, evaluate, release_evaluation
from discreet.logs.evaluation import NOT_PRIVATE, Estimated

MOST_ARMS = 20  # shown by default
LOG, ESTIMATE = "Log", "Estimate"


@click.command(
    "evaluate",
    cls=options.SectionCommand,
    epilog="Example: discreet evaluate log.csv --policy uniform --policy arm=3 --position 1",
)
@click.argument("log", type=click.Path(path_type=Path), metavar="LOG")
@options.option(LOG, "--position", help="Use only rows with this position.")
@options.option(
    LOG,
    "--columns",
    metavar="ROLE:NAME,...",
    help="Column names that differ from Open Bandit's: arm, reward or loss, probability, position, "
    "features, affinity.",
)
@options.option(
    LOG, "--arms", metavar="LABEL,...", help="Labels of all arms.  [default: those in the log]"
)
@options.option(
    ESTIMATE,
    "--policy",
    "policies",
    multiple=True,
    metavar="POLICY",
    help="uniform, arm=LABEL or shares:LABEL=SHARE,... Repeatable.  [default: uniform, and every "
    f"arm if there are at most {MOST_ARMS}]",
)
@options.option(ESTIMATE, "--max-weight", type=float, help="Clip weights at this number.")
@options.option(
    options.PRIVACY,
    "--epsilon",
    type=float,
    help="Release one estimate with this epsilon. Needs --arms, --max-weight and one --policy.",
)
@options.option(
    options.PRIVACY,
    "--estimator",
    type=click.Choice(["ips", "snips"]),
    default="ips",
    show_default=True,
    help="Estimator to release.",
)
@options.option(
    options.PRIVACY,
    "--rows-per-user",
    type=int,
    default=1,
    show_default=True,
    help="Maximum number of rows per user.",
)
@options.option(
    options.PRIVACY, "--low", type=float, default=0.0, show_default=True, help="Smallest outcome."
)
@options.option(
    options.PRIVACY, "--high", type=float, default=1.0, show_default=True, help="Largest outcome."
)
@options.as_json
def evaluate_command(
    log: Path,
    position: str | None,
    columns: str | None,
    arms: str | None,
    policies: tuple[str, ...],
    max_weight: float | None,
    epsilon: float | None,
    estimator: str,
    rows_per_user: int,
    low: float,
    high: float,
    as_json: bool,
) -> None:
    """Estimate from a log of randomised decisions what fixed policies would have earned.

    LOG is a CSV, Parquet or Arrow file with the columns of the Open Bandit data. The estimates are
    not private, even if the policy was learned privately. With --epsilon, the command releases one
    estimate with exact noise instead.
    """
    labels = None if arms is None else [label.strip() for label in arms.split(",")]
    read = Log.read(log, position=position, columns=columns, arms=labels)
    if epsilon is not None:
        if max_weight is None or len(policies) != 1:
            missing = "--max-weight" if max_weight is None else "exactly one --policy"
            raise DiscreetError(f"--epsilon needs {missing}: each release costs epsilon.")
        released = release_evaluation(
            read,
            policies[0],
            epsilon=epsilon,
            max_weight=max_weight,
            estimator="snips" if estimator == "snips" else "ips",
            rows_per_user=rows_per_user,
            low=low,
            high=high,
        )
        _show_released(released, as_json=as_json)
        return
    usual = ["uniform"]
    if read.arms <= MOST_ARMS:
        usual += [f"arm={label}" for label in read.labels]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are printed below
        found = [evaluate(read, policy, max_weight=max_weight) for policy in policies or usual]
    if as_json:
        shown = [each.as_dict() for each in found]
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    _show(read, found)


def _show(log: Log, found: list[Evaluation]) -> None:
    short = functools.partial(number, digits=4)
    what = "loss" if log.is_loss else "reward"
    click.echo(f"Mean {what} of fixed policies, from {log.rows:,} rows of {log.source}")
    rows = [
        [
            each.policy,
            *(_with_error(estimate) for estimate in each.estimates.values()),
            f"{each.effective_rows:,.0f}",
            short(each.largest_weight),
            _with_error(each.mean_weight),
        ]
        for each in found
    ]
    head = ["policy", "IPS", "SNIPS", "DR", "effective rows", "largest weight", "mean weight"]
    table(head, rows, right=range(1, len(head)))
    click.echo("± standard error, for independent rows. The mean weight should be 1.")
    for each in found:
        if each.warning is not None:
            click.echo(f"Warning: {each.warning}")
    click.echo(NOT_PRIVATE)


def _show_released(found: PrivateEvaluation, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(found.as_dict(), indent=2, ensure_ascii=False))
        return
    value = (
        "none, because noise made a sum negative" if found.value is None else number(found.value)
    )
    facts(
        f"{found.policy}: {found.estimator.upper()} with exact noise",
        [
            ("estimate", value),
            ("noise", f"Laplace, scale {number(found.noise_scale, digits=4)}"),
            ("weights", f"clipped at {found.max_weight:g}; {found.rows:,} rows"),
            ("guarantee", str(found.guarantee)),
        ],
    )


def _with_error(estimate: Estimated) -> str:
    if estimate.value is None:
        return "-"
    value = f"{estimate.value:.4f}"
    return value if estimate.standard_error is None else f"{value} ± {estimate.standard_error:.4f}"
