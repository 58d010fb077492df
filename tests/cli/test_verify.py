"""`noisewright verify` on matrices and certificates: sentences, JSON and exit codes."""

from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program

RESPONSE = "0.75,0.25\n0.25,0.75\n"
LN_3 = 1.0986122886681098


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    path = tmp_path / "matrix.csv"
    path.write_text(RESPONSE, encoding="utf-8")
    return path


def test_a_true_claim_ends_with_0(shell: Program, matrix: Path) -> None:
    said = shell("verify", matrix, "--epsilon", "1.1")
    assert said.code == 0
    assert said.out.startswith(
        "Proven for all events: epsilon=1.1 for replacing the input by any other"
    )
    assert said.err == ""


def test_a_false_claim_ends_with_1_and_shows_the_event(
    noisewright: Program, shell: Program, matrix: Path
) -> None:
    said = shell("verify", matrix, "--epsilon", "1")
    assert said.code == 1
    assert (
        "False: epsilon=1 fails for replacing the input by any other. Input 0 gives an output in "
        "{0} with probability 0.75" in said.out
    )
    assert noisewright("verify", matrix, "--epsilon", 0).code == 1
    assert noisewright("verify", matrix, "--epsilon", 0, "--delta", "1/2").code == 0


def test_the_least_epsilon_can_be_typed_back(noisewright: Program, matrix: Path) -> None:
    said = noisewright("verify", matrix)
    assert said.code == 0
    assert f"The least epsilon at delta=0 is {LN_3!r}, for replacing the input by any other." in (
        said.out
    )
    assert noisewright("verify", matrix, "-e", repr(LN_3)).code == 0
    assert noisewright("verify", matrix, "--alpha", "1/3").code == 0
    assert noisewright("verify", matrix, "--alpha", "0.3333333333333333334").code == 1


def test_no_epsilon_at_all(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("1 0\n0 1\n", encoding="utf-8")
    said = noisewright("verify", "m.csv", "--certificate", "c.json")
    assert said.code == 1
    assert "No epsilon holds" in said.out
    assert "No certificate was written" in said.out
    assert noisewright("verify", "m.csv", "--json").json["least_epsilon"] is None
    assert not (tmp_path / "c.json").exists()


@pytest.mark.parametrize(
    "text",
    [
        RESPONSE,
        RESPONSE.replace(",", ";"),
        RESPONSE.replace(",", "\t"),
        RESPONSE.replace(",", "  "),
        RESPONSE.replace("\n", "\r\n"),
        RESPONSE.rstrip(),
        "\ufeff" + RESPONSE,
        "# my matrix\n\n" + RESPONSE,
        RESPONSE.replace(",", " , "),
        "3/4,1/4\n1/4,3/4\n",
        "0,75;0,25\n0,25;0,75\n",
        "3,1\n1,3\n",
        '"0.75","0.25"\n"0.25","0.75"\n',
        "[[0.75, 0.25], [0.25, 0.75]]",
        "[[3, 1], [1, 3]]",
        '[["3/4", "1/4"], ["1/4", "3/4"]]',
        "7.5e-1,2.5e-1\n.25,.75\n",
    ],
)
def test_a_matrix_in_any_dialect(text: str, noisewright: Program, tmp_path: Path) -> None:
    path = tmp_path / "matrix"
    path.write_bytes(text.encode())
    said = noisewright("verify", path, "--json")
    assert said.code == 0, said
    assert said.json["least_epsilon"] == LN_3


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        ("  \n \n", "is empty"),
        ("# only a comment\n", "no rows"),
        ("0.5,0.5\n", "one row"),
        ("[[0.5, 0.5]]", "one row"),
        ("[]", "no rows"),
        ("[1, 2]", "list of rows"),
        ("[[1, 2", "not JSON"),
        ("0.5,0.5\n1\n", "row 2"),
        ("0.5,nan\n0.5,0.5\n", "row 1, column 2"),
        ("inf,0.5\n0.5,0.5\n", "row 1, column 1"),
        ("[[NaN, 1], [0.5, 0.5]]", "finite"),
        ("0.5,-0.5\n0.5,0.5\n", "at least 0"),
        ("0.5,0.6\n0.5,0.5\n", "sum to 1"),
        ("0.5,0.5\n0.5,half\n", "row 2, column 2"),
        ("0.5,0.5\n0.5,\n", "row 2, column 2"),
        ("yes,no\n0.5,0.5\n0.5,0.5\n", "header"),
        ("1/0,1\n0.5,0.5\n", "1/0"),
        ("{}", "not proven"),
        ("{", "cannot read"),
        ("3,1\n1,2\n", "common"),
    ],
)
def test_a_file_that_cannot_be_used_ends_with_2_and_one_sentence(
    text: str, reason: str, noisewright: Program, tmp_path: Path
) -> None:
    (tmp_path / "m").write_text(text, encoding="utf-8")
    said = noisewright("verify", "m")
    assert said.code == 2, said
    assert said.out == ""
    assert said.err.startswith("noisewright: ")
    assert reason in said.err
    assert "Traceback" not in said.err
    as_json = noisewright("verify", "m", "--json")
    assert as_json.code == 2
    assert reason in as_json.json["error"]


