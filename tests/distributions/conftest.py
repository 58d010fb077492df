"""Keeps the suite inside of its false-alarm budget."""

from pathlib import Path

import pytest

from tests.distributions.alarm import PER_TEST, SUITE, Alarm

HERE = Path(__file__).parent


@pytest.fixture
def alarm() -> Alarm:
    return Alarm()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    tests = sum(HERE in item.path.parents for item in items)
    if tests * PER_TEST > SUITE:
        raise pytest.UsageError(
            f"{tests} statistical tests at {PER_TEST} each exceed {SUITE}: see alarm.py."
        )
