"""Questions about a database, answered in two ways.

`SanitizedResponse`: make the database private once, then ask it anything, as often as one
likes: every answer is post-processing (Holohan–Leith–Mason 2015, Theorem 4).
`OutputPerturbation`: ask the true database and make the answer private. Each answer spends
again, and k answers promise what their composition does, no more.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noisewright import sampling
from noisewright.errors import InputError, NotPrivateError, ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.given import whole_number
from noisewright.mechanisms import Guarantee, Mechanism, RowProduct, read_delta, require_mechanism
from noisewright.privacy.composition.compose import Composition, compose
from noisewright.privacy.tight import tight_delta, tight_epsilon
from noisewright.public import public_methods
from noisewright.spaces import Pairs, Rows, Space, Unit, require_space

Query = Callable[[Any], Any]

_MOST_PAIRS = 1 << 20
_MOST_QUERIES = 1 << 20


@dataclass(frozen=True)
class Sanitized:
    """A private copy of a database; questions to it cost nothing more."""

    data: Any

    def answer(self, query: Query) -> Any:
        """Answer a question from the private copy."""
        return query(self.data)


@public_methods
@dataclass(frozen=True)
class SanitizedResponse:
    """A mechanism on databases or records, then any number of questions to its output.

    ε and δ are for neighbors of the mechanism's space, as `unit` says in words. Where it counts ε
    per unit of distance, they are for replacing the input (or one row of it) by any other.
    """

    mechanism: Mechanism

    def __post_init__(self) -> None:
        require_mechanism(self.mechanism)

    @cached_property
    def _plain(self) -> Mechanism:
        return without_distance(self.mechanism)

    @property
    def unit(self) -> Unit:
        """What ε and δ are counted for; its text says it in words."""
        return self._plain.space.unit

    def release(self, database: Any, *, source: sampling.Source | None = None) -> Sanitized:
        """Draw the private copy, once; ask it as often as you like."""
        return Sanitized(self.mechanism.sample(database, source=source))

    def delta(self, epsilon: Number | Epsilon, *, queries: int = 1) -> float:
        """Return the least δ at ε: the same for any number of questions (Theorem 4)."""
        _require_queries(queries)
        return tight_delta(self._plain, epsilon=epsilon)

    def epsilon(self, delta: Number = 0, *, queries: int = 1) -> float:
        """Return the least ε at δ: the same for any number of questions."""
        _require_queries(queries)
        return tight_epsilon(self._plain, delta=delta)


@public_methods
@dataclass(frozen=True)
class OutputPerturbation:
    """A question to the true database, whose answer goes through a mechanism each time.

    Requires: on neighboring databases the true answers are equal, or neighbors in the
    mechanism's space. With `database`, a small space of databases, that is checked for all of
    them; without it, it is the caller's promise.
    Ensures: ε and δ are for two neighboring databases. Where the mechanism counts ε per unit of
    distance, all answers are neighbors: then they are for the answers that neighboring databases
    have, however far apart; without `database`, for any two answers.
    """

    query: Query
    mechanism: Mechanism
    database: Space | None = None

    def __post_init__(self) -> None:
        require_mechanism(self.mechanism)
        if not callable(self.query):
            raise InputError("query must be a function of the database.")
        if self.database is not None:
            require_space(self.database)
            _require_neighbors(self.query, self.mechanism.space, self.database)

    @cached_property
    def _plain(self) -> Mechanism | Guarantee:
        """The mechanism for the answers of neighbors; nothing is lost where those are equal."""
        if self.database is None or not self.mechanism.space.by_distance:
            return without_distance(self.mechanism)
        both = _answers_of_neighbors(self.query, self.mechanism.space, self.database)
        apart = {(min(pair), max(pair)) for pair in both if pair[0] != pair[1]}
        if not apart:
            return Guarantee(0)
        table = self.mechanism.table()
        return table.on(table.space.having(Pairs(tuple(sorted(apart)))))

    @property
    def unit(self) -> Unit:
        """What ε and δ are counted for: a change of the database, or else of the true answer."""
        if self.database is not None:
            return Unit() if self.database.by_distance else self.database.unit
        return without_distance(self.mechanism).space.unit

    def answer(self, database: Any, *, source: sampling.Source | None = None) -> Any:
        """Answer once. Each call spends the mechanism's guarantee again."""
        return self.mechanism.sample(self.query(database), source=source)

    def together(self, queries: int) -> Composition:
        """Return what so many answers promise together."""
        return compose(self._plain, times=_require_queries(queries))

    def delta(self, epsilon: Number | Epsilon, *, queries: int = 1) -> float:
        """Return the least δ at ε of so many answers; certified from above if not exact."""
        if _require_queries(queries) == 1 and isinstance(self._plain, Mechanism):
            return tight_delta(self._plain, epsilon=epsilon)
        return self.together(queries).delta(epsilon)

    def epsilon(self, delta: Number = 0, *, queries: int = 1) -> float:
        """Return the least ε at δ of so many answers; certified from above if not exact."""
        if _require_queries(queries) == 1 and isinstance(self._plain, Mechanism):
            return tight_epsilon(self._plain, delta=delta)
        return self.together(queries).epsilon(delta)

    def deltas(self, epsilon: Number | Epsilon, *, most: int) -> tuple[float, ...]:
        """Return δ at ε for 1, 2, …, most answers: the whole curve."""
        return tuple(self.delta(epsilon, queries=k) for k in range(1, _require_queries(most) + 1))

    def affordable(self, *, epsilon: Number | Epsilon, delta: Number = 0) -> int:
        """Return how many answers a budget allows: the most that together promise (ε, δ)."""
        budget = Guarantee(epsilon, delta)
        if budget.delta == 1:
            raise ParameterError("delta is 1, which promises nothing; give one below 1.")

        def fits(count: int) -> bool:
            return read_delta(self.delta(budget.epsilon, queries=count)) <= budget.delta

        if not fits(1):
            return 0
        low, high = 1, 2
        while fits(high):
            low, high = high, high * 2
            if high > _MOST_QUERIES:
                raise ParameterError(
                    f"more than {low:,} answers fit, because each costs next to nothing."
                )
        return low + bisect_left(range(low + 1, high), True, key=lambda count: not fits(count))


