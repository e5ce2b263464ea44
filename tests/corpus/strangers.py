"""Habits of many companies: remarks in odd places, changed decisions, exports, and unusual layouts."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, cpf, doc, good, text_of
from tests.corpus.sheets import html, table, xlsx


def habits() -> Iterator[Habit]:
    one: dict[int, Expectation] = {2: bill(10_001)}
    two = one | {3: bill(10_002)}
    yield from _remarks()
    yield from _signs()
    yield from _layouts(one, two)
    yield from _files(two)


def _remarks() -> Iterator[Habit]:
    held = ask("held.notes")
    for number, text in enumerate(("NÃO FATURAR", "cancelado", "aguardando aprovação", "já faturado em 05/11")):
        content = xlsx([*HEAD, "Controle"], good(1, "ok"), good(2, text))
        yield Habit(f"remark_in_unknown_column_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
        content = xlsx(HEAD, good(1), good(2, text))
        yield Habit(f"remark_without_header_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, name in enumerate(
        ("Ana Ltda (CANCELADO)", "Ana Ltda - não faturar", "*CANCELADO* Ana Ltda", "Ana Ltda - SUSPENSO")
    ):
        content = table(good(1), [doc(2), name, "Consultoria", 10.0])
        yield Habit(f"remark_in_name_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, text in enumerate(("NÃO EMITIR", "Consultoria (cancelado)", "não cobrar - cortesia")):
        content = table(good(1, "Suporte"), good(2, text), head=[*HEAD, "Descrição"])
        yield Habit(f"remark_in_description_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    content = table(good(1, "Suporte"), good(2, "Multa por cancelamento"), head=[*HEAD, "Descrição"])
    yield Habit("fine_for_a_cancellation", content, "a.xlsx", {2: bill(10_001), 3: ask("held.kind")})
    for number, text in enumerate(("Taxa de cancelamento do contrato", "Suporte a emissão de NF")):
        content = table(good(1, text), head=[*HEAD, "Descrição"])
        yield Habit(f"harmless_description_{number}", content, "a.xlsx", {2: bill(10_001, description=text)})
    content = table(
        [doc(1), "Não Me Toque Turismo Ltda", "Consultoria", 10.0], [doc(2), "Segurança Total Ltda", "M", 20.0]
    )
    yield Habit("harmless_names", content, "a.xlsx", {2: bill(1_000), 3: bill(2_000)})
    content = table(good(1, "Não"), head=[*HEAD, "Retém INSS?"])
    yield Habit("harmless_no", content, "a.xlsx", {2: bill(10_001)})


def _signs() -> Iterator[Habit]:
    for number, (header, text) in enumerate(
        (("Status NF", "Cancelada"), ("Situação Contrato", "Encerrado"),
         ("STATUS FATURAMENTO", "Faturado"),
         ("Sit.", "Cancelado"), ("Situação do aluno", "Trancado"),
         ("Status do Cliente", "Inativo"), ("Etapa", "Cancelado"))
    ):  # fmt: skip
        content = table(good(1, "Ativo"), good(2, text), head=[*HEAD, header])
        held = ask("held.status", "held.notes", "held.billed")
        yield Habit(f"status_header_{number}", content, "a.xlsx", {2: bill(10_001), 3: held})
    for number, (header, text) in enumerate(
        (("NF Emitida", "Sim"), ("Nota emitida?", "X"), ("Já faturado?", "sim"), ("Emitida", "ok"),
         ("Não faturar", "x"),
         ("Bloqueado", "Sim"), ("Inativo", "S"), ("Data de Cancelamento", "03/11/2026"))
    ):  # fmt: skip
        content = table(good(1), good(2, text), head=[*HEAD, header])
        yield Habit(f"yes_header_{number}", content, "a.xlsx", {2: bill(10_001), 3: ask("held.billed", "held.status")})
    content = table(good(1, True), good(2, False), head=[*HEAD, "Ativo"])
    yield Habit("active_as_truth", content, "a.xlsx", {2: bill(10_001), 3: ask("held.status")})
    content = table(good(1, "S"), good(2, None), head=[*HEAD, "Faturar"])
    yield Habit("wish_blank", content, "a.xlsx", {2: bill(10_001), 3: ask("row.wish_blank")})
    content = table(good(1), good(2, "10/11/2026"), head=[*HEAD, "Pago em"])
    yield Habit("paid_on_a_day", content, "a.xlsx", {2: bill(10_001), 3: ask("held.paid")})
    content = table(good(1, "10/2026"), head=[*HEAD, "Competência"])
    yield Habit("row_of_another_month", content, "a.xlsx", {2: bill(10_001, "competence.of_row")})


def _layouts(one, two) -> Iterator[Habit]:
    yield Habit("row_numbers", table([1.0, *good(1)], [2.0, *good(2)], head=["#", *HEAD]), "a.xlsx", two)
    yield Habit("first_column_blank", table([None, *good(1)], head=[None, *HEAD]), "a.xlsx", one)
    head = ["CNPJ *", "Razão\nSocial", "Modelo:", "Valor\n(R$)"]
    yield Habit("decorated_headers", table(good(1), head=head), "a.xlsx", one)
    yield Habit("upper_case_headers", table(good(1), head=[text.upper() for text in HEAD]), "a.xlsx", one)
    content = table(good(1)[:3], head=["CNPJ", "Nome", "Jan/26", "Fev/26"])
    yield Habit("months_as_columns", content, "a.xlsx", {}, stops="column.missing")
    head = ["CNPJ", "Razão Social", "Nome", "Modelo", "Valor"]
    content = table([doc(1), "Tomador 1 Ltda", "Ana", "Consultoria", 10.0], head=head)
    yield Habit("two_names", content, "a.xlsx", {2: bill(1_000, name="Tomador 1 Ltda")}, remarks=("column.similar",))
    head = ["Aluno", "Responsável Financeiro", "CPF do Responsável", "Mensalidade"]
    content = table(["João Souza", "Maria Souza", cpf(1), 10.0], head=head)
    yield Habit("pupil_and_payer", content, "a.xlsx", {2: bill(1_000, name="Maria Souza")})
    content = table(good(1, "x", None), head=[*HEAD, "Nº Proposta", "Projeto"])
    yield Habit("two_references", content, "a.xlsx", {2: bill(10_001, reference="x")})
    content = xlsx(
        ["Clientes"],
        [],
        HEAD,
        good(1),
        ["Total", None, None, 100.01],
        [],
        ["Inadimplentes"],
        ["Fulano Ltda", None, None, None],
    )
    yield Habit("list_below_the_total", content, "a.xlsx", {4: bill(10_001)}, remarks=("sheet.notes_below",))
    content = xlsx(
        HEAD, good(1), ["TOTAL", None, None, 100.01], [], ["CANCELADAS"], HEAD, good(2), ["TOTAL", None, None, 100.02]
    )
    yield Habit("cancelled_below_the_total", content, "a.xlsx", {2: bill(10_001), 7: ask("held.section")})
    content = xlsx(HEAD, ["São Paulo"], good(1), ["Rio de Janeiro"], good(2))
    yield Habit("groups_by_city", content, "a.xlsx", {3: bill(10_001), 5: bill(10_002)})
    content = xlsx([*HEAD, "CEP"], good(1, 1310100.0))
    yield Habit("zip_lost_its_zero", content, "a.xlsx", {2: bill(10_001, zip_code="01310100")})


def _files(two) -> Iterator[Habit]:
    text = text_of([HEAD, good(1), good(2)])
    trailing = text.replace("\r\n", ";;\r\n")
    yield Habit("csv_trailing_separators", trailing.encode(), "A.CSV", two)
    yield Habit(
        "csv_blank_lines", text.replace("\r\n", "\r\n\r\n").encode(), "a.csv", {3: bill(10_001), 5: bill(10_002)}
    )
    yield Habit("csv_title", f"Relatório;;;\r\n{text}".encode(), "a.csv", {3: bill(10_001), 4: bill(10_002)})
    american = f'CNPJ,Name,Amount\r\n{doc(1)},Ana,"1,234.56"\r\n{doc(2)},Bia,1500.00\r\n'
    yield Habit("csv_american", american.encode(), "a.csv", {2: bill(123_456), 3: bill(150_000)})
    rows = [HEAD, [doc(1), "Tomador 1 Ltda", "Consultoria", "100,01"], [doc(2), "<s>Tomador 2</s>", "M", "100,02"]]
    yield Habit("html_stroke", html(rows), "a.xls", {2: bill(10_001), 3: ask("held.struck")})
    rows = [*rows[:2], [doc(2), "<s>Ana</s> Tomador 2", "M", "100,02"]]
    yield Habit("html_stroke_of_a_part", html(rows), "a.xls", {2: bill(10_001), 3: ask("held.part_struck")})
    spans = "<table><tr><th>CNPJ</th><th>Nome</th><th>Valor</th></tr>"
    spans += (
        f"<tr><td rowspan=2>{doc(1)}</td><td rowspan=2>Ana</td><td>100,01</td></tr><tr><td>100,02</td></tr></table>"
    )
    yield Habit("html_spans", spans.encode(), "a.xls", two)
