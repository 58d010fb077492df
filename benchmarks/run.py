"""Run every benchmark: `make bench`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import (
    coverage,
    designs,
    estimation,
    ledger,
    local_speed,
    proofs,
    queries_speed,
    query_peers,
    release,
    sampling,
    selection,
    startup,
    workloads,
)
from benchmarks.measure import report


def main() -> int:
    """Run everything; fail if something is slower, or holds less often, than required."""
    failed = 0
    parts = (startup, sampling, selection, proofs, designs, estimation, release, ledger, workloads)
    for part in (*parts, queries_speed, local_speed):
        print(f"\n{(part.__doc__ or '').splitlines()[0]}\n")
        failed |= report(part.run())
    print(f"\n{(query_peers.__doc__ or '').splitlines()[0]}\n")
    failed |= query_peers.compare()
    print(f"\n{(coverage.__doc__ or '').splitlines()[0]}\n")
    return failed | coverage.grid(releases=100)


if __name__ == "__main__":
    raise SystemExit(main())
