"""Sheets that contradict or qualify their own charges: sums among charges, texts of another kind, unknown statuses."""

from collections.abc import Iterator

from tests.corpus.habits import HEAD, Expectation, Habit, ask, bill, good
from tests.corpus.sheets import table

_NO_SERVICES = (
    "Recibo nº 31 - diária de montagem", "Nota de débito 15/2026", "Caução da sala 12",
    "Depósito em garantia (devolver)",
    "Doação para a festa junina", "Estorno de boleto pago a maior", "Juros e multa do boleto vencido",
    "Juros por atraso", "Multa por quebra de fidelidade", "Reembolso de despesas com táxi",
    "Ressarcimento de custas do cartório", "Adiantamento de despesas de obra", "Substituição da NFS-e 4471",
    "Reemissão da nota 88", "Plano ouro (distrato em 20/10)", "Aula avulsa - cancelada em 12/11",
    "Aula avulsa - sem nota fiscal", "Som e luz (nota de débito)", "Palestra ref. XX/XXXX", "Aulas de {mês}",
    "Manutenção mm/aaaa",
)  # fmt: skip
_SERVICES = (
    "Defesa de multa de trânsito", "Multas de trânsito: consulta e recurso", "Recibos de aluguel: emissão mensal",
    "Ação de devolução de valores", "Doação de imóvel: minuta da escritura", "Juros abusivos - ação revisional",
    "Substituição de disjuntor", "Substituição tributária: consulta", "Estorno de crédito de ICMS: apuração",
    "Adiantamento de 50% do projeto", "Depósito de marca no INPI", "Cancelamento de NF-e: treinamento",
    "Correção de redação 12", "Rescisão de contrato de trabalho: cálculo", "XXX Congresso de Ortopedia",
    "Reembolso assistido de consultas",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    yield from _texts()


def _texts() -> Iterator[Habit]:
    head = [*HEAD, "Discriminação"]
    for number, text in enumerate(_NO_SERVICES):
        content = table(good(1, "Aula de novembro"), good(2, text), head=head)
        rows: dict[int, Expectation] = {2: bill(10_001), 3: ask("held.kind", "text.placeholder")}
        yield Habit(f"no_service_{number}", content, "a.xlsx", rows)
    for number, text in enumerate(_SERVICES):
        content = table(good(1, text), head=head)
        yield Habit(f"service_about_such_{number}", content, "a.xlsx", {2: bill(10_001, description=text)})
    content = table(good(1, "Juros e multa", "S"), head=[*head, "Faturar"])
    yield Habit("no_service_released", content, "a.xlsx", {2: bill(10_001, "row.released")})
