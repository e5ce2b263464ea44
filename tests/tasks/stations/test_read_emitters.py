"""One file for two companies: the bytes bill for the company that was asked for first, while anything of it stands."""

from pathlib import Path

import pytest

from connectors.ledger import rows
from domain.problems import InputError
from tasks.issuance.decide import decide_batch
from tasks.issuance.discard import discard_batch
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file, read_without_storing
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tasks.stations.stage import stage_batch
from tests.tasks.dropped_sheets import cells, write_sheet
from tests.tasks.rows import RIO, SAO_PAULO
from tests.tasks.workshop import Workshop


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Write two rows without an emitter, of which the second names an unknown template."""
    no_emitter = {"CNPJ Emitente": ""}
    return write_sheet(tmp_path / "mes.csv", [cells(1, **no_emitter), cells(2, Modelo="Errado", **no_emitter)])


def read(shop: Workshop, path: Path, emitter: str | None) -> int:
    with shop.context() as context:
        options = ReadingOptions(operator="Ana", emitter_cnpj=emitter)
        return read_file(context, archive_file(context, path), options)[0]


def refusal(shop: Workshop, path: Path, emitter: str) -> dict[str, str | int]:
    with pytest.raises(InputError) as caught:
        read(shop, path, emitter)
    with shop.context() as context, pytest.raises(InputError) as forecast:
        read_without_storing(context, path, ReadingOptions(operator="Ana", emitter_cnpj=emitter))
    assert caught.value.problem == forecast.value.problem
    assert caught.value.problem.code == "file.of_other_emitter"
    return dict(caught.value.problem.params)


def test_another_company_is_refused_while_an_invoice_stands(each_shop: Workshop, sheet: Path):
    shop = each_shop
    first = read(shop, sheet, RIO)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, first)
    found = refusal(shop, sheet, SAO_PAULO)
    assert found == {"name": "Marés Consultoria Ltda", "cnpj": "99.000.001/0001-01", "asked": "99.000.002/0001-48"}
    # the same company, and no company, are read as before
    for emitter in (RIO, None):
        assert [row.row_number for row in shop.rows(read(shop, sheet, emitter))] == [5]


def test_a_reading_that_stopped_keeps_its_rows_for_its_company(each_shop: Workshop, sheet: Path):
    shop = each_shop
    first = read(shop, sheet, RIO)
    refusal(shop, sheet, SAO_PAULO)
    assert shop.read(rows.count_rows, first) == {"read": 2}
    assert read(shop, sheet, RIO) == first


def test_another_company_is_read_once_nothing_stands(each_shop: Workshop, sheet: Path):
    shop = each_shop
    first = read(shop, sheet, RIO)
    for station in (resolve_rows, assemble_rows):
        shop.run(station, first)
    (batch,) = shop.batches()
    shop.run(stage_batch, batch.id)
    refusal(shop, sheet, SAO_PAULO)
    with shop.context() as context:
        decide_batch(context, batch.id, "discard", person="Ana", because="the wrong folder")
    shop.run(discard_batch, batch.id)
    assert len(shop.rows(read(shop, sheet, SAO_PAULO))) == 2
