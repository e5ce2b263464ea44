"""Station 6 for kinds without staging: after the yes, each invoice is posted, and thereby issued, once."""

from datetime import timedelta
from typing import Final

from connectors.http.errors import Unreadable
from connectors.ledger import batches as ledger_batches
from connectors.ledger import invoices as ledger_invoices
from connectors.ledger import parties as ledger_parties
from connectors.ledger import posting as ledger_posting
from connectors.ledger.backup import quarantine
from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.posting import FoundNote
from connectors.ledger.sql import now as ledger_now
from connectors.nfe.invoices import Invoice
from domain.problems import Problem, SettingsError
from domain.states import BatchState, InvoiceState
from domain.tallies import Tally
from tasks.products.channel import InvoiceChannel, digest_of_answer
from tasks.products.lost import refuse_billed
from tasks.protocol.hold import Disturbance, Hold
from tasks.protocol.posting import Poster

_ROUNDS: Final = 6
_POSTED: Final = frozenset({InvoiceState.PROCESSING, InvoiceState.ACCEPTED, InvoiceState.REJECTED})


async def issue_batch(hold: Hold) -> Tally:
    """Safe to repeat: an outcome that is not known is looked up by our own id, and never posted again before that.

    Where the provider keeps no such id, nothing can be looked up: the invoice waits unresolved for a person.
    """
    channel = await channel_of(hold)
    try:
        channel.check()
    except SettingsError as error:
        # The lease is given back: the batch can be issued as soon as the setting is there.
        return await hold.wait(hold.runtime.settings.reconcile.looks_s[-1], error.problem)
    if hold.batch.state is BatchState.APPROVED:
        await hold.renew()
        if await hold.runtime.ledger.writing(quarantine.begin_issuing, hold.lease) is None:
            raise Disturbance(Problem("batch.approval_void", params={"batch": hold.batch.id}))
    ledger = hold.runtime.ledger
    is_checked = False
    # Each refusal before the first answer costs a round.
    for _ in range(_ROUNDS + hold.batch.count):
        quiet_s = await settle_products(hold, channel)
        if quiet_s is not None:
            return await hold.wait(quiet_s, Problem("batch.doubts", params={"batch": hold.batch.id}))
        await hold.renew()
        notes = await ledger.reading(ledger_invoices.invoices_of, hold.batch.id)
        reserved = [note for note in notes if note.state is InvoiceState.RESERVED]
        if not reserved:
            await ledger.writing(ledger_batches.sent, hold.lease, counters={})
            return hold.tally(sent=sum(note.remote_id is not None for note in notes))
        await refuse_billed(hold, channel.issuer)
        posted = [note for note in notes if note.state in _POSTED]
        if posted and not is_checked:
            await _check_first(hold, channel, posted[0])
            is_checked = True
        # The first goes alone, and is read back before any other is posted.
        poster = Poster(hold.runtime, channel, hold.batch.id, hold.lease, is_first_known=bool(posted))
        await poster.post(reserved if posted else reserved[:1])
        hold.lease = poster.lease
        if poster.trouble is not None:
            raise Disturbance(poster.trouble)
        if poster.is_stopped and not await _doubts(hold):
            break
    pause = hold.runtime.settings.reconcile.looks_s[-1]
    return await hold.wait(pause, Problem("provider.down", params={"batch": hold.batch.id}))


async def channel_of(hold: Hold) -> InvoiceChannel:
    """How this batch's invoices are posted and looked up."""
    issuer = await hold.runtime.ledger.reading(ledger_parties.emitter_of, hold.batch.emitter_id)
    return InvoiceChannel(hold.runtime, issuer, "nfe" if hold.batch.kind == "nfe" else "nfce")


async def _check_first(hold: Hold, channel: InvoiceChannel, note: InvoiceRecord) -> None:
    """The answer to a post shows neither serie nor number: what the provider made of the first one is read back.

    Raises `Disturbance`. Without the extensions there is nothing to read; then the tax authority's key is the first
    that tells.
    """
    if not hold.runtime.settings.products.extensions:
        return
    assert note.remote_id is not None
    if not channel.is_ours(note, await channel.calls.read(channel.issuer.remote_id, note.remote_id)):
        raise Disturbance(Problem("batch.note_differs", params={"number": note.number or 0}))


async def _doubts(hold: Hold) -> list[InvoiceRecord]:
    return await hold.runtime.ledger.reading(ledger_invoices.invoices_of, hold.batch.id, states={InvoiceState.IN_DOUBT})


async def settle_products(hold: Hold, channel: InvoiceChannel) -> float | None:
    """Look for every invoice in doubt; None when all are settled, else in how many seconds the rest can be.

    What cannot be found out is shown to a person, one by one.
    """
    quiet_s = await _settle_doubts(hold, channel)
    await hold.runtime.ledger.writing(ledger_posting.show_unresolved, hold.batch.id)
    return quiet_s


async def _settle_doubts(hold: Hold, channel: InvoiceChannel) -> float | None:
    ledger, settings = hold.runtime.ledger, hold.runtime.settings
    doubts = await _doubts(hold)
    if doubts and not settings.products.extensions:
        doubted = [note.id for note in doubts]
        await ledger.writing(ledger_posting.settle_unknowable, hold.lease, doubted, because="nothing can be looked up")
        return None
    quiet = timedelta(seconds=settings.protocol.quiet_s)
    for _ in range(2):
        if not doubts:
            return None
        for note in doubts:
            await _settle(hold, channel, note)
        doubts = await _doubts(hold)
        ends = [note.last_byte_at + quiet for note in doubts if note.last_byte_at is not None]
        quiet_s = (max(ends) - await ledger.reading(ledger_now)).total_seconds() if ends else 0.0
        if quiet_s > 0:
            return quiet_s
    return 0.0 if doubts else None


async def _settle(hold: Hold, channel: InvoiceChannel, note: InvoiceRecord) -> None:
    """One look, written down at once: what a slow provider showed is not lost with a lease that ends."""
    await hold.keep()
    ledger, settings = hold.runtime.ledger, hold.runtime.settings
    listed_at = await ledger.reading(ledger_now)
    there = await _look(channel, note)
    if there is not None:
        await ledger.writing(ledger_posting.adopt_notes, hold.lease, [_found(note, there)])
        return
    await ledger.writing(
        ledger_posting.settle_absent,
        hold.lease,
        [note.id],
        listed_at=listed_at,
        quiet_s=settings.protocol.quiet_s,
        request_timeout_s=settings.nfse.request_timeout_s,
    )


async def _look(channel: InvoiceChannel, note: InvoiceRecord) -> Invoice | None:
    """By our own id; absence is never concluded from a list that cannot be trusted."""
    try:
        return await channel.calls.find(channel.issuer.remote_id, channel.own_id(note))
    except Unreadable as error:
        raise Disturbance(error.problem) from error


def _found(note: InvoiceRecord, there: Invoice) -> FoundNote:
    """Its own id holds number and content digest: what is found by it has our content.

    Whatever became of it, it is followed like any other, which brings its access key or the reasons of a rejection.
    """
    return FoundNote(
        invoice_id=note.id,
        remote_id=there.id,
        state=InvoiceState.PROCESSING,
        answer_digest=digest_of_answer(note, there.id),
    )
