"""Run files and keys that somebody has damaged, replaced, deleted or set back."""

from __future__ import annotations

import contextlib
import errno
import inspect
import json
import os
import shutil
import sqlite3

import numpy as np
import pytest
from corrupt_live import corruptions
from makers import ask, experts, make, rows_of, tell

from discreet import Bandit, DiscreetError, channels
from discreet.contracts import Channel, Noise
from discreet.live.keys import SECTOR, SIZE
from discreet.live.tags import Tag
from discreet.mechanisms.exact import SEALED


@pytest.mark.slow
def test_200_wrong_bytes_are_refused_or_have_no_effect(tmp_path):
    found = corruptions(200, tmp_path, seed=1)
    assert [what for what in found if what.startswith("fault")] == []
    assert found["refused"] > 20


def edit(path, *statements):
    with contextlib.closing(sqlite3.connect(path)) as file:
        for statement in statements:
            file.execute(statement)
        file.commit()


EDITS = {
    "epsilon": "UPDATE run SET recipe = replace(recipe, '\"epsilon\": 1.0', '\"epsilon\": 9999.0')",
    "simulation": "UPDATE run SET recipe = replace(recipe, '\"simulation\": false', "
    "'\"simulation\": true')",
    "learner": "UPDATE run SET learner = zeroblob(length(learner))",
    "counter": "UPDATE run SET asked = asked + 1",
    "releases": "UPDATE run SET released = released + 1",
    "epoch": "UPDATE run SET epoch_start = 7",
    "group": "UPDATE batch SET size = size + 1",
    "action": "UPDATE batch SET action = '7'",
    "decision": "UPDATE decision SET choice = 1 - choice",
    "decision of another": "DELETE FROM decision",
    "choices": "UPDATE choice SET times = times + 1",
    "release": "UPDATE release SET value = zeroblob(8)",
    "user": "INSERT INTO usage VALUES (7, 0, zeroblob(16))",
    "no release": "DELETE FROM release",
    "one more release": "INSERT INTO release VALUES (99, 0, 4, 1.0, 1e9, zeroblob(8))",
    "held": "UPDATE batch SET held = zeroblob(length(held))",
    "trigger": "CREATE TRIGGER t AFTER INSERT ON release BEGIN UPDATE run SET released = 0; END",
    "view": "CREATE VIEW v AS SELECT 1",
    "no key": "UPDATE run SET key = NULL",
    "tag": "UPDATE run SET tag = zeroblob(32)",
}


@pytest.mark.parametrize("name", EDITS)
def test_any_edit_is_refused_in_one_sentence(name, tmp_path):
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    for _ in range(6):
        tell(bandit, ask(bandit))
    ask(bandit)
    bandit.close()
    before = path.read_bytes()
    edit(path, EDITS[name])
    for _ in range(2):
        with pytest.raises(DiscreetError, match=r"fails authentication|is damaged: it cannot be"):
            Bandit.open(path)
    path.write_bytes(before)
    with Bandit.open(path) as again:  # the refusals have moved nothing, the key included
        assert again.state().released == 1


