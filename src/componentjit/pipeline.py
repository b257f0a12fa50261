"""Numba's compiler passes for loops: fewer than usual, because calls are already inlined."""

from __future__ import annotations

import functools
import operator
from typing import Any

# Passes that are left out, and why an inlined loop does not need them. A loop that does need one is
# compiled with all passes.
NEEDLESS = frozenset(
    {
        # a variable that changes its type; without it, it is a float if it ever is one
        "reconstruct_ssa",
        "inline_closure_likes",  # functions within functions, and comprehensions, which allocate
        "nopython_rewrites",  # expressions on whole arrays, which allocate, too
    }
)


@functools.cache
def short_pipeline() -> Any:
    """Return Numba's compiler without the needless passes, which take up to a third of its time."""
    import numba.core.compiler as compilers
    from numba.core.typed_passes import NopythonTypeInference

    of_numba: Any = compilers  # Numba publishes no types
    refusal = _refusal_of_rounding()  # registered now, by one thread

    class Short(of_numba.CompilerBase):  # type: ignore[misc]
        """Numba's passes without the needless ones."""

        def define_pipelines(self) -> list[Any]:
            usual = of_numba.DefaultPassBuilder.define_nopython_pipeline(self.state)
            short = of_numba.PassManager("short")
            short.passes.extend(each for each in usual.passes if each[0].name() not in NEEDLESS)
            short.add_pass_after(refusal, NopythonTypeInference)
            short.finalize()
            return [short]

    return Short


@functools.cache
def _refusal_of_rounding() -> Any:
    """Return a pass that refuses a loop in which integers would become floats, and be rounded.

    It refuses to assign an integer to a variable of floats, unless it is a constant, and to compute
    with only integers and variables that such constants are assigned to.
    """
    from numba.core import compiler_machinery, errors, ir, types

    machinery: Any = compiler_machinery
    divides = {operator.truediv, operator.itruediv}

    def kind_of(state: Any, value: Any) -> Any:
        if isinstance(value, ir.Var):
            return state.typemap[value.name]
        if isinstance(value, ir.Expr) and value.op == "getattr":
            return state.typingctx.resolve_getattr(state.typemap[value.value.name], value.attr)
        if isinstance(value, ir.Expr) and value.op == "pair_first":  # the next number of a range
            return state.typemap[value.value.name].first_type
        called = state.calltypes.get(value) if isinstance(value, ir.Expr) else None
        return None if called is None else called.return_type

    def is_constant(kind: Any, value: Any) -> bool:
        whole = isinstance(value, ir.Const) and type(value.value) is int
        return whole or isinstance(kind, types.IntegerLiteral)

    @machinery.register_pass(mutates_CFG=False, analysis_only=True)
    class RefusalOfRounding(machinery.AnalysisPass):  # type: ignore[misc]
        _name = "refusal_of_rounding"

        def __init__(self) -> None:
            super().__init__()

        def run_pass(self, state: Any) -> bool:
            assigned = [
                each
                for block in state.func_ir.blocks.values()
                for each in block.find_insts(ir.Assign)
            ]
            begun = set()  # variables of floats that start as integers
            for each in assigned:
                if isinstance(state.typemap[each.target.name], types.Float):
                    kind = kind_of(state, each.value)
                    if is_constant(kind, each.value):
                        begun.add(each.target.name)
                    elif isinstance(kind, types.Integer):
                        self.refuse(each)
            for each in assigned:
                value = each.value
                if (
                    isinstance(value, ir.Expr)
                    and value.op in ("binop", "inplace_binop")
                    and value.fn not in divides
                ):
                    names = {value.lhs.name, value.rhs.name}
                    others = (state.typemap[name] for name in names - begun)
                    if names & begun and all(isinstance(kind, types.Integer) for kind in others):
                        self.refuse(each)
            return False

        def refuse(self, assigned: Any) -> None:
            raise errors.TypingError(
                f"{assigned.target.name} is an integer, and a float", loc=assigned.loc
            )

    return RefusalOfRounding
