"""Judge a run: its faults, and whether and when another party's acts were found out."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from tests.faults.checker import completeness, find_faults, integrity
from tests.faults.evidence import Asked, Evidence, Record
from tests.faults.journal import journal_faults, number_faults
from tests.faults.matrix.afterwards import canary_faults, update_faults
from tests.faults.matrix.cases import Case
from tests.faults.matrix.person import UNSTABLE
from tests.faults.provider import traffic_faults
from tests.faults.sales import Sale, content_of, sale_faults, unfinished_sales

FoundOut = Literal["prevented", "detected before send", "detected after", "cannot be known", "SILENT"]
"""The result of another party's act.

It cannot be known where the provider's extensions are off: then nobody can read back what was posted.
"""

_BY_A_PERSON: Final = "added by a person"


@dataclass(frozen=True, slots=True)
class Seen:
    """The three independent sources of a run of either line. `is_told`: another program's use of our serie was
    reported.

    `unexplained` is what the ledger's own audit cannot explain, `known` the register's records of customers whose rows
    update them.
    """

    asked: list[Asked]
    sales: list[Sale]
    ledger: Mapping[str, list[Record]]
    record: Record
    is_refused: bool = False
    unexplained: Sequence[str] = ()
    known: Mapping[str, Record] = field(default_factory=dict)

    @property
    def evidence(self) -> Evidence:
        return Evidence(self.asked, self.ledger, self.record)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one run.

    `found_out`: result of other parties' acts; `notes`: number of invoices at the provider at the end; `has_waited`:
    work stopped for a person because a list was unstable.
    """

    case: Case
    faults: list[str]
    found_out: FoundOut | None
    notes: int
    has_waited: bool
    seconds: float
    is_postgresql: bool = False


def judge(case: Case, seen: Seen, *, quiet_s: float, faults: list[str], seconds: float) -> Verdict:
    """Judge the whole run: `faults` were found before its end."""
    all_faults = [*faults, *_end_faults(case, seen, quiet_s), *seen.unexplained]
    found_out = None
    if case.outside is not None:
        found_out = _found_out(case, seen, is_harmed=bool(all_faults))
        if found_out != "SILENT":
            all_faults = [*faults, *_never_ours(case, seen, quiet_s), *seen.unexplained]
    notes = len(seen.record["product_invoices"] if case.line == "products" else seen.record["notes"])
    has_waited = any(each["code"] == UNSTABLE for each in seen.ledger["incidents"])
    return Verdict(case, all_faults, found_out, notes, has_waited, seconds)


def middle_faults(case: Case, seen: Seen, *, quiet_s: float) -> list[str]:
    """Return faults between a kill and the next worker: however unfinished the work is, nothing is contradictory."""
    if case.outside is not None:
        return list(_never_ours(case, seen, quiet_s))
    if case.line == "products":
        return _but_dropped(seen, sale_faults(seen.sales, seen.ledger, seen.record, quiet_s=quiet_s))
    return [*integrity(seen.evidence, quiet_s=quiet_s), *canary_faults(seen.ledger)]


def _end_faults(case: Case, seen: Seen, quiet_s: float) -> list[str]:
    if case.line == "products":
        whole = (seen.sales, seen.ledger, seen.record)
        unfinished = _blind_ends(seen) if case.plot == "blind" else unfinished_sales(*whole)
        return _but_dropped(seen, [*sale_faults(*whole, quiet_s=quiet_s), *unfinished])
    if case.outside is not None:
        forgiven = {"duplicate_rps", "attached_after_send"}
        return [*integrity(seen.evidence, quiet_s=0, forgiven=forgiven), *completeness(seen.evidence)]
    found = [*find_faults(seen.evidence, quiet_s=quiet_s), *canary_faults(seen.ledger)]
    return [*found, *update_faults(seen.asked, seen.ledger, seen.known)] if case.plot == "updated" else found


def _blind_ends(seen: Seen) -> Iterator[str]:
    """Yield faults where nothing is read back: an unsent order, an answer not stored, an invoice that waits."""
    bearers = {each["remote_id"] for each in seen.ledger["invoices"]}
    for sale in seen.sales:
        ids = [each["id"] for each in seen.record["product_invoices"] if content_of(each) == sale.content]
        if not ids or max(ids) not in bearers:
            yield f"{sale.key} went out as {ids}, of which the ledger holds none"
    cancelled = {each["id"] for each in seen.record["product_invoices"] if each["status"] == "cancelled"}
    for remote_id in sorted(cancelled & bearers):
        yield f"{remote_id} was cancelled, and the ledger does not say so"
    waiting = {"drafted", "reserved", "posting", "in_doubt", "unresolved"}
    for each in seen.ledger["invoices"]:
        if each["state"] in waiting:
            yield f"invoice {each['id']} is still {each['state']}"


def _but_dropped(seen: Seen, faults: list[str]) -> list[str]:
    """Return the faults, except of refused or given-up notes that left their approved batch and are billed again."""
    dropped = [each for each in seen.ledger["invoices"] if each["state"] in ("refused", "retired")]
    batches = tuple({f"batch {each['batch_id']} was approved with another" for each in dropped})
    notes = {f"invoices {each['id']} is still refused" for each in dropped}
    return [fault for fault in faults if fault not in notes and not fault.startswith(batches)]


def _never_ours(case: Case, seen: Seen, quiet_s: float) -> Iterator[str]:
    """Yield faults that no act of another party excuses."""
    if case.line == "products":
        yield from number_faults(seen.ledger)
        return
    yield from journal_faults(seen.ledger, quiet_s=quiet_s)
    yield from traffic_faults(seen.evidence)
    ours = [note for note in seen.record["notes"] if not str(note["digest"]).startswith(_BY_A_PERSON)]
    for content, count in Counter(
        (note["emitter_cnpj"], note["service_values"]["description"]) for note in ours if note["status"] == "accepted"
    ).items():
        if count > 1 and not _is_reported(seen):
            yield f"{count} accepted notes for {content}, and nobody was told"


def _is_reported(seen: Seen) -> bool:
    return bool(seen.ledger["incidents"])


def _found_out(case: Case, seen: Seen, *, is_harmed: bool) -> FoundOut:
    incidents = seen.ledger["incidents"]
    if not incidents:
        if seen.is_refused:
            return "detected after"
        if is_harmed:
            return "cannot be known" if case.plot == "blind" else "SILENT"
        # The proof deleted a second arrival.
        return "detected before send" if any(note["is_deleted"] for note in seen.record["notes"]) else "prevented"
    sendings = {
        event["entity_id"]: event["at"]
        for event in reversed(seen.ledger["events"])
        if event["entity"] == "batch" and event["becomes"] == "sending"
    }
    first = min(incidents, key=lambda each: int(each["opened_at"]))
    sent_at = sendings.get(first["batch_id"])
    return "detected after" if sent_at is not None and sent_at <= first["opened_at"] else "detected before send"
