"""Lists item by item: an unreadable item hides no other, and proves nothing about itself."""

import pytest

from connectors.http.list_items import UnreadItem, ids_of, split_unread, tolerant


def read(item):
    return ["a", "b"].index(item["id"])


@pytest.mark.parametrize(
    ("item", "named"),
    [
        (None, "?"),
        ({}, "?"),
        ({"id": 77}, "77"),
        ({"id": "abc"}, "abc"),
        ({"id": True}, "?"),
        ({"id": ["a"]}, "?"),
        ({"id": ""}, "?"),
        ({"id": "Ana Souza, 123.456.789-09"}, "?"),
        ({"id": "7" * 21}, "?"),
    ],
)
def test_an_unread_item_has_a_plain_id_or_none(item, named):
    found = tolerant(read)(item)
    assert isinstance(found, UnreadItem)
    assert found.id == named
    assert "Ana" not in found.reason


def test_readable_items_keep_their_order():
    items = [tolerant(read)(item) for item in ({"id": "b"}, None, {"id": "a"})]
    assert split_unread(items) == ([1, 0], [UnreadItem("?", "TypeError")])


def test_an_error_of_our_own_is_not_hidden():
    def broken(_item):
        raise AssertionError

    with pytest.raises(AssertionError):
        tolerant(broken)({})


def test_pages_differ_by_ids_and_without_ids_by_items():
    assert ids_of([{"id": 1, "status": "a"}]) == ids_of([{"id": 1, "status": "b"}]) != ids_of([{"id": 2}])
    assert ids_of([{"name": "a"}]) != ids_of([{"name": "b"}])
    assert ids_of([3, None, ""]) != ids_of([3, None])
