"""Which bits a text sets in the Bloom filter of its cohort: the same on every device.

    stream(cohort, text) = SHA-256(D, cohort, 0, text), SHA-256(D, cohort, 1, text), …

D is the ASCII text "noisewright rappor bloom 1" and a zero byte, cohort and the number of the block
are 4 bytes each, the text is in UTF-8; big end first. The stream is read as words of 32 bits, big
end first. A word w is passed over if w ≥ 2^32 − (2^32 mod bits); else it gives the position
w mod bits, so that all positions are equally likely. The first `hashes` positions count. They may
be the same: then the text sets fewer bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError

DOMAIN = b"noisewright rappor bloom 1\0"
MOST_BITS = 1 << 16
MOST_COHORTS = 1 << 16
MOST_HASHES = 1 << 8


def bloom_positions(text: str, *, cohort: int, bits: int, hashes: int) -> list[int]:
    """Return the positions of a text in a cohort, one for each hash; some may be the same."""
    data, end = _utf8(text), (1 << 32) - (1 << 32) % bits
    found: list[int] = []
    block = 0
    while True:
        prefix = DOMAIN + cohort.to_bytes(4) + block.to_bytes(4)
        digest = hashlib.sha256(prefix + data).digest()
        for start in range(0, len(digest), 4):
            word = int.from_bytes(digest[start : start + 4])
            if word < end:
                found.append(word % bits)
                if len(found) == hashes:
                    return found
        block += 1


def bloom_table(texts: Sequence[str], *, cohorts: int, bits: int, hashes: int) -> NDArray[np.int32]:
    """Return the positions of each text in each cohort: [text, cohort, hash]."""
    table = np.empty((len(texts), cohorts, hashes), dtype=np.int32)
    for row, text in enumerate(texts):
        for cohort in range(cohorts):
            table[row, cohort] = bloom_positions(text, cohort=cohort, bits=bits, hashes=hashes)
    return table


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        pass
    # Outside of the handler: its error holds the text.
    raise OutsideSpaceError(
        "a value holds half of a surrogate pair, which UTF-8 cannot write. Repair such texts first."
    )
