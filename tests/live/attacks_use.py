"""Attacks on how live objects are used: threads, clocks, reports of devices, bits of noise."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

import test_devices as devices
import test_exact as exact
import test_run_threads as threads
import test_waiting as waiting
from attack_report import attack
from attacks_raw import faults_of
from not_synced import ENDS, values_shown

from discreet import DiscreetError


@attack(
    "six threads call tell of one run at once; four report one round of a device",
    holds="every outcome counts once; each release has its own noise",
    tries=12,
)
def races(tries):
    kinds = [
        threads.test_threads_that_tell_batches_add_up_every_outcome_once,
        threads.test_threads_that_tell_one_running_sum_release_no_raw_vector_and_lose_none,
        devices.test_one_of_many_threads_reports_a_round,
    ]
    calls = [(each.__name__, lambda *_, each=each: each()) for each in kinds * tries]
    return faults_of(calls[:tries])


@attack(
    "a key is written, but a kill or an error comes before its sync; later the power fails",
    holds="the learner is shown one value of the batch",
    tries=40,
)
def lost_notes(tries):
    faults = []
    for turn in range(tries):
        with tempfile.TemporaryDirectory() as folder:
            end = ENDS[turn % len(ENDS)]
            shown = values_shown(Path(folder), end, rounds=1 + turn // len(ENDS))
        if len(shown) < 2 or len(set(shown)) > 1:
            faults.append(f"{end}: the learner was shown {len(set(shown))} values")
    return tries, faults


@attack(
    "the clock of a run with deadlines is set forward and back",
    holds="every decision is released once, after its deadline; the run does not stall",
    tries=300,
)
def clock_jumps(tries):
    chance, faults = random.Random(1), []
    bandit, clock, heard = waiting.waiting(size=1, horizon=2 * tries + 10)
    latest = clock.now
    for turn in range(tries):
        clock.now += chance.choice([1.0, -1.0]) * 10.0 ** chance.uniform(-3.0, 7.0)
        try:
            decision, before = bandit.ask(), len(heard)
            if turn % 2:
                bandit.tell(decision, reward=0.5)
            if len(heard) > before:
                faults.append("a tell has released something")
        except DiscreetError as error:
            faults.append(str(error))
        latest = max(latest, clock.now)
    clock.now = latest + 2.0 * waiting.HOUR
    bandit.release_due()
    if len(heard) != tries:
        faults.append(f"{len(heard)} of {tries} decisions were released")
    return tries, faults


@attack(
    "a device report is forged or damaged: every byte, in three ways, and other messages",
    holds="refused without effect, or still a report that a device could have sent",
    tries=100,
)
def forged_reports(tries):
    calls = [
        (
            "a byte",
            lambda *_: devices.test_no_changed_byte_passes_for_another_task_version_or_format(),
        )
    ]
    _, spoilers = devices.test_bad_reports_are_refused_without_effect.pytestmark[0].args
    calls += [
        (why, lambda *_, s=s, w=why: devices.test_bad_reports_are_refused_without_effect(s, w))
        for s, why in spoilers
    ]
    _, faults = faults_of(calls[:tries])
    return (96 + len(spoilers) if tries > len(spoilers) else tries), faults


@attack(
    "the bits of live noise: releases of loss 0 and loss 1 near zero, on the grid or off it",
    holds="no bit distinguishes the two losses",
    tries=40,
)
def bits(tries):
    test = exact.test_no_bit_of_a_live_release_tells_0_from_1
    paths = list(exact.channels())[:tries]
    count, faults = faults_of(
        [(str(path.id), lambda *_, path=path: test(*path.values)) for path in paths]
    )
    return count, faults, f"{12_000 * count:,} releases"
