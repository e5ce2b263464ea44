"""A believable company: accounts that buy plans, with owners and members."""

from connectors.identity.emulator.seed import default_identity
from connectors.orders.emulator.seed import default_sales
from tests.connectors.identity.samples import ELSEWHERE, EXPIRED, IN_BOTH, account, user


def subscriptions(service):
    return {row["account"]: row for row in default_identity()["subscriptions"] if row["service"] == service}


def test_every_account_that_buys_is_known_here():
    known = {row["uuid"] for row in default_identity()["accounts"]}
    assert {order["global_account"] for order in default_sales()["orders"]} == known
    assert account(0) in known


def test_every_account_has_its_owner_and_no_member_twice():
    users = {row["uuid"] for row in default_identity()["users"]}
    for row in default_identity()["subscriptions"]:
        members = [member["identity"] for member in row["members"]]
        assert len(set(members)) == len(members)
        assert set(members) <= users
        assert row["members"][0]["roles"] == ["owner"]


def test_one_has_expired_one_is_anothers_and_one_is_in_both():
    here, elsewhere = subscriptions("faturista"), subscriptions("agenda")
    assert here[EXPIRED]["expiration"] < "2026-11"
    assert (ELSEWHERE in here, ELSEWHERE in elsewhere) == (False, True)
    assert IN_BOTH in here.keys() & elsewhere.keys()
    assert here[IN_BOTH]["members"][0]["identity"] == user(11)
