"""Recognise notes against billing a row: not this month, in another way, already done, or ask first."""

import re
from typing import Final

from connectors.spreadsheets.holds import requested_changes
from connectors.spreadsheets.parsers.column_texts import has_any
from domain.competence import MONTH_NUMBERS

_MONTH: Final = rf"(?:{'|'.join(MONTH_NUMBERS)})\b"
NOT_TO: Final = re.compile(
    r"\b(?:nao|nunca|sem) (?:e (?:para |p/ ?)?)?(?:deve(?:mos|m)? |precisa |pode |vai |vamos |ha )?(?:ser )?"
    r"(?:fatura|emiti|cobra|envia|gera|faze|manda|lanca|nota\b|nf\b|fature|emita|cobre|envie|gere|mande|lance|autorizad|renov|"
    r"aprovad|liberad|faturamento|emissao|cobranca)"
)
UNLESS: Final = re.compile(
    r"\b(?:nao|exceto|menos|sem|fora) (?:os |as |foi |esta )?"
    r"(?:cancel|suspen|bloque|segurar|aguard|estorn|exclu|inativ|encerr)"
)
_ABOUT_OTHER_THINGS: Final = re.compile(
    r"\bnao (?:e )?(?:precisa |necessario )?(?:de )?(?:enviar|mandar|envie|mande|envio|imprimir)\b"
    r"(?: [a-z]{1,12}){0,3} (?:por|via|pelo) (?:e-?mail|correio|whatsapp)|"
    r"\bnao (?:precisa (?:de )?)?(?:enviar|mandar|envie|mande|emitir|gerar|fazer|lancar) (?:[oa]s? )?"
    r"(?:boletos?|carnes?|relatorios?|recibos?|xml|contrato|lembrete)\b(?! ?(?:nem|e|ou|/) (?:as? )?(?:nota|nf))|"
    r"\bcancelou [oa]s? (?!contrat|plano|servic|pedid|assinat|matricul|nota|nf|compra|mensalid|aula|consult|visita|"
    r"evento|projeto|reuniao|curso|turma|seguro|pacote|obra|viage|sess)"
)
"""Words about how to send an invoice, about another paper or thing; they do not forbid the invoice."""
_OF_NOTES: Final = re.compile(
    r"\b(?:cancelad|cancelar|cancelou|cancele\b|(?:pediu|pede|quer|solicitou|pedido de) (?:o )?cancelamento|"
    r"suspens[ao]|suspender|suspenda|aguardar|aguardando|aguarde|no aguardo|segurar|"
    r"segure|estornar|estornad|bloquead|bloquear|excluir|rescindid|distrato|em disputa|encerrad|"
    r"desativ(?:ad[oa]|ou)\b|(?:em|por|pela|na) garantia\b|\bdividir\b|\bmetade\b|"
    r"(?:nota|nf) (?:deve|tem que|precisa|vai|pode) sair|foi (?:p/|para|pra) outr|"
    r"so (?:apos|depois|quando|a partir|se |orcamento)|aguarda\b(?! (?:[ao] )?(?:nota|nf|fatura|boleto)\b)|"
    r"(?:^|[,;.:!] ?|so )espera\b|"
    r"esper(?:ar|e|em|ando)\b|refazer\b|recusad[oa]s? |nao liberar|"
    r"nao (?:escal|veicul|houve)|did ?n[o']t [a-z]+|(?:faturad|emitid)[oa]s? (?:em|na|no) |"
    r"nao (?:se )?(?!pagou|quitou|recebeu|informou|respondeu|retornou|mudou|alterou|precisou)[a-z]{2,}(?:ou|eu|iu)\b|"
    r"(?:faturar|emitir) (?:na|pela) (?:matriz|filial)|"
    r"falta (?:[oa] )?(?:receita|pedido|po\b|oc\b|assinat|contrat|aprov|autoriz|document|empenho|ordem)|"
    r"tranc(?:ou|ad[oa]|amento)\b|interromp(?:eu|id[oa])\b|congel(?:ou|ad[oa]|amento)\b|paus(?:ou|ad[oa])\b|"
    r"nao autorizad|nao aprovad|rescindiu|baixada (?:em|na)|empresa baixada|encerrou|"
    r"(?:confirmar|verificar|conferir|rever|checar)\b|sujeit[oa] a (?:confirm|aprov|revis|alter|reajust|ajust|confer)|"
    r"(?:deixar?|fica|ficou|adiar?|adiad[oa]|jogar|passar?) (?:isso |est[ea] )?(?:para|pra|p/) "
    r"(?:o |a )?"
    rf"(?:proxim|outr[oa] (?:mes|data)|mes que vem|depois|{_MONTH})|"
    r"pendente de|hold|stand ?by|"
    r"(?:contest|question|discord|reclam|disput)(?:ou|a|am|ando|ad[oa])? (?:com |d?[aeo]s? )?(?:cobranca|valor|"
    r"fatura|nota|nf|preco|reajuste|boleto|mensalidade)|"
    r"(?:cobranca|valor|fatura|nota|nf) (?:foi )?(?:contestad|questionad)|"
    r"nao concord|ver com (?:[oa] )?(?:comercial|gestor|diretor|financeiro|cliente|vendedor|socio)|"
    r"duvida (?:n[oa]|sobre|quanto) |nao sei|"
    r"contrato (?:venc(?:eu|id)|expir|nao assinad)|sem (?:contrato|proposta|aditivo|aceite) assinad|"
    r"ultim[oa] (?:mes|fatura|mensalidade|cobranca) (?:foi|era)\b|"
    r"sem (?:servicos?|aulas?|atendimento|cobranca) (?:[dn]?est[ea]|no) mes|"
    r"nao (?:vai|houve|havera) (?:ter|haver)|(?:valor|preco) (?:antigo|anterior)$|"
    r"reajuste (?:nao |pendente|a aplicar)|"
    r"(?:deve|deveria|era para|tem que) ser (?:r\$ ?)?\d)|^isent[oa]$|^gratuit[oa]|\?\?"
)
_ABROAD: Final = re.compile(
    r"\b(?:(?:do not|don.?t|not to|never|no) (?:bill|invoice|charge|issue|send)\b|"
    r"no (?:se )?(?:facturar|emitir|cobrar)\b|"
    r"(?:already|ya (?:se )?)(?: was| been)? ?(?:bille|invoice|charge|paid|issue|factur|emit|cobr)|"
    r"(?:bill|invoice|charge|facturar|cobrar|emitir) (?:only |again |solo )?"
    r"(?:next|after|once|when|until|despues|cuando|hasta)\b|"
    r"skip (?:th|next|it|invoice)|(?:wait|waiting|pending) (?:for |on |until )?"
    r"(?:(?:the|an?|signed|new|final|their) )?(?:po\b|sow\b|approv|signat|confirm|contract|client|customer|amendment)|"
    r"awaiting|disput(?:ed|es|ing)\b|cancel(?:l?ed|ling|o)\b|anulad|suspendid|dad[oa] de baja|churned|"
    r"(?:no|sin) (?:charge|cargo|cobro|costo)\b|free (?:th|of|month)|complimentary|waived|pendiente de)"
)
"""The same in English and in Spanish."""
_ALREADY: Final = re.compile(
    r"\bja (?:foi )?(?:emitid|faturad|cobrad|mande|manda|envie|envia|fiz\b|feit|pag[oau]|saiu|lancad|"
    r"(?:a )?(?:nota|nf)\b)|"
    r"\bja (?:tem|fizemos|fez|saiu|mandei|mandamos) (?:a )?(?:nota|nf)|"
    r"\bja foi$|\b(?:pedido|venda|compra|nota|nf) (?:de )?teste\b|"
    r"\b(?:duplicad[oa]|repetid[oa]|em duplicidade|lancad[oa] (?:2x|duas vezes|em dobro))\b|"
    r"(?:^|[,;.:] ?|[-–] )(?:favor |por favor )?"
    r"(?:tirar|tire|retirar|retire|remover|remova|apagar|apague|desconsiderar|desconsidere|"
    r"ignorar|ignore|deletar)\b|"
    r"\bsubstitu(?:ir|i|a|icao d[ae]) (?:[ao] )?(?:nf|nota|rps)"
)
OTHERWISE: Final = re.compile(
    r"\b(?:(?:faturar?|emitir?|cobrar?|lancar?|faturamento|emissao|cobranca|nf|nota) "
    r"(?:so |se |(?:apenas|somente|dia \d{1,2}|"
    r"em \d{1,2}/\d{1,2}|no dia|a partir|depois|apos|junto|em dobro|com data|quando)\b)|"
    r"pular|pule\b|nao precisa|sem nota\b|sem nf\b|"
    r"isent[oa] (?:este|esse|neste|no mes|ate|de cobranca)|"
    r"carencia ate|em carencia|cortesia\b|brinde$|gratis\b|bonificad|"
    r"(?:valor|preco|qtde?|quantidade) (?:errad|incorret|divergent|provisori|estimad|em discussao|"
    r"a (?:definir|confirmar|combinar))|"
    r"o (?:certo|correto) (?:e|seria)\b|"
    r"feit[ao] (?:manual|a mao|pel[ao])|permuta\b|pro bono|"
    r"troc(?:ou|aram) de (?:contador|contabilidade|escritorio|fornecedor|prestador|empresa|agencia|escola)|"
    r"(?:faturad|emitid|cobrad)[oa] (?:pel[ao]|por|manual)|inativ[oa]|(?:empresa|loja|escola|filial) fechou|"
    r"fechou as portas|falec|"
    r"saiu (?:em|da|do)\b|desligad|dar baixa|nao (?:foi |foram )?(?:realizad|executad|prestad)|"
    r"\b(?:compensar|abater|descontar|deduzir)\b|"
    r"^(?:so|somente|apenas) (?:(?:vai |pode |deve )?(?:entra|comeca|inicia|fatura|volta)r? )?(?:em |a partir de )?"
    rf"{_MONTH})"
)
"""Words of a note against billing a row unchanged: another day or amount, another payer, or none any more."""
_BARE_INVOICE: Final = re.compile(
    r"(?:nfs?-?e?|ct-?e|nota(?: fiscal)?|rps) ?(?:no?\.? ?|numero |# ?)?\d{2,15}"
    r"(?: (?:de|em|do dia|dia|emitid[oa]|enviad[oa]|autorizad[oa])\b.{0,30})?"
)
"""A note that is the number of an invoice."""
_SHORT_STEMS: Final = (
    "falt", "desmarc", "remarc", "recusad", "reprovad", "rejeitad", "negad", "em anal", "em aprov", "em negoc",
    "em esp", "perdid", "desist", "trancad", "devolvid", "declinad", "lost", "churned", "trial",
    "expirad", "jubilad", "evadid",
)  # fmt: skip
"""Each match of `_SHORT` contains one of these or "nao ". Searching for them first is cheaper."""
_SHORT: Final = re.compile(
    r"(?:faltou|faltas?|desmarc(?:ou|ad[oa])|remarc(?:ou|ad[oa])|recusad[oa]|reprovad[oa]|rejeitad[oa]|negad[oa]|"
    r"em (?:analise|aprovacao|negociacao|espera)|perdid[oa]|desist(?:iu|ente)|trancad[oa]|devolvid[oa]|"
    r"declinad[oa]|lost|churned|trial|expirad[oa]|jubilad[oa]|evadid[oa])(?: [a-z/]{1,12}){0,2}"
)
"""A cell that is only a status, in a column whose header does not say so."""
CODE: Final = re.compile(r"^\d{1,3} ?[-:.] ?(?=[a-z])")
"""The code before the words of a status: `09 - baixa`."""
STEMS: Final = (
    "nao ", "did", "nunca ", "sem ", "cancel", "suspen", "encerr", "bloque", "aguard", "segur", "estorn", "exclu",
    "verific", "confirm", "confer", "rever", "checar", "pendente de", "rescind", "distrat", "disputa", "hold", "emitid",
    "faturad", "cobrad", "not bill", "baixada", "so ", "apenas", "somente", "dia", "a partir", "depois", "apos",
    "junto", "dobro", "com data", "quando", " se ", "pula", "pule", "isent", "carencia", "cortesia", "brinde", "gratis",
    "tranc", "interromp", "congel", "paus", "desativ", "garantia", "dividir", "metade", " sair", "outr", "esper",
    "refaz", "liberar", "orcament", "falta ", "bonific", "ct-e", "cte", "valor ", "nf", "nota", "rps",
    "preco ", "qtd", "quantidade ", "o certo ", "o correto ",
    "feit", "duplic", "repetid", "tira", "tire", "remov", "apag", "desconsider", "ignor", "deletar", "substitu",
    "lancad", "fatura em ", "mento em ", "cobra em ", "cobranca em ", "lanca em ", "emissao em ",
    "compensar", "abater", "descontar", "deduzir",
    "sujeit", "deix", "fica", "ficou", "adia", "jogar", "passa",
    "inativ", "fechou", "teste", "falec", "saiu", "deslig", "dar baixa", "ja ", "not invoice",
    "permuta", "pro bono", "contest", "question", "discord", "reclam", "disput", "concord", "ver com", "duvida ", "??",
    "contrato v", "contrato exp", "stand", "ultim", "gratuit", "reajuste p", "reajuste a ", "deve ser", "deveria ser",
    "para ser", "que ser", "not to", "do not", "don", "never", "no bill", "no inv", "no charg", "no issue", "no send",
    "no se ", "no fact", "no emit", "no cobr", "already", "ya ", "bill ", "invoice ", "charge ", "facturar ", "emitir ",
    "skip ", "wait", "pending", "no cargo", "no costo", "sin ", "anulad", "dado de", "dada de", "free ", "complim",
    "waive", "pendiente", "churned", "cobrar ",
    *_SHORT_STEMS, *requested_changes.STEMS,
)  # fmt: skip
"""Each text for which `is_stop` is true contains one of these. Searching for them first is much cheaper."""


def is_stop(bare: str) -> bool:
    """Return whether a note (normalized text) means that something must not be billed."""
    if not has_any(STEMS, bare) or UNLESS.search(bare):
        return False
    bare = _ABOUT_OTHER_THINGS.sub(" ", bare)
    if _SHORT.fullmatch(CODE.sub("", bare)):
        return True
    is_stop = any(pattern.search(bare) for pattern in (NOT_TO, _OF_NOTES, _ABROAD, _ALREADY, OTHERWISE))
    return is_stop or _BARE_INVOICE.fullmatch(bare) is not None or requested_changes.requests_change(bare)
