"""Trials side by side have the numbers that they have alone, for every algorithm on arms."""

from __future__ import annotations

import importlib
import math
import threading
import types

import numpy as np
import pytest

from componentjit.lanes import LANES, NotVectorizable, Program, program, room_for
from discreet import DiscreetError, Private, Range, Setting, simulate
from discreet.algorithms import list_algorithms
from discreet.channels import Batch, Open, PerRound
from discreet.contracts import Learner
from discreet.environments import Stochastic, SwitchingCosts, Table
from discreet.learners import Exp3
from discreet.learners.arms.draws import Draw
from discreet.mechanisms import Laplace
from discreet.planning.games import Planned, expected
from discreet.problems import Arms
from discreet.randomness import streams
from discreet.ranges import make_range
from discreet.simulation import dealing
from discreet.simulation.backends import choose_backend, run_trials
from discreet.simulation.dealing import Dealer, can_be_tossed
from discreet.simulation.loop import Player, Prototype
from discreet.simulation.side_by_side import lanes_of
from discreet.simulation.trial import checkpoints, run_trial

UNIT = make_range()
ON_ARMS = sorted(name for name, each in list_algorithms().items() if each.plays(Arms(4)))
ONE_BY_ONE = {
    "adap-klucb",  # bounds by Newton's method, called and not written out
    "batched-ftpl",  # counts by sampling, called and not written out
    "dp-klucb",
    "ftpl",
    "guarded-ucb",  # its trace has more than numbers
    "kl-ucb",
    "local-tsallis-inf",  # the hyperbolic tangent of randomised response
}


def in_lanes(privates, world, rounds, trials, **more):
    programs = tuple(lanes_of(private, world, UNIT) for private in privates)
    for each in programs:
        each.compile()
    return run(privates, world, rounds, trials, ways=programs, **more)


def run(privates, world, rounds, trials, **more):
    stop = threading.Event()
    marks = checkpoints(rounds)
    return run_trials(
        privates, world, marks, seed=5, trials=trials, bounds=UNIT, clip=False, stop=stop, **more
    )


def plainly(privates, world, rounds, trial):
    how = {"bounds": UNIT, "clip": False, "stop": threading.Event(), "compiled": False}
    return run_trial(privates, world, checkpoints(rounds), seed=5, trial=trial, **how)


def check_agreement(private, world, rounds, lanes=range(LANES)):
    found = in_lanes([private], world, rounds, range(LANES))
    for lane in lanes:
        alone = plainly([private], world, rounds, lane)
        np.testing.assert_array_equal(found[lane].loss, alone.loss, err_msg=f"lane {lane}")
        np.testing.assert_array_equal(found[lane].regret, alone.regret)


def built(name, arms, rounds):
    return list_algorithms()[name].build(Setting(Arms(arms), rounds=rounds, epsilon=1.0)).private


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64])
@pytest.mark.parametrize("shape", [(1, LANES), (4, LANES), (3, 5, LANES), (1000, 7, LANES)])
def test_no_vector_is_in_two_lines_of_the_fast_memory(shape, dtype):
    rooms = [room_for(shape, dtype) for _ in range(5)]
    for room in rooms:
        assert (room.shape, room.dtype, room.flags.c_contiguous, room.any()) == (
            shape,
            dtype,
            True,
            False,
        )
        assert room.ctypes.data % 64 == 0


@pytest.mark.parametrize("name", sorted(set(ON_ARMS) - ONE_BY_ONE))
def test_every_lane_plays_as_its_trial_does_in_plain_python(name):
    arms = 3 if name in ("exp3", "batched-htinf") else 4  # one that is no multiple of 4, too
    check_agreement(built(name, arms, 400), Stochastic(arms), 400, range(0, LANES, 3))


@pytest.mark.parametrize("name", sorted(ONE_BY_ONE))
def test_these_algorithms_play_one_trial_at_a_time(name):
    with pytest.raises(NotVectorizable):
        lanes_of(built(name, 4, 400), Stochastic(4), UNIT)


@pytest.mark.slow
def test_many_arms_are_found_by_their_address():
    check_agreement(built("exp3", 30, 300), Stochastic(30), 300, [0, 7, 15])


