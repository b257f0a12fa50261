"""Several at once, together with users, final releases and hold-outs."""

from __future__ import annotations

import pytest
from makers import rows_of

from discreet import Bandit, DiscreetError, UserLimitReached

SHARP = 1e4  # an epsilon whose noise is about 1e-4: a sum says which outcomes are in it
TINY = 0.05  # of noise with that epsilon: exceeded with probability e^-500
in_both_places = pytest.mark.parametrize("in_file", [False, True], ids=["memory", "file"])


def make(tmp_path, in_file, **options):
    usual = {"algorithm": "batched-exp3", "batch_size": 3, "epsilon": SHARP, "horizon": 60}
    place = {"path": tmp_path / "run.db", "key": tmp_path / "key"} if in_file else {}
    return Bandit(["a", "b"], **usual | options | place)


@in_both_places
def test_users_are_counted_with_their_decisions_or_not_at_all(in_file, tmp_path):
    bandit = make(tmp_path, in_file, max_rounds_per_user=2)
    decisions = bandit.ask_many(3, users=["Ada", "Ben", "Ada"])
    assert [bandit.rounds_of(user) for user in ("Ada", "Ben")] == [2, 1]
    before = rows_of(bandit)
    with pytest.raises(UserLimitReached):
        bandit.ask_many(3, users=["Cleo", "Ben", "Ada"])
    assert rows_of(bandit) == before
    assert [bandit.rounds_of(user) for user in ("Ada", "Ben", "Cleo")] == [2, 1, 0]
    served = bandit.ask(user="Ada", at_limit="serve")
    assert bandit.tell_all(loss=[(each, 0.5) for each in (*decisions, served)]) == 3
    if in_file:
        with pytest.raises(DiscreetError, match="counts its users"):
            bandit.tell_all(loss=[(bandit.ask(user="Dora").id, 0.5)])
        bandit.close()
        bandit = Bandit.open(tmp_path / "run.db", key=tmp_path / "key")
        assert [bandit.rounds_of(user) for user in ("Ada", "Ben", "Cleo")] == [2, 1, 0]
        bandit.close()


@in_both_places
def test_a_final_release_has_all_outcomes(in_file, tmp_path):
    bandit = make(tmp_path, in_file, final=SHARP)
    told = {"a": 0.0, "b": 0.0}
    for start in range(0, 30, 10):
        decisions = bandit.ask_many(10)
        outcomes = [(each, (each.id * 7 % 9) / 8.0) for each in decisions]
        assert bandit.tell_all(reward=outcomes) == 10
        for each, outcome in outcomes:
            told[each.arm] += outcome
        if in_file and start == 10:
            bandit.close()
            bandit = Bandit.open(tmp_path / "run.db", key=tmp_path / "key")
    found = bandit.finish()
    for arm, total in told.items():
        rounds = found.arms[arm].rounds
        if rounds:
            assert abs(found.arms[arm].mean * rounds - total) < TINY
    assert sum(found.arms[arm].rounds for arm in told) == 30
    with pytest.raises(DiscreetError):
        bandit.ask_many(1)
    bandit.close()
    if in_file:
        with Bandit.open(tmp_path / "run.db", key=tmp_path / "key") as again:
            assert again.finish().arms == found.arms


@in_both_places
def test_a_hold_out_is_released_after_the_last_of_several(in_file, tmp_path):
    bandit = make(tmp_path, in_file, explore=0.5, horizon=20)
    decisions = bandit.ask_many(20)
    losses = {each.id: (each.id * 5 % 9) / 8.0 for each in decisions}
    assert bandit.held_out is None
    assert bandit.tell_all(loss=[(each, losses[each.id]) for each in decisions]) == 20
    for arm in bandit.held_out:
        mine = [losses[each.id] for each in decisions if each.batch == -2 and each.arm == arm.arm]
        assert arm.rounds == len(mine) > 0
        assert abs(arm.loss * arm.rounds - sum(mine)) < TINY
    bandit.close()
