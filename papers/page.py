"""The page: the paper's claim beside ours, as Markdown and as HTML that needs nothing else."""

from __future__ import annotations

import base64
import csv
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from noisewright.files import write_whole
from papers.claims import Claim, Grid, Sentence, Verdict

_CLASS = {
    Verdict.HOLDS: "holds",
    Verdict.MORE: "more",
    Verdict.CORRECTED: "corrected",
    Verdict.PART: "corrected",
    Verdict.TIES: "ties",
    Verdict.FAILS: "fails",
    Verdict.NOT_RUN: "not-run",
}

_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --paper: #fff; --soft: #444; --line: #ddd;
  --code: #f3f3f3; --link: #0b57a4; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; max-width: 60rem; padding: 1.5rem; overflow-wrap: anywhere; }
a { color: var(--link); }
h1 { font-size: 1.7rem; line-height: 1.25; }
h2 { font-size: 1.2rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
table { border-collapse: collapse; font-size: .9rem; margin: .6rem 0 1rem;
  font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; }
.scroll { overflow-x: auto; }
figure { margin: 1rem 0; } figcaption { font-size: .9rem; color: var(--soft); }
img { max-width: 100%; height: auto; background: #fff; }
code { background: var(--code); padding: 0 .2em; }
dl { display: grid; grid-template-columns: 9rem 1fr; gap: .4rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; }
.verdict { display: inline-block; font-weight: 600; padding: .05rem .5rem; border-radius: .6rem;
  white-space: nowrap; }
.holds { background: #d9efe2; color: #00513a; } .more { background: #d8e8f6; color: #00436b; }
.corrected { background: #fdeccb; color: #6b4200; } .ties { background: #e9e0f5; color: #4a2a7a; }
.fails { background: #f9dcd0; color: #8a2d00; } .not-run { background: #e8e8e8; color: #444; }
@media (max-width: 40rem) {
  body { padding: 1rem; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: .6rem; }
  img { max-width: none; }
  .stack thead { position: absolute; clip-path: inset(50%); }
  .stack, .stack tbody, .stack tr, .stack td { display: block; }
  .stack tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  .stack td { border: 0; padding: .1rem 0; }
}
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e8; --paper: #16181b; --soft: #b5b5b5; --line: #3a3d42; --code: #26292e;
    --link: #8ab8f0; }
}
"""


def write_page(
    out: Path, claims: Mapping[str, Claim], *, title: str, introduction: Sequence[str]
) -> tuple[Path, Path]:
    """Write claims.md, claims.html and numbers.json; return the two pages."""
    markdown, page = out / "claims.md", out / "claims.html"
    write_whole(markdown, _markdown(claims, title, introduction).encode())
    write_whole(page, _html(out, claims, title, introduction).encode())
    numbers = {
        name: {"verdict": claim.verdict.value, **claim.numbers} for name, claim in claims.items()
    }
    write_whole(out / "numbers.json", (json.dumps(numbers, indent=1) + "\n").encode())
    return markdown, page


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> str:
    """Write all values of a figure; return the name of the file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {k: f"{v:.8g}" if isinstance(v, float) else v for k, v in row.items()} for row in rows
    )
    write_whole(path, text.getvalue().encode())
    return path.name


def tally(claims: Mapping[str, Claim]) -> str:
    """Return how many claims had each verdict, as a sentence."""
    counts = {v: sum(claim.verdict is v for claim in claims.values()) for v in Verdict}
    several = {
        Verdict.HOLDS: "hold",
        Verdict.MORE: "hold, and more is true",
        Verdict.CORRECTED: "hold with a correction",
        Verdict.PART: "hold in part",
        Verdict.TIES: "depend on the tie-break",
        Verdict.FAILS: "do not hold",
        Verdict.NOT_RUN: "not run",
    }
    words = ((v.value, several[v]) for v in Verdict)
    parts = [
        f"{n} {one if n == 1 else more}"
        for n, (one, more) in zip(counts.values(), words, strict=True)
        if n
    ]
    return f"Of {len(claims)} claim{'s' * (len(claims) != 1)} {'; '.join(parts)}."


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if not value or abs(value) >= 1e-4 else f"{value:.1e}"
    return value.value if isinstance(value, Verdict) else str(value)


def _by_sentence(sentences: Sequence[Sentence]) -> Grid:
    rows = [[s.says, s.finds, s.verdict] for s in sentences]
    return Grid("Sentence by sentence", ("the paper says", "we find", "verdict"), rows)


def _markdown(claims: Mapping[str, Claim], title: str, introduction: Sequence[str]) -> str:
    lines = [f"# {title}", ""]
    for paragraph in introduction:
        lines += [paragraph, ""]
    lines += ["## Summary", "", tally(claims), ""]
    summary = [[f"[{c.place}](#{name})", c.title, c.verdict.value] for name, c in claims.items()]
    lines += _markdown_table(("where", "claim", "verdict"), summary)
    for name, claim in claims.items():
        lines += [f'<a id="{name}"></a>', "", f"## {claim.place}: {claim.title}", ""]
        lines += [f"**The paper says.** {claim.says}", "", f"**We find.** {claim.finds}", ""]
        lines += [f"**Verdict: {claim.verdict.value}.** {claim.instead}".rstrip(), ""]
        first = [_by_sentence(claim.sentences)] if claim.sentences else []
        for grid in (*first, *claim.grids):
            lines += [f"{grid.caption}:", "", *_markdown_table(grid.header, grid.rows)]
        for picture in claim.pictures:
            lines += [f"![{claim.place}]({picture.file})", "", picture.caption, ""]
        for file in claim.files:
            lines += [f"All values: [{file}]({file})", ""]
    return "\n".join(lines).rstrip() + "\n"


def _markdown_table(header: Any, rows: Any) -> list[str]:
    def line(cells: Any) -> str:
        return "| " + " | ".join(_cell(cell).replace("|", "\\|") for cell in cells) + " |"

    return [line(header), "|" + "---|" * len(header), *(line(row) for row in rows), ""]


def _inline(text: str) -> str:
    """Escape a paragraph; what stands between backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def _badge(verdict: Verdict) -> str:
    return f'<span class="verdict {_CLASS[verdict]}">{verdict.value}</span>'


def _html(out: Path, claims: Mapping[str, Claim], title: str, introduction: Sequence[str]) -> str:
    rows = [
        f'<tr><td><a href="#{name}">{html.escape(c.place)}</a></td><td>{_inline(c.title)}</td>'
        f"<td>{_badge(c.verdict)}</td></tr>"
        for name, c in claims.items()
    ]
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
        f"<h1>{html.escape(title)}</h1>",
        *(f"<p>{_inline(paragraph)}</p>" for paragraph in introduction),
        f"<h2>Summary</h2>\n<p>{tally(claims)}</p>",
        '<div class="scroll"><table class="stack"><thead><tr><th>where</th><th>claim</th>'
        f"<th>verdict</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div>",
        *(_section(out, name, claim) for name, claim in claims.items()),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _section(out: Path, name: str, claim: Claim) -> str:
    verdict = f"{_badge(claim.verdict)} {_inline(claim.instead)}".rstrip()
    parts = [
        f'<section id="{name}">\n<h2>{html.escape(claim.place)}: {_inline(claim.title)}</h2>',
        f"<dl><dt>The paper says</dt><dd>{_inline(claim.says)}</dd>",
        f"<dt>We find</dt><dd>{_inline(claim.finds)}</dd><dt>Verdict</dt><dd>{verdict}</dd></dl>",
        *([_html_table(_by_sentence(claim.sentences), stack=True)] if claim.sentences else []),
        *(_html_table(grid) for grid in claim.grids),
    ]
    for picture in claim.pictures:
        image = (out / picture.file).read_bytes()
        # Width and height stand at a fixed place of a PNG; pictures have two dots to a pixel.
        wide, high = (int.from_bytes(image[k : k + 4]) // 2 for k in (16, 20))
        parts.append(
            f'<figure><div class="scroll"><img alt="{html.escape(picture.caption)}" width="{wide}" '
            f'height="{high}" src="data:image/png;base64,{base64.b64encode(image).decode()}"></div>'
            f"<figcaption>{_inline(picture.caption)}</figcaption></figure>"
        )
    links = (f'<p>All values: <a href="{file}">{file}</a></p>' for file in claim.files)
    return "\n".join([*parts, *links, "</section>"])


def _html_table(grid: Grid, *, stack: bool = False) -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in grid.header)
    body = "".join(
        "<tr>" + "".join(f"<td>{_html_cell(cell)}</td>" for cell in row) + "</tr>"
        for row in grid.rows
    )
    return (
        f'<p>{_inline(grid.caption)}:</p><div class="scroll"><table{" class=stack" * stack}><thead>'
        f"<tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _html_cell(value: Any) -> str:
    return _badge(value) if isinstance(value, Verdict) else _inline(_cell(value))
