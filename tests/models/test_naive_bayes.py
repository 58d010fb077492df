"""Naive Bayes against counting by hand, in every form of table, and what it refuses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import (
    InputError,
    LedgerError,
    OutsideSpaceError,
    ParameterError,
    TooLargeError,
)
from tests.models.people import DOMAIN, halves, people

NOISELESS = 3_000
"""At this ε the noise is zero with a probability beyond 1 − 1e-100."""


def model(**options: Any) -> nw.models.PrivateNaiveBayes:
    given: dict[str, Any] = {"label": "sick", "epsilon": NOISELESS, "ledger": None, **options}
    return nw.models.PrivateNaiveBayes(DOMAIN, **given)


def test_without_noise_it_is_the_textbook() -> None:
    X, y, others, _ = halves(400)
    fitted = model().fit(X, y)
    ages = np.clip(np.floor((X["age"] - 20) / 20 + 0.5), 0, 3)
    asked = np.clip(np.floor((others["age"] - 20) / 20 + 0.5), 0, 3)
    joint = np.empty((200, 2))
    for place, label in enumerate(["no", "yes"]):
        mine = y == label
        joint[:, place] = (mine.sum() + 1) / (200 + 2)
        for known, new, size in (
            (X["smokes"], others["smokes"], 3),
            (X["visits"], others["visits"], 4),
            (ages, asked, 4),
        ):
            hits = (known[mine][None, :] == new[:, None]).sum(axis=1)
            joint[:, place] *= (hits + 1) / (mine.sum() + size)
    wanted = joint / joint.sum(axis=1, keepdims=True)
    assert fitted.predict_proba(others) == pytest.approx(wanted, abs=1e-9)
    assert fitted.predict_joint_log_proba(others) == pytest.approx(np.log(joint), abs=1e-9)
    assert (fitted.predict(others) == np.array(["no", "yes"])[wanted.argmax(axis=1)]).all()


def test_noise_costs_little_accuracy() -> None:
    """Seeded: 10,000 people, so that ε = 1 is plenty."""
    X, y, others, truth = halves(20_000)
    exact = model().fit(X, y).score(others, truth)
    private = model(epsilon=1, source=nw.randomness.SeededSource(1)).fit(X, y)
    assert exact > 0.8
    assert private.score(others, truth) > exact - 0.02
    assert private.guarantee_.epsilon == nw.accounting.Guarantee(1).epsilon
    assert [table.columns for table in private.measurements_] == [
        ("sick", "smokes"),
        ("sick", "visits"),
        ("sick", "age"),
    ]
    assert private.noise_.startswith("two-sided geometric noise: expected squared error ")


def test_all_tables_have_a_say_in_the_shares_of_the_label() -> None:
    """The weighted mean has a smaller error than the best single table, on average (seeded)."""
    X, y, _, _ = halves(4_000)
    truth = (y == "yes").mean()
    together: list[float] = []
    alone: list[float] = []
    for seed in range(60):
        fitted = model(epsilon=0.05, source=nw.randomness.SeededSource(seed)).fit(X, y)
        together.append((fitted.class_shares_[1] - truth) ** 2)
        best = min(fitted.measurements_, key=lambda one: one.counts.shape[1] * one.deviation**2)
        counts = best.counts.sum(axis=1)
        alone.append((counts[1] / counts.sum() - truth) ** 2)
    assert np.mean(together) < np.mean(alone)


FORMS = {
    "mapping": lambda table: table,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "records": lambda table: pd.DataFrame(table).to_dict("records"),
    "rows": lambda table: [
        tuple(row) for row in pd.DataFrame(table)[["smokes", "visits", "age"]].to_numpy().tolist()
    ],
    "array": lambda table: pd.DataFrame(table)[["smokes", "visits", "age"]].to_numpy(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_table_is_the_same(form: str) -> None:
    X, y, others, _ = halves(300)
    plain = model().fit(X, y).predict_proba(others)
    made = FORMS[form]
    fitted = model().fit(made(X), pd.Series(y) if form == "pandas" else y)
    assert (fitted.predict_proba(made(others)) == plain).all()


def test_the_label_may_be_a_column_and_the_table_a_stream() -> None:
    table = people(300)
    X = {name: values for name, values in table.items() if name != "sick"}
    wanted = model().fit(X, table["sick"]).predict_proba(X)
    batches = pa.table(table).to_batches(max_chunksize=70)
    assert (model().fit(table).predict_proba(X) == wanted).all()
    assert (model().fit(iter(batches)).predict_proba(X) == wanted).all()


@pytest.mark.parametrize(
    "domain",
    [
        dict(DOMAIN.columns),
        {**dict(DOMAIN.columns), "sick": ["no", "yes"]},
        nw.Plan(
            {
                "sick": nw.Column(["no", "yes"]),
                "smokes": nw.Column(["never", "some", "much"]),
                "visits": nw.Column(nw.Counts(3)),
                "age": nw.Column(nw.Interval(20, 80, step=20), outside="clamp", off_grid="round"),
                "name": "drop",
            },
            epsilon=1,
        ),
    ],
    ids=["spaces", "labels", "plan"],
)
def test_domains_are_declared_in_several_ways(domain: Any) -> None:
    X, y, others, _ = halves(300)
    wanted = model().fit(X, y).predict_proba(others)
    fitted = nw.models.PrivateNaiveBayes(domain, label="sick", epsilon=NOISELESS, ledger=None).fit(
        X, y
    )
    assert (fitted.predict_proba(others) == wanted).all()


EMPTY: dict[str, Any] = {
    "sick": nw.Column(["no", "yes"]),
    "job": nw.Column(["nurse", "baker"], null="none", other="else"),
    "age": nw.Interval(20, 80, step=20).reading(outside="clamp", off_grid="round"),
}


@pytest.mark.parametrize(
    "kind",
    [dict, pd.DataFrame, pl.DataFrame, pa.table],
    ids=["mapping", "pandas", "polars", "arrow"],
)
@pytest.mark.parametrize(
    "domain",
    [
        EMPTY,
        nw.Plan(
            {
                **EMPTY,
                "age": nw.Column(nw.Interval(20, 80, step=20), outside="clamp", off_grid="round"),
            },
            epsilon=1,
        ),
    ],
    ids=["columns", "plan"],
)
def test_empty_and_undeclared_cells_count_as_was_declared(domain: Any, kind: Any) -> None:
    jobs = ["nurse", None, "baker", "judge"] * 50
    cleaned = ["nurse", "none", "baker", "else"] * 50
    ages = list(range(10, 110)) * 2
    y = ["yes", "no", "no", "yes"] * 50
    wanted = nw.models.PrivateNaiveBayes(
        {**EMPTY, "job": ["nurse", "baker", "else", "none"], "sick": ["no", "yes"]},
        label="sick",
        epsilon=NOISELESS,
        ledger=None,
    ).fit({"job": cleaned, "age": ages}, y)
    fitted = nw.models.PrivateNaiveBayes(domain, label="sick", epsilon=NOISELESS, ledger=None)
    fitted.fit(kind({"job": jobs, "age": ages}), y)
    rows = {"job": ["judge", None, "nurse"], "age": [5, 47, 90]}
    same = {"job": ["else", "none", "nurse"], "age": [5, 47, 90]}
    assert (fitted.predict_proba(kind(rows)) == wanted.predict_proba(same)).all()


@pytest.mark.parametrize(
    "domain",
    [DOMAIN, {**dict(DOMAIN.columns), "sick": nw.Column(["no", "yes"])}],
    ids=["spaces", "columns"],
)
def test_no_rows_have_no_predictions(domain: Any) -> None:
    X, y, _, _ = halves(50)
    fitted = nw.models.PrivateNaiveBayes(domain, label="sick", epsilon=1, ledger=None).fit(X, y)
    nobody = {name: values[:0] for name, values in X.items()}
    assert fitted.predict_proba(nobody).shape == (0, 2)


def test_noise_that_drowns_everything_leaves_nothing_to_say() -> None:
    """Counts are estimated near their mean without data, not by the noise: all labels alike."""
    X, y, others, _ = halves(100)
    proba = model(epsilon="1e-9").fit(X, y).predict_proba(others)
    assert proba == pytest.approx(np.full((50, 2), 0.5), abs=0.01)


def test_a_label_that_nobody_has_is_still_possible() -> None:
    X, _, others, _ = halves(100)
    proba = model().fit(X, ["no"] * 50).predict_proba(others)
    assert np.isfinite(proba).all()
    assert (proba > 0).all()


def test_a_fitted_model_can_be_stored() -> None:
    X, y, others, _ = halves(100)
    fitted = model().fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict_proba(others) == fitted.predict_proba(others)).all()


def test_parameters_by_name() -> None:
    one = model(epsilon=2)
    assert one.get_params()["epsilon"] == 2
    assert one.set_params(epsilon=3, smoothing=2) is one
    assert (one.epsilon, one.smoothing) == (3, 2)
    assert repr(one) == "PrivateNaiveBayes(label='sick', epsilon=3, delta=0, smoothing=2)"
    with pytest.raises(ParameterError, match="no parameter 'alpha'; it has domain, label"):
        one.set_params(alpha=1)


class TestRefusals:
    def test_what_is_not_fitted(self) -> None:
        with pytest.raises(InputError, match="not fitted yet"):
            model().predict(people(3))

    def test_a_value_that_was_not_declared(self) -> None:
        X, y, _, _ = halves(20)
        X["visits"][3] = 9
        with pytest.raises(OutsideSpaceError, match=r"column 'visits' at row 4 ") as problem:
            model().fit(X, y)
        assert "9" not in str(problem.value)

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"label": "dead"}, "the label 'dead' is not in the domain; it has sick, smokes"),
            ({"smoothing": 0}, "smoothing is 0; it must be above 0"),
            ({"epsilon": 0}, "epsilon is 0; it must be above 0"),
            ({"epsilon": None}, "epsilon is missing: it is the privacy budget per person"),
            ({"dataset": "clinic"}, "no ledger is given"),
            ({"ledger": "nowhere.db"}, "there is no ledger at .nowhere.db."),
        ],
        ids=["label", "smoothing", "epsilon", "no epsilon", "dataset", "ledger"],
    )
    def test_parameters_that_do_not_fit(self, options: dict[str, Any], words: str) -> None:
        X, y, _, _ = halves(20)
        with pytest.raises((InputError, LedgerError), match=words):
            model(**options).fit(X, y)

    @pytest.mark.parametrize(
        ("domain", "words"),
        [
            ("sick", "give a mapping from each column to its space"),
            ({"sick": ["no", "yes"]}, "needs two columns at least"),
            (
                {"sick": ["no", "yes"], "f": nw.Subsets(["a", "b"])},
                "a model takes Categories, Counts and Interval",
            ),
            (
                nw.Plan({"sick": nw.Column(["no", "yes"]), "f": "public"}, epsilon=1),
                "the plan has 'f' as public",
            ),
            (
                {"sick": ["no", "yes"], "f": nw.Counts(1 << 22)},
                "has 8,388,610 cells",
            ),
        ],
        ids=["text", "one-column", "sets", "public", "large"],
    )
    def test_domains_that_do_not_fit(self, domain: Any, words: str) -> None:
        with pytest.raises((InputError, TooLargeError), match=words):
            nw.models.PrivateNaiveBayes(domain, label="sick", epsilon=1, ledger=None).fit({})

    def test_no_rows(self) -> None:
        X, y, _, _ = halves(20)
        with pytest.raises(InputError, match="no rows to learn from"):
            model().fit({name: values[:0] for name, values in X.items()}, y[:0])

    def test_rows_of_another_width(self) -> None:
        with pytest.raises(InputError, match="X has 2 columns; the model takes 3: smokes"):
            model().fit(np.zeros((4, 2)), ["no"] * 4)
        with pytest.raises(InputError, match="row 2 of X has 1 columns"):
            model().fit([("never", 1, 20), ("never",)], ["no"] * 2)

    def test_cells_of_another_type_are_read_as_declared_and_not_shown(self) -> None:
        table, labels = {"job": ["nurse", 4711] * 10, "age": [30] * 20}, ["yes"] * 20
        private = nw.models.PrivateNaiveBayes(EMPTY, label="sick", epsilon=1, ledger=None)
        assert private.fit(table, labels).measurements_[0].rows == 20
        strict: Any = {"job": ["nurse", "judge"], "age": nw.Counts(99), "sick": ["no", "yes"]}
        with pytest.raises(InputError, match="'job'") as problem:
            nw.models.PrivateNaiveBayes(strict, label="sick", epsilon=1, ledger=None).fit(
                table, labels
            )
        assert "4711" not in str(problem.value)
        assert problem.value.__context__ is None

    @pytest.mark.parametrize(
        "domain",
        [EMPTY, {"sick": ["no", "yes"], "age": nw.Counts(99)}],
        ids=["columns", "spaces"],
    )
    def test_labels_for_other_rows(self, domain: Any) -> None:
        table = {"job": ["nurse"] * 20, "age": [30] * 20}
        with pytest.raises(InputError, match="X has 20 rows and y 19; each row needs its label"):
            nw.models.PrivateNaiveBayes(domain, label="sick", epsilon=1, ledger=None).fit(
                table, ["yes"] * 19
            )

    def test_a_missing_column(self) -> None:
        X, y, _, _ = halves(20)
        del X["age"]
        with pytest.raises(InputError, match="no column 'age'"):
            model().fit(X, y)


@pytest.mark.parametrize(
    "kind", [nw.models.PrivateNaiveBayes, nw.models.PrivateTree], ids=["bayes", "tree"]
)
@pytest.mark.parametrize("declared", [list, nw.Column], ids=["labels", "column"])
def test_a_column_of_one_value_says_nothing_and_is_no_mistake(kind: Any, declared: Any) -> None:
    domain = {"clinic": declared(["north"]), "a": declared(["x", "y"]), "b": declared(["x", "y"])}
    values = ["x", "y"] * 50
    X = {"clinic": ["north"] * 100, "a": values}
    fitted = kind(domain, label="b", ledger=None, epsilon=NOISELESS).fit(X, values)
    assert fitted.predict(X).tolist() == values


def test_a_feature_with_one_possible_value_costs_nothing() -> None:
    domain = {"ill": ["yes", "no"], "sex": ["f", "m"], "where": ["here"]}
    data = {"ill": ["yes", "no"] * 50, "sex": ["f", "m"] * 50, "where": ["here"] * 100}
    source = nw.randomness.SeededSource(1)
    model = nw.models.PrivateNaiveBayes(
        domain, label="ill", epsilon=1, source=source, ledger=None
    ).fit(data)
    assert [(spend.what, spend.amount) for spend in model.spends_] == [("counts of ill × sex", 1)]
    assert model.feature_shares_["where"].tolist() == [[1.0], [1.0]]
    rows = {"sex": ["f", "m"], "where": ["here", "here"]}
    assert model.predict(rows).tolist() == ["yes", "no"]
    alone = nw.models.PrivateNaiveBayes(
        {"ill": ["yes", "no"], "where": ["here"]},
        label="ill",
        epsilon=1,
        source=source,
        ledger=None,
    ).fit({name: data[name] for name in ("ill", "where")})
    assert [spend.what for spend in alone.spends_] == ["counts of ill × where"]
    tree = nw.models.PrivateTree(domain, label="ill", epsilon=9, source=source, ledger=None).fit(
        data
    )
    assert [(spend.what, spend.amount) for spend in tree.spends_] == [
        ("counts of ill", 1),
        ("counts of sex", 1),
        ("counts of ill × sex", 7),
    ]
    assert tree.predict(rows).tolist() == ["yes", "no"]
    assert set(tree.sample(5)["where"]) == {"here"}
