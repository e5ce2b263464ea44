"""The independent checker: compare the request, the ledger and the provider's content, to the cent.

It imports nothing of the project. `integrity` must hold at any moment, also between a kill and the restart;
`completeness` once the line has come to its end.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from typing import Any, Final

from tests.faults.evidence import Asked, Evidence, Record
from tests.faults.journal import journal_faults
from tests.faults.legal import SETTLED
from tests.faults.provider import cents_of, live_notes, provider_faults


def find_faults(evidence: Evidence, *, quiet_s: float = 0.0, forgiven: Collection[str] = ()) -> list[str]:
    """Return every fault at the end of a story, in words; empty if there is none.

    No note may be posted again before `quiet_s` are over; another party caused violations of a `forgiven` kind.
    """
    return [*integrity(evidence, quiet_s=quiet_s, forgiven=forgiven), *completeness(evidence)]


def integrity(evidence: Evidence, *, quiet_s: float = 0.0, forgiven: Collection[str] = ()) -> list[str]:
    """Return violations of the rules that hold at any moment, however unfinished the work is."""
    return [
        *journal_faults(evidence.ledger, quiet_s=quiet_s),
        *provider_faults(evidence, forgiven=forgiven),
        *_unasked(evidence),
        *_bad_rows(evidence),
    ]


def completeness(evidence: Evidence) -> list[str]:
    """Return violations of the final rules: every good row billed once, nothing under way, all totals equal."""
    return [
        *_good_rows(evidence),
        *_unsettled(evidence),
        *_unequal_ends(evidence),
        *_unequal_batches(evidence),
        *_unequal_totals(evidence),
    ]


BILLED: Final = frozenset({"good", "cancelled", "replaced", "successor"})
"""Kinds of rows that must have an invoice, whatever its end."""
_ENDS: Final = {"cancelled": ("cancelled", "cancelled"), "replaced": ("cancelled", "replaced")}
"""The provider's and the ledger's last word on the accepted invoice of such a row; else both say accepted."""
_ACCEPTED: Final = ("accepted", "accepted")


def _content(note: Record) -> tuple[Any, ...]:
    values = note["service_values"]
    competence = str(note["competence"])[:10]
    cents = cents_of(values["service_amount"])
    return (note["emitter_cnpj"], note["taker_document"], values["description"], competence, cents)


def _unasked(evidence: Evidence) -> Iterator[str]:
    """Yield notes whose content no good row asked for."""
    wanted = {row.content for row in evidence.asked if row.kind in BILLED}
    for note in evidence.record["notes"]:
        if _content(note) not in wanted:
            yield f"note {note['id']} is for nothing that a good row asked: {_content(note)}"


def _rows_by_cell(evidence: Evidence) -> dict[tuple[str, str, int], list[Record]]:
    """Return ledger rows by file digest, sheet and row number, oldest reading first."""
    digests = {file["id"]: file["sha256"] for file in evidence.ledger["files"]}
    places: defaultdict[tuple[str, str, int], list[Record]] = defaultdict(list)
    for row in evidence.ledger["rows"]:
        places[digests[row["file_id"]], row["sheet"], row["row_number"]].append(row)
    return places


def _invoices_by_row(evidence: Evidence) -> dict[int, list[Record]]:
    found: defaultdict[int, list[Record]] = defaultdict(list)
    for invoice in evidence.ledger["invoices"]:
        found[invoice["row_id"]].append(invoice)
    return found


def _bad_rows(evidence: Evidence) -> Iterator[str]:
    """Yield bad or repeated rows that were read to the end without a refusal and a reason, or that have an invoice."""
    places, invoices = _rows_by_cell(evidence), _invoices_by_row(evidence)
    for row in evidence.asked:
        if row.kind in BILLED:
            continue
        entries = places.get((row.sha256, row.sheet, row.number), [])
        if any(invoices.get(entry["id"]) for entry in entries):
            yield f"{row} is {row.kind}, but has an invoice"
        if entries and entries[-1]["state"] == "refused" and not _reasons(entries[-1]):
            yield f"{row} was refused without a reason"


def _reasons(entry: Record) -> list[str]:
    return [problem["code"] for problem in entry["problems"] if problem.get("code")]


def _good_rows(evidence: Evidence) -> Iterator[str]:
    """Yield good rows without one accepted note or an agreed rejection, and bad rows that were not refused."""
    places, invoices = _rows_by_cell(evidence), _invoices_by_row(evidence)
    notes: defaultdict[tuple[Any, ...], list[Record]] = defaultdict(list)
    for note in live_notes(evidence.record):
        notes[_content(note)].append(note)
    for row, following in zip(evidence.asked, [*evidence.asked[1:], None], strict=True):
        entries = places.get((row.sha256, row.sheet, row.number), [])
        if not entries and row.file:
            yield f"{row} is not in the ledger"
        elif row.kind == "successor":
            continue
        elif row.kind in BILLED:
            mine = [invoice for entry in entries for invoice in invoices.get(entry["id"], [])]
            if not row.file:
                mine = _bearers(evidence, notes[row.content])
            issued = _ENDS.get(row.kind, _ACCEPTED)
            if row.kind == "replaced" and following is not None:
                its_notes = notes[following.content]
                issued = _ENDS["replaced"] if _accepted(its_notes) else _ACCEPTED
                yield from _descends_badly(evidence, following, notes[row.content], its_notes, mine)
            yield from _ends_badly(row, notes[row.content], mine, issued)
        elif entries[-1]["state"] != "refused":
            yield f"{row} is {row.kind}, but {entries[-1]['state']}"


def _bearers(evidence: Evidence, notes: list[Record]) -> list[Record]:
    ids = {note["id"] for note in notes}
    return [invoice for invoice in evidence.ledger["invoices"] if invoice["remote_id"] in ids]


def _accepted(notes: list[Record]) -> list[Record]:
    return [note for note in notes if note["status"] == "accepted"]


def _descends_badly(
    evidence: Evidence, successor: Asked, old_notes: list[Record], notes: list[Record], old_invoices: list[Record]
) -> Iterator[str]:
    """Yield what is wrong with a replacement: an issued invoice has one, which names it; a rejected one has none."""
    invoices = _bearers(evidence, notes)
    if any(note["status"] in ("accepted", "cancelled") for note in old_notes):
        yield from _ends_badly(successor, notes, invoices, _ACCEPTED)
    elif notes:
        yield f"{successor} replaces what was never issued"
    ids = {invoice["id"] for invoice in old_invoices}
    for invoice in invoices:
        if invoice["replaces_id"] not in ids:
            yield f"invoice {invoice['id']} names {invoice['replaces_id']} as replaced, which is none of {sorted(ids)}"


def _ends_badly(row: Asked, notes: list[Record], invoices: list[Record], issued: tuple[str, str]) -> Iterator[str]:
    """Yield what is wrong with a row's end; `issued`: the provider's and the ledger's word for an issued invoice."""
    statuses = [note["status"] for note in notes]
    accepted = [note for note in notes if note["status"] == issued[0]]
    if not notes or not invoices:
        yield f"{row} has no {'note' if not notes else 'invoice in the ledger'}"
        return
    last_note = max(notes, key=lambda note: int(note["id"]))
    last_invoice = max(invoices, key=lambda invoice: int(invoice["id"]))
    state = issued[1] if last_note["status"] == issued[0] else last_note["status"]
    if len(accepted) > 1:
        yield f"{row} has {len(accepted)} {issued[0]} notes"
    elif not accepted and last_note["status"] != "rejected":
        yield f"{row} has no {issued[0]} note, and its last is not rejected: {statuses}"
    elif last_invoice["remote_id"] != last_note["id"] or last_invoice["state"] != state:
        yield (
            f"{row}: the provider's last word is note {last_note['id']} {last_note['status']},"
            f" the ledger's {last_invoice['remote_id']} {last_invoice['state']}"
        )


