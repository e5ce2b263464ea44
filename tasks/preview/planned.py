"""Make planned notes from service rows and their parties, for previews with and without stored invoices."""

from datetime import date

from connectors.ledger.invoices import InvoiceRecord
from connectors.ledger.parties import EmitterRecord, TakerRecord
from connectors.ledger.rows import RowRecord
from domain.forecasts.planned_invoices import PlannedNote, ReplacedNote, waived_of, withheld_of
from domain.invoice_numbers import place_text
from domain.taxes import ServiceAmounts
from domain.templates import ServiceTemplate


def service_note(
    row: RowRecord,
    emitter: EmitterRecord,
    taker: TakerRecord,
    template: ServiceTemplate,
    *,
    competence: date,
    amounts: ServiceAmounts,
    replaced: InvoiceRecord | None = None,
) -> PlannedNote:
    """Return the planned invoice of a service row. A negative taker id means a taker unknown to the provider.

    `replaced` is the issued invoice that the row replaces.
    """
    profile = template.profile.overridden(row.line or {})
    return PlannedNote(
        kind=emitter.kind,
        emitter_cnpj=emitter.cnpj,
        emitter_name=emitter.name,
        competence=competence,
        sheet=row.sheet,
        row_number=row.row_number,
        taker_document=taker.document,
        taker_name=taker.name,
        service_cents=amounts.service_cents,
        liquid_cents=amounts.liquid_cents,
        template=template.name,
        withheld=withheld_of(amounts),
        waived=waived_of(amounts.service_cents, profile),
        is_new_taker=taker.id < 0,
        replaced=None if replaced is None else _replaced_note(row, replaced),
    )


def _replaced_note(row: RowRecord, replaced: InvoiceRecord) -> ReplacedNote:
    because = (row.line or {}).get("replaces_because") or ""
    number = place_text(replaced.serie or "-", replaced.number or 0)
    return ReplacedNote(number, replaced.service_cents, str(because))
