"""Trees of columns: exact answers against every possible row, and what is learned and refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, ParameterError, TooLargeError
from tests.models.people import DOMAIN, halves, people

NOISELESS = 3_000


def tree(**options: Any) -> nw.models.PrivateTree:
    given: dict[str, Any] = {"epsilon": NOISELESS, "ledger": None, **options}
    return nw.models.PrivateTree(DOMAIN, **given)


def every_row(model: nw.models.PrivateTree) -> tuple[list[dict[str, Any]], Any]:
    """All rows there are, with their probabilities, multiplied out edge by edge."""
    names = [name for name, _ in DOMAIN.columns]
    sizes = [space.size for _, space in DOMAIN.columns]
    rows: list[dict[str, Any]] = []
    chances: list[float] = []
    for codes in product(*(range(size) for size in sizes)):
        code = dict(zip(names, codes, strict=True))
        chance = 1.0
        for name in names:
            uses = sum(name in edge for edge in model.edges_)
            chance *= float(model.model_.shares[name][code[name]]) ** (1 - uses)
        for a, b in model.edges_:
            chance *= float(model.model_.edges[a, b][code[a], code[b]])
        spaces = dict(DOMAIN.columns)
        rows.append({name: spaces[name].point(code[name]) for name in names})
        chances.append(chance)
    return rows, np.array(chances)


@pytest.fixture(scope="module")
def learned() -> nw.models.PrivateTree:
    return tree(epsilon=1, source=nw.randomness.SeededSource(2)).fit(people(2_000))


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_rows_have_the_probability_of_the_product(learned: nw.models.PrivateTree) -> None:
    rows, chances = every_row(learned)
    assert chances.sum() == pytest.approx(1, abs=1e-7)
    assert np.exp(learned.log_likelihood(columns(rows))) == pytest.approx(chances, rel=1e-6)


@pytest.mark.parametrize("column", [name for name, _ in DOMAIN.columns])
@pytest.mark.parametrize("hidden", [(), ("visits",), ("age", "sick")], ids=["none", "one", "two"])
def test_any_column_given_others(
    learned: nw.models.PrivateTree, column: str, hidden: tuple[str, ...]
) -> None:
    """What is not in the table is summed out, as it is over every row there is."""
    known = [name for name, _ in DOMAIN.columns if name != column and name not in hidden]
    rows, chances = every_row(learned)
    table = columns(rows)
    found = learned.predict_proba({name: table[name] for name in known}, column=column)
    keys = list(zip(*(table[name] for name in known), strict=True))
    points = learned.points(column).tolist()
    for place in range(0, len(rows), 7):
        same = np.array([key == keys[place] for key in keys])
        weights = [
            chances[same & np.array([value == point for value in table[column]])].sum()
            for point in points
        ]
        assert found[place] == pytest.approx(np.array(weights) / sum(weights), abs=1e-6)
    part = learned.log_likelihood({name: table[name] for name in known})
    assert np.exp(part[0]) == pytest.approx(
        chances[np.array([key == keys[0] for key in keys])].sum(), rel=1e-6
    )


def test_the_tree_that_made_the_data_is_found() -> None:
    """Without noise: smoking – sickness – visits; age hangs on anything."""
    fitted = tree().fit(people(20_000))
    edges = {frozenset(edge) for edge in fitted.edges_}
    assert {frozenset(("sick", "smokes")), frozenset(("sick", "visits"))} <= edges
    assert len(edges) == 3


def test_without_noise_edges_are_smoothed_counts() -> None:
    table = people(500)
    fitted = tree().fit(table)
    for a, b in fitted.edges_:
        if "age" in (a, b):
            continue
        counts = np.array(
            [
                [((table[a] == x) & (table[b] == z)).sum() for z in fitted.points(b)]
                for x in fitted.points(a)
            ]
        )
        assert fitted.model_.edges[a, b] == pytest.approx(counts / 500, abs=0.02)
        sides = fitted.model_.edges[a, b].sum(axis=1)
        assert sides == pytest.approx(fitted.model_.shares[a], abs=1e-5)


def test_it_predicts_its_label() -> None:
    X, y, others, truth = halves(20_000)
    fitted = tree(label="sick", epsilon=1, source=nw.randomness.SeededSource(3)).fit(X, y)
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.score(others, truth) > 0.8
    assert fitted.predict_proba(others).sum(axis=1) == pytest.approx(1)
    assert set(fitted.predict(others, column="smokes")) <= {"never", "some", "much"}


def test_made_up_rows_look_like_the_model(learned: nw.models.PrivateTree) -> None:
    """Rows are rounded from the model's shares, so each count is within one of them."""
    drawn = learned.sample(1_000, source=nw.randomness.SeededSource(4))
    root = learned.model_.steps[0][0]
    counts = np.array([(drawn[root] == point).sum() for point in learned.points(root)])
    assert np.abs(counts - 1_000 * learned.model_.shares[root]).max() <= 1
    assert np.isfinite(learned.log_likelihood(drawn)).all()


