"""A list whose order changes from request to request, as a client sees it."""

from connectors.emulation.messages import Call, not_found
from connectors.emulation.pagination import envelope_page, link_header_page
from tests.sandboxes import running_sandbox


def call(applied=1, **query):
    fault = {"kind": "drifting_order", "applied": applied, "places": 4}
    return Call(operation="x.list", path="/x", base="http://localhost", query=query, fault=fault)


def fetch(count):
    return lambda limit, offset: list(range(count))[offset : offset + limit]


def test_the_list_begins_further_on_each_time():
    assert envelope_page(call(), 25, fetch(25)).body["collection"] == list(range(4, 14))
    assert envelope_page(call(2), 25, fetch(25)).body["collection"] == list(range(8, 18))
    assert envelope_page(call(page="3"), 25, fetch(25)).body["collection"] == [24, 0, 1, 2, 3]
    assert envelope_page(call(), 0, fetch(0)).body["collection"] == []
    assert link_header_page(call(limit="30"), 5, fetch(5), missing=not_found).body == [4, 0, 1, 2, 3]


def test_pages_show_some_entries_twice_and_others_never():
    with running_sandbox(in_thread=True) as sandbox:
        for number in range(25):
            assert sandbox.call("POST", "/api/v1/batches", {"emitter_id": 1, "name": f"Lote {number}"})[0] == 201
        sandbox.faults({"operation": "batches.list", "kind": "drifting_order", "count": 9})
        pages = [sandbox.call("GET", f"/api/v1/batches?page={page}")[1]["collection"] for page in (1, 2, 3)]
        seen = [batch["id"] for page in pages for batch in page]
        assert len(seen) == 25
        assert len(set(seen)) < 25
        assert sandbox.control("faults")[0]["applied"] == 3
