"""Test that a row finds the issued invoice that it replaces by our number or by the city's, and never a wrong one."""

from typing import Any

import pytest

from connectors.ledger import tables
from tests.tasks.replacements.test_settle import issue, refusal, replacement
from tests.tasks.rows import SAO_PAULO
from tests.tasks.workshop import Workshop


def numbered(shop: Workshop, batch: int, *numbers: str) -> None:
    """Give the invoices of a batch these numbers of the city."""
    for note, number in zip(shop.notes(batch), numbers, strict=True):
        shop.write(_number, note.id, number)


def _number(conn: Any, invoice_id: int, number: str) -> None:
    conn.execute(tables.invoices.update().where(tables.invoices.c.id == invoice_id).values(nfse_number=number))


@pytest.mark.both_databases
def test_the_citys_number_finds_the_invoice(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(2)
    numbered(shop, old, "2026/118", "2026/119")
    new = replacement(shop, 1, "2026/119", service_cents=9_000)
    (note,) = shop.notes(new)
    assert note.replaces_id == shop.notes(old)[1].id


def test_zeros_and_points_do_not_hide_the_invoice(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(2)
    numbered(shop, old, "000001234", "2026/000118")
    new = replacement(shop, 1, "NFS-e 1.234", service_cents=9_000)
    other = replacement(shop, 2, "2026/118", service_cents=8_000)
    assert [shop.notes(batch)[0].replaces_id for batch in (new, other)] == [note.id for note in shop.notes(old)]


@pytest.mark.both_databases
def test_either_number_is_one_replacement(each_shop: Workshop):
    shop = each_shop
    old = shop.processed(1)
    numbered(shop, old, "118")
    issue(shop, replacement(shop, 1, "NFS-e 118"))
    for place in ("118", "F-1"):
        assert refusal(shop, place=place, service_cents=7_000) == ["row.living"]


def test_a_number_that_may_be_two_invoices_is_asked(shop: Workshop):
    old = shop.processed(2)
    numbered(shop, old, "2", "3")
    assert refusal(shop, place="2") == ["replace.either"]
    assert refusal(shop, place="1") == ["replace.unknown_nfse"]
    new = replacement(shop, 1, "NFS-e 2")
    assert shop.notes(new)[0].replaces_id == shop.notes(old)[0].id


def test_an_unknown_number_or_another_emitters_says_so(shop: Workshop):
    old = shop.processed(1)
    numbered(shop, old, "118")
    assert refusal(shop, place="NFS-e 119") == ["replace.unknown_nfse"]
    assert refusal(shop, place="118", emitter_cnpj=SAO_PAULO) == ["replace.other_emitters_nfse"]
