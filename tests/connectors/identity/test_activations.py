"""A service activated for a user, by the order service."""

from datetime import UTC, date, datetime

import pytest

from connectors.http.errors import Denied, Refused
from connectors.identity.activations import Activation
from connectors.identity.shapes import ERASE_EXPIRATION
from tests.connectors.identity.samples import APPLICATION, FIRST, NOBODY, ORDER_SERVICE, OWNER, STRANGER

BOUGHT = "https://pedidos.example/api/orders/essencial/7/"
END = date(2028, 1, 31)


def activation(**more):
    return Activation(**{"slug": "faturista", "identity": OWNER, "resource_url": BOUGHT} | more)


def activate(ask, expiration=END, application=ORDER_SERVICE, **more):
    return ask(lambda client: client.activations.activate(activation(**more), expiration=expiration), application)


def test_an_account_that_has_the_solution_is_prolonged(ask):
    found = activate(ask, global_account=FIRST)
    assert (found.account_data.uuid, found.expiration) == (FIRST, datetime(2028, 1, 31, 3, tzinfo=UTC))
    assert activate(ask, ERASE_EXPIRATION, global_account=FIRST).expiration is None
    assert ask(lambda client: client.accounts.read(FIRST), APPLICATION).expiration is None


def test_an_external_id_names_the_account_once_it_is_known(ask, sandbox):
    made = activate(ask, identity=STRANGER, external_id="cliente-novo")
    again = activate(ask, ERASE_EXPIRATION, identity=STRANGER, external_id="cliente-novo")
    assert made.members_data[0].identity.uuid == STRANGER
    assert (made.account_data.uuid, again.expiration) == (again.account_data.uuid, None)
    statuses = [request["status"] for request in sandbox.record(requests=True)["requests"]]
    assert statuses == [201, 200]


def test_only_the_order_service_may_activate(ask):
    with pytest.raises(Denied):
        activate(ask, application=APPLICATION, global_account=FIRST)


@pytest.mark.parametrize(
    "wrong", [{"slug": "arquivo"}, {"slug": "nenhum"}, {"identity": NOBODY}, {"global_account": NOBODY}]
)
def test_unknown_values_are_refused_by_field(ask, wrong):
    with pytest.raises(Refused) as caught:
        activate(ask, **{"global_account": FIRST} | wrong)
    assert list(caught.value.messages) == [f"field_errors.{name}" for name in wrong]


def test_an_activation_needs_an_account_or_external_id(ask):
    with pytest.raises(ValueError, match="external id"):
        activate(ask)


def test_an_activation_needs_no_purchase(ask):
    assert activate(ask, global_account=FIRST, resource_url=None).account_data.uuid == FIRST
