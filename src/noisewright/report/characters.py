"""Characters that pages and drawings cannot hold.

Labels may hold any character, and XML may not: control characters and halves of surrogate pairs.
The renderer of charts does not refuse those, it ends the whole process. So they are replaced before
anything is drawn or written.
"""

from __future__ import annotations

import re
from typing import Any

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def writable(value: Any) -> str:
    """Return a value as text, with a replacement character for each that cannot be written."""
    text = str(value)
    # Nearly all text is printable, and that is quickly seen.
    return text if text.isprintable() else _UNWRITABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def shorten(value: Any, *, longest: int) -> str:
    """Return a label as text on one line, cut to a length: what is cut ends in dots."""
    # Cut before it is split: a label may be very long.
    written = " ".join(writable(str(value)[: 4 * longest]).split())
    return written if len(written) <= longest else written[: longest - 1] + "…"
