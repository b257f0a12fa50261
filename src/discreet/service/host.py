"""The runs of a service by name: created once, reopened, and the facts about each."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple, cast

from discreet.errors import DiscreetError, join_words, renamed
from discreet.ledger import Ledger
from discreet.live import Bandit
from discreet.live.database import Database
from discreet.live.database.restoring import Restored
from discreet.service.facts import plain, release_facts
from discreet.service.forms import AnyJson
from discreet.service.history import History
from discreet.service.hosted import Hosted
from discreet.service.logs import log_writing
from discreet.service.metrics import Traffic
from discreet.service.problems import HttpProblem, not_found
from discreet.service.specs import Creation, check_run_name, read_spec

SAME = 0.001  # seconds by which two clocks may differ and still count as one
RUN, HISTORY, RESTORED = "run", "history", "restored"  # kinds of records
SETTING, LEDGER = "setting", "ledger"  # the record of a service with a budget
WITNESS = "witness"  # the record of the kind of a service's witness
PROBE = "probe"  # the record written to test whether the database is writable


class Budget(NamedTuple):
    """The total cost allowed for all runs of a service, by basic composition."""

    epsilon: float
    delta: float = 0.0


class Host:
    """All runs of a database. One thread changes them (``groups.Writer``)."""

    def __init__(
        self,
        database: Database,
        *,
        budget: Budget | None = None,
        shared: bool = False,
        when_closed: Callable[[], None] = lambda: None,
    ) -> None:
        self.database, self.shared, self._when_closed = database, shared, when_closed
        self.records = database.records
        self._ledger: Ledger | None = None
        self.traffic = Traffic()
        self._runs: dict[str, Hosted] = {}
        self.refused: dict[str, str] = {}  # runs that could not be opened, and why
        self.unwritable: str | None = None  # the reason, if nothing can be written
        self._ahead = 0.0  # the lead of the database's clock, in seconds
        self.set_clock()
        if budget is not None:
            with renamed(epsilon="budget", delta="budget_delta"):
                self._ledger = database.ledger(budget.epsilon, budget.delta)
            self.records.put(SETTING, LEDGER, b"", self.now(), replace=True)

    @property
    def ledger(self) -> Ledger | None:
        """The ledger for new runs; None if the service has no budget."""
        if self._ledger is None and self.records.get(SETTING, LEDGER) is not None:
            self._ledger = self.database.ledger()
        return self._ledger

    def set_clock(self) -> None:
        """Compare this machine's clock with that of the database."""
        before = time.time()
        self._ahead = self.database.now() - (before + time.time()) / 2.0
        if abs(self._ahead) < SAME:
            self._ahead = 0.0

    def now(self) -> float:
        """Return the time by the database's clock, without a query."""
        return time.time() + self._ahead

    def open_all(self) -> None:
        """Open every run; a refused one does not stop the others."""
        for name in self.records.names(RUN):
            try:
                self.find(name)
            except (DiscreetError, HttpProblem) as reason:
                self.refused[name] = str(reason)

    def names(self) -> list[str]:
        """Return the names of all open runs."""
        return sorted(self._runs)

    def known(self) -> list[str]:
        """Return the names of all runs, open or not."""
        return sorted(set(self.records.names(RUN)) & set(self.database.run_names()))

    def get(self, name: str) -> Hosted:
        """Return an open run."""
        try:
            return self._runs[name]
        except KeyError:
            raise not_found("run with that name") from None

    def has(self, name: str) -> bool:
        """Return whether a run is open."""
        return name in self._runs

    def find(self, name: str) -> Hosted:
        """Return a run, and open it if another process created it."""
        if name in self._runs:
            return self._runs[name]
        content = self.records.get(RUN, name)
        if content is None or name not in self.database.run_names():
            raise not_found("run with that name")
        facts = json.loads(content)
        creation = read_spec(facts["spec"], simulations=True)
        store = self.database.store(name)
        live = creation.form.live.open(
            store=store,
            ledger=self.ledger if facts["charged"] else None,
            unprotected=bool(creation.arguments.get("simulation", False)),
        )
        found = Hosted(name, creation, live, store, facts)
        kept = self.records.get(HISTORY, name)
        if kept is not None:
            found.history = History.from_bytes(kept)
        self._runs[name] = found
        self.refused.pop(name, None)
        return found

    def create(self, name: str, spec: AnyJson | Creation) -> tuple[Hosted, bool]:
        """Return the run with that name and whether it is new; creating it charges the ledger.

        The same spec again returns the same run. A different spec is refused.
        """
        creation = spec if isinstance(spec, Creation) else read_spec(spec)
        check_run_name(name)
        if not isinstance(spec, Creation):
            creation.probe().close()
        with self.database.creating():  # another worker may be creating it, with another spec
            made = None if name in self.database.run_names() else self._make(name, creation)
        if made is not None:
            self._runs[name] = made
            return made, True
        content = self.records.get(RUN, name)
        check_same(name, {} if content is None else json.loads(content)["spec"], creation)
        return self.find(name), False

    def _make(self, name: str, creation: Creation) -> Hosted:
        ledger = None if creation.arguments.get("simulation") else self.ledger
        facts = {"spec": json.loads(creation.text), "created": self.now(), "closed": False}
        facts["charged"] = ledger is not None
        self.records.put(RUN, name, json.dumps(facts).encode(), self.now(), name, replace=True)
        store = self.database.store(name)
        live = creation.make(creation.arguments | {"store": store, "ledger": ledger})
        return Hosted(name, creation, live, store, facts)

    def end(self, name: str) -> Hosted:
        """Stop making decisions; a run with a final release makes it, and is over."""
        found = self.find(name)
        if not found.closed:
            if isinstance(found.live, Bandit) and found.spec.get("final") is not None:
                found.live.finish()
            found.closed = True
            self.records.put(RUN, name, found.record(), found.created, name, replace=True)
        return found

    def restored(self, name: str) -> Restored:
        """Continue a run after a backup was restored; return what is lost."""
        lost = self.database.restored(name)
        content = self.records.get(RESTORED, name)
        known = [] if content is None else json.loads(content)
        known.append({"at": self.now(), "detail": str(lost)})
        self.records.put(RESTORED, name, json.dumps(known).encode(), self.now(), name, replace=True)
        self._runs.pop(name, None)
        self.refused.pop(name, None)
        return lost

    def refresh(self) -> None:
        """Find out which runs other processes have ended, if they share the database."""
        if self.shared:
            for name, found in list(self._runs.items()):
                content = self.records.get(RUN, name)
                found.closed = content is not None and json.loads(content)["closed"]

    def count_releases(self, found: Hosted) -> None:
        """Count releases since the last time; other workers count their own."""
        new = found.new_releases()
        if new:
            self.traffic.released(found.name, new)
            found.unsaved.add(self.now(), (), new)

    def probe(self) -> None:
        """Write a record; note, and log once, if that fails, and once if it works again.

        This happens at fixed times, because failing requests may be outcomes, and their number must
        not be revealed.
        """
        reason = None
        try:
            self.records.put(SETTING, PROBE, b"", self.now(), replace=True)
            self.database.check_witness()
        except DiscreetError as refusal:
            reason = str(refusal)
        if (reason is None) != (self.unwritable is None):
            log_writing(reason)
        self.unwritable = reason

    def releases(self, name: str) -> list[AnyJson]:
        """Return all releases of a run, in the form that is shown."""
        found = self.get(name)
        return release_facts(found, found.releases())

    def ledger_facts(self) -> AnyJson:
        """Return budget, charges and the rest; without a budget, only the cost of each run."""
        if self.ledger is not None:
            ledger = self.ledger
            runs = {found.live.charge_label: found.name for found in list(self._runs.values())}
            shown = {
                "budget": ledger.budget._asdict(),
                "spent": ledger.spent._asdict(),
                "remaining": ledger.remaining._asdict(),
                "entries": [
                    each._asdict() | {"run": runs.get(each.label)} for each in ledger.entries()
                ],
            }
            return cast(AnyJson, plain(shown))
        entries = []
        for number, found in enumerate(map(self.get, self.names()), 1):
            cost = found.live.guarantee.as_dict()
            made = datetime.fromtimestamp(found.created, UTC).isoformat()
            entry = {"number": number, "label": found.name, "run": found.name, "time": made}
            entries.append(entry | {each: cost[each] for each in ("epsilon", "delta")})
        return {"budget": None, "spent": None, "remaining": None, "entries": entries}

    def history(self, name: str) -> History:
        """Return the history of a run: decisions by choice and releases, in at most 512 buckets."""
        found = self.get(name)
        whole = History.from_bytes(found.history.to_bytes())
        whole.merge(found.unsaved)
        return whole

    def save_histories(self) -> None:
        """Write what the database does not have yet; other processes may have written, too."""
        for name, found in self._runs.items():
            if not found.unsaved.buckets:
                continue
            kept = self.records.get(HISTORY, name)
            whole = History(found.history.labels) if kept is None else History.from_bytes(kept)
            whole.merge(found.unsaved)
            now = self.now()
            self.records.put(HISTORY, name, whole.to_bytes(), now, name, replace=True)
            found.history, found.unsaved = whole, History(whole.labels)

    def close(self) -> None:
        """Close all runs and the database."""
        try:
            self.save_histories()
            for found in self._runs.values():
                found.live.close()
        finally:
            self._runs.clear()
            self.database.close()
            self._when_closed()


def check_same(name: str, known: AnyJson, creation: Creation) -> None:
    """Refuse arguments that differ from those of a run; their values are not shown."""
    given = json.loads(creation.text)
    names = [each for each in sorted(known | given) if known.get(each) != given.get(each)]
    if names:
        raise HttpProblem(
            "exists",
            f"the run '{name}' exists with another {join_words(names)}: use its arguments, or "
            "another name.",
        )
