"""Recognise headers about billing by one word, regardless of the other words: `Aprovado pelo sócio`."""

import re
from collections.abc import Mapping
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.parsers.spelling import is_nearly

_SIGNS: Final[Mapping[str, str]] = {
    word: sign
    for sign, words in {
        "status": "situacao status sit",
        "active": "aprovado aprovada autorizado autorizada liberado liberada validado validada",
        "currency": "moeda currency",
        "stopped": "cancelado cancelada canc suspenso suspensa bloqueado bloqueada",
    }.items()
    for word in words.split()
}
_ENDS: Final = frozenset({
    "cancelamento", "cancelamentos", "suspensao", "bloqueio", "desistencia", "desligamento", "trancamento",
    "encerramento", "inativacao", "distrato", "rescisao", "churn", "hold", "cancellation", "termination", "baja",
})  # fmt: skip
_ABOUT_ENDS: Final = frozenset({
    "data", "dt", "dia", "mes", "motivo", "de", "do", "da", "contrato", "plano", "assinatura", "servico", "cliente",
    "aluno", "matricula", "s", "n", "on", "reason", "date", "fecha",
})  # fmt: skip
"""The only words beside those of `_ENDS`: `Dt. cancelamento do plano`, but not `Multa por rescisão`."""
_CAME_BACK: Final = re.compile(r"(?:estornad|reembolsad|devolvid|refunded|charged?back)[oa]?")
_WHEN: Final = frozenset({"em", "at", "on"})
_PAPER: Final = r"(?:a )?(?:nfs?(?: e)?|nfse|nota(?: fiscal)?(?: de servicos?)?|rps|fatura|factura|invoice)"
_ALREADY: Final = r"(?:ja|ya|already|foi|was|has been)"
_BILLED: Final = re.compile(
    r"(?!.*\b(?:boletos?|contratos?|propostas?|recibos?|relatorios?|carnes?|orcamentos?|pedidos?|valor|vlr|total)\b)(?:"
    rf"(?:{_PAPER} )?(?:{_ALREADY} )+(?:esta |consta )?"
    r"(?:(?:inclu[is]|faturad|facturad|emitid|cobrad|lancad|considerad)|(?:emitiu|faturou|cobrou|billed|invoiced|issued)\b)|"
    rf"{_PAPER} (?:{_ALREADY} )*(?:(?:emitid|faturad|enviad|gerad)[oa]|issued|sent)(?: s n)?$|"
    rf"(?:emitiu|faturou|cobrou)(?: {_PAPER})?$)"
)
"""A header of whether a row has its invoice: `NF já emitida?`, `Já incluído no boleto`, `Emitiu nota?`."""
_AGREED: Final = (
    r"(?:vigencia|contrat(?:o|ual)|cobranca|faturamento|plano|assinatura|locacao|matricula|contract|subscription|term)"
)
"""What has a last day. A service that has ended is still to be billed."""
_TERM: Final = rf"(?:{_AGREED}|mensalidades?|(?:prestacao|execucao)(?: d[aeo]s? servicos?)?|servic(?:os?|e|io))"
_DATE: Final = r"(?:(?:data|dt|mes|fecha|date)(?: d[aeo]l?)? )?"
_SINCE: Final = re.compile(
    rf"{_DATE}(?:inicio |inicial )?(?:d[aeo]s? )?(?:{_TERM}|vigente|valid[oa]|vale)(?: d[aeo]s? \w+)? "
    r"(?:a partir(?: de)?|desde|a contar de)|"
    rf"{_DATE}inici(?:o|al) (?:d[aeo]s? |del )?{_TERM}|"
    rf"{_DATE}{_TERM} (?:d[aeo] )?(?:inici(?:o|al)|start|begin)(?: date)?|"
    r"(?:data|dt|fecha)(?: de)? inici(?:o|al)|start date of (?:the )?\w+"
)
"""A header of the first day of what is billed: `Vigência a partir de`, `Início da locação`, `Vigência inicial`."""
_ENDING: Final = r"(?:fim|fin|final|termino|encerramento)"
_UNTIL: Final = re.compile(
    rf"{_DATE}{_ENDING} (?:d[aeo]s? |del )?{_AGREED}|{_DATE}{_AGREED} (?:d[aeo] )?"
    rf"(?:{_ENDING}|ate|vence(?: em)?|end|until|expiry|expiration)(?: date)?|"
    r"(?:data|dt|fecha)(?: de)? (?:fin|fim|final)|"
    r"(?:expiry|expiration) date|(?:data |dt )?(?:d[aeo] )?venc(?:imento|to)? (?:d[aeo] )?(?:contrato|vigencia)"
)
"""A header of the last day of what is billed: `Vigência final`, `Vencimento do contrato`, `Contract end`."""
_ACT: Final = (
    r"(?:exec(?:uc(?:ao|oes))?|realizac(?:ao|oes)|prestac(?:ao|oes)|atend(?:imentos?)?|serv(?:icos?)?|visitas?|aulas?|"
    r"consultas?|sess(?:ao|oes)|exames?|procedimentos?|plant(?:ao|oes)|coletas?|treinamentos?|vistorias?|"
    r"inspec(?:ao|oes)|manutenc(?:ao|oes)|instalac(?:ao|oes)|calibrac(?:ao|oes)|dedetizac(?:ao|oes)|chamados?|"
    r"trabalhos?|agendamentos?)"
)
_DONE: Final = (
    r"(?:executad|realizad|prestad|concluid|finalizad|atendid|efetuad|entregue|visitad|instalad|ministrad|agendad|"
    r"programad|marcad)[oa]?s?"
)
_PERFORMED: Final = re.compile(
    rf"(?:datas?|dts?|dia|fechas?|previsao)(?: de termino| de conclusao| previstas?)?(?: (?:d[aeo]s?|del|para))? "
    rf"(?:{_ACT}(?: (?:d[aeo]s? |del )?{_ACT})?|fim d[aeo]s? {_ACT})(?: (?:tecnic[oa]s?|previst[oa]s?|{_DONE}))?|"
    rf"(?:datas?|dts?|dia) (?:d[aeo] )?{_DONE}|(?:execucao|realizacao)|"
    rf"(?:{_ACT} )?{_DONE} (?:em|dia|no dia|na data|para(?: o dia)?)|fecha de (?:ejecucion|realizacion|prestacion)|"
    r"fecha del? (?:servicio|trabajo)|"
    r"(?:services?|work|visit|session|job|execution|completion|performance) dates?|dates? of (?:the )?services?|"
    r"dates? (?:performed|completed|executed|worked|rendered)|"
    r"(?:performed|completed|executed|rendered|delivered|scheduled) (?:on|at|for|date)"
)
"""A header of the day on which a service is rendered: `Data da execução`, `Concluído em`, `Service date`."""
_NEXT_BILLING: Final = re.compile(
    r"(?:data |dt |mes |previsao )?(?:d[aeo]s? )?prox(?:im[oa]s?)? (?:(?:data|mes|previsao) )?(?:d[aeo]s? |para |a )?"
    r"(?:fat(?:uramentos?|urar|uras?)?|cobrancas?|cobrar|notas?(?: fisca(?:l|is))?|nfs?(?: e)?|nfse|rps|"
    r"emiss(?:ao|oes)|emitir|mensalidades?|anuidades?|competencias?)(?: (?:em|data|mes|prevista?))?|"
    r"(?:fatura|emiti|cobra)r (?:novamente|de novo|outra vez) (?:em|a partir de)|"
    r"next (?:billing|invoic(?:e|ing)|bill|charge)(?: (?:date|on|at|month|cycle|period))?"
)
"""A header of the next month in which a customer is billed: `Próximo faturamento`, `Next invoice date`."""
_DATED: Final = {"performed": _PERFORMED, "since": _SINCE, "until": _UNTIL, "next_billing": _NEXT_BILLING}
_INVOICE: Final = frozenset({"nf", "nfs", "nfse", "nota", "notas", "rps"})
_NUMBER: Final = frozenset(
    {"no", "n", "nr", "num", "numero", "numeros", "emitida", "emitidas", "emitido", "gerada", "gerado"}
)
_BESIDE_INVOICE: Final = frozenset(
    {"e", "fiscal", "fiscais", "servico", "servicos", "eletronica", "da", "do", "de", "das"}
)
_IS_NUMBER: Final = _INVOICE | _NUMBER | _BESIDE_INVOICE
"""Words of a header of the number of an issued invoice: `NF emitida nº`."""
_SITUATION: Final = "situacao"
_FLAGS: Final = frozenset({"fl", "flag", "flg", "ind", "in", "st"})
"""Prefixes of flags in the field names of programs: `FL_CANC`."""


