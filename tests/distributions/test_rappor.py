"""Packed coins have their chance, and reports of RAPPOR the law of its two steps."""

from fractions import Fraction

import numpy as np
import pytest

import noisewright as nw
from noisewright.local import Rappor
from noisewright.sampling import PackedCoins, default_source
from tests.distributions.alarm import Alarm


def heads(p: Fraction, count: int) -> int:
    out = np.empty(-(-count // 8), dtype=np.uint8)
    PackedCoins(p).fill(out, default_source())
    return int(np.unpackbits(out, count=count).sum())


@pytest.mark.parametrize("p", ["1/2", "1/3", "9/16", "1/20", "99/100", "4097/8192", "1/10000"])
def test_a_small_change_of_a_packed_coin_is_rejected(alarm: Alarm, p: str) -> None:
    value, true = float(Fraction(p)), Fraction(p)
    by = 0.01 if value > 0.01 else 0.2
    near = [[value * (1 + by)], [value * (1 - by)]] if value < 0.98 else [[0.9899], [0.9901]]
    alarm.judge(lambda n: [heads(true, n)], [value], near, most=1 << 28)


def test_lanes_of_a_packed_coin_are_independent(alarm: Alarm) -> None:
    """Also those that need more digits than all others: each pair of lanes of a byte."""

    def draw(n: int) -> list[int]:
        out = np.empty(n, dtype=np.uint8)
        PackedCoins(Fraction(1, 3)).fill(out, default_source())
        return [int(((out >> i & out >> j) & 1).sum()) for i in range(8) for j in range(i)]

    alarm.judge(draw, [1 / 9] * 28, [[1 / 9 * 1.02] * 28])


MADE = nw.local.rappor(bits=4, hashes=2, cohorts=2, f="0.45", p="0.39", q="0.61")


def law(made: Rappor, text: str, cohort: int) -> list[float]:
    """The probability of each of the 16 reports, from the two steps."""
    places = set(made.positions(text, cohort=cohort))
    chances = [float(made.chance_set if bit in places else made.chance_unset) for bit in range(4)]
    return [
        float(np.prod([c if report >> bit & 1 else 1 - c for bit, c in enumerate(chances)]))
        for report in range(16)
    ]


def other(**changes: str) -> Rappor:
    given = {"f": "0.45", "p": "0.39", "q": "0.61", **changes}
    return nw.local.rappor(bits=4, hashes=2, cohorts=2, **given)  # type: ignore[arg-type]


def test_reports_have_their_law_and_no_other(alarm: Alarm) -> None:
    """p or q off by 0.01, f by 0.1, and the filter of the other cohort are other laws."""
    text = next(str(i) for i in range(99) if differ(str(i)))
    wrong = [other(p="0.40"), other(q="0.60"), other(f="0.55")]
    claims = [law(one, text, 1) for one in wrong] + [law(MADE, text, 0)]

    def draw(n: int) -> list[int]:
        reports = MADE.reports([text] * n, cohorts=np.ones(n, dtype=np.uint16))
        return np.bincount(reports.payload[:, 0], minlength=16).tolist()

    alarm.judge(draw, law(MADE, text, 1), claims)


def differ(text: str) -> bool:
    """Whether a text sets two bits in cohort 1, and others in cohort 0."""
    one, zero = (set(MADE.positions(text, cohort=cohort)) for cohort in (1, 0))
    return len(one) == 2 and one != zero


def test_a_text_that_sets_one_bit_twice_has_one_coin_for_it(alarm: Alarm) -> None:
    text = next(str(i) for i in range(99) if len(set(MADE.positions(str(i), cohort=1))) == 1)
    twice = MADE.positions(text, cohort=1)[0]
    high = float(MADE.chance_set)
    truth = law(MADE, text, 1)
    # The last of two coins that are set one over the other, or either of them.
    either = 1 - (1 - high) ** 2
    claim = [t / (high if r >> twice & 1 else 1 - high) for r, t in enumerate(truth)]
    claim = [c * (either if r >> twice & 1 else 1 - either) for r, c in enumerate(claim)]

    def draw(n: int) -> list[int]:
        reports = MADE.reports([text] * n, cohorts=np.ones(n, dtype=np.uint16))
        return np.bincount(reports.payload[:, 0], minlength=16).tolist()

    alarm.judge(draw, truth, [claim])


def test_two_reports_of_one_permanent_response_go_together(alarm: Alarm) -> None:
    """P(both ones) of a bit is (1 − g) q² + g p², not the square of P(one)."""
    made = nw.local.rappor(bits=8, hashes=1, f="1/2", p="1/4", q="3/4")
    place = made.positions("x")[0]

    def draw(n: int) -> list[int]:
        kept = made.permanents(["x"] * n).payload
        both = made.instant(kept) & made.instant(kept)
        dense = np.unpackbits(both, axis=1, bitorder="little")
        return [int(dense[:, place].sum()), int(dense[:, place - 1].sum())]

    true = [0.75 * 9 / 16 + 0.25 / 16, 0.25 * 9 / 16 + 0.75 / 16]
    alarm.judge(draw, true, [[0.625**2, true[1]], [true[0], 0.375**2]])
