"""Output appears complete or not at all."""

from __future__ import annotations

import pytest

from discreet import DiscreetError
from discreet.output import output_file, output_folder


def test_an_output_folder_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "new" / "deep"

    def fail_midway():
        with output_folder(target) as folder:
            (folder / "a.txt").write_text("half")
            raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        fail_midway()
    assert list(tmp_path.iterdir()) == []
    with output_folder(target) as folder:
        (folder / "a.txt").write_text("one")
    assert [path.name for path in target.iterdir()] == ["a.txt"]
    with pytest.raises(DiscreetError, match="exists already"), output_folder(target):
        pass
    (target / "mine.txt").write_text("kept")
    with output_folder(target, overwrite=True) as folder:
        (folder / "a.txt").write_text("two")
    assert {path.name: path.read_text() for path in target.iterdir()} == {
        "a.txt": "two",
        "mine.txt": "kept",
    }
    assert [path.name for path in target.parent.iterdir()] == ["deep"]
    (tmp_path / "file").touch()
    with (
        pytest.raises(DiscreetError, match="cannot be created"),
        output_folder(tmp_path / "file" / "sub"),
    ):
        pass


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    target = tmp_path / "file.txt"
    target.write_text("old")

    def fail_midway():
        with output_file(target) as file:
            file.write_text("half")
            raise RuntimeError("midway")

    with pytest.raises(RuntimeError, match="midway"):
        fail_midway()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file.txt": "old"}
    with output_file(target) as file:
        file.write_text("new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file.txt": "new"}


ABANDONED = """
import pathlib, sys, threading
from discreet.output import abandon_unfinished, output_folder
place = pathlib.Path("FOLDER")
with output_folder(place / "first") as folder:
    (folder / "a").touch()
busy = threading.Event()

def write():
    with output_folder(place / "new" / "second") as folder:
        while True:
            (folder / str(len(list(folder.iterdir())))).touch()
            busy.set()

threading.Thread(target=write, daemon=True).start()
busy.wait()
print([path.name for path in abandon_unfinished()])
"""


def test_output_is_abandoned_while_a_thread_writes_it(tmp_path, python):
    program = (
        ABANDONED.replace("FOLDER", str(tmp_path))
        + "import os, sys; sys.stdout.flush(); os._exit(0)"
    )
    assert python(program) == "['first']"
    assert [path.name for path in tmp_path.rglob("*")] == ["first", "a"]
