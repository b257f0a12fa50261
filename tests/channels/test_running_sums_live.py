"""Live running sums have no twins, and what fails in the middle releases nothing twice."""

from __future__ import annotations

import copy
import math
import pickle
from functools import partial

import numpy as np
import pytest
from sum_channels import factorised, learner, tree

import componentjit
from discreet import DiscreetError, Private, Setting, algorithm, audit
from discreet.channels import Restarting, RunningSum
from discreet.contracts import Noise, unsealed
from discreet.factorisations import FACTORISATIONS, Buffered, Honaker, SquareRoot, Tree, Unbounded
from discreet.live.run_plan import with_exact_noise
from discreet.mechanisms import Gaussian, Laplace
from discreet.problems import Points
from discreet.randomness import streams
from discreet.sets import Box
from discreet.simulation.loop import Player

LIVE = {
    "tree": tree,
    "honaker": partial(factorised, Honaker),
    "blt": partial(factorised, Buffered),
    "sqrt-toeplitz": partial(factorised, SquareRoot),
    "unbounded": partial(factorised, Unbounded),
}
every_live = pytest.mark.parametrize("name", LIVE)


class TestLive:
    def build(self, sums):
        return (
            algorithm("private-ftrl-experts")
            .build(Setting(Points("experts", 2), rounds=8, delta=1e-6), sums=sums)
            .private
        )

    @every_live
    def test_live_twins_share_nothing(self, name):
        private = self.build(name)
        live, other = with_exact_noise(private), with_exact_noise(private)
        for one, two in ((live, private), (live, other)):
            mine = [array for _, array in componentjit.arrays(one)]
            theirs = [array for _, array in componentjit.arrays(two)]
            assert not any(np.shares_memory(a, b) for a in mine for b in theirs)
        live = live._replace(channel=unsealed(live.channel))
        live.tell(live.act(None, np.random.default_rng(1))[1], np.array([0.0, 1.0]), None)
        assert live.channel.seen[0] == 1
        assert not private.learner.sums.any()
        assert private.channel.seen[0] == other.channel.seen[0] == 0

    @every_live
    def test_live_use_begins_before_the_first_round(self, name):
        private, rng = self.build(name), np.random.default_rng(1)
        private.tell(private.act(None, rng)[1], np.array([0.0, 1.0]), rng)
        with pytest.raises(
            DiscreetError,
            match="has already seen rounds, but live use needs a fresh one: build it again",
        ):
            with_exact_noise(private)

    @every_live
    def test_in_the_middle_of_a_run_there_is_no_second_one(self, name):
        live = unsealed(LIVE[name]().live())
        live.offer([0.0, 1.0], 1.0, None)
        oldest = partial(pickle.dumps, protocol=0)
        for duplicate in (
            copy.copy,
            copy.deepcopy,
            pickle.dumps,
            oldest,
            componentjit.copy,
            lambda each: each._replace(slack=0.0),
        ):
            with pytest.raises(
                DiscreetError, match="has seen 1 round, but can be copied or pickled only before"
            ):
                duplicate(live)
        with pytest.raises(DiscreetError, match="has seen 1 round"):
            Player(Private(live, learner()), streams(1))
        live.restart()
        assert type(componentjit.copy(live)) is type(live)

    @every_live
    def test_before_the_first_round_copies_are_whole(self, name):
        live = unsealed(LIVE[name]().live())
        for twin in (
            copy.deepcopy(live),
            pickle.loads(pickle.dumps(live)),
            componentjit.copy(live),
        ):
            assert type(twin) is type(live)
            assert twin.guarantee == live.guarantee
            twin.offer([0.0, 1.0], 1.0, None)
            assert live.seen[0] == 0
            assert np.isfinite(twin.released).all()

    @pytest.mark.slow
    @every_live
    @pytest.mark.parametrize(
        ("feedback", "complaint"),
        [
            ([1.0], r"feedback has the shape \(1,\), but must be a vector of length 2"),
            ([1.0, 2.0, 3.0], r"the shape \(3,\)"),
            ([[1.0, 2.0], [3.0, 4.0]], r"the shape \(2, 2\)"),
            (0.5, r"the shape \(\)"),
            (
                ["0.5", "1"],
                "feedback must be 2 real numbers, but has an entry of another type",
            ),
            ([0.5, None], "real numbers, but has an entry"),
            (None, "real numbers, but has an entry"),
            ([[1.0], [2.0, 3.0]], "real numbers, but has an entry"),
            ([0.5, 1j], "real numbers, but has an entry"),
            ([0.5, 10**400], "real numbers, but has an entry"),
        ],
    )
    def test_feedback_that_is_no_vector_gets_one_sentence_and_leaves_no_trace(
        self, name, feedback, complaint
    ):
        live = unsealed(LIVE[name]().live())
        with pytest.raises(DiscreetError, match=complaint) as refusal:
            live.offer(feedback, 1.0, None)
        assert "0.5" not in str(refusal.value), "feedback is sensitive"
        assert live.seen[0] == 0
        live.offer([math.nan, math.inf], 1.0, None)
        live.offer(np.array([1, 0]), 1.0, None)
        assert live.seen[0] == 2
        assert np.isfinite(live.released).all()

    def test_a_round_without_noise_leaves_its_place_to_the_next(self):
        class NoEntropy(Noise):
            compiles = False
            is_exact = True

            def sealed(self):
                return self

            def perturb(self, vector, rng):
                raise OSError("no entropy")

        for make in LIVE.values():
            live = unsealed(make().live())
            broken = live._replace(noise=NoEntropy())
            with pytest.raises(OSError, match="no entropy"):
                broken.offer([1.0, 1.0], 1.0, None)
            assert live.seen[0] == 0
            with pytest.raises(DiscreetError, match="has seen 1 round"):
                componentjit.copy(broken)  # its vector waits, and would be released by both
            live.offer([0.0, 1.0], 1.0, None)
            assert live.seen[0] == 1

    @pytest.mark.full
    @every_live
    def test_live_sums_are_audited_with_the_noise_that_they_draw(self, name):
        """Noise has no seed here: a true guarantee is called violated in 1 of 10^6 runs at most."""
        found = audit(Private(LIVE[name]().live(), learner()), trials=400, confidence=1 - 1e-6)
        assert not found.violated
        assert found.trials == 400


