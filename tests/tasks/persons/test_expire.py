"""Retention terms: archived sheets and refused rows are deleted, issued invoices never."""

from datetime import timedelta

import pytest

from connectors.ledger.staff import records
from domain.staff import Permission
from tasks.persons.expire import count_expired, expire
from tests.tasks.persons.people import erasures, finished, refused_row, sheet, whole_ledger
from tests.tasks.rows import lines
from tests.tasks.staff.people import CARLA, OLGA, acts, office

pytestmark = pytest.mark.both_databases


def test_terms_end_for_refused_rows_and_never_for_invoices(each_shop):
    shop = each_shop
    batch = finished(shop)
    reading = refused_row(shop)
    before = shop.notes(batch)
    for days, expected in ((179, 0), (181, 1), (181, 0)):
        with shop.context(ahead=timedelta(days=days)) as context:
            assert count_expired(context).rows == expected
            assert expire(context, person="timer").rows == expected
    (row,) = shop.rows(reading)
    assert (row.cells, row.line) == ({}, None)
    assert shop.notes(batch) == before
    assert [each["counts"] for each in erasures(shop)] == [{"rows": 1, "sheets": 0}]


def test_revoked_people_are_erased_after_the_fiscal_term(each_shop):
    shop = each_shop
    with shop.context() as context:
        office(context)
        olga = acts(context, OLGA, Permission.OPERATE)
        context.ledger.write(records.revoke, CARLA, by=olga)
    for years, expected in ((5, 0), (7, 1), (7, 0)):
        with shop.context(ahead=timedelta(days=365 * years)) as context:
            assert count_expired(context).staff == expected
            assert expire(context, person="timer").staff == expected
    (gone,) = (each for each in shop.read(records.staff_all) if each.revoked_at is not None)
    assert (gone.name, gone.email, gone.names) == (f"erased-{gone.id}", f"erased-{gone.id}", frozenset())
    assert "equipe sul" not in whole_ledger(shop).lower()
    assert {each.name for each in shop.read(records.staff_all)} >= {"Olga", "Ana", "Bia"}


def test_a_sheet_is_deleted_after_its_last_reading(shop):
    file_id, path = sheet(shop, b"an old sheet")
    shop.reading(*lines(1), file_id=file_id)
    for days, expected in ((179, 0), (181, 1)):
        with shop.context(ahead=timedelta(days=days)) as context:
            assert expire(context, person="timer").sheets == expected
    assert not path.exists()
