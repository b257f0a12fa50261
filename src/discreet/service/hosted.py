"""One run of a service: its live object, its spec, and its history."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any

from discreet.errors import Finished
from discreet.live import Bandit, LiveClient
from discreet.live.arguments import labels_of
from discreet.live.database.store import DatabaseStore
from discreet.live.release_log import ReleaseRow
from discreet.service.forms import AnyJson
from discreet.service.history import History
from discreet.service.specs import Creation, texts_of


class Hosted:
    """One run of the service: its live object, its spec, and its history."""

    def __init__(
        self,
        name: str,
        creation: Creation,
        live: LiveClient[Any],
        store: DatabaseStore,
        facts: AnyJson,
    ) -> None:
        self.name, self.form, self.live, self._store = name, creation.form, live, store
        self.spec: AnyJson = facts["spec"]
        self.created: float = facts["created"]
        self.closed, self.charged = bool(facts["closed"]), bool(facts["charged"])
        self._labels = _labels(creation)
        self.texts = texts_of(self._labels)
        counted = self._labels if creation.form.counts else ()
        self.history = History(counted)
        self.unsaved = History(counted)  # counts that are not in the database yet
        self._counted = 0

    @property
    def problem(self) -> str:
        """The name of its problem."""
        return self.form.name

    @property
    def wait(self) -> float | None:
        """Seconds after which a missing outcome counts as the default."""
        return self.live.plan.wait

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The labels of arms, experts or items; none for points."""
        return self.live.arms if isinstance(self.live, Bandit) else self._labels

    def renew_labels(self) -> None:
        """Update the labels after arms were added."""
        self.texts |= texts_of(self.labels)

    def releases(self) -> list[ReleaseRow]:
        """Return all releases, in the order in which the learner received them."""
        return sorted(self.live._run.releases(), key=lambda row: (row.at or 0.0, row.batch))

    def label_of(self, choice: int | None) -> Hashable:
        """Return the label of a release's choice; None if it has no single one."""
        if choice is None or choice < 0:
            return None
        return self.live._label(choice)

    def new_releases(self) -> int:
        """Return how many releases this process has made since the last time."""
        made = self._store.releases_here
        new, self._counted = made - self._counted, made
        return new

    def ended(self) -> Finished:
        """Return the refusal of decisions by a run that has ended."""
        return Finished(f"the run {self.name} was closed and makes no further decisions.")

    def record(self) -> bytes:
        """Return what the database stores about it, besides the run itself."""
        facts = {"spec": self.spec, "created": self.created, "closed": self.closed}
        return json.dumps(facts | {"charged": self.charged}).encode()


def _labels(creation: Creation) -> tuple[Hashable, ...]:
    form = creation.form
    if form.name == "contexts":
        arms: tuple[Hashable, ...] = creation.arguments["features"].arms
        return arms
    return labels_of(form.labels, creation.arguments[form.labels]) if form.labels else ()
