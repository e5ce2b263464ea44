"""Organizations that issue product invoices: what of them an invoice is made of."""

from dataclasses import dataclass
from typing import Final

from domain.texts import folded

SIMPLE_NATIONAL: Final = 1


@dataclass(frozen=True, slots=True)
class Shop:
    """An issuer. `city_code` has seven digits, of which the first two are the state's; `tax_regime` 1 to 3 or None."""

    cnpj: str
    state: str
    city_code: str
    tax_regime: int | None


def regime_of(text: str | None) -> int | None:
    """1 simple national, 2 the same with the revenue sublimit exceeded, 3 normal; from the digit or the label.

    None for anything else: a regime is never guessed.
    """
    label = folded(text or "")
    if label in ("1", "2", "3"):
        return int(label)
    if label in ("regime normal", "normal"):
        return 3
    if "simples nacional" not in label:
        return None
    return 2 if "sublimite" in label or "excesso" in label else SIMPLE_NATIONAL
