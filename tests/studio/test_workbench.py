"""The design, audit and ledger rooms say what the library says."""

import json
import math
import sqlite3
from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from tests.studio.conftest import RunningStudio

COUNT = {"n": 8, "epsilon": "0.5", "loss": "L1", "properties": ["CM", "WH"]}


def test_the_best_mechanism_and_its_certificate(studio: RunningStudio) -> None:
    best = nw.design(nw.Counts(8), epsilon="0.5", loss="L1", properties={"CM", "WH"})
    with studio.browser() as client:
        made = client.post("/api/design", json=COUNT).json()
        assert made["loss"] == best.loss
        assert made["bound"] == best.bound
        prices = client.post("/api/design/prices", json=COUNT).json()
        asked = {one["property"]: one for one in prices["prices"] if one["asked"]}
        assert set(asked) == {"CM", "WH"}
        alone = nw.design(nw.Counts(8), epsilon="0.5", loss="L1", properties={"CM"})
        assert asked["CM"]["alone"] == pytest.approx(alone.loss)
        assert asked["CM"]["added"] == pytest.approx(alone.loss - prices["without"], abs=1e-9)
        assert len(prices["prices"]) == 8
        certificate = client.get("/api/design/certificate", params=COUNT)
        assert certificate.status_code == 200, certificate.text
        text = certificate.text
        assert client.post("/api/audit/certificate", json={"text": text}).json()["holds"]
        forged = json.loads(text)
        forged["claims"]["epsilon"] = {"value": "1/100"}
        found = client.post("/api/audit/certificate", json={"text": json.dumps(forged)}).json()
        assert not found["holds"]
        assert found["failures"][0]["message"]
        for wrong in ({"n": 21}, {"epsilon": "0"}, {"properties": ["XX"]}, {"loss": "L9"}):
            assert client.post("/api/design", json=COUNT | wrong).status_code in (400, 422)


ROUND = {"space": "circle", "n": 5, "neighbors": "metric", "loss": "L1"}
SPACES = [
    {"loss": "L1", "prior": "binomial", "p": "0.3", "n": 4},
    {"space": "line", "n": 4, "neighbors": "metric", "loss": "L2", "goal": "worst"},
    ROUND,
    {
        "space": "labels",
        "labels": ["<b>", "b", "c"],
        "distances": "0,1,2\n1,0,1\n2,1,0",
        "loss": "distance",
        "prior": "weights",
        "weights": ["2", "1", "1"],
        "properties": ["F"],
    },
]


@pytest.mark.parametrize("wanted", SPACES)
def test_the_code_of_a_design_finds_the_same(wanted: dict[str, object]) -> None:
    from noisewright.studio.designing import StudioDesign, find_design

    request = StudioDesign.model_validate({"epsilon": "0.7", **wanted})
    made = find_design(request)
    code = made["code"]["python"].rpartition("nw.certify")[0]
    names: dict[str, Any] = {}
    exec(compile(code, "code", "exec"), names)
    assert names["best"].loss == made["loss"]
    assert names["best"].problem.prior == pytest.approx(made["prior"])
    assert not made["flowchart"]["applies"]
    assert sum(made["matrix"][0]) == pytest.approx(1)


def test_the_flowchart_is_followed_where_it_applies(studio: RunningStudio) -> None:
    with studio.browser() as client:
        wanted = {"n": 8, "epsilon": "0.1", "loss": "L0", "properties": ["WH"]}
        made = client.post("/api/design", json=wanted).json()["flowchart"]
        assert made["end"] == "WH"
        assert made["answers"] == {"fair": False, "column": False, "honest": True}
        for other in ({"loss": "L1"}, {"prior": "binomial"}, {"goal": "worst"}, {"n": 1}, ROUND):
            made = client.post("/api/design", json=wanted | other).json()["flowchart"]
            assert not made["applies"]
            assert made["reasons"]
        wrong = [
            {"prior": "weights", "weights": ["1", "2"]},
            {"prior": "weights", "weights": ["0"] * 9},
            {"prior": "weights", "weights": ["-1"] * 9},
            {"prior": "binomial", "p": "2"},
            {"space": "circle", "n": 1},
            {"space": "labels", "labels": []},
            {"space": "labels", "labels": ["a", "a"]},
            {"space": "labels", "labels": ["a", "b"], "distances": "0,1"},
            {"space": "circle", "properties": ["CM"]},
        ]
        for one in wrong:
            answer = client.post("/api/design", json=wanted | one)
            assert answer.status_code in (400, 422), one


