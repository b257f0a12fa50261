"""Attack the numbers that a service releases, over HTTP: no more than its epsilon is found."""

from __future__ import annotations

import numpy as np
from serving import BANDIT, PUBLIC, WAITING, serving

from discreet.auditing.bounds import attacked

BATCH, AT_ONCE, TRIALS = 2, 500, 1500
CONFIDENCE = 1.0 - 1e-6  # live noise has no seed: the rate of false alarms is 1e-6


def releases_of(client, run, reward, batches):
    """Play batches, in each of which the first outcome is ``reward``; return what is released."""
    path = f"/v1/runs/{run}"
    before = client.service.host.get(run).live.state().released
    given = client.post(f"{path}/decisions", {"count": BATCH * batches}).json()["decisions"]
    told = [
        {"id": each["id"], "reward": 0.0 if place % BATCH else reward}
        for place, each in enumerate(given)
    ]
    client.post(f"{path}/outcomes", {"outcomes": told})
    found = client.get(f"{path}/releases?after={before}&limit=1000").json()["releases"]
    assert [each["size"] for each in found] == [BATCH] * batches
    return np.array([each["value"] for each in found])


def found_epsilon(client, epsilon):
    """Return the epsilon that an attack on released numbers finds."""
    spec = BANDIT | PUBLIC | {"batch_size": BATCH, "horizon": 100_000, "epsilon": epsilon}
    for neighbour in (0, 1):
        assert client.put(f"/v1/runs/e{epsilon}-{neighbour}", spec).status_code == 201

    def sample(neighbour, trials, series):
        return releases_of(client, f"e{epsilon}-{neighbour}", float(neighbour), trials)

    return attacked(
        sample, TRIALS, delta=0.0, gaussian=False, confidence=CONFIDENCE, at_once=AT_ONCE
    )


def test_released_numbers_show_no_more_than_is_claimed(tmp_path):
    with serving(tmp_path) as client:
        assert found_epsilon(client, 1.0) <= 1.0
        # the attack is strong enough to find eight times as much
        assert found_epsilon(client, 8.0) > 1.0


def test_late_and_repeated_outcomes_are_answered_as_specified(tmp_path):
    with serving(tmp_path) as client:
        client.put("/v1/runs/r", BANDIT | WAITING)
        live, now = client.service.host.get("r").live, [1e9]
        live._run._clock = lambda: now[0]
        given = [client.put(f"/v1/runs/r/decisions/{each}").json() for each in range(2)]
        paths = [f"/v1/runs/r/decisions/{each['id']}/outcome" for each in given]

        def tell(place, reward, **more):
            found = client.put(paths[place], {"reward": reward, **more})
            return found.status_code, found.content

        def several():
            outcomes = [{"id": each["id"], "reward": 0.5} for each in given]
            found = client.post("/v1/runs/r/outcomes", {"outcomes": outcomes})
            return found.json()["results"]

        first = tell(0, 1.0, token=given[0]["token"])
        assert first == (204, b"")
        assert tell(0, 0.0) == first  # repeated: the value is not compared
        told = live._run._store.rows.outcomes[0]
        now[0] += 3601.0
        assert tell(0, 1.0) == first  # late and repeated
        assert tell(1, 1.0) == first  # late
        assert several() == [{"id": 0, "status": 204}, {"id": 1, "status": 204}]
        client.wait(client.service.timers.release())
        assert tell(1, 1.0) == first  # counted as the default
        assert live.plan.is_told(told)
        assert client.put("/v1/runs/r/decisions/2/outcome", {"reward": 1.0}).status_code == 404
