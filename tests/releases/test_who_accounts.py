"""One rule for who accounts: `ledger=` is said outright, and pays for private noise only."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import EntropyError
from noisewright.sampling import Source, SystemSource

DATA = {"job": ["nurse", "judge"] * 30, "sick": ["yes", "no", "no"] * 20}
COLUMNS = {"job": ["nurse", "judge"], "sick": ["yes", "no"]}
PLAN = nw.Plan({name: nw.Column(labels) for name, labels in COLUMNS.items()}, epsilon=1)
SPACES: dict[str, Any] = {name: nw.Categories(labels) for name, labels in COLUMNS.items()}

JOBS: dict[str, Callable[..., Any]] = {
    "release": lambda **who: nw.release(DATA, PLAN, **who),
    "release to a file": lambda folder, **who: nw.release(
        DATA, PLAN, out=nw.planning.Output(folder / "r.parquet", report=False), **who
    ),
    "synthesize": lambda **who: nw.synthesize(DATA, COLUMNS, epsilon=1, **who),
    "synthesize to a file": lambda folder, **who: nw.synthesize(
        DATA, COLUMNS, epsilon=1, out=nw.planning.Output(folder / "s.parquet", report=False), **who
    ),
    "naive Bayes": lambda **who: nw.models.PrivateNaiveBayes(
        SPACES, label="sick", epsilon=1, **who
    ).fit(DATA),
    "tree": lambda **who: nw.models.PrivateTree(SPACES, epsilon=1, **who).fit(DATA),
}


def done(job: str, folder: Path, **who: Any) -> Any:
    """Do a job; those that write a file get a folder."""
    where = {"folder": folder} if job.endswith("file") else {}
    return JOBS[job](**where, **who)


@pytest.fixture
def book(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("people", epsilon=9)
    return made


@pytest.mark.parametrize(
    "what",
    [nw.release, nw.synthesize, nw.models.PrivateNaiveBayes, nw.models.PrivateTree],
    ids=lambda w: w.__name__,
)
def test_who_accounts_is_said_outright(what: Any) -> None:
    ledger = inspect.signature(what).parameters["ledger"]
    assert ledger.default is inspect.Parameter.empty
    assert ledger.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("job", JOBS)
def test_no_ledger_pays_for_noise_that_can_be_repeated(
    job: str, book: nw.Ledger, tmp_path: Path
) -> None:
    who: dict[str, Any] = {"ledger": book, "dataset": "people"}
    with pytest.raises(EntropyError, match="ledger=None"):
        done(job, tmp_path, source=nw.randomness.SeededSource(1), **who)
    assert float(book.balance("people").spent.epsilon) == 0
    assert not list(tmp_path.glob("*.parquet"))
    done(job, tmp_path, source=SystemSource(), **who)
    assert float(book.balance("people").spent.epsilon) == 1


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.parametrize("source", [None, nw.randomness.SeededSource(1)], ids=["private", "seeded"])
def test_without_a_ledger_a_seeded_run_is_marked(
    job: str, source: Source | None, tmp_path: Path
) -> None:
    made = done(job, tmp_path, ledger=None, source=source)
    marked = made.private_ if hasattr(made, "private_") else made.is_private
    assert marked == (source is None)
    if hasattr(made, "is_accounted"):
        assert not made.is_accounted
        assert ("NOT PRIVATE" in repr(made)) == (source is not None)
