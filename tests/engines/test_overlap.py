"""Threads that read ahead and write behind: in order, with their errors, and never left over."""

import threading
from collections.abc import Iterator

import pytest

from noisewright.engines import overlap
from noisewright.engines.overlap import Behind, ahead


def ours() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("noisewright-")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    yield
    assert ours() == []


def test_items_come_in_order() -> None:
    assert list(ahead(iter(range(100)))) == list(range(100))


def test_no_more_than_a_few_items_are_made_ahead() -> None:
    made: list[int] = []

    def items() -> Iterator[int]:
        for item in range(100):
            made.append(item)
            yield item

    reading = ahead(items())
    assert next(reading) == 0
    reading.close()
    assert len(made) < 8


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("broken")

    reading = ahead(items())
    assert next(reading) == 1
    with pytest.raises(KeyError, match="broken"):
        next(reading)


def test_what_is_read_is_closed_when_nobody_wants_more() -> None:
    closed: list[bool] = []

    def items() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    for item in (reading := ahead(items())):
        if item == 3:
            break
    reading.close()
    assert closed == [True]


def test_items_are_written_in_order() -> None:
    written: list[int] = []
    with Behind(written.append, size=lambda item: item) as behind:
        for item in range(100):
            behind.put(item)
    assert written == list(range(100))


def test_an_error_of_the_writer_reaches_the_caller() -> None:
    def work(item: int) -> None:
        if item == 2:
            raise OSError("full")

    def hand_over(count: int) -> None:
        with Behind(work, size=lambda item: item) as behind:
            for item in range(count):
                behind.put(item)

    for count in (3, 1000):
        with pytest.raises(OSError, match="full"):
            hand_over(count)


def test_an_error_of_the_caller_stops_the_writer() -> None:
    written: list[int] = []
    hold = threading.Event()

    def work(item: int) -> None:
        hold.wait()
        written.append(item)

    def hand_over() -> None:
        with Behind(work, size=lambda item: item) as behind:
            behind.put(1)
            behind.put(2)
            hold.set()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hand_over()
    assert written in ([], [1], [1, 2])


@pytest.mark.parametrize("share", [1, 4, 1000])
def test_a_busy_writer_is_waited_for_when_many_bytes_wait(share: int) -> None:
    """A writer that writes for long must find work behind it, but not fill the memory."""
    size = -(-overlap._ROOM // share)
    busy, hold, full = threading.Event(), threading.Event(), threading.Event()
    handed, written = 0, 0

    def work(_: int) -> None:
        nonlocal written
        busy.set()
        hold.wait()
        written += 1

    def hand_over() -> None:
        nonlocal handed
        with Behind(work, size=lambda item: item) as behind:
            behind.put(1)
            busy.wait()
            for _ in range(share):
                behind.put(size)
                handed += 1
            full.set()
            behind.put(size)
            handed += 1

    caller = threading.Thread(target=hand_over)
    caller.start()
    # The first item is being written: so many more fit, and the next one waits.
    assert full.wait(30), f"only {handed} of {share} were taken"
    caller.join(0.05)
    assert handed == share
    hold.set()
    caller.join()
    assert written == share + 2
