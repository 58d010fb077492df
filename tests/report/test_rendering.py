"""Charts are drawn in another process, whose end is not the end of this one."""

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from noisewright.errors import EngineError
from noisewright.report.charts.library import Renderer
from tests.cli.conftest import PLAIN, PROGRAM

SPEC: dict[str, Any] = {
    "data": {"values": [{"a": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


def test_a_renderer_that_is_killed_ends_in_words_each_time() -> None:
    renderer = Renderer()
    assert renderer.call("vegalite_to_svg", SPEC).startswith(b"<svg")
    child: Any = renderer._child
    os.kill(child.pid, signal.SIGTRAP)
    for _ in range(2):
        with pytest.raises(EngineError, match="ended without an answer"):
            renderer.call("vegalite_to_svg", SPEC)
    renderer.close()
    renderer.close()


def test_a_chart_that_cannot_be_drawn_leaves_the_renderer_alive() -> None:
    renderer = Renderer()
    with pytest.raises(EngineError, match="could not draw"):
        renderer.call("vegalite_to_svg", {"mark": 7, "data": 3})
    assert renderer.call("vegalite_to_svg", SPEC).startswith(b"<svg")
    renderer.close()


def test_a_release_without_memory_for_its_charts_has_its_page(tmp_path: Path) -> None:
    """V8 wants gigabytes of address space, and ends its process where it does not get them.

    The pictures of a page do not need it.
    """
    (tmp_path / "d.csv").write_text("a\nx\ny\n", encoding="utf-8")
    (tmp_path / "p.toml").write_text(
        'version = 1\nepsilon = 1\n[columns.a]\nspace = "categories"\nlabels = ["x", "y"]\n',
        encoding="utf-8",
    )
    words = "release d.csv --plan p.toml -o r.csv --without-ledger"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -v 2500000; exec {PROGRAM} {words}"],
        cwd=tmp_path,
        env={**os.environ, **PLAIN},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done
    assert "r.csv: 2 rows" in done.stdout
    page = (tmp_path / "r.report.html").read_text(encoding="utf-8")
    assert '<div class="chart">' in page
    assert "could not be drawn" not in page
