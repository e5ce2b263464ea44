"""A person's month at the terminal: each command prints what it did and what to do next."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL

from connectors.ledger import certificates
from connectors.ledger.observations.patience import MOST_DOUBTS
from domain.competence import add_months
from domain.states import Entity, InvoiceState
from flows.os_account import account_name
from tasks.stations.stage import stage_batch
from tests.ageing import age
from tests.flows.terminal import Terminal
from tests.tasks.corrections.rounds import edited, put
from tests.tasks.dropped_sheets import HEADER_ROW, HEADERS, cells, write_sheet
from tests.tasks.held_back import hold_back
from tests.tasks.rows import RIO, SAO_PAULO, lines, this_month
from tests.tasks.store import Store
from tests.tasks.workshop import QUIET_S, Workshop, fault

pytestmark = [pytest.mark.prefect, pytest.mark.usefixtures("orchestrator")]


@pytest.fixture
def sheet(shop: Workshop, tmp_path: Path) -> Path:
    """Return a sheet with three good rows and a bad one; the profile approves nothing automatically."""
    shop.set(APPROVAL__AUTOMATIC="false")
    rows = [cells(1), cells(2, Modelo="Errado"), cells(3), cells(4, **{"CNPJ Emitente": SAO_PAULO})]
    return write_sheet(tmp_path / "novembro.csv", rows)


def test_commands_lead_from_a_sheet_to_the_citys_numbers(shop: Workshop, terminal: Terminal, sheet: Path):
    billed = terminal("bill", sheet)
    assert (billed.code, billed.errors.count("Traceback")) == (0, 0)
    assert "4 rows in the file: 3 taken, 0 held, 1 refused, 0 had an invoice already." in billed.output
    assert 'The template "Errado" does not exist for this company. 1 I5 Its templates are: ' in billed.output
    assert "faturista approve" in billed.output
    assert [batch.state for batch in shop.batches()] == ["staged", "staged"]

    status = terminal("status")
    assert "NFSe Marés" in status.output
    assert "approve: faturista approve" in status.output
    assert status.code == 0

    # The total of both is R$ 300,08.
    for typed in ("300,09\n", "\n"):
        wrong = terminal("approve", typed=typed)
        assert (wrong.code, "nothing was approved" in wrong.output) == (1, True)
    nobody = terminal("approve")
    assert (nobody.code, "no terminal to type it in" in nobody.errors) == (2, True)
    assert [batch.state for batch in shop.batches()] == ["staged", "staged"]
    one = terminal("approve", 1, typed="R$ 200,04\n")
    # The approver sees who dropped the file and its largest amounts.
    assert f"File {sheet.name}" in one.output
    assert f"sent by {account_name()}" in one.output
    assert "Largest amounts" in one.output
    assert "1 batch approved" in one.output
    assert [batch.state for batch in shop.batches()] == ["approved", "staged"]
    assert terminal("approve", typed="R$ 100,04\n").code == 0
    assert "No batch waits" in terminal("approve").output
    assert f"approved by {account_name()}" in shop.reasons(Entity.BATCH, 1)

    assert terminal("release").code == 0
    assert {note["was_sent"] for note in shop.there()} == {True}
    assert "requests per invoice" not in terminal("status").output
    done = terminal("reconcile", "--until-done")
    assert "Invoices accepted: 3 · rejected: 0 · total accepted: R$ 300,08" in done.output
    assert {note.state for batch in shop.batches() for note in shop.notes(batch.id)} == {InvoiceState.ACCEPTED}

    again = terminal("bill", sheet)
    assert "Nothing was issued" in again.output
    assert "1 refused, 3 had an invoice already" in again.output
    assert shop.asked("notes.create") == 3


def test_rows_that_the_city_rejected_are_counted_apart(shop: Workshop, terminal: Terminal, sheet: Path):
    shop.set(APPROVAL__AUTOMATIC="true")
    shop.sandbox.switch(rejection_share=1.0)
    terminal("bill", sheet)
    terminal("release")
    terminal("reconcile", "--until-done")
    again = terminal("bill", sheet)
    assert "0 taken, 0 held, 4 refused, 0 had an invoice already" in again.output
    assert 'Of the refused rows, 3 are in the outcome as "Rejected by the city"' in again.output


def test_a_sale_is_traced_in_its_own_words(store: Store, terminal: Terminal):
    store.planned(1)
    story = terminal("trace", "--rps", "1-1").output
    assert "NF-e of Marés" in story
    assert "serie 1, number 1" in story
    assert "RPS" not in story
    assert "NFSe" not in story


def test_a_sale_is_traced_by_its_access_key(store: Store, terminal: Terminal):
    (note,) = store.notes(store.processed(1))
    assert f"Access key: {note.nfse_key}" in terminal("trace", "--nfse", note.nfse_key).output


def test_an_invoice_is_traced_from_either_end(shop: Workshop, terminal: Terminal):
    batch = shop.processed(2)
    note = shop.notes(batch)[1]
    ways = (
        ("--rps", "F-2"),
        ("--nfse", note.nfse_number),
        ("--note", note.remote_id),
        ("--file", "mes-1.xlsx", "--row", 6),
        ("--file", "mes-1.xlsx", "--row", 6, "--sheet", "Faturamento"),
    )
    stories = {terminal("trace", *way) for way in ways}
    (story,) = stories
    assert story.code == 0
    for word in ("mes-1.xlsx", "Marés Consultoria Ltda", str(note.nfse_number), "R$ 100,02", "post the note: done"):
        assert word in story.output, word


def test_a_profile_that_approves_by_itself_says_so(shop: Workshop, terminal: Terminal, sheet: Path):
    shop.set(APPROVAL__AUTOMATIC="true")
    billed = terminal("bill", sheet)
    assert "Profile local approves by itself" in billed.output
    assert {batch.state for batch in shop.batches()} == {"approved"}


def test_a_certificate_that_ends_soon_holds_the_bill(shop: Workshop, terminal: Terminal, sheet: Path):
    shop.write(certificates.enter, "nfse", RIO, ends_at=datetime.now(UTC) + timedelta(minutes=30), by="Ana")
    billed = terminal("bill", sheet)
    assert (billed.code, billed.output.count("nothing is sent for it")) == (1, 1), billed
    assert [batch.state for batch in shop.batches()] == ["planned", "staged"]


def test_a_stopped_batch_holds_every_companys_bill(shop: Workshop, terminal: Terminal, tmp_path: Path):
    stopped, _ = hold_back(shop)
    billed = terminal("bill", write_sheet(tmp_path / "outra.csv", [cells(7, **{"CNPJ Emitente": SAO_PAULO})]))
    swept = terminal("reconcile")
    assert (billed.code, swept.code) == (1, 0), billed
    for shown in (billed, swept):
        assert f"then faturista decide {stopped}" in shown.output
        assert "Waiting: batches 2, 3." in shown.output
    (story,) = {terminal("trace", "--file", "outra.csv", "--row", "4").output}
    assert f"then faturista decide {stopped}" in story


def test_the_operators_options_fill_silent_rows(shop: Workshop, terminal: Terminal, tmp_path: Path):
    silent = {"CNPJ Emitente": "", "Competência": ""}
    sheet = write_sheet(tmp_path / "mes.csv", [cells(1, **silent)])
    assert "0 taken, 0 held, 1 refused" in terminal("bill", sheet).output
    month = f"{this_month():%Y-%m}"
    ended = terminal("bill", sheet, "--emitter", "99.000.002/0001-48", "--competence", month)
    assert ended.code == 0
    (batch,) = shop.batches()
    assert (batch.count, f"{batch.competence:%Y-%m}") == (1, month)
    assert "Aurora" in ended.output


def test_one_sheet_of_contracts_is_billed_month_by_month(shop: Workshop, terminal: Terminal, tmp_path: Path):
    shop.set(APPROVAL__AUTOMATIC="false")
    sheet = write_sheet(tmp_path / "contratos.csv", [cells(n, Competência="") for n in (1, 2)])
    month, before = this_month(), add_months(this_month(), -1)
    for competence in (before, month):
        billed = terminal("bill", sheet, "--competence", f"{competence:%Y-%m}")
        assert "2 rows in the file: 2 taken, 0 held, 0 refused, 0 had an invoice already" in billed.output
        assert f"{competence:%m/%Y}" in billed.output
    assert sorted((batch.competence, batch.count) for batch in shop.batches()) == [(before, 2), (month, 2)]
    for competence in (month, before):
        again = terminal("bill", sheet, "--competence", f"{competence:%Y-%m}")
        assert f"no good row of this file is without an invoice for {competence:%m/%Y}" in again.output
    assert len(shop.batches()) == 2


def test_a_disturbed_batch_is_shown_and_decided(shop: Workshop, terminal: Terminal, sheet: Path):
    shop.sandbox.faults(fault("notes.create", "altered", fields={"batch_id": None}))
    billed = terminal("bill", sheet)
    assert "differs in batch" in " ".join(billed.output.split())
    shown = terminal("status")
    assert "A person has to compare the batch" in shown.output
    (stopped,) = [batch for batch in shop.batches() if batch.state == "disturbed"]
    decided = terminal("decide", stopped.id, "open", "--because", "it is in its batch")
    assert (decided.code, f"batch {stopped.id}" in decided.output) == (0, True)
    terminal("reconcile")
    assert {batch.state for batch in shop.batches()} == {"staged"}


def test_a_note_that_nobody_finds_is_decided(shop: Workshop, terminal: Terminal):
    shop.sandbox.faults(fault("notes.create", "reset_before", after=1, count=MOST_DOUBTS))
    batch = shop.planned(2)
    shop.run(stage_batch, batch)
    for _ in range(MOST_DOUBTS):
        shop.write(age, 20 * QUIET_S)
        shop.run(stage_batch, batch)
    note = next(note.id for note in shop.notes(batch) if note.state is InvoiceState.UNRESOLVED)
    because = ("--because", "seen in the page")
    assert terminal("decide-note", note, "accepted", *because).code == 2
    assert terminal("decide-note", note, "accepted", *because, "--provider-id", 900).code == 0
    assert next(each.state for each in shop.notes(batch) if each.id == note) is InvoiceState.ACCEPTED


def test_a_serie_in_use_is_reported_and_started(shop: Workshop, terminal: Terminal, sheet: Path):
    shop.post_as_somebody_else(number=41)
    billed = terminal("bill", sheet)
    assert billed.code == 2
    assert "already used by another system (last number: 41)" in billed.errors
    assert terminal("start-serie", RIO, "F", 42).code == 0
    assert terminal("bill", sheet).code == 0
    assert {note["number"] for note in shop.there() if note["batch_id"]} == {42, 43, 1}


def test_the_doctor_finds_all_well_or_says_what_is_not(shop: Workshop, terminal: Terminal):
    shop.set(PRODUCTS__BASE_URL=shop.sandbox.base_url, ORDERS__BASE_URL=shop.sandbox.base_url)
    well = terminal("doctor")
    assert well.code == 0, well.output
    assert all(f"ok {what}" in well.output for what in ("versions", "settings", "ledger", "provider", "account"))
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    ill = terminal("doctor")
    assert ill.code == 1
    assert "!! provider: The service (of invoices, or of orders) could not be reached" in ill.output


def test_nobody_answering_is_a_sentence_that_says_what_to_start(
    shop: Workshop, terminal: Terminal, sheet: Path, monkeypatch: pytest.MonkeyPatch
):
    """Run it in a separate process, since its libraries would write the traceback."""
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    monkeypatch.setenv("PREFECT_API_URL", PREFECT_API_URL.value())
    ended = terminal.aside("bill", sheet)
    assert ended.code == 3, ended
    assert "could not be reached" in ended.errors
    assert "faturista sandbox" in ended.errors
    assert "Traceback" not in ended.errors, ended.errors
    # Once the server is there, billing again continues.
    shop.set(NFSE__BASE_URL=shop.sandbox.base_url)
    assert terminal("bill", sheet).code == 0
    assert len(shop.there()) == 3


def test_several_stopped_batches_give_no_traceback(shop: Workshop, terminal: Terminal):
    for first in (1, 11):
        (batch,) = shop.assembled(*lines(1, first=first))[1]
        shop.run(stage_batch, batch)
    shop.approve()
    shop.set(NFSE__BASE_URL="http://127.0.0.1:9")
    ended = terminal("reconcile")
    assert ended.code == 3
    assert ended.errors.count("could not be reached") == 1


def test_text_from_a_sheet_is_no_markup(shop: Workshop, terminal: Terminal, tmp_path: Path):
    sheet = write_sheet(tmp_path / "[bold]mes[b].csv", [cells(1, Modelo="[red]Errado[/]")])
    assert "[red]Errado[/]" in terminal("bill", sheet).output


@pytest.mark.usefixtures("shop")
def test_bill_and_preview_report_each_thing_once(terminal: Terminal, tmp_path: Path):
    held = [*cells(2), "CANCELADO", "abc"]
    total = ["TOTAL" if header == "CNPJ/CPF" else "99,00" if header == "Valor" else "" for header in HEADERS]
    rows = [[*cells(1), "ativo", "abc"], held, [*cells(3, Valor="x"), "ativo", "abc"], [*total, "", ""]]
    sheet = write_sheet(tmp_path / "mes.csv", rows, headers=(*HEADERS, "Situação", "Rascunho"))
    for command in ("preview", "bill"):
        output = terminal(command, sheet).output
        for text in ('says "CANCELADO"', "but the rows add up to", "was not used", '"x" is not an amount'):
            assert output.count(text) == 1, f"{command}: {text}"


def test_failing_rows_go_back_and_come_back(shop: Workshop, terminal: Terminal, sheet: Path, tmp_path: Path):
    billed = terminal("bill", sheet)
    (back,) = (tmp_path / "outbox").glob("novembro-*-to-correct.xlsx")
    assert f"1 row came back to be corrected: {back}" in billed.output
    assert "only XLSX and XLSM" in billed.output
    mended = edited(back, tmp_path / "corrigido.xlsx", put("Modelo", "Mensalidade Sistema", HEADER_ROW + 1))
    assert "1 row in the file: 1 taken, 0 held, 0 refused" in terminal("bill", mended).output
    outcome = terminal("report", "outcome", sheet).output
    assert "came back" not in outcome
    assert not back.exists()
    story = terminal("trace", "--file", sheet.name, "--row", HEADER_ROW + 2).output
    assert "Corrected in corrigido.xlsx, sheet CSV, row 4" in story
    story = terminal("trace", "--file", "corrigido.xlsx", "--row", HEADER_ROW + 1).output
    assert f"Corrects row {HEADER_ROW + 2} of novembro.csv" in story


@pytest.mark.usefixtures("shop")
def test_failing_rows_come_back_without_the_options_of_their_first_bill(terminal: Terminal, tmp_path: Path):
    """Emitter, month and template came with the command: the workbook to correct has no columns of them."""
    kept = [place for place, name in enumerate(HEADERS) if name not in ("CNPJ Emitente", "Modelo", "Competência")]
    rows = [[row[place] for place in kept] for row in (cells(1), cells(2, Valor="x"))]
    sheet = write_sheet(tmp_path / "mes.csv", rows, headers=[HEADERS[place] for place in kept])
    month, template = f"{this_month():%Y-%m}", "Mensalidade Sistema"
    billed = terminal("bill", sheet, "--emitter", RIO, "--competence", month, "--template", template)
    (back,) = (tmp_path / "outbox").glob("mes-*-to-correct.xlsx")
    assert "send that same file with faturista bill, without options" in billed.output
    mended = edited(back, tmp_path / "corrigido.xlsx", put("Valor", "55,00", HEADER_ROW + 1))
    other = f"{add_months(this_month(), -1):%Y-%m}"
    seen = terminal("preview", mended, "--competence", other)
    assert "The row corrects one that was read with" in seen.output
    output = terminal("bill", mended).output
    assert "1 row in the file: 1 taken, 0 held, 0 refused" in output
    assert "of their first reading:" in output


def test_a_workbook_to_fill_in_that_nobody_filled_in(shop: Workshop, terminal: Terminal, tmp_path: Path):
    written = terminal("template", "services", "--output", tmp_path / "novembro.xlsx")
    assert f"Workbook to fill in: {tmp_path / 'novembro.xlsx'}" in written.output
    dropped = terminal("bill", tmp_path / "novembro.xlsx")
    assert dropped.code == 2
    assert "The sheet is still blank" in dropped.errors
    again = terminal("template", "services", "--output", tmp_path / "novembro.xlsx")
    assert (again.code, "may have been filled in" in again.errors) == (2, True)
