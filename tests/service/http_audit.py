"""Attack a service over HTTP: does anything that it shows tell whether one person answered?

With ``wait`` it must not matter whether and when somebody answers. One person answers with the
default value in time, or too late, or never; silence counts as the default. All that the service
shows at fixed times, to anyone who may read it, must be the same in the three worlds: runs,
releases, history, open decisions, metrics and logs; and so must be the answers to somebody else
who tells the same outcome again. The person's own answer must not tell in time from late.
"""

from __future__ import annotations

import functools
import io
import itertools
import logging
import re
from typing import NamedTuple

import numpy as np
from serving import BANDIT

from discreet.auditing.bounds import CONFIDENCE, Tally, epsilon_bound
from discreet.service.logs import LOGGER
from discreet.service.settings import Settings

EPSILON, WAIT, ROUNDS = 0.1, 100.0, 5
SPEC = BANDIT | {"epsilon": EPSILON, "batch_size": 2, "wait": WAIT, "default_reward": 0.0}
WORLDS = ("in time", "late", "silent")
START = 1e9
BY_HAND = Settings(rate=0.0, open_rate=0.0, release_every=1e6)  # timers that only a play calls


class Plan(NamedTuple):
    """When things happen in one play; ``probe`` is when somebody else tells the same again."""

    told: tuple[float, ...]  # after each decision; infinity for silence
    target: int
    probe: float  # after the target's decision
    looks: tuple[float, ...]

    @classmethod
    def draw(cls, rng):
        told = rng.choice([5.0, 40.0, 150.0, np.inf], size=ROUNDS, p=[0.5, 0.3, 0.1, 0.1])
        looks = np.sort(rng.uniform(5.0, 250.0, 3))
        return cls(
            tuple(told), int(rng.integers(ROUNDS)), float(rng.choice([60.0, 120.0])), tuple(looks)
        )

    def events(self, world):
        """Return events in order of time: ask, tell, probe, timer, look, and for whom."""
        asked = [10.0 * each for each in range(ROUNDS)]
        found = [(at, 0, "ask", number) for number, at in enumerate(asked)]
        for number, delay in enumerate(self.told):
            if number != self.target and delay < np.inf:
                found.append((asked[number] + delay, 1, "tell", number))
        own = {"in time": 3.0, "late": 130.0, "silent": np.inf}[world]
        if own < np.inf:
            found.append((asked[self.target] + own, 1, "own", self.target))
        found.append((asked[self.target] + self.probe, 2, "probe", self.target))
        found += [(at, 3, "timer", 0) for at in np.arange(40.0, 300.0, 40.0)]
        found += [(at, 4, "look", 0) for at in self.looks]
        return sorted(found)


class Play:
    """Plays one run in one world, on a simulated clock, and writes down what is shown."""

    names = itertools.count()

    def __init__(self, client) -> None:
        self.client, self.now = client, START
        client.service.host.now = lambda: self.now
        self.log = io.StringIO()

    def __call__(self, plan: Plan, world: str):
        client, seen, own, given = self.client, [], [], {}
        run = f"p{next(self.names)}"
        path = f"/v1/runs/{run}"
        assert client.put(path, SPEC).status_code == 201
        live = client.service.host.get(run).live
        live._run._clock = lambda: self.now
        handler = logging.StreamHandler(self.log)
        LOGGER.addHandler(handler)
        level = LOGGER.level
        LOGGER.setLevel("INFO")
        before = client.get("/metrics").text
        self.log.seek(0)
        self.log.truncate()
        try:
            for at, _, what, which in plan.events(world):
                self.now = START + at
                if what == "ask":
                    given[which] = client.put(f"{path}/decisions/{which}").json()
                elif what == "timer":
                    release = functools.partial(client.service.timers._release, run)
                    client.wait(client.service.writer.call(release))
                elif what == "look":
                    seen.append(self._shown(path, run, before))
                else:
                    body = {"reward": 0.0, "token": given[which]["token"]}
                    answer = client.put(f"{path}/decisions/{given[which]['id']}/outcome", body)
                    if what == "own":
                        own.append((answer.status_code, answer.content))
                    elif what == "probe":
                        seen.append((answer.status_code, answer.content))
        finally:
            LOGGER.removeHandler(handler)
            LOGGER.setLevel(level)
        return tuple(seen), tuple(own)

    def _shown(self, path, run, before):
        """Return all that can be read now, without noise, arms and the names of the run."""
        get = self.client.get
        facts = get(path).json()
        facts["state"].pop("shares")  # arms are drawn at random
        for name in ("run", "created", "guarantee"):
            facts.pop(name)
        releases = [
            (each["number"], each["batch"], each["size"], each["at"])
            for each in get(f"{path}/releases").json()["releases"]
        ]
        history = [
            (each["at"], each["total"], each["releases"])
            for each in get(f"{path}/history").json()["buckets"]
        ]
        opened = [
            (each["id"], each["age"], each["batch"])
            for each in get(f"{path}/decisions").json()["decisions"]
        ]
        old, new = (_counters(text, run) for text in (before, get("/metrics").text))
        counters = sorted(
            (name, value - old.get(name, 0.0))
            for name, value in new.items()
            if value != old.get(name, 0.0)
        )
        log = re.sub(r"ms=[\d.]+|run=\S+", "", self.log.getvalue())
        return str((facts, releases, history, opened, counters, log))


def _counters(text, run):
    """Return counters, but no latencies, which differ from one second to the next."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    found = {}
    for line in lines:
        name, value = line.rsplit(" ", 1)
        mine = f'run="{run}"' in name or "run=" not in name
        if mine and not re.search(r"_seconds_(bucket|sum)", name) and "discreet_runs" not in name:
            found[name.replace(run, "")] = float(value)
    return found


def attack(client, *, plans=3, trials=10, seed=1):
    """Return whether anything differs between worlds, and a lower bound on epsilon.

    If it is above EPSILON, the service shows who answered or when. In a service that shows nothing
    all plays are equal, so there are no false alarms.
    """
    rng, play = np.random.default_rng(seed), Play(client)
    drawn = [Plan.draw(rng) for _ in range(plans)]

    def views(plan, world, own):
        return play(plan, world)[own]

    for plan in drawn:
        seen = {world: play(plan, world) for world in WORLDS}
        pairs = [("in time", "silent", 0), ("late", "silent", 0), ("in time", "late", 1)]
        for one, other, own in pairs:
            if seen[one][own] != seen[other][own]:
                reference = seen[one][own]  # a play that the bound does not count
                hits = [
                    sum(views(plan, world, own) == reference for _ in range(trials))
                    for world in (one, other)
                ]
                tally = Tally(max(hits), min(hits), trials)
                bound = epsilon_bound(tally, confidence=CONFIDENCE, delta=0.0, gaussian=False)
                return True, bound
    return False, 0.0
