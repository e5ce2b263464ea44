"""Roles, names and addresses of the people who work here."""

import pytest

from domain.staff import Actor, Permission, Role, folded_name, is_weak, parse_email, roles_for


def test_a_signature_says_name_and_address_or_machine_user() -> None:
    assert Actor("Ana").signature == "Ana"
    assert Actor("Ana", "root").signature == "Ana (root)"
    assert Actor("Ana", "root", 1, "ana@x.example").signature == "Ana (ana@x.example)"
    assert Actor("ana", "ana").signature == "ana"


def test_an_actor_matches_each_of_their_names() -> None:
    ana = Actor("Ana Souza", "root", 1, "ana@x.example", names=frozenset({"equipe sul"}))
    for name in ("ANA  Souza", "root", "Ana@X.example", "Equipe Sul", "Ana Souza (ana@x.example)"):
        assert ana.is_called(name), name
    assert not ana.is_called("Bia")
    assert not Actor("Ana").is_called("")


@pytest.mark.parametrize("text", ["Ana@Empresa.example", " ana+x@sul.empresa.example "])
def test_an_address_is_kept_in_lower_case(text: str) -> None:
    assert parse_email(text) == text.strip().lower()


@pytest.mark.parametrize(
    "text", ["", "ana", "ana@", "@x.example", "ana@x", "a na@x.example", "a@b@x.example", "ána@x.example", "a@.example",
             "a@x.example\n\x1b[2J", "a@-x.example", "x" * 250 + "@x.example", "<a@x.example>"],
)  # fmt: skip
def test_an_invalid_address_is_refused(text: str) -> None:
    assert parse_email(text) is None


@pytest.mark.parametrize("text", ["short", "a" * 40, "ana souza lima", "x" * 257, "cavalo\x00bateria grampo"])
def test_weak_passwords_are_recognised(text: str) -> None:
    assert is_weak(text, about=("Ana Souza Lima", "ana@x.example"))


def test_four_words_are_strong_enough() -> None:
    assert not is_weak("cavalo bateria grampo certo", about=("Ana", "ana@x.example"))


def test_each_role_but_the_auditors_allows_an_act() -> None:
    assert frozenset().union(*map(roles_for, Permission)) == set(Role) - {Role.AUDITOR}
    assert roles_for(Permission.BILL) == {Role.CLERK, Role.OPERATOR}
    assert folded_name("  JOSÉ  da\u00a0Silva ") == "josé da silva"
