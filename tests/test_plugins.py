"""Plugins: they are loaded once, when a name is unknown or everything is listed."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib.metadata import EntryPoint

import pytest

from discreet import DiscreetError, plugins
from discreet.environments import registry
from discreet.plugins import VARIABLE, load_plugins, plugin_commands, register_command

PLUGIN = """
import threading, time
from discreet.environments import environment_names, register_environment
from discreet.problems import ArmGame, Arms, ArmsEnvironment

time.sleep(0.05)  # so that other threads arrive while it is being imported
assert "stochastic" in environment_names(), "a plugin may look up names while it is imported"


@register_environment("{name}", title="a plugin's", problem=Arms)
class FromPlugin(ArmsEnvironment):
    arms: int = 2
    imports = []

    def deal(self, start, stop, rng):
        return ArmGame(rng.random((stop - start, self.arms)))


with open({log!r}, "a") as file:
    file.write("imported\\n")
"""


def run(code, **environment):
    import os

    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """A plugin in a file that the variable names, and the log of its imports."""
    path, log = tmp_path / "some_plugin.py", tmp_path / "log"
    path.write_text(PLUGIN.format(name="from-a-plugin", log=str(log)))
    monkeypatch.setenv(VARIABLE, str(path))
    monkeypatch.setattr(registry, "_environments", dict(registry._environments))
    monkeypatch.setattr(plugins, "_loaded_names", set())
    yield log
    sys.modules.pop("some_plugin", None)


def test_environments_of_the_papers_need_no_import():
    code = "from discreet.environments import environment; print(environment('actg175-replay'))"
    assert "Actg175Replay" in run(code)


def test_known_names_load_no_plugin():
    code = "import sys; from discreet.environments import environment; environment('stochastic'); "
    assert run(code + "print('discreet_papers' in sys.modules)") == "False"


def test_listing_everything_loads_plugins():
    code = "from discreet.environments import environment_names; print(list(environment_names()))"
    for name in ("actg175-replay", "actg175-simulator", "classification", "diabetes"):
        assert f"'{name}'" in run(code)


def test_many_threads_load_a_plugin_once(plugin):
    threads = [threading.Thread(target=load_plugins) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load_plugins()
    assert plugin.read_text() == "imported\n"
    assert "from-a-plugin" in registry.environment_names()


def test_a_plugin_that_fails_is_named_and_tried_again(plugin, tmp_path, monkeypatch):
    missing = tmp_path / "later.py"
    monkeypatch.setenv(VARIABLE, str(missing))
    for _ in range(2):
        with pytest.raises(DiscreetError, match=r"later.py, but there is no such file.$"):
            load_plugins()
    missing.write_text("")
    load_plugins()
    sys.modules.pop("later", None)


def test_an_entry_point_that_fails_is_named(monkeypatch):
    broken = EntryPoint(name="mine", value="no_such_module_at_all", group="discreet")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [broken])
    monkeypatch.setattr(plugins, "_entry_points_loaded", False)
    with pytest.raises(DiscreetError, match=r"the plugin mine \(no_such_module_at_all\) cannot be"):
        load_plugins()
    assert not plugins._is_loading
    monkeypatch.setattr(plugins, "entry_points", lambda group: [])
    load_plugins()


def test_a_command_has_one_target(monkeypatch):
    monkeypatch.setattr(plugins, "_commands", {})
    register_command("hello", "some.module:hello", short_help="Say hello.")
    register_command("hello", "some.module:hello", short_help="Say hello.")
    assert plugin_commands()["hello"].short_help == "Say hello."
    with pytest.raises(DiscreetError, match=r"^name is 'hello', but some.module:hello is already"):
        register_command("hello", "another.module:hello", short_help="")
    for target in ("some.module", ":hello", "some.module:"):
        with pytest.raises(DiscreetError, match="must be 'module:attribute'"):
            register_command("other", target, short_help="")


def test_help_lists_commands_of_plugins_without_importing_them():
    code = (
        "import sys; from discreet.cli import run; code = run(['--help']); print(code, sorted(m "
        "for m in sys.modules if m.startswith('discreet_papers.cli')))"
    )
    said = run(code)
    assert said.endswith("0 []")
    for words in ("reproduce ", "errata ", "counters ", "Compare running sums"):
        assert words in said
