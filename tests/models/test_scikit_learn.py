"""The models inside of scikit-learn: pipelines, cross-validation, searches and copies."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError, OverBudgetError
from tests.models.people import DOMAIN, people

pytest.importorskip("sklearn", reason="needs: scikit-learn")

base: Any = pytest.importorskip("sklearn.base", reason="needs: scikit-learn")
exceptions: Any = pytest.importorskip("sklearn.exceptions", reason="needs: scikit-learn")
model_selection: Any = pytest.importorskip("sklearn.model_selection", reason="needs: scikit-learn")
pipeline: Any = pytest.importorskip("sklearn.pipeline", reason="needs: scikit-learn")
preprocessing: Any = pytest.importorskip("sklearn.preprocessing", reason="needs: scikit-learn")
validation: Any = pytest.importorskip("sklearn.utils.validation", reason="needs: scikit-learn")

MODELS = [nw.models.PrivateNaiveBayes, nw.models.PrivateTree]


def data(rows: int) -> tuple[Any, Any]:
    import pandas as pd

    table = people(rows)
    y = table.pop("sick")
    return pd.DataFrame(table), y


@pytest.mark.parametrize("kind", MODELS)
def test_cross_validation(kind: Any) -> None:
    """Seeded; 4,000 people."""
    X, y = data(4_000)
    model = kind(DOMAIN, label="sick", ledger=None, epsilon=2, source=nw.randomness.SeededSource(1))
    scores = model_selection.cross_val_score(model, X, y, cv=3)
    assert len(scores) == 3
    assert min(scores) > 0.8


@pytest.mark.parametrize("kind", MODELS)
def test_a_pipeline(kind: Any) -> None:
    """Rows pass through an array without names before they come to the model."""
    X, y = data(1_000)
    ordered = preprocessing.FunctionTransformer(lambda X: X[["smokes", "visits", "age"]].to_numpy())
    steps = pipeline.Pipeline(
        [("array", ordered), ("model", kind(DOMAIN, label="sick", ledger=None, epsilon=2))]
    )
    steps.fit(X, y)
    assert steps.predict(X).shape == (1_000,)
    assert steps.predict_proba(X).shape == (1_000, 2)
    assert steps.classes_.tolist() == ["no", "yes"]
    assert 0 <= steps.score(X, y) <= 1
    steps.set_params(model__epsilon=5)
    assert steps.named_steps["model"].epsilon == 5


def test_a_search_over_parameters() -> None:
    X, y = data(300)
    search = model_selection.GridSearchCV(
        nw.models.PrivateNaiveBayes(DOMAIN, label="sick", epsilon=1, ledger=None),
        {"epsilon": [1, 100]},
        cv=2,
    )
    search.fit(X, y)
    assert search.best_params_["epsilon"] in (1, 100)


@pytest.mark.parametrize("kind", MODELS)
def test_copies_are_not_fitted(kind: Any) -> None:
    X, y = data(100)
    model = kind(DOMAIN, label="sick", ledger=None, epsilon=1)
    assert base.is_classifier(model)
    model.fit(X, y)
    validation.check_is_fitted(model)
    copy = base.clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(Exception, match="not fitted"):
        validation.check_is_fitted(copy)
    with pytest.raises(exceptions.NotFittedError, match="not fitted yet") as caught:
        copy.predict(X)
    assert isinstance(caught.value, InputError)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, exceptions.NotFittedError)
    assert str(again) == str(caught.value)


def test_each_fold_is_debited(tmp_path: Path) -> None:
    X, y = data(200)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=3, why="consent of 2026")
    model = nw.models.PrivateNaiveBayes(
        DOMAIN, label="sick", epsilon=1, ledger=book, dataset="clinic"
    )
    scores = model_selection.cross_val_score(model, X, y, cv=3)
    assert np.isfinite(scores).all()
    assert book.remaining("clinic") == nw.accounting.Guarantee(0)


@pytest.mark.parametrize("kind", MODELS)
def test_a_fitted_model_takes_its_ledger_along(kind: Any, tmp_path: Path) -> None:
    X, y = data(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=2, why="consent of 2026")
    model = kind(DOMAIN, label="sick", epsilon=1, ledger=book, dataset="clinic").fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    again.fit(X, y)
    assert book.remaining("clinic") == nw.accounting.Guarantee(0)


def test_a_search_in_several_processes_is_debited(tmp_path: Path) -> None:
    X, y = data(200)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=10, why="consent of 2026")
    model = nw.models.PrivateNaiveBayes(
        DOMAIN, label="sick", epsilon=1, ledger=book, dataset="clinic"
    )
    search = model_selection.GridSearchCV(
        model, {"smoothing": [1, 2]}, cv=2, n_jobs=2, error_score="raise"
    )
    search.fit(X, y)
    # Two settings in two folds, and one more fit with the better one.
    assert book.remaining("clinic") == nw.accounting.Guarantee(5)


def test_a_search_that_raises_stops_where_the_budget_ends(tmp_path: Path) -> None:
    X, y = data(100)
    book = nw.Ledger.create(tmp_path / "book.db")
    book.grant("clinic", epsilon=2, why="consent of 2026")
    model = nw.models.PrivateNaiveBayes(
        DOMAIN, label="sick", epsilon=1, ledger=book, dataset="clinic"
    )
    with pytest.raises(OverBudgetError):
        model_selection.cross_val_score(model, X, y, cv=3, error_score="raise")
