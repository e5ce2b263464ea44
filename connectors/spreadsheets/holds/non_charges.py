"""Find rows that are no charge of a service: receipts, expenses, refunds, entries of another direction or currency."""

import re
from typing import Final

PLANNED: Final = re.compile(
    r"\b(?:previst[oa]s?|previsao|projecao|projetad[oa]s?|estimad[oa]s?|estimativa|forecast|planned)\b"
)
"""Words of what is not done yet: beside what is done, and as a whole kind of an entry."""
_OTHER: Final = re.compile(
    r"\b(?:recibos?|notas? de debito|debit note|despesas?|expense|saidas?|contas? a pagar|estorn|refund|devoluc|"
    r"adiantament|orcament|propostas?\b|reembols|repasse|transferenc|aportes?\b|emprestim|rendiment|tarifas?\b|doac|"
    r"fatura de locac|locacao de bens|remessa|bonificac|cortesia|permuta|demonstrac|impostos?\b|tributos?\b|"
    r"fornecedor|credit (?:note|memo)|nota de credito|pro[ -]?forma|quot(?:e|ation)s?\b|presupuesto|"
    r"anticipo|cotizacion|cancel|ct-?e\b|conhecimento de transporte|receita saude|abatiment|"
    r"pro bono|dizimo|ofertas?\b|contribuicao (?:voluntaria|espontanea))|"
    r"^(?:nc|ncc|ra|n|nao|(?:em |na |por )?garantia|sem mov(?:imento)?)$|"
    r"^(?:a pagar|debitos?|d|deb|pagamentos?|payment|produtos?|mercadorias?|vendas? de (?:produtos?|mercadorias?)|"
    r"nf-?e|nfc-?e|teste|provisao|provisionad[oa]|isent[oa]s?|gratuit[oa]s?|gratis|free|estimate|deposit|receipt)$"
)
_REAIS: Final = re.compile(
    r"(?:brl|r ?\$|reais|real|real brasileiro)(?: ?[(\-/] ?(?:brl|r ?\$|reais|real)\)?)?|0{0,2}1|790|986"
)
"""The real by name, by the first place of an ERP's list of currencies, and by its numbers (Banco Central, ISO 4217)."""

_CREDIT: Final = re.compile(r"(?:creditos?|cred\.?|credit)(?: (?:ao|do|a|para o) cliente| concedido)?")
_SEVERAL_MONTHS: Final = re.compile(
    r"(?!.*(?:mensa|parcel|monthly|\dx\b))(?:(?:bi|tri|quadri|se)?mestral(?:mente)?|bienal|anual(?:mente)?|yearly|annual(?:ly)?|quarterly|"
    r"(?:a )?(?:cada|every) (?:\d{1,2}|dois|tres|quatro|seis|doze|two|three|six|twelve) (?:meses|months)|"
    r"every (?:quarter|year)|a cada (?:trimestre|semestre|ano)|todo ano|por (?:ano|semestre|trimestre))"
    r"(?: ?[-,(:/].*| (?:em|no|na|in) .*)?"
)
_OTHER_ISSUER: Final = re.compile(
    r"\b(?:parceir|terceir|clientes?\b|fornecedor|representante|franquead|distribuidor|revend|outr[oa]\b|el[ea]s?\b|externo|"
    r"partner|reseller)"
)
_NO_SALE: Final = re.compile(
    r"\b(?:devol|dev\b|remessa|retorno|transferenc|bonif|brinde|doac|demonstra|consig|conserto|comodato|amostra|"
    r"trocas?\b|industrializac|entradas?\b|compras?\b|estorn|cancel|ajuste|perdas?\b|baixa|orcamento|proposta|locac|"
    r"servicos?\b|entrega futura|simples faturamento|emprestim|"
    r"mostruario|permuta|cortesia|reposic)|^garantia\b"
)


def is_not_sale(word: str) -> bool:
    """Return whether an order's kind or operation (normalized text) is something else than a sale of goods."""
    return _NO_SALE.search(word) is not None


def is_other_entry(word: str) -> bool:
    """Return whether an entry's kind (normalized text) is something that is not billed."""
    return _OTHER.search(word) is not None or PLANNED.fullmatch(word) is not None


def is_of_several_months(word: str) -> bool:
    """Return whether a charge's period (normalized text) is longer than a month: `anual`."""
    return _SEVERAL_MONTHS.fullmatch(word) is not None


def is_other_issuer(word: str) -> bool:
    """Return whether the words in a column of who bills (normalized text) name somebody else: `parceiro`."""
    return _OTHER_ISSUER.search(word) is not None


def is_credit(word: str) -> bool:
    """Return whether an entry's kind (normalized text) is a credit to the customer: `crédito`."""
    return _CREDIT.fullmatch(word) is not None


def is_other_currency(word: str) -> bool:
    """Return whether a currency (normalized text) is another one than the real."""
    return _REAIS.fullmatch(word) is None
