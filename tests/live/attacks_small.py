"""Attacks with odd values: arguments, outcomes, names of users, numbers and commands; and kills."""

from __future__ import annotations

import contextlib
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import odd_calls
import test_odd_values as odd
from attack_report import attack
from kill_live import Killer
from odd_values import ODD, fault_of

from discreet import DiscreetError, Guarantee, compose
from discreet.curves import Approximate, Concentrated, GaussianNoise, LaplaceNoise, Pure
from discreet.ledger.inputs import user_name


def odd_values_in(calls, tries):
    """Put odd values in the place of every argument, at most ``tries`` of all, evenly spread."""
    everything = [
        (name, argument, value)
        for name, (_, arguments) in calls.items()
        for argument in arguments
        for value in ODD
        if value not in odd.OWN_FUNCTIONS.get(argument, ())
    ]
    step, faults, made = max(1, len(everything) // tries), [], 0
    for name, argument, value in everything[::step]:
        call, arguments = calls[name]
        made += 1
        fault = fault_of(lambda: call(**{**arguments, argument: ODD[value]()}))  # noqa: B023
        faults += [] if fault is None else [f"{name}: {argument} = {value}: {fault}"]
    return made, faults


@attack(
    "an odd value for an argument of a public function",
    holds="it works, or a one-sentence error says what is allowed",
    tries=20_000,
)
def odd_arguments(tries):
    calls = {name: each for name, each in odd_calls.CALLS.items() if "register" not in name}
    return odd_values_in(calls, tries)


@attack(
    "an odd value for an option of a named algorithm",
    holds="it works, or a one-sentence error says what is allowed",
    tries=5_000,
)
def odd_options(tries):
    return odd_values_in(odd_calls.builds(), tries)


@attack(
    "an odd outcome: text, bytes, complex, masked, dates, objects that raise",
    holds="refused; the message and its chain show no outcome; the run is unchanged",
    tries=3_000,
)
def odd_outcomes(tries):
    faults, made = [], 0
    kinds = ["batch", "one bit", "tree", "cube", "slates", "pairs of points", "advice in batches"]
    for kind in kinds:
        for clip in (False, True):
            count, found = odd.tell_odd_outcomes(kind, clip=clip, most=tries // (2 * len(kinds)))
            made, faults = made + count, faults + found
    return made, faults


@attack(
    "a user name with invisible or compatibility characters",
    holds="it counts as the same user",
    tries=20_000,
)
def look_alikes(tries):
    chance, faults = random.Random(1), []
    unseen = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u2066\0\x07\u034f\ufe0f\U000e0041"
    for _ in range(tries):
        name = "".join(chance.choices("Aadé17ßж漢", k=chance.randint(1, 6)))
        letters = list(name)
        for _ in range(chance.randint(1, 4)):
            letters.insert(chance.randint(0, len(letters)), chance.choice(unseen))
        if chance.random() < 0.5:
            letters = [chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in letters]
        written = " " * chance.randint(0, 2) + "".join(letters) + "\u00a0" * chance.randint(0, 2)
        if user_name(written) != user_name(name):
            faults.append(f"{written!r} is another user than {name!r}")
    return tries, faults


@attack(
    "guarantees with extreme numbers: composed, for groups, at other deltas, written and read",
    holds="never negative, never below a component, no overflow",
    tries=2_000,
)
def extreme_guarantees(tries):
    chance, faults = random.Random(1), []

    def extreme():
        return chance.choice([0.0, 5e-324, 1e308, 10.0 ** chance.uniform(-300, 308), 1.0, -1e-9])

    for _ in range(tries):
        delta = chance.choice([0.0, 5e-324, 1e-9, 1e-6, 0.5, 1.0])
        try:
            curve = chance.choice(
                [
                    Pure,
                    LaplaceNoise,
                    GaussianNoise,
                    Concentrated,
                    lambda x, d=delta: Approximate(x, d),
                ]
            )(extreme())
            one = Guarantee.of(curve, delta=delta, model="central", source="x")
            made = [one.for_user(rounds=chance.choice([2, 10**15])), compose(one, one)]
            made += [Guarantee.from_dict(one.as_dict()), compose(one, times=10**15)]
            with contextlib.suppress(DiscreetError):
                made.append(compose(one, one, delta=chance.choice([1e-6, 1.0])))
            less = [each for each in made[:4] if each.is_private and each.epsilon < one.epsilon]
            if less or any(each.epsilon < 0.0 or math.isnan(each.epsilon) for each in made):
                faults.append(f"{curve} at {delta}: {made}")
        except DiscreetError:
            pass
        except Exception as failure:
            faults.append(f"{type(failure).__name__} with {curve} at {delta}")
    return tries, faults


STREAMS = ("", ">&-", ">/dev/full", "2>&-", "2>/dev/full", "<&-", ">&- 2>&-", "<&- >&- 2>&-")
SETTINGS = (
    "COLUMNS=0", "COLUMNS=-5", "COLUMNS=abc", "LINES=0", "PYTHONIOENCODING=ascii", "HOME=/dev/null",
    "DISCREET_KEYS=/etc/passwd", "DISCREET_PLUGINS=.", "DISCREET_PLUGINS=/etc/passwd",
    "DISCREET_PLUGINS=none.py", "TMPDIR=/nonexistent", "TERM=nonsense",
)  # fmt: skip
COMMANDS = ("list", "nonsense", "describe exp3 --json", "", "--version", "describe $'\\xff'")


@attack(
    "commands with closed or full streams, or odd environment variables",
    holds="exit code 0 or 2, at most one sentence, no traceback",
    tries=40,
)
def odd_commands(tries):
    lines = [f"{{}} {command} {streams}" for command in COMMANDS for streams in STREAMS]
    lines += [f"{setting} {{}} {command}" for command in COMMANDS[:2] for setting in SETTINGS]
    step, faults, made = max(1, len(lines) // tries), [], 0
    source = Path(__file__).parents[2] / "src"
    for line in lines[::step]:
        made += 1
        done = subprocess.run(
            ["bash", "-c", line.format(f"'{sys.executable}' -m discreet")],
            capture_output=True,
            check=False,
            timeout=120,
            env=os.environ | {"PYTHONPATH": str(source)},
        )
        said = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 2) or "Traceback" in said or said.count("\n") > 1:
            faults.append(f"{line}: code {done.returncode}: {said[-200:]}")
    return made, faults


@attack(
    "SIGKILL to a run in a file, at random moments, while another process reads its releases",
    holds="no acknowledged outcome is lost; no release changes, disappears or is repeated",
    tries=60,
)
def kills(tries):
    killer = Killer(Path.cwd(), seed=1)
    while killer.kills < tries:
        killer.kill_one()
    return killer.kills, killer.check()
