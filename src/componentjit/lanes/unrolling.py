"""Loops whose number of turns is known, written out turn by turn, without what leaves them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from componentjit.syntax import Statements

TURNS = 4  # of a loop that is written out, at most


class Endless(Exception):
    """It is not known how many turns a loop has, or they are too many."""


class Rest(ast.While):
    """What is left of a loop after some turns."""

    turns = 0  # that may still be written out


def exits(statements: Sequence[ast.stmt]) -> Iterator[ast.Break | ast.Continue]:
    """Yield what leaves the loop around these statements, or goes on with its next turn."""
    for each in statements:
        if isinstance(each, ast.Break | ast.Continue):
            yield each
        elif isinstance(each, ast.If):
            yield from exits(each.body)
            yield from exits(each.orelse)


def one_turn(node: ast.While) -> Statements:
    """Return one turn of a loop, and then the rest of it; who would leave the loop skips what follows instead."""
    turns = node.turns if isinstance(node, Rest) else TURNS
    if turns == 0 or any(isinstance(each, ast.Continue) for each in exits(node.body)):
        raise Endless
    rest = Rest(node.test, node.body, [])
    rest.turns = turns - 1
    return _going_on(node.body, [rest])


def _going_on(statements: Sequence[ast.stmt], rest: Statements) -> Statements:
    """Return statements and then the rest, which is left out where they leave the loop."""
    for position, each in enumerate(statements):
        before, after = list(statements[:position]), statements[position + 1 :]
        if isinstance(each, ast.Break):
            return before
        if isinstance(each, ast.If) and any(True for _ in exits([each])):
            sides = each.body, each.orelse
            if not any(side and isinstance(side[-1], ast.Break) for side in sides):
                raise Endless  # what follows would be there twice
            following = _going_on(after, rest)
            return [*before, ast.If(each.test, *(_going_on(side, following) for side in sides))]
    return [*statements, *rest]
