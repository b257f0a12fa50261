"""Runs without a horizon: epochs that double, and running sums that learn throughout."""

from __future__ import annotations

import numpy as np
import pytest
from makers import Clock

from discreet import Bandit, DiscreetError, Experts, VectorOptimizer
from discreet.live.run_plan import FIRST_EPOCH


class TestWithoutHorizon:
    @pytest.mark.slow
    def test_epochs_double_and_learn_anew(self, tmp_path):
        path = tmp_path / "run.db"
        bandit = Bandit(arms=3, horizon=None, epsilon=1.0, path=path)
        promise = bandit.guarantee
        late = bandit.ask()
        for _ in range(FIRST_EPOCH):
            bandit.tell(bandit.ask(), loss=0.5)
        learned = bandit._run._engine.learner_state.tobytes()
        bandit.tell(bandit.ask(), loss=0.5)
        assert bandit._run._store.rows.epoch == (1, FIRST_EPOCH + 1)
        assert bandit._run._engine.learner_state.tobytes() != learned
        before = bandit.state().released
        bandit.tell(late, loss=0.0)
        assert bandit.state().released == before
        assert bandit.guarantee == promise
        bandit.close()
        with Bandit.open(path) as again:
            assert again._run._end == FIRST_EPOCH + 1 + 2 * FIRST_EPOCH
            assert repr(again).startswith(f"Bandit(3 arms, round {FIRST_EPOCH + 2}, guarded-ucb")
            assert again.state().horizon is None

    def test_every_round_is_in_at_most_one_release(self):
        bandit = Bandit(arms=2, horizon=None, epsilon=1.0, algorithm="batched-exp3")
        commit, released = bandit._run._commit_tell, []

        def noting(*told):
            released.append(told[4])
            commit(*told)

        bandit._run._commit_tell = noting
        for _ in range(5 * FIRST_EPOCH):
            bandit.tell(bandit.ask(), loss=0.5)
        groups = [number for number in released if number is not None]
        assert bandit.state()[:1] + bandit.state()[3:4] == (5 * FIRST_EPOCH, len(groups))
        assert len(set(groups)) == len(groups) > 2

    def test_htinf_never_starts_again(self):
        bandit = Bandit(arms=2, horizon=None, epsilon=1.0, algorithm="batched-htinf")
        for _ in range(2 * FIRST_EPOCH):
            bandit.tell(bandit.ask(), loss=0.5)
        assert bandit._run._store.rows.epoch == (0, 0)
        assert bandit.state().released == FIRST_EPOCH  # batches of two

    def test_an_epoch_waits_for_its_outcomes(self):
        """Else nothing would be learned in an epoch that is shorter than the wait."""
        bandit = Bandit(
            arms=2,
            horizon=None,
            epsilon=5.0,
            simulation=True,
            seed=3,
            wait=3000.0,
            default_loss=1.0,
        )
        clock = bandit._run._clock = Clock()
        for _ in range(3000 + FIRST_EPOCH - 20):
            clock.now += 1.0
            bandit.tell(bandit.ask(), loss=0.5)
        assert bandit._run._store.rows.epoch == (0, 0)
        assert bandit.state().released > 0
        for _ in range(40):
            clock.now += 1.0
            bandit.ask()
        assert bandit._run._store.rows.epoch[0] == 1
        assert bandit.state().lost > 0, "what was open is not learned from, and is counted"

    def test_an_algorithm_that_promises_less_in_longer_runs_needs_a_horizon(self):
        with pytest.raises(
            DiscreetError, match="horizon is None, but exp3-tau guarantees less in longer runs"
        ):
            Bandit(
                arms=2, horizon=None, epsilon=1.0, delta=1e-6, algorithm="exp3-tau", simulation=True
            )

    def test_it_learns(self):
        bandit = Bandit(arms=2, horizon=None, epsilon=5.0, simulation=True, seed=3)
        chosen = np.zeros(2)
        for t in range(6 * FIRST_EPOCH):
            decision = bandit.ask()
            chosen[decision.arm] += t >= 4 * FIRST_EPOCH
            bandit.tell(decision, loss=0.2 + 0.6 * decision.arm)
        assert chosen[0] > 0.8 * chosen.sum()

    def test_some_running_sums_need_a_horizon(self):
        with pytest.raises(
            DiscreetError, match="horizon is None, but private-ftpl learns from one running sum"
        ):
            VectorOptimizer(
                geometry="cube", dimension=2, horizon=None, epsilon=1.0, algorithm="private-ftpl"
            )

    @pytest.mark.parametrize("delta", [0.0, 1e-6])
    def test_others_go_on_learning(self, delta):
        """They keep what they know where a bandit begins anew, and promise the same; files and
        exact noise as ever.
        """
        experts = Experts(
            experts=2, horizon=None, epsilon=5.0, delta=delta, simulation=True, seed=3
        )
        for t in range(FIRST_EPOCH + 100):
            decision = experts.ask()
            experts.tell(decision, losses=[0.2, 0.8])
            assert t < 500 or decision.weights[0] > 0.99
        assert experts.state().horizon is None
        live = Experts(experts=2, horizon=None, epsilon=5.0, delta=delta)
        live.tell(live.ask(), losses=[0.2, 0.8])
        assert live.guarantee.epsilon == pytest.approx(5.0)
        assert live.guarantee.delta == delta
        assert "restarted after" in live.guarantee.source
        plan = live._run._plan
        assert plan.rounds_of(0) == plan.rounds_of(1) == plan.private_of(1).channel.max_rounds(), (
            "sums last to the end"
        )
        assert ("Unbounded sums" if delta else "Unknown horizons") in live.guarantee.source

    def test_points_need_no_horizon_either(self, tmp_path):
        path = tmp_path / "run"
        numbers = {
            "geometry": "ball",
            "dimension": 2,
            "horizon": None,
            "epsilon": 1.0,
            "delta": 1e-6,
        }
        with VectorOptimizer(**numbers, path=path, key=tmp_path / "key") as optimizer:
            for _ in range(3):
                optimizer.tell(optimizer.ask(), loss=[0.6, 0.0])
        with VectorOptimizer.open(path, key=tmp_path / "key") as again:
            assert again.state().round == 3
            assert again.ask().point[1] != 0.0, "noise was drawn"
