"""The page of a run for privacy officers: guarantee, conditions, budget, people, restores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from discreet.algorithms.plain import words_about
from discreet.errors import count
from discreet.guarantee import Guarantee
from discreet.guarantee_words import period_words
from discreet.service.pages.charts import COLOURS
from discreet.service.pages.scales import clipped, span
from discreet.service.pages.source import HostSource
from discreet.service.pages.views import RunView, whom

MODELS = {
    "central": "The service is trusted with the outcomes. The guarantee covers all that it shows: "
    "every decision and everything that was learned.",
    "joint": "The service is trusted with outcomes and features. The guarantee covers what "
    "everybody else sees: models, and decisions for others. The decision for a person follows "
    "from that person's features without noise and is not covered, so these pages show no choices.",
    "local": "Nobody has to be trusted: noise is added to every single outcome before it is used.",
    "none": "Nothing is guaranteed.",
}


ONE = {"1 day": "24 hours", "1 hour": "60 minutes", "1 minute": "60 seconds"}  # any such time


@dataclass(frozen=True)
class Charge:
    """A charge to the budget."""

    number: int
    label: str
    run: str | None  # its name, if this process has opened it
    epsilon: float
    delta: float
    at: float | None
    own: bool  # whether it belongs to the run shown
    colour: int

    @property
    def name(self) -> str:
        """The name of the run, or the label, shortened."""
        return clipped(self.run or self.label, 60)


@dataclass(frozen=True)
class BudgetView:
    """A budget and its charges."""

    epsilon: float
    delta: float
    spent: float
    spent_delta: float
    left: float
    charges: tuple[Charge, ...]

    @property
    def pieces(self) -> list[tuple[str, float, int]]:
        """Every charge, to be drawn."""
        return [
            (f"{each.name}: epsilon {each.epsilon:.6g}", each.epsilon, each.colour)
            for each in self.charges
        ]

    @property
    def words(self) -> str:
        """The state of the budget in a sentence."""
        return (
            f"Epsilon {self.spent:.6g} of {self.epsilon:.6g} is spent, by "
            f"{count(len(self.charges), 'charge')}; {self.left:.6g} is left."
        )


@dataclass(frozen=True)
class Condition:
    """A condition of the guarantee, or a limit of what it covers."""

    name: str
    words: str


@dataclass(frozen=True)
class PrivacyView:
    """The content of the page."""

    promise: str  # in one line
    paragraph: str
    formal: str
    source: str
    conditions: tuple[Condition, ...]
    budget: BudgetView | None
    sees_budget: bool  # whether the visitor may see the budget
    limit: str  # the maximum number of rounds of a user
    at_limit: int | None
    restores: tuple[tuple[float, str], ...]


def privacy_view(host: HostSource, run: RunView, *, whole: bool) -> PrivacyView:
    """Return the content; the budget needs a token for all runs."""
    found, spec = run.guarantee, run.spec
    return PrivacyView(
        promise=_promise(found),
        paragraph=words_about(
            found,
            decisions=_decisions(run),
            outcomes=_outcomes(spec),
            has_noise=bool(run.live.plan.private.channel.noise_scales),
        ),
        formal=str(found),
        source=found.source,
        conditions=tuple(_conditions(run)),
        budget=budget_view(host.budget(), host.charge_label(run.name)) if whole else None,
        sees_budget=whole,
        limit=_limit(found),
        at_limit=run.live.users_at_limit(),
        restores=tuple(
            (float(each["at"]), str(each["detail"])) for each in host.restores(run.name)
        ),
    )


def budget_view(given: Mapping[str, Any] | None, own: str | None = None) -> BudgetView | None:
    """Return the budget with its charges; None if there is none."""
    if given is None or given.get("budget") is None:
        return None
    entries: Sequence[Mapping[str, Any]] = given["entries"]
    return BudgetView(
        epsilon=float(given["budget"]["epsilon"]),
        delta=float(given["budget"]["delta"]),
        spent=float(given["spent"]["epsilon"]),
        spent_delta=float(given["spent"]["delta"]),
        left=float(given["remaining"]["epsilon"]),
        charges=tuple(
            Charge(
                number=int(each["number"]),
                label=str(each["label"]),
                run=each.get("run"),
                epsilon=float(each["epsilon"]),
                delta=float(each["delta"]),
                at=_moment(each),
                own=own is not None and each["label"] == own,
                colour=place % (COLOURS - 1),
            )
            for place, each in enumerate(entries)
        ),
    )


def _moment(entry: Mapping[str, Any]) -> float | None:
    """Return when a charge was made."""
    if entry.get("at") is not None:
        return float(entry["at"])
    return datetime.fromisoformat(entry["time"]).timestamp() if entry.get("time") else None


def _promise(found: Guarantee) -> str:
    if not found.is_private:
        return "No privacy protection"
    return f"{found.short[0].upper()}{found.short[1:]} {whom(found)}"


def _decisions(run: RunView) -> str:
    horizon = run.state.horizon
    if horizon is None:
        return "any number of decisions"
    return "at most " * (run.problem == "Best-arm search") + count(horizon, "decision")


def _outcomes(spec: Mapping[str, Any]) -> str:
    low, high = spec.get("low", 0.0), spec.get("high", 1.0)
    if spec.get("problem") == "vector-optimizer":
        return f"loss vectors of size at most {high:g}"
    return f"numbers from {low:g} to {high:g}"


def _limit(found: Guarantee) -> str:
    if found.rounds == 1 and found.period is None:
        return ""
    per = "" if found.period is None else f" in each period of {period_words(found.period)}"
    return f"At most {count(found.rounds, 'round')} per user{per}"


def _conditions(run: RunView) -> list[Condition]:
    found = run.guarantee
    conditions = [Condition("Who is trusted", MODELS[found.model])]
    if not found.is_private:
        return conditions
    conditions.append(Condition("When people answer", _times(run)))
    conditions.append(Condition("People with several rounds", _people(found)))
    proof = "Proved" if found.status == "proved" else "Claimed by the paper only, not proved"
    conditions.append(Condition("Why it holds", f"{proof}: {found.source}."))
    if found.caveat:
        conditions.append(Condition("Restriction", f"{found.caveat[0].upper()}{found.caveat[1:]}."))
    return conditions


def _times(run: RunView) -> str:
    if run.wait is None:
        return (
            "Treated as public. If whether or when a person answers depends on the answer, the "
            "guarantee does not hold."
        )
    return (
        f"Protected like the answer itself. After {span(run.wait)} a missing outcome counts as the "
        f"default{_default(run.spec)}, and the times of releases do not depend on answers, "
        "provided that decisions are not requested in response to outcomes. Nothing on these pages "
        "depends on who has answered."
    )


def _default(spec: Mapping[str, Any]) -> str:
    for name, words in (("default_reward", "reward"), ("default_loss", "loss")):
        if isinstance(spec.get(name), int | float):
            return f" ({words} {spec[name]:g})"
    return ""


def _people(found: Guarantee) -> str:
    if found.period is not None:
        twice = found.for_periods(2)
        more = f"With two periods epsilon is {twice.epsilon:.4g}." if twice.is_private else ""
        length = period_words(found.period)
        return (
            f"The epsilon above covers {count(found.rounds, 'round')} in one period of {length}. "
            f"Limits are renewed every period, and any {ONE.get(length, length)} may overlap two "
            f"of them. {more}"
        ).strip()
    if found.rounds > 1:
        return f"The epsilon above covers all {found.rounds} rounds that a user may have."
    if found.delta == 0.0:
        return "No limit is set: a person with m rounds has m times this epsilon."
    return (
        "No limit is set. A person with two rounds has "
        f"{found.for_user(rounds=2).short}, and with more rounds less protection."
    )
