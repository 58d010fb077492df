"""Links between the project's pages lead somewhere."""

from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.pages import ROOT, all_pages, anchors, links


def broken(link: str, page: Path) -> str | None:
    """Why the link is broken, or None if it is not or leads outside of the project."""
    if "://" in link or link.startswith("mailto:"):
        return None
    path, _, anchor = unquote(link).partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.is_relative_to(ROOT):
        return f"{link} leaves the project"
    if not target.exists():
        return f"{link}: there is no {target.relative_to(ROOT)}"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{link}: {target.relative_to(ROOT)} has no heading #{anchor}"
    return None


@pytest.mark.parametrize(
    "page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in all_pages()]
)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    assert [reason for link in links(page) if (reason := broken(link, page))] == []


def test_the_index_leads_to_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    folders = ("how-to", "explanation", "reference")
    pages = {page for name in folders for page in (index.parent / name).glob("*.md")}
    assert pages <= linked
