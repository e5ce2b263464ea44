"""Every registered issuer has what its capabilities promise, open or not."""

import asyncio

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
