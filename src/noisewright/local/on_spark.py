"""Collections larger than one machine: each partition is counted where it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from noisewright.local.reports import COLUMN

if TYPE_CHECKING:
    from noisewright.local.collection import Collection
    from noisewright.local.server import CollectionServer


def servers_of(frame: Any, collection: Collection) -> Iterator[CollectionServer]:
    """Return a server for each partition of a data frame with a column `report`.

    Reports with the same number go to one partition first, so that repeated ones are found.
    """
    from noisewright.local.server import CollectionServer

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as arrow

        server = collection.server()
        for batch in batches:
            server.add(batch)
        yield arrow.record_batch({"state": arrow.array([server.to_bytes()], arrow.binary())})

    spread = frame.select(COLUMN).selectExpr(COLUMN, f"substring({COLUMN}, 12, 8) AS number")
    parts = spread.repartition("number").select(COLUMN).mapInArrow(count, "state binary")
    for row in parts.toLocalIterator():
        yield CollectionServer.from_bytes(bytes(row["state"]), collection, what="a partition")
