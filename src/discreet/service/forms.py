"""Each problem over HTTP: the arguments of ``ask``, the fields of an outcome and a decision."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from discreet.live import (
    Advisor,
    Bandit,
    BestArmSearch,
    ContextualBandit,
    Experts,
    LiveClient,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.service.problems import HttpProblem

AnyJson = dict[str, Any]
FOR_USERS = ("user", "at_limit")
FIELD = re.compile(r"[a-z][a-z_]{0,29}")


@dataclass(frozen=True)
class ProblemForm:
    """One problem: its live class, and its fields in requests and responses."""

    name: str
    live: type[LiveClient[Any]]
    labels: str  # the argument with the labels of choices; "" if there are none
    asks: frozenset[str]  # arguments of ``ask``
    tells: tuple[str, ...]  # fields of an outcome, of which exactly one is given
    shown: Callable[[Any], AnyJson]  # the fields of a decision, besides id, token and learns
    choice: Callable[[Any], Hashable] | None = None  # what the history counts, if it may be shown
    by_label: frozenset[str] = frozenset()  # arguments that may be objects by label

    @property
    def counts(self) -> bool:
        """Whether its history counts choices."""
        return self.choice is not None

    def as_dict(self, decision: Any, name: str | None) -> AnyJson:  # noqa: ANN401
        """Return a decision for JSON."""
        return {
            "name": name,
            "id": decision.id,
            "token": decision.token,
            "learns": decision.learns,
            **self.shown(decision),
        }

    def arguments(self, given: AnyJson, texts: Mapping[str, Hashable]) -> AnyJson:
        """Return the arguments of ``ask``, or refuse unknown ones."""
        if given:
            check_fields(given, self.asks, "ask")
            if "user" in given and not isinstance(given["user"], str | int):
                raise HttpProblem("invalid", "user must be text or a whole number.")
            return {name: self._labelled(name, value, texts) for name, value in given.items()}
        return given

    def outcome(self, given: AnyJson, texts: Mapping[str, Hashable]) -> tuple[str | None, AnyJson]:
        """Return the token and the arguments of ``tell``; no error shows an outcome."""
        token = given.pop("token", None)
        if token is not None and not isinstance(token, str):
            raise HttpProblem("invalid", "token must be the text in the decision.")
        check_fields(given, self.tells, "the outcome", {"token"})
        if len(given) != 1:
            raise HttpProblem("invalid", f"the outcome must be one of {', '.join(self.tells)}.")
        ((name, value),) = given.items()
        if value is None or isinstance(value, bool | str):
            raise HttpProblem("invalid", f"{name} must be a number, or a list of numbers.")
        return token, {name: self._labelled(name, value, texts)}

    def _labelled(
        self,
        name: str,
        value: Any,  # noqa: ANN401
        texts: Mapping[str, Hashable],
    ) -> Any:  # noqa: ANN401
        """Return an object by label, with labels in place of their texts."""
        if not isinstance(value, dict):
            return value
        if name not in self.by_label:
            raise HttpProblem("invalid", f"{name} must not be an object.")
        return {texts.get(label, label): each for label, each in value.items()}


def check_fields(
    given: AnyJson, allowed: Collection[str], what: str, more: Collection[str] = ()
) -> None:
    """Refuse unknown fields. Only a field that looks like a name is shown: others may be values."""
    unknown = [name for name in given if name not in allowed and name not in more]
    if unknown:
        known = ", ".join(sorted({*allowed, *more})) or "no field"
        shown = f" '{unknown[0]}'" if FIELD.fullmatch(unknown[0]) else ""
        raise HttpProblem("invalid", f"{what} has an unknown field{shown}; it takes {known}.")


def _arm(decision: Any) -> AnyJson:  # noqa: ANN401
    return {
        "arm": decision.arm,
        "probability": decision.probability,
        "batch": decision.batch,
    }


def _only_arm(decision: Any) -> AnyJson:  # noqa: ANN401
    return {"arm": decision.arm}


def _weights(decision: Any) -> AnyJson:  # noqa: ANN401
    return {"expert": decision.expert, "weights": list(decision.weights.values())}


def _point(decision: Any) -> AnyJson:  # noqa: ANN401
    return {"point": decision.point.tolist(), "label": decision.label}


def _items(decision: Any) -> AnyJson:  # noqa: ANN401
    return {"items": list(decision.items)}


def _takes(*names: str) -> frozenset[str]:
    return frozenset((*names, *FOR_USERS))


ONE = ("reward", "loss")
SEVERAL = ("rewards", "losses")
FORMS = {
    form.name: form
    for form in (
        ProblemForm(
            "bandit", Bandit, "arms", _takes("available"), ONE, _arm, lambda given: given.arm
        ),
        ProblemForm(
            "best-arm", BestArmSearch, "arms", _takes(), ONE, _arm, lambda given: given.arm
        ),
        ProblemForm(
            "experts",
            Experts,
            "experts",
            _takes(),
            SEVERAL,
            _weights,
            lambda given: given.expert,
            frozenset(SEVERAL),
        ),
        ProblemForm("optimizer", Optimizer, "", _takes(), ONE, _point),
        ProblemForm(
            "vector-optimizer",
            VectorOptimizer,
            "",
            _takes(),
            ("loss",),
            _point,
            None,
            frozenset(("loss",)),
        ),
        ProblemForm("slates", SlateBandit, "items", _takes(), SEVERAL, _items),
        ProblemForm(
            "advice", Advisor, "arms", _takes("advice"), ONE, _only_arm, lambda given: given.arm
        ),
        ProblemForm(
            "contexts",
            ContextualBandit,
            "arms",
            _takes("context", "arm_features", "available"),
            ONE,
            _only_arm,
            None,  # a choice follows from a person's features, so it is never counted
            frozenset(("arm_features",)),
        ),
    )
}
OF_CLIENT = {form.live.__name__: form for form in FORMS.values()}
