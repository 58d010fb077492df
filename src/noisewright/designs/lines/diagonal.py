"""Few counts and much privacy: the probability of the truth, written down at once.

For L0 under a uniform prior only the diagonal y_i = P(i|i) counts. Since P(i|j) ≥ α^|i−j| y_i,
each row j asks that Σ_i α^|i−j| y_i ≤ 1. While n is at most about 2α/(1 − α), the row in the
middle (both of them for odd n) is the one that matters:

    CH or CM   α y_i ≤ P(i|i±1) ≤ y_i±1, and the best diagonal makes the most of that:
               y_i = y α^-(steps to the nearest middle input), y from the middle row;
    WH         y_i = 1/(n + 1) but for the two ends, which take what the middle row leaves.

The middle row has no choice then, P(i|m) = α^|i−m| y_i, and from there outwards each row has
little: entries up to the diagonal grow by 1/α, those beyond it shrink to pay for that, by α at
most. Keeping those near the diagonal large breaks ties by L1 or L2. Nothing here is taken on
trust: the table is checked and the bound is proven by dual values.

For each output i the diagonal entry pays the middle row along the column: P(i|i) ≤ e^ε P(i|i+1)
≤ …, with dual values that fall by α at each step. What else there is:

    CH or CM   y_i ≤ e^ε P(i|i+1) and P(i|i+1) ≤ y_i+1 let an outer entry pay the next one, κ_i;
               with an even n the middle entry is at least 1/(n + 1), which CH says of its row;
    WH         an entry that pays more than it earns is held up by y_i ≥ 1/(n + 1).

Earnings are 1 for each y_i, all over n + 1. W is what the middle asks for a unit of y_m.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.problem import Problem
from noisewright.designs.programs.refine import BITS
from noisewright.designs.programs.repair import table_near
from noisewright.designs.proofs.proof import DualValues, Proof, Solution
from noisewright.errors import UnrepairedError
from noisewright.exact import fixed_powers

_ONE = 1 << BITS
_ROUNDING = 1 << 40
"""Sums of rounded numbers may be off by this much, over 2^160."""

_CLOSE = Fraction(1, 10**11)
"""A table is good enough when its loss is above the bound by this fraction at most."""

_LOCAL = frozenset(("RH", "RM", "CH", "CM", "WH", "S"))
_MANY = 76
"""With more counts a program would not be solved a second time to break ties either."""


def by_diagonal(problem: Problem, tie_break: str | None) -> Solution | None:
    """Return the best mechanism for L0 with CH, CM or WH on a short line of counts."""
    codes = problem.properties
    if (
        not problem.is_path
        or not problem.is_zero_one
        or not problem.is_uniform
        or problem.goal != "expected"
        or not codes <= _LOCAL
        or not codes & {"CH", "CM", "WH"}
    ):
        return None
    n = problem.space.size - 1
    if tie_break is not None and n <= _MANY and not _breaks_ties(codes, tie_break):
        return None
    column = bool(codes & {"CH", "CM"})
    line = _Line(problem)
    rows = line.fill(line.column_diagonal() if column else line.weak_diagonal())
    if rows is None:
        return None
    proof = _column_proof(problem) if column else _weak_proof(problem)
    try:
        table = table_near(problem, rows)
    except UnrepairedError:
        return None
    bound = proof.bound
    if problem.loss_of(table) > bound * (1 + _CLOSE):
        return None
    kind = "column properties" if column else "weak honesty"
    return Solution(
        table,
        bound,
        lambda: proof,
        f"closed form: the largest diagonal for {kind} that the middle row allows, and rows filled "
        "from the diagonal outwards",
    )


def _breaks_ties(codes: frozenset[str], tie_break: str) -> bool:
    """Whether filling from the diagonal is as good as a program for this second loss."""
    return tie_break in ("L0", "L1", "L2") and ("RH" not in codes or "RM" in codes)


class _Line:
    """Counts 0..n; numbers are integers over 2^BITS, α is rounded up to the private side."""

    def __init__(self, problem: Problem) -> None:
        self.codes = problem.properties
        self.n = problem.space.size - 1
        self.middle = self.n // 2
        self.alpha = problem.guarantee.epsilon.alpha_bounds(BITS)[1]
        self.powers = fixed_powers(self.alpha, self.n, BITS, up=True)

    def column_diagonal(self) -> list[int]:
        """The largest diagonal that rises by 1/α with each step from the middle."""
        rising = [_ONE * _ONE // self.powers[self.middle - i] for i in range(self.middle + 1)]
        rising += rising[self.n - self.middle - 1 :: -1]
        whole = sum(part >> BITS for part in self._middle_row(rising))
        return [part * _ONE // whole for part in rising]

    def weak_diagonal(self) -> list[int]:
        """No more than guessing needs, but for the ends."""
        share = _ONE // (self.n + 1)
        inner = sum(part >> BITS for part in self._middle_row([share] * (self.n + 1))[1:-1])
        ends = self.powers[self.middle] + self.powers[self.n - self.middle]
        rest = (_ONE - inner) * _ONE // ends
        return [rest, *[share] * (self.n - 1), rest]

    def _middle_row(self, diagonal: list[int]) -> list[int]:
        return [y * self.powers[abs(i - self.middle)] for i, y in enumerate(diagonal)]

    def fill(self, diagonal: list[int]) -> list[list[int]] | None:
        """Fill the rows from the middle outwards; None when one has too much or too little."""
        row = [part >> BITS for part in self._middle_row(diagonal)]
        if abs(sum(row) - _ONE) > _ROUNDING:
            return None
        upper = [row]
        for j in range(self.middle - 1, -1, -1):
            known = [y * self.powers[j - i] >> BITS for i, y in enumerate(diagonal[: j + 1])]
            low = [-(-part * self.alpha >> BITS) for part in row[j + 1 :]]
            left = _ONE - sum(known) - sum(low)
            before = row
            row = known
            for i, least in enumerate(low, start=j + 1):
                part = least
                if left > 0:
                    most = self._most(before[i], row[i - 1], diagonal[j], diagonal[i])
                    part = min(least + left, max(least, most))
                    left -= part - least
                row.append(part)
            if abs(left) > _ROUNDING:
                return None
            upper.append(row)
        upper.reverse()
        mirrored = [line[::-1] for line in upper[self.n - self.middle - 1 :: -1]]
        return upper + mirrored

    def _most(self, before: int, nearer: int, own: int, peak: int) -> int:
        """How large an entry may be, given its neighbors in column and row and the two peaks."""
        most = [before if "RM" in self.codes else before * _ONE // self.alpha]
        if self.codes & {"RM", "RH"}:
            most.append(peak)
        if self.codes & {"CM", "CH"}:
            most.append(own)
        if "CM" in self.codes:
            most.append(nearer)
        return min(most)


def _column_proof(problem: Problem) -> Proof:
    """Prove the bound for CH or CM, from Σ_t α^(t−m) = (number of t) · W over t = 0..last."""
    halves = _Halves(problem)
    n, middle = halves.n, halves.middle
    code = "CM" if "CM" in problem.properties else "CH"
    last = middle - 1 if n % 2 == 0 else middle
    rising = [_ONE * _ONE // power for power in halves.powers[: middle + 1]]
    share = sum(rising[middle - t] for t in range(last + 1)) // (last + 1)
    halves.add_columns(share)
    owed = 0
    for i in range(middle):
        # κ_i = (1 − W α^(m−i) + κ_(i−1)) / α
        owed += _ONE - (share * halves.powers[middle - i] >> BITS)
        passed = owed * _ONE // halves.alpha
        halves.add(i, i + 1, i, owed)
        halves.add_property(code, i + 1, i, passed)
        owed = max(0, passed)
    if n % 2 == 0:
        held = share - _ONE
        if "WH" in problem.properties:
            halves.add_property("WH", middle, middle, held)
        else:
            for i in range(middle):
                # CM leads from the middle to entry i over all entries between them.
                often = i + 1 if code == "CM" else 1
                halves.add_property(code, middle, i, often * held // (n + 1))
    return halves.duals.proof()


def _weak_proof(problem: Problem) -> Proof:
    """Prove the bound for WH: the two ends earn what they pay, W α^m = 1."""
    halves = _Halves(problem)
    middle = halves.middle
    share = _ONE * _ONE // halves.powers[middle]
    halves.add_columns(share)
    last = middle if halves.n % 2 == 0 else middle + 1
    for i in range(1, last):
        halves.add_property("WH", i, i, (share * halves.powers[middle - i] >> BITS) - _ONE)
    if halves.n % 2 == 0 and halves.n:
        halves.add_property("WH", middle, middle, share - _ONE)
    return halves.duals.proof()


class _Halves:
    """Dual values in units of 1/(n + 1), written for both halves of the line."""

    def __init__(self, problem: Problem) -> None:
        self.n = problem.space.size - 1
        self.middle = self.n // 2
        self.alpha = problem.guarantee.epsilon.alpha_bounds(BITS)[0]
        self.powers = fixed_powers(self.alpha, self.middle, BITS, up=False)
        self.duals = DualValues(problem, BITS)

    def add(self, x: int, z: int, y: int, value: int) -> None:
        """Charge P(y|x) ≤ e^ε P(y|z) and its mirror image."""
        self.duals.add_mirrored(x, z, y, max(0, value) // (self.n + 1))

    def add_property(self, code: str, a: int, b: int, value: int) -> None:
        """Charge an inequality and its mirror image, once if they are the same."""
        self.duals.add_property_mirrored(code, a, b, max(0, value) // (self.n + 1))

    def add_columns(self, share: int) -> None:
        """Let each output's diagonal entry pay its share of the middle row, or of both.

        Between two inputs all outputs on the far side pay the same.
        """
        n, middle = self.n, self.middle
        if n % 2:
            self._add_lines(middle, share * self.alpha // (_ONE + self.alpha))
        for j in range(middle):
            self._add_lines(j, share * self.powers[middle - j] >> BITS)

    def _add_lines(self, j: int, value: int) -> None:
        """Charge P(i|j) ≤ e^ε P(i|j+1) for i = 0..j, and the mirror image."""
        n, duals = self.n, self.duals.privacy
        line = [value // (n + 1)] * (j + 1) + [0] * (n - j)
        duals[j, j + 1] = line
        duals[n - j, n - j - 1] = line[::-1]
