"""Find descriptions whose first words say that a row charges no new service: a deposit, a fine, a replaced invoice."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_texts import found_in
from domain.problems import Problem

_PAPER: Final = r"(?:nfs?-?e?|notas?(?: fiscal| fiscais)?|rps|faturas?)"
_LATE: Final = r"(?:juros|multas?|mora|encargos|correcao monetaria|atualizacao monetaria)"
_PARTY: Final = r"(?:d[aeo]s? |p/ ?|para |por |com |c/ ?|ref\.? |-|–|:|\()"
_BEFORE: Final = (
    r"^[^a-z0-9]{0,5}(?:(?:pagamento|cobranca|valor|lancamento|ref\.?|referente(?: a| ao)?|repasse|faturamento) "
    r"(?:d[aeo]s? |a |ao )?)?"
)
"""Words that may come before those that name the charge."""
_FIRST_WORDS: Final[Mapping[str, str]] = {
    "receipt": r"recibo\b(?! de (?:salario|pagamento|ferias))",
    "debit or credit note": r"notas? de (?:debito|reembolso|credito(?! rural))\b",
    "deposit": (
        r"(?:deposito|cheque)[ -](?:d[ae] |em |em forma de |como )?(?:caucao|garantia|seguranca)\b|"
        r"(?:devolucao|restituicao|reposicao) d[aeo] (?:caucao|deposito|valor pago|adiantamento)\b|"
        r"(?:caucao|security deposit|deposit)(?:$| (?:-|–|\(|reembols|restitu|contratual|d[aeo] |ref))"
    ),
    "donation": (
        r"(?:doac(?:ao|oes)|donation)(?:$|:| (?:-|–|\(|para|p/|mensal|anual|espontanea|voluntaria|recebida|"
        r"em dinheiro|d[ao] campanha|ref))|(?:contribuicao|oferta) (?:espontanea|voluntaria)\b"
    ),
    "refund": (
        r"(?:estorno|refund)\b(?! (?:d[aeo]s? )?(?:creditos?|debitos?|icms|impostos?|tribut|provis|lancament|contab))"
    ),
    "interest and fine for late payment": (
        rf"{_LATE}(?:(?:,| e|/| \+) ?{_LATE})+\b|"
        rf"{_LATE} (?:{_PARTY} ?)?(?:(?:pagamento|quitacao) (?:em |com )?)?(?:atras|mora\b|boleto|inadimpl|vencid)|"
        r"late (?:payment )?(?:fee|interest)"
    ),
    "penalty": (
        r"(?:multa|penalidade)s? (?:contratua(?:l|is)\b(?! ?[-–:])|(?:por|de|pel[ao]) (?:rescis|cancelament|quebra|"
        r"descumpr|distrato|inadimpl|fidelidade))"
    ),
    "previous balance": r"saldo (?:anterior|devedor|credor|inicial|em aberto)\b",
    "expenses": (
        r"(?:reembolsos?|ressarcimentos?|restituic(?:ao|oes)|adiantamentos?)(?:$|:| "
        rf"(?:{_PARTY} ?)?(?:despesas?|custos?|custas|viage(?:m|ns)|quilomet|km\b|combustive|hospedage|passage|"
        r"material|materiais|compras?|taxas?|pedagio|uber|taxi|salari|fornecedor))"
    ),
    "replaced invoice": (
        r"(?:substituicao|reemissao|re-emissao|cancelamento|retificacao|correcao|segunda via|2a via) "
        rf"(?:d[aeo]s? )?{_PAPER} ?(?:n[.o]{{0,2}} ?|numero )?\d|"
        rf"(?:substitui|reemite|cancela|corrige) (?:[ao]s? )?{_PAPER}\b"
    ),
}
"""A text that begins with such words charges no service; one that only mentions them does: `Defesa de multa`."""
_LATER_WORDS: Final[Mapping[str, str]] = {
    "other paper": (
        r"[-–(,;/] ?(?:notas? de debito|fatura de locacao|recibo simples|em comodato|comodato)\b|^comodato$"
    ),
    "no invoice": rf"(?:^|[-–(,;] ?)sem (?:emissao de )?{_PAPER} ?[)\].]?$",
    "ended contract": (
        r"(?:\((?:distrato|rescisao)|[-–(,;] ?(?:rescindid[oa]|cancelad[oa]|encerrad[oa]|suspens[oa]|trancad[oa]|"
        r"desligad[oa]|contrato (?:encerrado|rescindido|cancelado))) (?:em|desde|a partir d[eo]|no dia) \d"
    ),
}
_NO_SERVICE: Final = re.compile("|".join((f"{_BEFORE}(?:{'|'.join(_FIRST_WORDS.values())})", *_LATER_WORDS.values())))
_STEMS: Final = (
    "recibo", "de debito", "de credito", "de reembolso", "cauc", "deposit", "cheque", "devoluc", "restituic", "reposic",
    "doac", "donation", "contribuic", "oferta", "estorno", "refund", "juros", "multa", "mora", "encargos", "correc",
    "atualizac", "penalidade", "late ", "reembols", "ressarc", "adiant", "substitui", "reemi", "re-emi", "cancela",
    "retific", "corrige", "saldo", "via ", "fatura de", "comodato", "sem ", "distrato", "resci", "encerrad",
    "suspens", "trancad", "desligad",
)  # fmt: skip
_UNFILLED: Final = re.compile(
    r"\bx{1,4}/x{2,4}\b|\bx{4,12}\b|\bx{1,6}[.,]x{2}\b|\b(?:dd/)?mm/aa(?:aa)?\b|\b(?:dd/)?mm/yy(?:yy)?\b|_{4,}|"
    r"\{\{?[^\W\d][^{}]{0,30}\}|<[^\W\d][^<>]{2,30}>|"
    r"\[(?:inserir|informar|preencher|nome|mes|data|valor|descricao|periodo|numero|cliente|x{1,4})\b[^\]]{0,30}\]|"
    r"#{3,}|\?{3,}"
)
_UNFILLED_STEMS: Final = (
    "x/x", "xx", "x,x", "x.x", "mm/aa", "mm/yy", "____", "{", "<", "###", "???", "[inser", "[info", "[pree", "[nome",
    "[mes", "[data", "[valor", "[desc", "[peri", "[num", "[cli", "[x",
)  # fmt: skip
_QUOTED: Final = 60


def is_no_service(bare: str) -> bool:
    """Return whether the first words of a normalized text say that nothing new is charged."""
    return _NO_SERVICE.search(bare) is not None


def no_services(column: Sequence[Cell]) -> Iterator[tuple[int, Problem]]:
    """Yield (index, problem) for each description that charges no new service, or that still has a blank to fill in."""
    for place, text in found_in(column, (*_STEMS, *_UNFILLED_STEMS), _words):
        code = "held.kind" if is_no_service(cells.plain(text)) else "text.placeholder"
        yield place, Problem(code, "description", params={"text": text[:_QUOTED]})


def _words(text: str) -> str | None:
    bare = cells.plain(text)
    return " ".join(text.split()) if is_no_service(bare) or _UNFILLED.search(bare) else None
