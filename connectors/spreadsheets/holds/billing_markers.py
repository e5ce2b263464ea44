"""Find out whether a text or cell forbids billing: a status, an invoice number, a payment, a note, a title."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Final, TypeAlias

from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.holds import (
    goods_words,
    invoice_numbers,
    non_charge_texts,
    non_charges,
    validity,
    work_statuses,
)
from connectors.spreadsheets.holds.note_words import CODE, NOT_TO, OTHERWISE, STEMS, UNLESS, is_stop
from connectors.spreadsheets.parsers import cells
from connectors.spreadsheets.parsers.column_texts import distinct_texts, found_in, has_any, joined_plainly
from connectors.spreadsheets.parsers.spelling import is_nearly
from domain.problems import Problem

_Judge: TypeAlias = Callable[[Cell, str], Problem | None]

_STATED_BY_A_DASH: Final = frozenset({"status", "order_status", "payment_status", "stopped", "active"})
"""Rules for which "não" or a dash is an answer, not a missing value."""
_YES_OR_NO: Final = frozenset({"s", "sim", "x", "n", "nao", "yes", "no"})
"""Words that are unclear in a column of invoice numbers: the row has an invoice, or it wants one. They are answers in
a column of the service's day, too."""
_LONGEST_CODE: Final = 2
_CREDIT_NOTE: Final = "nc"
"""A credit note in a column of kinds; in other columns it means no value (*nada consta*)."""
_QUOTED: Final = 60
_STOP: Final = re.compile(
    r"\b(?:cancel(?:ad|ou|ar|amento|e\b|a\b)|suspens|suspend|rescindid|rescis|distrat|encerrad|inativ|bloquead|estorn|"
    r"rescindi|perdid|transferid|evadid|faltou|desmarc|remarc|nao compareceu|ausente|desligad|arquivad|abandon|expirad|"
    r"cortesia|bonificad|em (?:proposta|orcamento)|baixad[oa] em|lixeira|removid|deletad|void|lost|churn|"
    r"expired|no ?show|devolvid|anulad|desist|jubilad|inapt[ao]\b|declinad|pro bono|permuta\b|falec|obito|"
    r"trancad|pausad|congelad|interromp(?:id|eu)|substituid|duplicad|excluid|excluir|recusad|reprovad|rejeitad|"
    r"rejected|declined|"
    r"negad|indevid|invalid|rascunho|aguard|em (?:analise|aprovacao|negociacao|espera|aberto com|revisao|disputa)|"
    r"encerrand|migrad|em testes?\b|trial\b|nao iniciad|degustacao|nao (?:usar|utilizar|considerar)|"
    r"segurar|stand ?by|pendente (?:(?!de (?:emiss|emit|fatur|nota|nf))de|do|da|aprov)|on hold|canceled|cancelled|"
    r"suspended|do not (?:bill|invoice)|inactive)"
)
_DONE: Final = re.compile(
    r"\bja (?:foi |esta |estava )?(?:emitid|faturad|enviad|cobrad|lancad|pag|feit)|^(?:emitid|faturad|nf emitida|"
    r"nota emitida|nfs-?e emitida|autorizad[ao]$|faturou|issued|billed|invoiced)|"
    r"^(?:nfs?-?e?|nota|rps) ?(?:no?\.? ?|numero )?\d{1,15}\b"
)
_UNPAID_CHARGE: Final = re.compile(
    r"(?:(?:no )?aguard(?:ando|a|o)?\.?(?: d[eo])?|(?:a|em) espera d[eo]|esperando|pendente(?: de| por)?) ?(?:o )?"
    r"(?:pag(?:amen|a)?to|pgto|pag|recebimento|receb|pagar|receber|vencimento|vencer|quitacao|pix|payment)\.?"
    r"(?: (?:d[aeo]s? |via |por |no |em )?(?:clientes?|tomador|sacado|fatura|boleto|pix|cartao|mensalidade|cobranca|"
    r"titulo|alun[oa]|responsavel))?|"
    r"(?:pag(?:amen|a)?to|pgto|recebimento) (?:pendente|aguardado|atrasado|vencido|em (?:aberto|atraso)|a vencer|"
    r"nao (?:realizado|efetuado|identificado|recebido|feito))|(?:awaiting|waiting for|pending) payment"
)
"""A whole status that only says that a charge is not paid yet, which is usual before and after its invoice."""
_FINISHED: Final = re.compile(r"^(?:concluid|finalizad|baixad|processad)")
"""Words of a finished charge. A finished order of goods was only delivered."""
_PAID: Final = re.compile(r"^(?:pag[oa]|quitad|liquidad|recebid|paid)")
_PAID_BACK: Final = re.compile(r"\b(?:reembolsad|refund|charged?[ _]?back|disputed|failed|parcial|partial|baixa\b)")
"""Words of gateways and banks for a payment that was returned, partly made or not made. Titles may have them."""
_NO_ORDER: Final = re.compile(
    r"\b(?:devoluc|trocas?\b|trocad|extravi|em digitacao|digitando|abandonad|nao (?:paga|concluid|finalizad|confirmad)|"
    r"incomplet|em montagem|"
    r"(?:sem|fora de|falta (?:de|no)) estoque|indisponivel|esgotad|ruptura|carrinho|chargeback|fraude|contestad)|"
    r"\b(?:ferias|bols(?:a|ista) (?:100|integral))\b|\bnao (?:foi )?(?:realizad|executad|prestad|entreg)|"
    r"^(?:orcamento|proposta|cotacao|simulacao|pre.?venda|proposal|negotiation|negociacao|quote|prospec(?:t|cao))\b"
)
"""Statuses of orders that are not yet, or no longer, a sale."""
_WON: Final = re.compile(r"\b(?:won|ganh[oa]|vendid[oa]|assinad[oa]|aprovad[oa]|a faturar|para faturar|faturar)\b")
_LOST: Final = re.compile(r"\b(?:nao|not|perdid[oa]|lost)\b")
"""Words that deny `_WON`. Only a deal that was won is billed; other stages come earlier, or the deal is lost."""
_ISSUED: Final = re.compile(r"(?:emitid|gerad|registrad|enviad|liquidad|processad)[oa]s?")
"""Words of another paper's status that mean only that the paper exists."""
_STATUS_STOPS: Final = (_STOP, NOT_TO, _DONE, _PAID_BACK)
OF_GOODS: Final = {"status": "order_status", "notes": "order_notes"}
"""Rules of a sheet of goods by billing field: a paid order is billed there, and a returned one is not."""
_STOP_ALONE: Final = frozenset({"c", "canc", "cancel", "susp", "inat", "nao", "n", "x cancelado", "isento de cobranca",
                                *"❌✗✘✖☒⛔🚫👎🔴"})  # fmt: skip
