"""What a fixed policy would have earned: IPS, SNIPS and DR estimates from a log."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from discreet.contracts import Floats
from discreet.display import Display, ShownTable
from discreet.errors import DiscreetError, check_positive, shorten
from discreet.guarantee import Json
from discreet.logs.fixed_policies import checked_probabilities, policy_of
from discreet.logs.log import Label, Log

NOT_PRIVATE = (
    "Not private: these numbers depend on single rows of the log without noise, even if the "
    "policy was learned privately; release_evaluation adds noise."
)
PENALTY = 1.0  # of the ridge regression behind DR, in rows
FOLDS = 2
# A warning needs a mean weight that differs from 1 by this many standard errors (a false alarm in
# one of 16,000 logs with many effective rows), and by more than rounded probabilities explain.
FAR, ROUNDED = 4.0, 0.02


class Estimated(NamedTuple):
    """An estimate of a mean, and its standard error; None where it is undefined."""

    value: float | None
    standard_error: float | None


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What a fixed policy would have earned per decision, by three estimators.

    **It is not private.** The numbers depend on single rows of the log without noise. This is true
    even if the policy was learned privately: its guarantee covers what the learner released, not
    what is computed from the log afterwards. ``release_evaluation`` adds noise.

    ``effective_rows`` is (Σw)² / Σw². A weight w is the probability of the logged arm under the
    policy divided by its probability in the log. The mean weight should be 1: if it is far from 1,
    the log's probabilities are wrong, and ``warning`` says so. Standard errors hold for independent
    rows; if an estimate rests on few effective rows, its standard error is too small.
    """

    policy: str
    source: str
    rows: int
    is_loss: bool
    ips: Estimated
    snips: Estimated
    dr: Estimated
    mean_weight: Estimated
    effective_rows: float
    largest_weight: float
    clipped_at: float | None

    @property
    def estimates(self) -> dict[str, Estimated]:
        """The three estimates by name."""
        return {"IPS": self.ips, "SNIPS": self.snips, "DR": self.dr}

    @property
    def warning(self) -> str | None:
        """A warning about the log's probabilities if the mean weight is far from 1.

        Clipped weights may have a smaller mean.
        """
        mean, error = self.mean_weight.value, self.mean_weight.standard_error
        if mean is None or error is None:
            return None
        clipped = self.clipped_at is not None and self.largest_weight > self.clipped_at
        apart = mean - 1.0 if clipped else abs(mean - 1.0)
        if apart <= max(FAR * error, ROUNDED):
            return None
        return (
            f"the mean weight of policy {self.policy} is {mean:.3g} ± {error:.2g}, but should be "
            "1: the probabilities in the log are not those with which its arms were chosen, or an "
            "arm is missing. Do not use these estimates."
        )

    def as_dict(self) -> Json:
        """Return everything for JSON."""
        return {
            "policy": self.policy,
            "log": self.source,
            "rows": self.rows,
            "of": "loss" if self.is_loss else "reward",
            **{name.lower(): each._asdict() for name, each in self.estimates.items()},
            "mean_weight": self.mean_weight._asdict(),
            "effective_rows": self.effective_rows,
            "largest_weight": self.largest_weight,
            "clipped_at": self.clipped_at,
            "warning": self.warning,
            "private": False,
            "note": NOT_PRIVATE,
        }

    def _repr_html_(self) -> str:
        title, *_ = str(self).splitlines()
        rows = [
            (name, _number(value), _number(error))
            for name, (value, error) in self.estimates.items()
        ]
        table = ShownTable(("estimator", "mean", "standard error"), rows, right=(1, 2))
        notes = [f"Effective rows: {self.effective_rows:,.0f}.", NOT_PRIVATE]
        notes[:0] = [] if self.warning is None else [f"Warning: {self.warning}"]
        return Display((title, table, *notes))._repr_html_()

    def __str__(self) -> str:
        of = "loss" if self.is_loss else "reward"
        lines = [f"Mean {of} of policy {self.policy}, from {self.rows:,} rows of {self.source}"]
        lines += [
            f"  {name:<6} {_number(value)} ± {_number(error)}"
            for name, (value, error) in self.estimates.items()
        ]
        lines += [f"  effective rows {self.effective_rows:,.0f}"]
        lines += [] if self.warning is None else [f"Warning: {self.warning}"]
        lines.append(NOT_PRIVATE)
        return "\n".join(lines)


