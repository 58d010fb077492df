"""Sources that do what a test tells them."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, SystemSource


class Scripted(Source):
    """Hands out prepared arrays, one for each request, and insists on their sizes."""

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        self._arrays = iter(arrays)

    def fill(self, buffer: NDArray[Any]) -> None:
        if buffer.size:
            array = next(self._arrays)
            assert (array.size, array.dtype) == (buffer.size, buffer.dtype)
            buffer[:] = array

    def assert_used_up(self) -> None:
        assert next(self._arrays, None) is None


class Shadowed(Source):
    """System bits; calls `after` once, right after the first request for this kind was served."""

    def __init__(self, after: Callable[[], None], kind: str) -> None:
        self._source = SystemSource()
        self._after = after
        self._kind: np.dtype[Any] | None = np.dtype(kind)

    def fill(self, buffer: NDArray[Any]) -> None:
        self._source.fill(buffer)
        if buffer.size and buffer.dtype == self._kind:
            self._kind = None
            self._after()


def word(*values: int) -> NDArray[np.uint64]:
    return np.array(values, dtype=np.uint64)
