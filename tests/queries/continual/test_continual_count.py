"""Continual counts: their guarantee, their debit, their errors, and what may happen to a file."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.queries.continual import continual_count
from noisewright.queries.continual.count_scheme import PricedCount
from noisewright.queries.noise import CellNoise
from noisewright.sampling import SeededSource


def create(path: Path, **options: Any) -> nw.ContinualCount:
    full: dict[str, Any] = {"steps": 12, "epsilon": 1, "ledger": None} | options
    return nw.ContinualCount.create(path, **full)


def test_a_count_goes_on_from_its_file(tmp_path: Path) -> None:
    where = tmp_path / "cases.count"
    create(where, epsilon=60)
    for day in range(1, 13):
        made = nw.ContinualCount.open(where).add(day, label=f"day {day}", step=day)
        assert (made.step, made.label, made.count) == (day, f"day {day}", day)
        assert made.total == day * (day + 1) // 2
        assert made.total_low <= made.total <= made.total_high
    table = nw.ContinualCount.open(where).table
    assert table["label"].to_pylist() == [f"day {day}" for day in range(1, 13)]
    saved = nw.ContinualCount.open(where).save(tmp_path / "cases.csv")
    assert len(saved.read_text().splitlines()) == 13


def test_no_step_after_the_last_and_none_out_of_turn(tmp_path: Path) -> None:
    count = create(tmp_path / "c", steps=2)
    with pytest.raises(nw.errors.ParameterError, match="the next step is 1"):
        count.add(3, step=2)
    for bad in (-1, 1.5, True, "3", 1 << 60):
        with pytest.raises(nw.errors.ParameterError, match="count"):
            count.add(bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(nw.errors.ParameterError, match="label"):
        count.add(1, label="a\nb")
    assert count.published == 0
    count.add(np.int64(3))  # pyright: ignore[reportArgumentType]
    count.add(4)
    with pytest.raises(nw.errors.InputError, match="all 2 steps are published"):
        count.add(5)


@pytest.mark.parametrize("delta", [0, "1e-6"])
@pytest.mark.parametrize("change", ["replace", "add or remove"])
@pytest.mark.parametrize("person", [None, nw.Person("patient", rows=3)])
def test_the_certificate_holds_and_says_for_whom(
    tmp_path: Path, delta: Any, change: Any, person: Any
) -> None:
    count = create(tmp_path / "c", steps=400, delta=delta, change=change, person=person)
    assert nw.check(count.certificate)
    assert count.guarantee.epsilon.rational == 1
    assert ("replacing" in str(count.certificate.unit)) == (change == "replace")
    assert ("all rows of one person" in str(count.certificate.unit)) == (person is not None)
    forged = count.certificate.document | {"claims": dict(count.certificate.document["claims"])}
    forged["claims"]["epsilon"] = {"rational": "99/100"}
    assert not nw.check(forged)


def test_more_rows_of_a_person_need_more_noise() -> None:
    def error(**options: Any) -> float:
        found = nw.ContinualCount.predict(steps=30, epsilon="0.1", **options)
        return float(found["standard_error"][0].as_py())

    alone = error(change="add or remove")
    assert error(change="replace") == pytest.approx(2 * alone, rel=0.01)
    thrice = error(change="add or remove", person=nw.Person("patient", rows=3))
    assert thrice == pytest.approx(3 * alone, rel=0.01)


@pytest.mark.parametrize("options", [{"epsilon": "1/2"}, {"epsilon": 1, "delta": "1e-6"}])
def test_errors_are_as_predicted_and_intervals_cover(options: dict[str, Any]) -> None:
    runs, steps = 2000, 60
    predicted = nw.ContinualCount.predict(steps=steps, **options)
    full: dict[str, Any] = {"delta": 0, "person": None, "change": "replace"} | options
    scheme = PricedCount.of(steps, **full).scheme
    every, source = np.arange(1, steps + 1), SeededSource(5)
    sizes = [steps // width for width in scheme.tree.widths]
    draws = scheme.noise.draw(runs * sum(sizes), source).reshape(runs, -1)
    wrong = np.array(
        [scheme.law.totals(np.split(row, np.cumsum(sizes)[:-1]), every) for row in draws]
    )
    ratio = (wrong**2).mean(axis=0) / predicted["standard_error"].to_numpy() ** 2
    # A mean of 2,000 squares, of kurtosis up to 6: 0.05 is a standard error.
    assert np.abs(ratio - 1).max() < 0.3
    covered = (np.abs(wrong) <= predicted["within"].to_numpy()).mean(axis=0)
    assert covered.min() > 0.93 - 0.025
    assert covered.max() < 0.97 + 0.02


@pytest.mark.parametrize(("steps", "epsilon"), [(5, 3), (30, 10), (100, 10)])
def test_intervals_cover_where_noise_takes_few_values(steps: int, epsilon: int) -> None:
    """Sums of a few whole numbers jump past 95%, and must not stop before it."""
    runs, change = 4000, "add or remove"
    within = nw.ContinualCount.predict(steps=steps, epsilon=epsilon, change=change)["within"]
    scheme = PricedCount.of(steps, epsilon, 0, None, change).scheme
    sizes = [steps // width for width in scheme.tree.widths]
    draws = scheme.noise.draw(runs * sum(sizes), SeededSource(6)).reshape(runs, -1)
    every = np.arange(1, steps + 1)
    wrong = [scheme.law.totals(np.split(row, np.cumsum(sizes)[:-1]), every) for row in draws]
    # 0.0034 is a standard error.
    assert (np.abs(wrong) <= within.to_numpy()).mean(axis=0).min() > 0.95 - 0.02


def test_one_debit_pays_for_all_steps(tmp_path: Path) -> None:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("clinic", epsilon=1, rows=1)
    count = create(tmp_path / "c", ledger=ledger, dataset="clinic")
    assert count.entry is not None
    for _ in range(3):
        count.add(5)
    assert ledger.balance("clinic").left.epsilon.rational == 0
    with pytest.raises(nw.errors.OverBudgetError):
        create(tmp_path / "d", ledger=ledger, dataset="clinic")
    assert not (tmp_path / "d").exists()
    with pytest.raises(nw.errors.EntropyError):
        count.add(5, source=SeededSource(1))
    with pytest.raises(nw.errors.InputError, match="exists already"):
        create(tmp_path / "c", ledger=ledger, dataset="clinic")
    assert ledger.verify()


def test_the_file_is_the_owner_s_and_other_files_are_refused(tmp_path: Path) -> None:
    create(tmp_path / "c")
    assert stat.S_IMODE(os.stat(tmp_path / "c").st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]
    with pytest.raises(nw.errors.InputError, match="no continual count"):
        nw.ContinualCount.open(tmp_path / "none")
    (tmp_path / "text").write_text("a,b\n1,2\n" * 500)
    with pytest.raises(nw.errors.InputError, match="no file of a continual count"):
        nw.ContinualCount.open(tmp_path / "text")
    nw.Ledger.create(tmp_path / "budget.db")
    with pytest.raises(nw.errors.InputError, match="no file of a continual count"):
        nw.ContinualCount.open(tmp_path / "budget.db")
    with pytest.raises(nw.errors.InputError, match="folder"):
        create(tmp_path / "missing" / "c")


_ADD = """
import sys
import noisewright as nw
count = nw.ContinualCount.open(sys.argv[1])
for _ in range(3):
    print(count.add(1).step, flush=True)
