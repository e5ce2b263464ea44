"""Lists by `Link` header, over real sockets: several pages at once, hosts never followed, and every list has an end."""

import asyncio
import json
from contextlib import aclosing

import pytest

from connectors.http.errors import ConnectorError, NotFound, Unreadable
from connectors.http.link_pages import linked_list, linked_numbers, linked_pages
from tests.connectors.http.sockets import Connection, serving, session_to

ELSEWHERE = "http://127.0.0.1:1/api/things/"


def link(**pages):
    """Return a header in the wire's form: unquoted relations, and addresses of another host."""
    return "Link: " + ", ".join(f"<{ELSEWHERE}?limit=2&page={page}>; rel={rel}" for rel, page in pages.items())


def listing(answers, *, first=1, ahead=4, query=None, ceiling=100):
    """Return the items or the error that these answers (target → body, headers) give, and the requested targets."""

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                target = (await connection.request()).split(b" ")[1].decode()
                body, *headers = answers.get(target, (None,))
                missing = (404, b'{"detail":"Not found"}')
                await connection.answer(*(missing if body is None else (200, json.dumps(body).encode(), *headers)))

        async with serving(behave) as server, session_to(server.base_url, page_ceiling=ceiling) as session:
            found: list[int] | ConnectorError = []
            try:
                async with aclosing(
                    linked_pages(session, "/things/", int, query=query, first=first, ahead=ahead)
                ) as pages:
                    found = [item async for page in pages for item in page.items]
            except ConnectorError as error:
                found = error
            return found, sorted(request.split(b" ")[1].decode() for request in server.requests)

    return asyncio.run(main())


@pytest.mark.parametrize("ahead", [1, 2, 8])
def test_all_pages_come_in_order_from_our_own_host(ahead):
    answers = {
        "/things/?limit=2": ([1, 2], link(next=2, last=3, first=1)),
        "/things/?limit=2&page=2": ([3, 4], link(next=3, prev=1, last=3, first=1)),
        "/things/?limit=2&page=3": ([5], link(prev=2, last=3, first=1)),
    }
    found, asked = listing(answers, ahead=ahead, query={"limit": 2})
    assert found == [1, 2, 3, 4, 5]
    assert asked == sorted(answers)


def test_a_list_can_be_taken_up_at_a_later_page():
    answers = {"/things/?page=2": ([3], link(prev=1, last=3)), "/things/?page=3": ([4], link(prev=2, last=3))}
    assert listing(answers, first=2) == ([3, 4], ["/things/?page=2", "/things/?page=3"])


def test_a_list_that_grows_is_read_to_its_new_end():
    answers = {
        "/things/": ([1], link(next=2, last=2)),
        "/things/?page=2": ([2], link(next=3, last=3)),
        "/things/?page=3": ([3], link(prev=2, last=3)),
    }
    assert listing(answers)[0] == [1, 2, 3]


def test_a_list_that_shrank_ends_where_it_ends():
    assert listing({"/things/": ([1], link(next=2, last=4)), "/things/?page=2": ([2], link(last=4))})[0] == [1, 2]


def test_one_page_without_a_header_and_an_unknown_list():
    assert listing({"/things/": ([],)}) == ([], ["/things/"])
    assert isinstance(listing({})[0], NotFound)


def test_next_without_last_is_followed():
    assert listing({"/things/": ([1], link(next=2)), "/things/?page=2": ([2],)})[0] == [1, 2]


@pytest.mark.parametrize("body", [{}, "x", [None], [{"a": 1}]])
def test_an_answer_without_a_list_is_unreadable(body):
    assert type(listing({"/things/": (body,)})[0]) is Unreadable


def test_a_list_without_end_is_refused_before_it_is_asked():
    found, asked = listing({"/things/": ([1], link(last=101))})
    assert type(found) is Unreadable
    assert asked == ["/things/"]


@pytest.mark.parametrize("ahead", [1, 4])
def test_a_page_that_comes_again_and_again_is_left(ahead):
    pages = {f"/things/?page={page}": ([1, 2], link(next=page + 1)) for page in range(2, 50)}
    found, asked = listing({"/things/": ([1, 2], link(next=2)), **pages}, ahead=ahead)
    assert type(found) is Unreadable
    assert asked == ["/things/", "/things/?page=2"]


def test_empty_pages_at_the_end_of_a_list_that_shrank():
    answers = {"/things/": ([1], link(next=2, last=3)), "/things/?page=2": ([],), "/things/?page=3": ([],)}
    assert listing(answers)[0] == [1]


def test_only_allowed_pages_are_requested_and_leaving_stops():
    """The second page never comes: the client requests the pages after it, but no more than allowed."""

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                target = (await connection.request()).split(b" ")[1]
                if target != b"/things/":
                    await connection.hang()
                await connection.answer(200, b"[1]", link(last=50))

        async with serving(behave) as server, session_to(server.base_url, in_flight=8) as session:
            async with aclosing(linked_pages(session, "/things/", int, ahead=3)) as pages:
                await anext(pages)
                while len(server.requests) < 4:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.05)
                asked = {request.split(b" ")[1] for request in server.requests}
            return asked, [task for task in asyncio.all_tasks() if "page" in getattr(task.get_coro(), "__name__", "")]

    asked, left = asyncio.run(main())
    assert asked == {b"/things/", b"/things/?page=2", b"/things/?page=3", b"/things/?page=4"}
    assert left == []


def test_a_list_returns_the_items_of_all_pages():
    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                second = b"page=2" in (await connection.request())
                await connection.answer(200, b"[2]" if second else b"[1]", link(last=2))

        async with serving(behave) as server, session_to(server.base_url) as session:
            return await linked_list(session, "/things/", int)

    assert asyncio.run(main()) == [1, 2]


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("<http://h.example/x?page=2>; rel=next, <http://h.example/x?page=9>; rel=last", {"next": 2, "last": 9}),
        (
            '<http://h.example/x?page=2>; rel="next",<http://h.example/x?a=1,2&page=9> ; rel="last"',
            {"next": 2, "last": 9},
        ),
        ('<?page=3>; title="a"; rel=Last', {"last": 3}),
        (
            "<http://h.test/>; rel=next, <http://h.test/?page=-1>; rel=last, <http://h.test/?page=1e9>; rel=up",
            {},
        ),
        ("<http://h.example/x?page=99999999999>; rel=last", {}),
        ("", {}),
        ("nonsense", {}),
    ],
)
def test_page_numbers_are_read_from_the_link_header(header, found):
    assert linked_numbers(header) == found
