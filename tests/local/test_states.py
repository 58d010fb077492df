"""States of servers: saved whole or not at all, merged once, gone on from after a kill."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.local import Arrivals, CollectionServer, FrequencyCollection
from noisewright.local.seen import SeenNumbers
from noisewright.local.state import pack_state

METHODS = ["response", "projective", "unary", "subset", "hashing", "hadamard"]


def made(method: str | None = "projective") -> FrequencyCollection:
    return nw.local.frequencies(nw.Counts(19), epsilon=1, method=method)


SMALL = made("response")
SMALL_STATE = SMALL.server().add(SMALL.reports([1, 2])).to_bytes()


def same(a: CollectionServer, b: CollectionServer) -> bool:
    return a.arrivals == b.arrivals and bool((a.tally == b.tally).all())


@pytest.mark.parametrize("method", METHODS)
def test_a_state_is_saved_and_gone_on_from(method: str, tmp_path: Path) -> None:
    collected = made(method)
    reports = list(collected.reports(np.arange(60) % 20))
    server = collected.server().add(reports[:40]).add(b"junk").add(collected.reports([1, 2]))
    path = server.save(tmp_path / "state")
    again = collected.server(path)
    assert same(again, server)
    again.add(reports[30:])
    assert again.arrivals == Arrivals(counted=62, damaged=1, repeated=10)
    assert same(server.add(reports[30:]), again)
    assert again.estimate().values.tolist() == server.estimate().values.tolist()


def test_parts_merge_to_the_whole_in_any_order() -> None:
    collected = made()
    reports = list(collected.reports(np.arange(300) % 20))
    whole = collected.server().add(reports)
    parts = [collected.server().add(reports[n::7]).add(b"x" * n) for n in range(7)]
    left = collected.server()
    for part in parts:
        left.add(part)
    right = collected.server()
    for part in reversed(parts):
        right.merge(CollectionServer.from_bytes(part.to_bytes(), collected))
    assert same(left, right)
    assert (left.tally == whole.tally).all()
    assert left.arrivals == Arrivals(counted=300, damaged=7)
    assert left.add(reports[:5]).arrivals.repeated == 5


def test_nothing_is_merged_twice(tmp_path: Path) -> None:
    collected = made()
    for given_ in (collected.reports([1, 2, 3]), list(collected.reports([1, 2, 3]))):
        state = collected.server().add(given_).save(tmp_path / "state")
        one, two = collected.server(state), collected.server(state)
        one.add(collected.reports([4]))
        two.add(collected.reports([5]))
        before = one.to_bytes()
        with pytest.raises(InputError, match="count twice"):  # both go on from one state
            one.merge(two)
        other = collected.server().add(collected.reports([7, 8]))
        with pytest.raises(InputError, match="count twice"):
            one.merge(one)
        assert one.to_bytes() == before
        one.merge(other)
        with pytest.raises(InputError, match="count twice"):
            one.merge(other)
        with pytest.raises(InputError, match="count twice"):
            collected.server().merge(other).merge(one)
        assert one.people == 6


def test_servers_of_other_collections_are_not_merged(tmp_path: Path) -> None:
    a, b = made("projective"), made("hadamard")
    with pytest.raises(InputError, match="digests differ"):
        a.server().merge(b.server())
    with pytest.raises(InputError, match="another collection"):
        a.server(b.server().save(tmp_path / "state"))


@given(st.data())
def test_a_damaged_state_is_refused(data: st.DataObject) -> None:
    collected, state = SMALL, bytearray(SMALL_STATE)
    place = data.draw(st.integers(0, len(state) - 1))
    cut = data.draw(st.booleans())
    broken = bytes(state[:place]) if cut else bytes(state)
    if not cut:
        state[place] ^= data.draw(st.integers(1, 255))
        broken = bytes(state)
    with pytest.raises(InputError, match=r"is damaged|not the saved state"):
        CollectionServer.from_bytes(broken, collected)


def test_paths_that_cannot_be_used(tmp_path: Path) -> None:
    collected = made()
    server = collected.server().add(collected.reports([1]))
    with pytest.raises(InputError):
        server.save(tmp_path / "no folder" / "state")
    with pytest.raises(InputError):
        collected.server(tmp_path / "none")
    with pytest.raises(InputError):
        collected.server(tmp_path)
    assert server.people == 1


def test_a_full_disk_keeps_the_last_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collected = made()
    server = collected.server().add(collected.reports([1, 2]))
    path = server.save(tmp_path / "state")
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    server.add(collected.reports([3]))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="No space left"):
            server.save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["state"]
    server.save(path)
    assert collected.server(path).people == 3


CHILD = """
import sys
import numpy as np
import noisewright as nw
collected = nw.local.frequencies(nw.Counts(19), epsilon=1, method="projective")
server = collected.server(sys.argv[1])
reports = np.load(sys.argv[2])
print("ready", flush=True)
for start in range(server.people, len(reports), 100):
    server.add(reports[start : start + 100])
    server.save(sys.argv[1])
