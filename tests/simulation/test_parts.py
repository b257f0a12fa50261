"""Results in parts: the same numbers, and the same files whether a sweep was interrupted or not."""

from __future__ import annotations

import functools
import json
import shutil

import duckdb
import numpy as np
import pandas
import pytest

from discreet import DiscreetError, simulate
from discreet.simulation import parts

SETTINGS = {"rounds": 200, "trials": 23, "seed": 5}
play = functools.partial(simulate, ["exp3", "batched-exp3"])


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(parts, "ROWS", 1000)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A sweep that was not interrupted."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "ROWS", 1000)
        play(**SETTINGS, output=folder)
    return folder


@pytest.fixture(scope="module")
def unbroken(whole):
    return files(whole)


def files(folder):
    """Return the content of all files, but for how long it took and when that was."""
    found = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    found["manifest.json"] = json.loads(found["manifest.json"])
    del found["manifest.json"]["created"]
    lines = [json.loads(line) for line in found[f"{parts.FOLDER}/{parts.PROGRESS}"].splitlines()]
    settings, *entries = (
        {key: value for key, value in line.items() if key != "seconds"} for line in lines
    )
    found[f"{parts.FOLDER}/{parts.PROGRESS}"] = [
        settings,
        *sorted(entries, key=lambda entry: entry["part"]),
    ]
    return found


class Stop(Exception):
    """What breaks a sweep off."""


def after(number, reason):
    def progress(done, asked):
        if done >= number:
            raise reason

    return progress


def test_results_in_parts_are_the_same_numbers(tmp_path):
    held, written = play(**SETTINGS), play(**SETTINGS, output=tmp_path / "run")
    assert len(list((tmp_path / "run" / parts.FOLDER).glob("part-*.parquet"))) == 4
    assert written.trials.tolist() == list(range(23))
    assert written.regret.tobytes() == held.regret.tobytes()
    assert written.loss.tobytes() == held.loss.tobytes()
    for mine, other in zip(written.summary(), held.summary(), strict=True):
        assert {**mine, "seconds": 0.0} == {**other, "seconds": 0.0}
        assert mine["seconds"] > 0.0
    np.testing.assert_allclose(
        written.regrets.record.bands, held.regrets.record.bands, rtol=1e-12, atol=1e-12
    )


def test_one_trial_has_no_bands(tmp_path):
    bands = play(rounds=200, trials=1, output=tmp_path / "run").regrets.record.bands
    assert not np.isnan(bands[:, :, 0]).any()
    assert np.isnan(bands[:, :, 1:]).all()


def test_pandas_and_duckdb_read_the_folder_at_once(tmp_path):
    results = play(**SETTINGS, output=tmp_path / "run")
    frame = pandas.read_parquet(tmp_path / "run" / parts.FOLDER)
    key = ["label", "trial", "round"]
    ours = results.to_pandas().sort_values(key, ignore_index=True)
    pandas.testing.assert_frame_equal(
        frame.sort_values(key, ignore_index=True), ours, check_dtype=False
    )
    query = (
        f"select label, avg(regret) from '{tmp_path}/run/{parts.FOLDER}/*.parquet' where round = "
        "200 group by label"
    )
    means = dict(duckdb.sql(query).fetchall())
    assert means == pytest.approx({row["label"]: row["regret_mean"] for row in results.summary()})


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_broken_off_goes_on_to_the_same_files(tmp_path, unbroken, workers):
    with pytest.raises(Stop):
        play(**SETTINGS, output=tmp_path / "run", progress=after(14, Stop()), workers=workers)
    assert not (tmp_path / "run" / "manifest.json").exists()
    written = [
        pandas.read_parquet(path) for path in (tmp_path / "run" / parts.FOLDER).glob("part-*")
    ]
    kept = sum(part["trial"].nunique() for part in written)
    assert workers == 2 or kept == 12, "all before the last, in order"
    begun = []
    play(
        **SETTINGS,
        output=tmp_path / "run",
        resume=True,
        progress=lambda done, asked: begun.append(done),
    )
    assert begun[0] == kept, "complete parts are not played again"
    assert files(tmp_path / "run") == unbroken


KILLED = """
import os, signal
from discreet import simulate
from discreet.simulation import parts
parts.ROWS = 1000
def progress(done, asked):
    if done == 14:
        print(flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
game = {"rounds": 200, "trials": 23, "seed": 5, "workers": 1}
simulate(["exp3", "batched-exp3"], **game, output=FOLDER, progress=progress)
"""


@pytest.mark.slow
def test_a_killed_process_goes_on_to_the_same_files(tmp_path, unbroken, python):
    with pytest.raises(AssertionError):
        python(KILLED.replace("FOLDER", repr(str(tmp_path / "run"))))
    folder = tmp_path / "run" / parts.FOLDER
    (folder / ".part-000002.parquet").write_bytes(b"half a file")
    with (folder / parts.PROGRESS).open("a") as journal:
        journal.write('{"part": 2, "tri')
    assert len(list(folder.glob("part-*"))) == 2
    play(**SETTINGS, output=tmp_path / "run", resume=True)
    assert files(tmp_path / "run") == unbroken


