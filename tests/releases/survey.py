"""A small survey, its plan and its budget, for tests of releases."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import noisewright as nw

JOBS = ["nurse", "baker", "clerk"]
SECRET = "Zebulon-Quux"
"""A name that is in the raw data and nowhere in the plan: it must not be found in any output."""

PLAN = nw.Plan(
    {
        "job": nw.Column(JOBS, null="not said"),
        "visits": nw.Column(nw.Counts(9), outside="clamp"),
        "region": "public",
        "name": "drop",
    },
    epsilon=2,
    title="A survey",
)


@dataclass(frozen=True)
class Survey:
    """A folder with raw data in several forms, a plan, and a ledger with a budget."""

    folder: Path
    rows: int

    @property
    def csv(self) -> Path:
        return self.folder / "survey.csv"

    @property
    def plan(self) -> Path:
        return self.folder / "plan.toml"

    @property
    def ledger(self) -> Path:
        return self.folder / "budget.db"

    @property
    def out(self) -> Path:
        return self.folder / "private.parquet"

    def table(self) -> Any:
        import pyarrow as pa

        columns = records(self.rows)
        return pa.table({name: [row[name] for row in columns] for name in columns[0]})

    def states(self) -> list[str]:
        """What became of each spend."""
        ledger = nw.Ledger.open(self.ledger)
        return [ledger.state(e.sequence) for e in ledger.history() if e.kind == "spend"]

    def names(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


def records(rows: int) -> list[dict[str, Any]]:
    made = random.Random(5)  # raw data; nothing that is tested depends on it
    return [
        {
            "name": f"{SECRET} {number}",
            "job": made.choice(JOBS),
            "visits": made.randrange(10),
            "region": made.choice(["north", "south"]),
        }
        for number in range(rows)
    ]


def make_survey(folder: Path, *, rows: int = 500, epsilon: int = 10) -> Survey:
    survey = Survey(folder, rows)
    lines = [",".join(str(cell) for cell in row.values()) for row in records(rows)]
    survey.csv.write_text("\n".join(["name,job,visits,region", *lines]) + "\n", encoding="utf-8")
    PLAN.save(survey.plan)
    nw.Ledger.create(survey.ledger).grant("survey", epsilon=epsilon, data=survey.csv)
    return survey


def make_survey_with_columns(folder: Path) -> Survey:
    """Make the survey, and a plan of two of its columns as `columns.toml`."""
    made = make_survey(folder)
    nw.Plan(
        {
            "job": nw.Column(JOBS, null="not said"),
            "visits": nw.Column(nw.Counts(9), outside="clamp"),
        },
        epsilon=2,
        others="drop",
    ).save(folder / "columns.toml")
    return made
