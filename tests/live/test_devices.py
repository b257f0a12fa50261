"""Devices and their server as programs: small messages, refusals without effect, and nothing that
stays.
"""

from __future__ import annotations

import copy
import math
import os
import pickle
import sys
import threading

import numpy as np
import pytest

import discreet
from componentjit import arrays
from discreet import BudgetExceeded, Device, DiscreetError, Ledger, LocalServer
from discreet.live.messages import HEAD

NUMBERS = {"dimension": 3, "epsilon": 2.0}
CONTEXTS = [[0.5, 0.0, 0.1], [0.0, 0.9, 0.0], [0.2, 0.2, 0.2]]


def pair(algorithm="local-greedy", **more):
    server = LocalServer(**NUMBERS, horizon=1000, algorithm=algorithm, **more)
    device = Device(**NUMBERS, algorithm=algorithm)
    device.update(server.model())
    return server, device


def state(server):
    return [array.tobytes() for _, array in arrays(server._server)]


@pytest.mark.parametrize("algorithm", ["local-greedy", "local-linucb"])
def test_a_round_is_chosen_reported_and_forgotten(algorithm):
    server, device = pair(algorithm)
    assert device.guarantee.epsilon == 2.0
    assert device.guarantee.model == "local"
    assert device.choose(CONTEXTS) in (0, 1, 2)
    message = device.report(reward=1.0)
    assert len(message) <= 64
    before = state(server)
    assert server.receive(message) == 1
    assert state(server) != before
    with pytest.raises(
        DiscreetError, match="no round is open: call choose first, and report each round once"
    ):
        device.report(reward=1.0)
    assert device._open is None


def test_reports_say_nothing_but_task_version_and_payload():
    server, device = pair()
    messages = []
    for reward in (0.0, 1.0):
        device.choose(CONTEXTS)
        messages.append(device.report(reward=reward))
    assert messages[0][: HEAD.size] == messages[1][: HEAD.size]
    assert {len(message) for message in messages} == {HEAD.size + 17}
    assert server.reports == 0


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda message: message[:-1], "the report has 31 bytes, but must have 32"),
        (lambda message: message + bytes(100), "the report has 132 bytes"),
        (lambda message: b"dm" + message[2:], "the message is not a report"),
        (
            lambda message: message[:2] + b"\x09" + message[3:],
            "the report has format 9, but this version reads format 1",
        ),
        (
            lambda message: message[:3] + bytes(8) + message[11:],
            "the report belongs to another task",
        ),
        (
            lambda message: message[:11] + b"\x07\0\0\0" + message[15:],
            "about version 7 of the model, but versions",
        ),
        (
            lambda message: message[:-1] + b"\x02",
            "the last byte of the report is 2, but must be 0 or 1",
        ),
        (lambda message: "text", "the report is 'text', but must be bytes"),
    ],
)
def test_bad_reports_are_refused_without_effect(spoil, complaint):
    server, device = pair()
    device.choose(CONTEXTS)
    message = device.report(reward=0.5)
    before, published = state(server), server.model()
    with pytest.raises(DiscreetError, match=complaint):
        server.receive(spoil(message))
    assert state(server) == before
    assert server.model() == published
    assert server.receive(message) == 1


def test_no_changed_byte_passes_for_another_task_version_or_format():
    """Every byte of a report, changed in three ways: what is not in the payload is refused, without
    effect.
    """
    server, device = pair()
    device.choose(CONTEXTS)
    message = device.report(reward=0.5)
    for place in range(len(message)):
        for change in (0x01, 0x80, 0xFF):
            spoiled = message[:place] + bytes([message[place] ^ change]) + message[place + 1 :]
            before, count = state(server), server.reports
            if HEAD.size <= place < HEAD.size + 16 or (
                place == len(message) - 1 and change == 0x01
            ):
                # another seed or bit: a report that could have been sent
                assert server.receive(spoiled) == count + 1
                server = LocalServer(**NUMBERS, horizon=1000)
            else:
                with pytest.raises(DiscreetError):
                    server.receive(spoiled)
                assert (state(server), server.reports) == (before, count)


