"""A loss of power at any moment: no release is unaccounted, and no half file has a final name.

A story is recorded once: a ledger, two releases to one name, a synthetic table. Then its writes are
replayed up to every moment, with what no sync had covered lost in whole, in part or not at all.
"""

import json
import shutil
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import noisewright as nw
from tests.faults.power_loss import Recording, recorded

_STORY = """
import os
import noisewright as nw

said = os.open({said!r}, os.O_WRONLY | os.O_CREAT)
def say(words):
    os.write(said, words.encode() + b"\\n")

os.chdir({root!r})
where = lambda name: os.path.join({root!r}, name)
plan = nw.Plan({{"sex": nw.Column(["a", "b"])}}, epsilon=1)
rows = {{"sex": ["a", "b"] * 30}}
import pyarrow as pa
table = pa.table(rows)
ledger = nw.Ledger.create(where("budget.db"))
ledger.grant("people", epsilon=9)
say("granted")
for number in (1, 2):
    drawn = []
    def progress(step, *_):
        if step == "draw" and not drawn:
            drawn.append(say("drawing"))
    out = nw.planning.Output(where("out.csv"), overwrite=True, report=False)
    nw.release(table, plan, out=out, ledger=ledger, dataset="people", progress=progress)
    say(f"released out.csv {{number}}")
with ledger.spend("people", nw.accounting.Guarantee(1), what="by hand"):
    say("drawing")
out = nw.planning.Output(where("made.csv"), report=False)
nw.synthesize(table, plan, out=out, ledger=ledger, dataset="people")
say("released made.csv 1")
"""


@dataclass(frozen=True)
class Story:
    """What was recorded, and every whole content that a final name ever had."""

    recording: Recording
    contents: dict[str, list[bytes]]

    def check(self, folder: Path, point: int, lost: set[int]) -> None:
        self.recording.write_state(folder, point, lost)
        said = self.recording.said(point)
        where = folder / "budget.db"
        if not where.exists():
            assert not said, (point, lost, said)
            assert not any(folder.glob("[!.]*")), (point, lost)
            return
        ledger = nw.Ledger.open(where)
        entries = ledger.history()
        spends = [entry for entry in entries if entry.kind == "spend"]
        assert (entries[0].kind == "grant") if entries else "granted" not in said
        # Noise is drawn when a spend is on record, whatever happens to the disk afterwards.
        assert len(spends) >= said.count("drawing"), (point, lost)
        for name, known in self.contents.items():
            found = (folder / name).read_bytes() if (folder / name).exists() else None
            assert found is None or found in known, (point, lost, name)
            if found is not None and name == "out.csv":
                assert len(spends) >= 1 + known.index(found), (point, lost)
            if found is not None and name == "made.csv":
                assert len(spends) == 4, (point, lost)
            if name.endswith(".json") and found is not None:
                json.loads(found)
        for words in said:
            if words.startswith("released"):
                _, name, number = words.split()
                assert (folder / name).exists(), (point, lost)
                index = self.contents[name].index((folder / name).read_bytes())
                assert index >= int(number) - 1, (point, lost)


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    base = tmp_path_factory.mktemp("power")
    (base / "disk").mkdir()
    said = base / "said"
    script = _STORY.format(said=str(said), root=str(base / "disk"))
    recording = recorded(script, base / "disk", said)
    contents: dict[str, list[bytes]] = {}
    for point in range(len(recording.steps) + 1):
        if point and recording.steps[point - 1].kind != "name":
            continue
        for path, content in recording.names(point).items():
            name = Path(path).relative_to(recording.root).as_posix()
            is_final = not name.startswith(".") and not name.startswith("budget.db")
            known = contents.setdefault(name, []) if is_final else []
            if is_final and content not in known:
                known.append(content)
    return Story(recording, contents)


@pytest.fixture
def disk() -> Generator[Iterator[Path]]:
    """Empty folders, one for each state; in memory, because nothing here asks for a sync."""
    import tempfile

    shared = Path("/dev/shm")
    base = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))

    def folders() -> Iterator[Path]:
        while True:
            made = base / "state"
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            yield made

    yield folders()
    shutil.rmtree(base)


def test_the_recording_is_the_story(story: Story) -> None:
    """Replayed to its end, it gives the files that are there; and there is something to lose."""
    steps = story.recording.steps
    root = Path(story.recording.root)
    found = story.recording.names(len(steps))
    assert {Path(name): content for name, content in found.items()} == {
        path: path.read_bytes() for path in root.rglob("*") if path.is_file()
    }
    assert [len(story.contents[name]) for name in ("out.csv", "made.csv")] == [2, 1]
    assert story.recording.said(len(steps))[0] == "granted"
    assert any(len(story.recording.pending(point)) > 3 for point in range(len(steps)))


def test_at_every_sync_everything_and_nothing_of_the_rest_is_there(
    story: Story, disk: Iterator[Path]
) -> None:
    """At each moment before something becomes durable or is said, and at the end."""
    steps = story.recording.steps
    for point in range(len(steps) + 1):
        kind = steps[point].kind if point < len(steps) else "end"
        if kind not in ("sync", "sync folder", "said", "end"):
            continue
        pending = story.recording.pending(point)
        data = {place for place in pending if steps[place].kind in ("write", "truncate")}
        for lost in ({*pending}, {*pending} - data, data):
            story.check(next(disk), point, lost)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**16), st.integers(0, 2**64 - 1))
def test_any_part_of_the_rest_may_be_lost(
    story: Story, disk: Iterator[Path], moment: int, choice: int
) -> None:
    point = moment % (len(story.recording.steps) + 1)
    pending = story.recording.pending(point)
    lost = {place for n, place in enumerate(pending) if choice >> (n % 64) & 1}
    story.check(next(disk), point, lost)


@pytest.mark.parametrize("broken", ["no sync of files", "no sync of folders"])
def test_without_syncs_the_same_checks_fail(
    story: Story, disk: Iterator[Path], broken: str
) -> None:
    """The checks can fail: what is never synced can be lost."""
    kind = "sync" if broken == "no sync of files" else "sync folder"
    kept = [step for step in story.recording.steps if step.kind != kind]
    other = Story(Recording(story.recording.root, kept), story.contents)
    with pytest.raises((AssertionError, nw.errors.LedgerError)):
        test_at_every_sync_everything_and_nothing_of_the_rest_is_there(other, disk)
