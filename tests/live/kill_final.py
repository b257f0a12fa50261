"""Kill live runs while they make their final release.

    python tests/live/kill_final.py [KILLS]

A worker plays a run in a file and finishes it; SIGKILL comes at a random moment around the final
release. Then the run is opened again, and finished. Its noise is tiny, so that the released sums
say which outcomes are in them. A worker writes down which outcomes were acknowledged, and the sums
that it was given. Faults that are found are told in words; none should be.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from kill_holdout import ARMS, EPSILON, ROUNDS, Killer, loss_of

from discreet import Bandit
from discreet.live.rows import FINAL

OPTIONS = {"algorithm": "batched-exp3", "batch_size": 3, "final": EPSILON}


def work(path: Path, log: int, ready: int) -> None:
    """Open the run, play it and finish it; all that is known of it is written down."""
    bandit = Bandit.open(path)
    for _ in range(ROUNDS):
        decision = bandit.ask()
        bandit.tell(decision, loss=loss_of(decision.id))
        os.write(log, b"told %d %d\n" % (decision.id, decision.arm))
    os.write(ready, b"!")
    sums = [each.total for each in bandit._run.finish()]
    os.write(log, b"seen %s\n" % np.array(sums).tobytes().hex().encode())
    while True:
        time.sleep(1.0)


class FinalKiller(Killer):
    """Runs with a final release, each killed once, and what went wrong."""

    options = OPTIONS
    work = staticmethod(work)

    def check(self, path: Path) -> None:
        """Finish the run, and compare its sums with what was written down."""
        lines = [line.split() for line in path.with_suffix(".log").read_text().splitlines()]
        seen = [np.frombuffer(bytes.fromhex(line[1])).tolist() for line in lines if len(line) == 2]
        told = [(int(line[1]), int(line[2])) for line in lines if len(line) == 3]
        before = self.released(path)
        self.before += before is not None
        with Bandit.open(path) as bandit:
            sums = bandit._run.finish()
            again = bandit._run.finish()
        values = [each.total for each in sums]
        if again != sums or any(each != values for each in seen):
            self.faults.append("the release was given with two values")
        if before not in (None, values) or self.released(path) != values:
            self.faults.append("the release has changed")
        for arm, rounds, total in sums:
            mine = [loss_of(identity) for identity, of in told if of == arm]
            if rounds != len(mine) or abs(total - sum(mine)) > 0.05:
                self.faults.append(f"the sum of arm {arm} is not that of its outcomes")
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            held = file.execute("SELECT count(*) FROM batch").fetchone()[0]
            held += file.execute("SELECT count(*) FROM drawn").fetchone()[0]
        if held:
            self.faults.append("something raw is left after the end")

    def released(self, path: Path) -> list[float] | None:
        """Return what anybody can read of the release: sums, then numbers of outcomes."""
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as file:
            rows = file.execute("SELECT value FROM release WHERE batch = ?", (FINAL,)).fetchall()
        return np.frombuffer(rows[0][0]).tolist()[:ARMS] if rows else None


def main(kills: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        os.environ["DISCREET_KEYS"] = name
        killer = FinalKiller(Path(name), seed=int.from_bytes(os.urandom(4), "big"))
        while killer.kills < kills:
            killer.kill_one()
        print(f"{kills} kills, {killer.before} after the release: {len(killer.faults)} faults")
        print("\n".join(killer.faults[:20]))
    return 1 if killer.faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
