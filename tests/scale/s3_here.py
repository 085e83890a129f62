"""A store of objects on this machine, which speaks the language of S3."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

KEYS = {
    "AWS_ACCESS_KEY_ID": "nobody",
    "AWS_SECRET_ACCESS_KEY": "nothing",
    "AWS_DEFAULT_REGION": "us-east-1",
    # Without it a wrong key is looked for in the network of Amazon.
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def s3_server() -> Iterator[str]:
    """Start a server on a free port of this machine; give where it listens, as host and port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", "0"],
        stderr=subprocess.PIPE,
        env={**os.environ, **KEYS, "NO_COLOR": "1"},
        text=True,
    )
    assert process.stderr is not None
    try:
        for line in process.stderr:
            if "Running on http://" in line:
                yield line.partition("http://")[2].split()[0].strip("/")
                return
        raise AssertionError("the store did not start")
    finally:
        process.kill()
        process.communicate()
