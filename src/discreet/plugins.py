"""Plugins: modules outside this package that add algorithms, environments, problems or commands.

A plugin registers its additions when it is imported. An installed package names its module as an
entry point of the group ``discreet``. The environment variable ``DISCREET_PLUGINS`` names further
modules or Python files, separated like the folders in ``PATH``. The command line loads all plugins
when it starts. Python code need not do anything: the registries load plugins when they meet an
unknown name, and before they list everything.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple

from discreet.errors import DiscreetError, check_name, check_text, shorten, show_path

__all__ = [
    "GROUP",
    "VARIABLE",
    "PluginCommand",
    "load_plugin",
    "load_plugins",
    "plugin_commands",
    "register_command",
    "register_modules",
]

GROUP, VARIABLE = "discreet", "DISCREET_PLUGINS"


class PluginCommand(NamedTuple):
    """A command that a plugin adds to the command line."""

    target: str  # module:attribute, where the attribute is a click.Command
    short_help: str  # its line in `discreet --help`, shown without importing the command

    def load(self) -> object:
        """Import the command."""
        module, _, attribute = self.target.partition(":")
        found: object = vars(importlib.import_module(module))[attribute]
        return found


_commands: dict[str, PluginCommand] = {}
_deferred: list[str] = []  # modules still to be imported

_lock = threading.RLock()  # reentrant: a plugin may look up names while it is imported
_is_loading = False
_entry_points_loaded = False
_loaded_names: set[str] = set()  # names from the variable


def register_command(name: str, target: str, *, short_help: str) -> None:
    """Add a command to the command line.

    ``target`` is ``module:attribute`` of a ``click.Command``. It is imported when the command runs.
    """
    check_name("name", name)
    check_text("short_help", short_help)
    module, _, attribute = check_text("target", target).partition(":")
    if not module or not attribute:
        raise DiscreetError(f"target is {shorten(target)}, but must be 'module:attribute'.")
    older = _commands.get(name)
    if older is not None and older.target != target:
        raise DiscreetError(f"name is {shorten(name)}, but {older.target} is already that command.")
    _commands[name] = PluginCommand(target, short_help)


def register_modules(*names: str) -> None:
    """Name modules that register algorithms or environments; they are imported when one is needed.

    This way, a plugin that also adds commands does not slow down ``discreet --help``.
    """
    _deferred.extend(names)


def plugin_commands() -> dict[str, PluginCommand]:
    """Return the commands of the plugins loaded so far."""
    return dict(_commands)


def load_plugins(*, commands_only: bool = False) -> None:
    """Import every plugin that has not been imported yet, and the modules that it registered.

    Call it as often as you like, from any thread: if there is nothing new, it takes a microsecond.
    If a plugin cannot be imported, the error says so in one sentence, and the next call tries
    again. With ``commands_only``, registered modules are left for later.
    """
    global _is_loading, _entry_points_loaded
    names = [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    is_done = commands_only or not _deferred
    if is_done and _entry_points_loaded and _loaded_names.issuperset(names):
        return
    with _lock:
        if _is_loading:  # this thread is importing a plugin, which looks up a name
            return
        _is_loading = True
        try:
            if not _entry_points_loaded:
                for each in entry_points(group=GROUP):
                    try:
                        each.load()
                    except Exception as reason:
                        name = f"{each.name} ({each.value})"
                        raise _cannot_be_imported(name, reason) from reason
                _entry_points_loaded = True
            for name in names:
                if name not in _loaded_names:
                    load_plugin(name)
                    _loaded_names.add(name)
            while _deferred and not commands_only:
                importlib.import_module(_deferred[0])
                del _deferred[0]
        finally:
            _is_loading = False


def load_plugin(name: str) -> None:
    """Import a module by its name, or a Python file by its path."""
    if name.startswith(".") and not name.endswith(".py"):
        raise DiscreetError(f"{VARIABLE} names {name}, but module names must be absolute.")
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
    _check_file_name(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)  # lets it import its neighbours; last, so as to hide no module
    sys.modules[path.stem] = module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except DiscreetError:
        raise
    except Exception as reason:
        raise _cannot_be_imported(show_path(name), reason) from reason


def _check_file_name(path: Path) -> None:
    """Refuse a file that would replace another module."""
    known = sys.modules.get(path.stem)
    file = None if known is None else known.__dict__.get("__file__")
    other = known is not None and (file is None or Path(file).resolve() != path.resolve())
    if other or path.stem in sys.stdlib_module_names:
        raise DiscreetError(
            f"{VARIABLE} names {show_path(path)}, but there is already a module {path.stem}: "
            "rename the file."
        )


def _cannot_be_imported(name: str, reason: Exception) -> DiscreetError:
    """Return the error for a plugin that cannot be imported, with the reason."""
    why = f"{type(reason).__name__}: {reason}".rstrip(".")
    return DiscreetError(f"the plugin {name} cannot be imported: {why}.")
