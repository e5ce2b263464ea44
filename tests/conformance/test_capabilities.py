"""An issuer does what its capabilities say: the port's answers agree with the provider's content."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Final

import pytest

from connectors.http.errors import Doubtful
from connectors.http.steady import steady_s
from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger.batches import BatchRecord
from connectors.ledger.invoices import InvoiceRecord
from domain.issuing import EmitterRef, InvoiceKey, Issuer, Lookup, Posting, Receipt
from domain.states import InvoiceState
from tasks.runtime import Runtime, open_context, open_runtime
from tasks.stations.assemble import assemble_rows
from tasks.stations.intake import archive_file
from tasks.stations.read import read_file
from tasks.stations.reading_options import ReadingOptions
from tasks.stations.resolve import resolve_rows
from tests.conformance.national.server import FORBIDDEN_WORD
from tests.conformance.setups import EACH, EACH_THE_OTHER_WAY, NationalSetup, Setup, on
from tests.faults.theatre import rule
from tests.faults.workbooks import month_lines
from tests.faults.worker import PROFILE

_PATIENCE_S: Final = 600.0


class Posted:
    """One planned invoice, posted through the port alone."""

    def __init__(self, runtime: Runtime, batch: BatchRecord, invoice: InvoiceRecord, emitter: EmitterRef) -> None:
        self.issuer: Issuer = runtime.issuer(batch.issuer)
        self.emitter = emitter
        self.key = InvoiceKey(
            emitter=emitter, serie=invoice.serie or "", number=invoice.number or 0, digest=invoice.digest
        )
        self._content = json.loads(invoice.content)
        self.batch_id: int | None = None

    async def post(self) -> Receipt:
        """Post it, into a new batch where the issuer stages."""
        until = steady_s() + _PATIENCE_S
        if self.issuer.staging is not None and self.batch_id is None:
            self.batch_id = (await self.issuer.staging.open(self.emitter, "conformance", not_after=until)).id
        posting = Posting(key=self.key, content=self._content, batch_id=self.batch_id, emission_at=datetime.now(UTC))
        return await self.issuer.post(posting, not_after=until)


def with_planned(setup: Setup, work: Callable[[Posted], Awaitable[None]], count: int = 2) -> Sequence[BatchRecord]:
    """Bring a sheet as far as planned batches and do `work` with one invoice. Return the batches."""
    sheet = setup.offer(count)

    async def run() -> Sequence[BatchRecord]:
        with open_context(PROFILE) as context:
            reading, _ = read_file(context, archive_file(context, sheet), ReadingOptions(operator="story"))
        async with open_runtime(PROFILE, station="story") as runtime:
            for station in (resolve_rows, assemble_rows):
                await station(runtime, reading)
            ledger = runtime.ledger
            batches = ledger.read(ledger_batches.batches_where)
            emitter = ledger.read(ledger_parties.emitter_of, batches[0].emitter_id)
            invoice = ledger.read(ledger_invoices.invoices_of, batches[0].id)[0]
            await work(Posted(runtime, batches[0], invoice, emitter.ref))
        return batches

    return asyncio.run(run())


@EACH
def test_a_post_issues_at_once_only_where_nothing_is_staged(setup: Setup) -> None:
    async def work(one: Posted) -> None:
        receipt = await one.post()
        assert receipt.is_as_documented
        is_staged = one.issuer.capabilities.is_staged
        assert [each.is_issued for each in setup.held()] == [not is_staged]
        shown = await one.issuer.read(one.emitter, receipt.answered.id)
        assert shown.state is (InvoiceState.CREATED if is_staged else InvoiceState.ACCEPTED)
        if one.issuer.staging is not None:
            assert one.batch_id is not None
            await one.issuer.staging.send(one.batch_id, not_after=steady_s() + _PATIENCE_S)
            assert [each.is_issued for each in setup.held()] == [True]

    with_planned(setup, work)


@EACH_THE_OTHER_WAY
def test_the_declared_look_up_finds_what_was_posted(setup: Setup) -> None:
    async def work(one: Posted) -> None:
        issuer = one.issuer
        assert await found(one) == []
        receipt = await one.post()
        assert await found(one) == [receipt.answered.id]
        assert (issuer.staging is None) == (issuer.capabilities.lookup is not Lookup.BATCH)

    async def found(one: Posted) -> list[int]:
        if one.issuer.history is not None:
            there = await one.issuer.history.look_up(one.key)
            return [] if there is None else [there.id]
        assert one.issuer.staging is not None
        if one.batch_id is None:
            return []
        pages = [page async for page in one.issuer.staging.invoices(one.batch_id)]
        place = (one.key.serie, one.key.number)
        return [each.id for page in pages for each in page.invoices if (each.serie, each.number) == place]

    with_planned(setup, work)


@EACH
def test_answers_repeat_the_content_as_declared(setup: Setup) -> None:
    async def work(one: Posted) -> None:
        answered = (await one.post()).answered
        expected = (answered.serie, answered.number, bool(answered.amounts), bool(answered.customer_document))
        if one.issuer.capabilities.repeats_content:
            assert expected == (one.key.serie, one.key.number, True, True)
        shown = await one.issuer.read(one.emitter, answered.id)
        assert (shown.serie, shown.number) in {(one.key.serie, one.key.number), (None, None)}

    with_planned(setup, work)


@EACH_THE_OTHER_WAY
def test_no_batch_is_larger_than_the_issuer_takes(setup: Setup) -> None:
    largest: list[int | None] = []

    async def work(one: Posted) -> None:
        largest.append(one.issuer.capabilities.largest_batch)

    batches = with_planned(setup, work, count=14)
    assert all(each.count <= (largest[0] or each.count) for each in batches)
    assert sum(each.count for each in batches) == sum(setup.asked.values())


@EACH
def test_a_refusal_becomes_a_problem_of_its_row(setup: Setup) -> None:
    """The national service refuses by itself what the others refuse on demand."""
    if isinstance(setup, NationalSetup):
        first, *others = month_lines(3)
        spoilt = first.but(description=f"Serviço com {FORBIDDEN_WORD}")
        sheet = setup.write(setup.home / "sheet.xlsx", [spoilt, *others])
    else:
        sheet = setup.offer(3)
        setup.sandbox.faults(rule(setup.posts[0], "status_422", count=1))

    setup.run(sheet)

    ledger = setup.check_sound()
    refused = [each for each in ledger["invoices"] if each["state"] == "refused"]
    assert [error["code"] for each in refused for error in each["errors"]] == ["provider.refused_field"]
    assert {each["state"] for each in ledger["invoices"]} == {"refused", "accepted"}
    lines, _, word = setup.outcome(ledger)
    (refusal,) = (error["params"]["message"] for each in refused for error in each["errors"])
    reasons = {line[0]: " ".join(map(str, line)) for line in lines if line[0] == word}
    assert refusal in reasons[word]


@on(("national", "sqlite"))
def test_a_key_taken_before_is_a_doubt_and_no_refusal(setup: Setup) -> None:
    async def work(one: Posted) -> None:
        receipt = await one.post()
        with pytest.raises(Doubtful):
            await one.post()
        assert one.issuer.history is not None
        there = await one.issuer.history.look_up(one.key)
        assert there is not None
        assert there.id == receipt.answered.id

    with_planned(setup, work)
    assert len(setup.held()) == 1
