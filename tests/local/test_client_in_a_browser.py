"""The JavaScript client in Chromium: the vectors of every kind, and a memo in localStorage."""

import html
import json
import re
import subprocess
import threading
from collections.abc import Generator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.local.elsewhere import CHROMIUM, KINDS, NEEDS_CHROMIUM

PAGE = """<!DOCTYPE html><meta charset="utf-8"><pre id="found"></pre><script type="module">
const found = {checked: {}, answers: [], errors: []};
try {
  for (const folder of KINDS) {
    const client = await import(`./${folder}/client.js`);
    const vectors = await (await fetch(`./${folder}/vectors.json`)).json();
    found.checked[folder] = client.checkVectors(vectors);
  }
  const { makeClient, storageMemo } = await import("./0/client.js");
  for (let i = 0; i < 40; i += 1) {
    const client = makeClient({ memo: storageMemo(localStorage) });
    found.answers.push(client.report(i % 2).slice(19, -4).join());
  }
  found.kept = localStorage.length;
} catch (error) { found.errors.push(String(error)); }
document.getElementById("found").textContent = JSON.stringify(found);
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Generator[str]:
    """Serve a folder for each kind, and the page that tries them all, on this machine only."""
    site = tmp_path / "site"
    for number, collection in enumerate(KINDS.values()):
        collection.spec(site / str(number))
    numbers = json.dumps([str(number) for number in range(len(KINDS))])
    (site / "index.html").write_text(PAGE.replace("KINDS", numbers), encoding="utf-8")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


@NEEDS_CHROMIUM
def test_chromium_sends_the_same_bytes(address: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"),
        f"--user-data-dir={tmp_path / 'profile'}",
        *("--virtual-time-budget=20000", "--dump-dom", address),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    shown = re.search(r'<pre id="found">([^<]*)</pre>', done.stdout)
    assert shown is not None, done.stderr
    found = json.loads(html.unescape(shown.group(1)))
    assert found["errors"] == []
    assert len(found["checked"]) == len(KINDS)
    assert min(found["checked"].values()) >= 7
    assert found["answers"] == found["answers"][:2] * 20
    assert found["kept"] == 2
