"""The journal of requests has a limited size, and its counts stay complete."""

from connectors.emulation.request_journal import KEPT, SCHEMA, note_fault, note_request, requests_by_operation
from connectors.emulation.state_file import Store


def request(operation, path="/api/v1"):
    return (0.0, "GET", path, "", operation, 200, None, None)


def test_only_the_latest_requests_are_kept_and_all_are_counted():
    store = Store(None, SCHEMA)
    with store.transaction():
        for number in range(KEPT * 2):
            note_request(store, request("notes.read" if number % 4 else "batches.read"))
    assert store.one("SELECT COUNT(*), MAX(id) FROM requests") == (KEPT, KEPT * 2)
    assert requests_by_operation(store) == {"batches.read": KEPT // 2, "notes.read": KEPT * 2 - KEPT // 2}


def test_a_long_address_is_cut():
    store = Store(None, SCHEMA)
    note_request(store, request("notes.read", "/" * 100_000))
    assert store.one("SELECT LENGTH(path) FROM requests")[0] < 10_000


def test_no_cpf_is_noted():
    store = Store(None, SCHEMA)
    for path in ("/x/00000000191", "/x/000.000.001-91/y", "/x/99000001000101", "/x/" + "1" * 44):
        note_request(store, (0.0, "GET", path, "cpf=00000000191&a=1", "takers.list", 200, None, "taker 00000000191"))
    noted = store.all("SELECT path, query, subject FROM requests ORDER BY id")
    assert [path for path, _, _ in noted] == ["/x/***", "/x/***/y", "/x/99000001000101", "/x/" + "1" * 44]
    assert {each[1:] for each in noted} == {("cpf=***&a=1", "taker ***")}


def test_only_the_latest_faults_are_kept():
    store = Store(None, SCHEMA)
    with store.transaction():
        for _ in range(KEPT + KEPT // 2):
            note_fault(store, 0.0, "city", "city_down", subject="note 1")
    assert store.one("SELECT COUNT(*) FROM applied_faults")[0] == KEPT
