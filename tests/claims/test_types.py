"""What mypy finds: a learner behind a channel that does not fit."""

from __future__ import annotations

import copy
import pickle

import pytest

from discreet import Private, channels, learners
from discreet.contracts import Floats
from discreet.errors import DiscreetError

SNIPPET = """
from discreet import OnDevice, Private, channels, learners, policies
from discreet.contracts import Channel, Floats, Generator, Learner


class Mine(Learner):  # of which nothing is said
    def act(self, observation: object, rng: Generator) -> tuple[int, int]:
        return 0, 0

    def learn(self, trace: int, released: float) -> None:
        pass


class Doubled(Channel[float, float]):
    def offer(self, feedback: float, query: float, rng: Generator) -> tuple[bool, float]:
        return True, 2.0 * query * feedback


batch, sums = channels.Batch.example(), channels.RunningSum.example()
moments, glm = channels.Moments.example(), channels.GlmMoments.example()
estimates, gradients = channels.Estimates.example(), channels.GradientSums.example()
exp3, hedge = learners.Exp3.example(), learners.Hedge.example()
exp4, descent = learners.BatchedExp4.example(), learners.ProjectionFree.example()
linear, choice = learners.LinearUcb.example(), policies.Optimistic.example()

Private(batch, exp3)
Private(Doubled(), exp3)
Private(sums, hedge)
Private(estimates, exp4)
Private(gradients, descent)
Private(sums, Mine())
OnDevice(moments, choice, linear)
Private(channels.PerRound[Floats].example(), learners.OracleLeader.example())

Private(batch, hedge)  # wrong: one number is released, and a sum of vectors wanted
Private(Doubled(), hedge)  # wrong
Private(sums, exp3)  # wrong: a vector is released, and a number wanted
Private(estimates, descent)  # wrong: the channel multiplies by other queries
Private(channels.RoundedSums.example(), descent)  # wrong
Private(exp3, batch)  # wrong: in the other order
OnDevice(glm, choice, linear)  # wrong: the channel needs a point
OnDevice(moments, policies.Greedy.example(), linear)  # wrong: the policy chooses with another model
"""


@pytest.mark.long
def test_mypy_tells_parts_that_fit_from_those_that_do_not(root, tmp_path, monkeypatch):
    from mypy import api

    # with the settings of the package; what it knows of it already is kept there
    monkeypatch.chdir(root)
    (tmp_path / "snippet.py").write_text(SNIPPET)
    said, failed, _ = api.run([str(tmp_path / "snippet.py")])
    assert not failed, failed
    found = {int(line.split(":")[1]) for line in said.splitlines() if ": error: " in line}
    wrong = {number for number, line in enumerate(SNIPPET.splitlines(), 1) if "# wrong" in line}
    assert found == wrong, said


def test_at_run_time_types_change_nothing_but_parts_are_still_checked():
    private = Private(channels.PerRound[Floats].example(), learners.Exp3.example())
    assert private._fields == ("channel", "learner")
    assert type(private.channel) is channels.PerRound
    assert type(channels.PerRound[Floats](*private.channel)) is channels.PerRound
    for twin in (copy.deepcopy(private), pickle.loads(pickle.dumps(private)), private._replace()):
        assert repr(twin) == repr(private)
    with pytest.raises(
        DiscreetError, match="channel is of type Exp3, but Private needs a Channel there"
    ):
        Private(private.learner, private.channel)
