"""Recognise the texts that are no lines of a sheet: titles, total labels, footers; and the months that they name."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from connectors.spreadsheets.formats.header_texts import normalised
from connectors.spreadsheets.formats.sheets import Cell
from connectors.spreadsheets.parsers import number_parser
from connectors.spreadsheets.parsers.cells import as_text, plain
from domain.competence import MONTH_NUMBERS

LONGEST: Final = 120
SHOWN: Final = 60
_SHOWN_TEXTS: Final = 5
DIGITS_AT_MOST: Final = 4
"""The most digits of a title in the column of documents: the number of a cost centre, a year."""
_ABBREVIATED: Final = 3
_TOTAL: Final = re.compile(
    r"(?:(?:sub|valor|grand|vlr|soma|o)[ -]?)?tota(?:l|is)\b.{0,100}|soma(?:s|torio|toria|ndo)?\b.{0,100}|"
    r".{1,100}?[ -](?:sub-?)?total(?: geral)?:?|acumulado\b.{0,40}|"
    r"\(?(?:(?:valor(?:es)?|vlr|saldo|total)(?: anterior)? )?(?:transportad[oa]s?|(?:a )?transportar?)\)?[:.]?|"
    r"\(?(?:(?:vem|vai|saldo|soma) )?(?:(?:a|de|do|por|em) )?transporte"
    r"(?: (?:d[aeo]|para|p/) (?:a )?(?:folha|pagina|pag|fls?)\b\.?(?: (?:anterior|seguinte|\d{1,4}))?)?\)?[:.]?|"
    r"(?:vem|vai|segue|continua|saldo|soma|valor) (?:d[ae]|na|para|p/)(?: a)? (?:folha|pagina|pag\.?|fls?\.?) "
    r"(?:anterior|seguinte)[:.]?|"
    r"(?:balance )?(?:brought|carried) (?:forward|down|over)[:.]?|[bc]/[fd]"
)
_TOTAL_WORDS: Final = frozenset({"total", "subtotal", "sub-total", "-", ""})
_BEFORE_A_NAME: Final = _TOTAL_WORDS | {"do", "da", "de"}
_COUNT: Final = re.compile(
    r"\d{1,7} (?:clientes?|notas?|nfs?-?e?|registros?|linhas?|itens|item|contratos?|alunos?|tomadores|lancamentos?|"
    r"servicos?|faturas?|boletos?)"
)
_FOOTER: Final = re.compile(
    r"(?:pag(?:ina)?\.?:? ?\d|gerado (?:em|por)|emitido (?:em|por)|impresso|exportado|relatorio\b|elaborado|conferido|"
    r"aprovado por|responsavel:|assinatura|obs(?:ervac(?:ao|oes))?\.?:|nota:|fonte:|legenda|\*|_{4}|-{4}|={4}|"
    r"data base|"
    r"total de (?:\d{1,7} )?(?:registros|notas|linhas)|quantidade de|qtde?\.? de |"
    r"usuario:|sistema:|empresa:|periodo:|filtros?( aplicados)?:|att\b|atenciosamente|"
    r"departamento|contabilidade|financeiro|\((?:vazio|em branco|blank)\)|data:|hora:|fim do relatorio|"
    r"[a-z ]{3,40}, (?:em )?\d{1,2}o? de [a-z]+ de \d{4})"
    r".{0,120}"
)
_TO_BILL: Final = re.compile(
    r"(?:(?:clientes?|notas?|nfs?|servicos?|itens|contratos?|pedidos?|valores|cobrancas?|faturas?) )?"
    r"(?:(?:a|para|p/) (?:faturar|emitir|cobrar|faturamento|emissao|cobranca)|faturar|emitir|"
    r"faturamento)(?: (?:d[oe] mes|n?este mes|agora|hoje|em \w{3,9}|(?:em )?\d{1,2}/\d{2,4}))?:?"
)
"""A title of the rows to bill, which nobody's name is: `A FATURAR`, `Notas a emitir`."""
_SUMMARY: Final = re.compile(
    r"(?:\(?[-+=]\)? ?|menos |mais )?(?:valor |vlr |total |base (?:de calculo )?)?(?:d[aeo]s? )?"
    r"(?:iss(?:qn)?|pis|cofins|csll|irrf|irpj|ir|inss|pcc|crf|cbs|ibs|imposto|tributo|retenc|retid|deduc|desconto|abatimento|"
    r"liquid|bruto|a receber|a pagar|a faturar|faturamento|saldo|media|ticket|quantidade|"
    r"qtde?|numero de|margem|meta|diferenca|provis|recebido|em aberto|notas?\b|clientes\b)"
    r".{0,100}"
)
_UNIT: Final = re.compile(
    r"\bem (?:r\$ )?(?:milhares|milhoes|mil\b|centavos|dolar|euros?\b|moeda estrangeira|us\$|usd\b|eur\b)|"
    r"\br\$ ?(?:mil|milhoes)\b|\b(?:valor(?:es)?|precos?) (?:em )?\(?(?:us\$|usd\b|€|eur\b)"
)
_HEADER_UNIT: Final = re.compile(
    r"\b(?:cents?|centavo\w*|mil|milh[ao]\w*|k|kr|us|usd|eur|gbp|dolar\w*|euro\w*|libra\w*|x ?1 ?000|1000)"
    r"\b|[€£]|us\$|kr\$"
)
"""A unit in the header of an amount: `amount_cents`, `Valor (R$ mil)`, `Amount (EUR)`, `Valor (x 1.000)`."""
_NOT_FINAL: Final = re.compile(
    r"\bantes d[oe] (?:reajust|aumento|corrig|correcao)|"
    r"\b(?:ainda sem|sem [oa]|(?:valor(?:es)?|precos?) sem) (?:[oa] )?(?:reajust|aumento|correcao)|"
    r"\bfaltam? (?:[oa]s? )?(?:aplicar|reajust|corrigir|"
    r"atualizar|somar|"
    r"descontar)|\baplicar (?:[oa] )?(?:reajust|aumento|indice|igp|ipca|inpc|desconto|\d{1,2} ?%)|"
    r"\b(?:valor(?:es)?|precos?) (?:sao |ainda )?(?:provisori|estimad|desatualizad|antig|a (?:confirmar|"
    r"reajustar|corrigir|"
    r"atualizar)|simulad|sujeit[oa]s? a|d[oe] (?:mes|ano) (?:passad|anterior))|"
    r"^(?:previa|minuta|rascunho|simulacao)\b|\bsujeit[oa]s? a (?:alterac|confirmac|revisao|aprovac|ajuste|conferencia)"
)
_YEAR: Final = r"(20\d\d|'?\d\d)"
_NAMED: Final = re.compile(rf"\b([a-z]{{3,9}})\.?(?: ?[/.\-_] ?| de | )?{_YEAR}(?![\d/])")
_NUMBERED: Final = re.compile(r"(?<![\d/.\-])(0?[1-9]|1[0-2]) ?[/\-_.] ?(20\d\d)(?![\d/\-])")
_YEAR_FIRST: Final = re.compile(r"(?<![\d/.\-])(20\d\d) ?[/\-_.] ?(0[1-9]|1[0-2])(?![\d/\-])")
_WORD: Final = re.compile(r"[a-z]{3,9}")
_ABOUT_MONTHS: Final = re.compile(
    r"\b(?:mes|ref|referente|referencia|competencia|fac?tura|faturamento|cobranca|cobrar|emitir|notas?|mensal|total|honorari|"
    r"bill|invoice)"
)
_OF_OTHER_DAYS: Final = re.compile(
    r"\b(?:vencimento|venc|vcto|pagamento|pagto|emissao|emitido|gerado|impresso|atualizad)"
)


