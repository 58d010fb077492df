"""Random tables, some of them spoiled by the least there is: one unit, or 1e-15 of epsilon."""

import random
from dataclasses import dataclass
from fractions import Fraction

from noisewright.mechanisms import Table
from tests.oracles import brute_force
from tests.oracles.tables import table_of


@dataclass(frozen=True)
class Subject:
    """Rows, neighbors and a claim (ln ratio or rational ε, δ), with the truth about the claim."""

    rows: list[list[int]]
    total: int
    kind: str
    pairs: list[tuple[int, int]]
    epsilon: Fraction | None
    ratio: Fraction | None
    delta: Fraction

    @property
    def is_distribution(self) -> bool:
        return all(sum(row) == self.total and min(row) >= 0 for row in self.rows)

    @property
    def holds(self) -> bool:
        """The truth, output by output in Fractions; only Σ max(0, P − E·Q) is taken on trust."""
        if not self.is_distribution:
            return False
        spare = self.delta * self.total
        digits = 60
        while True:
            low, high = self._ratio_between(digits)
            if self._worst(low) <= spare:
                return True
            if self._worst(high) > spare:
                return False
            digits *= 2

    def _ratio_between(self, digits: int) -> tuple[Fraction, Fraction]:
        if self.ratio is not None:
            return self.ratio, self.ratio
        assert self.epsilon is not None
        return brute_force.e_to_the(self.epsilon, digits)

    def _worst(self, ratio: Fraction) -> Fraction:
        n, d = ratio.numerator, ratio.denominator
        return max(
            Fraction(
                sum(max(0, p * d - q * n) for p, q in zip(self.rows[a], self.rows[b], strict=True)),
                d,
            )
            for a, b in brute_force.both_ways(self.pairs)
        )

    def table(self) -> Table:
        return table_of(self.rows, self.total, self.kind, self.pairs)


def random_rows(chance: random.Random, total: int) -> list[list[int]]:
    inputs, outputs = chance.randint(2, 8), chance.randint(2, 8)
    rows: list[list[int]] = []
    for _ in range(inputs):
        style = chance.random()
        if rows and style < 0.15:
            row = list(chance.choice(rows))
        elif rows and style < 0.4:
            # A neighbor of an earlier row: ratios near 1, some of them exactly 1.
            row = list(chance.choice(rows))
            a, b = chance.sample(range(outputs), 2)
            step = chance.randrange(row[a] // 2 + 1)
            row[a], row[b] = row[a] - step, row[b] + step
        else:
            choices = [0, 1, 1, 2, 3, Fraction(chance.random())]
            shares = [Fraction(chance.choice(choices)) for _ in range(outputs)]
            whole = sum(shares) or Fraction(1)
            row = [int(share / whole * total) for share in shares]
            row[chance.randrange(outputs)] += total - sum(row)
        rows.append(row)
    return rows


def random_subject(chance: random.Random) -> Subject:
    """A table with a claim that is exactly tight, roomy, or a random guess."""
    total = chance.choice([1 << k for k in (6, 64, 70, 600)] + [60, 3**13, 10**21, 7**71])
    rows = random_rows(chance, total)
    everyone = brute_force.relation("replace", len(rows))
    kind = chance.choice(["replace", "adjacent", "pairs"])
    chosen = sorted(chance.sample(everyone, chance.randint(1, len(everyone))))
    pairs = brute_force.relation(kind, len(rows), chosen)
    delta = chance.choice(
        [Fraction(0), Fraction(1, 20), Fraction(chance.randrange(1 << 60), 1 << 60)]
    )
    tight = tight_ratio(rows, pairs, delta * total)
    if tight is None or chance.random() < 0.3:
        return Subject(rows, total, kind, pairs, Fraction(chance.random() * 4), None, delta)
    return Subject(rows, total, kind, pairs, None, tight, delta)


def tight_ratio(
    rows: list[list[int]], pairs: brute_force.Pairs, spare: Fraction
) -> Fraction | None:
    """The least E by trying every event of the form "the k likeliest outputs" of each pair."""
    least = Fraction(1)
    for a, b in brute_force.both_ways(pairs):
        both = sorted(
            zip(rows[a], rows[b], strict=True),
            key=lambda pq: (pq[1] > 0, -Fraction(pq[0], pq[1]) if pq[1] else 0),
        )
        p = q = 0
        for more_p, more_q in both:
            p, q = p + more_p, q + more_q
            if p > spare:
                if q == 0:
                    return None
                least = max(least, (p - spare) / q)
    return least
