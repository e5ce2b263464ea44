"""Find unread columns whose numbers contradict a row's amount: discounts, refunds, newer amounts, shares."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final, Literal, TypeAlias

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.headers.final_amounts import ADDED, DEDUCTED, TOTAL_OF
from connectors.spreadsheets.holds import goods_columns
from connectors.spreadsheets.holds.passed_on_words import OF_OTHERS
from connectors.spreadsheets.parsers import cells, number_parser
from connectors.spreadsheets.rows import titles

Effect: TypeAlias = Literal["adds", "replaces", "shares", "spans", "limits", "counts"]
"""Effect of a column's number on the amount: added or subtracted, another amount in its place, a part of it, one month
of the several that the amount is for, the most that it may be, a count that may be within the price."""

COMPARED: Final = frozenset({"replaces", "spans", "limits"})
"""Effects of a number that agrees only with an equal amount; one that `limits`, also with a smaller amount."""
_CHANGES: Final = re.compile(
    r"^(?:(?:valor|vlr|total|amount) (?:d[aeo]s? )?|%? ?)?"
    rf"(?:{DEDUCTED}|{ADDED}|estornos?|estornad[oa]s?|refund(?:s|ed)?|creditos?|pecas?|setup|implantacao|adesao|ajustes?)"
    r"(?: (?:d[aeo]s? (?:mes|parcela|mensalidade|fatura|nota|nf|cliente|alun[oa]|periodo|servicos?)\b|"
    r"(?!ate\b|em\b|de\b|do\b|da\b)).{0,40})?$|^saldo credor|"
    rf"^(?:valor|vlr|total) (?:d[aeo]s? )?[a-z]{{3,15}}s (?:{ADDED})|"
    rf"^(?:honorarios?|mensalidades?|servicos?|valor(?:es)?|aulas?|itens|cobrancas?) (?:{ADDED}|avuls[oa]s?)\b|"
    r"^(?:(?:honorarios?|mensalidade|valor|vlr) )?(?:d[eo] )?(?:13[oa]?|decimo terceiro)"
    r"(?: (?:salario|honorario|mensalidade))?$"
)
_MORE_HOURS: Final = re.compile(
    r"^(?:qtde?\.? |total (?:de )?)?"
    r"(?:horas? (?:extras?|adicionais|excedentes?|noturnas?)|h\.?e\.?\b|adicional noturno|sobreaviso)"
)
"""Hours that quantity × price does not include."""
_EXCESS: Final = re.compile(
    r"^(?:qtde? |(?:quantidade|numero|no|total) d?e? ?)?(?!dados|contatos|telefones|documentos)"
    r"(?:[a-z]{3,20}s|km|kg|gb|mb) (?:extras?|excedentes?|adicionais)$"
)
"""A count of what the amount does not include: `Horas extras`, `Consultas excedentes`."""
_UNIT_PRICE: Final = re.compile(r"^(?:valor|vlr|preco|tarifa|r\$)[ /]")
_PASSED_ON: Final = re.compile(r"\b(?:reembols|repass|custas\b)")
_FINAL: Final = re.compile(
    r"\b(?:total|liquid[oa]|final|devid[oa]|a faturar|a cobrar|a pagar|net|reajustad[oa]|corrigid[oa]|atualizad[oa])\b"
)
_AMOUNT: Final = r"(?:valor|vlr|preco|mensalidade|honorarios?|total)"
_NEWER: Final = r"(?:corrigid|reajustad|atualizad|negociad|ajustad|revisad|renegociad|combinad|correto)"
_RIVAL: Final = re.compile(
    r"\b(?:pro[ -]?rata|proporcional)\b(?! dias\b)|"
    r"\ba (?:faturar|cobrar|emitir) (?:no mes|n?est[ea] mes|agora)\b|"
    rf"^(?:valor |vlr )?{TOTAL_OF}$|"
    rf"^nov[oa]s? {_AMOUNT}\b|^{_AMOUNT}(?: \w{{1,12}})? (?:nov[oa]\b|{_NEWER})|^{_AMOUNT} com desc|"
    r"^(?:valor|vlr|total|preco) (?:d[aeo] |d?est[ae] |nesta? )?"
    r"(?:parcela|prestacao|mensal|mensalidade|mes|medicao|fatura|etapa|fase|entrega|marco|quinzena)"
    r"(?: (?:atual|devid[oa]|faturad[oa]|cobrad[oa]|a (?:faturar|cobrar|emitir)))?$|"
    r"^(?:(?:valor|vlr|total) )?(?:medicao|medid[oa]|executad[oa]|apurad[oa]|fatura|cobranca) "
    r"(?:atual|corrente|[dn][eo](?:st[ea])? (?:mes|periodo))(?: (?:atual|corrente))?$"
)
_OF_CONTRACT: Final = re.compile(r"\b(?:contrat(?:o|ad[oa])|global|projeto|obra|proposta|orcamento)\b")
"""Words of an amount that is invoiced in parts."""
_MONTHS: Final = re.compile(
    r"(?:(?:prazo|vigencia|duracao|periodo|tempo|contrato)(?: d[eo] contrato)?(?: em)? (?:meses|months)|"
    r"(?:n|no|numero|qtde?|quantidade)? ?(?:de )?"
    r"(?:meses|months|parcelas|prestacoes|instalments|installments)(?: d[eo] contrato)?)"
)
"""A header of the number of months that such an amount is for; one month is no part of it."""
_PART: Final = re.compile(
    r"^(?=.*(?:\b(?:valor(?:es)?|vlr|vl|total|preco|montante)\b|r\$|\ba (?:faturar|cobrar|emitir)\b))"
    r"(?!.*(?:%|\bpercentua|\b(?:saldo|restantes?|anterior(?:es)?|acumulad|faturad[oa]s? ate|ja |apos|proxim)))"
    r".*\b(?:etapas?|parcelas?|prestac(?:ao|oes)|fases?|medic(?:ao|oes)|marcos?|entregas?|quinzena|mes|mensal|mensalidade|"
    r"faturas?|notas?|nfs?-?e?|faturar|cobrar|emitir|medid[oa]|executad[oa])\b"
)
"""Words of a part of that amount, which is probably what the invoice is for."""
_ACCRUAL: Final = re.compile(r"\bprovis(?:ao|oes|ionad[oa]s?)\b")
"""Words of a figure of the accounts, which no invoice shows."""
_READJUSTED: Final = re.compile(r"\b(?:reajustes?|ipca|igp-?m|inpc)\b")
"""Words of a readjustment. Without a month in the header it is a term of the contract, not a change of this month."""
_OF_THE_MONTH: Final = re.compile(
    r"^(?:valor |vlr )?total(?: geral)?(?: d[eo])?$|"
    r"^(?:\w+ ){0,2}a (?:faturar|cobrar|emitir)(?: (?:em|de|ref|no mes|mes))?$"
)
_VALID_FROM: Final = re.compile(rf"{_AMOUNT}(?: \w{{1,12}}){{0,2}} (?:a partir|desde|a contar|vigente em)(?: d[eo])?")
_BASE: Final = re.compile(
    r"^(?:valor d[aeo]s? )?(?:faturamento|receitas?|vendas|comiss(?:ao|oes)|repasses?)"
    r"(?: brut[oa]s?| total| d[aeo]s? (?:cliente|lojista|loja|unidade|franquead[oa]|periodo))?$"
)
_CHARGED: Final = re.compile(r"\broyalt|\bfundo\b|\bfnp\b|^taxas?\b|^comiss|^preco\b|^valor\b|\bfees?\b|\bcota\b")
"""Words of a charge. If the amount column has a turnover or a commission, that is only the base of this charge."""
_INSTALMENT: Final = re.compile(
    r"(?:valor |vlr )?(?:d[ao] )?(?:\d{1,2}[ao.]? ?(?:parcela|prestacao)|(?:parcela|prestacao) ?\d{1,2}[ao]?)"
)
"""One of several instalments: `Parcela 1`, `2ª parcela`."""
_SHARE: Final = re.compile(
    r"^(?:%|percentual)(?: \w{1,3})? (?:fatura|cobra|rateio|emiti)|\brateio\b|\b(?:faturar|rateio) \(?%"
)
_FEE: Final = r"(?:honorarios?|exito|sucesso|success|corretagem|intermediacao|assessoria|recrutamento)"
_RATE_OF_FEE: Final = re.compile(rf"^(?:%|percentual|taxa)(?: d[eo]s?)? {_FEE}\b|^{_FEE} (?:\(?%|percentual)")
"""A rate of a fee. An amount beside it that is not a fee itself may be what the fee is a part of."""
_IS_FEE: Final = re.compile(
    rf"\b{_FEE}\b|\b(?:comiss|remunerac|mensal|fixo|fixa|taxa|fees?\b)|\ba (?:faturar|cobrar|emitir)\b"
)
_WHOLE: Final = frozenset({1.0, 100.0})
_OF_GOODS: Final = re.compile(
    r"\b(?:ipi|icms|fcp|difal|acrescimos?|encargos|juros|multa|gorjeta|couvert|cashback)\b|"
    r"^(?:valor|vlr\.?|taxas?|total|custo) (?:d[aeo]s? )?(?:entrega|embalage(?:m|ns)|servicos?|montagem|instalacao|"
    r"garantia|despesas?|seguro|presente|cupom|vale|st\b)"
)
_NO_AMOUNT: Final = re.compile(
    r"\b(?:cst|csosn|base|bc|origem|cod(?:igo)?|aprox\w*|ibpt|reducao|mva|aliq\w*|situacao|classe|enquadramento)\b|%"
)
_PAYMENT: Final = re.compile(
    r"^(?:valor|vlr\.?|pago|pagto|recebido)(?: (?:pago|recebido|pagto))?(?: (?:em|no|na|com|por))? "
    r"(?:dinheiro|cartao|credito|debito|pix|cheque|boleto|vale|crediario)\b"
)


def side_columns(
    unused: Mapping[int, str],
    amount_header: str,
    *,
    of_goods: bool = False,
    competence: date | None = None,
    is_priced: bool = False,
) -> tuple[tuple[int, Effect], ...]:
    """Return the unread columns whose headers contradict the amount, with their effect on it.

    A final amount, by its header, already includes its discounts and additions. Only a final amount also includes costs
    that are passed on, such as refunds, and sums of several months. A total of the month `competence` replaces the
    amount, and so does a charge beside a turnover or a commission, and a part beside the amount of a contract.

    `is_priced`: another column has a unit price. `of_goods`: the amount is quantity × price without taxes and charges,
    and a sale may be paid in two ways.
    """
    bare = cells.plain(amount_header)
    is_kept = not _CHARGED.match(bare) or bare.startswith("valor brut")
    is_base = _BASE.search(bare) is not None or (
        is_kept and any(map(OF_OTHERS.search, map(cells.plain, unused.values())))
    )
    is_product = not bare
    is_priced = is_priced or any(map(_UNIT_PRICE.search, map(cells.plain, unused.values())))
    services = partial(
        _effect,
        is_product=is_product,
        is_priced=is_priced,
        is_final=_FINAL.search(bare) is not None,
        is_base=is_base,
        is_of_contract=_OF_CONTRACT.search(bare) is not None and _PART.search(bare) is None,
        is_fee=_IS_FEE.search(bare) is not None,
        competence=competence,
    )
    judge = _effect_of_goods if of_goods else services
    found = ((index, judge(text)) for index, text in unused.items())
    return tuple((index, effect) for index, effect in found if effect is not None)


def side_amounts(column: Sequence[Cell], effect: Effect, amounts: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each cell of a side column that contradicts its row's amount.

    `amounts` are the cells of the column of amounts.
    """
    for place, cell in enumerate(column):
        found = figures_in(cell)
        if not any(found) or (effect == "shares" and found & _WHOLE) or (effect == "counts" and found == {1.0}):
            continue
        amount = figures_in(amounts[place] if place < len(amounts) else None)
        is_less = effect == "limits" and max(amount, default=0.0) < max(found)
        if effect not in COMPARED or not (is_less or found & amount):
            yield place, cells.as_text(cell)[:30]


