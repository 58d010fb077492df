"""What happens to a release when the world is against it: before the debit nothing is spent, after
it nothing is released, and the message says what to do."""

import contextlib
import os
import re
import resource
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import (
    DataError,
    InputError,
    LedgerError,
    NoisewrightError,
    OutsideSpaceError,
    TargetError,
)
from noisewright.releases import drawing
from noisewright.releases.files.staging import remove_stale, staging_beside
from tests.faults.release_runs import Runs, release_runs
from tests.releases.survey import PLAN, SECRET, Survey, make_survey, records

RAW = ["budget.db", "plan.toml", "survey.csv"]


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey(tmp_path)


@pytest.fixture(scope="module")
def runs() -> Generator[Runs]:
    with release_runs() as started:
        yield started


def refused(survey: Survey, kind: type[NoisewrightError], **changed: Any) -> str:
    """Release, and expect to be refused before anything was spent or written."""
    before = survey.names()
    options: dict[str, Any] = {"out": survey.out, "ledger": survey.ledger, **changed}
    with pytest.raises(kind) as problem:
        nw.release(options.pop("data", survey.csv), PLAN, **options)
    assert survey.states() == []
    assert survey.names() == before
    said = " ".join([str(problem.value), *getattr(problem.value, "__notes__", [])])
    assert SECRET not in said
    return said


def over(path: Path) -> nw.planning.Output:
    """Whatever lies there, replace it."""
    return nw.planning.Output(path, overwrite=True)


# Before the debit.


def test_the_input_is_never_the_output(survey: Survey) -> None:
    raw = survey.csv.read_bytes()
    for out in (survey.csv, survey.folder / "." / "survey.csv"):
        assert "would be overwritten" in refused(survey, TargetError, out=over(out))
    link = survey.folder / "link.csv"
    link.symlink_to("survey.csv")
    assert "would be overwritten" in refused(survey, TargetError, out=over(link))
    os.link(survey.csv, survey.folder / "hard.csv")
    hard = survey.folder / "hard.csv"
    assert "would be overwritten" in refused(survey, TargetError, out=over(hard))
    assert survey.csv.read_bytes() == raw


def test_the_output_is_not_inside_of_the_input(survey: Survey) -> None:
    (survey.folder / "raw").mkdir()
    pq.write_table(survey.table(), survey.folder / "raw" / "a.parquet")
    inside = survey.folder / "raw" / "private.parquet"
    said = refused(survey, TargetError, data=survey.folder / "raw", out=inside, dataset="survey")
    assert "raw rows would be mixed" in said


def test_a_missing_folder_is_named(survey: Survey) -> None:
    said = refused(survey, TargetError, out=survey.folder / "no" / "private.parquet")
    assert f"there is no folder '{survey.folder}/no'. Make it" in said


def test_a_folder_or_an_unknown_format_is_no_target(survey: Survey) -> None:
    (survey.folder / "there.parquet").mkdir()
    for overwrite in (False, True):
        there = nw.planning.Output(survey.folder / "there.parquet", overwrite=overwrite)
        assert "is a folder" in refused(survey, TargetError, out=there)
    for folder in (".", "..", "/", ""):
        assert "is a folder" in refused(survey, TargetError, out=folder)
    assert "format" in refused(survey, TargetError, out=survey.folder / "private.xls")


def test_lists_that_no_text_can_hold_cost_nothing(survey: Survey) -> None:
    """Public lists may hold anything, and an item with the separator would be read as two."""
    private: dict[str, Any] = {"items": nw.Column(nw.Subsets(["a", "b;c"]))}
    public: dict[str, Any] = {"items": "public", "sex": nw.Column(["f", "m"])}
    table = pa.table({"items": [["a"], []], "sex": ["f", "m"]})
    for columns in (private, public):
        plan = nw.Plan(columns, epsilon=1, others="drop")
        out = survey.folder / "private.csv"
        with pytest.raises(TargetError, match="Write Parquet or Feather"):
            nw.release(table, plan, out=out, ledger=survey.ledger, dataset="survey")
        assert survey.states() == []
        assert survey.names() == RAW