_ASKS_FOR_SUCCESS: Final = re.compile(
    r"(?!.*\b(?:boletos?|notas?|nfs?|nfse|recibos?|relatorios?|certificados?|pesquisas?|doc\w*|dados|cadastr\w*|email|"
    r"pag\w*|pix|deposito|transferencia|receb\w*|concili\w*|backup|comprovantes?|enderecos?|reserva|whats\w*|payment|"
    r"pago|receipt|report|data|retid[oa]s?|lgpd|termos?|politica|lojas?|pacotes?|qua(?:l|is)|que|quem|quando|onde|como|quant\w*|por|"
    r"what|who|when|where|how|which|why|cuando|donde|cual)\b)"
    r".*\b(?:(?:admitid|contratad|aprovad|autorizad|liberad|concluid|finalizad|executad|realizad|efetivad|efetuad|"
    r"instalad|entregad|assinad|confirmad|preenchid|fechad|concretizad|atingid|batid|cumprid|deferid|homologad|"
    r"ganh|firmad|cerrad|cumplid|ganad)[oa]s?|entregues?|aceito|pront[oa]s?|(?:assin|confirm|aceit|aprov|ganh)ou|"
    r"venceu|exito|sucesso|hired|placed|filled|closed|signed|confirmed|approved|accepted|delivered|completed|finished|won|"
    r"success(?:ful)?)"
    r"(?: (?:[oa]|el|la|the|n[oa]|d[oa]))?(?: (?:servicos?|causa|acao|processo|trabalho|candidat[oa]|vaga|contrato|"
    r"obra|etapa|projeto|cliente|mes|servicio|trabajo|work|job|service|case|contract|project))?$"
)
_ASKS_FOR_AN_END: Final = re.compile(r".*\b(?:cancelou|desistiu|faltou|devolveu|rescindiu|trancou|trial|no show)\b")
"""A question whose yes speaks against billing."""
_LAST: Final = frozenset({"status", "stage"})
_DEALS: Final = frozenset({"deal", "deals", "negocio", "negocios", "oportunidade", "opportunity", "pipeline", "funil"})
_STAGES: Final = frozenset({"stage", "status", "etapa", "fase", "estagio", "situacao"})
_TAKEN_BACK: Final = re.compile(r"\b(?:devoluc|reembols|estorn|troca\b|return|refund)")
"""Words of a status column that has a text only if a sale was taken back."""
_PAPERS: Final = frozenset({"boleto", "boletos", "empenho", "empenhos"})
"""Documents that are issued before an invoice, or beside it."""


