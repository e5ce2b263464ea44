"""Read what an answer shows of a note besides its identity, its taker and its amounts (document 000, NFSe)."""

import functools
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


def read_shown(note: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the shown values by wire name; decimals as integers of two places, all else as the answer has it.

    The percentages of the city variants and the tax burden are left out: the document names them for requests only.
    """
    shown = {name: value for name in _OF_NOTE if (value := note.get(name)) is not None}
    shown |= {name: value for name in _OF_VALUES if (value := values.get(name)) is not None}
    if (rate := values.get(_RATE)) is not None:
        shown[_RATE] = _two_places(str(rate))
    return shown


# Cached, because the notes of a batch share few rates.
@functools.lru_cache(maxsize=1_000)
def _two_places(text: str) -> int | str:
    """Return 500 for "5.00", "5.0000" or "5"; any other text as it is, which equals no rate of ours."""
    try:
        hundredfold = Decimal(text) * 100
        return int(hundredfold) if hundredfold == int(hundredfold) else text
    except (InvalidOperation, ValueError, OverflowError):
        return text
