"""The products of the sample shops: invented prices, tax codes of real goods."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Good:
    """One product. `cest` is set if tax substitution charged its ICMS earlier; rates are texts in percent."""

    code: str
    name: str
    ncm: str
    unit: str
    price: Decimal
    pis: str
    pis_rate: str = ""
    cofins_rate: str = ""
    cest: str = ""

    @property
    def is_substituted(self) -> bool:
        return bool(self.cest)


GOODS: Final = (
    Good("CAN-010", "Caneca de cerâmica 300 ml", "69120000", "UN", Decimal("24.90"), "49"),
    Good("TOA-220", "Toalha de banho algodão", "63026000", "UN", Decimal("49.90"), "49"),
    Good("CAD-101", "Caderno universitário 10 matérias", "48201000", "UN", Decimal("27.45"), "01", "0,65%", "3%"),
    Good("CNT-007", "Caneta esferográfica azul – caixa", "96081000", "CX", Decimal("38.70"), "01", "0,65%", "3%"),
    Good("TEC-330", "Tecido para cortina (metro)", "54075210", "M", Decimal("31.99"), "49"),
    Good("LIV-512", "Livro infantil ilustrado", "49030000", "UN", Decimal("42.00"), "07"),
    Good("POT-048", "Pote plástico hermético 1,2 l", "39241000", "UN", Decimal("13.333"), "99"),
    Good("VEL-019", "Vela aromática de baunilha", "34060000", "UN", Decimal("19.90"), "99"),
    Good("LAM-060", "Lâmpada LED 9 W", "85395200", "UN", Decimal("11.80"), "49", cest="0900500"),
    Good("RAC-150", "Ração para cães (kg)", "23091000", "KG", Decimal("16.75"), "49", cest="2200100"),
)
