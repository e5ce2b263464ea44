"""Count the rows whose own rates replace different rates of their template."""

from collections.abc import Mapping, Sequence
from typing import Final

from domain.decisions import Decisions
from domain.money import to_wire
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate
from tasks.services.takers import Row

_RETAINS: Final = "retained_iss"


def has_rates(line: ServiceLine) -> bool:
    """Return whether the row has its own rate or its own retention of ISS."""
    return any(value is not None for value in line.rates.values())


def count_differing_rates(rows: Sequence[Row], templates: Mapping[int, ServiceTemplate], decisions: Decisions) -> None:
    """Count each rate that differs from the template's, in rows without a problem. `templates` are by row id.

    Every row of a sheet may have several such rates, but few of them are different.
    """
    known: dict[tuple[str, int, int, str], Mapping[str, str | int]] = {}
    for row in rows:
        template = templates.get(row.record.id)
        if template is None or row.problems:
            continue
        for field, rate in row.line.rates.items():
            usual = getattr(template.profile, field)
            if rate is None or rate == usual:
                continue
            place = (field, rate, usual, template.name)
            if place not in known:
                shown = {} if field == _RETAINS else {"rate": _percent(rate), "usual": _percent(usual)}
                known[place] = {**shown, "template": template.name}
            code = "template.retention_differs" if field == _RETAINS else "template.rate_differs"
            record = row.record
            decisions.count_cell(code, field, known[place], sheet=record.sheet, row=record.row_number, column=None)


def _percent(basis_points: int) -> str:
    return to_wire(basis_points).replace(".", ",")
