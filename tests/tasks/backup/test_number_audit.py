"""The audit at a real provider: it explains all numbers or names the others, on the screen and in the workbook."""

from dataclasses import replace

import openpyxl
import pytest

from domain.number_audit import Absence, Gap
from domain.problems import FaturistaError
from tasks.backup.number_audit import audit_numbers, audit_page, write_audit
from tasks.backup.restore_check import compare_restored, lift_quarantine
from tasks.issuance.decide import start_serie
from tasks.stations.stage import stage_batch
from tests.tasks.backup.test_restore_check import copied, restored
from tests.tasks.rows import lines
from tests.tasks.workshop import fault


def page_of(shop, audits):
    with shop.context() as context:
        return audit_page(context.catalogue, audits)


def test_a_month_that_went_well_is_explained(shop):
    shop.processed(3)
    (audit,) = shop.run(audit_numbers)
    assert audit.is_explained
    assert [line.explanation for line in audit.lines] == ["living"] * 3
    assert audit.latest == 3
    page = page_of(shop, [audit])
    assert not page.alarms
    assert page.lists[0].rows[0][0] == 1


def test_a_single_number_is_no_span(shop):
    shop.processed(1)
    (audit,) = shop.run(audit_numbers)
    page = page_of(shop, [audit])
    assert "1" in page.sections[0].rows[0]
    assert "1–1" not in page.sections[0].rows[0]


def test_refused_and_discarded_numbers_have_their_reason(shop):
    batch = shop.planned(3)
    shop.forget_taker(1)
    shop.run(stage_batch, batch)
    (audit,) = shop.run(audit_numbers, serie="F")
    explanations = [line.explanation for line in audit.lines]
    assert explanations.count("retired") == 1
    assert audit.is_explained
    page = page_of(shop, [audit])
    (reason,) = (row[2] for row in page.sections[1].rows)
    assert "Tomador não encontrado" in str(reason)


def test_somebody_else_on_the_serie_is_noticed(shop):
    shop.processed(2)
    shop.post_as_somebody_else(number=7)
    (audit,) = shop.run(audit_numbers)
    assert audit.problem is not None
    assert audit.problem.code == "serie.ahead"
    assert not audit.is_explained
    page = page_of(shop, [audit])
    assert page.alarms
    assert not any("no sign" in line for line in page.lines)


def test_the_workbook_holds_every_number(shop):
    shop.processed(3)
    audits = shop.run(audit_numbers)
    with shop.context() as context:
        path = write_audit(context, audits)
    assert path.parent == shop.home / "outbox"
    assert path.stat().st_size > 3_000


def test_a_row_billed_again_in_another_file_is_replaced(shop):
    shop.sandbox.switch(rejection_share=1)
    shop.processed(2)
    shop.assembled(*lines(2), retry_rejected=True)
    (audit,) = shop.run(audit_numbers)
    assert [(line.explanation, line.replaced_by) for line in audit.lines] == [
        ("replaced", "F-3"),
        ("replaced", "F-4"),
        ("living", ""),
        ("living", ""),
    ]


def test_a_city_says_why_a_number_is_out_of_use(shop):
    shop.processed(1)
    (audit,) = shop.run(audit_numbers)
    found = [{"code": f"E{n}", "description": "Inscrição não confere."} for n in range(12)]
    dead = [replace(line, because="rejected: seen", errors=[each]) for each in found for line in audit.lines]
    (section,) = (each for each in page_of(shop, [replace(audit, lines=dead)]).sections[1:] if each.rows)
    assert section.rows[0][2] == "E0: Inscrição não confere."
    assert (len(section.rows), "2 more" in section.note) == (10, True)


def test_without_the_provider_numbers_are_still_explained(shop):
    shop.processed(1)
    shop.lock_out()
    with shop.context() as context:
        start_serie(context, emitter_cnpj=lines(1)[0].emitter_cnpj or "", serie="G", start=1, person="Ana")
    audits = shop.run(audit_numbers)
    assert [(audit.are_numbers_explained, audit.is_explained, audit.is_asked) for audit in audits] == [
        (True, False, False)
    ] * 2
    page = page_of(shop, audits)
    assert len(page.alarms) == 1
    assert any("NFSe F (99000001000101), NFSe G" in line for line in page.lines)


def test_without_evidence_no_serie_is_called_ours_alone(store):
    store.processed(1)
    store.without_extensions()
    audits = store.run(audit_numbers)
    assert all(audit.is_explained for audit in audits)
    assert any("not known" in line for line in page_of(store, audits).lines)


def test_doubts_are_counted(shop):
    batch = shop.planned(3)
    shop.sandbox.faults(fault("notes.create", "status_500", after=1, count=99))
    shop.run(stage_batch, batch)
    shop.sandbox.faults()
    page = page_of(shop, shop.run(audit_numbers))
    assert any("doubt: 2" in line for line in page.lines)


def test_numbers_lost_with_the_ledger_are_reported_twice(shop):
    shop.processed(2)
    path = copied(shop)
    shop.staged(4)
    with restored(shop, path) as again:
        again.run(compare_restored)
        (audit,) = again.run(audit_numbers)
        assert audit.problem is not None
        assert audit.problem.code == "restore.serie_ahead"
        with again.context() as context:
            lift_quarantine(context, person="Ana", because="they stand in the provider's page")
        (audit,) = again.run(audit_numbers)
        assert audit.is_explained
        assert audit.gaps == [Gap(3, 4, Absence.LOST)]


def test_series_that_differ_in_letter_case_have_separate_sheets(shop):
    shop.processed(1)
    with shop.context() as context:
        start_serie(context, emitter_cnpj=lines(1)[0].emitter_cnpj or "", serie="f", start=1, person="Ana")
    shop.set(SERIES__DEFAULT="f")
    shop.assembled(*lines(1, first=9))
    audits = shop.run(audit_numbers)
    with shop.context() as context:
        book = openpyxl.load_workbook(write_audit(context, audits))
    assert len(book.sheetnames) == 3


@pytest.mark.parametrize("asked", [{"serie": "Z"}, {"emitter_cnpj": "99000002000148"}])
def test_an_audit_of_an_unused_serie_is_refused(shop, asked):
    shop.processed(1)
    with pytest.raises(FaturistaError) as caught:
        shop.run(audit_numbers, **asked)
    assert caught.value.problem.code == "audit.no_serie"
