"""A private running sum of 100,000 vectors in ten dimensions: ours beside the libraries that have one, where installed.

jax_privacy adds the noise of a BLT to a stream inside one compiled scan; OpenDP releases a tree over all rounds at once,
with exact noise, one coordinate after another; TensorFlow Privacy releases a tree sum round by round.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measuring import LEAST_TURNS, Row, in_turns

from discreet.channels import RunningSum
from discreet.contracts import Floats
from discreet.factorisations import Buffered, Factorisation, Tree
from discreet.kernel import compile_for
from discreet.sets import Box

DIMENSION, ROUNDS, FEW = 10, 100_000, 2_000
EPSILON, DELTA = 1.0, 1e-6


def offers(channel: Any, vectors: Any, rng: Any) -> None:
    for t in range(vectors.shape[0]):
        channel.offer(vectors[t], 1.0, rng)


def ours(kind: type[Factorisation], noise: str, vectors: Floats) -> Callable[[], object]:
    losses = Box.cube(DIMENSION, -1.0, 1.0)
    delta = DELTA if noise == "gaussian" else 0.0
    channel = RunningSum.calibrated(losses, kind, prefixes=ROUNDS, noise=noise, epsilon=EPSILON, delta=delta)
    rng = np.random.default_rng(1)
    return lambda: compile_for(offers, channel)(channel, vectors, rng)


def jax_privacy(vectors: Floats) -> Callable[[], object]:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)  # building a BLT asks for it; the stream itself is of single precision
    additions = importlib.import_module("jax_privacy.noise_addition")
    toeplitz = importlib.import_module("jax_privacy.matrix_factorization.buffered_toeplitz")
    blt = toeplitz.BufferedToeplitz.from_rational_approx_to_sqrt_x(num_buffers=4)
    adding = additions.matrix_factorization_privatizer(blt.inverse_as_streaming_matrix(), stddev=1.0, prng_key=1)
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
    tree = dp.t.make_b_ary_tree(domain, dp.l1_distance(T="i64"), leaf_count=len(steps), branching_factor=2)
    release = tree >> dp.m.then_laplace(scale=2.0**20 * 2 * DIMENSION * 18 / EPSILON)
    return lambda: [release(column.tolist()) for column in steps.T]


def tensorflow_privacy(vectors: Floats) -> Callable[[], object]:
    tf = importlib.import_module("tensorflow")
    query = importlib.import_module("tensorflow_privacy").TreeCumulativeSumQuery.build_l2_gaussian_query(
        clip_norm=10.0, noise_multiplier=1.0, record_specs=tf.TensorSpec([DIMENSION])
    )
    stream = [tf.constant(row, tf.float32) for row in vectors[:FEW]]

    def run() -> None:
        state = query.initial_global_state()
        sampled = query.derive_sample_params(state)
        for vector in stream:
            _, state, _ = query.get_noised_result(query.preprocess_record(sampled, vector), state)

    return run


PEERS = (  # name, its module, its kind of sum, how it is run, for how many rounds
    ("jax_privacy, BLT", "jax_privacy", ("blt", Buffered, "gaussian"), jax_privacy, ROUNDS),
    ("OpenDP, tree", "opendp", ("tree", Tree, "laplace"), opendp, FEW),
    ("TensorFlow Privacy, tree", "tensorflow_privacy", ("tree", Tree, "gaussian"), tensorflow_privacy, FEW),
)


def rows(turns: int = LEAST_TURNS) -> Iterator[Row]:
    """Yield a row for each library that is installed."""
    vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (ROUNDS, DIMENSION))
    for what, module, (sums, kind, noise), theirs, rounds in PEERS:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
        jobs = (lambda k=kind, n=noise: ours(k, n, vectors), lambda run=theirs: run(vectors))
        mine, peer = (spent / n * 1e6 for spent, n in zip(in_turns(*jobs, turns=turns), (ROUNDS, rounds), strict=True))
        name = f"private running sum, d = {DIMENSION}, {sums}, {noise}"
        yield Row(name, f"{mine:.2f} µs", f"{peer:.2f} µs {what}", mine / peer, "x", most=1.0)