class Awkward(Learner):
    """Does what is hard in lanes: they take different branches, and must not do what others do."""

    sums_of: np.ndarray
    counts: np.ndarray
    limit: float

    def act(self, observation: object, rng: object) -> tuple[int, Draw]:
        self.counts[0] += 1
        tries = 0
        while rng.random() > self.limit and tries < 5:  # a draw in the test of a loop
            tries += 1
        arm = -1
        for i in range(3):
            if self.sums_of[i] > 1.0 and (
                arm < 0 or self.sums_of[i] < self.sums_of[arm]
            ):  # arm -1 must not be read
                arm = i
        for i in range(tries):  # as often as each lane says
            if i == 2:
                continue
            self.sums_of[i % 3] += 0.25
            if self.sums_of[i % 3] > 3.0:
                self.sums_of[i % 3] = 0.0
                break
        last = self.sums_of[-1] if arm < 0 else self.sums_of[arm]
        if arm < 0:
            arm = int(rng.random() * 3) if last < 1.5 else tries % 3
            if last > 2.5:
                arm = self.counts[0] % 3
        return arm, Draw(
            arm, 1.0 / (1.0 + last) if tries > 0 and 3 % tries == 0 else float(round(last))
        )

    def learn(self, trace: Draw, released: float) -> None:
        value = math.log1p(abs(released)) if released > 0.0 else -math.expm1(released)
        self.sums_of[trace.arm] += min(value, trace.importance, 1.0)
        total = 0.0
        while True:
            total += self.sums_of[trace.arm]
            if total > 1.0 or total == 0.0:
                break
            if total > 0.5:
                total += math.ceil(total) ** 1.5
                continue
            total *= 2.0
        self.sums_of[trace.arm] = math.copysign(max(total - math.floor(total), 0.1), total)


@pytest.mark.parametrize("channel", ["every round", "batches"])
def test_lanes_that_go_different_ways_stay_apart(channel):
    of = {
        "every round": PerRound(UNIT, Laplace(0.5)),
        "batches": Batch.laplace(size=3, epsilon=1.0, bounds=UNIT),
    }[channel]
    learner = Awkward(sums_of=np.zeros(3), counts=np.zeros(1, dtype=np.int64), limit=0.4)
    check_agreement(Private(of, learner), Stochastic(3), 200)


class Lost(Learner):
    """Plays an arm that there is not, sooner or later, in some lane."""

    arms: int

    def act(self, observation: object, rng: object) -> tuple[int, Draw]:
        arm = int(rng.random() * (self.arms + 0.01))
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""


bits = types.ModuleType("bits")  # not the one of the kernel
bits.exponent = lambda x: int(10.0 * x)


class Foreign(Learner):
    """Calls a function of a module that has the name of one that lanes know."""

    arms: int

    def act(self, observation: object, rng: object) -> tuple[int, Draw]:
        arm = bits.exponent(rng.random()) % self.arms
        return arm, Draw(arm, 1.0)

    def learn(self, trace: Draw, released: float) -> None:
        """Do nothing."""


def test_functions_of_other_modules_are_not_taken_for_known_ones():
    with pytest.raises(NotVectorizable, match="a call to a function of bits"):
        lanes_of(Private(Open(UNIT), Foreign(arms=3)), Stochastic(3), UNIT)


def test_an_error_in_one_lane_is_raised():
    with pytest.raises(DiscreetError, match=r"^action 3 was played, but the game has 3 arms"):
        in_lanes([Private(Open(UNIT), Lost(arms=3))], Stochastic(3), 1000, range(LANES))


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        SwitchingCosts(3, rounds=400),
        Planned(Arms(3), tuple(expected(mean, None) for mean in (0.3, 0.5, 0.6)), 400, True),
    ],
    ids=["switching-costs", "a plan"],
)
def test_games_that_remember_their_players_are_played_in_lanes_too(world, monkeypatch):
    monkeypatch.setattr(dealing, "BLOCK", 3 * 70)
    privates = [built(name, 3, 400) for name in ("exp3", "kl-ucb", "batched-htinf")]
    programs = (lanes_of(privates[0], world, UNIT), None, lanes_of(privates[2], world, UNIT))
    for each in (programs[0], programs[2]):
        each.compile()
    found = run(privates, world, 400, range(5), ways=programs)
    for trial in range(5):
        alone = plainly(privates, world, 400, trial)
        np.testing.assert_array_equal(found[trial].loss, alone.loss)
        np.testing.assert_array_equal(found[trial].regret, alone.regret)
        np.testing.assert_array_equal(found[trial].memory, alone.memory)


