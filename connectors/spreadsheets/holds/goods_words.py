"""Words in a list of goods that deny a sale: in statuses, remarks, product names and order numbers."""

import re
from typing import Final

_ALIKE: Final = (
    r"canc\b|cancelad[oa]|troca\b|devol\b|devolucao|devolvid[oa]|bonific\w*|orc\b|orcamento|cortesia|"
    r"consig\w*|estorn\w*|reembols\w*|extravi\w*|avariad[oa]"
)
_KEY: Final = re.compile(rf"(?:^|[^a-z])(?:{_ALIKE}|brinde|amostra|teste|dev|bonif|garantia|reposicao)(?![a-z])")
_WARE: Final = re.compile(
    rf"[(\[*\-–:] ?(?:{_ALIKE}|brinde|amostra|sem estoque|em falta|esgotad[oa]|faltou|indisponivel|servico|nao enviar|"
    r"nao enviad[oa]|nao entregue) ?(?:[)\]*\-–\d]|$)|"
    r"^amostra gratis\b|\b(?:sem|fora de) estoque$|"
    r"^[^a-z0-9]{0,5}(?:frete|taxas? (?:d[aeo]s? )?(?:entrega|servic|envio|embal|frete|extra|adiciona|instal|montag|"
    r"cartao)|tarifas?\b|descontos?\b|creditos?\b|cupom|sedex\b|motoboy|gorjeta|couvert|mao de obra|acrescimo|juros\b|"
    r"vale[ -](?:presente|compras?|troca)|gift ?card|custo de envio|valor d[eo] frete|embalagem (?:para|"
    r"p/) (?:presente|envio)|servicos? (?:d[aeo]s? )?(?:entrega|frete|montag|instal|manutenc|gravac|embal|personal)|"
    r"(?:instalac(?:ao|oes)|montagem)(?:$| d))"
)
_BY_THE: Final = (
    r"(?:(?:precos?|valor(?:es)?|vlr)(?: unitarios?)?(?: em)?(?: r\$)?|r\$) ?(?:e |d[eo] |por |p/ ?|/ ?|a |o )?(?:1 )?"
    r"(?:mil(?:heiro)?|centos?|cem|duzia|dz|caixa|cx|fardo|pacote|par)\b"
)
_UNIT: Final = re.compile(rf"\b{_BY_THE}")
_STATUS: Final = re.compile(
    r"^(?:\d{1,3} ?[-:.] ?)?(?:reserva(?:d[oa])?|malsuced|insucess|arrepend|falha|draft|pending|unpaid|authorized|"
    r"em carrinho)|partial|"
    r"\b(?:mediac|reclamac|disput|suspeit|fraude)|"
    r"\b(?:pagamento|pagto|pgto|payment) (?:pendente|pending|recusad|em aberto|nao)|nao pag[oa]\b|"
    r"\b(?:pending|awaiting) payment"
)
_UNPAID: Final = re.compile(
    r"^(?:pendente|em aberto|aberto|a receber|aguard|nao\b|n$|vencid|atrasad|em analise|expirad)"
)
_TITLE: Final = re.compile(
    r"^[^a-z0-9]{0,5}(?:(?:lista|relatorio|relacao|pedidos?|controle|notas?|nfs?|itens|produtos|mercadorias?|vendas?|"
    r"saidas?)"
    r" (?:d[aeo]s? |em |para |p/ ?)?)?(?:devol|bonific|brindes?\b|amostras?\b|consign|consertos?\b|comodatos?\b|"
    r"demonstrac|"
    r"remessas?\b|retornos?\b|avaria|trocas?\b|garantias?\b|estorn|reposic|doac|perdas?\b|extravi|sem estoque|"
    r"pendentes? de (?:estoque|entrega))"
)
_COMPANY: Final = re.compile(r"\b(?:ltda|me|epp|mei|eireli|s/?a|cia)\b|\bsem (?:devol|troca)")
"""Words that make a title of `_TITLE` a company's name, or that deny it: `sem devoluções`."""
_RETURNED: Final = re.compile(
    r"devol|extravi|cancel|recus|roub|furt|avari|retorn|troca|parcial|estorn|reembols|return|lost|refund"
)
_SUBJECTS: Final = {
    "payment_status": re.compile(r"\b(?:financ|pagamento|pagto|pgto|payment|paid)"),
    "delivery_status": re.compile(r"\b(?:envio|entrega|expedicao|logistic|transporte|shipping|delivery|fulfil)"),
}
_NOTE: Final = re.compile(
    r"\b(?:so|apenas|somente) (?:(?:tem(?:os)?|ha|restam?) \d|\d{1,4} (?:disponiv|em estoque))|"
    r"\bestoque (?:insuficiente|zerado|parcial)|"
    r"\b(?:desisti|nao (?:quis|quer) mais|extravi|reenvi|reposicao|chargeback|fraude|mercadoria devolvid|"
    r"produto devolvid|devolve[ur]\b|"
    r"vai devolver|devolucao d|(?:em|como|por) (?:consignac|comodato|demonstrac|bonificac|emprestimo|mostruario)|"
    r"consignad[oa]s?\b|(?:componentes?|partes?|itens|item|integrantes?) d[oe] (?:kit|combo|conjunto)\b|"
    r"em garantia|pela garantia|por garantia|na garantia|recus(?:ou|ad[oa])|avaria|"
    r"leve \d{1,3} (?:e )?pague|compre \d{1,3} (?:e )?(?:leve|ganhe)|saiu (?:o )?cupom|cupom (?:ja )?emitid|"
    r"(?:sem|fora de) estoque|faltou|falta (?:enviar|entregar)|envi(?:o|ado) parcial|entrega parcial|"
    r"nao (?:enviar|entregar|enviad|entregu))|"
    r"^(?:garantia|troca|devolucao|reposicao|brinde|amostra|consignacao|comodato|"
    r"pre[ -]?venda|encomenda)\b|\btroca (?:ref|d[aeo] ped|do ped|por)|"
    r"\d[ao]? (?:un|unidade) (?:com|c/|gratis|\d{1,2} ?%)|\b[\d+]{1,4}a unidade\b|parcialmente (?:enviad|entregu)|"
    r"\b(?:em vez d|ao inves d|trocar? (?:por|o|a|p/)\b|metade\b|(?:frete|entrega) (?:e |fica )?(?:a parte|separad)|"
    r"cobrar (?:o |mais )?frete|mais (?:o )?frete|\+ ?frete)"
)
_PAPER: Final = re.compile(
    r"\b(?:ticket|etiqueta|vale|prazo|politica|cartao|termo|certificado|carta) (?:de |da |para |p/ ?)?(?:troca|"
    r"garantia)"
)
"""Papers that are put into the box with the goods."""
NOTE_STEMS: Final = (
    "desisti", "extravi", "reenvi", "reposic", "chargeback", "fraude", "devol", "garantia", "recus", "avaria",
    "nao qu", "leve ", "venda", "encomenda",
    "compre ", "cupom", "estoque", "falt", "parcial", "nao e", "troca", "brinde", "amostra", "unidade", "un ",
    "tem", " ha ", "resta", "dispon", "em vez", "inves", "metade", "frete", "parte", "separad",
    "consig", "comodato", "demonstra", "bonific", "emprestimo", "mostruario", "kit", "combo", "conjunto",
)  # fmt: skip
"""Each remark for which `stops_by_note` is true contains one of these. Searching for them first is cheaper."""
WARE_STEMS: Final = (
    "canc", "troca", "devol", "bonific", "orc", "cortesia", "instal", "montag", "credito", "consig", "estorn",
    "reembols",
    "extravi", "avariad", "brinde", "amostra", "estoque", "em falta", "esgotad", "faltou", "indispon", "servico",
    "nao e", "frete", "taxa", "tarifa", "descont", "cupom", "sedex", "motoboy", "gorjeta", "couvert", "mao de obra",
    "acresc", "juros", "vale", "gift", "custo de", "embalagem", "preco", "valor", "vlr", "r$",
)  # fmt: skip
KEY_STEMS: Final = (
    "canc", "troca", "dev", "bonif", "orc", "cortesia", "garantia", "reposic", "consig", "estorn", "reembols",
    "extravi",
    "avariad", "brinde", "amostra", "teste",
)  # fmt: skip
"""Like `NOTE_STEMS`, for order numbers (`stops_by_key`). `WARE_STEMS` are for product names (`stops_by_ware`)."""