def test_a_matrix_gets_its_epsilon_and_a_witness(studio: RunningStudio) -> None:
    with studio.browser() as client:
        text = "0.75,0.25\n0.25,0.75"
        made = client.post("/api/audit/matrix", json={"text": text, "epsilon": "1"}).json()
        assert made["least_epsilon"] == pytest.approx(math.log(3))
        assert made["verdict"].startswith("False")
        assert made["witness"]["probability"] == "0.75"
        # max(0, 3/4 - e^eps / 4), between its two knots.
        knots = [(one["ratio"], one["delta"]) for one in made["knots"]]
        assert knots == [("1", "1/2"), ("3", "0")]
        three = {"text": "[[4, 2, 1, 1], [1, 2, 4, 1], [1, 1, 1, 5]]", "neighbors": "adjacent"}
        made = client.post("/api/audit/matrix", json=three).json()
        rows = [[4, 2, 1, 1], [1, 2, 4, 1], [1, 1, 1, 5]]
        pairs = [(a, b) for a in range(3) for b in range(3) if abs(a - b) == 1]
        for one in made["knots"]:
            at = Fraction(one["ratio"])
            least = max(
                sum(max(0, p - at * q) for p, q in zip(rows[a], rows[b], strict=True)) / 8
                for a, b in pairs
            )
            assert Fraction(one["delta"]) == least
        assert made["knots"][-1]["ratio"] == "5"
        never = client.post("/api/audit/matrix", json={"text": "1,0\n0,1"}).json()
        assert never["least_epsilon"] is None
        assert [one["delta"] for one in never["knots"]] == ["1"]
        for wrong in ("", "a,b\nc,d", "[[1]]", "[", "1,0\n1", "0.5,0.6\n0.5,0.5"):
            answer = client.post("/api/audit/matrix", json={"text": wrong})
            assert answer.status_code == 400, wrong
        large = "\n".join([",".join(["1", *["0"] * 64])] * 65)
        answer = client.post("/api/audit/matrix", json={"text": large})
        assert answer.status_code == 400
        assert "noisewright verify" in answer.text


@pytest.mark.parametrize("text", ["", "[]", "{}", "nonsense", "[" * 100_000, '{"format": 1}'])
def test_what_is_no_certificate_is_said_to_be_none(studio: RunningStudio, text: str) -> None:
    with studio.browser() as client:
        answer = client.post("/api/audit/certificate", json={"text": text})
    assert answer.status_code in (200, 400)
    assert answer.status_code == 400 or not answer.json()["holds"]


def test_the_ledger_room_notices_a_change(studio: RunningStudio) -> None:
    with studio.browser() as client:
        assert client.get("/api/ledger").json() == {"name": "budget.db", "exists": False}
        studio.grant(client)
        book = client.get("/api/ledger").json()
        assert book["holds"]
        assert book["balances"][0]["left_text"] == "epsilon=2, delta=1e-6"
        assert client.post("/api/ledger").status_code == 409
        with sqlite3.connect(studio.folder / "budget.db") as database:
            (name,) = database.execute(
                "SELECT name FROM sqlite_master WHERE sql LIKE '%epsilon%' AND type = 'table'"
            ).fetchone()
            database.execute("DROP TRIGGER IF EXISTS never_update")
            for (trigger,) in database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            ).fetchall():
                database.execute(f'DROP TRIGGER "{trigger}"')
            database.execute(f"UPDATE \"{name}\" SET epsilon = '9' WHERE kind = 'grant'")
        database.close()
        assert not client.get("/api/ledger").json()["holds"]


def test_the_api_describes_itself(studio: RunningStudio) -> None:
    with studio.browser() as client:
        document = client.get("/api/openapi.json").json()
        assert document["info"]["title"] == "Noisewright studio"
        assert "/api/explain" in document["paths"]
        assert client.get("/docs").status_code == 404
