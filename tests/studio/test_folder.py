"""Files outside of the folder do not exist for the studio, whatever they are called."""

from pathlib import Path

import pytest

from noisewright.studio.failures import RefusalError
from noisewright.studio.folder import StudioFolder
from tests.studio.conftest import RunningStudio


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
