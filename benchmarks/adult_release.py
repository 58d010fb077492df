"""Are the errors that a release states those that releases have? On Adult, over 50 releases.

    python -m benchmarks.adult_release [path/of/adult.data] [--releases 50] [--shuffled]

The table has 32,561 people and 8 columns of categories (UCI Machine Learning Repository, "Adult":
https://archive.ics.uci.edu/dataset/2/adult, file adult.data). Each release spends epsilon = 8 for a
whole row, an eighth for each column. Every release is estimated from itself alone, and its standard
errors are compared with how far its shares are from the true ones: root mean squares over all
categories of a column and all releases.

With --shuffled, all 14 columns of the codebook are released in random order with a central epsilon
of 1 and delta of 1e-9, and errors are shown next to those that epsilon = 1 has in kept order.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import noisewright as nw

PLACES = (
    Path(__file__).parents[2] / "shared" / "data" / "adult.data",
    Path("adult.data"),
)
HOW = (
    "adult.data is not here. Get it from https://archive.ics.uci.edu/dataset/2/adult and run\n"
    "    python -m benchmarks.adult_release path/of/adult.data"
)
EPSILON = 8
RELEASES = 50
REQUIRED = 0.10

# From the file adult.names of the repository; "?" stands for what is not known.
COLUMNS = {
    "workclass": (
        1,
        "? Federal-gov Local-gov Never-worked Private Self-emp-inc Self-emp-not-inc State-gov "
        "Without-pay",
    ),
    "education": (
        3,
        "10th 11th 12th 1st-4th 5th-6th 7th-8th 9th Assoc-acdm Assoc-voc Bachelors Doctorate "
        "HS-grad Masters Preschool Prof-school Some-college",
    ),
    "marital-status": (
        5,
        "Divorced Married-AF-spouse Married-civ-spouse Married-spouse-absent Never-married "
        "Separated Widowed",
    ),
    "occupation": (
        6,
        "? Adm-clerical Armed-Forces Craft-repair Exec-managerial Farming-fishing "
        "Handlers-cleaners Machine-op-inspct Other-service Priv-house-serv Prof-specialty "
        "Protective-serv Sales Tech-support Transport-moving",
    ),
    "relationship": (7, "Husband Not-in-family Other-relative Own-child Unmarried Wife"),
    "race": (8, "Amer-Indian-Eskimo Asian-Pac-Islander Black Other White"),
    "sex": (9, "Female Male"),
    "native-country": (
        13,
        "? Cambodia Canada China Columbia Cuba Dominican-Republic Ecuador El-Salvador England "
        "France Germany Greece Guatemala Haiti Holand-Netherlands Honduras Hong Hungary India Iran "
        "Ireland Italy Jamaica Japan Laos Mexico Nicaragua Outlying-US(Guam-USVI-etc) Peru "
        "Philippines Poland Portugal Puerto-Rico Scotland South Taiwan Thailand Trinadad&Tobago "
        "United-States Vietnam Yugoslavia",
    ),
}


OTHERS = {
    "age": 0,
    "fnlwgt": 2,
    "education-num": 4,
    "capital-gain": 10,
    "capital-loss": 11,
    "hours-per-week": 12,
    "income": 14,
}


@dataclass(frozen=True)
class Compared:
    """Stated and actual errors of a column; `chance` is what luck alone moves their ratio by."""

    column: str
    categories: int
    stated: float
    actual: float
    chance: float

    @property
    def ratio(self) -> float:
        return self.actual / self.stated


def adult(path: Path) -> Any:
    """Read the 8 columns of categories."""
    import pyarrow as pa

    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if len(row) == 15]
    return pa.table({name: [row[place] for row in rows] for name, (place, _) in COLUMNS.items()})


def plan() -> nw.Plan:
    columns = {name: nw.Column(labels.split()) for name, (_, labels) in COLUMNS.items()}
    return nw.Plan(columns, epsilon=EPSILON, title="Adult")


def whole_adult(path: Path) -> Any:
    """Read the 14 columns of the codebook."""
    places = OTHERS | {name: place for name, (place, _) in COLUMNS.items()}
    names = sorted(places, key=lambda name: places[name])
    return nw.CSV(path, header=False, names=names)


def shuffled_plan(given: Any, rows: int) -> nw.Plan:
    """Return the draft for all columns but the weights of the census, settled for so many rows."""
    codes = Path(__file__).parents[1] / "docs" / "examples" / "adult-codebook.csv"
    draft = nw.planning.draft_plan(given, codebook=codes, drop=["fnlwgt"], epsilon=1)
    return draft.plan().for_rows(rows)


def compared(
    table: Any, by: nw.Plan, releases: int = RELEASES, *, source: Any = None
) -> list[Compared]:
    """Release a table many times; compare stated with actual errors, column by column."""
    truth = {
        name: np.array([table.column(name).to_pylist().count(label) for label in _labels(by, name)])
        / table.num_rows
        for name in by.private
    }
    stated: dict[str, list[Any]] = {name: [] for name in truth}
    actual: dict[str, list[Any]] = {name: [] for name in truth}
    for _ in range(releases):
        made = nw.release(table, by, ledger=None, source=source)
        found = made.estimate(list(truth), about="people")
        for name, shares in truth.items():
            stated[name].append(found[name].standard_errors)
            actual[name].append(found[name].values - shares)
    return [
        Compared(
            name,
            len(shares),
            _root_mean_square(stated[name]),
            _root_mean_square(actual[name]),
            # k errors that sum to zero are k − 1, each with a square of relative deviation √2.
            1 / (2 * releases * max(len(shares) - 1, 1)) ** 0.5,
        )
        for name, shares in truth.items()
    ]


def pooled(results: list[Compared]) -> float:
    """Return the ratio of all columns together, each with the same weight."""
    return float(np.mean([result.ratio**2 for result in results])) ** 0.5


def _labels(by: nw.Plan, name: str) -> list[Any]:
    space: Any = dict(by.columns)[name].space  # pyright: ignore[reportAttributeAccessIssue]
    return list(space.labels)


def _root_mean_square(numbers: list[Any]) -> float:
    return float(np.sqrt(np.mean(np.square(numbers))))


def main() -> int:
    """Print the comparison; fail if all columns together are off by more than a tenth."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--shuffled", action="store_true")
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW)
        return 2
    table = adult(path)
    if given.shuffled:
        return _shuffled(path, table, given.releases)
    results = compared(table, plan(), given.releases)
    print(f"{table.num_rows:,} people, {given.releases} releases, epsilon = {EPSILON} a row\n")
    print("| column | categories | stated error | actual error | actual / stated | by chance |")
    print("|---|---|---|---|---|---|")
    for one in results:
        print(
            f"| {one.column} | {one.categories} | {one.stated:.5f} | {one.actual:.5f} | "
            f"{one.ratio:.3f} | ± {one.chance:.3f} |"
        )
    print(f"\nall columns: actual / stated = {pooled(results):.3f}")
    return 0 if abs(pooled(results) - 1) <= REQUIRED else 1


