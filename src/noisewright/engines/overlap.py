"""Reading ahead and writing behind, each in a thread of its own, not far apart."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar, final

_T = TypeVar("_T")
_R = TypeVar("_R")
_DEPTH = 2
"""Batches that wait to be worked on."""

_ROOM = 1 << 26
"""Bytes that wait to be written: more than a usual row group, during which nothing is taken."""


class _End:
    """The last thing in a queue: nothing more comes, or something went wrong."""

    def __init__(self, problem: BaseException | None) -> None:
        self.problem = problem


def ahead(items: Iterator[_T]) -> Generator[_T]:
    """Yield the items while the next ones are being made."""
    waiting: queue.Queue[Any] = queue.Queue(maxsize=_DEPTH)
    stopped = threading.Event()

    def offer(item: Any) -> bool:
        while not stopped.is_set():
            with contextlib.suppress(queue.Full):
                waiting.put(item, timeout=0.1)
                return True
        return False

    def work() -> None:
        problem: BaseException | None = None
        try:
            for item in items:
                if not offer(item):
                    break
        except BaseException as raised:
            problem = raised
        finally:
            close = getattr(items, "close", None)
            if close is not None:
                close()
        offer(_End(problem))

    thread = threading.Thread(target=work, name="noisewright-read", daemon=True)
    thread.start()
    try:
        while True:
            item = waiting.get()
            if isinstance(item, _End):
                if item.problem is not None:
                    raise item.problem
                return
            yield item
    finally:
        stopped.set()
        thread.join()


def in_order(work: Callable[[_T], _R], items: Iterable[_T], *, threads: int) -> Generator[_R]:
    """Yield what `work` makes of the items, in their order, several of them at a time."""
    if threads == 1:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(threads, thread_name_prefix="noisewright-draw") as pool:
        waiting: deque[Future[_R]] = deque()
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Bytes(queue.Queue[tuple[Any, int]]):
    """A queue of items and their sizes that is full when the sizes add up to `maxsize`."""

    def _init(self, maxsize: int) -> None:
        self._items: deque[tuple[Any, int]] = deque()
        self._held = 0

    def _qsize(self) -> int:
        return self._held

    def _put(self, item: tuple[Any, int]) -> None:
        self._items.append(item)
        self._held += item[1]

    def _get(self) -> tuple[Any, int]:
        item = self._items.popleft()
        self._held -= item[1]
        return item


@final
class Behind(Generic[_T]):
    """Hands items to `work` in another thread; what it raises is raised by the next call.

    A writer that collects items and writes many at once takes none meanwhile, so that what waits is
    bounded by its `size` in bytes and not by the number of items.
    """

    def __init__(self, work: Callable[[_T], None], *, size: Callable[[_T], int]) -> None:
        self._work = work
        self._size = size
        self._waiting = _Bytes(maxsize=_ROOM)
        self._problem: BaseException | None = None
        self._given_up = False
        self._thread = threading.Thread(target=self._run, name="noisewright-write", daemon=True)

    def __enter__(self) -> Behind[_T]:
        self._thread.start()
        return self

    def _run(self) -> None:
        while True:
            item, _ = self._waiting.get()
            if isinstance(item, _End):
                return
            if self._problem is None and not self._given_up:
                try:
                    self._work(item)
                except BaseException as raised:
                    self._problem = raised

    def put(self, item: _T) -> None:
        """Hand over the next item, waiting while too many wait."""
        # At least 1: nothing held means that nothing waits.
        self._waiting.put((item, max(1, self._size(item))))
        if self._problem is not None:
            raise self._problem

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._given_up = kind is not None
        self._waiting.put((_End(None), 1))
        self._thread.join()
        if kind is None and self._problem is not None:
            raise self._problem
