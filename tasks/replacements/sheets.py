"""Write lines as an ordinary services sheet, which the usual stations read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.writers.charges import amount_text, sheet_of
from domain.competence import format_competence
from domain.documents import Document
from domain.services.lines import ServiceLine

_TEXTS: Final = (
    "own_key", "contract", "reference", "template_name", "description", "service_item_code", "city_tax_code",
    "cnae_code", "observations", "rps_situation", "operation_nature", "tax_burden_source", "replaces",
    "replaces_because",
)  # fmt: skip
# Omit tax amounts: they belong to the replaced invoice.
_FIGURES: Final = (
    "service_cents", "deduction_cents", "unconditioned_discount_cents", "discount_conditioning_cents",
    "tax_burden_cents", "tax_burden_bp", "iss_bp", "pis_bp", "cofins_bp", "csll_bp", "ir_bp", "inss_bp",
)  # fmt: skip
_FLAGS: Final = ("retained_iss", "send_to_taker")


def replacement_sheet(lines: Sequence[ServiceLine], headers: Mapping[str, str]) -> bytes:
    """Return a CSV with one row for each line and a column for each field that any line fills. `headers` by field."""
    rows = [dict(_cells(line)) for line in lines]
    fields = [name for name in headers if any(name in row for row in rows)]
    return sheet_of(rows, fields, headers)


def _cells(line: ServiceLine) -> Iterator[tuple[str, str]]:
    assert line.taker.document is not None
    yield "document", line.taker.document.formatted
    if line.taker.name:
        yield "name", line.taker.name
    if line.emitter_cnpj is not None:
        yield "emitter_cnpj", Document("cnpj", line.emitter_cnpj).formatted
    if line.competence is not None:
        yield "competence", format_competence(line.competence)
    for name in _TEXTS:
        if (text := getattr(line, name)) is not None:
            yield name, text
    for name in _FIGURES:
        if (figure := getattr(line, name)) is not None:
            yield name, amount_text(figure)
    for name in _FLAGS:
        if (flag := getattr(line, name)) is not None:
            yield name, "S" if flag else "N"
