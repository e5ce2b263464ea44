"""Lists, over real sockets: the client follows page numbers, never hosts, and every list has an end."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from connectors.http.envelope_pages import collect, pages
from connectors.http.errors import NotFound, PartlyUnreadable, Unreadable
from tests.connectors.http.sockets import Connection, serving, session_to

ELSEWHERE = "http://127.0.0.1:1/api/v1/things"


def envelope(count, items, following):
    return json.dumps({"count": count, "next": following, "previous": None, "collection": items}).encode()


def listing(answers, *, query=None, parse=int, ceiling=100):
    """Return what `collect` makes of these answers by target (path and query), and the requested targets."""

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                target = (await connection.request()).split(b" ")[1].decode()
                found = answers.get(target)
                await connection.answer(404 if found is None else 200, found or b'{"detail":"Not found"}')

        async with serving(behave) as server, session_to(server.base_url, page_ceiling=ceiling) as session:
            found: Any
            try:
                found = await collect(session, "/things", parse, query=query)
            except (Unreadable, NotFound) as error:
                found = error
            return found, [request.split(b" ")[1].decode() for request in server.requests]

    return asyncio.run(main())


def test_pages_are_asked_of_our_own_host_whatever_next_says():
    found, asked = listing(
        {
            "/things?status=accepted": envelope(3, [1, 2], f"{ELSEWHERE}?status=accepted&page=2"),
            "/things?status=accepted&page=2": envelope(3, [3], None),
        },
        query={"status": "accepted"},
    )
    assert found == [1, 2, 3]
    assert asked == ["/things?status=accepted", "/things?status=accepted&page=2"]


def test_an_empty_list_and_an_unknown_one():
    assert listing({"/things": envelope(0, [], None)})[0] == []
    assert isinstance(listing({})[0], NotFound)


def test_pages_of_a_list_that_shrank_just_end():
    """The list has fewer items than its count: a caller that needs all of them sees that and reads again."""

    async def main():
        async def behave(connection: Connection) -> None:
            await connection.request()
            await connection.answer(200, envelope(11, [1], f"{ELSEWHERE}?page=2"))
            await connection.request()
            await connection.answer(404, b'{"detail":"Not found"}')

        async with serving(behave) as server, session_to(server.base_url) as session:
            return [(page.count, page.items) async for page in pages(session, "/things", int)]

    assert asyncio.run(main()) == [(11, (1,))]


@pytest.mark.parametrize(
    "answers",
    [
        {"/things": envelope(500, list(range(10)), None)},
        {"/things": envelope(11, [1], f"{ELSEWHERE}?page=2")},
        {"/things": envelope(1, [1, 2], None)},
        {"/things": envelope(2, [1], f"{ELSEWHERE}?page=2"), "/things?page=2": envelope(3, [2], None)},
    ],
    ids=["cut short", "last page gone", "more than counted", "count changed"],
)
def test_collect_never_returns_a_list_that_is_not_whole(answers):
    found, asked = listing(answers)
    assert isinstance(found, Unreadable)
    assert asked.count("/things") == 5


def test_collect_refuses_an_id_that_comes_twice():
    pages_of = {"/things": envelope(2, [7, 7], None)}
    assert isinstance(listing(pages_of, parse=lambda item: SimpleNamespace(id=item))[0], Unreadable)


def test_collect_reads_again_a_list_that_grew_meanwhile():
    """The first reading misses an item that was added between two pages."""

    async def main():
        grown = [envelope(2, [1], f"{ELSEWHERE}?page=2"), envelope(3, [2], None), envelope(3, [1, 2, 3], None)]

        async def behave(connection: Connection) -> None:
            for raw in grown:
                await connection.request()
                await connection.answer(200, raw)

        async with serving(behave) as server, session_to(server.base_url) as session:
            return await collect(session, "/things", int)

    assert asyncio.run(main()) == [1, 2, 3]


def test_an_empty_next_ends_the_list():
    assert listing({"/things": envelope(1, [1], "")})[0] == [1]


@pytest.mark.parametrize(
    "answer",
    [
        b"[]",
        b'{"count":1}',
        b'{"count":"1","collection":[],"next":null}',
        b'{"count":true,"collection":[],"next":null}',
        b'{"count":1,"collection":{},"next":null}',
        envelope(1, [1], ELSEWHERE),
        envelope(1, [1], f"{ELSEWHERE}?page=x"),
        envelope(1, [1], f"{ELSEWHERE}?page=1"),
        envelope(1, [1], f"{ELSEWHERE}?page=7"),
        envelope(1, [1], 2),
    ],
)
def test_an_answer_without_a_list_is_unreadable(answer):
    found, asked = listing({"/things": answer})
    assert type(found) is Unreadable
    assert len(asked) == 1


def walk(answers, *, ahead=1):
    """Return what the pages yield, the error that ends them, and the number of requests; `answers` by page number."""

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                target = (await connection.request()).split(b" ")[1].decode()
                await connection.answer(200, answers(int(target.partition("page=")[2] or 1)))

        async with serving(behave) as server, session_to(server.base_url, page_ceiling=100) as session:
            seen = []
            try:
                async for page in pages(session, "/things", lambda item: int(item["id"]), ahead=ahead):
                    seen.append(page.items)
            except Unreadable as error:
                return seen, error, len(server.requests)
            return seen, None, len(server.requests)

    return asyncio.run(main())


@pytest.mark.parametrize("bad", [None, 7, {}, {"id": None}, {"id": "x"}, {"id": []}])
def test_an_unreadable_item_hides_no_other(bad):
    listed = {1: envelope(4, [{"id": 1}, bad], "?page=2"), 2: envelope(4, [{"id": 3}, {"id": 4}], None)}
    seen, error, _ = walk(listed.__getitem__)
    assert seen == [(1,), (3, 4)]
    assert type(error) is PartlyUnreadable
    assert error.unread_ids == (("x",) if bad == {"id": "x"} else ("?",))
    # A caller that needs the whole list gets none of it.
    answers = {"/things": listed[1], "/things?page=2": listed[2]}
    whole, asked = listing(answers, parse=lambda item: int(item["id"]))
    assert isinstance(whole, Unreadable)
    assert asked == list(answers)


@pytest.mark.parametrize("ahead", [1, 8])
def test_a_list_with_more_items_than_its_count_is_left(ahead):
    items = [{"id": number} for number in range(1, 5)]
    _, error, requests = walk(lambda page: envelope(4, items, f"?page={page + 1}"), ahead=ahead)
    assert (type(error), error.detail, requests) == (Unreadable, "8 items of 4", 2)


@pytest.mark.parametrize("items", [[{"id": 1}, {"id": 2}], []], ids=["the same items", "no items"])
def test_a_page_that_comes_again_and_again_is_left(items):
    _, error, requests = walk(lambda page: envelope(1000, items, f"?page={page + 1}"))
    assert (type(error), error.detail, requests) == (Unreadable, "a page came twice", 2)


def test_a_page_moved_by_new_items_is_no_repeat():
    """As many items were added at the front as fit on a page: the caller sees by the count that the list changed."""
    listed = {
        1: envelope(3, [{"id": 1}, {"id": 2}], "?page=2"),
        2: envelope(5, [{"id": 1}, {"id": 2}], "?page=3"),
        3: envelope(5, [{"id": 3}], None),
    }
    assert walk(listed.__getitem__) == ([(1, 2), (1, 2), (3,)], None, 3)


def test_a_list_without_end_is_left_at_the_ceiling():
    answers = {"/things": envelope(9, [1], "?page=2")}
    answers |= {f"/things?page={n}": envelope(9, [n], f"?page={n + 1}") for n in range(2, 10)}
    found, asked = listing(answers, ceiling=3)
    assert type(found) is Unreadable
    assert len(asked) == 3


@pytest.mark.parametrize(("count", "most"), [(50, 4), (3, 2), (1, 1)])
def test_pages_ahead_are_asked_side_by_side_and_none_too_many(count: int, most: int):
    """The second page waits until the allowed number of requests is there: sequential requests would never end."""
    seen = SimpleNamespace(waiting=0, top=0)

    async def main():
        arrived = asyncio.Condition()

        def is_full() -> bool:
            return bool(seen.top >= most)

        async def behave(connection: Connection) -> None:
            while True:
                target = (await connection.request()).split(b" ")[1].decode()
                number = int(target.partition("page=")[2] or 1)
                async with arrived:
                    seen.waiting += 1
                    seen.top = max(seen.top, seen.waiting)
                    arrived.notify_all()
                    if 1 < number <= 5:
                        await arrived.wait_for(is_full)
                    seen.waiting -= 1
                following = f"{ELSEWHERE}?page={number + 1}" if number < count else None
                await connection.answer(200, envelope(count, [number], following))

        async with serving(behave) as server, session_to(server.base_url, in_flight=8) as session:
            found = [page.items[0] async for page in pages(session, "/things", int, ahead=4)]
            return found, len(server.requests)

    found, requests = asyncio.run(main())
    assert found == list(range(1, count + 1))
    assert (seen.top, requests) == (most, count)


def test_a_list_that_shrank_ends_although_pages_were_requested():
    answers = {
        "/things": envelope(9, [1], f"{ELSEWHERE}?page=2"),
        "/things?page=2": envelope(2, [2], None),
    }

    async def main():
        async def behave(connection: Connection) -> None:
            while True:
                found = answers.get((await connection.request()).split(b" ")[1].decode())
                await connection.answer(404 if found is None else 200, found or b'{"detail":"Not found"}')

        async with serving(behave) as server, session_to(server.base_url) as session:
            return [page.items async for page in pages(session, "/things", int, ahead=4)]

    assert asyncio.run(main()) == [(1,), (2,)]


def test_pages_come_one_by_one_and_are_not_asked_ahead():
    async def main():
        async def behave(connection: Connection) -> None:
            await connection.request()
            await connection.answer(200, envelope(20, [1], "?page=2"))

        async with serving(behave) as server, session_to(server.base_url) as session:
            listed = pages(session, "/things", int)
            page = await anext(listed)
            await listed.aclose()
            return page, len(server.requests)

    page, requests = asyncio.run(main())
    assert (page.number, page.count, page.items) == (1, 20, (1,))
    assert requests == 1
