"""Every registered issuer has what its capabilities promise, open or not."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from connectors.issuers import NFSE, PRODUCTS, SYSTEM_OF, SYSTEMS, Connection, open_issuers, registry
from domain.issuing import Issuer, Lookup
from domain.problems import SettingsError


def connection(*, extensions: bool) -> Connection:
    return Connection(
        base_url="http://127.0.0.1:1",
        token="secret",
        in_flight=1,
        request_timeout_s=1.0,
        connect_timeout_s=1.0,
        keepalive_s=1.0,
        read_tries=1,
        page_ceiling=10,
        extensions=extensions,
        security_code=lambda _cnpj: ("csc", "1"),
        secrets={"signing_key": "secret"},
    )


async def opened(*, extensions: bool) -> dict[str, Issuer]:
    async with open_issuers({NFSE: connection(extensions=True), PRODUCTS: connection(extensions=extensions)}) as found:
        assert found.requests == 0
        return dict(found.issuers)


@pytest.mark.parametrize("extensions", [True, False])
def test_each_issuer_is_what_its_capabilities_say(extensions):
    issuers = asyncio.run(opened(extensions=extensions))
    assert issuers.keys() == SYSTEM_OF.keys()
    for name, issuer in issuers.items():
        capabilities = issuer.capabilities
        assert capabilities == registry({}).capabilities_of(name, extensions=extensions or SYSTEM_OF[name] == NFSE)
        assert capabilities.is_staged == (issuer.staging is not None)
        assert (capabilities.lookup is Lookup.BATCH) == capabilities.is_staged
        assert (capabilities.lookup is Lookup.KEY) == (issuer.history is not None)
        assert capabilities.can_read or capabilities.lookup is Lookup.NOTHING


def test_no_two_systems_have_an_issuer_of_one_name():
    assert sum(len(system.capabilities) for system in SYSTEMS.values()) == len(SYSTEM_OF)


@pytest.mark.parametrize(
    ("added", "code"),
    [
        ({"other": "no.such.module:SYSTEM"}, "settings.no_system"),
        ({"other": "connectors.issuers:NO_SUCH_NAME"}, "settings.no_system"),
        ({"other": "connectors.issuers:NFSE"}, "settings.no_system"),
        ({"nfse": "tests.conformance.national.system:SYSTEM"}, "settings.system_twice"),
        (
            {"one": "tests.conformance.national.system:SYSTEM", "two": "tests.conformance.national.system:SYSTEM"},
            "settings.system_twice",
        ),
    ],
)
def test_a_system_that_cannot_be_added_is_refused(added, code):
    with pytest.raises(SettingsError) as caught:
        registry(added)
    assert caught.value.problem.code == code


def test_a_token_shows_in_no_text():
    assert "secret" not in repr(connection(extensions=True))


def test_a_connector_is_loaded_when_its_issuer_is_asked_for():
    code = """
import asyncio, sys
from tests.connectors.test_issuers import connection
from connectors.issuers import NFSE, PRODUCTS, open_issuers
import tasks.runtime

def loaded():
    names = ("nfe", "nfse", "orders", "identity")
    return [name for name in names if any(each.startswith(f"connectors.{name}.") for each in sys.modules)]

async def main():
    systems = {NFSE: connection(extensions=True), PRODUCTS: connection(extensions=True)}
    async with open_issuers(systems) as opened:
        assert loaded() == [], loaded()
        assert opened.issuers["nfse"] is opened.issuers["nfse"]
        assert loaded() == ["nfse"], loaded()

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
