"""Simulation: reproducible on any number of threads, honest statistics, nothing half-written."""

from __future__ import annotations

import json
import threading
import tracemalloc

import numpy as np
import pytest

from discreet import Contender, DiscreetError, Private, Range, Setting, simulate
from discreet.channels import Open
from discreet.environments import AdviceRandom, Stochastic, Table
from discreet.learners import Exp3, Exp4
from discreet.problems import Advice, Arms
from discreet.simulation import dealing as dealing_module
from discreet.simulation.statistics import gini_difference, mean_interval, median_of_means
from discreet.simulation.trial import checkpoints, run_trial

NAMES = ["batched-exp3", "tsallis-inf", "uniform"]


def small(**changes):
    arguments = {
        "environment": "stochastic",
        "rounds": 3000,
        "trials": 6,
        "epsilon": [1.0, 0.1],
        "seed": 3,
    }
    return simulate(NAMES, **(arguments | changes))


def test_the_same_seed_gives_the_same_numbers_on_any_number_of_threads():
    one, four = small(workers=1), small(workers=4)
    assert one.regret.tobytes() == four.regret.tobytes()
    assert small(seed=4).regret.tobytes() != one.regret.tobytes()


def test_an_algorithm_gives_the_same_numbers_whatever_else_is_run():
    alone = simulate(["tsallis-inf"], environment="stochastic", rounds=3000, trials=6, seed=3)
    together = small()
    index = [contender.label for contender in together.contenders].index("tsallis-inf")
    assert alone.regret[0].tobytes() == together.regret[index].tobytes()


def test_cutting_the_game_into_pieces_changes_nothing(monkeypatch):
    whole = small()
    monkeypatch.setattr(dealing_module, "rounds_at_once", lambda actions: 77)
    assert whole.regret.tobytes() == small().regret.tobytes()


def test_private_algorithms_play_once_for_each_epsilon():
    labels = [contender.label for contender in small().contenders]
    assert labels == ["batched-exp3 (ε = 1)", "batched-exp3 (ε = 0.1)", "tsallis-inf", "uniform"]


def test_regret_is_against_the_best_fixed_arm_of_the_prefix():
    losses = np.random.default_rng(5).random((200, 3))
    results = simulate(["exp3"], environment=Table(losses), trials=1, seed=0)
    prefix = np.cumsum(losses, axis=0)[results.checkpoints - 1].min(axis=1)
    np.testing.assert_allclose(results.loss[0, 0] - results.regret[0, 0], prefix, rtol=1e-12)
    assert results.rounds == 200


def test_any_learner_behind_any_channel_can_be_simulated():
    mine = Contender(
        label="mine", private=Private(Open(Range(0.0, 1.0)), Exp3.start(arms=4, learning_rate=0.05))
    )
    results = simulate([mine, "uniform"], environment=Stochastic(4), rounds=2000, trials=3)
    assert [row["label"] for row in results.summary()] == ["mine", "uniform"]


def test_a_learner_with_other_arms_than_the_game_is_refused():
    wrong = Contender(
        label="x", private=Private(Open(Range(0.0, 1.0)), Exp3.start(arms=50, learning_rate=0.05))
    )
    with pytest.raises(DiscreetError, match="the learner is for 50 actions, but the game has 4"):
        simulate([wrong], environment="deterministic", arms=4, rounds=2000, trials=2)
    with pytest.raises(DiscreetError, match="is 5, but the environment has 4"):
        simulate(["exp3"], environment=Stochastic(4), arms=5, rounds=100)


@pytest.mark.slow
def test_losses_and_advice_may_be_arrays():
    losses = np.random.default_rng(1).random((50, 3))
    assert simulate("exp3", losses=losses, trials=1).rounds == 50
    assert simulate(
        "exp4", losses=losses, advice=np.full((4, 3), 1.0 / 3.0), trials=1
    ).problem == Advice(3, 4)
    with pytest.raises(
        DiscreetError, match=r"losses has shape \(3,\), but must be a table of finite numbers"
    ):
        simulate("exp3", losses=np.zeros(3), trials=1)
    with pytest.raises(
        DiscreetError, match="losses is given, but environment 'stochastic' makes its own"
    ):
        simulate("exp3", environment="stochastic", losses=losses, trials=1)
    with pytest.raises(
        DiscreetError, match="advice is given, but environment 'advice-random' makes its own"
    ):
        simulate("exp4", advice=np.full((4, 3), 1.0 / 3.0), trials=1)


