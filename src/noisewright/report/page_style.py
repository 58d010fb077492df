"""How the page of a release looks: on a desk, on a phone, in the dark and on paper.

Colors are named once, for light and for dark. Charts take theirs from the same names, so that they
follow. Nothing is loaded from anywhere: fonts are those of the reader's system.
"""

from __future__ import annotations

LIGHT = """
  --paper: #ffffff; --ink: #1b1d21; --soft: #565c66; --line: #dfe2e7; --wash: #f4f6f8;
  --blue: #0072b2; --blue-wash: #e3f0f8; --red: #b03a00; --red-wash: #fdeee6; --green: #00805d;
  --orange: #b57500; --orange-wash: #fdf3dc; --gray: #8a919c; --pale: #cfd5dd; --shade: #00000026;
"""

DARK = """
  --paper: #14171b; --ink: #e6e8eb; --soft: #a3abb6; --line: #333941; --wash: #1d2126;
  --blue: #56b4e9; --blue-wash: #122b3c; --red: #ff9a6b; --red-wash: #3a1d10; --green: #3ecf9f;
  --orange: #f0b84a; --orange-wash: #35280d; --gray: #89919c; --pale: #454c56; --shade: #00000080;
"""

_SCREEN = """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere; }
.page { max-width: 64rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 2rem; margin: .2rem 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.4rem; margin: 3rem 0 .8rem; padding-top: 1.4rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1.15rem; margin: 2.4rem 0 .5rem; }
h4 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p, ul, ol { max-width: 46rem; margin: .6rem 0; }
ul, ol { padding-left: 1.3rem; } li { margin: .25rem 0; }
a { color: var(--blue); text-underline-offset: .15em; }
:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
.eyebrow { margin: 0; color: var(--soft); font-size: .85rem; letter-spacing: .06em;
  text-transform: uppercase; }
.soft { color: var(--soft); } .small { font-size: .88rem; }
.lead { font-size: 1.1rem; }
nav ul { list-style: none; padding: 0; margin: 1.2rem 0 0; display: flex; flex-wrap: wrap;
  gap: .2rem 1.1rem; max-width: none; }
nav li { margin: 0; } nav a { text-decoration: none; } nav a:hover { text-decoration: underline; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .8rem;
  margin: 1.4rem 0 0; }
.facts div { background: var(--wash); border-radius: .6rem; padding: .75rem .9rem; }
.facts dt { color: var(--soft); font-size: .82rem; font-weight: 400; }
.facts dd { margin: .1rem 0 0; font-size: 1.3rem; font-weight: 600; line-height: 1.25;
  font-variant-numeric: tabular-nums; }
.facts dd small { display: block; font-size: .8rem; font-weight: 400; color: var(--soft);
  margin-top: .2rem; line-height: 1.35; }
.alarm, .note, .promise { border-radius: .6rem; padding: .9rem 1.1rem; margin: 1.2rem 0;
  max-width: 50rem; border-left: .35rem solid var(--blue); background: var(--blue-wash); }
.alarm { border-color: var(--red); background: var(--red-wash); max-width: none; }
.note { border-color: var(--orange); background: var(--orange-wash); }
.alarm strong:first-child { color: var(--red); letter-spacing: .04em; }
.alarm p, .note p, .promise p { margin: .3rem 0; }
.promise { font-size: 1.08rem; }
.scroll, pre, figure .chart { overflow-x: auto; -webkit-overflow-scrolling: touch; }
.scroll { margin: .9rem 0 1.2rem; background:
  linear-gradient(to right, var(--paper) 40%, transparent) left / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 40%, transparent) right / 2rem 100% no-repeat local,
  linear-gradient(to right, var(--shade), transparent) left / .6rem 100% no-repeat scroll,
  linear-gradient(to left, var(--shade), transparent) right / .6rem 100% no-repeat scroll; }
.narrow { max-width: 36rem; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums;
  min-width: 100%; }
caption { text-align: left; color: var(--soft); font-size: .88rem; padding: 0 0 .4rem; }
caption span { position: sticky; left: 0; display: inline-block;
  max-width: min(100%, calc(100vw - 2.2rem)); }
th, td { padding: .36rem .8rem .36rem 0; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: baseline; }
th:last-child, td:last-child { padding-right: 0; }
thead th { font-weight: 600; color: var(--soft); font-size: .82rem; vertical-align: bottom;
  line-height: 1.3; }
tbody th { font-weight: 500; min-width: 8.5rem; max-width: 18rem; }
.number { text-align: right; white-space: nowrap; }
td.words { min-width: 12rem; } td.digest { min-width: 17rem; }
.strip { width: 34%; min-width: 9rem; padding-right: 1.4rem; vertical-align: middle; }
.strip svg, .bar svg { display: block; width: 100%; overflow: visible; }
.strip svg { height: 1.15rem; } thead .strip svg { height: 1.1rem; }
.strip .range { stroke: var(--blue); stroke-width: 3; opacity: .45; stroke-linecap: round; }
.strip .dot { fill: var(--blue); }
.strip .naive { fill: none; stroke: var(--red); stroke-width: 2; }
.strip .gap { stroke: var(--pale); stroke-width: 2; }
.strip .zero { stroke: var(--pale); stroke-width: 1; }
.strip text { fill: var(--soft); font-size: .7rem; font-weight: 400; }
.tag { display: inline-block; border-radius: 1rem; padding: 0 .55rem; font-size: .82rem;
  background: var(--wash); color: var(--soft); white-space: nowrap; }
.tag.private { background: var(--blue-wash); color: var(--blue); }
.tag.public { background: var(--orange-wash); color: var(--orange); }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr));
  gap: 1rem 2.2rem; align-items: start; }
figure { margin: 1rem 0; min-width: 0; } figcaption { color: var(--soft); font-size: .88rem;
  max-width: 40rem; }
.chart svg { display: block; height: auto; max-width: 100%; min-width: 20rem; color: var(--ink); }
.chart.wide svg { min-width: 26rem; }
.bar { display: grid; grid-template-columns: minmax(7rem, 14rem) 1fr 4.4rem; gap: .2rem .8rem;
  align-items: center; margin: .3rem 0; max-width: 40rem; font-size: .92rem; }
.bar svg { height: .9rem; } .bar b { font-weight: 600; text-align: right;
  font-variant-numeric: tabular-nums; }
.bar .track, .budget .track { fill: var(--wash); } .bar .fill { fill: var(--blue); }
.bar .other { fill: var(--red); }
.budget { max-width: 46rem; } .budget > svg { display: block; width: 100%; height: 1.8rem; }
.budget .before { fill: var(--gray); } .budget .now { fill: var(--blue); }
.budget .left { fill: var(--pale); }
.budget .columns, .key .columns { fill: var(--blue); }
.budget .together, .key .together { fill: var(--green); }
.budget .choices, .key .choices { fill: var(--orange); }
.counts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr));
  gap: 0 2.2rem; align-items: start; }
.counts section { min-width: 0; } .counts tbody th, .names tbody th { min-width: 8rem; }
.tree, .tree ul { list-style: none; margin: 0; padding: 0; }
.tree ul { margin-left: .55rem; padding-left: .95rem; }
.tree li { position: relative; margin: 0; padding: .12rem 0; }
.tree ul > li::before { content: ""; position: absolute; left: -.95rem; top: -.3rem; width: .7rem;
  height: 1.25rem; border-left: 2px solid var(--pale); border-bottom: 2px solid var(--pale);
  border-bottom-left-radius: .35rem; }
.tree ul > li:not(:last-child)::after { content: ""; position: absolute; left: -.95rem; top: .9rem;
  bottom: 0; border-left: 2px solid var(--pale); }
.tree { margin: .8rem 0; }
.key { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .2rem 1.4rem;
  font-size: .92rem; }
.key svg { width: .8rem; height: .8rem; margin-right: .4rem; vertical-align: -.05rem; }
.key .before { fill: var(--gray); } .key .now { fill: var(--blue); }
.key .left { fill: var(--pale); }
.key .dot { fill: var(--blue); } .key .naive { fill: none; stroke: var(--red); stroke-width: 2; }
pre { background: var(--wash); border-radius: .5rem; padding: .8rem 1rem; margin: .7rem 0;
  font-size: .88rem; line-height: 1.5; max-width: 50rem; overflow-wrap: normal; }
code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .92em; }
:not(pre) > code { background: var(--wash); border-radius: .25rem; padding: .05em .3em; }
td code, dd code { overflow-wrap: anywhere; } tbody th code { white-space: nowrap; }
.sides dl, .sides ul { margin-top: 1rem; }
dl:not(.facts) > div { display: grid; grid-template-columns: 11rem 1fr; gap: .2rem 1rem;
  padding: .35rem 0; max-width: 50rem; }
dt { font-weight: 600; } dd { margin: 0; }
details { margin: .6rem 0 1rem; } summary { cursor: pointer; color: var(--blue); }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .88rem; }
@media (max-width: 40rem) {
  .page { padding: 1.2rem 1rem 3rem; } h1 { font-size: 1.55rem; } h2 { font-size: 1.25rem; }
  .facts { grid-template-columns: 1fr 1fr; gap: .5rem; } .facts dd { font-size: 1.1rem; }
  .facts div { padding: .6rem .7rem; }
  dl:not(.facts) > div { grid-template-columns: 1fr; gap: 0; }
  .bar { grid-template-columns: 1fr 4rem; } .bar span { grid-column: 1 / -1; }
  th, td { padding-right: .6rem; } tbody th { min-width: 5.5rem; max-width: 10rem; }
  .strip { min-width: 7rem; } .counts .strip { min-width: 5rem; padding-right: .8rem; }
  .counts tbody th { min-width: 6rem; max-width: 7.5rem; }
}
"""

