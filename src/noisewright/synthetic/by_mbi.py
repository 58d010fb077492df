"""Graphs of columns fitted by mbi (Private-PGM), which is an optional extra and brings JAX.

mbi finds the distribution that is nearest to all noisy counts at once, each weighted by its noise,
and among those the one with the largest entropy (McKenna–Sheldon–Miklau 2019). It sees noisy
counts only. Rows are drawn by ourselves, from our own source.
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import MissingPartError
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.synthesizer import Progress

_LEAST_DEVIATION = 2.0**-10
"""Counts without noise: certain, but not so much that nothing else counts."""

_BLOCK = 50
_FEWEST, _MOST = 4, 60
"""Blocks of fifty steps."""

_MOST_WORK = 1 << 31
"""Cells times steps; a larger model gets fewer of them."""

_CLOSE = 1e-7


def require_mbi() -> Any:
    """Return mbi, or say what to install."""
    try:
        with _double_precision():
            import mbi
    except ImportError:
        raise MissingPartError(
            "inference='mbi' needs mbi and JAX, which are not installed. Install them with "
            "pip install 'noisewright[mbi]', or leave inference out."
        ) from None
    if not hasattr(mbi, "Estimator"):
        raise MissingPartError(
            "the mbi that is installed is too old; it must be 2.0 or newer. Install it with "
            "pip install 'noisewright[mbi]', or leave inference out."
        )
    return mbi


@contextmanager
def _double_precision() -> Generator[None]:
    """Let JAX use numbers of 64 bits and say nothing, here only."""
    import jax

    with jax.enable_x64(True), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def fitted_by_mbi(
    sizes: Mapping[str, int],
    measurements: Sequence[Measurement],
    *,
    progress: Progress | None = None,
) -> GraphModel:
    """Fit a graph of columns to noisy counts of whole marginals.

    Requires: mbi; measurements of whole marginals of the same rows.
    Ensures: nearly the least sum of squares, each count weighted by its noise, among all
    distributions of as many rows.
    """
    names = list(sizes)
    blocks = max(_FEWEST, min(_MOST, _MOST_WORK // (_BLOCK * _cells(sizes, measurements))))
    done = 0

    def tell(_: Any = None) -> None:
        nonlocal done
        if progress is not None:
            progress("fit", done, blocks)
        done += 1

    tell()
    mbi = require_mbi()
    with _double_precision():
        import jax

        # Numbers as names: the order of a set of texts would change from run to run.
        domain = mbi.Domain(range(len(names)), [sizes[name] for name in names])
        counts = [
            mbi.LinearMeasurement(values, places, stddev=deviation)
            for places, values, deviation in _in_order(names, measurements)
        ]
        loss = mbi.marginal_loss.from_linear_measurements(counts, domain)
        model = mbi.estimation.MirrorDescent().estimate(
            domain,
            # Compiled as a whole, not operation by operation.
            replace(loss, loss_fn=jax.jit(loss.loss_fn)),
            known_total=float(measurements[0].rows),
            iters=blocks * _BLOCK,
            callback_fn=tell,
            tol=_CLOSE,
        )
        potentials = [
            (
                tuple(names[place] for place in model.potentials[clique].domain.attributes),
                np.asarray(model.potentials[clique].datavector(flatten=False), dtype=np.float64),
            )
            for clique in model.potentials.cliques
        ]
    if not all(np.isfinite(values).all() for _, values in potentials):
        raise FloatingPointError("mbi found no finite model")
    return GraphModel(sizes, potentials)


def _in_order(
    names: Sequence[str], measurements: Sequence[Measurement]
) -> list[tuple[tuple[int, ...], NDArray[np.float64], float]]:
    """Return columns, counts and noise, sorted: what was compiled for some columns serves again."""
    found: list[tuple[tuple[int, ...], NDArray[np.float64], float]] = []
    for one in measurements:
        places = [names.index(name) for name in one.columns]
        order = np.argsort(places)
        counts = one.counts.transpose(order).reshape(-1).astype(np.float64)
        found.append(
            (tuple(sorted(places)), counts, max(one.noise.fit_deviation, _LEAST_DEVIATION))
        )
    return sorted(found, key=lambda each: each[0])


def _cells(sizes: Mapping[str, int], measurements: Sequence[Measurement]) -> int:
    return cells_needed(sizes, [one.columns for one in measurements])
