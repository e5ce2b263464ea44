"""Models that hide personal data in their text form."""

import pytest

from connectors.http.redacted_model import AnswerModel, RequestModel

CANARY = "99000000130"


class Person(AnswerModel):
    """A model that shows its number."""

    shown = frozenset({"number"})
    number: int
    cpf: str


class NewPerson(RequestModel):
    """A model that shows nothing."""

    cpf: int


def test_only_what_may_be_shown_is():
    person = Person.model_validate({"number": 7, "cpf": CANARY, "token": CANARY})
    assert (repr(person), str(person)) == ("Person(number=7)", "number=7")
    assert person.model_extra == {"token": CANARY}
    assert CANARY not in f"{[person]} {NewPerson(cpf=int(CANARY))!r}"


def test_an_error_does_not_quote_what_was_refused():
    for values in ({"cpf": f"x{CANARY}"}, {"cpf": 1, "colour": CANARY}):
        with pytest.raises(ValueError, match="NewPerson") as caught:
            NewPerson.model_validate(values)
        assert CANARY not in str(caught.value)


class Account(AnswerModel):
    """A model with optional fields."""

    plan: str
    name: str | None = None
    ends_at: int | None = None
    is_open: bool = True
    roles: tuple[str, ...] = ()


@pytest.mark.parametrize("blank", [None, ""])
def test_a_blank_optional_field_of_an_answer_counts_as_missing(blank):
    answer = {"plan": "essencial", "note": blank}
    found = Account.model_validate({**answer, "name": blank, "ends_at": blank, "is_open": blank, "roles": blank})
    assert found == Account.model_validate(answer)
    assert found.model_extra == {"note": blank}


def test_a_required_field_of_an_answer_is_no_null():
    with pytest.raises(ValueError, match="plan"):
        Account.model_validate({"plan": None})
