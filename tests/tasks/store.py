"""A workshop that sells: orders as a products sheet would give them, and the requests to the provider.

Everything of `Workshop` that stages, approves, sends or follows `count` invoices works here on this many orders.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

import pytest

from connectors.ledger import batches, files, leases, parties
from connectors.ledger.approvals import begin_sending
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.issuance import posting
from connectors.ledger.rows import NewRow, pack_new_row
from connectors.ledger.sheets.row_import import store_reading
from connectors.nfe.client import NfeClient
from connectors.nfe.emulator.seed import default_shops
from connectors.nfse.emulator.seed import default_company
from domain.products.lines import ProductKind, ProductLine
from domain.states import BatchState, InvoiceState
from domain.station_result import StationResult
from tasks.issuance.answers import Channel
from tasks.runtime import PRODUCTS, Runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.reconcile import reconcile_batch
from tasks.stations.resolve import resolve_rows
from tests.domain.products.orders_of_a_shop import line
from tests.tasks.rows import this_month
from tests.tasks.scenes import beginning, scene
from tests.tasks.workshop import SHEET, Workshop, fault

RIO_SHOP: Final = "99000051000180"
SAO_PAULO_SHOP: Final = "99000052000125"
"""CNPJs of the sandbox's two shops."""
NFE_SERIE: Final = "1"
FIRST_ROW: Final = 5
_CREATES: Final = ("nfe.create", "nfce.create")


def sale(order: int | str = 1, **changes: Any) -> ProductLine:
    """Return a good line: two mugs to a person in the shop's city, each R$ 10,00 plus the order's number in cents."""
    price = Decimal(10) + Decimal(order) / 100 if isinstance(order, int) else Decimal(10)
    values = {"order_key": str(order), "unit_price": price, "competence": this_month(), "emitter_cnpj": RIO_SHOP}
    return line(**(values | changes))


def sales(count: int, *, first: int = 1, **changes: Any) -> list[ProductLine]:
    """Return this many orders of one line each."""
    return [sale(order, **changes) for order in range(first, first + count)]


async def channel_of(runtime: Runtime, note: InvoiceRecord) -> Channel:
    """Return the channel that posts this invoice."""
    emitter = await runtime.ledger.read_async(parties.emitter_of, note.emitter_id)
    return Channel(
        issuer=runtime.issuer(note.issuer),
        emitter=emitter.ref,
        batch_id=None,
        emission_at=None,
        in_flight=1,
        answer_s=0.0,
    )


def nfe_of(runtime: Runtime) -> NfeClient:
    """Return the provider of product invoices as its documents describe it, without the port."""
    return NfeClient(runtime.issuers.sessions["products"], extensions=runtime.settings.products.extensions)


