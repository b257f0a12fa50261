"""Runs that hold rounds out, and what they should release: what their tests share."""

from __future__ import annotations

import pytest

from discreet import Bandit
from discreet.live.holdout import HELD_OUT

ARMS = ["a", "b", "c"]
SHARP = 1e4  # an epsilon whose noise is about 1e-4: a sum says which outcomes are in it
TINY = 0.05  # of noise with that epsilon: exceeded with probability e^-500


def bandit(**options):
    usual = {"arms": ARMS, "horizon": 300, "epsilon": SHARP, "algorithm": "batched-exp3"}
    given = usual | {"batch_size": 4} | options
    if given["batch_size"] is None:
        del given["batch_size"]
    return Bandit(**given)


def loss_of(number):
    return (number * 2654435761 % 9) / 8.0


def play(face, rounds, losses=loss_of):
    decisions = []
    for _ in range(rounds):
        decisions.append(face.ask())
        face.tell(decisions[-1], loss=losses(decisions[-1].id))
    return decisions


def held_out(decisions):
    return [each for each in decisions if each.batch == HELD_OUT]


def sums_of(decisions):
    return {
        arm: (len(mine), sum(loss_of(each.id) for each in mine))
        for arm in ARMS
        for mine in [[each for each in decisions if each.arm == arm]]
    }


def agree(face, decisions):
    """Return whether what was released are the sums of these rounds."""
    expected = sums_of(decisions)
    released = {ARMS[arm]: (rounds, total) for arm, rounds, total in face._run.held_out()}
    return all(
        released[arm][0] == rounds and abs(released[arm][1] - total) < TINY
        for arm, (rounds, total) in expected.items()
    )


PLACES = pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])