def judged_as(sign: str, header: str) -> str:
    """Return the rule for a column of the billing field `sign` (`billing_markers.stop_of`): `deal`, `paper` or `sign`.

    The header decides: `Estágio do negócio` is about a deal, `Status do boleto` about another paper.
    """
    words = normalised(header).split()
    if sign == "status" and _DEALS.intersection(words):
        return "deal"
    return "paper" if sign == "status" and _PAPERS.intersection(words) else sign


def sign_of(header: str) -> str | None:
    """Return the billing field (`status`, `stopped`, …) that a normalised header names, or None."""
    words = header.split()
    if words[0] in _STAGES and _TAKEN_BACK.search(header):
        return "stopped"
    if _ENDS.intersection(words) and _ABOUT_ENDS.issuperset(set(words) - _ENDS):
        return "stopped"
    if words[-1] in _WHEN and _CAME_BACK.fullmatch("".join(words[:-1])):
        return "stopped"
    if _BILLED.match(header):
        return "billed"
    dated = next((sign for sign, pattern in _DATED.items() if pattern.fullmatch(header)), None)
    if dated is not None:
        return dated
    if _INVOICE.intersection(words) and _NUMBER.intersection(words) and _IS_NUMBER.issuperset(words):
        return "invoice_number"
    if _is_misspelt(words[0]) or words[-1] in _LAST or (_DEALS.intersection(words) and _STAGES.intersection(words)):
        return "status"
    return _SIGNS.get(words[1] if words[0] in _FLAGS and len(words) > 1 else words[0])


def asked_sign(header: str) -> str | None:
    """Return the billing field that a header as written asks about, or None: `Candidato admitido?`, `Desistiu?`.

    Without a question mark the cells may be names or days: `Candidato admitido`.
    """
    if not header.rstrip().endswith("?"):
        return None
    text = normalised(header)
    if _ASKS_FOR_AN_END.match(text):
        return "stopped"
    return "active" if _ASKS_FOR_SUCCESS.match(text) else None


def _is_misspelt(word: str) -> bool:
    """Return whether a word is `situacao` with a typing error. No other header begins with such a word."""
    return word[0] == _SITUATION[0] and is_nearly(word, _SITUATION)
