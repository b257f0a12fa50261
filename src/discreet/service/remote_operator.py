"""The commands of an operator on a running service, over HTTP. It needs no web server."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import httpx

from discreet.client.links import checked_token, checked_url
from discreet.client.refusals import PREFIX
from discreet.errors import DiscreetError
from discreet.service.forms import AnyJson
from discreet.service.specs import check_run_name

SECONDS = 60.0  # timeout for a service


class RemoteOperator:
    """Works on a running service, over HTTP."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = checked_url(url), checked_token(token)

    def _send(self, method: str, path: str, body: AnyJson | None = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        try:
            return httpx.request(
                method, self._url + path, headers=headers, content=content, timeout=SECONDS
            )
        except (httpx.HTTPError, httpx.InvalidURL):
            raise DiscreetError(f"the service at {self._url} does not answer.") from None

    def _call(self, method: str, path: str, body: AnyJson | None = None) -> Any:  # noqa: ANN401
        found = self._send(method, path, body)
        try:
            answer = found.json() if found.content else None
        except ValueError:
            answer = None
        if found.is_error or found.is_redirect:
            known = answer if isinstance(answer, dict) else {}
            if known.get("type") == f"{PREFIX}unauthorized":
                raise DiscreetError("the token is unknown: check --token or DISCREET_TOKEN.")
            raise DiscreetError(
                f"the service refused: {known.get('detail', f'status {found.status_code}.')}"
            )
        return answer

    def create_run(self, name: str, spec: AnyJson) -> AnyJson:
        """Create a run, or return the one with this spec."""
        made: AnyJson = self._call("PUT", f"/v1/runs/{check_run_name(name)}", spec)
        return made

    def show_run(self, name: str) -> AnyJson:
        """Return the public facts about a run."""
        shown: AnyJson = self._call("GET", f"/v1/runs/{check_run_name(name)}")
        return shown

    def has_run(self, name: str) -> bool:
        """Return whether there is a run with this name."""
        return self._send("GET", f"/v1/runs/{check_run_name(name)}").status_code != 404

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""
        return [each["run"] for each in self._call("GET", "/v1/runs")["runs"]]

    def close_run(self, name: str) -> AnyJson:
        """End a run."""
        ended: AnyJson = self._call("POST", f"/v1/runs/{check_run_name(name)}/close", {})
        return ended

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""
        said: str = self._call("POST", f"/v1/runs/{check_run_name(name)}/restored", {})["sentence"]
        return said

    def create_token(self, role: str, run: str, label: str, expires: float | None) -> AnyJson:
        """Create a token."""
        body = {"role": role, "run": run, "label": label, "expires": expires}
        made: AnyJson = self._call("POST", "/v1/tokens", body)
        return made

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""
        found: list[AnyJson] = self._call("GET", "/v1/tokens")["tokens"]
        return found

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""
        self._call("DELETE", f"/v1/tokens/{quote(identity, safe='')}")
