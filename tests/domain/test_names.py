"""Distinguish two spellings of one customer from two customers, and a person's name from a company's."""

import pytest

from domain.documents import DocumentKind
from domain.names import are_alike, likely_kind, masked_name, shown_name, without_form


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alfa Comércio Ltda", "ALFA COMERCIO LTDA ME"), ("Padaria Sol", "Padaria Sol Nascente Ltda"),
        ("Maria Souza", "Maria Aparecida de Souza"), ("J. Silva", "João da Silva"), ("Ana Lma", "Ana Lima"),
        ("CBF", "Confederação Brasileira de Futebol"), ("Cond. Ed. Solar", "Condomínio Edifício Solar"),
        ("Metalúrgica  ANDRADE S/A", "metalurgica andrade"), ("", "Ana"), ("Ltda", "LTDA"),
        ("Posto Sol 07", "POSTO SOL 7 LTDA"), ("Posto Sol", "Posto Sol 7"),
        ("Marés Consultoria", "Marés Consultoria e Participações"), ("Marés", "Marés Consultoria"),
        ("Ana Lima 12345678900", "Ana Lima 55555555"),
    ],
)  # fmt: skip
def test_names_of_one_customer_are_alike(one: str, other: str):
    assert are_alike(one, other)
    assert are_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria Silva", "Maria Souza"), ("Beta S/A", "Gama Ltda"), ("Escola ABC", "Escola XYZ"),
        ("Mercado Bom Preço", "Mercado Central"), ("Ana Ltda", "Joana Ltda"), ("Ana Lima", "Padaria Sol Nascente Ltda"),
        ("Clínica Boa Vista 02 Ltda", "Clínica Boa Vista 07 Ltda"), ("Posto Sol 3", "Posto Sol 13"),
        ("Marés Participações Ltda", "Marés Consultoria Ltda"), ("Sol Transportes", "Sol Engenharia S/A"),
    ],
)  # fmt: skip
def test_names_of_two_customers_are_far(one: str, other: str):
    assert not are_alike(one, other)
    assert not are_alike(other, one)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Maria da Silva", "cpf"), ("Padaria Maria Ltda", "cnpj"), ("João & Filhos", "cnpj"), ("Beta S/A", "cnpj"),
        ("Zyx", None), ("Maria", None), ("Maria 3", None),
    ],
)  # fmt: skip
def test_a_name_may_say_whether_it_is_a_company(name: str, kind: str | None):
    assert likely_kind(name) == kind


def test_a_masked_name_is_recognised_and_not_revealed():
    assert masked_name("Maria da Silva e Souza") == "Mar… da Sil… e Sou…"
    assert masked_name("Ana Sá O Léo") == "An… S… O… Lé…"


def test_a_companys_name_is_shown_whole_without_a_persons_cpf():
    assert shown_name("Padaria do Sol Ltda", "cnpj") == "Padaria do Sol Ltda"
    assert shown_name("JOÃO DA SILVA 529.982.247-25", "cnpj") == "JOÃO DA SILVA"
    assert shown_name("João da Silva 52998224725", "cnpj") == "João da Silva"
    assert shown_name("x" * 200, "cnpj") == "x" * 60
    assert "\x1b" not in shown_name("Pa\x1b[31mdaria", "cnpj")


@pytest.mark.parametrize("kind", ["cpf", None])
def test_a_persons_name_is_shown_in_part(kind: DocumentKind | None):
    assert shown_name("Maria da Silva", kind) == "Mar… da Sil…"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Beta Transportes S/A", "beta transportes"), ("Padaria Sol Ltda - ME", "padaria sol"), ("ME", "me"),
        ("Ana Lima", "ana lima"), ("", ""),
    ],
)  # fmt: skip
def test_a_name_is_compared_without_its_legal_form(name: str, expected: str):
    assert without_form(name) == expected
