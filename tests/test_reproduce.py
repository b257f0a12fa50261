"""The papers' figures and tables, on a small scale: files, numbers, and what must come out."""

from __future__ import annotations

import csv

import pytest

from discreet import DiscreetError
from discreet.reproduce import reproduction, reproductions
from discreet.reproduce.leak import probabilities
from discreet.reproduce.price import private_names
from discreet.reproduce.rates import slope
from discreet.reproduce.tossou import paper_batch, paper_epsilon

SMALL = {
    "tossou-figure-1": {"trials": 4, "rounds": 4096},
    "faster-rates-figure-1": {"rounds": 150_000},
    "faster-rates-table-1": {"trials": 2, "rounds": 2**14},
    "price-of-privacy": {"trials": 2, "rounds": 4096},
}


def test_every_reproduction_is_tried():
    elsewhere = {"agarwal-singh-table-1", "agarwal-singh-privacy-for-free", "faster-rates-table-1-experts"}
    assert set(SMALL) | elsewhere == set(reproductions()), "others are in test_reproduce_free and test_reproduce_advice"


@pytest.mark.parametrize("name", SMALL)
def test_pictures_and_tables_are_written(name, tmp_path):
    said = reproduction(name).run(tmp_path, **SMALL[name])
    pictures, tables = sorted(tmp_path.glob("*.png")), sorted(tmp_path.glob("*.csv"))
    assert pictures
    assert tables
    for table in tables:
        rows = list(csv.DictReader(table.read_text().splitlines()))
        assert len(rows) > 3
        assert all(None not in row.values() for row in rows)
    assert len(said) > 40


def test_the_paper_s_epsilon_is_243():
    assert paper_epsilon(2**18) == pytest.approx(243.3, abs=0.05)
    assert paper_batch(2**18) == 19


def test_losses_leak_and_gains_do_not():
    one, two = (probabilities("losses", 400_000, neighbour=n) for n in (False, True))
    assert one[-1] > 0.99
    assert two[-1] < 0.01
    one, two = (probabilities("gains", 400_000, neighbour=n) for n in (False, True))
    assert abs(one - two).max() < 1e-4


def test_every_private_algorithm_has_its_price():
    assert {"dp-exp3-lap", "exp3-tau", "batched-exp3", "batched-htinf", "batched-ftpl"} <= set(private_names())
    assert not {"uniform", "exp3", "tsallis-inf"} & set(private_names())


def test_slopes_and_names():
    assert slope([1.0, 10.0, 100.0], [2.0, 20.0, 200.0]) == pytest.approx(1.0)
    with pytest.raises(DiscreetError, match="did you mean 'tossou-figure-1'"):
        reproduction("tossou-figure")
    with pytest.raises(DiscreetError, match="trials is 0"):
        reproduction("price-of-privacy").run(None, trials=0)
