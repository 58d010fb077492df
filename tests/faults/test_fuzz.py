"""Readers of files that strangers write: what fuzzing reached is read again, and never raises raw.

`make fuzz` searches for more; what it keeps lies in `corpus/`.
"""

import time
from pathlib import Path

import pytest

from tests.faults.fuzz import READERS, kept, seeds

MARKS = (b"\0", b"\xff\xfe", b'"', b"1e999999999", b"[" * 200, b"-", b"nan")


@pytest.mark.parametrize("name", sorted(READERS))
def test_what_fuzzing_reached_is_read_or_refused(name: str, tmp_path: Path) -> None:
    documents = kept(name)
    assert documents
    start = time.process_time()
    for data in documents:
        READERS[name](data, tmp_path / "it")
    assert time.process_time() - start < 20


@pytest.mark.parametrize("name", sorted(READERS))
def test_what_is_cut_off_or_overwritten_is_read_or_refused(name: str, tmp_path: Path) -> None:
    for number, data in enumerate(seeds(name)):
        READERS[name](data, tmp_path / "whole")
        for step, mark in enumerate(MARKS):
            place = len(data) * (2 * step + number % 2 + 1) // (2 * len(MARKS) + 2)
            READERS[name](data[:place], tmp_path / "it")
            READERS[name](data[:place] + mark + data[place + len(mark) :], tmp_path / "it")


def test_a_reader_that_raises_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noisewright.plans import plan

    def broken(*_: object, **__: object) -> None:
        raise KeyError("raw")

    monkeypatch.setattr(plan.Plan, "read", broken)
    with pytest.raises(KeyError):
        READERS["plan"](seeds("plan")[0], tmp_path / "it")
