"""Guards: rules by which the database itself refuses forbidden changes, described once for SQLite and PostgreSQL.

A guard refuses a statement if two SQL conditions hold: `when`, on the old and the new row, and `finds`, on other
tables. An empty condition always holds. `triggers` creates the database triggers.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from connectors.ledger.tables.columns import IS_STAGED, is_any
from domain.states import BatchState, InvoiceState, RowState, State

_B, _I = BatchState, InvoiceState

BIRTHS: Final[Mapping[str, tuple[State, ...]]] = {
    "rows": (RowState.READ, RowState.REFUSED),
    "batches": (_B.PLANNED,),
    "invoices": (_I.DRAFTED,),
}
"""The first states that a row of each table may have."""


@dataclass(frozen=True, slots=True)
class Guard:
    """One trigger: `on` is the statement that it watches, `words` the error message of its refusal."""

    name: str
    table: str
    on: str
    words: str
    when: str = ""
    finds: str = ""


_CHANGES: Final = "NEW.state <> OLD.state"
_IS_STAGED: Final = f"NEW.{IS_STAGED}"
_APPROVED: Final = "revision = {0}.revision AND digest = {0}.digest AND void_at IS NULL"
_NOT_FREED: Final = "EXISTS (SELECT 1 FROM restorations WHERE freed_at IS NULL)"
_OF_BATCH: Final = "EXISTS (SELECT 1 FROM invoices WHERE batch_id = NEW.id AND {})"
_UNSETTLED: Final = (_I.DRAFTED, _I.RESERVED, _I.POSTING, _I.IN_DOUBT)
_NOT_TO_POST: Final = (_I.RESERVED, _I.REJECTED, _I.REFUSED, _I.DELETED, _I.RETIRED, _I.CANCELLED, _I.REPLACED)

_USUAL_MOVES: Final[Mapping[str, tuple[tuple[State, State], ...]]] = {
    "rows": ((RowState.READ, RowState.RESOLVED), (RowState.RESOLVED, RowState.ASSEMBLED)),
    "batches": (),
    "invoices": (
        (_I.DRAFTED, _I.RESERVED),
        (_I.RESERVED, _I.POSTING),
        (_I.POSTING, _I.CREATED),
        (_I.POSTING, _I.PROCESSING),
        (_I.CREATED, _I.SCHEDULED),
        (_I.SCHEDULED, _I.PROCESSING),
        (_I.PROCESSING, _I.ACCEPTED),
    ),
}
"""Frequent legal moves: the trigger's WHEN lets them pass without a look at `legal_moves`."""


def _states() -> Iterator[Guard]:
    for table, entity in (("rows", "row"), ("batches", "batch"), ("invoices", "invoice")):
        born = is_any("NEW.state", *BIRTHS[table], but=True)
        yield Guard(f"{table}_birth", table, "INSERT", f"no {entity} is born in this state", born)
        # Comparisons instead of IN: SQLite would build the list again for each row that the trigger watches.
        unusual = (f"(OLD.state <> '{was}' OR NEW.state <> '{becomes}')" for was, becomes in _USUAL_MOVES[table])
        when = " AND ".join((_CHANGES, *unusual))
        legal = f"entity = '{entity}' AND was = OLD.state AND becomes = NEW.state"
        finds = f"NOT EXISTS (SELECT 1 FROM legal_moves WHERE {legal})"
        yield Guard(f"{table}_move", table, "UPDATE OF state", f"illegal move of this {entity}", when, finds)


