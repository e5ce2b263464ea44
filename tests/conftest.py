"""Settings for every test: reproducible properties, and one Prefect for all tests that run flows.

A test marked `prefect` that runs flows in this process takes the fixture `orchestrator`: such tests share one worker
and one server (a dozen seconds to start, one for each flow afterwards). The other tests marked `prefect` start servers
of their own, and share a worker with their module only. House tests share one worker, too.
"""

import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadGroupScheduling

from connectors.ledger.engine import close_ledgers

pytest_plugins = ("tests.ledgers", "tests.shared_imports")

settings.register_profile(
    "suite", derandomize=True, deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("suite")

# Prefect's client leaves open sockets to the garbage collector. Our code must not, so allow it only in Prefect's tests.
LEFT_BY_PREFECT = "ignore::pytest.PytestUnraisableExceptionWarning"
LAST_OF_PREFECT = pytest.StashKey[bool]()
"""Whether the next test is not one of Prefect's: a collection takes a tenth of a second with all of Prefect."""
SHARED = "prefect"
"""The group of the tests that share one server."""
ORCHESTRATOR = pytest.StashKey[ExitStack]()
"""The running server of the fixture `orchestrator`."""


# Times of a collection that looks at what is new: Python's own are for programs that hold a tenth of what tests import.
COLLECTIONS: tuple[int, int, int] = (20_000, 50, 50)
gc.set_threshold(*COLLECTIONS)

# Folders of tests that wait for processes, leases and schedules: two thirds of the time, a tenth of the tests.
LONG = tuple(f"tests/{folder}/" for folder in ("deployments", "flows", "faults", "load", "stories", "conformance"))
LONG_UNTIL = 0.85
"""The part of the run in which long tests begin."""
PORTION = 10
"""How many short tests of a module a worker gets at a time."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Group the tests that share a server or a costly import, and let no long one begin last."""
    for item in items:
        module = item.nodeid.partition("::")[0]
        if item.get_closest_marker("prefect"):
            # A module without the fixture starts its own servers, once for all of its tests.
            is_shared = "orchestrator" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group(SHARED if is_shared else module))
            item.add_marker(pytest.mark.filterwarnings(LEFT_BY_PREFECT))
        elif module.startswith("tests/house/"):
            # each worker would parse every module anew
            item.add_marker(pytest.mark.xdist_group("house"))
    items[:] = _mixed(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> "Portions | None":
    if config.getvalue("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return Portions(config, log)


class Portions(LoadGroupScheduling):  # type: ignore[misc]  # xdist ships no types
    """Hand out groups whole, short tests several at a time and long ones one by one, in the order of `_mixed`.

    Whenever a test ends, the scheduler counts again what is left of each unit that it ever handed out: with a unit for
    each test it would be as busy as a worker is with a tenth of the suite.
    """

    def __init__(self, config: pytest.Config, log: Producer) -> None:
        super().__init__(config, log)
        self._tests: Counter[str] = Counter()
        self._portions: dict[str, str] = {}

    def _split_scope(self, nodeid: str) -> str:
        group: str = super()._split_scope(nodeid)
        if group != nodeid or nodeid.startswith(LONG):
            return group
        if nodeid not in self._portions:
            module = nodeid.partition("::")[0]
            self._portions[nodeid] = f"{module} {self._tests[module] // PORTION}"
            self._tests[module] += 1
        return self._portions[nodeid]


def _mixed(items: list[pytest.Item]) -> list[pytest.Item]:
    """Put groups first, the largest foremost, then each long test among short ones.

    While some workers wait, others use the processor. A long test that begins last leaves one worker at work and the
    others idle, and so do the long tests of one module that begin together: they wait for the same things.
    """
    grouped = [item for item in items if _group(item)]
    sizes = Counter(map(_group, grouped))
    grouped.sort(key=lambda item: (-sizes[_group(item)], _group(item)))
    others = [item for item in items if not _group(item)]
    short = [item for item in others if not item.nodeid.startswith(LONG)]
    long = _spread([item for item in others if item.nodeid.startswith(LONG)])
    placed = [(number / len(short), item) for number, item in enumerate(short)]
    placed += [(LONG_UNTIL * number / len(long), item) for number, item in enumerate(long)]
    placed.sort(key=lambda each: each[0])
    return [*grouped, *(item for _, item in placed)]


def _spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """Place the tests of each module at equal distances over the whole list."""
    modules: dict[str, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.nodeid.partition("::")[0], []).append(item)
    # Multiples of the golden ratio keep the first tests of the modules apart, however many modules there are.
    placed = [
        ((place * 0.618034 % 1 + number) / len(tests), item)
        for place, tests in enumerate(modules.values())
        for number, item in enumerate(tests)
    ]
    placed.sort(key=lambda each: each[0])
    return [item for _, item in placed]


def _group(item: pytest.Item) -> str:
    marked = item.get_closest_marker("xdist_group")
    return str(marked.args[0]) if marked else ""


def pytest_collection_finish() -> None:
    """Exclude imported objects from garbage collection: they live as long as the run. Saves an eighth of the time."""
    _pass_over_what_is_there()


def _pass_over_what_is_there() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Find the last of the tests marked `prefect` that follow one another, and stop the server that no later test uses.

    An idle server takes a twentieth of a processor, and these tests run first.
    """
    item.stash[LAST_OF_PREFECT] = bool(item.get_closest_marker("prefect")) and not (
        nextitem and nextitem.get_closest_marker("prefect")
    )
    yield
    if ORCHESTRATOR in item.session.stash and not (nextitem and _group(nextitem) == SHARED):
        item.session.stash[ORCHESTRATOR].close()


@pytest.fixture(autouse=True)
def swept(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collect what Prefect leaves before a test begins that would fail for it."""
    yield
    if request.node.stash[LAST_OF_PREFECT]:
        gc.collect()


@pytest.fixture(autouse=True)
def ledgers_closed() -> Iterator[None]:
    """Close the ledgers that the test opened in this process: the next test has others."""
    yield
    close_ledgers()


@pytest.fixture(scope="session")
def orchestrator(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Run a separate Prefect server, in its own folder, until the last of the tests that share it has ended."""
    # Import here: Prefect takes a second to import, and few tests need it.
    from prefect.settings import (  # noqa: PLC0415
        PREFECT_API_SSL_CERT_FILE,
        PREFECT_HOME,
        PREFECT_SERVER_ANALYTICS_ENABLED,
        temporary_settings,
    )
    from prefect.testing.utilities import prefect_test_harness  # noqa: PLC0415

    from tests.flows.pfx import pem  # noqa: PLC0415

    home = tmp_path_factory.mktemp("prefect-home")
    # Each client reads all certificates, for plain HTTP too: a hundred and fifty of them, 20 ms each time.
    certificates = home / "nobody.pem"
    certificates.write_bytes(pem())
    # Send no telemetry.
    quiet = {PREFECT_HOME: home, PREFECT_SERVER_ANALYTICS_ENABLED: False, PREFECT_API_SSL_CERT_FILE: str(certificates)}
    running = request.session.stash[ORCHESTRATOR] = ExitStack()
    running.enter_context(temporary_settings(quiet))
    running.enter_context(prefect_test_harness(server_startup_timeout=600))
    from flows import prefect_flows  # noqa: F401, PLC0415 - as above

    _pass_over_what_is_there()
