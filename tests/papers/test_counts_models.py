"""Models from counts of groups, of the count paper's last section: by hand and by brute force."""

import math
from collections.abc import Mapping
from itertools import combinations, product

import numpy as np
import pytest

import noisewright as nw
from papers import data_files
from papers.claims import Claim, Verdict
from papers.counts.chow_liu import best_tree, information, loss
from papers.counts.composition import cost, neighbors
from papers.counts.naive_bayes import predicted
from papers.counts.people import LABEL, People, made_up, released, values_of
from papers.counts.run import PAPER


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Claim]:
    """What comes out without the Adult data: made-up people alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_files, "BESIDE", tmp_path_factory.mktemp("nowhere"))
        return PAPER.reproduce(tmp_path_factory.mktemp("models"), quick=True, only=["models"])


def test_verdicts_without_the_data(claims: Mapping[str, Claim]) -> None:
    assert list(claims) == ["parallel", "section-8", "section-8-trees"]
    assert all(claim.verdict is Verdict.CORRECTED for claim in claims.values())
    assert "made up" in claims["section-8"].finds
    assert "Adult" not in claims["section-8"].finds


def test_one_release_over_everybody_is_better(claims: Mapping[str, Claim]) -> None:
    bayes = claims["section-8"].numbers
    assert bayes["once_extra"] < bayes["GM_added_up_extra"] < bayes["EM_added_up_extra"]
    assert claims["section-8-trees"].numbers["once_extra"] < 0.1


@pytest.mark.parametrize("n", [1, 3])
def test_two_cells_cost_twice_if_somebody_moves(n: int) -> None:
    mechanism = nw.explicit_fair(nw.Counts(n), epsilon="0.3")
    assert cost(mechanism, neighbors(n, left_out=True)) == pytest.approx(0.3, abs=1e-12)
    assert cost(mechanism, neighbors(n, left_out=False)) == pytest.approx(0.6, abs=1e-12)
    assert len(neighbors(1, left_out=True)) == 2
    assert neighbors(1, left_out=False) == [((0, 1), (1, 0))]


TINY = People(
    "tiny",
    {LABEL: np.array([0, 1, 1, 0]), "a": np.array([2, 0, 2, 1]), "b": np.array([0, 1, 1, 1])},
    {LABEL: 2, "a": 3, "b": 2},
)


def test_groups_by_hand() -> None:
    assert TINY.groups((LABEL, "a"), 2).tolist() == [[0, 0, 1, 1, 0, 0], [0, 1, 0, 0, 0, 1]]
    assert TINY.table((LABEL, "a")).tolist() == [[0, 1, 1], [1, 0, 1]]
    learned, tested = made_up(1_003).split(0, 8)
    assert (learned.rows, tested.rows) == (800, 200)


@pytest.mark.parametrize("name", ["geometric", "explicit_fair"])
def test_outputs_made_unbiased(name: str) -> None:
    mechanism = getattr(nw, name)(nw.Counts(5), alpha="0.7")
    values = values_of(mechanism)["unbiased"]
    assert (mechanism.matrix @ values).tolist() == pytest.approx(list(range(6)), abs=1e-9)
    # With next to no noise both ways of adding up are the truth.
    still = nw.geometric(nw.Counts(2), epsilon=60)
    sums = released(TINY, (LABEL, "b"), still, seed="still")
    for table in sums.values():
        assert table.ravel().tolist() == pytest.approx([1, 1, 0, 2], abs=1e-9)


def test_naive_bayes_by_hand() -> None:
    logs = predicted({(LABEL, "a"): TINY.table((LABEL, "a"))}, TINY)
    # P(a = 2 | 0) = (1 + 1)/5 and P(a = 2 | 1) = (1 + 1)/5; P(a = 0 | 0) = 1/5, P(a = 0 | 1) = 2/5.
    assert np.exp(logs[0]).tolist() == pytest.approx([0.5, 0.5])
    assert np.exp(logs[1]).tolist() == pytest.approx([1 / 3, 2 / 3])


def test_a_tree_is_a_distribution_and_the_best_of_all() -> None:
    people = made_up(400)
    names = list(people.sizes)
    pairs = list(combinations(names, 2))
    tables = {pair: people.table(pair) + 1 for pair in pairs}
    rows = np.array(list(product(*(range(people.sizes[name]) for name in names))))
    total = sum(
        math.exp(
            -loss(tables, People("row", dict(zip(names, row[:, None], strict=True)), people.sizes))
        )
        for row in rows
    )
    assert total == pytest.approx(1, abs=1e-9)
    found = sum(information(tables[pair]) for pair in best_tree(tables))
    trees = [t for t in combinations(pairs, len(names) - 1) if _spans(t, names)]
    assert len(trees) == len(names) ** (len(names) - 2)
    assert found == pytest.approx(max(sum(information(tables[p]) for p in t) for t in trees))


def _spans(tree: tuple[tuple[str, str], ...], names: list[str]) -> bool:
    reached = {names[0]}
    for _ in names:
        reached |= {name for pair in tree if reached & set(pair) for name in pair}
    return len(reached) == len(names)
