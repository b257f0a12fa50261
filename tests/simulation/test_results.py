"""What results say: regret beside that of the twin and of uniform play, tables and pictures."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as pyplot
import numpy as np
import pandas
import pytest

from discreet import DiscreetError, simulate

GAME = {"environment": "stochastic", "rounds": 2000, "trials": 6, "seed": 1}


@pytest.fixture(scope="module")
def results():
    return simulate(["batched-exp3", "exp3", "uniform"], epsilon=[1.0, 0.1], **GAME)


def test_regret_is_told_a_round_and_as_a_multiple_of_the_twin_s(results):
    rows = {row["label"]: row for row in results.summary()}
    twin = rows["exp3"]["regret_mean"]
    for label in ("batched-exp3 (ε = 1)", "batched-exp3 (ε = 0.1)"):
        assert rows[label]["twin"] == "exp3"
        assert rows[label]["times_twin"] == pytest.approx(rows[label]["regret_mean"] / twin)
        assert rows[label]["regret_per_round"] == pytest.approx(rows[label]["regret_mean"] / 2000)
    for label in ("exp3", "uniform"):
        assert rows[label]["times_twin"] is None


def test_without_its_twin_nothing_is_divided():
    (row,) = simulate("batched-exp3", **GAME).summary()
    assert (row["twin"], row["times_twin"]) == ("exp3", None)


def test_bounds_that_say_nothing_are_told_apart(results):
    rows = {row["label"]: row for row in results.summary()}
    assert results.blind_regret == rows["uniform"]["regret_mean"]
    assert all(row["bound_is_vacuous"] for row in rows.values()), (
        "uniform play did better than every bound"
    )
    (alone,) = simulate("exp3", **GAME).summary()
    assert alone["regret_bound"] < 2000 * 0.75
    assert alone["bound_is_vacuous"] is False, (
        "uniform play may have a regret of 1500 in other games"
    )
    (tiny,) = simulate("batched-exp3", epsilon=0.001, **GAME).summary()
    assert tiny["regret_bound"] >= 1500.0
    assert tiny["bound_is_vacuous"] is True
    (unproved,) = simulate("batched-tsallis-inf", **GAME).summary()
    assert (unproved["regret_bound"], unproved["bound_is_vacuous"]) == (None, None)


def test_every_private_algorithm_with_a_twin_has_one_that_is_not_private():
    from discreet import algorithm, list_algorithms

    for name, known in list_algorithms().items():
        if known.twin:
            assert known.build().guarantee.is_private, name
            assert not algorithm(known.twin).build().guarantee.is_private, name
            assert type(algorithm(known.twin).problem) is type(known.problem), name


LOSSES = [[0.0, 1.0], [1.0, 0.0], [0.25, 0.5], [0.0, 1.0]]


class Frame:
    """What a DataFrame is to NumPy."""

    def __array__(self, dtype=None, copy=None):
        return np.array(LOSSES, dtype=dtype)


@pytest.mark.parametrize(
    "table", [LOSSES, np.array(LOSSES), tuple(map(tuple, LOSSES)), Frame()], ids=type
)
def test_a_table_is_an_environment_whatever_holds_it(table):
    expected = simulate("exp3", losses=np.array(LOSSES), trials=3, seed=2)
    for found in (
        simulate("exp3", environment=table, trials=3, seed=2),
        simulate("exp3", losses=table, trials=3, seed=2),
    ):
        assert found.rounds == 4
        assert np.array_equal(found.regret, expected.regret)


def test_rewards_are_losses_turned_round():
    losses = 4.0 * np.array(LOSSES) - 1.0
    one = simulate("exp3", losses=losses, low=-1.0, high=3.0, trials=3, seed=2)
    other = simulate("exp3", rewards=2.0 - losses, low=-1.0, high=3.0, trials=3, seed=2)
    assert np.array_equal(one.regret, other.regret)
    advice = np.full((2, 2), 0.5)
    first = simulate("exp4", losses=np.array(LOSSES), advice=advice, trials=2)
    second = simulate("exp4", rewards=1.0 - np.array(LOSSES), advice=advice.tolist(), trials=2)
    assert np.array_equal(first.regret, second.regret)


def test_the_tidy_table_goes_to_pandas(results):
    table = results.to_pandas()
    assert list(table.columns) == list(results.columns())
    assert len(table) == results.regret.size
    last = table[table["round"] == results.rounds].groupby("label", sort=False)["regret"].mean()
    assert last.tolist() == pytest.approx([row["regret_mean"] for row in results.summary()])


def test_losses_may_be_a_data_frame():
    frame = pandas.DataFrame(LOSSES, columns=[f"arm {i}" for i in range(len(LOSSES[0]))])
    one, other = (
        simulate("exp3", losses=np.array(LOSSES), trials=2),
        simulate("exp3", environment=frame, trials=2),
    )
    assert np.array_equal(one.regret, other.regret)


def test_regret_is_drawn_into_given_axes_in_given_colours(results):
    matplotlib.use("Agg", force=False)
    figure, (left, right) = pyplot.subplots(1, 2)
    colors = ["red", "green", "blue", "black"]
    assert results.plot(left, colors=colors) is left
    assert not right.lines
    assert {line.get_color() for line in left.lines} >= set(colors)
    axes = results.plot()
    assert axes.figure is not figure
    assert len(axes.lines) >= 4
    pyplot.close("all")


def test_a_ratio_of_two_that_do_not_learn_is_not_shown():
    """Both play vertices at random if they are told to: their ratio would be 1 and say nothing."""
    names = ["private-linear-oracle", "linear-oracle"]
    numbers = {"environment": "routing", "rounds": 200, "trials": 2, "epsilon": 0.1}
    still = simulate(names, **numbers, options={"when_vacuous": "centre"}).summary()
    assert [row["learns"] for row in still] == [False, False]
    assert still[0]["times_twin"] is None
    usual = simulate(names, **numbers).summary()
    assert [row["learns"] for row in usual] == [True, True]
    assert usual[0]["times_twin"] > 0.0


def test_a_folder_that_simulate_made_is_not_saved_into(tmp_path):
    results = simulate("uniform", rounds=20, trials=1, output=tmp_path / "out")
    with pytest.raises(DiscreetError, match=r"out has the output of simulate, .*another folder\.$"):
        results.save(tmp_path / "out")
    assert len(results.save(tmp_path / "other")) == 2


def test_the_note_names_the_counterparts():
    game = {"environment": "stochastic", "rounds": 200, "trials": 2}
    one = str(simulate(["batched-exp3", "dp-exp3-lap", "exp3"], **game))
    assert "that of its non-private counterpart (exp3)." in one
    names = ["batched-exp3", "exp3", "tracking-ucb", "guarded-ucb", "tsallis-inf"]
    words = "(exp3 for batched-exp3, tsallis-inf for tracking-ucb and guarded-ucb)."
    assert f"counterpart {words}" in str(simulate(names, **game))