def test_an_epsilon_that_was_asked_for_is_the_one_that_is_shown():
    results = simulate(
        "private-ftrl-ball", dimension=5, rounds=100, trials=1, epsilon=[0.1, 0.01], delta=1e-6
    )
    assert [each.label for each in results.contenders] == [
        "private-ftrl-ball (ε = 0.1)",
        "private-ftrl-ball (ε = 0.01)",
    ]
    for each, asked in zip(results.contenders, (0.1, 0.01), strict=True):
        assert asked * (1.0 - 1e-9) < each.private.guarantee.epsilon <= asked
        assert each.private.guarantee.short == f"({asked}, 1e-06)-differential privacy"


def test_advice_is_for_those_who_want_it():
    with pytest.raises(
        DiscreetError,
        match="the environment is for arms with expert advice, but the algorithms play arms",
    ):
        simulate("exp3", environment=AdviceRandom(3, 4), rounds=100, trials=1)
    own = Contender(
        label="own",
        private=Private(Open(Range(0.0, 1.0)), Exp4.start(experts=4, learning_rate=0.1)),
    )
    for world in (AdviceRandom(3, 4), "advice-random"):
        assert simulate(
            [own], environment=world, arms=3, experts=4, rounds=100, trials=1
        ).problem == Advice(3, 4)


def test_contenders_are_never_dropped():
    assert (
        len(simulate(["batched-exp3"], epsilon=[0.3, 0.30000001], rounds=100, trials=1).contenders)
        == 2
    )
    assert (
        len(simulate((name for name in ("exp3", "uniform")), rounds=100, trials=1).contenders) == 2
    )
    assert simulate("exp3", rounds=100, trials=1).contenders[0].label == "exp3"
    twin = Contender(
        label="x", private=Private(Open(Range(0.0, 1.0)), Exp3.start(arms=4, learning_rate=0.05))
    )
    with pytest.raises(DiscreetError, match="two contenders are labelled 'x'"):
        simulate([twin, twin], rounds=100, trials=1)


def test_checkpoints_are_log_spaced_and_end_with_the_game():
    marks = checkpoints(2**18)
    assert marks[0] == 1
    assert marks[-1] == 2**18
    assert (np.diff(marks) > 0).all()
    assert marks.size < 130
    assert np.diff(np.log(marks[marks > 100])).std() < 0.02


def test_memory_does_not_grow_with_the_horizon():
    private = Contender.named("exp3", Setting(Arms(4))).private

    def peak(rounds):
        tracemalloc.start()
        run_trial(
            [private],
            Stochastic(4),
            checkpoints(rounds),
            seed=0,
            trial=0,
            bounds=Range(0.0, 1.0),
            clip=False,
            stop=threading.Event(),
        )
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100)  # imports and compiles
    assert peak(4_000_000) < 1.2 * peak(400_000)


def after_three(done, asked):
    if done == 3:
        raise KeyboardInterrupt


def test_an_interrupt_is_an_interrupt():
    with pytest.raises(KeyboardInterrupt):
        small(progress=after_three, trials=50, workers=2)


INTERRUPTED = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from discreet import simulate

def interrupt():
    global pressed
    pressed = time.perf_counter()
    os.kill(os.getpid(), signal.SIGINT)

threading.Timer(SECONDS, interrupt).start()
try:
    simulate("exp3", rounds=10**11, trials=2)
except KeyboardInterrupt:
    print(time.perf_counter() - pressed < 30.0, flush=True)  # the loop would take an hour
    os._exit(0)  # without waiting for the piece that is being played
