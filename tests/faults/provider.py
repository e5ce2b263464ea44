"""Check the rules between ledger and provider, and within the provider's own record, valid at any moment."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any, Final

from tests.faults.evidence import Evidence, Record

_WRITES: Final = {
    "notes.create": "post",
    "batches.create": "open",
    "batches.send": "send",
    "notes.delete": "delete",
    "notes.cancel": "cancel",
    "takers.update": "change",
}
_SENT: Final = {"scheduled", "processing", "accepted", "rejected", "cancelling", "cancelled", "replaced"}


def provider_faults(evidence: Evidence, *, forgiven: Collection[str] = ()) -> Iterator[str]:
    """Yield every contradiction that needs the provider's record, in words; skip violations of a `forgiven` kind."""
    yield from violation_faults(evidence.record, forgiven)
    yield from stranger_faults(evidence)
    yield from amount_faults(evidence)
    yield from traffic_faults(evidence)


def live_notes(record: Record) -> list[Record]:
    """Return the notes that were not deleted."""
    return [note for note in record["notes"] if not note["is_deleted"]]


def cents_of(text: Any) -> int:
    """Return the cents of `"1234.50"`; a missing amount is zero."""
    return int(Decimal(str(text or "0")) * 100)


def violation_faults(record: Record, forgiven: Collection[str]) -> Iterator[str]:
    """Yield reused numbers, and notes that joined a batch after its send."""
    for violation in record["violations"]:
        if violation["kind"] not in forgiven:
            yield f"the provider saw {violation['kind']}: {violation}"
    contents: defaultdict[tuple[Any, ...], set[str]] = defaultdict(set)
    living: Counter[tuple[Any, ...]] = Counter()
    for note in record["notes"]:
        number = (note["emitter_cnpj"], note["serie"], note["number"])
        # A copy that a person added says so before the digest of its content.
        contents[number].add(note["digest"].rpartition(", ")[2])
        living[number] += not note["is_deleted"]
    for number, digests in contents.items():
        if len(digests) > 1:
            yield f"{len(digests)} different notes share the number {number}"
        if living[number] > 1:
            yield f"{living[number]} notes stand under the number {number}"


def stranger_faults(evidence: Evidence) -> Iterator[str]:
    """Yield unknown notes and batches, and our notes that are missing, deleted or of another number or batch."""
    invoices = {each["remote_id"]: each for each in evidence.ledger["invoices"] if each["remote_id"] is not None}
    batches = {each["id"]: each for each in evidence.ledger["batches"]}
    emitters = {each["id"]: each["cnpj"] for each in evidence.ledger["emitters"]}
    notes = {note["id"]: note for note in evidence.record["notes"]}
    doubted = {
        (emitters[each["emitter_id"]], each["serie"], each["number"])
        for each in evidence.ledger["invoices"]
        if each["state"] in {"posting", "in_doubt", "unresolved"}
    }
    for note in live_notes(evidence.record):
        number = (note["emitter_cnpj"], note["serie"], note["number"])
        if note["id"] not in invoices and number not in doubted:
            yield f"the provider holds note {note['id']} ({note['serie']}/{note['number']}), unknown to the ledger"
    for remote_id, invoice in invoices.items():
        name, seen = f"invoice {invoice['id']}", notes.get(remote_id)
        if seen is None:
            yield f"{name} claims note {remote_id}, which the provider never had"
            continue
        ours = (emitters[invoice["emitter_id"]], invoice["serie"], invoice["number"])
        if ours != (seen["emitter_cnpj"], seen["serie"], seen["number"]):
            yield f"{name} and its note {remote_id} bear different numbers"
        asked, batch = seen["asked_batch_id"], batches[invoice["batch_id"]]
        if asked != batch["remote_id"]:
            yield f"{name} is of batch {batch['remote_id']}, but its note {remote_id} was posted for {asked}"
        if invoice["state"] in _SENT and seen["is_deleted"]:
            yield f"{name} is {invoice['state']}, but its note {remote_id} was deleted"
    yield from _strange_batches(evidence)


def _strange_batches(evidence: Evidence) -> Iterator[str]:
    names = {each["name"] for table in ("batches", "orphans") for each in evidence.ledger[table]}
    filled = {note["batch_id"] for note in live_notes(evidence.record)}
    ids = {each["remote_id"] for each in evidence.ledger["batches"]}
    for batch in evidence.record["batches"]:
        if batch["name"] not in names:
            yield f"the provider holds batch {batch['id']} ({batch['name']}), unknown to the ledger"
        if batch["id"] in filled - ids:
            yield f"batch {batch['id']} holds notes, but is none of the ledger's"
    for remote_id in ids - {None} - {batch["id"] for batch in evidence.record["batches"]}:
        yield f"the ledger claims batch {remote_id}, which the provider never had"


_WIRE = {"calculation_base_cents": "calculation_base", "liquid_cents": "nfse_liquid_amount"}
"""The provider's names of amounts that differ from ours by more than their suffix."""


def amount_faults(evidence: Evidence) -> Iterator[str]:
    """Yield amounts of notes that differ from the ledger's by any cent."""
    notes = {note["id"]: note for note in evidence.record["notes"]}
    for invoice in evidence.ledger["invoices"]:
        note = notes.get(invoice["remote_id"])
        if note is None:
            continue
        there = note["service_values"]
        ours = {"service_cents": invoice["service_cents"], "liquid_cents": invoice["liquid_cents"]}
        for name, cents in {**invoice["amounts"], **ours}.items():
            field = _WIRE.get(name, name.replace("_cents", "_amount"))
            if cents_of(there.get(field)) != cents:
                yield f"note {note['id']} has {field} {there.get(field)}, the ledger {cents} cents"


def traffic_faults(evidence: Evidence) -> Iterator[str]:
    """Yield requests to the provider without an earlier attempt in the journal."""
    begun = Counter(attempt["what"] for attempt in evidence.ledger["attempts"])
    begun["change"] = sum(each["kind"] == "taker" for each in evidence.ledger.get("remote_changes", ()))
    for operation, what in _WRITES.items():
        seen = evidence.record["requests_by_operation"].get(operation, 0)
        if seen > begun[what]:
            yield f"the provider saw {seen} {operation}, but the journal has only {begun[what]} attempts"