def test_an_interrupt_writes_what_is_finished_and_goes_on_to_the_same_files(tmp_path, unbroken):
    kept = play(
        **SETTINGS,
        output=tmp_path / "run",
        progress=after(9, KeyboardInterrupt()),
        keep_finished=True,
    )
    frame = pandas.read_parquet(tmp_path / "run" / parts.FOLDER)
    assert kept.trials.size == 9
    assert sorted(frame["trial"].unique()) == sorted(kept.trials)
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["trials"] == {
        "asked": 23,
        "finished": 9,
    }
    play(**SETTINGS, output=tmp_path / "run", resume=True)
    assert files(tmp_path / "run") == unbroken


def test_a_complete_sweep_plays_nothing_again(whole, unbroken):
    begun = []
    again = play(
        **SETTINGS, output=whole, resume=True, progress=lambda done, asked: begun.append(done)
    )
    assert begun == [23]
    assert again.trials.size == 23
    assert files(whole) == unbroken


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rounds": 300}, "rounds was 200"),
        ({"trials": 24}, "trials was 23"),
        ({"seed": 6}, "seed was 5"),
        ({"high": 2.0}, "high was 1.0"),
        ({"clip": True}, "clip was False"),
        ({"arms": 5}, "problem arms was 4"),
        ({"environment": "deterministic"}, "environment was 'stochastic'"),
        ({"epsilon": 2.0}, r"algorithms was \['exp3', 'batched-exp3 \(ε = 1\)'\]"),
        ({"options": {"learning_rate": 0.125}}, "parameters exp3 learning_rate was 0.0"),
    ],
)
def test_other_settings_are_refused_and_named(whole, unbroken, change, words):
    with pytest.raises(
        DiscreetError,
        match=f"^{words}.* when .* was started, but is .* now: resume with the same settings, ",
    ):
        play(**SETTINGS | change, output=whole, resume=True)
    assert files(whole) == unbroken


def test_other_options_of_the_environment_are_refused(whole):
    with pytest.raises(
        DiscreetError,
        match=r"^options of the environment were different when .* was started: resume with the",
    ):
        play(**SETTINGS, options={"gap": 0.25}, output=whole, resume=True)


def test_two_sweeps_do_not_write_into_one_folder(tmp_path, unbroken):
    refused = []

    def progress(done, asked):
        if done in (0, 13):
            with pytest.raises(
                DiscreetError,
                match=r"run is in use by another simulation: wait until it ends",
            ):
                play(**SETTINGS, output=tmp_path / "run", resume=True)
            refused.append(done)

    play(**SETTINGS, output=tmp_path / "run", progress=progress)
    assert set(refused) == {0, 13}
    assert files(tmp_path / "run") == unbroken


def test_a_part_that_was_lost_is_played_again_and_a_changed_file_refused(tmp_path, whole):
    shutil.copytree(whole, tmp_path / "run")
    lost = tmp_path / "run" / parts.FOLDER / parts.part_name(1)
    before = lost.read_bytes()
    lost.unlink()
    assert play(**SETTINGS, output=tmp_path / "run", resume=True).trials.size == 23
    assert lost.read_bytes() == before
    for changed in ("{}\n", "nonsense\n", "1\n"):
        (tmp_path / "run" / parts.FOLDER / parts.PROGRESS).write_text(changed)
        with pytest.raises(
            DiscreetError, match=r"_progress.jsonl was changed and cannot be resumed"
        ):
            play(**SETTINGS, output=tmp_path / "run", resume=True)


def test_another_version_is_refused(whole, monkeypatch):
    now = parts.provenance()
    monkeypatch.setattr(parts, "provenance", lambda: {**now, "sources": "other"})
    with pytest.raises(
        DiscreetError, match=r"^sources was '[0-9a-f]+' when .* was started, but is 'other' now"
    ):
        play(**SETTINGS, output=whole, resume=True)


def test_a_folder_is_not_overwritten(tmp_path, whole):
    (tmp_path / "note").touch()
    with pytest.raises(
        DiscreetError, match=r"run exists already: resume it with --resume, overwrite it"
    ):
        play(**SETTINGS, output=whole)
    with pytest.raises(
        DiscreetError,
        match=r"exists already: choose another output folder, or overwrite it with --overwrite\.$",
    ):
        play(**SETTINGS, output=tmp_path)
    with pytest.raises(
        DiscreetError, match=r"has no results to resume: choose another output folder, or drop"
    ):
        play(**SETTINGS, output=tmp_path, resume=True)
    assert play(**SETTINGS, output=tmp_path / "new", resume=True).trials.size == 23, (
        "nothing was there: all is played"
    )


def test_nothing_stays_of_a_sweep_without_a_complete_part(tmp_path):
    with pytest.raises(Stop):
        play(**SETTINGS, output=tmp_path / "new" / "run", progress=after(1, Stop()), workers=1)
    assert not list(tmp_path.iterdir())
