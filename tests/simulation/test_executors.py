"""Where trials are played: each is counted once, whatever the order in which tasks end."""

from __future__ import annotations

import functools
import itertools
import pickle
import random
import sys
import threading

import numpy as np
import pytest

from componentjit import being_compiled, compile_for, compiling_for
from discreet import Contender, DiscreetError, Private, Range, simulate
from discreet.channels import Open
from discreet.environments.arms.stochastic import Stochastic
from discreet.learners import Uniform
from discreet.simulation import on_ray
from discreet.simulation.executors import Executor, JobSession, TaskResult, Threads, executor, run


class Squares:
    """A job that is done at once."""

    def compile(self):
        pass

    def at_once(self):
        return 1

    def play(self, trials, stop):
        return [trial**2 for trial in trials]


class Shuffled(JobSession):
    """Ends tasks in any order, some of them together; tells how large they were."""

    def __init__(self, seconds, slots=3):
        self.task_seconds = 1.0
        self.rng, self.seconds, self.sizes, self.closed = random.Random(7), seconds, [], False
        self.places, self.most = slots, 0

    def prepare(self):
        return None

    def slots(self):
        return self.places

    def submit(self, trials):
        self.sizes.append(len(trials))
        return trials

    def done(self, running):
        self.most = max(self.most, len(running))
        return self.rng.sample(list(running), self.rng.randint(0, len(running)))

    def result(self, task):
        return TaskResult(Squares().play(task, None), self.seconds * len(task))

    def close(self):
        self.closed = True


@pytest.mark.parametrize("todo", [[range(100)], [range(3), range(7, 8), range(20, 77)], []])
def test_every_trial_is_counted_once(todo):
    session = Shuffled(seconds=0.01)
    found = list(run(session, todo, lambda: None))
    assert sorted(found) == [(trial, trial**2) for trial in itertools.chain(*todo)]
    assert session.closed
    assert session.most <= 6, "no more tasks wait than keep everybody busy"


def test_tasks_grow_until_they_take_about_a_second():
    session = Shuffled(seconds=0.01)
    list(run(session, [range(5000)], lambda: None))
    assert session.sizes[0] == 1
    assert 50 <= max(session.sizes) <= 100
    slow = Shuffled(seconds=3.0)
    list(run(slow, [range(50)], lambda: None))
    assert set(slow.sizes) == {1}
    together = Shuffled(seconds=3.0)
    together.at_once = lambda: 16
    list(run(together, [range(64)], lambda: None))
    assert set(together.sizes) == {16}


def test_an_interrupt_closes_the_session():
    session = Shuffled(seconds=0.01)

    def beat():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(run(session, [range(1000)], beat))
    assert session.closed


def test_places_have_names():
    assert executor("threads", workers=3).threads == 3
    assert type(executor("threads", workers=np.int8(3)).threads) is int
    assert repr(executor("ray", workers=None)) == "RayCluster()"
    mine = Threads(1)
    assert executor(mine, workers=None) is mine
    with pytest.raises(
        DiscreetError,
        match=r"^unknown executor 'rey': did you mean 'ray'\? Choose from ray, threads\.$",
    ):
        simulate("exp3", on="rey")
    with pytest.raises(
        DiscreetError, match=r"^on is 3, but must be 'threads', 'ray' or an Executor\.$"
    ):
        simulate("exp3", on=3)


def test_a_place_of_ones_own_plays_the_same_numbers():
    class Backwards(JobSession):
        task_seconds = 1.0

        def __init__(self, job):
            self.job = pickle.loads(pickle.dumps(job))  # as another machine would have it

        def prepare(self):
            return None

        def slots(self):
            return 2

        def submit(self, trials):
            return trials

        def done(self, running):
            return [list(running)[-1]]

        def result(self, task):
            return TaskResult(self.job.play(task, threading.Event()), 0.0)

        def close(self):
            pass

    class Place(Executor):
        def begin(self, job):
            return Backwards(job)

    play = functools.partial(simulate, ["exp3", "batched-exp3"], rounds=200, trials=11, seed=3)
    assert play(on=Place()).regret.tobytes() == play().regret.tobytes()


class Mine(Stochastic):
    """An environment of this module."""


def local():
    class Hidden(Uniform):
        pass

    return Hidden


@pytest.mark.parametrize("where", ["__main__", "function"])
def test_what_other_machines_cannot_find_is_refused_in_one_sentence(where, monkeypatch):
    kind = Mine if where == "__main__" else local()
    if where == "__main__":
        monkeypatch.setattr(Mine, "__module__", "__main__")
        job = (kind(4),)
        complaint = (
            r"^Mine is defined in __main__, which other machines cannot import: put it into a "
            r"module .* DISCREET_PLUG"
        )
    else:
        job = Contender(label="mine", private=Private(Open(Range(0.0, 1.0)), kind(4)))
        complaint = (
            r"^the game cannot be sent to other machines \(.*Hidden.*\): put it into a module "
            r"that every node"
        )
    with pytest.raises(DiscreetError, match=complaint):
        on_ray.pack(job)


def test_a_node_says_what_it_lacks(monkeypatch):
    parcel = on_ray.pack(Squares())
    assert isinstance(on_ray.unpack(parcel), Squares)
    with pytest.raises(
        DiscreetError,
        match=r"^a node of the cluster has another version of discreet, .* install the same",
    ):
        on_ray.unpack(parcel._replace(sources="other"))
    elsewhere = parcel._replace(job=parcel.job.replace(__name__.encode(), b"x" * len(__name__)))
    with pytest.raises(
        DiscreetError, match=r"^a node of the cluster has no module x+: put it into a module"
    ):
        on_ray.unpack(elsewhere)
    nowhere = parcel._replace(job=parcel.job.replace(b"Squares", b"Spheres"))
    with pytest.raises(
        DiscreetError, match=r"^a node of the cluster cannot load the game \(.*Spheres"
    ):
        on_ray.unpack(nowhere)


def test_ray_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(
        DiscreetError, match=r"^on='ray' needs Ray: pip install 'discreet\[cluster\]'\.$"
    ):
        simulate("exp3", rounds=10, trials=1, on="ray")


def test_who_waits_for_the_compiler_is_known():
    """While another thread compiles, others see for what; afterwards nothing."""
    fresh = eval("lambda x: x + 1.0")  # has no file, so that it is not found in a cache

    def compile_it():
        with compiling_for("somebody"):
            compile_for(fresh)(2.0)

    worker = threading.Thread(target=compile_it)
    seen = set()
    worker.start()
    while worker.is_alive():
        seen.add(being_compiled())
    worker.join()
    assert "somebody" in seen
    assert being_compiled() is None
