"""Continuing after a backup was restored, without anything that may have been released since."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from discreet.errors import DiscreetError, count
from discreet.live import (
    Advisor,
    Bandit,
    BestArmSearch,
    ContextualBandit,
    Experts,
    LiveClient,
    Optimizer,
    SlateBandit,
    VectorOptimizer,
)
from discreet.live.database.ledger import NUMBER, DatabaseLedger
from discreet.live.database.sessions import Session
from discreet.live.database.store import DatabaseStore
from discreet.live.database.tables import BATCH, DECISION, HELD, LEDGER, VERSION
from discreet.live.database.witness import Witness, is_fresh
from discreet.live.forgetting import forgetting
from discreet.live.keys import Version, new_name
from discreet.sets import LinearOracle

# by their names in recipes
CLIENTS: dict[str, type[LiveClient[Any]]] = {
    each.__name__: each
    for each in (
        *(Advisor, Bandit, BestArmSearch, ContextualBandit, Experts, Optimizer, SlateBandit),
        VectorOptimizer,
    )
}


class Restored(NamedTuple):
    """What was lost when a run was restored, and the consequences."""

    run: str
    releases: int | None  # lost releases; None if the witness does not know
    batches: int  # unfinished in the backup, and abandoned
    decisions: int  # open in the backup
    ended: str | None  # the reason, if the run cannot continue

    def __str__(self) -> str:
        since = "an unknown number of releases"
        if self.releases is not None:
            since = count(self.releases, "release")
        then = f"The run is over: {self.ended}" if self.ended else "The run continues."
        return (
            f"The run {self.run!r} was restored from a backup: {since} since then, and all "
            "outcomes since then, are lost; "
            f"{count(self.batches, 'unfinished batch').replace('batchs', 'batches')} and "
            f"{count(self.decisions, 'open decision')} are given up. {then}"
        )


def restore(
    store: DatabaseStore,
    session: Session,
    witness: Witness,
    domain: LinearOracle | None,
) -> Restored:
    """Abandon the unfinished batches of a run in a restored database, within a transaction.

    They may have been released after the backup, with other noise. The learner is notified that
    they are lost. A run with one running sum or a final release consists of nothing else, and a run
    that limits users no longer knows the rounds of each user: these runs end.
    """
    columns, mine, known = store.old_row(session, witness)
    if is_fresh(mine, known):
        raise DiscreetError(f"{store.name} is not an old copy, so there is nothing to restore.")
    recipe = json.loads(columns["recipe"])
    aside = recipe.get("explore") is not None or recipe.get("holdout") is not None
    ended = columns["ended"]
    if columns["stream"] is not None and not aside:
        ended = "its running sum may have been released with other noise. Start a new run."
    if recipe.get("max_rounds_per_user") is not None:
        ended = "it no longer knows how many rounds each user had. Start a new run."
    lost = Restored(
        run=columns["name"],
        releases=None if known is None else max(known.releases - mine.releases, 0),
        batches=columns["waiting"],
        decisions=columns["open"],
        ended=ended,
    )
    if not ended and columns["waiting"]:
        query = f"SELECT trace FROM {BATCH.name} WHERE run = ? ORDER BY number"
        traces = [trace for (trace,) in session.execute(query, (columns["run"],))]
        forget = forgetting(CLIENTS[recipe["client"]]._plan, domain)
        columns["learner"] = forget(recipe, columns["learner"], columns["epoch"], traces)
    for table in (BATCH, DECISION, HELD):
        session.execute(f"DELETE FROM {table.name} WHERE run = ?", (columns["run"],))
    columns |= {"running": -1, "left_over": 0, "open": 0, "waiting": 0, "untaught": 0}
    columns["lost"] += lost.batches + (columns["stream"] is not None)
    columns |= {"stream": None, "ended": ended, "restored": columns["restored"] + 1}
    newer = _beyond(mine, known)
    store.rewrite(session, columns | dict(zip(VERSION, newer, strict=True)))
    store.tell_witness(known, newer)
    return lost


def end_run(store: DatabaseStore, session: Session, why: str) -> None:
    """End a run permanently: its unfinished batches are never released."""
    columns, mine, _ = store.old_row(session, None)
    newer = mine._replace(changes=mine.changes + 1, last_change=new_name())
    columns["ended"] = why
    store.rewrite(session, columns | dict(zip(VERSION, newer, strict=True)))
    store.tell_witness(mine, newer)


def close_ledger(ledger: DatabaseLedger, session: Session, witness: Witness) -> bool:
    """Close the ledger to charges if it is an old copy; return whether it is."""
    found = session.execute(f"SELECT * FROM {LEDGER.name} WHERE number = ?", (NUMBER,))
    if not found:
        return False
    columns: dict[str, Any] = dict(zip(LEDGER.columns, found[0], strict=True))
    mine, known = (
        Version(*(columns[name] for name in VERSION)),
        witness.read(columns["token"]),
    )
    if is_fresh(mine, known):
        return False
    newer = _beyond(mine, known)
    columns["closed"] = (
        "the ledger was restored from a backup, and charges since then are lost: what is left of "
        "its budget is not known, so nothing more can be charged."
    )
    ledger.keep(session, columns | dict(zip(VERSION, newer, strict=True)))
    ledger.tell_witness(columns["token"], known, newer)
    return True


def _beyond(mine: Version, known: Version | None) -> Version:
    """Return a version that no copy has."""
    other = mine if known is None else known
    return Version(
        max(mine.releases, other.releases) + 1,
        max(mine.changes, other.changes) + 1,
        new_name(),
        new_name(),
    )
