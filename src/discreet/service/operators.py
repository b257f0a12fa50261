"""What the commands of an operator do, on a folder or over HTTP."""

from __future__ import annotations

from typing import Protocol

from discreet.service.forms import AnyJson


class Operator(Protocol):
    """Runs and tokens of a service."""

    def create_run(self, name: str, spec: AnyJson) -> AnyJson:
        """Create a run, or return the one with this spec."""

    def show_run(self, name: str) -> AnyJson:
        """Return the public facts about a run."""

    def has_run(self, name: str) -> bool:
        """Return whether there is a run with this name."""

    def list_runs(self) -> list[str]:
        """Return the names of all runs."""

    def close_run(self, name: str) -> AnyJson:
        """End a run."""

    def restored(self, name: str) -> str:
        """Continue a run after a backup was restored; return what is lost, in words."""

    def create_token(self, role: str, run: str, label: str, expires: float | None) -> AnyJson:
        """Create a token."""

    def list_tokens(self) -> list[AnyJson]:
        """Return the rights of all tokens."""

    def revoke_token(self, identity: str) -> None:
        """Revoke a token."""
