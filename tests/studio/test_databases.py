"""A table of a DuckDB file in the folder is declared and asked like any other."""

import duckdb

import noisewright as nw
from tests.studio.conftest import RunningStudio

TABLE = {"file": "survey.duckdb", "table": "people"}
COLUMNS = {
    "job": {"kind": "labels", "labels": ["nurse", "baker"]},
    "hours": {"kind": "numbers", "low": "0", "high": "80"},
}


def test_a_table_of_duckdb_is_declared_and_asked(studio: RunningStudio) -> None:
    with duckdb.connect(str(studio.folder / "survey.duckdb")) as made:
        made.execute("CREATE TABLE people AS SELECT 'nurse' AS job, 40 AS hours FROM range(300)")
    with studio.browser() as client:
        files = client.get("/api/state").json()["files"]
        assert "survey.duckdb" in [one["name"] for one in files if "table" in one["serves"]]
        wanted = {"table": TABLE, "columns": COLUMNS, "file": "plan.toml"}
        saved = client.post("/api/plans", json=wanted)
        assert saved.status_code == 200, saved.text
        assert saved.json()["finished"]
        budget = {"dataset": "people", "epsilon": "2", "table": TABLE}
        client.post("/api/ledger")
        assert client.post("/api/ledger/grants", json=budget).status_code == 200
        unnamed = studio.explain(client, table=TABLE)
        assert unnamed.status_code == 400
        assert "name the budget" in unnamed.json()["error"]
        copied = studio.explain(client, table=TABLE, kind="release", dataset="people")
        assert "Export the table" in copied.json()["error"]
        told = studio.explain(client, table=TABLE, dataset="people").json()
        assert told["rows"] == 300
        assert "nw.DuckDB('survey.duckdb', 'people')" in told["python"]
        job = client.post("/api/jobs", json={"confirmation": told["confirmation"]}).json()
        done = studio.finish(client, job["id"])
        assert done["state"] == "done", done["error"]
        assert abs(done["result"]["answer"][0]["count"] - 300) < 100
        for table in (
            {"file": "survey.duckdb"},
            {"file": "survey.duckdb", "table": "nobody"},
            {"file": "survey.duckdb", "table": "people; DROP TABLE people"},
            {"file": "../survey.duckdb", "table": "people"},
            {"file": "postgresql://steward@db/x", "table": "people"},
        ):
            answer = client.post("/api/draft", json={"table": table})
            assert answer.status_code in (400, 403, 404), table
            assert str(studio.folder) not in answer.text
    book = nw.Ledger.open(studio.folder / "budget.db")
    assert [entry.kind for entry in book.history()].count("spend") == 1


def test_a_table_of_duckdb_is_no_other_file(studio: RunningStudio) -> None:
    """DuckDB takes a quoted name for a path, and its views can read files."""
    outside = studio.folder.parent / "outside"
    (studio.folder.parent / "outside.csv").write_text("secret_name\n1\n")
    with duckdb.connect(str(studio.folder / "survey.duckdb")) as made:
        made.execute("CREATE TABLE people AS SELECT 'nurse' AS job FROM range(3)")
        made.execute(f"CREATE VIEW peek AS SELECT * FROM read_csv('{outside}.csv')")
    with studio.browser() as client:
        for table in (f"{outside}.csv", "peek", "self", "query", f"read_csv('{outside}.csv')"):
            wanted = {"table": {"file": "survey.duckdb", "table": table}}
            answer = client.post("/api/draft", json=wanted)
            assert answer.status_code == 400, table
            assert "secret_name" not in answer.text
        wanted = {"table": {"file": "survey.duckdb", "table": "people"}}
        assert client.post("/api/draft", json=wanted).status_code == 200
