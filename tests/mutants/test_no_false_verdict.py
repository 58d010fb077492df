"""2,000 random tables, 200 of them spoiled: no false verdict, and library and checker agree.

Spoiled means one unit added to one weight (the row no longer sums to the total), one unit moved
within a row, or a claimed epsilon 1e-15 below the least. The truth comes from tests.mutants.tables.
"""

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright import checker
from noisewright.errors import NotPrivateError, TableError
from noisewright.exact import Epsilon
from noisewright.mechanisms import describe_number
from tests.certificates.documents import resealed
from tests.mutants.tables import Subject, random_subject, tight_ratio

BATCHES = 10
SOUND_PER_BATCH = 180
SPOILED_PER_BATCH = 20


def claimed(subject: Subject) -> Epsilon:
    if subject.ratio is not None:
        return Epsilon.log(subject.ratio)
    return Epsilon.of(subject.epsilon)


def logarithm(ratio: Fraction) -> Fraction:
    """A rational within 2^-128 below ln(ratio); the subject's truth does not rely on it."""
    return Fraction(Epsilon.log(ratio).bounds(128)[0], 1 << 128)


def document_of(subject: Subject) -> dict[str, Any]:
    """The certificate as anyone could write it, without the library's consent."""
    return resealed(
        {
            "format": "noisewright-certificate",
            "version": 1,
            "mechanism": {
                "form": "table",
                "inputs": {"kind": "counts", "n": len(subject.rows) - 1},
                "outputs": {"kind": "labels", "labels": list(range(len(subject.rows[0])))},
                "total": f"{subject.total:x}",
                "weights": [[f"{weight:x}" for weight in row] for row in subject.rows],
            },
            "neighbors": (
                {"relation": "pairs", "pairs": [list(pair) for pair in subject.pairs]}
                if subject.kind == "pairs"
                else {"relation": subject.kind}
            ),
            "claims": {
                "epsilon": describe_number(claimed(subject)),
                "delta": str(subject.delta),
                "properties": [],
            },
            "made_by": "a test",
        }
    )


def judge(subject: Subject, folder: Path) -> None:
    truth = subject.holds
    path = folder / "claim.json"
    path.write_text(json.dumps(document_of(subject)), encoding="utf-8")
    report = checker.check_file(str(path))
    assert bool(report) == truth, (subject, report)
    claim: dict[str, Any] = {"epsilon": claimed(subject), "delta": subject.delta}
    if not subject.is_distribution:
        assert {failure.part for failure in report.failures} == {"row sums"}, report
        with pytest.raises(TableError):
            subject.table()
        return
    table = subject.table()
    verdict = nw.verify(table, **claim)
    assert verdict.holds == truth, subject
    if truth:
        saved = nw.certify(table, **claim).save(folder / "certificate.json")
        assert checker.check_file(str(saved))
        loaded: Any = nw.load(saved)
        # Listed pairs that are all those up to some steps apart come back as that range.
        assert sorted(loaded.space.neighbor_codes().tolist()) == sorted(
            table.space.neighbor_codes().tolist()
        )
        assert loaded.space.points == table.space.points
        assert (loaded.outputs.points, loaded._reduced) == (table.outputs.points, table._reduced)
    else:
        with pytest.raises(NotPrivateError) as problem:
            nw.certify(table, **claim)
        assert problem.value.witness == verdict.witness
        assert verdict.witness is not None


def spoiled(chance: random.Random, subject: Subject) -> Subject:
    """The same with the least possible damage; the claim is tight before it."""
    rows = [list(row) for row in subject.rows]
    ways = ["unit in a weight", "unit moved", "epsilon"]
    how = chance.choice(ways)
    if how == "epsilon" and subject.ratio is not None and subject.ratio > 1:
        least = logarithm(subject.ratio)
        return replace(subject, ratio=None, epsilon=max(Fraction(0), least - Fraction(1, 10**15)))
    row = chance.choice(rows)
    a, b = chance.sample(range(len(row)), 2)
    if how == "unit moved" and row[a]:
        row[a], row[b] = row[a] - 1, row[b] + 1
    else:
        row[a] += chance.choice([1, -1]) if row[a] else 1
    return replace(subject, rows=rows)


@pytest.mark.parametrize("batch", range(BATCHES))
def test_sound_tables_and_spoiled_ones(batch: int, tmp_path: Path) -> None:
    chance = random.Random()
    for _ in range(SOUND_PER_BATCH):
        judge(random_subject(chance), tmp_path)
    for _ in range(SPOILED_PER_BATCH):
        judge(spoiled(chance, random_subject(chance)), tmp_path)


def test_an_epsilon_1e_15_below_the_least_always_fails(tmp_path: Path) -> None:
    chance = random.Random()
    seen = 0
    while seen < 50:
        subject = random_subject(chance)
        if subject.ratio is None or subject.ratio <= Fraction(101, 100):
            continue
        least = logarithm(subject.ratio)
        below = replace(subject, ratio=None, epsilon=least - Fraction(1, 10**15))
        above = replace(subject, ratio=None, epsilon=least + Fraction(1, 10**15))
        assert not below.holds
        assert above.holds
        judge(below, tmp_path)
        judge(above, tmp_path)
        seen += 1


def test_the_tight_claim_of_the_oracle_is_that_of_the_library() -> None:
    chance = random.Random()
    for _ in range(100):
        subject = random_subject(chance)
        truth = tight_ratio(subject.rows, subject.pairs, subject.delta * subject.total)
        assert nw.profile(subject.table()).ratio(subject.delta) == truth


MECHANISMS = {
    "geometric": lambda: nw.geometric(nw.Counts(20), epsilon="0.3"),
    "explicit fair": lambda: nw.explicit_fair(nw.Counts(21), epsilon="0.3"),
    "randomized response": lambda: nw.randomized_response(nw.Categories(range(12)), epsilon=1),
    "response with delta": lambda: nw.randomized_response(
        nw.Categories(range(12)), epsilon=1, delta="0.01"
    ),
    "uniform": lambda: nw.uniform(nw.Counts(6)),
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_constructed_mechanism_with_weight_pushed_beyond_its_claim_is_caught(
    name: str, tmp_path: Path
) -> None:
    """Moving one part in 2^40 of a weight to another breaks a mechanism made tight."""
    chance = random.Random()
    mechanism = MECHANISMS[name]()
    assert nw.check(nw.certify(mechanism).save(tmp_path / "sound.json"))
    rows = mechanism.weights.tolist()
    x = chance.randrange(len(rows))
    a = int(np.argmax(mechanism.weights[x]))
    b = chance.choice([y for y in range(len(rows[x])) if y != a])
    step = max(1, rows[x][b] >> 30)
    rows[x][a], rows[x][b] = rows[x][a] + step, rows[x][b] - step
    document = json.loads((tmp_path / "sound.json").read_text(encoding="utf-8"))
    document["mechanism"]["weights"][x] = [f"{weight:x}" for weight in rows[x]]
    document["claims"]["properties"] = []
    report = checker.check(resealed(document))
    assert not report
    assert {failure.part for failure in report.failures} <= {"epsilon", "delta"}
