"""A log: decisions that were made at random, with their probabilities and outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.contracts import Floats, Integers
from discreet.display import facts_html
from discreet.errors import DiscreetError, count, shorten, unknown_name
from discreet.logs.reading import Columns, columns_of_log, parse_names

# Names of the Open Bandit data.
USUAL = {
    "arm": "item_id",
    "reward": "click",
    "probability": "propensity_score",
    "position": "position",
    "features": "user_feature_",
    "affinity": "user-item_affinity_",
}
ROLES = (*USUAL, "loss")
NEEDED = ("arm", "probability")
STARTS = ("features", "affinity")  # with which names of columns begin
Label = int | str


@dataclass(frozen=True, kw_only=True, eq=False)
class Log:
    """Decisions with the arm, its probability, the outcome and, if there are any, contexts.

    >>> log = Log.read({"item_id": ["a", "b", "a"], "click": [1, 0, 0],
    ...                 "propensity_score": [0.5, 0.5, 0.5]})
    >>> log
    Log(the log: 3 rows, 2 arms)
    >>> log.labels, log.arm.tolist()
    (('a', 'b'), [0, 1, 0])
    """

    labels: tuple[Label, ...]  # of the arms
    arm: Integers
    outcome: Floats  # rewards, or losses
    probability: Floats  # with which the arm was chosen
    context: Floats  # row, feature; no columns if there are none
    affinity: Floats  # row, arm; no columns if there are none
    features: tuple[str, ...]  # names of the columns of ``context``
    source: str
    lines: Integers  # each row's number in the file, for messages
    is_loss: bool = False  # whether outcomes are losses
    labels_declared: bool = False  # whether arms were declared instead of read from the rows
    levels_found: bool = False  # whether the levels of some features were read from the rows

    @property
    def rows(self) -> int:
        """The number of decisions."""
        return int(self.arm.size)

    @property
    def arms(self) -> int:
        """The number of arms."""
        return len(self.labels)

    def number(self, label: object) -> int:
        """Return the number of the arm with this label; a text matches a numeric label."""
        texts = [str(each) for each in self.labels]
        if str(label) not in texts:
            raise unknown_name("arm", str(label), texts, owner="the log")
        return texts.index(str(label))

    @classmethod
    def read(
        cls,
        log: object,
        *,
        position: int | str | None = None,
        columns: str | Mapping[str, str] | None = None,
        arms: Sequence[Label] | None = None,
    ) -> Log:
        """Read a log from a CSV, Parquet or Arrow file, a data frame or a dictionary of columns.

        Columns are named as in the Open Bandit data: ``item_id``, ``click``, ``propensity_score``,
        ``position``, ``user_feature_*`` and ``user-item_affinity_*``. ``columns`` gives other names
        for ``arm``, ``reward`` (or ``loss``), ``probability`` and ``position``, and other prefixes
        for ``features`` and ``affinity``. Only rows of one ``position`` are used, in their order;
        all other columns are ignored. A column of features that are not numbers becomes one column
        of zeros and ones for each of its values. ``arms`` declares all arms; otherwise they are
        those found in the rows.
        """
        found, names = columns_of_log(log), _names(columns)
        for role in (*NEEDED, "loss" if "loss" in names else "reward"):
            if names[role] not in found.by_name:
                raise DiscreetError(
                    f"{found.source} has no column {names[role]} for the {role}: it has "
                    f"{shorten(', '.join(found.by_name))}; columns='{role}:...' names another."
                )
        rows = _rows_at(found, names["position"], position)
        is_loss = "loss" in names
        probability = found.numbers(names["probability"])[rows]
        wrong = np.flatnonzero(~((probability > 0.0) & (probability <= 1.0)))
        if wrong.size:
            raise DiscreetError(
                f"{found.place(int(rows[wrong[0]]), names['probability'])}: the probability is "
                f"{probability[wrong[0]]:g}, but must be above 0 and at most 1."
            )
        labels, numbers = _arms_of(found, names["arm"], rows, arms)
        context, features, levels = _contexts(found, names["features"], rows)
        return cls(
            labels=labels,
            arm=numbers,
            outcome=found.numbers(names["loss" if is_loss else "reward"])[rows],
            probability=probability,
            context=context,
            affinity=_affinities(found, names["affinity"], rows, labels),
            features=features,
            source=found.source,
            lines=rows + found.first_row,
            is_loss=is_loss,
            labels_declared=arms is not None,
            levels_found=levels,
        )

    def _repr_html_(self) -> str:
        facts = [
            ("rows", f"{self.rows:,}"),
            ("arms", f"{self.arms:,}"),
            ("features", f"{len(self.features):,}"),
            ("outcomes", "losses" if self.is_loss else "rewards"),
        ]
        return facts_html(f"Log: {self.source}", facts)

    def __repr__(self) -> str:
        what = f", {count(len(self.features), 'feature')}" if self.features else ""
        return f"Log({self.source}: {count(self.rows, 'row')}, {self.arms:,} arms{what})"


def _names(columns: str | Mapping[str, str] | None) -> dict[str, str]:
    given = parse_names(columns)
    for role in given:
        if role not in ROLES:
            raise unknown_name("column", role, ROLES)
    if "loss" in given and "reward" in given:
        raise DiscreetError("columns names a reward and a loss, but a log has only one of the two.")
    names = USUAL | given
    if "loss" in given:
        del names["reward"]
    _check_roles(names)
    return names


def _check_roles(names: Mapping[str, str]) -> None:
    """Refuse a column with two roles."""
    single = [role for role in names if role not in STARTS]
    for place, role in enumerate(single):
        for other in single[:place]:
            if names[role] == names[other]:
                raise DiscreetError(
                    f"columns names {shorten(names[role])} for the {other} and for the {role}, but "
                    "a column has one role: name another."
                )
        for start in STARTS:
            if names[start] and names[role].startswith(names[start]):
                raise DiscreetError(
                    f"columns names {shorten(names[role])} for the {role}, which also begins with "
                    f"{shorten(names[start])}, as {start} do, but a column has one role."
                )


def _rows_at(found: Columns, name: str, position: int | str | None) -> Integers:
    """Return the rows of one position: propensities of different slots cannot be mixed."""
    if name not in found.by_name:
        if position is not None:
            raise DiscreetError(f"position is {position}, but {found.source} has no column {name}.")
        return np.arange(found.rows)
    texts = np.array([str(cell) for cell in found.by_name[name].tolist()])
    known = sorted(set(texts.tolist()))
    if position is None:
        if len(known) > 1:
            raise DiscreetError(
                f"{found.source} has rows of {len(known)} positions ({shorten(', '.join(known))}), "
                f"whose probabilities belong to different slots: give one, such as "
                f"position={known[0]}."
            )
        return np.arange(found.rows)
    rows = np.flatnonzero(texts == str(position))
    if rows.size == 0:
        raise DiscreetError(
            f"position is {position}, but {found.source} has only {shorten(', '.join(known))}."
        )
    return rows


def _arms_of(
    found: Columns, name: str, rows: Integers, declared: Sequence[Label] | None
) -> tuple[tuple[Label, ...], Integers]:
    """Return the labels of all arms, and the number of each row's arm."""
    values = found.by_name[name][rows]
    if values.dtype.kind == "f":  # a column of whole numbers with a gap elsewhere
        values = np.array([f"{value:g}" for value in values], dtype=object)
    labels: tuple[Any, ...] = tuple(sorted(set(values.tolist())))
    if declared is not None:
        labels = _declared(declared)
        texts = {str(label): number for number, label in enumerate(labels)}
        unknown = [row for row, value in enumerate(values.tolist()) if str(value) not in texts]
        if unknown:
            raise DiscreetError(
                f"{found.place(int(rows[unknown[0]]), name)}: "
                f"{shorten(str(values[unknown[0]]))} is not one of the declared arms."
            )
        return labels, np.array([texts[str(value)] for value in values.tolist()], dtype=np.int64)
    if len(labels) < 2:
        raise DiscreetError(
            f"{found.source} has {count(len(labels), 'arm')} in column {name}, but a choice needs "
            "at least 2."
        )
    places = {label: number for number, label in enumerate(labels)}
    return labels, np.array([places[value] for value in values.tolist()], dtype=np.int64)


