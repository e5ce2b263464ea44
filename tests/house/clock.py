"""A pytest plugin that shows after the suite where its time went, folder by folder (`make test` loads it)."""

from collections import defaultdict

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print seconds and tests of each folder, slowest first; workers run in parallel, so these are worker seconds."""
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, int] = defaultdict(int)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                folder = report.nodeid.split("::", 1)[0].rpartition("/")[0]
                seconds[folder] += report.duration
                tests[folder] += report.when == "call"
    terminalreporter.section("where the time went")
    for folder in sorted(seconds, key=lambda name: -seconds[name]):
        terminalreporter.write_line(f"{seconds[folder]:8.1f} s  {tests[folder]:5d} tests  {folder}")
