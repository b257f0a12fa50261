"""The arguments of ``ask`` and ``ask_many`` in the form that a service takes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import get_args

from discreet.client.writing import plain, private_numbers
from discreet.errors import DiscreetError, check_choice, check_int, count, has_items
from discreet.guarantee_facts import Json
from discreet.ledger.inputs import User
from discreet.live.serving import AtLimit
from discreet.live.several_client import MOST, one_for_each


def whose(user: User | None, at_limit: AtLimit) -> Json:
    """Return the user of a decision, and what to do at the limit."""
    check_choice("at_limit", at_limit, get_args(AtLimit))
    limit: Json = {"at_limit": at_limit} if at_limit != "refuse" else {}
    return limit if user is None else {"user": _user(user), **limit}


def _user(user: User) -> object:
    if not isinstance(user, str | int) or isinstance(user, bool):
        raise DiscreetError(
            f"user is of type {type(user).__name__}, but must be text or a whole number."
        )
    return plain("user", user)


def on_offer(available: Iterable[Hashable] | None) -> Json:
    """Return the available arms."""
    if available is None:
        return {}
    if not has_items(available):
        raise DiscreetError("available must be a list of arms.")
    return {"available": plain("available", list(available))}


def known(context: object, arm_features: object) -> Json:
    """Return the features of a person and of arms."""
    found: Json = {}
    if context is not None:
        found["context"] = private_numbers("context", context)
    if isinstance(arm_features, Mapping):
        found["arm_features"] = {
            str(label): private_numbers("arm_features", row) for label, row in arm_features.items()
        }
    elif arm_features is not None:
        found["arm_features"] = private_numbers("arm_features", arm_features)
    return found


def advised(advice: object) -> Json:
    """Return the advice of experts."""
    return {"advice": private_numbers("advice", advice)}


def number_of(n: int) -> list[Json]:
    """Return one empty request per decision, for problems without observations."""
    return [{} for _ in range(check_int("n", n, minimum=1, maximum=MOST))]


def every(name: str, seen: object) -> list[object]:
    """Return the observations of several rounds."""
    return one_for_each(name, seen)


def for_users(each: list[Json], users: Sequence[User] | None) -> list[Json]:
    """Return the requests for several decisions, with the user of each."""
    if users is None:
        return each
    if len(users) != len(each):
        raise DiscreetError(
            f"users has {count(len(users), 'name')}, but must have one for each of "
            f"{count(len(each), 'decision')}."
        )
    return [{**one, "user": _user(user)} for one, user in zip(each, users, strict=True)]
