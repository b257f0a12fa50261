"""A private running sum of 100,000 vectors in ten dimensions, next to that of other libraries.

jax_privacy adds the noise of a BLT to a stream inside one compiled scan; OpenDP releases a tree
over all rounds at once, with exact noise, one coordinate after another; TensorFlow Privacy releases
a tree sum round by round, in a separate process (``tensorflow_sum.py``).
"""

from __future__ import annotations

import importlib
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns

from componentjit import compile_for
from discreet.channels import RunningSum
from discreet.contracts import Floats
from discreet.factorisations import Buffered, Factorisation, Tree
from discreet.sets import Box

DIMENSION, ROUNDS, FEW = 10, 100_000, 2_000
EPSILON, DELTA = 1.0, 1e-6


def offers(channel: Any, vectors: Any, rng: Any) -> None:
    for t in range(vectors.shape[0]):
        channel.offer(vectors[t], 1.0, rng)


def ours(kind: type[Factorisation], noise: str, vectors: Floats) -> Callable[[], object]:
    losses = Box.cube(DIMENSION, -1.0, 1.0)
    delta = DELTA if noise == "gaussian" else 0.0
    channel = RunningSum.calibrated(
        losses, kind, prefixes=ROUNDS, noise=noise, epsilon=EPSILON, delta=delta
    )
    rng = np.random.default_rng(1)
    return lambda: compile_for(offers, channel)(channel, vectors, rng)


def jax_privacy(vectors: Floats) -> Callable[[], object]:
    jax = importlib.import_module("jax")
    # needed to build a BLT; the stream itself has single precision
    jax.config.update("jax_enable_x64", True)
    additions = importlib.import_module("jax_privacy.noise_addition")
    toeplitz = importlib.import_module("jax_privacy.matrix_factorization.buffered_toeplitz")
    blt = toeplitz.BufferedToeplitz.from_rational_approx_to_sqrt_x(num_buffers=4)
    adding = additions.matrix_factorization_privatizer(
        blt.inverse_as_streaming_matrix(), stddev=1.0, prng_key=1
    )
    stream = jax.numpy.asarray(vectors, dtype="float32")

    def step(carried: Any, vector: Any) -> Any:
        total, state = carried
        noisy, state = adding.update(vector, state)
        total = total + noisy
        return (total, state), total

    scan = jax.jit(lambda start, given: jax.lax.scan(step, start, given)[1])
    start = jax.numpy.zeros(DIMENSION, "float32"), adding.init(stream[0])
    scan(start, stream).block_until_ready()
    return lambda: scan(start, stream).block_until_ready()


def opendp(vectors: Floats) -> Callable[[], object]:
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    steps = np.rint(vectors[:FEW] * 2**20).astype(np.int64)
    domain = dp.vector_domain(dp.atom_domain(T="i64"), size=len(steps))
    tree = dp.t.make_b_ary_tree(
        domain, dp.l1_distance(T="i64"), leaf_count=len(steps), branching_factor=2
    )
    release = tree >> dp.m.then_laplace(scale=2.0**20 * 2 * DIMENSION * 18 / EPSILON)
    return lambda: [release(column.tolist()) for column in steps.T]


PEERS = (  # name, module, kind of sum, how it is run, rounds
    ("jax_privacy, BLT", "jax_privacy", ("blt", Buffered, "gaussian"), jax_privacy, ROUNDS),
    ("OpenDP, tree", "opendp", ("tree", Tree, "laplace"), opendp, FEW),
)
# TensorFlow Privacy needs older libraries than ours
OTHER_PYTHON = Path(__file__).parent.parent / ".venv-tensorflow" / "bin" / "python"


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each library that is installed."""
    vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (ROUNDS, DIMENSION))
    for what, module, (sums, kind, noise), theirs, rounds in PEERS:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        jobs = (lambda k=kind, n=noise: ours(k, n, vectors), lambda run=theirs: run(vectors))
        mine, peer = (
            spent / n * 1e6
            for spent, n in zip(in_turns(*jobs, turns=turns), (ROUNDS, rounds), strict=True)
        )
        yield row(sums, noise, mine, peer, what)
    if OTHER_PYTHON.exists():
        (mine,) = (
            spent / ROUNDS * 1e6
            for spent in in_turns(lambda: ours(Tree, "gaussian", vectors), turns=turns)
        )
        command = [
            OTHER_PYTHON,
            Path(__file__).with_name("tensorflow_sum.py"),
            str(DIMENSION),
            str(FEW),
            str(turns),
        ]
        peer = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        yield row("tree", "gaussian", mine, peer, "TensorFlow Privacy, tree")


def row(sums: str, noise: str, mine: float, peer: float, what: str) -> Row:
    """Return a line of the table, from microseconds per round."""
    name = f"private running sum, d = {DIMENSION}, {sums}, {noise}"
    return Row(name, f"{mine:.2f} µs", f"{peer:,.2f} µs {what}", mine / peer, "x", most=1.0)