_OFTEN_MISSPELT: Final = (
    "cancelado", "cancelada", "suspenso", "suspensa", "bloqueado", "bloqueada", "inativo", "inativa", "encerrado",
    "encerrada", "estornado", "estornada", "rescindido", "desistente", "excluido", "excluida", "aguardando",
    "devolvido", "devolvida",
)  # fmt: skip
_LONG_WORD: Final = re.compile(r"[a-z]{6,11}")
"""A word that one typing error does not turn into another word."""
_DONE_TITLE: Final = re.compile(r"\b(?:ja |notas )?(?:emitid|faturad)[oa]s\b|\bja (?:emitid|faturad|cobrad)[oa]\b")
_LATER_TITLE: Final = re.compile(
    r"^orcamentos?\b|^ex[ -]?(?:clientes?|alunos?|associados?|pacientes?|inquilinos?|franqueados?)\b|"
    r"^(?:despesas?|saidas?|contas pagas)$|"
    r"\b(?:contas a pagar|pagamentos? (?:a|de) fornecedor|notas? (?:de entrada|recebidas|de compras?))|"
    r"\ba (?:confirmar|definir|aprovar|negociar)\b|"
    r"\b(?:proxim[oa]s? (?:mes|meses|faturament|competencia)|mes que vem|simulac|"
    r"pendentes?\b(?! de (?:fatur|emiss|nf|nota)))"
)
"""Titles of rows that are for a later month, are estimates, or are debts of the company itself."""
_UNPAID: Final = re.compile(
    r"n(?:ao)?\b|a (?:pagar|receber|vencer)|em (?:aberto|atraso)|aberto|pendente|vencid|atrasad|parcial|inadimpl|"
    r"aguard(?:ando)?\.?$|(?:unpaid|open|overdue|not paid)\b"
)
_REFUSALS: Final = ("pendente", "nao ", "nao,", "ainda nao")
_NOT_YET: Final = re.compile(r"nao|a |em aberto|pendente")
_LATER: Final = re.compile(
    r"(?:n[oa] )?(?:proxim[oa]|mes que vem|ano que vem|futur|a definir|a combinar|aguard|suspens|sem previsao)"
)
"""Words instead of a date from which to bill."""
_NOT_RENDERED: Final = re.compile(
    r"a (?:agendar|marcar|realizar|executar|prestar|fazer|iniciar|concluir)\b|agendad|programad|pendente|"
    r"nao\b|ainda nao|em (?:andamento|execucao)|previst|to be (?:done|scheduled)|pending|not "
)
"""Words instead of the day of a service that is not rendered yet."""
_NOTES_STEMS: Final = {"notes": STEMS, "order_notes": (*STEMS, *goods_words.NOTE_STEMS)}
_PLAIN_STEMS: Final = (
    "nao ", "cancel", "suspens", "inativ", "encerr", "bloquead", "test", "exemplo", "fulano", "desisti", "devolv",
    "rescindi", "saiu", "ja ",
)  # fmt: skip
"""Each match of `_PLAIN_STOP` contains one of these."""
_PLAIN_STOP: Final = re.compile(
    r"\bnao (?:faturar|emitir|cobrar|enviar nota|gerar nota|usar)\b|"
    r"^(?:(?:cliente|empresa|tomador|nome|aluno|paciente) )?(?:de )?(?:teste|test|exemplo|fulano(?: de tal)?)"
    r"(?: \d{1,4}| (?:ltda|me|epp|sa|s/a|eireli)\.?)?$|"
    r"(?:[(\[*\-]|^) ?(?:cancelad[oa]|suspens[oa]|inativ[oa]|encerrad[oa]|nao faturar|bloquead[oa]|cancelou|"
    r"cancelar|desistiu|devolveu|devolvid[oa]|rescindiu|encerrou) ?(?:[)\]*\-]|$)|"
    r"[(\[] ?(?:saiu|cancelou|encerrou|desistiu|rescindiu|cancelad[oa]|suspens[oa]|encerrad[oa])\b[^()\[\]]{0,30}[)\]]|"
    r"\bja (?:foi )?(?:faturad|emitid|cobrad)[oa]s?\b"
)


