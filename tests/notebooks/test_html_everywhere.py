"""Everything that a user computes has a view for notebooks; nothing raw is in it."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from test_html import BAD, read

import discreet
from discreet import Bandit, Device, Ledger, LocalServer, Log, algorithm, evaluate, stress
from discreet.auditing.durations import DurationAudit
from discreet.client.reading import RemoteFacts
from discreet.client.remote import RemoteRun
from discreet.client.remote_async import AsyncRun
from discreet.live.study_report import report_on
from discreet.logs import release_evaluation
from discreet.logs.evaluation import NOT_PRIVATE

LOG = {"item_id": [BAD, "b"] * 50, "click": [1, 0] * 50, "propensity_score": [0.5] * 100}
INPUTS = {  # values that users write down themselves, and plain tuples with names
    *("Contender", "Decision", "Features", "LiveRun", "OnDevice", "Private", "Progress"),
    *("Range", "Setting"),
}


def test_every_public_class_is_shown_or_an_input():
    public = {name: getattr(discreet, name) for name in discreet.__all__}
    classes = {
        name: each
        for name, each in public.items()
        if inspect.isclass(each) and not issubclass(each, Exception)
    }
    without = {name for name, each in classes.items() if "_repr_html_" not in dir(each)}
    assert without == INPUTS


def test_devices_and_their_server():
    terms = {"dimension": 3, "epsilon": 2.0}
    server, device = LocalServer(horizon=100, **terms), Device(**terms)
    assert {"features", "3", "reports", "0"} <= set(read(server._repr_html_()))
    before = read(device._repr_html_())
    device.update(server.model())
    device.choose(np.eye(3)[:2])
    after = read(device._repr_html_())
    assert "none is open" in before
    assert "open" in after
    assert str(device.guarantee) in after


@pytest.mark.parametrize("kind", [RemoteRun, AsyncRun])
def test_runs_on_a_service(kind):
    run = object.__new__(kind)
    link = type("Link", (), {"address": type("Address", (), {"url": "http://service"})})
    guarantee = algorithm("exp3-gain").build().guarantee
    run._link, run._facts = link, RemoteFacts(BAD, "bandit", "exp3", guarantee, (), {})
    texts = read(run._repr_html_())
    assert texts[0] == f"{kind.__name__} at http://service"
    assert BAD in texts


def test_logs_and_their_evaluations():
    log = Log.read(LOG)
    assert {"rows", "100", "arms", "2"} <= set(read(log._repr_html_()))
    found = evaluate(log, "uniform")
    texts = read(found._repr_html_())
    assert {"IPS", "SNIPS", "DR", NOT_PRIVATE} <= set(texts)
    ledger = Ledger(1.0)
    released = release_evaluation(
        Log.read(LOG, arms=[BAD, "b"]), "arm=b", epsilon=0.5, max_weight=2.0, ledger=ledger
    )
    texts = read(released._repr_html_())
    assert texts[0] == str(released)
    assert texts[0].startswith("IPS of policy arm=b, released with noise of scale")
    assert {"ε = 1, δ = 0", "ε = 0.5, δ = 0", "1"} <= set(read(ledger._repr_html_()))
    ledger.close()
    assert any("closed" in text for text in read(ledger._repr_html_()))


def test_stress_and_durations():
    found = stress("uniform", arms=2, rounds=64, tries=2, trials=4)
    assert read(found._repr_html_())[0] == str(found)
    measured = DurationAudit(
        name=BAD,
        lower_bound=0.0,
        reach=3.0,
        confidence=0.99,
        trials=100,
        attack="tell",
        medians=(900.0, 901.0),
        seed=1,
        seconds=0.1,
    )
    assert read(measured._repr_html_())[0] == str(measured)


def test_algorithms():
    known = algorithm("batched-exp3")
    assert read(known._repr_html_())[0] == f"batched-exp3: {known.title}"
    assert str(known.build().guarantee) == read(known.build()._repr_html_())[0]


def test_the_report_of_a_run(tmp_path):
    path = tmp_path / "run.db"
    bandit = Bandit([BAD, "b"], 40, 1.0, path=path, algorithm="best", simulation=True, seed=1)
    for _ in range(40):
        bandit.tell(bandit.ask(), reward=1.0)
    bandit.close()
    texts = read(report_on(path)._repr_html_())
    assert texts[0] == "Study report: run.db"
    assert BAD in " ".join(texts)
