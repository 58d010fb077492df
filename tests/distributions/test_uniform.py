"""uniform_below(b): every integer in 0 … b − 1 has probability 1/b."""

from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.sampling import permutation, uniform_below, uniform_below_each
from noisewright.sampling.uniform import uniform_into
from tests.distributions.alarm import Alarm
from tests.sampling.scripted import Scripted

# 3 · 2^m keeps only three quarters of the candidates: a modulo would be far off.
BOUNDS = [
    2,
    3,
    6,
    1000,
    3 << 30,
    (1 << 32) - 1,
    1 << 32,
    3 << 40,
    1 << 63,
    3 << 61,
    3 << 64,
    10**40,
]


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda b: f"{b:.3g}")
def test_halves_thirds_and_last_digits(alarm: Alarm, bound: int) -> None:
    edges = [-(-bound * i // 6) for i in range(1, 6)]

    def draw(n: int) -> list[int]:
        values = uniform_below(bound, n)
        below = [int((values < edge).sum()) for edge in edges]
        return [*below, int((values % 2 == 0).sum()), int((values == values).sum())]

    even = -(-bound // 2) / bound
    truth = [*(edge / bound for edge in edges), even, 1.0]
    claims = [[*truth[:-2], even * (1 + change), 1.0] for change in (0.01, -0.01)]
    alarm.judge(draw, truth, claims)


def test_each_face_of_a_die(alarm: Alarm) -> None:
    wrong = [[p / 6 for p in (1.01, 0.99, 1, 1, 1, 1)], [p / 6 for p in (1, 1, 1, 1, 0.99, 1.01)]]
    alarm.judge(lambda n: np.bincount(uniform_below(6, n), minlength=6), [1 / 6] * 6, wrong)


@pytest.mark.parametrize("bound", [60_000, (1 << 20) + 7, 3 << 22, (1 << 24) - 1, 3 << 30])
def test_each_value_has_equally_many_words(bound: int) -> None:
    """Of all 2^32 words, exactly floor(2^32 / b) give any one value; some values in full."""
    for value in (0, bound - 1, *uniform_below(bound, 5).tolist()):
        first, stop = (-(-(v << 32) // bound) for v in (value, value + 1))
        words = np.arange(first, stop, dtype=np.uint32)
        # A rejected word asks for another: the script answers with one that gives `other`.
        biased = (1 << 32) % bound
        rejected = int(((words.astype(np.uint64) * bound) % (1 << 32) < biased).sum())
        other = bound - 1 if value != bound - 1 else 0
        stand_in = -(-((other << 32) + biased) // bound)
        answers = [np.full(rejected, stand_in, dtype=np.uint32)] if rejected else []
        source = Scripted([words, *answers])
        out = np.empty(words.size, dtype=np.int64)
        uniform_into(out, bound, source)
        source.assert_used_up()
        assert (out == value).sum() == (1 << 32) // bound
        assert (out == other).sum() == rejected


@pytest.mark.parametrize("bound", [(1 << 33) + 1, (1 << 63) - 1, 3 << 61])
def test_long_words_are_cut_to_bits_and_rejected(bound: int) -> None:
    spare = 64 - (bound - 1).bit_length()
    units = [0, 1, bound - 1, bound, (1 << (64 - spare)) - 1]
    words = np.array([unit << spare for unit in units], dtype=np.uint64)
    again = np.array([7 << spare, bound << spare], dtype=np.uint64)
    last = np.array([5 << spare], dtype=np.uint64)
    out = uniform_below(bound, 5, Scripted([words, again, last]))
    assert out.tolist() == [0, 1, bound - 1, 7, 5]


@pytest.mark.parametrize("bound", [3 << 64, (1 << 64) + 1, (1 << 72) - 1])
def test_integers_beyond_64_bits_are_rejected_at_the_bound(bound: int) -> None:
    bits = (bound - 1).bit_length()
    size = -(-bits // 8)

    def candidates(*values: int) -> NDArray[np.uint8]:
        data = b"".join((v << (8 * size - bits)).to_bytes(size, "little") for v in values)
        return np.frombuffer(data, dtype=np.uint8)

    source = Scripted(
        [candidates(0, bound, bound - 1, (1 << bits) - 1), candidates(bound, 6), candidates(5)]
    )
    assert uniform_below(bound, 4, source).tolist() == [0, bound - 1, 6, 5]
    source.assert_used_up()


def test_bounds_of_their_own(alarm: Alarm) -> None:
    """Values below 6, 1,000 and 3 · 2^30 in turn; each of them in thirds and sixths."""
    bounds = [6, 1000, 3 << 30]

    def draw(n: int) -> list[int]:
        values = uniform_below_each(np.tile(np.array(bounds), n))
        edges = [-(-bound // 3) for bound in bounds], [-(-bound * 5 // 6) for bound in bounds]
        return [int((values[i::3] < edge[i]).sum()) for edge in edges for i in range(3)]

    truth = [-(-bound // 3) / bound for bound in bounds]
    truth += [-(-bound * 5 // 6) / bound for bound in bounds]
    alarm.judge(draw, truth, [[p * 1.01 for p in truth], [p * 0.99 for p in truth]])


def test_each_order_of_four(alarm: Alarm) -> None:
    orders = {order: place for place, order in enumerate(permutations(range(4)))}

    def draw(n: int) -> NDArray[np.intp]:
        drawn = [orders[tuple(permutation(4).tolist())] for _ in range(n)]
        return np.bincount(drawn, minlength=24)

    wrong = [
        [p / 24 for p in ([1.5, 0.5] + [1.0] * 22)],
        [p / 24 for p in [0.5] + [1.0] * 22 + [1.5]],
    ]
    alarm.judge(draw, [1 / 24] * 24, wrong)


def test_equal_keys_are_ordered_by_others() -> None:
    # 5, 7, 5 and 1 << 16: the two that are alike are ordered by 9 and 1.
    draws = [[5, 7, 5, 1 << 16], [9, 1]]
    source = Scripted([np.array(keys, np.uint32) for keys in draws])
    assert permutation(4, source).tolist() == [2, 0, 1, 3]
    source.assert_used_up()


@pytest.mark.parametrize("bounds", [[0], [1, (1 << 32) + 1], [-1]])
def test_bounds_out_of_range_are_refused(bounds: list[int]) -> None:
    with pytest.raises(ParameterError, match="between 1 and 2"):
        uniform_below_each(np.array(bounds))
