"""A small version of each benchmark runs, so that none can rot. Nothing here asserts a time."""

import pytest

from benchmarks import designs, estimation, proofs, release, sampling, startup
from benchmarks.measure import Result, report


def test_proofs() -> None:
    results = [*proofs.curves(8), *proofs.verification(8), *proofs.against_dp_accounting(4)]
    assert len(results) == 7
    assert all(result.rate > 0 for result in results)


def test_designs() -> None:
    results = [
        *designs.closed_forms(6),
        *designs.small_programs(3),
        *designs.many_people(5),
        *designs.against_plain_highs(4),
    ]
    assert len(results) == 11
    assert all(result.rate > 0 for result in results)


def test_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "VALUES", 1 << 17)
    results = sampling.against_the_limit()
    assert {result.against for result in results} == {"AES-CTR"}
    assert all(result.rate > 0 for result in results)


def test_estimation() -> None:
    results = [*estimation.against_plain_counting(2_000), *estimation.from_a_file(3_000)]
    assert len(results) == 3
    assert all(result.ratio > 0 for result in results)


def test_release() -> None:
    results = [*release.speed(20_000, repeats=1), *release.memory(20_000)]
    assert len(results) == 5
    assert all(result.ratio > 0 for result in results)


def test_startup() -> None:
    assert startup.import_seconds("import noisewright", repeats=1) < 60


def test_the_report_fails_when_something_is_too_slow(capsys: pytest.CaptureFixture[str]) -> None:
    fine = Result("a", rate=1, ratio=2, against="b", required=1)
    slow = Result("c", rate=1, ratio=0.5, against="b", required=1)
    assert report([fine]) == 0
    assert report([fine, slow]) == 1
    assert "TOO SLOW" in capsys.readouterr().out
