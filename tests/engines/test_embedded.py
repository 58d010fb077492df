"""The embedded engine passes the conformance suite: in memory, and through files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines import embedded
from noisewright.engines.batches import Randomizer
from noisewright.tables import open_table
from noisewright.tables.files.writing import MemoryWriter, open_writer
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


@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "uint64"])
def test_the_width_of_a_frame_does_not_tell_whether_a_number_is_missing(kind: str) -> None:
    plan = nw.Plan({"a": nw.Column(nw.Counts(5), null=0)}, epsilon=1)
    whole = pd.DataFrame({"a": pd.Series([1, 2, 3], dtype=kind)})
    gap = whole.reindex([0, 1, 9])
    types = [nw.release(frame, plan, ledger=None).table.schema for frame in (whole, gap)]
    assert gap["a"].dtype == "float64"
    assert types[0].field("a").type == types[1].field("a").type == pa.int64()


def test_a_column_of_empty_cells_has_the_type_of_one_with_a_text() -> None:
    plan = nw.Plan({"a": nw.Column(["x", "y"], null="x")}, epsilon=1)
    for some in ([None, None], ["x", None]):
        frame = pd.DataFrame({"a": pd.Series(some, dtype=object)})
        for data in (frame, pa.table({"a": some})):
            found = nw.release(data, plan, ledger=None).table.schema.field("a").type
            assert found == pa.string()


def test_nothing_lies_behind_empty_cells_inside_of_a_public_one() -> None:
    inner = pa.array(np.array([5, 77777]), mask=np.array([False, True]))
    public = pa.StructArray.from_arrays([inner], names=["x"])
    assert 77777 in np.frombuffer(inner.buffers()[1], dtype=np.int64)
    table = pa.table({"a": ["x", "y"], "p": public})
    plan = nw.Plan({"a": nw.Column(["x", "y"]), "p": "public"}, epsilon=1)
    released = nw.release(table, plan, ledger=None).table["p"].combine_chunks()
    assert released.to_pylist() == [{"x": 5}, {"x": None}]
    assert 77777 not in np.frombuffer(released.field(0).buffers()[1], dtype=np.int64)
