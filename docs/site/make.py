"""Build the documentation as a site in site/: `make site`.

The pages keep their places, so that their links hold as they are. Code of the gallery is run for
its pictures, papers are computed again (in small, unless `make papers` has done so), and the
navigation is read off docs/README.md, the index by task. Nothing on the site is fetched from
elsewhere, and its search works from a folder: a build that finds otherwise fails.
"""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(Path(__file__).parent))

import check  # noqa: E402
import design_room  # noqa: E402

from noisewright import report  # noqa: E402
from tests.docs.pages import links  # noqa: E402

HERE = Path(__file__).parent
STAGE = ROOT / "build" / "site"
PAGES = STAGE / "pages"
SITE = ROOT / "site"
PAPERS = ("counts", "categorical", "metric", "survey")
INDEX = "docs/README.md"

Nav = list["str | dict[str, str | Nav]"]


def main() -> None:
    """Build the site, and end with an error where it would be wrong."""
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    PAGES.mkdir(parents=True)
    copy_pages()
    write_index_of_decisions()
    compute_papers()
    show_charts()
    fill_the_design_room()
    copy_what_is_linked()
    settings = (HERE / "zensical.toml").read_text(encoding="utf-8")
    own = f'[project]\ndocs_dir = "pages"\nsite_dir = "site"\nnav = {toml(navigation())}\n'
    (STAGE / "zensical.toml").write_text(settings.replace("[project]\n", own, 1), encoding="utf-8")
    program = Path(sys.executable).parent / "zensical"
    subprocess.run([program, "build", "--strict", "--clean"], cwd=STAGE, check=True)
    shutil.move(STAGE / "site", SITE)
    run_the_search_anywhere()
    check.require_whole(SITE)
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(f"The site is in {SITE / 'index.html'}: {size / 1e6:.0f} MB.")


def sources() -> list[Path]:
    """Return the pages of the site, as paths below the project."""
    tops = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"]
    tops += ["tests/README.md"]
    return [ROOT / top for top in tops] + sorted((ROOT / "docs").rglob("*.md"))


def copy_pages() -> None:
    """Copy each page to its place; a link to a folder becomes one to its index."""
    for source in sources():
        text = source.read_text(encoding="utf-8")
        place(source).write_text(re.sub(r"\]\(([\w./-]+/)\)", r"](\1README.md)", text))
    shutil.copy(HERE / "site.css", place(HERE / "site.css"))


def place(source: Path) -> Path:
    """Return where a file of the project is among the pages, in a folder that exists."""
    target = PAGES / source.relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def title(page: Path) -> str:
    """Return the heading of a page, without its marks."""
    return page.read_text(encoding="utf-8").removeprefix("# ").splitlines()[0].strip("# `")


def decisions() -> list[Path]:
    """Return the pages of the decisions."""
    return sorted((ROOT / "docs" / "decisions").glob("0*.md"))


def write_index_of_decisions() -> None:
    """Write the list that a folder shows by itself where the sources are read."""
    lines = [f"- [{title(page)}]({page.name})" for page in decisions()]
    text = "# Decisions\n\nChoices that somebody may question, each with its reasons.\n\n"
    (PAGES / "docs" / "decisions" / "README.md").write_text(text + "\n".join(lines) + "\n")


def compute_papers() -> None:
    """Give each paper its page: what `make papers` wrote, or a small version."""
    for name in PAPERS:
        written = ROOT / "papers" / name / "output"
        target = PAGES / "papers" / name
        if (written / "claims.md").exists():
            shutil.copytree(written, target)
            continue
        print(f"Computing the paper {name} again, in small.", flush=True)
        target.mkdir(parents=True)
        run = [sys.executable, ROOT / "papers" / name / "run.py", "--quick", "--out", target]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    for path in PAGES.glob("papers/*/*"):
        if path.suffix == ".html" or path.name == "numbers.json":
            path.unlink()


def show_charts() -> None:
    """Run the gallery, and put below each block the chart or the page that it leaves behind."""
    page = PAGES / "docs" / "gallery.md"
    folder = PAGES / "docs" / "gallery"
    folder.mkdir()
    shown = list(with_pictures(page.read_text(encoding="utf-8"), folder))
    page.write_text("".join(shown), encoding="utf-8")


