"""The pictures of the count page say which line is which mechanism."""

import re
from pathlib import Path

from noisewright.report import save_chart
from papers.counts.charts import simulated_panels

NAMES = ("GM", "WH", "EM")


def test_panels_with_shaded_ranges_have_a_legend(tmp_path: Path) -> None:
    rows = [
        {
            "p": p,
            "n": n,
            "α": "1/2",
            "mechanism": name,
            "mean": k + p,
            "exact": k + p,
            "least": k + p - 0.1,
            "largest": k + p + 0.1,
            "error": 0.01,
            "deviation": 0.02,
        }
        for n in (4, 8)
        for k, name in enumerate(NAMES)
        for p in (0.1, 0.5)
    ]
    save_chart(
        simulated_panels(rows, x="p", y_title="RMSE", column="n", row="α"), tmp_path / "panels.svg"
    )
    picture = (tmp_path / "panels.svg").read_text(encoding="utf-8")
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert [label for label in labels if label in NAMES] == list(NAMES)
    # A shaded range for each mechanism and panel, and each in the color of its lines.
    shaded = re.findall(r'<path[^>]*opacity="0\.2"[^>]*>', picture)
    colors = [re.search(r'fill="([^"]*)"', path) for path in shaded]
    assert len(shaded) == 6
    assert len({found.group(1) for found in colors if found}) == len(NAMES)
