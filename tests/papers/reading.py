"""What every paper's page must be: whole, self-contained, with all that the claims name."""

import json
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

from papers.claims import Claim, Verdict


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.sections: list[str] = []
        self.sources: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "section":
            self.sections.append(given["id"] or "")
        if tag == "img":
            self.sources.append(given["src"] or "")
            assert given["alt"]
        if tag not in ("img", "meta"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def assert_pages_hold_everything(out: Path, claims: Mapping[str, Claim]) -> None:
    """Check both pages, the pictures, the tables of values and the numbers."""
    markdown = (out / "claims.md").read_text(encoding="utf-8")
    page = (out / "claims.html").read_text(encoding="utf-8")
    reader = _Reader()
    reader.feed(page)
    assert reader.open == []
    assert reader.sections == list(claims)
    assert all(source.startswith("data:image/png;base64,") for source in reader.sources)
    pictures = [picture.file for claim in claims.values() for picture in claim.pictures]
    assert len(reader.sources) == len(pictures) == len(set(pictures))
    assert "http" not in page
    assert "<script" not in page
    for name in pictures:
        assert (out / name).read_bytes()[:4] == b"\x89PNG"
        assert f"]({name})" in markdown
    for claim in claims.values():
        assert all((out / file).exists() for file in claim.files)
    numbers = json.loads((out / "numbers.json").read_text())
    assert {name: found["verdict"] for name, found in numbers.items()} == {
        name: claim.verdict.value for name, claim in claims.items()
    }
    assert re.findall(r"\bnan\b|\binf\b|None", markdown) == []


def assert_verdicts(
    claims: Mapping[str, Claim],
    *,
    corrected: Iterable[str],
    more: Iterable[str] = (),
    fail: Iterable[str] = (),
    not_run: Iterable[str] = (),
) -> None:
    """Check each verdict; what is not named must hold. A correction must be written out."""
    found = {v: {n for n, c in claims.items() if c.verdict is v} for v in Verdict}
    assert found[Verdict.MORE] == set(more)
    assert found[Verdict.CORRECTED] == set(corrected)
    assert found[Verdict.FAILS] == set(fail)
    assert found[Verdict.NOT_RUN] == set(not_run)
    for name, claim in claims.items():
        assert claim.says, name
        assert claim.finds, name
        assert claim.instead or claim.verdict in (Verdict.HOLDS, Verdict.NOT_RUN), name