_BATCHES: Final = (
    Guard(
        "batches_settled", "batches", "UPDATE OF state",
        "a batch with an unsettled note is neither staged nor sent",
        f"{is_any('NEW.state', _B.STAGED, _B.APPROVED, _B.SENDING)} AND {_CHANGES} AND {_IS_STAGED}",
        _OF_BATCH.format(is_any("state", *_UNSETTLED, _I.UNRESOLVED)),
    ),
    Guard(
        "batches_fixed", "batches", "UPDATE OF state",
        "an invoice of this batch does not wait to be posted",
        f"NEW.state = '{_B.STAGED}' AND {_CHANGES} AND NOT ({_IS_STAGED})",
        _OF_BATCH.format(is_any("state", *_NOT_TO_POST, but=True)),
    ),
    Guard(
        "batches_issued", "batches", "UPDATE OF state",
        "an invoice of this batch is not issued yet",
        f"OLD.state = '{_B.SENDING}' AND {is_any('NEW.state', _B.SCHEDULED, _B.PROCESSING, _B.PROCESSED)}"
        f" AND NOT ({_IS_STAGED})",
        _OF_BATCH.format(is_any("state", *_UNSETTLED)),
    ),
    Guard(
        "batches_approved", "batches", "UPDATE OF state",
        "nobody approved this content",
        f"{is_any('NEW.state', _B.APPROVED, _B.SENDING)} AND {_CHANGES}",
        f"NOT EXISTS (SELECT 1 FROM approvals WHERE batch_id = NEW.id AND {_APPROVED.format('NEW')})",
    ),
    Guard(
        "batches_forward", "batches", "UPDATE OF fence, revision, remote_id",
        "fence, revision and remote id of a batch never go back",
        "NEW.fence < OLD.fence OR NEW.revision < OLD.revision"
        " OR (OLD.remote_id IS NOT NULL AND NEW.remote_id IS DISTINCT FROM OLD.remote_id)",
    ),
    Guard(
        "batches_quarantined", "batches", "UPDATE OF state",
        "a restored ledger issues nothing before it is freed",
        f"NEW.state = '{_B.SENDING}' AND {_CHANGES}",
        _NOT_FREED,
    ),
)  # fmt: skip

_INVOICES: Final = (
    Guard(
        "invoices_posting", "invoices", "UPDATE OF state",
        "a note is posted under its own number, from a batch that its worker holds and that may post now",
        f"NEW.state = '{_I.POSTING}'",
        "NOT (EXISTS (SELECT 1 FROM numbers WHERE emitter_id = NEW.emitter_id AND serie = NEW.serie"
        " AND number = NEW.number AND invoice_id = NEW.id AND digest = NEW.digest AND retired_at IS NULL)"
        " AND EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch_id AND lease_owner IS NOT NULL AND ("
        f"({IS_STAGED} AND state = '{_B.OPEN}') OR (NOT ({IS_STAGED}) AND state = '{_B.SENDING}' AND EXISTS ("
        f"SELECT 1 FROM approvals WHERE batch_id = batches.id AND {_APPROVED.format('batches')})))))",
    ),
    Guard(
        "invoices_content", "invoices",
        "UPDATE OF id, row_id, emitter_id, taker_id, template_id, follows_id, replaces_id, kind, issuer, is_staged,"
        " business_key, competence,"
        " emission_at, digest, service_cents, liquid_cents, amounts",
        "the content of an invoice never changes",
    ),
    Guard(
        "invoices_text", "invoices", "UPDATE OF content",
        "the text of an invoice stays until its month is detached",
        finds="NEW.content <> '{}' OR NOT EXISTS (SELECT 1 FROM detached_months WHERE competence = NEW.competence)",
    ),
    Guard("invoices_whole", "invoices", "INSERT", "an invoice is drafted with its content", "NEW.content = '{}'"),
    Guard("invoices_origin", "invoices", "UPDATE OF origin_id", "the origin of an invoice never changes"),
    Guard(
        "invoices_given", "invoices", "UPDATE OF batch_id, serie, number, remote_id",
        "number, batch and remote id of an invoice are given once",
        " OR ".join(
            f"(OLD.{each} IS NOT NULL AND NEW.{each} IS DISTINCT FROM OLD.{each})"
            for each in ("batch_id", "serie", "number")
        )
        # If the post issues, a post that arrives twice makes two invoices, and the tax authority accepts one of them.
        + " OR (OLD.remote_id IS NOT NULL AND NEW.remote_id IS DISTINCT FROM OLD.remote_id"
        + f" AND (OLD.is_staged OR OLD.state <> '{_I.PROCESSING}'))",
    ),
    Guard(
        "invoices_alone", "invoices", "INSERT",
        "an invoice begins in no batch, with a row that follows no other",
        finds="NEW.batch_id IS NOT NULL"
        " OR EXISTS (SELECT 1 FROM rows WHERE id = NEW.row_id AND leader_id IS NOT NULL)",
    ),
    Guard(
        "invoices_joining", "invoices", "UPDATE OF batch_id",
        "an invoice joins a planned batch",
        "OLD.batch_id IS NULL AND NEW.batch_id IS NOT NULL",
        f"NOT EXISTS (SELECT 1 FROM batches WHERE id = NEW.batch_id AND state = '{_B.PLANNED}')",
    ),
    Guard(
        "invoices_quarantined", "invoices", "UPDATE OF state",
        "a restored ledger issues nothing before it is freed",
        f"NEW.state = '{_I.POSTING}' AND {_CHANGES}",
        _NOT_FREED,
    ),
)  # fmt: skip

