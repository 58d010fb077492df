"""Files outside of the folder do not exist for the studio, whatever they are called."""

from pathlib import Path

import pytest

from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import StudioFolder, without_password
from tests.studio.conftest import RunningStudio, run_studio


@pytest.fixture
def folder(tmp_path: Path) -> StudioFolder:
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (tmp_path / "outside.csv").write_text("secret\n1\n")
    (inside / "own.csv").write_text("a\n1\n")
    (inside / "deep" / "own.csv").write_text("a\n1\n")
    (inside / ".hidden.csv").write_text("a\n1\n")
    (inside / "link.csv").symlink_to(tmp_path / "outside.csv")
    (inside / "linked").symlink_to(tmp_path)
    (inside / "within.csv").symlink_to(inside / "own.csv")
    return StudioFolder.at(inside)


@pytest.mark.parametrize(
    "name",
    [
        "../outside.csv",
        "deep/../../outside.csv",
        "/etc/passwd",
        "link.csv",
        "linked/outside.csv",
        ".hidden.csv",
        ".noisewright-studio/jobs/x.json",
        "..\\outside.csv",
        "own.csv\0",
        "",
        ".",
        "..",
    ],
)
def test_a_name_that_leads_out_is_refused(folder: StudioFolder, name: str) -> None:
    with pytest.raises(RefusalError):
        folder.existing(name)
    with pytest.raises(RefusalError):
        folder.target(name)


def test_what_is_inside_is_found(folder: StudioFolder) -> None:
    assert folder.existing("deep/own.csv").read_text() == "a\n1\n"
    assert folder.existing("within.csv") == folder.root / "own.csv"
    listed = [one["name"] for one in folder.listing()]
    assert listed == ["deep/own.csv", "own.csv", "within.csv"]


def test_requests_cannot_reach_outside(studio: RunningStudio) -> None:
    (studio.folder.parent / "outside.csv").write_text("secret_name\n1\n")
    (studio.folder.parent / "outside.toml").write_text("version = 1\n")
    with studio.browser() as client:
        for file in ("../outside.csv", str(studio.folder.parent / "outside.csv")):
            answer = client.post("/api/draft", json={"table": {"file": file}})
            assert answer.status_code in (400, 403)
            assert "secret_name" not in answer.text
            book = {"table": {"file": "survey.csv"}, "codebook": file}
            assert client.post("/api/draft", json=book).status_code in (400, 403)
        assert client.get("/api/plan", params={"file": "../outside.toml"}).status_code == 400
        for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py"):
            assert client.get(path).status_code == 404
        saved = {"table": {"file": "survey.csv"}, "file": "../plan.toml"}
        assert client.post("/api/plans", json=saved).status_code == 400
    assert not (studio.folder.parent / "plan.toml").exists()


def test_raw_data_is_no_download(studio: RunningStudio) -> None:
    with studio.browser() as client:
        assert client.get("/api/plan", params={"file": "survey.csv"}).status_code == 400
        for name in ("0" * 32, "..", "survey.csv"):
            assert client.get(f"/api/jobs/{name}/files/data").status_code == 404


def test_a_folder_whose_files_lead_out_is_refused(folder: StudioFolder) -> None:
    parts = folder.root / "parts"
    parts.mkdir()
    (parts / "a.parquet").write_text("own")
    assert folder.existing("parts") == parts
    (parts / "b.parquet").symlink_to(folder.root.parent / "outside.csv")
    with pytest.raises(RefusalError, match="leads out"):
        folder.existing("parts")


def test_a_file_of_settings_that_is_no_plan_is_no_download(studio: RunningStudio) -> None:
    (studio.folder / "mail.toml").write_text('password = "hunter2"\n')
    (studio.folder / "torn.toml").write_text("hunter2 = = 1\n")
    with studio.browser() as client:
        for file in ("mail.toml", "torn.toml", "survey.csv"):
            answer = client.get("/api/plan", params={"file": file})
            assert answer.status_code == 400
            assert "hunter2" not in answer.text
            # No table is named, so that only the plan is read.
            assert client.post("/api/advice", json={"plan": file, "rows": 9}).status_code == 400
        studio.plan(client)
        assert "[columns.job]" in client.get("/api/plan", params={"file": "plan.toml"}).text


@pytest.mark.parametrize("password", ["", "hunter2", "hun#ter2", "hun?ter2", "hun@ter2", "a:b"])
def test_an_address_is_shown_without_its_password(password: str) -> None:
    given = f"postgresql://ann:{password}@db.example:5433/survey?password=hunter3#x"
    assert without_password(given) == "postgresql://ann@db.example:5433/survey"
    assert without_password("postgresql://db/x?user=a@b") == "postgresql://db/x"


def test_a_ledger_out_of_reach_does_not_show_its_password(tmp_path: Path) -> None:
    where = "postgresql://ann:hunter2@127.0.0.1:1/budgets?connect_timeout=2&password=hunter3"
    for studio in run_studio(tmp_path, ledger=where):
        with studio.browser() as client:
            for answer in (client.get("/api/ledger"), client.get("/api/state")):
                assert "127.0.0.1:1/budgets" in answer.text
                assert "hunter" not in answer.text
