"""Models of people with several rows: so many of each count, and the noise is for all of them."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError

COLUMNS = {
    "sick": nw.Column(["no", "yes"]),
    "ward": nw.Column(["A", "B", "C"]),
    "days": nw.Column(nw.Counts(3), outside="clamp"),
}
MODELS = [nw.models.PrivateNaiveBayes, nw.models.PrivateTree]


def plan(k: int, keep: str = "first") -> nw.Plan:
    return nw.Plan(COLUMNS, epsilon=1, person=nw.Person("patient", rows=k, keep=keep))


def stays(rows: int = 3_000) -> pa.Table:
    rng = np.random.default_rng(8)
    return pa.table(
        {
            "patient": rng.integers(0, rows // 3, rows),
            "sick": np.array(["no", "yes"])[rng.integers(0, 2, rows)],
            "ward": np.array(["A", "B", "C"])[rng.integers(0, 3, rows)],
            "days": rng.integers(0, 6, rows),
        }
    )


DATA = stays()


def counted(k: int) -> int:
    return int(np.minimum(np.unique(DATA["patient"].to_numpy(), return_counts=True)[1], k).sum())


def noise_cells(model: Any) -> int:
    return model.measurements_[0].counts.size


@pytest.mark.parametrize("kind", MODELS, ids=["naive-bayes", "tree"])
@pytest.mark.parametrize("delta", [0, 1e-6])
def test_rows_beyond_are_left_out_and_noise_is_larger(kind: Any, delta: float) -> None:
    one = kind(plan(1), label="sick", ledger=None, epsilon=1, delta=delta).fit(DATA)
    for keep in ("first", "random"):
        several = kind(plan(4, keep), label="sick", ledger=None, epsilon=1, delta=delta).fit(DATA)
        assert {each.rows for each in several.measurements_} == {counted(4)}
        noise = several.measurements_[0].noise
        first = one.measurements_[0].noise
        assert noise.rows_per_person == 4
        assert noise.deviation > 3.9 * first.deviation
        if noise.unit == "epsilon":
            # Of four rows that may count a person may have fewer: their total is not kept.
            assert noise.scale == noise.amount / 8
            assert (noise.balanced_cells, first.balanced_cells) == (None, noise_cells(one))
        is_normal = several.noise_.startswith("rounded normal")
        assert several.guarantee_ == nw.accounting.Guarantee(1, delta if is_normal else 0)
        assert several.certificate_.guarantee == several.guarantee_
        assert several.predict({"ward": ["A", "B"], "days": [0, 3]}).shape == (2,)


def test_a_label_may_be_given_by_itself_and_the_person_with_the_features() -> None:
    labels = DATA["sick"].to_pylist()
    features = {name: DATA[name].to_pylist() for name in ("patient", "ward", "days")}
    made = nw.models.PrivateNaiveBayes(plan(2), label="sick", epsilon=1, ledger=None).fit(
        features, labels
    )
    assert made.measurements_[0].rows == counted(2)
    assert "patient" not in made.feature_names_in_


def test_without_the_column_it_is_refused() -> None:
    features = {name: DATA[name].to_pylist() for name in ("ward", "days")}
    with pytest.raises(InputError, match="X has no column 'patient'"):
        nw.models.PrivateNaiveBayes(plan(2), label="sick", epsilon=1, ledger=None).fit(
            features, DATA["sick"].to_pylist()
        )
    with pytest.raises(InputError, match="'patient', which the table does not have"):
        nw.models.PrivateTree(plan(2), epsilon=1, ledger=None).fit(DATA.drop_columns(["patient"]))
