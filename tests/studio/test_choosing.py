"""The slider shows what `advise` says: predicted for the very budget, or marked as an estimate."""

import json
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, Future
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.mechanisms import Guarantee
from noisewright.studio import choosing
from noisewright.studio.choosing import AdviceDesk, Study, attacker, picture, predict_knot
from tests.studio.conftest import SECRET, TABLE, RunningStudio

PLAN = """version = 1
epsilon = 1
delta = 1e-9
order = "shuffled"
[columns.job]
space = "categories"
labels = ["a", "b", "c"]
[columns.sex]
space = "categories"
labels = ["f", "m"]
"""
SHARES = ("shares",)


def complete(study: Study, *budgets: Guarantee) -> Any:
    """Make all predictions here, as the other process would."""
    made = study.preview()
    for budget in budgets:
        while (task := next(made.tasks(budget), None)) is not None:
            made.add(task, predict_knot(study, task))
    return made


def advised(epsilon: str, delta: str = "1e-9") -> Any:
    plan = nw.Plan.from_toml(PLAN)
    return nw.advise(plan, epsilon=epsilon, delta=delta, rows=1000, questions=list(SHARES))


@pytest.fixture(scope="module")
def whole() -> Any:
    return complete(Study(PLAN, 1000, SHARES), Guarantee(1, Fraction(1, 10**9)))


def test_the_budget_that_was_predicted_shows_what_advise_says(whole: Any) -> None:
    made, said = picture(whole, Guarantee(1, Fraction(1, 10**9))), advised("1")
    assert made["estimated"] == made["pending"] == []
    assert made["lines"] == said.lines()
    assert made["errors"] == said.table.to_pylist()
    assert made["differences"] == said.differences().to_pylist()
    assert made["verdict"] == said.verdict
    assert made["recommended"] == said.recommended
    assert made["notes"] == list(said.notes)
    assert made["promise"] == said.promise


@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [("0.06", "1e-9"), ("3.3", "1e-9"), ("0.5", "1e-6")],
)
def test_any_other_budget_shows_estimates_near_it(whole: Any, epsilon: str, delta: str) -> None:
    budget = Guarantee(Fraction(epsilon), Fraction(delta))
    made, said = picture(whole, budget), advised(epsilon, delta)
    assert made["pending"] == []
    assert set(made["estimated"]) == set(said.errors)
    for shown, true in zip(made["errors"], said.table.to_pylist(), strict=True):
        for tool in said.errors:
            assert shown[tool] == pytest.approx(true[tool], rel=0.08), tool
    assert made["recommended"] == said.recommended


def test_nothing_is_estimated_far_from_predictions(whole: Any) -> None:
    for budget in (Guarantee("1/1000", Fraction(1, 10**9)), Guarantee(500)):
        made = picture(whole, budget)
        assert "asked counts" in made["pending"]
        assert made["recommended"] is None
        assert made["verdict"] == ""


def test_columns_that_cannot_be_shuffled_say_why() -> None:
    text = PLAN.replace(
        'labels = ["f", "m"]', 'labels = ["f", "m"]\n[columns.town]\nuse = "public"'
    )
    budget = Guarantee(1, Fraction(1, 10**9))
    made = picture(complete(Study(text, 1000, SHARES), budget), budget)
    said = nw.advise(nw.Plan.from_toml(text), rows=1000, questions=list(SHARES))
    assert made["notes"] == list(said.notes)
    assert "shuffled" not in made["tools"]
    assert made["verdict"] == said.verdict


def test_people_with_several_rows_and_no_delta() -> None:
    text = PLAN.replace('order = "shuffled"', "").replace("delta = 1e-9", "")
    text += '[person]\ncolumn = "id"\nrows = 3\n'
    made = complete(Study(text, 1000, SHARES), Guarantee(1))
    shown = picture(made, Guarantee(1))
    said = nw.advise(nw.Plan.from_toml(text), epsilon=1, delta=0, rows=1000, questions=list(SHARES))
    assert shown["lines"] == said.lines()
    assert shown["notes"] == list(said.notes)
    assert "at most 3" in shown["attacker"]["words"]


