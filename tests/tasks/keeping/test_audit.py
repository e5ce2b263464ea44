"""The audit against a real provider: all is explained, or what is not is named, on the screen and in the workbook."""

import pytest

from domain.problems import FaturistaError
from tasks.keeping.audit import audit_numbers, audit_page, write_audit
from tasks.stage import stage_batch


def page_of(shop, audits):
    with shop.desk() as desk:
        return audit_page(desk.catalogue, audits)


def test_a_month_that_went_well_is_explained(shop):
    shop.processed(3)
    (audit,) = shop.run(audit_numbers)
    assert audit.is_explained
    assert [line.standing for line in audit.lines] == ["living"] * 3
    assert audit.latest == 3
    page = page_of(shop, [audit])
    assert not page.alarms
    assert page.lists[0].rows[0][0] == 1


def test_refused_and_taken_back_numbers_are_told_with_their_reason(shop):
    batch = shop.planned(3)
    shop.forget_taker(1)
    shop.run(stage_batch, batch)
    (audit,) = shop.run(audit_numbers, serie="F")
    standings = [line.standing for line in audit.lines]
    assert standings.count("retired") == 1
    assert audit.is_explained
    page = page_of(shop, [audit])
    assert any("refused" in str(row[2]) for row in page.sections[1].rows)


def test_somebody_else_on_the_serie_is_noticed(shop):
    shop.processed(2)
    shop.post_as_somebody_else(number=7)
    (audit,) = shop.run(audit_numbers)
    assert audit.problem is not None
    assert audit.problem.code == "serie.ahead"
    assert not audit.is_explained
    assert page_of(shop, [audit]).alarms


def test_the_workbook_holds_every_number(shop):
    shop.processed(3)
    audits = shop.run(audit_numbers)
    with shop.desk() as desk:
        path = write_audit(desk, audits)
    assert path.parent == shop.home / "outbox"
    assert path.stat().st_size > 3_000


@pytest.mark.parametrize("asked", [{"serie": "Z"}, {"emitter_cnpj": "99000002000148"}])
def test_a_serie_that_nobody_used(shop, asked):
    shop.processed(1)
    with pytest.raises(FaturistaError) as caught:
        shop.run(audit_numbers, **asked)
    assert caught.value.problem.code == "audit.no_serie"
