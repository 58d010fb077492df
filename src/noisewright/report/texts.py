"""Numbers as people write them, and labels without characters that pages cannot hold.

Numbers have as many digits as count, a true minus sign, and thousands apart.

Labels may hold any character, and XML may not: control characters and halves of surrogate pairs.
The renderer of charts does not refuse those, it ends the whole process. So they are replaced before
anything is drawn or written.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

MINUS = "\N{MINUS SIGN}"

_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def digits_for(errors: Sequence[float], *, percent: bool = False) -> int:
    """Return how many decimals show the errors to two digits."""
    known = [error for error in errors if math.isfinite(error) and error > 0]
    if not known:
        return 1
    middle = float(np.median(known)) * (100 if percent else 1)
    return min(max(1 - math.floor(math.log10(middle)), 0), 6)


def number(value: float, digits: int, *, percent: bool = False) -> str:
    """Return a number with so many decimals; a true minus sign, and no minus before zeros."""
    if not math.isfinite(value):
        return "unknown"
    written = f"{abs(value) * (100 if percent else 1):,.{digits}f}"
    negative = value < 0 and any(digit in "123456789" for digit in written)
    return (MINUS if negative else "") + written + ("%" if percent else "")


def readable(value: float) -> str:
    """Return a number to four digits that count, without powers of ten where people write none."""
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.4g}"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    shown = f"{value:,.{digits}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def percent(share: float) -> str:
    """Return a probability in percent, with about three digits that count."""
    value = 100 * share
    if value == 0 or value == 100:
        return f"{value:g}%"
    if value < 0.0001:
        return "<0.0001%"
    if value > 99.99:
        return ">99.99%"
    digits = max(0, 2 - math.floor(math.log10(value))) if value < 10 else 1
    return f"{value:.{digits}f}%"


def size_text(size: int) -> str:
    """Return a number of bytes in units that people read."""
    amount, unit = float(size), "bytes"
    for larger in ("kB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.3g} {unit}"


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
