"""Read what an answer shows of a note besides its identity, its taker and its amounts (document 000, NFSe)."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, Final

_OF_NOTE: Final = (
    "rps_type",
    "rps_situation",
    "operation_nature",
    "special_regime",
    "send_nfse_taker",
    "other_informations",
)
_OF_VALUES: Final = (
    "service_item_code",
    "city_tax_code",
    "cnae_code",
    "description",
    "city_code",
    "retained_iss",
    "highlight_retentions",
)
_RATE: Final = "iss_percentage"
_BY_CITY: Final = (
    "pis_percentage",
    "cofins_percentage",
    "csll_percentage",
    "ir_percentage",
    "inss_percentage",
    "retained_iss_percentage",
    "tax_burden_percentage",
    "tax_burden_amount",
)
_SOURCE: Final = "tax_burden_source"


def read_shown(note: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shown values by wire name; decimals as integers of two places, all else as the answer has it.

    The document names the fields of the city variants for requests only: an answer's zero may mean that it does not
    repeat the field [A 1.40].
    """
    shown = {name: value for name in _OF_NOTE if (value := note.get(name)) is not None}
    shown |= {name: value for name in _OF_VALUES if (value := values.get(name)) is not None}
    if (rate := values.get(_RATE)) is not None:
        shown[_RATE] = _two_places(rate)
    shown |= {name: found for name in _BY_CITY if (value := values.get(name)) and (found := _two_places(value))}
    if source := values.get(_SOURCE):
        shown[_SOURCE] = source
    return shown


def _two_places(value: Any) -> int | str:
    """Return 500 for "5.00", "5.0000" or 5; any other value as text, which equals none of ours."""
    try:
        hundredfold = Decimal(str(value)) * 100
        return int(hundredfold) if hundredfold == int(hundredfold) else str(value)
    except (InvalidOperation, ValueError, OverflowError):
        return str(value)