def is_total_label(text: str) -> bool:
    """Return whether a text labels a total row: `Total`, `Soma`, `Subtotal`, `Ana Ltda Total`, `Total da página`."""
    bare = plain(text)
    return len(bare) <= LONGEST and _TOTAL.fullmatch(bare) is not None


def opened_by(texts: Mapping[int, str], labels: Mapping[int, str]) -> set[int]:
    """Return the rows whose whole text a total further below names: they are the titles of its rows."""
    last = {name_in_total(label): number for number, label in sorted(labels.items())}
    names = {number: plain(text).rpartition(": ")[2] for number, text in texts.items()}
    return {number for number, name in names.items() if name and last.get(name, 0) > number}


def name_in_total(label: str) -> str:
    """Return the name in a total label as normalized text: `ana ltda` of `Ana Ltda Total`; empty without one."""
    words = plain(label).split() if is_total_label(label) else []
    while words and words[-1].strip(":") in _TOTAL_WORDS:
        words.pop()
    while words and words[0].strip(":") in _BEFORE_A_NAME:
        del words[0]
    return " ".join(words)


def is_summary_label(text: str) -> bool:
    """Return whether a text labels a number below a total that is no charge: `(-) ISS 5%`, `Valor líquido`."""
    bare = plain(text)
    return len(bare) <= LONGEST and _SUMMARY.fullmatch(bare) is not None


def is_header_again(row: Sequence[Cell], texts: Mapping[int, str]) -> bool:
    """Return whether a row repeats the header: each filled cell has the header's text (`texts` by column)."""
    for index, cell in enumerate(row):
        if cell is not None and (not isinstance(cell, str) or as_text(cell) != texts.get(index)):
            return False
    return True


