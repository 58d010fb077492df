"""Synthetic tables read back, and the page about them: made of released facts alone."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.certificates import certify_steps
from noisewright.errors import InputError, ReleaseError

SECRET = "Zebulon-Quux"
SPACES: dict[str, Any] = {
    "job": nw.Column(["clerk", "cook", "nurse"], other="another"),
    "age": nw.Column(nw.Interval(18, 90, step="1/2"), outside="clamp"),
    "smokes": [True, False],
    "visits": nw.Counts(5),
    "code": [b"\xff\x00", b"b"],
}
KEPT = (
    "method",
    "people",
    "guarantee",
    "spends",
    "errors",
    "rows_per_person",
    "is_private",
    "is_accounted",
    "limits",
    "certificate_digest",
    "expected_error",
    "workload_error",
)


def people(rows: int = 1_500) -> pa.Table:
    rng = np.random.default_rng(3)
    job = rng.integers(0, 3, rows)
    labels = np.array(["clerk", "cook", "nurse"], dtype=object)[job]
    labels[:9] = SECRET
    return pa.table(
        {
            "visits": pa.array(rng.integers(0, 6, rows), pa.uint8()),
            "job": pa.array(labels, pa.string()),
            "age": 20 + 10.0 * job + rng.integers(0, 12, rows),
            "smokes": rng.random(rows) < 0.3,
            "code": pa.array([b"\xff\x00" if each else b"b" for each in job], pa.binary()),
        }
    )


DATA = people()


def spaces(*names: str) -> dict[str, Any]:
    return {name: SPACES[name] for name in names}


def schema() -> Any:
    path = Path(nw.__file__).parent / "schemas" / "synthesis-1.json"
    return json.loads(path.read_text(encoding="utf-8"))


def mwem_workload() -> nw.workloads.Workload:
    domain = nw.Records(smokes=nw.Categories([True, False]), visits=nw.Counts(5))
    return nw.workloads.Workload.marginals(domain, ways=2) + nw.workloads.Workload.prefixes(
        domain, "visits"
    )


MADE: list[tuple[str, dict[str, Any]]] = [
    ("synthetic.parquet", {"plan": SPACES, "epsilon": 1, "delta": 1e-6,
                           "method": nw.planning.Method(rows=700)}),
    ("synthetic.feather", {"plan": SPACES, "epsilon": 1,
                           "method": nw.planning.Method(bins=None)}),
    ("synthetic.csv", {"plan": spaces("job", "age", "smokes", "visits"), "epsilon": 1}),
    ("mwem.parquet", {"plan": spaces("smokes", "visits"), "epsilon": 1,
                      "workload": mwem_workload(),
                      "method": nw.planning.Method("mwem", rounds=3)}),
    ("blr.parquet", {"plan": spaces("smokes"), "epsilon": 2,
                     "method": nw.planning.Method("blr", rows=20)}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "asked"), MADE, ids=[f"{name}" for name, _ in MADE])
def test_what_is_read_back_is_what_was_made(
    name: str, asked: dict[str, Any], tmp_path: Path
) -> None:
    made = nw.synthesize(DATA, ledger=None, out=tmp_path / name, **asked)
    # What is left out is told to whoever makes the table, and to nobody who reads it.
    notes = tuple(note for note in made.notes if not note.startswith("Left out"))
    assert notes == (*made.limits, *made.errors.remarks)
    document = json.loads(made.files["synthesis"].read_text(encoding="utf-8"))
    jsonschema.validate(document, schema())
    again = nw.results.Synthesis.open(tmp_path / name)
    assert {each: getattr(again, each) for each in KEPT} == {
        each: getattr(made, each) for each in KEPT
    }
    assert again.table.to_pylist() == made.table.to_pylist()
    assert again.certificate.document == made.certificate.document
    assert again.files == made.files
    assert again.workload.labels() == made.workload.labels()
    for one, other in zip(again.measurements, made.measurements, strict=True):
        assert (one.name, one.columns, one.noise) == (other.name, other.columns, other.noise)
        assert one.counts.tolist() == other.counts.tolist()
        assert (one.cells is None) == (other.cells is None)
        assert one.cells is None or np.array_equal(one.cells, np.asarray(other.cells))
        assert str(one.estimate) == str(other.estimate)
    assert (again.notes, again.noise) == (notes, made.noise)
    assert json.loads(again.to_json(file=document["file"])) == document
    # Made again, the page says the same; only when it was made is another time.
    beside = made.files["report"].read_text(encoding="utf-8")
    assert all(words in beside for words in made.errors.remarks)
    anew = again.report(tmp_path / "again.html").read_text(encoding="utf-8")
    assert abs(len(anew) - len(beside)) < 200
    assert anew.count("<tr>") == beside.count("<tr>")


def test_the_page_tells_nothing_that_was_not_released(tmp_path: Path) -> None:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("inner circle", epsilon=5)
    made = nw.synthesize(
        DATA,
        spaces("job", "smokes"),
        epsilon=1,
        out=nw.planning.Output(tmp_path / "synthetic.parquet", what="for Ann", evaluation=True),
        ledger=book,
        dataset="inner circle",
    )
    assert made.evaluation is not None
    page = made.files["report"].read_text(encoding="utf-8")
    for told in ("belong to", "ε", made.certificate_digest, "job × smokes", "The ledger holds"):
        assert told in page
    hidden = (SECRET, "inner circle", "for Ann", "NOT FOR RELEASE", "NOT PRIVATE", str(tmp_path))
    for inner in (*hidden, "valuation"):
        assert inner not in page
    # Whatever an evaluation says, the page is the same.
    worse = replace(made, evaluation=None)
    once, twice = (
        each.report(tmp_path / f"{place}.html").read_text(encoding="utf-8")
        for place, each in enumerate((made, worse))
    )
    assert once.split("page made")[1][100:] == twice.split("page made")[1][100:]


def test_a_test_and_a_table_that_nobody_accounts_for_are_marked(tmp_path: Path) -> None:
    made = nw.synthesize(
        DATA, spaces("smokes"), epsilon=1, ledger=None, source=nw.randomness.SeededSource("page")
    )
    assert made.files == {}
    with pytest.raises(ReleaseError, match="in memory"):
        made.report()
    with pytest.raises(InputError, match=r"\.html"):
        made.report(tmp_path / "page.txt")
    page = made.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "NOT PRIVATE" in page
    assert "No ledger was debited" in page


def test_a_page_that_cannot_be_made_is_a_note_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def full(source: Any, target: Any) -> None:
        if str(target).endswith(".html"):
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(os, "replace", full)
    out = tmp_path / "synthetic.parquet"
    made = nw.synthesize(DATA, spaces("smokes"), epsilon=1, ledger=None, out=out)
    assert "report" not in made.files
    assert "The table is complete" in made.notes[-1]
    assert "No space left on device" in made.notes[-1]
    assert nw.results.Synthesis.open(out).rows == made.rows


def _edited(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        side = folder / "synthetic.synthesis.json"
        document = json.loads(side.read_text(encoding="utf-8"))
        change(document)
        side.write_text(json.dumps(document), encoding="utf-8")

    return edit


def _other_data(folder: Path) -> None:
    (folder / "synthetic.parquet").write_bytes(b"PAR1 and more")


def _other_proof(folder: Path) -> None:
    proof = folder / "synthetic.certificate.json"
    proof.write_text(proof.read_text().replace('"epsilon"', '"epsilom"', 1), encoding="utf-8")


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "data": (_other_data, "SHA-256"),
    "no data": (lambda folder: (folder / "synthetic.parquet").unlink(), "no file"),
    "nothing beside": (lambda folder: (folder / "synthetic.synthesis.json").unlink(), "beside it"),
    "no json": (
        lambda folder: (folder / "synthetic.synthesis.json").write_bytes(b"{"),
        "cannot be read",
    ),
    "version": (_edited(lambda document: document.update(version=9)), "version 9"),
    "counts": (
        _edited(lambda document: document["measurements"][0].update(counts=[1])),
        "does not describe",
    ),
    "noise": (
        _edited(lambda document: document["measurements"][0].update(spent="100")),
        "not those of its steps",
    ),
    "a count twice": (
        _edited(lambda document: document["measurements"].append(document["measurements"][0])),
        "not those of its steps",
    ),
    "kinds of steps": (
        _edited(lambda document: document["spends"][0].update(what="choice 1 of 1")),
        "certificate proves",
    ),
    "parts of rows": (
        _edited(lambda document: document["measurements"][0].update(counts=[1.5, 2.5])),
        "whole numbers",
    ),
    "people": (_edited(lambda document: document.update(people=7)), "do not add up"),
    "no people": (_edited(lambda document: document.update(people=-7)), "people is -7"),
    "columns": (
        _edited(lambda document: document["columns"].update(job=["only"])),
        "does not describe",
    ),
    "missing": (_edited(lambda document: document.pop("spends")), "does not describe"),
    "certificate": (_other_proof, "certificate"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_files_that_do_not_belong_together_are_refused(kind: str, tmp_path: Path) -> None:
    out = tmp_path / "synthetic.parquet"
    nw.synthesize(
        DATA,
        spaces("job", "smokes"),
        epsilon=1,
        ledger=None,
        out=nw.planning.Output(out, report=False),
    )
    edit, words = BROKEN[kind]
    edit(tmp_path)
    with pytest.raises(ReleaseError, match=words):
        nw.results.Synthesis.open(out)


def test_a_table_of_counts_is_not_proven_by_noise_for_one_query(tmp_path: Path) -> None:
    """A query changes by 1 and a table by 2, so that the same noise would seem to cost half."""
    out = tmp_path / "synthetic.parquet"
    chosen = nw.planning.Output(out, report=False)
    nw.synthesize(DATA, spaces("smokes"), epsilon=1, ledger=None, out=chosen)
    other = certify_steps(
        [
            {
                "kind": "geometric",
                "what": "counts of smokes",
                "amount": "1",
                "noise": [{"counts": "query", "decay": "1"}],
            }
        ],
        unit="epsilon",
        total=Fraction(1),
        guarantee=nw.accounting.Guarantee(1),
    )
    other.save(tmp_path / "synthetic.certificate.json")
    _edited(lambda document: document.update(certificate=other.digest))(tmp_path)
    with pytest.raises(ReleaseError, match="than its certificate has noise for"):
        nw.results.Synthesis.open(out)


def test_counts_whose_noise_was_independent_are_read_as_such(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.parquet"
    made = nw.synthesize(
        DATA, spaces("smokes"), epsilon=1, ledger=None, out=nw.planning.Output(out, report=False)
    )
    (one,) = made.measurements
    assert int(one.counts.sum()) == made.people
    _edited(lambda document: document["measurements"][0].pop("adds_up"))(tmp_path)
    with pytest.raises(ReleaseError, match="adds up to 0 only in one of them"):
        nw.results.Synthesis.open(out)
    (step,) = made.certificate.document["mechanism"]["steps"]
    independent = {k: v for k, v in step["noise"][0].items() if k != "balanced_cells"}

    def certify(noise: dict[str, Any]) -> None:
        proof = certify_steps(
            [{**step, "noise": [noise]}],
            unit="epsilon",
            total=Fraction(1),
            guarantee=nw.accounting.Guarantee(1),
        )
        proof.save(tmp_path / "synthetic.certificate.json")
        _edited(lambda document: document.update(certificate=proof.digest))(tmp_path)

    certify({**independent, "decay": "1/4"})
    with pytest.raises(ReleaseError, match="noise of its counts of smokes is not that of"):
        nw.results.Synthesis.open(out)
    certify(independent)
    (other,) = nw.results.Synthesis.open(out).measurements
    assert (one.noise.balanced_cells, other.noise.balanced_cells) == (2, None)
    assert other.deviation > 1.9 * one.deviation


def test_conditions_of_your_own_are_named_and_not_read_back(tmp_path: Path) -> None:
    domain = nw.Records(visits=nw.Counts(5))
    odd = nw.workloads.Workload.predicates(
        domain, {"odd": lambda v: v % 2 == 1}, columns=["visits"]
    )
    out = tmp_path / "synthetic.parquet"
    made = nw.synthesize(
        DATA, epsilon=1, ledger=None, out=nw.planning.Output(out, report=False), workload=odd
    )
    again = nw.results.Synthesis.open(out)
    assert again.errors == made.errors
    assert again.errors.parts[0].name == "odd"
    with pytest.raises(ReleaseError, match="your own conditions"):
        _ = again.workload


def test_without_the_certificate_all_else_can_be_read(tmp_path: Path) -> None:
    out = tmp_path / "synthetic.parquet"
    made = nw.synthesize(
        DATA, spaces("smokes"), epsilon=1, ledger=None, out=nw.planning.Output(out, report=False)
    )
    assert "report" not in made.files
    (tmp_path / "synthetic.certificate.json").unlink()
    again = nw.results.Synthesis.open(out)
    assert again.rows == made.rows
    with pytest.raises(ReleaseError, match=made.certificate_digest):
        _ = again.certificate
