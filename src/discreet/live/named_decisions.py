"""Named decisions as bytes: asking again with the same name returns the same decision."""

from __future__ import annotations

import json

from discreet.live.row_text import as_text, from_text
from discreet.live.rows import Ticket


def decision_bytes(ticket: Ticket, chance: float | None) -> bytes:
    """Return a decision and its probability as bytes, without rounding."""
    number, group, choice, token, asked_at, action = ticket
    if type(choice) is type(action) is int and type(chance) is float and token.isascii():
        # the same result in a third of the time: tokens are hexadecimal, with a dot
        return (
            f'[[{number}, {group}, {choice}, "{token}", {asked_at!r}], "{action}", {chance!r}]'
        ).encode()
    *fields, action = ticket
    return json.dumps([fields, as_text(action), chance]).encode()


def decision_from(content: bytes, example: object) -> tuple[Ticket, float | None]:
    """Return what ``decision_bytes`` wrote; ``example`` is an action of the same kind."""
    fields, action, chance = json.loads(content)
    return Ticket(*fields)._replace(action=from_text(example, action)), chance
