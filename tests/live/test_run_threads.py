"""Threads that tell one live run: one at a time, whatever the schedule."""

from __future__ import annotations

import contextlib
import sys
import threading

import numpy as np
import pytest
from makers import UNIT, Recorder, run_of

from discreet import Guarantee, Private, channels
from discreet.contracts import Noise
from discreet.factorisations import Tree
from discreet.mechanisms import Laplace
from discreet.sets import Box


@contextlib.contextmanager
def eager_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


class Loud(Noise):
    """Noise that says what it gets, and lets all other threads in before it answers: the worst
    schedule.
    """

    compiles = False

    got: list

    def pause(self):
        for _ in range(3):
            threading.Event().wait(0.0)

    def guarantee(self, sensitivity, *, model, source):
        return Guarantee.none("a test")

    def add_noise(self, value, rng):
        self.pause()
        self.got.append(value)
        self.pause()
        return value + 1000.0

    def perturb(self, vector, rng):
        self.pause()
        self.got.append(vector.copy())
        vector += 1000.0
        self.pause()


def with_noise(channel, noise):
    return channel._replace(noise=noise)


def at_once(work, threads=6):
    failures = []

    def guarded():
        try:
            work()
        except BaseException as failure:
            failures.append(failure)

    workers = [threading.Thread(target=guarded) for _ in range(threads)]
    with eager_threads():
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert failures == []


def test_threads_that_tell_one_running_sum_release_no_raw_vector_and_lose_none():
    """An unguarded tree, told by six threads, released what another thread had just written into
    its buffers.
    """
    noise, heard = Loud([]), []
    tree = channels.RunningSum.over(Box([0.0, 0.0], [1.0, 1.0]), Laplace(1.0), Tree, prefixes=1000)
    run = run_of(Private(with_noise(tree, noise), Recorder(heard)))
    losses = iter([np.array([k / 512.0, 1.0 - k / 512.0]) for k in range(120)])
    next_loss = threading.Lock()

    def work():
        for _ in range(20):
            ticket = run.ask()
            with next_loss:
                loss = next(losses)
            run.tell(ticket, loss)

    at_once(work)
    assert run.state().released == len(heard) == 120
    assert all((each >= 1000.0).all() for each in heard), "each release has noise"
    digits = bin(120).count("1")
    total = sum(k / 512.0 for k in range(120))
    assert heard[-1] - 1000.0 * digits == pytest.approx([total, 120.0 - total], rel=1e-12)


def test_threads_that_tell_batches_add_up_every_outcome_once():
    noise, heard = Loud([]), []
    batch = channels.Batch.laplace(size=5, epsilon=1.0, bounds=UNIT)
    run = run_of(Private(with_noise(batch, noise), Recorder(heard)))
    told = []

    def work():
        tickets = [run.ask() for _ in range(20)]
        for ticket in tickets[::-1]:
            loss = (ticket.id % 64) / 64.0
            run.tell(ticket, loss)
            told.append(loss)

    at_once(work)
    assert run.state() == (120, 10_000, {0: 1.0}, 24, 0, 0, 0)
    assert sum(noise.got) == sum(told), "all are multiples of 1/64: the sums are exact"
    assert all(each >= 1000.0 / 5 for each in heard)
    for first in range(0, 120, 5):
        assert sum(k % 64 for k in range(first, first + 5)) / 64.0 in noise.got