"""


@pytest.mark.long
@pytest.mark.parametrize("seconds", ["0.5", "3"])
def test_an_interrupt_is_heeded_at_once_while_compiled_code_runs(seconds, python):
    """While compiling, or inside a loop."""
    assert python(INTERRUPTED.replace("SECONDS", seconds)) == "True"


def test_an_interrupt_keeps_what_is_finished_where_that_is_asked_for():
    results = small(progress=after_three, trials=50, workers=2, keep_finished=True)
    assert results.asked == 50
    assert results.trials.size == 3
    full = small(trials=50)
    for kept, trial in enumerate(results.trials):
        assert results.regret[:, kept].tobytes() == full.regret[:, trial].tobytes()


def test_an_interrupt_before_the_first_trial_is_an_interrupt():
    def interrupt(done, asked):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small(progress=interrupt, keep_finished=True)


def test_progress_counts_every_trial():
    seen = []
    small(progress=lambda done, asked: seen.append((done, asked)))
    # who waits is told the same again
    assert list(dict.fromkeys(seen)) == [(done, 6) for done in range(7)]
    assert seen == sorted(seen)


def test_losses_out_of_range_are_refused_or_clipped():
    losses = np.array([[0.0, 1.0], [0.5, 1.5], [2.0, 0.0]])
    with pytest.raises(
        DiscreetError, match=r"row 2, column 2: the loss is 1\.5, but the declared range is 0 to 1"
    ):
        simulate(["exp3"], environment=Table(losses), trials=1)
    clipped = simulate(["exp3"], environment=Table(losses), trials=4, clip=True)
    assert clipped.clipped == 2
    wider = simulate(["exp3"], environment=Table(losses), trials=4, high=2.0)
    assert wider.clipped == 0

    class Wild(Stochastic):
        def deal(self, start, stop, rng):
            game = super().deal(start, stop, rng)
            return game._replace(losses=3.0 * game.losses)

    with pytest.raises(DiscreetError, match="the declared range is 0 to 1"):
        simulate(["exp3"], environment=Wild(3), rounds=50, trials=2)
    assert simulate(["exp3"], environment=Wild(3), rounds=50, trials=2, clip=True).clipped > 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"trials": 0}, "trials is 0"),
        ({"rounds": 1}, "rounds is 1"),
        ({"workers": 0}, "workers is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"epsilon": -1.0}, "epsilon is -1.0"),
        ({"epsilon": []}, "epsilon is empty"),
        ({"low": 2.0}, "low must be below high"),
        ({"options": {"batchsize": 3}}, "unknown option 'batchsize': did you mean 'batch_size'"),
        ({"options": {"batch_size": 0}}, "batch_size is 0"),
    ],
)
def test_bad_arguments_are_refused(arguments, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        small(**arguments)


def test_results_file_and_manifest_tell_the_same(tmp_path):
    import pyarrow.parquet

    results = small()
    results.save(tmp_path)
    table = pyarrow.parquet.read_table(tmp_path / "results.parquet").to_pydict()
    assert len(table["regret"]) == results.regret.size
    final = [
        r
        for r, label, t in zip(table["regret"], table["label"], table["round"], strict=True)
        if label == "batched-exp3 (ε = 0.1)" and t == 3000
    ]
    row = results.summary()[1]
    assert np.mean(final) == pytest.approx(row["regret_mean"], rel=1e-12)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["seed"] == 3
    assert manifest["trials"] == {"asked": 6, "finished": 6}
    assert [each["guarantee"]["epsilon"] for each in manifest["algorithms"]] == [
        1.0,
        0.1,
        None,
        0.0,
    ]
    assert manifest["algorithms"][1]["parameters"]["batch_size"] == 19


def test_confidence_intervals_cover_the_mean_as_often_as_they_say():
    """4,000 intervals of 95 % miss 200 ± 14 times; 3.9 deviations: one alarm in 10^4 runs."""
    rng = np.random.default_rng(1)
    missed = 0
    for _ in range(4000):
        value, low, high = mean_interval(rng.normal(3.0, 2.0, 12))
        assert low < value < high
        missed += not low <= 3.0 <= high
    assert abs(missed - 200) < 3.9 * np.sqrt(4000 * 0.05 * 0.95)


def test_one_trial_has_no_interval():
    interval = mean_interval(np.array([2.0]))
    assert interval.value == 2.0
    assert np.isnan(interval.low)
    assert small(trials=1).summary()[0]["regret_low"] is None


def test_median_of_means_and_gini_difference():
    rng = np.random.default_rng(2)
    values = rng.normal(size=720)
    pairs = np.abs(values[:, None] - values[None, :]).sum() / (720 * 719)
    assert gini_difference(values) == pytest.approx(pairs, rel=1e-12)
    assert gini_difference(values) == pytest.approx(2 / np.sqrt(np.pi), rel=0.05)
    result = median_of_means(values)
    groups = [values[30 * i : 30 * (i + 1)].mean() for i in range(24)]
    assert result.value == np.median(groups)
    assert result.low < result.value < result.high
    assert median_of_means(np.array([4.0])).value == 4.0
