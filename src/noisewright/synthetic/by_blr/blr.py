"""BLR: a synthetic database that answers a whole workload, drawn by the exponential mechanism.

    X   the universe: the points of the domain         n   rows of the data
    m   records of the synthetic database              k   queries of the workload

Every database D̂ of m records over X is a candidate, with the quality −max_q |q(D) − q(D̂)| over
the k counting queries as shares. Replacing one row of D changes each share by at most 1/n, so the
sensitivity is 1/n, and P(D̂) ∝ e^(ε n · quality / 2) (Blum–Ligett–Roth 2008; survey, section 2.5).

Candidates are listed, not walked through: each gets its exact integer weight. Databases with the
same error (and, where sequences are counted, in equally many orders) form a group; one draw takes a
group, then one of its members. "Sequences" and "multisets" are different mechanisms: with
sequences, X^m, a database counts once for each order of its records, so mixed ones count more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.certificates import Certificate
from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.exact import Epsilon, Number, exactly
from noisewright.given import amount
from noisewright.mechanisms import Guarantee, mixed_weights, positive_epsilon
from noisewright.public import public, public_methods
from noisewright.selection import (
    EXPONENTIAL,
    PrivateChoice,
    QualitySensitivity,
    Step,
    certify_choice,
    rational_below,
)
from noisewright.spaces import whole_number
from noisewright.synthetic.by_blr.accuracy import blr_accuracy, blr_size, read_measure
from noisewright.synthetic.by_blr.multisets import (
    MOST_MULTISETS,
    SyntheticRecords,
    blocks,
    most_records,
    multiset_at,
    multiset_count,
    place_of,
    sequences_of,
    shapes,
)
from noisewright.synthetic.tallies import Answers
from noisewright.synthetic.workloads.workload import Workload

_EXACT = 1 << 53
"""Doubles hold every integer below this."""

_AT_ONCE = 1 << 21
"""Errors of single queries that are worked out together."""

_ONE_ROW = QualitySensitivity(Fraction(1))
"""Replacing one row changes the count of each query by at most 1, and so the largest error."""


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Blr(PrivateChoice[SyntheticRecords]):
    """All synthetic databases of m records with their probabilities, ready for one draw.

    `sample()` draws one, and that may leave. Probabilities and errors are about the private data.
    `claim` holds for neighbors that replace one row; the number of rows is public.

    `errors[l] / (n m)` is the error of level l; group g holds `members[g]` databases of level
    `levels[g]`, each of which stands for `orders[g]` candidates.
    """

    workload: Workload
    rows: int
    m: int
    measure: Literal["multisets", "sequences"]
    claim: Guarantee
    errors: tuple[int, ...]
    levels: tuple[int, ...]
    orders: tuple[int, ...]
    members: tuple[int, ...]
    group_of: NDArray[np.int32]

    def _certify(self) -> Certificate:
        step = Step("a choice among synthetic databases", EXPONENTIAL, self._factor, _ONE_ROW)
        return certify_choice(step, rational_below(self.claim), self.claim)

    @property
    def _factor(self) -> Fraction:
        """What one row of error is worth."""
        return rational_below(self.claim) / _ONE_ROW.spread

    @cached_property
    def _weights(self) -> tuple[int, ...]:
        """The integer weight of one candidate of each level; private by construction."""
        sizes = [0] * len(self.errors)
        for level, orders, members in zip(self.levels, self.orders, self.members, strict=True):
            sizes[level] += orders * members
        epsilon = rational_below(self.claim)
        # In rows, not as shares: n is left out of the question.
        qualities = [Fraction(-error, self.m) for error in self.errors]
        return tuple(mixed_weights(qualities, sizes, factor=self._factor, epsilon=epsilon))

    @cached_property
    def _masses(self) -> tuple[int, ...]:
        """The weight of each group."""
        groups = zip(self.levels, self.orders, self.members, strict=True)
        return tuple(self._weights[level] * orders * members for level, orders, members in groups)

    @cached_property
    def _sampler(self) -> sampling.GroupSampler:
        groups = zip(self.levels, self.orders, strict=True)
        each = [self._weights[level] * orders for level, orders in groups]
        return sampling.GroupSampler(each, self.members)

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The databases group by group, and where each group starts."""
        return np.argsort(self.group_of, kind="stable"), np.cumsum([0, *self.members])

    @property
    def _words(self) -> str:
        return f"{self.m:,} synthetic records by BLR"

    def _prepare(self) -> Callable[[sampling.Source | None], SyntheticRecords]:
        sampler, (order, starts), domain = self._sampler, self._sorted, self.workload.domain

        def draw(source: sampling.Source | None) -> SyntheticRecords:
            ((group, member),) = sampler.draw(1, source)
            place = int(order[starts[group] + member])
            return SyntheticRecords(domain, multiset_at(place, domain.size, self.m))

        return draw

    def probability(self, counts: Iterable[int]) -> Fraction:
        """Return the exact probability of a database, given by its count of each point.

        It is that of the multiset: of all orders of its records together.
        """
        given = [int(count) for count in counts]
        if len(given) != self.workload.domain.size or sum(given) != self.m or min(given) < 0:
            raise InputError(
                f"give {self.workload.domain.size} counts of at least 0 that add up to {self.m}."
            )
        group = int(self.group_of[place_of(given)])
        return Fraction(self._masses[group], self.members[group] * self._sampler.total)

    def chance_within(self, error: Number) -> Fraction:
        """Return the exact probability that the largest error of the workload is at most this."""
        most = exactly(error, name="error") * self.rows * self.m
        inside = [
            mass
            for mass, level in zip(self._masses, self.levels, strict=True)
            if self.errors[level] <= most
        ]
        return Fraction(sum(inside), self._sampler.total)

    @property
    def least_error(self) -> Fraction:
        """The largest error of the best database of m records."""
        return Fraction(min(self.errors), self.rows * self.m)

    @property
    def expected_error(self) -> float:
        """The mean of the largest error of the workload."""
        found = sum(
            m * self.errors[level] for m, level in zip(self._masses, self.levels, strict=True)
        )
        return float(Fraction(found, self.rows * self.m * self._sampler.total))

    def accuracy(self, *, beta: Number = 0.05) -> float:
        """Return the error that `blr_accuracy` promises with probability 1 − beta."""
        return blr_accuracy(
            self.workload.domain.size,
            queries=self.workload.queries,
            rows=self.rows,
            m=self.m,
            epsilon=self.claim.epsilon,
            beta=beta,
            measure=self.measure,
        )

    def __repr__(self) -> str:
        count = amount(len(self.group_of))
        return (
            f"<BLR over {count} {self.measure} of {self.m} records, "
            f"{self.workload.queries:,} queries, {self.claim}>"
        )


