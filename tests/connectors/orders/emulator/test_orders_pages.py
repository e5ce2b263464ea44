"""Pages in the service's form: a bare array and one `Link` header with unquoted relations."""

import pytest

from connectors.orders.emulator.seed import WITHOUT_ORDERS


def links(headers):
    """Return relation → the address's query."""
    parts = (part.split("; rel=") for part in headers["link"].split(", "))
    return {rel: address.strip("<>").partition("?")[2] for address, rel in parts}


def test_the_first_a_middle_and_the_last_page(get):
    path = "essencial/invoices/paid/?since=2025-10-01&limit=50"
    status, items, headers = get(path)
    assert (status, len(items)) == (200, 50)
    found = links(headers)
    last = int(found["last"].rpartition("=")[2])
    assert found == {
        "next": "since=2025-10-01&limit=50&page=2",
        "last": f"since=2025-10-01&limit=50&page={last}",
        "first": "since=2025-10-01&limit=50&page=1",
    }
    assert set(links(get(f"{path}&page=2")[2])) == {"next", "prev", "last", "first"}
    assert set(links(get(f"{path}&page={last}")[2])) == {"prev", "last", "first"}
    assert get(f"{path}&page={last + 1}")[0] == 404


def test_twenty_unless_asked_and_never_more_than_a_hundred(get):
    path = "essencial/invoices/paid/?since=2025-10-01"
    assert [len(get(f"{path}{more}")[1]) for more in ("", "&limit=3", "&limit=1000")] == [20, 3, 100]
    assert len(get(f"{path}", body={"limit": 2, "page": 2})[1]) == 2


def test_a_list_of_one_page_has_a_link_and_an_empty_one_none(get):
    _, items, headers = get("essencial/invoices/paid/?since=2030-01-01")
    assert items == []
    assert links(headers) == {"last": "since=2030-01-01&page=1", "first": "since=2030-01-01&page=1"}
    status, items, headers = get(f"accounts/{WITHOUT_ORDERS}/orders/")
    assert (status, items) == (200, [])
    assert "link" not in headers
    assert get("accounts/nobody/orders/")[:2] == (404, None)


@pytest.mark.parametrize("limit", ["-1", "0", "x"])
def test_an_impossible_limit_is_refused_by_field(get, limit):
    status, body, _ = get(f"orders/essencial/?limit={limit}")
    assert (status, list(body["field_errors"])) == (400, ["limit"])


@pytest.mark.parametrize("page", ["0", "-1", "x"])
def test_a_page_that_is_no_number_does_not_exist(get, page):
    """The document lists no 400 for these lists."""
    assert get(f"orders/essencial/?page={page}")[:2] == (404, None)
