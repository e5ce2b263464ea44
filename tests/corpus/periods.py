"""Columns that say when a service is rendered, when a customer is billed next, and when a customer pauses."""

from collections.abc import Iterator
from datetime import date

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table

_OTHER: Expectation = ask("held.validity")
_WORDS: Expectation = ask("held.notes")
_BILLED: Expectation = bill(10_002)
_RENDERED: tuple[tuple[str, object, object, Expectation], ...] = (
    # header, the cell of a billed row, that of another row, and what happens to it
    ("Data da execução", date(2026, 11, 12), date(2026, 12, 9), _OTHER),
    ("Data da execução", date(2026, 11, 30), date(2026, 10, 2), _BILLED),
    ("Dt. Atendimento", "12/11/2026", "01/12/2026 08:30", _OTHER),
    ("Concluído em", "20/11", "09/12", _OTHER),
    ("Realizada em", "05 e 06/11/2026", "30/11 e 01/12/2026", _OTHER),
    ("Datas das sessões", "03, 10, 17 e 24/11", "24/11 e 1º/12", _OTHER),
    ("Data da prestação do serviço", "nov/26", "dez/26", _OTHER),
    ("Service date", "2026-11-03", "2026-12-03", _OTHER),
    ("Data do serviço", "12/11/2026", "a agendar", _WORDS),
    ("Data da visita técnica", "12/11/2026", "aguardando cliente", _WORDS),
    ("Executado em", 46_338.0, "não", _WORDS),
    ("Data do atendimento", "semanal", "12/2025", _BILLED),
)
_NEXT: tuple[tuple[str, object, object, Expectation], ...] = (
    ("Próximo faturamento", "nov/2026", "jan/2027", _OTHER),
    ("Próximo faturamento", None, date(2026, 10, 1), _BILLED),
    ("Próxima cobrança", date(2026, 11, 28), date(2026, 12, 1), _OTHER),
    ("Próx. fatura", "10/2026", "01/2027", _OTHER),
    ("Próxima NF", "novembro", "março", _OTHER),
    ("Data da próxima emissão", "nov/26 e mai/27", "mai e nov/27", _OTHER),
    ("Próximo faturamento", "11/2026", 2027.0, _OTHER),
    ("Próximo faturamento", "todo mês", "a definir", _WORDS),
    ("Next invoice date", "2026-11-30", "2027-01-31", _OTHER),
    ("Next billing", "Nov 2026", "Feb 2027", _OTHER),
    ("Faturar em", "nov", "jan", _OTHER),
    ("Próximo vencimento", "10/11/2026", "10/12/2026", _BILLED),
)
_HELD: Expectation = ask("held.validity", "held.status")
_SPANS: tuple[tuple[tuple[str, ...], tuple[object, ...], Expectation], ...] = (
    (("Suspenso de", "Suspenso até"), (date(2026, 7, 1), date(2026, 7, 31)), _BILLED),
    (("Suspenso de", "Suspenso até"), (date(2026, 11, 1), date(2026, 12, 31)), _HELD),
    (("Suspenso de", "Suspenso até"), (date(2026, 12, 1), date(2026, 12, 31)), _BILLED),
    (("Suspenso de", "Suspenso até"), (date(2026, 9, 1), None), _HELD),
    (("Suspenso de", "Suspenso até"), ("pedido do cliente", None), _HELD),
    (("Início da suspensão", "Fim da suspensão"), ("15/11/2026", "30/11/2026"), _HELD),
    (("Data da suspensão", "Data da reativação"), ("01/03/2026", "01/08/2026"), _BILLED),
    (("Suspenso em", "Retorno em"), ("01/03/2026", "01/12/2026"), _HELD),
    (("Pausa de", "Pausa até"), ("01/07", "31/07"), _BILLED),
    (("Bloqueado de", "Bloqueado até"), ("01/10/2026", "10/11/2026"), _HELD),
    (("Isento de", "Isento até"), ("01/2026", "06/2026"), _BILLED),
    (("Suspensão",), ("01/07/2026 a 31/07/2026",), _BILLED),
    (("Suspensão",), ("01/11/2026 a 30/11/2026",), _HELD),
    (("Suspensão",), ("01/07/2026",), _HELD),
    (("Período de pausa",), ("jul a set/2026",), _BILLED),
    (("Férias",), ("16/11 a 15/12",), _HELD),
    (("Suspenso", "Início da suspensão", "Fim da suspensão"), ("Não", "01/07/2026", "31/07/2026"), _BILLED),
)


def habits() -> Iterator[Habit]:
    for name, cases in (("rendered", _RENDERED), ("next_billing", _NEXT)):
        for number, (header, usual, other, found) in enumerate(cases):
            content = table(good(1, usual), good(2, other), head=[*HEAD, header])
            yield Habit(f"{name}_{number}", content, "a.xlsx", {2: bill(10_001), 3: found})
    head = [*HEAD, "Competência", "Data da execução"]
    content = table(good(1, "12/2026", "09/12/2026"), good(2, "11/2026", "09/12/2026"), head=head)
    yield Habit("rendered_in_the_month_of_its_row", content, "a.xlsx", {2: bill(10_001), 3: _OTHER})
    for number, (headers, cells, found) in enumerate(_SPANS):
        content = table(good(1, *[None] * len(headers)), good(2, *cells), head=[*HEAD, *headers])
        yield Habit(f"pause_{number}", content, "a.xlsx", {2: bill(10_001), 3: found})
    head = [*HEAD, "Competência", "Suspenso de", "Suspenso até"]
    span = "01/10/2026", "31/10/2026"
    content = table(good(1, "11/2026", *span), good(2, "10/2026", *span), head=head)
    yield Habit("pause_in_the_month_of_its_row", content, "a.xlsx", {2: bill(10_001), 3: _HELD})
