"""`noisewright design` and `noisewright compare`, as a user types them."""

from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program


def test_a_design_says_its_loss_its_bound_and_its_route(noisewright: Program) -> None:
    said = noisewright("design", "counts", 4, "--alpha", "0.9", "--properties", "WH")
    assert said.code == 0
    # 781/810 · 4/5, the rescaled optimum of the count paper's program, unscaled.
    assert "expected L0 loss is 0.771358025" in said.out
    assert "has a loss below 0.771358025: proven" in said.out
    assert "closed form: the largest diagonal" in said.out


def test_the_files_it_writes_are_a_proven_certificate_and_a_picture(
    noisewright: Program, tmp_path: Path
) -> None:
    said = noisewright(
        "design", "counts", 6, "--epsilon", "0.3", "--properties", "all", "--loss", "L2",
        "-o", "m.json", "--chart", "m.png", "--json",
    )  # fmt: skip
    assert said.code == 0
    assert said.json["certificate"] == "m.json"
    assert said.json["bound"] <= said.json["loss"]
    assert set(said.json["properties"]) == {"RH", "RM", "CH", "CM", "F", "WH", "S"}
    assert nw.check(tmp_path / "m.json")
    assert (tmp_path / "m.png").read_bytes().startswith(b"\x89PNG")
    assert nw.loss(nw.load(tmp_path / "m.json"), "L2") == said.json["loss"]


@pytest.mark.parametrize(
    ("arguments", "loss"),
    [
        (("categories", "a,b,c,d,e", "--delta", "0.1", "--goal", "worst"), 0.5358512923274793),
        (("subsets", "a,b,c", "--goal", "worst"), 1.1534121320549926),
        (
            ("interval", "0", "1", "--step", "0.25", "--delta", "0.2", "--goal", "worst"),
            0.25094874718268284,
        ),
        (("subsets", "a,b,c,d,e,f,g,h,i", "--goal", "worst"), 3.911176533801558),
        (("subsets", "a,b,c,d", "--largest", "1"), 0.8),
        (("counts", "3", "--neighbors", "metric", "--goal", "worst"), 0.46555335461147707),
        (("interval", "0", "1", "--step", "1/2", "--neighbors", "metric"), 0.32802377617025963),
        (
            ("counts", "4", "--properties", "U", "--outputs", "-4:8", "--loss", "L2"),
            1.5300914989991443,
        ),
        (("counts", "1", "--prior", "0.5,0.5"), nw.loss(nw.geometric(nw.Counts(1), epsilon=1))),
    ],
)
def test_every_kind_of_input(arguments: tuple[str, ...], loss: float, noisewright: Program) -> None:
    said = noisewright("design", *arguments, "--epsilon", "1", "--json")
    assert said.code == 0
    assert said.json["loss"] == pytest.approx(loss, rel=1e-9)


def test_a_hierarchy_of_labels_from_a_file(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "food.json").write_text('{"fruit": ["apple", "pear"], "roots": ["beet", "leek"]}')
    options = ("--loss", "distance", "--goal", "worst", "--epsilon", "1", "--json")
    said = noisewright("design", "categories", "--hierarchy", "food.json", *options)
    assert said.code == 0
    food = nw.Categories.hierarchy({"fruit": ["apple", "pear"], "roots": ["beet", "leek"]})
    wanted = nw.design(food, epsilon=1, loss="distance", goal="worst")
    assert said.json["loss"] == pytest.approx(wanted.loss, rel=1e-9)
    (tmp_path / "food.json").write_text('{"fruit": ["apple"')
    assert "not JSON" in noisewright("design", "categories", "--hierarchy", "food.json").err
    (tmp_path / "food.json").write_text('["a", "b"]')
    (tmp_path / "m.csv").write_text("0,1\n1,0\n")
    both = noisewright("design", "categories", "--hierarchy", "food.json", "--metric", "m.csv")
    assert both.code == 2
    assert "leave --metric out" in both.err


def test_many_items_from_a_file(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "items.txt").write_text("\n".join(f"item {i}" for i in range(300)) + "\n\n")
    said = noisewright("design", "subsets", "--items", "items.txt", "--epsilon", "1")
    assert said.code == 0
    wanted = nw.design(nw.Subsets(range(300)), epsilon=1, loss="distance")
    assert f"expected distance loss is {wanted.loss:.9g}" in said.out
    assert "An item is released with probability" in said.out
    bounded = ("--items", "items.txt", "--largest", "4", "--per-item", "--epsilon", "2")
    said = noisewright("design", "subsets", *bounded, "--json")
    mechanism = nw.per_item(nw.Subsets(range(300), largest=4), epsilon=2)
    assert said.json["present"] == float(mechanism.present)
    assert said.json["absent"] == float(mechanism.absent)
    said = noisewright("design", "subsets", *bounded)
    assert "Proven: epsilon=2 when any set replaces any other." in said.out
    assert "standard deviation" in said.out
    noisewright("design", "subsets", "a,b,c", "--per-item", "--epsilon", "1", "-o", "m.json")
    assert nw.check(tmp_path / "m.json")


