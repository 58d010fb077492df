"""The server of a collection: it counts reports, and says what they tell.

Whatever arrives is counted, as a report or as the reason why it is none. Nothing that a device
sends raises an error. A state is saved whole or not at all, so that a server that was killed goes
on from the last state that it saved.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError
from noisewright.files import save_whole
from noisewright.given import brief
from noisewright.local.arrivals import Arrivals, as_payload, batches_of
from noisewright.local.reports import Reports
from noisewright.local.seen import SeenNumbers
from noisewright.local.state import pack_state, unpack_state
from noisewright.local.wire import OVERHEAD, is_foreign, open_frames
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

_PENDING = 1 << 14
"""Single reports are opened together, so many at a time."""


@public_methods
@final
class CollectionServer:
    """Counts of the reports of one collection; `estimate` says what they tell.

    Make one with `collection.server()`. `arrivals` says what became of all that arrived.
    """

    def __init__(self, collection: Collection) -> None:
        self.collection = collection
        self._tally = collection.randomizer.new_tally()
        self._seen = SeenNumbers()
        self._origins: frozenset[str] = frozenset()
        self._pending: list[bytes] = []
        self._arrivals = Arrivals()

    @property
    def arrivals(self) -> Arrivals:
        """What became of all that arrived so far."""
        self._open_pending()
        return self._arrivals

    @property
    def people(self) -> int:
        """How many reports are counted."""
        return self.arrivals.counted

    @property
    def tally(self) -> NDArray[np.int64]:
        """The counts, as the collection's randomizer makes them."""
        self._open_pending()
        found = self._tally.view()
        found.setflags(write=False)
        return found

    def add(self, reports: Any) -> Self:
        """Count reports: one as bytes, or many.

        Takes `Reports`, bytes, lists of bytes, rows of bytes (numpy), Arrow columns and tables,
        Parquet files, data frames of Spark, and other servers of the collection.
        Ensures: no report raises an error; `arrivals` says what became of each. What cannot be read
        at all raises InputError, and nothing of it is counted.
        """
        if isinstance(reports, bytes | bytearray | memoryview):
            self._pending.append(bytes(reports))
            if len(self._pending) >= _PENDING:
                self._open_pending()
            return self
        if isinstance(reports, CollectionServer):
            return self.merge(reports)
        if isinstance(reports, Reports):
            self._count_reports(reports)
            return self
        self._open_pending()
        before = self._tally.copy(), self._seen.copy(), self._origins, self._arrivals
        try:
            for batch in batches_of(reports, self.collection):
                self._add_batch(batch)
        except BaseException:  # a file that ends early counts in whole when it is given again
            self._tally, self._seen, self._origins, self._arrivals = before
            raise
        return self

    def _add_batch(self, batch: Any) -> None:
        if isinstance(batch, CollectionServer):
            self.merge(batch)
        elif isinstance(batch, Reports):
            self._count_reports(batch)
        elif isinstance(batch, Arrivals):
            self._arrivals += batch
        else:
            self._open_frames(batch)

    def _count_reports(self, reports: Reports) -> None:
        """Count reports without frames."""
        if reports.collection.digest != self.collection.digest:
            self._arrivals += Arrivals(foreign=len(reports))
            return
        if not self._origins:
            self._origins = frozenset([sampling.source_or_default(None).u8(16).tobytes().hex()])
        self._count(reports.payload)

    def _count(self, payload: NDArray[Any]) -> None:
        randomizer = self.collection.randomizer
        possible = randomizer.is_possible(payload)
        bad = int(payload.shape[0] - np.count_nonzero(possible))
        if bad:
            payload = payload[possible]
        randomizer.tally(payload, self._tally)
        self._arrivals += Arrivals(counted=len(payload), impossible=bad)

    def _open_pending(self) -> None:
        if self._pending:
            pending, self._pending = self._pending, []
            self._open_frames(pending)

    def _open_frames(self, frames: Iterable[bytes] | NDArray[np.uint8]) -> None:
        """Count what is in frames, or why it is not."""
        length = OVERHEAD + self.collection.randomizer.length
        digest = self.collection.digest
        if not isinstance(frames, np.ndarray):
            every = list(frames)
            if set(map(len, every)) - {length}:
                odd = [bytes(one) for one in every if len(one) != length]
                foreign = sum(is_foreign(one, digest) for one in odd)
                self._arrivals += Arrivals(damaged=len(odd) - foreign, foreign=foreign)
                every = [one for one in every if len(one) == length]
            frames = np.frombuffer(b"".join(every), dtype=np.uint8).reshape(-1, length)
        elif frames.ndim != 2 or frames.shape[1] != length:
            self._open_frames([row.tobytes() for row in frames])
            return
        opened = open_frames(frames, digest)
        payloads = opened.payloads[self._seen.add(opened.numbers)]
        self._arrivals += Arrivals(
            damaged=opened.damaged,
            foreign=opened.foreign,
            repeated=len(opened.numbers) - len(payloads),
        )
        self._count(as_payload(payloads, self.collection))

    def merge(self, other: CollectionServer) -> Self:
        """Add what another server of this collection has counted.

        Ensures: nothing counts twice. Servers that have seen the same report are refused, and so
        are those that go on from one state with `Reports` without frames, which have no numbers.
        """
        if other.collection.digest != self.collection.digest:
            raise InputError(
                "the other server counts reports of another collection, or of other settings: the "
                "digests differ. Merge servers of one collection."
            )
        self._open_pending()
        arrivals = other.arrivals
        twice = self._seen.shared_with(other._seen)
        if twice or other is self or self._origins & other._origins:
            many = f"{twice:,} reports" if twice else "some reports"
            raise InputError(
                f"{many} are in both servers already, and would count twice. Merge each "
                "server once, and let each report go to one of them."
            )
        self._tally += other._tally
        self._seen.join(other._seen)
        self._origins |= other._origins
        self._arrivals += arrivals
        return self

    def estimate(self, **options: Any) -> Any:
        """Return what the reports tell, with errors; the collection says which options it takes."""
        people = self._require_reports()
        return self.collection.estimate_from(self._tally, people, **options)

    def _require_reports(self) -> int:
        """Return how many reports are counted, if any."""
        if not self.people:
            raise InputError(
                f"no report is counted yet ({self._arrivals}); add some before you estimate."
            )
        return self.people

    def detect(self, **options: Any) -> Any:
        """Return the values that people have, told from noise all together (Holm)."""
        people = self._require_reports()
        return self.collection.detect_from(self._tally, people, **options)

    def robust(self, *, fakes: float, **options: Any) -> Any:
        """Return how far this share of fake devices can push the answers, at most."""
        if not isinstance(fakes, int | float) or not 0 <= fakes < 1:
            raise InputError(f"fakes is {brief(fakes)}; it must be a share of reports in [0, 1).")
        people = self._require_reports()
        return self.collection.robust_from(self._tally, people, fakes=float(fakes), **options)

    def to_bytes(self) -> bytes:
        """Return the state as bytes."""
        self._open_pending()
        found = {field.name: getattr(self._arrivals, field.name) for field in fields(Arrivals)}
        header = {
            "digest": self.collection.digest.hex(),
            "arrivals": found,
            "origins": sorted(self._origins),
        }
        return pack_state(header, {"tally": self._tally, "seen": self._seen.all()})

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the state, whole or not at all; `collection.server(path)` goes on from it."""
        return save_whole(path, self.to_bytes(), what="the server's state", error=InputError)

    @classmethod
    def from_bytes(cls, data: bytes, collection: Collection, *, what: str = "this") -> Self:
        """Return the server with a state that was saved."""
        header, arrays = unpack_state(data, what=what)
        if header["digest"] != collection.digest.hex():
            raise InputError(
                f"{what} is the state of another collection, or of other settings of this one."
            )
        made = cls(collection)
        tally, seen = arrays.get("tally"), arrays.get("seen")
        if tally is None or seen is None or not _fit(tally, seen, made._tally):
            raise InputError(f"{what} has counts that no server writes. Load an older copy.")
        made._tally, made._seen = tally, SeenNumbers([seen])
        made._origins = frozenset(header["origins"])
        made._arrivals = Arrivals(**header["arrivals"])
        return made

    def __repr__(self) -> str:
        return f"<server of {self.collection!r}: {self.arrivals}>"


def _fit(tally: NDArray[Any], seen: NDArray[Any], empty: NDArray[np.int64]) -> bool:
    """Tell whether these can be the counts of a server, and its sorted numbers."""
    kinds = tally.dtype == empty.dtype and seen.dtype == np.uint64
    if not kinds or tally.shape != empty.shape or seen.ndim != 1:
        return False
    return bool((tally >= 0).all() and (seen[1:] > seen[:-1]).all())
