"""Who bought: the wire group `cliente`, and what of a customer is missing or not supported."""

from collections.abc import Iterator
from typing import Any, Final

from domain.parties import TakerData
from domain.problems import Problem
from domain.products.orders import Order
from domain.products.shops import Shop
from domain.products.wording import Wording

CONTRIBUTOR, EXEMPT, NOT_CONTRIBUTOR = 1, 2, 9
INSIDE, INTERSTATE = 1, 2
_REQUIRED: Final = ("document", "name", "street", "number", "neighborhood", "city_code", "city", "state", "zip_code")
_EXEMPT_WORDS: Final = frozenset({"ISENTO", "ISENTA", "ISENTOS"})
_LIMIT: Final = 60
_INSCRIPTION_DIGITS: Final = range(2, 15)
_ADDRESS: Final = {
    "street": "logradouro",
    "number": "numero",
    "complement": "complemento",
    "neighborhood": "bairro",
    "city": "nome_municipio",
}
"""Wire names of the address texts, all of one size (later documentation)."""


def inscription_of(taker: TakerData) -> str:
    """The state inscription: digits, `ISENTO`, or empty. Anything else stays as it was written."""
    text = (taker.state_inscription or "").strip().upper()
    return "ISENTO" if text in _EXEMPT_WORDS else "".join(sign for sign in text if sign not in ".-/ ")


def indicator_of(taker: TakerData) -> int:
    """Whether the customer pays ICMS itself: 1 yes, 2 exempt from registration, 9 no."""
    inscription = inscription_of(taker)
    if not inscription:
        return NOT_CONTRIBUTOR
    return EXEMPT if inscription == "ISENTO" else CONTRIBUTOR


def destination_of(order: Order, shop: Shop) -> int:
    """1 inside the state, which a sale over the counter always is; 2 to another state."""
    return INSIDE if order.kind == "nfce" or order.taker.state == shop.state else INTERSTATE


def is_final_consumer(order: Order) -> bool:
    """Who pays no ICMS itself always is one; a contributor resells unless the sheet says otherwise."""
    return True if indicator_of(order.taker) != CONTRIBUTOR else bool(order.is_final_consumer)


def customer_problems(order: Order) -> Iterator[Problem]:
    """Per cell of the order's first line."""
    taker, where = order.taker, order.where
    yield from (Problem("product.customer_incomplete", name, where) for name in _REQUIRED if not getattr(taker, name))
    is_company = taker.document is not None and taker.document.kind == "cnpj"
    inscription = inscription_of(taker)
    if order.kind == "nfce" and is_company:
        yield Problem("product.nfce_person_only", "document", where)
    if inscription and taker.document is not None and not is_company:
        yield Problem("product.person_with_inscription", "state_inscription", where)
    elif inscription not in ("", "ISENTO") and not (
        inscription.isascii() and inscription.isdigit() and len(inscription) in _INSCRIPTION_DIGITS
    ):
        yield Problem("product.inscription", "state_inscription", where)
    if order.is_final_consumer is False and indicator_of(taker) != CONTRIBUTOR:
        yield Problem("product.final_consumer", "is_final_consumer", where)


def customer_group(order: Order, wording: Wording) -> dict[str, Any]:
    """`cliente` of an order whose customer has no problems."""
    taker, row = order.taker, order.lines[0].row
    if taker.document is None:
        raise ValueError("a customer without a document")

    def take(name: str, text: str) -> str:
        return wording.take(name, text, _LIMIT, row=row, is_personal=True)

    address: dict[str, Any] = {
        wire: take(name, text) for name, wire in _ADDRESS.items() if (text := getattr(taker, name))
    }
    address |= {"codigo_municipio": taker.city_code, "cep": taker.zip_code, "uf": taker.state}
    if taker.phone:
        address["telefone"] = taker.phone
    group: dict[str, Any] = {
        "cpf_cnpj": taker.document.number,
        "nome": take("name", taker.name or ""),
        "pessoa_fisica_juridica": "company" if taker.document.kind == "cnpj" else "person",
        "indicador_inscricao_estadual": indicator_of(taker),
        "endereco": address,
    }
    if indicator_of(taker) == CONTRIBUTOR:
        group["inscricao_estadual"] = inscription_of(taker)
    if taker.emails:
        group["email"] = take("emails", taker.emails[0])
    return group