def with_pictures(text: str, folder: Path) -> Iterator[str]:
    """Yield the text of a page, with each Python block followed by what it shows."""
    names: dict[str, object] = {}
    heading = ""
    parts = re.split(r"(^```python\n.*?^```\n)", text, flags=re.DOTALL | re.MULTILINE)
    for number, part in enumerate(parts):
        yield part
        if not part.startswith("```python"):
            heading = [heading, *re.findall(r"^#+ (.*)$", part, flags=re.MULTILINE)][-1]
            continue
        names.pop("chart", None)
        names.pop("page", None)
        with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(part.strip("`\n").removeprefix("python"), "gallery.md", "exec"), names)
        file = f"{number:02}-{re.sub(r'[^a-z]+', '-', heading.lower()).strip('-')}"
        if "chart" in names:
            report.save_chart(names["chart"], folder / f"{file}.svg")
            yield f"\n![{heading}](gallery/{file}.svg)\n"
        elif "page" in names:
            yield f'\n<iframe src="gallery/{names["page"]}" title="{heading}"></iframe>\n'
            yield f"\n[Open the page by itself](gallery/{names['page']})\n"


def fill_the_design_room() -> None:
    """Make the designs that its page shows."""
    folder = PAGES / "docs" / "design-room"
    folder.mkdir()
    design_room.write_designs(folder / "designs.js")
    shutil.copy(HERE / "design_room.js", folder / "room.js")
    with (PAGES / "docs" / "design-room.md").open("a", encoding="utf-8") as page:
        for name in ("designs", "room"):
            page.write(f'\n<script src="design-room/{name}.js"></script>\n')


def copy_what_is_linked() -> None:
    """Copy the files that pages link to and that are no pages: pictures, schemas, sources."""
    for page in sources():
        for link in links(page):
            target = (page.parent / link.partition("#")[0]).resolve()
            if "://" not in link and target.is_file() and not place(target).exists():
                shutil.copy(target, place(target))


def navigation() -> Nav:
    """Return the tree of the site: the index by task, with the pages that it links to."""
    tasks: Nav = [{"By task": INDEX}]
    look_up: Nav = []
    understand: Nav = []
    for section in re.split(r"^##+ ", (ROOT / INDEX).read_text(), flags=re.MULTILINE)[1:]:
        name = section.splitlines()[0].strip("… ")
        found = re.findall(r"\]\(([\w./-]+\.md)\)", section)
        pages: Nav = [f"docs/{link}" for link in dict.fromkeys(found) if not link.startswith("..")]
        if name == "Understand":
            understand += pages
        elif name == "Look up":
            look_up += [one for one in pages if one != "docs/gallery.md"]
        elif pages:
            tasks.append({name[0].upper() + name[1:]: pages})
    numbered: Nav = ["docs/decisions/README.md", *(relative(page) for page in decisions())]
    papers: Nav = [f"papers/{name}/claims.md" for name in PAPERS]
    return [
        {"Noisewright": ["README.md", "docs/tutorial.md", "CHANGELOG.md"]},
        {"How to": tasks},
        {"Gallery": ["docs/gallery.md"]},
        {"Understand": [*understand, {"Papers, computed again": papers}]},
        {"Look up": look_up},
        {
            "Build": [
                "CONTRIBUTING.md",
                "tests/README.md",
                "benchmarks/README.md",
                {"Decisions": numbered},
            ]
        },
    ]


def relative(page: Path) -> str:
    """Return a page's path below the project."""
    return page.relative_to(ROOT).as_posix()


def toml(value: "str | Nav | dict[str, str | Nav]") -> str:
    """Return a part of the navigation as TOML."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        inside = ", ".join(f'"{name}" = {toml(part)}' for name, part in value.items())
        return f"{{ {inside} }}"
    return f"[{', '.join(toml(part) for part in value)}]"


def run_the_search_anywhere() -> None:
    """Replace the one script that the theme would fetch by ours."""
    shutil.copy(HERE / "worker.js", SITE / "worker.js")
    for page in SITE.rglob("*.html"):
        own = os.path.relpath(SITE / "worker.js", page.parent)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("https://unpkg.com/iframe-worker/shim", own), encoding="utf-8")


if __name__ == "__main__":
    main()
