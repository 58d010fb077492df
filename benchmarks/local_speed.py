"""What a report costs to make and to count, in microseconds of one processor, next to peers.

    python -m benchmarks.local_speed

Frequencies of k = 1,000 and 10,000 values at ε = 1. Clients draw exactly, from cryptographic bits;
a server's time has the estimates of all shares in it, of ours and theirs for as many people.
"framed" counts reports in frames: checksum, digest, and whether the report came before. pure-ldp
runs in `.venv-peers`; where it is not installed, or raises on the current numpy and xxhash, its
times are those of an earlier measurement on a machine of this kind, with older versions of these
and perhaps other numbers of people (November 2026).
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import noisewright as nw
from benchmarks.measure import Result, report, seconds

PEERS = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
SIZES = (1_000, 10_000)
PEOPLE = {
    "response": 200_000,
    "projective": 200_000,
    "hadamard": 200_000,
    "hashing": 4_000,
    "unary": 4_000,
}
"""The same for us and for peers, as estimates cost the same for few people as for many."""

REQUIRED = {
    ("response", 1_000, "client"): 0.02,
    ("response", 10_000, "client"): 0.02,
    ("projective", 1_000, "client"): 0.3,
    ("projective", 10_000, "client"): 0.3,
    ("unary", 1_000, "client"): 3.0,
    ("projective", 1_000, "server"): 0.02,
    ("projective", 10_000, "server"): 0.05,
    ("hadamard", 1_000, "server"): 0.02,
    ("hadamard", 10_000, "server"): 0.05,
    ("hashing", 1_000, "server"): 1.0,
    ("unary", 1_000, "server"): 0.3,
}
"""Microseconds a record, at most."""

BEFORE = {
    ("response", 1_000): ("pure-ldp GRR", 1.2, 0.41),
    ("hadamard", 1_000): ("pure-ldp HR", 7.9, 0.72),
    ("projective", 1_000): ("pure-ldp HR", 7.9, 0.72),
    ("hashing", 1_000): ("pure-ldp OLH", 3.5, 651.0),
    ("unary", 1_000): ("pure-ldp OUE", 42.0, 3.3),
    ("hadamard", 10_000): ("pure-ldp HR", 13.0, 5.2),
    ("projective", 10_000): ("pure-ldp HR", 13.0, 5.2),
    ("hashing", 10_000): ("pure-ldp OLH", 5.5, 6452.0),
    ("unary", 10_000): ("pure-ldp OUE", 270.0, 22.0),
}
"""Client and server of the nearest peer, in microseconds a record, as measured before."""

_PEER = """
import json, sys, time
import numpy as np
from pure_ldp.frequency_oracles import (
    DEClient, DEServer, HadamardResponseClient, HadamardResponseServer, LHClient, LHServer,
    UEClient, UEServer)
k, people = int(sys.argv[1]), json.loads(sys.argv[2])
values = np.random.default_rng(1).integers(1, k + 1, max(people.values())).tolist()
found = {}
def hadamard():
    server = HadamardResponseServer(1, k)
    return HadamardResponseClient(1, k, server.get_hash_funcs()), server
makers = {
    "response": lambda: (DEClient(1, k), DEServer(1, k)),
    "hadamard": hadamard,
    "unary": lambda: (UEClient(1, k, use_oue=True), UEServer(1, k, use_oue=True)),
    "hashing": lambda: (LHClient(1, k, use_olh=True), LHServer(1, k, use_olh=True)),
}
for name, maker in makers.items():
    few = people[name]
    try:
        client, server = maker()
        start = time.process_time()
        reports = [client.privatise(value) for value in values[:few]]
        middle = time.process_time()
        for one in reports:
            server.aggregate(one)
        server.estimate_all(range(1, k + 1), suppress_warnings=True)
        end = time.process_time()
        found[name] = [1e6 * (middle - start) / few, 1e6 * (end - middle) / few]
    except Exception as error:
        found[name] = f"{type(error).__name__}: {error}"[:120]
print(json.dumps(found))
"""


@dataclass(frozen=True)
class Timed:
    """Microseconds a record."""

    client: float
    server: float
    framed: float


def ours(method: str, values: int, people: int) -> Timed:
    """Time one method."""
    collected = nw.local.frequencies(nw.Counts(values - 1), epsilon=1, method=method)
    codes = np.random.default_rng(1).integers(0, values, people)
    made = collected.reports(codes)
    rows = made.frames()
    one = 1e6 / people
    collected.server().add(made).estimate()
    return Timed(
        one * seconds(lambda: collected.randomizer.draw(codes), repeats=5),
        one * seconds(lambda: collected.server().add(made).estimate(), repeats=5),
        one * seconds(lambda: collected.server().add(rows).estimate(), repeats=3),
    )


def peers(values: int, people: dict[str, int]) -> dict[str, list[float] | str]:
    """Time pure-ldp, if it is installed; a text says why it has no time."""
    if not PEERS.exists():
        return {}
    said = subprocess.run(
        [str(PEERS), "-c", _PEER, str(values), json.dumps(people)],
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(said.stdout) if said.returncode == 0 else {}


def run(*, sizes: tuple[int, ...] = SIZES, share: float = 1.0) -> list[Result]:
    """Time all methods, with this share of the people."""
    results: list[Result] = []
    people = {method: max(20, int(many * share)) for method, many in PEOPLE.items()}
    for values in sizes:
        found = peers(values, people)
        for method in PEOPLE:
            timed = ours(method, values, people[method])
            name, *before = BEFORE.get((method, values), ("itself", None, None))
            here = found.get("hadamard" if method == "projective" else method)
            now = here if isinstance(here, list) and name != "itself" else None
            against = name if now else f"{name} (before)" if before[0] else name
            for place, side in enumerate(("client", "server")):
                time = getattr(timed, side)
                peer = now[place] if now else before[place]
                bar = REQUIRED.get((method, values, side))
                what = f"{method}, k = {values:,}, {side}: {time:.4f} µs"
                results.append(Result(what, 1e6 / time, (peer or time) / time, against))
                if bar is not None:
                    results.append(
                        Result(f"  at most {bar} µs", 1e6 / bar, bar / time, "the bar", 1.0)
                    )
            what = f"{method}, k = {values:,}, framed: {timed.framed:.4f} µs"
            results.append(Result(what, 1e6 / timed.framed, 1.0, "itself"))
    return results


if __name__ == "__main__":
    raise SystemExit(report(run()))