@pytest.mark.parametrize("algorithm", ["local-greedy", "local-linucb"])
@pytest.mark.parametrize("number", [1e308, -1e308, 1e-320])
def test_a_device_reports_whatever_a_server_publishes(algorithm, number):
    """A model of extreme numbers costs no more than epsilon: the report is one of those that there
    are.
    """
    server, device = pair(algorithm)
    numbers = (len(server.model()) - HEAD.size) // 8
    device.update(server.model()[: HEAD.size] + np.full(numbers, number).tobytes())
    assert device.choose(CONTEXTS) in (0, 1, 2)
    assert server.receive(device.report(reward=1.0)) == 1
    assert all(np.isfinite(array).all() for _, array in arrays(server._server))


def test_contexts_of_any_size_are_shortened():
    server, device = LocalServer(**NUMBERS, horizon=1000), Device(**NUMBERS, clip=True)
    device.update(server.model())
    device.choose([[1e308, -1e308, 1e308], [1e-320, 0.0, 0.0]])
    assert np.isfinite(device._open.features).all()
    assert np.linalg.norm(device._open.features) <= 1.0 + 1e-12
    assert server.receive(device.report(reward=1.0)) == 1


def test_a_report_counts_once_and_not_for_ever():
    server, device = pair(lag=2)
    device.choose(CONTEXTS)
    first = device.report(reward=0.5)
    device.choose(CONTEXTS)
    late = device.report(reward=0.5)
    server.receive(first)
    with pytest.raises(
        DiscreetError, match="this report was received before: each report counts once"
    ):
        server.receive(first)
    for _ in range(2):
        device.update(server.model())
        device.choose(CONTEXTS)
        server.receive(device.report(reward=0.1))
    server.model()
    before = state(server)
    with pytest.raises(
        DiscreetError, match="about version 0 of the model, but versions 2 to 3 are accepted"
    ):
        server.receive(late)
    assert state(server) == before


def test_models_of_another_task_are_refused():
    server, device = pair()
    for other in (
        LocalServer(dimension=3, epsilon=1.0, horizon=1000),
        LocalServer(dimension=3, epsilon=2.0, horizon=1000, high=2.0),
        LocalServer(dimension=3, epsilon=2.0, horizon=1000, norm=2.0),
    ):
        with pytest.raises(DiscreetError, match="the model belongs to another task"):
            device.update(other.model())
    with pytest.raises(DiscreetError, match="the model has 79 bytes, but must have 63"):
        device.update(LocalServer(dimension=4, epsilon=2.0, horizon=1000).model())
    broken = server.model()[: HEAD.size] + np.full(6, np.nan).tobytes()
    with pytest.raises(DiscreetError, match="the model has entries that are not finite"):
        device.update(broken)


