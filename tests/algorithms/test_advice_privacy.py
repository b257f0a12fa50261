"""Estimates with public sensitivities: the exact loss of privacy in each of the ways, and how much
noise there is.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from advice_games import UNIT, Scripted, law, loss_of_privacy, run

import componentjit
from discreet import DiscreetError, Range
from discreet.auditing.repeated import batches
from discreet.channels import Estimates
from discreet.channels.estimates import FITTED, GROUPS, JOINT_GAUSSIAN, JOINT_LAPLACE
from discreet.contracts import Estimate
from discreet.curves import gaussian_epsilon, gaussian_sigma


class TestPrivacy:
    """The exact loss of privacy of the real code, for every batch of tiny queries, in each of the
    ways.
    """

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("way", "delta", "fits", "ceiling"),
        [
            (JOINT_LAPLACE, 0.0, False, 0.0),
            (JOINT_GAUSSIAN, 0.05, False, 0.0),
            (GROUPS, 0.0, False, math.inf),
            (FITTED, 0.3, True, math.inf),
        ],
    )
    @pytest.mark.parametrize(("rounds", "experts"), [(1, 1), (1, 3), (2, 2), (3, 3)])
    def test_no_query_and_no_loss_costs_more_than_is_stated(
        self, way, delta, fits, ceiling, rounds, experts
    ):
        epsilon = 0.7
        channel = Estimates.over(
            size=rounds,
            coordinates=experts,
            groups=2,
            bounds=UNIT,
            epsilon=epsilon,
            delta=delta,
            fits=fits,
            ceiling=ceiling,
        )
        rng = np.random.default_rng(rounds)
        everything = list(itertools.product((0.0, 1.0, 2.5), repeat=rounds * experts))
        chosen = (
            everything
            if len(everything) <= 100
            else [everything[i] for i in rng.integers(0, len(everything), 100)]
        )
        worst, found = 0.0, 0
        for entries in chosen:
            weights = rng.random(experts) + 1e-3
            groups = rng.integers(0, 2, rounds)
            used, moves, responses, kind = law(
                channel, np.reshape(entries, (rounds, experts)), weights, groups
            )
            if used != way:
                continue
            found += 1
            for move in moves:
                cost = loss_of_privacy(move, responses, kind)
                assert cost <= (
                    epsilon if kind != "normal" else 1.0 / gaussian_sigma(epsilon, delta)
                ) * (1 + 1e-12)
                worst = max(worst, cost if kind != "normal" else gaussian_epsilon(cost, delta))
        if found == 0:
            assert way == FITTED, "fitted noise never has the least error in so small a batch"
            assert rounds == 1
        else:
            assert worst == pytest.approx(epsilon, rel=1e-6), "and it is reached"

    def test_what_groups_release_is_a_function_of_noisy_sums_to_the_last_bit(self):
        """Else rounding errors in the directions without noise would tell the losses."""
        queries, weights = np.array([[0.1, 0.7, 1.3], [0.1, 0.7, 1.3], [0.3, 0.2, 0.9]]), np.ones(3)
        groups = [0, 0, 1]

        def released(losses, noise):
            channel = Estimates.over(
                size=3, coordinates=3, groups=2, bounds=UNIT, epsilon=1.0, delta=0.0
            )
            return run(channel, queries, weights, losses, Scripted(0, noise), groups), int(
                channel.way[0]
            )

        one, way = released([0.75, 0.5, 0.3], 0.0)
        other, _ = released([0.125, 0.5, 0.3], 0.625)  # the noise makes up for the loss
        assert way == GROUPS
        assert one.tobytes() == other.tobytes()

    def test_every_segment_of_a_group_has_noise_of_its_own(self):
        channel = Estimates.over(
            size=4, coordinates=2, groups=2, bounds=UNIT, epsilon=1.0, delta=0.0
        )
        same, other = [1.0, 0.5], [0.5, 1.0]
        for queries, groups, draws in (
            ([same] * 4, [0, 0, 0, 0], 1),
            ([same] * 4, [0, 1, 0, 1], 2),
            ([same, same, other, other], [0, 0, 0, 0], 2),
            ([same, other, same, other], [0, 0, 0, 0], 4),
        ):
            counting = Scripted()
            run(channel, queries, np.ones(2), np.zeros(4), counting, groups)
            assert counting.kinds[:draws] == ["laplace"] * draws
            assert len(counting.kinds) == draws + (0 if channel.way[0] == GROUPS else 2)

    def test_the_choice_does_not_depend_on_losses_or_noise(self):
        rng = np.random.default_rng(3)
        for delta, fits in ((0.0, False), (0.2, False), (0.2, True)):
            channel = Estimates.over(
                size=3, coordinates=4, groups=2, bounds=UNIT, epsilon=1.0, delta=delta, fits=fits
            )
            for _ in range(50):
                queries, weights = rng.random((3, 4)) ** 3 * 5.0, rng.random(4)
                ways = set()
                for _ in range(4):
                    run(channel, queries, weights, rng.random(3), rng)
                    ways.add(int(channel.way[0]))
                assert len(ways) == 1

    def test_nothing_of_a_batch_is_released_before_it_is_full_or_after_the_last(self):
        channel = Estimates.over(
            size=3, coordinates=2, groups=1, bounds=UNIT, epsilon=1.0, delta=0.0
        )
        query, rng = Estimate(0, 1.0, np.ones(2), np.ones(2), 2.0), np.random.default_rng(0)
        for _ in range(2):
            ready, shown = channel.offer(1.0, query, rng)
            assert not ready
            assert not shown.any()
        _, first = channel.offer(1.0, query, rng)
        first = first.copy()
        ready, shown = channel.offer(0.0, query, rng)
        assert not ready
        assert np.array_equal(shown, first), "what is shown in between was released before"

    @pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
    def test_a_query_that_is_refused_contributes_nothing(self, bad):
        channel = Estimates.over(
            size=2, coordinates=2, groups=1, bounds=UNIT, epsilon=1.0, delta=1e-6
        )
        good = Estimate(0, 1.0, np.ones(2), np.ones(2), 2.0)
        rng = np.random.default_rng(0)
        channel.offer(0.5, good, rng)
        with pytest.raises(DiscreetError, match="an entry that is not finite"):
            channel.offer(1.0, good._replace(vector=np.array([1e50, bad])), rng)
        assert np.array_equal(channel.sums, [0.5, 0.5])
        assert channel.offer(0.5, good, rng)[0]

    @pytest.mark.parametrize(
        "change", [{"group": 2}, {"group": -1}, {"vector": np.ones(3)}, {"weights": np.ones(1)}]
    )
    def test_a_query_of_another_shape_is_refused(self, change):
        channel = Estimates.over(
            size=2, coordinates=2, groups=2, bounds=UNIT, epsilon=1.0, delta=0.0
        )
        query = Estimate(0, 1.0, np.ones(2), np.ones(2), 2.0)._replace(**change)
        with pytest.raises(
            DiscreetError,
            match=r"arm -?[12], but .* 2 arms|has [13] entries, but the channel expects 2",
        ):
            channel.offer(0.5, query, np.random.default_rng(0))

    @pytest.mark.parametrize("tiny", [1e-155, 1e-162, 1e-170, 5e-324])
    def test_entries_whose_squares_vanish_are_not_released_without_noise(self, tiny):
        for delta, ceiling in ((1e-6, 0.0), (0.3, math.inf)):
            channel = Estimates.over(
                size=1,
                coordinates=3,
                groups=1,
                bounds=UNIT,
                epsilon=1.0,
                delta=delta,
                fits=True,
                ceiling=ceiling,
            )
            _, moves, responses, kind = law(
                channel, np.array([[tiny, tiny, 30.0 * tiny]]), np.ones(3)
            )
            most = 1.0 / gaussian_sigma(1.0, delta) if kind == "normal" else 1.0
            assert loss_of_privacy(moves[0], responses, kind) <= most

    @pytest.mark.parametrize("weights", [[0.0, 0.0, 1.0], [1e-320, 1.0, 1.0], [1e200, 1.0, 0.0]])
    def test_no_weights_of_experts_break_fitted_noise(self, weights):
        rng = np.random.default_rng(1)
        channel = Estimates.over(
            size=8, coordinates=3, groups=2, bounds=UNIT, epsilon=1.0, delta=0.3, fits=True
        )
        for _ in range(10):
            _, moves, responses, kind = law(channel, rng.random((8, 3)) * 5.0, np.array(weights))
            most = (1.0 / gaussian_sigma(1.0, 0.3) if kind == "normal" else 1.0) * (1 + 1e-12)
            assert max(loss_of_privacy(move, responses, kind) for move in moves) <= most

    def test_losses_outside_of_the_range_are_clamped(self):
        channel = Estimates.over(
            size=1, coordinates=1, groups=1, bounds=Range(-1.0, 3.0), epsilon=1.0, delta=0.0
        )
        ends = [
            float(run(channel, [[2.0]], np.ones(1), [x], Scripted())[0])
            for x in (-1.0, -9.0, math.nan, 3.0, 1e300)
        ]
        assert ends == [0.0, 0.0, 0.0, 2.0, 2.0]


class TestNoise:
    def deviations(self, channel, queries, weights, count=4000):
        """Return the standard deviation of each coordinate, drawn by the compiled code."""
        found = np.empty((count, channel.sums.size))
        unreset, rng = np.zeros(0, np.uint8), np.random.default_rng(2)
        draw = componentjit.compile_for(batches, channel)
        draw(channel, unreset, unreset, np.zeros(len(queries)), queries, weights, found, rng)
        return found.std(axis=0)

    @pytest.mark.parametrize("experts", [2, 30])
    def test_for_constant_advice_the_number_of_experts_does_not_matter(self, experts):
        channel = Estimates.over(
            size=50, coordinates=experts, groups=2, bounds=UNIT, epsilon=0.5, delta=1e-6
        )
        found = self.deviations(channel, np.full((50, experts), 3.0), np.ones(experts))
        assert channel.way[0] == GROUPS
        assert found == pytest.approx(np.full(experts, math.sqrt(2.0) / 0.5 * 3.0 / 50), rel=0.08)

    @pytest.mark.slow
    def test_each_batch_has_the_least_error(self):
        rng = np.random.default_rng(5)
        ways = set()
        for case in range(80):
            size, experts = int(rng.integers(1, 12)), int(rng.integers(2, 9))
            queries = rng.random((size, experts)) ** rng.integers(1, 8) * 10.0
            weights = rng.dirichlet(np.full(experts, 0.3)) + 1e-9
            channel = Estimates.over(
                size=size,
                coordinates=experts,
                groups=2,
                bounds=UNIT,
                epsilon=1.0,
                delta=(0.3, 1e-3)[case // 40],
                fits=case % 2 > 0,
            )

            def error(channel, queries=queries, weights=weights):
                _, _, responses, kind = law(channel, queries, weights)
                return float(weights @ (responses**2).sum(axis=1)) * (
                    2.0 if kind == "laplace" else 1.0
                )

            best = error(channel)
            ways.add(int(channel.way[0]))
            for other in (
                channel._replace(ceiling=0.0),
                channel._replace(fits=False),
                channel._replace(gaussian=0.0),
            ):
                assert best <= error(other) * (1 + 1e-6)
        assert ways == {JOINT_GAUSSIAN, JOINT_LAPLACE, GROUPS, FITTED}
