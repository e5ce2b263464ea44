"""The CSV: in Brazilian format, the same bytes, and no active cell."""

import csv
import io

import pytest

from connectors.spreadsheets.reports.columns import paid_columns
from connectors.spreadsheets.reports.delimited import write_lines
from domain.orders.paid_invoices import Redeemed
from tests.connectors.ledger.mirror.samples import paid
from tests.connectors.spreadsheets.reports.test_books import words


def written(tmp_path, *invoices):
    in_words = words("report_paid")
    write_lines(tmp_path / "r.csv", paid_columns({"essencial": "Essencial"}, in_words), invoices, in_words)
    raw = (tmp_path / "r.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf")
    return [dict(row) for row in csv.DictReader(io.StringIO(raw.decode("utf-8-sig")), delimiter=";")]


def test_as_a_brazilian_program_reads_it(tmp_path):
    invoice = paid(
        5, total_cents=-1_205, amount_cents=100_000_000, adjustments=(Redeemed(1, 'a;"b"'), Redeemed(2, "c"))
    )
    (row,) = written(tmp_path, invoice)
    assert row == {
        "Fatura": "5",
        "Plano": "Essencial",
        "Mês": "10/2026",
        "Paga em": "05/10/2026 09:00:00",
        "Cliente": "Padaria do Cais Ltda",
        "CPF/CNPJ": "99.000.010/0001-94",
        "Valor (R$)": "1000000,00",
        "Ajustes (R$)": "-1000012,05",
        "Total pago (R$)": "-12,05",
        "Pagamento": "Boleto",
        "Cobrança": "05/10/2026",
        "Pedido": "7",
        "Descrição dos ajustes": 'a;"b"; c',
    }


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_executable_text_gets_an_apostrophe_in_text_columns(tmp_path, start):
    (row,) = written(
        tmp_path,
        paid(1, client_name=f"{start}1+1", client_document=f"{start}2", adjustments=(Redeemed(0, f"{start}3"),)),
    )
    assert [row[name] for name in ("Cliente", "CPF/CNPJ", "Descrição dos ajustes")] == [
        f"'{start}1+1",
        f"'{start}2",
        f"'{start}3",
    ]
