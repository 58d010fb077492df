"""Names for the values of pyarrow, which ships no types for them."""

from __future__ import annotations

from typing import Any

Array = Any
DataType = Any
ArrowField = Any
RecordBatch = Any
ArrowSchema = Any
ArrowTable = Any
