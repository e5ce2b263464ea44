"""The columns of each blank workbook, with two invented examples; headers come from the layout."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

Shape = Literal["text", "money", "figure", "percent", "month", "day", "list"]
"""`text` keeps zeros and letters; `list` offers the choices of the field's list."""

Example = str | float | date | None


@dataclass(frozen=True, slots=True)
class Column:
    """One column: field, cell format, width, two examples, and whether it is required."""

    field: str
    shape: Shape
    width: int
    examples: tuple[Example, Example]
    is_required: bool = False


STATES: Final = (
    "AC", "AL", "AM", "AP", "BA", "CE", "DF", "ES", "GO", "MA", "MG", "MS", "MT", "PA", "PB", "PE", "PI", "PR", "RJ",
    "RN", "RO", "RR", "RS", "SC", "SE", "SP", "TO",
)  # fmt: skip

_WHO: Final = (
    Column("document", "text", 21, ("99.000.021/0001-74", "990.000.001-30"), is_required=True),
    Column("name", "text", 34, ("Padaria Sol Nascente Ltda", "Ana Lima"), is_required=True),
)
_REACHED: Final = (
    Column("emails", "text", 42, ("contas@padaria.example", "ana.lima@cliente.example")),
    Column("phone", "text", 17, ("(11) 91234-5678", "(21) 98765-4321")),
)
_WHERE: Final = (
    Column("street", "text", 28, ("Rua das Laranjeiras", "Rua do Catete")),
    Column("number", "text", 9, ("120", "S/N")),
    Column("complement", "text", 16, ("Loja 2", None)),
    Column("neighborhood", "text", 18, ("Centro", "Catete")),
    Column("zip_code", "text", 12, ("01310-100", "22220-000")),
    Column("city", "text", 22, ("São Paulo", "Rio de Janeiro")),
    Column("state", "list", 7, ("SP", "RJ")),
)
_MONTH: Final = date(2026, 11, 1)

COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "services": (
        Column("emitter_cnpj", "list", 21, ("99.000.001/0001-01", "99.000.002/0001-48"), is_required=True),
        *_WHO,
        Column("template_name", "list", 24, ("Mensalidade Sistema", "Consultoria"), is_required=True),
        Column("description", "text", 44, ("Mensalidade do sistema, novembro de 2026", "Consultoria em processos")),
        Column("competence", "month", 14, (_MONTH, _MONTH), is_required=True),
        Column("service_cents", "money", 16, (1_234.56, 350.0), is_required=True),
        *_REACHED,
        *_WHERE,
        Column("send_to_taker", "list", 13, ("Sim", "Não")),
        Column("own_key", "text", 16, ("2026-11/0001", None)),
        Column("observations", "text", 30, ("Pedido de compra 4500012", None)),
    ),
    "products": (
        Column("order_key", "text", 14, ("1001", "1001"), is_required=True),
        Column("kind", "list", 14, ("NF-e", "NF-e"), is_required=True),
        Column("emitter_cnpj", "list", 21, ("99.000.051/0001-80", "99.000.051/0001-80"), is_required=True),
        Column("competence", "day", 14, (date(2026, 11, 20), date(2026, 11, 20)), is_required=True),
        Column("document", "text", 21, ("990.000.001-30", "990.000.001-30"), is_required=True),
        Column("name", "text", 30, ("Ana Lima", "Ana Lima"), is_required=True),
        Column("code", "text", 14, ("CAN-01", "PRA-07"), is_required=True),
        Column("description", "text", 34, ("Caneca de louça", "Prato raso"), is_required=True),
        Column("ncm", "text", 13, ("6912.00.00", "6911.10.10"), is_required=True),
        Column("cfop", "text", 8, ("5102", "5102"), is_required=True),
        Column("unit", "text", 10, ("UN", "UN"), is_required=True),
        Column("quantity", "figure", 12, (2.0, 6.0), is_required=True),
        Column("unit_price", "money", 16, (12.5, 18.9), is_required=True),
        Column("discount_cents", "money", 14, (None, 3.4)),
        Column("payment", "list", 20, ("Cartão de Crédito", "Cartão de Crédito"), is_required=True),
        Column("icms", "list", 10, ("102", "102"), is_required=True),
        Column("pis", "list", 10, ("07", "07"), is_required=True),
        Column("pis_bp", "percent", 10, (None, None)),
        Column("cofins", "list", 12, ("07", "07"), is_required=True),
        Column("cofins_bp", "percent", 12, (None, None)),
        Column("emails", "text", 30, ("ana.lima@cliente.example", "ana.lima@cliente.example")),
        *(
            Column(each.field, each.shape, each.width, (each.examples[1],) * 2, is_required=each.field != "complement")
            for each in _WHERE
        ),
        Column("observations", "text", 30, (None, None)),
    ),
    "takers": (
        *_WHO,
        Column("fancy_name", "text", 26, ("Padaria do Sol", None)),
        Column("city_inscription", "text", 20, ("1234567-8", None)),
        Column("state_inscription", "text", 20, ("ISENTO", None)),
        *_REACHED,
        *_WHERE,
    ),
    "templates": (
        Column("emitter_cnpj", "list", 21, ("99.000.001/0001-01", "99.000.002/0001-48"), is_required=True),
        Column("template_name", "text", 26, ("Mensalidade Básica", "Consultoria Fiscal"), is_required=True),
        Column("service_cents", "money", 16, (350.0, None)),
        Column("description", "text", 44, ("Mensalidade do sistema", "Consultoria em processos")),
        Column("service_item_code", "text", 13, ("0105", "02919")),
        Column("city_tax_code", "text", 18, ("010501", None)),
        Column("cnae_code", "text", 13, ("6202-3/00", "6204-0/00")),
        Column("iss_bp", "percent", 14, (0.02, 0.05)),
        Column("retained_iss", "list", 11, ("Não", "Não")),
        Column("pis_bp", "percent", 10, (None, 0.0065)),
        Column("cofins_bp", "percent", 12, (None, 0.03)),
        Column("csll_bp", "percent", 10, (None, 0.01)),
        Column("ir_bp", "percent", 10, (None, 0.015)),
        Column("inss_bp", "percent", 10, (None, None)),
        Column("ir_limit_cents", "money", 18, (None, 666.67)),
        Column("pcc_limit_cents", "money", 20, (None, 215.05)),
        Column("inss_limit_cents", "money", 18, (None, None)),
        Column("highlight_retentions", "text", 24, (None, "IR, PIS, COFINS, CSLL")),
    ),
    "emitters": (
        Column("emitter_cnpj", "text", 21, ("99.000.001/0001-01", "99.000.002/0001-48"), is_required=True),
        Column("name", "text", 34, ("Marés Consultoria Ltda", "Aurora Serviços Digitais S.A.")),
        Column("fancy_name", "text", 24, ("Marés", "Aurora")),
        Column("emails", "text", 32, ("financeiro@mares.example", "financeiro@aurora.example")),
        Column("phone", "text", 17, ("(21) 98765-4321", "(11) 91234-5678")),
        Column("city_inscription", "text", 20, ("1234567-8", "8765432-1")),
        Column("state_inscription", "text", 20, (None, "ISENTO")),
        Column("street_type", "text", 14, ("RUA", "AVENIDA")),
        Column("street", "text", 28, ("das Laranjeiras", "Paulista")),
        *_WHERE[1:],
        Column("national_simple_optant", "list", 13, ("Sim", "Não")),
    ),
    "contracts": (
        Column("contract_key", "text", 16, ("2026/0001", "2026/0002"), is_required=True),
        Column("emitter_cnpj", "list", 21, ("99.000.001/0001-01", "99.000.002/0001-48"), is_required=True),
        *_WHO,
        Column("template_name", "list", 24, ("Mensalidade Sistema", "Consultoria"), is_required=True),
        Column("description", "text", 44, ("Mensalidade de {mês/ano}", "Parcela {parcela} de {parcelas}")),
        Column("service_cents", "money", 16, (1_234.56, 350.0), is_required=True),
        Column("starts_on", "day", 14, (date(2026, 1, 10), date(2026, 3, 1)), is_required=True),
        Column("ends_on", "day", 14, (None, date(2027, 2, 28))),
        Column("billing_day", "text", 26, ("dia 5 ou próximo dia útil", "último dia útil")),
        Column("cadence", "text", 15, ("mensal", "trimestral")),
        Column("is_prorated", "list", 13, ("Sim", "Não")),
        Column("readjustment", "text", 12, ("IPCA", "5%")),
    ),
    "indexes": (
        Column("index", "text", 10, ("IPCA", "IGP-M"), is_required=True),
        Column("month", "month", 14, (_MONTH, _MONTH), is_required=True),
        Column("change", "text", 14, ("0,48", "-0,12"), is_required=True),
    ),
}
"""By layout, in the order in which people fill them in."""
