"""Where random bits come from: AES in counter mode, keyed by the operating system.

Nothing is ever kept for later: each call writes the bytes of a stream into the caller's buffer.
There are no leftovers that a fork could duplicate, and no byte can be handed out twice. What
remains is that nobody may continue the stream of another:

- every call starts at a counter of its own, from fresh bytes of the operating system. A copy of
  this process (a virtual machine restored twice from one snapshot, a checkpoint of a container, a
  fork that nobody noticed) has the same key and draws other bits;
- should the operating system be a copy as well, and not know it yet, the clock, which goes into
  the counter, still differs. What the noise needs of it is only to be different, as the key is
  secret;
- each thread has its own key, so there is no lock that a fork could leave locked;
- a key remembers the process that made it. The fork hook and the process number are both
  checked: forks made outside Python run no hook, and process numbers are used again;
- a fork in the middle of a call (from a signal handler) makes the child start the call over. A
  snapshot in the middle of one gives two copies of the same answer about the same data, which say
  no more than one.

A key is thrown away after `REKEY_BYTES`: memory disclosed at one moment says nothing about
draws older than that. Until then at most 2^22 blocks are made, from at most as many counters: they
are within 2^-83 of true randomness (blocks² / 2^129, the birthday bound for a block cipher in
counter mode, and counters · blocks / 2^128 for ranges of counters that meet).
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, NoReturn, ParamSpec, TypeVar, cast, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import EntropyError, ParameterError
from noisewright.given import of_kind
from noisewright.public import public_methods
from noisewright.sampling.arguments import checked_size

REKEY_BYTES = 1 << 26
"""A private key is replaced by a fresh one after this many bytes."""

_UNIT = 16
"""Bytes of a block of AES, and of its counter; a call counts as one more block than it makes."""

_BLOCK = 1 << 19
"""Bytes made at once: small enough for the second-level cache, large enough to be quick."""

_ZEROS = memoryview(bytes(_BLOCK))

_HALF = (1 << 64) - 1

_P = ParamSpec("_P")
_R = TypeVar("_R")

_forks = 0
"""How many forks lie between the first process and this one; only the hook changes it."""


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_count_fork)


def this_process() -> tuple[int, int]:
    """Return a mark that no other process of this family has."""
    return os.getpid(), _forks


def redone_after_fork(draw: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make the child start over when a fork happens inside `draw`.

    Without it, bits taken before the fork would decide results in parent and child alike.
    """

    @wraps(draw)
    def whole(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        while True:
            process = this_process()
            result = draw(*args, **kwargs)
            if this_process() == process:
                return result

    return whole


class _Stream:
    """The keystream of AES-256 in counter mode; never copied, never rewound."""

    __slots__ = ("_cipher", "left", "process")

    def __init__(
        self, key: bytes, counter: bytes, *, length: int, process: tuple[int, int]
    ) -> None:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

        cipher = Cipher(algorithms.AES(key), modes.CTR(counter))
        self._cipher = cipher.encryptor()
        self.left = length
        self.process = process

    def take(self, view: memoryview) -> None:
        # Counted first: an interruption may waste bytes, it cannot repeat them.
        self.left -= len(view)
        self._cipher.update_into(_ZEROS[: len(view)], view)

    def go_to(self, counter: bytes) -> None:
        """Go on from another counter."""
        self.left -= _UNIT
        self._cipher.reset_nonce(counter)


def _fresh_counter() -> bytes:
    """Return uniform bytes of the operating system, which no copy of this process has as well."""
    # The clock goes into the upper half: a range of counters begins elsewhere, not a bit later.
    clock = (time.time_ns() & _HALF) << 64
    return (int.from_bytes(os.urandom(_UNIT)) ^ clock).to_bytes(_UNIT)


@public_methods
class Source(ABC):
    """A source of independent uniform bits.

    `private` says whether nobody can know or repeat them; whatever a ledger pays for demands it.
    """

    private: ClassVar[bool] = False

    @abstractmethod
    def fill(self, buffer: NDArray[Any]) -> None:
        """Overwrite a writable, contiguous array with uniform bits."""

    def u8(self, count: int) -> NDArray[np.uint8]:
        """Return `count` uniform bytes."""
        return self._fill(np.empty(checked_size(count), dtype=np.uint8))

    def u16(self, count: int) -> NDArray[np.uint16]:
        """Return `count` uniform 16-bit numbers."""
        return self._fill(np.empty(checked_size(count), dtype=np.uint16))

    def u32(self, count: int) -> NDArray[np.uint32]:
        """Return `count` uniform 32-bit numbers."""
        return self._fill(np.empty(checked_size(count), dtype=np.uint32))

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return `count` uniform 64-bit numbers."""
        return self._fill(np.empty(checked_size(count), dtype=np.uint64))

    def integer(self, bits: int) -> int:
        """Return a uniform integer in [0, 2^bits)."""
        size = -(-bits // 8)
        return int.from_bytes(self.u8(size).tobytes(), "little") >> (8 * size - bits)

    def _fill(self, array: NDArray[Any]) -> NDArray[Any]:
        self.fill(array)
        return array


@public_methods
@final
class SystemSource(Source):
    """Cryptographic bits: AES-256-CTR with keys from the operating system.

    Ensures: two processes, two threads, two instances and two calls never share a stream. Two
    copies of a virtual machine do not either if its system reseeds, and otherwise differ by the
    clock (docs/decisions/0004). Pickling or copying one makes a fresh one.
    """

    private: ClassVar[bool] = True

    def __init__(self) -> None:
        self._streams = threading.local()

    @redone_after_fork
    def fill(self, buffer: NDArray[Any]) -> None:
        """Overwrite a writable, contiguous array with uniform bits."""
        view = _as_bytes(buffer)
        for start in range(0, len(view), _BLOCK):
            part = view[start : start + _BLOCK]
            stream = self._stream(len(part) + _UNIT)
            stream.go_to(_fresh_counter())
            stream.take(part)

    def _stream(self, wanted: int) -> _Stream:
        process = this_process()
        stream = cast("_Stream | None", getattr(self._streams, "stream", None))
        if stream is None or stream.process != process or stream.left < wanted:
            # The mark is older than the key: if a fork came in between, it is out of date.
            stream = _Stream(os.urandom(32), bytes(_UNIT), length=REKEY_BYTES, process=process)
            self._streams.stream = stream
        return stream

    def __reduce__(self) -> tuple[type[SystemSource], tuple[()]]:
        return SystemSource, ()

    def __repr__(self) -> str:
        return "SystemSource()"


_LONGEST_SEED = 1 << 13


@public_methods
@final
class SeededSource(Source):
    """Repeatable bits for tests: the same AES-256-CTR, keyed by SHA-256 of the seed.

    Not private: whoever knows the seed knows the noise. No ledger pays for it, and a release
    without a ledger is marked as not private.

    Requires: the seed is an int, a str or bytes.
    """

    private: ClassVar[bool] = False

    def __init__(self, seed: int | str | bytes) -> None:
        # The kind of seed is hashed too, so that 1, "1" and b"1" are different seeds.
        if isinstance(seed, bool) or not isinstance(seed, int | str | bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ParameterError(
                f"the seed is of type {type(seed).__name__}; it must be an int, a str or bytes."
            )
        import hashlib  # Only tests need it, and it takes longer to load than a first draw.

        if isinstance(seed, int) and seed.bit_length() > _LONGEST_SEED:
            raise ParameterError(f"the seed has {seed.bit_length():,} bits; give a shorter one.")
        content = seed if isinstance(seed, bytes) else str(seed).encode(errors="surrogatepass")
        key = hashlib.sha256(type(seed).__name__.encode() + b":" + content).digest()
        self._stream = _Stream(key, bytes(_UNIT), length=0, process=this_process())
        self._lock = threading.Lock()

    def fill(self, buffer: NDArray[Any]) -> None:
        """Overwrite a writable, contiguous array with the next bits of the sequence."""
        view = _as_bytes(buffer)
        with self._lock:
            for start in range(0, len(view), _BLOCK):
                self._stream.take(view[start : start + _BLOCK])

    def __reduce__(self) -> NoReturn:
        raise EntropyError(
            "a SeededSource cannot be copied or pickled: two copies would give the same bits. "
            "Make a new one, with its own seed, where it is needed."
        )

    def __repr__(self) -> str:
        return "SeededSource(not private: for tests only)"


_DEFAULT = SystemSource()


def default_source() -> Source:
    """Return the source that draws use unless told otherwise: private, from the system."""
    return _DEFAULT


def source_or_default(source: Source | None) -> Source:
    """Return the source, and the default one for None; what is no source is refused."""
    if source is None:
        return _DEFAULT
    if not isinstance(source, Source):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"source is of type {type(source).__name__}; leave it out for private noise, or give "
            "a nw.randomness.SeededSource(…) for tests."
        )
    return source


def require_private(source: Source | None) -> Source:
    """Return the source (the default for None) if its bits are private.

    Ensures: `result.private`; otherwise EntropyError.
    """
    source = source_or_default(source)
    if not source.private:
        raise EntropyError(
            f"{source!r} was given, but a budget pays for private entropy only: whoever can "
            "repeat the bits can remove the noise. Leave out source=; for a test use ledger=None, "
            "and the result is marked as not private."
        )
    return source


def _as_bytes(buffer: NDArray[Any]) -> memoryview:
    of_kind(buffer, np.ndarray, name="buffer", such_as="a numpy array")
    if buffer.size == 0:
        return memoryview(b"")
    if buffer.dtype.hasobject or not buffer.flags.c_contiguous or not buffer.flags.writeable:
        # Objects are pointers: random ones end the process.
        raise ParameterError(
            f"buffer holds {buffer.dtype}; it must be a writable, contiguous array of numbers."
        )
    return buffer.data.cast("B")


def simulation(seed: int | str | bytes) -> np.random.Generator:
    """Return a generator of binomial and multinomial counts; the same one for the same seed.

    A simulation starts from what was released already and needs counts of millions of draws, which
    `numpy` makes in doubles: good enough to show an error to two digits, never for a release.
    Ensures: not private, and not taken by any mechanism, whose bits come from a `Source`.
    """
    return np.random.Generator(np.random.PCG64DXSM(SeededSource(seed).integer(128)))
