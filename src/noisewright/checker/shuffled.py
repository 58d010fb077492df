"""Proof for rows that are published in random order, against whoever sees only the published file.

**Statement.** Each of `rows` records goes through the parent mechanism, independently, and the
outputs are published in a uniformly random order. The parent is ε₀-private, with δ = 0, for
replacing a record by *any* other. Then the file is (ε, δ)-private for replacing one record, or all
records of one person, of whom there are up to `rows_per_person`. The number of rows is public.
Where some columns are public, rows with equal public values are a group that is shuffled by itself,
and `rows` is the size of the smallest group: more rows hide better.

**Hiding in a blanket** (Balle, Bell, Gascón and Nissim 2019, Lemma 5.3). Let 0 ≤ B(y) ≤ P(y | x)
for all records x. A row can be drawn like this: with probability ΣB from B, whatever its record is,
else from the rest of P(· | x). Tell the observer which of the other rows came from the rest, and
what they are: that can only help. Let the row that differs have the record a or b, and write

    u(y) = P(y | a) / B(y),    v(y) = P(y | b) / B(y),    G = u(y) − e^ε v(y) with mass B(y),

and G = 0 with the rest. Of m rows that hide, each is equally likely to be the one that differs, so
the likelihood of what they show is that of m draws from B, times the mean of u or of v over them:
δ = (1/n) E[max(0, G₁ + … + Gₙ)] is enough, with n independent copies of G. (The number of rows that
hide, itself included, has the size-biased binomial distribution; this turns it into n copies.) Any
law of G that is larger in the order of `sums.py` will do as well. All have the mean 1 − e^ε.

**Any ε₀-private mechanism**, p = e^ε₀. Take B = max(P(· | a), P(· | b)) / p. Split each output into
a part with likelihoods p : 1 (or 1 : p) and one with 1 : 1. That gives (u, v) = (p, 1) and (1, p)
with mass α each, and (p, p) with mass (1 − (p+1) α) / p. For 1 ≤ e^ε ≤ p the gains p − e^ε and
1 − p e^ε enclose 0 and p − p e^ε, so that moving mass to these two ends, with the mean kept, makes
the law larger: the worst α is the largest, 1/(p+1), with which (p, p) is gone. (This is the bound
of Feldman, McMillan and Talwar 2023, with clones of probability 2/(p+1).)

**Randomized response** with k points and p = P(y|y) / P(y|x): B(y) = min P(y | x) gives (p, 1) and
(1, p) with mass 1/(p+k−1) each, and (1, 1) with (k−2)/(p+k−1). For a larger p with the same k the
law is larger: the response with the smaller p can be made of it afterwards.

**Reports of devices**, about one of many values or one item of a set: see `block_laws.py`.

**Columns** are independent: u, v and masses multiply. The records a and b may agree in a column. If
it is a response, that is no worse than if they differ: for any u, v ≥ 0 of the other columns, the
gains p u − v e^ε and u − p v e^ε enclose p (u − v e^ε) and u − v e^ε, with the same sum. Columns
that are no response are taken as one ε₀-private mechanism. The law above is linear in its α, so
whatever α is, E max(0, G − t) is at most the larger of those for α = 0 and α = 1/(p+1), for each t.

**A table** by itself: B(y) = min P(y | x), and every two records, in either order.

**Several rows of a person**: replacing m records, one after the other, is (m ε₁, δ₁ (1 + e^ε₁ + …))
-private with m terms, if replacing one is (ε₁, δ₁)-private (Dwork and Roth 2014, Theorem 2.2).

**On trust.** That rows were randomized independently and shuffled uniformly, that whoever is not to
learn more sees the published file alone, and how many rows there are, in all and of one person.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, comb, prod
from typing import Any

from .block_laws import Atom, laws_of_reports
from .claim import PrivacyClaim, read_epsilon_delta
from .document import canonical, read_fields
from .numbers import FIRST_BITS, Number, exp_bounds, read_positive
from .points import read_points, read_total
from .report import Findings, fail, need
from .sums import mean_of_sum

_PART = "mechanism"
_SHAPE = (
    "form: shuffled, rows: whole, rows_per_person: whole, public: list, step: fraction, "
    "parent: object"
)
_PARENT = "mechanism: object, neighbors: object, claims: object"
_LARGEST = Fraction(50)
_LEAST = Fraction(1, 2**256)
_MOST_ROWS = 10**12
_MOST_PER_PERSON = 2**10
_MOST_ATOMS = 3000
_MOST_MASSES = 2**18
_UNIT = 2**128


def prove_shuffled(claim: PrivacyClaim, prove: Callable[[PrivacyClaim], Findings]) -> Findings:
    """Prove what one row costs in kept order, and what is left of that in random order."""
    _, rows, several, public, step, parent = read_fields(claim.mechanism, _PART, _SHAPE)
    read_fields(claim.neighbors, "neighbors", "relation: replace")
    inner, relation, claims = read_fields(parent, _PART, _PARENT)
    read_fields(relation, "neighbors", "relation: replace")
    ok = 0 < several <= min(rows, _MOST_PER_PERSON) and rows <= _MOST_ROWS
    need(ok, _PART, f"found {rows} rows, {several} of a person; need at least 1, and not too many")
    names = [canonical(name) for name in public if isinstance(name, str)]
    need(len(names) == len(set(names)) == len(public), _PART, "need different public columns")
    row, lost = read_epsilon_delta(claims)
    need(row is not None and not lost, _PART, "a row needs a finite epsilon, and delta 0")
    assert row is not None
    yield from prove(PrivacyClaim(inner, relation, row, lost))
    within = f" of the smallest group with equal {', '.join(names)}" if names else ""
    yield f"Whoever sees the order: epsilon {row.to_decimal()} for each row."
    whole = row.can_repeat(several)
    if whole and claim.covers(row.repeat(several)):
        yield "The claim is no better than that, so the order does not matter."
        return
    assert claim.epsilon is not None
    need(claim.epsilon.ratio == 1, "epsilon", "need a fraction, not a logarithm")
    small = claim.epsilon.value < _LARGEST * several and not row > Number(_LARGEST)
    need(small, "epsilon", f"random order helps rows with an epsilon of up to {_LARGEST} only")
    need(_LEAST < claim.delta < 1, "delta", "random order needs a delta above 2^-256, and below 1")
    bounds = exp_bounds(claim.epsilon.value / several, FIRST_BITS)
    low, high = (Fraction(bound, 1 << FIRST_BITS) for bound in bounds)
    times = Fraction(0)
    for _ in range(several):
        times = _up(1 + times * high)
    laws = [[(u - low * v, mass) for u, v, mass in law] for law in _laws(inner, row)]
    found = times * mean_of_sum(laws, rows, read_positive(step, _PART), claim.delta / times)
    if found > claim.delta:
        fail("delta", f"{rows} rows in random order need {Number(found)}; claimed is less")
    yield (
        f"Whoever sees only the published file: the {rows} rows{within} in random order hide each "
        f"other, with delta at most {Number(found).to_decimal(digits=4)}."
    )
    if several > 1:
        yield f"That is for all rows of one person, up to {several}, replaced one after the other."
    yield f"Assuming: the number of rows{within} is public, and nobody sees the order."


def _laws(mechanism: dict[str, Any], row: Number) -> list[list[Atom]]:
    """Return the laws of (u, v) of which the largest decides."""
    reports = laws_of_reports(mechanism)
    if reports:
        return reports
    if mechanism["form"] == "table" and _response_of(mechanism) is None:
        laws = _laws_of_table(mechanism)
        return laws or [_apart(_power(row))]
    responses, rest = list[tuple[Fraction, int]](), Number(Fraction(0))
    for column, epsilon in _columns(mechanism, row):
        response = _response_of(column)
        if response is None:
            rest = Number(rest.value + epsilon.value, rest.ratio * epsilon.ratio)
        elif response[1] > 1:
            responses.append(response)
    known = _laws_of_responses(sorted(responses))
    if rest == Number(Fraction(0)):
        return [known]
    p = _power(rest)
    same = [(p, p, 1 / p)]
    return [_join(known, law) for law in ([_apart(p), same] if responses else [_apart(p)])]


def _power(epsilon: Number) -> Fraction:
    _, high, scale = epsilon.power_bounds(FIRST_BITS)
    return _up(Fraction(high, scale))


def _apart(p: Fraction) -> list[Atom]:
    return [(p, Fraction(1), 1 / (p + 1)), (Fraction(1), p, 1 / (p + 1))]


def _columns(mechanism: dict[str, Any], row: Number) -> Iterator[tuple[dict[str, Any], Number]]:
    """Return each column, in columns of columns too, with its claim, which has been proven."""
    if mechanism["form"] != "columns":
        yield mechanism, row
        return
    for column in mechanism["columns"]:
        epsilon, lost = read_epsilon_delta(column["claims"])
        need(epsilon is not None and not lost, _PART, "columns need a finite epsilon, and delta 0")
        assert epsilon is not None
        yield from _columns(column["mechanism"], epsilon)


def _response_of(mechanism: dict[str, Any]) -> tuple[Fraction, int] | None:
    """Return p and k of a randomized response, by its formula or as a table; else None."""
    if mechanism["form"] == "response":
        size, total = len(read_points(mechanism["inputs"])), read_total(mechanism)
        other = total - int(mechanism["keep"], 16)
        return (1 + Fraction((total - other) * size, other), size) if other else None
    if mechanism["form"] != "table":
        return None
    rows = _read_rows(mechanism)
    own, other, size = rows[0][0], rows[0][-1], len(rows)
    alike = all(
        weight == (own if x == y else other)
        for x, row in enumerate(rows)
        for y, weight in enumerate(row)
    )
    return (
        (Fraction(own, other), size)
        if alike and len(rows[0]) == size and own >= other > 0
        else None
    )


def _read_rows(mechanism: dict[str, Any]) -> list[list[int]]:
    return [[int(weight, 16) for weight in row] for row in mechanism["weights"]]


def _laws_of_responses(responses: list[tuple[Fraction, int]]) -> list[Atom]:
    """Return the law of several columns; if there are many, close values of p become one."""
    ratios = [_up(p) for p, _ in responses]
    while prod(comb(ratios.count(p) + 2, 2) for p in {*ratios}) > _MOST_ATOMS:
        near, above = min(pairwise(sorted({*ratios})), key=lambda pair: pair[1] / pair[0])
        ratios = [above if p == near else p for p in ratios]
    law: list[Atom] = [(Fraction(1), Fraction(1), Fraction(1))]
    for p, (_, size) in zip(ratios, responses, strict=True):
        one, mass = Fraction(1), 1 / (p + size - 1)
        law = _join(law, [(p, one, mass), (one, p, mass), (one, one, (size - 2) * mass)])
    return law


def _laws_of_table(mechanism: dict[str, Any]) -> list[list[Atom]]:
    """Return the laws of every two rows; none if there are too many."""
    rows, total = _read_rows(mechanism), read_total(mechanism)
    if len(rows) ** 2 * len(rows[0]) > _MOST_MASSES:
        return []
    least = [min(column) for column in zip(*rows, strict=True)]
    laws = {
        tuple(sorted((x, y, z) for x, y, z in zip(a, b, least, strict=True) if z))
        for a in rows
        for b in rows
        if a is not b
    }
    return [
        [(Fraction(x, z), Fraction(y, z), Fraction(z, total)) for x, y, z in law] for law in laws
    ]


def _join(left: list[Atom], right: list[Atom]) -> list[Atom]:
    """Return the law of two independent parts; u and masses are rounded up, v is rounded down."""
    masses: dict[tuple[Fraction, Fraction], Fraction] = {}
    for u, v, mass in left:
        for x, y, other in right:
            at = (_up(u * x), -_up(-v * y))
            masses[at] = masses.get(at, Fraction(0)) + _up(mass * other)
    return [(u, v, mass) for (u, v), mass in masses.items()]


def _up(value: Fraction) -> Fraction:
    return Fraction(ceil(value * _UNIT), _UNIT)
