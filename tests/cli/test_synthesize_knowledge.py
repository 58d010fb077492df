"""`noisewright synthesize` with what is public: zeros, a table to start from, and totals."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import noisewright as nw
from tests.cli.conftest import Program
from tests.releases.people_with_zeros import COLUMNS, DATA, REGIONS, ZEROS, broken, people


def test_the_shell_reads_them_from_files(
    tmp_path: Path, noisewright: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    domain = nw.Records(
        {n: nw.Categories(s) if isinstance(s, list) else s for n, s in COLUMNS.items()}
    )
    nw.workloads.Workload.conjunctions(domain, ZEROS).save("zeros.toml")
    nw.workloads.Workload.marginals(domain).save("others.toml")
    pyarrow.csv.write_csv(DATA, "people.csv")
    pyarrow.parquet.write_table(people(500, seed=2), "last-year.parquet")
    regions = pa.table({"region": list(REGIONS), "count": list(REGIONS.values())})
    pyarrow.csv.write_csv(regions, "regions.csv")
    pyarrow.csv.write_csv(pa.table({"sex": ["male", "female"], "count": [1_499, 1_501]}), "s.csv")
    nw.Plan({n: nw.Column(s) for n, s in COLUMNS.items()}, epsilon=1).save("plan.toml")
    base = ("synthesize", "people.csv", "-p", "plan.toml", "--without-ledger", "--no-report")
    known = ("--prior", "last-year.parquet", "--totals", "regions.csv", "--totals", "s.csv")
    said = noisewright(*base, "-o", "made.parquet", "--zeros", "zeros.toml", *known)
    assert said.code == 0, said
    made = pyarrow.parquet.read_table("made.parquet")
    assert broken(made) == 0
    assert Counter(made["region"].to_pylist()) == REGIONS
    assert Counter(made["sex"].to_pylist()) == {"male": 1_499, "female": 1_501}
    wrong = noisewright(*base, "-o", "more.parquet", "--zeros", "others.toml")
    assert wrong.code
    assert "each zero must be a conjunction" in wrong.err
    over = noisewright(*base, "-o", "last-year.parquet", *known)
    assert over.code
    assert "last-year.parquet" in over.err
