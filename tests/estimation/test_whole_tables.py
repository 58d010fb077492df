"""Estimates of a whole table: each against another way to the same number."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError, ParameterError, UnidentifiableError
from noisewright.estimation.counts.released_columns import released_numbers
from noisewright.estimation.sets.item_shares import coins_of
from noisewright.mechanisms import marginal
from noisewright.releases.released import estimates_of
from tests.estimation.whole_tables import ITEMS, JOBS, REGIONS, people, plan, released

PLAN = plan()
RAW = people(6_000, 1)
TABLE = released(PLAN, RAW, 2)


def mechanism(name: str) -> Any:
    part = next(part for part in PLAN.parts if name in part.columns)
    return part.mechanism if len(part.columns) == 1 else marginal(part.mechanism, name)


def same(one: Any, other: Any) -> None:
    for name in ("values", "standard_errors", "lows", "highs"):
        near = pytest.approx(getattr(other, name), rel=1e-9, abs=1e-12)
        assert getattr(one, name) == near, name
    assert one.people == other.people


@cache
def usual(about: str) -> Any:
    return estimates_of(PLAN, TABLE, about=about)


@pytest.mark.parametrize("about", ["people", "population"])
@pytest.mark.parametrize(
    ("key", "column", "of"),
    [
        ("job", "job", "shares"),
        ("sex", "sex", "shares"),
        ("kids", "kids", "shares"),
        ("mean of kids", "kids", "mean"),
        ("quantiles of kids", "kids", "quantiles"),
        ("hours", "hours", "mean"),
        ("quantiles of hours", "hours", "quantiles"),
        ("wealth", "wealth", "mean"),
        ("likes", "likes", "items"),
    ],
)
def test_each_column_is_estimated_as_if_alone(key: str, column: str, of: str, about: str) -> None:
    alone = nw.estimate(TABLE.column(column), mechanism(column), of=of, about=about)
    same(usual(about)[key], alone)
    one = estimates_of(PLAN, TABLE, column, question=of, about=about)
    same(one, alone)


def test_the_usual_answers_cover_all_columns_in_the_order_of_the_plan() -> None:
    titles = list(usual("people"))
    assert [title for title in titles if title in TABLE.column_names] == [
        "job",
        "sex",
        "kids",
        "hours",
        "wealth",
        "likes",
        "day",
        "region",
    ]
    assert set(titles) - set(TABLE.column_names) == {
        "mean of kids",
        "quantiles of kids",
        "quantiles of hours",
    }
    assert usual("people").notes == (
        "histogram of hours is left out: the noise of 'hours' is wider than ten bins. Ask for it "
        "by name, with fewer bins.",
    )


def test_a_histogram_that_says_something_is_among_the_usual_answers() -> None:
    strong = nw.Plan({"hours": nw.Column(nw.Interval(0, 60, step="1/2"))}, epsilon=200)
    usual = estimates_of(strong, released(strong, RAW, 3))
    assert list(usual) == ["hours", "quantiles of hours", "histogram of hours"]
    assert usual["histogram of hours"].axes[0].name == "hours"


@pytest.mark.parametrize(
    "columns",
    [("job", "sex"), ("sex", "job"), ("sex", "kids", "job"), ("kids", "job"), ("job", "likes")],
    ids=" × ".join,
)
def test_margins_of_a_joint_estimate_are_the_estimates_of_the_margins(
    columns: tuple[str, ...],
) -> None:
    table = estimates_of(PLAN, TABLE, columns)
    assert [axis.name for axis in table.axes] == list(columns)
    for place, name in enumerate(columns):
        if name == "likes" or "likes" in columns[:place] or "likes" in columns[place + 1 :]:
            continue
        others = tuple(i for i in range(len(columns)) if i != place)
        margin = table.values.sum(axis=others)
        assert margin == pytest.approx(estimates_of(PLAN, TABLE, name).values, abs=1e-12)
    if "likes" in columns:
        items = estimates_of(PLAN, TABLE, "likes").values
        assert table.values.sum(axis=columns.index("job")) == pytest.approx(items, abs=1e-12)


def test_a_joint_part_crossed_with_another_inverts_the_whole_channel() -> None:
    joint = next(part.mechanism for part in PLAN.parts if len(part.columns) > 1)
    matrix = np.kron(joint.table().matrix, mechanism("kids").table().matrix)
    codes = np.array(
        [
            36 * 0 + 12 * JOBS.index(job) + 6 * ["f", "m"].index(sex) + kids
            for job, sex, kids in zip(
                *(TABLE.column(name).to_pylist() for name in ("job", "sex", "kids")), strict=True
            )
        ]
    )
    shares = np.bincount(codes, minlength=36) / len(codes)
    found = estimates_of(PLAN, TABLE, ("kids", "sex", "job"))
    expected = np.linalg.solve(matrix.T, shares).reshape(3, 2, 6).transpose(2, 1, 0)
    assert found.values == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("about", ["people", "population"])
@pytest.mark.parametrize(
    ("columns", "question"),
    [
        (("region", "job"), None),
        (("job", "region"), None),
        (("sex", "region", "job"), None),
        (("region", "kids"), "mean"),
        (("region", "kids"), "variance"),
        (("region", "hours"), None),
        (("region", "hours"), "quantiles"),
        (("region", "wealth"), None),
        (("region", "likes"), None),
        (("likes", "region"), None),
        (("day", "region"), None),
        (("region", "job", "likes"), None),
    ],
    ids=str,
)
def test_public_groups_are_tables_of_their_own(
    columns: tuple[str, ...], question: Any, about: str
) -> None:
    table = estimates_of(PLAN, TABLE, columns, question=question, about=about)
    place = [axis.name for axis in table.axes].index("region")
    assert list(table.axes[place].labels) == sorted(REGIONS)
    rest: Any = tuple(name for name in columns if name != "region")
    for code, region in enumerate(sorted(REGIONS)):
        part = TABLE.filter(pa.array(RAW["region"] == region))
        alone = estimates_of(
            PLAN, part, rest if len(rest) > 1 else rest[0], question=question, about=about
        )
        for name in ("values", "standard_errors", "lows", "highs"):
            here = np.take(getattr(table, name), code, axis=place)
            assert here == pytest.approx(getattr(alone, name), rel=1e-9, abs=1e-12), name
        assert (np.take(table.behind, code, axis=place) == part.num_rows).all()
    assert table.people == TABLE.num_rows


def test_public_columns_are_counted() -> None:
    counted = estimates_of(PLAN, TABLE, "region", about="people")
    assert counted.method == "exact"
    for region in REGIONS:
        assert counted.counts[region].value == pytest.approx((RAW["region"] == region).sum())
        assert counted[region].standard_error == 0
        assert counted[region].interval == pytest.approx((counted[region].value,) * 2)
    sampled = estimates_of(PLAN, TABLE, "region")
    share = sampled["west"].value
    assert sampled["west"].standard_error == pytest.approx((share * (1 - share) / 6_000) ** 0.5)


def test_items_crossed_with_a_column_average_the_products_of_both() -> None:
    coins = coins_of(mechanism("likes"))
    likes = TABLE.column("likes").to_pylist()
    has = np.array([[item in one for item in ITEMS] for one in likes], dtype=float)
    items = (has - coins.absent) / coins.gap
    inverse = np.linalg.inv(mechanism("sex").table().matrix)
    sexes = inverse[[["f", "m"].index(sex) for sex in TABLE.column("sex").to_pylist()]]
    found = estimates_of(PLAN, TABLE, ("likes", "sex"))
    assert found.values == pytest.approx(items.T @ sexes / len(likes), abs=1e-10)
    spread = (items[:, 0] * sexes[:, 1]).var() / len(likes)
    assert found["tea", "m"].standard_error == pytest.approx(spread**0.5, rel=0.05)


@pytest.mark.parametrize("about", ["people", "population"])
def test_mean_curves_are_those_of_the_released_curves(about: str) -> None:
    curves = mechanism("day").recover(TABLE.column("day"))
    for at, together in ((None, False), ([2.5, 7], True)):
        same(
            estimates_of(PLAN, TABLE, "day", at=at, about=about, together=together),
            nw.estimate(curves, at=at, about=about, together=together),
        )


def test_intervals_hold_as_often_as_they_say() -> None:
    """95% intervals about these people over 150 seeded releases, all answers of a kind together.

    One answer is held 95% ± 1.8% of the time, and more often in groups so small that nobody's
    row may have changed; those of one table depend on each other.
    """
    raw, asked = people(400, 8), ["job", ("region", "sex"), "kids", "hours", "likes", "day"]
    job = np.array([[job == one for one in JOBS] for job in raw["job"]])
    north = np.array([(raw["sex"][raw["region"] == r] == "f").mean() for r in sorted(REGIONS)])
    truth = {
        "job": job.mean(axis=0),
        ("region", "sex"): np.stack([north, 1 - north], axis=1),
        "mean of kids": raw["kids"].mean(),
        "hours": raw["hours"].mean(),
        "likes": np.array([np.mean([item in one for one in raw["likes"]]) for item in ITEMS]),
    }
    day = mechanism("day")
    held: dict[Any, list[float]] = {key: [] for key in [*truth, "day"]}
    # What the coordinates can show of the mean curve.
    shown = day.show(day.exact(day.space.read(raw["day"])) * float(day.unit) / 2**day.shift)
    truth["day"] = shown.values.mean(axis=0)
    for seed in range(150):
        found = estimates_of(
            PLAN,
            released(PLAN, raw, 1_000 + seed),
            asked,
            question={"kids": ["mean"]},
            about="people",
        )
        for key, values in truth.items():
            inside = (found[key].lows <= values) & (values <= found[key].highs)
            held[key].append(float(np.mean(inside)))
    for key, shares in held.items():
        most = 1 if key == ("region", "sex") else 0.985
        assert 0.90 <= np.mean(shares) <= most, key


def test_clamped_laplace_noise_is_undone_as_its_channel_says() -> None:
    space = nw.Interval(-1, 4, step="1/2")
    clamped = nw.laplace(space, epsilon=3, form="truncated")
    numbers = released_numbers(np.array(list(space.points)), clamped)
    expected = clamped.table().matrix @ numbers
    assert expected == pytest.approx(np.array(list(space.points)), abs=1e-9)
    squares = (numbers[None, :] - expected[:, None]) ** 2
    variances = (clamped.table().matrix * squares).sum(axis=1)
    assert (variances <= clamped.variance * (1 + 1e-12)).all()


@pytest.mark.parametrize("size", [100, 1_777])
def test_the_size_of_batches_does_not_matter(size: int) -> None:
    # Sorted, so that later batches bring public values that earlier ones did not have.
    table = TABLE.sort_by("region")
    whole = estimates_of(PLAN, table, "pairs")
    pieces = estimates_of(PLAN, iter(table.to_batches(max_chunksize=size)), "pairs")
    assert list(whole) == list(pieces)
    for key, found in whole.items():
        same(found, pieces[key])


def test_empty_cells_and_numbers_that_are_none_are_values_of_public_columns() -> None:
    simple = nw.Plan({"job": nw.Column(JOBS), "when": "public"}, epsilon=4)
    when = [None, 2.5, float("nan"), 1.0, None, float("nan")] * 50
    table = pa.table({"job": ["nurse"] * 300, "when": pa.array(when, from_pandas=False)})
    found = estimates_of(simple, table.to_batches(max_chunksize=7), "when", about="people")
    labels = found.axes[0].labels
    assert labels[:2] == [1.0, 2.5]
    assert np.isnan(labels[2])
    assert labels[3] is None
    assert found.counts.values == pytest.approx([50, 50, 100, 100])


def test_a_public_column_of_many_values_is_left_out_unless_asked_for() -> None:
    wide = nw.Plan({"job": nw.Column(JOBS), "id": "public"}, epsilon=4)
    table = pa.table({"job": ["nurse"] * 3_000, "id": [f"n{i}" for i in range(3_000)]})
    usual = estimates_of(wide, table)
    assert list(usual) == ["job"]
    assert usual.notes == (
        "The public column 'id' has more than 1,000 different values and is left out.",
    )
    assert len(estimates_of(wide, table, "id").values) == 3_000
    longer = pa.table({"job": ["nurse"] * 70_000, "id": [f"n{i}" for i in range(70_000)]})
    with pytest.raises(InputError, match="'id' has more than 65,536 different values"):
        estimates_of(wide, longer, ("id", "job"))


def test_groups_without_people_have_no_answer() -> None:
    two = nw.Plan({"job": nw.Column(JOBS), "a": "public", "b": "public"}, epsilon=4)
    table = pa.table({"job": ["nurse", "baker", "smith"], "a": [0, 0, 1], "b": ["x", "y", "x"]})
    found = estimates_of(two, table, ("a", "job", "b"), about="people")
    assert np.isnan(found.values[1, :, 1]).all()
    assert np.isfinite(found.values[0]).all()
    assert found.counts.values[0].sum() == pytest.approx(2)
    assert "Groups without people have no answer." in found.notes


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"of": "jobs"}, "'jobs'; a table is made of different columns among 'job', 'sex'"),
        ({"of": ("likes", "wealth")}, "cannot be estimated: sets are crossed with"),
        ({"of": ("job", "wealth")}, "have means by public columns, not by private ones"),
        ({"of": "job", "question": "mean"}, "about 'job' it must be 'shares'"),
        ({"of": ("job", "kids"), "question": "mean"}, "about one private column, by public"),
        ({"of": "kids", "at": [1]}, "at goes with quantiles, histograms"),
        ({"of": "pairs", "question": "mean"}, "name the columns to ask others"),
        ({"of": "likes", "method": "likelihood"}, "by method='unbiased'; got 'likelihood'"),
        ({"of": "likes", "question": "pairs", "at": ["tea", "gin"]}, "names 'gin'"),
        ({"of": []}, "of is empty"),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        estimates_of(PLAN, TABLE, **asked)


def test_words_by_column() -> None:
    found = estimates_of(
        PLAN,
        TABLE,
        ["job", "kids", ("region", "kids")],
        question={"kids": ["mean", "variance"]},
    )
    assert list(found) == [
        "job",
        "mean of kids",
        "variance of kids",
        "mean of kids by region",
        "variance of kids by region",
    ]
    assert list(estimates_of(PLAN, TABLE, question={"kids": "mean"})) == ["mean of kids"]
    pairs = estimates_of(PLAN, TABLE, "likes", question="pairs", at=["tea", "salt"])
    alone = nw.estimate(TABLE.column("likes"), mechanism("likes"), of=["tea", "salt"])
    same(pairs, alone)


def test_a_value_that_was_not_released_is_named_by_row_and_column() -> None:
    edited = TABLE.slice(0, 40).to_pylist()
    edited[33]["job"] = "king"
    with pytest.raises(OutsideSpaceError, match="column 'job' at row 34 ") as caught:
        estimates_of(PLAN, pa.Table.from_pylist(edited))
    assert "king" not in str(caught.value)


def test_a_missing_column_and_an_empty_table_are_refused() -> None:
    with pytest.raises(InputError, match="has no column 'sex'"):
        estimates_of(PLAN, TABLE.drop_columns(["sex"]))
    with pytest.raises(ParameterError, match="no released rows"):
        estimates_of(PLAN, TABLE.slice(0, 0))


def test_together_widens_all_intervals_of_a_table() -> None:
    alone = estimates_of(PLAN, TABLE, ("region", "job"))
    all_at_once = estimates_of(PLAN, TABLE, ("region", "job"), together=True)
    assert (all_at_once.lows < alone.lows).all()
    assert (all_at_once.highs > alone.highs).all()
    assert all_at_once.confidence == alone.confidence


def test_public_lists_are_left_out_unless_asked_for() -> None:
    listed = nw.Plan({"job": nw.Column(JOBS), "stops": "public"}, epsilon=4)
    table = pa.table({"job": ["nurse"] * 30, "stops": [["a", "b"]] * 30})
    usual = estimates_of(listed, table)
    assert list(usual) == ["job"]
    assert usual.notes == ("The public column 'stops' holds lists and is left out.",)
    with pytest.raises(InputError, match="'stops' holds lists; it cannot be tabulated"):
        estimates_of(listed, table, ("stops", "job"))


def test_what_a_mechanism_hides_is_estimated_as_most_likely_unless_asked_for() -> None:
    space = nw.Categories(JOBS)
    blind = nw.from_matrix(
        space, [["1/2", "1/4", "1/4"], ["1/4", "3/8", "3/8"], ["1/4", "3/8", "3/8"]]
    )
    hiding = nw.Plan({"job": nw.Column(space, mechanism=blind)})
    table = pa.table({"job": blind.sample(["nurse", "baker", "smith"] * 300)})
    found = estimates_of(hiding, table)["job"]
    assert found.method == "likelihood"
    assert found["baker"].interval == (0, 1)
    assert found.notes[0].startswith("The mechanism does not tell all values apart")
    with pytest.raises(UnidentifiableError, match="does not tell all its inputs apart"):
        estimates_of(hiding, table, "job")


def test_a_folder_of_files_is_one_table(tmp_path: Path) -> None:
    folder = tmp_path / "private.parquet"
    folder.mkdir()
    for place in range(3):
        pq.write_table(TABLE.slice(2_000 * place, 2_000), folder / f"part-{place}.parquet")
    for key, found in estimates_of(PLAN, folder, about="people").items():
        same(found, usual("people")[key])