def evaluate(
    log: object,
    policy: object,
    *,
    model: ArrayLike | None = None,
    max_weight: float | None = None,
    position: int | str | None = None,
    columns: str | Mapping[str, str] | None = None,
    arms: Sequence[Label] | None = None,
) -> Evaluation:
    """Estimate what a fixed policy would have earned, from decisions made by another policy.

    ``log`` is a ``Log``, or anything that ``Log.read`` reads with ``position``, ``columns`` and
    ``arms``.
    ``policy`` is "uniform", "arm=LABEL", shares by label, a ``FixedPolicy``, a table of
    probabilities (row, arm), or a function from all contexts to such a table.

    * IPS is the mean of w r, where w is the probability of the logged arm under the policy, divided
      by its probability in the log. ``max_weight`` clips w, which lowers the variance and biases
      the estimate.
    * SNIPS is Σ w r / Σ w.
    * DR adds w (r - q) to the policy's reward predicted by a model q. ``model`` is a table of
      predictions (row, arm), each made without using that row. By default q is a ridge regression
      on the contexts for each arm, fitted to half of the rows and used on the other half.

    IPS and DR are unbiased if the log's probabilities are right and w is not clipped. **The result
    is not private**, even if the policy was learned privately.

    >>> log = {"item_id": [0, 1, 0, 1], "click": [1, 0, 1, 1], "propensity_score": [0.5] * 4}
    >>> evaluate(log, "arm=0").ips.value
    1.0
    """
    rows = (
        log
        if isinstance(log, Log)
        else Log.read(log, position=position, columns=columns, arms=arms)
    )
    chosen = policy_of(policy)
    wanted = checked_probabilities(chosen, rows)
    _check_support(rows, wanted, chosen.name)
    weights, largest = importance(rows, wanted, max_weight)
    reward, total = rows.outcome, float(weights.sum())
    terms = weights * reward
    share = float(terms.sum()) / total if total > 0.0 else None
    spread = None if share is None else math.sqrt(float((weights**2 * (reward - share) ** 2).sum()))
    guess = _model(rows, model)
    fitted = guess[np.arange(rows.rows), rows.arm]
    robust = (wanted * guess).sum(axis=1) + weights * (reward - fitted)
    found = Evaluation(
        policy=chosen.name,
        source=rows.source,
        rows=rows.rows,
        is_loss=rows.is_loss,
        ips=mean_of(terms),
        snips=Estimated(share, None if spread is None else spread / total),
        dr=mean_of(robust),
        mean_weight=mean_of(weights),
        effective_rows=total**2 / float((weights**2).sum()) if total > 0.0 else 0.0,
        largest_weight=largest,
        clipped_at=None if max_weight is None else float(max_weight),
    )
    if found.warning is not None:
        warnings.warn(found.warning, stacklevel=2)
    return found


def importance(log: Log, wanted: Floats, most: float | None) -> tuple[Floats, float]:
    """Return the weight of every row, clipped if requested, and the largest unclipped weight."""
    weights = wanted[np.arange(log.rows), log.arm] / log.probability
    largest = float(weights.max())
    if most is not None:
        weights = np.minimum(weights, check_positive("max_weight", most))
    return weights, largest


def mean_of(terms: Floats) -> Estimated:
    """Return the mean of independent terms, and its standard error."""
    if terms.size < 2:
        return Estimated(float(terms.mean()), None)
    return Estimated(float(terms.mean()), float(terms.std(ddof=1)) / math.sqrt(terms.size))


def _check_support(log: Log, wanted: Floats, name: str) -> None:
    """Refuse a policy that plays an arm without a row in the log."""
    logged = np.bincount(log.arm, minlength=log.arms) > 0
    missing = np.flatnonzero(~logged & (wanted > 0.0).any(axis=0))
    if missing.size:
        raise DiscreetError(
            f"policy {name} plays arm {log.labels[int(missing[0])]}, but {log.source} has no row "
            "with it, so its outcomes are unknown."
        )


def _model(log: Log, given: ArrayLike | None) -> Floats:
    """Return predicted rewards (row, arm): given, or fitted to the other half of the rows."""
    if given is not None:
        table = np.asarray(given, dtype=np.float64)
        if table.shape != (log.rows, log.arms) or not np.isfinite(table).all():
            raise DiscreetError(
                f"model is {shorten(given)}, but must be a finite number for each of {log.rows} "
                f"rows and {log.arms} arms."
            )
        return table
    design = np.column_stack([np.ones(log.rows), log.context])
    fold = np.arange(log.rows) % FOLDS
    found = np.empty((log.rows, log.arms))
    for part in range(FOLDS):
        rest = fold != part
        usual = float(log.outcome[rest].mean()) if rest.any() else float(log.outcome.mean())
        for arm in range(log.arms):
            mine = rest & (log.arm == arm)
            weights = _ridge(design[mine], log.outcome[mine] - usual)
            found[~rest, arm] = usual + design[~rest] @ weights
    return found


def _ridge(design: Floats, target: Floats) -> Floats:
    """Return the coefficients of a ridge regression; zeros without rows."""
    matrix = design.T @ design + PENALTY * np.eye(design.shape[1])
    return np.asarray(np.linalg.solve(matrix, design.T @ target), dtype=np.float64)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"