def stops_by_status(word: str) -> bool:
    """Return whether an order's status (normalized text) says that it is unpaid, unfinished or disputed."""
    return _STATUS.search(word) is not None


def stops_by_payment(word: str) -> bool:
    """Return whether a payment's status (normalized text) says that it is not made."""
    return _UNPAID.search(word) is not None


def stops_by_note(word: str) -> bool:
    """Return whether a remark (normalized text) means a return, a loss, a shortage, or a price by the number bought."""
    return _NOTE.search(_PAPER.sub(" ", word)) is not None


def stops_by_ware(word: str) -> bool:
    """Return whether a product name (normalized text) means no product, no sale, or a price for several pieces."""
    return _WARE.search(word) is not None or _UNIT.search(word) is not None


def stops_by_key(word: str) -> bool:
    """Return whether an order's number (normalized text) says that the order is no sale."""
    return _KEY.search(word) is not None


def stops_by_delivery(word: str) -> bool:
    """Return whether a delivery's status (normalized text) says that the goods came back or were lost."""
    return _RETURNED.search(word) is not None


def stops_by_title(word: str) -> bool:
    """Return whether a title (normalized text) says that the rows below it are no sales."""
    return _TITLE.search(word) is not None and _COMPANY.search(word) is None


def has_other_unit(word: str) -> bool:
    """Return whether a title (normalized text) says that the prices below it are for more than one piece."""
    return _UNIT.search(word) is not None


def subject_of(header: str) -> str | None:
    """Return the subject of a status by its normalised header: `payment_status`, `delivery_status`, else None."""
    return next((judge for judge, pattern in _SUBJECTS.items() if pattern.search(header)), None)


JUDGES: Final = {
    "products": (WARE_STEMS, stops_by_ware),
    "orders": (KEY_STEMS, stops_by_key),
    "notes": (NOTE_STEMS, stops_by_note),
}
"""The stems to search for and the function to call, by the kind of column."""