def test_sets_are_shown_as_sets(noisewright: Program) -> None:
    said = noisewright("design", "subsets", "tv,cars,books", "--epsilon", "1", "--goal", "worst")
    assert "{books, tv}" in said.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("counts", "4"), "epsilon= or alpha="),
        (("counts", "4", "--epsilon", "-1"), "at least 0"),
        (("counts", "0", "--epsilon", "1"), "at least 1"),
        (("counts", "4", "--epsilon", "1", "--properties", "XX"), "no property"),
        (("counts", "4", "--epsilon", "1", "--properties", "U"), "outputs=nw.Interval(-1, 5"),
        (("counts", "4", "--epsilon", "1", "--outputs", "9"), "LOW:HIGH"),
        (("counts", "4", "--epsilon", "1", "--loss", "L9"), "L9"),
        (("counts", "4", "--epsilon", "1", "--prior", "1,2"), "5 weights"),
        (("counts", "4", "--epsilon", "1", "--chart", "m.bmp"), ".png"),
        (("counts", "400", "--epsilon", "1", "--chart", "m.png"), "at most 300"),
        (("categories", "a,a", "--epsilon", "1"), "twice"),
        (("categories", "--epsilon", "1"), "--hierarchy"),
        (("categories", "a,b", "--hierarchy", "tree.json", "--epsilon", "1"), "give labels"),
        (("categories", "--hierarchy", "tree.json", "--epsilon", "1"), "tree.json"),
        (("subsets", "--epsilon", "1"), "--items"),
        (("subsets", "--items", "items.txt", "--epsilon", "1"), "items.txt"),
        (("subsets", "a,b", "--largest", "0", "--epsilon", "1"), "largest is 0"),
        (("subsets", "a,b", "--per-item", "--properties", "F", "--epsilon", "1"), "no effect"),
        (("subsets", "a,b", "--per-item", "--prior", "1", "--epsilon", "1"), "--prior"),
        (("interval", "1", "0", "--epsilon", "1"), "below high"),
        (("counts", "4", "--epsilon", "1", "-o", "missing/m.json"), "missing/m.json"),
    ],
)
def test_what_cannot_be_designed_is_said_in_one_sentence(
    arguments: tuple[str, ...], words: str, noisewright: Program, tmp_path: Path
) -> None:
    said = noisewright("design", *arguments, "--json")
    assert said.code == 2
    assert words in said.json["error"]
    assert list(tmp_path.iterdir()) == []


def test_the_named_mechanisms_side_by_side(noisewright: Program) -> None:
    said = noisewright("compare", "--counts", 8, "--epsilon", "0.1", "--losses", "L0,L1", "--json")
    assert said.code == 0
    rows = {row["mechanism"]: row for row in said.json["mechanisms"]}
    assert list(rows) == ["GM", "WH+RM+CM", "EM", "UM"]
    losses = [rows[name]["L0"] for name in ("GM", "WH+RM+CM", "EM", "UM")]
    assert losses == sorted(losses)
    assert rows["EM"]["worst L0"] == pytest.approx(rows["EM"]["L0"])
    assert rows["UM"]["epsilon"] == 0
    assert set(rows["UM"]["properties"].split()) >= {"RH", "RM", "CH", "CM", "F", "WH", "S"}


@pytest.mark.parametrize("typed", ["L0,L0,2,L1", "L0 L0,2 L1", "L0, L0,2, L1"])
def test_the_comma_inside_a_loss_is_no_separator(typed: str, noisewright: Program) -> None:
    said = noisewright("compare", "--counts", 4, "--epsilon", 1, "--losses", typed, "--json")
    assert said.code == 0
    row = said.json["mechanisms"][0]
    assert [name for name in row if name.startswith("L")] == ["L0", "L0,2", "L1"]


def test_certificates_side_by_side(noisewright: Program) -> None:
    noisewright("design", "counts", 3, "--epsilon", 1, "-o", "a.json")
    noisewright("design", "counts", 3, "--epsilon", 2, "-o", "b.json")
    said = noisewright("compare", "a.json", "b.json")
    assert said.code == 0
    assert all(word in said.out for word in ("a", "b", "worst L1", "properties"))


def test_nothing_to_compare_is_an_error(noisewright: Program) -> None:
    said = noisewright("compare", "--json")
    assert said.code == 2
    assert "--counts" in said.json["error"]


def test_a_prior_for_the_worst_input_is_said_to_count_for_nothing(noisewright: Program) -> None:
    asked = ("design", "counts", "2", "--epsilon", "1", "--prior", "1/2,1/4,1/4")
    words = "The prior only breaks ties here"
    assert words in noisewright(*asked, "--goal", "worst").out
    assert words not in noisewright(*asked).out
