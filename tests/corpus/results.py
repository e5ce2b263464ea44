"""Sheets that compute what is charged from a price and its changes, or that say who bills, who pays and how often."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, cpf, doc, good, text_of
from tests.corpus.sheets import table, xlsx

_ONE: dict[int, Expectation] = {2: bill(10_001)}
_BOTH: dict[int, Expectation] = _ONE | {3: bill(10_002)}


def habits() -> Iterator[Habit]:
    yield from _computed()
    yield from _others_shares()
    yield from _further_charges()
    yield from _rates_of_fees()
    yield from _prices_of_a_month()
    yield from _parties()
    yield from _periods()


def _habit(
    name: str, headers: tuple[str, ...], one: tuple[object, ...], two: tuple[object, ...], *rows: Expectation,
    remarks: tuple[str, ...] = (),
) -> Habit:  # fmt: skip
    content = xlsx(["CNPJ", "Cliente", *headers], [doc(1), "Ana Ltda", *one], [doc(2), "Bia Ltda", *two])
    return Habit(name, content, "a.xlsx", dict(enumerate(rows, start=2)), remarks=remarks)


def _computed() -> Iterator[Habit]:
    held, remarks = ask("held.side_amount"), ("column.computed_amount",)
    less, more = ((1300.0, None, 1300.0), (1300.0, 130.0, 1170.0)), ((1500.0, 150.0, 1650.0), (790.0, 0.0, 790.0))
    for number, (headers, (one, two), cents) in enumerate(
        (
            (("Mensalidade", "Desconto irmão", "A pagar"), less, (130_000, 117_000)),
            (("Valor Bruto", "Bolsa", "Valor Líquido"), less, (130_000, 117_000)),
            (("Valor do contrato", "Glosa", "Total líquido"), less, (130_000, 117_000)),
            (("Mensalidade", "Valor excedente", "Total do mês"), more, (165_000, 79_000)),
            (("Valor mensal", "Aditivo", "Valor a pagar"), more, (165_000, 79_000)),
        )
    ):
        known = remarks if number < 4 else ()
        yield _habit(f"computed_{number}", headers, one, two, *map(bill, cents), remarks=known)
    yield _habit(
        "computed_but_for_a_row", ("Mensalidade", "Desconto irmão", "A pagar"), *less[1:], (900.0, 90.0, 900.0),
        bill(117_000), held,
    )  # fmt: skip
    # paid before, only with a condition, or a tax: the price stays
    for number, header in enumerate(("Sinal", "Adiantamento", "Desconto pontualidade")):
        yield _habit(f"not_computed_{number}", ("Mensalidade", header, "A pagar"), *less[::-1], held, bill(130_000))
    yield _habit("net_of_taxes", ("Valor", "Outros impostos", "Valor Líquido"), *less, bill(130_000), bill(130_000))
    for number, header in enumerate(("Desconto ISS", "Descontos legais", "Desconto retenções na fonte")):
        yield _habit(f"withheld_{number}", ("Valor", header, "Valor Líquido"), *less[::-1], held, bill(130_000))
    for number, header in enumerate(("Desc. impostos", "Desc. tarifa boleto")):
        yield _habit(f"kept_back_{number}", ("Valor", header, "Valor Líquido"), *less, bill(130_000), bill(130_000))
    # the header says that this amount is to be billed, but taxes and a bank's charge lessen no invoice
    for number, header in enumerate(("Desconto PCC", "ISS retido (desconto)", "Desconto taxa do cartão")):
        yield _habit(f"final_net_{number}", ("Valor", header, "Valor a pagar"), *less[::-1], held, bill(130_000))
    yield _habit("price_of_all", ("Diárias", "Valor das diárias"), (3.0, 900.0), (1.0, 300.0), held, bill(30_000))
    counted = ("Visitas", "Valor visita", "Quantidade")
    yield _habit("two_counts", counted, (10.0, 150.0, 1.0), (1.0, 150.0, 1.0), held, bill(15_000))
    excess = ("Mensalidade", "Horas extras", "Valor da hora")
    yield _habit("priced_excess", excess, (1000.0, 2.0, 50.0), (500.0, 0.0, 50.0), held, bill(50_000))
    content = xlsx(
        ["CNPJ", "Cliente", "Mensalidade", "Horas de sala", "Valor excedente", "Total do mês"],
        [doc(1), "Ana Ltda", 1500.0, 3.0, 150.0, 1650.0],
        [doc(2), "Bia Ltda", 790.0, 0.0, 0.0, 790.0],
    )
    yield Habit("fixed_price_beside_hours", content, "a.xlsx", {2: bill(165_000), 3: bill(79_000)})
    for number, names in enumerate(
        (("Horas extras", "Valor horas extras"), ("Horas excedentes", "Excedente (R$)"), ("Km excedente", "Excedente"))
    ):
        # with the factor beside its product: the sum has the product alone
        content = xlsx(
            ["CNPJ", "Cliente", "Honorários", *names, "Total do mês"],
            [doc(1), "Ana Ltda", 800.0, 2.0, 100.0, 900.0],
            [doc(2), "Bia Ltda", 500.0, 0.0, 0.0, 500.0],
            [doc(3), "Caio Ltda", 400.0, 1.0, 50.0, 400.0],
            [doc(4), "Davi Ltda", 400.0, 1.0, 50.0, 999.0],
        )
        yield Habit(f"factor_beside_{number}", content, "a.xlsx", {2: bill(90_000), 3: bill(50_000), 4: held, 5: held})
    for number, (base, header) in enumerate(
        (("Honorários", "Saldo anterior"), ("Fee mensal", "Multa e juros"), ("Honorários", "Despesas de viagem"))
    ):
        yield _habit(f"not_of_this_month_{number}", (base, header, "Total"), *more, held, bill(79_000))
    for number, header in enumerate(("Valor aditivo", "Excedente", "Acréscimo")):
        yield _habit(f"not_added_{number}", ("Valor", header), (100.0, 20.0), (50.0, None), held, bill(5_000))


def _others_shares() -> Iterator[Habit]:
    held = ask("held.side_amount")
    rows = ((1000.0, 200.0, 800.0), (500.0, 100.0, 400.0))
    for number, other in enumerate(
        ("Valor líquido veículo", "Repasse ao proprietário", "Líquido", "Líquido a receber")
    ):
        verdicts: list[Expectation] = [held, held] if number < 2 else [bill(100_000), bill(50_000)]
        yield _habit(f"commission_{number}", ("Valor Bruto", "Comissão (20%)", other), *rows, *verdicts)


def _further_charges() -> Iterator[Habit]:
    held = ask("held.side_amount")
    charges = ("Personal", "Material didático", "IRPF", "Certificado digital", "Licenças avulsas")
    for number, header in enumerate(charges):
        yield _habit(
            f"charge_of_some_{number}", ("Mensalidade", header), (500.0, 150.5), (200.0, None), held, bill(20_000)
        )
    for number, header in enumerate(("13º", "Honorários 13º", "Décimo terceiro", "Honorários extras", "Aulas avulsas")):
        yield _habit(
            f"extra_charge_{number}", ("Honorários", header), (500.0, 500.0), (200.0, None), held, bill(20_000)
        )
    for number, header in enumerate(("Nota média", "Limite de crédito", "Ramal", "Valor pago", "Horas de consultoria")):
        figure = 150.5 if header != "Ramal" else 150.0
        rows = ((500.0, figure), (200.0, None))
        yield _habit(f"figure_of_some_{number}", ("Mensalidade", header), *rows, bill(50_000), bill(20_000))
    text = text_of([["CNPJ", "Cliente", "Mensalidade", "Personal"], [doc(1), "Ana Ltda", "500,00", "150,50"],
                    [doc(2), "Bia Ltda", "200,00", ""]])  # fmt: skip
    yield Habit("charge_of_some_as_text", text.encode(), "a.csv", {2: held, 3: bill(20_000)})
    summed = ("Mensalidade", "Personal", "Total")
    yield _habit("charge_in_a_sum", summed, (500.0, 150.5, 650.5), (200.0, None, 200.0), bill(65_050), bill(20_000))


def _rates_of_fees() -> Iterator[Habit]:
    held, rows = ask("held.side_amount"), ((1000.0, 20.0), (500.0, 20.0))
    for number, header in enumerate(("% honorários", "% êxito", "Corretagem %", "Percentual de êxito")):
        yield _habit(f"rate_of_a_fee_{number}", ("Valor", header), *rows, held, held)
    whole = ((1000.0, 100.0), (500.0, 100.0))
    yield _habit("whole_fee", ("Valor", "% honorários"), *whole, bill(100_000), bill(50_000))
    for number, headers in enumerate((("Honorários", "% êxito"), ("Valor mensal", "% êxito"), ("Valor", "% ISS"))):
        yield _habit(f"rate_beside_a_fee_{number}", headers, *rows, bill(100_000), bill(50_000))
    for number, header in enumerate(("Valor da condenação", "Valor do acordo", "Valor recuperado", "Valor financiado")):
        fees = (header, "% honorários", "Valor a faturar")
        yield _habit(f"fee_of_{number}", fees, (1000.0, 20.0, 200.0), (500.0, 20.0, 100.0), bill(20_000), bill(10_000))


def _prices_of_a_month() -> Iterator[Habit]:
    held, rows = ask("held.side_amount"), ((1000.0, 1050.0), (500.0, 550.0))
    headers = ("Mensalidade a partir de 11/2026", "Valor vigente desde 03/2026", "Mensalidade a partir de 01/2027")
    for number, header in enumerate((*headers, "Mensalidade de 10/2026")):
        verdicts: list[Expectation] = [held, held] if number < 2 else [bill(100_000), bill(50_000)]
        yield _habit(f"price_from_a_month_{number}", ("Mensalidade atual", header), *rows, *verdicts)
    content = xlsx(
        ["CNPJ", "Cliente", "Dias", "Pro rata"],
        [doc(1), "Ana Ltda", 30.0, 100.0], [doc(2), "Bia Ltda", 15.0, 50.0], [doc(3), "Eva Ltda", 30.0, 70.0],
    )  # fmt: skip
    yield Habit("part_of_the_days", content, "a.xlsx", {2: bill(10_000), 3: bill(5_000), 4: bill(7_000)})


def _parties() -> Iterator[Habit]:
    held = ask("held.notes")
    for number, (header, text) in enumerate(
        (
            ("Quem fatura", "Parceiro"),
            ("Faturado por", "Cliente"),
            ("Faturar para", "Bia Participações SA"),
            ("Emitir nota em nome de", "Bia Participações SA"),
            ("Pagador", "Bia Participações SA"),
            ("Razão social da NF", "Bia Participações SA"),
        )
    ):
        content = table(good(1, None), good(2, text), head=[*HEAD, header])
        yield Habit(f"other_party_{number}", content, "a.xlsx", _ONE | {3: held})
    for number, (header, text) in enumerate(
        (
            ("Quem fatura", "Nós"),
            ("Quem emite", "Marta"),
            ("Faturar para", "Tomador 2"),
            ("Faturar para", "o mesmo"),
            ("Em nome de", "financeiro@bia.example"),
            ("Indicado por", "Bia Participações SA"),
        )
    ):
        content = table(good(1, None), good(2, text), head=[*HEAD, header])
        yield Habit(f"own_party_{number}", content, "a.xlsx", _BOTH)
    names = good(1, "Bia Participações SA"), good(2, "Caio Participações SA")
    content = table(*names, head=[*HEAD, "Razão social da NF"])
    yield Habit("legal_names_beside_usual_ones", content, "a.xlsx", _BOTH)
    head = ["Nome do Aluno", "Resp. Financeiro", "CPF Resp. Financ.", "Mensalidade"]
    content = xlsx(head, ["Lia", "Ana Moura", cpf(1), 100.01], ["Ivo", "Bruno Lima", cpf(2), 100.02])
    rows: dict[int, Expectation] = {2: bill(10_001, name="Ana Moura"), 3: bill(10_002, name="Bruno Lima")}
    yield Habit("abbreviated_payer", content, "a.xlsx", rows)


def _periods() -> Iterator[Habit]:
    for number, (amount, months) in enumerate(
        (
            ("Valor do contrato", "Prazo (meses)"),
            ("Valor contratado", "Nº de parcelas"),
            ("Valor mensal", "Prazo (meses)"),
        )
    ):
        verdict = bill(120_000) if number == 2 else ask("held.side_amount")
        yield _habit(
            f"months_of_a_contract_{number}", (amount, months), (1200.0, 12.0), (500.0, 1.0), verdict, bill(50_000)
        )
    for number, text in enumerate(("Anual", "Trimestral", "semestralmente")):
        content = table(good(1, "Mensal"), good(2, text), head=[*HEAD, "Periodicidade"])
        yield Habit(f"longer_period_{number}", content, "a.xlsx", _ONE | {3: ask("held.notes")})
        content = table(good(1, text), good(2, text), head=[*HEAD, "Periodicidade"])
        yield Habit(f"one_period_{number}", content, "a.xlsx", _BOTH)
