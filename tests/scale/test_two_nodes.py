"""Clusters of two machines, one of which is killed in the middle of a job.

The machines are network namespaces: each has its own address, ports and processes. That needs
Linux and root; elsewhere these tests skip.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from polars.testing import assert_frame_equal
from tests.scale.clusters import BIN, RAY, running
from tests.scale.engine_texts import QUIET, hard_table, read_parts

pytestmark = [*QUIET, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
DRIVER = Path(__file__).with_name("driver.py")
FILES, ROWS = 6, 200
PORT = 7077


@dataclass(frozen=True)
class Machine:
    """A network namespace with its address."""

    name: str
    address: str

    def inside(self, *command: str) -> list[str]:
        """Return the command line that runs a program there."""
        return ["ip", "netns", "exec", self.name, *command]

    def kill(self) -> None:
        """End all that runs there at once, as a power cut does."""
        listed = subprocess.run(
            ["ip", "netns", "pids", self.name], capture_output=True, text=True, check=True
        )
        for pid in map(int, listed.stdout.split()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


Nodes = Callable[[Machine, Machine], AbstractContextManager[dict[str, str]]]


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


@pytest.fixture
def machines() -> Iterator[tuple[Machine, Machine]]:
    """Give two machines that reach only each other."""
    if shutil.which("ip") is None or os.geteuid():
        pytest.skip("network namespaces need Linux and root")
    tag = f"tt{os.getpid()}"
    pair = Machine(f"{tag}a", "10.231.7.1"), Machine(f"{tag}b", "10.231.7.2")
    with ExitStack() as stack:
        for machine in pair:
            try:
                _ip("netns", "add", machine.name)
            except subprocess.CalledProcessError as error:
                pytest.skip(f"no network namespace can be made here: {error.stderr.strip()}")
            stack.callback(_ip, "netns", "del", machine.name)
            stack.callback(machine.kill)
        names = [machine.name for machine in pair]
        _ip("link", "add", names[0], "netns", names[0], "type", "veth",
            "peer", "name", names[1], "netns", names[1])  # fmt: skip
        for machine, other in (pair, pair[::-1]):
            here = ("-n", machine.name)
            _ip(*here, "addr", "add", f"{machine.address}/24", "dev", machine.name)
            _ip(*here, "link", "set", machine.name, "up")
            _ip(*here, "link", "set", "lo", "up")
            # Ray finds its own address by asking for the way to the internet.
            _ip(*here, "route", "add", "default", "via", other.address)
        yield pair


@contextmanager
def ray_nodes(head: Machine, worker: Machine) -> Iterator[dict[str, str]]:
    """Start a head and another node, which both work; give the options of a driver."""
    pytest.importorskip("ray.data", reason="Ray is not installed")
    address = f"{head.address}:{PORT}"
    start = [str(BIN / "ray"), "start", "--block", "--num-cpus", "2", "--node-ip-address"]
    lead = ["--head", "--port", str(PORT), "--include-dashboard=false", "--temp-dir"]
    with (
        TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True) as folder,
        running(*head.inside(*start, head.address, *lead, folder), said="--block"),
        running(*worker.inside(*start, worker.address, "--address", address), said="--block"),
    ):
        yield {**RAY, "RAY_ADDRESS": address}


@contextmanager
def spark_nodes(head: Machine, worker: Machine) -> Iterator[dict[str, str]]:
    """Start a master with a worker, and a worker on the other machine."""
    pytest.importorskip("pyspark", reason="Spark is not installed")
    import pyspark

    start = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    deploy, address = "org.apache.spark.deploy", f"spark://{head.address}:{PORT}"
    options = ["--webui-port", "0", "--host"]
    work = ["--cores", "1", "--memory", "1g", *options]
    master = [start, f"{deploy}.master.Master", "--port", str(PORT), *options, head.address]
    with ExitStack() as stack:
        local = {"SPARK_LOCAL_IP": head.address}
        stack.enter_context(running(*head.inside(*master), said="New state: ALIVE", **local))
        for machine in (head, worker):
            folder = stack.enter_context(TemporaryDirectory(ignore_cleanup_errors=True))
            begin = [start, f"{deploy}.worker.Worker", *work, machine.address]
            command = machine.inside(*begin, "--work-dir", folder, address)
            local = {"SPARK_LOCAL_IP": machine.address}
            said = "Successfully registered with master"
            stack.enter_context(running(*command, said=said, **local))
        yield {"SPARK_MASTER": address, "SPARK_LOCAL_IP": head.address}


def write_input(folder: Path) -> Path:
    folder.mkdir()
    table = hard_table(FILES * ROWS)
    for number in range(FILES):
        table.slice(number * ROWS, ROWS).write_ndjson(folder / f"{number}.jsonl")
    return folder


def start(
    machine: Machine, engine: str, source: Path, output: Path, told: dict[str, str]
) -> "subprocess.Popen[str]":
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        machine.inside(sys.executable, str(DRIVER), engine, str(source), str(output), "jsonl"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **told, "PYTHONPATH": path},
        cwd=ROOT,
    )


def wait_for(file: Path, process: "subprocess.Popen[str]") -> None:
    while not file.exists() and process.poll() is None:
        time.sleep(0.02)
    assert file.exists(), process.communicate()[1][-2000:]


@pytest.mark.parametrize(("engine", "nodes"), [("ray", ray_nodes), ("spark", spark_nodes)])
def test_a_machine_that_dies_in_the_middle_of_a_job_loses_no_row(
    engine: str, nodes: Nodes, machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    head, worker = machines
    source, output = write_input(tmp_path / "in"), tmp_path / "out"
    with nodes(head, worker) as told:
        process = start(head, engine, source, output, told)
        wait_for(output / "_tactful" / "wave-00000.json", process)
        worker.kill()
        said = process.communicate(timeout=240)[1]
        if process.returncode:
            # The run may end with the machine; then one sentence says how to go on.
            assert "run the same command again to resume" in said, said[-2000:]
            assert "Traceback" not in said
        again = start(head, engine, source, output, told)
        said = again.communicate(timeout=240)[1]
        assert again.returncode == 0, said[-2000:]
    found = read_parts(output, "jsonl").sort("id")
    assert found["id"].to_list() == list(range(FILES * ROWS))
    wanted = hard_table(FILES * ROWS)
    assert_frame_equal(found.select("id", "text"), wanted.select("id", "text"))