def wait(desk: AdviceDesk, key: str) -> dict[str, Any]:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = desk.look(key, epsilon="1", delta="1e-9")
        assert found is not None
        if found["recommended"]:
            return found
        time.sleep(0.1)
    raise AssertionError("nothing was predicted")


def test_predictions_arrive_one_by_one_and_stay_after_a_restart(tmp_path: Path) -> None:
    desk, study = AdviceDesk(tmp_path), Study(PLAN, 1000, SHARES)
    try:
        first = desk.open(study, epsilon="1", delta="1e-9")
        assert first["working"]
        assert first["attacker"]["after"] == "0.74"
        assert wait(desk, study.key)["lines"]
    finally:
        desk.close()
    again = AdviceDesk(tmp_path)
    try:
        known = again.open(study, epsilon="1", delta="1e-9")
        assert set(known["tools"]) >= {"synthetic", "kept", "asked"}
    finally:
        again.close()


class Idle:
    """A process that never answers, and costs nothing to start."""

    def submit(self, *_: Any) -> Future[Any]:
        return Future()

    def shutdown(self, **_: Any) -> None:
        pass


def test_a_process_that_was_killed_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "ProcessPoolExecutor", lambda *_, **__: Idle())
    desk, study = AdviceDesk(tmp_path), Study(PLAN, 1000, SHARES)
    try:
        desk.open(study, epsilon="1", delta="1e-9")
        opened = desk._open[study.key]
        gone: Future[Any] = Future()
        gone.set_exception(BrokenExecutor())
        desk._keep(opened, next(opened.preview.tasks(Guarantee(1))), gone)
        assert "Move the slider" in (desk.look(study.key, epsilon="1", delta="0") or {})["problem"]
        assert desk._pool is None
        found = desk.look(study.key, epsilon="1", delta="0", settle=True) or {}
        assert found["problem"] == ""
        assert found["working"]
    finally:
        desk.close()


def test_a_file_that_was_damaged_is_made_again(tmp_path: Path) -> None:
    study = Study(PLAN, 1000, SHARES)
    for text in ("", "[[1, 2]]", "{", json.dumps([["asked", "0", "1", {}]])):
        desk = AdviceDesk(tmp_path)
        (tmp_path / "advice" / f"{study.key}.json").write_text(text, encoding="utf-8")
        assert not desk._load(study).preview.knots
        desk.close()


def test_the_budget_of_the_plan_does_not_matter_but_its_columns_do() -> None:
    study = Study(PLAN, 1000)
    assert Study(PLAN.replace("epsilon = 1", "epsilon = 3"), 1000).key == study.key
    assert Study(PLAN.replace('"c"', '"d"'), 1000).key != study.key
    assert Study(PLAN, 1001).key != study.key


@pytest.mark.parametrize(("epsilon", "after"), [("1", "0.74"), ("1/10", "0.53"), ("8", "0.9997")])
def test_beliefs_are_those_of_the_promise(epsilon: str, after: str) -> None:
    told = attacker(Guarantee(Fraction(epsilon)))
    assert told["after"] == after
    # The best guess among two neighbors, by a mechanism that spends all of ε: a coin.
    coin = nw.randomized_response(nw.Categories(["a", "b"]), epsilon=Fraction(epsilon))
    best = float(np.asarray(coin.matrix, dtype=float).max(axis=0).sum()) / 2
    assert best <= float(after) <= best + 0.01