def forge(path, recipe):
    """Write the tag of a run without a key, which anybody can compute."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE run SET key = NULL, recipe = ?", (json.dumps(recipe),))
        file.execute("DELETE FROM batch")
        tag = Tag(None)
        text, token, session, key, *rest = file.execute("SELECT * FROM run").fetchone()
        *far, learner, stream, draws, slots, clock, changes, release, change, _ = rest
        columns = {"recipe": text, "learner": learner, "stream": stream, "draws": draws}
        for column, content in {**columns, "slots": slots, "clock": clock}.items():
            tag.put(column, 0, content)
        for table in ("decision", "choice"):
            for row in file.execute(f"SELECT * FROM {table}"):
                tag.put(table, *row)
        for row in file.execute("SELECT * FROM release"):
            tag.put("release", *row)
        found = tag.of((token, session, key), (*far, changes), release, change)
        file.execute("UPDATE run SET tag = ?", (found,))
        file.commit()


@pytest.mark.parametrize("simulation", [False, True])
def test_a_live_run_cannot_be_replaced_by_one_without_a_key(simulation, tmp_path):
    """Whoever can write the file can write a simulation with a known seed: open must expect it."""
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    for _ in range(4):
        tell(bandit, ask(bandit))
    recipe = dict(bandit._recipe)
    bandit.close()
    forge(path, recipe | {"simulation": simulation, "seed": 1 if simulation else None})
    sentence = "protects nobody and has no key" if simulation else "private, but has no key"
    with pytest.raises(DiscreetError, match=sentence):
        Bandit.open(path)
    if simulation:
        Bandit.open(path, unprotected=True).close()


# Copies that are too old, files that are gone, and keys that cannot be one


def test_a_copy_from_within_a_batch_is_refused(tmp_path):
    """It has as many releases, but an outcome that was acknowledged is missing."""
    path, backup = tmp_path / "run.db", tmp_path / "backup.db"
    bandit = make("batch", path=path)
    decisions = [ask(bandit) for _ in range(3)]
    tell(bandit, decisions[0])
    bandit.close()
    shutil.copy(path, backup)
    with Bandit.open(path) as again:
        tell(again, decisions[1])
    missing = r"later outcomes are missing \(it has 1 change, but the run made 2\); [^.]*\.$"
    with pytest.raises(DiscreetError, match="is an old copy: " + missing):
        Bandit.open(backup)
    Bandit.open(path).close()


def test_a_file_that_cannot_be_read_is_refused(tmp_path, monkeypatch):
    make("batch", path=tmp_path / "run.db").close()

    def fail(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("pathlib.Path.open", fail)
    with pytest.raises(DiscreetError, match=r"run.db cannot be read \(input/output error\)"):
        Bandit.open(tmp_path / "run.db")


@pytest.mark.parametrize("replaced", [False, True])
def test_a_run_whose_file_is_deleted_says_so(replaced, tmp_path):
    """SQLite would go on writing to a file that nobody can open again."""
    path = tmp_path / "run.db"
    bandit = make("batch", path=path)
    decision = ask(bandit)
    content = path.read_bytes()
    path.rename(tmp_path / "moved.db")
    if replaced:
        path.write_bytes(content)
    for use in (lambda: tell(bandit, decision), lambda: ask(bandit)):
        with pytest.raises(DiscreetError, match="replaced or cut short while it is open"):
            use()
    path.unlink(missing_ok=True)
    (tmp_path / "moved.db").rename(path)
    tell(bandit, decision)
    bandit.close()


@pytest.mark.parametrize("left", [0, 1_500])
def test_a_run_whose_file_is_cut_short_says_so(left, tmp_path):
    path = tmp_path / "run.db"
    make("batch", path=path).close()
    bandit = Bandit.open(path)
    decision, content = ask(bandit), path.read_bytes()
    os.truncate(path, left)
    for use in (lambda: tell(bandit, decision), lambda: ask(bandit)):
        with pytest.raises(DiscreetError, match="cut short while it is open, so nothing"):
            use()
    with path.open("r+b") as file:  # the same file
        file.write(content)
    tell(bandit, decision)
    bandit.close()


@pytest.mark.parametrize("key", ["", 5, "a\0b", b"key", 3.5])
def test_what_cannot_be_a_key_is_refused_in_one_sentence(key, tmp_path):
    make("batch", path=tmp_path / "run.db").close()
    for use in (
        lambda: make("batch", path=tmp_path / "new.db", key=key),
        lambda: Bandit.open(tmp_path / "run.db", key=key),
    ):
        with pytest.raises(
            DiscreetError, match=r"^key is .*, but must be the path of a file, as text\.$"
        ):
            use()
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("length", [0, 5, 8, 20, SIZE - 1])
def test_a_key_that_was_cut_short_says_so(length, tmp_path):
    path, key = tmp_path / "run.db", tmp_path / "run.key"
    make("batch", path=path, key=key).close()
    content = key.read_bytes()
    key.write_bytes(content[:length])
    sentence = "a truncated key" if length >= 8 else "a file of another kind"
    with pytest.raises(DiscreetError, match=sentence):
        Bandit.open(path, key=key)
    key.write_bytes(content)
    Bandit.open(path, key=key).close()


def test_a_new_key_is_whole_or_not_there(tmp_path, monkeypatch):
    key = tmp_path / "run.key"

    def fail(*_):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("os.write", fail)
        with pytest.raises(DiscreetError, match="the disk is full"):
            make("batch", path=tmp_path / "a.db", key=key)
    assert list(tmp_path.glob("*.key*")) == []
    make("batch", path=tmp_path / "b.db", key=key).close()
    assert len(key.read_bytes()) == SECTOR


# Sums that no batch can have


STREAMS = ["tree", "padded tree", "honaker", "blt", "square root", "cube", "pairs of points"]
SUMMED = ["batch", "one bit", "slates"]


@pytest.mark.parametrize("kind", SUMMED)
def test_a_sum_that_its_batch_cannot_have_is_not_released(kind):
    """One bit of an exponent would show the raw sum through any noise."""
    face = make(kind)
    engine, decisions = face._run._engine, []
    while not decisions or len(face._run._store.rows.groups) == 1:
        decisions.append(ask(face))
        if len(decisions) > 3:
            break
    tell(face, decisions[0])
    channel, rows = engine.private.channel, face._run._store.rows
    assert channel.check_held() is None
    channel.held[-1] = 2.0**60
    held = engine.channel_state.tobytes()
    engine.clear()
    before = rows_of(face)
    if engine.streaming:
        rows.stream = held
    else:
        group = rows.group(0)
        rows.groups[0] = tuple(group._replace(held=held, told=group.size - 1))
    with pytest.raises(DiscreetError, match="impossible for its outcomes"):
        tell(face, decisions[-1] if engine.streaming else decisions[1])
    assert face.state().released == before[0][3]


@pytest.mark.parametrize(("told", "content"), [(0, (4.0, 3.0)), (1, (4.0, 3.0)), (0, (1.0, 0.0))])
def test_a_batch_with_other_rounds_than_were_told_is_not_released(told, content):
    """Content that claims to be complete earlier, with a sum that would show through any noise."""
    face = make("batch", batch_size=4)
    decisions = [ask(face) for _ in range(4)]
    for decision in decisions[:told]:
        tell(face, decision)
    rows, channel = face._run._store.rows, face._run._engine.private.channel
    channel.held[:] = (*content, 2.0**60)
    group = rows.group(0)._replace(held=face._run._engine.channel_state.tobytes())
    face._run._engine.clear()
    rows.groups[0] = tuple(group)
    with pytest.raises(DiscreetError, match="impossible for its outcomes"):
        tell(face, decisions[told])
    assert face.state().released == 0


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("wrong", [2.0**60, -(2.0**60), np.nan, 1e3])
def test_a_running_sum_that_its_rounds_cannot_have_is_not_released(kind, wrong):
    face = make(kind)
    for _ in range(3):
        tell(face, ask(face))
    engine, rows = face._run._engine, face._run._store.rows
    right = rows.stream
    engine.put(right)
    sums = engine.private.channel
    sums = getattr(sums, "running", sums).factorisation
    raw = sums.raw if hasattr(sums, "raw") else sums.sums
    raw[:] = wrong
    rows.stream = engine.channel_state.tobytes()
    engine.clear()
    released, decision = face.state().released, ask(face)
    with pytest.raises(DiscreetError, match="impossible for its outcomes"):
        tell(face, decision)
    assert face.state().released == released
    rows.stream = right
    tell(face, decision)
    assert face.state().released == released + 1


@pytest.mark.parametrize("kind", [*STREAMS, "unbounded", "restarts", "hybrid", "tapered"])
def test_sums_at_the_ends_of_the_range_are_released(kind):
    """No rounding makes them larger than they can be, with a horizon and without; 300 rounds."""
    for loss in (0.0, 0.75 if kind == "cube" else 1.0):
        face = make(kind) if kind in STREAMS else experts(sums=kind, horizon=None, delta=1e-6)
        for _ in range(300):
            tell(face, ask(face), loss)
        assert face.state().released == 300


# Live channels outside of a run


HOLDING = [
    kind
    for kind in (getattr(channels, name) for name in channels.__all__)
    if inspect.isclass(kind) and issubclass(kind, Channel) and kind.holds_feedback
]


def live_example(kind):
    """Return a live channel of a kind, or None if there is none."""
    with contextlib.suppress(DiscreetError, NotImplementedError):
        live = kind.example().live()
        return live if any(each.exact for each in live.noise_scales) else None
    return None


LIVE = [kind for kind in HOLDING if live_example(kind) is not None]


def test_there_are_live_channels_to_test():
    names = {kind.__name__ for kind in LIVE}
    assert {"Batch", "OneBit", "RunningSum", "Restarting", "GradientSums"} <= names


@pytest.mark.parametrize("kind", LIVE)
def test_no_live_channel_that_holds_feedback_releases_outside_of_a_run(kind):
    live, rng = live_example(kind), np.random.default_rng(1)
    feedback = kind.example_feedback
    with pytest.raises(DiscreetError) as refusal:  # noqa: PT012 - some round of many
        for _ in range(100):
            ready, _ = live.offer(feedback, kind.example_query, rng)
            assert not ready
    assert str(refusal.value) == SEALED


def every(kind):
    return {kind, *(each for below in kind.__subclasses__() for each in every(below))}


def test_every_exact_noise_is_sealed_by_a_definition_of_its_own():
    exact = [kind for kind in every(Noise) if kind.is_exact]
    assert len(exact) > 8
    assert all(kind.sealed is not Noise.sealed for kind in exact)
    with pytest.raises(DiscreetError, match="Careless is exact noise, so it must define sealed"):

        class Careless(Noise):
            is_exact = True
