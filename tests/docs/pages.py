"""Reads the project's Markdown pages: their fenced blocks, links and headings."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<info>.*)$")
_LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)")
_NO_BRACKETS = str.maketrans("", "", "[]()")
_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the line number of its first line."""

    language: str
    text: str
    line: int


def blocks(page: Path) -> Iterator[Block]:
    opening: re.Match[str] | None = None
    collected: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = _FENCE.match(line)
        if opening is None:
            if fence:
                opening, collected = fence, []
        elif fence and not fence["info"].strip() and fence["marks"].startswith(opening["marks"]):
            language = (opening["info"].split() or [""])[0]
            yield Block(language, textwrap.dedent("\n".join(collected)), number - len(collected))
            opening = None
        else:
            collected.append(line)
    if opening is not None:
        raise ValueError(f"{page.relative_to(ROOT)} has a fenced block that is never closed.")


def prose(page: Path) -> str:
    """The page without its fenced blocks, and without brackets in its inline code."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r"^( *)(`{3,}|~{3,}).*?^ *\2`*\s*?$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", lambda code: code[0].translate(_NO_BRACKETS), text)


def links(page: Path) -> list[str]:
    return _LINK.findall(prose(page))


def anchors(page: Path) -> set[str]:
    """The names that a link into the page can use after #, as GitHub makes them."""
    found: dict[str, int] = {}
    for heading in _HEADING.findall(prose(page)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    # Pages that are computed place their own.
    return set(found) | set(re.findall(r'<a id="([^"]+)"></a>', prose(page)))


def guide_pages() -> list[Path]:
    """The pages whose code is run: README.md and everything under docs/."""
    readme = ROOT / "README.md"
    return [page for page in [readme] if page.exists()] + sorted((ROOT / "docs").rglob("*.md"))


def all_pages() -> list[Path]:
    folders = ["docs", "tests", "benchmarks", "papers", "src"]
    nested = [page for folder in folders for page in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *nested])