_ROWS: Final = (
    Guard(
        "rows_following", "rows", "UPDATE OF leader_id",
        "a row follows one row of its reading that has an invoice, and has none itself",
        "NEW.leader_id IS DISTINCT FROM OLD.leader_id",
        "OLD.leader_id IS NOT NULL"
        " OR NOT EXISTS (SELECT 1 FROM rows WHERE id = NEW.leader_id AND reading_id = NEW.reading_id)"
        " OR NOT EXISTS (SELECT 1 FROM invoices WHERE row_id = NEW.leader_id)"
        " OR EXISTS (SELECT 1 FROM invoices WHERE row_id = NEW.id)",
    ),
    Guard("rows_lineage", "rows", "UPDATE OF follows_id, origin_id", "what a row corrects never changes"),
    Guard(
        "rows_whole", "rows", "UPDATE OF state",
        "a row stays read until its reading is finished",
        f"OLD.state = '{RowState.READ}' AND {_CHANGES}",
        "EXISTS (SELECT 1 FROM readings WHERE id = NEW.reading_id AND finished_at IS NULL)",
    ),
    Guard(
        "readings_finished", "readings", "UPDATE OF finished_at", "a reading is finished once",
        "OLD.finished_at IS NOT NULL",
    ),
)  # fmt: skip

_NUMBERS: Final = (
    Guard(
        "numbers_birth", "numbers", "INSERT",
        "a number is recorded for the invoice that bears it, with its digest",
        finds="NOT EXISTS (SELECT 1 FROM invoices WHERE id = NEW.invoice_id AND emitter_id = NEW.emitter_id"
        " AND serie = NEW.serie AND number = NEW.number AND digest = NEW.digest)",
    ),
    Guard(
        "numbers_owner", "numbers", "UPDATE OF emitter_id, serie, number, invoice_id, digest",
        "a number belongs for ever to one invoice and digest",
    ),
    Guard(
        "numbers_retire", "numbers", "UPDATE OF retired_at, retired_because",
        "a number is retired once, when its invoice is dead",
        "OLD.retired_at IS NOT NULL OR NEW.retired_at IS NOT NULL",
        "(OLD.retired_at IS NOT NULL AND (NEW.retired_at IS DISTINCT FROM OLD.retired_at"
        " OR NEW.retired_because IS DISTINCT FROM OLD.retired_because))"
        " OR (NEW.retired_at IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM invoices WHERE id = NEW.invoice_id AND is_living))",
    ),
    Guard(
        "series_forward", "series", "UPDATE", "a serie only counts up",
        "NEW.emitter_id <> OLD.emitter_id OR NEW.serie <> OLD.serie"
        " OR NEW.next_number < OLD.next_number OR NEW.highest_posted < OLD.highest_posted",
    ),
)  # fmt: skip

