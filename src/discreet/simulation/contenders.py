"""Who plays in a simulation: named algorithms for every epsilon, and channels with learners."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from discreet.algorithms import Setting, algorithm
from discreet.contracts import Protected
from discreet.errors import DiscreetError, check_positive, repeated, shorten
from discreet.guarantee import Guarantee, round_up
from discreet.options import Values
from discreet.problems import Problem


@dataclass(frozen=True, kw_only=True)
class Contender:
    """An algorithm in a simulation: a named one, or any channel with any learner.

    >>> from discreet import Private, Range
    >>> from discreet.channels import Open
    >>> from discreet.learners import Uniform
    >>> Contender(label="dice", private=Private(Open(Range(0.0, 1.0)), Uniform(4))).label
    'dice'
    """

    label: str
    private: Protected
    algorithm: str = "custom"
    facts: Mapping[str, Any] = field(default_factory=dict)  # its entries in the manifest

    def __post_init__(self) -> None:
        if not isinstance(self.label, str) or not self.label:
            raise DiscreetError(
                f"label is {shorten(self.label)}, but must be a text that names the contender."
            )
        if not isinstance(self.private, Protected):
            raise DiscreetError(
                f"private is {shorten(self.private)}, but must be a Private(channel, learner) or "
                "OnDevice."
            )

    @classmethod
    def named(cls, name: str, setting: Setting[Problem], **options: object) -> Contender:
        """Return a named algorithm with its parameters filled in."""
        known = algorithm(name)
        instance = known.build(setting, **options)
        return cls(
            label=_label(name, instance.guarantee),
            private=instance.private,
            algorithm=name,
            facts={
                "title": known.title,
                "citation": known.credit(whole=True),
                "twin": known.twin,
                "parameters": dict(instance.parameters),
                "regret_bound": instance.regret_bound,
                "bound_source": instance.bound_source,
                "memory": instance.memory,
            },
        )


# Replaces the source of a bound if outcomes are late.
NO_BOUND_WHEN_LATE = (
    "not shown: it is proved for outcomes that arrive before the next decision, and these are late"
)


NO_BOUND_WITH_SWITCHES = (
    "not shown: it is proved against the best fixed action, and regret is against a sequence here"
)


def without_bound(contender: Contender, why: str = NO_BOUND_WHEN_LATE) -> Contender:
    """Return a contender without its regret bound, and with the reason, such as late outcomes."""
    if contender.facts.get("regret_bound") is None:
        return contender
    none = {"regret_bound": None, "bound_source": why}
    return replace(contender, facts={**contender.facts, **none})


def list_contenders(
    algorithms: str | Contender | Iterable[str | Contender],
) -> list[str | Contender]:
    """Return the algorithms as a list without repetitions, or refuse them."""
    if isinstance(algorithms, str | Contender):
        return [algorithms]
    try:
        found = list(algorithms)
    except Exception:
        raise DiscreetError(
            f"algorithms is {shorten(algorithms)}, but must be a name, a Contender or a list of "
            "them."
        ) from None
    if not found:
        raise DiscreetError("algorithms is empty, but at least one is needed.")
    names = [each for each in found if isinstance(each, str)]
    for name in names:
        if names.count(name) > 1:
            raise repeated(f"algorithm '{name}'", names.count(name))
    return found


def list_epsilons(given: float | Sequence[float]) -> list[float]:
    """Return every epsilon, or refuse one that is not a number or is given twice."""
    several = isinstance(given, Sequence) or (isinstance(given, np.ndarray) and given.ndim > 0)
    values = list(cast(Any, given)) if several and not isinstance(given, str) else [given]
    if not values:
        raise DiscreetError("epsilon is empty, but at least one value is needed.")
    found = [check_positive("epsilon", value) for value in values]
    for value in found:
        if found.count(value) > 1:
            raise repeated(f"epsilon {value:g}", found.count(value))
    return found


def make_contenders(
    algorithms: Sequence[str | Contender], settings: Sequence[Setting[Problem]], options: Values
) -> list[Contender]:
    """Return every contender: a named algorithm once for each setting."""
    found: dict[str, Contender] = {}
    for each in algorithms:
        if isinstance(each, Contender):
            fresh = [each]
        else:
            mine = {key: value for key, value in options.items() if key in algorithm(each).options}
            fresh = [Contender.named(each, setting, **mine) for setting in settings]
        for contender in fresh:
            if isinstance(each, Contender) and contender.label in found:
                raise DiscreetError(
                    f"two contenders are labelled '{contender.label}', but labels must differ."
                )
            rival = found.get(contender.label)
            if rival is not None and rival.private.guarantee != contender.private.guarantee:
                contender = replace(
                    contender,
                    label=_label(contender.algorithm, contender.private.guarantee, digits=12),
                )
            found[contender.label] = contender
    return list(found.values())


def _label(name: str, guarantee: Guarantee, *, digits: int = 4) -> str:
    if not guarantee.is_private or guarantee.epsilon == 0.0:
        return name
    short = float(f"{guarantee.epsilon:.{digits}g}")
    close = abs(short - guarantee.epsilon) <= 1e-9 * guarantee.epsilon  # else it is rounded up
    return (
        f"{name} (ε = {short if close else round_up(guarantee.epsilon, digits=digits):.{digits}g})"
    )