def _require_queries(queries: int) -> int:
    return whole_number(queries, name="queries", least=1, most=_MOST_QUERIES)


def without_distance(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism for any change of its input, or of one row, if ε is per distance.

    Otherwise it is returned as it is: its neighbors have one ε.
    """
    if not mechanism.space.by_distance:
        return mechanism
    if isinstance(mechanism, RowProduct):
        return RowProduct(without_distance(mechanism.row), mechanism.count)
    table = mechanism.table()
    return table.on(_any_change(table.space))


def _any_change(space: Space) -> Space:
    """Return the same inputs, of which any two are neighbors, or any two values of one row."""
    if isinstance(space, Rows):
        return dataclasses.replace(space, row=_any_change(space.row))
    return space.having("replace")


def _answers_of_neighbors(
    query: Query, answers: Space, database: Space
) -> Iterator[tuple[int, int]]:
    """Yield the codes of the true answers of every two neighboring databases."""
    database.require_enumerable("all answers", most=_MOST_PAIRS)
    try:
        asked = [query(point) for point in database.points]
    except TypeError as problem:
        raise InputError(
            f"query cannot take a point of {database!r}: {problem}. It is a function of the whole "
            "database, such as a tuple of rows."
        ) from problem
    codes = [answers.code(answer) for answer in asked]
    for a, b in database.neighbor_codes().tolist():
        yield codes[a], codes[b]


def _require_neighbors(query: Query, answers: Space, database: Space) -> None:
    """Check for all neighboring databases that the true answers may differ like that."""
    both = _answers_of_neighbors(query, answers, database)
    pairs = database.neighbor_codes().tolist()
    for (a, b), (before, after) in zip(pairs, both, strict=True):
        if before == after:
            continue
        first, second = answers.point(before), answers.point(after)
        if not answers.are_neighbors(first, second):
            raise NotPrivateError(
                f"the answers {first!r} and {second!r} of two neighboring databases are not "
                f"neighbors in {answers!r}, so the mechanism need not hide the difference. Declare "
                "them as neighbors, or bound the query's sensitivity.",
                witness=(database.point(a), database.point(b)),
            )
