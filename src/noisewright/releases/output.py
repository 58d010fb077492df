"""Where the result of a job goes, and what is written along with it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import final

from noisewright.given import flag, of_kind


@final
@dataclass(frozen=True)
class Output:
    """Where a result goes: to a file, or, without a path, only into memory.

    `overwrite` replaces the file, and what lies beside it, if it exists. `report` says whether a
    page is written beside it. `what` is what the ledger says of the result. `evaluation` also
    compares a synthetic table with the raw data, in a file for the eyes of those who may see the
    data: that is NOT private, and not for release.
    """

    path: str | os.PathLike[str] | None = None
    overwrite: bool = False
    report: bool = True
    what: str = ""
    evaluation: bool = False

    def __post_init__(self) -> None:
        if self.path is not None:
            of_kind(self.path, (str, os.PathLike), name="out", such_as="the path of a file")
        for name in ("overwrite", "report", "evaluation"):
            flag(getattr(self, name), name=name)
        of_kind(self.what, str, name="what", such_as="a text")

    @staticmethod
    def of(given: str | os.PathLike[str] | Output | None) -> Output:
        """Read what was given as `out`."""
        return given if isinstance(given, Output) else Output(given)
