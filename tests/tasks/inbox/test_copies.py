"""Copies of one file in several folders: each is answered, and no row is billed twice or mixed between companies."""

import asyncio
import shutil
from pathlib import Path

import pytest

from connectors.inbox.drops import dropped_files
from domain.competence import add_months
from domain.staff import Actor
from flows.runner import DirectRunner
from flows.sweep_inbox import sweep_inbox
from tasks.inbox.question import answer_question
from tasks.stations.assemble import assemble_rows
from tasks.stations.resolve import resolve_rows
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import RIO, SAO_PAULO, this_month
from tests.tasks.workshop import PROFILE, Workshop

WITHOUT_EMITTER = {"CNPJ Emitente": ""}


def drop(shop: Workshop, folder: str, source: Path) -> None:
    """Drop a copy into a folder and sweep the inbox."""
    shop.set(INBOX__SETTLE_S="0.01", INBOX__ANSWER_EVERY_S="0")
    inbox = shop.home / "inbox"
    (inbox / folder).mkdir(parents=True, exist_ok=True)
    shutil.copy(source, inbox / folder / "mes.csv")
    asyncio.run(sweep_inbox(DirectRunner(), profile=PROFILE))
    assert dropped_files(inbox) == []


def note(shop: Workshop, folder: str, end: str) -> str:
    (path,) = (shop.home / "outbox").glob(f"{folder.replace('/', '-')}-mes-*-{end}.txt")
    return path.read_text(encoding="utf-8-sig")


def emitters_billed(shop: Workshop) -> list[int]:
    return [each.emitter_id for batch in shop.batches() for each in shop.notes(batch.id)]


@pytest.mark.both_databases
def test_a_copy_for_another_company_comes_back_with_the_reason(each_shop: Workshop, tmp_path: Path):
    shop = each_shop
    mes = write_sheet(tmp_path / "mes.csv", [cells(1, **WITHOUT_EMITTER), cells(2, Modelo="Errado", **WITHOUT_EMITTER)])
    drop(shop, RIO, mes)
    assert len(emitters_billed(shop)) == 1
    drop(shop, SAO_PAULO, mes)
    text = note(shop, SAO_PAULO, "refused")
    assert all(part in text for part in (f"{SAO_PAULO}/mes.csv", "99.000.001/0001-01", "99.000.002/0001-48"))
    assert "Nothing of this copy was billed" in text
    (back,) = (shop.home / "outbox").glob(f"{SAO_PAULO}-mes-*.csv")
    assert back.read_bytes() == mes.read_bytes()
    assert len(emitters_billed(shop)) == 1
    # the way that the note shows: the same rows, with the company in the sheet
    paulo = write_sheet(tmp_path / "paulo.csv", [cells(1, **{"CNPJ Emitente": SAO_PAULO})])
    drop(shop, SAO_PAULO, paulo)
    assert len(emitters_billed(shop)) == 1
    with shop.context() as context:
        reading = answer_question(context, paulo, "additional", actor=Actor("Bia"), because="both serve it").reading
    for station in (resolve_rows, assemble_rows):
        shop.run(station, reading)
    assert len(set(emitters_billed(shop))) == len(emitters_billed(shop)) == 2


def test_a_copy_of_another_sender_names_what_it_equals(shop: Workshop, tmp_path: Path):
    mes = write_sheet(tmp_path / "mes.csv", [cells(1), cells(2, Modelo="Errado")])
    drop(shop, "Ana", mes)
    assert not [*(shop.home / "outbox").glob("*.txt")]
    drop(shop, "Beto", mes)
    text = note(shop, "Beto", "received-before")
    assert all(part in text for part in ("Beto/mes.csv", "sender Ana", "Nothing was billed from this copy"))
    assert "1 row has an invoice already and was not billed again" in text
    assert len(emitters_billed(shop)) == 1


def test_a_copy_for_another_month_counts_what_was_taken(shop: Workshop, tmp_path: Path):
    mes = write_sheet(tmp_path / "mes.csv", [cells(1, Competência="")])
    now, before = this_month(), add_months(this_month(), -1)
    drop(shop, f"{now:%Y-%m}", mes)
    drop(shop, f"{before:%Y-%m}", mes)
    text = note(shop, f"{before:%Y-%m}", "received-before")
    assert f"competence {now:%m/%Y}" in text
    assert "From this copy 1 row was taken" in text
    assert len(emitters_billed(shop)) == 2


def test_a_company_named_by_the_rows_needs_no_folder(shop: Workshop, tmp_path: Path):
    mes = write_sheet(tmp_path / "mes.csv", [cells(1)])
    drop(shop, "", mes)
    drop(shop, SAO_PAULO, mes)
    assert "Nothing was billed from this copy" in note(shop, SAO_PAULO, "received-before")
    assert len(emitters_billed(shop)) == 1
