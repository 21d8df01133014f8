# SPDX-License-Identifier: Apache-2.0
import pathlib
import subprocess
import sys

import pytest

import acl

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


@pytest.fixture(scope="session", autouse=True)
def device():
    """The library, initialised once for a test file, with device 0."""
    assert acl.init() == 0
    assert acl.rt.set_device(0) == 0
    yield 0
    assert acl.rt.reset_device(0) == 0
    assert acl.finalize() == 0


@pytest.fixture
def context():
    context, ret = acl.rt.create_context(0)
    assert ret == 0
    yield context
    acl.rt.set_context(context)
    assert acl.rt.destroy_context(context) == 0
    assert acl.rt.set_device(0) == 0
    assert acl.rt.reset_device(0) == 0  # counted: the session's own stays


@pytest.fixture
def stream(context):
    stream, ret = acl.rt.create_stream()
    assert ret == 0
    yield stream
    assert acl.rt.destroy_stream(stream) in (0, 107017)  # the test may have destroyed it


@pytest.fixture
def run():
    """Runs Python text in a process of its own, in the folder of the tests."""

    def run(text, *arguments, timeout=120):
        return subprocess.run([sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True,
                              timeout=timeout, cwd=HERE)

    return run
