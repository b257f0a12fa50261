"""Which of Numba's passes a loop goes through: fewer than usual, because flattening has done some of their work."""

from __future__ import annotations

import functools
from typing import Any

# What is left out, and why a flattened loop does not need it. A loop that does is compiled in the ordinary way.
NEEDLESS = frozenset(
    {
        "reconstruct_ssa",  # a variable may change its type: ours do not, or from an integer to a float
        "inline_closure_likes",  # functions within functions, and comprehensions, which allocate
        "nopython_rewrites",  # expressions on whole arrays, which allocate, too
    }
)


@functools.cache
def short_pipeline() -> Any:
    """Return Numba's compiler without these passes, which take up to a third of its time."""
    import numba.core.compiler as compilers

    of_numba: Any = compilers  # which publishes no types

    class Short(of_numba.CompilerBase):  # type: ignore[misc]
        """Numba's own passes but those."""

        def define_pipelines(self) -> list[Any]:
            usual = of_numba.DefaultPassBuilder.define_nopython_pipeline(self.state)
            short = of_numba.PassManager("short")
            short.passes.extend(each for each in usual.passes if each[0].name() not in NEEDLESS)
            short.finalize()
            return [short]

    return Short
