"""XML and PDF of issued invoices: fetched once, without our token, from allowed hosts alone; others are gaps."""

import hashlib
from typing import Any

import pytest

from connectors.ledger import documents
from connectors.ledger.documents import DocumentRecord
from tasks.cancellations.cancel import cancel_batch
from tasks.documents.fetch import due_batches, fetch, fetch_batch, is_document
from tasks.documents.stored_documents import all_documents
from tests.ageing import age
from tests.tasks.cancellations.requested import request_cancellation
from tests.tasks.store import Store
from tests.tasks.workshop import Workshop, fault


def listed(shop: Workshop) -> list[DocumentRecord]:
    with shop.context() as context:
        return all_documents(context)


def problems(shop: Workshop) -> list[str | None]:
    return [each.problem for each in listed(shop)]


def test_both_documents_of_each_invoice_are_stored_with_digests(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(2)
    assert [each.sha256 for each in listed(shop)] == [None] * 4
    assert dict(shop.run(fetch_batch, batch).counts) == {"kept": 4, "missing": 0}
    found = listed(shop)
    assert [(each.number, each.kind, each.tries) for each in found] == [
        (1, "pdf", 1), (1, "xml", 1), (2, "pdf", 1), (2, "xml", 1),
    ]  # fmt: skip
    kept = {hashlib.sha256(path.read_bytes()).hexdigest() for path in (shop.home / "documents").rglob("*-*")}
    assert kept == {each.sha256 for each in found}
    asked = shop.asked("notes.xml", "notes.pdf")
    assert dict(shop.run(fetch_batch, batch).counts) == {"kept": 0, "missing": 0}
    assert shop.asked("notes.xml", "notes.pdf") == asked == 4


def test_documents_of_product_invoices_are_fetched(store: Store):
    batch = store.processed(1)
    assert dict(store.run(fetch_batch, batch).counts) == {"kept": 2, "missing": 0}
    (path,) = (store.home / "documents").rglob("*.xml")
    assert b"<chNFe>" in path.read_bytes()


def test_a_document_not_yet_there_is_a_gap_and_retried(shop: Workshop):
    batch = shop.processed(1)
    shop.set(DOCUMENTS__AUTOMATIC="true")
    shop.sandbox.faults(fault("notes.xml", "gateway", status=404))
    first = shop.run(fetch_batch, batch)
    assert (first.ending, first.counts["missing"]) == ("waiting", 1)
    with shop.context() as context:
        assert due_batches(context) == []
    # The clock is set back by half an hour: nobody knows how long ago the try was.
    shop.write(age, -1_800)
    with shop.context() as context:
        assert due_batches(context) == [batch]
    shop.write(age, 1_800)
    with shop.context() as context:
        assert due_batches(context) == []
    shop.write(age, 3_700)
    with shop.context() as context:
        assert due_batches(context) == [batch]
    assert shop.run(fetch_batch, batch).counts["kept"] == 1
    with shop.context() as context:
        assert due_batches(context) == []


def test_an_address_of_another_host_is_not_asked(shop: Workshop):
    batch = shop.processed(1)
    shop.set(NFSE__BASE_URL=shop.sandbox.base_url.replace("127.0.0.1", "localhost"))
    shop.set(DOCUMENTS__HOSTS="[]", DOCUMENTS__KINDS='["xml"]')
    record = listed(shop)[0]

    async def elsewhere(runtime: Any) -> int:
        async def document(*_: Any) -> str:
            return "http://papers.example/1.xml"

        runtime.issuer("nfse").document = document
        return await fetch(runtime, [record])

    assert shop.run(elsewhere) == 0
    assert problems(shop) == ["documents.foreign_host"]
    assert batch


@pytest.mark.parametrize(
    ("kind", "content", "is_one"),
    [
        ("xml", b"\xef\xbb\xbf <nfse/>", True),
        ("xml", b"<?xml version='1.0'?><nfse/>", True),
        ("pdf", b"%PDF-1.4", True),
        ("xml", b"", False),
        ("xml", b"<!DOCTYPE html><h1>login</h1>", False),
        ("xml", b"not xml", False),
        ("pdf", b"<html></html>", False),
    ],
)
def test_a_web_page_is_no_document(kind: str, content: bytes, is_one: bool):
    assert is_document(kind, content) is is_one


def test_a_cancelled_invoice_keeps_its_documents(shop: Workshop):
    batch = shop.processed(1)
    shop.run(fetch_batch, batch)
    before = listed(shop)
    request_cancellation(shop, batch)
    for _ in range(2):
        shop.run(cancel_batch, batch)
    assert listed(shop) == before


def test_only_where_the_profile_wants_it_the_sweeps_fetch(shop: Workshop):
    batch = shop.processed(1)
    with shop.context() as context:
        assert due_batches(context) == []
    shop.set(DOCUMENTS__AUTOMATIC="true")
    with shop.context() as context:
        assert due_batches(context) == [batch]


@pytest.mark.both_databases
def test_a_document_is_kept_once(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(1)
    (note,) = shop.notes(batch)
    assert shop.write(documents.record_failure, note.id, "xml", problem="documents.not_there")
    assert shop.write(documents.keep, note.id, "xml", sha256="a" * 64, size_bytes=3)
    assert not shop.write(documents.keep, note.id, "xml", sha256="b" * 64, size_bytes=3)
    assert not shop.write(documents.record_failure, note.id, "xml", problem="documents.not_there")
    assert {each.sha256 for each in listed(shop)} == {None, "a" * 64}