def stop_of(field: str, cell: Cell) -> Problem | None:
    """Return why a cell of a billing column forbids billing its row, or None. `field` is a key of `_JUDGES`.

    A `paid` cell forbids it only in a column that also has unpaid rows; the caller checks that.
    """
    text = cells.as_text(cell)
    word = cells.plain(text)
    is_answer = field in _STATED_BY_A_DASH or (field in ("invoice_number", "performed") and word in _YES_OR_NO)
    is_answer = is_answer or (field == "charge_kind" and word == _CREDIT_NOTE)
    if not text or (not is_answer and cells.says_nothing(text)):
        return None
    return _JUDGES[field](cell, word)


def text_stop(text: str) -> str | None:
    """Return the text of a note or a comment, shortened for a message, if it forbids billing, or None."""
    return _on_one_line(text) if is_stop(cells.plain(text)) else None


def order_stop(text: str) -> str | None:
    """Return the text of a comment in a sheet of goods, shortened, if it forbids billing its row, or None."""
    return _on_one_line(text) if goods_words.stops_by_note(cells.plain(text)) else text_stop(text)


def named_stop(text: str) -> str | None:
    """Return the text of a name or a description, shortened, if it forbids billing its row, or None.

    Only unmistakable words count: a description may be about the cancellation of a contract.
    """
    bare = cells.plain(text)
    is_stop = has_any(_PLAIN_STEMS, bare) and _PLAIN_STOP.search(bare) and not UNLESS.search(bare)
    return _on_one_line(text) if is_stop else None


def stops_of(field: str, column: Sequence[Cell]) -> Iterator[tuple[int, Problem]]:
    """Yield (index, problem) for each cell of a column for which `stop_of` returns a problem."""
    texts = distinct_texts(column)
    stems = _NOTES_STEMS.get(field)
    is_silent = stems is not None and not has_any(stems, joined_plainly(texts))
    if field in validity.WORDED:
        # `validity` compares months
        column = [cell if type(cell) is str else None for cell in column]
    stops = {} if is_silent else {text: stop_of(field, text) for text in texts}
    for place, cell in enumerate(column):
        found = stops.get(cell) if type(cell) is str else None if cell is None else stop_of(field, cell)
        if found is not None:
            yield place, found


