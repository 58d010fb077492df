"""A server's state as bytes: counts, the numbers of reports, and a digest over all of it."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError

_MAGIC = b"noisewright server 1\n"
_DIGEST = 32


def pack_state(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> bytes:
    """Return a state as bytes that end in their SHA-256."""
    sink = io.BytesIO()
    sink.write(_MAGIC)
    sink.write(json.dumps(header, sort_keys=True).encode() + b"\n")
    np.savez(sink, allow_pickle=False, **arrays)
    content = sink.getvalue()
    return content + hashlib.sha256(content).digest()


def unpack_state(data: bytes, *, what: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of a state; what is damaged is refused."""
    content, digest = data[:-_DIGEST], data[-_DIGEST:]
    if not content.startswith(_MAGIC):
        raise InputError(f"{what} is not the saved state of a server.")
    if hashlib.sha256(content).digest() != digest:
        raise InputError(f"{what} is damaged: its digest differs. Load an older copy.")
    line, _, rest = content[len(_MAGIC) :].partition(b"\n")
    with np.load(io.BytesIO(rest), allow_pickle=False) as file:
        return json.loads(line), {name: file[name] for name in file.files}