_JOURNALS: Final = (
    Guard("acknowledgements_written", "acknowledgements", "UPDATE", "an acknowledgement is written once"),
    Guard(
        "closings_reopened", "closings", "UPDATE", "a month is closed once and opened again once",
        "OLD.reopened_at IS NOT NULL OR NEW.competence <> OLD.competence OR NEW.last_event <> OLD.last_event"
        " OR NEW.last_contract <> OLD.last_contract OR NEW.last_payment <> OLD.last_payment"
        " OR NEW.closed_at <> OLD.closed_at OR NEW.closed_by <> OLD.closed_by",
    ),
    Guard(
        "closings_detached", "closings", "UPDATE", "a detached month stays closed",
        finds="EXISTS (SELECT 1 FROM detached_months WHERE competence = OLD.competence)",
    ),
    Guard(
        "detached_months_born", "detached_months", "INSERT",
        "a month is detached once it is closed, and the journal up to a seal and never less than before",
        finds="NOT EXISTS (SELECT 1 FROM closings WHERE competence = NEW.competence AND reopened_at IS NULL)"
        " OR EXISTS (SELECT 1 FROM detached_months WHERE last_event > NEW.last_event)"
        " OR (NEW.last_event <> 0 AND NOT EXISTS (SELECT 1 FROM seals WHERE last_event = NEW.last_event))",
    ),
    Guard(
        "detached_months_written", "detached_months", "UPDATE", "a month is detached once, and emptied once",
        "OLD.emptied_at IS NOT NULL OR NEW.competence <> OLD.competence OR NEW.file <> OLD.file"
        " OR NEW.sha256 <> OLD.sha256 OR CAST(NEW.counts AS TEXT) <> CAST(OLD.counts AS TEXT)"
        " OR NEW.service_cents <> OLD.service_cents OR NEW.last_event <> OLD.last_event"
        " OR NEW.detached_at <> OLD.detached_at OR NEW.detached_by <> OLD.detached_by",
    ),
    Guard("closing_reports_written", "closing_reports", "UPDATE", "a report of a closing is entered once"),
    Guard("certificates_written", "certificates", "UPDATE", "the end of a certificate is written once"),
    Guard("events_written", "events", "UPDATE", "the event journal is append-only"),
    Guard("erasures_written", "erasures", "UPDATE", "an erasure is written once"),
    Guard("index_changes_written", "index_changes", "UPDATE", "the change of an index is written once"),
    Guard("seals_written", "seals", "UPDATE", "a seal is written once"),
    Guard(
        "contracts_written", "contracts", "UPDATE OF folded_key, ordinal, changed_at, changed_by, because",
        "a version of a contract is written once",
    ),
    Guard(
        "attempts_closed", "attempts", "UPDATE", "an attempt is closed once",
        "OLD.ended_at IS NOT NULL OR NEW.batch_id <> OLD.batch_id OR NEW.invoice_id IS DISTINCT FROM OLD.invoice_id"
        " OR NEW.what <> OLD.what OR NEW.fence <> OLD.fence OR NEW.begun_at <> OLD.begun_at",
    ),
    Guard(
        "approvals_void", "approvals", "UPDATE", "an approval can only be voided",
        "OLD.void_at IS NOT NULL OR NEW.batch_id <> OLD.batch_id OR NEW.revision <> OLD.revision"
        ' OR NEW.digest <> OLD.digest OR NEW."count" <> OLD."count" OR NEW.total_cents <> OLD.total_cents'
        " OR NEW.approver <> OLD.approver OR NEW.approved_at <> OLD.approved_at"
        " OR CAST(NEW.acknowledgements AS TEXT) <> CAST(OLD.acknowledgements AS TEXT)"
        " OR NEW.staff_id IS DISTINCT FROM OLD.staff_id",
    ),
    Guard(
        "staff_revoked", "staff", "UPDATE", "an enrolment is revoked once, and its revision never goes back",
        "NEW.id <> OLD.id OR NEW.enrolled_at <> OLD.enrolled_at OR NEW.revision < OLD.revision"
        " OR (OLD.revoked_at IS NOT NULL AND (NEW.revoked_at IS DISTINCT FROM OLD.revoked_at"
        " OR NEW.roles <> OLD.roles OR NEW.limit_cents IS DISTINCT FROM OLD.limit_cents))",
    ),
    # Only the name in a line "named" may become null: the retention terms require it.
    Guard(
        "staff_events_written", "staff_events", "UPDATE", "a line about staff is written once",
        "OLD.what <> 'named' OR NEW.becomes IS NOT NULL OR NEW.id <> OLD.id OR NEW.what <> OLD.what"
        " OR NEW.staff_id IS DISTINCT FROM OLD.staff_id OR NEW.was IS DISTINCT FROM OLD.was"
        " OR NEW.done_by <> OLD.done_by OR NEW.at <> OLD.at",
    ),
    Guard("staff_names_given", "staff_names", "UPDATE", "a name is given once"),
    Guard(
        "staff_names_held", "staff_names", "DELETE", "a name stays as long as the enrolment",
        finds="NOT EXISTS (SELECT 1 FROM staff WHERE id = OLD.staff_id AND revoked_at IS NOT NULL)",
    ),
    Guard("staff_codes_used", "staff_codes", "UPDATE", "a code is used once", "OLD.used_at IS NOT NULL"
        " OR NEW.staff_id <> OLD.staff_id OR NEW.digest <> OLD.digest OR NEW.expires_at <> OLD.expires_at"
        " OR CAST(NEW.batches AS TEXT) <> CAST(OLD.batches AS TEXT)",
    ),
    Guard(
        "cancellations_closed", "cancellations", "UPDATE", "a cancellation is approved and closed once",
        "OLD.ended_at IS NOT NULL OR NEW.invoice_id <> OLD.invoice_id OR NEW.reason <> OLD.reason"
        " OR NEW.requested_by <> OLD.requested_by OR NEW.requested_at <> OLD.requested_at"
        " OR (OLD.approved_at IS NOT NULL AND (NEW.approved_by IS DISTINCT FROM OLD.approved_by"
        " OR NEW.approved_at IS DISTINCT FROM OLD.approved_at))",
    ),
    Guard(
        "remote_changes_closed", "remote_changes", "UPDATE", "a change at the provider is closed once",
        "OLD.ended_at IS NOT NULL OR NEW.system <> OLD.system OR NEW.kind <> OLD.kind OR NEW.verb <> OLD.verb"
        " OR NEW.subject <> OLD.subject OR NEW.digest <> OLD.digest OR NEW.asked_by <> OLD.asked_by"
        " OR NEW.because <> OLD.because OR NEW.begun_at <> OLD.begun_at",
    ),
    Guard(
        "documents_kept_once", "documents", "UPDATE", "a document is kept once",
        "OLD.sha256 IS NOT NULL OR NEW.invoice_id <> OLD.invoice_id OR NEW.kind <> OLD.kind",
    ),
    Guard(
        "account_bound", "account", "UPDATE OF uuid", "this ledger belongs to another account", "NEW.uuid <> OLD.uuid"
    ),
    Guard(
        "restorations_freed", "restorations", "UPDATE", "a ledger is freed once", "OLD.freed_at IS NOT NULL"
    ),
)  # fmt: skip

