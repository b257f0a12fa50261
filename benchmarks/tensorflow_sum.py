"""Print microseconds per round of TensorFlow Privacy's tree sum with Gaussian noise.

python benchmarks/tensorflow_sum.py DIMENSION ROUNDS TURNS

It runs in a separate environment (``make peers``), because TensorFlow Privacy needs older libraries
than this package.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np
import tensorflow as tf
import tensorflow_privacy


def main() -> None:
    dimension, rounds, turns = map(int, sys.argv[1:])
    query = tensorflow_privacy.TreeCumulativeSumQuery.build_l2_gaussian_query(
        clip_norm=10.0, noise_multiplier=1.0, record_specs=tf.TensorSpec([dimension])
    )
    vectors = np.random.default_rng(0).uniform(-1.0, 1.0, (rounds, dimension))
    stream = [tf.constant(row, tf.float32) for row in vectors]
    spent = []
    for _ in range(turns + 1):  # the first turn warms up, and does not count
        start = time.process_time()
        state = query.initial_global_state()
        sampled = query.derive_sample_params(state)
        for vector in stream:
            _, state, _ = query.get_noised_result(query.preprocess_record(sampled, vector), state)
        spent.append(time.process_time() - start)
    print(statistics.median(spent[1:]) / rounds * 1e6)


if __name__ == "__main__":
    main()
