"""Holohan–Leith–Mason 2015, Theorem 3 and Example 4.

A mechanism whose outputs are functions is (ε, δ)-private if and only if (f(t_1), …, f(t_k)) is for
all finite sets of positions.
"""

import math
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import InputError
from noisewright.exact import Epsilon
from noisewright.privacy.formulas.gaussian import gaussian_delta

GRID = (0.0, 1.0, 2.5)
SPACE = nw.Curves(GRID, low=0, high=1, step=1)
SETS = [chosen for k in (1, 2, 3) for chosen in combinations(GRID, k)]


def every_event(mechanism: nw.Mechanism, places: tuple[int, ...], epsilon: Epsilon) -> Fraction:
    """The least δ, over all neighbors and all events that look at these places only."""
    points = list(SPACE.points)
    cells = sorted({tuple(point[p] for p in places) for point in points})
    rows = [
        [
            sum(w for w, point in zip(row, points, strict=True)
                if tuple(point[p] for p in places) == cell)
            for cell in cells
        ]
        for row in mechanism.weights.tolist()
    ]  # fmt: skip
    assert epsilon.ratio is not None
    up, down = epsilon.ratio.numerator, epsilon.ratio.denominator
    events = np.array(list(product([0, 1], repeat=len(cells))), dtype=object)
    masses = [events @ np.array(row, dtype=object) for row in rows]
    worst = max(max(down * p - up * q) for p, q in product(masses, repeat=2))
    return Fraction(worst, down * mechanism.total)


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_projections_against_every_event(data: st.DataObject) -> None:
    """All cylinder sets of a random mechanism on curves with two values at three positions."""
    weights = data.draw(
        st.lists(st.lists(st.integers(0, 9), min_size=8, max_size=8), min_size=8, max_size=8)
    )
    matrix = [[w + 1 for w in row] for row in weights]
    shares = [[Fraction(w, sum(row)) for w in row] for row in matrix]
    mechanism = nw.from_matrix(SPACE, shares, outputs=SPACE)
    epsilon = Epsilon.of(alpha="2/3")
    seen = nw.curves.verify_projections(mechanism, SETS, epsilon=epsilon)
    for one, places in zip(seen, combos(), strict=True):
        truth = every_event(mechanism, places, epsilon)
        assert one.delta == pytest.approx(float(truth), rel=1e-12, abs=1e-15)
        assert one.guarantee.delta >= truth
    whole = seen[-1].guarantee.delta
    assert max(one.guarantee.delta for one in seen) == whole
    for small, large in product(seen[:-1], repeat=2):
        assert small.positions is not None
        assert large.positions is not None
        if set(small.positions) <= set(large.positions):
            assert small.guarantee.delta <= large.guarantee.delta


def combos() -> list[tuple[int, ...]]:
    return [c for k in (1, 2, 3) for c in combinations(range(3), k)] + [(0, 1, 2)]


def test_fewer_positions_are_not_enough() -> None:
    """The parity of three values gives the secret away; any two of them say nothing at all."""
    points = list(SPACE.points)
    rows = [
        [Fraction(1, 4) if sum(out) % 2 == sum(secret) % 2 else Fraction(0) for out in points]
        for secret in points
    ]
    mechanism = nw.from_matrix(SPACE, rows, outputs=SPACE)
    seen = nw.curves.verify_projections(mechanism, SETS, epsilon=1)
    assert [one.delta for one in seen] == [0] * 6 + [1, 1]


def test_noise_of_each_position_adds_up() -> None:
    """Geometric noise at each position, by its table: the ε of a projection is the sum."""
    one = nw.geometric(nw.Counts(1), alpha="1/2")
    table = np.kron(np.kron(one.weights, one.weights), one.weights)
    shares = [[Fraction(int(w), one.total**3) for w in row] for row in table.tolist()]
    mechanism = nw.from_matrix(SPACE, shares, outputs=SPACE)
    for positions in SETS:
        here = Epsilon.log(Fraction(2 ** len(positions)) * (1 + Fraction(1, 10**12)))
        below = Epsilon.log(Fraction(2 ** len(positions)) * Fraction(99, 100))
        assert nw.curves.verify_projections(mechanism, [positions], epsilon=here)[0].delta == 0
        assert nw.curves.verify_projections(mechanism, [positions], epsilon=below)[0].delta > 0


@pytest.mark.parametrize("bandwidth", [0.3, 1.0])
def test_the_path_of_a_process_is_the_limit_of_its_values(bandwidth: float) -> None:
    """Hall–Rinaldo–Wasserman 2013: μ at t is |difference at t|, whitened; it rises to the norm.

    The difference of two kernels k(·, x) − k(·, x') has the norm √(2 − 2 k(x, x')).
    """

    def kernel(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.exp(-((a[:, None] - b[None, :]) ** 2) / (2 * bandwidth**2))

    x, y = np.array([0.15]), np.array([0.9])
    norm = math.sqrt(2 - 2 * float(kernel(x, y)[0, 0]))
    sizes = [1, 2, 3, 5, 9, 17]
    found: list[float] = []
    for count in sizes:
        t = np.linspace(0, 1, count)
        apart = (kernel(t, x) - kernel(t, y))[:, 0]
        found.append(math.sqrt(apart @ np.linalg.pinv(kernel(t, t), rcond=1e-10) @ apart))
    assert all(a <= b + 1e-6 for a, b in pairwise(found[1:]))
    assert all(mu <= norm + 1e-6 for mu in found)
    assert found[-1] == pytest.approx(norm, rel=1e-3)
    deltas = [gaussian_delta(ratio=mu, epsilon=1).high for mu in (*found[1:], norm * 1.001)]
    assert all(a <= b * (1 + Fraction(1, 10**4)) for a, b in pairwise(deltas))


def test_what_is_no_table_of_curves_is_refused() -> None:
    with pytest.raises(InputError, match="outputs that are curves"):
        nw.curves.verify_projections(nw.geometric(nw.Counts(2), epsilon=1), [[0]])
    quiet = nw.from_matrix(SPACE, np.full((8, 8), 0.125).tolist(), outputs=SPACE)
    with pytest.raises(InputError, match="not a position of the grid"):
        nw.curves.verify_projections(quiet, [[0.5]], epsilon=1)
    with pytest.raises(InputError, match="claims no guarantee"):
        nw.curves.verify_projections(quiet, [[0]])
