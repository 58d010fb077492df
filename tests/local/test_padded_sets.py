"""One item of a padded set: private for all small sets, drawn as stated, and well estimated."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.errors import NoisewrightError, OutsideSpaceError, ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.family import ByteStream
from noisewright.local.padded import PaddedSample, amplified_sample, choose_sample, plain_sample
from noisewright.local.randomizer import LOG2_COIN
from tests.certificates.handmade import certificate, load_checker
from tests.distributions.alarm import Alarm
from tests.oracles.report_tables import padded_matrix, report_matrix

TOTAL = 1 << LOG2_COIN
checker = load_checker()
EPSILONS = [Epsilon.of("1/2"), Epsilon.of(2), Epsilon.log(Fraction(3))]


def rows_of(sets: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    rows = np.full((len(sets), max(map(len, sets))), -1, dtype=np.int64)
    for place, one in enumerate(sets):
        rows[place, : len(one)] = one
    return rows


def every_set(items: int) -> list[tuple[int, ...]]:
    return [s for size in range(items + 1) for s in combinations(range(items), size)]


def breaks(matrix: list[list[Fraction]], epsilon: Epsilon) -> bool:
    """Tell whether some report is likelier on one set than on another by more than e^ε."""
    for column in zip(*matrix, strict=True):
        ratio = max(column) / min(column)
        if epsilon.sign(ratio.numerator, ratio.denominator) > 0:
            return True
    return False


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("items", "largest"), [(1, 1), (3, 1), (4, 2), (4, 3), (2, 5), (5, 2)])
def test_every_pair_of_sets_is_private_and_no_larger_coin_is(
    items: int, largest: int, epsilon: Epsilon
) -> None:
    """Sets larger than `largest` are among them."""
    sample = amplified_sample(items, largest, epsilon)
    keep = sample.response.keep
    assert report_matrix(sample.describe()) == padded_matrix(items, largest, Fraction(keep, TOTAL))
    assert not breaks(padded_matrix(items, largest, Fraction(keep, TOTAL)), epsilon)
    assert breaks(padded_matrix(items, largest, Fraction(keep + 1, TOTAL)), epsilon)


def test_the_checker_proves_what_is_true_of_all_sets_and_nothing_else() -> None:
    """Random coins, and an ε at the edge: a little more or less decides."""
    draw, proven = Random(), 0
    for _ in range(300):
        items, largest, k = draw.randint(1, 4), draw.randint(1, 4), draw.randint(2, 12)
        least = -(-(1 << k) // (items + largest))
        keep = draw.randint(least, (1 << k) - 1)
        matrix = padded_matrix(items, largest, Fraction(keep, 1 << k))
        tight = max(max(column) / min(column) for column in zip(*matrix, strict=True))
        factor = tight * Fraction(draw.choice([999, 1000, 1000, 1001]), 1000)
        if factor < 1:
            continue
        named = {"items": items, "largest": largest, "log2_total": k, "keep": f"{keep:x}"}
        document = certificate({"form": "padded", **named}, "replace", {"ln": str(factor)})
        assert bool(checker.check(document)) == (factor >= tight)
        proven += factor >= tight
    assert proven > 100


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_sets_sent_by_blocks_are_private_without_amplification(epsilon: Epsilon) -> None:
    sample = plain_sample(3, 2, epsilon)
    family = sample.response.family
    inside = sample.own / family.inside
    outside = (1 - sample.own) / (family.outputs - family.inside)
    values = [
        [inside if family.contains(x, y) else outside for y in range(family.outputs)]
        for x in range(5)
    ]
    matrix: list[list[Fraction]] = []
    for chosen in every_set(3):
        padded = [*chosen, *(3 + place for place in range(len(chosen), 2))]
        columns = zip(*(values[x] for x in padded), strict=True)
        matrix.append([sum(column, Fraction(0)) / len(padded) for column in columns])
    assert not breaks(matrix, epsilon)


@pytest.mark.parametrize(("items", "largest"), [(30, 4), (1_000, 12), (40, 1)])
def test_the_one_with_less_variance_is_taken_and_formulas_hold(items: int, largest: int) -> None:
    e = math.e
    amplified = amplified_sample(items, largest, Epsilon.of(1))
    formula = (largest * e + items - 1) / (e - 1) ** 2
    assert amplified.item_variance == pytest.approx(formula, rel=0.03)
    collection = nw.local.items(range(items), largest=largest, epsilon=1)
    plain = plain_sample(items, largest, Epsilon.of(1))
    best = min(amplified.item_variance, plain.item_variance)
    assert collection.randomizer.item_variance == best
    assert "times the variance" in collection.why


SETS = [(), (1,), (0, 2), (0, 1, 2, 3)]


@pytest.mark.parametrize("place", range(len(SETS)))
def test_reports_have_the_stated_law(place: int) -> None:
    """Other sizes of padding and other ε are rejected; the last set is larger than `largest`."""
    alarm, epsilon = Alarm(), Epsilon.of(2)
    sample = amplified_sample(4, 3, epsilon)
    index = every_set(4).index(SETS[place])

    def law(largest: int, by: Any) -> list[float]:
        keep = Fraction(amplified_sample(4, largest, by).response.keep, TOTAL)
        row = padded_matrix(4, largest, keep)[index]
        return [*map(float, row), 0.0, 0.0][:7]

    def draw(size: int) -> NDArray[np.int64]:
        return np.bincount(sample.draw(np.tile(rows_of([SETS[place]]), (size, 1))), minlength=7)

    claims = [law(3, Epsilon.of("3/2")), law(3, Epsilon.of("5/2")), law(2, epsilon)]
    alarm.judge(draw, law(3, epsilon), claims, most=1 << 18)


def test_one_report_at_a_time_has_the_same_law() -> None:
    alarm, epsilon, chosen = Alarm(), Epsilon.of(3), (0, 2)
    sample = amplified_sample(3, 3, epsilon)
    stream = ByteStream()

    def draw(size: int) -> NDArray[np.int64]:
        code = np.array(chosen)
        found = [sample.draw_one(code, stream)[0] for _ in range(size)]
        return np.bincount(found, minlength=6)

    def law(keep: int) -> list[float]:
        matrix = padded_matrix(3, 3, Fraction(keep, TOTAL))
        return [float(p) for p in matrix[every_set(3).index(chosen)]]

    keep = sample.response.keep
    alarm.judge(draw, law(keep), [law(keep * 3 // 4), law(TOTAL // 6)], most=1 << 14)


def test_the_last_dummy_tells_how_many_sets_are_small() -> None:
    """At a large ε reports are what was drawn: 600 of 1,000 sets have fewer than 3 items."""
    collection = nw.local.items([*"abcdef"], largest=3, epsilon=30)
    sets = [["a"]] * 600 + [["a", "b", "c"]] * 250 + [[*"abcdef"]] * 150
    server = collection.server().add(collection.reports(sets * 60))
    found = server.estimate()
    # Standard error of 600 of 1,000, drawn with 1/3: below 0.004; ten of them.
    assert collection.share_of_smaller(server.tally, server.people) == pytest.approx(0.6, abs=0.04)
    assert found["a"].value == pytest.approx(0.85 + 0.15 / 2, abs=0.04)
    assert found["b"].value == pytest.approx(0.25 + 0.15 / 2, abs=0.04)
    assert "counts as 3/m of a person" in found.notes[0]


@pytest.mark.parametrize("largest", [1, 3])
def test_intervals_cover(largest: int) -> None:
    """1,500 collections of 400 people, some of whom have more than `largest` items.

    Intervals that cover in 95% of the collections are called short of 93% if fewer than 88.4% do,
    with probability below 1e-12 for each item (Chernoff: 1,500 KL(0.884, 0.95) > ln 1e12).
    """
    items, people, runs = 8, 400, 1500
    collection = nw.local.items(range(items), largest=largest, epsilon=2)
    have = np.random.default_rng(16).random((people, items)) < np.linspace(0.7, 0.02, items)
    sizes = have.sum(axis=1)
    weights = np.minimum(1.0, largest / np.maximum(sizes, 1))
    truth = (have * weights[:, None]).mean(axis=0)
    assert (sizes > largest).any()
    drawn = collection.reports(np.tile(have, (runs, 1))).payload.reshape(runs, people)
    covered, errors = np.zeros(items), np.zeros((runs, items))
    for run, payload in enumerate(drawn):
        tally = collection.randomizer.new_tally()
        collection.randomizer.tally(payload, tally)
        found = collection.estimate_from(tally, people)
        covered += (found.lows <= truth) & (truth <= found.highs)
        errors[run] = (found.values - truth) / found.standard_errors
    assert (covered / runs > 0.884).all()
    # Means of 1,500 errors of about one standard error each: 8/√1500 = 0.21.
    assert (np.abs(errors.mean(axis=0)) < 0.21).all()
    assert (errors.std(axis=0) < 1.15).all()
    assert (errors.std(axis=0) > 0.7).all()


def test_items_are_detected() -> None:
    collection = nw.local.items([*"abcd"], largest=2, epsilon=4)
    server = collection.server().add(collection.reports([["a", "b"], ["a"], []] * 4000))
    found = server.detect(confidence=1 - 1e-12)
    assert found.labels == ["a", "b"]
    assert found.shares[0] == pytest.approx(2 / 3, abs=0.1)


def test_fakes_push_shares_within_the_bounds() -> None:
    """Two of a hundred reports are for "d", which nobody has; the others are honest."""
    collection = nw.local.items([*"abcd"], largest=2, epsilon=4)
    honest = collection.reports([["a", "b"], ["a"], []] * 4900)
    fake = nw.local.Reports(collection, np.full(300, 3, dtype=honest.payload.dtype))
    server = collection.server().add(honest).add(fake)
    plain, bounded = server.estimate(), server.robust(fakes=0.02, confidence=1 - 1e-12)
    assert plain["d"].value > 0.02
    assert bounded.estimate["d"].interval[0] <= 0 < plain["d"].interval[0]
    assert bounded.estimate["a"].interval[0] <= 2 / 3 <= bounded.estimate["a"].interval[1]
    assert 2 < bounded.gain < 4


def test_clients_send_sets_in_frames_and_remember_them(tmp_path: Path) -> None:
    collection = nw.local.items([*"abcd"], largest=2, epsilon=1, name="pets")
    client = collection.client(memo=tmp_path / "memo")
    server = collection.server()
    for one in (["a", "b"], {"b", "a"}, ["a", "b", "a"], [], [*"abcd"]):
        server.add(client.report(one))
    assert client.memo is not None
    assert client.memo.use.answers == 3
    assert (server.arrivals.counted, server.arrivals.refused) == (5, 0)
    assert nw.check(collection.certificate())
    table = collection.reports([["a"], ["c", "d"]]).table()
    assert collection.server().add(table).people == 2


def test_sets_come_in_every_form() -> None:
    import pyarrow as pa

    collection = nw.local.items([*"abc"], largest=2, epsilon=1)
    sets = [["a", "c"], [], ["b"]]
    wanted = [[0, 2], [-1, -1], [1, -1]]
    matrix = np.array([[1, 0, 1], [0, 0, 0], [0, 1, 0]], dtype=bool)
    pair = np.array([0, 2, 1]), np.array([0, 2, 2, 3])
    for form in (sets, pa.array(sets), matrix, pair):
        assert collection.encode(form).tolist() == wanted
        assert len(collection.reports(form)) == 3
    assert len(collection.reports(np.zeros((0, 3), dtype=bool))) == 0


def test_plans_foretell_the_error() -> None:
    collection = nw.local.items(range(20), largest=3, epsilon=2)
    plan = collection.plan(people=2_000)
    reports = collection.reports([[]] * 2_000 * 200).payload.reshape(200, 2_000)
    found: list[Any] = []
    for payload in reports:
        tally = collection.randomizer.new_tally()
        collection.randomizer.tally(payload, tally)
        found.append(collection.estimate_from(tally, 2_000).values)
    # 4,000 nearly independent shares: their spread is known to 1.1%; eight times that.
    assert np.std(found) == pytest.approx(plan.standard_error, rel=0.09)
    assert plan.people_for(plan.standard_error) == pytest.approx(2_000, abs=1)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"largest": 0}, "largest"),
    ({"epsilon": 0}, "epsilon"),
    ({"method": "two"}, "method"),
    ({"method": "svim"}, "top"),
    ({"top": 0}, "top"),
    ({"top": 4}, "top"),
    ({"name": 3}, "name"),
    ({"items": ["a", "a"]}, "a"),
]


@pytest.mark.parametrize(("given", "named"), BAD)
def test_bad_settings_are_refused(given: dict[str, Any], named: str) -> None:
    options: dict[str, Any] = {"items": ["a", "b", "c"], "largest": 2, "epsilon": 1} | given
    with pytest.raises(NoisewrightError, match=named):
        nw.local.items(options.pop("items"), **options)


def test_too_many_items_are_refused() -> None:
    with pytest.raises(ParameterError, match="heavy_hitters"):
        choose_sample(1 << 20, 1, Epsilon.of(1))


def test_an_item_that_was_not_declared_is_named_by_its_row_only() -> None:
    collection = nw.local.items([*"abc"], largest=2, epsilon=1)
    with pytest.raises(OutsideSpaceError) as caught:
        collection.reports([["a"], ["secret"]])
    assert caught.value.row == 1
    assert "secret" not in str(caught.value)


def test_a_sample_needs_a_value_for_each_item_and_dummy() -> None:
    sample = amplified_sample(3, 2, Epsilon.of(1))
    with pytest.raises(ParameterError):
        PaddedSample(3, 1, sample.response, True, sample.guarantee)
    blocks = plain_sample(3, 2, Epsilon.of(1)).response
    with pytest.raises(ParameterError, match="k-ary"):
        PaddedSample(3, 2, blocks, True, sample.guarantee)
