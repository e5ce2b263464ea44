"""The part of a contract is billed if its header names the month or a part, and held if it may be all until now."""

from itertools import islice, permutations

import orjson
import pytest

from tests.corpus.habits import Habit, doc
from tests.corpus.reading import read
from tests.corpus.sheets import table

_PART, _WHOLE, _ASKED = 300_000, 1_000_000, "held.side_amount"


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        (("Valor do contrato", "%", "Parcela"), _PART),
        (("Valor global", "Medição %", "Medição"), _PART),
        (("Valor", "% executado", "Valor a faturar"), _PART),
        (("Valor do contrato", "Progress %", "Billed this month"), _PART),
        (("Valor", "Avanço", "Importe avance"), _ASKED),
        (("Valor do contrato", "Avanço %", "Valor acumulado"), _ASKED),
        (("Valor do contrato", "% a receber", "A receber"), _ASKED),
        (("Valor", "% médico", "Valor do médico no mês"), _WHOLE),
        (("Valor", "ISS %", "ISS do mês"), _WHOLE),
        (("Valor", "% retido", "Valor a reter no mês"), _WHOLE),
    ],
)
def test_a_share_of_the_work(heads, expected):
    rows = (["Ana Ltda", doc(), 10_000.0, "30%", 3_000.0],)
    assert _outcome(table(*rows, head=["Cliente", "CNPJ", *heads])) == expected


def _outcome(content):
    row = next(iter(read(Habit("portion", content, "a.xlsx", {})).rows()))
    return row.problems[0].code if row.problems else orjson.loads(row.json or b"{}")["service_cents"]


def test_two_parts_of_an_amount_are_asked():
    heads = ["Cliente", "CNPJ", "Valor total", "% da etapa", "Etapa atual", "% do mês", "Total neste mês"]
    assert _outcome(table(["Ana Ltda", doc(), 10_000.0, "30%", 3_000.0, "10%", 1_000.0], head=heads)) == _ASKED


def test_a_sheet_of_very_many_progress_columns_is_not_searched():
    """Comparing each of two hundred columns with each other one would take seconds."""
    many = [" ".join(each) for each in islice(permutations(("obra", "project", "hito", "avance", "the"), 3), 39)]
    heads = ["Cliente", "CNPJ", "Valor do contrato", "%", "Parcela"]
    row = ["Ana Ltda", doc(), 10_000.0, "30%", 3_000.0]
    assert _outcome(table([*row, *[""] * 38], head=[*heads, *many[:38]])) == _PART
    assert _outcome(table([*row, *[""] * 39], head=[*heads, *many])) == _WHOLE
