"""The recipe inside of a Parquet or Feather file, where its metadata can hold it."""

from __future__ import annotations

from pathlib import Path

from noisewright.errors import ReleaseError
from noisewright.releases.recipe import KEY


def embedded_recipe(path: Path) -> tuple[bytes, int] | None:
    """Return the recipe in a file, or in the files of a folder, and how many rows these have."""
    if not path.is_dir():
        return _of_file(path)
    parts = [file for file in sorted(path.iterdir()) if not file.name.startswith(("_", "."))]
    found = [part for part in map(_of_file, parts) if part is not None]
    if len(found) != len(parts) or len({text for text, _ in found}) != 1:
        return None
    return found[0][0], sum(rows for _, rows in found)


def _of_file(path: Path) -> tuple[bytes, int] | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with open(path, "rb") as file:
            start = file.read(6)
        if start.startswith(b"PAR1"):
            metadata = pq.read_metadata(path)
            text = (metadata.metadata or {}).get(KEY.encode())
            return None if text is None else (text, metadata.num_rows)
        if start == b"ARROW1":
            with pa.OSFile(str(path), "rb") as file, pa.ipc.open_file(file) as reader:
                text = (reader.schema.metadata or {}).get(KEY.encode())
                return None if text is None else (text, reader.count_rows())
    except (pa.ArrowException, OSError) as problem:
        raise ReleaseError(
            f"{str(path)!r} cannot be read: it is damaged or incomplete. Get a whole copy."
        ) from problem
    return None
