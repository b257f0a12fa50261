"""The options common to all live classes, defined and checked in one place."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Any, Literal, Self, get_args

from discreet.errors import DiscreetError, check_choice, check_flag, check_positive, shorten
from discreet.ledger import Ledger
from discreet.live.protection import check_clock, check_ledger
from discreet.live.rows import Recipe
from discreet.live.store import Store
from discreet.live.users import UserLimit

Path = str | os.PathLike[str]
Wait = float | timedelta
Default = float | list[float] | None
Durable = Literal["outcomes", "releases"]
Clock = Callable[[], float]  # seconds since 1970


@dataclass(frozen=True)
class RunOptions:
    """The options common to all live classes.

    Parameters
    ----------
    simulation, seed
        By default, noise is exact (integers that OpenDP draws from the operating system's entropy;
        the extra ``exact``), and a seed is refused. With ``simulation=True``, noise is floating
        point, fast and reproducible from a seed, and protects nobody: its low-order bits can be
        attacked. ``repr`` and the guarantee show which of the two is in use.
    ledger
        A budget (:class:`discreet.Ledger`). The whole run is charged to it before the first
        decision. If the ledger limits the rounds of a user, ``ask`` needs the user, and the charge
        is the one for a user with that many rounds.
    path, store
        Where to store the run so that it survives crashes and ``open`` can continue it: a new file,
        or a store (an object or a URL such as ``"sqlite:///run.db"``). By default, in memory.
    key
        Where to write the key that encrypts raw values in the file. The default is the user's state
        folder, or the folder that the environment variable ``DISCREET_KEYS`` names.
    wait
        Seconds, or a ``timedelta``, after which a missing outcome counts as the default
        (``default_reward`` or ``default_loss``). No release then shows who answered when
        (docs/live.md). Outcomes that arrive later are discarded.
    durable
        What is on disk when ``tell`` returns: all "outcomes", or only "releases", which is faster.
        A power failure then loses the outcomes reported since the last release.
    max_rounds_per_user, per
        How many rounds each user may have in this run: in total, or in each period (a
        ``timedelta``). ``ask`` then needs the user, and counts the round in the transaction of the
        decision. The guarantee covers all these rounds together. A ledger can limit users instead,
        across all its runs.
    clock
        With ``simulation=True``, a function that returns the time in seconds since 1970; it can
        play a study of months in seconds. A live run always uses the system time, because deadlines
        and periods are part of its guarantee.

    """

    simulation: bool = False
    seed: int | None = None
    ledger: Ledger | None = None
    path: Path | None = None
    store: str | Store | None = None
    key: Path | None = None
    wait: Wait | None = None
    durable: Durable = "outcomes"
    max_rounds_per_user: int | None = None
    per: timedelta | None = None
    clock: Clock | None = None

    @classmethod
    def among(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the options from the arguments of a live class, which has all of them."""
        return cls(**{each.name: arguments[each.name] for each in fields(cls)})

    def check(self, default: Default) -> None:
        """Refuse options that contradict each other."""
        check_flag("simulation", self.simulation)
        if (self.wait is None) != (default is None):
            raise DiscreetError(
                "wait and a default belong together, such as wait=86400 and default_reward=0: "
                "after the wait, a missing outcome counts as the default."
            )
        if self.key is not None and self.path is None and self.store is None:
            raise DiscreetError(
                "key is given, but without path= or store= there is nothing to encrypt."
            )
        check_choice("durable", self.durable, get_args(Durable))
        if self.durable != "outcomes" and self.path is None and self.store is None:
            raise DiscreetError(
                f"durable is {self.durable!r}, but without path= or store= nothing is on disk."
            )
        if self.seed is not None and not self.simulation:
            raise DiscreetError(
                f"seed is {shorten(self.seed)}, but live noise cannot be seeded: only "
                "simulation=True takes a seed."
            )
        check_clock(self.clock, simulation=self.simulation)
        check_ledger(self.ledger, self.simulation)
        limit = UserLimit.of(self.max_rounds_per_user, self.per)
        if limit is not None:
            limit.check(self.ledger)


def terms(
    horizon: int | None,
    epsilon: float,
    delta: float,
    low: float,
    high: float,
    clip: bool,
    algorithm: str,
) -> Recipe:
    """Return the part of a recipe that all live classes share."""
    return Recipe(
        horizon=horizon,
        epsilon=epsilon,
        delta=delta,
        low=low,
        high=high,
        clip=clip,
        algorithm=algorithm,
    )


def seconds_of(wait: Wait) -> float:
    """Return the wait in seconds."""
    return check_positive("wait", wait.total_seconds() if isinstance(wait, timedelta) else wait)
