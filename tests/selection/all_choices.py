"""One of each private choice that can be drawn and debited, from data that can be exchanged."""

from collections.abc import Callable
from typing import Any, NoReturn

import noisewright as nw
from noisewright.sampling import Source

ONE = nw.Records(value=nw.Categories([0, 1]))
NAMES = ["a", "b", "c"]

Data = tuple[int, ...]
"""Three whole numbers from 0 to 4: qualities, or values, or (their parities) records."""

FIRST: Data = (3, 2, 1)
OTHER: Data = (0, 4, 4)


class NoBits(Source):
    """Whoever asks it for bits would have drawn."""

    @property
    def private(self) -> bool:
        return True

    def fill(self, buffer: Any) -> NoReturn:
        raise AssertionError("something was drawn")


def blr(data: Data, **options: Any) -> nw.results.Blr:
    rows = [(value % 2,) for value in data]
    return nw.workloads.blr(rows, nw.workloads.Workload.marginals(ONE), **options)


ALL: dict[str, Callable[[Data], Any]] = {
    "exponential": lambda data: nw.exponential(NAMES, data, sensitivity="3.2", epsilon=1),
    "exponential, alpha, monotonic": lambda data: nw.exponential(
        NAMES, data, sensitivity=1, alpha="1/3", monotonic=True
    ),
    "a range": lambda data: nw.exponential(
        NAMES, data, sensitivity=1, epsilon=1, quality_range=(0, 4)
    ),
    "a range, monotonic": lambda data: nw.exponential(
        NAMES,
        data,
        sensitivity="3/2",
        epsilon="1/10",
        monotonic=True,
        quality_range=(-1, 5),
    ),
    "a range, narrow": lambda data: nw.exponential(
        NAMES, data, sensitivity=99, alpha="1/9", quality_range=(0, 4)
    ),
    "permute and flip": lambda data: nw.select.permute_and_flip(
        NAMES, data, sensitivity=1, epsilon=1
    ),
    "permute and flip, monotonic": lambda data: nw.select.permute_and_flip(
        NAMES, data, sensitivity="1/3", epsilon=2, monotonic=True
    ),
    "noisy max": lambda data: nw.select.noisy_max(
        NAMES, data, sensitivity=1, epsilon=1, step="1/2"
    ),
    "top k": lambda data: nw.select.top_k(NAMES, data, k=2, sensitivity=1, epsilon=1),
    "top k, delta": lambda data: nw.select.top_k(
        NAMES, data, k=2, sensitivity=2, epsilon=1, delta="1e-6"
    ),
    "top k, delta, coins": lambda data: nw.select.top_k(
        NAMES, data, k=2, sensitivity=1, alpha="1/2", delta="1e-3", method="permute_and_flip"
    ),
    "top k, many rounds": lambda data: nw.select.top_k(
        range(60), [*data] * 20, k=50, sensitivity=1, epsilon=1, delta=1e-6
    ),
    "median": lambda data: nw.select.private_median(data, nw.Counts(9), epsilon=1),
    "quantile": lambda data: nw.select.private_quantile(data, nw.Counts(9), at="1/4", alpha="1/2"),
    "minimum": lambda data: nw.select.private_quantile(data, nw.Counts(9), at=0, epsilon="1/2"),
    "BLR": lambda data: blr(data, epsilon=1, m=3),
    "BLR, sequences": lambda data: blr(data, alpha="1/2", m=2, measure="sequences"),
}
