"""The client with the service itself: every problem, over a run file and over the service."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from programs import PROGRAMS, play, play_async
from real_service import real_service

import discreet
from discreet.client import NotAllowed
from discreet.errors import Finished, HorizonUsed, NotGiven
from discreet.ledger import UserLimitReached

ONE = {"arms": ["A", "B"], "horizon": 100, "epsilon": 1.0, "wait": None}


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    with real_service(tmp_path_factory.mktemp("service")) as found:
        yield found


@pytest.fixture(scope="module")
def connection(real):
    with discreet.connect("http://localhost", token=real.token, transport=real.bridge) as found:
        yield found


@pytest.mark.parametrize("problem", PROGRAMS)
def test_the_same_decisions_over_a_file_and_over_the_service(problem, connection, tmp_path):
    local, here = play(lambda name: vars(discreet.live)[name], problem, path=tmp_path / "run.db")
    name = problem.replace(" ", "-")
    remote, there = play(lambda name: vars(connection)[name], problem, path=name)
    assert there == here
    assert remote.state() == local.state()
    assert remote.guarantee == local.guarantee
    assert remote.algorithm == local.algorithm
    assert connection.open(name, unprotected=True).state() == local.state()
    local.close()


def test_coroutines_in_the_event_loop_of_the_service(real):
    async def main():
        transport = httpx.ASGITransport(real.app)
        async with discreet.connect_async(
            "http://localhost", token=real.token, transport=transport
        ) as found:
            return await play_async(lambda name: vars(found)[name], "bandit", path="async")

    run, seen = real.bridge.call(main)
    assert len(seen) == 24
    assert run.algorithm == "batched-exp3"


def test_refusals_are_those_of_the_library(real, connection):
    short = connection.Bandit(**{**ONE, "horizon": 2}, path="short")
    short.ask_many(2)
    with pytest.raises(HorizonUsed):
        short.ask()
    with pytest.raises(NotGiven):
        short.tell(99, reward=1.0)
    with pytest.raises(discreet.DiscreetError, match="outside the declared range"):
        short.tell(0, reward=7.0)
    with pytest.raises(NotGiven, match=r"pairs\[1\]"):
        short.tell_all(reward=[(0, 1.0), (77, 1.0)])
    assert short.state().open == 1
    with pytest.raises(discreet.DiscreetError, match="epsilon is 0"):
        connection.Bandit(**{**ONE, "epsilon": 0.0}, path="wrong")
    with pytest.raises(
        discreet.DiscreetError, match="the run 'short' exists with another horizon: use its"
    ):
        connection.Bandit(**{**ONE, "horizon": 3}, path="short")
    short.end()
    with pytest.raises(Finished):
        short.ask()


def test_users_at_their_limit(connection):
    bandit = connection.Bandit(
        **{**ONE, "wait": 3600, "default_reward": 0.0}, path="users", max_rounds_per_user=1
    )
    assert [each.learns for each in bandit.ask_many(2, users=["u", 7])] == [True, True]
    with pytest.raises(UserLimitReached):
        bandit.ask(user="u")
    served = bandit.ask(user="u", at_limit="serve")
    assert not served.learns
    assert [bandit.rounds_of(user) for user in ("u", 7, "v")] == [1, 1, 0]
    bandit.tell(served, reward=1.0)


def test_with_wait_nothing_shows_who_answered(connection):
    bandit = connection.Bandit(**{**ONE, "wait": 3600, "default_reward": 0.0}, path="waiting")
    first, second = bandit.ask_many(2)
    before = bandit.state()
    for _ in range(2):  # again changes nothing, and is answered alike
        bandit.tell(first, reward=1.0)
    assert bandit.tell_all(reward=[(first, 1.0), (second, 0.0)]) == 2
    assert bandit.state() == before
    assert len(bandit.open_decisions) == 2


def test_tokens_allow_what_they_say(real, connection):
    connection.Bandit(**ONE, path="mine")
    connection.Bandit(**ONE, path="other")
    token = connection.create_token("decide", run="mine")
    with discreet.connect("http://localhost", token=token, transport=real.bridge) as mine:
        bandit = mine.open("mine")
        bandit.tell(bandit.ask(), reward=1.0)
        with pytest.raises(NotAllowed):
            mine.open("other")
        with pytest.raises(NotAllowed):
            bandit.estimates()
        with pytest.raises(NotAllowed):
            mine.create_token("admin")
        with pytest.raises(NotAllowed):
            mine.Bandit(**ONE, path="third")


def test_arms_hold_outs_estimates_and_the_end(connection):
    bandit = connection.Bandit(
        ["A", "B"], 300, 2.0, path="arms", algorithm="batched-ucb", capacity=4, wait=None
    )
    assert bandit.ask(available=["B"]).arm == "B"
    bandit.add_arm("C")
    bandit.retire_arm("A")
    assert bandit.arms == ("B", "C")
    study = connection.Bandit(["A", "B"], 40, 2.0, path="study", explore=0.5, wait=None)
    for _ in range(40):
        decision = study.ask()
        study.tell(decision, reward=0.75 if decision.arm == "A" else 0.25)
    assert study.finish_holdout()
    assert [arm.arm for arm in study.held_out] == ["A", "B"]
    assert list(study.estimates(kind="holdout").arms) == ["A", "B"]
    final = connection.Bandit(["A", "B"], 20, 1.0, path="final", final=1.0, wait=None)
    for decision in final.ask_many(10):
        final.tell(decision, reward=0.5)
    assert final.finish().kind == "final"
    with pytest.raises(Finished):
        final.ask()


def test_only_runs_on_arms_have_estimates(connection):
    experts = connection.Experts(
        experts=3, horizon=100, epsilon=1.0, path="no-estimates", wait=None
    )
    with pytest.raises(discreet.DiscreetError, match="estimates"):
        experts.estimates()


def test_threads_share_a_connection(connection):
    bandit = connection.Bandit(**{**ONE, "horizon": 200}, path="threads")

    def work(_):
        decision = bandit.ask()
        bandit.tell(decision, reward=1.0)
        return decision.id

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(80))) == list(range(80))
    assert bandit.state().open == 0


def test_a_worker_that_never_answers_is_replaced_by_the_default(real):
    """Nobody listens there; an answer would take at most the timeout."""
    with discreet.connect("http://localhost", token=real.token, transport=real.bridge) as found:
        bandit = found.Bandit(**ONE, path="gone")
    away = discreet.connect("http://localhost:1", token=real.token, timeout=1.0, retries=1)
    bandit._link = away._link
    assert bandit.ask(default="B").arm == "B"


def test_a_service_is_started_again(tmp_path):
    """Runs, open decisions, counts of users and tokens are still there."""
    with (
        real_service(tmp_path) as real,
        discreet.connect("http://localhost", token=real.token, transport=real.bridge) as found,
    ):
        bandit = found.Bandit(**ONE, path="one", max_rounds_per_user=1)
        decision, state = bandit.ask(user="u"), bandit.state()
        token = found.create_token("decide", run="one")
    with (
        real_service(tmp_path) as real,
        discreet.connect("http://localhost", token=token, transport=real.bridge) as found,
    ):
        assert real.token is None  # it is not the first start
        bandit = found.open("one")
        assert bandit.state() == state
        with pytest.raises(UserLimitReached):
            bandit.ask(user="u")
        bandit.tell(decision, reward=1.0)
        assert bandit.state().open == 0