@public
def blr(
    table: Any,
    workload: Workload,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    m: int | None = None,
    within: Number | None = None,
    measure: Literal["multisets", "sequences"] = "multisets",
) -> Blr:
    """Return the BLR mechanism for a table and a workload, ready to `sample()`.

    Requires: epsilon > 0; `m`, the number of synthetic records, or `within`, an error from which m
    is computed by Hoeffding's bound (`blr_size`); a domain so small that all databases of m
    records, up to order, can be listed: at most 10^7. `measure` says what counts as one
    candidate: a multiset of records, or a sequence of them (X^m, as the survey has it).
    Ensures: ε-private when one row is replaced; P(D̂) ∝ e^(−ε n · error / 2), as exact integers
    (Blum–Ligett–Roth 2008; survey, section 2.5). The error is within `accuracy(beta=)` with
    probability at least 1 − beta.
    """
    claim = Guarantee(positive_epsilon(epsilon, alpha, instead="Draw records uniformly then."))
    kind = read_measure(measure)
    if not isinstance(workload, Workload):
        raise InputError(
            f"workload is of type {type(workload).__name__}; give a Workload, such as "
            "nw.workloads.Workload.marginals(domain, ways=2)."
        )
    if not workload.queries:
        raise InputError("the workload has no queries, so there is nothing to answer.")
    if (m is None) == (within is None):
        raise ParameterError(
            "give m=, the number of synthetic records, or within=, an error from which it is "
            "computed, but not both."
        )
    if m is None:
        assert within is not None
        records = blr_size(workload.queries, within=within)
    else:
        records = whole_number(m, name="m", least=1)
    answers = workload.answers(table)
    if not answers.rows:
        raise InputError("the table has no rows.")
    require_listable(workload, answers.rows, records, claim, kind)
    return list_databases(answers, workload, records, claim, kind)


