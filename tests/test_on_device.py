"""Devices and servers: what reaches the server is the report, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import componentjit
from discreet import DiscreetError, Guarantee, Private, Setting, algorithm, list_algorithms
from discreet.channels import Constant, Moments
from discreet.checks import (
    CheckFailed,
    check_channel,
    check_device,
    check_learner,
    check_non_interference,
)
from discreet.contracts import Record
from discreet.environments import environment
from discreet.guarantee import RECORD, REPORTS, compose
from discreet.learners import LinearUcb, ResidualDescent
from discreet.learners.arms.draws import Uniform
from discreet.on_device import OnDevice
from discreet.policies import Greedy, Optimistic
from discreet.problems import Contexts
from discreet.randomness import streams
from discreet.simulation.loop import Player

SMALL = Contexts(4, 3)


def built(name, problem=SMALL, **options):
    return (
        algorithm(name)
        .build(Setting(problem, rounds=2000, epsilon=2.0, delta=1e-6), **options)
        .private
    )


LEARNING = [name for name in list_algorithms(Contexts) if name != "uniform-contexts"]


@pytest.mark.parametrize("name", list_algorithms(Contexts))
def test_nothing_but_reports_reaches_the_server(name):
    check_device(built(name), SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["local-linucb", "local-greedy"])
def test_so_in_compiled_code(name):
    check_non_interference(built(name), SMALL)


class LeaksContext(OnDevice):
    """Looks right, but lets the server learn a millionth of the context."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        leaked = released.copy()
        leaked[0] += 1e-6 * feedback.features[0]
        self.learner.learn(trace, leaked)
        return ready


class LeaksOutcome(OnDevice):
    """Lets the server learn a millionth of the outcome."""

    def tell(self, trace, feedback, rng):
        ready, released = self.channel.offer(feedback, self.learner.query(trace), rng)
        self.learner.learn(trace, released + 1e-6 * feedback.outcome)
        return ready


class LeaksAction(OnDevice):
    """Writes the action into the trace, which nobody reads."""

    def act(self, observation, rng):
        action = self.policy.choose(self.learner.model, observation, rng)
        return action, action


@pytest.mark.parametrize("name", LEARNING)
@pytest.mark.parametrize("leaky", [LeaksContext, LeaksOutcome, LeaksAction])
def test_a_leak_of_a_millionth_is_found(name, leaky):
    with pytest.raises(CheckFailed, match="private contexts or outcomes"):
        check_device(leaky(*built(name)), SMALL)


class Remembering(Greedy):
    """Keeps something of the last person for the next one."""

    compiles = False
    kept: list = ()

    def choose(self, model, observation, rng):
        self.kept.append(observation.sum())
        return int(abs(sum(self.kept)) * 1e6) % observation.shape[0]


def test_a_policy_that_remembers_is_found():
    private = built("local-greedy")._replace(policy=Remembering(kept=[]))
    with pytest.raises(CheckFailed, match="Remembering chooses differently after other rounds"):
        check_device(private, SMALL)


class Hoarding(Moments):
    """Says that it holds nothing, and mixes the last record into the next report."""

    def offer(self, feedback, query, rng):
        before = self.released.copy()
        ready, released = Moments.offer(self, feedback, query, rng)
        released += 1e-3 * before
        return ready, released


def test_a_channel_that_remembers_is_found():
    with pytest.raises(CheckFailed, match="declares to hold no feedback"):
        check_channel(
            Hoarding(*Moments.example()), feedback=Record(np.array([0.6, -0.3, 0.2]), 0.75)
        )


def test_contexts_are_not_handed_to_a_learner_that_claims_privacy():
    channel = Constant.example()._replace(value=0.0, rounds=1)
    player = Player(Private(channel, Uniform(4)), streams(1), compiled=False)
    with pytest.raises(
        DiscreetError,
        match="shows private contexts, which Private hands to its learner: use OnDevice",
    ):
        player.play(SMALL.probe(10, np.random.default_rng(1)), np.array([10]))


def test_parts_have_their_places():
    channel, learner = Moments.example(), LinearUcb.example()
    with pytest.raises(
        DiscreetError, match="policy is of type LinearUcb, but OnDevice needs a Policy there"
    ):
        OnDevice(channel, learner, Optimistic())
    with pytest.raises(
        DiscreetError, match="learner is of type Uniform, but OnDevice needs a Server there"
    ):
        OnDevice(channel, Optimistic(), Uniform(4))
    with pytest.raises(DiscreetError, match="a server publishes a model but does not act"):
        learner.act(0, np.random.default_rng(1))


def test_a_game_with_another_number_of_features_is_refused():
    with pytest.raises(DiscreetError, match="the learner is for 3 actions, but the game has 5"):
        Player(built("local-greedy"), streams(1)).play(
            Contexts(4, 5).probe(9, np.random.default_rng(1)), np.array([9])
        )
    with pytest.raises(
        DiscreetError, match="the context has 4 features, but the channel expects 3"
    ):
        componentjit.copy(Moments.example()).offer(
            Record(np.zeros(4), 0.0), 1.0, np.random.default_rng(1)
        )


def guaranteed(model, epsilon=1.0, **more):
    return Guarantee(epsilon=epsilon, delta=0.0, model=model, status="proved", source="T", **more)


def test_which_model_implies_which():
    local, joint, central = (guaranteed(model) for model in ("local", "joint", "central"))
    assert local <= joint
    assert local <= central
    assert central <= joint
    assert not joint <= central
    assert not joint <= local
    assert not central <= local
    on_device = guaranteed("local", seen=REPORTS, datum=RECORD)
    assert on_device <= guaranteed("joint", datum=RECORD)
    assert not central <= guaranteed("joint", datum=RECORD), "there contexts are public"
    assert compose(on_device, local).datum == ""
    assert "replacing the whole record (features and outcome) of any one round" in str(on_device)
    assert Guarantee.from_dict(on_device.as_dict()) == on_device
    assert on_device <= joint
    assert not on_device <= central, "the action depends on the context, without noise"
    assert not on_device <= guaranteed("joint", epsilon=0.5)
    assert compose(local, joint).model == "joint"
    assert compose(joint, central).model == "joint"
    assert compose(joint, joint).model == "joint"
    assert Guarantee.from_dict(joint.as_dict()) == joint
    assert "every action except that of the round in question" in str(joint)


@pytest.mark.parametrize("name", LEARNING)
def test_guarantees_are_stated_with_their_model(name):
    found = built(name).guarantee
    if name in ("linucb", "glm-ucb"):
        assert not found.is_private
        return
    assert found.epsilon == pytest.approx(2.0, rel=1e-9)
    assert found.model == ("joint" if name.startswith("joint") else "local")
    assert found.seen == ("" if name.startswith("joint") else REPORTS)
    assert found.datum == RECORD
    assert "Devices" in found.source


def test_servers_keep_the_contract_of_learners():
    check_learner(ResidualDescent.example(), releases=lambda rng: rng.normal(0.0, 5.0, 3))


@pytest.mark.slow
def test_both_speeds_agree():
    from discreet.checks import check_two_speeds

    check_two_speeds(built("local-linucb"), environment("contexts-gaussian", SMALL))
