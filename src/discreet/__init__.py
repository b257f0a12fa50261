"""Learning online from sensitive feedback under differential privacy.

A private learner is an ordinary learner behind a privacy channel: raw feedback enters the channel,
and only released (noised) values reach the learner. Start with :func:`plan` to find out what
privacy would cost you, :class:`Bandit` to use a private learner (or :class:`Experts`,
:class:`Optimizer`, :class:`Advisor`), :func:`simulate` to compare them, and ``discreet.private`` to
see why it is private.
"""

from __future__ import annotations

import lazy_loader

from discreet.drawing import register_plotter

# Names and modules are imported on first use (SPEC 1), so that the command line can handle Ctrl-C
# before any slow import, and a program that needs one part does not load the others. Type checkers
# read __init__.pyi; lazy_loader could too, but parsing it would take ten times as long as the rest.
_load, _, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "algorithms": ["Setting", "algorithm", "cite", "list_algorithms", "register_algorithm"],
        "auditing": [
            "Audit",
            "DurationAudit",
            "audit",
            "audit_durations",
            "audit_final",
            "audit_holdout",
            "audit_release_times",
        ],
        "client": ["connect", "connect_async"],
        "environments": ["register_environment"],
        "errors": [
            "AlreadyTold",
            "Busy",
            "DiscreetError",
            "Finished",
            "HorizonUsed",
            "LimitReached",
            "NotGiven",
            "OldCopy",
            "TooLate",
        ],
        "guarantee": ["Guarantee", "compose"],
        "ledger": ["BudgetExceeded", "Ledger", "UserLimitReached"],
        "live": [
            "Advisor",
            "Bandit",
            "BestArmSearch",
            "ContextualBandit",
            "Decision",
            "Device",
            "Experts",
            "Features",
            "LiveRun",
            "LocalServer",
            "Optimizer",
            "Progress",
            "SlateBandit",
            "VectorOptimizer",
        ],
        "logs": ["Log", "evaluate", "release_evaluation"],
        "on_device": ["OnDevice"],
        "planning": ["Plan", "plan"],
        "private": ["Private"],
        "ranges": ["Range"],
        "simulation": ["Contender", "Results", "search", "simulate"],
        "stressing": ["Stress", "stress"],
    },
)
_load_module, _, _modules = lazy_loader.attach(
    __name__,
    submodules=(
        "algorithms",
        "auditing",
        "channels",
        "checks",
        "client",
        "contracts",
        "environments",
        "errors",
        "estimates",
        "factorisations",
        "guarantee",
        "learners",
        "ledger",
        "live",
        "logs",
        "mechanisms",
        "on_device",
        "planning",
        "plot",
        "policies",
        "private",
        "problems",
        "ranges",
        "sets",
        "simulation",
    ),
)
__all__ += ["__version__"]
register_plotter(lambda: _load_module("plot"))


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("discreet")
    if name not in _modules and name not in __all__:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return (_load_module if name in _modules else _load)(name)


def __dir__() -> list[str]:
    special = (name for name in globals() if name.startswith("__"))
    return sorted({*__all__, *_modules, *special})
