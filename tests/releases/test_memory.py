"""What a process may use of memory: of the machine, of its container, and by its own limit."""

import subprocess
import sys
from pathlib import Path

import pytest

from noisewright.errors import TooLargeError
from noisewright.releases.synthesis.memory import require_memory

MIB = 1 << 20
ROWS = 10_000
COLUMNS = 100
"""A million cells, which any machine that runs tests can hold: 46 MiB."""

GROUPS = {
    "version 2": (
        "0::/user.slice/job.scope\n",
        "sys/fs/cgroup/user.slice/job.scope/memory.max",
    ),
    "version 2, the group around it": (
        "0::/user.slice/job.scope\n",
        "sys/fs/cgroup/user.slice/memory.max",
    ),
    "version 2, in a container": ("0::/\n", "sys/fs/cgroup/memory.max"),
    "version 2, a path from outside": ("0::/../../job\n", "sys/fs/cgroup/memory.max"),
    "version 1": (
        "9:name=systemd:/\n4:cpu,memory:/docker/abc\n0::/\n",
        "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes",
    ),
    "version 1, in a container": (
        "4:memory:/docker/abc\n",
        "sys/fs/cgroup/memory/memory.limit_in_bytes",
    ),
}


def machine(root: Path, groups: str, limits: dict[str, str]) -> Path:
    """Files as a kernel shows them."""
    for name, content in {"proc/self/cgroup": groups, **limits}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


@pytest.mark.parametrize("name", GROUPS)
def test_the_limit_of_a_container_counts(name: str, tmp_path: Path) -> None:
    groups, file = GROUPS[name]
    root = machine(tmp_path, groups, {file: f"{40 * MIB}\n"})
    most = 40 * MIB // 48 // COLUMNS
    words = rf"this container .* may use 41,943,040\. Ask for at most {most:,} rows"
    with pytest.raises(TooLargeError, match=words):
        require_memory(ROWS, COLUMNS, root=root)
    require_memory(most, COLUMNS, root=root)
    machine(tmp_path, groups, {file: f"{60 * MIB}\n"})
    require_memory(ROWS, COLUMNS, root=root)


@pytest.mark.parametrize(
    "content", ["max\n", "9223372036854771712\n", "-1\n", "", "many\n"], ids=str.strip
)
@pytest.mark.parametrize("name", GROUPS)
def test_no_limit_is_none(name: str, content: str, tmp_path: Path) -> None:
    groups, file = GROUPS[name]
    require_memory(ROWS, COLUMNS, root=machine(tmp_path, groups, {file: content}))


def test_the_smallest_limit_counts(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        "0::/a/b\n",
        {
            "sys/fs/cgroup/a/b/memory.max": "max",
            "sys/fs/cgroup/a/memory.max": str(30 * MIB),
            "sys/fs/cgroup/memory.max": str(35 * MIB),
        },
    )
    with pytest.raises(TooLargeError, match="may use 31,457,280"):
        require_memory(ROWS, COLUMNS, root=root)


def test_groups_of_other_kinds_do_not_count(tmp_path: Path) -> None:
    root = machine(
        tmp_path,
        "3:cpuset:/a\nnonsense\n",
        {"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "1", "sys/fs/cgroup/memory.max": "1"},
    )
    require_memory(ROWS, COLUMNS, root=root)
    require_memory(ROWS, COLUMNS, root=tmp_path / "nothing here")


@pytest.mark.skipif(sys.platform == "win32", reason="needs: limits of processes as POSIX has them")
def test_the_limit_of_the_process_counts() -> None:
    """The real one, in a process of its own: what it has taken already is taken off."""
    script = f"""
import resource
from pathlib import Path
from noisewright.releases.synthesis.memory import require_memory
from noisewright.errors import TooLargeError
pages = int(Path("/proc/self/statm").read_text().split()[0])
taken = pages * resource.getpagesize()
for room in (80, 20):
    resource.setrlimit(resource.RLIMIT_AS, (taken + room * {MIB}, resource.RLIM_INFINITY))
    try:
        require_memory({ROWS}, {COLUMNS})
        print("enough")
    except TooLargeError as problem:
        print(problem)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    enough, refused = done.stdout.splitlines()
    assert enough == "enough"
    assert "this process (ulimit -v) may still take" in refused
    assert "Ask for at most" in refused
