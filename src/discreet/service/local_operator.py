"""The commands of an operator on a folder that no service has open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict

from discreet.service.facts import run_facts
from discreet.service.forms import AnyJson
from discreet.service.host import Host
from discreet.service.server import open_host
from discreet.service.settings import ServiceFolder
from discreet.service.specs import read_spec
from discreet.service.tokens import Tokens


class LocalOperator:
    """Works on a folder that no service has open."""

    def __init__(self, host: Host, tokens: Tokens) -> None:
        self._host, self._tokens = host, tokens

    def create_run(self, name: str, spec: AnyJson) -> AnyJson:
        """Create a run, or return the one with this spec."""
        creation = read_spec(spec)
        creation.probe().close()
        found, _ = self._host.create(name, creation)
        return run_facts(found, self._host.now())

    def show_run(self, name: str) -> AnyJson:
        """Return the public facts about a run."""
        return run_facts(self._host.find(name), self._host.now())

    def has_run(self, name: str) -> bool:
        """Return whether there is a run with this name."""
        return name in self._host.known()

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""
        return self._host.known()

    def close_run(self, name: str) -> AnyJson:
        """End a run."""
        return run_facts(self._host.end(name), self._host.now())

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""
        return str(self._host.restored(name))

    def create_token(self, role: str, run: str, label: str, expires: float | None) -> AnyJson:
        """Create a token."""
        token, grant = self._tokens.create(role, run, label, expires)
        return {"token": token, **asdict(grant)}

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""
        return [asdict(each) for each in self._tokens.all()]

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""
        self._tokens.revoke(identity)


@contextlib.contextmanager
def on_folder(folder: str, database: str | None, witness: str | None) -> Iterator[LocalOperator]:
    """Work on a folder, which is open meanwhile."""
    host, tokens = open_host(ServiceFolder.known(folder), database, witness=witness)
    try:
        yield LocalOperator(host, tokens)
    finally:
        host.close()
