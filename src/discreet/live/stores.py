"""Choosing a store: by a path, a URL or an object."""

from __future__ import annotations

import os
from collections.abc import Callable

from discreet.errors import DiscreetError, check_callable, check_name, shorten
from discreet.live.file_store import FileStore
from discreet.live.store import MemoryStore, Store
from discreet.plugins import load_plugins

DATABASES = ("postgresql", "postgres")  # the schemes of open_database that a store cannot have
_schemes: dict[str, Callable[[str], Store]] = {}


def register_store(scheme: str, from_url: Callable[[str], Store]) -> None:
    """Register a kind of store for ``store="scheme://..."``; ``from_url`` gets the whole URL."""
    check_callable("from_url", from_url)
    _schemes[check_name("scheme", scheme)] = from_url


def choose_store(path: str | os.PathLike[str] | None, store: str | Store | None) -> Store:
    """Return the requested store, or one in memory by default."""
    if path is not None and store is not None:
        raise DiscreetError("path and store are both given, but a run has one place: give one.")
    if path is not None:
        return FileStore(path)
    if store is None:
        return MemoryStore()
    if isinstance(store, Store):
        return store
    if not isinstance(store, str):
        raise DiscreetError(
            f"store is {shorten(store)}, but must be a Store or a URL such as 'sqlite:///run.db'."
        )
    scheme, colon, _ = store.partition(":")
    if colon and scheme not in _schemes:
        load_plugins()
    if scheme in DATABASES and scheme not in _schemes:
        raise DiscreetError(
            "store is a URL of PostgreSQL, but a run there also needs a secret and a witness: give "
            "open_database(url, secret=..., witness=...).store(name) of discreet.live.database "
            "(docs/live.md: A database of runs)."
        )
    if not colon or scheme not in _schemes:
        # Do not show the whole URL: it may contain a password.
        found = f"has the scheme {shorten(scheme)}" if colon else "has no scheme"
        raise DiscreetError(
            f"store {found}, but must be a Store or a URL with one of the schemes "
            f"{', '.join(sorted(_schemes))}; path= takes the path of a file."
        )
    return _schemes[scheme](store)


def _file_store(url: str) -> Store:
    """Return the store at ``sqlite:///relative/path`` or ``sqlite:////absolute/path``."""
    _, slashes, path = url.partition(":///")
    if not slashes or not path:
        raise DiscreetError(
            f"store is {shorten(url)}, but must name a file, such as 'sqlite:///run.db'."
        )
    return FileStore(path)


register_store("memory", lambda url: MemoryStore())
register_store("sqlite", _file_store)
