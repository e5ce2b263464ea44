"""Good rows of a sheet, which a test may change; documents and names are invented."""

from datetime import UTC, datetime
from typing import Any, Final

from stdnum.br import cnpj, cpf

from domain.competence import BRASILIA, first_of_month
from domain.documents import Document
from domain.parties import TakerData
from domain.services.lines import ServiceLine

RIO: Final = "99000001000101"
SAO_PAULO: Final = "99000002000148"
"""CNPJs of the sandbox's two emitters."""


def this_month() -> Any:
    """Return the first day of the current month at the place of issue."""
    return first_of_month(datetime.now(UTC).astimezone(BRASILIA).date())


def company(number: int) -> Document:
    """Return an invented company; the same number gives the same one."""
    # 99… are the emitters of the sandbox
    root = f"98{number:06}0001"
    return Document("cnpj", root + cnpj.calc_check_digits(root))


def person(number: int) -> Document:
    """Return an invented person."""
    root = f"99{number:07}"
    return Document("cpf", root + cpf._calc_check_digits(root))


def taker(number: int = 1, **changes: Any) -> TakerData:
    """Return a taker with all fields that both cities require."""
    values: dict[str, Any] = {
        "document": company(number),
        "name": f"Tomador {number} Ltda",
        "street": "Rua das Laranjeiras",
        "number": "10",
        "city_code": "3550308",
        "city": "São Paulo",
        "state": "SP",
        "zip_code": "01310100",
    }
    return TakerData(**(values | changes))


def line(number: int = 1, **changes: Any) -> ServiceLine:
    """Return a good row: R$ 100,01 for the first, one cent more for each further one, a taker for each."""
    values: dict[str, Any] = {
        "service_cents": 10_000 + number,
        "taker": taker(number),
        "template_name": "Mensalidade Sistema",
        "emitter_cnpj": RIO,
        "competence": this_month(),
        "description": f"Contrato {number}",
    }
    return ServiceLine(**(values | changes))


def lines(count: int, *, first: int = 1, **changes: Any) -> list[ServiceLine]:
    return [line(number, **changes) for number in range(first, first + count)]