print("done", flush=True)
"""


def test_a_server_that_is_killed_goes_on_from_its_last_state(tmp_path: Path) -> None:
    """Killed at random moments: every state is whole, and in the end each report counts once."""
    collected = made()
    rows = collected.reports(np.arange(10_000) % 20).frames()
    np.save(tmp_path / "reports.npy", rows)
    state = collected.server().save(tmp_path / "state")
    draw, last = Random(os.urandom(8)), 0
    for attempt in range(40):
        command = [sys.executable, "-c", CHILD, str(state), str(tmp_path / "reports.npy")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            if attempt < 3:
                time.sleep(draw.uniform(0.01, 0.15))
                child.send_signal(signal.SIGKILL)
            rest = child.stdout.read()
        saved = collected.server(state)
        assert saved.people % 100 == 0
        assert saved.people >= last
        assert (saved.tally == collected.server().add(rows[: saved.people]).tally).all()
        last = saved.people
        if rest == "done\n":
            break
    assert last == len(rows)
    assert collected.server(state).arrivals == Arrivals(counted=len(rows))


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=12))
def test_numbers_are_new_once(batches: list[list[int]]) -> None:
    seen, known = SeenNumbers(), set[int]()
    for batch in batches:
        numbers = np.array(batch, dtype=np.uint64)
        found = numbers[seen.add(numbers)].tolist()
        assert sorted(found) == sorted(set(batch) - known)
        known |= set(batch)
        assert len(seen) == len(known)
    assert seen.all().tolist() == sorted(known)
    other = SeenNumbers([np.array([3, 5, 99], dtype=np.uint64)])
    assert seen.shared_with(other) == len(known & {3, 5, 99}) == other.shared_with(seen)


def test_single_reports_that_wait_are_in_every_answer() -> None:
    collected = made()
    server = collected.server()
    for one in collected.reports([1, 2, 3]):
        server.add(one)
    assert CollectionServer.from_bytes(server.to_bytes(), collected).people == 3
    for one in collected.reports([1, 2]):
        server.add(one)
    assert collected.server().merge(server).people == 5
    assert server.people == 5


@pytest.mark.parametrize(
    "arrays",
    [
        {"tally": np.zeros(3), "seen": np.empty(0, np.uint64)},
        {"tally": np.array([1, -1, 0]), "seen": np.empty(0, np.uint64)},
        {"tally": np.zeros(3, np.int64), "seen": np.array([2, 1], np.uint64)},
        {"tally": np.zeros(3, np.int64), "seen": np.zeros((1, 1), np.uint64)},
        {"tally": np.zeros(3, np.int64)},
    ],
)
def test_states_that_no_server_writes_are_refused(arrays: Any) -> None:
    collection = nw.local.frequencies(nw.Counts(2), epsilon=1, method="response")
    header = {"digest": collection.digest.hex(), "arrivals": {}, "origins": []}
    with pytest.raises(InputError, match="no server writes"):
        CollectionServer.from_bytes(pack_state(header, arrays), collection)


def test_a_device_takes_no_whole_number_for_a_code() -> None:
    client = nw.local.frequencies(nw.Categories(["1", "2", "3"]), epsilon=1).client()
    assert client.report("1")
    with pytest.raises(OutsideSpaceError):
        client.report(1)


def test_what_is_no_report_at_all_is_named() -> None:
    for odd in (None, 1, "text"):
        with pytest.raises(InputError, match="each must be bytes"):
            SMALL.server().add([odd])


def test_shares_that_a_part_of_the_people_checks_are_about_the_population() -> None:
    words = nw.local.heavy_hitters(bits=24, epsilon=6, people=5_000)
    server = words.server().add(words.reports(["yes", "no"] * 2_500))
    assert server.estimate().estimate.about == "population"
    assert server.estimate(about="people").estimate.about == "people"
