"""One zip by month and emitter: its content, the missing documents, and never half a file."""

import zipfile
from pathlib import Path

import pytest

from domain.problems import FaturistaError
from tasks.documents.export import export_month
from tasks.documents.fetch import fetch_batch
from tasks.documents.stored_documents import all_documents, documents_by_month
from tests.tasks.rows import RIO, SAO_PAULO, line, this_month
from tests.tasks.workshop import Workshop, fault


def exported(shop: Workshop) -> list[tuple[str, int, int]]:
    with shop.context() as context:
        return [(each.cnpj, each.count, each.missing) for each in export_month(context, this_month())]


def test_each_emitter_has_its_zip_with_an_index(shop: Workshop):
    batch = shop.processed(2)
    shop.run(fetch_batch, batch)
    assert exported(shop) == [(RIO, 4, 0)]
    with shop.context() as context:
        (one,) = export_month(context, this_month(), cnpj=RIO)
        with pytest.raises(FaturistaError, match=r"documents\.nothing"):
            export_month(context, this_month(), cnpj=SAO_PAULO)
    first = one.path.read_bytes()
    with zipfile.ZipFile(one.path) as package:
        names = package.namelist()
        assert sum(name.startswith("nfse/xml/F-") for name in names) == 2
        assert "faltam.csv" not in names
        index = package.read("indice.csv").decode("utf-8-sig")
    assert len(index.splitlines()) == 5
    with shop.context() as context:
        assert export_month(context, this_month())[0].path.read_bytes() == first


@pytest.mark.both_databases
def test_a_citys_number_chooses_no_folder_and_runs_nowhere(each_shop: Workshop):
    shop = each_shop
    batch = shop.sent(1)
    page = shop.sandbox.call("GET", f"/api/v1/batches/{shop.remote(batch)}/nfse")[1]
    ended = [{**page["collection"][0], "status": "accepted", "nfse_number": "=../../2026/7"}]
    shop.sandbox.faults(fault("batches.notes", "altered", fields={"collection": ended}))
    shop.follow(batch)
    shop.run(fetch_batch, batch)
    with shop.context() as context:
        (one,) = export_month(context, this_month())
    with zipfile.ZipFile(one.path) as package:
        assert set(package.namelist()) == {
            "nfse/pdf/F-1-nota-2026-7.pdf",
            "nfse/xml/F-1-nota-2026-7.xml",
            "indice.csv",
        }
        assert ";'=../../2026/7;" in package.read("indice.csv").decode("utf-8-sig")


def test_gaps_and_damaged_files_are_listed(shop: Workshop):
    batch = shop.processed(1)
    assert exported(shop) == [(RIO, 0, 2)]
    shop.run(fetch_batch, batch)
    (path,) = (shop.home / "documents").rglob("*.xml")
    path.write_bytes(b"<nfse>outra</nfse>")
    with shop.context() as context:
        (one,) = export_month(context, this_month())
        (month,) = documents_by_month(all_documents(context))
    assert (one.count, one.missing, month.stored) == (1, 1, 2)
    with zipfile.ZipFile(one.path) as package:
        assert "is not what was received" in package.read("faltam.csv").decode("utf-8-sig")


def test_a_folder_that_cannot_be_written_to_is_a_sentence(shop: Workshop, tmp_path: Path):
    shop.processed(1)
    blocked = tmp_path / "outbox-file"
    blocked.write_text("no folder")
    shop.set(PATHS__OUTBOX=blocked)
    with pytest.raises(FaturistaError, match=r"documents\.cannot_write"):
        exported(shop)


def test_two_emitters_stay_apart(shop: Workshop):
    _, batches = shop.assembled(line(1), line(2, emitter_cnpj=SAO_PAULO))
    assert len(batches) == 2
    with shop.context() as context:
        assert all_documents(context) == []