RULES: Final = (*_states(), *_BATCHES, *_INVOICES, *_ROWS, *_NUMBERS, *_JOURNALS)
"""Every guard except those against deletion."""

KEPT: Final = (
    "account", "acknowledgements", "approvals", "attempts", "batches", "cancellations", "certificates",
    "closing_reports", "closings", "contract_sheets", "contracts", "detached_months", "documents", "emitters",
    "erasures", "events", "files", "incidents", "index_changes", "invoices", "numbers", "orphans", "readings",
    "remote_changes", "restorations", "rows", "seals", "series", "staff", "staff_codes", "staff_events",
    "takers", "templates", "traffic",
)  # fmt: skip
"""Tables from which nobody may delete rows, because they prove what was billed and who decided it."""

DETACHED: Final = {
    "events": "EXISTS (SELECT 1 FROM detached_months WHERE last_event >= OLD.id)",
    "attempts": "EXISTS (SELECT 1 FROM detached_months JOIN batches ON batches.competence = detached_months.competence"
    " WHERE batches.id = OLD.batch_id)",
}
"""SQL condition, by table, of rows that may be deleted all the same: those in the file of a detached month."""
EVERYTHING: Final = "the ledger keeps everything"

GUARDS: Final = frozenset(guard.name for guard in RULES) | {f"{table}_kept" for table in KEPT}
"""The names of the triggers in a ledger of the newest version, on both databases."""
