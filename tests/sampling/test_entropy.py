"""Streams of bits: never shared, never repeated, never shown."""

import copy
import itertools
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from noisewright.errors import EntropyError, ParameterError
from noisewright.sampling import (
    SeededSource,
    Source,
    SystemSource,
    bernoulli,
    default_source,
    discrete_gaussian,
    entropy,
    require_private,
    uniform_below,
)


def test_words_of_one_source_do_not_repeat() -> None:
    source = SystemSource()
    words = np.concatenate([source.words(size) for size in [1, 1, 7, 100_000, 1, 70_000]])
    assert np.unique(words).size == words.size


def test_a_key_is_replaced_after_a_stated_number_of_bytes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    keys: list[int] = []
    fresh = entropy.os.urandom

    def counted(size: int) -> bytes:
        keys.append(size)
        return fresh(size)

    monkeypatch.setattr(entropy.os, "urandom", counted)
    monkeypatch.setattr(entropy, "REKEY_BYTES", (1 << 19) + 16)
    source = SystemSource()
    words = source.words(1 << 18)
    assert keys == [32, 16] * 4
    assert np.unique(words).size == words.size


@pytest.mark.parametrize("size", [0, 1, 3, 1000, (1 << 19) + 5])
def test_every_byte_of_a_buffer_is_overwritten(size: int) -> None:
    buffers = np.zeros((8, size), dtype=np.uint8)
    for buffer in buffers:
        default_source().fill(buffer)
    # A byte stays zero eight times over with probability 2^-64.
    assert (buffers.max(axis=0, initial=0) > 0).all()


def test_integers_have_the_bits_asked_for() -> None:
    source = SystemSource()
    for bits in (0, 1, 7, 8, 9, 1000):
        values = [source.integer(bits) for _ in range(100)]
        assert all(0 <= value < 1 << bits for value in values)
    assert max(source.integer(1000).bit_length() for _ in range(64)) > 990


def test_two_sources_and_two_threads_have_their_own_streams() -> None:
    source = SystemSource()
    drawn: list[np.ndarray] = [SystemSource().words(100), source.words(100)]
    threads = [
        threading.Thread(target=lambda: drawn.extend(source.words(100) for _ in range(50)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.concatenate(drawn)
    assert words.size == 40_200
    assert np.unique(words).size == words.size


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda source: pickle.loads(pickle.dumps(source))],
    ids=["copy", "deepcopy", "pickle"],
)
def test_a_copy_of_a_system_source_is_a_fresh_one(copied: Callable[[Source], Source]) -> None:
    source = SystemSource()
    source.words(3)
    other = copied(source)
    assert isinstance(other, SystemSource)
    assert np.intersect1d(source.words(1000), other.words(1000)).size == 0


def test_a_seeded_source_refuses_to_be_copied() -> None:
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(EntropyError, match="Make a new one"):
            copied(SeededSource(1))


def test_a_copy_of_the_whole_process_draws_other_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a machine restored twice from one snapshot: the same memory, also that of the keys."""
    source = SystemSource()
    source.words(1)
    # Nobody notices that the child is another process.
    monkeypatch.setattr(entropy, "this_process", lambda: (0, 0))
    source.words(1)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, source.words(64).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = np.frombuffer(os.read(reading, 512), dtype=np.uint64)
    os.close(reading)
    os.close(writing)
    assert theirs.size == 64
    assert np.intersect1d(theirs, source.words(64)).size == 0


def test_copies_differ_even_where_the_operating_system_repeats_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entropy.os, "urandom", bytes)
    ticks = itertools.count(1_795_000_000_000_000_000)
    monkeypatch.setattr(entropy.time, "time_ns", lambda: next(ticks))
    words = np.concatenate([SystemSource().words(1 << 17) for _ in range(3)])
    assert np.unique(words).size == words.size


def test_spawned_processes_have_their_own_streams() -> None:
    program = """
if __name__ == "__main__":
    import multiprocessing
    from noisewright.sampling import SystemSource
    source = SystemSource()
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        drawn = [source.words(8), *pool.map(source.words, [8] * 4, chunksize=1)]
    print(len({int(word) for words in drawn for word in words}))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["40"]


def test_nothing_shows_a_key() -> None:
    source = SystemSource()
    source.words(1)
    assert repr(source) == "SystemSource()"
    assert "not private: for tests only" in repr(SeededSource("secret"))
    assert "secret" not in repr(SeededSource("secret"))


def test_a_seed_repeats_and_another_seed_does_not() -> None:
    def drawn(seed: int | str | bytes) -> list[int]:
        source = SeededSource(seed)
        return [
            *uniform_below(10**6, 10, source).tolist(),
            *bernoulli("1/3", 10, source).tolist(),
            *discrete_gaussian(100, 10, source).tolist(),
        ]

    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in (1, 2, "1", b"1", "")}) == 5


def test_a_seeded_stream_is_aes_in_counter_mode() -> None:
    """The same bits by another route: encrypt the counters block by block."""
    import hashlib

    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    key = hashlib.sha256(b"int:7").digest()
    blocks = b"".join(number.to_bytes(16, "big") for number in range(40_000))
    expected = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(blocks)
    source = SeededSource(7)
    drawn = b"".join(source.u8(size).tobytes() for size in (5, 600_000, 11, 39_984))
    assert drawn == expected


@pytest.mark.parametrize("seed", [True, 1.5, None])
def test_an_unusable_seed(seed: object) -> None:
    with pytest.raises(ParameterError, match="int, a str or bytes"):
        SeededSource(seed)  # pyright: ignore[reportArgumentType]


def test_private_entropy_is_demanded_with_a_way_out() -> None:
    assert require_private(None).private
    assert require_private(default_source()) is default_source()
    with pytest.raises(EntropyError, match=r"Leave out source="):
        require_private(SeededSource(1))


def test_cryptography_is_loaded_on_use_only() -> None:
    program = "import sys, noisewright.sampling; print('cryptography' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False"]
