"""Fill the placeholders in the text of a contract's invoice: month, installment or period.

Known placeholders: `{mês}`, `{mês/ano}`, `{ano}`, `{parcela}`, `{parcelas}`, `{período}`; accents and letter case do
not matter. The English `{month}`, `{month/year}`, `{year}`, `{installment}`, `{installments}`, `{period}` mean the
same. Double braces mean the same as single ones; a brace that encloses no placeholder is refused.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

from domain.competence import first_of_month, month_name
from domain.contracts.contract import Contract
from domain.contracts.schedule import installment_of, installments_of, period_of
from domain.placeholders import fill_placeholders, has_stray_brace, normalize_name
from domain.problems import Problem

SHOWN: Final = "{mês}, {mês/ano}, {ano}, {parcela}, {parcelas}, {período}"


def fill_description(contract: Contract, competence: date) -> str | list[Problem]:
    """Return the description with its placeholders filled, or one Problem for each fault of its braces."""
    problems: list[Problem] = []

    def fill(written: str) -> str | None:
        name = normalize_name(written)
        value = _VALUES[name](contract, competence) if name in _VALUES else None
        if value is None:
            code = "contract.no_installments" if name in _VALUES else "contract.placeholder"
            problems.append(Problem(code, "description", params={"placeholder": written[:40], "known": SHOWN}))
        return value

    text = fill_placeholders(contract.description, fill)
    if has_stray_brace(contract.description):
        problems.append(Problem("contract.stray_brace", "description", params={"known": SHOWN}))
    return problems or text


def description_problems(contract: Contract) -> list[Problem]:
    """Return one Problem for each placeholder of the description that has no value in any month."""
    found = fill_description(contract, first_of_month(contract.starts_on))
    return found if isinstance(found, list) else []


def _month(_: Contract, competence: date) -> str:
    return month_name(competence)


def _month_and_year(_: Contract, competence: date) -> str:
    return f"{competence:%m/%Y}"


def _year(_: Contract, competence: date) -> str:
    return str(competence.year)


def _installment(contract: Contract, competence: date) -> str:
    return str(installment_of(contract, competence))


def _installments(contract: Contract, _: date) -> str | None:
    count = installments_of(contract)
    return None if count is None else str(count)


def _period(contract: Contract, competence: date) -> str:
    period = period_of(contract, competence)
    return f"{period.first_on:%d/%m/%Y} a {period.last_on:%d/%m/%Y}"


_VALUES: Final[Mapping[str, Callable[[Contract, date], str | None]]] = {
    "mes": _month,
    "month": _month,
    "mes/ano": _month_and_year,
    "month/year": _month_and_year,
    "ano": _year,
    "year": _year,
    "parcela": _installment,
    "installment": _installment,
    "parcelas": _installments,
    "installments": _installments,
    "periodo": _period,
    "period": _period,
}