"""


def test_processes_at_once_publish_each_step_once(tmp_path: Path) -> None:
    create(tmp_path / "c", steps=12, epsilon=60)
    command = [sys.executable, "-c", _ADD, str(tmp_path / "c")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    steps = [
        int(line) for process in running for line in process.communicate(timeout=300)[0].split()
    ]
    assert sorted(steps) == list(range(1, 13))
    assert nw.ContinualCount.open(tmp_path / "c").table["total"][-1].as_py() in range(8, 17)


def test_a_step_that_fails_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = create(tmp_path / "c", steps=400)
    for _ in range(3):
        count.add(2)
    before = count.table

    def fail(*_: Any) -> Any:
        raise OSError("no bits are left")

    for owner, name in ((CellNoise, "draw"), (continual_count, "read_published")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, fail)
            with pytest.raises(OSError, match="no bits"):
                count.add(2)
        assert count.table.equals(before)
    assert count.add(2, step=4).step == 4


def test_a_count_with_seeded_noise_is_marked_for_good(tmp_path: Path) -> None:
    count = create(tmp_path / "c")
    count.add(2)
    assert count.is_private
    assert "NOT PRIVATE" not in repr(count)
    count.add(2, source=SeededSource(1))
    count.add(2)
    again = nw.ContinualCount.open(tmp_path / "c")
    assert not again.is_private
    assert "NOT PRIVATE (seeded noise)" in repr(again)
    assert again.published == 3


_CREATE_ON_A_FULL_DISK = """
import resource, signal, sys
import noisewright as nw
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    nw.ContinualCount.create(sys.argv[1], steps=9, epsilon=1, ledger=None)
except nw.errors.InputError as problem:
    print(problem)
"""


@pytest.mark.parametrize("room", [0, 6_000])
def test_a_disk_without_room_for_the_file_is_a_plain_error(tmp_path: Path, room: int) -> None:
    command = [sys.executable, "-c", _CREATE_ON_A_FULL_DISK, str(tmp_path / "c"), str(room)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert "cannot write" in ended.stdout
    assert list(tmp_path.iterdir()) == []
