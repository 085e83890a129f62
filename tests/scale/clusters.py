"""Real clusters on this machine, each in processes of its own, and the command that uses them."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

BIN = Path(sys.executable).parent


def free_port() -> int:
    """Return a port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled"}
"""A local ray.init() leaves a token in the home folder, which "ray start" would then ask for."""


def score(*arguments: str | Path, **more: str) -> "subprocess.CompletedProcess[str]":
    """Run the command as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "tactful", "score", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, **RAY, **more},
    )


@contextmanager
def running(*command: str, said: str, **more: str) -> Iterator[str]:
    """Start a program and wait for a line that holds these words; give it; end the program."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **RAY, **more},
    )
    assert process.stdout is not None
    heard: list[str] = []
    try:
        for line in process.stdout:
            heard.append(line)
            if said in line:
                yield line
                return
        raise AssertionError(f"{command[0]} ended: {''.join(heard)[-2000:]}")
    finally:
        process.terminate()
        process.communicate(timeout=600)


@contextmanager
def ray_cluster() -> Iterator[str]:
    """Start the head of a Ray cluster; give its address."""
    address = f"127.0.0.1:{free_port()}"
    head = [str(BIN / "ray"), "start", "--head", "--block", "--node-ip-address", "127.0.0.1"]
    head += ["--port", address.rpartition(":")[2], "--num-cpus", "3", "--include-dashboard=false"]
    # In a folder of its own: elsewhere it would leave a note of its address, which every later
    # ray.init() on this machine would follow. Sockets lie in it, so its name must be short.
    with (
        TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        running(*head, "--temp-dir", folder, said="--block"),
    ):
        yield address


@contextmanager
def spark_cluster() -> Iterator[str]:
    """Start a master and a worker of Spark's own cluster; give the address of the master."""
    import pyspark

    start = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    deploy, here = "org.apache.spark.deploy", ["--host", "127.0.0.1", "--webui-port", "0"]
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    master = [start, f"{deploy}.master.Master", *here, "--port", str(port)]
    worker = [start, f"{deploy}.worker.Worker", *here, "--cores", "2", "--memory", "2g", address]
    local = {"SPARK_LOCAL_IP": "127.0.0.1"}
    with (
        running(*master, said="New state: ALIVE", **local),
        running(*worker, said="Successfully registered with master", **local),
    ):
        yield address