def without_rights(work: Callable[[], Any]) -> str:
    """Do something in a forked process that is nobody; return what it says."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            if os.geteuid() == 0:
                os.setegid(65534)
                os.seteuid(65534)
            said = str(work())
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


def test_a_folder_that_may_not_be_written_costs_nothing(survey: Survey) -> None:
    for parent in (survey.folder, *survey.folder.parents):
        if parent.stat().st_uid == os.getuid() and str(parent).startswith("/tmp/"):
            parent.chmod(0o755)
    survey.folder.chmod(0o555)
    said = without_rights(
        lambda: nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    )
    survey.folder.chmod(0o755)
    assert said.startswith("TargetError: cannot write")
    assert "Permission denied. Choose a folder" in said
    assert survey.states() == []
    assert survey.names() == RAW


def a_bad_label(survey: Survey) -> Path:
    lines = survey.csv.read_text().splitlines()
    lines[321] = f"{SECRET},{SECRET},3,north"
    survey.csv.write_text("\n".join(lines))
    return survey.csv


def a_short_row(survey: Survey) -> Path:
    lines = survey.csv.read_text().splitlines()
    lines[321] = SECRET
    survey.csv.write_text("\n".join(lines))
    return survey.csv


def bytes_that_are_no_text(survey: Survey) -> Path:
    lines = survey.csv.read_bytes().splitlines()
    lines[321] = b"\xff\xfe,\xff,3,north"
    survey.csv.write_bytes(b"\n".join(lines))
    return survey.csv


def flipped_bits(survey: Survey) -> Path:
    path = survey.folder / "raw.parquet"
    table = survey.table()
    pq.write_table(
        pa.concat_tables([table] * 9), path, row_group_size=500, write_page_checksum=True
    )
    # In the page of the labels, of which 500 rows take 125 bytes, beyond its header.
    place = pq.read_metadata(path).row_group(4).column(1)
    data = bytearray(path.read_bytes())
    data[place.data_page_offset + 60] ^= 0x55
    path.write_bytes(data)
    return path


def a_truncated_file(survey: Survey) -> Path:
    path = survey.folder / "raw.parquet"
    pq.write_table(survey.table(), path)
    path.write_bytes(path.read_bytes()[:-200])
    return path


DAMAGES = [a_bad_label, a_short_row, bytes_that_are_no_text, flipped_bits, a_truncated_file]


@pytest.mark.parametrize("damage", DAMAGES)
def test_input_that_is_corrupted_in_the_middle_costs_nothing(
    survey: Survey, damage: Callable[[Survey], Path]
) -> None:
    said = refused(survey, InputError, data=damage(survey), dataset="survey")
    if damage in (a_bad_label, a_short_row, bytes_that_are_no_text):
        assert "row 321" in said
    if damage is a_bad_label:
        assert "'job'" in said


def test_a_missing_input_is_named(survey: Survey) -> None:
    said = refused(survey, InputError, data=survey.folder / "servey.csv", dataset="survey")
    assert "servey.csv" in said


def test_a_ledger_from_the_future_is_left_alone(survey: Survey) -> None:
    with closing(sqlite3.connect(survey.ledger)) as database:
        database.execute("UPDATE noisewright_ledger SET version = 4")
        database.commit()
    before = survey.ledger.read_bytes()
    with pytest.raises(LedgerError, match=r"has version 4.*install the newer noisewright"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert survey.ledger.read_bytes() == before
    assert survey.names() == RAW


def test_an_altered_ledger_releases_nothing(survey: Survey) -> None:
    with closing(sqlite3.connect(survey.ledger)) as database:
        database.execute("DROP TRIGGER noisewright_entries_no_update")
        database.execute("UPDATE noisewright_entries SET epsilon = '99' WHERE kind = 'grant'")
        database.commit()
    with pytest.raises(LedgerError, match="Release nothing from it"):
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert survey.names() == RAW


@pytest.mark.parametrize("moment", ["while it is checked", "between check and debit"])
def test_input_that_changes_before_the_debit_costs_nothing(survey: Survey, moment: str) -> None:
    def meddle(step: str, rows: int, total: int | None) -> None:
        if step == "check" and (rows == 500 or moment == "while it is checked"):
            with survey.csv.open("a") as file:
                file.write(f"{SECRET},nurse,3,north\n")

    said = refused(survey, DataError, progress=meddle)
    assert "was changed while it was being read. Nothing was spent." in said
    assert "Give a copy that nobody writes to" in said


# After the debit.


def wasted(survey: Survey, kind: type[BaseException], **changed: Any) -> str:
    """Release, and expect an error after the debit: it is marked, and nothing is there."""
    before = survey.names()
    options: dict[str, Any] = {"out": survey.out, "ledger": survey.ledger, **changed}
    with pytest.raises(kind) as problem:
        nw.release(options.pop("data", survey.csv), options.pop("plan", PLAN), **options)
    assert survey.states() == ["wasted"]
    assert nw.Ledger.open(survey.ledger).history()[-1].what == kind.__name__
    assert survey.names() == before
    said = " ".join([str(problem.value), *getattr(problem.value, "__notes__", [])])
    assert "Nothing was released. The debit of epsilon=2 (entry " in said
    assert ".noisewright" not in said
    assert SECRET not in said
    return said


def append_a_row(survey: Survey) -> None:
    with survey.csv.open("a") as file:
        file.write(f"{SECRET},nurse,3,north\n")


def change_a_cell(survey: Survey) -> None:
    lines = survey.csv.read_text().splitlines()
    lines[7] = f"{SECRET},clerk,9,south"
    survey.csv.write_text("\n".join(lines) + "\n")


def make_a_cell_wrong(survey: Survey) -> None:
    lines = survey.csv.read_text().splitlines()
    lines[7] = f"{SECRET},{SECRET},9,south"
    survey.csv.write_text("\n".join(lines) + "\n")


def replace_the_file(survey: Survey) -> None:
    other = survey.folder / "other.csv"
    other.write_text(survey.csv.read_text())
    other.rename(survey.csv)


MEDDLING = [append_a_row, change_a_cell, make_a_cell_wrong, replace_the_file]


def between_debit_and_draw(monkeypatch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
    spend = nw.Ledger.spend

    def spent(*arguments: Any, **options: Any) -> Any:
        reservation = spend(*arguments, **options)
        work()
        return reservation

    monkeypatch.setattr(nw.Ledger, "spend", spent)


@pytest.mark.parametrize("meddle", MEDDLING)
def test_input_that_changes_between_check_and_draw_wastes_the_debit(
    survey: Survey, meddle: Callable[[Survey], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables that are too large to keep their codes are read a second time."""
    monkeypatch.setattr(drawing, "KEPT", 0)
    between_debit_and_draw(monkeypatch, lambda: meddle(survey))
    kind = OutsideSpaceError if meddle is make_a_cell_wrong else DataError
    said = wasted(survey, kind)
    if kind is DataError:
        assert "change" in said


