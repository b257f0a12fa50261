"""Learning online from sensitive feedback under differential privacy.

A private learner is an ordinary learner behind a privacy channel: raw feedback enters the channel,
and only released (noised) values reach the learner. Start with :func:`plan` to find out what
privacy would cost you, :class:`Bandit` to use a private learner (or :class:`Experts`,
:class:`Optimizer`, :class:`Advisor`), :func:`simulate` to compare them, and ``discreet.private`` to
see why it is private.
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # type checkers take it for true; the module typing takes time to import
if TYPE_CHECKING:
    from discreet.algorithms import Setting, algorithm, algorithms, cite, register_algorithm
    from discreet.auditing.audit import Audit, audit
    from discreet.auditing.release_times import audit_release_times
    from discreet.environments import register_environment
    from discreet.errors import DiscreetError
    from discreet.guarantee import Guarantee, compose
    from discreet.ledger import BudgetExceeded, Ledger, UserLimitReached
    from discreet.live import (
        Advisor,
        Bandit,
        BestArmSearch,
        Decision,
        Device,
        Experts,
        LiveRun,
        LocalServer,
        Optimizer,
        Progress,
        VectorOptimizer,
    )
    from discreet.on_device import OnDevice
    from discreet.planning import Plan, plan
    from discreet.private import Private
    from discreet.ranges import Range
    from discreet.simulation import Contender, Results, search, simulate

    __version__: str

__all__ = [
    "Advisor",
    "Audit",
    "Bandit",
    "BestArmSearch",
    "BudgetExceeded",
    "Contender",
    "Decision",
    "Device",
    "DiscreetError",
    "Experts",
    "Guarantee",
    "Ledger",
    "LiveRun",
    "LocalServer",
    "OnDevice",
    "Optimizer",
    "Plan",
    "Private",
    "Progress",
    "Range",
    "Results",
    "Setting",
    "UserLimitReached",
    "VectorOptimizer",
    "__version__",
    "algorithm",
    "algorithms",
    "audit",
    "audit_release_times",
    "cite",
    "compose",
    "plan",
    "register_algorithm",
    "register_environment",
    "search",
    "simulate",
]

# Where each name comes from. It is imported when it is first asked for: so the command line can
# heed Ctrl-C before
# anything that takes long, and a program that needs one part does not wait for all.
_HOMES = {
    "algorithms": "Setting algorithm algorithms cite register_algorithm",
    "auditing": "Audit audit audit_release_times",
    "environments": "register_environment",
    "errors": "DiscreetError",
    "guarantee": "Guarantee compose",
    "ledger": "BudgetExceeded Ledger UserLimitReached",
    "live": "Advisor Bandit BestArmSearch Decision Device "
    "Experts "
    "LiveRun "
    "LocalServer "
    "Optimizer "
    "Progress VectorOptimizer",
    "on_device": "OnDevice",
    "planning": "Plan plan",
    "private": "Private",
    "ranges": "Range",
    "simulation": "Contender Results search simulate",
}
_SOURCES = {name: home for home, names in _HOMES.items() for name in names.split()}


def _module(name: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"discreet.{name}")


class _Package(ModuleType):
    """The package, whose names are looked up when they are asked for."""

    def __getattr__(self, name: str) -> object:
        if name in _SOURCES:
            found: object = vars(_module(_SOURCES[name]))[name]
        elif name == "__version__":
            from importlib.metadata import version

            found = version("discreet")
        else:
            try:
                return _module(name)
            except ModuleNotFoundError as reason:
                if reason.name != f"discreet.{name}":
                    raise
                raise AttributeError(f"module 'discreet' has no attribute '{name}'") from None
        vars(self)[name] = found
        return found

    def __setattr__(self, name: str, value: object) -> None:
        if not (
            name in _SOURCES and isinstance(value, ModuleType)
        ):  # discreet.algorithms is the function, as it was
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})


sys.modules[__name__].__class__ = _Package