def _effect(
    header: str,
    *,
    is_final: bool,
    is_base: bool = False,
    is_of_contract: bool = False,
    is_fee: bool = True,
    is_product: bool = False,
    is_priced: bool = False,
    competence: date | None = None,
) -> Effect | None:
    bare = cells.plain(header)
    if _ACCRUAL.search(bare):
        return None
    if (is_product and _MORE_HOURS.search(bare)) or (is_priced and not is_final and _EXCESS.search(bare)):
        return "adds"
    is_charge = (is_base and (_CHARGED.search(bare) or bare.startswith("honorario"))) or (
        is_of_contract and _PART.search(bare)
    )
    if is_charge or _RIVAL.search(bare) or _is_total_of(header, competence):
        return "replaces"
    is_rate = _SHARE.search(bare) or (not is_fee and _RATE_OF_FEE.search(bare))
    if is_rate or (is_of_contract and _MONTHS.fullmatch(normalised(header))):
        return "shares"
    if _READJUSTED.search(bare) and _is_of_month(header, competence):
        return None if is_final else "adds"
    if is_final and (titles.months_of(header) or _INSTALMENT.fullmatch(bare)):
        return "spans"
    return "adds" if (_PASSED_ON if is_final else _CHANGES).search(bare) else None


def _is_total_of(header: str, competence: date | None) -> bool:
    """Return whether a header names the total of the requested month, or a price that is valid by then.

    `Total nov/2026`, `Mensalidade a partir de 10/2026`.
    """
    bare = titles.without_months(normalised(header))
    if competence is not None and _VALID_FROM.fullmatch(bare):
        asked = (competence.year, competence.month)
        return any((year or asked[0], month) <= asked for year, month in titles.months_of(header))
    return _is_of_month(header, competence) and _OF_THE_MONTH.match(bare) is not None


def _is_of_month(header: str, competence: date | None) -> bool:
    if competence is None or not titles.months_of(header):
        return False
    return not titles.names_other_month(header, competence)


def _effect_of_goods(header: str) -> Effect | None:
    bare = cells.plain(header)
    if _PAYMENT.search(bare):
        return "replaces"
    if goods_columns.is_compared(header):
        # `goods_columns` compares it with quantity and price: the sheet may lack a column of totals
        return None
    if _OF_GOODS.search(bare):
        return None if _NO_AMOUNT.search(bare) or "%" in header else "adds"
    return _effect(header, is_final=False)


def figures_in(cell: Cell) -> set[float]:
    """Return the numbers that a cell may mean; an empty set for a text."""
    if isinstance(cell, float):
        return {float(cell)}
    if not isinstance(cell, str):
        return set()
    bare = cells.as_text(cell).removeprefix("R$").strip().removesuffix("%").strip()
    return set(map(float, number_parser.readings(bare).values()))
