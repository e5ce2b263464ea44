"""An invoice's history is found from either end, and lists every step and every request."""

import os
from collections.abc import Callable
from typing import Any

import pytest

from connectors.users import user_name
from domain.problems import FaturistaError
from domain.states import InvoiceState
from tasks.stations.stage import stage_batch
from tasks.views.trace import RowHistory, trace_nfse, trace_number, trace_remote, trace_row
from tests.tasks.rows import SAO_PAULO, line, lines
from tests.tasks.workshop import SHEET, Workshop, fault


def traced(shop: Workshop, trace: Callable[..., list[RowHistory]], **by: Any) -> list[RowHistory]:
    with shop.context() as context:
        return trace(context, **by)


def refused(shop: Workshop, trace: Callable[..., list[RowHistory]], **by: Any) -> str:
    with pytest.raises(FaturistaError) as raised:
        traced(shop, trace, **by)
    return raised.value.problem.code


def test_all_four_ways_lead_to_the_same_story(each_shop: Workshop):
    shop = each_shop
    batch = shop.processed(3)
    note = shop.notes(batch)[1]
    (by_number,) = traced(shop, trace_number, serie="F", number=2)
    (by_nfse,) = traced(shop, trace_nfse, nfse_number=note.nfse_number)
    (by_remote,) = traced(shop, trace_remote, remote_id=note.remote_id)
    (by_row,) = traced(shop, trace_row, file="mes-1.xlsx", sheet=None, row_number=6)
    assert by_number == by_nfse == by_remote == by_row
    assert (by_row.file_name, by_row.row.row_number, by_row.emitter_name) == (
        "mes-1.xlsx",
        6,
        "Marés Consultoria Ltda",
    )
    assert [each.id for each in by_row.invoices] == [note.id]


def test_every_step_is_listed_in_order(shop: Workshop):
    batch = shop.processed(1)
    (story,) = traced(shop, trace_number, serie="F", number=1)
    instants = [step.at for step in story.steps]
    assert instants == sorted(instants)
    by_what = {step.what.split()[0] for step in story.steps}
    assert by_what == {"file", "row", "invoice", "batch", "request"}
    assert story.steps[0].detail == "mes-1.xlsx, sent in by clerk"
    assert f"Approved → Being sent: about to send it, by {user_name(os.getuid())}" in {
        step.detail for step in story.steps
    }
    assert story.keys == [f"Verification code: {story.invoices[0].nfse_key}"]
    invoice = [step.detail.split(":")[0] for step in story.steps if step.what.startswith("invoice")]
    assert invoice[:4] == ["· → Draft", "Draft → Numbered", "Numbered → Being posted", "Being posted → Prepared"]
    assert invoice[-1].endswith("→ Accepted")
    assert any(step.detail == "post the note: done" for step in story.steps)
    assert {f"batch {batch}", f"row {story.row.row_number}"} < {step.what for step in story.steps}


def test_the_trace_is_in_the_operators_language(shop: Workshop):
    shop.set(LANGUAGE="pt_BR")
    batch = shop.processed(1)
    (story,) = traced(shop, trace_number, serie="F", number=1)
    assert {step.what.split()[0] for step in story.steps} == {"arquivo", "linha", "nota", "lote", "pedido"}
    details = [step.detail for step in story.steps]
    assert details[:2] == ["mes-1.xlsx, enviado por clerk", "· → Lida: lida da planilha"]
    assert "Preparada → Enviada: o lote foi enviado" in details
    assert batch


def test_a_doubt_is_listed_too(shop: Workshop):
    shop.sandbox.faults(fault("notes.create", "reset_before"))
    batch = shop.planned(1)
    shop.run(stage_batch, batch)
    shop.run_quiet(stage_batch, batch)
    assert shop.states(batch) == [InvoiceState.CREATED]
    (story,) = traced(shop, trace_number, serie="F", number=1)
    requests = [step.detail for step in story.steps if step.what.startswith("request")]
    assert requests == ["post the note: no answer", "post the note: done"]


def test_a_place_is_listed_once_for_each_reading(shop: Workshop):
    file = shop.file(77)
    first = shop.reading(line(1, template_name="Errado"), file_id=file)
    second = shop.reading(line(1), file_id=file)
    stories = traced(shop, trace_row, file=f"{77:064x}", sheet=SHEET, row_number=5)
    assert [story.row.reading_id for story in stories] == [first, second]
    assert traced(shop, trace_row, file="mes-77.xlsx", sheet=None, row_number=5) == stories
    assert all(story.emitter_name == "" for story in stories)


def test_a_number_is_listed_for_each_emitter_that_has_it(shop: Workshop):
    shop.assembled(line(1), line(2, emitter_cnpj=SAO_PAULO))
    stories = traced(shop, trace_number, serie="F", number=1)
    assert [story.emitter_name for story in stories] == ["Marés Consultoria Ltda", "Aurora Serviços Digitais S.A."]


def test_a_missing_subject_is_reported(shop: Workshop):
    shop.assembled(*lines(1))
    assert refused(shop, trace_row, file="other.xlsx", sheet=None, row_number=5) == "trace.no_file"
    assert refused(shop, trace_row, file="mes-1.xlsx", sheet=None, row_number=99) == "trace.no_row"
    assert refused(shop, trace_row, file="mes-1.xlsx", sheet="Outra", row_number=5) == "trace.no_row"
    assert refused(shop, trace_number, serie="F", number=99) == "trace.no_invoice"
    assert refused(shop, trace_number, serie="G", number=1) == "trace.no_invoice"
    assert refused(shop, trace_nfse, nfse_number="77") == "trace.no_invoice"
    assert refused(shop, trace_remote, remote_id=77) == "trace.no_invoice"
