"""Turn a canonical item into a product with its taxes (document 001, produtos and Tax field rules per item)."""

from decimal import Decimal
from typing import Any, Final

from domain.products.canonical import Contribution, Item, ItemTaxes
from domain.products.lines import ProductKind

_NOTHING: Final = Decimal(0)
_IN_TOTAL: Final = 1


def decimal_of(hundredths: int | None) -> Decimal | None:
    """Return integer cents as an amount, or basis points as a percentage; None stays None."""
    return None if hundredths is None else Decimal(hundredths).scaleb(-2)


def product_of(item: Item, kind: ProductKind) -> dict[str, Any]:
    """Return an element of `produtos`; None values are not sent."""
    return {
        # The document has this field only for NFC-e [A 2.26].
        **({"ind_valor_total": _IN_TOTAL} if kind == "nfce" else {}),
        "codigo_produto": item.code,
        "descricao": item.description,
        "ncm": item.ncm,
        "cest": item.cest,
        "cfop": item.cfop,
        "unidade_comercial": item.unit,
        "quantidade_comercial": item.quantity,
        "valor_unitario_comercial": item.unit_price,
        "unidade_tributaria": item.unit,
        "quantidade_tributaria": item.quantity,
        "valor_unitario_tributario": item.unit_price,
        "valor_total_produto": decimal_of(item.gross_cents),
        "valor_desconto": decimal_of(item.discount_cents or None),
        "valor_frete": decimal_of(item.freight_cents or None),
        "tributacao": _taxation(item.taxes),
    }


def _taxation(taxes: ItemTaxes) -> dict[str, Any]:
    return {
        "icms": _icms(taxes),
        "ipi": {"situacao_tributaria": taxes.ipi_cst, "codigo_enquadramento": taxes.ipi_class},
        "pis": _contribution("pis", taxes.pis),
        "cofins": _contribution("cofins", taxes.cofins),
    }


def _icms(taxes: ItemTaxes) -> dict[str, Any]:
    # The document has the code twice: `situacao_tributaria` selects the table, which requires the other [A 2.11].
    group: dict[str, Any] = {"situacao_tributaria": taxes.csosn, "situacao_simples_nacional": taxes.csosn}
    charged = taxes.substitution
    if charged is None:
        return group
    return group | {
        "base_icmsst_retido": decimal_of(charged.base_cents),
        "valor_icmsst_retido": decimal_of(charged.cents),
        "aliquota_consumidor_final": decimal_of(charged.rate_bp),
        "valor_icms_substituto": decimal_of(charged.substitute_icms_cents),
        # A poverty fund (FCP) that was withheld earlier is rare: we send zero [A 2.14].
        "valor_base_calculo_fcp_st_retido": _NOTHING,
        "aliquota_fcp_st_retido": _NOTHING,
        "valor_fcp_st_retido": _NOTHING,
    }


def _contribution(name: str, contribution: Contribution) -> dict[str, Any]:
    return {
        "situacao_tributaria": contribution.cst,
        "valor_base_calculo": decimal_of(contribution.base_cents),
        f"aliquota_{name}": decimal_of(contribution.rate_bp),
        f"valor_{name}": decimal_of(contribution.cents),
    }
