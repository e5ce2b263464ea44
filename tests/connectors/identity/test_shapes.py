"""Values as the identity service writes them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from connectors.http.wire_values import Instant, instant_to_wire, read_list
from connectors.identity.shapes import ERASE_EXPIRATION, account_path, expiration_to_wire, member_path


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)))  # noqa: DTZ001 - as the service writes them
def test_an_instant_comes_back_as_it_was_written(at):
    text = at.replace(microsecond=0).isoformat(" ")
    assert instant_to_wire(TypeAdapter(Instant).validate_python(text)) == text


def test_an_expiration_is_erased_only_by_its_name():
    assert expiration_to_wire(ERASE_EXPIRATION) == {}
    assert expiration_to_wire(date(2027, 1, 31)) == {"expiration": "2027-01-31"}
    assert expiration_to_wire(datetime(2027, 1, 31, 2, tzinfo=UTC)) == {"expiration": "2027-01-30 23:00:00"}
    with pytest.raises(ValueError, match="time zone"):
        expiration_to_wire(datetime.fromisoformat("2027-01-31"))


def test_a_uuid_stays_one_part_of_the_path():
    assert account_path("a/../b?c") == "/organizations/api/accounts/a%2F..%2Fb%3Fc/"
    assert member_path("a", "b/c").endswith("/accounts/a/members/b%2Fc/")


def test_only_an_array_is_a_list():
    with pytest.raises(TypeError):
        read_list({"0": 1})
