"""People about whom much is public: what no row can be, and how many live where."""

from typing import Any

import numpy as np
import pyarrow as pa

import noisewright as nw

COLUMNS: dict[str, Any] = {
    "sex": ["male", "female"],
    "pregnant": ["yes", "no"],
    "age": nw.Counts(99),
    "work": ["yes", "no"],
    "income": nw.Counts(4_999),
    "region": ["north", "south", "isle"],
}
ZEROS = [
    {"sex": "male", "pregnant": "yes"},
    {"work": "yes", "age": {"at_most": 14}},
    {"work": "no", "income": {"at_least": 1}},
    {"pregnant": "yes", "age": {"not": list(range(13, 55))}},
]
"""The second cuts a bin of ages, the third cuts off the first point of a bin of incomes."""


def people(rows: int, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    sex, age = rng.random(rows) < 0.5, rng.integers(0, 100, rows)
    works = (age > 14) & (rng.random(rows) < 0.6)
    pregnant = ~sex & (age >= 13) & (age < 55) & (rng.random(rows) < 0.1)
    return pa.table(
        {
            "sex": np.where(sex, "male", "female"),
            "pregnant": np.where(pregnant, "yes", "no"),
            "age": age,
            "work": np.where(works, "yes", "no"),
            "income": np.where(works, rng.integers(0, 5_000, rows), 0),
            "region": np.array(["north", "south", "isle"])[
                rng.choice(3, rows, p=[0.7, 0.299, 0.001])
            ],
        }
    )


DATA = people(3_000)
REGIONS = {"north": 2_000, "south": 999, "isle": 1}


def broken(table: pa.Table) -> int:
    """Count the rows that meet a zero, by hand."""
    sex, pregnant, age, work, income = (
        table[name].to_numpy(zero_copy_only=False) for name in list(COLUMNS)[:5]
    )
    expecting = pregnant == "yes"
    bad = (sex == "male") & expecting
    bad |= (work == "yes") & (age <= 14)
    bad |= (work == "no") & (income >= 1)
    bad |= expecting & ((age < 13) | (age >= 55))
    return int(bad.sum())
