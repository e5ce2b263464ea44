"""The choices in a shop's sheet, with the words that people write for each. Other words are refused.

A choice whose taxes are not implemented is refused as "not supported yet": a document may not lack some of its taxes.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from domain.problems import Problem
from domain.texts import folded

_WORDS: Final[Mapping[str, Mapping[str, Sequence[str]]]] = {
    "kind": {
        "nfe": ("nfe", "nf e", "nota fiscal eletronica", "55", "modelo 55"),
        "nfce": ("nfce", "nfc e", "nota ao consumidor", "nota fiscal ao consumidor", "cupom", "65", "modelo 65"),
    },
    "payment": {
        "cash": ("dinheiro", "especie", "em dinheiro", "cash", "efectivo", "01", "1"),
        "credit_card": (
            "cartao de credito",
            "cartao credito",
            "credito",
            "credit card",
            "tarjeta de credito",
            "03",
            "3",
        ),
        "debit_card": ("cartao de debito", "cartao debito", "debito", "debit card", "tarjeta de debito", "04", "4"),
        "deposit": ("deposito", "deposito bancario", "deposito em conta", "16"),
        "transfer": ("transferencia", "transferencia bancaria", "ted", "bank transfer", "carteira digital", "18"),
        # a till shows a dynamic PIX code, so only explicit words select another kind
        "pix": (
            "pix",
            "pix dinamico",
            "pix qr code",
            "pix qrcode",
            "pix qr code dinamico",
            "pix a vista",
            "17",
            "pagamento instantaneo",
            "pagamento instantaneo pix",
            "pagamento instantaneo pix dinamico",
        ),
        "static_pix": ("pix estatico", "chave pix", "pix chave", "pagamento instantaneo pix estatico", "20", "20 pix"),
        "automatic_pix": ("pix automatico", "pagamento instantaneo pix automatico", "23", "23 pix"),
        "bank_slip": ("boleto", "boleto bancario", "15"),
    },
    "freight": {
        "none": ("sem frete", "sem ocorrencia de transporte", "nao", "9"),
        "sender": ("remetente", "por conta do remetente", "emitente", "por conta do emitente", "cif", "0"),
    },
    # The code may begin with the digit of the goods' origin: 0 is national.
    "icms": {"102": ("102", "0102", "csosn 102"), "500": ("500", "0500", "csosn 500")},
    "pis": {"01": ("01", "1"), "07": ("07", "7"), "49": ("49",), "99": ("99",)},
    "cofins": {"01": ("01", "1"), "07": ("07", "7"), "49": ("49",), "99": ("99",)},
    "ipi": {"53": ("53",)},
}
SHOWN: Final[Mapping[str, str]] = {
    "kind": "NF-e, NFC-e",
    "payment": "Dinheiro, Cartão de Crédito, Cartão de Débito, PIX, Depósito, Transferência, Boleto",
    "freight": "Sem frete, Remetente",
    "icms": "102, 500",
    "pis": "01, 07, 49, 99",
    "cofins": "01, 07, 49, 99",
    "ipi": "53",
}
"""The supported choices of each field, as a refusal shows them."""

_CHOICES: Final = {
    field: {word: choice for choice, words in choices.items() for word in words} for field, choices in _WORDS.items()
}
_CODED: Final = re.compile(r"([0-9]{1,4}) ([a-z][a-z ]{0,60})")
_GAPS: Final = re.compile(r"[\s\-./_()]+")


def read_choice(field: str, text: str) -> str | Problem:
    """Return the choice that a cell names, or `product.unsupported` with the supported choices."""
    word = _GAPS.sub(" ", folded(text)).strip()
    words = _CHOICES[field]
    found = words.get(word)
    if found is None and (coded := _CODED.fullmatch(word)):
        # "01 - Dinheiro": a code and its name, which must mean the same
        found = words.get(coded[1]) if words.get(coded[1]) == words.get(coded[2]) else None
    return found or Problem("product.unsupported", field, params={"text": text[:40], "supported": SHOWN[field]})