def _shuffled(path: Path, table: Any, releases: int) -> int:
    """Print stated and actual errors of shares where rows hide among each other."""
    whole = whole_adult(path)
    by = shuffled_plan(whole, table.num_rows)
    kept = nw.Plan(dict(by.columns), epsilon=by.epsilon).predict(
        people=table.num_rows, about="people"
    )
    truth = {
        name: np.array([table.column(name).to_pylist().count(label) for label in _labels(by, name)])
        / table.num_rows
        for name in COLUMNS
    }
    errors: dict[str, list[Any]] = {name: [] for name in truth}
    stated: dict[str, list[Any]] = {name: [] for name in truth}
    with tempfile.TemporaryDirectory() as folder:
        out = nw.planning.Output(Path(folder) / "out.parquet", report=False, overwrite=True)
        for _ in range(releases):
            found = nw.release(whole, by, out=out, ledger=None).estimate(
                list(truth), about="people"
            )
            for name, shares in truth.items():
                errors[name].append(found[name].values - shares)
                stated[name].append(found[name].standard_errors)
    print(f"{table.num_rows:,} people, {releases} releases, {by.guarantee} in random order,")
    print(f"{by.guarantee_in_order} in kept order; errors of shares in points\n")
    print("| column | kept order, epsilon = 1 | stated | actual | actual / stated |")
    print("|---|---|---|---|---|")
    ratios: list[float] = []
    for name in truth:
        before = 100 * _root_mean_square(kept[name].standard_errors.tolist())
        said, seen = 100 * _root_mean_square(stated[name]), 100 * _root_mean_square(errors[name])
        ratios.append(seen / said)
        print(f"| {name} | {before:.2f} | {said:.3f} | {seen:.3f} | {ratios[-1]:.3f} |")
    together = float(np.mean(np.square(ratios))) ** 0.5
    print(f"\nall columns: actual / stated = {together:.3f}")
    return 0 if abs(together - 1) <= REQUIRED else 1


if __name__ == "__main__":
    raise SystemExit(main())