@pytest.mark.parametrize("meddle", MEDDLING)
def test_input_that_is_kept_in_memory_may_change_meanwhile(
    survey: Survey, meddle: Callable[[Survey], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    between_debit_and_draw(monkeypatch, lambda: meddle(survey))
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )
    assert (made.rows, survey.states()) == (500, ["released"])


def test_an_interruption_while_drawing_wastes_the_debit(survey: Survey) -> None:
    def interrupt(step: str, rows: int, total: int | None) -> None:
        if step == "draw":
            raise KeyboardInterrupt

    wasted(survey, KeyboardInterrupt, progress=interrupt)
    # The next one is not in its way.
    nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )


def test_an_interruption_after_the_last_rename_is_a_release(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def interrupted(source: Any, target: Any) -> None:
        replace(source, target)
        if str(target) == str(survey.out):
            raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt) as problem:
        nw.release(
            survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
        )
    assert "final name, and is accounted for" in " ".join(problem.value.__notes__)
    assert survey.states() == ["released"]
    assert nw.results.Release.open(survey.out).rows == 500


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Callable[[int], Path]]:
    place = tmp_path / "disk"
    place.mkdir()

    def mounted(kilobytes: int) -> Path:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(place)]
        try:
            done = subprocess.run(mount, capture_output=True, check=False)
        except FileNotFoundError:
            pytest.skip("needs: mount")
        if done.returncode:
            pytest.skip("needs: the right to mount a small disk")
        return place

    yield mounted
    with contextlib.suppress(FileNotFoundError):
        subprocess.run(["umount", str(place)], capture_output=True, check=False)


def wide_plan(survey: Survey) -> nw.Plan:
    """Labels of 400 letters: as CSV, 20,000 rows take 8 MB."""
    labels = [letter * 400 for letter in "ab"]
    lines = [labels[number % 2] for number in range(20_000)]
    (survey.folder / "wide.csv").write_text("\n".join(["job", *lines]) + "\n")
    return nw.Plan({"job": nw.Column(labels)}, epsilon=2)


