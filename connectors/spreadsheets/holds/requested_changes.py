"""Find notes that ask for another amount, another customer or another number of invoices than the row."""

import re
from typing import Final

STEMS: Final = (
    "alter", "mud", "troc", "corrig", "corrij", "ajust", "atualiz", "retific", "nov", "outr", "corret", "divid",
    "separar", "desmembr", "fracion", "parcel", "juntar", "somar", "unific", "descon", "abat", "deduz", "inclu",
    "acrescent", "adicion", "aplica", "pedi", "pede", "quer",
    "solicit", "reajustar", "cobrar", "faturar", "lancar", "emit", "contra", "usar",
    "em nome", "nota", "nf", "faz", "gerar", "rps", "rat", "proporciona", "reter", "retenc", "antes", "dar ", "conced",
    "cada", "metade", "cnpj", "cpf", "nome d", "matriz", "filial", "holding", "incorporad", "meio a meio", "% ",
)  # fmt: skip
"""Each note that `requests_change` finds contains one of these stems. Search them first: it is much cheaper."""

_FIELDS: Final = (
    r"(?:valor|preco|cnpj|cpf|razao|nome|tomador|cadastro|dados|descricao|servico|aliquota|endereco|e-?mail)"
)
_CHANGE: Final = re.compile(
    r"\b(?:"
    rf"(?:alterar?|mudar?|trocar?|corrigir|corrija|ajustar?|atualizar?|retificar?) (?:[oa]s? |para |p/ )?{_FIELDS}|"
    r"nov[oa] (?:valor|preco|cnpj|cpf|razao|tomador)|"
    r"(?:cnpj|cpf|valor|preco|razao social) (?:nov[oa]|corret[oa])\b|"
    r"outr[oa] (?:cnpj|cpf|tomador|empresa|filial|razao)|"
    r"mud(?:ou|anca) (?:de |o |a )?(?:cnpj|cpf|razao|nome)|"
    r"(?:dividir|divida|ratear|rateie|separar|desmembrar|fracionar|parcelar|juntar|somar|unificar|reajustar|incluir|inclua|"
    r"acrescentar|acrescente|adicionar|adicione|descontar|desconte|abater|abata|deduzir|deduza)\b|"
    r"(?:dar|conceder|aplicar|pedi[ur]|pede|quer|solicitou) (?:[oa] |um )?"
    r"(?:desconto|reajuste|aumento|abatimento|indice|igp|ipca|\d{1,3} ?%)|"
    r"(?<!com )desconto de (?:r\$ ?)?\d|"
    r"(?:emitir|emita|fazer|gerar|faturar|cobrar) (?:em )?"
    r"(?:\d{1,2}|duas|dois|tres|quatro) ?(?:nf|nota|rps|vezes|x\b)|"
    r"(?:cobrar|faturar|emitir) (?:tambem|so|apenas|somente|mais|menos|metade|\d{1,3} ?%)|"
    r"(?:emitir|emita|faturar|cobrar|nota|nf) (?:contra|em nome d|no (?:nome|cnpj|cpf) d|"
    r"(?:para|p/|pra) (?:[oa] )?(?:outr|cnpj|cpf|filial|matriz|soci))|"
    r"\d{1,3} ?% (?:em|para|p/|no|na|a|por) (?:[oa]s? )?(?:cada|matriz|filial|outr|cnpj|soci)|meio a meio\b|"
    r"metade (?:em|para|p/|no|na|a|por) (?:[oa]s? )?(?:cada|matriz|filial|outr|cnpj|soci)|"
    r"(?:um[ao]?|1) (?:nf|nota|rps)s? (?:para|por|em|p/) cada\b|"
    r"pro[ -]?rata\b|proporciona(?:l|is|lmente)\b|"
    r"(?:cobrar|faturar|emitir|lancar):? (?:r\$ ?)?\d{1,3}(?:\.\d{3}){0,3},\d\d\b|"
    r"(?<!nao )(?<!sem )(?:reter\b|(?:com )?retencao de\b)|"
    r"(?:ligar|avisar|falar|consultar|perguntar) .{0,30}\bantes\b|"
    r"antes de (?:emitir|faturar|enviar|cobrar|mandar)\b|"
    rf"{_FIELDS} (?:mudou|foi alterad|alterou|vai mudar)|"
    r"(?:dar|conceder) (?:r\$ ?)?\d{1,6}(?:,\d\d)? ?%? (?:de )?(?:desc|abat|bonif)|"
    r"usar (?:o )?(?:cnpj|cpf|nome|cadastro)|"
    r"(?:sai|saira|sair|vai|ficou|fica|sera) (?:n[oa]|em|pel[oa]|para [oa]|pra|p/) "
    r"(?:nome d|outr|cnpj|cpf|matriz|filial|holding|incorporador)|"
    r"(?:quer|querem|prefere|preferem|pede|pedem|pediu|pediram) (?:a nota |a nf |nota |nf )?"
    r"(?:n[oa]|em|pel[oa]|para [oa]|pra|p/) (?:nome d|outr|cnpj|cpf|matriz|filial|holding)"
    r")"
)
_DONE: Final = re.compile(
    r"\b(?:ja (?:foi |esta )?(?:aplicad|inclu|concedid|considerad|descontad|abatid|alterad|ajustad)|"
    r"inclus[oa]|aplicad[oa])"
)


def requests_change(bare: str) -> bool:
    """Return whether a note (normalized text) asks for a change that the row's cells do not show."""
    return _CHANGE.search(bare) is not None and _DONE.search(bare) is None
