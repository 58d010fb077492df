"""What runs on a person's device: it reads a value, and sends a random report."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, final

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import ByteStream
from noisewright.local.lifetime import Spent, require_kept_answers, spent_by
from noisewright.local.memo import Memo
from noisewright.local.wire import frame
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.local.collection import Collection


@public_methods
@final
class CollectionClient:
    """Reports of one person to one collection; make one with `collection.client()`.

    Without a memo every report is drawn afresh, and what they give away adds up. With one, the
    answer to each value is drawn once, kept, and sent again: a value that never changes costs one
    report for life. A memo does not hide *when* a value changes.
    """

    def __init__(
        self,
        collection: Collection,
        *,
        memo: str | os.PathLike[str] | None = None,
        source: sampling.Source | None = None,
    ) -> None:
        self.collection = collection
        self._stream = ByteStream(source)
        self.memo = None if memo is None else Memo(memo, collection.digest)

    def report(self, value: Any) -> bytes:
        """Return a report of this value, in its frame, ready to be sent."""
        payload = self.collection.draw_payload(value, self._stream, self.memo)
        return frame(self.collection.digest, self._stream.take(8), payload)

    @property
    def spent(self) -> Spent:
        """The privacy loss of this person so far, as recorded in the memo."""
        if self.memo is None:
            raise ParameterError(
                "this client has no memo, so it does not know what was sent before; give it one: "
                "collection.client(memo=path). collection.lifetime() gives the privacy loss of "
                "any number of reports."
            )
        require_kept_answers(self.collection)
        return spent_by(self.memo.use, self.collection.guarantee)

    def __repr__(self) -> str:
        kept = "" if self.memo is None else f", memo {self.memo.path}"
        return f"<client of {self.collection!r}{kept}>"
