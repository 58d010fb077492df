"""Names and labels may hold anything; on a page they stay text, and the page stays a page."""

import html
import re
from typing import Any

import jinja2
import pytest

import noisewright as nw
from noisewright.report import release_page
from noisewright.report.rendering import load_templates
from tests.report.pages import Page, facts_of

NASTY = [
    "<script>alert(1)</script>",
    "</title></style></svg><img src=x onerror=alert(2)>",
    "\"'><svg onload=alert(3)>",
    "javascript:alert(4)",
    "&lt;b&gt; &amp;amp; <!-- ]]> -->",
    "{{7*7}} ${x} %s \\u003cscript\\u003e",
    'id="column-1" url(#a) fill="#0072B2" 1.23456789',
]
ODD = [
    "\u202eevil\u202c",  # turns the direction of what follows
    "שלום עולם",
    "العربية",
    "日本語のラベル",
    "e\u0301🧪👩‍👩‍👧",
    "tab\tand\nnew line",
    "nul\x00bell\x07",
    "\x1b[31mred\ufffe",
    " ",
    "x" * 300,
]


def page_of(labels: list[str], *, name: str = "answer") -> Page:
    plan = nw.Plan({name: nw.Column(labels)}, epsilon=3, title=f"About {name}")
    return Page(release_page(facts_of(plan)))


def label(name: str) -> Any:
    return load_templates().get_template("pieces.html.jinja").module.label(name)


def tags_of(page: Page) -> list[str]:
    return [tag for tag, _ in page.tags]


def test_tags_in_labels_names_and_titles_stay_text() -> None:
    harmless = page_of([f"label {place}" for place in range(len(NASTY))])
    page = page_of(NASTY, name=NASTY[1])
    assert page.mistakes == []
    # The same tags in the same order: nothing became markup, in tables or in drawings.
    assert tags_of(page) == tags_of(harmless)
    for words in NASTY[:5]:
        assert words in page.text
    for _, attributes in page.tags:
        assert not any(key.startswith("on") for key in attributes)
        assert attributes.get("src") is None


def test_digits_in_labels_are_left_alone_in_drawings() -> None:
    page = page_of(["1.23456789", 'id="a" url(#b)'])
    drawing = page.source[page.source.index('<div class="chart">') :].partition("</svg>")[0]
    assert drawing.count(">1.23456789</text>") == 2
    assert html.unescape(drawing).count('>id="a" url(#b)</text>') == 2


def test_odd_characters_and_directions() -> None:
    page = page_of(ODD)
    assert page.mistakes == []
    page.source.encode()
    assert "\x00" not in page.source
    assert "\x07" not in page.source
    assert "nul\N{REPLACEMENT CHARACTER}bell\N{REPLACEMENT CHARACTER}" in page.text
    for words in ODD[1:5]:
        # A name is set apart, so that its direction does not turn the numbers beside it.
        assert f"<bdi>{words}</bdi>" in page.source


def test_a_long_label_is_cut_and_stands_in_full_in_its_tooltip() -> None:
    long = "x" * 300
    assert label(long) == f'<bdi title="{long}">{"x" * 79}…</bdi>'
    assert len(label("x" * 100_000)) < 600
    plan = nw.Plan({"answer": nw.Column(["y" * 20_000, "n"])}, epsilon=3)
    assert len(release_page(facts_of(plan, {}))) < 60_000


def test_halves_of_pairs_are_replaced() -> None:
    """A plan refuses them; titles of files may have them all the same."""
    assert label("half \ud83d of a pair") == "<bdi>half \N{REPLACEMENT CHARACTER} of a pair</bdi>"


@pytest.mark.parametrize("given", NASTY)
def test_whatever_a_template_writes_is_escaped(given: str) -> None:
    """Between tags and in attributes alike, and no template turns it off."""
    written = load_templates().from_string("{{ given }}").render(given=given)
    assert not {"<", '"', ">"} & set(written)
    assert html.unescape(written) == given


def test_no_template_marks_text_as_safe() -> None:
    environment = load_templates()
    for name in environment.list_templates():
        source, *_ = environment.loader.get_source(environment, name)
        assert not re.search(r"\|\s*safe\b|autoescape|Markup", source), name


def test_a_value_that_nobody_gave_is_an_error() -> None:
    with pytest.raises(jinja2.UndefinedError):
        load_templates().from_string("{{ forgotten }}").render()


def test_a_file_with_an_odd_name_is_quoted_for_the_shell() -> None:
    plan = nw.Plan({"it's": nw.Column(["a", "b"])}, epsilon=1)
    page = Page(release_page(facts_of(plan, {}, data="my file; rm -rf ~.parquet")))
    assert "noisewright estimate 'my file; rm -rf ~.parquet'" in page.text
    assert """--of 'it'"'"'s'""" in page.text