def text_stops(column: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, shortened text) for each text of a column that forbids billing, as in `text_stop`."""
    return found_in(column, STEMS, text_stop)


def named_stops(column: Sequence[Cell]) -> Iterator[tuple[int, str]]:
    """Yield (index, shortened text) for each text of a column that forbids billing, as in `named_stop`."""
    return found_in(column, _PLAIN_STEMS, named_stop)


def goods_stops(column: Sequence[Cell], *, of: str) -> Iterator[tuple[int, str]]:
    """Yield (index, text) for each text of a column (`of` products, order keys or notes) that means no sale."""
    stems, judge = goods_words.JUDGES[of]
    return found_in(column, stems, lambda text: _on_one_line(text) if judge(cells.plain(text)) else None)


def title_stop(text: str) -> str | None:
    """Return the text of a title or a sheet's name, shortened, if it forbids billing the rows below, or None."""
    bare = cells.plain(text)
    stops = (_STOP, NOT_TO, _DONE_TITLE, _LATER_TITLE)
    found = None if UNLESS.search(bare) else next(filter(None, (each.search(bare) for each in stops)), None)
    return None if found is None else _on_one_line(text)


def list_stop(name: str) -> str | None:
    """Return a sheet's name if it lists customers who are not billed (`Cancelados`), or None.

    A list of issued invoices does not count: they may be of an earlier month.
    """
    bare = cells.plain(name)
    return _on_one_line(name) if (_STOP.search(bare) or NOT_TO.search(bare)) and not UNLESS.search(bare) else None


def is_paid(cell: Cell) -> bool:
    """Return whether a cell of a payments column means paid: all but no, zero, a dash and words such as `pendente`."""
    if cell is None or cell is False or isinstance(cell, (date, datetime)):
        return isinstance(cell, (date, datetime))
    text = cells.plain(cells.as_text(cell))
    if not text or cells.says_nothing(text) or text in {"0", "falso", "f", "false"}:
        return False
    return _UNPAID.match(text) is None and not is_unpaid_charge(text)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())[:_QUOTED]


def _quoted(cell: Cell) -> dict[str, str | int]:
    """Return a problem's parameters; the caller fills in the header."""
    return {"text": _on_one_line(cells.as_text(cell)), "header": ""}


def _sold_status(cell: Cell, word: str) -> Problem | None:
    if UNLESS.search(word):
        return None
    word = CODE.sub("", word)
    is_stop = any(each.search(word) for each in (*_STATUS_STOPS, OTHERWISE, _NO_ORDER))
    is_stop = is_stop or word in _STOP_ALONE or _has_misspelt_stop(word)
    return Problem("held.status", params=_quoted(cell)) if is_stop else None


def _has_misspelt_stop(word: str) -> bool:
    """Return whether a status has a word against billing with one typing error: `canselado`."""
    return any(is_nearly(each, stop) for each in _LONG_WORD.findall(word) for stop in _OFTEN_MISSPELT)


def _deal(cell: Cell, word: str) -> Problem | None:
    return None if _WON.search(word) and not _LOST.search(word) else Problem("held.status", params=_quoted(cell))


def _work(cell: Cell, word: str) -> Problem | None:
    rest = work_statuses.rest_of_done(CODE.sub("", word))
    is_done = rest is not None and not any(each.search(rest) for each in (_STOP, NOT_TO, _PAID_BACK))
    return None if is_done else Problem("held.status", params=_quoted(cell))


def _paper(cell: Cell, word: str) -> Problem | None:
    return None if _ISSUED.fullmatch(word) else _status(cell, word)


def is_unpaid_charge(word: str) -> bool:
    """Return whether a status (normalized text) only says that the charge is not paid yet."""
    return _UNPAID_CHARGE.fullmatch(CODE.sub("", word)) is not None


def _status(cell: Cell, word: str) -> Problem | None:
    bare = CODE.sub("", word)
    if is_unpaid_charge(word):
        return None
    is_over = (_PAID.search(bare) or _FINISHED.search(bare)) and not UNLESS.search(word)
    return Problem("held.status", params=_quoted(cell)) if is_over else _sold_status(cell, word)


def _either(stops: Callable[[str], bool], code: str, judge: _Judge) -> _Judge:
    """Return a rule that gives the problem `code` if `stops` is true, else the result of `judge`."""
    return lambda cell, word: Problem(code, params=_quoted(cell)) if stops(word) else judge(cell, word)


def _occurrence(cell: Cell, word: str) -> Problem | None:
    return _status(cell, word) if CODE.match(word) else None


def _billed(cell: Cell, word: str) -> Problem | None:
    answer = cells.parse_yes_no(cell)
    if answer is False or _NOT_YET.match(word):
        return None
    return Problem("held.billed", params=_quoted(cell))


