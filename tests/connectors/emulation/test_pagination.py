"""Pages of a list."""

import pytest

from connectors.emulation.messages import Call, Refusal, not_found
from connectors.emulation.pagination import envelope_page, link_header_page


def page_of(count, **query):
    call = Call(operation="notes.list", path="/api/v1/nfse", base="http://localhost", query=query)
    return envelope_page(call, count, lambda limit, offset: list(range(count))[offset : offset + limit]).body


def test_neighbours_keep_the_filters():
    body = page_of(25, status="a b", page="2")
    assert body["collection"] == list(range(10, 20))
    assert body["next"] == "http://localhost/api/v1/nfse?status=a+b&page=3"
    assert body["previous"] == "http://localhost/api/v1/nfse?status=a+b&page=1"


@pytest.mark.parametrize("count", [0, 1, 10])
def test_a_short_list_has_one_page(count):
    body = page_of(count)
    assert (body["count"], body["next"], body["previous"], len(body["collection"])) == (count, None, None, count)


@pytest.mark.parametrize("page", ["0", "4", "-1", "x", ""])
def test_unknown_page_is_not_found(page):
    with pytest.raises(Refusal):
        page_of(25, page=page)


def linked_page(count, path="/api/orders/x", **query):
    call = Call(operation="orders.of_plan", path=path, base="http://localhost", query=query)
    return link_header_page(
        call, count, lambda limit, offset: list(range(count))[offset : offset + limit], missing=not_found
    )


def test_a_bare_list_links_its_neighbours_in_one_header():
    answer = linked_page(50, path="/api/orders/a\r\nb", page="2", since="a b")
    assert answer.body == list(range(20, 40))
    home = "http://localhost/api/orders/a%0D%0Ab/?since=a+b&page="
    assert answer.headers["Link"] == ", ".join(
        f"<{home}{page}>; rel={rel}" for page, rel in ((3, "next"), (1, "prev"), (3, "last"), (1, "first"))
    )


@pytest.mark.parametrize(("name", "value"), [("page", "0"), ("page", "9" * 30), ("limit", "x"), ("page", "4")])
def test_a_page_that_is_none_is_missing_and_another_limit_refused(name, value):
    with pytest.raises(Refusal) as caught:
        linked_page(50, **{name: value})
    assert caught.value.answer.status == (404 if name == "page" else 400)
