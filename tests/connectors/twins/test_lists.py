"""Pages of a list."""

import pytest

from connectors.twins.answers import Call, Refusal
from connectors.twins.lists import paged


def page_of(count, **query):
    call = Call(operation="notes.list", path="/api/v1/nfse", base="http://localhost", query=query)
    return paged(call, count, lambda limit, offset: list(range(count))[offset : offset + limit]).body


def test_neighbours_keep_the_filters():
    body = page_of(25, status="a b", page="2")
    assert body["collection"] == list(range(10, 20))
    assert body["next"] == "http://localhost/api/v1/nfse?status=a+b&page=3"
    assert body["previous"] == "http://localhost/api/v1/nfse?status=a+b&page=1"


@pytest.mark.parametrize("count", [0, 1, 10])
def test_one_page(count):
    body = page_of(count)
    assert (body["count"], body["next"], body["previous"], len(body["collection"])) == (count, None, None, count)


@pytest.mark.parametrize("page", ["0", "4", "-1", "x", ""])
def test_unknown_page_is_not_found(page):
    with pytest.raises(Refusal):
        page_of(25, page=page)