def _unsettled(evidence: Evidence) -> Iterator[str]:
    for invoice in evidence.ledger["invoices"]:
        if invoice["state"] not in SETTLED:
            yield f"invoice {invoice['id']} ({invoice['serie']}/{invoice['number']}) is still {invoice['state']}"
    for batch in evidence.ledger["batches"]:
        if batch["state"] not in {"processed", "discarded"}:
            yield f"batch {batch['id']} is still {batch['state']}"
    for row in evidence.ledger["rows"]:
        if row["state"] not in {"assembled", "refused"}:
            yield f"row {row['id']} is still {row['state']}"
    for incident in evidence.ledger["incidents"]:
        if incident["closed_at"] is None:
            yield f"an incident is still open: {incident['code']} {incident['params']}"


def _unequal_ends(evidence: Evidence) -> Iterator[str]:
    """Yield invoices whose state, NFSe number or errors differ from the provider's."""
    notes = {note["id"]: note for note in evidence.record["notes"]}
    for invoice in evidence.ledger["invoices"]:
        note = notes.get(invoice["remote_id"])
        if note is None or note["is_deleted"]:
            continue
        if (invoice["state"], note["status"]) not in {(note["status"],) * 2, ("replaced", "cancelled")}:
            yield f"invoice {invoice['id']} is {invoice['state']}, its note {note['status']}"
        if note["status"] == "accepted" and invoice["nfse_number"] != note["nfse_number"]:
            yield f"invoice {invoice['id']} has NFSe {invoice['nfse_number']}, its note {note['nfse_number']}"
        ours, theirs = ([error.get("code") for error in each["errors"]] for each in (invoice, note))
        if note["status"] == "rejected" and ours != theirs:
            yield f"invoice {invoice['id']} reports the errors {ours}, the city gave {theirs}"


