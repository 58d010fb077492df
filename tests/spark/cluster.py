"""A real standalone cluster on loopback: a master and two workers, ended by their process ids."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from noisewright.engines.spark.session import load_pyspark

ROOT = Path(__file__).resolve().parents[2]


def _is_loopback(host: str) -> bool:
    with socket.socket() as listening, contextlib.suppress(OSError):
        listening.bind((host, 0))
        return True
    return False


HOSTS = ["127.0.0.1", "127.0.0.2" if _is_loopback("127.0.0.2") else "127.0.0.1"]
"""One for each worker: Spark does not start a second copy of a slow task on the same host."""

NEEDS_PROC = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="needs: /proc, to find the executor of a task"
)

_QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""For Java: many small jobs are sooner done than code for large ones is compiled."""

_PATIENCE = 300.0
_MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED = re.compile("Successfully registered with master")


def environment() -> dict[str, str]:
    """What every process of the cluster is started with: this Python, and our code."""
    path = [str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(part for part in path if part),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": HOSTS[0],
    }


@contextlib.contextmanager
def running(folder: Path) -> Generator[str]:
    """Start a master and two workers on free ports; yield the address of the master."""
    started: list[subprocess.Popen[bytes]] = []
    try:
        log = folder / "master.log"
        started.append(_start("master.Master", HOSTS[0], log=log))
        address = _awaited(log, started[0], _MASTER)[1]
        logs = [folder / f"worker-{number}.log" for number in range(len(HOSTS))]
        for host, log in zip(HOSTS, logs, strict=True):
            own = ["--work-dir", str(folder / log.stem), "--cores", "1", "--memory", "1g"]
            started.append(_start("worker.Worker", host, *own, address, log=log))
        for log, worker in zip(logs, started[1:], strict=True):
            _awaited(log, worker, _REGISTERED)
        yield address
    finally:
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            try:
                process.wait(timeout=_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _start(role: str, host: str, *options: str, log: Path) -> subprocess.Popen[bytes]:
    home = Path(str(load_pyspark().__file__)).parent
    own = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": host,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": _QUICK_START,
        "SPARK_LAUNCHER_OPTS": _QUICK_START,
    }
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{role}"]
    place = ["--host", host, "--port", "0", "--webui-port", "0"]
    with open(log, "wb") as file:
        # The script ends in exec, so that the id is that of the Java process.
        return subprocess.Popen(
            [*command, *place, *options],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**environment(), **own},
        )


def _awaited(log: Path, process: subprocess.Popen[bytes], line: re.Pattern[str]) -> re.Match[str]:
    deadline = time.monotonic() + _PATIENCE
    while True:
        text = log.read_text(encoding="utf-8", errors="replace")
        found = line.search(text)
        if found:
            return found
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{log.stem} did not come up:\n{text}")
        time.sleep(0.05)


SETTINGS = {
    "spark.driver.extraJavaOptions": _QUICK_START,
    "spark.executor.extraJavaOptions": _QUICK_START,
    "spark.sql.codegen.wholeStage": "false",
    "spark.driver.host": HOSTS[0],
    "spark.driver.bindAddress": HOSTS[0],
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "3",
    # A second copy is started of a task that takes long while the others are done.
    "spark.speculation": "true",
    "spark.speculation.interval": "200ms",
    "spark.speculation.minTaskRuntime": "3s",
    "spark.speculation.quantile": "0.5",
    # The process that workers are forked from has drawn already: the worst case for streams.
    "spark.python.daemon.module": "tests.spark.drawn_daemon",
}


def session(address: str) -> Any:
    """Return a session on the cluster, as a user would make one."""
    os.environ.update(environment())
    builder: Any = load_pyspark().sql.SparkSession.builder
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.master(address).appName("noisewright tests").getOrCreate()
