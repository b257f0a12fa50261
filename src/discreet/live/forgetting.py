"""A run whose key is lost: it continues without the data that can no longer be decrypted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence

from discreet.errors import DiscreetError
from discreet.live.engine import Engine
from discreet.live.keys import Forget
from discreet.live.naming import with_own_set
from discreet.live.row_text import from_text
from discreet.live.rows import Recipe
from discreet.live.run_plan import RunPlan
from discreet.sets import LinearOracle


def forgetting(plan: Callable[[Recipe], RunPlan], domain: LinearOracle | None) -> Forget:
    """Return how the learner of a live class forgets batches: it is notified that they are lost.

    Otherwise index learners would count their rounds as open forever, and a check that waits for
    one of them would never end.
    """

    def forget(recipe: Recipe, learner: bytes, epoch: int, traces: Sequence[str]) -> bytes:
        made = plan(with_own_set(recipe, domain, "the file"))
        engine = Engine(made.private_of(epoch), made.observation)
        size = len(engine.learner_state)
        engine.learner_state[:] = learner[:size]
        lost = [from_text(engine.example[1], trace) for trace in traces]
        return engine.without(lost) + learner[size:]  # the state of a hold-out follows

    return forget


def forget_unfinished(
    file: sqlite3.Connection, name: str, fingerprint: str, forget: Forget | None
) -> None:
    """Switch to a new key, and drop what the old one encrypted, in one transaction."""
    text, stream, learner, epoch = file.execute(
        "SELECT recipe, stream, learner, epoch FROM run"
    ).fetchone()
    recipe: Recipe = json.loads(text)
    aside = recipe.get("explore") is not None or recipe.get("holdout") is not None
    if stream is not None and not aside:
        raise DiscreetError(
            f"{name} has one running sum, which cannot be read without its key: start a new run."
        )
    if recipe.get("max_rounds_per_user") is not None:
        raise DiscreetError(
            f"{name} counts its users under its key, and without the key the rounds of each user "
            "are unknown: start a new run."
        )
    if forget is not None:
        traces = [trace for (trace,) in file.execute("SELECT trace FROM batch ORDER BY number")]
        learner = forget(recipe, learner, epoch, traces)
    file.execute(
        "UPDATE run SET left_over = 0, lost = lost + ? + (SELECT count(*) FROM batch), "
        "stream = NULL, key = ?, learner = ?",
        (stream is not None, fingerprint, learner),
    )
    for table in ("batch", "decision", "drawn", "unlearned", "settled"):
        file.execute(f"DELETE FROM {table}")