def _declared(arms: Sequence[Label]) -> tuple[Label, ...]:
    """Return the declared arms, or refuse them."""
    if isinstance(arms, str) or not isinstance(arms, Sequence):
        raise DiscreetError(f"arms is {shorten(arms)}, but must be a list of labels.")
    if len(arms) < 2 or len({str(label) for label in arms}) < len(arms):
        raise DiscreetError(f"arms is {shorten(arms)}, but must be at least 2 different labels.")
    return tuple(arms)


def _contexts(found: Columns, start: str, rows: Integers) -> tuple[Floats, tuple[str, ...], bool]:
    """Return features, their names, and whether levels of a column were read from the rows."""
    chosen = [name for name in found.by_name if start and name.startswith(start)]
    columns: list[Floats] = []
    names: list[str] = []
    levels = False
    for name in chosen:
        if found.by_name[name].dtype.kind != "O":
            columns.append(found.numbers(name)[rows])
            names.append(name)
            continue
        cells, levels = found.by_name[name][rows], True
        for level in sorted(set(cells.tolist())):
            columns.append((cells == level).astype(np.float64))
            names.append(f"{name}={level}")
    table = np.column_stack(columns) if columns else np.zeros((rows.size, 0))
    return np.ascontiguousarray(table), tuple(names), levels


def _affinities(found: Columns, start: str, rows: Integers, labels: Sequence[Label]) -> Floats:
    """Return one number per row and arm, if the log has one for every arm."""
    wanted = [f"{start}{label}" for label in labels]
    if not start or not all(name in found.by_name for name in wanted):
        return np.zeros((rows.size, 0))
    return np.column_stack([found.numbers(name)[rows] for name in wanted])
