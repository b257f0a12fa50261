"""Environments: the papers' definitions, files, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from discreet import DiscreetError, Private, Range
from discreet.channels import Open
from discreet.checks import CheckFailed, check_environment
from discreet.environments import (
    Deterministic,
    Stochastic,
    Table,
    environment,
    environment_names,
    read_table,
)
from discreet.environments.access import uniforms
from discreet.environments.arms.switching_costs import multi_scale_walk
from discreet.learners import Uniform
from discreet.learners.arms.draws import Draw
from discreet.plot.games import OF_DATA
from discreet.problems import ArmGame, Arms
from discreet.randomness import streams
from discreet.simulation.loop import Player


@pytest.mark.parametrize("arms", [2, 3, 7])
@pytest.mark.parametrize("name", [name for name in environment_names(Arms) if name not in OF_DATA])
def test_every_environment_keeps_its_contract(name, arms):
    check_environment(environment(name, arms=arms))


def test_a_table_keeps_the_contract():
    check_environment(Table(np.random.default_rng(0).random((60, 3))))


class First(Uniform):
    def act(self, observation, rng):
        return 0, Draw(0, 1.0)


@pytest.mark.slow
def test_switching_costs_whoever_switches():
    world = environment("switching-costs", arms=3, rounds=4096)
    game = world.deal(0, 4096, np.random.default_rng(2))
    assert game.losses.min() > 0.3
    assert game.losses.max() < 0.7
    gaps = np.ptp(game.losses, axis=1)
    assert gaps == pytest.approx((3 / 4096) ** (1 / 3) / (9 * 12), rel=1e-9), (
        "one arm is better, always by the same"
    )
    assert game.feedback(0, 1) == game.losses[0, 1]
    assert game.loss(1, 2) == game.feedback(1, 2) == 1.0
    assert game.feedback(2, 2) == game.losses[2, 2]
    fixed, restless = First(3), Uniform(3)
    scores = []
    for learner in (fixed, restless):
        player = Player(Private(Open(Range(0.0, 1.0)), learner), streams(1))
        first, second = (
            world.deal(0, 2048, np.random.default_rng(2)),
            world.deal(2048, 4096, np.random.default_rng(2)),
        )
        player.play(first, np.array([2048]))
        scores.append(player.play(second, np.array([2048]))[0] / 4096)
    assert scores[0] == pytest.approx(game.losses[:, 0].mean(), rel=1e-9)
    assert scores[1] > 0.75, "two of three draws switch, and cost 1"


def test_the_multi_scale_walk_is_that_of_dekel_et_al():
    rng = np.random.default_rng(5)
    steps = ndtri(uniforms(rng, 0, 3000, 1, purpose=3)[:, 0])
    walk = [0.0]
    for t in range(1, 3001):
        walk.append(walk[t & (t - 1)] + steps[t - 1])
    np.testing.assert_allclose(multi_scale_walk(rng, 0, 3000), walk[1:], rtol=1e-12)
    np.testing.assert_allclose(multi_scale_walk(rng, 777, 2001), walk[778:2002], rtol=1e-12)


def test_drifting_means_and_pairs():
    losses = (
        environment("drifting", arms=4, rounds=40_000)
        .deal(0, 40_000, np.random.default_rng(1))
        .losses
    )
    best = losses.reshape(80, 500, 4).mean(axis=1).argmin(axis=1)
    assert set(best) == {0, 1, 2, 3}, "every arm is best for a while"
    leak, twin = (
        environment(n, arms=2).deal(0, 50, np.random.default_rng())
        for n in ("leak", "leak-neighbour")
    )
    assert np.argwhere(leak.losses != twin.losses).tolist() == [[0, 1]]
    drop, other = (
        environment(n, arms=2, rounds=50).deal(0, 50, np.random.default_rng())
        for n in ("drop", "drop-alternate")
    )
    assert np.unique(np.argwhere(drop.losses != other.losses)[:, 0]).tolist() == list(range(4, 50))
    late = environment("drop-alternate", arms=2, rounds=50, switch=25)
    assert (late.deal(0, 50, np.random.default_rng()).losses[:, 1] == 1.0).sum() == 25
    with pytest.raises(DiscreetError, match="switch is -1"):
        environment("drop-alternate", arms=2, switch=-1)
    with pytest.raises(DiscreetError, match="switch"):
        environment("drop", arms=2, switch=3)


class Fickle(Stochastic):
    def deal(self, start, stop, rng):
        return super().deal(start, stop, np.random.default_rng(start))


class Flattering(Stochastic):
    def best(self, total):
        return float(total.mean())


class Broken(Stochastic):
    def deal(self, start, stop, rng):
        return ArmGame(np.full((stop - start, self.arms), np.nan))


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (Fickle(3), "when cut into pieces"),
        (Flattering(3), "not the loss of the best"),
        (Broken(3), "not finite"),
    ],
)
def test_the_contract_check_finds_broken_environments(broken, complaint):
    with pytest.raises(CheckFailed, match=complaint):
        check_environment(broken)


def test_deterministic_gains_are_those_of_the_paper():
    gains = 1.0 - Deterministic(5).deal(0, 12, np.random.default_rng()).losses
    assert np.allclose(gains[:, 0], 0.38)
    assert [t + 1 for t in range(12) if gains[t, 1] == 1.0] == [2, 4, 6, 8, 10, 12]
    assert [t + 1 for t in range(12) if gains[t, 2] == 1.0] == [3, 6, 9, 12]
    assert not gains[:, 3:].any()


def test_stochastic_gains_have_the_means_of_the_paper():
    """Means of 200,000 draws, fixed seed; on fresh seeds 4.5 deviations once in 10^5 runs."""
    gains = 1.0 - Stochastic(3).deal(0, 200_000, np.random.default_rng(1)).losses
    assert set(np.unique(gains)) == {0.0, 1.0}
    np.testing.assert_allclose(
        gains.mean(axis=0), [0.55, 0.5, 0.5], atol=4.5 * 0.5 / np.sqrt(200_000)
    )


def write(path, text):
    path.write_text(text)
    return path


def test_tables_come_from_csv_with_or_without_a_header_and_from_npy(tmp_path):
    expected = [[0.0, 1.0], [0.5, 0.25]]
    np.save(tmp_path / "a.npy", np.array(expected))
    for path in (
        tmp_path / "a.npy",
        write(tmp_path / "a.csv", "0,1\n0.5,0.25\n"),
        write(tmp_path / "b.csv", "\ufeffleft,right\n0, 1\n0.5,0.25"),
        write(tmp_path / "c.csv", '\n\n"left","right"\r\n"0","1"\r\n"0.5","0.25"\r\n\r\n'),
    ):
        assert read_table(path).losses.tolist() == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is empty"),
        ("a,b\n", "has 0 rows"),
        ("0,1\n", "has 1 row of losses, but at least 2"),
        ("0\n1\n", "has 1 column, but at least 2 arms are needed, separated by commas"),
        ("0,1\n0\n", "row 2 has 1 column, but the rows before it have 2"),
        ("0.1,,0.3\n1,1,1\n", "row 1, column 2: '' is not a number"),
        ("0.1,O.2\n1,1\n", "row 1, column 2: 'O.2' is not a number"),
        ("a,b\n0,1,1\n1,1,1\n", "has 2 names, but 3 columns of losses"),
        ("0;1\n1;0\n", "row 2, column 1: '1;0' is not a number .columns are separated by commas"),
        (
            "0,1\n" + "x" * 200_000 + ",2\n",
            "cannot be read as a table: field larger than",
        ),
        ("a,b\n0,1\n0,x\n", "row 3, column 2: 'x' is not a number"),
        ("0,1\n0,nan\n", "row 2, column 2: a loss must be a finite number"),
        ("a,b\n0,1\ninf,0\n", "row 3, column 1: a loss must be a finite number"),
        ("0,1\n0,\n", "row 2, column 2: '' is not a number"),
    ],
)
def test_bad_text_is_refused_with_its_place(tmp_path, text, complaint):
    with pytest.raises(DiscreetError, match=complaint):
        read_table(write(tmp_path / "losses.csv", text))


def test_bad_files_are_refused(tmp_path):
    with pytest.raises(DiscreetError, match="is not a file"):
        read_table(tmp_path / "missing.csv")
    with pytest.raises(DiscreetError, match="is not a file"):
        read_table(tmp_path)
    np.save(tmp_path / "flat.npy", np.zeros(5))
    with pytest.raises(DiscreetError, match="but must contain a table of numbers"):
        read_table(tmp_path / "flat.npy")
    (tmp_path / "bad.npy").write_bytes(b"nothing")
    with pytest.raises(DiscreetError, match="is not an NPY file"):
        read_table(tmp_path / "bad.npy")
    (tmp_path / "bad.csv").write_bytes(b"\xff\xfe\x00\x01,\n")
    with pytest.raises(DiscreetError, match="is not a comma-separated file in UTF-8"):
        read_table(tmp_path / "bad.csv")


def test_names_arms_and_files_must_fit(tmp_path):
    path = write(tmp_path / "losses.csv", "0,1\n1,0\n")
    assert environment("table", losses=path).problem == Arms(2)
    for arguments, complaint in (
        ({"name": "stochastc"}, "did you mean 'stochastic'"),
        ({"name": "table"}, "needs a file of losses"),
        ({"name": "table", "losses": path, "arms": 3}, "arms is 3, but .* has 2"),
        ({"name": "stochastic", "losses": path}, "use 'table'"),
        ({"name": "stochastic", "arms": 1}, "arms is 1"),
    ):
        with pytest.raises(DiscreetError, match=complaint):
            environment(**arguments)


@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, 1), (0, 64), (1, 2), (5, 6), (52, 104), (63, 65), (64, 128), (1000, 1037)],
)
def test_the_walk_is_what_its_definition_says(start, stop):
    """W(t) = W(t with its lowest bit cleared) + step(t), to the last bit, wherever it is read."""
    rng = np.random.default_rng(3)
    steps = ndtri(uniforms(rng, 0, stop, 1, purpose=3)[:, 0]).tolist()
    walk = [0.0]
    for t in range(1, stop + 1):
        walk.append(walk[t & (t - 1)] + steps[t - 1])
    assert multi_scale_walk(rng, start, stop).tolist() == walk[start + 1 :]
