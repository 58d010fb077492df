"""How soon the studio shows a new picture when ε or δ moves: Adult, 14 columns, in a browser.

    python -m benchmarks.studio_slider [path/of/adult.data] [--moves 40]

It starts a studio in a folder of its own with adult.data (32,561 rows; UCI Machine Learning
Repository, "Adult": https://archive.ics.uci.edu/dataset/2/adult) and the codebook of the docs,
opens the room Choose in Chromium, and says when the first numbers of each tool are there. When
the curves are complete it moves the sliders to random places, mostly new ones, and prints how long
the server took and how long it took from the move to the new picture. Required: 200 ms.
Without Chromium it measures the server alone.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import noisewright as nw
from benchmarks.adult_release import HOW, PLACES, whole_adult

REQUIRED = 200.0
"""Milliseconds from a move to the new picture."""

_NAMES = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex "
    "capital-gain capital-loss hours-per-week native-country income"
)
_OPTIONS = ["--no-sandbox", "--headless", "--disable-gpu"]


def make_folder(folder: Path, path: Path) -> None:
    """Put the table and its plan where a studio opens them."""
    codes = Path(__file__).parents[1] / "docs" / "examples" / "adult-codebook.csv"
    shutil.copy(path, folder / "adult.data")
    draft = nw.planning.draft_plan(whole_adult(path), codebook=codes, drop=["fnlwgt"], epsilon=1)
    (folder / "plan.toml").write_text(draft.to_toml(), encoding="utf-8")


@contextmanager
def running(folder: Path) -> Generator[tuple[str, str]]:
    """Serve a studio on a free port; give its origin and the address that lets a browser in."""
    import uvicorn

    from noisewright.studio.app import StudioRooms, make_app
    from noisewright.studio.doorkeeper import Doorkeeper
    from noisewright.studio.folder import StudioFolder
    from noisewright.studio.guard import Guard

    rooms = StudioRooms.of(StudioFolder.at(folder), ledger=str(folder / "budget.db"))
    doorkeeper = Doorkeeper()
    guard = Guard(make_app(rooms), doorkeeper=doorkeeper)
    server = uvicorn.Server(uvicorn.Config(guard, port=0, log_level="critical", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    origin = f"http://127.0.0.1:{port}"
    try:
        yield origin, f"{origin}/?token={doorkeeper.token}"
    finally:
        server.should_exit = True
        thread.join(30)
        rooms.desk.close()


def _table() -> dict[str, Any]:
    return {"file": "adult.data", "header": False, "names": _NAMES.split()}


def first_pictures(client: Any) -> str:
    """Open the study, wait until its curves are complete, and say what came when; its key."""
    started = time.monotonic()
    wanted = {"plan": "plan.toml", "table": _table(), "epsilon": "1", "delta": "1e-9"}
    made = client.post("/api/advice", json=wanted).json()
    key, seen = made["key"], set[str]()
    print(f"{time.monotonic() - started:6.1f} s  the risk at this epsilon")
    while True:
        for tool in set(made["tools"]) - seen:
            print(f"{time.monotonic() - started:6.1f} s  {made['tools'][tool]}")
            seen.add(tool)
        if made["verdict"] and "all" not in seen:
            print(f"{time.monotonic() - started:6.1f} s  the recommendation")
            seen.add("all")
        if not made["working"]:
            break
        time.sleep(0.1)
        made = client.get(f"/api/advice/{key}", params={"epsilon": "1", "delta": "1e-9"}).json()
    print(
        f"{time.monotonic() - started:6.1f} s  curves for any budget ({made['done']} predictions)"
    )
    return key


def server_times(client: Any, key: str, moves: int) -> list[float]:
    """Return milliseconds from a request for a new budget to its answer."""
    found: list[float] = []
    draw = random.Random(1)
    for _ in range(moves):
        where = {
            "epsilon": f"{0.05 * 160 ** draw.random():.4g}",
            "delta": f"{10 ** draw.uniform(-12, -5):.2g}",
        }
        started = time.perf_counter()
        made = client.get(f"/api/advice/{key}", params=where).json()
        found.append(1000 * (time.perf_counter() - started))
        assert made["verdict"], made
    return found


def browser_times(address: str, moves: int) -> list[float]:
    """Return milliseconds from a move of a slider to the new picture, in Chromium."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if program is None:
        return []
    found: list[float] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=_OPTIONS)
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(address)
        page.wait_for_selector("h1")
        state = {"table": _table(), "plan": "plan.toml", "epsilon": "1", "delta": "1e-9"}
        page.evaluate(
            "state => sessionStorage.setItem('noisewright-studio', JSON.stringify(state))", state
        )
        page.goto(address.partition("?")[0] + "#choose")
        page.reload()
        page.wait_for_selector("#picture[data-epsilon='1']")
        draw = random.Random(2)
        for number in range(moves):
            name = "delta" if number % 4 == 3 else "epsilon"
            found.append(
                page.evaluate(
                    """([name, part]) => {
                        const picture = document.getElementById("picture");
                        const slider = document.getElementById(name);
                        const place = Math.round(part * slider.max) || 1;
                        delete picture.dataset.milliseconds;
                        slider.value = place;
                        slider.dispatchEvent(new Event("input"));
                        return new Promise((done) => {
                            const look = () => picture.dataset.milliseconds
                                ? done(Number(picture.dataset.milliseconds))
                                : setTimeout(look, 5);
                            look();
                        });
                    }""",
                    [name, draw.random()],
                )
            )
        browser.close()
    return found


def tell(what: str, times: list[float]) -> bool:
    """Print the median and the largest; return whether that is fast enough."""
    worst = max(times)
    verdict = "ok" if worst <= REQUIRED else "TOO SLOW"
    print(
        f"{what:34} median {statistics.median(times):6.1f} ms, largest {worst:6.1f} ms of "
        f"{len(times)} (required: {REQUIRED:.0f}) {verdict}"
    )
    return worst <= REQUIRED


def measure(path: Path, moves: int) -> bool:
    """Measure in a folder of its own."""
    import httpx

    with tempfile.TemporaryDirectory() as place:
        make_folder(Path(place), path)
        with (
            running(Path(place)) as (origin, address),
            httpx.Client(
                base_url=origin, headers={"origin": origin}, trust_env=False, timeout=120
            ) as client,
        ):
            client.get(address)
            key = first_pictures(client)
            is_fast = tell("the server, any budget", server_times(client, key, moves))
        with running(Path(place)) as (_, address):
            found = browser_times(address, moves)
    if not found:
        print("Chromium is not installed; the page was not measured.")
        return is_fast
    return tell("the page, from move to picture", found) and is_fast


def main() -> int:
    """Print the times; fail if a picture took longer than required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("path", nargs="?", type=Path, help="the file adult.data")
    parser.add_argument("--moves", type=int, default=40)
    given = parser.parse_args()
    path = given.path or next((place for place in PLACES if place.exists()), None)
    if path is None:
        print(HOW.replace("adult_release", "studio_slider"))
        return 2
    return 0 if measure(path, given.moves) else 1


if __name__ == "__main__":
    raise SystemExit(main())
