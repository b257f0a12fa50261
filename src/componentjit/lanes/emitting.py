"""From a loop in normal form to LLVM: every statement is executed for all lanes at once.

Branches on numbers that differ between lanes become masks: both sides run, each for some of the
lanes, on copies of the variables that they assign; then every lane keeps the copies of its side.
Lanes that leave a loop wait for the others. What is the same in all lanes (rounds, counters,
parameters) stays ordinary code with ordinary branches.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from componentjit.errors import NotVectorizable
from componentjit.lanes.kinds import Kinds, Varying
from componentjit.lanes.layout import Layout
from componentjit.lanes.memory import LaneMemory
from componentjit.lanes.normal import Normal
from componentjit.lanes.vectors import (
    EVERYWHERE,
    FLAG,
    LONG,
    NOWHERE,
    VECTORS,
    Value,
)
from componentjit.syntax import exits, names_assigned


class Emitter(LaneMemory):
    """Writes one function: ``i64 play(addresses, integers, floats)``.

    It returns 0, or the number of a failure.
    """

    def __init__(
        self,
        normal: Normal,
        body: Sequence[ast.stmt],
        kinds: Kinds,
        varying: Varying,
        layout: Layout,
    ) -> None:
        super().__init__(normal, kinds, varying, layout)
        self.uniform_loops: list[tuple[Any, Any] | None] = []  # where break and continue go
        self.block(body)
        self.write_carried()
        self.builder.ret(LONG(0))
        with self.builder.goto_block(self.entry):
            self.builder.branch(self.start)

    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Write statements; what follows an exit is skipped if no lane is left."""
        ends: list[Any] = []
        for position, each in enumerate(statements):
            self.statement(each)
            if self.builder.block.is_terminated:
                break
            leaves = isinstance(each, ast.If) and any(True for _ in exits([each]))
            if leaves and self.region is not None and position + 1 < len(statements):
                rest, end = self.new_block("rest"), self.new_block("end")
                self.builder.cbranch(self.maths.any(self.mask()), rest, end)
                self.builder.position_at_end(rest)
                ends.append(end)
        for end in reversed(ends):
            self.go_on(end)

    def go_on(self, block: Any) -> None:
        """Branch to a block, and continue writing there."""
        if not self.builder.block.is_terminated:
            self.builder.branch(block)
        self.builder.position_at_end(block)

    def statement(self, node: ast.stmt) -> None:
        """Write one statement."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.assign(name, self.expression(value))
            case ast.Assign(
                targets=[ast.Subscript(value=ast.Name(id=array), slice=index)], value=value
            ):
                indices = self.indices(index)
                self.put(array, indices, self.expression(value))
            case ast.If():
                (self.branch if id(node) in self.varying.branches else self.uniform_branch)(node)
            case ast.While() | ast.For():
                (self.loop if id(node) in self.varying.loops else self.uniform_loop)(node)
            case ast.Break() | ast.Continue():
                self.leave(node)
            case ast.Raise(exc=ast.Constant(value=int(number)), cause=cause):
                self.fail(number, cause.elts if isinstance(cause, ast.Tuple) else [])
            case _:
                raise NotVectorizable(
                    f"a statement that lanes do not support ({type(node).__name__})"
                )

    def fail(self, number: int, told: Sequence[ast.expr]) -> None:
        """Return a failure if any lane is here; store the numbers of the first one."""
        mask = self.mask()
        ends, goes_on = self.new_block("fails"), self.new_block("goes.on")
        self.builder.cbranch(FLAG(1) if mask is None else self.maths.any(mask), ends, goes_on)
        self.builder.position_at_end(ends)
        lane = self.maths.first(EVERYWHERE if mask is None else mask)
        for place, each in enumerate(told, self.layout.first_told):
            code = self.maths.as_vector(self.maths.as_kind(self.expression(each), "i")).code
            where = self.builder.gep(self.function.args[1], [LONG(place)], source_etype=LONG)
            self.builder.store(self.builder.extract_element(code, lane), where)
        self.builder.ret(LONG(number))
        self.builder.position_at_end(goes_on)

    def uniform_branch(self, node: ast.If) -> None:
        """Write a branch that all lanes take in the same way."""
        test = self.maths.as_kind(self.expression(node.test), "b").code
        yes, no, end = self.new_block("yes"), self.new_block("no"), self.new_block("after")
        self.builder.cbranch(test, yes, no)
        for block, side in ((yes, node.body), (no, node.orelse)):
            self.builder.position_at_end(block)
            self.block(side)
            if not self.builder.block.is_terminated:
                self.builder.branch(end)
        self.builder.position_at_end(end)

    def branch(self, node: ast.If) -> None:
        """Write a branch that some lanes take: both sides, each for some lanes."""
        test = self.maths.as_kind(self.expression(node.test), "b")
        sides = [(node.body, test)]
        if node.orelse:
            sides.append((node.orelse, self.maths.invert(test)))
        masks = [self.within(flags) for _, flags in sides]
        for (side, flags), mask in zip(sides, masks, strict=True):
            end = None
            if _is_heavy(side):
                then, end = self.new_block("some"), self.new_block("after")
                self.builder.cbranch(self.maths.any(mask), then, end)
                self.builder.position_at_end(then)
            region = self.enter(mask, names_assigned(side))
            self.block(side)
            self.hand_over(region, flags.code)
            self.region = region.outer
            if end is not None:
                self.go_on(end)

    def leave(self, node: ast.Break | ast.Continue) -> None:
        """Let lanes leave the innermost loop, or its current turn."""
        together = self.uniform_loops[-1]
        if together is not None:
            self.builder.branch(together[isinstance(node, ast.Continue)])
            return
        mask, region = self.mask(), self.region
        while region is not None and region.loop is None:
            region = region.outer
        if region is not None and region.loop == "turn" and isinstance(node, ast.Break):
            region = region.outer
        assert region is not None
        self.hand_over(region, mask)
        gone = self.builder.xor(mask, EVERYWHERE)
        each = self.region
        while each is not region.outer:
            assert each is not None
            here = self.builder.load(each.mask, typ=VECTORS["b"])
            self.builder.store(self.builder.select(here, gone, NOWHERE), each.mask)
            each = each.outer

    def uniform_loop(self, node: ast.While | ast.For) -> None:
        """Write a loop that all lanes leave together."""
        head, body, onward, end = (
            self.new_block(name) for name in ("head", "body", "onward", "end")
        )
        stop = self.first_turn(node)
        self.go_on(head)
        self.builder.cbranch(self.goes_on(node, stop).code, body, end)
        self.builder.position_at_end(body)
        self.uniform_loops.append((end, onward))
        self.block(node.body)
        self.uniform_loops.pop()
        self.go_on(onward)
        self.next_turn(node)
        self.builder.branch(head)
        self.builder.position_at_end(end)

    def loop(self, node: ast.While | ast.For) -> None:
        """Write a loop that lanes leave one by one."""
        head, body, onward, end = (
            self.new_block(name) for name in ("head", "body", "onward", "end")
        )
        stop = self.first_turn(node)
        here = self.mask()
        region = self.enter(EVERYWHERE if here is None else here, names_assigned(node.body), "loop")
        self.uniform_loops.append(None)
        self.go_on(head)
        test = self.goes_on(node, stop)
        if test.varies:
            self.hand_over(region, self.within(self.maths.invert(test)))
            self.builder.store(self.within(test), region.mask)
        elif not isinstance(test.code, ir.Constant):
            turn, all_leave = self.new_block("turn"), self.new_block("all.leave")
            self.builder.cbranch(test.code, turn, all_leave)
            self.builder.position_at_end(all_leave)
            self.hand_over(region, self.mask())
            self.builder.branch(end)
            self.builder.position_at_end(turn)
        self.builder.cbranch(self.maths.any(self.mask()), body, end)
        self.builder.position_at_end(body)
        if any(isinstance(each, ast.Continue) for each in exits(node.body)):
            turn = self.enter(self.mask(), names_assigned(node.body), "turn")
            self.block(node.body)
            self.hand_over(turn, self.mask())
            self.region = turn.outer
        else:
            self.block(node.body)
        self.go_on(onward)
        self.next_turn(node)
        self.builder.branch(head)
        self.builder.position_at_end(end)
        self.uniform_loops.pop()
        self.region = region.outer

    def first_turn(self, node: ast.While | ast.For) -> Value | None:
        """Set the counter of a loop over a range; return where it ends."""
        if isinstance(node, ast.While):
            return None
        assert isinstance(node.iter, ast.Call)
        assert isinstance(node.target, ast.Name)
        bounds = [self.maths.as_kind(self.expression(each), "i") for each in node.iter.args]
        first = bounds[0] if len(bounds) == 2 else Value(LONG(0), "i", False)
        self.assign(node.target.id, first)
        return bounds[-1]

    def goes_on(self, node: ast.While | ast.For, stop: Value | None) -> Value:
        """Return whether a loop continues."""
        if isinstance(node, ast.While):
            return self.maths.as_kind(self.expression(node.test), "b")
        assert stop is not None
        assert isinstance(node.target, ast.Name)
        return self.maths.compare("Lt", self.read(node.target.id), stop)

    def next_turn(self, node: ast.While | ast.For) -> None:
        """Advance the counter of a loop over a range."""
        if isinstance(node, ast.For):
            assert isinstance(node.target, ast.Name)
            self.assign(
                node.target.id,
                self.maths.binary("Add", self.read(node.target.id), Value(LONG(1), "i", False)),
            )


def _is_heavy(statements: Sequence[ast.stmt]) -> bool:
    """Return whether statements are skipped if no lane is there: they are slow, or read memory."""
    simple = {"float", "int", "bool", "min", "max", "abs", "math.sqrt"}
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript | ast.While | ast.For | ast.Raise):
                return True
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id not in simple
            ):
                return True
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.Mod):
                return True
    return False
