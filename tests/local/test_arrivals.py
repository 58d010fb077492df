"""Whatever arrives is counted, as a report or as the reason why it is none; nothing raises."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st

import noisewright as nw
from noisewright.errors import InputError
from noisewright.local import Arrivals, Collection

METHODS = ["response", "projective", "unary", "subset", "hashing", "hadamard"]
SPACE = nw.Counts(19)


def made(method: str | None = "projective", name: str = "") -> Collection:
    return nw.local.frequencies(SPACE, epsilon=1, method=method, name=name)


def framed(collected: Collection, count: int) -> list[bytes]:
    return list(collected.reports(np.arange(count) % 20))


COLLECTED = {method: made(method) for method in METHODS}
VALID = {method: framed(collected, 8) for method, collected in COLLECTED.items()}


@given(st.sampled_from(METHODS), st.lists(st.binary(max_size=60)))
def test_any_bytes_are_counted_as_damaged(method: str, junk: list[bytes]) -> None:
    server = COLLECTED[method].server()
    for one in junk:
        server.add(one)
    server.add(junk)
    assert server.arrivals == Arrivals(damaged=2 * len(junk))


@given(st.sampled_from(METHODS), st.data())
def test_a_report_with_flipped_bits_is_damaged(method: str, data: st.DataObject) -> None:
    """CRC-32 finds every change of up to 3 bits in reports so short."""
    report = bytearray(data.draw(st.sampled_from(VALID[method])))
    flips = data.draw(
        st.sets(st.integers(0, 8 * len(report) - 1), min_size=1, max_size=3), label="bits"
    )
    for place in flips:
        report[place // 8] ^= 1 << place % 8
    server = COLLECTED[method].server().add(bytes(report))
    assert server.arrivals == Arrivals(damaged=1)


@given(st.sampled_from(METHODS), st.data())
def test_a_report_that_is_cut_or_longer_is_damaged(method: str, data: st.DataObject) -> None:
    report = data.draw(st.sampled_from(VALID[method]))
    cut = report[: data.draw(st.integers(0, len(report) - 1))]
    longer = report + data.draw(st.binary(min_size=1, max_size=9))
    server = COLLECTED[method].server().add([cut, longer])
    assert server.arrivals == Arrivals(damaged=2)


@given(st.sampled_from(METHODS), st.data())
def test_whole_frames_around_any_payload_are_counted_or_impossible(
    method: str, data: st.DataObject
) -> None:
    """Who makes frames by hand gets what devices can send, and nothing else, into the tally."""
    from noisewright.local.wire import frame

    collected = COLLECTED[method]
    length = collected.randomizer.length
    sent = data.draw(st.lists(st.binary(min_size=length, max_size=length), max_size=9))
    server = collected.server()
    server.add([frame(collected.digest, bytes([n] * 8), one) for n, one in enumerate(sent)])
    found = server.arrivals
    assert found.counted + found.impossible == len(sent)
    assert found.refused == found.impossible
    assert int(server.tally.min()) >= 0
    if method in ("response", "projective", "hadamard"):
        assert int(server.tally.sum()) == found.counted
    if found.counted:
        assert np.isfinite(server.estimate().values).all()


@pytest.mark.parametrize("method", METHODS)
def test_foreign_and_repeated_reports_are_told_apart(method: str) -> None:
    collected, other = made(method), made(method, "another one")
    longer = nw.local.frequencies(nw.Counts(999), epsilon=1, method="unary")
    reports = framed(collected, 6)
    server = collected.server().add(reports).add(reports[:2]).add([reports[3]] * 4)
    server.add(framed(other, 5)).add(other.reports([1, 2, 3])).add(framed(longer, 7))
    assert server.arrivals == Arrivals(counted=6, repeated=6, foreign=15)
    assert server.people == 6
    assert "6 reports (15 foreign, 6 repeated refused)" in repr(server)
    rows = np.frombuffer(b"".join(reports), dtype=np.uint8).reshape(6, -1)
    assert server.add(rows).add(rows[:, :-1]).arrivals == Arrivals(6, 6, 15, 0, 12)


def columns(reports: list[Any]) -> list[Any]:
    plain = pa.array(reports, pa.binary())
    chunked = pa.chunked_array([reports[:3], [], reports[3:]], pa.binary())
    extended = pa.array([b"x", *reports, None], pa.binary())
    return [
        plain,
        plain.cast(pa.large_binary()),
        pa.array(reports, pa.binary_view()),
        plain.dictionary_encode(),
        chunked,
        chunked.dictionary_encode(),
        extended.slice(1, len(reports)),
        extended.cast(pa.large_binary()).slice(1, len(reports)),
        pa.table({"report": plain, "other": range(len(reports))}),
        pa.record_batch({"report": plain}),
        pl.DataFrame({"report": reports}).to_arrow(),
        pa.Table.from_pandas(pd.DataFrame({"report": reports})),
        list(pd.Series(reports)),
        (one for one in reports),
        pl.Series(reports),
        pl.DataFrame({"report": reports}),
        pd.DataFrame({"report": reports}),
    ]


@pytest.mark.parametrize("kind", range(17))
def test_every_form_of_a_column_counts_the_same(kind: int) -> None:
    collected = COLLECTED["projective"]
    reports = framed(collected, 9)
    expected = collected.server().add(reports)
    server = collected.server().add(columns(reports)[kind])
    assert server.arrivals == Arrivals(counted=9)
    assert (server.tally == expected.tally).all()


def test_fixed_size_frames_are_rows_without_a_copy() -> None:
    collected = COLLECTED["unary"]
    reports = framed(collected, 9)
    fixed = pa.array([b"\0" * len(reports[0]), *reports], pa.binary(len(reports[0])))
    assert collected.server().add(fixed.slice(1)).arrivals == Arrivals(counted=9)
    assert collected.server().add(fixed).arrivals == Arrivals(counted=9, damaged=1)


def test_nulls_are_damaged_reports() -> None:
    collected = COLLECTED["projective"]
    reports = framed(collected, 4)
    server = collected.server().add(pa.array([None, *reports, None], pa.binary()))
    assert server.arrivals == Arrivals(counted=4, damaged=2)
    assert collected.server().add(pa.nulls(3)).arrivals == Arrivals(damaged=3)
    dictionary = pa.array([None, *reports, reports[0]], pa.binary()).dictionary_encode()
    assert collected.server().add(dictionary).arrivals == Arrivals(4, 1, 0, 0, 1)


@pytest.mark.parametrize("method", METHODS)
def test_reports_without_frames_travel_as_tables_and_files(method: str, tmp_path: Path) -> None:
    collected = COLLECTED[method]
    reports = collected.reports(np.arange(50) % 20)
    expected = collected.server().add(reports).tally
    table = reports.table()
    path = reports.save(tmp_path / "reports.parquet")
    groups = tmp_path / "groups.parquet"
    pq.write_table(table, groups, row_group_size=7)
    sliced = pa.concat_tables([table.slice(0, 13), table.slice(13)])
    loose = table.cast(pa.schema([("report", pa.binary())], table.schema.metadata))
    for given_ in (table, path, str(path), groups, sliced, loose, loose.combine_chunks()):
        server = collected.server().add(given_)
        assert server.arrivals == Arrivals(counted=50)
        assert (server.tally == expected).all()
    other = made(method, "another one")
    assert other.server().add(path).arrivals == Arrivals(foreign=50)
    empty = collected.reports([])
    assert collected.server().add(empty.save(tmp_path / "e.parquet")).arrivals == Arrivals()
    assert collected.server().add(empty).add(empty.table()).add([]).arrivals == Arrivals()


def test_a_damaged_row_of_an_unframed_table_is_counted_as_such() -> None:
    collected = COLLECTED["projective"]
    table = collected.reports(np.arange(5)).table()
    rows = [*table["report"].to_pylist(), None, b"", b"\xff\xff\xff"]
    loose = pa.schema([("report", pa.binary())], table.schema.metadata)
    server = collected.server().add(pa.table([pa.array(rows, pa.binary())], schema=loose))
    assert server.arrivals == Arrivals(counted=5, damaged=3)


@pytest.mark.parametrize("text", [b"", b"zz", b"\xff\xfe", b"00" * 32, "ä".encode()])
def test_strange_metadata_makes_reports_foreign(text: bytes) -> None:
    collected = COLLECTED["projective"]
    table = collected.reports(np.arange(5)).table()
    strange = table.replace_schema_metadata({b"noisewright-collection": text})
    assert collected.server().add(strange).arrivals == Arrivals(foreign=5)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 10**12]),
        pa.array(["text"]),
        pa.array([1.5]),
        pa.array([[1, 2]]),
        pa.array([True]),
        pa.array(["a", "b"]).dictionary_encode(),
    ],
    ids=lambda column: str(column.type),
)
def test_columns_of_other_types_are_refused_whole(column: Any) -> None:
    server = COLLECTED["projective"].server()
    with pytest.raises(InputError, match="reports must be in it as bytes"):
        server.add(pa.table({"report": column}))
    assert server.arrivals == Arrivals()


@pytest.mark.parametrize(
    ("strange", "words"),
    [
        (None, "give bytes"),
        (3, "give bytes"),
        ([3], "each must be bytes"),
        ([b"x", "text"], "each must be bytes"),
        (np.zeros((2, 2)), "dtype uint8"),
        (np.zeros(9, dtype=np.uint8), "dtype uint8"),
        (pa.table({"a": [b"x"]}), "no column 'report'"),
        ("no such file", "cannot be read"),
    ],
)
def test_what_holds_no_reports_at_all_is_an_error(strange: Any, words: str) -> None:
    server = COLLECTED["projective"].server()
    with pytest.raises(InputError, match=words):
        server.add(strange)
    assert server.arrivals == Arrivals()


def test_a_file_that_ends_early_counts_nothing(tmp_path: Path) -> None:
    """Given again in whole, its reports count once, also without frames."""
    collected = COLLECTED["projective"]
    path = tmp_path / "reports.parquet"
    reports = collected.reports(np.arange(4000) % 20)
    pq.write_table(reports.table(), path, row_group_size=500, use_dictionary=False)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = b"\xff" * 40
    path.write_bytes(content)
    server = collected.server().add(collected.reports([1, 2, 3]))
    before = server.tally.copy()
    try:
        server.add(path)
    except InputError:
        assert server.arrivals == Arrivals(counted=3)
        assert (server.tally == before).all()
    for bad in (b"", b"PAR1", bytes(content[:200]), bytes(content[:-20])):
        path.write_bytes(bad)
        with pytest.raises(InputError, match="cannot be read as a Parquet file"):
            server.add(path)
    found = server.arrivals  # the damage may have hit bytes of reports, which cannot be told
    assert found.counted + found.refused in (3, 4003)


def test_a_list_that_ends_in_an_error_counts_nothing() -> None:
    collected = COLLECTED["projective"]
    reports = framed(collected, 5)

    def stream() -> Any:
        for _ in range(1 << 14):
            yield from reports
        raise KeyError("gone")

    server = collected.server()
    with pytest.raises(KeyError):
        server.add(stream())
    assert server.arrivals == Arrivals()
    assert server.add(reports).arrivals == Arrivals(counted=5)
