"""Sheets of finance departments: delivered units, instalments in words, progress of work, sums, times of the day."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, doc, good
from tests.corpus.sheets import table, xlsx

_ONE: dict[int, Expectation] = {2: bill(10_001)}
_BOTH: dict[int, Expectation] = _ONE | {3: bill(10_002)}


def habits() -> Iterator[Habit]:
    yield from _notes()
    yield from _units()
    yield from _instalments()
    yield from _progress()
    yield from _sums()
    yield from _layouts()


def _notes() -> Iterator[Habit]:
    for number, text in enumerate(
        (
            "Navio não atracou",
            "paciente não apareceu",
            "turma não se formou",
            "ship did not call",
            "vessel didn't berth",
        )
    ):
        content = table(good(1), good(2, text), head=[*HEAD, "Ocorrência"])
        yield Habit(f"did_not_happen_{number}", content, "a.xlsx", _ONE | {3: ask("held.notes")})
    held = ask("held.notes")
    for number, text in enumerate(("Só vai entrar em janeiro", "compensar com a NF 812", "valor provisório")):
        yield Habit(
            f"note_of_later_change_{number}",
            table(good(1), good(2, text), head=[*HEAD, "Anotações"]),
            "a.xlsx",
            _ONE | {3: held},
        )
    content = table(good(1), [doc(2), "Bia Ltda (saiu em outubro)", "Consultoria", 10.0])
    yield Habit("name_that_left", content, "a.xlsx", _ONE | {3: held})
    for header, text, code in (
        ("Compareceu?", "Não", "held.status"), ("Candidato admitido?", "Não", "held.status"),
        ("Gratuidade", "Sim", "held.kind"), ("Cortesia", "S", "held.status"),
    ):  # fmt: skip
        yes = "Sim" if text == "Não" else "Não"
        content = table(good(1, yes), good(2, text), head=[*HEAD, header])
        yield Habit(f"answer_{header.strip('?').lower()}", content, "a.xlsx", _ONE | {3: ask(code)})
    content = xlsx(["Faturamento a confirmar"], HEAD, good(1))
    yield Habit("title_to_be_confirmed", content, "a.xlsx", {3: ask("held.section")})
    for number, text in enumerate(("cliente não informou e-mail", "o valor não mudou", "não pagou outubro")):
        yield Habit(f"happened_{number}", table(good(1, text), head=[*HEAD, "Obs"]), "a.xlsx", _ONE)


def _units() -> Iterator[Habit]:
    held = ask("held.side_amount")
    for number, header in enumerate(("Inserções veiculadas", "Sessões", "Nº de visitas", "Horas trabalhadas")):
        content = table(good(1, 4.0), good(2, 0.0), good(3, None), head=[*HEAD, header])
        yield Habit(f"none_delivered_{number}", content, "a.xlsx", _ONE | {3: held, 4: bill(10_003)})
    for number, header in enumerate(("Horas extras", "Saldo de horas", "Faltas às aulas", "Andar")):
        content = table(good(1, 4.0), good(2, 0.0), head=[*HEAD, header])
        yield Habit(f"none_of_another_number_{number}", content, "a.xlsx", _BOTH)
    head = ["CNPJ", "Cliente", "Dias", "Valor mensal", "Adicional", "Valor a faturar"]
    customers = [[doc(number), f"Tomador {number} Ltda"] for number in (1, 2, 3)]
    days = [
        [*customer, *row]
        for customer, row in zip(
            customers, ((30.0, 100.0, 10.0, 110.0), (30.0, 50.0, 5.0, 55.0), (15.0, 100.0, 10.0, 110.0)), strict=True
        )
    ]
    yield Habit("fewer_days_and_an_extra", xlsx(head, *days), "a.xlsx", {2: bill(11_000), 3: bill(5_500), 4: held})
    content = table(good(1, 4.0), good(2, 0.0), head=[*HEAD[:3], "Mensalidade", "Visitas"])
    yield Habit("none_delivered_for_a_fixed_fee", content, "a.xlsx", _BOTH)


def _instalments() -> Iterator[Habit]:
    def rows(*pairs: tuple[str, float]) -> Iterator[list[object]]:
        for number, (text, amount) in enumerate(pairs, start=1):
            yield [doc(number), f"Tomador {number} Ltda", "Consultoria", amount, text]

    head, held = [*HEAD, "Condição"], ask("held.side_amount")
    content = table(*rows(("12x R$ 180,00", 180.0), ("12x R$ 180,00", 280.0), ("10 x de R$ 250", 2500.0)), head=head)
    yield Habit("instalment_beside_another_amount", content, "a.xlsx", {2: bill(18_000), 3: held, 4: held})
    content = table(*rows(("Suporte R$ 150,00", 150.0), ("Suporte R$ 180,00", 150.0)), head=[*HEAD, "Histórico"])
    yield Habit("amount_in_a_text", content, "a.xlsx", {2: bill(15_000), 3: held})
    content = table(*rows(("imóvel de R$ 90.000,00", 150.0), ("", 160.0)), head=[*HEAD, "Histórico"])
    yield Habit("another_amount_in_texts", content, "a.xlsx", {2: bill(15_000), 3: bill(16_000)})
    content = table(*rows(("3x R$ 100,00", 300.0), ("2 x R$ 1.250,00", 2500.0), ("à vista", 50.0)), head=head)
    yield Habit("count_and_price_in_words", content, "a.xlsx", {2: bill(30_000), 3: bill(250_000), 4: bill(5_000)})


def _progress() -> Iterator[Habit]:
    held = ask("held.status")
    for number, text in enumerate(("Em produção", "Em andamento", "Em criação", "Agendado")):
        content = table(good(1, "Concluído"), good(2, text), good(3, "Finalizado"), head=[*HEAD, "Status"])
        yield Habit(f"finished_beside_{number}", content, "a.xlsx", _ONE | {3: held, 4: bill(10_003)})
    content = table(good(1, "Ativo"), good(2, "Em produção"), head=[*HEAD, "Status"])
    yield Habit("system_in_use", content, "a.xlsx", _BOTH)


def _sums() -> Iterator[Habit]:
    def content(*headers: str) -> Habit:
        one, two = [doc(1), "Ana Ltda", 100.0, 20.0, 120.0], [doc(2), "Bia Ltda", 50.0, 10.0, 60.0]
        name = "_".join(headers).lower().replace(" ", "_").replace("/", "")
        return Habit(f"sum_{name}", xlsx(["CNPJ", "Cliente", *headers], one, two), "a.xlsx", rows)

    rows: dict[int, Expectation] = {2: bill(12_000), 3: bill(6_000)}
    for first, second, total in (
        ("Honorários Nov/26", "13º honorário", "Total"), ("Valor mensal", "Valor excedente", "Total"),
        ("Valor do plano", "Extras", "Total do mês"), ("Honorários mensais", "Adicional", "Total NF"),
    ):  # fmt: skip
        yield content(first, second, total)
    rows = {2: ask("held.side_amount"), 3: ask("held.side_amount")}
    for first, second, total in (
        ("Nov/26", "Dez/26", "Total"), ("Honorários Out/26", "Extras", "Total"),
        ("Valor da medição", "Saldo", "Total"), ("Valor da parcela", "Entrada", "Total"),
        ("Parcela 1", "Parcela 2", "Total"),
    ):  # fmt: skip
        yield content(first, second, total)


def _layouts() -> Iterator[Habit]:
    content = table(good(1, "Manhã"), good(2, "Tarde/Noite"), head=[*HEAD, "Período"])
    yield Habit("time_of_the_day", content, "a.xlsx", _BOTH)
    content = table(good(1, "11/2026"), good(2, "Manhã"), head=[*HEAD, "Período"])
    yield Habit("time_of_the_day_beside_a_month", content, "a.xlsx", _ONE | {3: ask("competence.unreadable")})
    head = ["Descrição", "CNPJ", "Cliente", "Valor"]
    group: list[list[object]] = [
        ["SETOR: PESSOAL"],
        ["Folha", doc(1), "Ana Ltda", 100.01],
        ["Subtotal pessoal", None, None, 100.01],
    ]
    yield Habit("group_with_a_label", xlsx(head, *group), "a.xlsx", {3: bill(10_001)})