@pytest.mark.parametrize(
    ("contexts", "complaint"),
    [
        (
            [[0.1, 0.2, 0.3]],
            r"contexts has the shape \(1, 3\), but must have at least 2 rows of 3 features",
        ),
        ([[0.1, 0.2], [0.3, 0.4]], r"contexts has the shape \(2, 2\)"),
        (
            [[math.nan, 0.0, 0.0], [0.0, 0.0, 0.0]],
            "contexts has entries that are not finite numbers",
        ),
        (
            [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
            "a context is longer than the declared norm 1: declare a larger norm, or use clip=True",
        ),
        ("contexts", "contexts must be a numeric table"),
    ],
)
def test_bad_contexts_are_refused(contexts, complaint):
    _, device = pair()
    with pytest.raises(DiscreetError, match=complaint):
        device.choose(contexts)


def test_what_is_too_long_is_clipped_as_asked():
    server = LocalServer(**NUMBERS, horizon=1000)
    device = Device(**NUMBERS, clip=True)
    device.update(server.model())
    device.choose([[20.0, 0.0, 0.0], [0.0, 0.1, 0.0]])
    assert np.linalg.norm(device._open.features) <= 1.0 + 1e-12
    assert server.receive(device.report(reward=7.0)) == 1


def test_a_device_pays_from_its_own_ledger_before_it_reports():
    server = LocalServer(**NUMBERS, horizon=1000)
    device = Device(**NUMBERS, ledger=Ledger(4.0))
    device.update(server.model())
    for _ in range(2):
        device.choose(CONTEXTS)
        server.receive(device.report(reward=1.0))
    device.choose(CONTEXTS)
    with pytest.raises(BudgetExceeded):
        device.report(reward=1.0)
    with pytest.raises(DiscreetError, match="no round is open"):
        device.report(reward=1.0)


def test_bad_numbers_and_orders_are_refused():
    device = Device(**NUMBERS)
    with pytest.raises(DiscreetError, match="there is no model yet"):
        device.choose(CONTEXTS)
    with pytest.raises(
        DiscreetError,
        match="algorithm is 'exp3', but must be one for devices: local-greedy, local-linucb",
    ):
        Device(**NUMBERS, algorithm="exp3")
    with pytest.raises(DiscreetError, match="ledger is 3, but must be a Ledger"):
        Device(**NUMBERS, ledger=3)
    _, device = pair()
    device.choose(CONTEXTS)
    with pytest.raises(DiscreetError, match="the reward is outside the declared range"):
        device.report(reward=3.0)
    device.choose(CONTEXTS)
    for twin in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(
            DiscreetError,
            match=r"a Device cannot be copied or pickled.*: create one in each program",
        ):
            twin(device)
    assert "0.5" not in repr(device)


@pytest.mark.slow
def test_the_server_learns_what_devices_do_not_tell():
    """3,000 reports at epsilon 10: the better feature is found in all but one of 10^4 runs."""
    server = LocalServer(dimension=2, horizon=3000, epsilon=10.0)
    device, rng = Device(dimension=2, epsilon=10.0), np.random.default_rng(1)
    for _ in range(3000):
        device.update(server.model())
        contexts = rng.uniform(-0.7, 0.7, (3, 2))
        arm = device.choose(contexts)
        server.receive(device.report(reward=float(rng.random() < 0.5 + 0.5 * contexts[arm, 0])))
    assert server.estimate[0] > 3.0 * abs(server.estimate[1])


def test_names_are_public():
    assert discreet.Device is Device
    assert discreet.LocalServer is LocalServer


@pytest.mark.parametrize("reward", [1234.5, "1234.5", math.nan, None, [1234.5]])
def test_no_message_about_an_outcome_shows_it(reward):
    _, device = pair()
    device.choose(CONTEXTS)
    assert "hidden" in repr(device._open)
    with pytest.raises(
        DiscreetError, match=r"^the reward is (not|of type \w+, but must be|outside the) [\w ]+[.;]"
    ) as refused:
        device.report(reward=reward)
    assert "1234" not in str(refused.value)
    assert refused.value.__context__ is None
    assert device._open is None


@pytest.mark.parametrize(
    "contexts", [[[1234.5, 0.0, 0.0], [0.0, 0.0, 0.0]], [["1234.5x", 0.0, 0.0], [0.0, 0.0, 0.0]]]
)
def test_no_message_about_contexts_shows_them(contexts):
    _, device = pair()
    with pytest.raises(DiscreetError) as refused:
        device.choose(contexts)
    assert "1234" not in str(refused.value)
    assert refused.value.__context__ is None


def test_one_of_many_threads_reports_a_round():
    """Threads are switched as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        _, device = pair()
        for _ in range(50):
            device.choose(CONTEXTS)
            start, reports, refusals = threading.Barrier(4), [], []

            def report(start=start, reports=reports, refusals=refusals):
                start.wait()
                try:
                    reports.append(device.report(reward=0.5))
                except DiscreetError as error:
                    refusals.append(str(error))

            threads = [threading.Thread(target=report) for _ in range(4)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
            assert (len(reports), len(refusals)) == (1, 3)
    finally:
        sys.setswitchinterval(before)


def test_a_fork_does_not_report_a_round_again():
    _, device = pair()
    device.choose(CONTEXTS)
    child = os.fork()
    if child == 0:
        try:
            device.report(reward=0.5)
        except DiscreetError as error:
            os._exit(7 if "belongs to another process" in str(error) else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert len(device.report(reward=0.5)) == 32
