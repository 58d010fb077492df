"""An answer as files: the values with their intervals, and the certificate beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING

from noisewright.releases.files.staging import staging_beside
from noisewright.releases.files.target import TargetFiles
from noisewright.tables import require_format

if TYPE_CHECKING:
    from noisewright.queries import Answer


@contextmanager
def answer_files(
    output: str | os.PathLike[str],
    *,
    apart: Iterable[str | os.PathLike[str]],
    overwrite: bool = False,
) -> Generator[Callable[[Answer], dict[str, str]]]:
    """Refuse an output that cannot be written, before the debit; give what writes an answer.

    `apart` are the inputs, which must not be overwritten.
    """
    target = TargetFiles.at(output)
    require_format(target.name)
    target.require_apart(apart)
    target.require_free(overwrite=overwrite)
    with staging_beside(target.data) as staging:

        def write(made: Answer) -> dict[str, str]:
            with staging.writing(target.data):
                made.save(staging.path(target.name))
                staging.write(target.certificate.name, made.certificate.to_json().encode())
                staging.publish(target.certificate.name, target.name)
                target.remove_others(target.certificate)
            return {"answer": str(target.data), "certificate": str(target.certificate)}

        yield write