def test_what_is_no_text_file_ends_with_2(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "zeros").write_bytes(bytes(100))
    (tmp_path / "utf16").write_bytes(RESPONSE.encode("utf-16"))
    for name, reason in {
        "binary": "not UTF-8 text",
        "zeros": "not a text file",
        "utf16": "not UTF-8 text",
        ".": "Is a directory",
        "missing.csv": "No such file",
    }.items():
        said = noisewright("verify", name)
        assert said.code == 2
        assert reason in said.err
        assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--epsilon", "-1"], "at least 0"),
        (["--epsilon", "abc"], "'abc'"),
        (["--epsilon", "inf"], "inf"),
        (["--epsilon", ""], "''"),
        (["--delta", "2"], "between 0 and 1"),
        (["--delta", "x"], "'x'"),
        (["--alpha", "2"], "(0, 1]"),
        (["--alpha", "0"], "(0, 1]"),
        (["--epsilon", "1", "--alpha", "0.5"], "both"),
        (["--epsilon", "2", "--certificate", "nowhere/c.json"], "cannot write"),
    ],
)
def test_options_that_make_no_sense_end_with_2(
    options: list[str], reason: str, noisewright: Program, matrix: Path
) -> None:
    said = noisewright("verify", matrix, *options)
    assert said.code == 2, said
    assert reason in said.err
    assert "Traceback" not in said.err
    as_json = noisewright("verify", matrix, *options, "--json")
    assert as_json.code == 2
    assert reason in as_json.json["error"]


def test_neighbors_matter(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("0.8,0.2\n0.4,0.6\n0.2,0.8\n", encoding="utf-8")
    everyone = noisewright("verify", "m.csv", "--json").json["least_epsilon"]
    adjacent = noisewright("verify", "m.csv", "--neighbors", "adjacent", "--json").json
    assert adjacent["least_epsilon"] < everyone
    assert (
        noisewright("verify", "m.csv", "--neighbors", "replace", "--json").json["least_epsilon"]
        == everyone
    )
    assert noisewright("verify", "m.csv", "--neighbors", "friends").code == 2


def test_json_carries_the_witness(noisewright: Program, matrix: Path) -> None:
    said = noisewright("verify", matrix, "--epsilon", "1", "--json")
    assert said.code == 1
    assert said.json == {
        "holds": False,
        "unit": "for replacing the input by any other",
        "epsilon": "1",
        "alpha": None,
        "delta": "0",
        "least_epsilon": LN_3,
        "witness": {
            "input": "0",
            "neighbor": "1",
            "event": ["0"],
            "probability": "0.75",
            "probability_for_neighbor": "0.25",
        },
        "certificate": None,
    }


def test_a_certificate_is_written_only_if_it_holds(
    noisewright: Program, matrix: Path, tmp_path: Path
) -> None:
    said = noisewright("verify", matrix, "--epsilon", "2", "--certificate", "c.json")
    assert said.code == 0
    assert "The certificate is in c.json." in said.out
    assert nw.check(tmp_path / "c.json")
    loaded = nw.load(tmp_path / "c.json")
    assert loaded.claim == nw.accounting.Guarantee(2)
    before = (tmp_path / "c.json").read_bytes()
    assert noisewright("verify", matrix, "--epsilon", "1", "-c", "c.json").code == 1
    assert (tmp_path / "c.json").read_bytes() == before
    # Without a claim, the least epsilon is certified.
    assert noisewright("verify", matrix, "-c", "least.json", "--json").json["certificate"]
    assert nw.load(tmp_path / "least.json").claim == nw.accounting.Guarantee(alpha="1/3")
    # A certificate can be asked about again.
    again = noisewright("verify", "least.json", "--epsilon", "1.1")
    assert again.code == 0
    assert noisewright("verify", "least.json", "--epsilon", "1").code == 1
    refused = noisewright("verify", "least.json", "--neighbors", "adjacent")
    assert refused.code == 2
    assert "leave --neighbors out" in refused.err
