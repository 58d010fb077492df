"""Graphs of columns fitted by mbi (Private-PGM): an oracle.

mbi finds the distribution that is nearest to all noisy counts at once, each weighted by its noise,
and among those the one with the largest entropy (McKenna–Sheldon–Miklau 2019). It brings JAX.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic import Measurement
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed

_LEAST_DEVIATION = 2.0**-10
"""Counts without noise: certain, but not so much that nothing else counts."""

_FEWEST, _MOST = 200, 3_000
"""Steps."""

_MOST_WORK = 1 << 31
"""Cells times steps; a larger model gets fewer of them."""

_CLOSE = 1e-7


@contextmanager
def _double_precision() -> Generator[None]:
    """Let JAX use numbers of 64 bits and say nothing, here only."""
    import jax

    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def fit_by_mbi(sizes: Mapping[str, int], measurements: Sequence[Measurement]) -> GraphModel:
    """Fit a graph of columns to noisy counts of whole marginals.

    Requires: mbi; measurements of whole marginals of the same rows.
    Ensures: nearly the least sum of squares, each count weighted by its noise, among all
    distributions of as many rows.
    """
    names = list(sizes)
    cells = cells_needed(sizes, [one.columns for one in measurements])
    with _double_precision():
        import jax
        import mbi

        library: Any = mbi
        # Numbers as names: the order of a set of texts would change from run to run.
        domain = library.Domain(range(len(names)), [sizes[name] for name in names])
        counts = [
            library.LinearMeasurement(values, places, stddev=deviation)
            for places, values, deviation in _in_order(names, measurements)
        ]
        loss = library.marginal_loss.from_linear_measurements(counts, domain)
        model = library.estimation.MirrorDescent().estimate(
            domain,
            # Compiled as a whole, not operation by operation.
            replace(loss, loss_fn=jax.jit(loss.loss_fn)),
            known_total=float(measurements[0].rows),
            iters=max(_FEWEST, min(_MOST, _MOST_WORK // cells)),
            tol=_CLOSE,
        )
        return GraphModel(
            sizes,
            [
                (
                    tuple(names[place] for place in model.potentials[clique].domain.attributes),
                    np.asarray(model.potentials[clique].datavector(flatten=False), np.float64),
                )
                for clique in model.potentials.cliques
            ],
        )


def _in_order(
    names: Sequence[str], measurements: Sequence[Measurement]
) -> list[tuple[tuple[int, ...], NDArray[np.float64], float]]:
    """Return columns, counts and noise, sorted: what was compiled for some columns serves again."""
    found: list[tuple[tuple[int, ...], NDArray[np.float64], float]] = []
    for one in measurements:
        places = [names.index(name) for name in one.columns]
        counts = one.counts.transpose(np.argsort(places)).reshape(-1).astype(np.float64)
        deviation = max(one.noise.fit_deviation, _LEAST_DEVIATION)
        found.append((tuple(sorted(places)), counts, deviation))
    return sorted(found, key=lambda each: each[0])
