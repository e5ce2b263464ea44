"""What goes of a stored value: contacts at any depth, and texts that problems repeat."""

from domain.persons.erasing import ERASED, bare_problems, without_contacts
from domain.problems import Problem, Where


def test_contacts_go_at_any_depth_and_the_rest_stays():
    body = {
        "name": "Ana",
        "emails": ["a@x.test"],
        "address": {"city": "Rio", "phone_number": "21"},
        "list": [{"email": 1}],
    }
    assert without_contacts(body) == {"name": "Ana", "address": {"city": "Rio"}, "list": [{}]}
    assert without_contacts(None) is None


def test_a_problem_keeps_code_field_and_place_only():
    told = Problem("document.invalid", "document", Where(sheet="A", row=7), {"text": "529.982.247-26"}).to_json()
    (bare,) = bare_problems([told])
    assert bare == {**told, "params": {"text": ERASED}}
    assert Problem.from_json(bare).code == "document.invalid"
