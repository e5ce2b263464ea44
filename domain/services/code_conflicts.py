"""Compare a row's service code with its template's: the template's rate and city tax code belong to its own code."""

from domain.cities import CityRules
from domain.corrections.answers import CODE_DIFFERS
from domain.problems import Problem
from domain.services.lines import ServiceLine
from domain.templates import ServiceTemplate


def code_conflict(line: ServiceLine, template: ServiceTemplate, city: CityRules) -> Problem | None:
    """Return the problem of a row whose service code differs from the template's; None if they agree.

    `template.code_differs` holds the row, because the invoice would combine the row's item with the template's rate or
    city tax code. `template.code_released`: a person released such a row. `template.code_of_row` is only a remark: the
    row states its own rate and city tax code, too.
    """
    if line.service_item_code is None or not template.service_item_code:
        return None
    written, own = city.item_code_of(line.service_item_code), city.item_code_of(template.service_item_code)
    if written == own or isinstance(written, Problem) or isinstance(own, Problem):
        return None
    is_whole = line.iss_bp is not None and (city.tax_code_digits is None or line.city_tax_code is not None)
    params = {"code": written, "own": own, "template": template.name}
    if is_whole:
        return Problem("template.code_of_row", "service_item_code", params=params)
    is_released = line.is_answered(CODE_DIFFERS)
    return Problem("template.code_released" if is_released else CODE_DIFFERS, "service_item_code", params=params)