def test_a_disk_that_gets_full_wastes_the_debit_and_leaves_nothing(
    survey: Survey, small_disk: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There is room before the debit; then somebody else writes a large file."""
    plan, place = wide_plan(survey), small_disk(20_000)
    data, out = survey.folder / "wide.csv", place / "private.csv"
    spend = nw.Ledger.spend

    def spend_and_lose_room(*arguments: Any, **options: Any) -> Any:
        (place / "large").write_bytes(bytes(17 << 20))
        return spend(*arguments, **options)

    monkeypatch.setattr(nw.Ledger, "spend", spend_and_lose_room)
    options: Any = {"data": data, "plan": plan, "out": out, "dataset": "survey"}
    said = wasted(survey, TargetError, **options)
    assert f"cannot write {out}: " in said
    assert "No space left on device" in said
    assert [path.name for path in place.iterdir()] == ["large"]


def test_a_disk_that_is_too_small_is_seen_before_the_debit(
    survey: Survey, small_disk: Callable[[int], Path]
) -> None:
    place = small_disk(64)
    said = refused(survey, TargetError, out=place / "private.parquet")
    found = re.search(rf"at least (\d+) kB, and '{place}' has (\d+) kB left\. Free some", said)
    assert found is not None, said
    assert int(found[1]) > int(found[2])
    assert list(place.iterdir()) == []


def test_a_folder_in_which_nothing_can_be_made_is_not_called_busy(survey: Survey) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("needs: /proc")
    said = refused(survey, TargetError, out="/proc/private.parquet")
    assert "cannot write '/proc/private.parquet'" in said
    assert "another process" not in said


def test_a_file_that_may_not_grow_wastes_the_debit(survey: Survey) -> None:
    plan = wide_plan(survey)

    def work() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        with pytest.raises(TargetError) as problem:
            nw.release(
                survey.folder / "wide.csv",
                plan,
                out=survey.folder / "private.csv",
                ledger=survey.ledger,
                dataset="survey",
            )
        return str(problem.value)

    assert "File too large" in in_a_child(work)
    assert survey.states() == ["wasted"]
    assert survey.names() == sorted([*RAW, "wide.csv"])


def in_a_child(work: Callable[[], str]) -> str:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = work()
        except BaseException as problem:
            said = f"{type(problem).__name__}: {problem}"
        os.write(writing, said.encode())
        os._exit(0)
    os.close(writing)
    with open(reading, encoding="utf-8") as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


# Several at once.


@pytest.mark.parametrize(("racers", "fitting"), [(2, 1), (8, 3)])
def test_racing_releases_spend_exactly_what_was_granted(
    tmp_path: Path, runs: Runs, racers: int, fitting: int
) -> None:
    survey = make_survey(tmp_path, epsilon=2 * fitting)
    wanted = [
        {
            "data": survey.csv,
            "plan": survey.plan,
            "ledger": survey.ledger,
            "out": survey.folder / f"private{number}.parquet",
        }
        for number in range(racers)
    ]
    said = runs.race(wanted)
    assert said.count("released") == fitting
    assert all(one.startswith("OverBudgetError") for one in said if one != "released")
    assert survey.states() == ["released"] * fitting
    out = sorted(survey.folder.glob("*.parquet"))
    assert len(out) == fitting
    assert all(nw.results.Release.open(path).rows == 500 for path in out)
    assert nw.Ledger.open(survey.ledger).remaining("survey").epsilon.is_zero


def test_racing_releases_to_one_name_do_not_overtake_each_other(tmp_path: Path, runs: Runs) -> None:
    survey = make_survey(tmp_path, epsilon=100)
    wanted = {
        "data": survey.csv,
        "plan": survey.plan,
        "ledger": survey.ledger,
        "out": survey.out,
    }
    said = runs.race([wanted] * 6)
    assert said.count("released") == 1
    others = [one for one in said if one != "released"]
    assert all("another process" in one or "exists already" in one for one in others)
    # Those that came too late spent nothing.
    assert survey.states() == ["released"]
    assert nw.results.Release.open(survey.out).rows == 500


def test_only_what_nobody_holds_is_cleaned_up(tmp_path: Path) -> None:
    left = tmp_path / ".noisewright-release-0123456789abcdef"
    left.mkdir()
    (left / "private.parquet").write_text("half")
    (tmp_path / ".noisewright-release-mine").mkdir()
    (tmp_path / ".other").mkdir()
    with staging_beside(tmp_path / "private.parquet") as held:
        assert not left.exists()
        assert held.folder.exists()
        assert remove_stale(tmp_path) == []
        with (
            pytest.raises(TargetError, match=r"another process is writing .*private\.parquet"),
            staging_beside(tmp_path / "private.parquet"),
        ):
            pass
        # Files of one stem would share the recipe.
        with pytest.raises(TargetError), staging_beside(tmp_path / "private.csv"):
            pass
        with staging_beside(tmp_path / "another.parquet") as second:
            assert second.folder != held.folder
        assert held.folder.exists()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".noisewright-release-mine", ".other"]


def test_a_row_that_is_not_allowed_is_named_and_not_shown(survey: Survey) -> None:
    table = survey.table().set_column(
        2, "visits", [[*(row["visits"] for row in records(499)), None]]
    )
    said = refused(survey, OutsideSpaceError, data=table, dataset="survey")
    assert "'visits'" in said
    assert "row 500" in said
