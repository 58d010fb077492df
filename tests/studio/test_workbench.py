"""The design, audit and ledger rooms say what the library says."""

import json
import math
import sqlite3

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
        assert [one["property"] for one in made["prices"]] == ["CM", "WH"]
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


def test_a_matrix_gets_its_epsilon_and_a_witness(studio: RunningStudio) -> None:
    with studio.browser() as client:
        text = "0.75,0.25\n0.25,0.75"
        made = client.post("/api/audit/matrix", json={"text": text, "epsilon": "1"}).json()
        assert made["least_epsilon"] == pytest.approx(math.log(3))
        assert made["verdict"].startswith("False")
        assert made["witness"]["probability"] == "0.75"
        never = client.post("/api/audit/matrix", json={"text": "1,0\n0,1"}).json()
        assert never["least_epsilon"] is None
        for wrong in ("", "a,b\nc,d", "[[1]]", "[", "1,0\n1", "0.5,0.6\n0.5,0.5"):
            answer = client.post("/api/audit/matrix", json={"text": wrong})
            assert answer.status_code == 400, wrong


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