def is_heading(text: str) -> bool:
    """Return whether a lone text is no customer's name: it names a month, or the rows to bill (`A FATURAR`)."""
    return bool(months_of(text)) or _TO_BILL.fullmatch(plain(text)) is not None


def is_summary_row(row: Sequence[Cell]) -> bool:
    """Return whether a row below a total sums up something else, such as a tax: it has only such labels and numbers."""
    texts = [text for cell in row if isinstance(cell, str) and (text := cell.strip())]
    words = [text for text in texts if not number_parser.readings(text.removesuffix("%").strip())]
    return bool(words) and all(map(is_summary_label, words))


def is_count(text: str) -> bool:
    """Return whether a text counts the lines beside a total: `12 clientes`."""
    return _COUNT.fullmatch(plain(text)) is not None


def is_footer(text: str) -> bool:
    """Return whether a text ends a page or sheet: a page number, a signature, the time of printing."""
    return _FOOTER.fullmatch(plain(text)) is not None


def is_of_order(header: str, text: str) -> bool:
    """Return whether a lone text below the header of the orders is no order: `Pedido 1003 - Ana`, `VENDAS`."""
    return plain(text).startswith(f"{plain(header)} ") or not any(map(str.isdigit, text))


def text_of(row: Sequence[Cell]) -> str:
    """Return the texts of a row that is not a billable line, shortened, to show to people."""
    return " ".join(text for cell in row if isinstance(cell, str) and (text := " ".join(cell.split())))[:LONGEST]


def shown_texts(texts: Sequence[str]) -> str:
    """Return the first few different texts in quotes, for a message; a dash if there is none."""
    found = list(dict.fromkeys(texts))
    quoted = [f'"{text[:SHOWN]}"' for text in found[:_SHOWN_TEXTS]]
    return ", ".join(quoted + (["…"] if len(found) > _SHOWN_TEXTS else [])) or "–"


def names_other_unit(text: str) -> bool:
    """Return whether a title names a unit other than reais for the amounts below: dollars, thousands, cents."""
    bare = plain(text)
    return len(bare) <= LONGEST and _UNIT.search(bare) is not None


def has_other_unit(header: str) -> bool:
    """Return whether the header of an amount names a unit other than reais: dollars, thousands, cents."""
    return any(map(_HEADER_UNIT.search, (normalised(header), plain(header))))


def are_not_final(text: str) -> bool:
    """Return whether a title or a comment on a header says that the amounts below it are still to be changed."""
    bare = plain(text)
    return len(bare) <= LONGEST and _NOT_FINAL.search(bare) is not None


def months_of(text: str) -> frozenset[tuple[int | None, int]]:
    """Return the months in a title, as year (None without one) and month; payment days name none."""
    bare = plain(text)
    return frozenset() if len(bare) > LONGEST or speaks_of_other_days(bare) else months_in(bare)


def speaks_of_other_days(text: str) -> bool:
    """Return whether a title speaks of the days of a payment, an issue or a print, which are not the work's."""
    return _OF_OTHER_DAYS.search(plain(text)) is not None


def months_in(text: str) -> frozenset[tuple[int | None, int]]:
    """Return the months in a text, as year (None without one) and month, whatever it says of them."""
    bare = plain(text)
    found: set[tuple[int | None, int]] = {
        (_full(year), MONTH_NUMBERS[name]) for name, year in _NAMED.findall(bare) if name in MONTH_NUMBERS
    }
    found |= {(int(year), int(month)) for month, year in _NUMBERED.findall(bare)}
    found |= {(int(year), int(month)) for year, month in _YEAR_FIRST.findall(bare)}
    if not found:
        words = _WORD.findall(bare.replace("rio de janeiro", ""))
        # "dez", "mar" and "set" are also ordinary words
        is_about = _ABOUT_MONTHS.search(bare) is not None
        named = [each for each in words if each in MONTH_NUMBERS]
        found = {
            (None, MONTH_NUMBERS[each]) for each in named if each == bare or (is_about and len(each) > _ABBREVIATED)
        }
    return frozenset(found)


def without_months(header: str) -> str:
    """Return a normalised header without its months and years: `nf nov 26` is a column of invoice numbers."""
    words = (word for word in header.split() if word not in MONTH_NUMBERS)
    return " ".join(word for word in words if not (word.isdecimal() and len(word) in (1, 2, 4)))


def names_other_month(text: str, competence: date) -> bool:
    """Return whether a title names months and none of them is the requested one."""
    asked = {(competence.year, competence.month), (None, competence.month)}
    found = months_of(text)
    return bool(found) and not found & asked


def _full(digits: str) -> int:
    year = int(digits.removeprefix("'"))
    return year + 2000 if year < 100 else year
