"""The version of a run in its file, compared with its key to refuse old copies."""

from __future__ import annotations

from discreet.errors import OldCopy, count
from discreet.live.keys import NEW, Key, Version, new_name
from discreet.live.row_text import drawn_from
from discreet.live.rows import Drawn
from discreet.live.store import Store


class VersionedStore(Store):
    """A store whose runs have a version, which is also recorded in their key."""

    _key: Key | None = None
    _version: Version = NEW

    def _check_age(self, key: Key) -> None:
        """Refuse a run that is older than its key, or that continued in another copy."""
        mine, known = self._version, key.version
        if mine.releases + (self._noted() is not None) < known.releases:
            raise OldCopy(
                f"{self.name} is an old copy: it has {count(mine.releases, 'release')}, but the "
                f"run made {known.releases:,}, so continuing it would release batches twice; use "
                "the run's latest file."
            )
        if mine.changes < known.changes:
            raise OldCopy(
                f"{self.name} is an old copy: later outcomes are missing (it has "
                f"{count(mine.changes, 'change')}, but the run made {known.changes:,}); use the "
                "run's latest file."
            )
        another = mine.releases == known.releases and mine.last_release != known.last_release
        another |= mine.changes == known.changes and mine.last_change != known.last_change
        if another:
            raise OldCopy(
                f"{self.name} is an old copy: the run continued in another one; use the run's "
                "latest file."
            )

    def _noted(self) -> tuple[Drawn, int] | None:
        """Return the release that the key stores for the current state, and its group."""
        key, name = self._key, self._kept_name()
        if key is None or name is None:
            return None
        try:
            return drawn_from(key.decrypt(key.note, self._note_name(name)))
        except ValueError:
            return None

    def _kept_name(self) -> bytes | None:
        """Return the name of the release that the key stores for the current state.

        The key may still have a note for an earlier state: no other release gets its name.
        """
        key = self._key
        if key is None or not key.note:
            return None
        name = key.version.last_release
        return name if key.version == self._version.with_release(name) else None

    def _note_name(self, release: bytes) -> bytes:
        """Return the data authenticated with a note, which belongs to one state of the run."""
        releases, changes, *names = self._version
        return b"".join([self._row_name("note", releases, changes), *names, release])

    def _advance(self) -> None:
        """Record the version of the file in the key."""
        if self._key is not None:
            self._key.advance(self._version)

    def _next(self, *, lasting: bool, releases: int) -> Version:
        """Return the version that follows a change."""
        version = self._version
        if lasting:
            version = version.with_change()
        if releases:
            version = version.with_release(self._kept_name() or new_name(), releases)
        return version
