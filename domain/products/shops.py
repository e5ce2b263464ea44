"""The issuers of product invoices, with the fields that an invoice needs."""

from dataclasses import dataclass
from typing import Final

SIMPLE_NATIONAL: Final = 1


@dataclass(frozen=True, slots=True)
class Shop:
    """An issuer. `city_code` has seven digits; the first two are the state's.

    `tax_regime`: 1 simple national, 2 the same with the revenue sublimit exceeded, 3 normal, None unknown.
    """

    cnpj: str
    state: str
    city_code: str
    tax_regime: int | None
