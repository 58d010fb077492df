"""RAPPOR end to end: devices with a memo, reports that travel, a server that decodes."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError
from noisewright.local.wire import AFTER, BEFORE

MADE = nw.local.rappor(bits=20, hashes=2, cohorts=4, f="1/2", p="1/4", q="3/4", name="home page")
BASIC = nw.local.rappor(candidates=["red", "green", "blue"], f="1/4", p="1/4", q="3/4")


def bits_of(report: bytes) -> tuple[int, np.ndarray]:
    payload = report[BEFORE:-AFTER]
    dense = np.unpackbits(np.frombuffer(payload[2:], np.uint8), bitorder="little")
    return int.from_bytes(payload[:2], "little"), dense[:20]


def test_a_device_with_a_memo_draws_its_permanent_response_once(tmp_path: Path) -> None:
    """400 reports from 4 clients of one memo: all of one cohort, each bit near p or q."""
    reports = []
    client = MADE.collection.client(memo=tmp_path / "memo.db")
    for _ in range(4):
        client = MADE.collection.client(memo=tmp_path / "memo.db")
        reports += [bits_of(client.report("example.org")) for _ in range(100)]
    assert len({cohort for cohort, _ in reports}) == 1
    rates = np.mean([bits for _, bits in reports], axis=0)
    # 0.25 or 0.75 with deviations of 0.022; without a memo they would be 0.375 and 0.625.
    assert np.minimum(abs(rates - 0.25), abs(rates - 0.75)).max() < 0.11
    assert client.memo is not None
    assert (client.memo.use.answers, client.memo.use.reports) == (1, 400)
    client.report("example.com")
    assert client.memo.use.answers == 2


def test_numbers_of_numpy_are_the_same_value_to_a_memo(tmp_path: Path) -> None:
    made = nw.local.rappor(candidates=nw.Categories([1, 2]), f="1/2")
    client = made.collection.client(memo=tmp_path / "memo.db")
    # One-time RAPPOR sends the permanent response itself.
    sent = {client.report(value)[BEFORE:-AFTER] for value in (1, np.int64(1), 1) for _ in range(9)}
    assert len(sent) == 1


def test_devices_without_a_memo_have_the_law_of_first_reports() -> None:
    client = MADE.collection.client()
    reports = [bits_of(client.report("x")) for _ in range(3000)]
    cohorts = Counter(cohort for cohort, _ in reports)
    # 750 each, with a deviation of 23.7.
    assert max(abs(cohorts[c] - 750) for c in range(4)) < 190
    for cohort in range(4):
        rate = np.mean([bits for c, bits in reports if c == cohort], axis=0)
        truth = np.full(20, 0.375)
        truth[MADE.positions("x", cohort=cohort)] = 0.625
        # Deviations below 0.021 for 560 reports or more: eight of them.
        assert abs(rate - truth).max() < 0.17


@pytest.mark.parametrize("made", [MADE, BASIC])
def test_a_specification_opens_as_the_same_collection(
    made: nw.local.Rappor, tmp_path: Path
) -> None:
    path = made.collection.save(tmp_path / "spec.json")
    again = nw.local.open_collection(path)
    assert again.digest == made.collection.digest
    changed = {**made.collection.specification, "f": "1/3"}
    with pytest.raises(InputError, match="was changed"):
        nw.local.open_collection(changed)


def test_a_server_decodes_what_devices_sent(tmp_path: Path) -> None:
    texts = ["a.org"] * 15_000 + ["b.org"] * 5_000
    collection = MADE.collection
    first, second = collection.server(), collection.server()
    first.add(collection.reports(texts[::2]))
    second.add(collection.reports(texts[1::2]).frames())
    client = collection.client(memo=tmp_path / "memo.db")
    second.add(client.report("a.org"))
    second.save(tmp_path / "state")
    first.merge(collection.server(tmp_path / "state"))
    found = first.estimate(candidates=["a.org", "b.org", "c.org"])
    assert found.found[:2] == ["a.org", "b.org"]
    # Standard errors are 0.011 or so.
    assert abs(found.estimate["a.org"].value - 0.75) < 0.1
    assert first.people == 20_001


def test_damaged_and_impossible_reports_are_counted_as_such() -> None:
    collection, server = MADE.collection, MADE.collection.server()
    good = collection.reports(["a"] * 5)
    payload = good.payload.copy()
    payload[0, 0] = 4  # a cohort too many
    payload[1, -1] |= 128  # a bit beyond the last
    server.add(nw.local.Reports(collection, payload))
    server.add(good.frames()[0].tobytes()[:-1])
    server.add(next(iter(BASIC.collection.reports(["red"]))))
    arrived = server.arrivals
    assert (arrived.counted, arrived.impossible, arrived.damaged, arrived.foreign) == (3, 2, 1, 1)


def test_reports_of_a_collection_have_one_length_and_their_law() -> None:
    """By positions, as Spark draws them, and by texts."""
    texts = ["x"] * 4000
    codes = MADE.collection.encode(texts)
    assert codes.shape == (4000, 8)
    drawn = MADE.collection.randomizer.draw(codes)
    assert drawn.shape == MADE.collection.reports(texts).payload.shape == (4000, 5)
    counts = MADE.collection.randomizer.new_tally()
    MADE.collection.randomizer.tally(drawn, counts)
    truth = [float(MADE.chance_set if bit in MADE.positions("x", cohort=2) else MADE.chance_unset)
             for bit in range(20)]  # fmt: skip
    # Some 1,000 reports of the cohort: deviations below 0.017.
    assert abs(counts[2, 1:] / counts[2, 0] - truth).max() < 0.14


def test_what_a_collection_promises_and_plans() -> None:
    collection = MADE.collection
    assert collection.guarantee.epsilon == MADE.epsilon_one
    assert nw.check(collection.certificate())
    assert "any number of reports" in str(collection.certificate(reports=None).unit)
    plan = collection.plan(people=100_000)
    # p*(1 − p*) / (gap² h) with p* = 3/8 and a gap of 1/4.
    assert plan.variance == pytest.approx(0.375 * 0.625 * 16 / 2)
    assert "home page" in repr(collection)
    sure = nw.local.rappor(bits=8, f=0)
    with pytest.raises(ParameterError, match="no epsilon"):
        _ = sure.collection.guarantee