_PAPER = """
@page { margin: 16mm 14mm; }
@media print {
  body { font-size: 10pt; } .page { max-width: none; padding: 0; }
  nav, .screen { display: none; }
  h1 { font-size: 18pt; } h2 { font-size: 13pt; margin-top: 1.6rem; } h3 { font-size: 11.5pt; }
  h1, h2, h3, h4, caption, summary { break-after: avoid; }
  figure, tr, .promise, .note, .alarm, .bar, .budget, pre, .facts div { break-inside: avoid; }
  thead { display: table-header-group; }
  .sides { break-inside: avoid; } .column > p, p:has(+ pre) { break-after: avoid; }
  dl:not(.facts) > div { grid-template-columns: 8.5rem 1fr; }
  .scroll, pre, figure .chart { overflow: visible; } .scroll { background: none; }
  pre { white-space: pre-wrap; }
  .chart svg { min-width: 0; } table { font-size: 8.5pt; } .strip { min-width: 5rem; }
  th, td { padding-right: .5rem; }
  .facts { grid-template-columns: repeat(auto-fit, minmax(6.6rem, 1fr)); }
  .counts { display: block; columns: 2; }
  a[href^="#"] { color: inherit; text-decoration: none; }
  a[href]:not([href^="#"])::after { content: " (" attr(href) ")"; color: var(--soft);
    font-size: .9em; overflow-wrap: anywhere; }
  .facts div, pre, .promise, .note, .alarm, .tag, svg { print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
}
"""


def style() -> str:
    """Return the style sheet; paper is light whatever the screen is."""
    return (
        f":root {{ color-scheme: light dark;{LIGHT}}}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{{DARK}}} }}\n"
        f"{_SCREEN}{_PAPER}"
    )
