"""The name of a process tells every process of its machine whether it has ended."""

import os
import subprocess
import sys

import pytest

from connectors.process_names import has_ended, process_name

_SAY_NAME = "from connectors.process_names import process_name; print(process_name(), flush=True); input()"


def test_a_killed_process_has_ended_even_before_its_parent_waits():
    with subprocess.Popen(
        [sys.executable, "-c", _SAY_NAME], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert not has_ended(name)
        child.kill()
        # wait for its end, and leave it as a zombie
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert has_ended(name)
    assert has_ended(name)


def test_another_process_with_the_same_id_is_not_the_same():
    name, _, start = process_name().rpartition("-")
    assert not has_ended(f"{name}-{start}")
    assert has_ended(f"{name}-{int(start) + 1}")


@pytest.mark.parametrize("name", ["", "a", "another-machine-1:1-1"])
def test_a_process_of_another_machine_is_not_known_to_have_ended(name):
    assert not has_ended(name)