class Tripled(Stochastic):
    """Deals in another way than its base, whose coins it inherits."""

    def deal(self, start, stop, rng):
        game = super().deal(start, stop, rng)
        return game._replace(losses=game.losses / 3.0)


@pytest.mark.parametrize("arms", [3, 200])
def test_coins_are_not_tossed_for_who_deals_otherwise(arms):
    private, stop, marks = built("uniform", arms, 60), threading.Event(), np.array([60])
    assert can_be_tossed(Dealer(Stochastic(arms), UNIT, clip=False))
    assert not can_be_tossed(Dealer(Tripled(arms), UNIT, clip=False))
    how = {"seed": 5, "trial": 0, "bounds": UNIT, "clip": False, "stop": stop}
    (loss,) = run_trial([private], Tripled(arms), marks, **how).loss[0]
    assert 0 < loss <= 20.0 < run_trial([private], Stochastic(arms), marks, **how).loss[0, 0]


class TestThroughSimulate:
    def simulate(self, monkeypatch, *, lanes, **changes):
        def way(private, world, rounds, trials, bounds, **_):
            try:
                program = lanes_of(private, world, bounds)
                program.compile()
            except NotVectorizable:
                return None
            return program if lanes else None

        monkeypatch.setattr("discreet.simulation.jobs.choose_backend", way)
        arguments = {
            "environment": "stochastic",
            "rounds": 500,
            "trials": 20,
            "seed": 2,
            "workers": 2,
        }
        return simulate(["exp3", "kl-ucb", "uniform"], **(arguments | changes))

    @pytest.mark.slow
    def test_numbers_are_the_same_with_lanes_and_without(self, monkeypatch):
        with_lanes, without = (self.simulate(monkeypatch, lanes=lanes) for lanes in (True, False))
        assert with_lanes.regret.tobytes() == without.regret.tobytes()
        assert with_lanes.loss.tobytes() == without.loss.tobytes()

    def test_losses_in_other_units_and_tables_too(self, monkeypatch):
        losses = np.random.default_rng(3).random((300, 4)) * 10.0
        how = {"environment": Table(losses), "rounds": 300, "low": 0.0, "high": 10.0}
        with_lanes, without = (
            self.simulate(monkeypatch, lanes=lanes, **how) for lanes in (True, False)
        )
        assert with_lanes.regret.tobytes() == without.regret.tobytes()

    def test_games_are_dealt_in_pieces_with_the_same_numbers(self, monkeypatch):
        monkeypatch.setattr(dealing, "BLOCK", 4 * 77)
        self.test_numbers_are_the_same_with_lanes_and_without(monkeypatch)

    def test_games_too_large_to_hold_many_of_them_are_played_one_by_one(self):
        with pytest.raises(NotVectorizable, match="so large"):
            lanes_of(built("exp3", 1000, 100), Stochastic(1000), UNIT)

    @pytest.mark.parametrize(
        ("name", "rounds", "trials", "kept", "way"),
        [
            ("exp3", 100, 2, [], "plain"),  # nothing is compiled sooner than it is done
            ("exp3", 3000, 100, [], "lanes"),  # written sooner than single trials are compiled
            ("exp3", 10**9, 4, [], "singly"),  # most lanes would idle
            ("exp3", 1000, 100, ["singly"], "singly"),  # too little to write anything
            ("exp3", 1000, 100, ["singly", "lanes"], "lanes"),
            ("exp3", 10**7, 64, ["singly"], "lanes"),
            ("kl-ucb", 3000, 100, [], "singly"),
            ("tracking-ucb", 3000, 100, [], "lanes"),
            # lanes would wait for each other
            ("tracking-ucb", 10**6, 96, ["singly", "lanes"], "singly"),
        ],
    )
    def test_what_takes_least_time_is_done(self, monkeypatch, name, rounds, trials, kept, way):
        importlib.import_module("numba")  # loading it would count, too
        monkeypatch.setattr(Player, "is_kept", lambda *_: "singly" in kept)
        monkeypatch.setattr(Program, "is_compiled", lambda _: "lanes" in kept)
        found = choose_backend(
            built(name, 4, 1000), Stochastic(4), rounds, trials, UNIT, clip=False, threads=2
        )
        assert way == (
            "lanes" if isinstance(found, Program) else "singly" if found.compiled else "plain"
        )

    def test_what_cannot_be_compiled_is_played_as_it_is(self):
        class InPython(Exp3):
            compiles = False

        private = Private(Open(UNIT), InPython(*Exp3.example()))
        found = choose_backend(private, Stochastic(5), 10**6, 10, UNIT, clip=False, threads=2)
        assert isinstance(found, Prototype)
        assert not found.compiled