def _unequal_batches(evidence: Evidence) -> Iterator[str]:
    """Yield finished batches that were not sent once, or whose count or total differs from the provider's notes."""
    held: defaultdict[int, list[Record]] = defaultdict(list)
    for note in live_notes(evidence.record):
        held[note["batch_id"]].append(note)
    sends = Counter(each["batch_id"] for each in evidence.record["batch_history"] if each["to_status"] == "scheduled")
    for batch in evidence.ledger["batches"]:
        if batch["state"] != "processed":
            continue
        notes = held[batch["remote_id"]]
        total = sum(cents_of(note["service_values"]["service_amount"]) for note in notes)
        if (batch["count"], batch["total_cents"]) != (len(notes), total):
            ours = f"{batch['count']} notes of {batch['total_cents']} cents"
            yield f"batch {batch['id']} says {ours}, the provider holds {len(notes)} of {total}"
        if sends[batch["remote_id"]] != 1:
            yield f"batch {batch['id']} was sent {sends[batch['remote_id']]} times"


def _unequal_totals(evidence: Evidence) -> Iterator[str]:
    """Yield emitters whose accepted total differs between sheet, ledger and provider."""
    emitters = {each["id"]: each["cnpj"] for each in evidence.ledger["emitters"]}
    accepted = {_content(note) for note in live_notes(evidence.record) if note["status"] == "accepted"}
    sheet: Counter[str] = Counter()
    for row in evidence.asked:
        if row.kind in BILLED and row.content in accepted:
            sheet[row.emitter] += row.cents
    ledger: Counter[str] = Counter()
    for invoice in evidence.ledger["invoices"]:
        if invoice["state"] == "accepted":
            ledger[emitters[invoice["emitter_id"]]] += invoice["service_cents"]
    provider: Counter[str] = Counter()
    for note in live_notes(evidence.record):
        if note["status"] == "accepted":
            provider[note["emitter_cnpj"]] += cents_of(note["service_values"]["service_amount"])
    for cnpj in sheet.keys() | ledger.keys() | provider.keys():
        if not sheet[cnpj] == ledger[cnpj] == provider[cnpj]:
            yield f"{cnpj}: sheet {sheet[cnpj]}, ledger {ledger[cnpj]}, provider {provider[cnpj]} cents accepted"
