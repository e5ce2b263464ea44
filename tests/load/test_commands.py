"""The bench of a whole month's commands: a command is measured alone, and its figures stand beside their targets."""

import os
import sys

import pytest

from tests.load import commands
from tests.load.commands import Run


def test_the_peak_is_of_the_command_alone():
    large = commands.measured([sys.executable, "-c", "print(len(b'x' * 150_000_000))"], os.environ)
    small = commands.measured([sys.executable, "-c", "pass"], os.environ)
    assert large.peak_mb > 140 > small.peak_mb > 0


def test_a_command_that_fails_says_why():
    with pytest.raises(RuntimeError, match="no such file today"):
        commands.measured([sys.executable, "-c", "raise SystemExit('no such file today')"], os.environ)


def test_figures_stand_beside_their_targets():
    run = Run(clock=21.0, processor=19.0, peak_mb=399)
    found = [(row.name, row.measured, row.target, row.is_met) for row in commands.of_preview(50_000, run)]
    assert found == [("P15", 21.0, 20.0, False), ("P15", 399, 400, True)]
    (row,) = commands.of_bill(50_000, run)
    assert (row.what, row.is_met) == ("peak memory of faturista bill, 50,000 rows until staged", True)
