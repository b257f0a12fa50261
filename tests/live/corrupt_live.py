"""Corrupt the file of a live run, one random byte at a time.

    python tests/live/corrupt_live.py [CORRUPTIONS]

Each time a run is opened with one wrong byte in its file, or in the write-ahead log that a killed
process has left. It must be refused in one sentence, or have exactly the state that it had, and
then go on. (The end of a write-ahead log may be lost, as in a power loss: that undoes an ask after
the last tell, which is promised to nobody.) Anything else is a fault.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

from makers import MAKERS, ask, make, rows_of, tell

from discreet import Bandit, DiscreetError, Experts

KINDS = {
    "batch": {},
    "tree": {},
    "waiting": {"wait": 1e6, "default_loss": 0.0},
    "users": {"max_rounds_per_user": 99},
}
USER = {"users": {"user": "Ada"}}  # who asks
SUFFIXES = ("", "-wal")


def start(folder: Path, kind: str) -> list[object]:
    """Make a run, use it, and leave copies as closing and as a kill would leave them."""
    path, own = folder / "run.db", KINDS[kind]
    face = make(kind if kind in MAKERS else "batch", path=path, key=folder / "run.key", **own)
    for _ in range(9):
        tell(face, ask(face, **USER.get(kind, {})))
    states = [rows_of(face)]
    ask(face, **USER.get(kind, {}))
    states.append(rows_of(face))
    for suffix in SUFFIXES:
        shutil.copy(f"{path}{suffix}", folder / f"killed{suffix}")
    face.close()
    shutil.copy(path, folder / "closed")
    shutil.copy(folder / "run.key", folder / "kept.key")
    return states


def corrupt(folder: Path, states: list[object], kind: str, chance: random.Random) -> str:
    """Return what one wrong byte does: refused, the same, or a fault."""
    path = folder / "run.db"
    for each in folder.glob("run.db*"):
        each.unlink()
    shutil.copy(folder / "kept.key", folder / "run.key")
    wrong = path
    if chance.random() < 0.5:
        shutil.copy(folder / "closed", path)
    else:
        for suffix in SUFFIXES:
            shutil.copy(folder / f"killed{suffix}", f"{path}{suffix}")
        wrong = Path(f"{path}{chance.choice(SUFFIXES)}")
    content = bytearray(wrong.read_bytes())
    place = chance.randrange(len(content))
    content[place] ^= chance.randrange(1, 256)
    wrong.write_bytes(content)
    client = Experts if kind == "tree" else Bandit
    try:
        with client.open(path, key=folder / "run.key") as face:
            face.release_due()
            found = rows_of(face)
            if found not in states[0 if wrong.name.endswith("-wal") else 1 :]:
                return f"fault: byte {place} of {wrong.name} changed the run silently"
            tell(face, ask(face, **USER.get(kind, {})))
    except DiscreetError as refusal:
        sentence = str(refusal)
        if "\n" in sentence or not sentence.endswith("."):
            return f"fault: not one sentence: {sentence!r}"
        return "refused"
    except Exception as error:
        return f"fault: byte {place} of {wrong.name} ends in {error!r} {error.__notes__}"
    return "the same" if found == states[1] else "an ask undone"


def corruptions(number: int, folder: Path, seed: int) -> Counter[str]:
    """Return what so many wrong bytes did."""
    chance, found, ready = random.Random(seed), Counter(), {}
    for kind in KINDS:
        (folder / kind).mkdir()
        ready[kind] = start(folder / kind, kind)
    for turn in range(number):
        kind = list(KINDS)[turn % len(KINDS)]
        found[corrupt(folder / kind, ready[kind], kind, chance)] += 1
    return found


def main(number: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = name
        found = corruptions(number, Path(name), int.from_bytes(os.urandom(4), "big"))
    faults = {what: times for what, times in found.items() if what.startswith("fault")}
    print(
        f"{number} corruptions: {found['refused']} refused in one sentence, {found['the same']} "
        f"without effect, {found['an ask undone']} undid an ask, {sum(faults.values())} faults"
    )
    print("\n".join(list(faults)[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000))
