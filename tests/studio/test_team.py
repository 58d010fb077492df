"""A team behind a proxy: users, their rights, and a ledger that none of them can overspend."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.mechanisms import Guarantee
from noisewright.studio import add_user, remove_user
from noisewright.studio.declaring import TableChoice
from noisewright.studio.doorkeeper import Doorkeeper
from noisewright.studio.spending import Confirmations
from noisewright.studio.users import UserBook
from noisewright.studio.work_requests import WorkRequest
from tests.ledger.server import server
from tests.studio.conftest import TABLE, RunningStudio, run_studio, write_survey

PUBLIC = "privacy.example.org"


@dataclass
class Team:
    studio: RunningStudio
    book: UserBook
    tokens: dict[str, str]
    ledger: str


@contextmanager
def team_in(
    folder: Path, *, ledger: str | None = None, database: str | None = None
) -> Generator[Team]:
    write_survey(folder)
    book = UserBook(folder / "users.json")
    rights = {"ann": "spend", "bob": "spend", "eve": "look", "owner": "grant"}
    tokens = {name: book.add(name, may=may) for name, may in rights.items()}
    where = ledger or str(folder / "budget.db")
    given: dict[str, Any] = {"hosts": [PUBLIC], "trusts_proxy": True, "database": database}
    for studio in run_studio(folder, ledger=where, users=book, **given):
        yield Team(studio, book, tokens, where)


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with server() as where:
        yield where


def test_users_enter_with_their_own_tokens_and_do_what_they_may(tmp_path: Path) -> None:
    with team_in(tmp_path) as team:
        studio, token = team.studio, team.tokens
        with studio.stranger(origin=studio.origin) as client:
            for address in ("/", studio.address, f"/?token={token['ann']}"):
                page = client.get(address)
                assert page.status_code == 401, "a token in an address would be logged"
                assert "form-action 'self'" in page.headers["content-security-policy"]
                assert "survey" not in page.text
            for wrong in ("", "x", studio.doorkeeper.token):
                assert client.post("/enter", data={"token": wrong}).status_code == 401
            assert client.post("/enter", content=b"token=" + b"x" * 5000).status_code == 413
            assert client.get("/api/state").status_code == 401
            elsewhere = {"origin": "http://evil.example"}
            answer = client.post("/enter", data={"token": token["ann"]}, headers=elsewhere)
            assert answer.status_code == 403
            assert "set-cookie" not in answer.headers
        with studio.member(token["eve"]) as eve, studio.member(token["owner"]) as owner:
            studio.plan(owner)
            studio.grant(owner)
            assert eve.get("/api/state").json()["user"] == "eve"
            assert eve.post("/api/draft", json={"table": TABLE}).status_code == 200
            explained = studio.explain(eve)
            assert explained.status_code == 200
            yes = {"confirmation": explained.json()["confirmation"]}
            refused = eve.post("/api/jobs", json=yes)
            assert refused.status_code == 403
            assert "'spend'" in refused.json()["error"]
            saved = {"table": TABLE, "file": "eve.toml"}
            assert eve.post("/api/plans", json=saved).status_code == 403
            # What was explained to one cannot be confirmed by another.
            assert owner.post("/api/jobs", json=yes).status_code == 404
            assert studio.explain(owner, without_ledger=True).status_code == 403
        with studio.member(token["ann"]) as ann:
            assert ann.post("/api/ledger").status_code == 403
            grants = {"dataset": "survey", "epsilon": "9"}
            assert ann.post("/api/ledger/grants", json=grants).status_code == 403
            assert ann.get("/api/ledger").status_code == 200
            assert ann.post("/leave").status_code == 204
            assert ann.get("/api/state").status_code == 401
    assert not (tmp_path / "eve.toml").exists()


def test_who_is_removed_or_changed_is_so_at_once(tmp_path: Path) -> None:
    now = 0.0
    book = UserBook(tmp_path / "users.json")
    token = book.add("ann")
    keeper = Doorkeeper(users=UserBook(tmp_path / "users.json"), clock=lambda: now)
    session = keeper.exchange(token)
    assert session is not None
    found = keeper.visitor(session)
    assert found is not None
    assert (found.name, found.may) == ("ann", "spend")
    renewed = book.add("ann", may="look")
    assert keeper.exchange(token) is None
    assert keeper.visitor(session) is None, "whoever stole the old token is out"
    session = keeper.exchange(renewed)
    assert session is not None
    found = keeper.visitor(session)
    assert found is not None
    assert found.may == "look"
    now = 13 * 3600.0
    assert keeper.visitor(session) is None, "after half a day the token is asked for again"
    session = keeper.exchange(renewed)
    assert session is not None
    book.remove("ann")
    assert keeper.visitor(session) is None
    book.add("ann")
    assert keeper.visitor(session) is None, "another ann is somebody else"
    assert token not in (tmp_path / "users.json").read_text()


def test_cookies_are_secure_where_a_trusted_proxy_says_tls(tmp_path: Path) -> None:
    with team_in(tmp_path) as team:
        studio, form = team.studio, {"token": team.tokens["ann"]}
        tls = {"host": PUBLIC, "origin": f"https://{PUBLIC}", "x-forwarded-proto": "https"}
        with studio.stranger(**tls) as client:
            cookie = client.post("/enter", data=form).headers["set-cookie"]
            assert cookie.startswith("__Host-noisewright_studio=")
            assert "; Secure" in cookie
            assert "HttpOnly" in cookie
            session = {"cookie": cookie.partition(";")[0]}
            assert client.get("/api/state", headers=session).status_code == 200
            # Over plain HTTP the name of the cookie is another one.
            plain = session | {"x-forwarded-proto": "http"}
            assert client.get("/api/state", headers=plain).status_code == 401
            mixed = session | {"origin": f"http://{PUBLIC}"}
            assert client.post("/api/draft", json={}, headers=mixed).status_code == 403
            other = session | {"host": "other.example.org"}
            assert client.get("/api/state", headers=other).status_code == 421
    (tmp_path / "alone").mkdir()
    for studio in run_studio(tmp_path / "alone"):
        with studio.stranger(**{"x-forwarded-proto": "https"}) as client:
            answer = client.get(studio.address)
            assert "Secure" not in answer.headers["set-cookie"], "nobody asked to believe it"
            assert client.post("/enter", data={"token": "x"}).status_code in (403, 404)


def test_a_program_presents_its_token_itself(tmp_path: Path) -> None:
    with team_in(tmp_path) as team:
        bearer = {"authorization": f"Bearer {team.tokens['eve']}"}
        with team.studio.stranger(**bearer) as program:
            assert program.get("/api/state").json()["may"] == "look"
            assert program.post("/api/draft", json={"table": TABLE}).status_code == 200
            evil = {"origin": "http://evil.example"}
            assert program.post("/api/draft", json={}, headers=evil).status_code == 403
        with team.studio.stranger(authorization="Bearer x") as program:
            assert program.get("/api/state").status_code == 401


def test_two_users_never_overspend_a_ledger_in_postgresql(tmp_path: Path, address: str) -> None:
    """Both were told that there is enough; the ledger decides, and names who spent."""
    with team_in(tmp_path, ledger=address) as team:
        studio = team.studio
        with studio.member(team.tokens["owner"]) as owner:
            studio.plan(owner)
            assert owner.get("/api/ledger").json()["exists"] is False
            assert studio.explain(owner).status_code == 409
            studio.grant(owner, epsilon="0.8")
            assert owner.post("/api/ledger").status_code == 409
        with studio.member(team.tokens["ann"]) as ann, studio.member(team.tokens["bob"]) as bob:
            pair = {"ann": ann, "bob": bob}
            told = {
                name: studio.explain(client, output=f"{name}.csv").json()["confirmation"]
                for name, client in pair.items()
            }
            jobs: dict[str, str] = {}

            def confirm(name: str, client: httpx.Client) -> None:
                yes = {"confirmation": told[name]}
                jobs[name] = client.post("/api/jobs", json=yes).json()["id"]

            threads = [threading.Thread(target=confirm, args=one) for one in pair.items()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            ended = {name: studio.finish(ann, job) for name, job in jobs.items()}
            assert sorted(one["state"] for one in ended.values()) == ["done", "failed"]
            assert {name: one["user"] for name, one in ended.items()} == {n: n for n in pair}
            winner = next(name for name, one in ended.items() if one["state"] == "done")
            shown = ann.get("/api/ledger").json()["entries"]
        book = nw.Ledger.open(address)
        (spend,) = [entry for entry in book.history() if entry.kind == "spend"]
        assert spend.who == f"{winner} (studio user)"
        assert f"ask {winner}.csv by {winner}" in spend.what
        assert spend.who in [entry["who"] for entry in shown]
        assert book.balance("survey").spent == Guarantee("1/2")
        for path in (tmp_path / ".noisewright-studio" / "jobs").glob("*.json"):
            assert "host=" not in path.read_text(), "options of an address may hold a password"


def test_a_table_of_postgresql_is_asked_where_it_is(tmp_path: Path, address: str) -> None:
    with psycopg.connect(address, autocommit=True) as database:
        database.execute("CREATE TABLE people (job text, hours integer)")
        database.execute("INSERT INTO people SELECT 'baker', 40 FROM generate_series(1, 250)")
        opened = team_in(tmp_path, database=address)
        with opened as team, team.studio.member(team.tokens["owner"]) as owner:
            (shown,) = [
                one["name"] for one in owner.get("/api/state").json()["files"] if not one["bytes"]
            ]
            assert "host=" not in shown
            table = {"file": shown, "table": "people"}
            columns = {
                "job": {"kind": "labels", "labels": ["baker", "clerk"]},
                "hours": {"kind": "numbers", "low": "0", "high": "80"},
            }
            wanted = {"table": table, "columns": columns, "file": "plan.toml"}
            assert owner.post("/api/plans", json=wanted).json()["finished"]
            team.studio.grant(owner)
            told = team.studio.explain(owner, table=table, dataset="survey").json()
            assert told["rows"] == 250
            assert "nw.PostgreSQL('postgresql://steward@/postgres', 'people')" in told["python"]
            assert told["shell"] == ""
            yes = {"confirmation": told["confirmation"]}
            job = team.studio.finish(owner, owner.post("/api/jobs", json=yes).json()["id"])
            assert job["state"] == "done", job["error"]
            assert abs(job["result"]["answer"][0]["count"] - 250) < 100
            for wrong in ("postgresql://other/db", "postgresql://steward@evil.example/postgres"):
                refused = owner.post("/api/draft", json={"table": table | {"file": wrong}})
                assert refused.status_code == 403


def test_a_list_of_users_is_read_strictly(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    for name in ("", " ann", "a\nb", "<b>", "x" * 65, "../x"):
        with pytest.raises(InputError, match="user name"):
            add_user(tmp_path, name, users=path)
    with pytest.raises(InputError, match="'look', 'spend' or 'grant'"):
        add_user(tmp_path, "ann", may="all", users=path)
    token = add_user(tmp_path, "ann", users=path)
    assert len(token) == 43
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="it has ann"):
        remove_user(tmp_path, "bob", users=path)
    good = json.loads(path.read_text())
    entry = good["users"]["ann"]
    wrong = [
        [],
        {"version": 2, "users": {}},
        {"version": 1, "users": {"ann": entry | {"may": "all"}}},
        {"version": 1, "users": {"ann": entry | {"token_sha256": token}}},
        {"version": 1, "users": {"ann": entry | {"more": "x"}}},
        {"version": 1, "users": {"<b>": entry}},
    ]
    for document in wrong:
        path.write_text(json.dumps(document))
        with pytest.raises(InputError, match="not a list of users"):
            len(UserBook(path))
    nobody = UserBook(tmp_path / "nobody.json")
    assert len(nobody) == 0
    assert nobody.holder("x") is None


def test_a_record_is_not_shown_as_names_to_who_looks(tmp_path: Path) -> None:
    (tmp_path / "bare.csv").write_text("Zoe Private,39,baker\nYan Private,40,clerk\n")
    with team_in(tmp_path) as team:
        studio = team.studio
        with studio.member(team.tokens["eve"]) as eve, studio.member(team.tokens["owner"]) as owner:
            for said in ({}, {"header": True}, {"delimiter": "|"}):
                wanted = {"table": {"file": "bare.csv", **said}}
                refused = eve.post("/api/draft", json=wanted)
                assert refused.status_code in (400, 403), said
                assert "Private" not in refused.text
            told = {"file": "bare.csv", "header": True}
            for path in ("/api/explain", "/api/advice"):
                asked: dict[str, Any] = {"table": told, "plan": "plan.toml"}
                asked |= {"kind": "release", "output": "x.csv"} if "explain" in path else {}
                studio.plan(owner)
                assert "Private" not in eve.post(path, json=asked).text
            named = {"file": "bare.csv", "header": False, "names": ["name", "hours", "job"]}
            assert eve.post("/api/draft", json={"table": named}).status_code == 200
            # Years, say, are names too; whoever keeps the data may say so.
            assert owner.post("/api/draft", json={"table": told}).status_code == 200


def test_nobody_pushes_out_what_was_explained_to_another() -> None:
    waiting, table = Confirmations(), TableChoice(file="survey.csv")
    wanted = WorkRequest(kind="release", table=table, plan="plan.toml", output="x.csv")
    name = waiting.add(wanted, "ann")
    hers = [waiting.add(wanted, "eve") for _ in range(150)]
    assert waiting.take(name, "ann") is wanted
    assert waiting.take(name, "eve") is None
    assert [waiting.take(one, "eve") is None for one in hers].count(True) == 50
