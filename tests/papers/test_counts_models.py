"""Models from counts of groups, of the count paper's last section: by hand and by brute force."""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import noisewright as nw
from noisewright.models.counts import expected_counts
from noisewright.synthetic.steps.noise import Noise
from papers import data_files
from papers.claims import Claim, Verdict
from papers.counts.chow_liu import best_tree, information, loss
from papers.counts.composition import cost, neighbors
from papers.counts.naive_bayes import predicted
from papers.counts.people import LABEL, People, made_up, released, values_of
from papers.counts.run import PAPER
from papers.counts.whole_tables import balanced_law, balanced_variance, cell_by_cell, moves, tables


@pytest.fixture(scope="module")
def claims(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Claim]:
    """What comes out without the Adult data: made-up people alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(data_files, "BESIDE", tmp_path_factory.mktemp("nowhere"))
        return PAPER.reproduce(tmp_path_factory.mktemp("models"), quick=True, only=["models"])


def test_verdicts_without_the_data(claims: Mapping[str, Claim]) -> None:
    assert {name: claim.verdict for name, claim in claims.items()} == {
        "parallel": Verdict.CORRECTED,
        "section-8": Verdict.CORRECTED,
        "section-8-trees": Verdict.CORRECTED,
        "section-8-whole": Verdict.MORE,
    }
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


def test_cell_by_cell_is_what_the_models_do() -> None:
    n, cells = 6, 4
    noise = Noise(Fraction(1), "epsilon", 2)
    asked = np.zeros((n + 1, cells), dtype=np.int64)
    asked[:, 0] = np.arange(n + 1)
    means = np.array([expected_counts(row, noise, rows=n)[0] for row in asked])
    law = np.asarray(nw.geometric(nw.Counts(n), epsilon="1/2").matrix)
    errors = (law * (np.arange(n + 1)[:, None] - means) ** 2).sum(axis=1)
    found = np.mean([sum(errors[count] for count in table) for table in tables(n, cells)])
    assert cell_by_cell(n, cells, Fraction(1)) == pytest.approx(float(found), abs=1e-9)


def test_noise_that_adds_up_to_zero() -> None:
    # Two cells: t and −t with e^(−2·decay·|t|), one count with twice the decay.
    assert balanced_variance(2, 0.5) == pytest.approx(1 / (2 * math.sinh(0.5) ** 2), rel=1e-9)
    # Three cells by listing: all noise up to 60 that adds up to 0.
    some = np.array(list(product(range(-60, 61), repeat=2)))
    weights = np.exp(-0.5 * (np.abs(some).sum(axis=1) + np.abs(some.sum(axis=1))))
    listed = float(weights @ some[:, 0] ** 2 / weights.sum())
    assert balanced_variance(3, 0.5) == pytest.approx(listed, rel=1e-6)
    # Tables of two people in three cells: whoever is replaced changes no odds by more than e^ε.
    law = balanced_law(2, 3, Fraction(1), 40)
    assert law.sum(axis=1).tolist() == pytest.approx([1.0] * 6)
    worst = max(float((law[a] / law[b]).max()) for a, b in moves(tables(2, 3)))
    assert worst == pytest.approx(math.e, rel=1e-6)


def test_two_cells_at_their_best(claims: Mapping[str, Claim]) -> None:
    numbers = claims["section-8-whole"].numbers
    assert numbers["two_cells"] == pytest.approx(1, abs=1e-6)
    assert numbers["saved_least"] > 0.1
    assert numbers["variance_2"] < numbers["variance_3"] < numbers["variance_100"] < 0.99


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