def _stopped(cell: Cell, word: str) -> Problem | None:
    answer = cells.parse_yes_no(cell)
    if answer is False or cells.says_nothing(word) or word.startswith(("nao", "sem ")):
        return None
    return Problem("held.status", params=_quoted(cell))


def _free(cell: Cell, _: str) -> Problem | None:
    return Problem("held.kind", params=_quoted(cell)) if cells.parse_yes_no(cell) is True else None


def _active(cell: Cell, word: str) -> Problem | None:
    is_no = cells.parse_yes_no(cell) is False or word.startswith(_REFUSALS) or _STOP.search(word) or is_stop(word)
    return Problem("held.status", params=_quoted(cell)) if is_no else None


def _paid(cell: Cell, _: str) -> Problem | None:
    return Problem("held.paid", params=_quoted(cell)) if is_paid(cell) else None


def _invoice_number(cell: Cell, word: str) -> Problem | None:
    if invoice_numbers.means_no_invoice(word):
        return None
    if word in _YES_OR_NO:
        return Problem("held.status", params=_quoted(cell))
    if invoice_numbers.names_invoice(word):
        return Problem("held.invoiced", params=_quoted(cell))
    return _notes(cell, word) or _status(cell, word)


def _kind(cell: Cell, word: str) -> Problem | None:
    return Problem("held.kind", params=_quoted(cell)) if non_charges.is_other_entry(word) else None


def _category(cell: Cell, word: str) -> Problem | None:
    """Read the name of an entry's account as its kind, but not a short code: the category `D` is no debit."""
    return _kind(cell, word) if len(word) > _LONGEST_CODE else None


def _entry(cell: Cell, word: str) -> Problem | None:
    return Problem("held.entry", params=_quoted(cell)) if non_charges.is_not_sale(word) else None


def _credit(cell: Cell, word: str) -> Problem | None:
    return Problem("held.kind", params=_quoted(cell)) if non_charges.is_credit(word) else None


def _period(cell: Cell, word: str) -> Problem | None:
    return Problem("held.notes", params=_quoted(cell)) if non_charges.is_of_several_months(word) else None


def _issuer(cell: Cell, word: str) -> Problem | None:
    return Problem("held.notes", params=_quoted(cell)) if non_charges.is_other_issuer(word) else None


def _described(cell: Cell, word: str) -> Problem | None:
    return Problem("held.kind", params=_quoted(cell)) if non_charge_texts.is_no_service(word) else None


def _since(cell: Cell, word: str) -> Problem | None:
    is_later = isinstance(cell, str) and (_LATER.match(word) is not None or is_stop(word))
    return Problem("held.notes", params=_quoted(cell)) if is_later else None


def _performed(cell: Cell, word: str) -> Problem | None:
    is_open = isinstance(cell, str) and _NOT_RENDERED.match(word) is not None
    return Problem("held.notes", params=_quoted(cell)) if is_open else _since(cell, word)


def _currency(cell: Cell, word: str) -> Problem | None:
    return Problem("held.currency", params=_quoted(cell)) if non_charges.is_other_currency(word) else None


def _notes(cell: Cell, word: str) -> Problem | None:
    return Problem("held.notes", params=_quoted(cell)) if is_stop(word) else None


_order_status = _either(goods_words.stops_by_status, "held.status", _sold_status)
_JUDGES: Final[Mapping[str, _Judge]] = {
    "status": _status,
    "order_status": _order_status,
    "payment_status": _either(goods_words.stops_by_payment, "held.status", _order_status),
    "delivery_status": _either(goods_words.stops_by_delivery, "held.status", lambda _cell, _word: None),
    "billed": _billed,
    "stopped": _stopped,
    "active": _active,
    "paid": _paid,
    "invoice_number": _invoice_number,
    "charge_kind": _either(lambda word: _STOP.search(word) is not None, "held.kind", _kind),
    "category": _category,
    "entry": _entry,
    "credit": _credit,
    "described": _described,
    "issuer": _issuer,
    "period": _period,
    "free": _free,
    "occurrence": _occurrence,
    "deal": _deal,
    "work": _work,
    "sale": _sold_status,
    "realized": _either(lambda word: non_charges.PLANNED.search(word) is not None, "held.status", _status),
    "paper": _paper,
    "invoice": _either(is_unpaid_charge, "held.status", _status),
    "since": _since,
    "next_billing": _since,
    "performed": _performed,
    "currency": _currency,
    "notes": _notes,
    "order_notes": _either(goods_words.stops_by_note, "held.notes", _notes),
}