class Fragile(Laplace):
    """Noise that cannot be drawn at one moment."""

    compiles = False
    left: np.ndarray  # draws until it fails

    def perturb(self, vector, rng):
        self.left[0] -= 1
        if self.left[0] == 0:
            raise KeyboardInterrupt
        Laplace.perturb(self, vector, rng)


class Slippery(Box):
    """A set onto which a large vector cannot be projected."""

    compiles = False

    def project(self, point):
        if np.abs(point).max() > 100.0:
            raise KeyboardInterrupt
        Box.project(self, point)


class TestWhatFailsInTheMiddle:
    @pytest.mark.parametrize("draw", [2, 3])
    def test_a_sum_is_not_shown_before_all_of_its_noise_is_drawn(self, draw):
        """Prefixes 1 and 2 of three have a node and a pad each: draw 3 or 4 fails."""
        channel = RunningSum.over(
            Box.cube(1, 0.0, 1.0), Laplace(1.0), Tree, prefixes=3, padding=True
        )
        fragile = channel._replace(noise=Fragile(scale=1.0, left=np.array([draw + 1])))
        rng = np.random.default_rng(1)
        fragile.offer(np.ones(1), 1.0, rng)
        shown = fragile.released.copy()
        fragile.take(np.ones(1), 1.0)
        with pytest.raises(KeyboardInterrupt):
            fragile.release(1.0, rng)
        assert np.array_equal(fragile.released, shown)
        ready, released = fragile.release(1.0, rng)
        assert ready
        assert not np.array_equal(released, shown)
        assert not fragile.release(1.0, rng)[0], "a vector is released once"

    def test_a_vector_that_is_not_projected_is_not_released(self):
        sums = RunningSum.over(Slippery([0.0], [1.0]), Laplace(0.0), Tree, prefixes=3)
        sums.take(np.ones(1), 1.0)
        with pytest.raises(KeyboardInterrupt):
            sums.take(np.full(1, 1e9), 1.0)
        ready, released = sums.release(1.0, np.random.default_rng(1))
        assert not ready
        assert released.tolist() == [0.0]

    @pytest.mark.parametrize("kind", FACTORISATIONS.values(), ids=FACTORISATIONS)
    def test_a_round_that_is_counted_is_not_repeated(self, kind, monkeypatch):
        sums = RunningSum.over(Box.cube(1, 0.0, 1.0), Gaussian(1e-9, 1e-6), kind, prefixes=8)
        rng = np.random.default_rng(1)
        sums.take(np.ones(1), 1.0)
        with monkeypatch.context() as broken:
            broken.setattr(
                kind, "advance", lambda *_: (_ for _ in ()).throw(OSError("no space left"))
            )
            with pytest.raises(OSError, match="no space left"):
                sums.release(1.0, rng)
        assert not sums.release(1.0, rng)[0]
        assert sums.rounds_seen() == 1

    def test_an_epoch_ends_once_even_if_its_end_is_interrupted(self, monkeypatch):
        channel = Restarting.over(Box.cube(1, 0.0, 1.0), Laplace(1e-9), first=2, split="restarts")
        rng, one = np.random.default_rng(1), np.ones(1)
        for _ in range(2):
            channel.offer(one, 1.0, rng)
        with monkeypatch.context() as broken:
            broken.setattr(
                RunningSum, "restart", lambda _: (_ for _ in ()).throw(KeyboardInterrupt)
            )
            with pytest.raises(KeyboardInterrupt):
                channel.take(one, 1.0)
        for expected in range(3, 20):
            ready, released = channel.offer(one, 1.0, rng)
            assert ready
            assert released[0] == pytest.approx(expected, abs=1e-6)
            assert channel.sums.seen[0] <= 2 << channel.epoch[0]
        assert channel.epoch[0] == 3
