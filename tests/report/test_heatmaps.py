"""Heatmaps: a cell per probability, square, with the labels that fit."""

import json
from typing import Any

import pytest

import noisewright as nw
from noisewright.report import heatmap, heatmaps
from noisewright.report.charts.ticks import labels
from tests.report.rendering import cells, drawn, texts


@pytest.mark.parametrize("n", [1, 2, 8, 30, 100])
def test_there_is_one_square_cell_for_each_probability(n: int) -> None:
    found = cells(drawn(heatmap(nw.geometric(nw.Counts(n), alpha="0.9"))))
    assert len(found) == (n + 1) ** 2
    assert {width for width, _, _ in found} == {height for _, height, _ in found}
    # Cells of whole pixels leave no seams.
    assert all(width == int(width) for width, _, _ in found)


def test_the_largest_probability_is_brightest_and_rows_are_inputs() -> None:
    found = cells(drawn(heatmap(nw.from_matrix(nw.Counts(1), [[0.75, 0.25], [1.0, 0.0]]))))
    fills = [fill for _, _, fill in found]
    assert fills[2] == "rgb(253, 231, 37)"
    assert fills[3] == "rgb(68, 1, 84)"


def test_few_cells_carry_numbers_and_many_do_not() -> None:
    small = texts(drawn(heatmap(nw.uniform(nw.Counts(2)))))
    assert small.count("0.33") == 9
    large = texts(drawn(heatmap(nw.uniform(nw.Counts(30)))))
    assert len(large) < 30


def test_numbers_tell_never_from_seldom() -> None:
    rows = [[1, 0], [0.001, 0.999], [0.004, 0.996]]
    written = texts(drawn(heatmap(nw.from_matrix(nw.Counts(2), rows, outputs=["few", "many"]))))
    numbers = [text for text in written if text in {"0", "1", "<.01", "&lt;.01", "&gt;.99"}]
    # The axis and the legend have a 0 and a 1 too.
    assert numbers.count("&lt;.01") == 2
    assert numbers.count("&gt;.99") == 2


def test_text_is_light_on_dark_cells_and_dark_on_light_ones() -> None:
    svg = drawn(heatmap(nw.from_matrix(nw.Counts(1), [[0.9, 0.1], [0.2, 0.8]])))
    for number, ink in {"0.90": "#111111", "0.10": "#ffffff"}.items():
        element = next(line for line in svg.split("<text")[1:] if f">{number}<" in line)
        assert f'fill="{ink}"' in element


def test_a_hundred_people_have_few_ticks_and_a_light_specification() -> None:
    chart = heatmap(nw.geometric(nw.Counts(100), alpha="0.9"))
    ticks = [text for text in texts(drawn(chart)) if text.isdigit()]
    # Eleven on each axis, and the legend's zero.
    assert [tick for tick in ticks if tick != "0"] == [str(10 * k) for k in range(1, 11)] * 2
    assert len(json.dumps(chart.to_dict())) < 150_000


def test_small_probabilities_are_set_apart_in_large_heatmaps_only() -> None:
    def scale(chart: Any) -> str:
        return chart.to_dict()["layer"][0]["encoding"]["color"]["scale"]["type"]

    assert scale(heatmap(nw.uniform(nw.Counts(8)))) == "linear"
    assert scale(heatmap(nw.uniform(nw.Counts(30)))) == "sqrt"
    assert scale(heatmap(nw.uniform(nw.Counts(30)), scale="linear")) == "linear"


def test_long_labels_are_turned_and_all_there() -> None:
    names = ["Manager", "Sales and marketing", "Administrative support", "</script>", 'a "b"']
    svg = drawn(heatmap(nw.randomized_response(nw.Categories(names), epsilon=1)))
    assert svg.count("rotate(315)") == len(names)
    assert texts(svg).count("Administrative support") == 2
    assert texts(svg).count("&lt;/script&gt;") == 2


@pytest.mark.parametrize(
    ("space", "names"),
    [
        (nw.Counts(2), ["0", "1", "2"]),
        (nw.Interval(0, 1, step=0.5), ["0", "0.5", "1"]),
        (nw.Categories(["a\nb", True, b"\x01"]), ["a b", "True", "01"]),
        (nw.Subsets(["tv", "cars"]), ["{}", "{tv}", "{cars}", "{tv, cars}"]),
        (
            nw.Records(a=nw.Counts(1), b=nw.Interval(0, 0.5, step=0.5)),
            ["0, 0", "0, 0.5", "1, 0", "1, 0.5"],
        ),
        (nw.Counts(1) ** 2, ["0, 0", "0, 1", "1, 0", "1, 1"]),
    ],
)
def test_points_are_named_as_people_write_them(space: Any, names: list[str]) -> None:
    assert labels(space) == names


def test_every_kind_of_space_can_be_drawn() -> None:
    row = nw.randomized_response(nw.Categories(["no", "yes"]), epsilon=1)
    for mechanism in (
        row**3,
        nw.combine.product(a=row, b=nw.geometric(nw.Counts(2), epsilon=1)),
        nw.randomized_response(nw.Subsets(["tv", "cars", "books"]), epsilon=1),
        nw.geometric(nw.Counts(4), epsilon=1, table=False),
    ):
        size = mechanism.space.size * mechanism.outputs.size
        assert len(cells(drawn(heatmap(mechanism)))) == size


def test_several_heatmaps_share_one_scale_and_one_legend(trio: dict[str, nw.Mechanism]) -> None:
    chart = heatmaps(trio, title="Three mechanisms")
    domains = [
        part["layer"][0]["encoding"]["color"]["scale"]["domain"]
        for part in chart.to_dict()["concat"]
    ]
    assert domains[0] == domains[1] == domains[2]
    svg = drawn(chart)
    written = texts(svg)
    assert written.count("probability") == 1
    assert [name for name in written if name in trio] == list(trio)
    assert len(cells(svg)) == 3 * 81


def test_four_large_heatmaps_stand_two_by_two() -> None:
    four = {str(k): nw.uniform(nw.Counts(30)) for k in range(4)}
    assert heatmaps(four).to_dict()["columns"] == 2
    assert heatmaps(four, columns=4).to_dict()["columns"] == 4


def test_too_many_cells_are_refused_before_the_table_is_built() -> None:
    with pytest.raises(nw.errors.TooLargeError, match="at most 300 inputs and outputs"):
        heatmap(nw.geometric(nw.Counts(10**9), epsilon=1, table=False))


@pytest.mark.parametrize("wrong", [None, 3, [[1.0]]])
def test_what_is_no_mechanism_is_refused(wrong: Any) -> None:
    with pytest.raises(nw.errors.InputError, match="a heatmap shows a mechanism"):
        heatmap(wrong)
    with pytest.raises(nw.errors.InputError, match="it must be a mechanism"):
        heatmaps({"GM": wrong})


def test_mechanisms_come_by_name(trio: dict[str, nw.Mechanism]) -> None:
    with pytest.raises(nw.errors.InputError, match="by name"):
        heatmaps(list(trio.values()))  # pyright: ignore[reportArgumentType]
    with pytest.raises(nw.errors.InputError, match="at least one mechanism"):
        heatmaps({})


def test_an_unknown_scale_is_refused(trio: dict[str, nw.Mechanism]) -> None:
    with pytest.raises(nw.errors.InputError, match="'linear' or 'sqrt'"):
        heatmap(trio["GM"], scale="log")  # pyright: ignore[reportArgumentType]
