"""Games that stop: samples, answers and errors, the same however they are played."""

from __future__ import annotations

import csv
import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from discreet import Contender, DiscreetError, Private, Range, Setting, algorithm, search, simulate
from discreet.channels import Open
from discreet.environments import Drifting, Stochastic
from discreet.learners import Exp3
from discreet.problems import BestArm
from discreet.problems.arms import to_search
from discreet.randomness import streams
from discreet.simulation.loop import Player
from discreet.simulation.searches import run_search
from discreet.simulation.statistics import least_samples, share_interval

NAMES = ["track-and-stop", "local-track-and-stop", "batched-lucb"]
GAME = {
    "arms": 3,
    "options": {"means": (0.2, 0.6, 0.7), "errors": (0.02,)},
    "trials": 8,
    "seed": 3,
    "workers": 1,
}


@pytest.fixture(scope="module")
def results():
    return search(NAMES, **GAME)


def test_a_row_is_a_contender_and_an_allowed_error(results):
    rows = results.summary()
    assert [(row["algorithm"], row["error"]) for row in rows] == [
        ("track-and-stop", 0.1),
        ("track-and-stop", 0.02),
        ("local-track-and-stop", 0.1),
        ("local-track-and-stop", 0.02),
        ("batched-lucb", 0.1),
    ]
    assert results.samples.shape == (5, 8)
    assert (results.samples[0] <= results.samples[1]).all()
    assert (results.samples[0] < results.samples[1]).any()
    assert (results.pulls.sum(axis=2) == results.samples).all(), "every round is a pull"
    assert results.correct.all()
    assert all(row["wrong"] == 0 and row["cut_off"] == 0 for row in rows)
    assert rows[2]["times_twin"] == pytest.approx(rows[2]["samples_mean"] / rows[0]["samples_mean"])
    assert rows[4]["times_twin"] is None, "its twin did not search"
    assert rows[0]["samples_q10"] <= rows[0]["samples_q50"] <= rows[0]["samples_q90"]


def test_one_run_tells_the_same_as_a_run_for_each_error(results):
    alone = search(
        "track-and-stop", **(GAME | {"options": {"means": (0.2, 0.6, 0.7)}, "error": 0.02})
    )
    assert np.array_equal(alone.samples[0], results.samples[1])


def test_the_same_seed_gives_the_same_searches_whatever_the_threads_and_the_company(results):
    again = search("track-and-stop", **(GAME | {"workers": 3}))
    assert np.array_equal(again.samples, results.samples[:2])
    assert np.array_equal(again.pulls, results.pulls[:2])


@pytest.mark.parametrize("name", NAMES)
def test_both_speeds_stop_at_the_same_time(name):
    private = algorithm(name).build(Setting(BestArm(3))).private
    world = to_search(Stochastic(3, means=(0.2, 0.6, 0.7)), 0.1)
    one, other = (
        run_search(
            [private],
            world,
            3000,
            seed=1,
            trial=0,
            bounds=Range(0.0, 1.0),
            stop=threading.Event(),
            compiled=compiled,
        )
        for compiled in (True, False)
    )
    for found, expected in zip(one[:3], other[:3], strict=True):
        assert np.array_equal(found, expected)


def test_a_search_plays_no_round_after_its_answer():
    private = algorithm("batched-lucb").build(Setting(BestArm(3))).private
    game = Stochastic(3, means=(0.1, 0.8, 0.8)).deal(0, 5000, np.random.default_rng(1))
    player = Player(private, streams(1))
    player.play(game, np.array([5000]))
    assert player.private.learner.is_done()
    assert player.rounds == player.private.learner.stopped.sum() < 5000
    player.play(game, np.array([5000]))
    assert player.rounds == player.private.learner.stopped.sum()


def test_what_is_cut_off_is_neither_right_nor_wrong_and_has_no_mean(results):
    short = search("track-and-stop", **(GAME | {"rounds": int(results.samples[1].max()) - 1}))
    first, last = short.summary()
    assert last["cut_off"] >= 1
    assert last["samples_mean"] is last["samples_low"] is last["times_twin"] is None
    assert last["wrong"] == 0
    assert not (short.correct & short.cut_off).any()
    assert first["cut_off"] < last["cut_off"] or first["samples_mean"] is not None
    assert (short.samples[short.cut_off] == short.rounds).all()


