"""Words of figures that a total may include although they are no part of the month's service."""

import re
from typing import Final

from connectors.spreadsheets.headers.stated_taxes import TAX_WORDS

_NO_PRICE: Final = (
    r"multas?|juros|mora|(?<!salarios e )encargos(?! (?:sociais|trabalhistas))|"
    r"reembols\w*|repasses?|custas|despesas?|midia|verba|"
    r"(?:saldos?|debitos?|mes|meses|mensalidades?|parcelas?|faturas?|valor(?:es)?|titulos?) "
    r"(?:anterior(?:es)?|pendentes?|pendiente|devedor|(?:em )?(?:aberto|atraso)|atrasad[oa]s?|vencid[oa]s?)|"
    r"pendencias?|atrasados?|sinal|(?:adiantamentos?|entradas?) (?:pag[oa]s?|recebid[oa]s?)|"
    r"(?:impostos?|tributos?|taxas?|guias?|darfs?)(?: e \w+)? (?:pag[oa]s?|recolhid[oa]s?)|por conta(?: e ordem)?|"
    r"desembols\w*|numerarios?|"
    r"arrears|previous balance|balance (?:forward|due)|late fees?|interest|reimburs\w*|pass ?through|expenses"
)
OF_OTHERS: Final = re.compile(
    r"\b(?:liquid[oa]|repass\w*|pagar|devid[oa])\b(?:.{0,30}\b(?:veiculos?|proprietari[oa]s?|locador(?:es)?|lojistas?|"
    r"parceir[oa]s?|anfitria\w*|anfitri(?:ao|oes)|artistas?|cedentes?|vendedor(?:es)?|fornecedor(?:es)?|motoristas?|"
    r"entregador(?:es)?)\b| (?:aos?|para [oa]s?) [a-z]{3,})"
)
"""Words of the part of an amount that goes to another party: only the commission is the company's own."""
NOT_CHARGED: Final = re.compile(rf"\b(?:{_NO_PRICE})\b|{OF_OTHERS.pattern}")
PASSED_ON: Final = re.compile(rf"\b(?:{_NO_PRICE}|correcao|{TAX_WORDS})\b")
"""The same and taxes: a rule with such a column explains no amount."""
OLDER: Final = re.compile(
    r"\b(?:(?:saldos?|debitos?|faturas?)(?: devedor(?:es)?)? anterior(?:es)?|arrears|previous balance|"
    r"balance forward)\b"
)
"""Words of an older balance, which a total includes."""
RATE: Final = re.compile(r"(?<!\d)(?<!\d )%|\bpercentual\b")
"""A header of rates. `Sinal (50%)` is an amount that is named with its rate."""
