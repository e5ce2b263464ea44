"""Forgetting a person: contacts and unbilled rows are erased; issued invoices, numbers and the journal stay."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
import sqlalchemy as sa

from connectors.ledger import files as ledger_files
from connectors.ledger import parties, tables
from connectors.ledger.backup.verify import verify
from connectors.ledger.persons.holdings import holdings_of
from domain.competence import BRASILIA
from domain.documents import Document
from domain.problems import FaturistaError
from tasks.contracts.changes import end_contract
from tasks.contracts.plans import apply_contracts, plan_contracts
from tasks.corrections.file_names import CORRECTIONS, answer_paths
from tasks.persons.export import JSON_FILE, export_person
from tasks.persons.forget import forget_person
from tasks.stations.report import report_outcome
from tests.tasks.backup.months import closed, detached
from tests.tasks.contracts.sheets import contract, write_contracts
from tests.tasks.persons.people import ANA, MAIL, PHONE, billed, erasures, finished, refused_row, sheet, whole_ledger
from tests.tasks.rows import RIO
from tests.tasks.store import sales

pytestmark = pytest.mark.both_databases


def forget(shop, document=ANA):
    with shop.context() as context:
        return forget_person(context, document, person="dpo", because="asked on 1 December")


def test_contacts_and_unbilled_rows_go_and_invoices_stay(each_shop):
    shop = each_shop
    batch = finished(shop)
    reading = refused_row(shop)
    before = shop.notes(batch)
    done = forget(shop)
    left = whole_ledger(shop)
    assert MAIL not in left
    assert PHONE not in left
    assert "Ana Recusada" not in left
    assert shop.notes(batch) == before
    (row,) = shop.rows(reading)
    assert (row.cells, row.line, [each.code for each in row.problems]) == ({}, None, ["amount.unreadable"])
    assert [each.code for each in done.retained] == ["person.kept_invoice", "person.kept_outbox", "person.kept_copies"]
    assert done.retained[0].params["until"] == f"01/01/{datetime.now(UTC).astimezone(BRASILIA).year + 6}"
    (ours, theirs) = shop.read(
        lambda conn: conn.execute(sa.select(tables.takers).order_by(tables.takers.c.document)).all()
    )
    assert (ours.document, ours.name) == (ANA.number, "Tomador 11 Ltda")
    # The next bill reads the register again, which still has the e-mail, before it says that it has none.
    since = datetime.now(UTC) - timedelta(days=31)
    documents = [ANA.number, theirs.document]
    assert shop.read(parties.taker_ids, documents, ours.issuer, since=since).keys() == {theirs.document}
    assert theirs.name == "Tomador 12 Ltda"


def test_the_file_of_a_detached_month_is_named_to_both(each_shop):
    shop = each_shop
    finished(shop)
    closed(shop)
    (file,) = detached(shop)
    with shop.context() as context:
        done = export_person(context, ANA)
    assert json.loads((done.folder / JSON_FILE).read_text(encoding="utf-8"))["detached"] == [file.name]
    retained = {each.code: each.params for each in forget(shop).retained}
    assert retained["person.kept_detached"] == {"file": file.name}


def test_a_person_whose_contract_runs_is_not_forgotten(shop, tmp_path):
    finished(shop)
    row = contract(1, **{"CNPJ/CPF": ANA.number})
    with shop.context() as context:
        apply_contracts(
            context, plan_contracts(context, write_contracts(tmp_path / "c.csv", [row])), person="x", because="x"
        )
    with pytest.raises(FaturistaError) as refused:
        forget(shop)
    assert [each.code for each in refused.value.details] == ["person.open_contract"]
    with shop.context() as context:
        end_contract(context, "C-1", last_on=date(2026, 1, 31), person="x", because="x")
    assert forget(shop).counts["takers"] == 1
    assert len(shop.read(holdings_of, ANA).tables["contracts"]) == 2


def test_the_journal_is_untouched_and_the_erasure_is_noted(each_shop):
    shop = each_shop
    finished(shop)
    refused_row(shop)
    before = shop.read(lambda conn: conn.execute(sa.select(tables.events)).all())
    forget(shop)
    assert shop.read(lambda conn: conn.execute(sa.select(tables.events)).all()) == before
    assert shop.read(verify).is_sound
    (noted,) = erasures(shop)
    assert (noted["what"], noted["done_by"], noted["counts"]) == ("erased", "dpo", {"rows": 2, "takers": 1})
    assert ANA.number not in json.dumps(noted, default=str)
    assert noted["head"] == str(shop.read(verify).head)


def test_forgetting_twice_changes_nothing_more(shop):
    finished(shop)
    refused_row(shop)
    forget(shop)
    rows_then = shop.read(lambda conn: conn.execute(sa.select(tables.rows)).all())
    forget(shop)
    assert shop.read(lambda conn: conn.execute(sa.select(tables.rows)).all()) == rows_then


def test_a_person_never_billed_leaves_no_trace(shop):
    refused_row(shop, text=f" {ANA.number} ")
    forget(shop)
    assert ANA.number not in whole_ledger(shop)
    with pytest.raises(FaturistaError) as caught:
        forget(shop)
    assert caught.value.problem.code == "person.unknown"


def test_a_person_who_returns_is_forgotten_again(each_shop):
    shop = each_shop
    taker = {
        "issuer": "nfse",
        "document": ANA.number,
        "remote_id": 7,
        "name": "Ana",
        "body": {"email": MAIL},
        "is_complete": True,
    }
    for _ in range(2):
        shop.write(parties.upsert_taker, **taker)
        assert forget(shop).counts["takers"] == 1
    assert ANA.number not in whole_ledger(shop)


def test_an_invoice_under_way_refuses_the_whole_request(shop):
    billed(shop)
    refused_row(shop)
    before = whole_ledger(shop)
    with pytest.raises(FaturistaError) as caught:
        forget(shop)
    assert caught.value.problem.code == "person.under_way"
    assert [each.code for each in caught.value.details] == ["person.open_invoice"]
    assert whole_ledger(shop) == before


def test_our_own_company_is_not_forgotten(shop):
    finished(shop)
    with pytest.raises(FaturistaError) as caught:
        forget(shop, Document("cnpj", RIO))
    assert caught.value.problem.code == "person.is_emitter"


def test_events_hold_no_personal_data(shop):
    finished(shop)
    refused_row(shop)
    reasons = shop.read(lambda conn: [*conn.execute(sa.select(tables.events.c.because)).scalars()])
    attempts = shop.read(lambda conn: [str(row) for row in conn.execute(sa.select(tables.attempts))])
    for secret in (ANA.number, ANA.formatted, "Tomador", "Recusada", MAIL, PHONE):
        assert not [each for each in (*reasons, *attempts) if secret in each]


def test_the_archived_sheet_is_deleted_and_outcome_rewritten(shop):
    file_id, path = sheet(shop, b"a sheet with Ana")
    refused_row(shop, file_id=file_id)
    with shop.context() as context:
        outcome = report_outcome(context, file_id)
    before = outcome.read_bytes()
    assert forget(shop).files == 1
    assert not path.exists()
    assert outcome.read_bytes() != before


def test_another_machine_forgets_what_only_the_store_has(shop, tmp_path):
    store = tmp_path / "store"
    shop.set(STORE__URL=f"file://{store}")
    file_id, path = sheet(shop, b"a sheet with Ana")
    refused_row(shop, file_id=file_id)
    with shop.context() as context:
        outcome = report_outcome(context, file_id)
        file = context.ledger.read(ledger_files.find_file, file_id=file_id)
        (name, *_) = (each.name for each in answer_paths(context, file, None, CORRECTIONS))
    (shared,) = (store / "outbox").iterdir()
    before = shared.read_bytes()
    corrections = shared.with_name(name)
    corrections.write_bytes(b"Ana's row")
    path.unlink()
    outcome.unlink()
    assert forget(shop).files == 2
    assert not [each for each in (store / "archive").rglob("*") if each.is_file()]
    assert not corrections.exists()
    assert shared.read_bytes() != before


def test_a_customer_of_products_is_found_in_the_invoice(store):
    store.processed(1)
    (sale,) = sales(1)
    document = sale.taker.document
    held = store.read(holdings_of, document)
    assert [len(held.tables[name]) for name in ("takers", "rows", "invoices")] == [0, 1, 1]
    assert not held.never_billed
