"""A restored database, as docs/service.md describes it: refused, until somebody says restored."""

from __future__ import annotations

import shutil

import pytest
from real_service import real_service

import discreet
from discreet.errors import OldCopy

ONE = {"arms": ["A", "B"], "horizon": 400, "epsilon": 1.0, "wait": None, "batch_size": 4}
ONE |= {"algorithm": "batched-exp3"}


def play(bandit, rounds, **options):
    for _ in range(rounds):
        bandit.tell(bandit.ask(**options), reward=1.0)


def test_a_restored_database_is_refused_until_it_is_said_to_be_one(tmp_path, call):
    folder, backup = tmp_path / "service", tmp_path / "backup.db"
    with (
        real_service(folder) as real,
        discreet.connect("http://localhost", token=real.token, transport=real.bridge) as found,
    ):
        token = real.token
        play(found.Bandit(**ONE, path="banner"), 6)
        play(found.Bandit(**ONE, path="limited", max_rounds_per_user=50), 6, user="u")
    shutil.copy(folder / "service.db", backup)
    with (
        real_service(folder) as real,
        discreet.connect("http://localhost", token=token, transport=real.bridge) as found,
    ):
        play(found.open("banner"), 6)
        play(found.open("limited"), 6, user="u")
        after = found.open("banner").state()
    shutil.copy(backup, folder / "service.db")
    with (
        real_service(folder) as real,
        discreet.connect(
            "http://localhost", token=token, transport=real.bridge, retries=0
        ) as found,
    ):
        for name in ("banner", "limited"):
            with pytest.raises(OldCopy):
                found.open(name).ask()
    for name in ("banner", "limited"):
        code, printed, complaint = call("run", "restored", name, "--folder", folder)
        assert code == 0, complaint
        assert "lost" in printed or "over" in printed
    with (
        real_service(folder) as real,
        discreet.connect("http://localhost", token=token, transport=real.bridge) as found,
    ):
        bandit = found.open("banner")
        state = bandit.state()
        assert state.round < after.round  # what came after the backup is lost
        assert state.waiting == 0  # batches that were open are given up
        play(bandit, 8)
        with pytest.raises(discreet.DiscreetError):
            found.open("limited").ask(user="u")  # nobody knows the counts of users any more
