"""The face for best-arm search: it asks until it is sure, and stops."""

from __future__ import annotations

import pytest

from discreet import Bandit, BestArmSearch, DiscreetError


def searched(face, rewards):
    """Let a search run to its end; return how many samples it took."""
    rounds = 0
    while not face.finished and rounds < 20_000:
        decision = face.ask()
        face.tell(decision, reward=rewards[decision.arm])
        rounds += 1
    return rounds


@pytest.mark.parametrize(
    "name", ["batched-lucb", "local-successive-elimination", "local-track-and-stop"]
)
def test_a_live_search_stops_with_its_answer(name):
    face = BestArmSearch(["old", "new", "none"], epsilon=4.0, error=0.1, algorithm=name)
    assert face.answer is None
    assert not face.finished
    rounds = searched(face, {"old": 0.5, "new": 1.0, "none": 0.0})
    assert face.finished
    assert face.answer == "new"
    assert face.state().round == rounds
    assert face.guarantee.epsilon == pytest.approx(4.0)
    with pytest.raises(
        DiscreetError, match="the search has its answer, 'new', and makes no further decisions"
    ):
        face.ask()


def test_a_search_goes_on_from_its_file(tmp_path):
    path, rewards = tmp_path / "search.db", [0.0, 1.0]
    with BestArmSearch(2, epsilon=1.0, path=path) as first:
        for _ in range(20):
            decision = first.ask()
            first.tell(decision, reward=rewards[decision.arm])
    with BestArmSearch.open(path) as again:
        searched(again, rewards)
        assert again.answer == 1
    with BestArmSearch.open(path) as done:
        assert done.answer == 1, "the answer is kept"


def test_a_batch_that_is_given_up_does_not_hold_a_search_up():
    face = BestArmSearch(2, epsilon=1.0, batch_size=4, simulation=True, seed=1)
    face.give_up(face.ask())
    searched(face, [0.0, 1.0])
    assert face.answer == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"arms": 1}, "arms"),
        ({"error": 1.0}, "error is 1.0, but must be above 0 and below 1"),
        ({"horizon": None}, "horizon is None, but a search needs a maximum number of rounds"),
        ({"algorithm": "exp3"}, "algorithm is exp3, which plays arms: use Bandit"),
    ],
)
def test_bad_arguments_of_a_search_are_refused(arguments, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        BestArmSearch(**{"arms": 3, "epsilon": 1.0} | arguments)


def test_a_search_is_not_for_bandits():
    with pytest.raises(
        DiscreetError, match="algorithm is lucb, which plays best-arm search: use BestArmSearch"
    ):
        Bandit(3, 100, 1.0, algorithm="lucb")