def test_wrong_answers_are_counted_with_their_interval(results):
    answers = results.answers.copy()
    answers[0, :2], answers[0, 2] = 1, -1
    row = replace(results, measure=replace(results.measure, answers=answers)).summary()[0]
    assert (row["wrong"], row["cut_off"], row["error_rate"]) == (2, 1, 0.25)
    assert (row["error_low"], row["error_high"]) == share_interval(2, 8)[1:]
    assert share_interval(8, 8).high == 1.0
    assert share_interval(3, 1000).high == pytest.approx(0.00874, abs=1e-5)


def test_a_tie_has_two_right_answers():
    tied = search(
        "track-and-stop",
        arms=3,
        options={"means": (0.2, 0.2, 0.9)},
        trials=3,
        rounds=2000,
        workers=1,
    )
    assert tied.searches.best.tolist() == [0, 1]
    assert tied.summary()[0]["reference"] is None
    assert tied.cut_off.any()


def test_the_reference_is_that_of_normal_numbers(results):
    losses = np.array([0.4] + [0.6] * 9)
    assert least_samples(losses, 0.25, 0.1) == pytest.approx(351.556, abs=1e-3)
    assert least_samples(losses, 1.170674, 0.1) == pytest.approx(1646.23, abs=1e-2)
    rows = results.summary()
    assert rows[2]["reference"] / rows[0]["reference"] == pytest.approx(4.0 * 1.170674, rel=1e-5)


def test_tables_go_to_pandas_csv_and_json(results, tmp_path):
    frame = results.to_pandas()
    assert list(frame.columns) == list(results.columns())
    assert {"samples", "answer", "correct", "cut_off", "error", "pulls_0", "pulls_2"} <= set(
        frame.columns
    )
    assert len(frame) == results.samples.size
    rows = list(csv.DictReader(results.to_csv(tmp_path / "searches.csv").read_text().splitlines()))
    assert [int(row["samples"]) for row in rows] == frame["samples"].tolist()
    assert {row["correct"] for row in rows} == {"True"}
    files = results.save(tmp_path / "run")
    assert [file.name for file in files] == ["results.parquet", "manifest.json"]
    manifest = json.loads(files[1].read_text())
    assert manifest["problem"] == {"plays": "best-arm search", "arms": 3, "error": 0.1}
    assert manifest["means"] == [0.2, 0.6, 0.7]
    json.dumps(results.summary())


def test_losses_in_other_units_take_as_many_samples(results):
    options = {"means": (-8.0, 0.0, 2.0), "errors": (0.02,)}
    wide = search("track-and-stop", **(GAME | {"options": options}), low=-12.0, high=8.0)
    assert np.array_equal(wide.samples, results.samples[:2])


def test_a_search_of_ones_own_in_an_environment_of_ones_own():
    class Doubtful(Stochastic):
        """Says nothing of its means."""

        def fixed_means(self):
            return np.zeros(0)

    private = algorithm("track-and-stop").build(Setting(BestArm(3, 0.2))).private
    mine, world = Contender(label="mine", private=private), Stochastic(3, means=(0.9, 0.8, 0.1))
    found = search(mine, environment=world, trials=4, workers=1)
    assert found.searches.best.tolist() == [2]
    assert found.correct.all()
    assert [(row["label"], row["error"], row["reference"]) for row in found.summary()] == [
        ("mine", 0.2, None)
    ]
    with pytest.raises(DiscreetError, match="Doubtful has no fixed means"):
        search(mine, environment=Doubtful(3), trials=4)


def exp3():
    private = Private(Open(Range(0.0, 1.0)), Exp3.start(arms=4, learning_rate=0.1))
    return Contender(label="mine", private=private)


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: search("exp3"), "arms does not stop by itself: use simulate, not search"),
        (
            lambda: simulate("lucb"),
            "best-arm search stops by itself and has no regret: use search, not simulate",
        ),
        (
            lambda: search("lucb", environment="drifting"),
            "Drifting has no fixed means, but best-arm search needs them",
        ),
        (lambda: search("lucb", environment=Drifting(4, 100)), "Drifting has no fixed means"),
        (
            lambda: search(exp3(), problem=BestArm(4)),
            "the learner is of type Exp3, but a search needs a Searching",
        ),
        (lambda: search(["lucb", "exp3"]), "in one simulation all must play the same"),
        (lambda: search("lucb", error=1.5), "error is 1.5, but must be above 0 and below 1"),
    ],
)
def test_what_cannot_be_searched_is_refused(call, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        call()