def require_listable(
    workload: Workload,
    rows: int,
    m: int,
    claim: Guarantee,
    measure: Literal["multisets", "sequences"],
) -> None:
    """Raise TooLargeError, with what would be feasible, if the databases cannot be listed."""
    size = workload.domain.size
    count = multiset_count(size, m)
    if count > MOST_MULTISETS:
        feasible = most_records(size)
        advice = "Use a coarser domain"
        if feasible:
            bound = blr_accuracy(
                size,
                queries=workload.queries,
                rows=rows,
                m=feasible,
                epsilon=claim.epsilon,
                measure=measure,
            )
            advice = (
                f"Here m can be at most {feasible}, for which the theorem bounds the error by "
                f"{bound:.3g} with probability 0.95. Use that, a coarser domain"
            )
        raise TooLargeError(
            f"BLR lists every synthetic database: {amount(count)} multisets of {m:,} records over "
            f"{size:,} points (at most {MOST_MULTISETS:,}). {advice}, or MWEM, "
            "nw.synthesize(…, method='mwem'), which lists no databases.",
            size=count,
        )
    if rows * m >= _EXACT:
        raise TooLargeError(
            f"{rows:,} rows times {m:,} records is beyond 2^53; use a sample.", size=rows * m
        )


def list_databases(
    answers: Answers,
    workload: Workload,
    m: int,
    claim: Guarantee,
    measure: Literal["multisets", "sequences"],
) -> Blr:
    """List all databases with their errors, and put them into groups."""
    size = workload.domain.size
    # Integers below 2^53 in doubles: exact, and multiplied by the fastest routine there is.
    queries = workload.matrix().astype(np.float64) * answers.rows
    wanted = answers.counts.astype(np.float64)[:, None] * m
    some = max(1, _AT_ONCE // len(queries))
    found: list[NDArray[np.int64]] = []
    forms: list[NDArray[np.int64]] = []
    for block in blocks(size, m):
        for start in range(0, len(block), some):
            gaps = queries @ block[start : start + some].T.astype(np.float64)
            gaps -= wanted
            found.append(np.abs(gaps, out=gaps).max(axis=0).astype(np.int64))
        if measure == "sequences":
            forms.append(shapes(block, m))
    every = np.concatenate(found)
    # Levels are few: looking each up among them is quicker than a sort that remembers places.
    errors = np.unique(every)
    level = np.searchsorted(errors, every)
    if measure == "multisets":
        levels, orders, group = range(len(errors)), (1,) * len(errors), level
        members = np.bincount(level, minlength=len(errors))
    else:
        _, first, form = np.unique(np.concatenate(forms), return_index=True, return_inverse=True)
        counts = [sequences_of(multiset_at(place, size, m).tolist()) for place in first.tolist()]
        pairs, group, members = np.unique(
            level.astype(np.int64) * len(counts) + form, return_inverse=True, return_counts=True
        )
        levels = (pairs // len(counts)).tolist()
        orders = tuple(counts[kind] for kind in (pairs % len(counts)).tolist())
    return Blr(
        workload,
        answers.rows,
        m,
        measure,
        claim,
        tuple(errors.tolist()),
        tuple(levels),
        orders,
        tuple(members.tolist()),
        group.astype(np.int32),
    )
