"""What was written but may not be on the disk is written again before anybody relies on it.

A power loss takes back what was written since the last sync.
"""

from __future__ import annotations

import os

import pytest
from not_synced import ENDS, failing, values_shown

from discreet import DiscreetError
from discreet.live.database import witness
from discreet.live.keys import NEW, new_name


@pytest.mark.parametrize("end", ENDS)
def test_a_note_that_was_not_synced_is_on_the_disk_before_the_learner_sees_it(end, tmp_path):
    """Otherwise a power loss while it learns would give the same batch another draw."""
    shown = values_shown(tmp_path, end)
    assert len(shown) == 2
    assert shown[0] == shown[1]


def test_a_witness_syncs_what_it_did_not_sync_itself(tmp_path, monkeypatch):
    """Its own sync may have failed, or another process may have been killed before."""
    run, released = "a" * 16, NEW.with_release(new_name())
    mine, other = (witness.FileWitness(tmp_path / "witness") for _ in range(2))
    mine.advance(run, None, NEW)
    with monkeypatch.context() as broken:
        broken.setattr(witness, "sync", failing)
        with pytest.raises(DiscreetError, match="cannot be written"):
            mine.advance(run, NEW, released)
    syncs = []
    monkeypatch.setattr(witness, "sync", lambda handle: syncs.append(os.fsync(handle)))
    for one in (mine, other):
        assert one.read(run) == released
    assert len(syncs) == 2
    changed = released.with_change()
    assert mine.advance(run, NEW, released)
    assert mine.advance(run, released, changed)
    assert mine.read(run) == other.read(run) == changed
    assert len(syncs) == 2, "what is known to be on the disk is not synced again"
    mine.close()
    other.close()