def test_no_value_reaches_the_browser_before_it_is_paid_for(studio: RunningStudio) -> None:
    """Labels that are declared may; what only the rows say may not."""
    with studio.browser() as client:
        studio.plan(client)
        studio.grant(client)
        answers = [client.post("/api/advice", json={"plan": "plan.toml", "table": TABLE})]
        key = answers[0].json()["key"]
        for settle in (False, True):
            where = {"epsilon": "0.7", "delta": "1e-9", "settle": settle}
            answers.append(client.get(f"/api/advice/{key}", params=where))
        answers.append(client.get("/api/plan/settings", params={"file": "plan.toml"}))
        answers += [client.get(path) for path in ("/api/state", "/api/ledger", "/api/jobs")]
        before = answers[1].json()
        for answer in answers:
            assert answer.status_code == 200, answer.text
            assert SECRET not in answer.text
        # Other rows, as many of them: the same answers.
        path = studio.folder / "survey.csv"
        head, *rows = path.read_text(encoding="utf-8").splitlines()
        path.write_text("\n".join([head, *["nurse,18,1.5"] * len(rows)]) + "\n", encoding="utf-8")
        other = client.post(
            "/api/advice", json={"plan": "plan.toml", "table": TABLE, "epsilon": "0.7"}
        ).json()
        assert other["key"] == key
        for name in ("promise", "attacker", "rows"):
            assert other[name] == before[name]


def test_odd_numbers_are_refused(studio: RunningStudio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "ProcessPoolExecutor", lambda *_, **__: Idle())
    with studio.browser() as client:
        studio.plan(client)
        wanted: dict[str, Any] = {"plan": "plan.toml", "table": TABLE}
        for odd in ("0", "-1", "nan", "much", "1e999999999", "1e9", "1e-300", ""):
            answer = client.post("/api/advice", json=wanted | {"epsilon": odd})
            assert answer.status_code == 400, odd
            assert answer.json()["error"]
        for odd in ("-1", "1", "2", "nan", "1e-999", "much"):
            answer = client.post("/api/advice", json=wanted | {"delta": odd})
            assert answer.status_code == 400, odd
        answer = client.post("/api/advice", json=wanted | {"questions": ["nonsense"]})
        assert answer.status_code == 400
        key = client.post("/api/advice", json=wanted).json()["key"]
        assert client.get(f"/api/advice/{key}", params={"epsilon": "no"}).status_code == 400
        assert client.get("/api/advice/unknown", params={"epsilon": "1"}).status_code == 404


def test_two_browsers_each_get_their_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choosing, "ProcessPoolExecutor", lambda *_, **__: Idle())
    desk, one, two = AdviceDesk(tmp_path), Study(PLAN, 1000, SHARES), Study(PLAN, 2000, SHARES)
    try:
        desk.open(one, epsilon="1", delta="1e-9")
        desk.open(two, epsilon="1", delta="1e-9")
        first, second = desk._open[one.key], desk._open[two.key]

        def finish(opened: Any) -> None:
            task = next(opened.preview.tasks(Guarantee(1, Fraction(1, 10**9))))
            done: Future[Any] = Future()
            done.set_exception(ValueError())
            desk._keep(opened, task, done)

        finish(first)
        assert second.running is not None
        desk.look(one.key, epsilon="2", delta="1e-9", settle=True)
        finish(second)
        assert first.running is not None, "it settles, though another was opened after it"
        desk.look(two.key, epsilon="2", delta="1e-9", settle=True)
        finish(second)
        assert first.running is not None
    finally:
        desk.close()


def test_a_picture_does_not_wait_for_pandas() -> None:
    """To load it takes longer than the predictions that one waits for."""
    code = f"""
import sys
from noisewright.mechanisms import Guarantee
from noisewright.studio.choosing import Study, picture, predict_knot
study, budget = Study({PLAN!r}, 1000, {SHARES!r}), Guarantee(1)
made = study.preview()
tasks = {{task.curve: task for task in made.tasks(budget)}}
for task in tasks["synthetic"], tasks["asked"]:
    made.add(task, predict_knot(study, task))
assert picture(made, budget)["errors"]
sys.exit("pandas" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=100)
