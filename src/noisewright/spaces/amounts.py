"""Numbers of points and pairs, in words that fit into a message."""

from __future__ import annotations


def amount(count: int) -> str:
    """Write a count; one of 2^64 or more by its power of two, since Python may refuse to."""
    return f"{count:,}" if count.bit_length() <= 64 else f"2^{count.bit_length() - 1} or more"


def counted(count: int, what: str) -> str:
    """Write a count and what is counted: "1 row", "2 rows"."""
    return f"{amount(count)} {what}{'' if count == 1 else 's'}"
