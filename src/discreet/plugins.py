"""Algorithms, environments and problems from outside of the package.

What a module registers when it is imported is there for Python. For the command line, an installed
package names such modules as entry points of the group ``discreet``, and the variable
``DISCREET_PLUGINS`` names modules or files.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from importlib.metadata import entry_points
from pathlib import Path

from discreet.errors import DiscreetError

__all__ = ["command_summary", "load_plugin", "load_plugins", "plugin_commands", "register_command"]

GROUP, VARIABLE = "discreet", "DISCREET_PLUGINS"


_commands: dict[str, str] = {}
_summaries: dict[str, str] = {}


def register_command(name: str, target: str, *, summary: str = "") -> None:
    """Add a command to the command line.

    ``target`` is ``module:attribute``, imported when the command is called. With a ``summary`` of
    one sentence, ``discreet --help`` does not import it.
    """
    _commands[name] = target
    _summaries[name] = summary


def plugin_commands() -> dict[str, Callable[[], object]]:
    """Return the commands that plugins added: for each name a function that imports it."""
    return {name: functools.partial(_import_target, target) for name, target in _commands.items()}


def command_summary(name: str) -> str:
    """Return the sentence that describes a plugin's command, empty if it gave none."""
    return _summaries.get(name, "")


def _import_target(target: str) -> object:
    module, _, attribute = target.partition(":")
    found: object = vars(importlib.import_module(module))[attribute]
    return found


def load_plugins() -> None:
    """Import all modules that register something."""
    for each in entry_points(group=GROUP):
        each.load()
    for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        load_plugin(name)


def load_plugin(name: str) -> None:
    """Import a module by its name, or a Python file by its path."""
    if not name.endswith(".py"):
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as reason:
            raise DiscreetError(
                f"{VARIABLE} names {name}, but there is no module {reason.name}."
            ) from None
        return
    path = Path(name)
    if not path.is_file():
        raise DiscreetError(f"{VARIABLE} names {name}, but there is no such file.")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[path.stem] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
