"""Synthetic tables with numbers on fine grids: counted in bins, made of points."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError, TooLargeError
from noisewright.releases.synthesis.certified_counts import require_joined, require_same_bins

SCHEMA = Path(nw.__file__).parent / "schemas" / "synthesis-1.json"
SPACES: dict[str, Any] = {
    "job": ["clerk", "cook", "nurse"],
    "age": nw.Interval(17, 90, step=1),
    "gain": nw.Counts(99_999),
    "weight": nw.Column(nw.Interval(0, 2_000_000, step="0.5")),
}
METHODS = [("mst", 0), ("mst", 1e-6), ("mwem", 0), ("mwem", 1e-6)]
IDS = [f"{method}-{'rho' if delta else 'epsilon'}" for method, delta in METHODS]


def people(rows: int = 20_000) -> pa.Table:
    """Nine of ten have no gain; age follows the job, and weight follows nothing."""
    rng = np.random.default_rng(3)
    job = rng.integers(0, 3, rows)
    gain = np.where(rng.random(rows) < 0.9, 0, rng.choice([5_178, 7_688, 99_999], rows))
    return pa.table(
        {
            "weight": pa.array(rng.integers(100_000, 900_000, rows) / 2, pa.float64()),
            "job": np.array(["clerk", "cook", "nurse"])[job],
            "age": pa.array(
                np.clip(20 + 15 * job + rng.integers(-3, 12, rows), 17, 90), pa.int16()
            ),
            "gain": pa.array(gain, pa.uint32()),
        }
    )


DATA = people()


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_values_lie_on_the_declared_grid_and_have_the_types_of_the_data(
    method: Any, delta: float
) -> None:
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=2, delta=delta, method=method)
    assert made.table.schema.names == DATA.schema.names
    assert [str(kind) for kind in made.table.schema.types] == [
        "double",
        "string",
        "int16",
        "uint32",
    ]
    for name, space in made.domain.columns:
        space.encode(np.asarray(made.table[name].to_pylist()))
    assert made.table["gain"].to_numpy().max() <= 99_999
    doubled = made.table["weight"].to_numpy() * 2
    assert np.array_equal(doubled, np.round(doubled))
    total = sum((spend.amount for spend in made.spends), Fraction(0))
    assert total == made.spent.amount
    assert total == (2 if not delta else made.spent.amount)


@pytest.mark.parametrize(("method", "delta"), METHODS, ids=IDS)
def test_spikes_survive_and_so_do_links(method: Any, delta: float) -> None:
    """A fixed seed. Without counts of points no value of gain would have even one in a thousand."""
    made = nw.synthesize(
        DATA,
        {name: SPACES[name] for name in ("job", "age", "gain")},
        ledger=None,
        epsilon=2,
        delta=delta,
        method=method,
        out=nw.planning.Output(evaluation=True),
        source=nw.randomness.SeededSource(4),
    )
    gain = made.table["gain"].to_numpy()
    assert np.mean(gain == 0) == pytest.approx(0.9, abs=0.03)
    assert np.mean(gain == 7_688) == pytest.approx(0.033, abs=0.02)
    jobs, ages = np.array(made.table["job"].to_pylist()), made.table["age"].to_numpy()
    means = {job: ages[jobs == job].mean() for job in ("clerk", "cook", "nurse")}
    assert means["clerk"] < 30 < means["cook"] < 45 < means["nurse"]
    # Errors are about bins: 100,000 points by themselves would be far off.
    assert made.evaluation is not None
    assert made.evaluation.distance.l1 < 0.15
    assert made.expected_error < 0.3
    assert made.workload_error is not None
    assert made.workload_error < 0.2


def test_what_was_counted_in_bins_is_said(tmp_path: Path) -> None:
    made = nw.synthesize(
        DATA,
        SPACES,
        ledger=None,
        epsilon=1,
        delta=1e-6,
        out=nw.planning.Output(tmp_path / "s.parquet", report=False),
    )
    assert "'age' in 25 bins of 3, 'gain' in 32 bins of 3,125" in made.notes[0]
    assert "errors refer to bins" in made.notes[0]
    assert made.notes[1] == (
        "Within a bin of 'weight' all points are equally likely: grids of more than 131,072 points "
        "are not counted point by point. A coarser step, so that there are no more points than "
        "that, would let spikes within bins show."
    )
    before = nw.planning.predict_synthesis(SPACES, people=len(DATA["age"]), epsilon=1, delta=1e-6)
    assert before.remarks.count(made.notes[1]) == made.notes.count(made.notes[1]) == 1
    written = json.loads(made.files["synthesis"].read_text())
    jsonschema.validate(written, json.loads(SCHEMA.read_text()))
    assert written["bins"] == {
        "age": {"points": 3, "counted_as": "age, point by point"},
        "gain": {"points": 3125, "counted_as": "gain, point by point"},
        "weight": {"points": 125_001, "counted_as": None},
    }
    counts = {one["of"]: one["counts"] for one in written["measurements"]}
    assert (len(counts["age"]), len(counts["age, point by point"])) == (25, 74)
    assert len(counts["gain, point by point"]) == 100_000
    ages = next(one for one in made.measurements if one.name == "age").estimate
    assert ages["17 to 19"].value == counts["age"][0]


def test_bins_do_not_depend_on_the_data() -> None:
    """All people alike, or all different: the same steps with the same parts."""
    alike = DATA.slice(0, 1).take([0] * 500)
    one, other = (
        nw.synthesize(table, SPACES, ledger=None, epsilon=1, source=nw.randomness.SeededSource(1))
        for table in (alike, DATA.slice(0, 500))
    )
    assert [(s.what, s.amount) for s in one.spends if "counts" in s.what and "×" not in s.what] == [
        (s.what, s.amount) for s in other.spends if "counts" in s.what and "×" not in s.what
    ]
    assert one.bins == other.bins
    assert one.expected_error == other.expected_error


def test_bins_are_as_asked() -> None:
    made = nw.synthesize(
        DATA, SPACES, ledger=None, epsilon=1, method=nw.planning.Method(bins=10, rows=50)
    )
    assert dict(made.bins.widths) == {"age": 8, "gain": 10_000, "weight": 400_001}
    spaces = {name: SPACES[name] for name in ("job", "age")}
    plain = nw.synthesize(
        DATA, spaces, ledger=None, epsilon=1, method=nw.planning.Method(bins=None, rows=50)
    )
    assert plain.bins.widths == ()
    assert {one.name for one in plain.measurements} == {"job", "age", "job × age"}
    with pytest.raises(TooLargeError, match="'weight' has 4,000,001 points"):
        nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, method=nw.planning.Method(bins=None))


def test_mwem_has_room_for_bins_and_keeps_the_points_that_queries_ask_for() -> None:
    domain = nw.Records(age=SPACES["age"], gain=SPACES["gain"])
    pairs = nw.workloads.Workload.marginals(domain, ways=2)
    asked = pairs + nw.workloads.Workload.ranges(domain, "age", [(17, 24), (30, 39)])
    made = nw.synthesize(
        DATA,
        domain,
        ledger=None,
        epsilon=3,
        method="mwem",
        workload=asked,
        out=nw.planning.Output(evaluation=True),
        source=nw.randomness.SeededSource(2),
    )
    assert [name for name, _ in made.bins.widths] == ["gain"]
    names = {one.name for one in made.measurements}
    assert names > {"gain, point by point", "age × gain"}
    assert len(names) == 4
    # The same queries of "mst", which counts age in bins: rows have points, so they are answered.
    tree = nw.synthesize(
        DATA,
        domain,
        ledger=None,
        epsilon=3,
        workload=asked,
        out=nw.planning.Output(evaluation=True),
        source=nw.randomness.SeededSource(2),
    )
    assert [name for name, _ in tree.bins.widths] == ["age", "gain"]
    true = asked.answers(DATA).shares[-2:]
    for one in (made, tree):
        assert asked.answers(one.table).shares[-2:] == pytest.approx(true, abs=0.05)
        assert one.evaluation is not None
        assert one.evaluation.distance.largest < 0.1


def test_blr_in_bins_is_uniform_within_them() -> None:
    made = nw.synthesize(
        DATA,
        {"age": SPACES["age"]},
        ledger=None,
        epsilon=1,
        method=nw.planning.Method("blr", bins=4, rows=60),
    )
    assert made.measurements == ()
    assert "all points are equally likely" in made.notes[1]
    assert len(set(made.table["age"].to_pylist())) > 10


def test_cells_outside_of_the_grid_are_named_by_row_and_not_shown() -> None:
    table = pa.table({"gain": [0, 123_456_789]})
    with pytest.raises(OutsideSpaceError, match=r"'gain' at row 2 ") as seen:
        nw.synthesize(table, {"gain": SPACES["gain"]}, ledger=None, epsilon=1)
    assert "123" not in str(seen.value)


def test_a_prediction_is_about_the_same_bins() -> None:
    made = nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, method=nw.planning.Method(rows=10))
    errors = nw.planning.predict_synthesis(SPACES, people=DATA.num_rows, epsilon=1)
    assert errors.expected == made.expected_error
    predicted = {part.columns: part for part in errors.parts}
    counted = {one.columns: one for one in made.measurements}
    for part in made.errors.parts:
        if part.columns in counted and counted[part.columns].joined:
            # Noise decided that fewer cells are counted.
            assert part.queries == counted[part.columns].counts.size
            assert part.expected < predicted[part.columns].expected == part.before
        else:
            assert part.expected == predicted[part.columns].expected
    finer = nw.planning.predict_synthesis(
        SPACES, people=DATA.num_rows, epsilon=1, method=nw.planning.Method(bins=64)
    )
    assert finer.expected > errors.expected


def linked_gains(rows: int = 30_000) -> pa.Table:
    """Who has a gain of 5,178 is a nurse, and who has one of 5,013 is a cook: both in one bin."""
    rng = np.random.default_rng(5)
    job = rng.integers(0, 3, rows)
    gain = np.where(rng.random(rows) < 0.5, 0, np.array([0, 5_013, 5_178])[job])
    return pa.table({"job": np.array(["clerk", "cook", "nurse"])[job], "gain": gain})


JOINT = ("gain, point by point", "job")
GAINS = {"job": ["clerk", "cook", "nurse"], "gain": nw.Counts(9_999)}


@pytest.mark.parametrize("delta", [0, 1e-9])
def test_points_within_a_bin_follow_a_linked_column_where_noise_is_small(
    delta: float, tmp_path: Path
) -> None:
    """A fixed seed. Of 5,000 rows a few are moved by noise of each point."""
    made = nw.synthesize(
        linked_gains(),
        GAINS,
        ledger=None,
        epsilon=10,
        delta=delta,
        out=tmp_path / "gains.csv",
        source=nw.randomness.SeededSource(1),
    )
    assert JOINT in [one.columns for one in made.measurements]
    job, gain = (np.array(made.table[name].to_pylist()) for name in ("job", "gain"))
    for value, own in ((5_013, "cook"), (5_178, "nurse")):
        assert np.mean(job[gain == value] == own) > 0.98
    assert nw.check(tmp_path / "gains.certificate.json").holds
    assert not any("report is missing" in note for note in made.notes)
    page = made.files["report"].read_text()
    assert "gain, point by point × job" in page
    document = json.loads((tmp_path / "gains.synthesis.json").read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    read = type(made).open(tmp_path / "gains.csv")
    assert [one.columns for one in read.measurements] == [one.columns for one in made.measurements]
    further = read.tables(2, source=nw.randomness.SeededSource(2))[0]
    job, gain = (np.array(further[name].to_pylist()) for name in ("job", "gain"))
    assert np.mean(job[gain == 5_178] == "nurse") > 0.95


def test_points_are_counted_alone_where_noise_is_large() -> None:
    """With every value of another column, noise of all points would come once more."""
    made = nw.synthesize(linked_gains(400), GAINS, ledger=None, epsilon=0.1, delta=1e-9)
    assert JOINT not in [one.columns for one in made.measurements]


def test_queries_do_not_use_counts_whose_column_noise_decided() -> None:
    """The pair decides by its noise what its points are counted with: a mean of both is biased."""
    made = nw.synthesize(linked_gains(), GAINS, ledger=None, epsilon=10, delta=1e-9)
    altered = [
        replace(one, counts=one.counts + 10**6) if one.columns == JOINT else one
        for one in made.measurements
    ]
    where = {"job": "nurse", "gain": 5_178}
    # So confident that noise alone fails one run in a billion.
    found, other = (
        one.query(where, confidence=1 - 1e-9)
        for one in (made, replace(made, measurements=tuple(altered)))
    )
    assert (found.lows, found.highs) == (other.lows, other.highs)
    truth = linked_gains().to_pandas().query("job == 'nurse' and gain == 5178").shape[0]
    assert found.lows <= truth <= found.highs


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> nw.results.Synthesis:
    """A table whose pairs are chosen, so that light bins are counted as one; a fixed seed."""
    out = tmp_path_factory.mktemp("joined") / "people.csv"
    source = nw.randomness.SeededSource(3)
    return nw.synthesize(DATA, SPACES, ledger=None, epsilon=1, delta=1e-9, out=out, source=source)


def pair_of(made: nw.results.Synthesis, *columns: str) -> Any:
    (one,) = (one for one in made.measurements if one.columns == columns)
    return one


def test_light_bins_are_counted_as_one_where_pairs_are_chosen(joined: Any) -> None:
    """Ages up to 62 have rows, and of gains four values: the rest would be noise in every cell."""
    ages, gains = pair_of(joined, "job", "age"), pair_of(joined, "job", "gain")
    assert ages.counts.shape[1] < joined.bins.domain.by_name["age"].size
    starts = gains.joined["gain"].starts
    assert starts[:3] == (0, 1, 2)
    assert len(starts) == 4
    assert nw.check(joined.files["certificate"]).holds
    # What the noise is for is the same in fewer cells, and so is what was spent.
    assert ages.noise.amount == gains.noise.amount
    table = joined.table
    old = np.array(table["age"].to_pylist()) >= 65
    assert np.mean(old) < 0.02
    jobs = np.array(table["job"].to_pylist())
    assert np.mean(np.array(table["age"].to_pylist())[jobs == "clerk"] < 33) > 0.95


def test_joined_bins_are_written_and_read_back(joined: Any, tmp_path: Path) -> None:
    document = json.loads(joined.files["synthesis"].read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    read = nw.results.Synthesis.open(joined.path)
    assert read.measurements[0].joined == {}
    assert [(one.columns, one.joined, one.counts.tolist()) for one in read.measurements] == [
        (one.columns, one.joined, one.counts.tolist()) for one in joined.measurements
    ]
    assert read.errors == joined.errors
    where = {"job": "cook", "age": {"at_least": 30, "at_most": 40}}
    found, other = joined.query(where), read.query(where)
    assert (found.lows, found.highs) == (other.lows, other.highs)
    lines = joined.save_counts(tmp_path / "counts.csv").read_text().splitlines()
    assert len(lines) == 1 + sum(one.counts.size for one in joined.measurements)
    label = str(pair_of(joined, "job", "gain").spaces[1].point(3))
    assert sum(label in line for line in lines) == 3


def test_further_tables_follow_pairs_in_joined_bins(joined: Any) -> None:
    for table in joined.tables(2, source=nw.randomness.SeededSource(2)):
        jobs, ages = (np.array(table[name].to_pylist()) for name in ("job", "age"))
        assert np.mean(ages[jobs == "clerk"] < 33) > 0.95
        assert np.mean(ages[jobs == "nurse"] > 45) > 0.95


def test_the_page_names_joined_bins(joined: Any) -> None:
    assert not any("report is missing" in note for note in joined.notes)
    page = joined.files["report"].read_text()
    assert str(pair_of(joined, "job", "gain").spaces[1].point(3)) in page
    assert "counted in joined bins" in page
    assert "that is, counted as one" in page


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        ({"age": [0, 3, 2]}, "joined bins of age"),
        ({"age": [1, 3]}, "joined bins of age"),
        ({"age": [0, 25]}, "joined bins of age"),
        ({"age": []}, "joined bins of age"),
        ({"job": [0, 1]}, "joined bins of job"),
        ({"gain": [0, 1]}, "joined bins of gain"),
        ([0, 1], "must be lists of their first bins, by column"),
        ({"age": 3}, "must be lists of their first bins, by column"),
        ({"age": [0, 1.5]}, r"at least 0\. Ask the publisher"),
        ({"age": [0, 2]}, r"counts of job × age, which has \d+ cells"),
    ],
)
def test_joined_bins_that_cannot_be_are_refused(
    joined: Any, tmp_path: Path, forged: Any, message: str
) -> None:
    document = json.loads(joined.files["synthesis"].read_text())
    (one,) = (each for each in document["measurements"] if each["columns"] == ["job", "age"])
    one["joined"] = forged
    with pytest.raises(nw.errors.ReleaseError, match=message):
        _open_changed(joined, tmp_path, document)


@pytest.mark.parametrize("inference", [[], None, 5, "trees"])
def test_an_unknown_inference_is_refused(joined: Any, tmp_path: Path, inference: Any) -> None:
    document = json.loads(joined.files["synthesis"].read_text())
    document["inference"] = inference
    with pytest.raises(nw.errors.ReleaseError, match="inference"):
        _open_changed(joined, tmp_path, document)


def test_joined_bins_of_what_no_choice_selected_are_refused(joined: Any, tmp_path: Path) -> None:
    """Intervals are divided by sums in joined bins only where pairs are chosen one by one."""
    document = json.loads(joined.files["synthesis"].read_text())
    document["inference"] = "graph"
    with pytest.raises(nw.errors.ReleaseError, match="only pairs that a choice"):
        _open_changed(joined, tmp_path, document)
    measurements, spends = joined.measurements, joined.spends
    require_joined(measurements, spends, "points")
    counts = [spend for spend in spends if spend.is_count]
    with pytest.raises(nw.errors.ReleaseError, match="only pairs that a choice"):
        require_joined(measurements, counts, "points")
    (at,) = (place for place, one in enumerate(measurements) if one.columns == ("job", "age"))
    wider = [*measurements]
    wider[at] = replace(measurements[at], columns=("job", "age", "gain"))
    with pytest.raises(nw.errors.ReleaseError, match="only pairs that a choice"):
        require_joined(wider, spends, "points")


def test_bins_that_one_order_of_joining_cannot_give_are_refused(joined: Any) -> None:
    """Any two ways to join the bins of a column are nested, and a pair has one way."""
    one, bins = pair_of(joined, "job", "age"), joined.bins
    fine, coarse, other = (
        replace(one, columns=(name, "age"), joined={"age": bins.join("age", starts)})
        for name, starts in (("job", (0, 4, 9)), ("gain", (0, 9)), ("weight", (0, 5)))
    )
    require_same_bins([one, one])
    require_same_bins([fine, coarse])
    with pytest.raises(nw.errors.ReleaseError, match="of age are not nested"):
        require_same_bins([fine, other])
    with pytest.raises(nw.errors.ReleaseError, match="are in different bins"):
        require_same_bins([one, fine])


def _open_changed(made: Any, folder: Path, document: Any) -> Any:
    for path in made.path.parent.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / made.files["synthesis"].name).write_text(json.dumps(document))
    return nw.results.Synthesis.open(folder / made.path.name)
