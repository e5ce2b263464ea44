"""The commands about reports: mistakes are sentences, told before anything heavy starts."""

import pytest

from flows.cli import main


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("FATURISTA_PATHS__HOME", str(tmp_path))


@pytest.mark.parametrize(
    ("command", "environment", "said"),
    [
        (["paid-invoices", "--since", "ontem"], {}, '"ontem" não é uma data'),
        (["paid-invoices"], {"FATURISTA_ORDERS__PLANS": "[]"}, "--plan"),
        (["orders"], {"FATURISTA_ORDERS__PLANS": "[]"}, "--plan"),
        (["orders"], {"FATURISTA_ORDERS__BASE_URL": ""}, "orders.base_url"),
        (["outcome", "nada.xlsx"], {}, "nada.xlsx"),
    ],
)
def test_a_mistake_is_a_sentence(capsys, monkeypatch, command, environment, said):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as ended:
        main(["report", *command])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
