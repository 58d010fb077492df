"""The embedded engine passes the conformance suite: in memory, and through files."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines import embedded
from noisewright.engines.batches import Randomizer
from noisewright.engines.reading import open_table
from noisewright.engines.writing import MemoryWriter, open_writer
from tests.engines.conformance import *  # noqa: F403
from tests.engines.conformance import Engine


def in_memory(table: pa.Table, plan: nw.Plan) -> pa.Table:
    reader = open_table(table)
    writer = MemoryWriter(Randomizer(plan).schema(reader.schema))
    embedded.run(reader, plan, writer)
    return writer.table


def through_files(folder: Path, suffix: str) -> Callable[[pa.Table, nw.Plan], pa.Table]:
    def run(table: pa.Table, plan: nw.Plan) -> pa.Table:
        given, target = folder / f"given{suffix}", folder / f"released{suffix}"
        if suffix == ".parquet":
            pq.write_table(table, given, row_group_size=5000)
        else:
            feather.write_feather(table, given)
        reader = open_table(given)
        with open_writer(target, Randomizer(plan).schema(reader.schema), overwrite=True) as writer:
            # Nothing is kept from the check, so that the file is read twice.
            checked = embedded.check(reader, plan, keep=0)
            embedded.run(reader, plan, writer, checked=checked)
        assert {path.name for path in folder.iterdir()} <= {given.name, target.name}
        return pq.read_table(target) if suffix == ".parquet" else feather.read_table(target)

    return run


@pytest.fixture(params=["memory", ".parquet", ".feather"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Engine:
    if request.param == "memory":
        return Engine(in_memory)
    return Engine(through_files(tmp_path, request.param))