def test_what_single_trials_were_compiled_for_is_known(monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    private, other = (Private(Open(UNIT), each(arms=2)) for each in (Lost, Foreign))
    game = Stochastic(2).deal(0, 2, np.random.default_rng(1))
    assert not Player(private, streams(1)).is_kept(game)
    Player(private, streams(1)).play(game, np.array([2]))
    assert Player(private, streams(1)).is_kept(game)
    assert not Player(other, streams(1)).is_kept(game)


class TestKeeping:
    """What was written for lanes is there for later processes, and so is why it could not be."""

    def lanes_of(self, learner):
        program._found.clear()
        return lanes_of(Private(Open(Range(0.0, 1.0)), learner), Stochastic(2), UNIT)

    @pytest.fixture(autouse=True)
    def folder(self, monkeypatch, tmp_path):
        monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
        return tmp_path / "componentjit" / "lanes"

    @pytest.fixture
    def writing_fails(self, monkeypatch):
        def fail(*_):
            pytest.fail("it is written again")

        return lambda: monkeypatch.setattr(Program, "write", fail)

    def test_code(self, folder, writing_fails):
        first = self.lanes_of(Lost(arms=2))
        assert not first.is_compiled()
        first.compile()
        assert len(list(folder.iterdir())) == 1
        writing_fails()
        again = self.lanes_of(Lost(arms=2))
        assert again is not first
        assert again.is_compiled()
        assert again.sheet.paths == first.sheet.paths

    def test_what_cannot_be_turned(self, writing_fails):
        with pytest.raises(NotVectorizable, match="a call to a function of bits"):
            self.lanes_of(Foreign(arms=2))
        writing_fails()
        with pytest.raises(NotVectorizable, match="a call to a function of bits"):
            self.lanes_of(Foreign(arms=2))

    def test_without_room_on_disk_it_is_played_all_the_same(self, folder, monkeypatch):
        def full(path, content=b"", **_):
            with path.open("wb") as file:
                file.write(content[: len(content) // 2])
            raise OSError("no space left on device")

        monkeypatch.setattr("pathlib.Path.write_bytes", full)
        monkeypatch.setattr("pathlib.Path.touch", full)
        program = self.lanes_of(Lost(arms=2))
        program.compile()
        private = Private(Open(UNIT), Exp3.start(arms=2, learning_rate=0.1))
        found = run([private], Stochastic(2), 50, range(3))
        assert np.isfinite([each.loss for each in found]).all()
        assert not list(folder.glob("*")), "nothing half-written stays"

    def test_a_damaged_file_is_written_again(self, folder):
        self.lanes_of(Lost(arms=2)).compile()
        (kept,) = folder.iterdir()
        kept.write_bytes(kept.read_bytes()[:100])
        self.lanes_of(Lost(arms=2)).compile()
        assert len(kept.read_bytes()) > 100

    def test_code_that_is_in_no_file_is_known_by_what_is_written(self, folder, monkeypatch):
        monkeypatch.setattr(program, "fingerprint", lambda *_: None)
        self.lanes_of(Lost(arms=2)).compile()
        assert self.lanes_of(Lost(arms=2)).is_compiled()
