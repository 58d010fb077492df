"""Rules of every run: how Hypothesis searches, and that a skipped test needs a stated need."""

import gc
from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

# The gate tries the same examples each time, so that it judges the change and not the day; the
# search for new ones is `make explore`.
settings.register_profile(
    "gate",
    deadline=None,
    derandomize=True,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("gate"), max_examples=200, derandomize=False
)
settings.load_profile("gate")

NEEDS = "needs:"
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


def _fail_unless_needed(report: Report) -> Report:
    if not report.skipped or hasattr(report, "wasxfail"):
        return report
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    if not reason.startswith(NEEDS):
        report.outcome = "failed"
        report.longrepr = (
            f"{report.nodeid} was skipped ({reason!r}). A test that did not run proves nothing: "
            f"make it run, or give a reason that starts with {NEEDS!r} and names what is missing."
        )
    return report


def pytest_collection_finish() -> None:
    """Thousands of collected tests stay until the end: not to be looked through for garbage."""
    gc.collect()
    gc.freeze()
    # Short tests make few cycles: looking for them less often saves one second in twenty-five.
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    return _fail_unless_needed((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    return _fail_unless_needed((yield))