def test_counts_and_choices_are_on_the_bill(learned: nw.models.PrivateTree) -> None:
    words = [spend.what for spend in learned.spends_]
    assert len(words) == 4 + 3 + 3
    assert sum(word.startswith("choice") for word in words) == 3


def test_a_fit_is_debited(tmp_path: Path) -> None:
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=1, delta="1e-6", why="consent of 2026")
    private = tree(epsilon=1, delta="1e-6", ledger=book, dataset="clinic")
    private.fit(people(200))
    assert book.history("clinic")[1].what == "a tree of 4 columns"
    assert book.history("clinic")[1].guarantee == private.guarantee_


def test_noise_that_drowns_everything_leaves_nothing_to_say() -> None:
    fitted = tree(epsilon="1e-9").fit(people(100))
    for shares in fitted.model_.shares.values():
        assert shares == pytest.approx(np.full(shares.size, 1 / shares.size), abs=0.01)


def test_refusals() -> None:
    table = people(50)
    y = table.pop("sick")
    with pytest.raises(InputError, match="the model has no label"):
        tree().fit(table, y)
    fitted = tree().fit({**table, "sick": y})
    with pytest.raises(InputError, match="name the column to predict"):
        fitted.predict_proba(table)
    with pytest.raises(InputError, match="none of the columns of the model"):
        fitted.predict_proba({"name": ["x"]}, column="age")
    with pytest.raises(InputError, match="not fitted"):
        tree(label="sick").predict(table)
    with pytest.raises(InputError, match="no rows"):
        tree().fit({name: values[:0] for name, values in people(5).items()})


@pytest.mark.parametrize("rows", [-1, 1.5, "3", True], ids=repr)
def test_only_whole_numbers_of_rows_are_sampled(rows: Any) -> None:
    model = tree().fit(people(20))
    with pytest.raises(ParameterError, match="rows is"):
        model.sample(rows)


def test_more_rows_than_memory_holds_are_refused() -> None:
    model = tree().fit(people(20))
    with pytest.raises(TooLargeError, match="do not fit"):
        model.sample(10**13)
    assert all(len(values) == 0 for values in model.sample(0).values())


@pytest.mark.parametrize("kind", [nw.models.PrivateTree, nw.models.PrivateNaiveBayes])
@pytest.mark.parametrize("delta", [0, 1e-9])
def test_an_epsilon_beyond_all_doubles_is_refused(kind: Any, delta: float) -> None:
    label = DOMAIN.columns[0][0]
    with pytest.raises(ParameterError, match="at most 1e100"):
        kind(DOMAIN, label=label, ledger=None, epsilon="1e400", delta=delta).fit(people(20))


@pytest.mark.parametrize("kind", [nw.models.PrivateTree, nw.models.PrivateNaiveBayes])
@pytest.mark.parametrize("form", ["columns", "array", "rows"])
def test_a_missing_y_is_said_to_be_missing(kind: Any, form: str) -> None:
    label, *features = (name for name, _ in DOMAIN.columns)
    table = people(20)
    columns = {name: list(table[name]) for name in features}
    rows = [list(row) for row in zip(*columns.values(), strict=True)]
    X: Any = {"columns": columns, "array": np.array(rows, dtype=object), "rows": rows}[form]
    with pytest.raises(InputError, match="y is missing"):
        kind(DOMAIN, label=label, ledger=None, epsilon=1).fit(X)


@pytest.mark.parametrize("kind", [nw.models.PrivateTree, nw.models.PrivateNaiveBayes])
def test_what_is_no_source_is_refused(kind: Any) -> None:
    label = DOMAIN.columns[0][0]
    with pytest.raises(ParameterError, match="source is of type int"):
        kind(DOMAIN, label=label, ledger=None, epsilon=1, source=7).fit(people(20))
