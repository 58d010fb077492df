"""What many reports give away, against all sequences of reports of a small response."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import ParameterError, TooLargeError
from noisewright.exact import Epsilon
from noisewright.local.families.points import PointBlocks
from noisewright.local.families.projective import Projective
from noisewright.local.randomizer import BlockResponse, block_response
from tests.local.elsewhere import KINDS, of_randomizer


def probabilities(made: BlockResponse) -> list[list[Fraction]]:
    table = made.table()
    return [[Fraction(int(w), table.total) for w in row] for row in table.weights]


def least_ratio(rows: list[list[Fraction]]) -> Fraction:
    """e^ε of the least ε at δ = 0, over all pairs of rows."""
    return max(a / b for x in rows for y in rows for a, b in zip(x, y, strict=True))


def times(*rows: list[Fraction]) -> list[Fraction]:
    """The distribution of independent draws, one of each row."""
    found = [Fraction(1)]
    for row in rows:
        found = [a * b for a, b in product(found, row)]
    return found


@pytest.mark.parametrize("family", [PointBlocks(3), Projective(7, 2, 3)])
@pytest.mark.parametrize("reports", [1, 2, 3])
def test_without_a_memo_the_least_epsilon_is_that_of_one_report_times_all(
    family: Any, reports: int
) -> None:
    made = block_response(family, Epsilon.of(1))
    rows = probabilities(made)
    one = least_ratio(rows)
    assert one == made.ratio
    assert least_ratio([times(*[row] * reports) for row in rows]) == one**reports
    life = of_randomizer(made).lifetime(reports=reports, memo=False).life
    assert Epsilon.log(one**reports) <= life.epsilon
    slightly_more = one * Fraction(1 + 10**12, 10**12)
    assert life.epsilon < Epsilon.log(slightly_more**reports)


@pytest.mark.parametrize("pattern", [(0, 0, 0), (0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 1, 2, 1, 0)])
def test_with_a_memo_each_different_value_costs_once(pattern: tuple[int, ...]) -> None:
    """All persons with this pattern of values, and all that a server can see of them."""
    made = block_response(PointBlocks(3), Epsilon.of(1))
    rows = probabilities(made)
    different = max(pattern) + 1
    persons = [
        values for values in product(range(3), repeat=different) if len(set(values)) == different
    ]
    # What is seen is one draw for each different value, sent again: the pattern is the same.
    seen = [times(*(rows[value] for value in values)) for values in persons]
    found = of_randomizer(made).lifetime(reports=len(pattern), values=different)
    # Persons who swap values need not reach the bound, but nobody exceeds it.
    assert Epsilon.log(least_ratio(seen)) <= found.life.epsilon
    assert found.draws == different
    assert str(found.life) == f"epsilon={different}"
    if different == 1:
        assert least_ratio(seen) == made.ratio


def test_a_memo_does_not_hide_when_a_value_changes() -> None:
    """Somebody whose value changed sends different answers, which nobody else ever does."""
    rows = probabilities(block_response(PointBlocks(3), Epsilon.of(1)))
    pairs = list(product(range(3), range(3)))
    stays = {(a, b): rows[0][a] * (a == b) for a, b in pairs}
    changes = {(a, b): rows[0][a] * rows[1][b] for a, b in pairs}
    assert sum(stays.values()) == sum(changes.values()) == 1
    assert any(changes[pair] > 0 == stays[pair] for pair in pairs)
    words = repr(KINDS["points"].lifetime(reports=2))
    assert "does not hide when a value changes" in words


def test_a_lifetime_in_words() -> None:
    collection = nw.local.frequencies(nw.Categories(["a", "b", "c"]), epsilon="1/2")
    kept = collection.lifetime(reports=365, values=3, reports_a_day=2)
    assert (str(kept.report), str(kept.day), str(kept.life)) == (
        "epsilon=0.5",
        "epsilon=1",
        "epsilon=1.5",
    )
    assert repr(kept).splitlines()[0] == (
        "365 reports, 2 a day; the answers to 3 values are kept and sent again."
    )
    fresh = collection.lifetime(reports=365, memo=False, reports_a_day=1_000)
    assert (str(fresh.day), str(fresh.life)) == ("epsilon=182.5", "epsilon=182.5")
    assert "each is drawn afresh" in repr(fresh)
    assert kept == collection.lifetime(reports=365, values=3, reports_a_day=2)
    assert collection.lifetime(reports=2, values=9).draws == 2


@pytest.mark.parametrize("kind", ["points", "unary", "several", "windows"])
def test_the_checker_proves_a_lifetime(kind: str) -> None:
    found = KINDS[kind].lifetime(reports=100, values=4)
    certificate = found.certificate()
    assert str(certificate.guarantee) == str(found.life) == "epsilon=4"
    assert len(certificate.document["mechanism"]["parts"]) == 4


def test_impossible_lifetimes_are_refused() -> None:
    collection = KINDS["points"]
    wrong: list[dict[str, Any]] = [{"reports": 0}, {"reports": 1.5}, {"reports": 1, "values": 0}]
    for one in wrong:
        with pytest.raises(ParameterError):
            collection.lifetime(**one)
    with pytest.raises(ParameterError, match="memo"):
        collection.lifetime(reports=1, memo="yes")  # type: ignore[arg-type]
    with pytest.raises(TooLargeError, match="lists each draw"):
        collection.lifetime(reports=5_000, memo=False).certificate()


def test_reports_that_are_drawn_anew_from_a_memo_are_not_counted_as_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = KINDS["points"]
    monkeypatch.setattr(type(collection), "keeps_answers", False)
    with pytest.raises(ParameterError, match="own accounting"):
        collection.lifetime(reports=2)
    client = collection.client(memo=tmp_path / "memo.db")
    with pytest.raises(ParameterError, match="own accounting"):
        _ = client.spent
