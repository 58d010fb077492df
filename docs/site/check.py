"""Whether a built site is whole: every link leads somewhere, and nothing is fetched elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


class PageLinks(HTMLParser):
    """The links, the fetched files and the anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        values = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := values.get(key))}
        if tag == "a" and (link := values.get("href")):
            self.links.append(link)
        if tag in FETCHED and (link := values.get(FETCHED[tag])):
            self.fetched.append(link)


def require_whole(site: Path) -> None:
    """Raise SystemExit with all links that lead nowhere and all files of other hosts."""
    pages = {page: PageLinks(page) for page in sorted(site.rglob("*.html"))}
    faults: list[str] = []
    for page, found in pages.items():
        here = page.relative_to(site)
        faults += [f"{here} fetches {one}" for one in found.fetched if urlsplit(one).netloc]
        for link in {*found.links, *found.fetched}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                faults.append(f"{here} links to {link}, which is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{here} links to {link}, which has no such heading")
    if faults:
        raise SystemExit("The site is not whole:\n" + "\n".join(faults))
