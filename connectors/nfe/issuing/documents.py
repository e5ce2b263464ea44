"""Turn a canonical invoice into the request document (document 001, NF-e payload and NFC-e payload)."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from connectors.http.errors import Refused
from connectors.http.field_faults import field_problems
from connectors.nfe.issuing.items import decimal_of, product_of
from connectors.nfe.payloads.documents import Nfce, Nfe
from domain.products.canonical import Address, Bill, CanonicalInvoice, Customer, Payment

_OUTGOING: Final = 1
_ORDINARY: Final = 1
_DESTINATIONS: Final = {"inside": 1, "interstate": 2}
_PRESENCES: Final = {"counter": 1, "remote": 9}
_ICMS_STATUSES: Final = {"contributor": 1, "exempt": 2, "none": 9}
_FREIGHTS: Final = {"sender": 0, "none": 9}
_PAYMENTS: Final = {
    "cash": "01", "credit_card": "03", "debit_card": "04", "bank_slip": "15", "deposit": "16", "pix": "17",
    "transfer": "18", "static_pix": "20", "automatic_pix": "23",
}  # fmt: skip
"""Codes of means of payment [A 2.28]."""
_CARDS: Final = frozenset({"credit_card", "debit_card"})
_NOT_INTEGRATED: Final = 2


def wire_content(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document of a canonical invoice, without serie, number, `remote_id` and security code.

    Args:
        content: The JSON from `CanonicalInvoice.to_json`.

    Raises:
        Refused: The provider's document has no field for some value of the invoice. Nothing was sent.
    """
    invoice = CanonicalInvoice.from_json(content)
    model = Nfce if invoice.kind == "nfce" else Nfe
    try:
        return model.model_validate(_document(invoice)).content()
    except ValidationError as error:
        problems = field_problems(error)
        raise Refused(f"POST {invoice.kind}", problems=problems, detail="not as the document has it") from error


def _document(invoice: CanonicalInvoice) -> dict[str, Any]:
    document: dict[str, Any] = {
        "dados_gerais": {
            "uf": int(invoice.city_code[:2]),
            "codigo_mun_ocorrencia": invoice.city_code,
            "tipo_operacao": _OUTGOING,
            "finalidade_nfe": _ORDINARY,
            "destino_operacao": _DESTINATIONS[invoice.destination],
            "indicador_consumidor_final": int(invoice.is_final_consumer),
            "indicador_presenca": _PRESENCES[invoice.presence],
            "natureza_operacao": invoice.operation,
        },
        "cliente": None if invoice.customer is None else _customer(invoice.customer),
        "produtos": [product_of(item, invoice.kind) for item in invoice.items],
        "forma_de_pagamento": [_payment(each) for each in invoice.payments],
        "transporte": {"codigo_modalidade": _FREIGHTS[invoice.freight]},
    }
    if invoice.remarks is not None:
        document["informacoes_adicionais"] = {"informacoes_contribuinte": invoice.remarks}
    if invoice.bill is not None:
        document["cobranca"] = _billing(invoice.bill)
    return document


def _customer(customer: Customer) -> dict[str, Any]:
    return {
        "cpf_cnpj": customer.document.number,
        "nome": customer.name,
        "pessoa_fisica_juridica": "company" if customer.document.kind == "cnpj" else "person",
        "indicador_inscricao_estadual": _ICMS_STATUSES[customer.icms_status],
        "inscricao_estadual": customer.state_inscription,
        "email": customer.email,
        "endereco": None if customer.address is None else _address(customer.address),
    }


def _address(address: Address) -> dict[str, Any]:
    return {
        "logradouro": address.street,
        "numero": address.number,
        "complemento": address.complement,
        "bairro": address.neighborhood,
        "codigo_municipio": address.city_code,
        "nome_municipio": address.city,
        "uf": address.state,
        "cep": address.zip_code,
        "telefone": address.phone,
    }


def _payment(payment: Payment) -> dict[str, Any]:
    # The card machine is not connected to us, so brand and authorisation are unknown [A 2.16].
    integration = _NOT_INTEGRATED if payment.means in _CARDS else None
    return {
        "tipo_de_pagamento": _PAYMENTS[payment.means],
        "valor_do_pagamento": decimal_of(payment.cents),
        "tipo_de_integracao": integration,
    }


def _billing(bill: Bill) -> dict[str, Any]:
    total = decimal_of(bill.cents)
    return {
        "fatura": {
            "numero_fatura": bill.number,
            "valor_original": total,
            # the items have the discounts
            "valor_desconto": decimal_of(0),
            "valor_liquido": total,
        },
        "duplicatas": [
            {"numero": each.number, "data_vencimento": each.due_on, "valor": decimal_of(each.cents)}
            for each in bill.instalments
        ],
    }
