"""Persons for tests: one with a billed row, contacts and a refused row, and a second one."""

import json
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from connectors.ledger import files, tables
from connectors.ledger.rows import NewRow, pack_new_row
from connectors.ledger.sheets.row_import import store_reading
from connectors.spreadsheets.archive import archive
from domain.keys import file_digest
from domain.problems import Problem
from tasks.stations.release import release_batch
from tasks.stations.stage import stage_batch
from tests.tasks.rows import company, line, taker
from tests.tasks.workshop import Workshop

ANA: Final = company(11)
OTHER: Final = company(12)
MAIL, PHONE = "ana@tomador.example", "11987654321"


def whole_ledger(shop: Workshop) -> str:
    """Return the whole content of the ledger, as one text."""

    def read(conn: sa.Connection) -> str:
        every = (conn.execute(sa.select(table)) for table in tables.metadata.sorted_tables)
        return json.dumps([[*map(str, row)] for found in every for row in found])

    return shop.read(read)


def refused_row(shop: Workshop, *, text: str = ANA.formatted, file_id: int | None = None) -> int:
    """Add a refused row of Ana's. Return the id of its reading."""
    new = NewRow(
        sheet="Faturamento",
        row_number=9,
        cells={"document": text, "name": "Ana Recusada", "emails": MAIL, "amount": "abc"},
        problems=(Problem("amount.unreadable", "amount", params={"text": "Ana Recusada"}),),
    )
    file_id = file_id or shop.file(77)
    with shop.context() as context:
        return store_reading(
            context.ledger, file_id, operator="clerk", options={}, understood={}, news=[pack_new_row(new)]
        )


def sheet(shop: Workshop, content: bytes) -> tuple[int, Path]:
    """Archive a sheet. Return its id in the ledger, and its path."""
    sha256 = file_digest(content)
    with shop.context() as context:
        path = archive(content, sha256=sha256, name="mes.xlsx", folder=context.archive)
    received = shop.write(files.receive, sha256=sha256, name="mes.xlsx", size_bytes=len(content), kind="services")
    return received.id, path


def billed(shop: Workshop) -> int:
    """Plan a batch for two takers, the first of them Ana with contacts."""
    asked = [line(11, taker=taker(11, emails=(MAIL,), phone=PHONE)), line(12)]
    (batch,) = shop.assembled(*asked)[1]
    return batch


def finished(shop: Workshop) -> int:
    """Issue the same batch."""
    batch = billed(shop)
    shop.run(stage_batch, batch)
    shop.approve()
    shop.run(release_batch, batch)
    shop.follow(batch)
    return batch


def erasures(shop: Workshop) -> list[dict[str, Any]]:
    """Return the journal of erasures, oldest first."""
    asked = sa.select(tables.erasures).order_by(tables.erasures.c.id)
    return [dict(row) for row in shop.read(lambda conn: conn.execute(asked).mappings().all())]
