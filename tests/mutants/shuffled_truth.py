"""Is a claim about rows in random order true? Decided by looking at every histogram."""

from decimal import Decimal
from fractions import Fraction
from math import comb
from random import Random
from typing import Any

from tests.certificates.handmade import certificate, columns_of, load_checker, shuffled_of
from tests.mutants import forged_bases as bases
from tests.mutants.unit_truth import UnjudgedError, UntrueError, law_of, widest
from tests.oracles.report_tables import report_matrix
from tests.oracles.shuffles import exact_delta, kronecker

AGAINST = ", against whoever sees only the published file, whose rows are in random order"
MOST_HISTOGRAMS = 60_000

checker = load_checker()


def require_shuffled(mechanism: Any, words: str, epsilon: Decimal, delta: Decimal) -> None:
    """Raise unless the claim holds for every two tables that differ as the words say."""
    several = mechanism["rows_per_person"]
    whose = "one row by any other"
    if several > 1:
        whose = f"all rows of one person, up to {several}, by any others"
    if words != f"for replacing {whose}{AGAINST}":
        raise UntrueError(f"it is about {whose}")
    rows, power = mechanism["rows"], Fraction(epsilon.exp()) * (1 + Fraction(1, 10**40))
    needed = needed_delta(mechanism["parent"]["mechanism"], rows, power, several)
    if needed > Fraction(delta) + Fraction(1, 10**30):
        raise UntrueError(f"{rows} rows need delta {float(needed)} at epsilon {epsilon}")


def needed_delta(row: Any, rows: int, power: Fraction, several: int) -> Fraction:
    matrix = matrix_of(row)
    tables = comb(rows - several + len(matrix) - 1, rows - several) * len(matrix) ** (2 * several)
    if tables * comb(rows + len(matrix[0]) - 1, rows) > MOST_HISTOGRAMS:
        raise UnjudgedError
    return exact_delta(matrix, rows, power, several=several)


def matrix_of(mechanism: Any) -> list[list[Fraction]]:
    """The probabilities of one row, where outputs are finitely many."""
    if mechanism["form"] == "columns":
        matrix = [[Fraction(1)]]
        for column in mechanism["columns"]:
            matrix = kronecker(matrix, matrix_of(column["mechanism"]))
        return matrix
    if mechanism["form"] in ("blocks", "padded", "items"):
        return matrix_of_reports(mechanism)
    if mechanism["form"] not in ("table", "response", "geometric"):
        raise UnjudgedError
    law = law_of(mechanism)
    return [[Fraction(p) for p, _ in law.masses(i, i)] for i in range(law.size)]


def matrix_of_reports(mechanism: Any) -> list[list[Fraction]]:
    """The probabilities of one report, where blocks are small."""
    family = mechanism.get("family", mechanism)
    sizes = [family.get(name, 1) for name in ("values", "items", "largest", "width", "stride")]
    plain = [len(size) if isinstance(size, list) else size for size in sizes]
    outputs = family.get("q", 2) ** family.get("t", 2), family.get("hashes", 2)
    if max(plain) > 6 or max(outputs) > 30 or family.get("q", 2) not in (2, 3, 5):
        raise UnjudgedError
    if family.get("hashes", 2) ** family.get("values", 2) > 40:
        raise UnjudgedError
    return report_matrix(mechanism)


def shuffled(draw: Random) -> Any:
    """A true certificate of a few rows in random order, its δ at the edge of what is provable."""
    rows = draw.randint(2, 5)
    several = draw.choice([1, 1, 1, 2])
    while True:
        inner, epsilon = _row(draw)
        if epsilon == 0:
            continue
        row = above_zero(epsilon)
        claimed = several * row * Fraction(draw.randint(1, 9), 10)
        power = Fraction(Decimal(float(claimed)).exp())
        try:
            least = needed_delta(inner, rows, power, several)
        except UnjudgedError:
            rows = max(rows - 1, 2)
            continue
        made = shuffled_of(rows, inner, row, "1/32", several)
        for factor in ("1.000001", "1.02", "1.1", "1.3", "1.7", "2.5", "5"):
            delta = str((least * Fraction(factor)).limit_denominator(10**12))
            document = certificate(made, "replace", claimed, delta)
            if checker.check(document):
                return document


def above_zero(epsilon: Decimal) -> Fraction:
    return bases.above(epsilon)


def _row(draw: Random) -> tuple[Any, Decimal]:
    """A row mechanism and its ε for any change."""
    if draw.random() < 0.4:
        report = _report(draw)
        columns = zip(*matrix_of(report), strict=True)
        ratio = max(max(column) / min(column) for column in columns)
        return report, Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()
    parts = [bases.simple(draw, draw.choice(["table", "response", "geometric"]))]
    if draw.random() < 0.3:
        parts.append(bases.simple(draw, "response"))
    epsilons = [
        max(widest(law.masses(i, j)) for i in range(law.size) for j in range(law.size))
        for law in map(law_of, parts)
    ]
    if not all(e.is_finite() and e < 20 for e in epsilons):
        return parts[0], Decimal(0)
    if len(parts) == 1:
        return parts[0], epsilons[0]
    named = [
        (f"c{n}", part, bases.above(e), "0")
        for n, (part, e) in enumerate(zip(parts, epsilons, strict=True))
    ]
    whole = sum((bases.above(e) for e in epsilons), Fraction(0))
    return columns_of(*named), Decimal(whole.numerator) / Decimal(whole.denominator)


def _report(draw: Random) -> Any:
    """A report of a device: blocks, an item of a padded set, or bits."""
    k = draw.randint(3, 8)
    coin = {"log2_total": k, "keep": f"{draw.randint(1, (1 << k) - 1):x}"}
    form = draw.choice(["blocks", "blocks", "padded", "items"])
    if form == "items":
        p = draw.randint(2, (1 << k) - 1)
        coins = {"log2_total": k, "present": f"{p:x}", "absent": f"{draw.randint(1, p - 1):x}"}
        return {"form": form, "items": ["a", "b"], "largest": draw.choice([1, 1, 2]), **coins}
    if form == "padded":
        items, largest = draw.randint(1, 2), draw.randint(1, 2)
        least = -(-(1 << k) // (items + largest))
        coin["keep"] = f"{draw.randint(least, (1 << k) - 1):x}"
        return {"form": form, "items": items, "largest": largest, **coin}
    families: list[dict[str, Any]] = [
        {"kind": "points", "values": draw.randint(2, 4)},
        {"kind": "projective", "values": draw.randint(2, 3), "q": 2, "t": draw.randint(2, 3)},
        {"kind": "sets", "values": 3, "size": draw.randint(1, 2)},
        {"kind": "hashes", "values": 2, "hashes": 2},
        {"kind": "windows", "values": draw.randint(2, 3), "width": 2, "stride": 1},
    ]
    return {"form": form, "family": draw.choice(families), **coin}
