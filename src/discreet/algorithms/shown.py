"""How notebooks display named algorithms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.display import facts_html, number

if TYPE_CHECKING:
    from discreet.guarantee import Guarantee
    from discreet.options import Option
    from discreet.problems import Problem


class AlgorithmInHtml:
    """The name of an algorithm, its problem and its options."""

    name: str
    title: str
    problem: Problem
    twin: str

    @property
    def options(self) -> Mapping[str, Option]:
        """Its options by name."""
        raise NotImplementedError

    def credit(self, *, whole: bool = False) -> str:
        """Return its origin."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        facts = [
            ("plays", f"{self.problem.sizes} (or other sizes)"),
            ("from", self.credit(whole=True)),
            ("without privacy", self.twin or "-"),
            ("options", ", ".join(self.options) or "none"),
        ]
        return facts_html(f"{self.name}: {self.title}", facts)


class InstanceInHtml:
    """The numbers of an algorithm that is ready to play."""

    parameters: Mapping[str, float | int | str]
    regret_bound: float | None
    bound_source: str

    @property
    def guarantee(self) -> Guarantee:
        """The guarantee of the channel."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        bound = "none" if self.regret_bound is None else f"at most {number(self.regret_bound)}"
        facts = [
            (name.replace("_", " "), value if isinstance(value, str) else number(value))
            for name, value in self.parameters.items()
        ]
        facts += [("bound", f"{bound} ({self.bound_source})")]
        return facts_html(str(self.guarantee), facts)