@dataclass(slots=True)
class Store(Workshop):
    """One test's sandbox and ledger, for product invoices."""

    def read_sheet(self, *asked: ProductLine, file_id: int | None = None, **options: Any) -> int:
        """Read a products sheet with these lines, one row each from `FIRST_ROW` on. Return the reading's id."""
        self._files += file_id is None
        news = [
            pack_new_row(NewRow(sheet=SHEET, row_number=row, cells={}, line=replace(each, row=row).to_json()))
            for row, each in enumerate(asked, start=FIRST_ROW)
        ]
        file_id = file_id or self.file(self._files)
        return store_reading(self._ledger, file_id, operator="clerk", options=options, understood={}, news=news)

    def file(self, number: int = 1) -> int:
        """Return the ledger's id of an invented products file."""
        sha256 = f"{number:064x}"
        return self.write(files.receive, sha256=sha256, name=f"vendas-{number}.xlsx", size_bytes=3, kind=PRODUCTS).id

    def sold(self, *asked: ProductLine, **options: Any) -> tuple[int, list[int]]:
        """Resolve and assemble a reading. Return its id, and the ids of its batches."""
        reading = self.read_sheet(*asked, **options)
        self.run(resolve_rows, reading)
        self.run(assemble_rows, reading)
        return reading, [batch.id for batch in self.batches_of(reading)]

    def batches_of(self, reading: int) -> list[BatchRecord]:
        return self.read(batches.batches_where, reading_id=reading)

    @scene
    def planned(self, count: int = 5, *, kind: ProductKind = "nfe") -> int:
        (batch,) = self.sold(*sales(count, kind=kind))[1]
        return batch

    def held(self) -> list[dict[str, Any]]:
        """Return the provider's product invoices, oldest first."""
        found: list[dict[str, Any]] = self.record()["product_invoices"]
        return found

    def numbers_held(self) -> list[int]:
        """Return the numbers that the provider holds, one for each invoice."""
        return sorted(invoice["number"] for invoice in self.held())

    def posts(self) -> int:
        """Return how many product invoices the provider was asked to issue."""
        return self.asked(*_CREATES)

    def writes(self) -> list[str]:
        """Return the paths of all requests so far that may change something at the provider."""
        return [f"{each['method']} {each['path']}" for each in self.record()["requests"] if each["method"] != "GET"]

    def look(self, batch: int) -> StationResult:
        return self.run(reconcile_batch, batch)

    @contextmanager
    def dying(self, batch: int) -> Iterator[list[InvoiceRecord]]:
        """Run the block as a worker that dies while it posts the batch's invoices.

        Afterwards its lease is over, its quiet time is not: `long_ago` ends that, once another worker has taken over.
        """
        states = {BatchState.APPROVED, BatchState.SENDING}
        lease = self.write(leases.claim, batch, owner="dead", seconds=60, states=states)
        assert lease is not None
        if self.batch(batch).state is BatchState.APPROVED:
            self.write(begin_sending, lease)
        notes = [note for note in self.notes(batch) if note.state is InvoiceState.RESERVED]
        self.write(posting.begin_posting, lease, [note.id for note in notes], seconds=60)
        yield notes
        self.age("lease_until", timedelta(seconds=61))

    def long_ago(self) -> None:
        """Move the end of every ended lease, and the last byte of every doubt, back by an hour."""
        self.age("settle_after", timedelta(hours=1))
        self.tamper("UPDATE invoices SET last_byte_at = last_byte_at - 3600000000")

    def reach(self, note: InvoiceRecord) -> int:
        """Let the request for a reserved invoice arrive without an answer. Return the id it gets."""

        async def post(runtime: Runtime) -> int:
            return (await (await channel_of(runtime, note)).post(note, not_after=float("inf"))).remote_id

        return self.run(post)

    def without_extensions(self) -> None:
        """Let the provider show nothing of its invoices; the profile says so."""
        self.sandbox.switch(product_extensions="off")
        self.set(PRODUCTS__EXTENSIONS="false")

    def keep_shops(self, **changes: Any) -> None:
        """Reset the provider with both shops changed, `certificate=None`, or with none of them; all else is lost.

        Their ids stay.
        """
        shops = [{**each, **changes} for each in default_shops()] if changes else []
        self.sandbox.control("seed", {**default_company(), "organizations": shops})

    def numbered_otherwise(self, *before: dict[str, Any], **general: int) -> None:
        """Let the next NF-e that is read back show another serie or number, unissued; rules `before` come first."""
        self.sandbox.switch(product_advance="looks", product_advance_looks=9)
        values = {"nfe": {"data": {"dados_gerais": general}}}
        self.sandbox.faults(*before, fault("nfe.read", "altered", after=len(before), fields=values))

    def alter(self, note: InvoiceRecord, **item: str) -> None:
        """Change the items of a stored invoice to invalid values: `ncm="1"`."""
        content = json.loads(note.content)
        for each in content["items"]:
            each.update(item)
        text = json.dumps(content).replace("'", "''")
        self.tamper(f"UPDATE invoices SET content = '{text}' WHERE id = {note.id}")


@pytest.fixture
def store(shop: Workshop) -> Store:
    """Return a store whose ledger is a SQLite file."""
    return _opened(shop)


@pytest.fixture
def each_store(each_shop: Workshop) -> Store:
    """Return a store on each database in turn."""
    return _opened(each_shop)


def _opened(shop: Workshop) -> Store:
    shop.sandbox.switch(product_advance="at_once")
    store = Store(**{field.name: getattr(shop, field.name) for field in fields(shop)})
    store.began = beginning(store)
    return store
