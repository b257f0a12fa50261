"""The commands of an operator: on a folder, or over HTTP with a token."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Protocol
from urllib.parse import quote

from discreet.errors import DiscreetError
from discreet.service.facts import run_facts
from discreet.service.forms import AnyJson
from discreet.service.host import Host
from discreet.service.server import open_host
from discreet.service.settings import ServiceFolder
from discreet.service.specs import read_spec
from discreet.service.tokens import Tokens

SECONDS = 60.0  # timeout for a service


class Operator(Protocol):
    """Runs and tokens of a service."""

    def create_run(self, name: str, spec: AnyJson) -> AnyJson:
        """Create a run, or return the one with this spec."""

    def show_run(self, name: str) -> AnyJson:
        """Return the public facts about a run."""

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""

    def close_run(self, name: str) -> AnyJson:
        """End a run."""

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""

    def create_token(self, role: str, run: str, label: str) -> AnyJson:
        """Create a token."""

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""


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

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""
        return self._host.known()

    def close_run(self, name: str) -> AnyJson:
        """End a run."""
        return run_facts(self._host.end(name), self._host.now())

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""
        return str(self._host.restored(name))

    def create_token(self, role: str, run: str, label: str) -> AnyJson:
        """Create a token."""
        token, grant = self._tokens.create(role, run, label)
        return {"token": token, **asdict(grant)}

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""
        return [asdict(each) for each in self._tokens.all()]

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""
        self._tokens.revoke(identity)


class RemoteOperator:
    """Works on a running service, over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url.rstrip("/"), token

    def _call(self, method: str, path: str, body: AnyJson | None = None) -> Any:  # noqa: ANN401
        import httpx  # slow to import

        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        try:
            found = httpx.request(
                method, self._url + path, headers=headers, content=content, timeout=SECONDS
            )
        except (httpx.HTTPError, httpx.InvalidURL) as reason:
            raise DiscreetError(
                f"the service at {self._url} does not answer ({type(reason).__name__})."
            ) from None
        try:
            answer = found.json() if found.content else None
        except ValueError:
            answer = None
        if found.is_error or found.is_redirect:
            known = answer if isinstance(answer, dict) else {}
            raise DiscreetError(
                f"the service refused: {known.get('detail', f'status {found.status_code}.')}"
            )
        return answer

    def create_run(self, name: str, spec: AnyJson) -> AnyJson:
        """Create a run, or return the one with this spec."""
        made: AnyJson = self._call("PUT", f"/v1/runs/{quote(name, safe='')}", spec)
        return made

    def show_run(self, name: str) -> AnyJson:
        """Return the public facts about a run."""
        shown: AnyJson = self._call("GET", f"/v1/runs/{quote(name, safe='')}")
        return shown

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""
        return [each["run"] for each in self._call("GET", "/v1/runs")["runs"]]

    def close_run(self, name: str) -> AnyJson:
        """End a run."""
        ended: AnyJson = self._call("POST", f"/v1/runs/{quote(name, safe='')}/close", {})
        return ended

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""
        said: str = self._call("POST", f"/v1/runs/{quote(name, safe='')}/restored", {})["sentence"]
        return said

    def create_token(self, role: str, run: str, label: str) -> AnyJson:
        """Create a token."""
        made: AnyJson = self._call("POST", "/v1/tokens", {"role": role, "run": run, "label": label})
        return made

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""
        found: list[AnyJson] = self._call("GET", "/v1/tokens")["tokens"]
        return found

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""
        self._call("DELETE", f"/v1/tokens/{quote(identity, safe='')}")


@contextlib.contextmanager
def operating(
    folder: str,
    database: str | None,
    url: str | None,
    token: str | None,
    witness: str | None = None,
) -> Iterator[Operator]:
    """Work over HTTP if there is a URL, otherwise on the folder."""
    if url is not None:
        if not token:
            raise DiscreetError("token is missing: give --token, or set DISCREET_TOKEN.")
        yield RemoteOperator(url, token)
        return
    host, tokens = open_host(ServiceFolder.known(folder), database, witness=witness)
    try:
        yield LocalOperator(host, tokens)
    finally:
        host.close()
