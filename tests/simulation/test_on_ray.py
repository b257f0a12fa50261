"""A cluster of two local nodes: the same numbers, also when workers and nodes die."""

from __future__ import annotations

import functools
import os
import socket
import warnings

import pytest

from discreet import DiscreetError, search, simulate
from discreet.environments import environment
from discreet.plugins import VARIABLE, load_plugin
from discreet.problems import Arms
from discreet.simulation import parts
from discreet.simulation.on_ray import check_answers
from discreet_papers.reproduce.games import Entrant, SweepGame, play_game
from discreet_papers.reproduce.registry import SweepPlan

pytestmark = [pytest.mark.slow, pytest.mark.long]
START = 180  # seconds: a node needs up to 30, and far more where others use the cores
DEADLY = """
import os, pathlib, signal
from discreet.environments import register_environment
from discreet.environments.arms.stochastic import Stochastic
from discreet.problems import Arms

@register_environment(
    "deadly", title="kills the worker that deals it for the third time", problem=Arms
)
class Deadly(Stochastic):
    folder: str = ""
    def deal(self, start, stop, rng):
        places = pathlib.Path(self.folder)
        for number in range(1, 4) if self.folder else ():  # harmless unless told where to count
            try:
                (places / f"{number}").touch(exist_ok=False)
            except FileExistsError:
                continue
            (places / f"by-{number}").write_text(str(os.getpid()))
            if number == 3:
                os.kill(os.getpid(), signal.SIGKILL)
            break
        return super().deal(start, stop, rng)

@register_environment("far", title="losses that nobody declared", problem=Arms)
class Far(Stochastic):
    def deal(self, start, stop, rng):
        return super().deal(start, stop, rng).rescaled(2.0, 1.0)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Start a cluster, with a module from outside of the package on every node."""
    plugin = tmp_path_factory.mktemp("plugin") / "deadly.py"
    plugin.write_text(DEADLY)
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_raylet_start_wait_time_s", str(START))
        # nodes are in the process group of the tests
        patch.setenv("RAY_process_group_cleanup_enabled", "0")
        patch.setenv(VARIABLE, str(plugin))
        load_plugin(str(plugin))
        import ray
        from ray.cluster_utils import Cluster

        nodes = Cluster(
            initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
        )
        nodes.add_node(num_cpus=1)
        nodes.wait_for_nodes(timeout=START)
        ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
        yield nodes
        ray.shutdown()
        nodes.shutdown()


play = functools.partial(simulate, ["exp3", "batched-exp3"], rounds=300, trials=24, seed=3)


def test_numbers_are_those_of_threads(cluster):
    seen = []
    there = play(on="ray", progress=lambda done, asked: seen.append((done, asked)))
    here = play()
    assert there.regret.tobytes() == here.regret.tobytes()
    assert there.loss.tobytes() == here.loss.tobytes()
    assert there.trials.tolist() == list(range(24))
    assert list(dict.fromkeys(seen)) == [(done, 24) for done in range(25)]


def test_a_worker_that_dies_is_replaced_and_nothing_is_counted_twice(cluster, tmp_path):
    """A module from outside kills its worker in the middle of a task, once."""
    places = tmp_path / "places"
    places.mkdir()
    deadly = environment("deadly", Arms(4), rounds=300)._replace(folder=str(places))
    there = play(environment=deadly, on="ray")
    assert (places / "by-3").read_text() != str(os.getpid()), "it was another process that died"
    assert there.trials.tolist() == list(range(24))
    assert there.regret.tobytes() == play().regret.tobytes()


def test_results_in_parts_are_the_same_files_and_go_on(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "ROWS", 1000)

    def interrupt(done, asked):
        if done == 13:
            raise KeyboardInterrupt

    play(output=tmp_path / "here")
    with pytest.raises(KeyboardInterrupt):
        play(on="ray", output=tmp_path / "there", progress=interrupt)
    play(on="ray", output=tmp_path / "there", resume=True)
    here, there = (
        {path.name: path.read_bytes() for path in (tmp_path / name / parts.FOLDER).glob("part-*")}
        for name in ("here", "there")
    )
    assert len(here) == 4
    assert here == there


@pytest.mark.full
def test_searches_and_reproductions_are_played_there_too(cluster):
    look = functools.partial(
        search, "track-and-stop", arms=3, options={"gap": 0.3}, trials=6, seed=1
    )
    assert look(on="ray").samples.tobytes() == look().samples.tobytes()
    players = (Entrant(algorithm="exp3"), Entrant(algorithm="batched-exp3", epsilon=1.0))
    game = SweepGame(
        part="one", environment="stochastic", problem=Arms(4), rounds=300, players=players
    )
    there, here = (
        play_game(game, SweepPlan(trials=4, rounds=300, on=on)).results for on in ("ray", "threads")
    )
    assert there.regret.tobytes() == here.regret.tobytes()


@pytest.mark.full
def test_compiled_code_is_found_in_the_cache(cluster):
    """A worker that has just begun loads what another process of its node has compiled."""
    import ray

    def fresh():
        from componentjit.compiling import _dispatchers
        from componentjit.lanes.program import Program, _found
        from discreet import simulate

        simulate(["exp3", "kl-ucb"], rounds=300, trials=1, workers=1)  # side by side, and singly
        stats = [
            version.stats for each in _dispatchers.values() for version in each.versions.values()
        ]
        written = [found for found in _found.values() if isinstance(found, Program) and found.text]
        return sum(len(each.cache_misses) for each in stats), len(written), len(stats) + len(_found)

    simulate(["exp3", "kl-ucb"], rounds=300, trials=1, workers=1)
    own_process = {"env_vars": {"DISCREET_TEST": "a process of its own"}}
    missed, written, found = ray.get(ray.remote(fresh).options(runtime_env=own_process).remote())
    assert missed == written == 0
    assert found >= 2


def test_what_goes_wrong_in_a_worker_is_one_sentence_here(cluster):
    with pytest.raises(
        DiscreetError,
        match=r"^round 1, arm 1: the loss is [23].*, but the declared range is 0 to 1;",
    ):
        play(environment="far", on="ray")


@pytest.mark.full
def test_a_node_that_dies_is_done_without(cluster):
    """The second node is killed; the other plays its tasks. The last test: it is gone."""

    def kill(done, asked):
        if done == 10 and len(cluster.worker_nodes):
            cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)

    there = play(trials=400, on="ray", progress=kill)
    assert not cluster.worker_nodes
    assert there.trials.tolist() == list(range(400))
    assert there.regret.tobytes() == play(trials=400).regret.tobytes()


def test_an_address_where_nobody_answers_is_refused_at_once():
    with socket.socket() as taken:  # and not listening
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(
            DiscreetError, match=rf"^RAY_ADDRESS is {address}, but no Ray cluster answers there"
        ):
            check_answers(address)
        taken.listen()
        check_answers(address)
    for elsewhere in ("", "auto", "local", "ray://head:10001"):
        check_answers(elsewhere)
