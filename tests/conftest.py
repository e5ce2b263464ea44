"""Settings for every test: reproducible properties, and one Prefect for all tests that run flows.

A test marked `prefect` that runs flows in this process takes the fixture `orchestrator`: such tests share one worker
and one server (a dozen seconds to start, one for each flow afterwards). The other tests marked `prefect` start servers
of their own, and share a worker with their module only. House tests share one worker, too.
"""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from connectors.ledger.engine import close_ledgers

pytest_plugins = ("tests.ledgers", "tests.shared_imports")

settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

# Prefect's client leaves open sockets to the garbage collector. Our code must not, so allow it only in Prefect's tests.
LEFT_BY_PREFECT = "ignore::pytest.PytestUnraisableExceptionWarning"


# Times of a collection that looks at what is new: Python's own are for programs that hold a tenth of what tests import.
COLLECTIONS: tuple[int, int, int] = (20_000, 50, 50)
gc.set_threshold(*COLLECTIONS)

# Folders of tests that wait for processes, leases and schedules: two thirds of the time, a tenth of the tests.
LONG = tuple(f"tests/{folder}/" for folder in ("deployments", "flows", "faults", "load", "stories", "conformance"))
LONG_UNTIL = 0.85
"""The part of the run in which long tests begin."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that share a server or a costly import, and let no long one begin last."""
    for item in items:
        module = item.nodeid.partition("::")[0]
        if item.get_closest_marker("prefect"):
            # A module without the fixture starts its own servers, once for all of its tests.
            is_shared = "orchestrator" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("prefect" if is_shared else module))
            item.add_marker(pytest.mark.filterwarnings(LEFT_BY_PREFECT))
        elif module.startswith("tests/house/"):
            # each worker would parse every module anew
            item.add_marker(pytest.mark.xdist_group("house"))
    items[:] = _mixed(items)


def _mixed(items: list[pytest.Item]) -> list[pytest.Item]:
    """Put servers first, then each long test among short ones: while some workers wait, others use the processor.

    A long test that begins last leaves one worker at work and the others idle.
    """
    placed: list[tuple[float, pytest.Item]] = []
    servers = [item for item in items if item.get_closest_marker("prefect")]
    others = [item for item in items if not item.get_closest_marker("prefect")]
    for is_long, end in ((True, LONG_UNTIL), (False, 1.0)):
        alike = [item for item in others if item.nodeid.startswith(LONG) == is_long]
        placed += [(end * number / len(alike), item) for number, item in enumerate(alike)]
    return servers + [item for _, item in sorted(placed, key=lambda each: each[0])]


def pytest_collection_finish() -> None:
    """Let the collector pass over what was imported, which lives as long as the run: an eighth of all the work."""
    _pass_over_what_is_there()


def _pass_over_what_is_there() -> None:
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def swept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect what Prefect leaves within the test that made it; a later test would fail for it."""
    yield
    if request.node.get_closest_marker("prefect"):
        gc.collect()


@pytest.fixture(autouse=True)
def ledgers_closed() -> Iterator[None]:
    """Close the ledgers that the test opened in this process: the next test has others."""
    yield
    close_ledgers()


@pytest.fixture(scope="session")
def orchestrator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Run a separate Prefect server, in its own folder, until this worker ends."""
    # Import here: Prefect takes a second to import, and few tests need it.
    from prefect.settings import PREFECT_HOME, PREFECT_SERVER_ANALYTICS_ENABLED, temporary_settings  # noqa: PLC0415
    from prefect.testing.utilities import prefect_test_harness  # noqa: PLC0415

    home = tmp_path_factory.mktemp("prefect-home")
    # Send no telemetry.
    quiet = {PREFECT_HOME: home, PREFECT_SERVER_ANALYTICS_ENABLED: False}
    with temporary_settings(quiet), prefect_test_harness(server_startup_timeout=600):
        from flows import prefect_flows  # noqa: F401, PLC0415 - as above

        _pass_over_what_is_there()  # `swept` collects after each test: a quarter of a second with all of Prefect
        yield
