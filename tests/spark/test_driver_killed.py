"""A driver that is killed in mid-release: the debit stands, and nothing that was drawn is seen."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import noisewright as nw
from tests.cli.conftest import PROGRAM
from tests.spark.cluster import environment
from tests.spark.tables import plan

ROWS = 100_000


def killed_while_drawing(command: list[str], place: Path, log: Path) -> None:
    """Run a release and kill its driver, Python alone, once an attempt has begun to write noise."""
    with open(log, "wb") as file:
        driver = subprocess.Popen(command, env=environment(), stdout=file, stderr=file)
    deadline = time.monotonic() + 120
    while not list(place.glob(".*/**/drawn/*")):
        assert driver.poll() is None, f"it ended by itself:\n{log.read_text()}"
        assert time.monotonic() < deadline, "nothing was ever drawn"
        time.sleep(0.005)
    os.kill(driver.pid, signal.SIGKILL)
    assert driver.wait(timeout=60) == -signal.SIGKILL


def test_a_killed_driver_leaves_a_debit_and_no_file(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    given, text, out = tmp_path / "survey.parquet", tmp_path / "plan.toml", place / "p.parquet"
    pq.write_table(
        pa.table({"id": range(ROWS), "job": pa.repeat("cook", ROWS).dictionary_encode()}), given
    )
    plan().save(text)
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=10, data=given)
    command = [str(PROGRAM), "release", str(given), "--plan", str(text), "-o", str(out)]
    command += ["--ledger", str(tmp_path / "budget.db"), "--engine", "spark", "--json"]
    killed_while_drawing(command, place, tmp_path / "log")

    # Debited before the draw, and neither released nor refunded.
    (spend,) = [entry for entry in ledger.history() if entry.kind == "spend"]
    assert ledger.state(spend.sequence) == "reserved"
    assert ledger.remaining("people") == nw.accounting.Guarantee(8, 0)
    # What was drawn is in a folder that only its owner can open, under no name that anyone reads.
    assert all(path.name.startswith(".") for path in place.iterdir())
    (drawn,) = place.glob(".*/**/drawn")
    assert drawn.parent.stat().st_mode & 0o077 == 0

    # The next release into the same place goes through, and takes away what was left.
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert pq.read_table(out).num_rows == ROWS
    assert not [path for path in place.iterdir() if path.name.startswith(".")]
    assert ledger.remaining("people") == nw.accounting.Guarantee(6, 0)
    ledger.verify()
